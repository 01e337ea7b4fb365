//! Whatever is done to two sessions by runs of the program, in whatever order, and by programs that
//! know no lock, every answer in JSON is what two plain lists say.
//!
//! Shown by random histories from a seed that is printed; one that fails is shrunk and printed.

mod carried;
mod steps;

use std::{fs::OpenOptions, io::Write as _};

use graff_notes::store::Appended;
use proptest::{
    prelude::*,
    test_runner::{Config, RngAlgorithm, TestRng, TestRunner},
};
use serde_json::{Value, json};

use steps::{Step, Which, steps};

use crate::support::{
    plain_list::{Found, Kept, Lf, PlainList, Says, Scrap},
    report,
    world::{Ran, World},
};

const NAMES: [&str; 2] = ["a b", "s1"];

const DAMAGE: i32 = 5;
const NOTHING_THERE: i32 = 3;

/// The folder that the program works in, and what should be there.
struct Pair {
    world: World,
    lists: [PlainList; 2],
}

impl Pair {
    fn run(&self, args: &[&str]) -> Ran {
        self.world.run(&[args, &["--json"]].concat())
    }

    fn step(&mut self, of: usize, step: &Step) {
        let name = NAMES[of];
        match step {
            Step::Write(generation, text) => self.write(of, *generation, text),
            Step::WriteNothing => {
                self.world.fed(" \n\t", &["write", name, "--json"]).ends(2);
            }
            Step::Litter(scrap, lf) => self.litter(of, scrap, *lf),
            Step::Show(which) => self.show(of, *which),
            Step::Log => self.log(of),
            Step::Verify => self.verify(of),
            Step::RepairDry => {
                let mut would_be = self.lists[of].clone();
                let is_clean = would_be.is_ok() && !would_be.lacks_lf();
                let status = if is_clean { 0 } else { DAMAGE };
                self.repair(of, &["repair", name], status, &mut would_be);
            }
            Step::Repair => {
                let mut list = self.lists[of].clone();
                self.repair(of, &["repair", name, "--write"], 0, &mut list);
                self.lists[of] = list;
            }
            Step::Forget => {
                let ran = self.run(&["forget", name, "--yes"]);
                if self.is_there(of, ran).is_some() {
                    self.lists[of] = PlainList::default();
                }
            }
            Step::Carry => self.carry(of),
            Step::ImportMore(generation, says) => self.import_more(of, *generation, says),
            Step::ImportOther => self.import_other(of),
            Step::Splice(base) => self.splice(of, base),
            Step::Search(text) => self.search(text),
            Step::List => self.list(),
        }
    }

    /// What was run on a session, if it is there; else it must have said that it is not.
    fn is_there(&self, of: usize, ran: Ran) -> Option<Ran> {
        if self.lists[of].is_there {
            return Some(ran);
        }
        assert_eq!(ran.ends(NOTHING_THERE).said("error")["kind"], "not_found");
        None
    }

    fn write(&mut self, of: usize, generation: Option<u64>, text: &'static str) {
        let records = self.lists[of].records();
        let going_on = records.iter().map(|kept| kept.generation).max().unwrap_or(0);
        let given = generation.map(|generation| format!("--generation={generation}"));
        let args: Vec<_> =
            ["write", NAMES[of], "--json"].into_iter().chain(given.as_deref()).collect();
        let answer = self.world.fed(text, &args).ends(0).json();
        let generation = generation.unwrap_or(going_on);
        let (outcome, seq) = match self.lists[of].append(generation, text) {
            Appended::Stored(seq) => ("stored", Some(seq)),
            Appended::Unchanged(seq) => ("unchanged", seq),
        };
        let expected = json!({
            "session": NAMES[of], "seq": seq, "gen": generation, "outcome": outcome, "cut": 0
        });
        assert_eq!(answer, expected);
    }

    fn litter(&mut self, of: usize, scrap: &Scrap, lf: Lf) {
        let mut bytes = scrap.bytes(NAMES[of]);
        if lf == Lf::With {
            bytes.push(b'\n');
        }
        if !self.lists[of].is_there {
            self.world.put(NAMES[of], "");
        }
        let log = OpenOptions::new().append(true).open(self.world.log(NAMES[of]));
        log.and_then(|mut log| log.write_all(&bytes)).expect("it can be written to");
        self.lists[of].litter(scrap, lf);
    }

