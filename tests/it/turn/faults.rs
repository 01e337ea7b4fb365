//! Faults that other agents were reported with, played through whole turns: readings and limits
//! that made them hand off too often, never, or for the wrong reason.

use graff_notes::{
    budget::RunPool,
    conversation::{Answered, Boundary, Noted, Rollover},
    gate::Refusal,
    notebook::Answer,
    threshold::Policy,
    turn::{StopReason, Withheld},
    units::{Generation, Tokens},
    usage::Report,
};
use serde_json::{Value, json};

use super::world::{BASE, For, Model, NOTE, World, now, response, says, summary, tool};

/// A model's window and the limits that a host sets: percent, ceiling and output reserve.
type Limits = (u64, u64, u64, u64);

#[track_caller]
fn world((window, percent, ceiling, reserve): Limits) -> World {
    let mut world = World::of_window(window);
    world.settings.policy =
        Policy::new(percent, Tokens::new(ceiling), Tokens::new(reserve)).expect("limits");
    world
}

/// Whether a turn whose only response has this usage object and length would be handed off.
#[track_caller]
fn hands_off(limits: Limits, usage: &Value, bytes: usize) -> bool {
    let world = world(limits);
    let mut conversation = world.conversation();
    let asked =
        conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a request");
    let usage = Report::from_json(usage);
    let text = "x".repeat(bytes.saturating_sub("go".len()));
    let Answered::Finished(finished) =
        asked.answered(graff_notes::conversation::Response { usage, ..response(&text, None) })
    else {
        panic!("the last response")
    };
    match finished.close(now()) {
        Boundary::Note(_) | Boundary::Summary(_) => true,
        Boundary::Ended(ended) => {
            assert!(matches!(ended.rollover, Rollover::NotDue(_)), "{}", ended.rollover);
            false
        }
    }
}

#[track_caller]
fn measured(limits: Limits, tokens: u64) -> bool {
    hands_off(limits, &json!({ "input_tokens": tokens, "output_tokens": 10 }), 100)
}

#[test]
fn a_reserve_that_swallows_the_window_does_not_make_every_reading_full() {
    // anomalyco/opencode issue 45368, tontinton/maki PR 407
    for limits in [(16_384, 90, 0, 32_000), (25_000, 90, 0, 25_000), (262_144, 90, 0, 262_144)] {
        for tokens in [1, 10, 100, 1_000, 2_000] {
            assert!(!measured(limits, tokens), "{limits:?} {tokens}");
        }
    }
}

#[test]
fn the_smallest_limit_binds_in_large_windows_and_small() {
    // 1jehuang/jcode issue 644, NousResearch/hermes-agent PR 50781
    for (limits, tokens, due) in [
        ((1_000_000, 90, 272_000, 8_000), 271_000, false),
        ((1_000_000, 90, 272_000, 8_000), 272_001, true),
        ((1_000_000, 90, 272_000, 8_000), 899_999, true),
        ((200_000, 90, 272_000, 8_000), 170_000, false),
        ((200_000, 90, 272_000, 8_000), 180_001, true),
        ((200_000, 95, 0, 65_536), 120_000, false),
        ((200_000, 95, 0, 65_536), 134_465, true),
        ((200_000, 95, 0, 65_536), 140_000, true),
    ] {
        assert_eq!(measured(limits, tokens), due, "{limits:?} {tokens}");
    }
}

#[test]
fn zero_switches_a_ceiling_off_and_what_is_no_limit_is_refused() {
    // pchalasani/claude-code-tools PR 54, gsd-build/gsd-2 issue 5475
    for tokens in [10, 100_000] {
        assert!(!measured((200_000, 90, 0, 0), tokens));
    }
    assert!(Policy::default().with_ceiling(Tokens::new(1)).is_err());
    for percent in [0, 101] {
        assert!(Policy::default().with_percent(percent).is_err(), "{percent} percent");
    }
    assert!(measured((200_000, 1, 0, 8_000), 2_000), "the setting is used");
    assert!(!measured((200_000, 100, 0, 0), 199_999));
}

#[test]
fn an_unknown_window_is_neither_nothing_nor_endless() {
    // hotovo/aider-desk PR 919
    for (ceiling, tokens, due) in
        [(0, 5, false), (0, 400_000, false), (100_000, 99_000, false), (100_000, 100_001, true)]
    {
        assert_eq!(measured((0, 90, ceiling, 8_000), tokens), due, "{ceiling} {tokens}");
    }
}

#[test]
fn what_hands_off_at_one_size_does_at_every_larger_one() {
    // justrach/codegraff
    let due = [79_998, 79_999, 80_000, 80_001].map(|n| measured((100_000, 80, 0, 1_000), n));
    assert_eq!(due, [false, false, true, true]);
}

#[test]
fn cached_tokens_are_counted_once_in_either_style() {
    // anomalyco/opencode issue 4416, block/buzz PR 821
    let inclusive = json!({
        "prompt_tokens": 184_704, "completion_tokens": 49, "total_tokens": 184_753,
        "prompt_tokens_details": { "cached_tokens": 183_936 },
    });
    assert!(!hands_off((400_000, 90, 0, 8_000), &inclusive, 100));
    let exclusive = json!({
        "input_tokens": 3, "cache_read_input_tokens": 185_000,
        "cache_creation_input_tokens": 1_093, "output_tokens": 400,
    });
    assert!(hands_off((200_000, 90, 0, 8_000), &exclusive, 100));
}

