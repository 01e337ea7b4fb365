//! The limit of a summary's output: what the request says of it is what is asked of the provider.
//!
//! A model that is told of more than it gets is cut off in the midst of a heading.

use graff_notes::{
    conversation::{Missing, Rollover},
    turn::Reasoning,
};

use super::world::{For, Model, Request, World, refuses, says, summary};

/// A refusal that names no window.
const OVERFLOW: &str = r#"{"error":{"code":"context_length_exceeded"}}"#;

/// The limits of the summary requests, each of which states its own.
#[track_caller]
fn limits(model: &Model, reasoning: &str) -> Vec<u64> {
    let summaries = model.requests.iter().filter(|request| request.what == For::Summary);
    let limit = |Request { system, message, output_tokens_max, .. }: &Request| {
        let most = output_tokens_max.expect("it is set").get();
        let stated = format!("The limit for your answer is at most {most} tokens{reasoning};");
        assert!(system.contains(&stated), "{stated} is not in {system}");
        assert!(!message.contains("limit"), "and nowhere else: {message}");
        most
    };
    summaries.map(limit).collect()
}

#[test]
fn the_requests_of_a_rescue_state_the_limit_that_they_ask_for() {
    for (reasoning, said) in
        [(Reasoning::Apart, ""), (Reasoning::Inside, ", your reasoning included")]
    {
        for (window, expected) in [(0, [12_500, 6_250, 3_125]), (8_000, [4_000, 4_000, 3_125])] {
            let mut world = World::of_window(window);
            world.settings.reasoning = reasoning;
            let mut conversation = world.conversation();
            let first = "x".repeat(100_000 - "done".len() - "go".len());
            let _ended = Model::new([says("done", 100)]).run(&mut conversation, &first);
            let mut model =
                Model::new([refuses(400, OVERFLOW), refuses(500, "no"), says("", None)]);
            model.then([says(&summary(), None), says("done", 10)]);
            let ended = model.run(&mut conversation, "go");
            assert_eq!(ended.recovered.len(), 1);
            assert_eq!(limits(&model, said), expected, "window {window}");
        }
    }
}

#[test]
fn the_second_request_for_a_summary_states_and_asks_for_the_limit_of_the_first() {
    let mut world = World::of_window(10_000);
    world.settings.missing_headings = Missing::AskedForOnce;
    let mut model = Model::new([says("done", 9_000), says("none", None)]);
    model.then([says("TASK: mend it", None), says(&summary(), None)]);
    let ended = model.run(&mut world.conversation(), "go");
    assert!(matches!(ended.rollover, Rollover::Performed(_)), "{}", ended.rollover);
    assert_eq!(limits(&model, ""), [5_000; 2]);
    assert_eq!(model.requests[2].system, model.requests[3].system);
}
