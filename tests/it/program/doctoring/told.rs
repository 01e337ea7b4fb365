//! What others are told: a report holds no secret, and advice can be pasted.

use std::{
    collections::BTreeSet,
    fs::{self, Permissions},
    os::unix::fs::{PermissionsExt, symlink},
    process::Command,
};

use graff_notes::session::SessionName;

use super::{PATH, agents::put_program, finding};
use crate::support::world::{Ran, World};

/// What a report must not hold: what stands in notes and in the lines between them, what the
/// environment or a command in the settings has for a secret, and where the user is at home.
const SECRETS: [&str; 6] =
    ["pwd-of-note", "junk-line", "sk-live-0123", "k3y-of-command", "jane", "alice"];

/// The session whose name is nobody's business, and the one behind it.
const SESSIONS: [&str; 2] = ["merger-of-acme", "sale-of-acme"];

/// A store in which everything that can be told has something in it that must not be, below a home
/// that is a link to another folder.
struct Desk {
    world: World,
    bin: World,
}

impl Desk {
    fn new() -> Self {
        let desk = Self { world: World::new(), bin: World::new() };
        let root = desk.world.root();
        fs::create_dir_all(root.join("alice/project")).expect("a folder");
        symlink(root.join("alice"), root.join("jane")).expect("a link");
        let [good, damaged] = SESSIONS;
        for session in SESSIONS {
            desk.run(&["write", session, "--text", "pwd-of-note is it"]).ends(0);
        }
        let notes = root.join("alice/project/.graff/notes");
        let log = notes.join(format!("{damaged}.notes.jsonl"));
        let more = "{\"v\":1,\"text\":\"junk-line\"}\nthe junk-line\n{\"v\":1,\"text\":\"junk-line";
        fs::write(&log, fs::read_to_string(&log).expect("a log") + more).expect("written");
        fs::set_permissions(&log, Permissions::from_mode(0o644)).expect("a mode");
        fs::write(notes.join("acme and others.notes.jsonl"), "").expect("written");
        let lock = SessionName::parse(good).expect("a good name");
        let lock = graff_notes::store::Store::at(root.join("alice/project")).lock_path(&lock);
        fs::remove_file(&lock).expect("it is there");
        fs::create_dir(lock).expect("a folder");
        desk.run(&["hooks", "install", "claude-code"]).ends(0);
        let settings = root.join("alice/.claude/settings.json");
        let text = fs::read_to_string(&settings).expect("settings");
        let called = "K=k3y-of-command /nowhere/graff-notes hook claude-code --k3y-of-command";
        let text = text.replace("graff-notes hook claude-code", called);
        assert!(text.contains(called));
        fs::write(settings, text).expect("written");
        let says =
            "echo '1.0 | ``` <b> of' \"$HOME/bin, $(cd \"$HOME\" && pwd -P) and $GRAFF_API_KEY\"";
        put_program(desk.bin.root(), "claude", says);
        desk
    }

    fn run(&self, args: &[&str]) -> Ran {
        let root = self.world.root();
        let mut command = self.world.command(args);
        command.env("HOME", root.join("jane")).env("GRAFF_ROOT", root.join("jane/project"));
        command.env("SHELL", "/bin/sh").env("PATH", format!("{}:{PATH}", self.bin.root()));
        command.env("GRAFF_API_KEY", "sk-live-0123").env_remove("CODEX_HOME");
        command.env("GRAFF_NOTE_FROM", "command:KEY=k3y-of-command ask --key k3y-of-command");
        command.env("GRAFF_ENDPOINT", "https://u:k3y-of-command@api.example/?k=k3y-of-command");
        command.env_remove("CLAUDE_CONFIG_DIR");
        Ran::of(&mut command)
    }
}

#[test]
fn a_report_tells_what_a_bug_is_about() {
    let desk = Desk::new();
    let report = desk.run(&["doctor", "--report"]).quietly();
    for told in [
        concat!("graff-notes ", env!("CARGO_PKG_VERSION"), ", format 1 of the log\n"),
        "## Checks\n\n````text\nok       version: graff-notes ",
        "ok       root: ~/project: ",
        "\nwarning  modes: other users may get at 3 files\n",
        "\nfailure  hooks: claude-code, user: `***` names a program that is not to be found\n",
        "\nok       agents: claude-code: `claude --version` says 1.0 | ``` <b> of ~/bin, ~ and ***\n",
        "## Sessions\n\n```text\nsession 1: 1 note, ",
        ", its lock is no plain file\nsession 2: 1 note, 2 bad lines, ",
        "\n1 file that another program named\n```\n",
        "## Damage\n\n```text\nsession 2: line 2, byte ",
        "\nsession 2: line 3, byte ",
        "\nsession 2: line 4, byte ",
    ] {
        assert!(report.stdout().contains(told), "{told} in {report}");
    }
    let checks = desk.run(&["doctor", "--json"]).ends(1).answers();
    let checks: BTreeSet<_> =
        checks.iter().filter_map(|finding| finding["check"].as_str()).collect();
    for check in checks.into_iter().filter(|check| !["sessions", "clock"].contains(check)) {
        assert!(report.stdout().contains(&format!(" {check}: ")), "{check} in {report}");
    }
    let whole = World::new();
    let report = whole.run(&["doctor", "--report"]).quietly();
    assert!(
        report
            .stdout()
            .ends_with("## Sessions\n\n```text\nnone\n```\n\n## Damage\n\n```text\nnone\n```\n\n")
    );
}

