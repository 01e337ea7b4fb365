//! An async host: notebook and attempt are held across an `await`, on whatever thread it goes on.

use std::{
    future::Future as _,
    sync::Arc,
    task::{Context, Waker},
};

use graff_notes::{
    Error, Notebook,
    budget::{Permit, RunPool},
    gate::{Outcome, Refusal, Ticket},
    notebook::{Answer, Attempt, Settings, Spent, Spliced},
    prompt,
    store::{Follower, Log, Store},
    units::Generation,
};

use super::{NOTE, Project, ask, now, refused};
use crate::support::awaited::{is_shared_and_sent, late, wandering};

#[test]
fn whatever_a_host_holds_for_a_session_can_be_sent_and_shared() {
    is_shared_and_sent::<(Notebook, Ticket, Attempt, Spent, Outcome, Spliced, Error)>();
    is_shared_and_sent::<(Store, Log, Follower, RunPool, Permit)>();
}

/// What an async host does at the end of a turn.
async fn rolls_over(notebook: Arc<Notebook>, reply: Option<&str>) -> (Outcome, Generation) {
    let attempt = ask(&notebook);
    let asked = attempt.request().instruction().to_owned();
    let answer = match late(reply).await {
        Some(reply) => Answer::Text(reply.to_owned()),
        None => Answer::Failed("status 529".to_owned()),
    };
    assert_eq!(attempt.request().instruction(), asked, "it is the same attempt");
    let outcome = notebook.settle(attempt, answer, now());
    late(()).await; // the summary
    (outcome, notebook.rolled_over(now()).expect("on record"))
}

#[test]
fn an_attempt_is_settled_on_another_thread_than_it_was_begun_on() {
    let project = Project::new();
    let notebook = Arc::new(project.process());
    let failing = rolls_over(Arc::clone(&notebook), None);
    let ((outcome, generation), stretches) = wandering(Box::pin(failing));
    assert_eq!((outcome.as_str(), generation, stretches), ("call_failed", Generation::new(1), 3));
    let ((outcome, generation), _) =
        wandering(Box::pin(rolls_over(Arc::clone(&notebook), Some(NOTE))));
    assert!(outcome.is_stored(), "{outcome}");
    assert_eq!(generation, Generation::new(2));
    assert_eq!(prompt::extract(&notebook.splice("base").prompt), Some(NOTE));
}

#[test]
fn a_task_that_is_dropped_at_its_await_has_used_the_attempt_and_gives_its_place_back() {
    let project = Project::new();
    let pool = RunPool::builder().build();
    let notebook = Arc::new(project.with(pool.clone(), Settings::default()));
    let mut task = Box::pin(rolls_over(Arc::clone(&notebook), Some(NOTE)));
    assert!(task.as_mut().poll(&mut Context::from_waker(Waker::noop())).is_pending());
    assert_eq!(pool.running().get(), 1);
    drop(task);
    assert_eq!((pool.running().get(), pool.used().get()), (0, 1));
    let generation = Generation::ZERO;
    assert_eq!(refused(&notebook), Refusal::AlreadyAttempted { generation });
    assert_eq!(notebook.splice("base").prompt, "base", "nothing was stored");
}
