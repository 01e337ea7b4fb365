//! What is wrong in one place of the settings costs what stands there, is told, and lifts no limit
//! that stands elsewhere: neither in another file, nor in another line, nor in the environment.
//!
//! Shown by a cap on the calls, which keeps a model from being asked, beside every kind of fault
//! in every place; without the cap the same command line asks.

use std::{fs, os::unix::fs::symlink, process::Command};

use camino::{Utf8Path, Utf8PathBuf};

use crate::support::world::{Ran, World};

const PROJECT: &str = ".graff/config.toml";
const USER: &str = "graff-notes/config.toml";

/// A place that settings stand in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Environment,
    Project,
    User,
}

use Place::{Environment, Project, User};

impl Place {
    /// The file of it.
    fn path(self, world: &World) -> Utf8PathBuf {
        world.root().join(match self {
            Environment => unreachable!("the environment is no file"),
            Project => ".graff/config.toml",
            User => "xdg/graff-notes/config.toml",
        })
    }
}

/// Lines that a file may not have, in the project or for the user too.
const LINES: &[(&str, &[Place])] = &[
    ("percent 80", &[Project, User]),
    ("a 1\nb 2\nc 3\nd 4\ne 5\nf 6\ng 7\nh 8\ni 9\nj 10\nk 11\nl 12", &[Project, User]),
    ("percent = ", &[Project, User]),
    ("percent = \"80", &[Project, User]),
    ("percent = \"\"\"80", &[Project, User]),
    ("percent = [80", &[Project, User]),
    ("[limits", &[Project, User]),
    ("percent = \"\"\"80\n\\q\"\"\"", &[Project, User]),
    ("percent = 80 time = \"iso\"", &[Project, User]),
    ("calls_cap = 0", &[Project, User]),
    ("time = \"iso\"\ntime = \"local\"", &[Project, User]),
    ("percent = \"80\"", &[Project, User]),
    ("percent = true", &[Project, User]),
    ("percent = 0", &[Project, User]),
    ("cap-bytes = 65537", &[Project, User]),
    ("time = \"soon\"", &[Project, User]),
    ("model = \" \"", &[Project, User]),
    ("endpoint = \"http://127.0.0.1:1/v1/messages\"", &[Project]),
    ("note-from = \"command:touch THEIRS\"", &[Project]),
    ("model = \"x\"", &[Project]),
];

/// Puts something at a path.
type Make = fn(&Utf8Path);

/// What may stand in the place of a file.
const NO_FILES: &[(&str, Make)] = &[
    ("a folder", |path| fs::create_dir(path).expect("a folder")),
    ("a pipe", |path| {
        let (mode, kind) = (rustix::fs::Mode::RWXU, rustix::fs::FileType::Fifo);
        rustix::fs::mknodat(rustix::fs::CWD, path.as_str(), kind, mode, 0).expect("a pipe");
    }),
    ("a device", |path| symlink("/dev/zero", path).expect("a link")),
    ("a link to itself", |path| symlink(path, path).expect("a link")),
    ("too much", |path| fs::write(path, "#".repeat(1024 * 1024 + 1)).expect("a file")),
    ("no text", |path| fs::write(path, b"\xFF\n".repeat(9)).expect("a file")),
];

/// A world whose history is due for a note.
fn world() -> World {
    let world = World::new();
    for folder in [".graff", "xdg/graff-notes"] {
        fs::create_dir_all(world.root().join(folder)).expect("a folder");
    }
    let history = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(2_000));
    fs::write(world.root().join("s1.jsonl"), history).expect("a transcript");
    fs::write(world.root().join("PROMPT.md"), "base\n").expect("a prompt");
    world
}

/// A command line, and what is set in the environment.
fn command(world: &World, args: &[&str], set: &[(&str, &str)]) -> Command {
    let mut command = world.command(args);
    command.env("XDG_CONFIG_HOME", world.root().join("xdg")).envs(set.iter().copied());
    command
}

/// Rolls over where a note is due; returns whether the command that stands for a model was run.
#[track_caller]
fn asks(world: &World, set: &[(&str, &str)]) -> (bool, Ran) {
    let args = ["rollover", "--transcript", "s1.jsonl", "--system", "PROMPT.md"];
    let source = ["--ceiling-tokens", "1000", "--note-from", "command:touch RAN; echo the note"];
    let ran = Ran::of(&mut command(world, &[&args[..], &source].concat(), set)).ends(0);
    let ours = fs::remove_file(world.root().join("RAN")).is_ok();
    assert!(!world.root().join("THEIRS").exists(), "a project runs nothing: {ran}");
    assert!(ran.stdout().starts_with("base\n"), "{ran}");
    (ours, ran)
}

