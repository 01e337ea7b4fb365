//! What can be imported: what `export` wrote in JSON, and logs, ours and codegraff's.

use std::{collections::BTreeMap, fmt};

use graff_notes::{
    log::{Body, Entry, Fault, LINE_BYTES_MAX, Line, Record, Replay, Tail, win_back},
    note::{Author, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::{Deserialize, de::IgnoredAny};

use crate::{
    command::export::{DAMAGE, NEWER, VERSION},
    output::plural,
};

/// Which form of document it is shows in these members of its first object.
#[derive(Deserialize)]
struct Form {
    export: Option<IgnoredAny>,
    entries: Option<IgnoredAny>,
}

/// An export in one object.
#[derive(Deserialize)]
struct Whole {
    export: u64,
    entries: Vec<Exported>,
}

/// What is left out of a document, and why.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct LeftOut {
    /// The line of the document, or of the log that an export tells of.
    line: u64,
    why: String,
}

impl fmt::Display for LeftOut {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {} ({})", self.line, self.why)
    }
}

/// An entry of an export.
#[derive(Deserialize)]
struct Exported {
    export: u64,
    session: String,
    kind: String,
    seq: Option<u64>,
    #[serde(default)]
    r#gen: u64,
    #[serde(default)]
    created_at: u64,
    text: Option<String>,
    /// Of damage: which line of the log it was, and in words what is wrong there.
    line: Option<u64>,
    detail: Option<String>,
    #[serde(default)]
    cut: u64,
    #[serde(default)]
    sealed: bool,
}

/// The session that a line of a log is of.
#[derive(Deserialize)]
struct Owner {
    session: String,
}

/// The records of a document, by session and in their order.
#[derive(Debug, Default)]
pub(super) struct Document {
    pub(super) sessions: BTreeMap<SessionName, Vec<Record<'static>>>,
    /// The lines that are no records of these sessions.
    pub(super) left_out: Vec<LeftOut>,
    /// How many are records of a newer version of the format, which are left out too.
    pub(super) newer: u64,
}

impl Document {
    /// Reads a document. An export must be well formed to its end, and damage that it tells of is
    /// left out; so are the bad lines of a log.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let form = |bytes| serde_json::from_slice::<Form>(bytes).ok();
        if form(bytes).is_some_and(|form| form.entries.is_some()) {
            return Self::of_whole(bytes);
        }
        let Some((_, first)) = lines(bytes).next() else {
            return Ok(Self::default()); // an export of nothing, line by line
        };
        if form(first).is_some_and(|form| form.export.is_some()) {
            return Self::of_lines(bytes);
        }
        Self::of_log(bytes)?.ok_or_else(|| what_else(bytes))
    }

    fn of_whole(bytes: &[u8]) -> Result<Self, String> {
        let whole: Whole = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        known(whole.export).map_err(|why| format!("the export {why}"))?;
        let mut document = Self::default();
        for (at, entry) in (1_u64..).zip(whole.entries) {
            document.see(at, entry).map_err(|why| format!("entry {at} {why}"))?;
        }
        Ok(document)
    }

    fn of_lines(bytes: &[u8]) -> Result<Self, String> {
        let mut document = Self::default();
        for (number, line) in lines(bytes) {
            let entry = serde_json::from_slice(line)
                .map_err(|e| format!("line {number}, byte {}: {}", e.column(), words(&e)))?;
            document.see(number, entry).map_err(|why| format!("line {number} {why}"))?;
        }
        Ok(document)
    }

    /// Reads a log, which is that of the session whose record comes first.
    fn of_log(bytes: &[u8]) -> Result<Option<Self>, String> {
        let session = lines(bytes).find_map(|(_, line)| {
            let owner: Owner = serde_json::from_slice(line).ok()?;
            let session = SessionName::parse(&owner.session).ok()?;
            matches!(Line::read(line, &session), Line::Record(_)).then_some(session)
        });
        let Some(session) = session else { return Ok(None) };
        let mut lines = LogLines {
            bytes,
            session: &session,
            records: Vec::new(),
            left_out: Vec::new(),
            newer: 0,
            refused: None,
        };
        let mut replay = Replay::of(&session);
        let mut number = 0;
        replay.feed(bytes, &mut |entry| {
            number = entry.number;
            lines.see(&entry);
        });
        let tail = replay.finish(&mut |entry| {
            number = entry.number;
            lines.see(&entry);
        });
        if let Tail::Torn { offset, length, fault } = tail {
            lines.see_bad(number + 1, offset, length, fault);
        }
        let LogLines { records, left_out, newer, refused, .. } = lines;
        let sessions = BTreeMap::from([(session.clone(), records)]);
        refused.map_or(Ok(Some(Self { sessions, left_out, newer })), Err)
    }

    fn see(&mut self, number: u64, entry: Exported) -> Result<(), String> {
        known(entry.export)?;
        let session = SessionName::parse(&entry.session)
            .map_err(|why| format!("has the session {:?}: {why}", entry.session))?;
        match entry.kind.as_str() {
            DAMAGE => {
                let why = entry.detail.unwrap_or_else(|| "damage".to_owned());
                self.left_out.push(LeftOut { line: entry.line.unwrap_or(number), why });
            }
            NEWER => self.newer += 1,
            _ => self.sessions.entry(session).or_default().push(entry.record()?),
        }
        Ok(())
    }
}