    fn show(&self, of: usize, which: Which) {
        let list = &self.lists[of];
        let (which, expected) = match which {
            Which::Newest => (None, list.newest()),
            Which::Previous => (Some("--previous".to_owned()), list.last(1, |_| true)),
            Which::Seq(seq) => {
                let Found { note, in_doubt } = list.last(0, |kept| kept.seq == Some(seq));
                let in_doubt = in_doubt && note.is_none(); // a number is given once
                (Some(format!("--seq={seq}")), Found { note, in_doubt })
            }
            Which::Generation(wanted) => {
                let found = list.last(0, |kept| kept.generation == wanted);
                (Some(format!("--gen={wanted}")), found)
            }
        };
        let args: Vec<_> = ["show", NAMES[of]].into_iter().chain(which.as_deref()).collect();
        let Some(ran) = self.is_there(of, self.run(&args)) else { return };
        match expected {
            Found { note: Some(note), in_doubt } => {
                let answer = ran.ends(0).json();
                assert_eq!(record(&answer), said(&note));
                assert_eq!(answer["doubt"].is_object(), in_doubt, "{answer}");
            }
            Found { note: None, in_doubt } => {
                ran.ends(if in_doubt { DAMAGE } else { NOTHING_THERE });
            }
        }
    }

    fn log(&self, of: usize) {
        let list = &self.lists[of];
        let Some(ran) = self.is_there(of, self.run(&["log", NAMES[of]])) else { return };
        let expected: Vec<_> = list.records().iter().map(said).collect();
        let is_fine = !expected.is_empty() || list.is_ok();
        let ran = ran.ends(if is_fine { 0 } else { DAMAGE });
        assert_eq!(ran.answers().iter().map(record).collect::<Vec<_>>(), expected);
    }

    fn verify(&self, of: usize) {
        let list = &self.lists[of];
        let Some(ran) = self.is_there(of, self.run(&["verify", NAMES[of]])) else { return };
        let answer = ran.ends(if list.is_ok() { 0 } else { DAMAGE }).json();
        let newest = list.newest().note;
        let expected = json!([
            NAMES[of],
            list.notes().len(),
            list.bad_lines(),
            list.is_torn(),
            list.lacks_lf(),
            newest.as_ref().map(|note| (note.seq, note.generation)),
            list.is_ok(),
        ]);
        let newest = Some(&answer["newest"]).filter(|newest| newest.is_object());
        let found = json!([
            answer["session"],
            answer["notes"],
            answer["bad_lines"],
            answer["torn_tail"],
            answer["final_newline_missing"],
            newest.map(|newest| (&newest["seq"], &newest["gen"])),
            answer["ok"],
        ]);
        assert_eq!(found, expected, "{answer}");
    }

    /// Repairs, or plans it, and makes `list` what it comes to.
    fn repair(&self, of: usize, args: &[&str], status: i32, list: &mut PlainList) {
        let ran = self.run(args);
        let Some(ran) = self.is_there(of, ran) else { return };
        let (kept, lacks_lf) = (list.records().len(), list.lacks_lf());
        let repaired = list.repair();
        let answer = ran.ends(status).json();
        let found = ["kept", "won_back", "dropped", "final_newline_supplied", "clean"];
        let expected = json!([
            kept,
            repaired.won_back,
            repaired.dropped,
            lacks_lf,
            repaired.dropped == 0 && !lacks_lf,
        ]);
        assert_eq!(json!(found.map(|field| &answer[field])), expected, "{answer}");
    }

