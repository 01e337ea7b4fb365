//! Gives the newest note back to the agent: once a history, or in each request's system prompt.

use graff_notes::{
    host::hook::{Answer, Event, Start, State, behind_summary},
    note::{Note, NoteCap},
    prompt::{Block, Limits},
    store::Newest,
    units::Generation,
};

use super::{
    came::{Came, Idle},
    lineage, moim, turn,
    visit::Visit,
};
use crate::failure::Failure;

/// The most that is shown: whatever was stored, as far as the host takes it.
pub(crate) const WHOLE: NoteCap = match NoteCap::new(NoteCap::BYTES_MAX) {
    Some(cap) => cap,
    None => NoteCap::DEFAULT,
};

/// Gives the newest note, unless this history has it.
pub(super) fn splice(visit: &Visit<'_>) -> Result<Came, Failure> {
    let Some(note) = newest(visit)? else { return Ok(Idle::NoNote.into()) };
    let state = visit.state();
    if is_our_request(visit, &state) {
        return Ok(Idle::OurRequest.into());
    }
    if matches!(visit.call.event, Event::Start(Start::Clear)) {
        return pass_over(visit, &note);
    }
    let Some(block) = block(visit, &note) else { return Ok(Idle::NoRoom.into()) };
    let (dated, greatest) = (block.dated(), visit.greatest()?);
    let counted = visit.count(&state, Some(&dated))?;
    let kept = counted.as_ref().is_some_and(|counted| counted.kept);
    let mut foreseen = state.clone();
    let generation = visit.advance(&mut foreseen, counted.clone(), greatest);
    if !foreseen.is_due(&note, generation) && !is_far_from(&state, &foreseen) {
        return Ok(Idle::Given.into());
    }
    let answer = Answer::Context(block.to_string());
    let mut said = false;
    let left = visit.leave(|state| {
        let generation = visit.advance(state, counted, greatest);
        if state.is_due(&note, generation) {
            said = true;
            if kept || visit.say(&answer).is_ok() {
                state.give(&note, generation);
            }
        }
    });
    match left {
        Ok(()) => visit.record(generation, greatest)?,
        // Given twice is better than not at all.
        Err(_) if !said && !kept && foreseen.is_due(&note, generation) => {
            return visit.say(&answer);
        }
        Err(failure) => return Err(failure),
    }
    Ok(if said && !kept { Came::ToSomething } else { Idle::Given.into() })
}

/// Gives nothing to a history that the user has just emptied, neither now nor at the next prompt.
///
/// Others give the note here too (claude-mem issue 3862 asks for it); but who empties a history
/// wants it empty, and `show` still has the note.
fn pass_over(visit: &Visit<'_>, note: &Note) -> Result<Came, Failure> {
    turn::generation(visit, |state, generation| state.give(note, generation))?;
    Ok(Idle::Emptied.into())
}

/// Gives the newest note, whatever was given before.
pub(super) fn show(visit: &Visit<'_>) -> Result<Came, Failure> {
    let Some(note) = newest(visit)? else { return Ok(Idle::NoNote.into()) };
    match block(visit, &note) {
        Some(block) => visit.say(&Answer::Context(block.to_string())),
        None => Ok(Idle::NoRoom.into()),
    }
}

/// Puts the newest note behind the summary in the request that is about to be made, unless it is in
/// there.
pub(super) fn patch(visit: &Visit<'_>) -> Result<Came, Failure> {
    let Event::Request { messages } = &visit.call.event else {
        return Ok(Idle::NothingToMend.into());
    };
    let Some(note) = newest(visit)? else { return Ok(Idle::NoNote.into()) };
    let Some(block) = block(visit, &note) else { return Ok(Idle::NoRoom.into()) };
    match behind_summary(messages, &block.to_string(), &block.dated(), &note.text) {
        Some(messages) => visit.say(&Answer::Request(messages)),
        None => Ok(Idle::NothingToMend.into()),
    }
}

/// Puts the newest note into the file that goose reads; a session without one takes out that of
/// another one.
pub(super) fn refresh(visit: &Visit<'_>) -> Result<Came, Failure> {
    moim::refresh(visit, newest(visit)?.as_ref())
}

/// Returns the newest note; where the session has none yet, that of the session it goes on from.
fn newest(visit: &Visit<'_>) -> Result<Option<Note>, Failure> {
    match visit.newest()? {
        Some(Newest { note, .. }) => Ok(note),
        None => lineage::adopt(visit),
    }
}

/// Returns the words by which a history is seen to have the note that was put into it.
pub(super) fn dated(visit: &Visit<'_>, note: &Note) -> Option<String> {
    block(visit, note).map(|block| block.dated())
}

fn block<'n>(visit: &'n Visit<'_>, note: &'n Note) -> Option<Block<'n>> {
    Block::of(visit.session(), note, WHOLE).within(Limits::HOOK)
}

/// Whether the prompt is our own request for a note, which some hosts announce like a user's.
fn is_our_request(visit: &Visit<'_>, state: &State) -> bool {
    match (&visit.call.event, &state.asked) {
        (Event::Prompt { text }, Some(asked)) => text.contains(&asked.nonce),
        _ => false,
    }
}

/// Whether the next hook would have to read much again, or would take a compaction for another one.
fn is_far_from(before: &State, after: &State) -> bool {
    const FAR_BYTES: u64 = 1024 * 1024;
    let seen = |state: &State| state.seen.as_ref().map_or(0, |seen| seen.bytes.get());
    let generation = |state: &State| -> Generation { state.generation };
    generation(before) != generation(after)
        || before.compacting != after.compacting
        || seen(after).abs_diff(seen(before)) > FAR_BYTES
}
