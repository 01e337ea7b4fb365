//! What is asked of the agents themselves: their versions, and whether their hooks come to us by
//! the command that stands in their own settings.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use camino::Utf8Path;
use graff_notes::host::hook::Host;
use serde_json::Value;

use super::{PATH, command, finding, hooks::of_installed};
#[cfg(target_os = "linux")]
use crate::support::wait_until;
use crate::support::{
    found::{in_time, put, put_script, was_late},
    world::{Ran, World},
};

/// Puts a program into a folder.
pub(super) fn put_program(folder: &Utf8Path, name: &str, script: &str) {
    fs::create_dir_all(folder).expect("a folder");
    fs::write(folder.join(name), format!("#!/bin/sh\n{script}\n")).expect("a program");
    fs::set_permissions(folder.join(name), Permissions::from_mode(0o755)).expect("it can be run");
}

/// A project in which Claude Code has our hooks, by another command than ours.
fn world_called_by(called: &str) -> World {
    let world = World::new();
    let mut install = world.command(&["hooks", "install", "claude-code"]);
    Ran::of(install.env("HOME", world.root()).env_remove("CLAUDE_CONFIG_DIR")).ends(0);
    let settings = world.root().join(".claude/settings.json");
    let text = fs::read_to_string(&settings).expect("settings");
    let called = serde_json::to_string(called).expect("a string");
    let ours = "\"graff-notes hook claude-code\"";
    assert!(text.contains(ours), "{text}");
    fs::write(settings, text.replace(ours, &called)).expect("written");
    world
}

/// What is found of the hooks of Claude Code with this PATH.
fn of_claude(world: &World, path: &str) -> Value {
    let found = Ran::of(command(world, &["--json"]).env("PATH", path)).answers();
    let of_claude = |it: &&Value| {
        it["check"] == "hooks"
            && it["detail"].as_str().is_some_and(|detail| detail.starts_with("claude-code, "))
    };
    found.iter().find(of_claude).expect("a finding").clone()
}

#[test]
fn a_hook_is_called_by_the_command_in_the_settings() {
    let bin = World::new();
    let good = bin.root().join("a good one");
    put(&good);
    for called in [
        format!("'{good}/graff-notes' hook claude-code"),
        format!("GRAFF_ROOT=/nowhere '{good}/graff-notes' hook claude"),
    ] {
        let world = world_called_by(&called);
        let before = world.files();
        let finding = in_time(|| {
            let finding = of_claude(&world, PATH);
            (!was_late(&good)).then_some(finding)
        });
        assert_eq!(finding["status"], "ok", "{called}: {finding}");
        assert_eq!(world.files(), before, "{called}");
    }
}

#[test]
fn a_command_that_does_not_work_is_no_better_for_one_in_path_that_does() {
    let (bin, other) = (World::new(), World::new());
    put(bin.root());
    put_script(other.root(), "#!/bin/sh\nexit 9\n");
    let path = format!("{}:{PATH}", bin.root());
    let broken = format!("{}/graff-notes hook claude-code", other.root());
    let world = world_called_by(&broken);
    let finding = of_claude(&world, &path);
    assert_eq!(finding["status"], "failure", "{finding}");
    let detail = finding["detail"].as_str().expect("words");
    assert!(detail.ends_with("ended with exit status: 9"), "{finding}");
    let advice = |world: &World| {
        format!("mend the command in {}", world.root().join(".claude/settings.json"))
    };
    assert_eq!(finding["advice"], advice(&world), "{finding}");
    let world = world_called_by("/no/such/graff-notes hook claude-code");
    for path in [&path, PATH] {
        let lost = of_claude(&world, path);
        let detail = lost["detail"].as_str().expect("words");
        assert!(detail.ends_with("names a program that is not to be found"), "{lost}");
        assert_eq!(lost["advice"], advice(&world), "{lost}");
    }
}

#[test]
fn each_command_in_the_settings_is_called_and_each_that_does_not_work_is_told() {
    let bin = World::new();
    put(bin.root());
    let world = world_called_by(&format!("{}/graff-notes hook claude-code", bin.root()));
    let settings = world.root().join(".claude/settings.json");
    let mut text = fs::read_to_string(&settings).expect("settings");
    for (event, place) in [("Stop", "/gone"), ("SessionStart", "/lost"), ("SessionEnd", "/gone")] {
        let line = text.lines().find(|line| line.contains(&format!("\"{event}\""))).expect("it");
        let other = line.replace(bin.root().as_str(), place);
        text = text.replace(line, &other);
    }
    fs::write(&settings, text).expect("written");
    let found = in_time(|| {
        let found = Ran::of(command(&world, &["--json"]).env("PATH", PATH)).answers();
        (!was_late(bin.root())).then_some(found)
    });
    let of_claude = |it: &&Value| {
        it["check"] == "hooks"
            && it["detail"].as_str().is_some_and(|it| it.starts_with("claude-code, "))
    };
    let mut told: Vec<_> = found
        .iter()
        .filter(of_claude)
        .map(|it| (it["status"].as_str(), it["detail"].as_str()))
        .collect();
    told.sort_unstable();
    let said = ["/gone", "/lost"].map(|place| {
        format!(
            "claude-code, user: `{place}/graff-notes ***` names a program that is not to be found"
        )
    });
    assert_eq!(told, [(Some("failure"), Some(&*said[0])), (Some("failure"), Some(&*said[1]))]);
}

