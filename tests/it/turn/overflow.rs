//! A request that the provider refuses for its size: the ladder, and what never enters it.

use graff_notes::{
    Conversation,
    budget::{AdmissionRefused, RunPool},
    conversation::{Noted, Rollover, Why},
    gate::{Recovery, Refusal},
    notebook,
    turn::{Exhausted, History, Item, Ladder, Proactive, Rung, StopReason},
    units::{Bytes, Calls, Generation, Tokens},
    usage::Reading,
};

use super::world::{
    For, Judge, Model, NOTE, OVERFLOW, Reply, Request, World, prompt, refuses, says, steer,
    summary, tool,
};

fn overflows() -> Reply {
    refuses(400, OVERFLOW)
}

/// A conversation whose history weighs `bytes` once the prompt `go` has been added.
fn of_weight(world: &World, bytes: usize) -> Conversation {
    let mut conversation = world.conversation();
    let mut model = Model::new([says(&"x".repeat(bytes - 4), 100)]);
    let _ended = model.run(&mut conversation, "go");
    conversation
}

/// What the summary requests of a script took, at most.
fn budgets(model: &Model) -> Vec<usize> {
    let summaries = model.requests.iter().filter(|request| request.what == For::Summary);
    summaries.map(|request| request.system.len() + request.message.len()).collect()
}

#[test]
fn the_ladder_halves_what_was_refused() {
    let rungs = |refused: u64| -> Vec<u64> {
        let mut ladder = Ladder::new();
        let tries = std::iter::from_fn(|| match ladder.climb(Bytes::new(refused)) {
            Rung::Try { budget } => Some(budget.get()),
            Rung::Exhausted(_) => None,
        });
        tries.collect()
    };
    assert_eq!(rungs(1_000_000), [500_000, 250_000, 125_000]);
    assert_eq!(rungs(65_536), [32_768, 16_384, 8_192]);
    assert_eq!(rungs(20_000), [10_000, 5_000]);
    assert_eq!(rungs(8_192), [4_096]);
    assert!(rungs(8_191).is_empty());
    assert!(rungs(0).is_empty());
    assert_eq!(rungs(u64::MAX).len(), 3);
}

#[test]
fn an_exhausted_ladder_says_why_and_a_rung_too_small_is_used_up_all_the_same() {
    let mut ladder = Ladder::new();
    let (budget, least) = (Bytes::new(1), Bytes::new(4_096));
    let small = Rung::Exhausted(Exhausted::TooSmall { budget, least });
    assert_eq!(ladder.climb(Bytes::new(2)), small);
    assert_eq!(ladder.climb(Bytes::new(1_000_000)), Rung::Try { budget: Bytes::new(250_000) });
    assert_eq!(ladder.climb(Bytes::new(1_000_000)), Rung::Try { budget: Bytes::new(125_000) });
    let spent = Rung::Exhausted(Exhausted::Attempts { attempts_max: 3 });
    assert_eq!(ladder.climb(Bytes::MAX), spent);
}

#[test]
fn a_refused_million_is_summarised_in_at_most_three_steps() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 1_000_000);
    let mut model =
        Model::new([overflows(), overflows(), overflows(), says(&summary(), None), says("ok", 9)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.stop, StopReason::EndTurn);
    let budgets = budgets(&model);
    for (took, budget) in budgets.iter().zip([500_000, 250_000, 125_000]) {
        assert!(*took <= budget && *took > budget / 5, "{took} of {budget}");
    }
    assert_eq!(budgets.len(), 3);
}

#[test]
fn a_performed_recovery_seats_the_live_prompt_again_and_goes_on_inside_the_turn() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 50_000);
    let mut model = Model::new([]);
    model.then_while(&["and quickly"], tool("ok", 700)).then([
        tool("ok", 800),
        overflows(),
        says(&summary(), None),
        says("done", 50),
    ]);
    let ended = model.run(&mut conversation, "mend the parser");
    let retried = model.last();
    let [Item::Handoff { .. }, last] = retried.items.as_slice() else {
        panic!("{:?}", retried.items)
    };
    assert_eq!(*last, prompt("mend the parser"), "not the steer, which the model has seen");
    assert_eq!(ended.stop, StopReason::EndTurn);
    assert_eq!(ended.recovered.len(), 1);
    assert_eq!(conversation.notebook().generation(), Generation::new(1));
}

#[test]
fn a_steer_that_only_the_refused_request_held_is_seated_again_behind_the_prompt() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 50_000);
    let mut model = Model::new([]);
    model.then_while(&["seen"], tool("ok", 700)).then_while(&["unseen"], tool("ok", 800)).then([
        overflows(),
        says(&summary(), None),
        says("done", 50),
    ]);
    let _ended = model.run(&mut conversation, "mend the parser");
    assert_eq!(model.last().items[1..], [prompt("mend the parser"), steer("unseen")]);
}

