//! The cases, one a rule.

use graff_notes::{
    conversation::{Noted, Rollover},
    gate::{Outcome, Refusal},
    prompt,
    turn::{SteerRejected, StopReason},
    units::{Bytes, Generation},
    usage::Reading,
};
use serde_json::{Value, json};

use super::{
    agent_loop::agent::BASE,
    world::{
        NOTE, World, flags, overflows, refuses, run, runs, said, says, summary, system, user_texts,
    },
};
use crate::support::server::{Answer, Server, hanging};

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
fn a_user_who_steers_all_the_time_is_always_heard_or_told_that_it_is_too_late() {
    for session in 0..20 {
        // What is left to chance is how the two threads take turns.
        let mut script: Vec<_> = (0..session % 4).map(|_| runs("true", 10)).collect();
        script.push(says("done", 9_000));
        // Steers run rounds of their own, each of which may be the last.
        script.extend((0..40).map(|_| says("none", 9_000)));
        let mut world = World::new(10_000, script);
        let (_ended, accepted) = world.turn_while("go", |steering| {
            let texts = (0..30).map(|number| format!("{session}/{number}"));
            texts.filter(|text| steering.send(text.as_str()).is_ok()).collect::<Vec<_>>()
        });
        let _ended = world.turn("the last one");
        let requests = world.server.requests();
        for text in &accepted {
            let shows = |request| user_texts(request).contains(&text.as_str());
            assert!(requests.iter().any(shows), "{text} was lost");
        }
    }
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
    ] {
        let mut world = World::new(10_000, [says("done", 9_000), says(NOTE, None), failed]);
        let ended = world.turn("mend the parser");
        assert!(matches!(ended.rollover, Rollover::Failed(_)), "{}", ended.rollover);
        assert_eq!(world.asked_for(), ["turn", "note", "summary"], "no ladder");

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
fn an_overflow_in_the_midst_of_a_turn_goes_down_the_ladder_and_on_with_the_turn() {
    let million = "x".repeat(1_000_000);
    let script = [
        says("seen", 10),
        runs("true", 20),
        overflows(),
        overflows(),
        refuses(500, "server_error", "no"),
        says(&summary(), None),
        says("done", 30),
    ];
    let mut world = World::new(0, script);
    let _ended = world.turn(&million);
    let ended = world.turn("mend the parser");
    assert_eq!(ended.stop, StopReason::EndTurn);
    assert_eq!(ended.recovered.len(), 1);
    assert_eq!(
        world.asked_for(),
        ["turn", "turn", "turn", "summary", "summary", "summary", "turn"]
    );
    let requests = world.server.requests();
    for (request, budget) in requests[3..6].iter().zip([500_000, 250_000, 125_000]) {
        let texts = [system(request), user_texts(request)[0]];
        let took = texts.map(str::len).iter().sum::<usize>();
        assert!(took <= budget + 50 && took > budget / 8, "{took} of {budget}");
    }
    let users = user_texts(&requests[6]);
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(users[0].contains("NEXT STEP: as it was"));
    assert_eq!(users[1], "mend the parser");
}

#[test]
fn an_exhausted_ladder_gives_the_providers_own_error_back() {
    let no = || refuses(500, "server_error", "no");
    let mut world = World::new(0, [overflows(), no(), says("", None), overflows()]);
    let ended = world.turn(&"x".repeat(100_000));
    assert_eq!(ended.stop, StopReason::Failed);
    assert!(ended.error.expect("an error").contains("context_length_exceeded"));
    assert_eq!(world.asked_for(), ["turn", "summary", "summary", "summary"]);
}

#[test]
fn a_second_overflow_goes_on_at_the_next_rung_also_where_handoffs_are_switched_off() {
    let large = "head -c 60000 /dev/zero | tr '\\0' x";
    let script = [
        overflows(),
        says(&summary(), None),
        runs(large, 10),
        overflows(),
        says(&summary(), None),
        says("done", 9_999),
    ];
    let mut world = World::with(10_000, script, &["--max-handoffs", "0"]);
    let ended = world.turn(&"x".repeat(60_000));
    assert_eq!(ended.recovered.len(), 2);
    assert!(matches!(ended.rollover, Rollover::Withheld { .. }));
    let requests = world.server.requests();
    let sizes = [1, 4].map(|at: usize| user_texts(&requests[at])[0].len());
    assert!(sizes[0] <= 30_000 && sizes[0] > 10_000, "{sizes:?}");
    // The live prompt was seated again, so the second refused history weighs 120,000 bytes.
    assert!(sizes[1] <= 31_000 && sizes[1] > 10_000, "{sizes:?}");
}

#[test]
fn a_note_that_the_output_limit_stopped_is_not_kept() {
    let Answer::At(status, mut stopped) = says(NOTE, None) else { panic!("an answer") };
    stopped["choices"][0]["finish_reason"] = json!("length");
    let script = [says("done", 9_000), Answer::At(status, stopped), says(&summary(), None)];
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
fn the_program_runs_on_lines_of_input() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let script = [runs("echo hello from $PWD", 100), says("It says hello.", 9_000)];
    let server = Server::start(script);
    server.then([says(NOTE, None), says(&summary(), None)]);
    let output = run(flags(&folder, &server, 10_000, &[]), "say hello\n");
    assert!(
        output.starts_with("It says hello.\n-- end_turn: the history was replaced"),
        "{output}"
    );
    assert!(output.contains("-- note: note 2 of generation 0 is on disk\n"), "{output}");
    let result = &server.requests()[1]["messages"][3]["content"];
    let scratch = folder.path().canonicalize().expect("it is there");
    assert_eq!(*result, format!("hello from {}\n", scratch.display()));
}
