//! What a response is worth hangs on the reason that it ended for.

use graff_notes::{
    conversation::{Answered, Boundary, Response},
    notebook::Answer,
    turn::{Item, ResponseStop, StopReason, ToolCall},
};

use super::world::{BASE, World, now, response};

#[test]
fn a_call_that_was_cut_short_or_declined_is_not_run() {
    for (stop, reason) in [
        (ResponseStop::OutputLimit, StopReason::OutputLimit),
        (ResponseStop::Refusal, StopReason::Refusal),
    ] {
        let mut conversation = World::of_window(10_000).conversation();
        let asked =
            conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a request");
        let call =
            ToolCall { id: "a".into(), name: "run".into(), arguments: r#"{"c":"rm -r"#.into() };
        let response = Response { stop, calls: vec![call], ..response("I clean up", Some(100)) };
        let Answered::Finished(finished) = asked.answered(response) else { panic!("{stop:?}") };
        let Boundary::Ended(ended) = finished.close(now()) else { panic!("{stop:?}") };
        assert_eq!(ended.stop, reason);
        let Some(Item::ToolResult(result)) = conversation.history().items().last() else {
            panic!("the call has its result")
        };
        assert!(result.content.contains("stopped"));
    }
}

#[test]
fn what_a_response_is_as_a_note_and_as_a_summary_hangs_on_its_reason() {
    let failed = |why: &str| Answer::Failed(why.to_owned());
    let text = || Answer::Text("I can't help with that.".to_owned());
    for (stop, note, summary) in [
        (ResponseStop::EndTurn, text(), text()),
        (ResponseStop::OutputLimit, failed("it reached its output limit"), text()),
        (ResponseStop::Refusal, failed("the model refused"), failed("the model refused")),
        (ResponseStop::Cancelled, Answer::Cancelled, Answer::Cancelled),
    ] {
        let reply = Response { stop, ..response("I can't help with that.", None) };
        assert_eq!((reply.clone().into_note(), reply.into_summary()), (note, summary), "{stop:?}");
    }
    let call = ToolCall { id: "a".into(), name: "run".into(), arguments: "{}".into() };
    let reply = Response { calls: vec![call], ..response("I look.", None) };
    assert_eq!(reply.into_summary(), failed("the model called a tool"));
}