    fn splice(&self, of: usize, base: &str) {
        let Found { note, in_doubt } = self.lists[of].newest();
        let ran = self.world.fed(base, &["splice", NAMES[of], "--json"]);
        // A record that was never finished is none that anybody was told of.
        let may_lack_one = note.is_none() && in_doubt && !self.lists[of].is_torn();
        let ran = ran.ends(if may_lack_one { DAMAGE } else { 0 });
        let answer = ran.json();
        assert_eq!(answer["doubt"].is_object(), in_doubt, "{answer}");
        let prompt = answer["prompt"].as_str().expect("a prompt");
        let Some(note) = note else {
            return assert_eq!((prompt, &answer["note"]), (base, &Value::Null));
        };
        assert_eq!(answer["note"], json!({"seq": note.seq, "gen": note.generation, "left_out": 0}));
        let fed = |args: &[&str]| self.world.fed(prompt, args).ends(0).json();
        assert_eq!(fed(&["splice", "--extract", "--json"])["note"], json!(note.text()));
        assert_eq!(fed(&["splice", "--strip", "--json"])["prompt"], base);
        assert_eq!(fed(&["splice", NAMES[of], "--check", "--json"])["check"], "current");
    }

    fn search(&self, text: &str) {
        let of_list = |(name, list): (&'static str, &PlainList)| {
            let has = |kept: &Kept| kept.text().is_some_and(|said| said.contains(text));
            let found = list.notes().into_iter().filter(has);
            found.map(|kept| json!([name, kept.seq])).collect::<Vec<_>>()
        };
        let expected: Vec<_> = NAMES.into_iter().zip(&self.lists).flat_map(of_list).collect();
        let status = if expected.is_empty() { NOTHING_THERE } else { 0 };
        let found = self.run(&["search", text]).ends(status).answers();
        let found: Vec<_> = found.iter().map(|f| json!([f["session"], f["seq"]])).collect();
        assert_eq!(found, expected);
    }

    fn list(&self) {
        let there = NAMES.into_iter().zip(&self.lists).filter(|(_, list)| list.is_there);
        let of_list = |(name, list): (&str, &PlainList)| {
            let attempts = list.records().iter().filter(|k| k.says == Says::Attempt).count();
            let health = if list.is_ok() { "ok" } else { "damaged" };
            json!([name, list.notes().len(), attempts, health])
        };
        let expected: Vec<_> = there.map(of_list).collect();
        let answers = self.run(&["list"]).ends(0).answers();
        let fields = ["session", "notes", "attempts", "health"];
        let found: Vec<_> = answers.iter().map(|a| json!(fields.map(|field| &a[field]))).collect();
        assert_eq!(found, expected);
    }
}

/// How many histories are tried: each of about twenty steps, most of them a run or two.
const HISTORIES: u32 = 40;

/// What an answer says of a record, as far as the list knows.
fn record(answer: &Value) -> Value {
    json!(["seq", "gen", "kind", "text"].map(|field| &answer[field]))
}

/// The same of a record of the list.
fn said(kept: &Kept) -> Value {
    let kind = match kept.says {
        Says::Agent(_) => "note",
        Says::Mechanical => "mechanical",
        Says::Attempt => "attempt",
        Says::Rollover => "rollover",
    };
    json!([kept.seq, kept.generation, kind, kept.text()])
}

fn runs_as_the_lists_say(history: &[(usize, Step)]) {
    let mut pair = Pair { world: World::new(), lists: Default::default() };
    for (of, step) in history {
        pair.step(*of, step);
    }
    for of in [0, 1] {
        pair.log(of);
        pair.verify(of);
    }
}

#[test]
fn any_history_of_runs_answers_as_plain_lists_say() {
    let seed = std::env::var("MODEL_SEED").unwrap_or_else(|_| "20261130".to_owned());
    let seed: u64 = seed.parse().expect("MODEL_SEED is a number");
    report(format_args!(
        "model: {HISTORIES} histories from seed {seed} (set MODEL_SEED for another)"
    ));
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    let config = Config {
        cases: HISTORIES,
        failure_persistence: None,
        max_shrink_iters: 400,
        ..Config::default()
    };
    let histories = prop::collection::vec((0_usize..2, steps()), 1..40);
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
        .run(&histories, |history| {
            runs_as_the_lists_say(&history);
            Ok(())
        })
        .unwrap_or_else(|failure| panic!("seed {seed}: {failure}"));
}
