//! A request that the provider refuses for its size: the ladder, and what never enters it.

use graff_notes::{
    Conversation,
    conversation::Rollover,
    turn::{Exhausted, Item, Ladder, Proactive, Rung, StopReason},
    units::{Bytes, Generation},
    usage::Reading,
};

use super::world::{
    For, Model, OVERFLOW, Reply, World, prompt, refuses, says, steer, summary, tool,
};

pub(super) fn overflows() -> Reply {
    refuses(400, OVERFLOW)
}

/// A conversation whose history weighs `bytes` once the prompt `go` has been added.
pub(super) fn of_weight(world: &World, bytes: usize) -> Conversation {
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
