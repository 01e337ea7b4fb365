//! An async host without a runtime: replies come late, and a task wanders between threads.

use std::{
    future::{Future, poll_fn},
    pin::Pin,
    task::{Context, Poll, Waker},
    thread,
};

/// A task that may be moved to another thread at each `await`.
pub(crate) type Task<'t, T> = Pin<Box<dyn Future<Output = T> + Send + 't>>;

/// Gives `reply` when it is waited for the second time.
pub(crate) async fn late<T>(reply: T) -> T {
    let mut waits = [Poll::Pending, Poll::Ready(())].into_iter();
    poll_fn(|_| waits.next().expect("it was told when to look again")).await;
    reply
}

/// Runs a task to its end, each stretch of it on a thread of its own, and returns what it came to
/// and how many stretches there were.
pub(crate) fn wandering<T: Send>(mut task: Task<'_, T>) -> (T, usize) {
    let mut stretches = 0;
    loop {
        stretches += 1;
        let next = || task.as_mut().poll(&mut Context::from_waker(Waker::noop()));
        let there = thread::scope(|scope| scope.spawn(next).join());
        if let Poll::Ready(came_to) = there.expect("no panic") {
            return (came_to, stretches);
        }
    }
}

/// Shows that a type can be moved to another thread and shared with it.
pub(crate) fn is_shared_and_sent<T: Send + Sync>() {}
