//! The promise: `hooks install` changes a person's settings by our hooks and nothing else, keeps
//! what was there, and `remove` gives it back.
//!
//! Shown by the built program in a home of its own.

use std::{collections::BTreeMap, fs, os::unix::fs::PermissionsExt, process::Stdio};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::host::hook::Host;
use rustix::fs::XattrFlags;
use serde_json::json;

use super::desk::Desk;
use crate::support::{skipped, world::Ran};

pub(super) const SETTINGS: &str = "{\n   // mine\n   \"model\": \"opus\",\n   \"hooks\": {\n \
\"Stop\":      [{\"hooks\": [{\"type\": \"command\", \"command\": \"say done\"}]}], // theirs\n \
},\n}\n";

/// Where each host's file lies in the home.
pub(super) const FILES: [(Host, &str); 5] = [
    (Host::ClaudeCode, ".claude/settings.json"),
    (Host::Codex, ".codex/hooks.json"),
    (Host::Gemini, ".gemini/settings.json"),
    (Host::Opencode, ".config/opencode/plugins/graff-notes.js"),
    (Host::Goose, ".agents/plugins/graff-notes/plugin.json"),
];

pub(super) fn desk() -> Desk {
    Desk::of(Host::ClaudeCode)
}

#[track_caller]
pub(super) fn hooks(desk: &Desk, args: &[&str]) -> Ran {
    let args = [&["hooks"], args].concat();
    Ran::of(desk.command(&args).current_dir(desk.project()).stdin(Stdio::null()))
}

#[track_caller]
pub(super) fn put(desk: &Desk, path: &str, text: &str) -> Utf8PathBuf {
    let path = desk.home().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
    fs::write(&path, text).expect("written");
    path
}

#[track_caller]
pub(super) fn text(path: &Utf8Path) -> String {
    fs::read_to_string(path).expect("a file")
}

pub(super) fn backup(path: &Utf8Path) -> Utf8PathBuf {
    Utf8PathBuf::from(format!("{path}.before-graff-notes"))
}

/// Every file in the home, with its text.
pub(super) fn home(desk: &Desk) -> BTreeMap<Utf8PathBuf, String> {
    let (mut found, mut folders) = (BTreeMap::new(), vec![desk.home()]);
    while let Some(folder) = folders.pop() {
        for entry in folder.read_dir_utf8().expect("a folder").flatten() {
            let path = entry.into_path();
            if path.is_dir() {
                folders.push(path);
            } else {
                found.insert(path.clone(), text(&path));
            }
        }
    }
    found
}

#[test]
fn settings_get_the_hooks_and_get_rid_of_them_byte_for_byte() {
    for (host, name) in &FILES[..3] {
        let desk = desk();
        let path = put(&desk, name, SETTINGS);
        let before = home(&desk);
        hooks(&desk, &["install", host.as_str()]).quietly();
        let installed = text(&path);
        assert!(installed.contains(&format!("graff-notes hook {host}\"")), "{installed}");
        assert!(
            !installed.contains("/graff-notes"),
            "no path that changes with a build: {installed}"
        );
        assert_eq!(text(&backup(&path)), SETTINGS, "{host}");
        let again = hooks(&desk, &["install", host.as_str()]).quietly();
        assert!(again.stdout().starts_with("as it was\t"), "{again}");
        assert_eq!((text(&path), text(&backup(&path))), (installed, SETTINGS.to_owned()), "{host}");
        hooks(&desk, &["remove", host.as_str()]).quietly();
        assert_eq!(home(&desk), before, "{host}");
    }
}

#[test]
fn where_nothing_was_nothing_stays() {
    for (host, name) in FILES {
        let desk = desk();
        hooks(&desk, &["install", host.as_str()]).quietly();
        assert!(desk.home().join(name).is_file(), "{host}");
        for (name, event) in [("Stop", json!({})), ("session.idle", json!({"sessionID": "s1"}))] {
            let mut payload = desk.payload("s1", name, event);
            payload["type"] = json!(name);
            let mut hook = desk.command(&["hook", host.as_str()]).spawn().expect("it starts");
            let pipe = hook.stdin.as_mut().expect("a pipe");
            std::io::Write::write_all(pipe, payload.to_string().as_bytes()).expect("written");
            Ran::of_child(hook).ends(0);
        }
        hooks(&desk, &["remove", host.as_str()]).quietly();
        let left: Vec<_> = desk.home().read_dir_utf8().expect("a folder").flatten().collect();
        let states: Vec<_> = left.iter().map(camino::Utf8DirEntry::file_name).collect();
        let none_stay = states.is_empty() || states == [".local"];
        assert!(none_stay || !keeps_marks(&desk.home()), "{host}: {states:?}");
        assert_eq!(home(&desk), BTreeMap::new(), "{host}");
        assert!(!desk.home().join(".local/state/graff-notes").exists(), "{host}");
        let again = hooks(&desk, &["remove", host.as_str()]).quietly();
        assert!(again.stdout().starts_with("as it was\t"), "{again}");
    }
}

