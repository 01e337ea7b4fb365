//! A hook that is installed is tried: what counts is whether a note comes back.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use graff_notes::host::hook::Host;
use serde_json::Value;

#[cfg(target_os = "linux")]
use super::agents::wait_for_the_end_of;
use super::{agents::put_program, command};
use crate::support::{
    found::{in_time, put, was_late},
    world::{Ran, World},
};

#[test]
fn hooks_that_are_installed_are_called_as_the_agent_would() {
    let world = World::new();
    let bin = World::new();
    put(bin.root());
    let folder = &format!("{}:/usr/bin:/bin", bin.root());
    let hooks = |path: &str| {
        let found = in_time(|| {
            let mut command = command(&world, &["--json"]);
            let ran = Ran::of(command.env("PATH", path));
            (!was_late(bin.root())).then(|| ran.answers())
        });
        let of_claude = |it: &&Value| {
            it["check"] == "hooks"
                && it["detail"].as_str().is_some_and(|d| d.starts_with("claude-code, user: "))
        };
        found.iter().find(of_claude).expect("a finding")["detail"].clone()
    };
    let mut install = world.command(&["hooks", "install", "claude-code"]);
    Ran::of(install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
    let answers = hooks(folder);
    assert!(answers.as_str().is_some_and(|it| it.ends_with("installed, and answers")), "{answers}");
    let lost = hooks("/nowhere");
    assert!(
        lost.as_str().is_some_and(|it| it.ends_with("no folder in PATH has graff-notes")),
        "{lost}"
    );
}

#[test]
fn whose_agents_could_call_us_and_do_not_is_told_with_what_to_do_and_nothing_fails() {
    let (world, bin) = (World::new(), World::new());
    let told = |agents: &[&str]| {
        for agent in agents {
            put_program(bin.root(), agent, "echo 1.0");
        }
        let found = Ran::of(command(&world, &["--json"]).env("PATH", bin.root())).ends(0).answers();
        let told = found.into_iter().filter(|it| it["check"] == "hooks");
        told.map(|it| [&it["status"], &it["detail"], &it["advice"]].map(word)).collect()
    };
    let none: Vec<_> = told(&[]);
    let install = |host| format!("graff-notes hooks install {host}");
    let no_hooks = "no hooks installed for any agent".to_owned();
    assert_eq!(none, [["hint".to_owned(), no_hooks.clone(), install("claude-code")]]);
    let two: Vec<_> = told(&["gemini", "codex"]);
    let among = no_hooks + "; in PATH: codex, gemini";
    assert_eq!(two, [["hint".to_owned(), among, install("codex")]]);
    let mut hooks = world.command(&["hooks", "install", "gemini", "--project"]);
    Ran::of(hooks.env("HOME", "/nowhere")).ends(0);
    let settings = world.root().join(".gemini/settings.json");
    let off = fs::read_to_string(&settings).expect("settings");
    let off = off.replacen('{', "{\"hooksConfig\": {\"enabled\": false},", 1);
    fs::write(&settings, off).expect("written");
    let one: Vec<_> = told(&[]);
    let gemini = "gemini, user: installed, and switched off by `hooksConfig.enabled`".to_owned();
    assert_eq!(one[0][1], gemini, "{one:?}");
    let codex = "codex: in PATH, and has no hooks of ours".to_owned();
    assert_eq!(one[1..], [["hint".to_owned(), codex, install("codex")]]);
}

#[test]
fn hooks_of_which_some_are_gone_are_installed_anew_where_they_were() {
    for (flags, scope) in [(&[][..], "user"), (&["--project"], "project")] {
        let (world, home) = (World::new(), World::new());
        let mut hooks = world.command(&[&["hooks", "install", "claude-code"], flags].concat());
        Ran::of(hooks.env("HOME", home.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
        let folder = if flags.is_empty() { &home } else { &world };
        let settings = folder.root().join(".claude/settings.json");
        let text = fs::read_to_string(&settings).expect("settings");
        fs::write(settings, text.replace("\"Stop\"", "\"Notification\"")).expect("written");
        let found = Ran::of(command(&world, &["--json"]).env("HOME", home.root())).ends(1);
        let detail = format!("claude-code, {scope}: without Stop");
        let finding = found.answers().into_iter().find(|it| it["detail"] == detail.as_str());
        let finding = finding.unwrap_or_else(|| panic!("{detail}: {found}"));
        let install = [&["graff-notes", "hooks", "install", "claude-code"], flags].concat();
        assert_eq!(finding["advice"], install.join(" "));
    }
}

/// What a finding says, where it says something.
fn word(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_program_that_gives_no_note_back_does_not_answer_whatever_its_status_is() {
    let silent = "";
    let talks = "echo '{\"hookSpecificOutput\":{\"additionalContext\":\"a note\"}}'";
    let first = format!("echo hello; exec '{}' \"$@\"", env!("CARGO_BIN_EXE_graff-notes"));
    for host in Host::ALL {
        for (script, words) in [
            (silent, "was called, and did not give the note back"),
            (talks, "was called, and did not give the note back"),
            (first.as_str(), "was called, and did not give the note back"),
            ("exit 7", "ended with exit status: 7"),
            // It would go on for as long as somebody reads.
            ("exec cat /dev/zero", "printed more than 64.0 KiB"),
        ] {
            if host == Host::Goose && script == first {
                continue; // it reads a file
            }
            let world = World::new();
            let found = world.root().join("graff-notes");
            fs::write(&found, format!("#!/bin/sh\n{script}\n")).expect("a program");
            fs::set_permissions(&found, Permissions::from_mode(0o755)).expect("it can be run");
            let finding = of_installed(&world, host, &format!("{}:/usr/bin:/bin", world.root()));
            assert_eq!(finding["status"], "failure", "{host} {script}: {finding}");
            let detail = finding["detail"].as_str().expect("words");
            assert!(detail.ends_with(words), "{host} {script}: {finding}");
            let advice = finding["advice"].as_str().expect("words");
            assert!(!advice.contains("hooks install"), "they are installed: {finding}");
        }
    }
}

#[test]
fn the_hooks_of_every_agent_give_a_note_back_and_leave_nothing_behind() {
    for host in Host::ALL {
        let (world, bin) = (World::new(), World::new());
        put(bin.root());
        let path = format!("{}:/usr/bin:/bin", bin.root());
        let finding = in_time(|| {
            let finding = of_installed(&world, host, &path);
            (!was_late(bin.root())).then_some(finding)
        });
        assert_eq!(finding["status"], "ok", "{finding}");
        let detail = finding["detail"].as_str().expect("words");
        assert!(detail.ends_with("installed, and answers"), "{finding}");
        assert!(!world.root().join(".local").exists(), "{host} has not called");
        assert!(!world.root().join("moim.md").exists(), "{host}");
    }
}

/// What is found of a host whose hooks are installed, with this PATH.
#[track_caller]
pub(super) fn of_installed(world: &World, host: Host, path: &str) -> Value {
    let mut install = world.command(&["hooks", "install", host.as_str()]);
    install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR").env_remove("CODEX_HOME");
    Ran::of(&mut install).ends(0);
    if host == Host::Codex {
        trust(world);
        // Its hooks are called by a login shell, which sets PATH anew.
        fs::write(world.root().join(".profile"), format!("PATH='{path}'\n")).expect("a profile");
    }
    let mut command = command(world, &["--json"]);
    command.env("PATH", path).env("GOOSE_MOIM_MESSAGE_FILE", world.root().join("moim.md"));
    let found = Ran::of(&mut command).answers();
    let of_host = |it: &&Value| {
        it["check"] == "hooks"
            && it["detail"].as_str().is_some_and(|it| it.starts_with(&format!("{host}, user: ")))
    };
    found.iter().find(of_host).unwrap_or_else(|| panic!("{host}: {found:?}")).clone()
}

/// Puts on record that the user of Codex trusts its hooks.
fn trust(world: &World) {
    let path = world.root().join(".codex/hooks.json");
    let trust = ["session_start", "user_prompt_submit", "pre_compact", "stop", "session_end"].map(
        |event| format!("[hooks.state.\"{path}:{event}:0:0\"]\ntrusted_hash = \"sha256:0\"\n"),
    );
    fs::write(world.root().join(".codex/config.toml"), trust.concat()).expect("written");
}

#[test]
fn what_a_hook_puts_into_the_place_of_its_answers_is_neither_waited_for_nor_read_whole() {
    for (host, script) in [
        (Host::Goose, "mkfifo moim.md"),
        (Host::Goose, "ln -s /dev/zero moim.md"),
        (Host::ClaudeCode, "rm -f answer; mkfifo answer"),
        (Host::ClaudeCode, "ln -sf /dev/zero answer"),
    ] {
        let world = World::new();
        put_program(world.root(), "graff-notes", script);
        let path = format!("{}:/usr/bin:/bin", world.root());
        let finding = of_installed(&world, host, &path);
        let detail = word(&finding["detail"]);
        assert!(detail.ends_with("was called, and did not give the note back"), "{finding}");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn what_a_hook_leaves_at_work_ends_with_it() {
    let world = World::new();
    let pid = world.root().join("pid");
    put_program(world.root(), "graff-notes", &format!("sleep 600 & echo $! >'{pid}'"));
    let path = format!("{}:/usr/bin:/bin", world.root());
    let finding = of_installed(&world, Host::ClaudeCode, &path);
    let detail = word(&finding["detail"]);
    assert!(detail.ends_with("was called, and did not give the note back"), "{finding}");
    wait_for_the_end_of(&pid);
}

#[test]
fn a_program_that_never_ends_is_not_waited_for() {
    let world = World::new();
    let mut install = world.command(&["hooks", "install", "claude-code"]);
    Ran::of(install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
    let found = world.root().join("graff-notes");
    fs::write(&found, "#!/bin/sh\nexec sleep 600\n").expect("a program");
    fs::set_permissions(&found, Permissions::from_mode(0o755)).expect("it can be run");
    let path = format!("{}:/usr/bin:/bin", world.root());
    let ran = Ran::of(command(&world, &[]).env("PATH", path)).ends(1);
    assert!(ran.stdout().contains("had not ended after 4 s"), "{ran}");
}