#[test]
fn a_report_holds_no_text_of_a_note_no_secret_no_home_and_no_name_that_it_is_not_to_tell() {
    let desk = Desk::new();
    for (flags, tells_names) in [(&[][..], false), (&["--names"], true)] {
        let text = desk.run(&[&["doctor", "--report"], flags].concat()).quietly();
        let json = desk.run(&[&["doctor", "--report", "--json"], flags].concat()).quietly();
        let json = json.json()["report"].as_str().expect("a report").to_owned();
        for report in [text.stdout(), &json] {
            assert!(report.len() > 500, "{report}");
            for secret in SECRETS {
                assert!(!report.contains(secret), "{secret} in {report}");
            }
            for session in SESSIONS {
                assert_eq!(report.contains(session), tells_names, "{session} in {report}");
            }
            assert_eq!(report.contains("acme"), tells_names, "{report}");
        }
    }
    // What it is made of elsewhere has all of them: nothing was left out by chance.
    let told = desk.run(&["doctor"]);
    for word in ["sk-live-0123", "jane", "alice", "sale-of-acme", "acme and others"] {
        assert!(told.stdout().contains(word), "{word} in {told}");
    }
    assert!(!told.stdout().contains("k3y-of-command"), "{told}");
}

#[test]
fn a_folder_that_only_begins_as_the_home_does_is_another_one() {
    let world = World::new();
    let root = world.root().join("up/p");
    for (home, told) in
        [("up", "~/p: "), ("up/", "~/p: "), ("up/p", "~: "), ("u", "/up/p: "), ("v", "/up/p: ")]
    {
        let home = format!("{}/{home}", world.root());
        fs::create_dir_all(&root).expect("a folder");
        let mut doctor = world.command(&["doctor", "--report"]);
        doctor.env("HOME", &home).env("GRAFF_ROOT", &root).env("PATH", PATH);
        let report = Ran::of(&mut doctor).quietly();
        let line = report.stdout().lines().find(|line| line.starts_with("ok       root: "));
        let line = line.unwrap_or_else(|| panic!("{report}"));
        let at_home = line.starts_with("ok       root: ~");
        assert!(line.contains(told) && at_home == told.starts_with('~'), "{home}: {line}");
    }
}

/// What the line of a report says of an agent that says `version`, with these variables.
#[track_caller]
fn told(version: &str, variables: &[(&str, &str)]) -> String {
    let (world, bin) = (World::new(), World::new());
    put_program(bin.root(), "goose", "echo \"$SAYS\"");
    let mut doctor = world.command(&["doctor", "--report"]);
    doctor.env("HOME", "/home/u").env("PATH", format!("{}:{PATH}", bin.root()));
    doctor.env("SAYS", version).envs(variables.iter().copied());
    let report = Ran::of(&mut doctor).quietly();
    let line = report.stdout().lines().find_map(|line| line.split_once("--version` says "));
    line.unwrap_or_else(|| panic!("{report}")).1.to_owned()
}

#[test]
fn only_a_whole_path_is_the_home() {
    let all =
        "/home/u /home/u/x (/home/u) HOME=/home/u. file:///home/u/x /home/u, '/home/u' /home/u";
    assert_eq!(told(all, &[]), "~ ~/x (~) HOME=~. file://~/x ~, '~' ~");
    for other in [
        "/mnt/home/u/x",
        "/home/u.bak",
        "/home/u..bak",
        "/home/user",
        "/home/u-2",
        "/home/u_2",
        "./home/u",
        "/mnt-/home/u",
    ] {
        assert_eq!(told(other, &[]), other);
    }
    assert_eq!(told("/home/u/home/u /home/u", &[]), "~/home/u ~");
}

#[test]
fn a_variable_that_is_called_a_secret_holds_one() {
    for name in
        ["API_KEY", "GH_TOKEN", "DB_PASS", "PASSWORD", "gh_pat", "AWS_SECRET_ID", "HTTP_AUTH"]
    {
        assert_eq!(told("1.0 of hunter22", &[(name, "hunter22")]), "1.0 of ***", "{name}");
    }
    for name in ["PATH_TO_IT", "EDITOR", "PATTERN"] {
        assert_eq!(told("1.0 of hunter22", &[(name, "hunter22")]), "1.0 of hunter22", "{name}");
    }
}

#[test]
fn a_secret_of_several_lines_is_none_in_one_line_either() {
    let key = [("SIGNING_KEY", "-----BEGIN-----\nabcdef0123\n  ghijkl4567\r\n-----END-----\n")];
    assert_eq!(told("1.0 abcdef0123 and ghijkl4567", &key), "1.0 *** and ***");
}

#[test]
fn whoever_logs_in_at_an_address_is_not_told() {
    for (says, told_of_it) in [
        ("http://u:p@proxy:80/x", "http://***@proxy:80/x"),
        ("a=postgres://u:p@w@db b=https://tok@h?q", "a=postgres://***@db b=https://***@h?q"),
        ("'ftp://u:p@h'", "'ftp://***@h'"),
        ("https://h/@scope/x user@host 1://2", "https://h/@scope/x user@host 1://2"),
    ] {
        assert_eq!(told(says, &[]), told_of_it, "{says}");
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
