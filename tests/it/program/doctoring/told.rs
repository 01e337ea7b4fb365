//! What others are told: a report holds no secret, and advice can be pasted.

use std::{fs, process::Command};

use super::finding;
use crate::support::world::{Ran, World};

/// What `doctor --help` names for a report: the commands, each with what stands for a session.
fn of_a_report(help: &str) -> Vec<Vec<String>> {
    let (_, report) = help.split_once("For a report").expect("what a report is made of");
    let (report, _) = report.split_once("\n\n").expect("its end");
    let report = report.split_whitespace().collect::<Vec<_>>().join(" ");
    let quoted = report.split('`').skip(1).step_by(2);
    let words = |command: &str| {
        command.split(' ').skip(1).map(|word| word.replace("SESSION", "s1")).collect()
    };
    quoted.map(words).collect()
}

#[test]
fn what_a_report_is_made_of_has_no_secret_in_it() {
    let world = World::new();
    world.run(&["write", "s1", "--text", "the password is s3cret"]).ends(0);
    let log = fs::read_to_string(world.log("s1")).expect("a log");
    let junk = "{\"v\":1,\"session\":\"s1\",\"text\":\"s3cret\nthe s3cret\n";
    fs::write(world.log("s1"), log + junk).expect("damage");
    let help = world.run(&["doctor", "--help"]).quietly();
    let commands = of_a_report(help.stdout());
    assert_eq!(commands.len(), 4, "{commands:?}");
    for args in commands {
        let args: Vec<_> = args.iter().map(String::as_str).collect();
        for json in [&[][..], &["--json"]] {
            if args.contains(&"--json") && !json.is_empty() {
                continue;
            }
            let mut command = world.command(&[&args[..], json].concat());
            command.env("HOME", world.root()).env_remove("CODEX_HOME");
            command.env_remove("CLAUDE_CONFIG_DIR");
            command.env("GRAFF_NOTE_FROM", "command:KEY=s3cret ask-my-model --key s3cret");
            command.env("GRAFF_ENDPOINT", "https://user:s3cret@api.example/messages?key=s3cret");
            let ran = Ran::of(&mut command);
            assert!(!ran.has_status(2), "{args:?}: {ran}");
            assert!(ran.stdout().len() > 100, "{args:?}: {ran}");
            assert!(!format!("{ran}").contains("s3cret"), "{args:?}: {ran}");
        }
    }
}

#[test]
fn advice_works_whatever_the_folder_is_called() {
    for (check, spoil) in [("modes", "chmod 644"), (".gitignore", "rm")] {
        let world = World::new();
        let root = world.root().join("it's $HOME");
        fs::create_dir(&root).expect("a folder");
        let run = |args: &[&str]| {
            let mut command = world.command(args);
            command.env("HOME", world.root()).env_remove("CODEX_HOME");
            command.env_remove("CLAUDE_CONFIG_DIR");
            Ran::of(command.env("GRAFF_ROOT", &root))
        };
        run(&["write", "s1", "--text", "a note"]).ends(0);
        let notes = root.join(".graff/notes");
        let file = notes.join(if check == "modes" { "s1.notes.jsonl" } else { ".gitignore" });
        let sh = |script: &str| {
            let status = Command::new("sh").args(["-c", script]).status().expect("a shell");
            assert!(status.success(), "{script}");
        };
        sh(&format!("{spoil} '{}'", file.as_str().replace('\'', r"'\''")));
        let found = run(&["doctor", "--json"]).ends(0).answers();
        let advice = finding(&found, check)["advice"].as_str().expect("advice").to_owned();
        sh(&advice);
        let found = run(&["doctor", "--json"]).ends(0).answers();
        assert_eq!(finding(&found, check)["status"], "ok", "{advice}");
    }
}
