//! The promise: whatever is done to a session, in whatever order, by a cold store or a kept handle,
//! the log is what a plain list of lines says that it is.
//!
//! Shown by random histories on a disk in memory, held against such a list after every step:
//! records, the newest note, the figures of verify, the answers. A history that fails is shrunk and
//! printed.

use graff_notes::{
    ErrorKind,
    log::Draft,
    note::{NoteCap, NoteText},
    store::{Appended, Import, ImportMode, Latched, Log, RepairMode, Salvaged, Store},
    units::{Generation, Seq},
};
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};

use crate::support::{
    faulty::{Disk, FaultyMedium},
    notes::{LOG, note_of, now, records, s1, store_on},
    plain_list::{Kept, Lf, MECHANICAL, PlainList, Says, Scrap},
    report,
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

/// The store and its model, side by side.
struct Pair {
    medium: FaultyMedium,
    cold: Store,
    kept: Log,
    model: PlainList,
    word: Option<&'static str>,
}

impl Pair {
    fn new() -> Self {
        let medium = FaultyMedium::new(Disk::default());
        let cold = store_on(medium.clone());
        let kept = cold.log(&s1());
        Self { medium, cold, kept, model: PlainList::default(), word: None }
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
                let before = self.word.replace(word).map(|word| word.as_bytes().to_vec());
                let change = |found: Option<Vec<u8>>| {
                    assert_eq!(found, before);
                    Some(word.as_bytes().to_vec())
                };
                self.cold.leave_word(&s1(), change).expect("it can be written");
            }
            Step::Forget => {
                let is_known = self.model.is_there || self.word.is_some();
                let expected = if is_known { Ok(()) } else { Err(ErrorKind::NotFound) };
                assert_eq!(self.cold.forget(&s1()).map_err(|e| e.kind()), expected);
                (self.model, self.word) = (PlainList::default(), None);
            }
        }
    }

    fn append_note(&mut self, via: Via, generation: u64, text: &'static str) {
        let expected = self.model.append(generation, text);
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
        self.model.litter(scrap, lf);
        let mut bytes = scrap.bytes("s1");
        if lf == Lf::With {
            bytes.push(b'\n');
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
        let repaired = repaired.map(|plan| (plan.dropped, plan.won_back));
        let expected = self.model.repair();
        assert_eq!(repaired, Ok((expected.dropped, expected.won_back)));
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
        assert_eq!(word.as_deref(), self.word.map(str::as_bytes));
        if !self.model.is_there {
            let e = self.cold.newest(&s1()).expect_err("it is forgotten, or never was");
            assert_eq!(e.kind(), ErrorKind::NotFound);
            return;
        }
        let found = self.cold.newest(&s1()).expect("a log");
        let newest = self.model.newest();
        assert_eq!(
            found.note.map(|n| (n.seq.map(Seq::get), n.generation.get(), n.text)),
            newest.note.as_ref().map(|n| (n.seq, n.generation, said(n)))
        );
        assert_eq!(found.doubt.is_some(), newest.in_doubt);
        let health = self.cold.verify(&s1()).expect("a log");
        assert_eq!(health.bad_lines, self.model.bad_lines());
        assert_eq!(health.torn_tail, self.model.is_torn());
        assert_eq!(health.final_newline_missing, self.model.lacks_lf());
        assert_eq!(health.is_ok(), self.model.is_ok());
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

/// How many histories are tried.
const HISTORIES: u32 = 256;

#[test]
fn any_history_reads_as_a_plain_list_of_lines_says() {
    let seed = std::env::var("MODEL_SEED").unwrap_or_else(|_| "20261130".to_owned());
    let seed: u64 = seed.parse().expect("MODEL_SEED is a number");
    report(format_args!(
        "model of the library: {HISTORIES} histories from seed {seed} (set MODEL_SEED for another)"
    ));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config { cases: HISTORIES, failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
        .run(&prop::collection::vec(steps(), 1..40), |history| {
            let mut pair = Pair::new();
            for step in &history {
                pair.step(step);
                pair.check();
            }
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
}
