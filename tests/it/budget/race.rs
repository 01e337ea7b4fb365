//! 64 threads at once on one pool, round after round. A pool is large enough for all of them to be
//! under way when its last calls are reached; every call that was admitted is looked at afterwards.

use std::sync::Barrier;
use std::thread;

use super::*;

// Under Miri, which interprets, a few of each show what it looks for: a race.
const THREADS: usize = if cfg!(miri) { 8 } else { 64 };
const ROUNDS: usize = if cfg!(miri) { 2 } else { 60 };
const CAP: u64 = if cfg!(miri) { 60 } else { 3_000 };

/// What a thread was admitted to: the call's number and kind.
type Admitted = (u64, CallKind);

/// Runs `attempt` on all threads at once and returns what each of them came back with.
fn race<T: Send>(attempt: impl Fn(usize) -> T + Sync) -> Vec<T> {
    let start = Barrier::new(THREADS);
    let run = |thread| {
        start.wait();
        attempt(thread)
    };
    thread::scope(|scope| {
        let threads: Vec<_> = (0..THREADS).map(|t| scope.spawn(move || run(t))).collect();
        threads.into_iter().map(|t| t.join().expect("no thread panics")).collect()
    })
}

/// Returns what was admitted from `pool` in such a race, in the order of the calls' numbers.
fn drain(
    pool: &RunPool,
    attempt: impl Fn(&RunPool, usize) -> Vec<Admitted> + Sync,
) -> Vec<Admitted> {
    let mut admitted: Vec<Admitted> =
        race(|thread| attempt(pool, thread)).into_iter().flatten().collect();
    admitted.sort_unstable_by_key(|(number, _)| *number);
    admitted
}

/// Asks until it is refused; a pool that never refuses is given up on.
fn until_refused<E>(ask: impl Fn() -> Result<Permit, E>) -> Vec<Admitted> {
    let admitted = |_| ask().ok().map(|permit| (permit.number(), permit.kind()));
    (0..2 * CAP).map_while(admitted).collect()
}

fn workers(pool: &RunPool) -> Vec<Admitted> {
    until_refused(|| pool.admit(WORKER, Call::Child))
}

/// Asserts that the numbers of the calls are 1 to `last`, each of them once.
#[track_caller]
fn assert_numbered_to(last: u64, admitted: &[Admitted]) {
    let numbers = admitted.iter().map(|(number, _)| *number);
    assert!(numbers.eq(1..=last), "{} calls were admitted", admitted.len());
}

#[test]
fn workers_take_every_call_but_the_last() {
    for _ in 0..ROUNDS {
        let pool = pool_of(CAP);
        let admitted = drain(&pool, |pool, _| workers(pool));
        assert_numbered_to(CAP - 1, &admitted);
        assert_eq!(pool.remaining(), calls(1));
        assert!(pool.admit(ROOT, Call::Landing).is_ok(), "the last call is the root's");
    }
}

#[test]
fn the_cap_holds_for_roots_and_workers_together() {
    for _ in 0..ROUNDS {
        let pool = pool_of(CAP);
        let admitted = drain(&pool, |pool, thread| match thread % 2 {
            0 => until_refused(|| pool.admit(ROOT, Call::Root)),
            _ => workers(pool),
        });
        assert_numbered_to(CAP, &admitted);
        assert_eq!(pool.used(), calls(CAP));
    }
}

#[test]
fn no_note_is_pushed_into_the_reserve() {
    let pending = calls(1);
    for _ in 0..ROUNDS {
        let pool = pool_of(CAP);
        let ledger = pool.ledger();
        let admitted = drain(&pool, |pool, thread| match thread % 8 {
            0 => workers(pool),
            _ => until_refused(|| pool.admit_note(pending)),
        });
        for (number, _) in admitted.iter().filter(|(_, kind)| *kind == CallKind::Note) {
            let before = ledger.remaining(calls(number - 1));
            let fits = ledger.fits(before, Ledger::note_cost(pending));
            assert!(fits, "a note took call {number}: {before} were left");
        }
        assert_numbered_to(CAP - 1, &admitted);
    }
}

/// Takes notes and their summaries until they are refused.
fn both(pool: &RunPool) -> Vec<Admitted> {
    let taken = (0..CAP).map_while(|_| pool.admit_note_and_summary().ok());
    let pair = |(note, summary): (Permit, Permit)| {
        assert_eq!(summary.number(), note.number() + 1);
        [(note.number(), note.kind()), (summary.number(), summary.kind())]
    };
    taken.flat_map(pair).collect()
}

#[test]
fn no_summary_is_pushed_into_the_reserve_by_those_who_spend_beside_its_note() {
    for _ in 0..ROUNDS {
        let pool = pool_of(CAP);
        let ledger = pool.ledger();
        let admitted =
            drain(&pool, |pool, thread| if thread % 2 == 0 { workers(pool) } else { both(pool) });
        for (number, _) in admitted.iter().filter(|(_, kind)| *kind == CallKind::Compaction) {
            let left = ledger.remaining(calls(*number));
            assert!(left >= ledger.reserve(), "a summary took call {number}: {left} are left");
        }
        assert_numbered_to(CAP - 1, &admitted);
    }
}

#[test]
fn no_more_workers_run_at_once_than_may() {
    let most = calls(3);
    let pool = RunPool::builder().concurrency_max(most).build();
    let look = |_| pool.admit(WORKER, Call::Child).ok().map(|_held| pool.running());
    let seen = race(|_| (0..ROUNDS * 1_000).filter_map(look).max());
    assert!(seen.iter().flatten().all(|seen| *seen <= most), "{:?} at once", seen.iter().max());
    assert_eq!(pool.running(), Calls::ZERO);
}
