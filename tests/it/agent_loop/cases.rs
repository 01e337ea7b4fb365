//! The cases, one a rule.

use graff_notes::{
    conversation::{Noted, Rollover},
    gate::{Outcome, Refusal},
    prompt,
    turn::{SteerRejected, StopReason},
    units::{Bytes, Calls, Generation, Tokens},
    usage::Reading,
};
use serde_json::{Value, json};

use super::{
    agent_loop::agent::BASE,
    world::{
        NOTE, World, overflows, refuses, runs, said, says, stopped, summary, system, user_texts,
    },
};
use crate::support::server::{Answer, hanging};

#[test]
fn over_the_threshold_note_and_summary_are_asked_for_and_the_next_turn_begins_with_them() {
    let script = [says("done", 9_000), says(NOTE, None), says(&summary(), None), says("ok", 900)];
    let mut world = World::new(10_000, script);
    assert!(world.turn("mend the parser").rollover.is_performed());
    assert!(!world.turn("and now the tests").rollover.is_performed());
    assert_eq!(world.asked_for(), ["turn", "note", "summary", "turn"]);

    let requests = world.server.requests();
    let [turn, note, summarise, next] = requests.as_slice() else { panic!("four requests") };
    let users = user_texts(next);
    let [handoff, new] = users.as_slice() else { panic!("{users:?}") };
    assert!(handoff.ends_with(summary().trim_end()));
    assert_eq!(*new, "and now the tests");
    assert_eq!(next["messages"].as_array().map(Vec::len), Some(3), "with the system prompt");

    assert_eq!(prompt::extract(system(next)), Some(NOTE), "byte for byte");
    assert_eq!(prompt::strip(system(next)), BASE);
    for text in [summarise.to_string(), (*handoff).to_owned()] {
        assert!(!text.contains("parse.rs:88"), "{text}");
    }

    // The note request is the turn's own request, gone on with: what the provider has cached.
    let messages = |request: &Value| request["messages"].as_array().expect("a list").clone();
    assert!(messages(note).starts_with(&messages(turn)));
    assert_eq!(note["tools"], turn["tools"]);
    assert_eq!(note["max_tokens"], 4_096);
    assert_eq!(summarise["max_tokens"], 5_000);
    assert!(system(summarise).contains("at most 5000 tokens"));
}

#[test]
fn only_the_final_reading_of_a_turn_counts() {
    let large = "head -c 6000 /dev/zero | tr '\\0' x";
    let reply = "y".repeat(2_000);
    for script in [
        vec![runs("true", 8_500), says("done", 8_900)],
        vec![runs(large, 8_500), says("done", 8_900)],
        vec![says(&reply, 8_500)],
    ] {
        let expected = vec!["turn"; script.len()];
        let mut world = World::new(10_000, script);
        assert!(!world.turn("go").rollover.is_performed());
        assert_eq!(world.asked_for(), expected);
    }
    let script =
        [runs("true", 8_500), says("done", 9_000), says("none", None), says(&summary(), None)];
    let mut world = World::new(10_000, script);
    assert!(world.turn("go").rollover.is_performed());
    assert_eq!(world.asked_for(), ["turn", "turn", "note", "summary"]);
}

#[test]
fn a_final_response_without_usage_is_weighed_and_not_given_an_earlier_reading() {
    // prompt 2; call id 2, name 11, arguments 18; result id 2, content 0
    let before = 2 + 2 + 11 + r#"{"command":"true"}"#.len() + 2;
    for (bytes, handed_off) in [(900, false), (901, true)] {
        let reply = "z".repeat(bytes - before);
        let mut script = vec![runs("true", 950), says(&reply, None)];
        if handed_off {
            script.extend([says("none", None), says(&summary(), None)]);
        }
        let mut world = World::new(1_000, script);
        let ended = world.turn("go");
        assert_eq!(ended.rollover.is_performed(), handed_off, "{}", ended.rollover);
        if !handed_off {
            assert_eq!(world.asked_for(), ["turn", "turn"], "two requests and no summary");
            let bytes = Bytes::new(900);
            assert_eq!(world.agent.conversation().reading(), Reading::Pressure { bytes });
        }
    }
}

#[test]
fn cancelled_during_a_call_the_turn_is_cancelled_and_nothing_follows() {
    let (answer, hangs) = hanging();
    let mut world = World::new(1_000, [runs("true", 950), answer]);
    let canceller = world.agent.canceller();
    let (ended, hangs) = world.turn_while("go", move |_| {
        hangs.wait();
        canceller.cancel();
        hangs
    });
    assert_eq!((ended.stop, ended.note), (StopReason::Cancelled, None));
    assert_eq!(ended.rollover, Rollover::NotPermitted);
    hangs.release(200, said("too late", 999));

    world.server.then([says("here", 100)]);
    let ended = world.turn("go on");
    assert_eq!(ended.stop, StopReason::EndTurn);
    assert_eq!(world.asked_for(), ["turn", "turn", "turn"]);
    assert_eq!(world.agent.conversation().notebook().generation(), Generation::ZERO);
}

