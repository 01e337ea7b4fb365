//! A shell completes commands, flags and the names of sessions.
//!
//! Shown in the real shells: a line is typed at a terminal with tabs in it, and what it prints can
//! only be had with what the tabs put there; fish, which needs a terminal of its own, is asked.

use std::{
    fs,
    process::{Command, Stdio},
};

use camino::Utf8Path;

use crate::support::{
    skipped,
    world::{Ran, World},
};

/// A world with two sessions.
fn world() -> World {
    let world = World::new();
    for session in ["fix-parser", "other"] {
        world.fed(format!("the note of {session}"), &["write", session]).quietly();
    }
    world
}

/// A shell in the world that finds the program by its name; `None` where there is no such shell.
fn shell(world: &World, name: &str, args: &[&str]) -> Option<Command> {
    if Command::new(name).args(["-c", "exit"]).output().is_err() {
        skipped(&format!("{name} is not there"));
        return None;
    }
    let program = Utf8Path::new(env!("CARGO_BIN_EXE_graff-notes"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new(name);
    shell.args(args).current_dir(world.root()).env("TERM", "xterm").env("HOME", world.root());
    shell.env("PATH", format!("{}:{path}", program.parent().expect("its folder")));
    shell.env("GRAFF_ROOT", world.root()).env("GRAFF_PAGER", "");
    Some(shell)
}

/// Types lines with tabs in them at a shell that has first been told `setup`.
#[track_caller]
fn completes(name: &str, args: &[&str], setup: &str) {
    for (typed, printed) in [
        ("graff-notes show fix-p\t\n", "the note of fix-parser"),
        ("graff-notes sho\toth\t\n", "the note of other"),
        ("graff-notes show --previ\tother\n", "could not show the note before"),
    ] {
        let world = world();
        let Some(shell) = shell(&world, name, args) else { return };
        let ran: Ran = World::typing(120, &format!("{setup}\n{typed}exit\n"), shell);
        assert!(ran.stdout().contains(printed), "{name}: {typed:?}: {ran}");
    }
}

#[test]
fn bash_completes_commands_flags_and_sessions() {
    completes("bash", &["--norc", "-i"], "source <(graff-notes completions bash)");
}

#[test]
fn bash_runs_nothing_of_a_name_and_takes_none_for_a_pattern() {
    for (name, typed) in [
        ("z$(touch pwned)", "z"),
        ("z`touch pwned`", "z"),
        ("z;touch pwned", "z"),
        ("z&touch pwned", "z"),
        ("z>pwned", "z"),
        ("z'\"|touch pwned", "z"),
        ("z two  words", "z\\ "),
        ("z*", "z"),
    ] {
        let world = world();
        world.fed(format!("the note of {name}"), &["write", name]).quietly();
        for beside in ["z1", "z2", "z*"] {
            fs::write(world.root().join(beside), "").expect("written");
        }
        let Some(shell) = shell(&world, "bash", &["--norc", "-i"]) else { return };
        let setup = "source <(graff-notes completions bash)";
        let typed = format!("{setup}\ngraff-notes show {typed}\t\nexit\n");
        let ran = World::typing(120, &typed, shell);
        assert!(ran.stdout().contains(&format!("the note of {name}")), "{name}: {ran}");
        assert!(!world.root().join("pwned").exists(), "{name}: {ran}");
    }
}

#[test]
fn bash_runs_nothing_of_the_name_of_a_file() {
    let world = world();
    fs::write(world.root().join("z$(touch pwned)"), "no export").expect("written");
    let Some(shell) = shell(&world, "bash", &["--norc", "-i"]) else { return };
    let setup = "source <(graff-notes completions bash)";
    let ran = World::typing(120, &format!("{setup}\ngraff-notes import z\t\nexit\n"), shell);
    assert!(ran.stdout().contains("import z$(touch pwned): it is no export"), "{ran}");
    assert!(!world.root().join("pwned").exists(), "{ran}");
}

#[test]
fn a_variable_that_is_inherited_takes_over_no_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell", "no-shell"] {
        let world = World::new();
        let mut command = world.command(&["write", "s1", "--text", "kept"]);
        Ran::from(command.env("GRAFF_COMPLETE", shell).output().expect("it runs")).ends(0);
        let mut command = world.command(&["show", "s1"]);
        let ran = Ran::from(command.env("GRAFF_COMPLETE", shell).output().expect("it runs"));
        assert_eq!(ran.stdout(), "kept", "{shell}: {ran}");
    }
}

