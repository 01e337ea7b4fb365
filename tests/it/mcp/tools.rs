//! What the tools do, and how they tell of trouble.

use std::fs;

use serde_json::{Value, json};

use super::Server;
use crate::support::world::{Ran, World};

/// A server whose tools are about session s1.
fn server(world: &World) -> Server {
    Server::with(world, &["--session", "s1"], &[])
}

/// Gives a project without a store these settings.
fn set(world: &World, text: &str) {
    fs::create_dir(world.root().join(".graff")).expect("a folder");
    fs::write(world.root().join(".graff/config.toml"), text).expect("written");
}

#[test]
fn each_tool_says_what_it_takes_and_those_for_the_model_are_there_from_the_start() {
    let world = World::new();
    let mut server = server(&world);
    let listed = server.asked("tools/list", &json!({}));
    let tools = listed["result"]["tools"].as_array().expect("a list");
    let names: Vec<_> = tools.iter().map(|tool| tool["name"].as_str().expect("a name")).collect();
    assert_eq!(names, ["write_note", "show_note", "list_notes", "decide", "thread_hint"]);
    for tool in tools {
        let schema = &tool["inputSchema"];
        assert_eq!(
            (&schema["type"], &schema["additionalProperties"]),
            (&json!("object"), &json!(false))
        );
        assert!(tool["description"].as_str().expect("words").len() > 40, "{tool}");
        let always = tool["_meta"]["anthropic/alwaysLoad"] == true;
        assert_eq!(always, tool["name"] != "thread_hint", "{tool}");
        assert_eq!(tool["annotations"]["readOnlyHint"], tool["name"] != "write_note");
    }
}

#[test]
fn what_a_tool_takes_is_what_its_schema_says() {
    let world = World::new();
    let mut server = server(&world);
    server.does("write_note", &json!({"text": "a note"}));
    let listed = server.asked("tools/list", &json!({}));
    for tool in listed["result"]["tools"].as_array().expect("a list") {
        let name = tool["name"].as_str().expect("a name");
        let schema = &tool["inputSchema"];
        let properties = schema["properties"].as_object().expect("an object");
        let all: Value = properties
            .iter()
            .map(|(key, property)| {
                let value = if property["type"] == "integer" { json!(1) } else { json!("s1") };
                (key.clone(), value)
            })
            .collect();
        server.does(name, &all);
        let Some(required) = schema["required"].as_array() else { continue };
        for key in required {
            let mut without = all.clone();
            without.as_object_mut().expect("an object").remove(key.as_str().expect("a key"));
            let said = server.fails(name, &without);
            assert!(said.contains("missing field"), "{name}: {said}");
        }
    }
}

#[test]
fn a_note_comes_back_word_for_word() {
    let world = World::new();
    let mut server = server(&world);
    let text = "Subgoal: make <b>it</b> green\r\n\t\"a.rs:7\" \\ é \u{1F980}\u{2028} \u{7f}\n";
    let said = server.does("write_note", &json!({"text": text}));
    assert_eq!(said, ["saved: it is record 1 of session s1, generation 0"]);
    let shown = server.does("show_note", &json!({}));
    assert_eq!(shown[0], text);
    assert!(shown[1].starts_with("note 1, generation 0, stored 20"), "{shown:?}");
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), text);
    let again = server.does("write_note", &json!({"text": text}));
    assert_eq!(again, ["saved already: the newest note of session s1 says the same"]);
    server.does("write_note", &json!({"text": "a second one"}));
    assert_eq!(server.does("show_note", &json!({}))[0], "a second one");
    assert_eq!(server.does("show_note", &json!({"seq": 1}))[0], text);
    assert_eq!(
        server.fails("show_note", &json!({"seq": 9})),
        "could not find note 9 of session s1"
    );
    let hint = server.does("thread_hint", &json!({})).concat();
    assert_eq!(graff_notes::prompt::extract(&hint), Some("a second one"), "{hint}");
    server.ends().quietly();
}