impl Exported {
    fn record(self) -> Result<Record<'static>, String> {
        let cut = Bytes::new(self.cut);
        if let Some(why) = self.text.as_deref().and_then(too_long) {
            return Err(why);
        }
        let body = match (self.kind.as_str(), self.text) {
            ("note" | "mechanical", Some(text)) if text.trim().is_empty() => {
                return Err("has a blank text".to_owned());
            }
            ("note", Some(text)) => Body::Note { text: text.into(), author: Author::Agent, cut },
            ("mechanical", Some(text)) => {
                Body::Note { text: text.into(), author: Author::Mechanical, cut }
            }
            ("attempt", None) => Body::Attempt,
            ("rollover", None) => Body::Rollover,
            ("note" | "mechanical", None) => return Err("has no text".to_owned()),
            ("attempt" | "rollover", Some(_)) => return Err("has a text and is no note".to_owned()),
            (kind, _) => return Err(format!("has the unknown kind {kind:?}")),
        };
        // A document has no checksum: its word is taken where there is room for others behind it.
        let leaves_no_room = self.seq == Some(u64::MAX) || self.r#gen == u64::MAX;
        Ok(Record {
            generation: Generation::new(self.r#gen),
            created_at: Timestamp::new(self.created_at),
            seq: self.seq.map(Seq::new),
            body,
            sealed: self.sealed && !leaves_no_room,
        })
    }
}

/// The lines of a log, as they are sorted.
struct LogLines<'d> {
    bytes: &'d [u8],
    session: &'d SessionName,
    records: Vec<Record<'static>>,
    left_out: Vec<LeftOut>,
    newer: u64,
    /// Why none of it can be taken in: the first reason.
    refused: Option<String>,
}

impl LogLines<'_> {
    fn see(&mut self, entry: &Entry<'_>) {
        let why = match &entry.line {
            Line::Blank => return,
            Line::Record(record) => return self.see_record(entry.number, kept(record.clone())),
            Line::Bad(fault) => {
                return self.see_bad(entry.number, entry.offset, entry.length, *fault);
            }
            Line::Foreign { session } => format!("a record of session {session:?}"),
            Line::Newer => {
                self.newer += 1;
                return;
            }
        };
        self.left_out.push(LeftOut { line: entry.number, why });
    }

    fn see_record(&mut self, line: u64, record: Record<'static>) {
        if let Body::Note { text, .. } = &record.body
            && let Some(why) = too_long(text)
        {
            self.refused.get_or_insert(format!("line {line} {why}"));
        }
        self.records.push(record);
    }

    /// Leaves a bad line out. Whole records that stand on it are left to a repair: a log that came
    /// with them would part from its own copy here, where they don't count before one.
    fn see_bad(&mut self, line: u64, offset: Bytes, length: Bytes, fault: Fault) {
        let at = |bytes: Bytes| usize::try_from(bytes.get()).unwrap_or(usize::MAX);
        let (start, length) = (at(offset), at(length).min(LINE_BYTES_MAX + 1));
        let bytes = self.bytes.get(start..start.saturating_add(length)).unwrap_or_default();
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(bytes);
        let whole = match win_back(bytes, self.session).len() {
            0 => String::new(),
            whole => format!(", {} on it for `repair` to win back", plural(whole as u64, "record")),
        };
        self.left_out.push(LeftOut { line, why: format!("{fault}{whole}") });
    }
}