#[test]
fn zsh_completes_commands_flags_and_sessions() {
    let sourced = "autoload -Uz compinit; compinit -u -D; source <(graff-notes completions zsh)";
    completes("zsh", &["-f", "-i"], sourced);
    // As the help has it: a file in the folders that zsh loads functions from.
    let loaded = "mkdir f; graff-notes completions zsh >f/_graff-notes; fpath=($PWD/f $fpath); \
                  autoload -Uz compinit; compinit -u -D";
    completes("zsh", &["-f", "-i"], loaded);
}

/// What stands before a tab, in each kind of quotes, and the session that is meant by it.
const IN_QUOTES: [(&str, &str); 6] = [
    ("fix\\ pa", "fix parser"),
    ("\"fix pa", "fix parser"),
    ("'fix pa", "fix parser"),
    ("\"a", "a$b`c d"),
    ("'a", "a$b`c d"),
    ("a\\$", "a$b`c d"),
];

/// A world with sessions that a shell has to quote.
fn quoted_world() -> World {
    let world = World::new();
    for session in ["fix parser", "fix printer", "a$b`c d"] {
        world.fed(format!("the note of {session}"), &["write", session]).quietly();
    }
    world
}

#[test]
fn a_word_that_is_quoted_is_completed_as_it_is_meant() {
    let zsh = "autoload -Uz compinit; compinit -u -D; source <(graff-notes completions zsh)";
    let bash = "source <(graff-notes completions bash)";
    for (name, args, setup) in [("bash", ["--norc", "-i"], bash), ("zsh", ["-f", "-i"], zsh)] {
        for (typed, session) in IN_QUOTES {
            let world = quoted_world();
            let Some(shell) = shell(&world, name, &args) else { break };
            // Where no tab closes the quotes, the shell would wait for ever for their end.
            let typed = format!("TMOUT=20; {setup}\ngraff-notes show {typed}\t\nexit\n");
            let ran = World::typing(120, &typed, shell);
            let printed = format!("the note of {session}");
            assert!(ran.stdout().contains(&printed), "{name}: {typed:?}: {ran}");
        }
    }
    let world = quoted_world();
    for (typed, session) in IN_QUOTES {
        let Some(offers) = offers(&world, &format!("show {}", typed.replace('\'', "\\'"))) else {
            return;
        };
        assert_eq!(offers, [session], "fish: {typed}");
    }
}

/// What the scripts of these shells do about quotes is put into them in place of what they did, and
/// the shells may not be here to show it.
#[test]
fn the_scripts_of_zsh_and_fish_take_the_quotes_off() {
    let world = World::new();
    for (shell, unquotes) in [("zsh", "(@Q)"), ("fish", "string unescape")] {
        let ran = world.run(&["completions", shell]).quietly();
        assert!(ran.stdout().contains(unquotes), "{shell}: {ran}");
    }
}

/// What fish would offer behind a line.
#[track_caller]
fn offers(world: &World, line: &str) -> Option<Vec<String>> {
    let asked = format!("graff-notes completions fish | source; complete -C'graff-notes {line}'");
    let mut fish = shell(world, "fish", &["--no-config", "-c", &asked])?;
    let ran = Ran::from(fish.stdin(Stdio::null()).output().expect("fish runs"));
    let first = |line: &str| line.split('\t').next().unwrap_or_default().to_owned();
    Some(ran.stdout().lines().map(first).collect())
}

#[test]
fn fish_completes_commands_flags_and_sessions() {
    let world = world();
    for (line, offered) in
        [("sho", "show"), ("show fix-p", "fix-parser"), ("show --previ", "--previous")]
    {
        let Some(offers) = offers(&world, line) else { return };
        assert_eq!(offers, [offered], "{line}");
    }
}

