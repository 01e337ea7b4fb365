//! The promise: an agent that is near its limit at the end of a turn is asked for its note once a
//! generation, and its answer is stored; the turn then ends, whatever it said.
//!
//! Shown by living through sessions of each host that allows it, each hook a process of its own.

use std::{fs, process::Child, thread};

use graff_notes::{host::hook::Host, note::Author};
use serde_json::json;

use super::{
    desk::Desk,
    script::Said::{Agent, Compacted, Hook, User},
};
use crate::support::world::Ran;

const HOSTS: [Host; 3] = [Host::ClaudeCode, Host::Codex, Host::Gemini];
const NOTE: &str = "Subgoal: make retry_test green.\nAnchors: src/retry.rs:41 \u{1F980}";

/// More than three quarters of a window of 200,000, and than the ceiling in a greater one.
const OVER: u64 = 290_000;

fn desk(host: Host) -> Desk {
    Desk::of(host).with("GRAFF_WINDOW_TOKENS", "380000")
}

/// The words by which the hook keeps the turn from ending.
#[track_caller]
fn blocked(desk: &Desk, ran: &Ran) -> String {
    let answer = ran.json();
    let word = if desk.host == Host::Gemini { "deny" } else { "block" };
    assert_eq!(answer["decision"], word, "{ran}");
    assert_eq!(answer.as_object().map(serde_json::Map::len), Some(2), "{ran}");
    answer["reason"].as_str().expect("a reason").to_owned()
}

/// The agent goes over the limit, is asked, and answers.
#[track_caller]
fn answers(desk: &Desk, reply: &str) {
    desk.says("s1", &[User("go on"), Agent("done", OVER)]);
    let reason = blocked(desk, &desk.stops("s1", false, "done"));
    desk.says("s1", &[Hook(&reason), Agent(reply, OVER + 500)]);
    desk.stops("s1", true, reply);
}

#[track_caller]
fn compacts(desk: &Desk, summary: &str) {
    desk.says("s1", &[Compacted(summary)]);
}

#[test]
fn the_answer_is_stored_and_the_turn_ends() {
    for host in HOSTS {
        let desk = desk(host);
        desk.says("s1", &[User("fix the retry"), Agent("on it", 1_000)]);
        desk.stops_silently("s1", false, "on it");
        assert_eq!(desk.files(), Vec::<String>::new(), "{host}: nothing to do leaves no trace");

        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let reason = blocked(&desk, &desk.stops("s1", false, "done").quietly());
        assert!(reason.contains("Write one note to yourself."), "{host}: {reason}");
        assert_eq!(desk.records("s1"), [("Attempt".to_owned(), 0)], "{host}: on record before");
        desk.says("s1", &[Hook(&reason)]);
        assert_eq!(desk.prompt("s1", &reason), None, "{host}: our request is no user's prompt");
        desk.says("s1", &[Agent(NOTE, OVER + 500)]);
        desk.stops_silently("s1", true, NOTE);
        let newest = desk.newest("s1").expect("a note");
        assert_eq!((newest.text.as_str(), newest.generation.get()), (NOTE, 0), "{host}");
        assert_eq!(newest.author, Author::Agent, "{host}");

        desk.says("s1", &[User("go on"), Agent("done", OVER + 900)]);
        desk.stops_silently("s1", false, "done");
        assert_eq!(desk.prompt("s1", "go on"), None, "{host}: it has what it has just written");
    }
}

#[test]
fn a_restart_and_a_lost_word_ask_the_same_generation_no_second_time() {
    for host in HOSTS {
        let desk = desk(host);
        answers(&desk, NOTE);
        for lost in [false, true] {
            if lost {
                let word = desk.project().join(".graff/notes/s1.hooks.json");
                std::fs::remove_file(word).expect("there is a word");
            }
            desk.begins("s1", "resume");
            desk.says("s1", &[User("go on"), Agent("done", OVER + 900)]);
            assert_eq!(desk.stops("s1", false, "done").stdout(), "", "{host}, lost: {lost}");
        }
        assert_eq!(desk.records("s1"), [("Attempt".to_owned(), 0), ("Agent".to_owned(), 0)]);
    }
}

