//! The promise: `hooks status` says of each agent whether it has the hooks, can call them, and did.
//!
//! Shown by the built program in a home of its own.

use std::{
    ffi::OsStr,
    fs::{self, Permissions},
    os::unix::{ffi::OsStrExt, fs::PermissionsExt},
    process::Stdio,
};

use camino::Utf8Path;
use graff_notes::host::hook::Host;
use rustix::fs::{CWD, FileType, Mode, mknodat};
use serde_json::{Value, json};

use super::{
    desk::Desk,
    installs::{desk, hooks, put, text},
};
use crate::support::world::{Ran, World};

#[track_caller]
fn status(desk: &Desk, host: &str) -> Value {
    hooks(desk, &["status", host, "--json"]).ends(0).json()
}

/// The same desk with the program in its PATH.
fn with_program(desk: Desk) -> Desk {
    let program = Utf8Path::new(env!("CARGO_BIN_EXE_graff-notes"));
    desk.with("PATH", program.parent().expect("a folder").as_str())
}

#[test]
fn status_says_installed_trusted_reachable_and_last_called() {
    let desk = desk();
    let before = status(&desk, "codex");
    assert_eq!(before["installed"], json!({"state": "no"}));
    assert_eq!(before["last_called"], Value::Null);
    assert_eq!((&before["trusted"], &before["reachable"]), (&Value::Null, &Value::Null));
    hooks(&desk, &["install", "codex"]).quietly();
    let installed = status(&desk, "codex");
    assert_eq!(
        (&installed["installed"], &installed["trusted"]),
        (&json!({"state": "yes"}), &json!(false))
    );
    let path = desk.home().join(".codex/hooks.json");
    let trust = ["session_start", "user_prompt_submit", "pre_compact", "stop", "session_end"].map(
        |event| format!("[hooks.state.\"{path}:{event}:0:0\"]\ntrusted_hash = \"sha256:0\"\n"),
    );
    put(&desk, ".codex/config.toml", &trust.concat());
    assert_eq!(status(&desk, "codex")["trusted"], json!(true));
    let codex = json!({"hook_event_name": "Stop", "session_id": "s1", "cwd": desk.project()});
    let mut hook = desk.command(&["hook", "codex"]).spawn().expect("it starts");
    std::io::Write::write_all(hook.stdin.as_mut().expect("a pipe"), codex.to_string().as_bytes())
        .expect("written");
    Ran::of_child(hook).ends(0);
    let called = status(&desk, "codex");
    assert_eq!(called["last_called"]["event"], "Stop");
    assert!(called["last_called"]["at"].as_u64().expect("a time") > 1_700_000_000_000);
    let bin = put(&desk, "bin/graff-notes", "");
    fs::set_permissions(&bin, Permissions::from_mode(0o755)).expect("a mode");
    let folder = bin.parent().expect("a folder").to_owned();
    let desk = desk.with("PATH", folder.as_str());
    assert_eq!(status(&desk, "codex")["reachable"], bin.as_str());
}

#[test]
fn status_shows_every_host_a_row_and_what_is_missing() {
    let desk = desk();
    hooks(&desk, &["install", "claude-code"]).quietly();
    let path = desk.home().join(".claude/settings.json");
    let without = text(&path).replace("\"PreCompact\"", "\"Elsewhere\"");
    fs::write(&path, without).expect("written");
    put(&desk, ".gemini/settings.json", "oops");
    let ran = hooks(&desk, &["status"]).ends(1);
    assert!(ran.stderr().contains("could not tell whether gemini has the hooks, in "), "{ran}");
    let rows: Vec<Vec<&str>> = ran.stdout().lines().map(|row| row.split('\t').collect()).collect();
    let column = |at: usize| rows.iter().map(|row| row[at]).collect::<Vec<_>>();
    assert_eq!(column(0), ["claude-code", "codex", "gemini", "opencode", "goose"]);
    assert_eq!(column(2)[..3], ["without PreCompact", "no", "unreadable"]);
    assert!(ran.stderr().contains("line 1, column 1 is no JSON"), "{ran}");
    assert_eq!(column(4), ["no"; 5], "the program is in no folder of PATH: {ran}");
    hooks(&desk, &["install", "codex", "--project"]).quietly();
    let both = hooks(&desk, &["status", "codex", "--json"]).ends(0);
    let scopes: Vec<_> = both.answers().iter().map(|row| row["scope"].clone()).collect();
    assert_eq!(scopes, ["user", "project"]);
}

