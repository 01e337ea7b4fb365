//! The tools: what they take, what they do, and the words they answer with.
//!
//! What goes wrong is said in words in the result, where the model reads it; only a call of what is
//! no tool is an error of the protocol.

use std::{cmp::Reverse, collections::VecDeque, fs};

use graff_notes::{
    gate::{Boundary, Verdict},
    host::hook::State,
    log::{Draft, Line},
    note::{Author, Note, NoteText},
    notebook::{Notebook, Settings},
    prompt::{Block, Limits},
    session::SessionName,
    store::{Appended, Newest, Store},
    threshold::Policy,
    units::{Bytes, Calls, Seq, Tokens},
};
use rmcp::{
    ErrorData,
    model::{CallToolRequestParams, CallToolResult, ContentBlock, JsonObject, Tool},
};
use serde::{Deserialize, de::DeserializeOwned};

use super::{
    caller::Caller,
    whose::{self, Whose},
};
use crate::{
    command::hook,
    context::{Place, explain, now},
    doubt,
    exit::Exit,
    failure::Failure,
    output::{first_line, plural},
};

/// The tools as they are listed.
const LISTED: &str = include_str!("tools.json");

/// So many notes are listed where nobody says how many.
const LISTED_NOTES: usize = 20;

/// So many may be asked for at most, as tools.json says too.
const LISTED_NOTES_MAX: usize = 100;

/// So much of a note's first line is listed, in columns.
const LINE_COLUMNS: usize = 100;

/// So many sessions are named to whoever has found no note.
const SESSIONS_NAMED_MAX: usize = 10;

