//! What is set comes from the nearest place, which `config show` names; a fault in a file is told
//! with its line, its key and what is allowed.

mod flags;

use std::{fs, process::Command};

use serde_json::{Value, json};

use crate::support::world::{Ran, World};

fn put(world: &World, path: &str, text: &str) {
    let path = world.root().join(path);
    fs::create_dir_all(path.parent().expect("a folder")).expect("the folder is made");
    fs::write(path, text).expect("a file");
}

fn project(world: &World, text: &str) {
    put(world, ".graff/config.toml", text);
}

fn user(world: &World, text: &str) {
    put(world, "xdg/graff-notes/config.toml", text);
}

/// The program, whose user has the file that [`user`] makes.
fn command(world: &World, args: &[&str]) -> Command {
    let mut command = world.command(args);
    command.env("XDG_CONFIG_HOME", world.root().join("xdg"));
    command
}

/// A world with a prompt and a transcript, and the command line for them.
fn about_to_roll_over() -> (World, [&'static str; 5]) {
    let world = World::new();
    put(&world, "prompt", "You are an agent.");
    put(&world, "t.jsonl", "{\"role\":\"user\",\"content\":\"mend it\"}\n");
    (world, ["rollover", "--transcript", "t.jsonl", "--system", "prompt"])
}

fn run(world: &World, args: &[&str]) -> Ran {
    Ran::of(&mut command(world, args))
}

/// What is shown of the percent; of that in hooks the same is shown, but for its default.
#[track_caller]
fn percent_shown(command: &mut Command) -> Value {
    let answers = Ran::of(command).quietly().answers();
    let found = |name| answers.iter().find(|answer| answer["setting"] == name).cloned();
    let (percent, mut in_hooks) = (found("percent"), found("percent-in-hooks"));
    let percent = percent.expect("percent is shown");
    let in_hooks = in_hooks.as_mut().expect("and what it is in hooks");
    if percent["source"] == "default" {
        assert_eq!(in_hooks["value"].take(), 75, "{in_hooks}");
        in_hooks["value"] = percent["value"].clone();
    }
    in_hooks["setting"] = percent["setting"].clone();
    assert_eq!(*in_hooks, percent, "it is the same but for its default");
    percent
}

#[test]
fn the_nearest_place_counts_and_is_named() {
    let world = World::new();
    let decide = ["decide", "--window-tokens", "100000", "--json"];
    let tokens = |ran: Ran| ran.quietly().json()["threshold"]["tokens"].clone();
    let show = ["config", "show", "--json"];

    assert_eq!(tokens(run(&world, &decide)), 90_000);
    let answer = json!({"setting": "percent", "value": 90, "source": "default", "from": null});
    assert_eq!(percent_shown(&mut command(&world, &show)), answer);

    user(&world, "percent = 50\n");
    assert_eq!(tokens(run(&world, &decide)), 50_000);
    let from = world.root().join("xdg/graff-notes/config.toml");
    let answer = json!({"setting": "percent", "value": 50, "source": "user", "from": from});
    assert_eq!(percent_shown(&mut command(&world, &show)), answer);

    project(&world, "# ours\npercent = 60\n");
    assert_eq!(tokens(run(&world, &decide)), 60_000);
    let from = world.root().join(".graff/config.toml");
    let answer = json!({"setting": "percent", "value": 60, "source": "project", "from": from});
    assert_eq!(percent_shown(&mut command(&world, &show)), answer);

    let with_variable = |args: &[&str]| {
        let mut command = command(&world, args);
        command.env("GRAFF_PERCENT", "70");
        command
    };
    assert_eq!(tokens(Ran::of(&mut with_variable(&decide))), 70_000);
    let answer = json!({"setting": "percent", "value": 70, "source": "environment", "from": "GRAFF_PERCENT"});
    assert_eq!(percent_shown(&mut with_variable(&show)), answer);

    let with_flag = [&decide[..], &["--percent", "80"]].concat();
    assert_eq!(tokens(Ran::of(&mut with_variable(&with_flag))), 80_000);
}

#[test]
fn every_setting_is_shown_with_its_default() {
    let world = World::new();
    let ran = world.run(&["config", "show", "--root", world.root().as_str()]).quietly();
    let expected = format!(
        "root\t{}\tflag\t--root names it\n\
         window-tokens\t-\tdefault\t-\npercent\t90\tdefault\t-\n\
         percent-in-hooks\t75\tdefault\t-\nceiling-tokens\t272000\tdefault\t-\n\
         output-reserve-tokens\t0\tdefault\t-\nbytes-per-token\t1\tdefault\t-\n\
         calls-cap\t0\tdefault\t-\npending-calls\t0\tdefault\t-\ncap-bytes\t4000\tdefault\t-\n\
         time\t-\tdefault\t-\nnote-timeout-seconds\t120\tdefault\t-\n\
         note-from\tmechanical\tdefault\t-\nendpoint\t-\tdefault\t-\nmodel\t-\tdefault\t-\n",
        world.root()
    );
    assert_eq!(ran.stdout(), expected);
}

/// The tests of `hooks` and `mcp` show that they do.
#[test]
fn the_help_says_which_settings_hold_for_hooks_and_mcp() {
    let help = World::new().run(&["config", "show", "--help"]).quietly();
    let words = help.stdout().split_whitespace().collect::<Vec<_>>().join(" ");
    let said = "percent-in-hooks is no setting of its own: it is percent, with another default, \
                in hooks and in mcp, since agents compact well before their window is full. Of the \
                others, window-tokens, calls-cap and cap-bytes hold for both.";
    assert!(words.contains(said), "{help}");
}

#[test]
fn a_setting_stands_in_for_its_flag_wherever_there_is_one() {
    let world = World::new();
    project(&world, "time = \"iso\"\ncap-bytes = 16\ncalls-cap = 6\nceiling-tokens = 1_000\n");
    world.run(&["write", "s1", "--text", "0123456789abcdefgh"]).ends(0);
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "0123456789abcdef");
    let listed = world.at_terminal(120, "", &["list"]).ends(0);
    assert!(listed.stdout().contains('Z'), "{listed}");
    assert!(!listed.stdout().contains("just now"), "{listed}");
    let decided = world.run(&["decide", "--json"]).quietly().json();
    assert_eq!(decided["note"]["decision"], "budget");
    assert_eq!(decided["threshold"], json!({"tokens": 1_000, "binding": "ceiling"}));
}