#[test]
fn the_next_generation_is_asked_again_and_quotes_the_note_before() {
    for host in HOSTS {
        let desk = desk(host);
        answers(&desk, NOTE);
        compacts(&desk, "first");
        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let reason = blocked(&desk, &desk.stops("s1", false, "done"));
        assert!(reason.contains(NOTE), "{host}: {reason}");
        let kinds = desk.records("s1");
        assert_eq!(kinds.last(), Some(&("Attempt".to_owned(), 1)), "{host}: {kinds:?}");
    }
}

#[test]
fn an_answer_of_none_or_a_fragment_stores_nothing_and_asks_no_more() {
    for host in HOSTS {
        for reply in ["none", "None. All is merged.", "ok"] {
            let desk = desk(host);
            answers(&desk, reply);
            assert_eq!(desk.newest("s1"), None, "{host}: {reply}");
            desk.says("s1", &[User("go on"), Agent("done", OVER)]);
            assert_eq!(desk.stops("s1", false, "done").stdout(), "", "{host}: {reply}");
        }
    }
}

/// As agents write it that cut a text inside an emoji; what reads it strictly refuses it.
fn with_half_a_pair(json: &str) -> String {
    json.replace(char::REPLACEMENT_CHARACTER, r"\ud83d")
}

#[test]
fn half_a_surrogate_pair_in_an_answer_costs_itself_and_not_the_note() {
    let note = "Subgoal: fix emoji \u{FFFD} cut in src/x.rs:10, next run tests";
    for host in HOSTS {
        let desk = desk(host);
        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let reason = blocked(&desk, &desk.stops("s1", false, "done"));
        desk.says("s1", &[Hook(&reason), Agent(note, OVER + 500)]);
        let transcript = fs::read_to_string(desk.transcript("s1")).expect("a transcript");
        fs::write(desk.transcript("s1"), with_half_a_pair(&transcript)).expect("written");
        let (event, key) = match host {
            Host::Gemini => ("AfterAgent", "prompt_response"),
            _ => ("Stop", "last_assistant_message"),
        };
        let payload = desk.payload("s1", event, json!({"stop_hook_active": true, key: note}));
        desk.fed(with_half_a_pair(&payload.to_string())).quietly();
        let newest = desk.newest("s1").unwrap_or_else(|| panic!("{host}: no note"));
        assert_eq!(newest.text.as_str(), note, "{host}");
    }
}

#[test]
fn of_two_hooks_at_once_one_asks() {
    for _ in 0..5 {
        let desk = desk(Host::ClaudeCode);
        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let payload = desk.payload("s1", "Stop", json!({"stop_hook_active": false})).to_string();
        let hooks: Vec<Child> = (0..4).map(|_| desk.start(payload.as_bytes(), &[])).collect();
        let ends = |hook: Child| thread::spawn(|| Ran::of_child(hook));
        let ran: Vec<Ran> =
            hooks.into_iter().map(ends).map(|it| it.join().expect("ends")).collect();
        let said = ran.iter().filter(|ran| !ran.stdout().is_empty()).count();
        assert_eq!(said, 1, "{ran:?}");
    }
}

#[test]
fn a_stop_that_is_held_up_already_is_let_pass() {
    for host in HOSTS {
        let desk = desk(host);
        desk.says("s1", &[User("go on"), Agent("done", OVER), Hook("lint"), Agent("linted", OVER)]);
        desk.stops_silently("s1", true, "linted");
        assert_eq!(desk.files(), Vec::<String>::new(), "{host}");
    }
}

