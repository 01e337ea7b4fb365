//! The promise: no run makes more calls than its cap, the last one is the root's, and a note never
//! takes a call that is held back for the landing. Shown on every small pool there is, call by
//! call, and by threads that race for the last calls of one pool.

use graff_notes::budget::{
    AdmissionRefused, BudgetRaced, Call, CallKind, Ledger, RunPool, landing_reserve,
};
use graff_notes::units::Calls;

const NOTHING_PENDING: Calls = Calls::ZERO;

fn calls(n: u64) -> Calls {
    Calls::new(n)
}

fn pool_of(cap: u64) -> RunPool {
    RunPool::builder().cap(calls(cap)).build()
}

/// A pool of `cap` of which the root has used all but `remaining`.
#[track_caller]
fn pool_with(cap: u64, remaining: u64) -> RunPool {
    let pool = pool_of(cap);
    for _ in remaining..cap {
        drop(pool.admit(0, Call::Root).expect("the pool holds that many"));
    }
    pool
}

#[test]
fn the_reserve_is_a_fifth_of_the_cap_and_never_below_six() {
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
        let given = ledger.least_remaining_for_note(NOTHING_PENDING);
        assert_eq!(given, least.map(calls), "cap {cap}");
    }
}