#[test]
fn notes_are_listed_with_the_newest_last() {
    let world = World::new();
    let mut server = server(&world);
    for number in 1..=25 {
        server.does("write_note", &json!({"text": format!("note {number}\nand more of it")}));
    }
    let listed = server.does("list_notes", &json!({})).concat();
    let lines: Vec<_> = listed.lines().collect();
    assert_eq!((lines.len(), lines[0]), (21, "5 notes before these"));
    assert!(lines[20].starts_with("note 25, generation 0, stored "), "{listed}");
    assert!(lines[20].contains(": note 25"), "{listed}");
    let few = server.does("list_notes", &json!({"limit": 2})).concat();
    assert_eq!(few.lines().count(), 3, "{few}");
}

#[test]
fn so_many_notes_are_listed_as_the_schema_lets_one_ask_for() {
    let world = World::new();
    let mut server = server(&world);
    let listed = server.asked("tools/list", &json!({}));
    let limit = &listed["result"]["tools"][2]["inputSchema"]["properties"]["limit"];
    assert_eq!((&limit["minimum"], &limit["maximum"]), (&json!(1), &json!(100)));
    for number in 1..=101 {
        server.does("write_note", &json!({"text": format!("note {number}")}));
    }
    let most = server.does("list_notes", &json!({"limit": 100})).concat();
    assert_eq!((most.lines().count(), most.lines().next()), (101, Some("1 note before these")));
    for refused in [0, 101, usize::MAX] {
        let said = server.fails("list_notes", &json!({"limit": refused}));
        assert_eq!(said, "could not list so many notes: `limit` is from 1 to 100");
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_long_log_is_listed_and_shown_from_within_bounds() {
    let world = World::new();
    let text = "src/parse.rs:88 still drops the CR; ".repeat(100);
    let line = |seq: u64| {
        format!(
            "{{\"v\":1,\"session\":\"s1\",\"gen\":3,\"text\":\"{seq}: {text}\",\"created_at\":5,\"seq\":{seq}}}\n"
        )
    };
    let last = 60_000_000 / line(1).len() as u64;
    world.put("s1", (1..=last).map(line).collect::<Vec<_>>().concat());
    let mut server = server(&world);
    let listed = server.does("list_notes", &json!({"limit": 1})).concat();
    assert!(
        listed.starts_with(&format!("{} notes before these\nnote {last},", last - 1)),
        "{listed}"
    );
    assert!(server.does("show_note", &json!({"seq": 7}))[0].starts_with("7: src/"));
    let peak = crate::support::peak_kib(server.child.id());
    assert!(peak < super::PEAK_KIB_MAX, "{peak} KiB");
}

#[test]
fn a_note_has_the_limits_that_it_has_on_the_command_line() {
    let world = World::new();
    let mut server = server(&world);
    let long = "é".repeat(2_500);
    let said = server.does("write_note", &json!({"text": long}));
    assert_eq!(said[1], "1000 bytes were cut off its end, since 4000 are kept at most");
    world.fed(&long, &["write", "s2"]).ends(0);
    let (of_tool, of_command) = (world.run(&["show", "s1"]), world.run(&["show", "s2"]));
    assert_eq!(of_tool.stdout(), of_command.stdout());
    for refused in ["", " \n"] {
        let said = server.fails("write_note", &json!({"text": refused}));
        let ran = world.fed(refused, &["write", "s2"]).ends(2);
        assert!(ran.stderr().contains(said.as_str()), "{said}: {ran}");
    }
    let most = server.does("write_note", &json!({"text": "x".repeat(65_536)}));
    assert_eq!(most.len(), 2, "{most:?}");
    let said = server.fails("write_note", &json!({"text": "x".repeat(65_537)}));
    assert!(said.contains("65536 is the most"), "{said}");
}

#[test]
fn it_is_time_for_a_note_once_a_generation() {
    let world = World::new();
    let mut server = server(&world);
    let decided = |server: &mut Server, used: u64| {
        let figures = json!({"used_tokens": used, "window_tokens": 100_000});
        server.does("decide", &figures).concat()
    };
    let said = decided(&mut server, 74_999);
    assert_eq!(said, "no: it is not due yet; 74999 tokens are used, the threshold is 75000");
    let said = decided(&mut server, 75_000);
    assert_eq!(said, "yes: write your note now; 75000 tokens are used, the threshold is 75000");
    assert!(!world.log("s1").exists(), "nothing is written");
    server.does("write_note", &json!({"text": "written as told"}));
    let said = decided(&mut server, 75_000);
    assert!(said.starts_with("no: generation 0 has had its attempt"), "{said}");
}

#[test]
fn a_window_that_nobody_sets_is_that_of_the_agent_which_calls() {
    let world = World::new();
    let decided = |client: &str, variables: &[(&str, &str)]| {
        let mut server = Server::with(&world, &["--session", "s1"], variables);
        server.greets(client);
        server.does("decide", &json!({"used_tokens": 1})).concat()
    };
    let window = [("CLAUDE_CODE_AUTO_COMPACT_WINDOW", "100000")];
    for (client, variables, threshold) in [
        ("claude-code", &[][..], 150_000),
        ("claude-code", &window, 75_000),
        ("mcp", &window, 150_000),
        ("gemini-cli-mcp-client", &[], 272_000),
    ] {
        let said = decided(client, variables);
        assert!(said.ends_with(&format!("the threshold is {threshold}")), "{client}: {said}");
    }
}

#[test]
fn a_note_is_not_due_where_the_cap_on_calls_leaves_no_room_for_it() {
    let world = World::new();
    set(&world, "calls-cap = 1\n");
    let mut server = server(&world);
    let said = server.does("decide", &json!({"used_tokens": 190_000})).concat();
    assert!(said.starts_with("no: "), "{said}");
}

#[test]
fn a_subagent_is_told_to_leave_its_parents_note_alone() {
    let world = World::new();
    let mut server = server(&world);
    let hello = json!({"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "x", "version": "1"}});
    let instructions = server.asked("initialize", &hello)["result"]["instructions"].to_string();
    let listed = server.asked("tools/list", &json!({}));
    let description = listed["result"]["tools"][0]["description"].to_string();
    for words in [instructions, description] {
        assert!(words.contains("Only the agent that the user talks to"), "{words}");
    }
}

/// Its SDK starts a runtime, which nobody is to wait for who calls a hook.
#[test]
fn no_other_command_names_the_sdk_or_its_runtime() {
    let mut folders = vec![concat!(env!("CARGO_MANIFEST_DIR"), "/src").into()];
    let mut named = 0;
    while let Some(folder) = folders.pop() {
        let folder: std::path::PathBuf = folder;
        for entry in fs::read_dir(&folder).expect("a folder").flatten() {
            let path = entry.path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let text = fs::read_to_string(&path).unwrap_or_default();
            let uses = ["tokio::", "rmcp::"].iter().any(|name| text.contains(name));
            let is_of_mcp = path.parent().is_some_and(|parent| parent.ends_with("command/mcp"));
            assert!(!uses || is_of_mcp, "{}", path.display());
            named += u32::from(uses);
        }
    }
    assert!(named > 3, "they are named where they are used");
}

#[test]
fn what_is_set_holds_for_the_tools_too() {
    let world = World::new();
    let config = world.root().join(".graff/config.toml");
    fs::create_dir(world.root().join(".graff")).expect("a folder");
    fs::write(&config, "cap-bytes = 16\npercent = 50\nwindow-tokens = 1_000\n").expect("written");
    let mut server = server(&world);
    let said = server.does("write_note", &json!({"text": "0123456789abcdefgh"}));
    assert_eq!(said[1], "2 bytes were cut off its end, since 16 are kept at most");
    let said = server.does("decide", &json!({"used_tokens": 499})).concat();
    assert!(said.ends_with("499 tokens are used, the threshold is 500"), "{said}");
    fs::write(&config, "cap-bytes = 17\n").expect("written");
    let said = server.does("write_note", &json!({"text": "another text, of 24 bytes"}));
    assert_eq!(said[1], "8 bytes were cut off its end, since 17 are kept at most");
    server.ends().quietly();
}

#[test]
fn settings_that_cannot_be_used_are_told_and_the_note_is_stored_all_the_same() {
    let world = World::new();
    set(&world, "percent = 0\n");
    let mut server = server(&world);
    server.does("write_note", &json!({"text": "a note"}));
    let ran = server.ends();
    assert!(ran.stderr().contains("config.toml: line 1: percent"), "{ran}");
    assert_eq!(Ran::of(&mut world.command(&["show", "s1"])).stdout(), "a note");
}

#[test]
fn a_fault_in_one_place_lifts_no_limit_that_is_set_in_another() {
    let world = World::new();
    set(&world, "percent = 0\ncalls-cap = 1\n");
    let user = world.root().join("graff-notes");
    fs::create_dir(&user).expect("a folder");
    fs::write(user.join("config.toml"), "model = 5\n").expect("written");
    let folder = ("XDG_CONFIG_HOME", world.root().as_str());
    let mut server = Server::with(&world, &["--session", "s1"], &[folder]);
    let said = server.does("decide", &json!({"used_tokens": 190_000})).concat();
    assert!(said.starts_with("no: "), "{said}");
    fs::write(world.root().join(".graff/config.toml"), "calls cap\n").expect("written");
    fs::write(user.join("config.toml"), "calls-cap = 1\n").expect("written");
    let said = server.does("decide", &json!({"used_tokens": 190_000})).concat();
    assert!(said.starts_with("no: "), "{said}");
    let ran = server.ends();
    for fault in ["line 1: percent is 0", "line 1: model is 5", "line 1: key with no value"] {
        assert!(ran.stderr().contains(fault), "{ran}");
    }
}

#[test]
fn trouble_is_told_in_words_where_the_model_reads_it() {
    let world = World::new();
    let mut server = server(&world);
    for (tool, arguments, words) in [
        ("show_note", json!({}), "could not find session s1: it has no log"),
        ("list_notes", json!({}), "could not find session s1: it has no log"),
        ("write_note", json!({"text": 7}), "could not read the arguments: invalid type"),
        ("write_note", json!({"text": "x", "more": 1}), "unknown field `more`"),
        ("write_note", json!({"text": "x", "session": "../s1"}), "could not use \"../s1\""),
        ("write_note", json!({"text": "x", "session": ""}), "could not use \"\" as a session"),
        ("decide", json!({"used_tokens": -1}), "could not read the arguments: invalid value"),
    ] {
        let said = server.fails(tool, &arguments);
        assert!(said.contains(words), "{said}");
    }
    fs::write(world.root().join(".graff"), "in the way").expect("written");
    let said = server.fails("write_note", &json!({"text": "x"}));
    assert!(said.starts_with("could not"), "{said}");
    fs::remove_file(world.root().join(".graff")).expect("removed");
    server.does("write_note", &json!({"text": "x"}));
}

#[test]
fn a_store_that_is_removed_meanwhile_is_made_anew_by_the_next_note() {
    let world = World::new();
    let mut server = server(&world);
    server.does("write_note", &json!({"text": "the first"}));
    fs::remove_dir_all(world.root().join(".graff")).expect("removed");
    server.does("write_note", &json!({"text": "the second"}));
    assert_eq!(world.run(&["show", "s1"]).quietly().stdout(), "the second");
}

#[test]
fn a_note_that_may_be_damaged_is_said_to_be() {
    let world = World::new();
    let mut server = server(&world);
    server.does("write_note", &json!({"text": "the first"}));
    let mut log = fs::read(world.log("s1")).expect("a log");
    log.extend_from_slice(b"{\"v\":1,\"session\":\"s1\",\"gen\":0,\"text\":\"torn\n");
    fs::write(world.log("s1"), log).expect("written");
    let shown = server.does("show_note", &json!({}));
    assert_eq!(shown[0], "the first");
    assert!(shown[2].contains("may be damaged"), "{shown:?}");
}
