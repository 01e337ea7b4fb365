//! Work on many things at once, with what comes of it in their order.

use std::{
    collections::BTreeMap,
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::{
        atomic::{AtomicUsize, Ordering},
        mpsc,
    },
    thread,
};

use crate::failure::Stop;

/// The most threads at work: reading files gains nothing from more.
const THREADS_MAX: usize = 8;

/// How many results may wait for the one before them, or for a slow reader of the answer.
const RESULTS_WAITING_MAX: usize = 64;

/// Runs `work` on each of `items`, on as many cores as there are, and hands what comes of it to
/// `take` in the order of the items, until that breaks off or fails.
pub(crate) fn in_order<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut take: impl FnMut(&I, T) -> Result<ControlFlow<()>, Stop>,
) -> Result<(), Stop> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(THREADS_MAX).min(items.len());
    let next = AtomicUsize::new(0);
    let (send, done) = mpsc::sync_channel(RESULTS_WAITING_MAX);
    thread::scope(|scope| {
        for _ in 0..threads {
            let send = send.clone();
            let (next, work) = (&next, &work);
            scope.spawn(move || {
                loop {
                    let at = next.fetch_add(1, Ordering::Relaxed);
                    let Some(item) = items.get(at) else { break };
                    if send.send((at, work(item))).is_err() {
                        break;
                    }
                }
            });
        }
        drop(send);
        // Taken in here, so that a break ends the workers: they have nobody to send to then.
        let done = done;
        let (mut early, mut due) = (BTreeMap::new(), 0);
        for (at, result) in done {
            early.insert(at, result);
            while let (Some(item), Some(result)) = (items.get(due), early.remove(&due)) {
                if take(item, result)?.is_break() {
                    return Ok(());
                }
                due += 1;
            }
        }
        Ok(())
    })
}