/// What a project's file says, and what is said of it.
const FAULTS: &[(&str, &str)] = &[
    (
        "percent = 0",
        "line 1: percent is 0, and may be a whole number from 1 to 100, without quotes",
    ),
    (
        "\n# x\npercent = \"90\"",
        "line 3: percent is the text \"90\", and may be a whole number from 1 to 100, without quotes",
    ),
    ("percent = 90.5", "line 1: percent is 90.5, and may be a whole number from 1 to 100"),
    ("percent = -1", "line 1: percent is -1, and may be"),
    (
        "ceiling-tokens = 999",
        "line 1: ceiling-tokens is 999, and may be 0, or a whole number from 1000 up",
    ),
    ("bytes-per-token = 0", "line 1: bytes-per-token is 0, and may be a whole number from 1 up"),
    (
        "time = \"soon\"",
        "line 1: time is the text \"soon\", and may be one of iso, relative, local, in quotes",
    ),
    (
        "calls-cap = 1\npercnt = 90",
        "line 2: there is no setting \"percnt\", but window-tokens, percent, ",
    ),
    ("percent = 90\npercent = 91", "line 2: percent is set twice, and may be once"),
    ("percent = 90\n= 3", "line 2: "),
    ("calls-cap = 1\npercent = true", "line 2: percent is true, and may be"),
    ("percent = [90]", "line 1: percent is a list, and may be"),
    ("calls-cap = 1\npercent = lots", "line 2: percent: "),
    (
        "endpoint = \"http://evil\"",
        "line 1: endpoint says what is run or who is called, which a project cannot: ",
    ),
    ("note-from = \"command:evil\"", "line 1: note-from says what is run or who is called"),
    ("model = \"x\"", "line 1: model says what is run or who is called"),
];

