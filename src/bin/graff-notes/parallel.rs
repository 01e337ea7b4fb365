//! Work on many things at once, with what comes of it in their order.

use std::{
    iter,
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use crate::failure::Stop;

/// How long one thread works alone: to start others, and to be woken by them, costs as much as some
/// dozens of small logs.
const ALONE: Duration = Duration::from_millis(5);

/// The most threads at work: reading files gains nothing from more.
const THREADS_MAX: usize = 8;

/// How many results of a thread may wait for those before them, or for a slow reader of the answer.
/// So no more are held at once than threads times these and the one in hand.
const RESULTS_WAITING_MAX: usize = 16;

/// Runs `work` on each of `items`, on as many cores as there are, and hands what comes of it to
/// `take` in the order of the items, until that breaks off or fails.
pub(crate) fn in_order<'i, I: Sync, T: Send>(
    mut items: &'i [I],
    work: impl Fn(&'i I) -> T + Sync,
    mut take: impl FnMut(&'i I, T) -> Result<ControlFlow<()>, Stop>,
) -> Result<(), Stop> {
    let begun = Instant::now();
    while let [item, rest @ ..] = items {
        if begun.elapsed() > ALONE {
            return together(items, &work, take);
        }
        if take(item, work(item))?.is_break() {
            return Ok(());
        }
        items = rest;
    }
    Ok(())
}

fn together<'i, I: Sync, T: Send>(
    items: &'i [I],
    work: &(impl Fn(&'i I) -> T + Sync),
    mut take: impl FnMut(&'i I, T) -> Result<ControlFlow<()>, Stop>,
) -> Result<(), Stop> {
    let cores = thread::available_parallelism().map_or(1, NonZeroUsize::get);
    let threads = cores.min(THREADS_MAX).min(items.len());
    thread::scope(|scope| {
        // The items are dealt out in turn, and this thread takes part: what it would wait for, it
        // does, and each handing over that wakes a thread costs as much as a small log.
        let others: Vec<_> = (1..threads)
            .map(|first| {
                let (send, results) = mpsc::sync_channel(RESULTS_WAITING_MAX);
                let at_work = thread::Builder::new().spawn_scoped(scope, move || {
                    let theirs = items.iter().skip(first).step_by(threads);
                    theirs.map(work).try_for_each(|result| send.send(result))
                });
                at_work.ok().map(|_| results) // where it cannot be had, we do what it would
            })
            .collect();
        // A break drops the receivers, and so ends the threads: they have nobody to send to then.
        let dealt_to = iter::once(None).chain(others.iter().map(Option::as_ref)).cycle();
        for (item, other) in items.iter().zip(dealt_to) {
            let result = match other {
                None => work(item),
                Some(results) => match results.recv() {
                    Ok(result) => result,
                    Err(_) => break,
                },
            };
            if take(item, result)?.is_break() {
                break;
            }
        }
        Ok(())
    })
}