/// Asserts that a cap in any of `places` holds beside a fault, and that a rollover, which tells the
/// fault, would ask without the cap; `also` is set in the environment besides.
#[track_caller]
fn cap_holds(fault: impl Fn(&World), told: &str, places: &[Place], also: &[(&str, &str)]) {
    for place in places {
        let world = world();
        fault(&world);
        let mut set = also.to_vec();
        match place {
            Environment => set.push(("GRAFF_CALLS_CAP", "1")),
            file => {
                let path = file.path(&world);
                let faulty = fs::read(&path).unwrap_or_default();
                fs::write(&path, [&faulty, &b"\ncalls-cap = 1\n"[..]].concat()).expect("a file");
            }
        }
        let (asked, ran) = asks(&world, &set);
        assert!(ran.stderr().contains(told), "{told}: {ran}");
        assert!(!asked, "{told}: the cap in {place:?} is lifted: {ran}");
        assert!(ran.stderr().contains("of 1 calls"), "{told}: {ran}");
    }
    let world = world();
    fault(&world);
    let (asked, ran) = asks(&world, also);
    assert!(asked, "{told}: it would ask without a cap: {ran}");
}

#[test]
fn a_faulty_line_costs_itself_alone() {
    for (line, files) in LINES {
        for file in *files {
            let fault = |world: &World| fs::write(file.path(world), line).expect("a file");
            let told = format!("{}: line ", if *file == Project { PROJECT } else { USER });
            cap_holds(fault, &told, &[Environment, Project, User], &[]);
        }
    }
    let not_utf_8 = |world: &World| {
        fs::write(Project.path(world), b"# caf\xE9").expect("a file");
    };
    let told = format!("{PROJECT}: line 1: it is not UTF-8");
    cap_holds(not_utf_8, &told, &[Environment, Project, User], &[]);
}

/// A value of several lines, two of which look like settings.
const COMMAND: &str =
    "note-from = \"\"\"command:true\ncalls-cap = 1\nno line of settings\n\"\"\"\n";

#[test]
fn a_fault_below_a_value_of_several_lines_leaves_that_whole() {
    for (fault, line) in [
        ("percent = 80\npercent = 81\n", 6),
        ("percent 80\n", 5),
        ("percent = [80\n", 5),
        ("percent = \"\"\"80\n", 5),
        ("percent = \"\"\"80", 5),
        ("percent = 0\n", 5),
    ] {
        let world = world();
        fs::write(User.path(&world), [COMMAND, fault].concat()).expect("a file");
        let ran = Ran::of(&mut command(&world, &["config", "show"], &[])).ends(2);
        assert_eq!(ran.stderr().matches("could not use ").count(), 1, "{fault}: {ran}");
        assert!(ran.stderr().contains(&format!("{USER}: line {line}: ")), "{fault}: {ran}");
        let row = ran.stdout().lines().find(|line| line.starts_with("note-from\t"));
        assert!(row.is_some_and(|row| row.contains("\tuser\t")), "{fault}: {ran}");
        let row = ran.stdout().lines().find(|line| line.starts_with("calls-cap\t"));
        assert!(row.is_some_and(|row| !row.contains("\tuser\t")), "{fault}: {ran}");
    }
}

#[test]
fn no_line_of_a_faulty_text_is_a_setting() {
    let world = world();
    let faulty = COMMAND.replace("no line", "no \\q line");
    fs::write(User.path(&world), faulty + "percent = 60\n").expect("a file");
    let ran = Ran::of(&mut command(&world, &["config", "show"], &[])).ends(2);
    assert_eq!(ran.stderr().matches("could not use ").count(), 1, "{ran}");
    assert!(ran.stderr().contains(&format!("{USER}: line 1: note-from: ")), "{ran}");
    assert!(ran.stdout().contains("\npercent\t60\tuser\t"), "{ran}");
    let row = ran.stdout().lines().find(|line| line.starts_with("calls-cap\t"));
    assert!(row.is_some_and(|row| !row.contains("\tuser\t")), "{ran}");
}

#[test]
fn a_file_that_cannot_be_read_costs_itself_alone() {
    for (what, make) in NO_FILES {
        cap_holds(|world| make(&Project.path(world)), PROJECT, &[Environment, User], &[]);
        cap_holds(|world| make(&User.path(world)), USER, &[Environment, Project], &[]);
        let both = |world: &World| {
            make(&Project.path(world));
            make(&User.path(world));
        };
        cap_holds(both, USER, &[Environment], &[]);
        let world = world();
        both(&world);
        let (_, ran) = asks(&world, &[]);
        assert!(ran.stderr().contains(&format!("/{PROJECT}")), "{what}: {ran}");
    }
}

#[test]
fn a_faulty_variable_costs_itself_alone() {
    for (variable, value) in [
        ("GRAFF_PERCENT", "101"),
        ("GRAFF_WINDOW_TOKENS", "lots"),
        ("GRAFF_TIME", "soon"),
        ("GRAFF_NOTE_FROM", "mechanicall"),
        ("GRAFF_MODEL", " "),
    ] {
        cap_holds(|_| (), variable, &[Environment, Project, User], &[(variable, value)]);
    }
    let set = [("GRAFF_CALLS_CAP", "one")];
    cap_holds(|_| (), "GRAFF_CALLS_CAP=\"***\"", &[Project, User], &set);
}

