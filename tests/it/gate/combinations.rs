//! Every combination of what each condition can be, each figure at, below and above its boundary.

use super::*;

const WINDOWS: [u64; 9] = [0, 1, 19, 20, 4_200, 39_999, 40_000, 200_000, u64::MAX];
const BUDGETS: [(u64, u64, u64); 6] =
    [(7, 6, 1), (6, 6, 1), (7, 6, 2), (8, 6, 2), (0, 0, 1), (u64::MAX, 6, 1)];

fn sizes(window: u64) -> [u64; 9] {
    let near = nearly_full(tokens(window)).get();
    let full = window.saturating_sub(headroom(tokens(window)).get());
    let (below, above) = (u64::saturating_sub, u64::saturating_add);
    [0, below(near, 1), near, above(near, 1), full, above(full, 1), window, u64::MAX - 1, u64::MAX]
}

/// Calls `visit` with every situation.
fn enumerate(mut visit: impl FnMut(&Situation)) {
    for notes in [Notes::On, Notes::Off] {
        for depth in [0, 1, 7] {
            for session in [Session::Named, Session::Unnamed, Session::BadName] {
                for attempted in [None, Some(2), Some(3)].map(|g| g.map(Generation::new)) {
                    for (remaining, reserve, cost) in BUDGETS {
                        let (remaining, reserve) = (calls(remaining), calls(reserve));
                        let changed = Situation {
                            notes,
                            depth,
                            session,
                            attempted,
                            remaining,
                            reserve,
                            cost: calls(cost),
                            ..situation()
                        };
                        enumerate_context(changed, &mut visit);
                    }
                }
            }
        }
    }
}

fn enumerate_context(base: Situation, visit: &mut impl FnMut(&Situation)) {
    for provider in [Provider::Accepted, Provider::Rejected] {
        for boundary in [Boundary::MidTurn, Boundary::EndOfTurn] {
            for window in WINDOWS {
                for effective in sizes(window).map(tokens) {
                    let window = tokens(window);
                    visit(&Situation { provider, boundary, window, effective, ..base });
                }
            }
        }
    }
}

/// The table read a second time, in numbers that are wide enough for every sum but
/// the one that the table itself lets saturate.
fn oracle(s: &Situation) -> &'static str {
    let wide = |n: u64| i128::from(n);
    let (window, effective) = (wide(s.window.get()), wide(s.effective.get()));
    let spare = wide(s.remaining.get()) - wide(s.reserve.get());
    let room = if window < 40_000 { window / 20 } else { 2_000 };
    let rescue = s.provider == Provider::Rejected
        || s.boundary == Boundary::MidTurn && window > 0 && effective >= window - window / 20;
    match () {
        () if s.notes == Notes::Off => "disabled",
        () if s.depth != 0 => "worker",
        () if s.session == Session::Unnamed => "no_session",
        () if s.session == Session::BadName => "bad_session_name",
        () if s.attempted == Some(s.generation) => "already_attempted",
        () if spare < wide(s.cost.get()) => "budget",
        () if rescue => "recovering",
        () if window > 0 && (effective + room).min(wide(u64::MAX)) > window => "no_headroom",
        () => "fire",
    }
}

#[test]
fn the_gate_agrees_with_a_second_reading_of_its_table() {
    let mut seen = std::collections::BTreeMap::<&str, u64>::new();
    enumerate(|situation| {
        let verdict = decide(situation).as_str();
        assert_eq!(verdict, oracle(situation), "{situation:?}");
        *seen.entry(verdict).or_default() += 1;
    });
    assert_eq!(seen.len(), 9, "every answer has been given: {seen:?}");
}

#[test]
fn the_first_row_that_refuses_decides_whatever_the_later_ones_say() {
    let mut overlaps = [[false; 7]; 7];
    enumerate(|situation| {
        let refusals = rows(situation).map(|row| row.refusal);
        let first = refusals.iter().position(Option::is_some);
        let refused = first.and_then(|row| refusals[row]);
        assert_eq!(decide(situation).refusal(), refused, "{situation:?}");
        for later in first.map_or(7..7, |row| row + 1..7) {
            overlaps[first.unwrap_or(0)][later] |= refusals[later].is_some();
        }
    });
    for (row, later) in (0..7).flat_map(|row| (row + 1..7).map(move |later| (row, later))) {
        assert!(overlaps[row][later], "rows {row} and {later} never both refused");
    }
}

#[test]
fn each_row_answers_for_itself_alone() {
    enumerate(|s| {
        for (alone, neutral) in one_row_at_a_time(s) {
            let answer = decide(&neutral).refusal();
            let expected = rows(s)[alone].refusal;
            assert_eq!(answer, expected, "row {alone} of {s:?}");
        }
    });
}

/// The situation stripped, for each row, of all that the other rows look at. The two rows on
/// the context share their figures and are left out.
fn one_row_at_a_time(s: &Situation) -> [(usize, Situation); 5] {
    let base = situation();
    [
        (0, Situation { notes: s.notes, ..base }),
        (1, Situation { depth: s.depth, ..base }),
        (2, Situation { session: s.session, ..base }),
        (3, Situation { attempted: s.attempted, ..base }),
        (4, Situation { remaining: s.remaining, reserve: s.reserve, cost: s.cost, ..base }),
    ]
}
