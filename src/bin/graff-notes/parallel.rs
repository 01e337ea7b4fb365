//! Work on many things at once, with what comes of it in their order.

use std::{num::NonZeroUsize, ops::ControlFlow, sync::mpsc, thread};

use crate::failure::Stop;

/// The most threads at work: reading files gains nothing from more.
const THREADS_MAX: usize = 8;

/// How many results of a thread may wait for those before them, or for a slow reader of the answer.
/// So no more are held at once than threads times these and the one in hand.
const RESULTS_WAITING_MAX: usize = 4;

/// Runs `work` on each of `items`, on as many cores as there are, and hands what comes of it to
/// `take` in the order of the items, until that breaks off or fails.
pub(crate) fn in_order<I: Sync, T: Send>(
    items: &[I],
    work: impl Fn(&I) -> T + Sync,
    mut take: impl FnMut(&I, T) -> Result<ControlFlow<()>, Stop>,
) -> Result<(), Stop> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(THREADS_MAX).min(items.len());
    let work = &work;
    thread::scope(|scope| {
        // The items are dealt out in turn, so what is due next comes from the next thread.
        let results: Vec<_> = (0..threads)
            .map(|first| {
                let (send, results) = mpsc::sync_channel(RESULTS_WAITING_MAX);
                scope.spawn(move || {
                    let mine = items.iter().skip(first).step_by(threads);
                    mine.map(work).try_for_each(|result| send.send(result))
                });
                results
            })
            .collect();
        // A break drops the receivers, and so ends the threads: they have nobody to send to then.
        for (item, results) in items.iter().zip(results.iter().cycle()) {
            let Ok(result) = results.recv() else { break };
            if take(item, result)?.is_break() {
                break;
            }
        }
        Ok(())
    })
}