/// Returns why an export or an entry of one cannot be read, if it is of another version.
fn known(version: u64) -> Result<(), String> {
    if version == VERSION {
        return Ok(());
    }
    Err(format!("is of version {version}, and only {VERSION} is known"))
}

/// Returns why a text is none that a note can have, if it is too long.
fn too_long(text: &str) -> Option<String> {
    let (bytes, most) = (text.len(), NoteText::BYTES_LIMIT);
    (bytes > most).then(|| format!("has a text of {bytes} bytes, and {most} is the most"))
}

/// Returns what a document is that nothing can be taken in from.
fn what_else(bytes: &[u8]) -> String {
    let text = bytes.trim_ascii();
    let whole = serde_json::from_slice::<IgnoredAny>(text);
    match text.first() {
        Some(b'#' | b'>' | b'*') => {
            "it is Markdown, as `export` writes it to be read: export it with --format json or jsonl"
                .to_owned()
        }
        Some(b'{' | b'[') if whole.as_ref().is_err_and(serde_json::Error::is_eof) => {
            "its JSON ends before it is complete: the file was cut off".to_owned()
        }
        Some(_) if lines(text).any(|(_, line)| holds_records(line)) => {
            "each line of it is damaged, but whole records stand there: put it into .graff/notes as \
             the log of its session, and `graff-notes repair` wins them back"
                .to_owned()
        }
        _ => lines(text).find_map(|(_, line)| of_no_session(line)).unwrap_or_else(|| {
            "it is no export in JSON, and no line of it is a record".to_owned()
        }),
    }
}

/// Returns why a line is of no session, where it names one that cannot be.
fn of_no_session(line: &[u8]) -> Option<String> {
    let Owner { session } = serde_json::from_slice(line).ok()?;
    let why = SessionName::parse(&session).err()?;
    Some(format!("its records are of {session:?}, which cannot be a session here: {why}"))
}

/// Returns why a line is not what it must be, without where: the line is one of many.
fn words(e: &serde_json::Error) -> String {
    let place = format!(" at line {} column {}", e.line(), e.column());
    e.to_string().replace(&place, "")
}

/// Returns whether whole records stand on a line that is none.
fn holds_records(line: &[u8]) -> bool {
    let first = serde_json::Deserializer::from_slice(line).into_iter::<Owner>().next();
    let session = first.and_then(Result::ok).map(|owner| SessionName::parse(&owner.session));
    session.and_then(Result::ok).is_some_and(|session| !win_back(line, &session).is_empty())
}

/// Returns a record kept apart from the line that it was read from.
fn kept(record: Record<'_>) -> Record<'static> {
    let body = match record.body {
        Body::Note { text, author, cut } => {
            Body::Note { text: text.into_owned().into(), author, cut }
        }
        Body::Attempt => Body::Attempt,
        Body::Rollover => Body::Rollover,
    };
    let Record { generation, created_at, seq, sealed, .. } = record;
    Record { generation, created_at, seq, body, sealed }
}

/// Returns the lines that are not blank, with their numbers.
fn lines(bytes: &[u8]) -> impl Iterator<Item = (u64, &[u8])> {
    let lines = (1..).zip(bytes.split(|byte| *byte == b'\n'));
    lines.filter(|(_, line)| !line.trim_ascii().is_empty())
}
