//! The promise: a host that goes by the notebook gets at most one attempt a generation, pays for it
//! before it asks, and has the newest note back in every prompt, byte for byte.
//!
//! Shown by walking through sessions as sync and async hosts do, on a store in a folder of the
//! test's own; and each decision is traced with the figures that led to it, as a subscriber sees
//! it.

mod awaits;
mod traced;

use std::sync::Arc;

use graff_notes::{
    Notebook,
    budget::{Call, RunPool},
    gate::{self, Boundary, Outcome, Refusal, Situation, Verdict},
    note::{Author, NoteCap, NoteText},
    notebook::{Answer, Attempt, Settings, Spent},
    prompt,
    store::Store,
    units::{Calls, Generation, Timestamp, Tokens},
};

const WINDOW: Tokens = Tokens::new(200_000);
const NOTE: &str = "Subgoal: src/parse.rs:88 still drops the CR.\n\tDead end: regex. \u{1F980}";

/// A root folder, and the sessions of agents that run in it.
struct Project {
    _folder: tempfile::TempDir,
    store: Store,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = camino::Utf8Path::from_path(folder.path()).expect("a UTF-8 path").to_owned();
        Self { _folder: folder, store: Store::at(root) }
    }

    /// Starts a process of the root agent of session `s1`.
    #[track_caller]
    fn process(&self) -> Notebook {
        self.with(RunPool::builder().build(), Settings::default())
    }

    #[track_caller]
    fn with(&self, pool: RunPool, settings: Settings) -> Notebook {
        Notebook::open(&self.store, "s1", pool, settings).expect("a readable log")
    }
}

fn at_end_of_turn(notebook: &Notebook) -> Situation {
    notebook.situation(Boundary::EndOfTurn, WINDOW, Tokens::new(180_000), Calls::ZERO)
}

fn now() -> Timestamp {
    Timestamp::new(1_786_017_600_000)
}

#[track_caller]
fn ask(notebook: &Notebook) -> Attempt {
    let Verdict::Fire(ticket) = notebook.decide(&at_end_of_turn(notebook)) else {
        panic!("the gate should fire");
    };
    match notebook.spend(ticket, now()) {
        Spent::Ask(attempt) => attempt,
        Spent::Left(outcome) => panic!("nothing to ask: {outcome}"),
    }
}

#[track_caller]
fn refused(notebook: &Notebook) -> Refusal {
    notebook.decide(&at_end_of_turn(notebook)).refusal().expect("the gate should refuse")
}

#[test]
fn a_reply_comes_back_in_the_next_prompt_byte_for_byte() {
    let project = Project::new();
    let notebook = project.process();
    let outcome = notebook.settle(ask(&notebook), Answer::Text(NOTE.to_owned()), now());
    assert!(outcome.is_stored(), "{outcome}");
    let spliced = notebook.splice("You are an agent.");
    assert_eq!(prompt::extract(&spliced.prompt), Some(NOTE));
    assert_eq!(prompt::strip(&spliced.prompt), "You are an agent.");
}

#[test]
fn a_generation_gets_one_attempt_also_after_a_failed_call() {
    let project = Project::new();
    let notebook = project.process();
    let outcome = notebook.settle(ask(&notebook), Answer::Failed("status 529".into()), now());
    assert_eq!(outcome, Outcome::CallFailed { reason: "status 529".into() });
    let generation = Generation::ZERO;
    assert_eq!(refused(&notebook), Refusal::AlreadyAttempted { generation });
}

#[test]
fn a_process_that_died_between_latch_and_reply_has_used_the_attempt() {
    let project = Project::new();
    drop(ask(&project.process()));
    let generation = Generation::ZERO;
    assert_eq!(refused(&project.process()), Refusal::AlreadyAttempted { generation });
}

#[test]
fn of_two_processes_that_both_decided_to_fire_one_asks() {
    let project = Project::new();
    let (first, second) = (project.process(), project.process());
    let Verdict::Fire(late) = second.decide(&at_end_of_turn(&second)) else { panic!("fires") };
    let _attempt = ask(&first);
    match second.spend(late, now()) {
        Spent::Left(outcome) => {
            assert_eq!(outcome, Outcome::AlreadyAttempted { generation: Generation::ZERO });
        }
        Spent::Ask(_) => panic!("a second call for one generation"),
    }
}

