//! The promise: what one hook leaves the next one finds, whole; and an answer that comes to another
//! process than the one that asked is kept as if it had come to that.
//!
//! Shown on a store in a folder of its own, by threads that change the word at once, and by
//! notebooks that are opened anew for each step.

use std::{collections::BTreeSet, fs, thread};

use graff_notes::{
    ErrorKind, Notebook,
    budget::RunPool,
    gate::{Boundary, Outcome, Verdict},
    note::{Author, NoteCap, NoteText},
    notebook::{Answer, Settings, Spent},
    prompt::{section_of, section_request},
    session::SessionName,
    store::Store,
    units::{Calls, Generation, Timestamp, Tokens},
};

const NOW: Timestamp = Timestamp::new(1_786_017_600_000);

struct Project {
    folder: tempfile::TempDir,
    store: Store,
    session: SessionName,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = camino::Utf8Path::from_path(folder.path()).expect("a UTF-8 path").to_owned();
        let session = SessionName::parse("s1").expect("a good name");
        Self { folder, store: Store::at(root), session }
    }

    fn names(&self) -> BTreeSet<String> {
        let files = fs::read_dir(self.folder.path().join(".graff/notes")).expect("the folder");
        files.flatten().map(|file| file.file_name().to_string_lossy().into_owned()).collect()
    }

    /// A process of the agent's session.
    fn process(&self, generation: u64) -> Notebook {
        let settings = Settings { generation: Generation::new(generation), ..Settings::default() };
        let pool = RunPool::builder().build();
        Notebook::open(&self.store, "s1", pool, settings).expect("a readable log")
    }

    fn ask(&self) {
        let asking = self.process(0);
        let situation = asking.situation(
            Boundary::EndOfTurn,
            Tokens::new(200_000),
            Tokens::new(160_000),
            Calls::ZERO,
        );
        let Verdict::Fire(ticket) = asking.decide(&situation) else { panic!("it should fire") };
        assert!(matches!(asking.spend(ticket, NOW), Spent::Ask(_)));
    }
}

#[test]
fn the_word_is_replaced_as_a_whole_and_reading_makes_nothing() {
    let Project { folder, store, session } = Project::new();
    assert_eq!(store.word(&session).expect("no word"), None);
    assert!(!folder.path().join(".graff").exists());
    store.leave_word(&session, |before| before.or(Some(b"first".to_vec()))).expect("left");
    store.leave_word(&session, |_| None).expect("nothing to leave");
    store
        .leave_word(&session, |before| before.map(|word| [&word, &b", second"[..]].concat()))
        .expect("left");
    assert_eq!(store.word(&session).expect("a word").as_deref(), Some(&b"first, second"[..]));
}

#[test]
fn of_those_who_change_it_at_once_each_knows_of_the_others() {
    let project = Project::new();
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for _ in 0..25 {
                    let more = |word: Option<Vec<u8>>| {
                        Some([&word.unwrap_or_default()[..], b"+"].concat())
                    };
                    project.store.leave_word(&project.session, more).expect("left");
                }
            });
        }
    });
    let word = project.store.word(&project.session).expect("a word").expect("a word");
    assert_eq!(word, b"+".repeat(200));
    let files = [".gitignore", "s1.hooks.json", "s1.notes.lock"].map(str::to_owned);
    assert_eq!(project.names(), BTreeSet::from(files), "and nothing is left on the way");
}

#[test]
fn what_a_crash_left_and_what_is_none_of_ours_is_passed_over() {
    let project = Project::new();
    project.store.leave_word(&project.session, |_| Some(b"word".to_vec())).expect("left");
    let notes = project.folder.path().join(".graff/notes");
    fs::write(notes.join("s1.hooks.new"), "half a wo").expect("written");
    project.store.leave_word(&project.session, |_| Some(b"next".to_vec())).expect("left");
    assert_eq!(project.store.word(&project.session).expect("a word"), Some(b"next".to_vec()));
    fs::write(notes.join("s1.hooks.json"), "x".repeat(70_000)).expect("written");
    assert_eq!(project.store.word(&project.session).expect("too long"), None);
    fs::remove_file(notes.join("s1.hooks.json")).expect("removed");
    std::os::unix::fs::symlink("/etc/passwd", notes.join("s1.hooks.json")).expect("a link");
    let refused = project.store.word(&project.session).expect_err("a link");
    assert_eq!(refused.kind(), ErrorKind::NotRegularFile);
}

#[test]
fn forgetting_a_session_forgets_its_word() {
    let project = Project::new();
    project.store.leave_word(&project.session, |_| Some(b"word".to_vec())).expect("left");
    project.store.forget(&project.session).expect("forgotten");
    assert!(!project.names().contains("s1.hooks.json"));
}

#[test]
fn an_answer_that_comes_to_another_process_is_stored_once() {
    let project = Project::new();
    assert_eq!(project.process(0).settle_earlier(Answer::Text("too early".into()), NOW), None);
    project.ask();
    let answer = || Answer::Text("Subgoal: make retry_test green".to_owned());
    let settled = project.process(0).settle_earlier(answer(), NOW).expect("an open attempt");
    assert!(settled.is_stored(), "{settled}");
    assert_eq!(project.process(0).settle_earlier(answer(), NOW), None, "it is answered");
}

#[test]
fn an_attempt_of_a_history_that_is_gone_waits_for_nothing() {
    let project = Project::new();
    project.ask();
    assert_eq!(project.process(1).settle_earlier(Answer::Text("x".repeat(99)), NOW), None);
}

#[test]
fn a_mechanical_note_between_request_and_answer_does_not_answer_it() {
    let project = Project::new();
    project.ask();
    let text =
        NoteText::fit("Mechanical note: cargo test failed", NoteCap::DEFAULT).expect("a text");
    assert!(project.process(0).salvage(text, NOW).is_stored());
    let outcome = project.process(0).settle_earlier(Answer::Text("none".into()), NOW);
    assert_eq!(outcome, Some(Outcome::OptedOut));
    let newest = project.store.newest(&project.session).expect("a log").note.expect("a note");
    assert_eq!(newest.author, Author::Mechanical);
}

#[test]
fn the_summariser_is_asked_for_the_parts_that_the_agent_is_asked_for() {
    let request = section_request(NoteCap::DEFAULT);
    for part in ["Subgoal in flight", "Anchors", "Decisions", "Dead ends", "4000 bytes", "`none`"] {
        assert!(request.contains(part), "{part}");
    }
    assert!(!request.starts_with(['{', '[']), "some hosts take that for JSON");
}

#[test]
fn the_note_is_the_last_whole_section_of_a_summary() {
    let section = |summary: &'static str| section_of(summary);
    assert_eq!(section("<note_to_self>\n a \n</note_to_self>"), Some("a"));
    assert_eq!(
        section(
            "<analysis><note_to_self>draft</note_to_self></analysis><note_to_self>b</note_to_self>"
        ),
        Some("b")
    );
    assert_eq!(section("<note_to_self>cut"), None);
    assert_eq!(section("</note_to_self><note_to_self>"), None);
    assert_eq!(section("no section"), None);
}