#[test]
fn folders_that_were_there_before_stay_and_those_that_were_made_go() {
    if !keeps_marks(&desk().home()) {
        return skipped("the file system keeps no marks of folders");
    }
    let of_project = |name: &str| name.replace(".config/opencode", ".opencode");
    for (host, name) in FILES {
        for before in 0..=above(name).len() {
            let desk = desk();
            let user = (desk.home(), name.to_owned(), &[][..]);
            let project = (desk.project(), of_project(name), &["--project"][..]);
            for (roof, name, scope) in [user, project] {
                let folders: Vec<_> = above(&name).iter().map(|it| roof.join(it)).collect();
                let (made, there) = folders.split_at(folders.len().saturating_sub(before));
                there.first().map_or(Ok(()), fs::create_dir_all).expect("the folders are made");
                for action in ["install", "remove", "install", "remove"] {
                    hooks(&desk, &[&[action, host.as_str()], scope].concat()).quietly();
                    assert!(there.iter().all(|folder| folder.is_dir()), "{host}: {there:?}");
                    let are_there = made.iter().any(|folder| folder.exists());
                    assert_eq!(are_there, action == "install" && !made.is_empty(), "{made:?}");
                }
            }
        }
    }
}

/// The folders above a file, the deepest first.
fn above(name: &str) -> Vec<&Utf8Path> {
    Utf8Path::new(name).ancestors().skip(1).filter(|folder| *folder != "").collect()
}

/// Whether a folder can be marked as made by a run of ours.
pub(super) fn keeps_marks(folder: &Utf8Path) -> bool {
    rustix::fs::setxattr(folder.as_std_path(), "user.try", b"1", XattrFlags::empty()).is_ok()
}

#[test]
fn what_the_user_changes_meanwhile_stays() {
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", SETTINGS);
    hooks(&desk, &["install", "claude-code"]).quietly();
    fs::write(&path, text(&path).replace("opus", "sonnet")).expect("written");
    hooks(&desk, &["remove", "claude-code"]).quietly();
    assert_eq!(text(&path), SETTINGS.replace("opus", "sonnet"));
    assert_eq!(text(&backup(&path)), SETTINGS, "what differs from it is not thrown away");
}

#[test]
fn settings_that_were_blank_or_had_an_empty_place_come_back_too() {
    for settings in ["", "\n", "{\"hooks\": {}}\n", "{\"hooks\": {\"Stop\": []}}", "{}"] {
        let desk = desk();
        let path = put(&desk, ".claude/settings.json", settings);
        hooks(&desk, &["install", "claude-code"]).quietly();
        hooks(&desk, &["remove", "claude-code"]).quietly();
        assert_eq!(text(&path), settings);
        assert!(!backup(&path).exists());
    }
}

#[test]
fn what_is_no_settings_file_is_refused_in_words_and_left_alone() {
    let desk = desk();
    let path = put(&desk, ".claude/settings.json", "{\n  \"a\": oops");
    let ran = hooks(&desk, &["install", "claude-code"]).ends(1);
    assert!(ran.stderr().contains("line 2, column 8 is no JSON"), "{ran}");
    assert_eq!(text(&path), "{\n  \"a\": oops");
    fs::write(&path, b"{\"a\": \"\xFF\"}").expect("written");
    let ran = hooks(&desk, &["install", "claude-code"]).ends(1);
    assert!(ran.stderr().contains("it is not UTF-8"), "{ran}");
    fs::remove_file(&path).expect("removed");
    fs::create_dir(&path).expect("a folder");
    let ran = hooks(&desk, &["install", "claude-code"]).ends(1);
    assert!(ran.stderr().contains("it is no plain file"), "{ran}");
    assert!(!backup(&path).exists());
}