#[test]
fn what_was_decided_or_begun_for_one_session_is_worth_nothing_to_another() {
    let project = Project::new();
    let ours = project.process();
    let pool = RunPool::builder().build();
    let settings = Settings::default();
    let theirs = Notebook::open(&project.store, "s2", pool, settings).expect("a readable log");
    let Verdict::Fire(ticket) = ours.decide(&at_end_of_turn(&ours)) else { panic!("fires") };
    assert!(matches!(theirs.spend(ticket, now()), Spent::Left(Outcome::OtherSession)));
    let Verdict::Fire(bare) = gate::decide(&at_end_of_turn(&ours)) else { panic!("fires") };
    assert!(matches!(ours.spend(bare, now()), Spent::Left(Outcome::OtherSession)));
    let attempt = ask(&ours);
    let outcome = theirs.settle(attempt, Answer::Text(NOTE.to_owned()), now());
    assert_eq!(outcome, Outcome::OtherSession);
    assert_eq!(theirs.splice("base").prompt, "base", "nothing was stored there");
}

#[test]
fn an_attempt_that_another_process_made_costs_no_call() {
    let project = Project::new();
    let pool = RunPool::builder().cap(Calls::new(40)).build();
    let (first, second) = (project.process(), project.with(pool.clone(), Settings::default()));
    let Verdict::Fire(late) = second.decide(&at_end_of_turn(&second)) else { panic!("fires") };
    let _attempt = ask(&first);
    assert!(matches!(second.spend(late, now()), Spent::Left(Outcome::AlreadyAttempted { .. })));
    assert_eq!(pool.used(), Calls::ZERO);
}

#[test]
fn a_note_that_was_written_outright_stands_for_its_generations_attempt() {
    let project = Project::new();
    let notebook = project.process();
    let fitted = NoteText::fit(NOTE, NoteCap::default()).expect("a note");
    assert!(notebook.write(fitted, now()).is_stored());
    let generation = Generation::ZERO;
    assert_eq!(refused(&notebook), Refusal::AlreadyAttempted { generation });
}

#[test]
fn the_next_generation_may_fire_again_and_outlives_the_process() {
    let project = Project::new();
    let notebook = project.process();
    notebook.settle(ask(&notebook), Answer::Text(NOTE.to_owned()), now());
    assert_eq!(notebook.rolled_over(now()).expect("on record"), Generation::new(1));
    let resumed = project.process();
    assert_eq!(resumed.generation(), Generation::new(1));
    assert_eq!(ask(&resumed).generation(), Generation::new(1));
}

#[test]
fn a_resumed_session_goes_on_from_the_greater_of_the_logs_and_the_hosts_count() {
    let project = Project::new();
    let generation = Generation::new(7);
    let told = Settings { generation, ..Settings::default() };
    assert_eq!(project.with(RunPool::builder().build(), told).generation(), generation);
}

#[test]
fn the_permit_is_taken_before_the_latch_so_a_raced_budget_leaves_the_attempt_unspent() {
    let project = Project::new();
    let pool = RunPool::builder().cap(Calls::new(7)).build();
    let notebook = project.with(pool.clone(), Settings::default());
    let Verdict::Fire(ticket) = notebook.decide(&at_end_of_turn(&notebook)) else {
        panic!("fires")
    };
    let _sibling = pool.admit(0, Call::Root).expect("a call is left");
    match notebook.spend(ticket, now()) {
        Spent::Left(Outcome::BudgetRaced { remaining, reserve, cost }) => {
            let figures = [remaining, reserve, cost].map(Calls::get);
            assert_eq!(figures, [6, 6, 1]);
        }
        other => panic!("the note was let into the reserve: {other:?}"),
    }
    assert_eq!(project.process().generation(), Generation::ZERO);
    drop(ask(&project.process()));
}

#[test]
fn a_note_and_its_pending_summary_need_two_calls_beyond_the_reserve() {
    let project = Project::new();
    for (used, fires) in [(0, true), (1, false)] {
        let pool = RunPool::builder().cap(Calls::new(8)).build();
        let permits: Vec<_> = (0..used).map(|_| pool.admit(0, Call::Root).expect("left")).collect();
        let notebook = project.with(pool, Settings::default());
        let situation =
            notebook.situation(Boundary::EndOfTurn, WINDOW, Tokens::new(180_000), Calls::new(1));
        assert_eq!(notebook.decide(&situation).fires(), fires, "{used} used");
        drop(permits);
    }
}

#[test]
fn a_worker_neither_asks_nor_reads_nor_writes() {
    let project = Project::new();
    let root = project.process();
    root.settle(ask(&root), Answer::Text(NOTE.to_owned()), now());
    let settings = Settings { depth: 1, ..Settings::default() };
    let worker = project.with(RunPool::builder().build(), settings);
    assert_eq!(refused(&worker), Refusal::Worker { depth: 1 });
    assert_eq!(worker.splice("You are a worker.").prompt, "You are a worker.");
    let fitted = NoteText::fit("a worker's note", NoteCap::default()).expect("a note");
    assert_eq!(worker.write(fitted, now()), Outcome::KeepsNone);
}

