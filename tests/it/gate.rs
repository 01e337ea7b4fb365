//! The promise: whether a note is asked for follows from the figures alone, by a table whose first
//! matching row decides. Shown against a second reading of the table, written without looking at
//! the first, over every combination of its conditions.

use graff_notes::ErrorKind;
use graff_notes::gate::{
    Boundary, Notes, Outcome, Provider, Recovery, Refusal, Row, RowAnswer, Session, Situation,
    Verdict, decide, headroom, nearly_full, rows,
};
use graff_notes::session::NameRefused;
use graff_notes::units::{Bytes, Calls, Generation, Seq, Tokens};
use serde_json::json;

use crate::support::situation;

mod combinations;

fn tokens(n: u64) -> Tokens {
    Tokens::new(n)
}

fn calls(n: u64) -> Calls {
    Calls::new(n)
}

/// The verdict's name for the usual situation but for what `change` makes of it.
fn verdict_with(change: impl FnOnce(&mut Situation)) -> &'static str {
    let mut changed = situation();
    change(&mut changed);
    decide(&changed).as_str()
}

mod each_row {
    use super::*;

    #[test]
    fn lets_the_usual_situation_pass() {
        assert_eq!(decide(&situation()).as_str(), "fire");
        assert!(rows(&situation()).iter().all(|row| row.refusal.is_none()));
    }

    #[test]
    fn notes_can_be_switched_off() {
        assert_eq!(verdict_with(|s| s.notes = Notes::Off), "disabled");
    }

    #[test]
    fn a_worker_writes_none() {
        for depth in [1, 2, u32::MAX] {
            assert_eq!(verdict_with(|s| s.depth = depth), "worker");
        }
    }

    #[test]
    fn there_must_be_a_session_to_keep_it_in() {
        assert_eq!(verdict_with(|s| s.session = Session::Unnamed), "no_session");
        assert_eq!(verdict_with(|s| s.session = Session::BadName), "bad_session_name");
    }

    #[test]
    fn a_generation_has_one_attempt() {
        let at = |now: u64, attempted: Option<u64>| {
            verdict_with(|s| {
                s.generation = Generation::new(now);
                s.attempted = attempted.map(Generation::new);
            })
        };
        assert_eq!(at(0, None), "fire");
        assert_eq!(at(0, Some(0)), "already_attempted");
        assert_eq!(at(4, Some(4)), "already_attempted");
        assert_eq!(at(5, Some(4)), "fire", "the next generation may fire again");
        assert_eq!(at(4, Some(5)), "fire", "what is on record is another generation's");
    }

    #[test]
    fn it_must_fit_on_top_of_the_reserve_with_what_follows_it() {
        let at = |remaining, reserve, cost| {
            verdict_with(|s| {
                s.remaining = calls(remaining);
                s.reserve = calls(reserve);
                s.cost = calls(cost);
            })
        };
        assert_eq!(at(7, 6, 1), "fire");
        assert_eq!(at(6, 6, 1), "budget");
        assert_eq!(at(7, 6, 2), "budget", "the summary is owed as well");
        assert_eq!(at(8, 6, 2), "fire");
        assert_eq!(at(0, 6, 1), "budget");
        assert_eq!(at(u64::MAX, u64::MAX, u64::MAX), "fire", "there is no limit");
    }

    #[test]
    fn a_rescue_is_no_time_for_it() {
        assert_eq!(verdict_with(|s| s.provider = Provider::Rejected), "recovering");
        let mid_turn = |window, effective| {
            verdict_with(|s| {
                s.boundary = Boundary::MidTurn;
                s.window = tokens(window);
                s.effective = tokens(effective);
            })
        };
        assert_eq!(mid_turn(200_000, 189_999), "fire");
        assert_eq!(mid_turn(200_000, 190_000), "recovering");
        assert_eq!(mid_turn(19, 18), "fire", "a window that small has no last twentieth");
        assert_eq!(mid_turn(19, 19), "recovering");
        assert_eq!(mid_turn(0, u64::MAX), "fire", "the window is unknown");
    }

