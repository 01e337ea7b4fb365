//! Reads a transcript as a stream, and tells what it comes to.

use crate::{
    facts::Facts,
    units::{Bytes, Tokens},
    usage::{Reading, Report, Unusable},
};

use super::{
    account::Account,
    form::{Dialect, Form},
    lines::{Cut, RECORD_BYTES_MAX, Splitter},
    text::mend,
};

/// A reader of the transcript of an existing agent: bytes go in, a [`Transcript`] comes out.
///
/// It takes pieces of any size, cut anywhere, and holds no more than one record of at most 8 MiB
/// and the [`Facts`], however long the transcript is. A clone of it goes on by itself, so that one
/// can ask what the transcript comes to so far. A record that is damaged or too long costs
/// itself and is counted. Only the reading of the last request doesn't survive one that stands
/// behind it, since that may have been a later response: no reading is better than an old one.
///
/// # Examples
///
/// ```
/// use graff_notes::{host::transcript::{Form, TranscriptReader}, units::Tokens};
///
/// let mut reader = TranscriptReader::new();
/// reader.push(br#"{"role":"user","content":"fix the pars"#);
/// reader.push(br#"er"}
/// not json
/// {"role":"assistant","content":"on it","usage":{"input_tokens":900,"output_tokens":4}}
/// "#);
/// let transcript = reader.finish();
///
/// assert_eq!(transcript.form, Some(Form::Plain));
/// assert_eq!(transcript.facts.request(), Some("fix the parser"));
/// assert_eq!(transcript.usage?.input(Tokens::ZERO)?, Tokens::new(900));
/// assert_eq!((transcript.records, transcript.bad_records), (3, 1));
/// # Ok::<(), graff_notes::usage::Unusable>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct TranscriptReader {
    splitter: Splitter,
    reading: InProgress,
}

/// What a transcript comes to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Transcript {
    /// Its form, or `None` where no record is in any of the known ones.
    pub form: Option<Form>,
    /// The agent's own name for the session.
    pub session: Option<String>,
    /// The folder that the session was started in.
    pub cwd: Option<String>,
    /// The model's context window, where it is stated.
    pub window: Option<Tokens>,
    /// How many times the history was rewritten by a summary.
    pub compactions: u64,
    /// What the provider reported with the last response; unknown where a compaction or a damaged
    /// record stands behind it.
    pub usage: Result<Report, Unusable>,
    /// What the history weighs that has been live since the last compaction.
    pub pressure: Bytes,
    /// What can be said of the session without a model.
    pub facts: Facts,
    /// How many records there are, blank lines not counted.
    pub records: u64,
    /// How many of them are damaged or too long.
    pub bad_records: u64,
}

#[derive(Clone, Debug, Default)]
struct InProgress {
    dialect: Option<Dialect>,
    account: Account,
    records: u64,
    bad_records: u64,
}

impl TranscriptReader {
    /// Returns a reader that has seen nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Takes the next piece of the transcript, cut anywhere.
    pub fn push(&mut self, piece: &[u8]) {
        let Self { splitter, reading } = self;
        splitter.push(piece, |cut| reading.take(cut));
    }

    /// Takes a line, for a caller that has the transcript in lines; it must not have pushed a
    /// part of one before.
    pub fn feed(&mut self, line: &[u8]) {
        let too_long = line.len() > RECORD_BYTES_MAX;
        self.reading.take(if too_long { Cut::TooLong } else { Cut::Record(line) });
    }

    /// Returns what the transcript comes to. A last line without an end counts where it is whole.
    #[must_use]
    pub fn finish(mut self) -> Transcript {
        let Self { splitter, reading } = &mut self;
        splitter.finish(|cut| reading.take(cut));
        self.reading.into_transcript()
    }
}

impl Transcript {
    /// Returns how large the history is: what the provider reported, as far as a model of `window`
    /// (zero where it is unknown) can have answered it, else what the history weighs.
    #[must_use]
    pub fn reading(&self, window: Tokens) -> Reading {
        match self.usage.and_then(|report| report.input(window)) {
            Ok(tokens) => Reading::Measured { tokens },
            Err(_) => Reading::Pressure { bytes: self.pressure },
        }
    }
}

impl InProgress {
    fn take(&mut self, cut: Cut<'_>) {
        let Cut::Record(record) = cut else { return self.lose() };
        let record = record.trim_ascii();
        if record.is_empty() {
            return;
        }
        if !record.starts_with(b"{") {
            // What doesn't even begin like a record was no response.
            self.count_bad();
        } else if self.read(record).is_some() {
            self.records += 1;
        } else {
            self.lose();
        }
    }

    fn read(&mut self, record: &[u8]) -> Option<()> {
        let record = str::from_utf8(record).ok()?;
        let read = self.read_json(record);
        read.or_else(|_| self.read_json(&mend(record))).ok()
    }

    /// Takes up a record, or takes nothing of it where it is no JSON.
    fn read_json(&mut self, record: &str) -> serde_json::Result<()> {
        if self.dialect.is_none() {
            self.dialect = Dialect::of(record)?;
        }
        match &mut self.dialect {
            Some(dialect) => dialect.take(record, &mut self.account),
            None => Ok(()),
        }
    }

    fn count_bad(&mut self) {
        self.records += 1;
        self.bad_records += 1;
    }

    fn lose(&mut self) {
        self.count_bad();
        self.account.lost_a_record();
    }

    fn into_transcript(self) -> Transcript {
        let usage = self.account.report();
        let Account { session, cwd, window, compactions, pressure, facts, .. } = self.account;
        Transcript {
            form: self.dialect.as_ref().map(Dialect::form),
            session,
            cwd,
            window,
            compactions,
            usage,
            pressure,
            facts,
            records: self.records,
            bad_records: self.bad_records,
        }
    }
}