#[test]
fn each_fault_is_told_in_its_order_and_with_what_to_do() {
    let world = world();
    let lines = "percent = 0\ncalls-cap = 3\npercnt = 1\ntime 5\ncalls-cap = 4\n";
    fs::write(Project.path(&world), lines).expect("a file");
    fs::write(User.path(&world), "model = 5\n").expect("a file");
    let ran = asks(&world, &[("GRAFF_CAP_BYTES", "1")]).1;
    let (project, user) = (Project.path(&world), User.path(&world));
    let said: Vec<_> = ran.stderr().split("graff-notes: could not use ").skip(1).collect();
    for (said, (begins, ends)) in said.iter().zip([
        ("GRAFF_CAP_BYTES=\"1\": it is ".to_owned(), "mend GRAFF_CAP_BYTES, or unset it\n"),
        (format!("a setting in {project}: line 1: percent is 0"), "\n  mend that line\n"),
        (format!("a setting in {project}: line 3: there is no setting "), "mend that line\n"),
        (format!("a setting in {project}: line 4: "), "\n  mend that line\n"),
        (format!("a setting in {project}: line 5: calls-cap is set twice"), "mend that line\n"),
        (format!("a setting in {user}: line 1: model is 5"), ""),
    ]) {
        assert!(said.starts_with(&begins) && said.ends_with(ends), "{begins}: {said:?}");
    }
    assert_eq!(said.len(), 6, "{ran}");
    assert!(ran.stderr().contains("of 3 calls"), "the first of the two holds: {ran}");
}

#[test]
fn a_file_of_faults_is_not_told_line_by_line() {
    let world = world();
    let unknown = |n: u32| format!("x{n} = 1\n");
    let lines = (0..9_000).map(unknown).collect::<String>() + "calls-cap = 1\n";
    fs::write(Project.path(&world), lines).expect("a file");
    let (asked, ran) = asks(&world, &[]);
    assert!(!asked, "{ran}");
    assert_eq!(ran.stderr().matches("could not use a setting in ").count(), 8, "{ran}");
    assert!(ran.stderr().contains("could not use 8992 more of the settings in "), "{ran}");
    fs::write(Project.path(&world), "no line of settings\n".repeat(65)).expect("a file");
    let (_, ran) = asks(&world, &[]);
    assert_eq!(ran.stderr().matches("could not use ").count(), 1, "{ran}");
    assert!(ran.stderr().contains("could not use the settings in "), "{ran}");
}

#[test]
fn of_what_is_long_its_beginning_is_told() {
    let long = |character: &str| character.repeat(100_000);
    for (line, told) in [
        (format!("{} = 1\n", long("k")), "there is no setting \"kkk"),
        (format!("{} = \n", long("k")), ""),
        (format!("time = \"{}\"\n", long("t")), "time is the text \"ttt"),
        (format!("percent = {}\n", long("7")), "percent is "),
        (format!("time = {}.5\n", long("7")), "time is 777"),
    ] {
        let world = world();
        fs::write(Project.path(&world), line).expect("a file");
        let ran = Ran::of(&mut command(&world, &["config", "show"], &[])).ends(2);
        assert!(ran.stderr().contains(told), "{told}: {ran}");
        assert!(ran.stderr().len() < 1_000, "{told}: {} bytes", ran.stderr().len());
    }
}

#[test]
fn what_is_about_nothing_but_settings_is_refused_and_says_every_fault() {
    let world = world();
    fs::write(Project.path(&world), "percent = 0\n").expect("a file");
    fs::write(User.path(&world), "model = 5\n").expect("a file");
    let ask = ["ask", "--transcript", "s1.jsonl", "--endpoint", "http://127.0.0.1:1/v1/messages"];
    for args in [&["decide"][..], &ask, &[&ask[..], &["--model", "m", "--json"]].concat()] {
        let ran = Ran::of(&mut command(&world, args, &[])).ends(2);
        assert_eq!(ran.stdout(), "", "{ran}");
        for told in ["line 1: percent is 0", "line 1: model is 5"] {
            assert!(ran.stderr().contains(told), "{ran}");
        }
        assert!(!world.root().join(".graff/notes").exists(), "no attempt is on record: {ran}");
    }
}

#[test]
fn what_holds_is_shown_beside_what_does_not() {
    let world = world();
    fs::write(Project.path(&world), "percent = 0\ncalls-cap = 7\n").expect("a file");
    fs::write(User.path(&world), "percent = 60\n").expect("a file");
    let ran = Ran::of(&mut command(&world, &["config", "show"], &[])).ends(2);
    assert!(ran.stderr().contains("line 1: percent is 0"), "{ran}");
    for row in ["\npercent\t60\tuser\t", "\ncalls-cap\t7\tproject\t"] {
        assert!(ran.stdout().contains(row), "{ran}");
    }
    fs::remove_file(Project.path(&world)).expect("it is removed");
    fs::create_dir(Project.path(&world)).expect("a folder");
    let ran = Ran::of(&mut command(&world, &["config", "show", "--json"], &[])).ends(1);
    assert_eq!(ran.answers().iter().filter(|answer| answer["value"] == 60).count(), 2, "{ran}");
}
