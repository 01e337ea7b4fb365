//! The promise: no run makes more calls than its cap, the last one is the root's, and a note never
//! takes a call that is held back for the landing. Shown on every small pool there is, call by
//! call, and by threads that race for the last calls of one pool.

use graff_notes::budget::{
    AdmissionRefused, Balance, BudgetRaced, Call, CallKind, Ledger, Permit, RunPool,
    landing_reserve,
};
use graff_notes::gate::{self, Verdict};
use graff_notes::units::Calls;
use proptest::prelude::*;

use crate::support::situation;

mod pool;
mod race;

const ROOT: u32 = 0;
const WORKER: u32 = 1;
const CAPS: std::ops::RangeInclusive<u64> = 0..=if cfg!(miri) { 40 } else { 300 };

const ORDINARY: [(Call, CallKind); 7] = [
    (Call::Root, CallKind::Root),
    (Call::Child, CallKind::Child),
    (Call::Retry, CallKind::Retry),
    (Call::Judge, CallKind::Judge),
    (Call::Title, CallKind::Title),
    (Call::Compaction, CallKind::Compaction),
    (Call::Landing, CallKind::Landing),
];

fn calls(n: u64) -> Calls {
    Calls::new(n)
}

fn pool_of(cap: u64) -> RunPool {
    RunPool::builder().cap(calls(cap)).concurrency_max(Calls::MAX).build()
}

/// Spends one call of the root.
#[track_caller]
fn spend(pool: &RunPool) {
    drop(pool.admit(ROOT, Call::Root).expect("a call is left"));
}

/// A pool of `cap` of which all but `remaining` calls are spent.
#[track_caller]
fn pool_with(cap: u64, remaining: u64) -> RunPool {
    let pool = pool_of(cap);
    (remaining..cap).for_each(|_| spend(&pool));
    pool
}

mod the_ledger {
    use super::*;

    #[test]
    fn holds_back_a_fifth_of_the_cap_and_never_less_than_six() {
        for (cap, reserve, least) in [
            (0, 6, Some(0)),
            (1, 6, None),
            (2, 6, None),
            (3, 6, None),
            (4, 6, None),
            (5, 6, None),
            (6, 6, None),
            (7, 6, Some(7)),
            (8, 6, Some(7)),
            (12, 6, Some(7)),
            (30, 6, Some(7)),
            (34, 6, Some(7)),
            (35, 7, Some(8)),
            (40, 8, Some(9)),
            (100, 20, Some(21)),
            (101, 20, Some(21)),
            (256, 51, Some(52)),
            (1000, 200, Some(201)),
        ] {
            let ledger = Ledger::new(calls(cap));
            assert_eq!(landing_reserve(calls(cap)), calls(reserve), "cap {cap}");
            assert_eq!(ledger.reserve(), calls(reserve), "cap {cap}");
            let given = ledger.least_remaining_for_note(Calls::ZERO);
            assert_eq!(given, least.map(calls), "cap {cap}");
        }
    }

    #[test]
    fn lets_nothing_touch_the_reserve() {
        let ledger = Ledger::new(calls(30));
        for (remaining, spendable) in [(27, 21), (30, 24), (7, 1), (6, 0), (4, 0), (0, 0)] {
            assert_eq!(ledger.spendable(calls(remaining)), calls(spendable), "{remaining} left");
        }
        assert!(ledger.fits(calls(27), calls(21)));
        assert!(!ledger.fits(calls(27), calls(22)), "one call of the reserve is one too many");
    }

    #[test]
    fn stops_work_early_enough_to_finish_it_and_to_land() {
        let ledger = Ledger::new(calls(30));
        assert!(ledger.early_exit(calls(10), calls(5)));
        assert!(!ledger.early_exit(calls(11), calls(5)), "5 to finish, 6 to land");
        assert!(!ledger.early_exit(calls(6), Calls::ZERO));
        assert!(ledger.early_exit(calls(5), Calls::ZERO));
        assert!(ledger.early_exit(Calls::new(u64::MAX - 1), Calls::MAX), "the sum cannot wrap");
    }

    #[test]
    fn refuses_nothing_where_there_is_no_limit() {
        for unlimited in [Calls::ZERO, Calls::MAX] {
            let ledger = Ledger::new(unlimited);
            assert!(ledger.is_unlimited());
            for figure in [Calls::ZERO, calls(1), calls(6), Calls::MAX] {
                assert_eq!(ledger.remaining(figure), Calls::MAX);
                assert_eq!(ledger.spendable(figure), Calls::MAX);
                assert!(ledger.fits(figure, Calls::MAX));
                assert!(ledger.affords_note(figure));
                assert!(!ledger.early_exit(figure, Calls::MAX));
                assert_eq!(ledger.least_remaining_for_note(figure), Some(Calls::ZERO));
            }
        }
    }

    #[test]
    fn takes_another_reserve_where_the_host_sets_one() {
        let ledger = Ledger::with_reserve(calls(10), calls(2));
        assert_eq!(ledger.reserve(), calls(2));
        assert_eq!(ledger.least_remaining_for_note(Calls::ZERO), Some(calls(3)));
        let none = Ledger::with_reserve(calls(10), Calls::ZERO);
        assert_eq!(none.least_remaining_for_note(Calls::ZERO), Some(calls(1)));
    }

