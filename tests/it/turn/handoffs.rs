//! When handing off is to no avail, and when there was much of it.

use graff_notes::{
    Conversation,
    conversation::Rollover,
    turn::{Handoffs, Proactive, Standing, StopReason, Withheld},
};

use super::world::{For, Model, World, refuses, says, summary, tool};

/// A turn whose first response reports `first` and whose last one `last`, and which hands off if
/// it is to.
#[track_caller]
fn turn(conversation: &mut Conversation, first: u64, last: u64, handed_off: bool) -> Rollover {
    let mut model = Model::new([tool("ok", first), says("done", last)]);
    if handed_off {
        model.then([says("none", None), says(&summary(), None)]);
    }
    model.run(conversation, "go on").rollover
}

#[test]
fn two_handoffs_in_a_row_to_no_avail_stop_until_the_next_prompt_and_say_why() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    assert!(turn(&mut conversation, 2_000, 9_000, true).is_performed());
    assert!(turn(&mut conversation, 9_000, 9_100, true).is_performed());
    let stopped = turn(&mut conversation, 9_000, 9_100, false);
    let Rollover::Withheld { why, due } = &stopped else { panic!("{stopped}") };
    assert_eq!(*why, Withheld::NoProgress { handoffs: 2 });
    assert!(due.is_due());
    let words = "the last 2 handoffs left the history at or over its threshold";
    assert_eq!(stopped.to_string(), words);
    assert!(turn(&mut conversation, 9_000, 9_100, true).is_performed(), "the prompt re-arms");
}

#[test]
fn a_handoff_that_helped_in_between_starts_the_count_anew() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    for first in [9_000, 9_000, 2_000, 9_000, 2_000, 2_000, 9_000] {
        let rollover = turn(&mut conversation, first, 9_500, true);
        assert!(rollover.is_performed(), "first reading {first}: {rollover}");
    }
}

#[test]
fn only_the_first_measured_reading_after_a_handoff_says_whether_it_helped() {
    let mut handoffs = Handoffs::new(Proactive::Enabled);
    for _ in 0..3 {
        handoffs.performed();
        handoffs.measured(Standing::Below);
        handoffs.measured(Standing::AtOrOver);
    }
    assert_eq!(handoffs.withheld(), None);
}

#[test]
fn a_summariser_that_hardly_shrinks_anything_is_stopped_after_two() {
    // A fixed part of 29,000 tokens in a window of 32,768 at 85 percent: nothing can bring it down.
    let mut world = World::of_window(32_768);
    world.settings.policy = world.settings.policy.with_percent(85).expect("a percentage");
    let mut conversation = world.conversation();
    assert!(turn(&mut conversation, 29_000, 29_100, true).is_performed());
    assert!(turn(&mut conversation, 29_000, 29_100, true).is_performed());
    let stopped = turn(&mut conversation, 29_000, 29_100, false);
    assert!(matches!(stopped, Rollover::Withheld { why: Withheld::NoProgress { .. }, .. }));
}

#[test]
fn passing_eighty_handoffs_is_reported_once_and_degrades_nothing() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut milestones = Vec::new();
    for number in 1..=85 {
        let mut model = Model::new([tool("ok", 2_000), says("done", 9_000)]);
        model.then([says("none", None), says(&summary(), None)]);
        let ended = model.run(&mut conversation, "go on");
        assert!(ended.rollover.is_performed(), "handoff {number}: {}", ended.rollover);
        milestones.extend(ended.milestone.map(|milestone| (number, milestone.handoffs)));
    }
    assert_eq!(milestones, [(81, 81)]);
}

#[test]
fn max_handoffs_is_a_switch() {
    assert_eq!(Proactive::from_max_handoffs(0), Proactive::Disabled);
    for enabled in [1, 2, 80, u64::MAX] {
        assert_eq!(Proactive::from_max_handoffs(enabled), Proactive::Enabled);
    }
}

#[test]
fn one_turn_has_one_handoff_of_its_own_accord() {
    let mut handoffs = Handoffs::new(Proactive::Enabled);
    handoffs.turn_began();
    handoffs.attempted();
    assert_eq!(handoffs.withheld(), Some(Withheld::OncePerTurn));
    handoffs.turn_began();
    assert_eq!(handoffs.withheld(), None);
}

#[test]
fn a_turn_that_is_over_its_threshold_throughout_hands_off_once_and_at_its_end() {
    for (reply, performed) in [(says(&summary(), None), true), (refuses(500, "no"), false)] {
        let world = World::of_window(10_000);
        let mut conversation = world.conversation();
        let mut model = Model::new([]);
        model.then_while(&["use b.rs"], tool("ok", 9_000));
        model.then([tool("ok", 9_000)]).then_while(&["and c.rs"], says("done", 9_000));
        model.then([says("that too", 9_100), says("none", None), reply]);
        let ended = model.run(&mut conversation, "go");
        assert_eq!(ended.rollover.is_performed(), performed, "{}", ended.rollover);
        let asked = [[For::Turn; 4].as_slice(), &[For::Note, For::Summary]].concat();
        assert_eq!(model.asked_for(), asked, "and no second try");
    }
}

#[test]
fn another_window_is_not_silenced_by_a_turn_that_is_over_nor_by_handoffs_for_the_old_one() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    assert!(turn(&mut conversation, 2_000, 9_000, true).is_performed());
    assert!(turn(&mut conversation, 9_000, 9_100, true).is_performed());
    assert!(!turn(&mut conversation, 9_000, 9_100, false).is_performed(), "to no avail");
    let ended = Model::new([says(&summary(), None)]).change_window(&mut conversation, 8_000);
    assert!(ended.rollover.is_performed(), "{}", ended.rollover);
    assert_eq!(ended.stop, StopReason::WindowChanged);
    let ended = Model::new([says(&summary(), None)]).change_window(&mut conversation, 100);
    assert!(ended.rollover.is_performed(), "each change asks: {}", ended.rollover);
}

#[test]
fn many_handoffs_are_reported_once_also_by_a_session_that_was_resumed() {
    let reported = |before: u64| -> Vec<u64> {
        let mut handoffs = Handoffs::new(Proactive::Enabled).resumed_after(before);
        let performed = (0..5).filter_map(|_| handoffs.performed());
        performed.map(|milestone| milestone.handoffs).collect()
    };
    assert_eq!(reported(0), [0; 0]);
    assert_eq!(reported(78), [81]);
    assert_eq!(reported(80), [81]);
    assert_eq!(reported(81), [0; 0], "it was said before");
}
