//! What `--help` shows as an example can be typed as it stands.

use crate::support::world::{Ran, World};

/// A world with what the examples name: sessions, prompts, a transcript.
fn world() -> World {
    let world = World::new();
    for session in ["fix-parser", "-odd-name"] {
        for note in ["read_line drops the CR", "all green, waiting for review"] {
            world.fed(note, &["write", "--", session]).quietly();
        }
    }
    let spliced = world.fed("# Agent\n", &["splice", "fix-parser"]).quietly();
    for (file, bytes) in [
        ("spliced.md", spliced.stdout()),
        ("PROMPT.md", "# Agent\n"),
        ("note.md", "a note"),
        ("payload.json", "{\"hook_event_name\":\"SessionStart\",\"session_id\":\"fix-parser\"}"),
        ("session.jsonl", "{\"role\":\"user\",\"content\":\"go on\"}\n"),
    ] {
        std::fs::write(world.root().join(file), bytes).expect("a file");
    }
    world
}

/// The examples of a help, without what is piped or written into, or read from.
fn examples(help: &str) -> Vec<String> {
    let (_, behind) = help.split_once("Examples:\n").expect("examples");
    let (examples, _) = behind.split_once("\n\n").unwrap_or((behind, ""));
    let ours = |line: &str| {
        let start = line.rfind("graff-notes ").expect("the program");
        let end = [" | ", " >", " <"].iter().filter_map(|other| line[start..].find(other)).min();
        line[..end.map_or(line.len(), |end| start + end)].trim().to_owned()
    };
    examples.replace("\\\n", " ").lines().map(ours).collect()
}

#[test]
fn every_example_of_every_help_is_understood() {
    let help = World::new().run(&["--help"]).quietly();
    let (_, commands) = help.stdout().split_once("Commands:\n").expect("a list of commands");
    let (commands, _) = commands.split_once("\n\n").expect("options behind it");
    let mut tried = examples(help.stdout());
    for command in commands.lines().filter(|line| !line.starts_with("   ")) {
        let name = command.split_whitespace().next().expect("a name");
        tried.extend(examples(World::new().run(&[name, "--help"]).quietly().stdout()));
    }
    assert!(tried.len() > 40, "{tried:?}");
    for example in tried {
        let mut words = example.split(' ').skip(1);
        if example == "graff-notes forget fix-parser"
            || matches!(words.next(), Some("follow" | "ask"))
        {
            continue; // they ask a person, never end, or call a provider
        }
        let world = world();
        let command = format!("exec {example}");
        let ran = Ran::of(world.typed(world.root(), &command).env("GRAFF_ROOT", world.root()));
        assert!(!ran.stderr().contains("error: ") && !ran.has_status(2), "{example}: {ran}");
    }
}