#[test]
fn what_answers_another_hook_is_no_note() {
    for host in HOSTS {
        let desk = desk(host);
        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let reason = blocked(&desk, &desk.stops("s1", false, "done"));
        let linted = "I have linted all of the files.";
        desk.says("s1", &[Hook(&reason), Agent(NOTE, OVER), Hook("lint"), Agent(linted, OVER)]);
        let ran = desk.stops("s1", true, linted);
        assert_eq!((ran.stdout(), desk.newest("s1")), ("", None), "{host}");
        assert!(ran.stderr().contains("answers something else"), "{host}: {ran}");
    }
}

#[test]
fn the_answer_is_stored_where_another_hook_keeps_the_turn_from_ending_at_the_same_time() {
    for host in [Host::ClaudeCode, Host::Codex] {
        let desk = desk(host);
        desk.says("s1", &[User("go on"), Agent("done", OVER)]);
        let reason = blocked(&desk, &desk.stops("s1", false, "done"));
        desk.says("s1", &[Hook(&reason), Hook("lint"), Agent(NOTE, OVER)]);
        desk.stops_silently("s1", true, NOTE);
        assert_eq!(desk.newest("s1").expect("a note").text, NOTE, "{host}");
    }
}

#[test]
fn a_subagent_at_its_limit_is_not_asked() {
    let desk = desk(Host::ClaudeCode);
    desk.says("s1", &[User("go on"), Agent("done", OVER)]);
    let stop = json!({"stop_hook_active": false, "agent_id": "a1", "agent_type": "general"});
    assert_eq!(desk.calls("s1", "Stop", stop).quietly().stdout(), "");
    assert_eq!(desk.files(), Vec::<String>::new());
}

#[test]
fn nobody_is_asked_on_a_guess() {
    for host in HOSTS {
        let desk = desk(host);
        desk.stops_silently("s1", false, "no transcript yet");
        desk.says("s1", &[User("go on"), Agent("done", OVER), Compacted("just now")]);
        assert_eq!(
            desk.stops("s1", false, "done").stdout(),
            "",
            "{host}: usage is of another history"
        );
    }
}

