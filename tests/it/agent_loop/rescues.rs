//! Requests that the provider refuses for their size.

use graff_notes::{
    conversation::Rollover,
    turn::{Item, StopReason},
};
use serde_json::json;

use super::world::{
    World, overflows, refuses, runs, said, says, summary, system, user_texts, what_for,
};
use crate::support::server::{Answer, hanging};

#[test]
fn an_overflow_in_the_midst_of_a_turn_goes_down_the_ladder_and_on_with_the_turn() {
    let tenth = "x".repeat(100_000);
    let mut world = World::new(0, (0..10).map(|_| says("seen", 10)));
    for _ in 0..10 {
        let _ended = world.turn(&tenth);
    }
    let script = [
        runs("true", 20),
        overflows(),
        overflows(),
        refuses(500, "server_error", "no"),
        says(&summary(), None),
        says("done", 30),
    ];
    world.server.then(script);
    let ended = world.turn("mend the parser");
    assert_eq!(ended.stop, StopReason::EndTurn);
    assert_eq!(ended.recovered.len(), 1);
    let asked = ["turn", "turn", "summary", "summary", "summary", "turn"];
    assert_eq!(world.asked_for()[10..], asked);
    let requests = &world.server.requests()[10..];
    for (request, budget) in requests[2..5].iter().zip([500_000, 250_000, 125_000]) {
        let texts = [system(request), user_texts(request)[0]];
        let took = texts.map(str::len).iter().sum::<usize>();
        assert!(took <= budget + 50 && took > budget / 10 * 6, "{took} of {budget}");
        let stated = format!("is at most {} tokens;", request["max_tokens"]);
        assert!(system(request).contains(&stated), "{stated}");
    }
    let users = user_texts(&requests[5]);
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(users[0].contains("NEXT STEP: as it was"));
    assert_eq!(users[1], "mend the parser");
}

#[test]
fn an_exhausted_ladder_gives_the_providers_own_error_back() {
    let (own, no) = (overflows(), refuses(500, "server_error", "no"));
    let Answer::At(_, words) = &own else { unreachable!() };
    let words = words.to_string();
    let of_the_summary = refuses(400, "context_length_exceeded", "a summary's own refusal");
    let mut world = World::new(0, [says("seen", 10), own, no, says("", None), of_the_summary]);
    let large = "x".repeat(100_000);
    let _ended = world.turn(&large);
    let before = world.agent.conversation().history().items().to_vec();
    let ended = world.turn("mend the parser");
    assert_eq!((ended.stop, ended.error), (StopReason::Failed, Some(words)));
    assert_eq!(world.asked_for(), ["turn", "turn", "summary", "summary", "summary"]);
    let after = world.agent.conversation().history().items();
    let live = Item::Prompt { text: "mend the parser".to_owned() };
    assert_eq!(after, [before, vec![live]].concat(), "nothing was lost");
}

#[test]
fn a_second_overflow_goes_on_at_the_next_rung_also_where_handoffs_are_switched_off() {
    let large = "head -c 60000 /dev/zero | tr '\\0' x";
    let script = [
        says("seen", 10),
        overflows(),
        says(&summary(), None),
        runs(large, 10),
        overflows(),
        says(&summary(), None),
        says("done", 9_999),
    ];
    let mut world = World::with(10_000, script, &["--max-handoffs", "0"]);
    let _ended = world.turn(&"x".repeat(60_000));
    let ended = world.turn("mend the parser");
    assert_eq!(ended.recovered.len(), 2);
    assert!(matches!(ended.rollover, Rollover::Withheld { .. }));
    let asked = ["turn", "turn", "summary", "turn", "turn", "summary", "turn"];
    assert_eq!(world.asked_for(), asked);
    let requests = world.server.requests();
    let users = user_texts(&requests[6]);
    assert_eq!(users.len(), 2, "{users:?}");
    assert!(users[0].ends_with(summary().trim_end()), "one summary, and it the last: {users:?}");
    assert_eq!(users[0].matches("NEXT STEP").count(), 1);
    assert_eq!(users[1], "mend the parser");
    let sizes = [2, 5].map(|at: usize| user_texts(&requests[at])[0].len());
    assert!(sizes[0] <= 30_000 && sizes[0] > 18_000, "{sizes:?}");
    assert!(sizes[1] <= 15_000 && sizes[1] > 3_000, "{sizes:?}");
}

#[test]
fn the_round_of_a_refused_request_is_given_back() {
    let mut world = World::with(0, [says("seen", 10)], &["--rounds-max", "2"]);
    let _ended = world.turn(&"x".repeat(50_000));
    let script = [runs("true", 20), overflows(), says(&summary(), None), says("done", 30)];
    world.server.then(script);
    assert_eq!(world.turn("mend the parser").stop, StopReason::EndTurn);
    world.server.then([runs("true", 20), runs("true", 30)]);
    assert_eq!(world.turn("go on").stop, StopReason::RoundsSpent, "there were only two");
}

#[test]
fn the_prompt_is_seated_again_and_not_the_steer_that_came_after_it() {
    let (first, hangs) = hanging();
    let mut world = World::new(0, [says("seen", 10)]);
    let _ended = world.turn(&"x".repeat(50_000));
    let script = [runs("true", 20), overflows(), says(&summary(), None), says("done", 30)];
    world.server.then([first]);
    world.server.then(script);
    let (ended, sent) = world.turn_while("mend the parser", move |steering| {
        hangs.wait();
        let sent = steering.send("use b.rs");
        let Answer::At(status, body) = runs("true", 15) else { unreachable!() };
        hangs.release(status, body);
        sent
    });
    assert_eq!((sent, ended.recovered.len()), (Ok(()), 1));
    let requests = world.server.requests();
    assert_eq!(user_texts(&requests[2])[1..], ["mend the parser", "use b.rs"], "it was seen");
    let last = world.last();
    let users = user_texts(&last);
    assert_eq!(users.len(), 2, "{users:?}");
    assert_eq!(users[1], "mend the parser");
}

#[test]
fn a_provider_that_counts_the_output_into_its_window_takes_the_summary() {
    // Four bytes are a token of its 32,768, and nobody has told the agent of them.
    let mut world = World::new(0, []);
    world.server.improvise(|request| {
        let texts = [system(request)].into_iter().chain(user_texts(request));
        let input = texts.map(str::len).sum::<usize>() as u64 / 4;
        let output = request["max_tokens"].as_u64().expect("a limit");
        if input + output > 32_768 {
            let error = json!({ "code": "context_length_exceeded", "message": "too long" });
            return (400, json!({ "error": error }));
        }
        match what_for(request) {
            "summary" => (200, said(&summary(), None)),
            _ => (200, said("done", None)),
        }
    });
    assert_eq!(world.turn(&"x".repeat(90_000)).stop, StopReason::EndTurn);
    let ended = world.turn(&"y".repeat(10_000));
    assert_eq!((ended.stop, ended.recovered.len()), (StopReason::EndTurn, 1), "{:?}", ended.error);
}