    #[test]
    fn it_must_fit_into_the_window() {
        let at_end = |window, effective| {
            verdict_with(|s| {
                s.window = tokens(window);
                s.effective = tokens(effective);
            })
        };
        assert_eq!(at_end(200_000, 198_000), "fire", "exactly full is not over");
        assert_eq!(at_end(200_000, 198_001), "no_headroom");
        assert_eq!(at_end(200_000, u64::MAX), "no_headroom", "the sum cannot wrap");
        assert_eq!(at_end(4_200, 3_990), "fire", "a small window asks for a twentieth of itself");
        assert_eq!(at_end(4_200, 3_991), "no_headroom");
        assert_eq!(at_end(0, u64::MAX), "fire", "the window is unknown");
    }

    #[test]
    fn small_windows_ask_for_less_room_and_meet_the_large_at_forty_thousand() {
        for (window, room) in
            [(0, 0), (19, 0), (20, 1), (4_200, 210), (39_999, 1_999), (40_000, 2_000)]
        {
            assert_eq!(headroom(tokens(window)), tokens(room), "window {window}");
        }
        assert_eq!(headroom(Tokens::MAX), tokens(2_000));
    }
}

/// One refusal of each kind, with the situation that it comes from.
fn each_refusal() -> [(Situation, Refusal); 9] {
    let base = situation();
    let (window, limit) = (tokens(200_000), tokens(190_000));
    let (remaining, reserve, cost) = (calls(7), calls(6), calls(2));
    [
        (Situation { notes: Notes::Off, ..base }, Refusal::Disabled),
        (Situation { depth: 2, ..base }, Refusal::Worker { depth: 2 }),
        (Situation { session: Session::Unnamed, ..base }, Refusal::NoSession),
        (Situation { session: Session::BadName, ..base }, Refusal::BadSessionName),
        (
            Situation { attempted: Some(base.generation), ..base },
            Refusal::AlreadyAttempted { generation: base.generation },
        ),
        (
            Situation { remaining, reserve, cost, ..base },
            Refusal::Budget { remaining, reserve, cost },
        ),
        (
            Situation { provider: Provider::Rejected, ..base },
            Refusal::Recovering(Recovery::Rejected),
        ),
        (
            Situation { boundary: Boundary::MidTurn, effective: limit, ..base },
            Refusal::Recovering(Recovery::NearlyFull { effective: limit, limit }),
        ),
        (
            Situation { effective: tokens(198_001), ..base },
            Refusal::NoHeadroom { effective: tokens(198_001), headroom: tokens(2_000), window },
        ),
    ]
}

mod every_answer {
    use super::*;

    #[test]
    fn carries_the_figures_that_led_to_it() {
        for (situation, refusal) in each_refusal() {
            assert_eq!(decide(&situation), Verdict::Refuse(refusal));
        }
        match decide(&situation()) {
            Verdict::Fire(ticket) => {
                assert_eq!(ticket.generation(), Generation::new(3));
                assert_eq!(*ticket.situation(), situation());
            }
            Verdict::Refuse(refusal) => panic!("nothing stands against it, yet: {refusal}"),
        }
    }

    #[test]
    fn is_one_object_with_its_name_and_figures() {
        let refusals = each_refusal().map(|(_, refusal)| {
            serde_json::to_value(Verdict::Refuse(refusal)).expect("plain figures")
        });
        assert_eq!(
            refusals,
            [
                json!({"decision": "disabled", "figures": {}}),
                json!({"decision": "worker", "figures": {"depth": 2}}),
                json!({"decision": "no_session", "figures": {}}),
                json!({"decision": "bad_session_name", "figures": {}}),
                json!({"decision": "already_attempted", "figures": {"generation": 3}}),
                json!({"decision": "budget", "figures": {"remaining": 7, "reserve": 6, "cost": 2}}),
                json!({"decision": "recovering", "figures": {"because": "rejected"}}),
                json!({"decision": "recovering", "figures":
                    {"because": "nearly_full", "effective": 190_000, "limit": 190_000}}),
                json!({"decision": "no_headroom", "figures":
                    {"effective": 198_001, "headroom": 2_000, "window": 200_000}}),
            ]
        );
        let fire = serde_json::to_value(decide(&situation())).expect("plain figures");
        assert_eq!(
            fire,
            json!({"decision": "fire", "figures": {
                "notes": "on", "depth": 0, "session": "named", "generation": 3, "attempted": 2,
                "remaining": 20, "reserve": 6, "cost": 1, "provider": "accepted",
                "boundary": "end_of_turn", "window": 200_000, "effective": 100_000,
            }})
        );
    }

