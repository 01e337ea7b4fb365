//! What a host may do in the wrong order, or too early: it is refused or ends the turn, and the
//! history is whole and complete after it.

use graff_notes::{
    budget::{AdmissionRefused, Call, RunPool},
    conversation::{Answered, Response, Rollover, ToolRound, Turn, Why},
    notebook,
    turn::{History, HistoryRefused, Item, SteerRejected, StopReason, ToolCall, ToolResult},
    units::Calls,
};

use super::world::{BASE, Model, World, now, prompt, response, says, steer};

fn call(id: &str) -> ToolCall {
    ToolCall { id: id.to_owned(), name: "read".to_owned(), arguments: "{}".to_owned() }
}

fn result(id: &str) -> ToolResult {
    ToolResult { id: id.to_owned(), content: "ok".to_owned() }
}

/// The round of tools that a turn's first response asks for.
#[track_caller]
fn round<'c>(turn: Turn<'c>, ids: &[&str]) -> ToolRound<'c> {
    let calls = ids.iter().map(|id| call(id)).collect();
    let asked = turn.request(BASE, now()).expect("a request");
    match asked.answered(Response { calls, ..response("", Some(100)) }) {
        Answered::Tools(round) => round,
        other => panic!("{other:?}"),
    }
}

#[test]
fn results_that_do_not_fit_are_handed_back_with_the_round_and_leave_no_trace() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut round = round(conversation.begin("go").expect("a prompt"), &["a", "b"]);
    let unanswered = HistoryRefused::Unanswered { id: "b".to_owned() };
    let no_such = |id: &str| HistoryRefused::NoSuchCall { id: id.to_owned() };
    for (ids, refused) in [
        (vec!["a"], unanswered),
        (vec!["a", "b", "c"], no_such("c")),
        (vec!["a", "a", "b"], no_such("a")),
    ] {
        let given: Vec<_> = ids.into_iter().map(result).collect();
        let unfit = round.results(given.clone()).expect_err("they do not fit");
        assert_eq!((&unfit.refused, &unfit.results), (&refused, &given));
        assert_eq!(unfit.to_string(), refused.to_string());
        round = unfit.round;
        assert_eq!(round.calls(), [call("a"), call("b")]);
    }
    let turn = round.results(vec![result("b"), result("a")]).expect("in any order");
    let asked = turn.request(BASE, now()).expect("a request");
    let calls = ["a", "b"].map(|id| Item::ToolCall(call(id)));
    let results = ["b", "a"].map(|id| Item::ToolResult(result(id)));
    assert_eq!(asked.items(), [vec![prompt("go")], calls.into(), results.into()].concat());
}

#[test]
fn a_request_that_was_not_admitted_is_made_again_by_the_same_turn_and_nothing_is_used_up() {
    let mut world = World::of_window(10_000);
    world.notes = notebook::Settings { depth: 1, ..notebook::Settings::default() };
    world.settings.rounds_max = Some(1);
    let pool = RunPool::builder().concurrency_max(Calls::new(1)).build();
    let other = pool.admit(1, Call::Child).expect("the only place");
    let mut conversation = world.with_pool(pool.clone());
    let steering = conversation.steering();
    let turn = conversation.begin("go").expect("a prompt");
    assert_eq!(steering.send("use b.rs"), Ok(()));
    let remaining = pool.remaining();
    let unasked = turn.request(BASE, now()).expect_err("the place is taken");
    assert!(matches!(unasked.why(), Why::NotAdmitted(AdmissionRefused::Saturated { .. })));
    let unasked = unasked.again().request(BASE, now()).expect_err("it still is");
    assert_eq!(pool.remaining(), remaining);

    drop(other);
    let asked = unasked.again().request(BASE, now()).expect("a place, and the one round");
    assert_eq!(asked.items(), [prompt("go"), steer("use b.rs")], "each once");
}

#[test]
fn a_turn_that_is_cancelled_between_two_requests_keeps_its_prompt_and_carries_its_steers() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let steering = conversation.steering();
    let turn = conversation.begin("go").expect("a prompt");
    assert_eq!(steering.send("use b.rs"), Ok(()));
    let ended = turn.cancelled();
    assert_eq!((ended.stop, ended.rollover), (StopReason::Cancelled, Rollover::NotPermitted));
    assert_eq!((ended.error, ended.carried), (None, 1));
    assert_eq!(steering.send("too late"), Err(SteerRejected::NoActiveRun));
    let mut model = Model::new([says("done", 100)]);
    let _ended = model.run(&mut conversation, "again");
    assert_eq!(model.last().items, [prompt("go"), steer("use b.rs"), prompt("again")]);
}

#[test]
fn a_round_that_failed_or_was_cancelled_leaves_every_call_answered() {
    for error in [Some("the disk is gone"), None] {
        let world = World::of_window(10_000);
        let mut conversation = world.conversation();
        let round = round(conversation.begin("go").expect("a prompt"), &["a", "b"]);
        let ended = match error {
            Some(error) => round.failed(error),
            None => round.cancelled(),
        };
        let stop = error.map_or(StopReason::Cancelled, |_| StopReason::Failed);
        assert_eq!((ended.stop, ended.error.as_deref()), (stop, error));
        assert_eq!(ended.rollover, Rollover::NotPermitted);
        let items = conversation.history().items().to_vec();
        assert_eq!(items.len(), 5, "a prompt, two calls and what stands for their results");
        assert!(History::resumed(items).is_ok(), "{error:?}");
    }
}
