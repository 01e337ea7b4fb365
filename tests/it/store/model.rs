//! The promise: whatever is done to a session, in whatever order, by a cold store or a kept handle, the
//! log is what a plain list of lines says that it is.
//!
//! Shown by random histories on a disk in memory, held against such a list after every step: records,
//! the newest note, the figures of verify, the answers. A history that fails is shrunk and printed.

use graff_notes::{
    ErrorKind,
    log::{Body, Draft, Record},
    note::{Author, NoteCap, NoteText},
    store::{Appended, Import, ImportMode, Latched, Log, RepairMode, Salvaged, Store},
    units::{Bytes, Generation, Seq, Timestamp},
};
use proptest::prelude::*;

use crate::support::{
    faulty::{Disk, FaultyMedium},
    notes::{LOG, note_of, now, records, s1, store_on},
};

/// What is done.
#[derive(Clone, Debug)]
enum Step {
    Append(Via, u64, &'static str),
    Latch(Via, u64),
    Salvage(Via, u64),
    Rollover(Via, u64),
    /// A program that knows no lock appends this.
    Foreign(Scrap, Lf),
    Repair,
    /// All that is here comes from elsewhere, and a note more.
    ImportMore(u64),
    /// What comes from elsewhere is another history.
    ImportOther,
    LeaveWord(&'static str),
    Forget,
}

/// By whom.
#[derive(Clone, Copy, Debug)]
enum Via {
    Cold,
    Kept,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lf {
    With,
    Without,
}

/// What a line that is not ours is made of.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Scrap {
    /// A whole record, unsealed and without a number.
    Whole(&'static str),
    Torn,
    Junk,
}

/// A record as the list has it.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Kept {
    generation: u64,
    seq: Option<u64>,
    says: Says,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Says {
    Agent(&'static str),
    Mechanical,
    Attempt,
    Rollover,
}

/// The log, as a plain list.
#[derive(Debug, Default)]
struct Model {
    is_there: bool,
    lines: Vec<Line>,
    /// What stands behind the last LF.
    open: Vec<Scrap>,
    word: Option<&'static str>,
}

#[derive(Debug)]
enum Line {
    Good(Kept),
    /// No record, but these are whole at its end.
    Bad(Vec<Kept>),
}

impl Says {
    fn text(&self) -> Option<&'static str> {
        match self {
            Self::Agent(text) => Some(text),
            Self::Mechanical => Some(MECHANICAL),
            Self::Attempt | Self::Rollover => None,
        }
    }
}

const MECHANICAL: &str = "what the program knows";

impl Scrap {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Whole(text) => {
                format!(r#"{{"v":1,"session":"s1","gen":1,"text":"{text}"}}"#).into_bytes()
            }
            Self::Torn => br#"{"v":1,"session":"s1","te"#.to_vec(),
            Self::Junk => b"junk".to_vec(),
        }
    }

    fn kept(&self) -> Option<Kept> {
        let Self::Whole(text) = self else { return None };
        Some(Kept { generation: 1, seq: None, says: Says::Agent(text) })
    }
}

impl Kept {
    /// The record as it comes from elsewhere.
    fn record(&self) -> Record<'static> {
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
    if let [Scrap::Whole(_)] = scraps {
        return Line::Good(scraps[0].kept().expect("it is whole"));
    }
    let mut whole: Vec<_> = scraps.iter().rev().map_while(Scrap::kept).collect();
    whole.reverse();
    Line::Bad(whole)
}

impl Model {
    fn records(&self) -> Vec<Kept> {
        let good =
            |line: &Line| if let Line::Good(kept) = line { Some(kept.clone()) } else { None };
        let mut records: Vec<_> = self.lines.iter().filter_map(good).collect();
        if let [whole @ Scrap::Whole(_)] = &self.open[..] {
            records.extend(whole.kept());
        }
        records
    }

    fn is_torn(&self) -> bool {
        !matches!(self.open[..], [] | [Scrap::Whole(_)])
    }

    /// Whether something that cannot be read stands behind the newest note.
    fn is_in_doubt(&self) -> bool {
        let is_note = |line: &Line| matches!(line, Line::Good(kept) if kept.says.text().is_some());
        let behind = self.lines.iter().rev().take_while(|line| !is_note(line));
        let behind_is_bad = behind.into_iter().any(|line| matches!(line, Line::Bad(_)));
        self.is_torn() || self.open.is_empty() && behind_is_bad
    }

    fn end_line(&mut self) {
        let open = std::mem::take(&mut self.open);
        if !open.is_empty() {
            self.lines.push(ended(&open));
        }
    }

    /// Appends a record of ours, and returns its number.
    fn push(&mut self, generation: u64, says: Says) -> Seq {
        let seq = self.records().iter().rev().find_map(|kept| kept.seq).unwrap_or(0) + 1;
        self.is_there = true;
        self.end_line();
        self.lines.push(Line::Good(Kept { generation, seq: Some(seq), says }));
        Seq::new(seq)
    }

    fn has(&self, generation: u64, wanted: fn(&Says) -> bool) -> bool {
        self.records().iter().any(|kept| kept.generation == generation && wanted(&kept.says))
    }
}

/// The store and its model, side by side.
struct Pair {
    medium: FaultyMedium,
    cold: Store,
    kept: Log,
    model: Model,
}

impl Pair {
    fn new() -> Self {
        let medium = FaultyMedium::new(Disk::default());
        let cold = store_on(medium.clone());
        let kept = cold.log(&s1());
        Self { medium, cold, kept, model: Model::default() }
    }

    fn append(&self, via: Via, draft: &Draft) -> Appended {
        match via {
            Via::Cold => self.cold.append(&s1(), draft),
            Via::Kept => self.kept.append(draft),
        }
        .expect("it can be written")
    }

    fn step(&mut self, step: &Step) {
        match step {
            Step::Append(via, generation, text) => self.append_note(*via, *generation, text),
            Step::Latch(via, generation) => self.latch(*via, *generation),
            Step::Salvage(via, generation) => self.salvage(*via, *generation),
            Step::Rollover(via, generation) => {
                let (created_at, new) = (now(), Generation::new(*generation));
                let draft = Draft::Rollover { generation: new, created_at };
                let seq = self.model.push(*generation, Says::Rollover);
                assert_eq!(self.append(*via, &draft), Appended::Stored(seq));
            }
            Step::Foreign(scrap, lf) => self.foreign(scrap, *lf),
            Step::Repair => self.repair(),
            Step::ImportMore(generation) => self.import_more(*generation),
            Step::ImportOther => self.import_other(),
            Step::LeaveWord(word) => {
                let before = self.model.word.replace(word).map(|word| word.as_bytes().to_vec());
                let change = |found: Option<Vec<u8>>| {
                    assert_eq!(found, before);
                    Some(word.as_bytes().to_vec())
                };
                self.cold.leave_word(&s1(), change).expect("it can be written");
            }
            Step::Forget => {
                let is_known = self.model.is_there || self.model.word.is_some();
                let expected = if is_known { Ok(()) } else { Err(ErrorKind::NotFound) };
                assert_eq!(self.cold.forget(&s1()).map_err(|e| e.kind()), expected);
                self.model = Model::default();
            }
        }
    }

    fn append_note(&mut self, via: Via, generation: u64, text: &'static str) {
        let newest = self.model.records().into_iter().rfind(|kept| kept.says.text().is_some());
        let same = newest
            .filter(|kept| kept.says.text() == Some(text) && kept.generation == generation)
            .filter(|_| !self.model.is_in_doubt());
        let expected = match same {
            Some(kept) => Appended::Unchanged(kept.seq.map(Seq::new)),
            None => Appended::Stored(self.model.push(generation, Says::Agent(text))),
        };
        assert_eq!(self.append(via, &note_of(generation, text)), expected);
    }

    fn latch(&mut self, via: Via, generation: u64) {
        let latches = |says: &Says| matches!(says, Says::Agent(_) | Says::Attempt);
        let expected = if self.model.has(generation, latches) {
            Latched::Taken
        } else {
            Latched::Latched(self.model.push(generation, Says::Attempt))
        };
        let answer = match via {
            Via::Cold => self.cold.latch(&s1(), Generation::new(generation), now()),
            Via::Kept => self.kept.latch(Generation::new(generation), now()),
        };
        assert_eq!(answer.expect("it can be written"), expected);
    }

    fn salvage(&mut self, via: Via, generation: u64) {
        let expected = if self.model.has(generation, |says| says.text().is_some()) {
            Salvaged::AlreadyNoted
        } else {
            Salvaged::Stored(self.model.push(generation, Says::Mechanical))
        };
        let fitted = NoteText::fit(MECHANICAL, NoteCap::default()).expect("a text");
        let salvaged = match via {
            Via::Cold => self.cold.salvage(&s1(), fitted, Generation::new(generation), now()),
            Via::Kept => self.kept.salvage(fitted, Generation::new(generation), now()),
        };
        assert_eq!(salvaged.expect("it can be written"), expected);
    }

    fn foreign(&mut self, scrap: &Scrap, lf: Lf) {
        let mut bytes = scrap.bytes();
        self.model.is_there = true;
        self.model.open.push(scrap.clone());
        if lf == Lf::With {
            bytes.push(b'\n');
            self.model.end_line();
        }
        let is_there = self.medium.live().contains_key(LOG);
        self.medium.change(|disk| {
            if is_there {
                disk.append_durably(LOG, &bytes);
            } else {
                disk.make_undurably(LOG, &bytes);
            }
        });
    }

    fn repair(&mut self) {
        let repaired = self.cold.repair(&s1(), RepairMode::Write).map_err(|e| e.kind());
        if !self.model.is_there {
            assert_eq!(repaired, Err(ErrorKind::NotFound));
            return;
        }
        self.model.end_line();
        let (mut dropped, mut lines) = (0, Vec::new());
        for line in self.model.lines.drain(..) {
            match line {
                Line::Good(kept) => lines.push(Line::Good(kept)),
                Line::Bad(whole) => {
                    dropped += 1;
                    lines.extend(whole.into_iter().map(Line::Good));
                }
            }
        }
        self.model.lines = lines;
        assert_eq!(repaired.map(|plan| plan.dropped), Ok(dropped));
    }

    fn import(&self, theirs: &[Kept]) -> Import {
        let records: Vec<_> = theirs.iter().map(Kept::record).collect();
        self.cold.import(&s1(), &records, ImportMode::Write).expect("it can be written")
    }

    fn import_more(&mut self, generation: u64) {
        let had = self.model.records().len() as u64;
        self.model.push(generation, Says::Agent("of elsewhere"));
        let theirs = self.model.records();
        assert_eq!(self.import(&theirs), Import::Added { had, added: 1 });
        assert_eq!(self.import(&theirs), Import::Nothing { had: had + 1 });
    }

    fn import_other(&mut self) {
        let theirs = [Kept { generation: 3, seq: Some(1), says: Says::Agent("another history") }];
        let here = self.model.records();
        let had = here.len() as u64;
        let expected = match here.first() {
            None => {
                self.model.push(3, Says::Agent("another history"));
                Import::Added { had, added: 1 }
            }
            Some(first) if *first == theirs[0] => Import::Nothing { had },
            Some(_) => Import::Parted { common: 0 },
        };
        assert_eq!(self.import(&theirs), expected);
    }

    /// Checks that what is read is what the list says.
    fn check(&self) {
        let expected = self.model.records();
        let said = |kept: &Kept| match &kept.says {
            Says::Attempt => format!("attempt {}", kept.generation),
            Says::Rollover => format!("rollover {}", kept.generation),
            says => says.text().expect("a note").to_owned(),
        };
        assert_eq!(records(&self.cold), expected.iter().map(said).collect::<Vec<_>>());
        let word = self.cold.word(&s1()).expect("it can be read");
        assert_eq!(word.as_deref(), self.model.word.map(str::as_bytes));
        if !self.model.is_there {
            let e = self.cold.newest(&s1()).expect_err("it is forgotten, or never was");
            assert_eq!(e.kind(), ErrorKind::NotFound);
            return;
        }
        let found = self.cold.newest(&s1()).expect("a log");
        let note = expected.iter().rfind(|kept| kept.says.text().is_some());
        assert_eq!(
            found.note.map(|n| (n.seq.map(Seq::get), n.generation.get(), n.text)),
            note.map(|n| (n.seq, n.generation, said(n)))
        );
        assert_eq!(found.doubt.is_some(), self.model.is_in_doubt());
        let health = self.cold.verify(&s1()).expect("a log");
        let bad = self.model.lines.iter().filter(|line| matches!(line, Line::Bad(_))).count();
        let is_open = !self.model.open.is_empty();
        assert_eq!(health.bad_lines, bad as u64);
        assert_eq!(health.torn_tail, self.model.is_torn());
        assert_eq!(health.final_newline_missing, is_open && !self.model.is_torn());
        assert_eq!(health.is_ok(), bad == 0 && !self.model.is_torn());
    }
}

fn steps() -> impl Strategy<Value = Step> {
    let via = || prop_oneof![Just(Via::Cold), Just(Via::Kept)];
    let text = || prop::sample::select(vec!["red", "blue: \"☃\"\n\t", "{\"v\":1,"]);
    let scrap = prop_oneof![
        prop::sample::select(vec!["theirs", "theirs too"]).prop_map(Scrap::Whole),
        Just(Scrap::Torn),
        Just(Scrap::Junk),
    ];
    let lf = prop_oneof![Just(Lf::With), Just(Lf::Without)];
    prop_oneof![
        6 => (via(), 0_u64..4, text()).prop_map(|(via, g, text)| Step::Append(via, g, text)),
        2 => (via(), 0_u64..4).prop_map(|(via, g)| Step::Latch(via, g)),
        2 => (via(), 0_u64..4).prop_map(|(via, g)| Step::Salvage(via, g)),
        1 => (via(), 0_u64..4).prop_map(|(via, g)| Step::Rollover(via, g)),
        4 => (scrap, lf).prop_map(|(scrap, lf)| Step::Foreign(scrap, lf)),
        2 => Just(Step::Repair),
        1 => (0_u64..4).prop_map(Step::ImportMore),
        1 => Just(Step::ImportOther),
        1 => prop::sample::select(vec!["word", "another"]).prop_map(Step::LeaveWord),
        1 => Just(Step::Forget),
    ]
}

proptest! {
    #[test]
    fn any_history_reads_as_a_plain_list_of_lines_says(
        history in prop::collection::vec(steps(), 1..40),
    ) {
        let mut pair = Pair::new();
        for step in &history {
            pair.step(step);
            pair.check();
        }
    }
}