#[test]
fn agents_are_offered_where_one_is_named_and_commands_where_a_page_is_about_one() {
    let world = world();
    let agents = "claude-code codex gemini opencode goose";
    for (line, offered) in [
        ("hook ", agents),
        ("hooks install ", agents),
        ("hooks remove ", agents),
        ("hooks status ", agents),
        ("hooks install co", "codex"),
        ("man sear", "search"),
        ("man hooks ", "install status remove"),
        ("man write s", ""),
    ] {
        let Some(offers) = offers(&world, line) else { return };
        let mut offers: Vec<_> = offers.iter().map(String::as_str).collect();
        let mut offered: Vec<_> = offered.split_whitespace().collect();
        offers.retain(|offer| !offer.starts_with('-'));
        offers.sort_unstable();
        offered.sort_unstable();
        assert_eq!(offers, offered, "{line:?}");
    }
}

#[test]
fn bash_completes_agents_and_commands() {
    for (typed, printed) in [
        ("graff-notes man sear\t | head -n 9\n", "graff\\-notes\\-search"),
        ("graff-notes hooks status goo\t --json\n", "\"host\":\"goose\""),
    ] {
        let world = world();
        let Some(shell) = shell(&world, "bash", &["--norc", "-i"]) else { return };
        let setup = "source <(graff-notes completions bash)";
        let ran = World::typing(120, &format!("{setup}\n{typed}exit\n"), shell);
        assert!(ran.stdout().contains(printed), "{typed:?}: {ran}");
    }
}

/// As the help has it, where nothing is in the home yet.
#[test]
fn the_first_example_puts_the_completions_where_bash_looks_for_them() {
    let world = world();
    let help = world.run(&["completions", "--help"]).quietly();
    let (_, examples) = help.stdout().split_once("Examples:\n").expect("examples");
    let (first, _) = examples.split_once("\n  graff-notes completions zsh").expect("two of them");
    Ran::of(&mut world.typed(world.root(), first)).quietly();
    let path = ".local/share/bash-completion/completions/graff-notes";
    let written = fs::read_to_string(world.root().join(path)).expect("a script");
    assert_eq!(written, world.run(&["completions", "bash"]).quietly().stdout());
}

#[test]
fn the_sessions_are_those_of_the_root_that_is_named() {
    let (world, elsewhere) = (world(), World::new());
    let root = world.root();
    for flag in [format!("--root {root}"), format!("--root={root}")] {
        let Some(offers) = offers(&elsewhere, &format!("{flag} log f")) else { return };
        assert_eq!(offers, ["fix-parser"], "{flag}");
    }
    assert!(!elsewhere.root().join(".graff").exists(), "looking makes nothing");
}

#[test]
fn bash_finds_the_sessions_of_a_root_that_is_quoted() {
    let world = World::new();
    let root = world.root().join("my dir");
    fs::create_dir(&root).expect("a folder");
    let note = ["--root", root.as_str(), "write", "fix-parser"];
    world.fed("the note of fix-parser", &note).quietly();
    for flag in ["--root 'my dir'", "--root \"my dir\"", "--root my\\ dir", "--root='my dir'"] {
        let Some(shell) = shell(&world, "bash", &["--norc", "-i"]) else { return };
        let setup = "TMOUT=20; source <(graff-notes completions bash)";
        // The quotes are closed by the tab alone, and without it the shell would wait for ever.
        let typed = format!("{setup}\ngraff-notes {flag} show 'fix-p\t\nexit\n");
        let ran = World::typing(120, &typed, shell);
        assert!(ran.stdout().contains("the note of fix-parser"), "{flag}: {ran}");
    }
}

#[test]
fn a_name_that_begins_with_a_dash_is_offered_where_it_works() {
    let world = world();
    world.fed("the note of -odd", &["write", "--", "-odd"]).quietly();
    let Some(bash) = shell(&world, "bash", &["--norc", "-i"]) else { return };
    let typed = "source <(graff-notes completions bash)\ngraff-notes show -- -o\t\nexit\n";
    let ran = World::typing(120, typed, bash);
    assert!(ran.stdout().contains("the note of -odd"), "{ran}");
    let Some(offered) = offers(&world, "show ") else { return };
    assert!(offered.contains(&"--".to_owned()), "{offered:?}");
    assert!(!offered.contains(&"-odd".to_owned()), "{offered:?}");
    assert_eq!(offers(&world, "show -- -o").expect("fish is there"), ["-odd"]);
}
