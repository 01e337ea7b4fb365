//! What the README and `docs/cli.md` show of the program is what the program prints, and between
//! them they show every command.
//!
//! Shown by running their console blocks, each in a project of its own, line by line.

use std::{fs, process::Command};

use camino::Utf8Path;

use crate::support::{
    found::in_time,
    report,
    world::{Ran, World},
};

/// Returns what it takes to draw the picture of a terminal, or `None` where nobody can here.
fn painter() -> Option<Command> {
    let campaign = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join("campaigns/picture");
    let mut python = Command::new("python3");
    let is_here = python.arg("--version").output().is_ok_and(|ran| ran.status.success());
    let mut command = Command::new("python3");
    command.arg(campaign).args(["--program", env!("CARGO_BIN_EXE_graff-notes"), "--check"]);
    is_here.then_some(command)
}

#[test]
fn the_picture_of_a_terminal_shows_what_the_program_prints_there() {
    let Some(mut painter) = painter() else {
        return report(format_args!("no python3, no picture"));
    };
    let ran = painter.output().expect("it starts");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
}

/// A command and what is shown of its answer.
struct Step {
    command: String,
    answer: String,
}

/// What is in the project of each block: logs that the documents name.
const FILES: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fixtures/cli");

/// Where the documents have a model.
const MODEL: &str = "https://api.example.com/v1";

/// Returns the console blocks of a document of ours.
fn blocks(document: &str) -> Vec<Vec<Step>> {
    let path = Utf8Path::new(env!("CARGO_MANIFEST_DIR")).join(document);
    let text = fs::read_to_string(path).expect("the document");
    let blocks = text.split("```console\n").skip(1);
    let blocks = blocks.map(|block| block.split("```").next().unwrap_or_default());
    blocks.map(steps).collect()
}

fn steps(block: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    for line in block.split_inclusive('\n') {
        match (line.strip_prefix("$ "), steps.last_mut()) {
            (Some(command), _) => {
                steps.push(Step { command: command.to_owned(), answer: String::new() });
            }
            (None, Some(step)) => step.answer.push_str(line),
            (None, None) => panic!("{line:?} answers nothing"),
        }
    }
    steps
}

/// A project with the files that are there from the start.
fn world() -> World {
    let world = World::new();
    let project = world.root().join("project");
    fs::create_dir_all(project.join(".git")).expect("a project");
    for file in fs::read_dir(FILES).expect("the files").flatten() {
        fs::copy(file.path(), project.join(file.file_name().to_str().expect("UTF-8")))
            .expect("a file");
    }
    world
}

#[test]
fn every_console_block_says_what_the_program_says() {
    for (document, least) in [("README.md", 2), ("docs/cli.md", 5)] {
        let blocks = blocks(document);
        assert!(blocks.len() >= least, "{document} shows the program at work");
        for block in blocks {
            let world = world();
            for Step { command, answer } in block {
                if cfg!(not(feature = "mcp")) && command.contains("graff-notes mcp") {
                    continue;
                }
                if cfg!(not(feature = "ask")) && command.contains(MODEL) {
                    break; // what the rest of the block shows is the note that it leaves
                }
                let project = world.root().join("project");
                let run = || Ran::of(&mut typed(&world, &project, &command));
                let ran = in_time(|| Some(run()).filter(|ran| !ran.gave_up())).quietly();
                let said = ran.stdout().replace(project.as_str(), "/home/you/project");
                let said = said.replace(world.root().as_str(), "/home/you");
                // What `hooks` answers hangs on the machine.
                let is_left_out = answer.is_empty() && command.starts_with("graff-notes hooks ");
                assert!(is_left_out || said == answer, "{document}: {command}{said}");
            }
        }
    }
}

#[cfg(not(feature = "ask"))]
fn typed(world: &World, project: &Utf8Path, command: &str) -> Command {
    world.typed(project, command)
}

/// What is typed, with a model on the loopback where the document has one.
#[cfg(feature = "ask")]
fn typed(world: &World, project: &Utf8Path, command: &str) -> Command {
    use super::endpoints::loopback::{NOTE, chat, directly, endpoint, ok};

    if !command.contains(MODEL) {
        return world.typed(project, command);
    }
    let (model, _requests) = endpoint(vec![ok(&chat(&NOTE.into()))]);
    let mut command = world.typed(project, &command.replace(MODEL, &model));
    directly(&mut command);
    command
}

/// Returns which commands of the program a line of a shell calls.
fn calls(line: &str) -> impl Iterator<Item = &str> {
    let of_word = |c: char| c.is_ascii_alphanumeric() || c == '-';
    line.split("graff-notes ").skip(1).filter_map(move |rest| rest.split(|c| !of_word(c)).next())
}

#[test]
fn every_command_is_shown() {
    let help = World::new().run(&["--help"]).quietly();
    let (_, commands) = help.stdout().split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("options behind it");
    let names = commands.lines().filter_map(|line| line.strip_prefix("  "));
    let names = names.filter(|line| !line.starts_with(' '));
    let steps: Vec<_> =
        ["README.md", "docs/cli.md"].into_iter().flat_map(blocks).flatten().collect();
    for name in names.map(|line| line.split(' ').next().expect("a name")) {
        let is_shown = steps.iter().any(|step| calls(&step.command).any(|called| called == name));
        assert!(is_shown, "{name}");
    }
}
