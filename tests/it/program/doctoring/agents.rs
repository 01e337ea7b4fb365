//! What is asked of the agents themselves: their versions, within bounds of time and room.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use camino::Utf8Path;
use serde_json::Value;

use super::{PATH, command, finding};
#[cfg(target_os = "linux")]
use crate::support::wait_until;
use crate::support::world::{Ran, World};

/// Puts a program into a folder.
pub(super) fn put_program(folder: &Utf8Path, name: &str, script: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).expect("a program");
    fs::set_permissions(folder.join(name), Permissions::from_mode(0o755)).expect("it can be run");
}

#[test]
fn every_agent_in_path_is_asked_for_its_version_and_the_others_are_named() {
    let (world, bin) = (World::new(), World::new());
    put_program(bin.root(), "claude", "echo; echo '9.9.9 (Claude Code)'; echo more");
    put_program(bin.root(), "codex", "echo 'codex-cli 8.8.8'; sleep 5 &");
    put_program(bin.root(), "gemini", "exit 3");
    fs::write(bin.root().join("opencode"), "#!/no/such/interpreter\n").expect("a program");
    fs::set_permissions(bin.root().join("opencode"), Permissions::from_mode(0o755))
        .expect("it can be run");
    let before = world.files();
    // Of the system's own programs those that these need, and no agent that is installed here.
    std::os::unix::fs::symlink("/bin/sleep", bin.root().join("sleep")).expect("a link");
    let mut doctor = command(&world, &["--json"]);
    let found = Ran::of(doctor.env("PATH", bin.root())).ends(0).answers();
    let found = found.iter().filter(|finding| finding["check"] == "agents");
    let found: Vec<_> = found.map(|it| (it["status"].as_str(), it["detail"].as_str())).collect();
    let expected = [
        ("ok", "claude-code: `claude --version` says 9.9.9 (Claude Code)"),
        ("ok", "codex: `codex --version` says codex-cli 8.8.8"),
        ("warning", "gemini: `gemini --version` ended with exit status: 3"),
        (
            "warning",
            "opencode: `opencode --version` cannot be run: No such file or directory (os error 2)",
        ),
        ("ok", "goose: no folder in PATH has `goose`"),
    ];
    assert_eq!(found, expected.map(|(status, detail)| (Some(status), Some(detail))));
    assert_eq!(world.files(), before);
}

#[test]
fn what_is_no_program_is_no_agent_and_a_relative_path_leads_to_one_all_the_same() {
    let world = World::new();
    let bin = world.root().join("bin");
    put_program(&bin, "goose", "echo 1.0");
    fs::create_dir(bin.join("claude")).expect("a folder");
    fs::write(bin.join("gemini"), "").expect("a file that may not be run");
    let made = std::process::Command::new("mkfifo").arg(bin.join("codex")).status();
    assert!(made.expect("it runs").success());
    let mut doctor = command(&world, &["--json"]);
    let found = Ran::of(doctor.env("PATH", "bin")).ends(0).answers();
    let found: Vec<_> = found.iter().filter(|it| it["check"] == "agents").collect();
    let none = |host, program| format!("{host}: no folder in PATH has `{program}`");
    let expected = [
        none("claude-code", "claude"),
        none("codex", "codex"),
        none("gemini", "gemini"),
        none("opencode", "opencode"),
        "goose: `goose --version` says 1.0".to_owned(),
    ];
    let details: Vec<_> = found.iter().filter_map(|it| it["detail"].as_str()).collect();
    assert_eq!(details, expected);
    assert!(found.iter().all(|it| it["status"] == "ok"), "{found:?}");
}

/// The one agent that is there, and what is found of it.
#[track_caller]
fn of_version(world: &World, script: &str) -> Value {
    let bin = World::new();
    put_program(bin.root(), "goose", script);
    let path = format!("{}:{PATH}", bin.root());
    let mut doctor = world.command_within_kib(48 * 1024, &["doctor", "--json"]);
    doctor.env("HOME", world.root()).env("PATH", path);
    let found = Ran::of(&mut doctor).ends(0).answers();
    let of_goose =
        |it: &&Value| it["detail"].as_str().is_some_and(|it| it.starts_with("goose: `goose"));
    found.iter().find(of_goose).unwrap_or_else(|| panic!("{found:?}")).clone()
}