#[test]
fn no_more_commands_are_called_than_there_are_events() {
    let (world, bin) = (World::new(), World::new());
    put_script(bin.root(), "#!/bin/sh\necho >>\"${0%/*}/called\"\nexit 9\n");
    let lines: Vec<_> = (0..9)
        .map(|n| {
            format!(
                "{{\"command\": \"{}/graff-notes hook claude-code --percent {n}0\"}}",
                bin.root()
            )
        })
        .collect();
    let group = format!("[{{\"hooks\": [{}]}}]", lines.join(", "));
    let events =
        ["SessionStart", "UserPromptSubmit", "PreCompact", "PostCompact", "Stop", "SessionEnd"]
            .map(|event| format!("\"{event}\": {group}"));
    let settings = format!("{{\"hooks\": {{{}}}}}", events.join(", "));
    fs::create_dir_all(world.root().join(".claude")).expect("a folder");
    fs::write(world.root().join(".claude/settings.json"), settings).expect("written");
    let ran = Ran::of(&mut command(&world, &["--json"]));
    assert!(
        ran.stdout().contains("claude-code, user: installed, and 3 more commands are not called")
    );
    let called = fs::read_to_string(bin.root().join("called")).expect("calls");
    assert_eq!(called.lines().count(), 6);
}

#[test]
fn a_command_that_names_its_root_is_not_called_since_no_note_of_ours_is_there() {
    let bin = World::new();
    put_script(bin.root(), "#!/bin/sh\n: >\"${0%/*}/called\"\n");
    let world = world_called_by("graff-notes hook claude-code --root /notes");
    let finding = of_claude(&world, &format!("{}:{PATH}", bin.root()));
    assert_eq!(finding["status"], "warning", "{finding}");
    assert!(finding["detail"].as_str().is_some_and(|it| it.ends_with("names its root")));
    assert!(!bin.root().join("called").exists());
}

#[test]
fn a_line_that_only_tries_is_told_and_counts_for_nothing() {
    let bin = World::new();
    put_script(bin.root(), "#!/bin/sh\n: >\"${0%/*}/called\"\n");
    let world = world_called_by("graff-notes hook claude-code --dry-run");
    let found = Ran::of(command(&world, &["--json"]).env("PATH", bin.root())).ends(0).answers();
    let told: Vec<_> = found.iter().filter(|it| it["check"] == "hooks").collect();
    let [trial, none] = told[..] else { panic!("{told:?}") };
    let detail = trial["detail"].as_str().expect("words");
    assert!(detail.starts_with("claude-code, user: a trial on "), "{trial}");
    assert!(detail.ends_with(", with `--dry-run`, which keeps nothing"), "{trial}");
    let settings = world.root().join(".claude/settings.json");
    let advice = format!("take `--dry-run` out of that line in {settings}");
    assert_eq!((&trial["status"], &trial["advice"]), (&"warning".into(), &advice.into()));
    assert_eq!(none["detail"], "no hooks installed for any agent");
    assert!(!bin.root().join("called").exists(), "it would show what it would do");
}

#[test]
fn a_command_is_told_without_what_may_be_a_secret() {
    let bin = World::new();
    put_script(bin.root(), "#!/bin/sh\nexit 9\n");
    let world = world_called_by("KEY=s3cret graff-notes hook claude-code");
    let finding = of_claude(&world, &format!("{}:{PATH}", bin.root()));
    assert_eq!(finding["status"], "failure");
    let detail = finding["detail"].as_str().expect("words");
    assert!(detail.ends_with("ended with exit status: 9"), "it was called: {finding}");
    assert!(!finding.to_string().contains("s3cret"), "{finding}");
}

#[test]
fn codex_finds_what_a_login_shell_of_the_user_finds() {
    let (world, bin) = (World::new(), World::new());
    put(bin.root());
    let path = format!("{}:/usr/bin:/bin", bin.root());
    let of_codex = || {
        in_time(|| {
            let finding = of_installed(&world, Host::Codex, &path);
            (!was_late(bin.root())).then_some(finding)
        })
    };
    assert_eq!(of_codex()["status"], "ok");
    let asked = |profile: &str, shell: &str| {
        fs::write(world.root().join(".profile"), profile).expect("a profile");
        let mut doctor = command(&world, &["--json"]);
        let found = Ran::of(doctor.env("PATH", &path).env("SHELL", shell)).answers();
        let of_codex =
            |it: &&Value| it["detail"].as_str().is_some_and(|it| it.starts_with("codex, "));
        found.iter().find(of_codex).expect("a finding").clone()
    };
    let says = |finding: &Value, what: &str, advice: &str| {
        assert_eq!(finding["status"], "failure", "{finding}");
        assert!(finding["detail"].as_str().is_some_and(|it| it.ends_with(what)), "{finding}");
        assert!(finding["advice"].as_str().is_some_and(|it| it.contains(advice)), "{finding}");
    };
    let lost = asked("PATH=/usr/bin:/bin\n", "/bin/sh");
    says(&lost, "is not to be found", "into the PATH that your shell's profile sets");
    let lost = asked("", "/no/such/fish");
    says(
        &lost,
        "needs the shell /no/such/fish, which is not to be found",
        "let the variable SHELL",
    );
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

#[test]
fn hooks_whose_agent_is_not_in_path_are_told() {
    let world = world_called_by("graff-notes hook claude-code");
    let found = Ran::of(&mut command(&world, &["--json"])).answers();
    let words = "claude-code: has hooks of ours, and no folder in PATH has `claude`";
    let hint = found.iter().find(|it| it["detail"] == words).expect("it is told");
    assert_eq!(hint["status"], "hint", "{hint}");
    let (bin, path) = (World::new(), |bin: &World| format!("{}:{PATH}", bin.root()));
    put_program(bin.root(), "claude", "echo 1.0");
    let found = Ran::of(command(&world, &["--json"]).env("PATH", path(&bin))).answers();
    assert!(!found.iter().any(|it| it["detail"] == words), "{found:?}");
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