#[test]
fn an_error_ends_the_turn_with_the_providers_own_words_and_nothing_follows() {
    for answer in [
        refuses(500, "server_error", "context canceled"),
        refuses(413, "request_too_large", "prompt is too long: 9 tokens > 8 maximum"),
        refuses(429, "rate_limit_exceeded", "too many tokens in one day"),
        refuses(429, "", ""),
        refuses(400, "invalid_value", "messages: at least one message is needed"),
        Answer::At(200, json!({ "choices": [] })),
    ] {
        let Answer::At(_, body) = &answer else { unreachable!() };
        let words = body.to_string();
        let mut world = World::new(1_000, [runs("true", 950), answer]);
        let ended = world.turn(&"x".repeat(50_000));
        assert_eq!((ended.stop, ended.note), (StopReason::Failed, None), "{words}");
        assert_eq!(ended.error, Some(words));
        assert_eq!(world.asked_for(), ["turn", "turn"]);
    }
}

#[test]
fn a_steer_sent_while_a_summary_hangs_is_rejected_and_one_before_the_close_is_seen() {
    let (last, last_hangs) = hanging();
    let (summarise, summary_hangs) = hanging();
    let script = [last, says("with b.rs", 9_000), says("none", None), summarise];
    let mut world = World::new(10_000, script);
    let (ended, (early, late)) = world.turn_while("go", move |steering| {
        last_hangs.wait();
        let early = steering.send("use b.rs");
        last_hangs.release(200, said("done", 100));
        summary_hangs.wait();
        let late = steering.send("and c.rs");
        summary_hangs.release(200, said(&summary(), None));
        (early, late)
    });
    assert_eq!((early, late), (Ok(()), Err(SteerRejected::NoActiveRun)));
    assert!(ended.rollover.is_performed());
    assert_eq!(world.asked_for(), ["turn", "turn", "note", "summary"]);
    assert_eq!(user_texts(&world.server.requests()[1]), ["go", "use b.rs"]);
    assert_eq!(ended.carried, 0);
}

#[test]
fn a_steer_that_a_cancelled_turn_could_not_show_comes_first_in_the_next() {
    let (answer, hangs) = hanging();
    let mut world = World::new(10_000, [answer]);
    let canceller = world.agent.canceller();
    let (ended, hangs) = world.turn_while("go", move |steering| {
        hangs.wait();
        assert_eq!(steering.send("stop, look at b.rs"), Ok(()));
        canceller.cancel();
        hangs
    });
    assert_eq!(ended.carried, 1);
    hangs.release(200, said("too late", 1));
    world.server.then([says("b.rs it is", 100)]);
    let carried = world.agent.turn_for_carried(&mut Vec::new()).expect("something is carried");
    assert_eq!(carried.expect("it runs").stop, StopReason::EndTurn);
    assert_eq!(user_texts(&world.last()), ["go", "stop, look at b.rs"]);
    assert!(world.agent.turn_for_carried(&mut Vec::new()).is_none());
}

#[test]
fn a_failed_or_empty_summary_changes_nothing_and_the_next_turn_tries_again() {
    let reasoning = Answer::At(
        200,
        json!({ "choices": [{ "message": { "content": null, "reasoning": "I was asked to…" } }] }),
    );
    for failed in [
        refuses(500, "server_error", "no"),
        overflows(),
        says("", None),
        reasoning,
        says("<think>The task was", None),
        stopped("I can't help with that.", None, "content_filter"),
    ] {
        let mut world = World::new(10_000, [says("done", 9_000), says(NOTE, None), failed]);
        let ended = world.turn("mend the parser");
        assert!(matches!(ended.rollover, Rollover::Failed(_)), "{}", ended.rollover);
        assert_eq!(world.asked_for(), ["turn", "note", "summary"], "no ladder");
        let tokens = Tokens::new(9_000);
        let reading = world.agent.conversation().reading();
        assert_eq!(reading, Reading::Measured { tokens }, "the reading is intact");

        world.server.then([says("more", 9_100), says(&summary(), None)]);
        let ended = world.turn("go on");
        assert!(ended.rollover.is_performed(), "a second attempt: {}", ended.rollover);
        assert!(matches!(
            ended.note,
            Some(Noted::Refused { refusal: Refusal::AlreadyAttempted { .. }, .. })
        ));
        let requests = world.server.requests();
        assert_eq!(user_texts(&requests[3]), ["mend the parser", "go on"], "the history is intact");
        assert_eq!(prompt::extract(system(&requests[3])), Some(NOTE), "and the note");
    }
}

