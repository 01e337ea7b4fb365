//! A log as a plain list of lines: what the histories of the store and of the program are held
//! against.

use graff_notes::{
    log::{Body, Record},
    note::Author,
    store::Appended,
    units::{Bytes, Generation, Seq, Timestamp},
};

use super::notes::now;

/// Whether a line was ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Lf {
    With,
    Without,
}

/// What a line that is not ours is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Scrap {
    /// A whole record, unsealed and without a number.
    Whole(&'static str),
    Torn,
    Junk,
}

/// A record as the list has it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) generation: u64,
    pub(crate) seq: Option<u64>,
    pub(crate) says: Says,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Says {
    Agent(&'static str),
    Mechanical,
    Attempt,
    Rollover,
}

/// The log of a session.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainList {
    pub(crate) is_there: bool,
    lines: Vec<Line>,
    /// What stands behind the last LF.
    open: Vec<Scrap>,
}

#[derive(Clone, Debug)]
enum Line {
    Good(Kept),
    /// No record, but these are whole at its end.
    Bad(Vec<Kept>),
}

/// What a repair comes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Repaired {
    pub(crate) dropped: u64,
    pub(crate) won_back: u64,
}

/// A note that was looked for, and whether one that can't be read may stand behind it.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Found {
    pub(crate) note: Option<Kept>,
    pub(crate) in_doubt: bool,
}

pub(crate) const MECHANICAL: &str = "what the program knows";

impl Says {
    pub(crate) fn text(&self) -> Option<&'static str> {
        match self {
            Self::Agent(text) => Some(text),
            Self::Mechanical => Some(MECHANICAL),
            Self::Attempt | Self::Rollover => None,
        }
    }
}

impl Scrap {
    pub(crate) fn bytes(&self, session: &str) -> Vec<u8> {
        match self {
            Self::Whole(text) => {
                format!(r#"{{"v":1,"session":"{session}","gen":1,"text":"{text}"}}"#).into_bytes()
            }
            Self::Torn => format!(r#"{{"v":1,"session":"{session}","te"#).into_bytes(),
            Self::Junk => b"junk".to_vec(),
        }
    }

    fn kept(&self) -> Option<Kept> {
        let Self::Whole(text) = self else { return None };
        Some(Kept { generation: 1, seq: None, says: Says::Agent(text) })
    }
}

impl Kept {
    pub(crate) fn text(&self) -> Option<&'static str> {
        self.says.text()
    }

    /// The record as it comes from elsewhere.
    pub(crate) fn record(&self) -> Record<'static> {
        let note =
            |text: &'static str, author| Body::Note { text: text.into(), author, cut: Bytes::ZERO };
        Record {
            generation: Generation::new(self.generation),
            created_at: if self.seq.is_some() { now() } else { Timestamp::ZERO },
            seq: self.seq.map(Seq::new),
            body: match self.says {
                Says::Agent(text) => note(text, Author::Agent),
                Says::Mechanical => note(MECHANICAL, Author::Mechanical),
                Says::Attempt => Body::Attempt,
                Says::Rollover => Body::Rollover,
            },
            sealed: false,
        }
    }
}

/// What a line is that is made of `scraps`, and has ended.
fn ended(scraps: &[Scrap]) -> Line {
    if let [whole @ Scrap::Whole(_)] = scraps {
        return Line::Good(whole.kept().expect("it is whole"));
    }
    let mut whole: Vec<_> = scraps.iter().rev().map_while(Scrap::kept).collect();
    whole.reverse();
    Line::Bad(whole)
}

impl PlainList {
    /// The list of a log that holds nothing but these.
    #[cfg(feature = "cli")]
    pub(crate) fn of(records: Vec<Kept>) -> Self {
        let is_there = !records.is_empty();
        Self { is_there, lines: records.into_iter().map(Line::Good).collect(), open: Vec::new() }
    }

