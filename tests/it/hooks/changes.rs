//! The promise: whoever else writes the settings at the same moment, and whoever ends a run of ours
//! when: nothing that anybody wrote is lost, no file is ever half there, and nothing but a draft
//! stays behind, which the next run clears.
//!
//! Shown by runs at once, and under strace: by what ends a run, what overtakes it, and what hinders
//! it.

mod ended;
mod hindered;
mod overtaken;

use std::{
    collections::BTreeMap,
    fs::{self, File},
    process::{Child, Command, Stdio},
};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::Host;
use rustix::fs::{FlockOperation, flock};

use super::desk::Desk;
use crate::support::{traced, world::Ran};

const SETTINGS: &str = "{\n  \"model\": \"opus\"\n}\n";

/// A home in which Claude Code and Gemini have the same settings.
fn desk() -> (Desk, Utf8PathBuf) {
    let desk = Desk::of(Host::ClaudeCode);
    let settings = desk.home().join(".gemini/settings.json");
    let folder = settings.parent().expect("a folder").to_owned();
    fs::create_dir(&folder).expect("the folder is made");
    fs::write(&settings, SETTINGS).expect("written");
    (desk.with("CLAUDE_CONFIG_DIR", folder.as_str()), settings)
}

fn run(desk: &Desk, args: &[&str]) -> Command {
    let mut command = desk.command(&[&["hooks"], args].concat());
    command.current_dir(desk.project()).stdin(Stdio::null());
    command
}

fn start(desk: &Desk, args: &[&str]) -> Child {
    run(desk, args).spawn().expect("the program starts")
}

#[track_caller]
fn done(desk: &Desk, args: &[&str]) {
    Ran::of(&mut run(desk, args)).quietly();
}

/// The same run under strace; `None` where that is not to be had.
fn traced(desk: &Desk, strace: &[&str], args: &[&str]) -> Option<Command> {
    traced::under_strace(strace, &run(desk, args))
}

/// Every file beside the settings, with its text.
fn beside(settings: &Utf8Path) -> BTreeMap<String, String> {
    let folder = settings.parent().expect("a folder").read_dir_utf8().expect("it can be read");
    let text = |path: &Utf8Path| fs::read_to_string(path).expect("a file");
    folder.flatten().map(|it| (it.file_name().to_owned(), text(it.path()))).collect()
}

fn files(texts: &[(&str, &str)]) -> BTreeMap<String, String> {
    texts.iter().map(|(name, text)| ((*name).to_owned(), (*text).to_owned())).collect()
}

/// What the settings are once the hooks of Claude Code are in.
fn installed() -> String {
    let (desk, settings) = desk();
    done(&desk, &["install", "claude-code"]);
    fs::read_to_string(settings).expect("settings")
}

#[test]
fn of_two_installations_at_once_each_keeps_what_the_other_did() {
    for round in 0..20 {
        let (desk, settings) = desk();
        let hosts = ["claude-code", "gemini", "claude-code", "gemini"];
        for child in hosts.map(|host| start(&desk, &["install", host])) {
            Ran::of_child(child).quietly();
        }
        let found = beside(&settings);
        let text = &found["settings.json"];
        for host in ["claude-code", "gemini"] {
            let calls = text.matches(&format!("graff-notes hook {host}\"")).count();
            assert_eq!(calls, 6, "round {round}, {host}: {text}");
        }
        assert_eq!(found["settings.json.before-graff-notes"], SETTINGS, "round {round}");
        assert_eq!(found.len(), 3, "round {round}: {:?}", found.keys());
    }
}

#[test]
fn hooks_put_in_and_taken_out_at_once_are_in_or_out_and_fail_nobody() {
    for round in 0..20 {
        let desk = Desk::of(Host::ClaudeCode);
        let actions = ["install", "remove", "install", "remove"];
        for child in actions.map(|action| start(&desk, &[action, "goose"])) {
            Ran::of_child(child).quietly();
        }
        done(&desk, &["install", "goose"]);
        let hooks = desk.home().join(".agents/plugins/graff-notes/hooks/hooks.json");
        assert!(hooks.is_file(), "round {round}");
        done(&desk, &["remove", "goose"]);
        assert!(!hooks.exists(), "round {round}");
    }
}

#[test]
fn who_finds_the_folder_in_use_for_long_says_so() {
    let (desk, settings) = desk();
    let folder = File::open(settings.parent().expect("a folder")).expect("it opens");
    flock(&folder, FlockOperation::LockExclusive).expect("the lock");
    let ran = Ran::of(&mut run(&desk, &["install", "claude-code"])).ends(4);
    assert!(ran.stderr().contains("another graff-notes holds it"), "{ran}");
    assert_eq!(beside(&settings), files(&[("settings.json", SETTINGS)]));
}
