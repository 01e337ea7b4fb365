//! Whether the hooks of the agents come to us by the command that stands in their own settings.

use std::fs;

use graff_notes::host::hook::Host;
use serde_json::Value;

use super::{PATH, agents::put_program, command, hooks::of_installed};
use crate::support::{
    found::{in_time, put, put_script, was_late},
    world::{Ran, World},
};

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