#[test]
fn a_note_that_the_output_limit_stopped_is_not_kept() {
    let script = [says("done", 9_000), stopped(NOTE, None, "length"), says(&summary(), None)];
    let mut world = World::new(10_000, script);
    let ended = world.turn("go");
    assert!(matches!(ended.note, Some(Noted::Fired(Outcome::CallFailed { .. }))));
    assert!(ended.rollover.is_performed());
}

#[test]
fn anthropics_shape_is_spoken_as_well() {
    let usage = |tokens: u64| json!({ "input_tokens": 3, "cache_read_input_tokens": tokens - 3 });
    let text = |text: &str, tokens| {
        let content = json!([{ "type": "text", "text": text }]);
        Answer::At(
            200,
            json!({ "content": content, "stop_reason": "end_turn", "usage": usage(tokens) }),
        )
    };
    let input = json!({ "path": "a.txt" });
    let call = json!({ "type": "tool_use", "id": "t1", "name": "read_file", "input": input });
    let content = json!([{ "type": "text", "text": "I look." }, call]);
    let calls = Answer::At(200, json!({ "content": content, "stop_reason": "tool_use" }));
    let script =
        [calls, text("done", 9_000), text(NOTE, 9_100), text(&summary(), 10), text("ok", 500)];
    let mut world = World::with(10_000, script, &["--shape", "anthropic"]);
    std::fs::write(world.folder.path().join("a.txt"), "hello").expect("written");
    assert!(world.turn("read a.txt").rollover.is_performed());
    let _ended = world.turn("next");
    assert_eq!(world.asked_for(), ["turn", "turn", "note", "summary", "turn"]);
    let requests = world.server.requests();
    let result = &requests[1]["messages"][2]["content"][0];
    assert_eq!(*result, json!({ "type": "tool_result", "tool_use_id": "t1", "content": "hello" }));
    assert_eq!(requests[1]["messages"][1]["content"][1]["input"], input);
    let next = &requests[4];
    assert_eq!(prompt::extract(next["system"].as_str().expect("a text")), Some(NOTE));
    assert_eq!(next["messages"].as_array().map(Vec::len), Some(2));
}

#[test]
fn a_cancellation_that_comes_as_a_success_is_followed_by_nothing() {
    for reason in ["abort", "cancelled"] {
        let mut world = World::new(10_000, [stopped("I was about to", 9_900, reason)]);
        let ended = world.turn("go");
        assert_eq!((ended.stop, &ended.rollover), (StopReason::Cancelled, &Rollover::NotPermitted));
        assert_eq!((world.asked_for(), ended.note), (vec!["turn"], None));
    }
}

#[test]
fn a_response_that_is_an_error_or_holds_half_a_call_fails_the_turn() {
    let half = json!({ "type": "function", "function": { "name": "run_command" } });
    let message = json!({ "content": "I run it.", "tool_calls": [half] });
    let half = Answer::At(200, json!({ "choices": [{ "message": message }] }));
    for answer in [stopped("upstream died", 9_900, "error"), half] {
        let mut world = World::new(10_000, [answer]);
        let ended = world.turn("go");
        assert_eq!(ended.stop, StopReason::Failed);
        assert!(ended.error.expect("its words").contains("choices"));
    }
}

#[test]
fn note_and_summary_are_paid_above_the_reserve_or_the_note_is_not_asked_for() {
    // A cap of 8 or 9 holds 6 back: after one request of the turn, 7 or 8 are left.
    for (cap, asked_for) in [("8", vec!["turn", "summary"]), ("9", vec!["turn", "note", "summary"])]
    {
        let mut script = vec![says("done", 9_000)];
        script.extend((cap == "9").then(|| says(NOTE, None)));
        script.push(says(&summary(), None));
        let mut world = World::with(10_000, script, &["--calls-cap", cap]);
        let ended = world.turn("mend the parser");
        assert!(ended.rollover.is_performed(), "{}", ended.rollover);
        assert_eq!(world.asked_for(), asked_for, "cap {cap}");
        let remaining = world.agent.conversation().notebook().pool().remaining();
        assert_eq!(remaining, Calls::new(6), "the reserve is whole");
    }
}

#[test]
fn output_tokens_are_not_input_tokens() {
    let Answer::At(_, mut said) = says("done", 6_413) else { panic!("an answer") };
    said["usage"] =
        json!({ "prompt_tokens": 6_413, "completion_tokens": 1_154, "total_tokens": 7_567 });
    let mut world = World::new(8_000, [Answer::At(200, said)]);
    let ended = world.turn("go");
    assert!(matches!(ended.rollover, Rollover::NotDue(_)), "{}", ended.rollover);
    assert_eq!(world.asked_for(), ["turn"]);
}

#[test]
fn the_output_that_a_turn_asks_for_fits_into_its_window() {
    for (window, most) in [(0, 8_192), (4_096, 409), (10_000, 1_000), (200_000, 8_192)] {
        let mut world = World::new(window, [says("hello", 10)]);
        let _ended = world.turn("hello");
        assert_eq!(world.last()["max_tokens"], most, "window {window}");
    }
}