#[test]
fn no_more_is_kept_of_what_an_agent_prints_than_a_bound() {
    let world = World::new();
    let printing = |bytes: u32| format!("head -c {bytes} /dev/zero | tr '\\0' '\\n'; echo 1.0");
    let within = of_version(&world, &printing(64 * 1024 - 4));
    assert_eq!(within["detail"], "goose: `goose --version` says 1.0");
    for script in [printing(64 * 1024 - 3), "exec cat /dev/zero".to_owned()] {
        let beyond = of_version(&world, &script);
        assert_eq!(beyond["detail"], "goose: `goose --version` prints more than 64.0 KiB");
        assert_eq!(beyond["status"], "warning");
    }
}

#[test]
fn nothing_that_an_agent_does_in_its_folder_is_waited_for() {
    let world = World::new();
    for thing in ["mkfifo goose answer", "ln -s /dev/zero goose; ln -s /dev/zero answer"] {
        let finding = of_version(&world, &format!("rm -f goose; {thing}; echo 1.0"));
        assert_eq!(finding["detail"], "goose: `goose --version` says 1.0", "{thing}");
    }
}

#[test]
fn what_an_agent_says_steers_no_terminal_that_reads_the_pipe() {
    let (world, bin) = (World::new(), World::new());
    put_program(bin.root(), "goose", r"printf '1.0\033[2J\a\r\177\302\233\\x\n'");
    let path = format!("{}:{PATH}", bin.root());
    let doctor = |args: &[&str]| {
        let mut command = command(&world, args);
        command.env("PATH", &path);
        command
    };
    let [piped, shown] = [
        Ran::of(&mut doctor(&[])).ends(0),
        World::typing(200, "", doctor(&["--color", "never"])).ends(0),
    ];
    let escaped = r"says 1.0\u{1b}[2J\u{7}\r\u{7f}\u{9b}";
    for ran in [&piped, &shown] {
        assert!(ran.stdout().contains(escaped), "{ran}");
        let others = ran.stdout().replace("\r\n", "\n");
        assert!(!others.contains(|c: char| c.is_control() && !"\n\t".contains(c)), "{ran}");
    }
    assert!(piped.stdout().contains(r"\\x"), "the escapes can be told from what stood there");
    let finding = Ran::of(&mut doctor(&["--json"])).answers();
    let said = "goose: `goose --version` says 1.0\u{1b}[2J\u{7}\r\u{7f}\u{9b}\\x";
    assert!(finding.iter().any(|it| it["detail"] == said), "{finding:?}");
}

#[cfg(target_os = "linux")]
#[test]
fn an_agent_that_does_not_answer_is_ended_with_all_that_it_has_started() {
    let (world, bin) = (World::new(), World::new());
    let pid = bin.root().join("pid");
    put_program(bin.root(), "goose", &format!("sleep 600 & echo $! >'{pid}'; wait"));
    let path = format!("{}:{PATH}", bin.root());
    let found = Ran::of(command(&world, &["--json"]).env("PATH", &path)).ends(0).answers();
    let words = "goose: `goose --version` had not ended after 5 s";
    assert!(found.iter().any(|it| it["detail"] == words && it["status"] == "warning"), "{found:?}");
    assert_eq!(finding(&found, "sync")["status"], "ok");
    wait_for_the_end_of(&pid);
}

#[cfg(target_os = "linux")]
#[test]
fn what_an_agent_leaves_at_work_ends_with_it() {
    let (world, bin) = (World::new(), World::new());
    for then in ["", "; exit 3", "; exec cat /dev/zero"] {
        let pid = bin.root().join("pid");
        of_version(&world, &format!("sleep 600 & echo $! >'{pid}'; echo 1.0{then}"));
        wait_for_the_end_of(&pid);
        fs::remove_file(pid).expect("it is there");
    }
}

/// Waits until the process has ended whose number stands in a file.
#[cfg(target_os = "linux")]
#[track_caller]
pub(super) fn wait_for_the_end_of(pid: &Utf8Path) {
    let pid: u32 = fs::read_to_string(pid).expect("a file").trim().parse().expect("a number");
    // One that has ended and that nobody has asked about has no command any more.
    let is_at_work =
        || fs::read(format!("/proc/{pid}/cmdline")).is_ok_and(|command| !command.is_empty());
    wait_until("what it has started ends", || !is_at_work());
}