#[test]
fn a_read_only_file_is_left_alone() {
    for (host, name) in FILES {
        let desk = desk();
        let lock = |path: &Utf8Path| {
            fs::set_permissions(path, fs::Permissions::from_mode(0o444)).expect("read-only");
        };
        hooks(&desk, &["install", host.as_str()]).quietly();
        let path = desk.home().join(name);
        lock(&path);
        let before = home(&desk);
        let ran = hooks(&desk, &["remove", host.as_str()]).ends(1);
        assert!(ran.stderr().contains("it is read-only"), "{host}: {ran}");
        assert_eq!(home(&desk), before, "{host}");
        // Of a file that is ours there is something to change only where it was edited.
        fs::remove_file(&path).expect("it is there");
        let edited = if name.ends_with("settings.json") || name.ends_with("hooks.json") {
            SETTINGS.to_owned()
        } else {
            format!("{}\n// mine\n", text_of(host, name))
        };
        let path = put(&desk, name, &edited);
        lock(&path);
        let before = home(&desk);
        let ran = hooks(&desk, &["install", host.as_str()]).ends(1);
        assert!(ran.stderr().contains("it is read-only"), "{host}: {ran}");
        assert_eq!(home(&desk), before, "{host}");
    }
}

/// What is put into a host's file where there is none.
#[track_caller]
fn text_of(host: Host, name: &str) -> String {
    let desk = desk();
    hooks(&desk, &["install", host.as_str()]).quietly();
    text(&desk.home().join(name))
}

#[test]
fn a_file_that_speaks_of_our_plugin_is_not_ours() {
    for (host, name) in &FILES[3..] {
        let notes = "// how to: graff-notes hooks install opencode\n// Written by `graff-notes hooks install opencode`\n";
        let desk = desk();
        let path = put(&desk, name, notes);
        hooks(&desk, &["install", host.as_str()]).ends(1);
        hooks(&desk, &["remove", host.as_str()]).quietly();
        assert_eq!(text(&path), notes, "{host}");
    }
}

#[test]
fn what_the_pages_show_to_put_in_by_hand_is_what_is_put_in() {
    for (host, name) in &FILES[..3] {
        let page = format!("{}/docs/hosts/{host}.md", env!("CARGO_MANIFEST_DIR"));
        let page = fs::read_to_string(page).expect("a page");
        let (_, by_hand) = page.split_once("\n## By hand\n").expect("a section");
        assert!(by_hand.contains(&format!("`~/{name}`")), "{host}");
        let (_, shown) = by_hand.split_once("```json\n").expect("settings");
        let (shown, _) = shown.split_once("```\n").expect("their end");
        assert_eq!(shown, text_of(*host, name), "{host}");
    }
}

#[test]
fn a_plugin_of_another_is_not_overwritten() {
    let desk = desk();
    let path = put(&desk, ".config/opencode/plugins/graff-notes.js", "// somebody's own\n");
    let ran = hooks(&desk, &["install", "opencode"]).ends(1);
    assert!(ran.stderr().contains("it is another one's"), "{ran}");
    hooks(&desk, &["remove", "opencode"]).quietly();
    assert_eq!(text(&path), "// somebody's own\n");
}

#[test]
fn codex_is_told_to_trust_and_trust_is_never_written() {
    let desk = desk();
    let config = put(&desk, ".codex/config.toml", "model = \"x\"\n");
    let ran = hooks(&desk, &["install", "codex"]).quietly();
    assert!(ran.stdout().contains("type /hooks, and trust the five"), "{ran}");
    assert_eq!(text(&config), "model = \"x\"\n");
}

#[test]
fn removing_from_settings_that_cannot_be_told_apart_is_refused_and_not_taken_for_done() {
    let desk = desk();
    let twice = "{\"hooks\": {},\n \"hooks\": {}}";
    let path = put(&desk, ".claude/settings.json", twice);
    for action in ["install", "remove"] {
        let ran = hooks(&desk, &[action, "claude-code"]).ends(1);
        assert!(ran.stderr().contains("line 2, column 2 has the key \"hooks\" again"), "{ran}");
        assert_eq!(text(&path), twice);
    }
}

#[test]
fn claude_code_goes_by_the_name_of_its_program_too() {
    let desk = desk();
    hooks(&desk, &["install", "claude"]).quietly();
    let settings = text(&desk.home().join(".claude/settings.json"));
    assert!(settings.contains("graff-notes hook claude-code\""), "{settings}");
    let told = hooks(&desk, &["status", "claude", "--json"]).quietly().json();
    assert_eq!(
        (&told["host"], &told["installed"]["state"]),
        (&json!("claude-code"), &json!("yes"))
    );
    hooks(&desk, &["remove", "claude"]).quietly();
    assert_eq!(home(&desk), BTreeMap::new());
}
