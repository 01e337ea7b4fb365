//! The end of a turn: which readings hand the history off, in which order, and at whose cost.

use graff_notes::{
    budget::{AdmissionRefused, CallKind, RunPool},
    conversation::{Answered, Boundary, Noted, Rollover, Settings, SummaryFailure, Why},
    gate::{self, Outcome, Refusal, Verdict},
    note::{NoteCap, NoteText},
    notebook, prompt,
    threshold::{Compared, Handoff},
    turn::{Item, Proactive, StopReason, SummaryRefused},
    units::{Bytes, Calls, Generation, Tokens},
    usage::Reading,
};

use super::world::{
    BASE, For, Model, NOTE, OVERFLOW, Reply, World, now, prompt as prompt_item, refuses, response,
    says, summary, tool,
};

#[test]
fn over_the_threshold_the_note_then_the_summary_are_asked_for_within_the_turn() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), says(&summary(), None)]);
    let ended = model.run(&mut conversation, "mend the parser");
    assert_eq!(model.asked_for(), [For::Turn, For::Note, For::Summary]);
    assert!(ended.rollover.is_performed(), "{}", ended.rollover);
    assert_eq!(conversation.notebook().generation(), Generation::new(1));

    model.then([says("more", 3_000)]);
    let _ended = model.run(&mut conversation, "and now the tests");
    let next = model.last();
    let users = next.user_items();
    let [Item::Handoff { text }, last] = users.as_slice() else { panic!("{users:?}") };
    assert!(text.ends_with(summary().trim_end()));
    assert_eq!(**last, prompt_item("and now the tests"));
    assert_eq!(next.items.len(), 2, "nothing else of the first turn is left");
    assert_eq!(prompt::extract(&next.system), Some(NOTE));
    assert_eq!(prompt::strip(&next.system), BASE);
    assert!(!text.contains("src/parse.rs:88"));
}

#[test]
fn the_summary_request_holds_nothing_of_the_note() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    for _ in 0..2 {
        let mut model = Model::new([
            tool("ok", 100),
            says("done", 9_000),
            says(NOTE, None),
            says(&summary(), None),
        ]);
        let _ended = model.run(&mut conversation, "go on");
        let summary = model.last();
        assert_eq!(summary.what, For::Summary);
        assert!(!summary.message.contains("src/parse.rs:88"), "{}", summary.message);
        assert!(!summary.system.contains("src/parse.rs:88"));
        assert!(!summary.message.contains("one note to yourself"));
    }
}

#[test]
fn the_note_is_asked_for_after_the_agents_own_history_and_prompt() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 9_000), says(NOTE, None), says(&summary(), None)]);
    let _ended = model.run(&mut conversation, "mend the parser");
    let (turn, note) = (&model.requests[0], &model.requests[1]);
    assert_eq!(note.system, turn.system);
    assert_eq!(note.items[..1], turn.items[..]);
    assert_eq!(note.items[1], Item::Assistant { text: "done".to_owned() });
    assert!(note.message.contains("one note to yourself"));
}

#[test]
fn only_the_final_readings_of_a_turn_count() {
    let large = "x".repeat(6_000);
    for (script, handed_off) in [
        (vec![tool("ok", 8_500), says("done", 8_900)], false),
        (vec![tool(&large, 8_500), says("done", 8_900)], false),
        (vec![tool("ok", 9_500), says("done", 8_900)], false),
        (vec![tool("ok", 8_500), says("done", 9_000)], true),
    ] {
        let mut model = Model::new(script.clone());
        if handed_off {
            model.then([says(NOTE, None), says(&summary(), None)]);
        }
        let world = World::of_window(10_000);
        let ended = model.run(&mut world.conversation(), "go");
        assert_eq!(ended.rollover.is_performed(), handed_off, "{script:?}: {}", ended.rollover);
    }
}

#[test]
fn the_reply_is_not_added_to_the_reading() {
    let reply = "y".repeat(2_000);
    let mut model = Model::new([says(&reply, 8_500)]);
    let ended = model.run(&mut World::of_window(10_000).conversation(), "go");
    assert_eq!(model.asked_for(), [For::Turn]);
    let (tokens, limit) = (Tokens::new(8_500), Tokens::new(9_000));
    let not_due = Handoff::NotDue(Compared::Measured { tokens, limit });
    assert_eq!(ended.rollover, Rollover::NotDue(not_due));
}