#[test]
fn figures_that_cannot_be_are_replaced_by_the_weight() {
    // anomalyco/opencode issues 13141 and 30649, earendil-works/pi issue 5278
    let zeros = json!({ "input_tokens": 0, "cache_read_input_tokens": 0, "output_tokens": 0 });
    let absurd = json!({ "input_tokens": 20_000, "cache_read_input_tokens": 10_000_000 });
    for (window, usage, bytes, due) in [
        (100_000, &Value::Null, 500_000, true),
        (100_000, &Value::Null, 40_000, false),
        (100_000, &zeros, 500_000, true),
        (128_000, &absurd, 90_000, false),
        (128_000, &absurd, 120_000, true),
    ] {
        assert_eq!(hands_off((window, 90, 0, 8_000), usage, bytes), due, "{usage} {bytes}");
    }
}

#[test]
fn the_requests_of_a_turn_are_not_added_up() {
    // openclaw/openclaw PR 99872
    let mut model = Model::new((0..19).map(|_| tool("ok", 42_000)));
    model.then([says("done", 42_000)]);
    let ended = model.run(&mut world((200_000, 90, 0, 8_000)).conversation(), "go");
    assert!(matches!(ended.rollover, Rollover::NotDue(_)));
}

#[test]
fn the_answer_is_not_added_to_what_was_measured() {
    // block/buzz PR 6584; PostHog/code PR 1548 has programs that do and programs that do not
    let usage =
        json!({ "prompt_tokens": 80_000, "completion_tokens": 15_000, "total_tokens": 95_000 });
    assert!(!hands_off((100_000, 90, 0, 8_000), &usage, 60_000));
}

#[test]
fn switched_off_is_off_on_every_path_but_the_rescue() {
    // openai/codex issue 10365
    let mut world = world((200_000, 90, 0, 8_000));
    world.settings.proactive = graff_notes::turn::Proactive::Disabled;
    let mut model = Model::new([says("done", 199_999)]);
    let ended = model.run(&mut world.conversation(), "go");
    assert!(matches!(ended.rollover, Rollover::Withheld { why: Withheld::Disabled, .. }));
}

#[test]
fn a_note_in_a_small_window_asks_for_no_further_note() {
    // openclaw/openclaw issue 66058
    let mut model = Model::new([says("done", 3_800), says(NOTE, None), says(&summary(), None)]);
    let ended = model.run(&mut World::of_window(4_200).conversation(), "go");
    assert_eq!(model.asked_for(), [For::Turn, For::Note, For::Summary]);
    assert!(ended.rollover.is_performed());
}

#[test]
fn a_long_session_hands_off_as_often_as_it_must() {
    // block/buzz PR 4805
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    for turn in 1..=25 {
        let mut model = Model::new([tool("ok", 2_000), says("done", 9_000)]);
        model.then([says(NOTE, None), says(&summary(), None)]);
        assert!(model.run(&mut conversation, "go on").rollover.is_performed(), "turn {turn}");
    }
}

#[test]
fn a_process_that_dies_between_note_and_rewriting_asks_for_no_second_note() {
    // anthropics/claude-code issue 63187, anomalyco/opencode issue 26230
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let asked =
        conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a request");
    let Answered::Finished(finished) = asked.answered(response("done", Some(9_000))) else {
        panic!("the last response")
    };
    let Boundary::Note(step) = finished.close(now()) else { panic!("a note is due") };
    let Boundary::Summary(died) = step.answered(Answer::Text(NOTE.to_owned()), now()) else {
        panic!("a summary is due")
    };
    drop(died);

    let mut resumed = world.conversation();
    let mut model = Model::new([says("done", 9_000), says(&summary(), None)]);
    let ended = model.run(&mut resumed, "go");
    assert!(model.requests[0].system.contains(NOTE));
    let refusal = Refusal::AlreadyAttempted { generation: Generation::ZERO };
    assert_eq!(ended.note, Some(Noted::Refused { refusal, salvaged: None }));
    assert_eq!(resumed.notebook().generation(), Generation::new(1));

    let mut model = Model::new([tool("ok", 10), says("done", 9_000), says("none", None)]);
    model.then([says(&summary(), None)]);
    let ended = model.run(&mut world.conversation(), "go");
    assert!(matches!(ended.note, Some(Noted::Fired(_))), "the next generation may fire again");
}

#[test]
fn a_worker_reads_and_writes_nothing_of_its_parents() {
    // Jamie-BitFlight/claude_skills issue 3454
    let mut world = World::of_window(10_000);
    world.notes.depth = 1;
    let mut model = Model::new([says("done", 9_000), says(&summary(), None)]);
    let ended = model.run(&mut world.conversation(), "go");
    assert_eq!(ended.stop, StopReason::EndTurn);
    assert!(world.store.sessions().expect("readable").names.is_empty(), "no file was made");
    world.notes.depth = 0;
    assert!(world.notebook(RunPool::default()).splice(BASE).note.is_none());
}
