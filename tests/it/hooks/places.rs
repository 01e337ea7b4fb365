//! The promise: the hooks go where the agent looks for them, and nowhere else: variables, links and
//! the project say where.
//!
//! Shown by the built program in a home of its own.

use std::{
    collections::BTreeMap,
    ffi::OsStr,
    fs,
    os::unix::{
        ffi::OsStrExt,
        fs::{PermissionsExt, symlink},
    },
    process::Stdio,
};

use graff_notes::host::hook::Host;
use serde_json::json;

use super::{
    desk::Desk,
    installs::{SETTINGS, desk, home, hooks, keeps_marks, put, text},
};
use crate::support::world::Ran;

#[test]
fn a_link_is_followed_and_stays_and_rights_do_too() {
    let desk = desk();
    let target = put(&desk, "dotfiles/claude.json", SETTINGS);
    fs::set_permissions(&target, fs::Permissions::from_mode(0o600)).expect("private");
    fs::create_dir_all(desk.home().join(".claude")).expect("a folder");
    let link = desk.home().join(".claude/settings.json");
    symlink("../dotfiles/claude.json", &link).expect("a link");
    hooks(&desk, &["install", "claude-code"]).quietly();
    assert!(fs::symlink_metadata(&link).expect("a link").is_symlink());
    assert!(text(&target).contains("graff-notes hook claude-code"));
    let mode = fs::metadata(&target).expect("a file").permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    hooks(&desk, &["remove", "claude-code"]).quietly();
    assert_eq!(text(&target), SETTINGS);
    fs::remove_file(&target).expect("removed");
    let ran = hooks(&desk, &["install", "claude-code"]).ends(1);
    assert!(ran.stderr().contains("a link that leads nowhere"), "{ran}");
}

#[test]
fn no_link_leads_out_of_a_project() {
    for (host, folder, name) in [
        ("claude-code", ".claude", "settings.json"),
        ("codex", ".codex", "hooks.json"),
        ("gemini", ".gemini", "settings.json"),
        ("opencode", ".opencode", "plugins/graff-notes.js"),
        ("goose", ".agents", "plugins/graff-notes/plugin.json"),
    ] {
        for link in [folder.to_owned(), format!("{folder}/{name}")] {
            let desk = desk();
            let before = put(&desk, "elsewhere/settings.json", SETTINGS);
            let target = if link == folder { before.parent().expect("a folder") } else { &before };
            let link = desk.project().join(link);
            fs::create_dir_all(link.parent().expect("a folder")).expect("the folder is made");
            symlink(target, &link).expect("a link");
            let ran = hooks(&desk, &["install", host, "--project"]).ends(1);
            assert!(ran.stderr().contains("out of the project"), "{host}: {ran}");
            let elsewhere = home(&desk);
            assert_eq!(elsewhere.get(&before).map(String::as_str), Some(SETTINGS), "{host}");
            assert_eq!(elsewhere.len(), 1, "{host}: {elsewhere:?}");
        }
    }
}

#[test]
fn the_hosts_own_variables_and_the_project_say_where() {
    let desk = Desk::of(Host::Codex);
    let elsewhere = desk.home().join("elsewhere");
    let desk = desk
        .with("CODEX_HOME", elsewhere.as_str())
        .with("CLAUDE_CONFIG_DIR", elsewhere.as_str())
        .with("XDG_CONFIG_HOME", elsewhere.as_str());
    for host in ["codex", "claude-code", "opencode"] {
        hooks(&desk, &["install", host]).quietly();
    }
    for name in ["hooks.json", "settings.json", "opencode/plugins/graff-notes.js"] {
        assert!(elsewhere.join(name).is_file(), "{name}");
    }
    hooks(&desk, &["install", "gemini", "--project"]).quietly();
    assert!(desk.project().join(".gemini/settings.json").is_file());
}

#[test]
fn a_variable_that_is_not_utf_8_is_refused_and_no_other_place_is_changed() {
    let desk = desk();
    let odd = OsStr::from_bytes(b"/tmp/caf\xe9");
    for (host, variable) in [
        ("claude-code", "CLAUDE_CONFIG_DIR"),
        ("codex", "CODEX_HOME"),
        ("opencode", "OPENCODE_CONFIG_DIR"),
        ("opencode", "XDG_CONFIG_HOME"),
        ("gemini", "HOME"),
    ] {
        for verb in ["install", "remove"] {
            let mut command = desk.command(&["hooks", verb, host]);
            let ran = Ran::of(command.stdin(Stdio::null()).env(variable, odd)).ends(2);
            let why = format!(", which {variable} names: it is not UTF-8");
            assert!(ran.stderr().contains(&why), "{ran}");
            assert_eq!(home(&desk), BTreeMap::new(), "{verb} {host}");
        }
    }
}

#[test]
fn without_a_home_the_projects_hooks_are_told_and_taken_out_all_the_same() {
    let desk = desk();
    let homeless = |args: &[&str]| {
        let args = [&["hooks"], args].concat();
        let mut command = desk.command(&args);
        Ran::of(command.current_dir(desk.project()).stdin(Stdio::null()).env_remove("HOME"))
    };
    assert_eq!(homeless(&["status"]).quietly().stdout(), "");
    homeless(&["install", "claude-code", "--project"]).quietly();
    let told = homeless(&["status", "--json"]).quietly().json();
    assert_eq!((&told["host"], &told["scope"]), (&json!("claude-code"), &json!("project")));
    let ran = homeless(&["remove", "claude-code", "--project"]).quietly();
    assert!(ran.stdout().starts_with("removed from\t"), "{ran}");
    assert!(!desk.project().join(".claude").exists() || !keeps_marks(&desk.project()));
}