#[test]
fn a_final_response_without_usage_is_weighed_and_not_given_an_earlier_reading() {
    // prompt 2 + call c1 read {} 8 + result 2+88 + reply
    for (reply_bytes, handed_off) in [(800, false), (801, true)] {
        let reply = "z".repeat(reply_bytes);
        let mut model = Model::new([tool(&"r".repeat(88), 950), says(&reply, None)]);
        if handed_off {
            model.then([says(NOTE, None), says(&summary(), None)]);
        }
        let world = World::of_window(1_000);
        let mut conversation = world.conversation();
        let ended = model.run(&mut conversation, "go");
        assert_eq!(ended.rollover.is_performed(), handed_off, "{}", ended.rollover);
        if !handed_off {
            assert_eq!(model.asked_for(), [For::Turn, For::Turn]);
            let bytes = Bytes::new(900);
            assert_eq!(conversation.reading(), Reading::Pressure { bytes });
        }
    }
}

#[test]
fn a_turn_that_was_cancelled_or_failed_is_followed_by_nothing() {
    for (reply, stop) in [
        (Reply::Cancelled, StopReason::Cancelled),
        (Reply::CancelledSuccess(Some(9_900)), StopReason::Cancelled),
        (refuses(500, "overloaded"), StopReason::Failed),
        (refuses(413, OVERFLOW), StopReason::Failed),
    ] {
        let world = World::of_window(10_000);
        let mut conversation = world.conversation();
        let mut model = Model::new([tool("ok", 9_500), reply.clone()]);
        let ended = model.run(&mut conversation, "go");
        assert_eq!((ended.stop, &ended.rollover), (stop, &Rollover::NotPermitted), "{reply:?}");
        assert_eq!(model.asked_for(), [For::Turn, For::Turn]);
        assert_eq!(ended.note, None);
        assert_eq!(conversation.notebook().generation(), Generation::ZERO);
    }
}

#[test]
fn a_failed_turn_gives_the_providers_own_words_back() {
    let mut model = Model::new([refuses(529, "overloaded: try later")]);
    let ended = model.run(&mut World::of_window(10_000).conversation(), "go");
    assert_eq!(ended.error.as_deref(), Some("overloaded: try later"));
}

#[test]
fn a_failed_or_empty_summary_leaves_all_as_it_was_and_the_next_turn_tries_again() {
    let empty = || Rollover::Failed(SummaryFailure::Refused(SummaryRefused::Empty));
    let failed =
        |reason: &str| Rollover::Failed(SummaryFailure::CallFailed { reason: reason.to_owned() });
    for (reply, rollover) in [
        (refuses(500, "no"), failed("status 500: no")),
        (refuses(400, OVERFLOW), failed(&format!("status 400: {OVERFLOW}"))),
        (says("", None), empty()),
        (says(" \n\t", None), empty()),
        (says("<think>The task was to mend", None), empty()),
        (says("<think>The task.</think>\n\n", None), empty()),
        (Reply::Cancelled, Rollover::Cancelled),
    ] {
        let world = World::of_window(10_000);
        let mut conversation = world.conversation();
        let mut model = Model::new([says("done", 9_000), says(NOTE, None), reply]);
        let ended = model.run(&mut conversation, "go");
        assert_eq!(ended.rollover, rollover);
        let items = [prompt_item("go"), Item::Assistant { text: "done".to_owned() }];
        assert_eq!(conversation.history().items(), items);
        assert_eq!(conversation.reading(), Reading::Measured { tokens: Tokens::new(9_000) });
        assert_eq!(conversation.notebook().generation(), Generation::ZERO);
        assert_eq!(conversation.notebook().splice("").note.expect("kept").text, NOTE);

        let mut model = Model::new([says("again", 9_100), says(&summary(), None)]);
        let ended = model.run(&mut conversation, "go on");
        assert!(ended.rollover.is_performed(), "{}", ended.rollover);
        let refusal = Refusal::AlreadyAttempted { generation: Generation::ZERO };
        assert_eq!(ended.note, Some(Noted::Refused { refusal, salvaged: None }));
    }
}

