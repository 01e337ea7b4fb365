//! Takes over the note of the session that this one goes on from.

use graff_notes::{
    ErrorKind,
    host::hook::{Event, Host, Parent, Start, first_record, forked_from, named_by_transcript},
    log::Draft,
    note::{Note, NoteCap, NoteText},
    session::SessionName,
    store::Newest,
};

use super::{files::TranscriptFile, visit::Visit};
use crate::failure::Failure;

/// Makes the newest note of the parent the first one of this session, and returns it.
///
/// The context of a fork is a copy: where the parent's had the note, this one has it too.
pub(super) fn adopt(visit: &Visit<'_>) -> Result<Option<Note>, Failure> {
    let Some(parent) = parent(visit)? else { return Ok(None) };
    let note = match visit.store.newest(&parent) {
        Ok(Newest { note, .. }) => note,
        Err(e) if e.kind() == ErrorKind::NotFound => None,
        Err(e) => return Err(e.into()),
    };
    let Some(note) = note else { return Ok(None) };
    let cap = NoteCap::new(NoteText::BYTES_LIMIT).unwrap_or_default();
    let Ok(fitted) = NoteText::fit(&note.text, cap) else { return Ok(None) };
    visit.append(&Draft::Note {
        text: fitted.text,
        author: note.author,
        cut: note.cut,
        generation: note.generation,
        created_at: note.created_at,
    })?;
    let adopted = match visit.newest()? {
        Some(Newest { note: Some(own), .. }) => own,
        _ => note.clone(), // a dry run
    };
    let of_parent = visit.state_of(&parent);
    let left = visit.leave(|state| {
        state.parent = Some(Parent::Named(parent.as_str().to_owned()));
        if of_parent.given.is_some_and(|given| given.is(&note)) {
            state.generation = state.generation.max(of_parent.generation);
            state.give(&adopted, of_parent.generation);
        }
    });
    if let Err(why) = left {
        visit.warn(why); // a note that is given twice is better than none
    }
    Ok(Some(adopted))
}

/// Returns the parent, if this session has one and the host gives it.
fn parent(visit: &Visit<'_>) -> Result<Option<SessionName>, Failure> {
    let resumed = matches!(visit.call.event, Event::Start(Start::Resume | Start::Compact));
    let forked = matches!(visit.call.event, Event::Start(Start::Fork));
    if resumed {
        return Ok(named_by_transcript(visit.call));
    }
    let unnamed = !forked && visit.state().parent == Some(Parent::Unnamed);
    if !forked && !unnamed || visit.store.sessions()?.names.is_empty() {
        return Ok(None);
    }
    let Some(head) = head(visit)? else { return expect(visit, Some(Parent::Unnamed)) };
    let found = match visit.call.host {
        Host::Codex => forked_from(&head),
        Host::ClaudeCode => original(visit, &head)?,
        _ => None,
    };
    if found.is_some() { Ok(found) } else { expect(visit, None) }
}

fn head(visit: &Visit<'_>) -> Result<Option<Vec<u8>>, Failure> {
    Ok(visit.transcript()?.and_then(|file| file.head().ok()))
}

/// Leaves word whether a parent is to be looked for later: Claude Code writes a fork's transcript
/// after the fork's first prompt.
fn expect(visit: &Visit<'_>, parent: Option<Parent>) -> Result<Option<SessionName>, Failure> {
    visit.leave(|state| state.parent = parent)?;
    Ok(None)
}

/// Returns the session with notes whose transcript has the record that this one begins with.
fn original(visit: &Visit<'_>, head: &[u8]) -> Result<Option<SessionName>, Failure> {
    let folder = visit.call.transcript.as_ref().and_then(|path| path.parent());
    let (Some(folder), Some(record)) = (folder, first_record(head)) else { return Ok(None) };
    let names = visit.store.sessions()?.names;
    let found = names.into_iter().filter(|name| name != visit.session()).find(|name| {
        let path = folder.join(format!("{name}.jsonl"));
        let head = TranscriptFile::open(&path).ok().flatten().and_then(|file| file.head().ok());
        head.as_deref().and_then(first_record) == Some(record)
    });
    Ok(found)
}
