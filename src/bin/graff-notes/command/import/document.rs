//! What can be imported: what `export` wrote in JSON, and logs, ours and codegraff's.

use std::collections::BTreeMap;

use graff_notes::{
    log::{Body, Line, Record, Replay, Tail},
    note::Author,
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};
use serde::{Deserialize, de::IgnoredAny};

use crate::command::export::{DAMAGE, NEWER, VERSION};

/// Which form of document it is shows in these members of its first object.
#[derive(Deserialize)]
struct Form {
    export: Option<IgnoredAny>,
    entries: Option<IgnoredAny>,
}

/// An export in one object.
#[derive(Deserialize)]
struct Whole {
    entries: Vec<Exported>,
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
    /// How many lines or entries are no records of these sessions.
    pub(super) left_out: u64,
    /// How many are records of a newer version of the format, which are left out too.
    pub(super) newer: u64,
}

impl Document {
    /// Reads a document; an export must be without a fault, and of a log the bad lines are left out.
    pub(super) fn read(bytes: &[u8]) -> Result<Self, String> {
        let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
        let form = |bytes| serde_json::from_slice::<Form>(bytes).ok();
        if form(bytes).is_some_and(|form| form.entries.is_some()) {
            return Self::of_whole(bytes);
        }
        let first = lines(bytes).next().and_then(|(_, line)| form(line));
        if first.is_some_and(|form| form.export.is_some()) {
            return Self::of_lines(bytes);
        }
        Self::of_log(bytes)
            .ok_or_else(|| "it is no export in JSON, and no line of it is a record".to_owned())
    }

    fn of_whole(bytes: &[u8]) -> Result<Self, String> {
        let whole: Whole = serde_json::from_slice(bytes).map_err(|e| e.to_string())?;
        let mut document = Self::default();
        for (at, entry) in (1_u64..).zip(whole.entries) {
            document.see(entry).map_err(|why| format!("entry {at} {why}"))?;
        }
        Ok(document)
    }

    fn of_lines(bytes: &[u8]) -> Result<Self, String> {
        let mut document = Self::default();
        for (number, line) in lines(bytes) {
            let entry = serde_json::from_slice(line).map_err(|e| e.to_string());
            let seen = entry.and_then(|entry| document.see(entry));
            seen.map_err(|why| format!("line {number} {why}"))?;
        }
        Ok(document)
    }

    /// Reads a log, which is that of the session whose record comes first.
    fn of_log(bytes: &[u8]) -> Option<Self> {
        let session = lines(bytes).find_map(|(_, line)| {
            let owner: Owner = serde_json::from_slice(line).ok()?;
            let session = SessionName::parse(&owner.session).ok()?;
            matches!(Line::read(line, &session), Line::Record(_)).then_some(session)
        })?;
        let (mut records, mut left_out, mut newer) = (Vec::new(), 0, 0);
        let mut see = |line: Line<'_>| match line {
            Line::Record(record) => records.push(kept(record)),
            Line::Blank => {}
            Line::Foreign { .. } | Line::Bad(_) => left_out += 1,
            Line::Newer => newer += 1,
        };
        let mut replay = Replay::of(&session);
        replay.feed(bytes, &mut |entry| see(entry.line));
        let tail = replay.finish(&mut |entry| see(entry.line));
        left_out += u64::from(matches!(tail, Tail::Torn { .. }));
        Some(Self { sessions: BTreeMap::from([(session, records)]), left_out, newer })
    }

    fn see(&mut self, entry: Exported) -> Result<(), String> {
        if entry.export != VERSION {
            return Err(format!("is of version {}, and only {VERSION} is known", entry.export));
        }
        let session = SessionName::parse(&entry.session)
            .map_err(|why| format!("has the session {:?}: {why}", entry.session))?;
        match entry.kind.as_str() {
            DAMAGE => self.left_out += 1,
            NEWER => self.newer += 1,
            _ => self.sessions.entry(session).or_default().push(entry.record()?),
        }
        Ok(())
    }
}

impl Exported {
    fn record(self) -> Result<Record<'static>, String> {
        let cut = Bytes::new(self.cut);
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