#[test]
fn the_round_of_a_refused_request_is_given_back_and_the_reading_is_void() {
    let mut world = World::of_window(1_000_000);
    world.settings.rounds_max = Some(2);
    let mut conversation = of_weight(&world, 50_000);
    let mut model =
        Model::new([tool("ok", 700), overflows(), says(&summary(), None), says("done", None)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.stop, StopReason::EndTurn, "the second round was to spare");
    assert!(matches!(conversation.reading(), Reading::Pressure { .. }));

    let mut model = Model::new([tool("ok", 700), tool("ok", 800)]);
    assert_eq!(model.run(&mut conversation, "go").stop, StopReason::RoundsSpent);
}

#[test]
fn exhausted_the_turn_fails_with_the_providers_own_error() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 50_000);
    let before = conversation.history().items().to_vec();
    let failed = || refuses(500, "no");
    let mut model = Model::new([overflows(), says("", None), failed(), failed()]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!((ended.stop, ended.error.as_deref()), (StopReason::Failed, Some(OVERFLOW)));
    assert_eq!(model.asked_for(), [For::Turn, For::Summary, For::Summary, For::Summary]);
    assert_eq!(conversation.history().items()[..2], before, "nothing was lost");

    let mut small = World::of_window(0).conversation();
    let mut model = Model::new([overflows()]);
    let ended = model.run(&mut small, &"x".repeat(8_191));
    assert_eq!(ended.error.as_deref(), Some(OVERFLOW));
}

#[test]
fn a_second_overflow_goes_on_at_the_next_rung() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 100_000);
    let large = "r".repeat(100_000);
    let mut model = Model::new([
        overflows(),
        says(&summary(), None),
        tool(&large, 10),
        overflows(),
        says(&summary(), None),
        tool(&large, 10),
        overflows(),
        says(&summary(), None),
        tool(&large, 10),
        overflows(),
    ]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.error.as_deref(), Some(OVERFLOW), "a fourth has no rung left");
    assert_eq!(ended.recovered.len(), 3);
    let budgets = budgets(&model);
    assert!(budgets[0] <= 50_000, "{budgets:?}");
    assert!(budgets[1] <= 26_000, "{budgets:?}");
    assert!(budgets[2] <= 13_000, "{budgets:?}");
    let rescued = [For::Turn, For::Summary, For::Turn];
    assert_eq!(model.asked_for(), [&rescued.repeat(3)[..], &[For::Turn]].concat());
    let users = model.last().user_items();
    let [Item::Handoff { .. }, live] = users.as_slice() else { panic!("{users:?}") };
    assert_eq!(**live, prompt("go"), "once, behind the one summary");

    // The counter is the turn's: the next turn begins at the first rung again.
    let mut model = Model::new([overflows(), says(&summary(), None), says("done", 10)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.recovered.len(), 1);
}

#[test]
fn cancelled_in_the_midst_of_a_recovery_the_turn_is_cancelled() {
    let world = World::of_window(0);
    let mut conversation = of_weight(&world, 50_000);
    let mut model = Model::new([overflows(), Reply::Cancelled]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!((ended.stop, ended.rollover), (StopReason::Cancelled, Rollover::NotPermitted));
    assert_eq!(ended.error, None);
}

#[test]
fn what_is_no_refusal_for_size_never_enters_the_ladder() {
    let huge = r#"{"error":{"type":"request_too_large","message":"prompt is too long: 9 tokens > 8 maximum"}}"#;
    for (status, body) in [
        (413, huge),
        (429, r#"{"error":{"message":"too many tokens per day"}}"#),
        (429, ""),
        (400, r#"{"error":{"message":"messages: at least one message is needed"}}"#),
        (400, ""),
        (500, OVERFLOW),
        (401, OVERFLOW),
    ] {
        let world = World::of_window(0);
        let mut conversation = of_weight(&world, 50_000);
        let mut model = Model::new([refuses(status, body)]);
        let ended = model.run(&mut conversation, "go");
        assert_eq!(model.asked_for(), [For::Turn], "{status} {body}");
        assert_eq!(ended.error.as_deref(), Some(body));
    }
}

#[test]
fn the_ladder_works_where_handoffs_are_switched_off() {
    let mut world = World::of_window(10_000);
    world.settings.proactive = Proactive::Disabled;
    let mut conversation = of_weight(&world, 50_000);
    let mut model =
        Model::new([tool("ok", 9_900), overflows(), says(&summary(), None), says("done", 9_950)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(ended.recovered.len(), 1);
    assert!(matches!(ended.rollover, Rollover::Withheld { .. }));
}

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
