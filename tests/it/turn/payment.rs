//! What the end of a turn costs: note and summary are paid from the run's one pool, above its
//! reserve.

use graff_notes::{
    budget::{Call, CallKind, RunPool},
    conversation::{Answered, Boundary, Noted},
    gate::Refusal,
    notebook::Answer,
    units::Calls,
};

use super::world::{BASE, For, Model, NOTE, World, now, response, says, summary};

#[test]
fn note_and_summary_are_paid_from_one_pool_above_one_reserve() {
    // A cap of 40 holds 8 back: with the summary pending the note needs 8 + 2.
    for (remaining_at_the_gate, asked_for) in [
        (10, vec![For::Turn, For::Note, For::Summary]),
        (9, vec![For::Turn, For::Summary]),
        (1, vec![For::Turn, For::Summary]),
        (0, vec![For::Turn]),
    ] {
        let pool = RunPool::builder().cap(Calls::new(40)).build();
        for _ in 0..40 - 1 - remaining_at_the_gate {
            drop(pool.admit(0, Call::Root).expect("calls are left"));
        }
        let world = World::of_window(10_000);
        let mut model = Model::new([says("done", 9_000)]);
        let fires = asked_for.contains(&For::Note);
        model.then(fires.then(|| says(NOTE, None)));
        model.then(asked_for.contains(&For::Summary).then(|| says(&summary(), None)));
        let ended = model.run(&mut world.with_pool(pool.clone()), "go");
        assert_eq!(model.asked_for(), asked_for, "{remaining_at_the_gate} left");
        assert!(!fires || pool.remaining() >= pool.ledger().reserve(), "the reserve is whole");
        assert_eq!(ended.rollover.is_performed(), remaining_at_the_gate > 0);
    }
}

#[test]
fn a_sibling_that_spends_while_the_note_is_written_does_not_push_the_summary_into_the_reserve() {
    let pool = RunPool::builder().cap(Calls::new(40)).build();
    for _ in 0..29 {
        drop(pool.admit(0, Call::Root).expect("calls are left"));
    }
    let world = World::of_window(10_000);
    let mut conversation = world.with_pool(pool.clone());
    let asked = conversation.begin("go").expect("a prompt").request(BASE, now()).expect("a call");
    let Answered::Finished(last) = asked.answered(response("done", Some(9_000))) else { panic!() };
    let Boundary::Note(step) = last.close(now()) else { panic!("10 calls are left") };
    assert_eq!((step.permit().kind(), step.permit().number()), (CallKind::Note, 31));
    drop(pool.admit(1, Call::Child).expect("a worker spends meanwhile"));
    let Boundary::Summary(step) = step.answered(Answer::Text(NOTE.to_owned()), now()) else {
        panic!("the summary follows")
    };
    assert_eq!((step.permit().kind(), step.permit().number()), (CallKind::Compaction, 32));
    assert_eq!(pool.used(), Calls::new(33), "one call is the worker's, and none was paid twice");
}

#[test]
fn a_note_that_cannot_be_afforded_is_made_of_what_the_host_knows() {
    let pool = RunPool::builder().cap(Calls::new(6)).build();
    let world = World::of_window(10_000);
    let mut conversation = world.with_pool(pool);
    let mut model = Model::new([says("done", 9_000), says(&summary(), None)]);
    let ended = model.run(&mut conversation, "mend the parser");
    let Some(Noted::Refused { refusal, salvaged: Some(outcome) }) = ended.note else {
        panic!("{:?}", ended.note)
    };
    assert!(matches!(refusal, Refusal::Budget { .. }) && outcome.is_stored(), "{outcome}");
    let note = conversation.notebook().splice("").note.expect("a note");
    assert!(note.text.contains("mend the parser"), "{}", note.text);
}