#[test]
fn a_fault_in_a_file_is_told_with_its_line_its_key_and_what_is_allowed() {
    let world = World::new();
    let path = world.root().join(".graff/config.toml");
    for (text, why) in FAULTS {
        project(&world, text);
        for args in [&["decide"][..], &["config", "show"]] {
            let ran = world.run(args).ends(2);
            let said = format!("graff-notes: could not use a setting in {path}: {why}");
            assert!(ran.stderr().starts_with(&said), "{text:?}: {ran}");
        }
        // What keeps or prints something does so all the same, and warns.
        let ran = world.fed("You are an agent.", &["splice", "s1"]).ends(0);
        assert_eq!(ran.stdout(), "You are an agent.");
        assert!(ran.stderr().contains(why), "{ran}");
    }
    user(&world, "percent = 80\nmodel = 5\n");
    fs::remove_file(&path).expect("it is removed");
    let ran = run(&world, &["config", "show"]).ends(2);
    let why = "line 2: model is 5, and may be a text that is not blank, in quotes";
    assert!(ran.stderr().contains(why), "{ran}");
    let mut command = world.command(&["decide"]);
    let ran = Ran::of(command.env("GRAFF_PERCENT", "101")).ends(2);
    let said = "graff-notes: could not use GRAFF_PERCENT=\"101\": it is a whole number from 1 to \
                100\n  mend GRAFF_PERCENT, or unset it\n";
    assert_eq!(ran.stderr(), said);
}

#[test]
fn a_project_runs_nothing_and_calls_nobody() {
    let world = World::new();
    put(&world, "prompt", "You are an agent.");
    let history = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "x".repeat(2_000));
    put(&world, "t.jsonl", &history);
    let args =
        ["rollover", "--transcript", "t.jsonl", "--system", "prompt", "--ceiling-tokens", "1000"];
    let runs = "note-from = \"command:touch RAN; echo a note of sixteen bytes and more\"\n";
    project(&world, runs);
    let ran = run(&world, &args).ends(0);
    assert!(ran.stderr().contains("which a project cannot"), "{ran}");
    assert!(!world.root().join("RAN").exists());
    fs::remove_file(world.root().join(".graff/config.toml")).expect("it is removed");
    fs::remove_dir_all(world.root().join(".graff")).expect("the store is removed");
    user(&world, runs);
    run(&world, &args).ends(0);
    assert!(world.root().join("RAN").exists(), "the user's own file may");
}

#[test]
fn a_source_of_notes_that_is_none_costs_no_prompt() {
    let (world, rollover) = about_to_roll_over();
    let with_variable = |args: &[&str]| {
        Ran::of(command(&world, args).env("GRAFF_NOTE_FROM", "mechanicall --key s3cret"))
    };
    let why = "could not use GRAFF_NOTE_FROM=\"***\": it is mechanical, stdin, command: ";
    let ran = with_variable(&rollover).ends(0);
    assert_eq!(ran.stdout(), "You are an agent.");
    assert!(ran.stderr().contains(why), "{ran}");
    assert!(with_variable(&["config", "show"]).ends(2).stderr().contains(why));
    let doctor = with_variable(&["doctor", "--json"]).ends(1).answers();
    let found = doctor.iter().find(|finding| finding["check"] == "settings").expect("a finding");
    assert_eq!(found["status"], "failure");

    user(&world, "percent = 80\nnote-from = \"oops s3cret\"\n");
    let ran = run(&world, &rollover).ends(0);
    assert_eq!(ran.stdout(), "You are an agent.");
    let why = "line 2: note-from is the text \"***\", and may be mechanical, stdin, command: ";
    assert!(ran.stderr().contains(why), "{ran}");
}

#[test]
fn a_file_that_is_none_holds_nobody_up_and_a_faulty_one_costs_no_note() {
    let pipe = |path: &camino::Utf8Path| {
        let mode = rustix::fs::Mode::RWXU;
        rustix::fs::mknodat(rustix::fs::CWD, path.as_str(), rustix::fs::FileType::Fifo, mode, 0)
            .expect("a pipe");
    };
    let device = |path: &camino::Utf8Path| {
        std::os::unix::fs::symlink("/dev/zero", path).expect("a link");
    };
    let faulty = |path: &camino::Utf8Path| fs::write(path, "percent = \"x\"\n").expect("a file");
    let makers: [&dyn Fn(&camino::Utf8Path); 3] = [&pipe, &device, &faulty];
    for make in makers {
        let world = World::new();
        fs::create_dir(world.root().join(".graff")).expect("a folder");
        make(&world.root().join(".graff/config.toml"));
        let wrote = run(&world, &["write", "s1", "--text", "on the way to a.rs:7"]).ends(0);
        assert!(wrote.stderr().contains("config.toml"), "{wrote}");
        let spliced =
            Ran::of(command(&world, &["splice", "s1"]).stdin(std::process::Stdio::null()));
        assert!(spliced.stdout().contains("a.rs:7"), "{spliced}");
        let status = if world.root().join(".graff/config.toml").is_file() { 2 } else { 1 };
        let decided = run(&world, &["decide"]).ends(status);
        assert!(decided.stderr().contains("config.toml"), "{decided}");
    }
}