#[test]
fn trust_is_read_from_what_codex_has_on_record_and_from_nothing_that_looks_like_it() {
    let desk = desk();
    hooks(&desk, &["install", "codex"]).quietly();
    let path = desk.home().join(".codex/hooks.json");
    let events = ["session_start", "user_prompt_submit", "pre_compact", "stop", "session_end"];
    let lines = |before: &str, after: &str| {
        let line = |event| format!("{before}hooks.state.\"{path}:{event}:0:0\"{after}\n");
        events.map(line).concat()
    };
    let hash = "trusted_hash = \"sha256:0\"";
    for (config, trusted) in [
        (lines("[", &format!("]\n{hash}")), true),
        (lines("", &format!(" = {{ {hash} }}")), true),
        (lines("# [", "]"), false),
        (format!("note = '''\n{}'''\n", lines("[", "]")), false),
    ] {
        put(&desk, ".codex/config.toml", &config);
        assert_eq!(status(&desk, "codex")["trusted"], json!(trusted), "{config}");
    }
}

#[test]
fn trust_for_another_ones_hook_is_none_for_ours() {
    let desk = desk();
    let theirs =
        r#"{"hooks": {"Stop": [{"hooks": [{"type": "command", "command": "say done"}]}]}}"#;
    let path = put(&desk, ".codex/hooks.json", theirs);
    hooks(&desk, &["install", "codex"]).quietly();
    let trust = |stop: &str| {
        let keys = [
            "session_start:0:0",
            "user_prompt_submit:0:0",
            "pre_compact:0:0",
            "session_end:0:0",
            stop,
        ];
        let line = |key| format!("[hooks.state.\"{path}:{key}\"]\ntrusted_hash = \"sha256:0\"\n");
        put(&desk, ".codex/config.toml", &keys.map(line).concat());
        status(&desk, "codex")["trusted"].clone()
    };
    assert_eq!(trust("stop:0:0"), json!(false), "that is the other one's");
    assert_eq!(trust("stop:1:0"), json!(true), "ours stands behind it");
    assert_eq!(trust("stop:1:00"), json!(false), "a key is a whole");
}

#[test]
fn what_may_not_be_run_is_no_program_that_an_agent_reaches() {
    let desk = desk();
    hooks(&desk, &["install", "claude-code"]).quietly();
    let plain = put(&desk, "first/graff-notes", "");
    let folder = |path: &Utf8Path| path.parent().expect("a folder").to_owned();
    let with = |desk: Desk, path: String| desk.with("PATH", path);
    let desk = with(desk, folder(&plain).into_string());
    assert_eq!(status(&desk, "claude-code")["reachable"], Value::Null);
    let program = put(&desk, "second/graff-notes", "");
    fs::set_permissions(&program, Permissions::from_mode(0o755)).expect("a mode");
    let both = format!("{}:{}", folder(&plain), folder(&program));
    let desk = with(desk, both);
    assert_eq!(status(&desk, "claude-code")["reachable"], program.as_str());
}