#[test]
fn no_outcome_of_the_note_keeps_the_history_from_rolling_over() {
    for reply in [says("none", None), says("ok", None), refuses(500, "no"), refuses(400, OVERFLOW)]
    {
        let mut model = Model::new([says("done", 9_000), reply, says(&summary(), None)]);
        let ended = model.run(&mut World::of_window(10_000).conversation(), "go");
        assert_eq!(model.asked_for(), [For::Turn, For::Note, For::Summary]);
        assert!(ended.rollover.is_performed());
    }
}

#[test]
fn a_cancelled_note_stops_the_handoff() {
    let mut model = Model::new([says("done", 9_000), Reply::Cancelled]);
    let ended = model.run(&mut World::of_window(10_000).conversation(), "go");
    assert_eq!(ended.rollover, Rollover::Cancelled);
    assert_eq!(ended.note, Some(Noted::Fired(Outcome::Cancelled)));
}

#[test]
fn the_note_is_asked_with_the_prompt_of_the_last_request_whoever_wrote_since() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let asked = conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a call");
    let sent = asked.system().to_owned();
    let Answered::Finished(last) = asked.answered(response("done", Some(9_000))) else { panic!() };
    let fitted = NoteText::fit("Written by hand meanwhile.", NoteCap::default()).expect("a note");
    assert!(world.notebook(RunPool::default()).write(fitted, now()).is_stored());
    match last.close(now()) {
        Boundary::Note(step) => assert_eq!(step.system(BASE), sent),
        Boundary::Summary(_) => {} // what was written counts as this generation's attempt
        Boundary::Ended(ended) => panic!("{}", ended.rollover),
    }
}

#[test]
fn a_worker_is_refused_with_no_provider_at_hand_and_its_prompt_is_never_spliced() {
    let mut world = World::of_window(10_000);
    let root = world.notebook(RunPool::default());
    let fitted = NoteText::fit(NOTE, NoteCap::default()).expect("a note");
    assert!(root.write(fitted, now()).is_stored());

    world.notes = notebook::Settings { depth: 1, ..notebook::Settings::default() };
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 9_900), says(&summary(), None)]);
    let ended = model.run(&mut conversation, "go");
    assert_eq!(model.asked_for(), [For::Turn, For::Summary]);
    assert_eq!(model.requests[0].system, BASE);
    let worker = world.notebook(RunPool::default());
    let (window, used) = (Tokens::new(10_000), Tokens::new(9_900));
    let situation = worker.situation(gate::Boundary::EndOfTurn, window, used, Calls::new(1));
    assert!(matches!(worker.decide(&situation), Verdict::Refuse(Refusal::Worker { depth: 1 })));
    let refusal = Refusal::Worker { depth: 1 };
    assert_eq!(ended.note, Some(Noted::Refused { refusal, salvaged: None }));

    let mut conversation = world.conversation();
    let asked =
        conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a request");
    assert_eq!(asked.permit().kind(), CallKind::Child);
    let Answered::Finished(last) = asked.answered(response("done", Some(9_900))) else { panic!() };
    let Boundary::Summary(step) = last.close(now()) else { panic!("no note, but a summary") };
    assert_eq!(step.permit().kind(), CallKind::Compaction);
}

