//! What a rescue costs and leaves behind: the note, the pool, and a summary that must fit.

use graff_notes::{
    Conversation,
    budget::{AdmissionRefused, RunPool},
    conversation::{Noted, Why},
    gate::{Recovery, Refusal},
    notebook,
    turn::{History, Item, StopReason},
    units::{Calls, Generation, Tokens},
};

use super::{
    overflow::{of_weight, overflows},
    world::{
        For, Judge, Model, NOTE, OVERFLOW, Reply, Request, World, prompt, refuses, says, summary,
    },
};

#[test]
fn a_rescue_asks_for_no_note_and_makes_a_mechanical_one_once() {
    let world = World::of_window(10_000);
    let mut conversation = of_weight(&world, 50_000);
    let mut model = Model::new([overflows(), says("", None), says(&summary(), None)]);
    // The summary brings it down; at the end of the turn the gate still says that it recovers.
    model.then([says("done", 9_000), says(&summary(), None)]);
    let ended = model.run(&mut conversation, "mend the parser");
    assert!(!model.asked_for().contains(&For::Note));
    let note = conversation.notebook().splice("").note.expect("a mechanical note");
    assert!(note.text.contains("mend the parser"));
    let refusal = Refusal::Recovering(Recovery::Rejected);
    assert!(matches!(ended.note, Some(Noted::Refused { refusal: r, .. }) if r == refusal));
    assert_eq!(conversation.notebook().generation(), Generation::new(2));
}

#[test]
fn a_rescue_does_not_replace_the_note_that_the_generation_has() {
    let world = World::of_window(10_000);
    let mut conversation = of_weight(&world, 50_000);
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), refuses(500, "no")]);
    let _ended = model.run(&mut conversation, "one");
    let mut model = Model::new([overflows(), says(&summary(), None), says("done", 10)]);
    let _ended = model.run(&mut conversation, "two");
    assert_eq!(conversation.notebook().splice("").note.expect("a note").text, NOTE);
}

#[test]
fn a_pool_without_calls_cannot_pay_a_rescue_and_that_is_said() {
    let world = World::of_window(0);
    let pool = RunPool::builder().cap(Calls::new(2)).build();
    let mut conversation = world.with_pool(pool);
    let mut model = Model::new([says(&"x".repeat(50_000), 100)]);
    let _ended = model.run(&mut conversation, "go");
    let mut model = Model::new([overflows()]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.error.as_deref(), Some(OVERFLOW));
    let spent = AdmissionRefused::Spent { cap: Calls::new(2) };
    assert_eq!(ended.unasked, Some(Why::NotAdmitted(spent)));
}

#[test]
fn a_worker_on_a_bounded_pool_is_rescued_in_the_place_of_its_refused_request() {
    let mut world = World::of_window(0);
    world.notes = notebook::Settings { depth: 1, ..notebook::Settings::default() };
    let pool = RunPool::builder().concurrency_max(Calls::new(1)).build();
    let mut conversation = world.with_pool(pool.clone());
    let mut model = Model::new([says(&"x".repeat(50_000), 100)]);
    let _ended = model.run(&mut conversation, "go");
    let mut model =
        Model::new([overflows(), says("", None), says(&summary(), None), says("done", 10)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.recovered.len(), 1, "{:?}", ended.unasked);
    assert_eq!((ended.stop, pool.running()), (StopReason::EndTurn, Calls::ZERO));
}

#[test]
fn a_summary_with_which_the_history_is_no_smaller_is_not_installed() {
    let world = World::of_window(0);
    let mut conversation = world.conversation();
    let live = "x".repeat(50_000);
    let mut model = Model::new([overflows(), says(&summary(), None), says(&summary(), None)]);
    model.then([says(&summary(), None)]);
    let ended = model.run(&mut conversation, &live);
    assert_eq!(ended.error.as_deref(), Some(OVERFLOW), "the provider's own");
    assert!(ended.recovered.is_empty());
    assert_eq!(conversation.history().items(), [prompt(&live)]);
    assert_eq!(conversation.notebook().generation(), Generation::ZERO);
}

/// What a provider of a context of 32,768 tokens refuses: four bytes are a token, and the output
/// counts.
fn takes_32k(request: &Request) -> Option<Reply> {
    let weight = request.items.iter().map(|item| format!("{item:?}").len()).sum::<usize>();
    let input = (request.system.len() + request.message.len() + weight) as u64 / 4;
    let asked = input + request.output_tokens_max.map_or(1_000, Tokens::get);
    let body = r#"{"error":{"code":"context_length_exceeded"}}"#;
    (asked > 32_768).then(|| refuses(400, body))
}

/// The same, which names its limit.
fn takes_32k_and_says_so(request: &Request) -> Option<Reply> {
    takes_32k(request).map(|_| {
        refuses(400, r#"{"error":{"message":"prompt is too long: 40000 tokens > 32768 maximum"}}"#)
    })
}

#[test]
fn the_summary_request_fits_a_window_that_is_smaller_than_the_host_believes() {
    for believed in [0, 32_768, 200_000] {
        for judge in [takes_32k as Judge, takes_32k_and_says_so] {
            let world = World::of_window(believed);
            let mut conversation = of_weight(&world, 140_000);
            let mut model = Model::judged(judge, [says(&summary(), None), says("done", 10)]);
            let ended = model.run(&mut conversation, "go");
            assert_eq!(ended.recovered.len(), 1, "window {believed}: {:?}", model.asked_for());
            assert!(model.asked_for().len() <= 5, "at most three summaries");
        }
    }
}

#[test]
fn the_window_that_the_provider_names_bounds_the_summary_unless_it_cannot_be_meant() {
    let limit_where = |body: &str| {
        let world = World::of_window(200_000);
        let mut conversation = of_weight(&world, 1_000_000);
        let mut model = Model::new([refuses(400, body), says(&summary(), None), says("done", 10)]);
        let _ended = model.run(&mut conversation, "go");
        model.requests[1].output_tokens_max.expect("it is set").get()
    };
    let named = r#"{"error":{"message":"prompt is too long: 9000 tokens > 8000 maximum"}}"#;
    assert_eq!(limit_where(named), 4_000);
    let absurd = r#"{"error":{"message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
    assert_eq!(limit_where(absurd), 32_000);
}

/// What a provider that takes 50,000 tokens of four bytes refuses.
fn takes_a_sixth(request: &Request) -> Option<Reply> {
    let items = graff_notes::usage::pressure(request.items.iter().map(|item| match item {
        Item::Prompt { text } | Item::Handoff { text } | Item::Assistant { text } => {
            graff_notes::usage::Item::Text(text)
        }
        other => panic!("no {other:?} here"),
    }));
    let bytes = request.system.len() + request.message.len();
    (items.get() + bytes as u64 > 200_000).then(overflows)
}

#[test]
fn a_provider_that_takes_a_sixth_of_the_history_is_satisfied_within_four_requests() {
    let world = World::of_window(0);
    let turn = || [prompt(&"p".repeat(1_000)), Item::Assistant { text: "a".repeat(1_000) }];
    let items = (0..600).flat_map(|_| turn()).collect();
    let history = History::resumed(items).expect("whole");
    let notebook = world.notebook(RunPool::default());
    let mut conversation = Conversation::resumed(notebook, world.settings, history);
    let mut model = Model::judged(takes_a_sixth, [says(&summary(), None), says("done", 10)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.stop, StopReason::EndTurn);
    let asked = [For::Turn, For::Summary, For::Summary, For::Summary, For::Turn];
    assert_eq!(model.asked_for(), asked, "600,000 and 300,000 are refused, 150,000 is taken");
}
