//! What a replay of one log adds up to: the figures of `verify`.

use super::{Body, Concern, Entry, Finding, Kind, Line, Record, Tail};
use crate::units::{Bytes, Generation, Seq, Timestamp};

/// How many findings of each sort are kept; what is over is counted and not kept.
const FINDINGS_MAX: usize = 1_000;

/// How much of a foreign session's name is kept, in bytes.
const FOREIGN_NAME_BYTES_MAX: usize = 80;

/// How much of the newest note's first line is kept, in bytes: about what a wide terminal shows.
const FIRST_LINE_BYTES_MAX: usize = 240;

/// The health of one log, added up entry by entry, in bounded memory.
///
/// # Examples
///
/// ```
/// use graff_notes::{log::{Health, Replay}, session::SessionName};
///
/// let session = SessionName::parse("s1").unwrap();
/// let mut health = Health::default();
/// let mut replay = Replay::of(&session);
/// replay.feed(b"{\"v\":1,\"session\":\"s1\",\"text\":\"one\"}\njunk\n", &mut |e| health.see(&e));
/// health.end(replay.finish(&mut |_| ()));
/// assert_eq!((health.notes, health.bad_lines, health.is_ok()), (1, 1, false));
/// assert_eq!(health.faults[0].to_string(), "line 2, byte 36: malformed JSON at byte 1 of the record");
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Health {
    /// How long the log is.
    pub length: Bytes,
    /// Good notes, by whomever.
    pub notes: u64,
    /// Attempts at a note.
    pub attempts: u64,
    /// Rewritings of the history.
    pub rollovers: u64,
    /// Lines that end in LF, are not blank, and are no record of anybody.
    pub bad_lines: u64,
    /// Good records of other sessions.
    pub foreign: u64,
    /// Records that a newer version of the format wrote.
    pub newer_version: u64,
    /// Lines of white space.
    pub blank_lines: u64,
    /// Good records of this session without a checksum.
    pub unsealed: u64,
    /// Whether the file ends in something that is neither a line nor a whole record.
    pub torn_tail: bool,
    /// Whether the file ends in a whole record without its LF.
    pub final_newline_missing: bool,
    /// The last good note.
    pub newest: Option<LastNote>,
    /// The first line of its text that is not blank, or as much of it as lies in the first 240
    /// bytes.
    pub first_line: String,
    /// The greatest generation that [counts](Record::generation_that_counts); where the session
    /// stands.
    pub greatest_generation: Option<Generation>,
    /// Bad lines and a torn tail behind the last good note: each may have been a newer one.
    pub damage_behind_newest: u64,
    /// What is wrong, in the order of the file.
    pub faults: Vec<Finding>,
    /// How many more faults there are than are kept.
    pub faults_left_out: u64,
    /// How many of all faults a repair [leaves](Concern::outlasts_repair) in the log.
    pub faults_for_good: u64,
    /// What is odd but not wrong, in the order of the file.
    pub remarks: Vec<Finding>,
    /// How many more remarks there are than are kept.
    pub remarks_left_out: u64,
    /// The record that is older than one before it by the most: the clock went back between the
    /// two.
    pub set_back: Option<SetBack>,
    lines: u64,
    greatest_seq: Option<Seq>,
    latest: Timestamp,
}

/// A record that is older than one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SetBack {
    /// The number of its line, from 1.
    pub line: u64,
    /// Its own number; absent on records of other programs.
    pub seq: Option<Seq>,
    /// When it was written.
    pub created_at: Timestamp,
    /// When the latest record before it was written.
    pub before: Timestamp,
}

/// The last good note of a log, without its text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LastNote {
    /// Its number; absent on records of other programs.
    pub seq: Option<Seq>,
    /// The generation that it describes.
    pub generation: Generation,
    /// When it was written.
    pub created_at: Timestamp,
    /// Whether the agent or the program wrote it.
    pub kind: Kind,
}

impl Health {
    /// Returns whether nothing is wrong with the log; remarks are nothing wrong.
    #[must_use]
    pub fn is_ok(&self) -> bool {
        self.faults.is_empty()
    }

