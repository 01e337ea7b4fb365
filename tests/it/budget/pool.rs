//! One pool, asked by one thread at a time.

use super::*;

#[test]
fn numbers_its_calls_from_one_and_names_their_kind() {
    let pool = pool_of(0);
    for (number, (call, kind)) in (1..).zip(ORDINARY) {
        let permit = pool.admit(ROOT, call).expect("there is no limit");
        assert_eq!((permit.number(), permit.kind()), (number, kind));
    }
    let note = pool.admit_note(Calls::ZERO).expect("there is no limit");
    assert_eq!((note.number(), note.kind()), (8, CallKind::Note));
}

#[test]
fn counts_without_a_limit_too() {
    let pool = RunPool::default();
    (0..1_000).for_each(|_| spend(&pool));
    assert_eq!((pool.used(), pool.remaining()), (calls(1_000), Calls::MAX));
    assert!(pool.admit_note(Calls::MAX).is_ok());
    assert!(pool.admit(WORKER, Call::Child).is_ok());
}

#[test]
fn counts_the_calls_of_all_its_clones() {
    let pool = pool_of(3);
    let clone = pool.clone();
    spend(&pool);
    spend(&clone);
    assert_eq!(pool.remaining(), calls(1));
    assert_eq!(clone.balance(Calls::ZERO).used, calls(2));
}

#[test]
fn goes_on_from_the_calls_that_were_made_before() {
    let pool = RunPool::builder().cap(calls(9)).used(calls(2)).build();
    assert_eq!(pool.remaining(), calls(7));
    let note = pool.admit_note(Calls::ZERO).expect("one above the reserve of 6");
    assert_eq!(note.number(), 3);
    assert!(pool.admit_note(Calls::ZERO).is_err());
}

#[test]
fn refuses_those_below_the_deepest_that_may_call() {
    for depth_max in 0..4 {
        let pool = RunPool::builder().depth_max(depth_max).build();
        for depth in 0..8 {
            let given = pool.admit(depth, Call::Child).err();
            let refused = AdmissionRefused::TooDeep { depth, depth_max };
            assert_eq!(given, (depth > depth_max).then_some(refused));
        }
    }
    let default = RunPool::default();
    assert!(default.admit(1, Call::Child).is_ok());
    assert!(default.admit(2, Call::Child).is_err());
}

#[test]
fn refuses_a_worker_while_as_many_run_as_may_and_never_the_root() {
    let pool = RunPool::default();
    let workers: Vec<Permit> =
        (0..8).map(|_| pool.admit(WORKER, Call::Child).expect("8 may run")).collect();
    let concurrency_max = calls(8);
    let ninth = pool.admit(WORKER, Call::Child);
    assert_eq!(refusal(ninth), AdmissionRefused::Saturated { concurrency_max });
    assert_eq!(pool.used(), calls(8), "a refused call is not counted");

    let root = pool.admit(ROOT, Call::Root).expect("the root is exempt");
    let note = pool.admit_note(Calls::ZERO).expect("so is its note");
    assert_eq!(pool.running(), calls(10));
    drop((root, note, workers));
    assert_eq!((pool.running(), pool.used()), (Calls::ZERO, calls(10)));
    assert!(pool.admit(WORKER, Call::Child).is_ok());
}

#[test]
fn tells_a_worker_that_is_too_late_so_and_not_to_come_again() {
    let pool = RunPool::builder().cap(calls(2)).concurrency_max(calls(1)).build();
    let held = pool.admit(WORKER, Call::Child);
    assert!(held.is_ok());
    let late = pool.admit(WORKER, Call::Child);
    assert_eq!(refusal(late), AdmissionRefused::LastIsRoots { cap: calls(2) });
}

#[test]
fn frees_a_place_once_however_often_a_permit_is_released() {
    let pool = RunPool::default();
    let _other = pool.admit(WORKER, Call::Judge).expect("8 may run");
    let mut permit = pool.admit(WORKER, Call::Child).expect("8 may run");
    assert_eq!(pool.running(), calls(2));
    for _ in 0..3 {
        permit.release();
        assert_eq!(pool.running(), calls(1));
    }
    drop(permit);
    assert_eq!((pool.running(), pool.used()), (calls(1), calls(2)));
}

#[test]
fn keeps_no_place_for_a_call_that_it_refuses() {
    let pool = pool_with(8, 1);
    drop(pool.admit(WORKER, Call::Child));
    drop(pool.admit_note(Calls::ZERO));
    assert_eq!((pool.running(), pool.remaining()), (Calls::ZERO, calls(1)));
}

#[test]
fn holds_back_what_the_host_says() {
    let pool = RunPool::builder().cap(calls(5)).reserve(calls(4)).build();
    assert!(pool.admit_note(calls(1)).is_err());
    assert!(pool.admit_note(Calls::ZERO).is_ok());
    assert!(pool.admit_note(Calls::ZERO).is_err());
}

#[test]
fn says_why_it_refuses() {
    let said = |refused: AdmissionRefused| refused.to_string();
    let cap = calls(12);
    assert_eq!(said(AdmissionRefused::Spent { cap }), "all 12 calls are used");
    let last = AdmissionRefused::LastIsRoots { cap };
    assert_eq!(said(last), "the last of 12 calls is the root's");
    let deep = AdmissionRefused::TooDeep { depth: 2, depth_max: 1 };
    assert_eq!(said(deep), "depth 2 is below the deepest that may call, 1");
    let full = AdmissionRefused::Saturated { concurrency_max: calls(8) };
    assert_eq!(said(full), "8 calls are running, which is the most at once");
    let raced = BudgetRaced { remaining: calls(6), reserve: calls(6), cost: calls(2) };
    let words = "6 calls are left and 6 are held back: 2 do not fit";
    assert_eq!(raced.to_string(), words);
}