    #[test]
    fn gives_its_balance_as_one_object() {
        let balance: Balance = Ledger::new(calls(40)).balance(calls(31), calls(1));
        let json = serde_json::to_value(balance).expect("a balance is plain figures");
        let least = 8 + 1 + 1;
        assert_eq!(
            json,
            serde_json::json!({
                "cap": 40, "used": 31, "remaining": 9, "reserve": 8, "pending": 1,
                "least_remaining_for_note": least,
            })
        );
    }
}

/// What is asked of every pool up to 300 calls, at each number of calls that can be left.
mod at_every_number_of_calls_left {
    use super::*;

    #[test]
    fn ledger_and_gate_agree_on_a_note() {
        for cap in CAPS {
            let ledger = Ledger::new(calls(cap));
            for remaining in 0..=cap + 2 {
                for pending in 0..=2 {
                    let left = if ledger.is_unlimited() { Calls::MAX } else { calls(remaining) };
                    let cost = Ledger::note_cost(calls(pending));
                    let fires = gate_fires(left, ledger.reserve(), cost);
                    let fits = ledger.fits(left, cost);
                    assert_eq!(fits, fires, "cap {cap}, {remaining} left, {pending} pending");
                }
            }
        }
    }

    #[test]
    fn the_least_that_admits_a_note_is_where_notes_begin_to_fit() {
        for cap in CAPS {
            let ledger = Ledger::new(calls(cap));
            for pending in 0..=2 {
                let fits =
                    |left: &u64| ledger.fits(calls(*left), Ledger::note_cost(calls(pending)));
                let first = (0..=cap).find(fits);
                let least = ledger.least_remaining_for_note(calls(pending));
                assert_eq!(least, first.map(calls), "cap {cap}, {pending} pending");
                let all = first.is_none_or(|first| (first..=cap).all(|left| fits(&left)));
                assert!(all, "cap {cap}, {pending} pending: once it fits, it fits with more");
            }
        }
    }

    #[test]
    fn the_pool_admits_a_note_exactly_where_it_fits() {
        for cap in CAPS.skip(1) {
            for pending in [0, 1, 2].map(calls) {
                let pool = pool_of(cap);
                for left in (0..=cap).rev().map(calls) {
                    assert_eq!(pool.remaining(), left);
                    admit_note_or_spend(&pool, pending);
                }
            }
        }
    }

    /// Takes one call for a note where one fits; else sees the note refused and spends one.
    #[track_caller]
    fn admit_note_or_spend(pool: &RunPool, pending: Calls) {
        let (ledger, remaining) = (pool.ledger(), pool.remaining());
        let (reserve, cost) = (ledger.reserve(), Ledger::note_cost(pending));
        match pool.admit_note(pending) {
            Ok(_) => assert!(ledger.fits(remaining, cost), "{remaining} left, {pending} pending"),
            Err(raced) => {
                assert!(!ledger.fits(remaining, cost), "{remaining} left, {pending} pending");
                assert_eq!(raced, BudgetRaced { remaining, reserve, cost });
                assert_eq!(pool.remaining(), remaining, "a refusal costs nothing");
                if remaining > Calls::ZERO {
                    spend(pool);
                }
            }
        }
    }

    #[test]
    fn the_root_is_admitted_to_every_call_and_a_worker_to_all_but_the_last() {
        for cap in CAPS.skip(1) {
            for remaining in [0, 1, 2, 3, cap].into_iter().filter(|left| *left <= cap) {
                let worker = pool_with(cap, remaining).admit(WORKER, Call::Child);
                let cap = calls(cap);
                match remaining {
                    0 => assert_eq!(refusal(worker), AdmissionRefused::Spent { cap }),
                    1 => assert_eq!(refusal(worker), AdmissionRefused::LastIsRoots { cap }),
                    _ => assert!(worker.is_ok(), "cap {cap}, {remaining} left"),
                }
                let root = pool_with(cap.get(), remaining).admit(ROOT, Call::Root);
                match remaining {
                    0 => assert_eq!(refusal(root), AdmissionRefused::Spent { cap }),
                    _ => assert!(root.is_ok(), "cap {cap}, {remaining} left"),
                }
            }
        }
    }

    fn gate_fires(remaining: Calls, reserve: Calls, cost: Calls) -> bool {
        let verdict = gate::decide(&gate::Situation { remaining, reserve, cost, ..situation() });
        match verdict {
            Verdict::Fire(_) => true,
            Verdict::Refuse(gate::Refusal::Budget { .. }) => false,
            Verdict::Refuse(other) => panic!("only the budget differs, yet: {other}"),
        }
    }
}

proptest! {
    #[test]
    fn the_ledger_agrees_with_unbounded_arithmetic(
        cap in 1..u64::MAX, reserve: u64, remaining: u64, pending: u64, cost: u64,
    ) {
        let ledger = Ledger::with_reserve(calls(cap), calls(reserve));
        let wide = u128::from;
        let fits = wide(remaining) >= wide(reserve) + wide(cost) || cost == 0;
        prop_assert_eq!(ledger.fits(calls(remaining), calls(cost)), fits);
        if let Some(least) = ledger.least_remaining_for_note(calls(pending)) {
            prop_assert_eq!(wide(least.get()), wide(reserve) + 1 + wide(pending));
            prop_assert!(ledger.fits(least, Ledger::note_cost(calls(pending))));
        }
    }
}

#[track_caller]
fn refusal(given: Result<Permit, AdmissionRefused>) -> AdmissionRefused {
    given.expect_err("the call is refused")
}