    #[test]
    fn goes_by_the_same_name_in_words_and_in_json() {
        for (situation, refusal) in each_refusal() {
            let json = serde_json::to_value(refusal).expect("plain figures");
            assert_eq!(json["decision"], refusal.as_str());
            assert_eq!(decide(&situation).as_str(), refusal.as_str());
        }
        for outcome in each_outcome() {
            let json = serde_json::to_value(&outcome).expect("plain figures");
            assert_eq!(json["outcome"], outcome.as_str());
        }
    }

    #[test]
    fn is_given_row_by_row_too() {
        let poor_worker = Situation { depth: 1, remaining: Calls::ZERO, ..situation() };
        let refusing: Vec<RowAnswer> =
            rows(&poor_worker).into_iter().filter(|row| row.refusal.is_some()).collect();
        let refusing = refusing.iter().map(|answer| answer.row).collect::<Vec<_>>();
        assert_eq!(refusing, [Row::Worker, Row::Budget]);
        assert_eq!(rows(&poor_worker).map(|answer| answer.row), Row::ALL);
        let names =
            ["disabled", "worker", "session", "attempt", "budget", "recovering", "headroom"];
        assert_eq!(Row::ALL.map(Row::as_str), names);
        assert_eq!(Row::ALL.map(|row| json!(row)), names.map(|name| json!(name)));
    }

    #[test]
    fn says_in_words_why() {
        let words = each_refusal().map(|(_, refusal)| refusal.to_string());
        assert_eq!(
            words,
            [
                "notes are switched off",
                "a worker, at depth 2, writes no notes",
                "there is no session to keep a note in",
                "the session's name cannot be stored under",
                "generation 3 has had its attempt",
                "7 calls are left and 6 are held back: 2 do not fit",
                "the provider rejected a request for its size",
                "190000 tokens in the midst of a turn have reached 190000",
                "198001 tokens and 2000 for the note exceed the window of 200000",
            ]
        );
    }

    #[test]
    fn allows_a_mechanical_note_only_where_a_call_was_what_could_not_be_afforded() {
        for (_, refusal) in each_refusal() {
            let salvageable = ["budget", "recovering", "no_headroom"].contains(&refusal.as_str());
            assert_eq!(refusal.allows_salvage(), salvageable, "{refusal}");
        }
    }
}

fn each_outcome() -> [Outcome; 14] {
    let generation = Generation::new(3);
    [
        Outcome::Stored { seq: Seq::new(9), generation, cut: Bytes::ZERO },
        Outcome::Unchanged,
        Outcome::OptedOut,
        Outcome::TooShort { bytes: Bytes::new(4) },
        Outcome::TooLong { bytes: Bytes::new(70_000) },
        Outcome::Cancelled,
        Outcome::BudgetRaced { remaining: calls(6), reserve: calls(6), cost: calls(1) },
        Outcome::AlreadyAttempted { generation },
        Outcome::CallFailed { reason: "timed out".into() },
        Outcome::AlreadyNoted { generation },
        Outcome::Stale,
        Outcome::OtherSession,
        Outcome::KeepsNone,
        Outcome::StoreFailed { kind: ErrorKind::NoSpace, reason: "disk full".into() },
    ]
}

#[test]
fn only_one_outcome_leaves_a_new_note() {
    let stored = each_outcome().map(|outcome| outcome.is_stored());
    assert_eq!(stored.iter().filter(|stored| **stored).count(), 1);
    assert_eq!(
        each_outcome().map(|outcome| outcome.to_string()),
        [
            "record 9 of generation 3 is on disk",
            "the newest note says the same already",
            "the model said that nothing is in flight",
            "a reply of 4 bytes is a fragment: a note has 16 at least",
            "a reply of 70000 bytes is too long to keep",
            "the turn was cancelled",
            "6 calls were left and 6 were held back: 1 did not fit",
            "generation 3 has had its attempt",
            "the model call failed: timed out",
            "generation 3 has a note already, which stays",
            "the history was rewritten since the decision",
            "the decision was made for another session",
            "a worker, or an agent without a session, keeps no notes",
            "the store failed: disk full",
        ]
    );
}

#[test]
fn a_name_that_cannot_be_stored_under_is_told_from_none() {
    let state = |refused| Session::from(&Err(refused));
    assert_eq!(state(NameRefused::Empty), Session::Unnamed);
    assert_eq!(state(NameRefused::Dots), Session::BadName);
    assert_eq!(state(NameRefused::Separator('/')), Session::BadName);
}
