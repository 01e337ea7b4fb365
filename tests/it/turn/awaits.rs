//! An async host: each step of a turn is held across the `await` of what it asked for, and goes on
//! on whatever thread the task does.

use graff_notes::{
    Conversation,
    budget::RunPool,
    conversation::{
        Answered, Asked, Boundary, Ended, Finished, NoteStep, Recovery, RecoveryStep, Response,
        Rollover, SummaryStep, ToolRound, Turn,
    },
    notebook::Answer,
    prompt,
    turn::{ProviderError, Steering, ToolCall, ToolResult, classify},
};

use super::world::{BASE, NOTE, OVERFLOW, World, now, response, summary};
use crate::support::awaited::{is_shared_and_sent, late, wandering};

#[test]
fn a_conversation_and_every_step_of_its_turns_can_be_sent_and_shared() {
    is_shared_and_sent::<(Conversation, Steering, Ended)>();
    is_shared_and_sent::<(Turn<'_>, Asked<'_>, ToolRound<'_>, Finished<'_>, Answered<'_>)>();
    is_shared_and_sent::<(Boundary<'_>, NoteStep<'_>, SummaryStep<'_>)>();
    is_shared_and_sent::<(Recovery<'_>, RecoveryStep<'_>)>();
}

/// Begins a turn and makes its first request.
fn asks(conversation: &mut Conversation) -> Asked<'_> {
    let turn = conversation.begin("mend the parser").expect("a prompt");
    turn.request(BASE, now()).expect("a request")
}

/// A turn that runs a tool and ends over the threshold.
async fn goes_over(conversation: &mut Conversation) -> Ended {
    let asked = asks(conversation);
    let [id, name, arguments] = ["c1", "read", "{}"].map(str::to_owned);
    let calls = vec![ToolCall { id, name, arguments }];
    let reply = late(Response { calls, ..response("", 5_000.into()) }).await;
    let Answered::Tools(round) = asked.answered(reply) else { panic!("a tool round") };
    let (id, content) = ("c1".to_owned(), late("fn parse() {}".to_owned()).await);
    let turn = round.results(vec![ToolResult { id, content }]).expect("it answers the call");
    let asked = turn.request(BASE, now()).expect("a request");
    let reply = late(response("it is mended", 9_500.into())).await;
    let Answered::Finished(finished) = asked.answered(reply) else { panic!("the last response") };
    let Boundary::Note(step) = finished.close(now()) else { panic!("a note is due") };
    let answer = late(Answer::Text(NOTE.to_owned())).await;
    let Boundary::Summary(step) = step.answered(answer, now()) else { panic!("a summary is due") };
    let answer = late(Answer::Text(summary())).await;
    let Boundary::Ended(ended) = step.answered(answer, now()) else { panic!("the end") };
    ended
}

/// A turn whose request is refused for its size, rescued, and made again.
async fn is_rescued(conversation: &mut Conversation) -> Ended {
    let asked = asks(conversation);
    let (status, body) = late((400, OVERFLOW)).await;
    let ProviderError::ContextWindow(overflow) = classify(status, body) else { panic!("it is") };
    let Recovery::Summary(step) = asked.overflowed(overflow, now()) else { panic!("a rescue") };
    let answer = late(Answer::Text(summary())).await;
    let Recovery::Recovered(turn) = step.answered(answer, now()) else { panic!("recovered") };
    let asked = turn.request(BASE, now()).expect("a request");
    let reply = late(response("it is mended", 100.into())).await;
    let Answered::Finished(finished) = asked.answered(reply) else { panic!("the last response") };
    let Boundary::Ended(ended) = finished.close(now()) else { panic!("the end") };
    ended
}

#[test]
fn a_whole_turn_is_run_by_a_task_that_changes_its_thread_at_every_await() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let (ended, stretches) = wandering(Box::pin(goes_over(&mut conversation)));
    assert!(matches!(ended.rollover, Rollover::Performed(_)), "{ended:?}");
    assert_eq!(stretches, 6, "five awaits");
    let notebook = world.notebook(RunPool::default());
    assert_eq!(prompt::extract(&notebook.splice(BASE).prompt), Some(NOTE));
}

#[test]
fn a_rescue_is_run_by_a_task_that_changes_its_thread_at_every_await() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let long = "x".repeat(60_000);
    match asks(&mut conversation).answered(response(&long, 100.into())) {
        Answered::Finished(finished) => drop(finished.close(now())),
        other => panic!("the last response: {other:?}"),
    }
    let (ended, stretches) = wandering(Box::pin(is_rescued(&mut conversation)));
    assert_eq!((ended.recovered.len(), stretches), (1, 4), "three awaits");
}