    /// Adds the next entry of a replay.
    pub fn see(&mut self, entry: &Entry<'_>) {
        self.lines = entry.number;
        self.length = entry.offset.saturating_add(entry.length);
        match &entry.line {
            Line::Blank => count(&mut self.blank_lines),
            Line::Record(record) => self.see_record(entry, record),
            Line::Foreign { session } => {
                count(&mut self.foreign);
                self.report(
                    entry.number,
                    entry.offset,
                    Concern::Foreign {
                        session: start_of(session, FOREIGN_NAME_BYTES_MAX).to_owned(),
                    },
                );
            }
            Line::Newer => {
                count(&mut self.newer_version);
                self.report(entry.number, entry.offset, Concern::NewerVersion);
            }
            Line::Bad(fault) => {
                count(&mut self.bad_lines);
                count(&mut self.damage_behind_newest);
                self.report(entry.number, entry.offset, Concern::Bad(*fault));
            }
        }
    }

    /// Adds the end of the replay.
    pub fn end(&mut self, tail: Tail) {
        match tail {
            Tail::Clean => {}
            Tail::Unterminated => self.final_newline_missing = true,
            Tail::Torn { offset, length, fault } => {
                self.length = offset.saturating_add(length);
                self.torn_tail = true;
                count(&mut self.damage_behind_newest);
                self.report(self.lines.saturating_add(1), offset, Concern::TornTail(fault));
            }
        }
    }

    fn see_record(&mut self, entry: &Entry<'_>, record: &Record<'_>) {
        if !record.sealed {
            count(&mut self.unsealed);
        }
        self.greatest_generation = self.greatest_generation.max(record.generation_that_counts());
        if record.generation_that_counts().is_none() {
            let concern = Concern::GenerationNotCounted { generation: record.generation };
            self.report(entry.number, entry.offset, concern);
        }
        if let Some(seq) = record.seq_that_counts() {
            self.see_seq(entry, seq);
        }
        self.see_time(entry, record);
        match record.body {
            Body::Attempt => count(&mut self.attempts),
            Body::Rollover => count(&mut self.rollovers),
            Body::Note { ref text, .. } => self.see_note(entry, record, text),
        }
    }

    fn see_seq(&mut self, entry: &Entry<'_>, seq: Seq) {
        let concern = match self.greatest_seq {
            Some(after) if seq == after => Concern::SeqRepeated { seq },
            Some(after) if seq < after => Concern::SeqBackward { seq, after },
            _ => {
                self.greatest_seq = Some(seq);
                return;
            }
        };
        self.report(entry.number, entry.offset, concern);
    }

    /// Keeps the greatest step back; a record without a time on it says nothing.
    fn see_time(&mut self, entry: &Entry<'_>, record: &Record<'_>) {
        let Record { seq, created_at, .. } = *record;
        if created_at == Timestamp::ZERO {
            return;
        }
        let by = |it: SetBack| it.before.get().saturating_sub(it.created_at.get());
        let found = SetBack { line: entry.number, seq, created_at, before: self.latest };
        if by(found) > self.set_back.map_or(0, by) {
            self.set_back = Some(found);
        }
        self.latest = self.latest.max(created_at);
    }

    fn see_note(&mut self, entry: &Entry<'_>, record: &Record<'_>, text: &str) {
        let Record { seq, generation, created_at, .. } = *record;
        if self.newest.is_some_and(|newest| newest.generation == generation) {
            let concern = Concern::GenerationRepeated { generation };
            self.report(entry.number, entry.offset, concern);
        }
        count(&mut self.notes);
        self.damage_behind_newest = 0;
        self.newest = Some(LastNote { seq, generation, created_at, kind: record.kind() });
        self.first_line.clear(); // its room serves for the next
        self.first_line.push_str(first_line(text));
    }

    fn report(&mut self, line: u64, offset: Bytes, concern: Concern) {
        if concern.is_fault() && concern.outlasts_repair() {
            count(&mut self.faults_for_good);
        }
        let (findings, left_out) = if concern.is_fault() {
            (&mut self.faults, &mut self.faults_left_out)
        } else {
            (&mut self.remarks, &mut self.remarks_left_out)
        };
        if findings.len() < FINDINGS_MAX {
            findings.push(Finding { line, offset, concern });
        } else {
            count(left_out);
        }
    }
}

fn count(figure: &mut u64) {
    *figure = figure.saturating_add(1);
}

fn first_line(text: &str) -> &str {
    start_of(text.trim_start(), FIRST_LINE_BYTES_MAX).lines().next().unwrap_or_default().trim_end()
}

/// Returns as many whole characters of a text as lie in so many bytes.
fn start_of(text: &str, bytes_max: usize) -> &str {
    let mut ends = (0..=bytes_max.min(text.len())).rev();
    ends.find_map(|end| text.get(..end)).unwrap_or_default()
}