#[test]
fn the_live_cases_hand_off_where_they_did_and_nowhere_else() {
    // Window 4,000: a first reading of 4,701 and a large tool result change nothing mid-turn.
    let large = "x".repeat(14_000);
    let script = [tool(&large, 4_701), says("done", 7_300), says(&summary(), None)];
    let mut model = Model::new(script);
    let ended = model.run(&mut World::of_window(4_000).conversation(), "go");
    assert_eq!(model.asked_for(), [For::Turn, For::Turn, For::Summary]);
    assert!(ended.rollover.is_performed());
    let Some(Noted::Refused { refusal: Refusal::NoHeadroom { .. }, salvaged }) = ended.note else {
        panic!("{:?}", ended.note)
    };
    assert!(salvaged.is_some_and(|outcome| outcome.is_stored()), "a mechanical note instead");

    // Window 8,000: 6,413 in and 1,154 out are below 7,200.
    let mut model = Model::new([says(&"y".repeat(4_600), 6_413)]);
    let ended = model.run(&mut World::of_window(8_000).conversation(), "go");
    assert!(matches!(ended.rollover, Rollover::NotDue(_)));

    // Each turn that goes over hands off.
    let world = World::of_window(8_000);
    let mut conversation = world.conversation();
    for turn in 1..=3 {
        let mut model = Model::new([
            tool("ok", 2_000),
            says("done", 7_200),
            says(NOTE, None),
            says(&summary(), None),
        ]);
        let ended = model.run(&mut conversation, "go on");
        assert!(ended.rollover.is_performed(), "turn {turn}: {}", ended.rollover);
        assert_eq!(conversation.notebook().generation(), Generation::new(turn));
    }
}

#[test]
fn after_a_handoff_the_reading_is_void_until_the_next_response() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 9_000), says("none", None), says(&summary(), None)]);
    let _ended = model.run(&mut conversation, "go");
    assert!(matches!(conversation.reading(), Reading::Pressure { .. }));

    let mut model = Model::new([says("fine", None)]);
    let ended = model.run(&mut conversation, "go on");
    assert!(matches!(ended.rollover, Rollover::NotDue(Handoff::NotDue(Compared::Pressure { .. }))));
}

#[test]
fn another_models_smaller_window_is_held_against_the_reading_before_anything_is_sent() {
    let mut world = World::of_window(1_000_000);
    world.settings = Settings {
        policy: graff_notes::threshold::Policy::default().with_ceiling(Tokens::ZERO).expect("off"),
        ..world.settings
    };
    let mut conversation = world.conversation();
    let mut model = Model::new([says("done", 300_000)]);
    assert!(!model.run(&mut conversation, "go").rollover.is_performed());

    let mut model = Model::new([says(&summary(), None)]);
    let rollover = model.change_window(&mut conversation, 125_000).rollover;
    assert!(rollover.is_performed(), "{rollover}");
    assert_eq!(model.asked_for(), [For::Summary], "the note would not fit into the new window");
}

#[test]
fn switched_off_nothing_is_handed_off_at_the_end_of_a_turn() {
    let mut world = World::of_window(10_000);
    world.settings.proactive = Proactive::from_max_handoffs(0);
    let mut model = Model::new([says("done", 9_999)]);
    let ended = model.run(&mut world.conversation(), "go");
    assert!(matches!(ended.rollover, Rollover::Withheld { .. }), "{}", ended.rollover);
}

#[test]
fn a_turn_without_a_response_hands_nothing_off_and_says_why_it_was_not_asked() {
    let pool = RunPool::builder().cap(Calls::new(1)).build();
    let world = World::of_window(10_000);
    let mut conversation = world.with_pool(pool);
    let _ended = Model::new([says("done", 9_900)]).run(&mut conversation, "one");
    let ended = Model::new([]).run(&mut conversation, "two");
    assert_eq!((ended.stop, &ended.rollover), (StopReason::CallsSpent, &Rollover::NotPermitted));
    let spent = AdmissionRefused::Spent { cap: Calls::new(1) };
    assert_eq!(ended.unasked, Some(Why::NotAdmitted(spent)));
    assert_eq!(conversation.history().items().last(), Some(&prompt_item("two")));
}

#[test]
fn a_step_that_is_dropped_ends_the_turn_as_a_cancelled_one() {
    let world = World::of_window(10_000);
    let mut conversation = world.conversation();
    let steering = conversation.steering();
    drop(conversation.begin("go").expect("a prompt").request(BASE, now()));
    assert!(steering.send("anybody there?").is_err());
    let mut model = Model::new([says("done", 100)]);
    let _ended = model.run(&mut conversation, "once more");
    assert_eq!(model.last().items, [prompt_item("go"), prompt_item("once more")]);
}