/// Addresses, each with what is shown of it.
const ADDRESSES: &[(&str, &str)] = &[
    ("https://api.example", "https://api.example"),
    ("http://localhost:8080/v1/messages", "http://localhost:8080/***"),
    ("http://[::1]:8080/v1/messages", "http://[::1]:8080/***"),
    ("https://user:pass@api.example/v1/messages", "https://***@api.example/***"),
    ("https://us@er:pa/ss@api.example/v1/messages", "https://***"),
    ("https://us:pa/ss@api.example/v1/messages", "https://***"),
    ("https://h/v1;key=s3cret", "https://h/***"),
    ("https://h/v1&key=s3cret", "https://h/***"),
    ("https://api.example?key=s3cret#x", "https://api.example?***"),
    ("http://[::1/s3cret", "http://***"),
    ("https://u:s3cret＠h/v1", "https://***"),
    ("https://h:s3cret", "https://***"),
    ("user:s3cret@api.example/messages", "***"),
    ("s3cret", "***"),
    ("s3cret://h/v1", "***"),
];

#[test]
fn what_may_be_a_secret_in_a_setting_is_not_shown() {
    let shown = |name: &str, value: &str| {
        let world = World::new();
        user(&world, &format!("{name} = \"{value}\"\n"));
        let said = run(&world, &["config", "show"]).quietly();
        let row = said.stdout().lines().find(|row| row.starts_with(&format!("{name}\t")));
        let row = row.expect("its row").split('\t').nth(1).expect("its value").to_owned();
        let answers = run(&world, &["config", "show", "--json"]).quietly().answers();
        let answer = answers.iter().find(|answer| answer["setting"] == name).expect("it");
        assert_eq!(answer["value"], row.as_str(), "in JSON as in a pipe");
        row
    };
    for (value, expected) in ADDRESSES {
        assert_eq!(shown("endpoint", value), *expected);
        assert_eq!(
            shown("note-from", &format!("endpoint:{value}")).contains("***"),
            expected.contains("***")
        );
    }
    for (value, expected) in [
        ("mechanical", "mechanical"),
        ("command:ask-my-model", "command:ask-my-model"),
        ("command:ask-my-model --key s3cret", "command:ask-my-model ***"),
        ("command: KEY=s3cret ask-my-model", "command:***"),
        ("endpoint:https://u:s3cret@h/messages", "endpoint:https://***@h/***"),
        ("command:curl${IFS}s3cret", "command:***"),
        ("command:curl;s3cret", "command:***"),
        ("command:'s3cret x' y", "command:***"),
        ("command:/usr/bin/ask-2.sh s3cret", "command:/usr/bin/ask-2.sh ***"),
    ] {
        assert_eq!(shown("note-from", value), expected);
    }
}

#[test]
fn a_secret_in_the_wrong_variable_is_not_repeated() {
    let (world, rollover) = about_to_roll_over();
    for (variable, value, shown) in [
        ("GRAFF_NOTE_FROM", "sk-ant-s3cret", "***"),
        ("GRAFF_NOTE_FROM", "bogus:s3cret", "***"),
        ("GRAFF_NOTE_FROM", "mechanical:s3cret", "mechanical:***"),
        ("GRAFF_PERCENT", "s3cret", "***"),
        ("GRAFF_PERCENT", "101", "101"),
    ] {
        for args in [&["config", "show"][..], &["doctor"], &rollover] {
            let ran = Ran::of(command(&world, args).env(variable, value));
            let said = ran.stdout().to_owned() + ran.stderr();
            assert!(said.contains(&format!("{variable}={shown:?}")), "{variable}={value}: {ran}");
            assert!(!said.contains("s3cret"), "{variable}={value}: {ran}");
        }
    }
    let ran = run(&world, &[&rollover[..], &["--note-from", "bogus:s3cret"]].concat()).ends(2);
    assert!(ran.stderr().contains("invalid value '***'"), "{ran}");
}
