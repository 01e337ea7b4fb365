//! The promise: settings that cannot be used have one meaning and one status, whatever was to be
//! done with them, and what is advised leads the way that the user was going.
//!
//! Shown by the built program in a home of its own, for each verb.

use std::{fs, process::Stdio};

use graff_notes::host::{hook::Host, settings::install};
use serde_json::Value;

use super::installs::{FILES, desk, hooks, put, text};
use crate::support::world::Ran;

#[test]
fn what_is_no_json_ends_every_verb_with_1_and_is_unreadable() {
    for (host, name) in &FILES[..3] {
        let desk = desk();
        let path = put(&desk, name, "{\n  \"a\": oops");
        let ends = |verb: &str, advice: &str| {
            let ran = hooks(&desk, &[verb, host.as_str()]).ends(1);
            assert!(ran.stderr().contains("line 2, column 8 is no JSON"), "{verb}: {ran}");
            assert!(ran.stderr().contains(advice), "{verb}: {ran}");
            assert_eq!(text(&path), "{\n  \"a\": oops", "{verb}");
            ran
        };
        let by_hand = "mend that file and run it again, or put these hooks in by hand: {";
        let ran = ends("install", by_hand);
        let shown = ran.stderr().split_once("by hand: ").expect("the hooks").1;
        let shown: Value = serde_json::from_str(shown).expect("JSON");
        let installed = install(*host, "").expect("settings");
        assert_eq!(shown, serde_json::from_str::<Value>(&installed).expect("JSON"), "{ran}");
        let by_hand = format!("or take what has `graff-notes hook {host}` out of it by hand");
        let ran = ends("remove", &by_hand);
        assert!(!ran.stderr().contains("hooks in by hand"), "{ran}");
        let ran = ends("status", &format!("mend {path}"));
        assert!(ran.stdout().contains("\tunreadable\t"), "{ran}");
        let told = hooks(&desk, &["status", host.as_str(), "--json"]).ends(1).json();
        assert_eq!(told["installed"]["state"], "unreadable", "{told}");
    }
}

#[test]
fn an_event_that_is_no_list_ends_every_verb_with_1_and_is_unreadable() {
    for (host, name) in &FILES[..3] {
        let desk = desk();
        let event = if *host == Host::Gemini { "BeforeAgent" } else { "SessionStart" };
        let settings = format!("{{\"hooks\": {{\"{event}\": {{\"a\": 1}}}}}}");
        let path = put(&desk, name, &settings);
        for verb in ["install", "status", "remove"] {
            let ran = hooks(&desk, &[verb, host.as_str()]).ends(1);
            let why = format!("`hooks.{event}` is not a list");
            assert!(ran.stderr().contains(&why), "{verb}: {ran}");
            assert_eq!(text(&path), settings, "{verb}");
        }
    }
}

#[test]
fn where_what_was_done_cannot_be_said_it_is_told_that_it_is_done() {
    for (host, name) in FILES {
        let desk = desk();
        for (verb, done) in [("install", "the hooks are in"), ("remove", "the hooks are out")] {
            let mut command = desk.command(&["hooks", verb, host.as_str()]);
            let full = fs::File::options().write(true).open("/dev/full").expect("it is there");
            command.current_dir(desk.project()).stdin(Stdio::null()).stdout(full);
            let ran = Ran::of(&mut command).ends(1);
            assert!(ran.stderr().contains(&format!("{done} all the same")), "{verb}: {ran}");
            assert!(!ran.stderr().contains("by hand"), "{verb}: {ran}");
            assert_eq!(desk.home().join(name).exists(), verb == "install", "{verb}: {ran}");
        }
    }
}

#[test]
fn a_plugin_of_another_is_no_reason_to_put_anything_in_by_hand() {
    for (host, name) in &FILES[3..] {
        let desk = desk();
        let path = put(&desk, name, "somebody's own\n");
        let ran = hooks(&desk, &["install", host.as_str()]).ends(1);
        assert!(ran.stderr().contains("it is another one's, and not to be overwritten"), "{ran}");
        assert!(!ran.stderr().contains("by hand"), "{ran}");
        assert_eq!(text(&path), "somebody's own\n");
    }
}

#[test]
fn a_host_that_is_not_named_is_asked_for_by_the_names_that_there_are() {
    for verb in ["install", "remove"] {
        for flags in [&[][..], &["--json"]] {
            let ran = hooks(&desk(), &[&[verb], flags].concat()).ends(2);
            let named = "<claude-code|codex|gemini|opencode|goose>";
            assert!(ran.stderr().contains(named), "{verb}: {ran}");
        }
    }
}