/// The texts of a tool's answer, each a block of its own.
type Said = Result<Vec<String>, Failure>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Write {
    text: String,
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Show {
    seq: Option<Seq>,
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct List {
    limit: Option<usize>,
    session: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Decide {
    used_tokens: u64,
    window_tokens: Option<u64>,
    session: Option<String>,
}

/// One call of a tool.
struct Call<'a> {
    place: &'a Place,
    flag: Option<&'a str>,
    arguments: JsonObject,
    caller: &'a Caller<'a>,
}

/// Returns the tools as `tools/list` has them.
pub(super) fn listed() -> Result<Vec<Tool>, ErrorData> {
    serde_json::from_str(LISTED)
        .map_err(|why| ErrorData::internal_error(format!("list the tools: {why}"), None))
}

/// Calls the tool that `asked` names, for the session of the flag where nothing nearer names one.
pub(super) fn call(
    place: &Place,
    flag: Option<&str>,
    asked: CallToolRequestParams,
    caller: &Caller<'_>,
) -> Result<CallToolResult, ErrorData> {
    let call = Call { place, flag, arguments: asked.arguments.unwrap_or_default(), caller };
    let said = match asked.name.as_ref() {
        "write_note" => call.write(),
        "show_note" => call.show(),
        "list_notes" => call.list(),
        "decide" => call.decide(),
        "thread_hint" => call.hint(),
        name => return Err(ErrorData::invalid_params(format!("there is no tool {name}"), None)),
    };
    Ok(match said {
        Ok(texts) => CallToolResult::success(texts.into_iter().map(ContentBlock::text).collect()),
        Err(failure) => CallToolResult::error(vec![ContentBlock::text(words(&failure))]),
    })
}

impl Call<'_> {
    fn write(&self) -> Said {
        let Write { text, session: named } = self.read()?;
        let Whose { session, seen, .. } = self.whose(named.as_deref())?.alone()?;
        let store = self.place.store()?;
        let cap = self.place.set_at(&store).note_cap();
        let fitted = NoteText::fit(&text, cap)
            .map_err(|why| Failure::input(format_args!("store the note: {why}")))?;
        let generation = hook::generation_now(&store, &session)?;
        let draft = Draft::Note {
            text: fitted.text,
            author: Author::Agent,
            cut: fitted.cut,
            generation,
            created_at: now(),
        };
        let said = match store.append(&session, &draft)? {
            Appended::Stored(seq) => {
                format!("saved: it is record {seq} of session {session}, generation {generation}")
            }
            Appended::Unchanged(_) => {
                format!("saved already: the newest note of session {session} says the same")
            }
        };
        let (cut, cap) = (fitted.cut, cap.get());
        if named.is_none() && seen.is_none() {
            keep_as_given(&store, &session);
        }
        let cut = (cut > Bytes::ZERO)
            .then(|| format!("{cut} bytes were cut off its end, since {cap} are kept at most"));
        Ok([Some(said), cut, seen].into_iter().flatten().collect())
    }

    fn show(&self) -> Said {
        let Show { seq, session: named } = self.read()?;
        let Whose { session, seen, .. } = self.whose(named.as_deref())?;
        let store = self.place.store()?;
        let with_others = |failure: Failure| match others(&store, &session) {
            Some(others) if named.is_none() => failure.advise(others),
            _ => failure,
        };
        let Newest { note, doubt } = match seq {
            None => {
                let newest = store.newest(&session);
                newest.map_err(|e| with_others(explain(e, &store, &session)))?
            }
            Some(seq) => Newest { note: numbered(&store, &session, seq)?, doubt: None },
        };
        let Some(note) = note else {
            return Err(match (seq, doubt) {
                (None, Some(doubt)) => doubt::failure("show a note of", &session, doubt),
                (None, None) => {
                    with_others(Failure::nothing(format_args!("find a note of session {session}")))
                }
                (Some(seq), _) => {
                    Failure::nothing(format_args!("find note {seq} of session {session}"))
                }
            });
        };
        let about = about(&note);
        let doubt = doubt.map(|doubt| doubt::warning(&session, doubt));
        Ok([Some(note.text), Some(about), doubt, seen].into_iter().flatten().collect())
    }

    fn list(&self) -> Said {
        let List { limit, session } = self.read()?;
        let limit = limit.unwrap_or(LISTED_NOTES);
        if !(1..=LISTED_NOTES_MAX).contains(&limit) {
            let why = format_args!("`limit` is from 1 to {LISTED_NOTES_MAX}");
            return Err(Failure::input(format_args!("list so many notes: {why}")));
        }
        let Whose { session, seen, .. } = self.whose(session.as_deref())?;
        let (mut lines, mut passed) = (VecDeque::with_capacity(limit + 1), 0);
        each_note(&self.place.store()?, &session, |note| {
            if lines.len() == limit {
                lines.pop_front();
                passed += 1;
            }
            lines.push_back(format!("{}: {}", about(&note), first_line(&note.text, LINE_COLUMNS)));
        })?;
        if passed > 0 {
            lines.push_front(format!("{} before these", plural(passed, "note")));
        }
        let lines = Vec::from(lines).join("\n");
        Ok([Some(lines), seen].into_iter().flatten().collect())
    }

    fn decide(&self) -> Said {
        let Decide { used_tokens, window_tokens, session } = self.read()?;
        let Whose { session, seen, .. } = self.whose(session.as_deref())?;
        let store = self.place.store()?;
        let set = self.place.set_at(&store);
        let window = set.window(self.caller.host(), window_tokens, None);
        let used = Tokens::new(used_tokens);
        let policy = Policy::default()
            .with_percent(set.percent().unwrap_or(hook::PERCENT_DEFAULT))
            .map_err(|why| Failure::input(format_args!("set a threshold: {why}")))?;
        let threshold = policy.threshold(window);
        let figures = format!("{used} tokens are used, the threshold is {}", threshold.tokens());
        let said = if threshold.check_measured(used).is_due() {
            let settings = Settings::default();
            let notebook = Notebook::open(&store, session.as_str(), set.pool(None), settings)?;
            let at = notebook.situation(Boundary::EndOfTurn, window, used, Calls::ZERO);
            match notebook.decide(&at) {
                Verdict::Fire(_) => format!("yes: write your note now; {figures}"),
                Verdict::Refuse(why) => format!("no: {why}; {figures}"),
            }
        } else {
            format!("no: it is not due yet; {figures}")
        };
        Ok([Some(said), seen].into_iter().flatten().collect())
    }

    /// Says nothing where there is nothing, for whoever puts the answer into a prompt unread.
    fn hint(&self) -> Said {
        let found = self.whose(None).and_then(|whose| {
            // Nobody would see in a prompt that the note is another session's.
            let Ok(Whose { session, .. }) = whose.alone() else { return Ok(None) };
            let store = self.place.store()?;
            let newest = store.newest(&session).map_err(|e| explain(e, &store, &session))?;
            Ok(newest.note.map(|note| (session, note)))
        });
        match found {
            Ok(Some((session, note))) => {
                let block = Block::of(&session, &note, hook::WHOLE).within(Limits::HOOK);
                Ok(block.iter().map(Block::to_string).collect())
            }
            Ok(None) => Ok(Vec::new()),
            Err(failure) if failure.exit() == Exit::NothingThere => Ok(Vec::new()),
            Err(failure) => Err(failure),
        }
    }

    fn read<T: DeserializeOwned>(&self) -> Result<T, Failure> {
        T::deserialize(serde_json::Value::Object(self.arguments.clone()))
            .map_err(|why| Failure::input(format_args!("read the arguments: {why}")))
    }

    fn whose(&self, named: Option<&str>) -> Result<Whose, Failure> {
        Whose::of(self.place, named.or(self.flag), self.caller)
    }
}

/// Leaves word for hooks that the agent has the newest note in its context: it has just written it.
/// Only for a session that was said to be the caller's: one that was only seen may be another's,
/// who has not got the note.
///
/// Where that fails it is given back once more than it need be.
fn keep_as_given(store: &Store, session: &SessionName) {
    let Ok(Newest { note: Some(note), .. }) = store.newest(session) else { return };
    let _ = store.leave_word(session, |word| {
        let mut state = State::read(word.as_deref());
        state.give(&note, note.generation.max(state.generation));
        Some(state.write())
    });
}

/// Returns the note of this number.
fn numbered(store: &Store, session: &SessionName, seq: Seq) -> Result<Option<Note>, Failure> {
    let mut found = None;
    each_note(store, session, |note| {
        if note.seq == Some(seq) {
            found = Some(note);
        }
    })?;
    Ok(found)
}

/// Hands over the notes of a session, the oldest first, and holds one at a time.
fn each_note(
    store: &Store,
    session: &SessionName,
    mut take: impl FnMut(Note),
) -> Result<(), Failure> {
    let replayed = store.replay(session, &mut |entry| {
        if let Line::Record(record) = entry.line {
            record.into_note().into_iter().for_each(&mut take);
        }
    });
    replayed.map(drop).map_err(|e| explain(e, store, session))
}

/// Returns which sessions but this one have notes, the last ones first, where there are any.
fn others(store: &Store, session: &SessionName) -> Option<String> {
    let mut names = store.sessions().ok()?.names;
    names.retain(|name| name != session);
    let written = |session: &SessionName| fs::metadata(store.log_path(session))?.modified();
    names.sort_by_cached_key(|session| Reverse(written(session).ok()));
    let more = names.len().saturating_sub(SESSIONS_NAMED_MAX);
    names.truncate(SESSIONS_NAMED_MAX);
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    let have = if names.len() == 1 { "has" } else { "have" };
    let those = whose::counted(&names);
    (!names.is_empty())
        .then(|| format!("{those}{more} {have} notes here: name yours with `session`"))
}

fn about(note: &Note) -> String {
    let number = note.seq.map_or_else(|| "a note".to_owned(), |seq| format!("note {seq}"));
    let author = match note.author {
        Author::Agent => "",
        Author::Mechanical => ", made without a model",
    };
    let bytes = plural(note.text.len() as u64, "byte");
    let at = note.created_at.utc();
    format!("{number}, generation {}, stored {at}, {bytes}{author}", note.generation)
}

fn words(failure: &Failure) -> String {
    match failure.advice() {
        Some(advice) => format!("{failure}; {advice}"),
        None => failure.to_string(),
    }
}
