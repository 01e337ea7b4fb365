//! What the notes of many sessions add up to.

use std::collections::HashMap;

use graff_notes::{
    log::{Body, Entry, Line, Record, Tail},
    note::Author,
    units::{Bytes, Generation, Timestamp},
};

/// The figures of one log, or of many.
#[derive(Debug, Default)]
pub(crate) struct Totals {
    pub(crate) mechanical: u64,
    pub(crate) attempts: u64,
    /// Attempts whose generation got no note of the agent after them.
    pub(crate) attempts_without_note: u64,
    pub(crate) rollovers: u64,
    pub(crate) cut_notes: u64,
    pub(crate) cut_bytes: u64,
    /// Lines that are no readable record of their session, a torn tail included.
    pub(crate) unreadable_lines: u64,
    pub(crate) log_bytes: u64,
    /// When each note was stored; zero where that is not on record.
    pub(crate) times: Vec<Timestamp>,
    /// How long each note is.
    pub(crate) sizes: Vec<Bytes>,
    /// The attempts of each generation that may still get a note.
    open: HashMap<Generation, u64>,
}

impl Totals {
    /// Adds an entry of a log, if `wanted` says so of its time.
    pub(crate) fn see(&mut self, entry: &Entry<'_>, wanted: impl Fn(Timestamp) -> bool) {
        self.log_bytes = entry.offset.saturating_add(entry.length).get();
        match &entry.line {
            Line::Record(record) => {
                // It closes its attempt whether or not it is of the time that is asked about.
                if is_agents_note(record) {
                    self.open.remove(&record.generation);
                }
                if wanted(record.created_at) {
                    self.count(record);
                }
            }
            Line::Blank => {}
            Line::Foreign { .. } | Line::Newer | Line::Bad(_) => self.unreadable_lines += 1,
        }
    }

    /// Adds the end of a log.
    pub(crate) fn end(&mut self, tail: Tail) {
        if let Tail::Torn { length, .. } = tail {
            self.unreadable_lines += 1;
            self.log_bytes = self.log_bytes.saturating_add(length.get());
        }
        self.attempts_without_note = self.open.drain().map(|(_, attempts)| attempts).sum();
    }

    /// Adds the figures of another log, which has ended as this one has.
    pub(crate) fn add(&mut self, other: Self) {
        self.mechanical += other.mechanical;
        self.attempts += other.attempts;
        self.attempts_without_note += other.attempts_without_note;
        self.rollovers += other.rollovers;
        self.cut_notes += other.cut_notes;
        self.cut_bytes = self.cut_bytes.saturating_add(other.cut_bytes);
        self.unreadable_lines += other.unreadable_lines;
        self.log_bytes = self.log_bytes.saturating_add(other.log_bytes);
        self.times.extend(other.times);
        self.sizes.extend(other.sizes);
    }

    /// Returns how many notes there are, of any author.
    pub(crate) fn notes(&self) -> u64 {
        self.sizes.len() as u64
    }

    fn count(&mut self, record: &Record<'_>) {
        match &record.body {
            Body::Attempt => {
                self.attempts += 1;
                *self.open.entry(record.generation).or_default() += 1;
            }
            Body::Rollover => self.rollovers += 1,
            Body::Note { text, author, cut } => {
                self.mechanical += u64::from(*author == Author::Mechanical);
                self.cut_notes += u64::from(*cut > Bytes::ZERO);
                self.cut_bytes = self.cut_bytes.saturating_add(cut.get());
                self.times.push(record.created_at);
                self.sizes.push(Bytes::of(text));
            }
        }
    }
}

fn is_agents_note(record: &Record<'_>) -> bool {
    matches!(record.body, Body::Note { author: Author::Agent, .. })
}
