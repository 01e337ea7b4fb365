//! The lines of real clients, as they were sent.

use std::fs;

use serde_json::Value;

use super::Server;
use crate::support::world::World;

const CLIENTS: [&str; 6] =
    ["claude-code", "codex", "gemini", "opencode", "python-handshake", "python-stateless"];

#[test]
fn every_client_that_was_recorded_gets_its_note_stored() {
    for client in CLIENTS {
        let world = World::new();
        // Claude Code names its session here, and nowhere else; others may have it from its shell.
        let flags: &[&str] = match client {
            "claude-code" | "codex" => &[],
            _ => &["--session", "s1"],
        };
        let mut server = Server::with(&world, flags, &[("CLAUDE_CODE_SESSION_ID", "s1")]);
        let path = format!("{}/fixtures/mcp/{client}.jsonl", env!("CARGO_MANIFEST_DIR"));
        let lines = fs::read_to_string(path).expect("a recording");
        let mut last = Value::Null;
        for line in lines.lines() {
            let sent: Value = serde_json::from_str(line).expect("JSON");
            if sent["id"].is_null() {
                server.send(line);
                continue;
            }
            last = server.answers(line);
            assert_eq!((&last["id"], &last["error"]), (&sent["id"], &Value::Null), "{client}");
        }
        assert_eq!(last["result"]["isError"], false, "{client}: {last}");
        let session = if client == "codex" { "5f3f8a52-0000-7000-8000-000000000001" } else { "s1" };
        assert_eq!(world.run(&["show", session]).quietly().stdout(), "a note of mine", "{client}");
        server.ends().quietly();
    }
}