    /// Every line, also an open one: the record that it is, or `None`.
    fn entries(&self) -> Vec<Option<Kept>> {
        let record =
            |line: &Line| if let Line::Good(kept) = line { Some(kept.clone()) } else { None };
        let mut entries: Vec<_> = self.lines.iter().map(record).collect();
        match &self.open[..] {
            [] => {}
            [whole @ Scrap::Whole(_)] => entries.push(whole.kept()),
            _ => entries.push(None),
        }
        entries
    }

    pub(crate) fn records(&self) -> Vec<Kept> {
        self.entries().into_iter().flatten().collect()
    }

    #[cfg(feature = "cli")]
    pub(crate) fn notes(&self) -> Vec<Kept> {
        self.records().into_iter().filter(|kept| kept.text().is_some()).collect()
    }

    /// The `nth` note from the end of those that are `wanted`.
    pub(crate) fn last(&self, nth: usize, wanted: impl Fn(&Kept) -> bool) -> Found {
        let entries = self.entries();
        let is_meant = |entry: &Option<Kept>| {
            entry.as_ref().is_some_and(|kept| kept.text().is_some() && wanted(kept))
        };
        let at = (0..entries.len()).rev().filter(|i| is_meant(&entries[*i])).nth(nth);
        let behind = at.map_or(0, |at| at + 1);
        Found {
            note: at.and_then(|at| entries[at].clone()),
            in_doubt: entries[behind..].iter().any(Option::is_none),
        }
    }

    pub(crate) fn newest(&self) -> Found {
        self.last(0, |_| true)
    }

    pub(crate) fn bad_lines(&self) -> u64 {
        self.lines.iter().filter(|line| matches!(line, Line::Bad(_))).count() as u64
    }

    pub(crate) fn is_torn(&self) -> bool {
        !self.open.is_empty() && !self.lacks_lf()
    }

    /// Whether all that its last record lacks is its LF.
    pub(crate) fn lacks_lf(&self) -> bool {
        matches!(self.open[..], [Scrap::Whole(_)])
    }

    pub(crate) fn is_ok(&self) -> bool {
        self.bad_lines() == 0 && !self.is_torn()
    }

    pub(crate) fn has(&self, generation: u64, wanted: fn(&Says) -> bool) -> bool {
        self.records().iter().any(|kept| kept.generation == generation && wanted(&kept.says))
    }

    fn end_line(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.lines.push(ended(&open));
        }
    }

    /// Appends a record of ours, and returns its number.
    pub(crate) fn push(&mut self, generation: u64, says: Says) -> Seq {
        let seq = self.records().iter().rev().find_map(|kept| kept.seq).unwrap_or(0) + 1;
        self.is_there = true;
        self.end_line();
        self.lines.push(Line::Good(Kept { generation, seq: Some(seq), says }));
        Seq::new(seq)
    }

    /// Appends an agent's note, unless the newest says the same.
    pub(crate) fn append(&mut self, generation: u64, text: &'static str) -> Appended {
        let Found { note, in_doubt } = self.newest();
        let is_same = |kept: &Kept| kept.text() == Some(text) && kept.generation == generation;
        match note.filter(is_same).filter(|_| !in_doubt) {
            Some(kept) => Appended::Unchanged(kept.seq.map(Seq::new)),
            None => Appended::Stored(self.push(generation, Says::Agent(text))),
        }
    }

    /// Appends what a program writes that knows no lock.
    pub(crate) fn litter(&mut self, scrap: &Scrap, lf: Lf) {
        self.is_there = true;
        self.open.push(scrap.clone());
        if lf == Lf::With {
            self.end_line();
        }
    }

    /// Takes out what is no record, and puts in what is whole behind it.
    pub(crate) fn repair(&mut self) -> Repaired {
        self.end_line();
        let mut repaired = Repaired { dropped: 0, won_back: 0 };
        for line in std::mem::take(&mut self.lines) {
            match line {
                Line::Good(_) => self.lines.push(line),
                Line::Bad(whole) => {
                    repaired.dropped += 1;
                    repaired.won_back += whole.len() as u64;
                    self.lines.extend(whole.into_iter().map(Line::Good));
                }
            }
        }
        repaired
    }
}