#[test]
fn hooks_that_the_host_was_told_not_to_run_are_told_apart_from_those_that_it_runs() {
    let codex = "[features]\nhooks = false\n";
    for (host, file, text, key) in [
        ("claude-code", ".claude/settings.json", r#"{"disableAllHooks": true}"#, "disableAllHooks"),
        (
            "gemini",
            ".gemini/settings.json",
            r#"{"hooksConfig": {"enabled": false}}"#,
            "hooksConfig.enabled",
        ),
        ("codex", ".codex/config.toml", codex, "features.hooks"),
    ] {
        let desk = desk();
        put(&desk, file, text);
        hooks(&desk, &["install", host]).quietly();
        assert_eq!(status(&desk, host)["switched_off"], key);
        let shown = hooks(&desk, &["status", host]).ends(0);
        assert!(shown.stdout().contains("\tyes, switched off\t"), "{shown}");
        let desk = with_program(desk);
        let doctor = Ran::of(desk.command(&["doctor"]).current_dir(desk.project()));
        let said = format!("{host}, user: installed, and switched off by `{key}`");
        assert!(doctor.stdout().contains(&said), "{doctor}");
        put(
            &desk,
            file,
            &text.replace("true", "FALSE").replace("false", "true").replace("FALSE", "false"),
        );
        hooks(&desk, &["install", host]).quietly();
        assert_eq!(status(&desk, host)["switched_off"], Value::Null, "{host}");
    }
}

#[test]
fn an_installation_that_does_not_work_yet_says_why_and_what_to_do() {
    let works = "It works from the next session on; ";
    let unreachable = "No folder in PATH has graff-notes, and claude-code won't find it: put it";
    let off = "`disableAllHooks` keeps claude-code from running any hook: take it out of ";
    let said = |desk: &Desk, args: &[&str]| {
        let args = [&["install", "claude-code"], args].concat();
        let shown = hooks(desk, &args).quietly();
        let next = hooks(desk, &[&args[..], &["--json"]].concat()).quietly().json();
        let next = next["next"].as_str().expect("words").to_owned();
        assert!(shown.stdout().ends_with(&format!("{next}\n")), "{shown}");
        assert!(hooks(desk, &args).quietly().stdout().ends_with(&format!("{next}\n")), "again");
        next
    };
    for args in [&[][..], &["--project"]] {
        for is_off in [false, true] {
            for is_there in [false, true] {
                let desk = if is_there { with_program(desk()) } else { desk() };
                if is_off {
                    put(&desk, ".claude/settings.json", r#"{"disableAllHooks": true}"#);
                }
                let next = said(&desk, args);
                let users = desk.home().join(".claude/settings.json");
                let off = format!("{off}{users}.");
                let told = (next.contains(works), next.contains(unreachable), next.contains(&off));
                assert_eq!(told, (is_there && !is_off, !is_there, is_off), "{args:?}: {next}");
                let then = next.ends_with("Then it works from the next session on.");
                assert_eq!(then, !told.0, "{next}");
            }
        }
    }
    let codex = hooks(&desk(), &["install", "codex"]).quietly();
    let (path, trust) = ("No folder in PATH has graff-notes", "type /hooks, and trust the five");
    assert!(codex.stdout().contains(path) && codex.stdout().contains(trust), "{codex}");
}

#[test]
fn where_the_settings_name_the_programs_place_path_need_not_have_it() {
    for (command, is_called_by_name) in [
        ("/opt/graff-notes hook claude-code", false),
        ("GRAFF_PERCENT=60 '/opt/my tools/graff-notes' hook claude-code", false),
        ("GRAFF_PERCENT=60 graff-notes hook claude-code", true),
    ] {
        let desk = desk();
        hooks(&desk, &["install", "claude-code"]).quietly();
        let path = desk.home().join(".claude/settings.json");
        let others = text(&path).replace("graff-notes hook claude-code", command);
        fs::write(&path, &others).expect("written");
        let ran = hooks(&desk, &["install", "claude-code"]).quietly();
        assert!(ran.stdout().starts_with("as it was\t"), "{ran}");
        assert_eq!(ran.stdout().contains("won't find it"), is_called_by_name, "{ran}");
        // A single one that leaves it to PATH is one too many.
        fs::write(&path, others.replacen(command, "graff-notes hook claude-code", 1))
            .expect("written");
        let ran = hooks(&desk, &["install", "claude-code"]).quietly();
        assert!(ran.stdout().contains("won't find it"), "{ran}");
    }
}

#[test]
fn the_file_is_named_in_which_the_agent_was_told_to_run_no_hook() {
    let (off, codex) = (r#"{"disableAllHooks": true}"#, "[features]\nhooks = false\n");
    let desk = desk();
    let config = put(&desk, ".codex/config.toml", codex);
    put(&desk, "../project/.claude/settings.json", off);
    let project = desk.project().join(".claude/settings.json");
    for (host, file) in [("claude-code", &project), ("codex", &config)] {
        let ran = hooks(&desk, &["install", host, "--project"]).quietly();
        let said = format!("take it out of {file}.");
        assert_eq!(ran.stdout().matches(&said).count(), 1, "{ran}");
    }
}

#[test]
fn where_codexs_trust_cannot_be_read_that_is_said_and_nothing_waits() {
    let desk = desk();
    hooks(&desk, &["install", "codex"]).quietly();
    let config = desk.home().join(".codex/config.toml");
    let pipe =
        || mknodat(CWD, config.as_std_path(), FileType::Fifo, Mode::RWXU, 0).expect("a pipe");
    let broken = || fs::write(&config, "model = ").expect("written");
    let stray = || fs::write(&config, b"model = \"\xFF\"\n").expect("written");
    let large = || fs::write(&config, "#".repeat(5 << 20)).expect("written");
    let things: [&dyn Fn(); 4] = [&pipe, &broken, &stray, &large];
    for put in things {
        put();
        let ran = hooks(&desk, &["status", "codex", "--json"]).ends(1);
        assert_eq!(ran.json()["trusted"], Value::Null, "{ran}");
        assert!(ran.stderr().contains("could not tell whether codex trusts the hooks"), "{ran}");
        let shown = hooks(&desk, &["status", "codex"]).ends(1);
        assert!(shown.stdout().contains("\tyes\tunknown\t"), "{shown}");
        let doctor = Ran::of(desk.command(&["doctor"]).current_dir(desk.project()));
        assert!(!doctor.stdout().contains("not trusted"), "{doctor}");
        fs::remove_file(&config).expect("it is there");
    }
    pipe();
    hooks(&desk, &["remove", "codex"]).quietly();
}

#[test]
fn a_host_whose_settings_are_nowhere_that_can_be_named_is_told_of_all_the_same() {
    let desk = desk();
    let mut command = desk.command(&["hooks", "status"]);
    command.current_dir(desk.project()).stdin(Stdio::null());
    let ran = Ran::of(command.env("CODEX_HOME", OsStr::from_bytes(b"/tmp/caf\xe9"))).ends(1);
    let hosts: Vec<_> = ran.stdout().lines().filter_map(|row| row.split('\t').next()).collect();
    assert_eq!(hosts, ["claude-code", "codex", "gemini", "opencode", "goose"]);
    let said = "could not tell whether codex has the hooks: ";
    assert!(ran.stderr().contains(said), "{ran}");
    assert!(ran.stderr().contains("which CODEX_HOME names: it is not UTF-8"), "{ran}");
    let mut command = desk.command(&["doctor"]);
    command.current_dir(desk.project()).env("CODEX_HOME", OsStr::from_bytes(b"/tmp/caf\xe9"));
    let doctor = Ran::of(&mut command);
    assert!(doctor.stdout().contains("which CODEX_HOME names: it is not UTF-8"), "{doctor}");
}

#[test]
fn no_path_is_cut_however_narrow_the_terminal_is() {
    let desk = Desk::of(Host::ClaudeCode);
    let narrow = |args: &[&str]| {
        let mut command = desk.command(&[&["hooks"], args].concat());
        command.current_dir(desk.project()).stdin(Stdio::null());
        World::typing(40, "", command).ends(0).stdout().to_owned()
    };
    let settings = desk.home().join(".config/opencode/plugins/graff-notes.js");
    for args in [&["install", "opencode"][..], &["status"], &["remove", "opencode"]] {
        let shown = narrow(args);
        assert!(shown.contains(settings.as_str()), "{args:?}: {shown}");
        assert!(!shown.contains('…'), "{args:?}: {shown}");
    }
}
