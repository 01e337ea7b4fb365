//! Before and after a summary takes the history's place. It is never held up.

use graff_notes::{
    facts::Facts,
    host::{
        hook::{Answer, Event},
        transcript::TranscriptReader,
    },
    log::Draft,
    note::{Author, Reply},
    prompt::{section_of, section_request},
    units::Generation,
};

use super::{
    came::{Came, Idle},
    turn,
    visit::Visit,
};
use crate::failure::Failure;

/// The note of a generation, once one was to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Standing {
    /// It had one before, by this author.
    There(Author),
    Made,
    /// Nothing is known that one could be made of.
    Missing,
}

/// Makes a mechanical note, unless this generation has a note.
pub(super) fn salvage(visit: &Visit<'_>) -> Result<Came, Failure> {
    Ok(match prepare(visit)? {
        Standing::There(_) => Idle::HasNote.into(),
        Standing::Made => Came::ToSomething,
        Standing::Missing => Idle::NoFacts.into(),
    })
}

/// Makes a mechanical note, unless this generation has a note, and asks the model that writes the
/// summary for a better one, unless the agent has written it.
pub(super) fn ask_summariser(visit: &Visit<'_>) -> Result<Came, Failure> {
    match prepare(visit)? {
        Standing::There(Author::Agent) => Ok(Idle::HasNote.into()),
        _ => visit.say(&Answer::Summariser(section_request(visit.note_cap()))),
    }
}

/// Takes the note out of the summary; it is about the history that the summary replaces.
pub(super) fn take_summary(visit: &Visit<'_>) -> Result<Came, Failure> {
    let mut state = visit.state();
    let Some(before) = state.compacting else { return Ok(Idle::NoSummaryAwaited.into()) };
    let came = match &visit.call.event {
        Event::Compacted { summary: Some(summary) } => store_section(visit, summary, before)?,
        _ => Idle::NoSection.into(),
    };
    let greatest = visit.greatest()?;
    let counted = visit.count(&state, None)?;
    let generation = visit.advance(&mut state, counted, greatest);
    visit.record(generation, greatest)?;
    Ok(came)
}

/// Leaves word that a summary is about to be asked for, and sees to it that there is a note.
fn prepare(visit: &Visit<'_>) -> Result<Standing, Failure> {
    let generation =
        turn::generation(visit, |state, generation| state.compacting = Some(generation))?;
    mechanical_note(visit, generation)
}

/// Makes a note of what the transcript says, unless `generation` has one.
pub(super) fn mechanical_note(
    visit: &Visit<'_>,
    generation: Generation,
) -> Result<Standing, Failure> {
    let newest = visit.newest()?.and_then(|newest| newest.note);
    if let Some(note) = newest.filter(|note| note.generation >= generation) {
        return Ok(Standing::There(note.author));
    }
    let Some(facts) = facts(visit)? else { return Ok(Standing::Missing) };
    let Some(fitted) = facts.mechanical_note(visit.note_cap()) else {
        return Ok(Standing::Missing);
    };
    if visit.writes() {
        let _ = visit.store.salvage(visit.session(), fitted, generation, visit.now)?;
    } else {
        visit.warn("would store:");
        fitted.text.as_str().lines().for_each(|line| visit.warn(line));
    }
    Ok(Standing::Made)
}

/// Returns what is known of the session: from its transcript, or from the history that the host has
/// handed over.
fn facts(visit: &Visit<'_>) -> Result<Option<Facts>, Failure> {
    if let Some(history) = &visit.call.history {
        let mut reader = TranscriptReader::new();
        reader.push(history.as_bytes());
        return Ok(Some(reader.finish().facts));
    }
    let file = visit.transcript()?;
    let facts = file.map(|file| file.facts()).transpose();
    facts.map_err(|e| Failure::system("read the transcript", &e))
}

fn store_section(
    visit: &Visit<'_>,
    summary: &str,
    generation: Generation,
) -> Result<Came, Failure> {
    let Some(section) = section_of(summary) else { return Ok(Idle::NoSection.into()) };
    let Reply::Note(fitted) = Reply::read(section, visit.note_cap()) else {
        return Ok(Idle::NoSection.into());
    };
    if !visit.writes() {
        visit.warn("would store the note in the summary");
    }
    visit.append(&Draft::Note {
        text: fitted.text,
        author: Author::Agent,
        cut: fitted.cut,
        generation,
        created_at: visit.now,
    })?;
    Ok(Came::ToSomething)
}