#[test]
fn the_window_is_what_stands_nearest() {
    let asked = |desk: &Desk, tokens: u64| {
        desk.says("s1", &[User("go on"), Agent("done", tokens)]);
        !desk.stops("s1", false, "done").stdout().is_empty()
    };
    // Three quarters of the host's default, to the token.
    assert!(!asked(&Desk::of(Host::ClaudeCode), 149_999));
    assert!(asked(&Desk::of(Host::ClaudeCode), 150_000));
    // Codex states 190,000 in the transcript.
    assert!(!asked(&Desk::of(Host::Codex), 142_499));
    assert!(asked(&Desk::of(Host::Codex), 142_500));
    // A million has the ceiling before it.
    assert!(!asked(&Desk::of(Host::Gemini), 271_999));
    assert!(asked(&Desk::of(Host::Gemini), 272_000));
    let told = || Desk::of(Host::ClaudeCode).with("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "120000");
    assert!(!asked(&told(), 89_999));
    assert!(asked(&told(), 90_000));
    let ours = || told().with("GRAFF_WINDOW_TOKENS", "100000");
    assert!(!asked(&ours(), 74_999));
    assert!(asked(&ours(), 75_000));
    assert!(asked(&ours().with("GRAFF_PERCENT", "50"), 50_000));
}

/// Settings of the folder at `path` from the desk.
fn set(desk: &Desk, path: &str, settings: &str) {
    let folder = desk.path().join(path).join(".graff");
    fs::create_dir_all(&folder).expect("a folder");
    fs::write(folder.join("config.toml"), settings).expect("written");
}

#[test]
fn the_settings_are_those_of_the_project_wherever_the_hook_is_started() {
    for host in HOSTS {
        let asked = |desk: &Desk, tokens: u64| {
            desk.says("s1", &[User("go on"), Agent("done", tokens)]);
            let ran = desk.stops("s1", false, "done");
            assert_eq!(ran.stderr(), "", "{host}");
            !ran.stdout().is_empty()
        };
        let desk = Desk::of(host);
        set(&desk, "project", "window-tokens = 100_000\npercent = 50\n");
        set(&desk, ".", "percent = 0\n");
        assert!(!asked(&desk, 49_999), "{host}");
        assert!(asked(&desk, 50_000), "{host}");
        let desk = Desk::of(host).with("GRAFF_PERCENT", "60");
        set(&desk, "project", "window-tokens = 100_000\npercent = 50\n");
        assert!(!asked(&desk, 59_999), "{host}");
        assert!(asked(&desk, 60_000), "{host}");
    }
}

#[test]
fn settings_that_cannot_be_used_are_told_and_the_note_is_asked_for_all_the_same() {
    let desk = desk(Host::ClaudeCode);
    set(&desk, "project", "percent = 0\n");
    desk.says("s1", &[User("go on"), Agent("done", OVER)]);
    let ran = desk.stops("s1", false, "done");
    assert!(ran.stderr().contains("config.toml: line 1: percent"), "{ran}");
    blocked(&desk, &ran);
}

#[test]
fn no_more_of_an_answer_is_kept_than_is_set() {
    for host in HOSTS {
        let desk = desk(host).with("GRAFF_CAP_BYTES", "40");
        answers(&desk, NOTE);
        let note = desk.newest("s1").expect("a note");
        assert_eq!((note.text.as_str(), note.cut.get()), (&NOTE[..40], NOTE.len() as u64 - 40));
    }
}

#[test]
fn a_limit_of_calls_holds_back_its_reserve_and_salvages() {
    let seven = desk(Host::Codex).with("GRAFF_CALLS_CAP", "7");
    seven.says("s1", &[User("fix it"), Agent("done", OVER)]);
    blocked(&seven, &seven.stops("s1", false, "done"));
    let six = desk(Host::Codex).with("GRAFF_CALLS_CAP", "6");
    six.says("s1", &[User("fix it"), Agent("done", OVER)]);
    let ran = six.stops("s1", false, "done");
    assert_eq!(ran.stdout(), "", "{ran}");
    assert_eq!(six.newest("s1").map(|note| note.author), Some(Author::Mechanical), "{ran}");
}

/// Who puts a file of settings at a desk, and what it says.
type Put<'a> = (&'a dyn Fn(&Desk, &str), &'a str);

#[test]
fn a_fault_in_one_place_lifts_no_limit_that_is_set_in_another() {
    let user = |desk: &Desk, settings: &str| {
        let folder = desk.home().join(".config/graff-notes");
        fs::create_dir_all(&folder).expect("a folder");
        fs::write(folder.join("config.toml"), settings).expect("written");
    };
    let project = |desk: &Desk, settings: &str| set(desk, "project", settings);
    let desk = || desk(Host::Codex);
    let cap = || desk().with("GRAFF_CALLS_CAP", "6");
    let cases: [(Desk, &[Put<'_>]); 6] = [
        (cap(), &[(&project, "endpoint = \"http://x\"\n")]),
        (cap(), &[(&project, "percent 0\n"), (&user, "percent = 0\n")]),
        (desk(), &[(&project, "percent = 0\n"), (&user, "calls-cap = 6\n")]),
        (desk(), &[(&project, "calls-cap = 6\n"), (&user, "model = 5\n")]),
        (desk(), &[(&project, "percent = 0\ncalls-cap = 6\n")]),
        (desk().with("GRAFF_PERCENT", "0"), &[(&user, "calls-cap = 6\n")]),
    ];
    for (desk, files) in cases {
        for (put, settings) in files {
            put(&desk, settings);
        }
        desk.says("s1", &[User("fix it"), Agent("done", OVER)]);
        let ran = desk.stops("s1", false, "done");
        assert!(ran.stderr().contains("could not use "), "{ran}");
        assert_eq!(ran.stdout(), "", "{ran}");
        assert!(ran.stderr().contains("asked for no note: 6 calls are left and 6 "), "{ran}");
    }
}