#[test]
fn an_agent_without_a_session_is_refused_before_anything_is_paid() {
    let project = Project::new();
    for (name, refusal) in [("", Refusal::NoSession), ("../up", Refusal::BadSessionName)] {
        let pool = RunPool::builder().build();
        let notebook =
            Notebook::open(&project.store, name, pool, Settings::default()).expect("opens");
        assert_eq!(refused(&notebook), refusal);
        assert_eq!(notebook.pool().used(), Calls::ZERO);
        assert_eq!(notebook.splice("base").prompt, "base");
    }
    assert!(project.store.sessions().expect("readable").names.is_empty());
}

#[test]
fn opted_out_and_short_and_cancelled_replies_store_nothing() {
    let cases = [
        (Answer::Text(" None.\n".into()), "opted_out"),
        (Answer::Text("ok".into()), "too_short"),
        (Answer::Text("x".repeat(65_537)), "too_long"),
        (Answer::Cancelled, "cancelled"),
    ];
    for (answer, name) in cases {
        let project = Project::new();
        let notebook = project.process();
        assert_eq!(notebook.settle(ask(&notebook), answer, now()).as_str(), name);
        assert_eq!(notebook.splice("base").prompt, "base");
        assert_eq!(notebook.tally().outcomes.get(name), Some(&1));
    }
}

#[test]
fn a_mechanical_note_is_stored_once_a_generation_and_takes_no_attempt_away() {
    let project = Project::new();
    let notebook = project.process();
    let fitted =
        || NoteText::fit("last request: mend the parser", NoteCap::default()).expect("fits");
    assert!(notebook.salvage(fitted(), now()).is_stored());
    let generation = Generation::ZERO;
    assert_eq!(notebook.salvage(fitted(), now()), Outcome::AlreadyNoted { generation });
    assert_eq!(notebook.splice("").note.expect("a note").author, Author::Mechanical);
    drop(ask(&notebook));
}

#[test]
fn a_log_that_cannot_be_read_leaves_the_prompt_as_it_was_and_says_why() {
    let project = Project::new();
    let notebook = project.process();
    let path = project.store.log_path(&graff_notes::session::SessionName::parse("s1").expect("ok"));
    std::fs::create_dir_all(&path).expect("a folder where the log should be");
    let spliced = notebook.splice("base");
    assert_eq!(spliced.prompt, "base");
    let trouble = spliced.trouble.expect("a reason").with_causes();
    assert_eq!(trouble, format!("open {path}: it is a folder, not a plain file"));
    let Verdict::Fire(ticket) = notebook.decide(&at_end_of_turn(&notebook)) else {
        panic!("fires")
    };
    assert!(matches!(notebook.spend(ticket, now()), Spent::Left(Outcome::StoreFailed { .. })));
    assert_eq!(notebook.pool().used(), Calls::ZERO, "no call was paid for");
}

#[test]
fn a_ticket_of_an_earlier_generation_is_worth_nothing() {
    let project = Project::new();
    let notebook = project.process();
    let Verdict::Fire(stale) = notebook.decide(&at_end_of_turn(&notebook)) else { panic!("fires") };
    notebook.rolled_over(now()).expect("on record");
    assert!(matches!(notebook.spend(stale, now()), Spent::Left(Outcome::Stale)));
    drop(ask(&notebook));
}

#[test]
fn a_notebook_is_shared_by_threads_and_moved_into_tasks() {
    fn across_threads<T: Send + Sync>(_: &T) {}
    fn across_awaits<T: Send>(_: &T) {}
    let project = Project::new();
    let notebook = Arc::new(project.process());
    across_threads(&notebook);
    let fired: Vec<_> = std::thread::scope(|scope| {
        let threads = [(); 8].map(|()| {
            scope.spawn(|| match notebook.decide(&at_end_of_turn(&notebook)) {
                Verdict::Fire(ticket) => Some(notebook.spend(ticket, now())),
                Verdict::Refuse(_) => None,
            })
        });
        threads.into_iter().filter_map(|thread| thread.join().expect("no panic")).collect()
    });
    let asked: Vec<_> = fired.into_iter().filter(|spent| matches!(spent, Spent::Ask(_))).collect();
    across_awaits(&asked);
    assert_eq!(asked.len(), 1);
}
