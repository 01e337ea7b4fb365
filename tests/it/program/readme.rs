//! What the README shows of the program is what the program prints.
//!
//! Shown by running its console blocks, each in a project of its own, line by line.

use std::{
    fs,
    process::{Command, Stdio},
};

use camino::Utf8Path;

use crate::support::world::{Ran, World};

/// A command and what is shown of its answer.
struct Step {
    command: String,
    answer: String,
}

/// Returns the console blocks of the README.
fn blocks() -> Vec<Vec<Step>> {
    let readme = fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/README.md"));
    let readme = readme.expect("the README");
    let blocks = readme.split("```console\n").skip(1);
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

/// Runs a command in a shell, as somebody does who has the program in his PATH.
fn typed(world: &World, command: &str) -> Ran {
    let program = Utf8Path::new(env!("CARGO_BIN_EXE_graff-notes"));
    let path = std::env::var("PATH").unwrap_or_default();
    let mut shell = Command::new("sh");
    shell.args(["-c", command]).current_dir(world.root().join("project"));
    for variable in ["GRAFF_ROOT", "XDG_CONFIG_HOME", "XDG_STATE_HOME", "CLAUDE_CONFIG_DIR"] {
        shell.env_remove(variable);
    }
    shell.env("PATH", format!("{}:{path}", program.parent().expect("its folder")));
    shell.env("HOME", world.root()).stdin(Stdio::null());
    Ran::from(shell.output().expect("a shell"))
}

#[test]
fn every_console_block_says_what_the_program_says() {
    let blocks = blocks();
    assert!(blocks.len() >= 2, "the README shows the program at work");
    for block in blocks {
        let world = World::new();
        fs::create_dir_all(world.root().join("project/.git")).expect("a project");
        for Step { command, answer } in block {
            let ran = typed(&world, &command).ends(0).quietly();
            let project = world.root().join("project");
            let said = ran.stdout().replace(project.as_str(), "/home/you/project");
            let said = said.replace(world.root().as_str(), "/home/you");
            assert!(answer.is_empty() || said == answer, "{command}{said}");
        }
    }
}
