//! `splice`: the prompt always comes out; with the note where there is one, else byte for byte.

use std::{
    io::Write,
    os::{
        fd::OwnedFd,
        unix::{fs::PermissionsExt, net::UnixStream},
    },
    thread,
};

use serde_json::{Value, json};

use super::names::as_bound_user;
use crate::support::{
    skipped,
    world::{Ran, World},
};

const BASE: &str = "# Agent\r\n\r\n## HARD CONSTRAINTS\n- never push\n\n## Tools\n- read";

fn world() -> World {
    let world = World::new();
    world.fed("SUBGOAL: make retry_test green", &["write", "s1"]).quietly();
    world
}

#[test]
fn the_note_goes_in_once_and_comes_out_again() {
    let world = world();
    let spliced = world.fed(BASE, &["splice", "s1"]).quietly();
    assert!(spliced.stdout().contains("- never push\n\n=== graff-note begins ==="), "{spliced}");
    let again = world.fed(&spliced.stdout, &["splice", "s1"]).quietly();
    assert_eq!(again.stdout, spliced.stdout);
    assert_eq!(world.fed(&spliced.stdout, &["splice", "--strip"]).quietly().stdout(), BASE);
    let note = world.fed(&spliced.stdout, &["splice", "--extract"]).quietly();
    assert_eq!(note.stdout(), "SUBGOAL: make retry_test green");
}

#[test]
fn a_prompt_that_is_not_utf_8_loses_no_byte() {
    let world = world();
    let odd = b"caf\xe9\n## HARD CONSTRAINTS\n- \xff\xfe\xf0\x9f\n\n\xed\xa0\x80 \xf4\x80\x80\x80\0\x80\n";
    let spliced = world.fed(odd, &["splice", "s1"]).quietly();
    let block = b"SUBGOAL: make retry_test green\n=== graff-note ends ===\n\n\xed\xa0\x80";
    assert!(spliced.stdout.windows(block.len()).any(|window| window == block), "{spliced}");
    assert_eq!(world.fed(&spliced.stdout, &["splice", "--strip"]).quietly().stdout, odd);
    let note = world.fed(&spliced.stdout, &["splice", "--extract"]).quietly();
    assert_eq!(note.stdout(), "SUBGOAL: make retry_test green");
    let json = world.fed(odd, &["splice", "s1", "--json"]).ends(0);
    assert!(json.json()["prompt"].as_str().is_some_and(|prompt| prompt.contains("caf\u{fffd}")));
    assert!(json.said("warning")["message"].as_str().is_some_and(|said| said.contains("U+FFFD")));
}

#[test]
fn a_note_of_private_use_characters_is_no_stray_byte() {
    let world = World::new();
    let note: String = ('\u{100000}'..='\u{1000ff}').collect();
    world.fed(&note, &["write", "s1"]).quietly();
    let spliced = world.fed(b"\x80\xff", &["splice", "s1"]).quietly();
    let found = world.fed(&spliced.stdout, &["splice", "--extract"]).quietly();
    assert_eq!(found.stdout(), note);
    assert!(spliced.stdout.starts_with(b"\x80\xff\n\n==="), "{spliced}");
}

#[test]
fn without_a_note_the_prompt_comes_out_byte_for_byte() {
    let world = World::new();
    let odd = b"\xff no final line break, === graff-note begins ===";
    assert_eq!(world.fed(odd, &["splice", "s1"]).quietly().stdout, odd);
    world.put("empty", "");
    assert_eq!(world.fed(odd, &["splice", "empty"]).quietly().stdout, odd);
    assert_eq!(world.fed("", &["splice", "s1"]).quietly().stdout(), "");
}

#[test]
fn whatever_goes_wrong_the_prompt_comes_out() {
    let world = world();
    std::fs::create_dir(world.log("folder")).expect("a folder in its place");
    std::os::unix::fs::symlink(world.log("s1"), world.log("link")).expect("a link in its place");
    for (args, status) in [
        (&["splice", ""][..], 2),
        (&["splice", "../../etc/passwd"], 2),
        (&["splice", "s1", "--cap-bytes", "1"], 2),
        (&["splice", "s1", "--root", "/not/there"], 2),
        (&["splice", "folder"], 1),
        (&["splice", "link"], 1),
    ] {
        let ran = world.fed(BASE, args).ends(status);
        assert_eq!(ran.stdout(), BASE, "{args:?}");
        assert!(ran.stderr().starts_with("graff-notes: could not "), "{args:?}: {ran}");
        let ran = world.fed(BASE, &[args, &["--json"]].concat()).ends(status);
        assert_eq!(ran.json()["prompt"], json!(BASE), "{args:?}");
        assert_eq!(ran.said("error")["exit"], json!(status), "{args:?}");
    }
}

#[test]
fn a_hand_edited_note_over_the_cap_is_cut_and_said_to_be() {
    let world = World::new();
    let text = "x".repeat(4_010);
    world.put("s1", format!("{{\"v\":1,\"session\":\"s1\",\"text\":\"{text}\"}}\n"));
    let ran = world.fed(BASE, &["splice", "s1"]).ends(0);
    assert_eq!(ran.stderr(), "graff-notes: left out 10 bytes of the note: over the cap of 4000\n");
    let note = world.fed(&ran.stdout, &["splice", "--extract"]).quietly();
    assert_eq!(note.stdout(), "x".repeat(4_000));
    world.fed(BASE, &["splice", "s1", "--cap-bytes", "5000"]).quietly();
}

#[test]
fn check_says_how_the_prompt_stands_to_the_note() {
    let world = world();
    let spliced = world.fed(BASE, &["splice", "s1"]).quietly().stdout;
    let check = |prompt: &[u8], session, status| {
        let ran = world.fed(prompt, &["splice", session, "--check"]).ends(status);
        ran.stdout().to_owned()
    };
    assert_eq!(check(&spliced, "s1", 0), "current\n");
    assert_eq!(check(BASE.as_bytes(), "s1", 1), "absent\n");
    assert_eq!(check(BASE.as_bytes(), "nobody", 0), "current\n");
    assert_eq!(check(&spliced, "nobody", 1), "stale\n");
    assert_eq!(check(&[&spliced[..], b"\n", &spliced].concat(), "s1", 1), "stacked\n");
    world.fed("another", &["write", "s1"]).quietly();
    assert_eq!(check(&spliced, "s1", 1), "stale\n");
    let ran = world.fed(&spliced, &["splice", "s1", "--check", "--json"]).ends(1);
    assert_eq!(ran.json(), json!({"session": "s1", "check": "stale"}));
}

#[test]
fn the_answers_in_json() {
    let world = world();
    let plain = world.fed(BASE, &["splice", "s1"]).quietly();
    let spliced = world.fed(BASE, &["splice", "s1", "--json"]).quietly().json();
    let note = json!({"seq": 1, "gen": 0, "left_out": 0});
    let answer = json!({"session": "s1", "prompt": plain.stdout(), "note": note, "doubt": null});
    assert_eq!(spliced, answer);
    let bare = json!({"session": null, "prompt": BASE, "note": null, "doubt": null});
    let stripped = world.fed(&plain.stdout, &["splice", "--strip", "--json"]).quietly().json();
    assert_eq!(stripped, bare);
    let found = world.fed(&plain.stdout, &["splice", "--extract", "--json"]).quietly().json();
    assert_eq!(found, json!({"note": "SUBGOAL: make retry_test green"}));
    let ran = world.fed(BASE, &["splice", "nobody", "--json"]).quietly();
    assert_eq!(ran.json()["note"], Value::Null);
    world.fed(BASE, &["splice", "--extract"]).ends(3);
}

/// Lets everybody read a world's store, and nobody write to it.
pub(super) fn read_only(world: &World) {
    let set = |path: &str, mode| {
        let path = world.root().join(path);
        std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("modes");
    };
    for file in world.files().iter().filter(|file| file.starts_with(".graff/notes/")) {
        set(file, 0o444);
    }
    set(".graff/notes", 0o555);
    set(".graff", 0o555);
    set("", 0o755);
}

#[test]
fn a_store_that_only_can_be_read_is_read() {
    let world = world();
    std::fs::write(world.root().join("note"), BASE).expect("a prompt");
    read_only(&world);
    let Some(ran) = as_bound_user(&world, &["splice", "s1"]) else {
        return skipped("the user nobody cannot run the program from where it is");
    };
    let spliced = ran.quietly();
    assert!(spliced.stdout().contains("SUBGOAL"), "{spliced}");
    let written = as_bound_user(&world, &["write", "s1"]).expect("it could run it before");
    assert!(written.ends(1).stderr().contains("Permission denied"), "it can only be read");
}

/// Runs the program with a file of these bytes on stdin.
fn fed_from_a_file(world: &World, prompt: &[u8], args: &[&str]) -> Ran {
    let path = world.root().join("PROMPT.md");
    std::fs::write(&path, prompt).expect("a prompt");
    let mut command = world.command(args);
    Ran::of(command.stdin(std::fs::File::open(&path).expect("the prompt")))
}

#[test]
fn a_prompt_that_is_too_long_to_be_held_goes_out_as_it_came_in_json_too() {
    let world = world();
    // Its characters have two, three and four bytes, so that pieces end in the middle of each.
    let mut prompt = "é☃🦀\n\"\u{1}".repeat((17 << 20) / 12).into_bytes();
    let why = "could not read the prompt from stdin: it has more than 16777216 bytes";
    for (args, strays) in [(&["splice", "s1"][..], false), (&["splice", "--strip"], true)] {
        if strays {
            prompt.splice(300_000..300_000, *b"\xff\xe2\x98");
            prompt.extend(b"\xf0\x9f");
        }
        let plain = fed_from_a_file(&world, &prompt, args).ends(2);
        assert!(plain.stdout == prompt, "{} bytes", plain.stdout.len());
        assert!(plain.stderr().contains(why), "{}", plain.stderr());

        let ran = fed_from_a_file(&world, &prompt, &[args, &["--json"]].concat()).ends(2);
        let answer = ran.json();
        let expected = String::from_utf8_lossy(&prompt);
        assert!(answer["prompt"] == *expected, "{args:?}");
        assert_eq!((&answer["session"], &answer["note"]), (&Value::Null, &Value::Null));
        assert!(ran.stderr().contains(why), "{}", ran.stderr());
        assert_eq!(ran.stderr().contains("the prompt is not UTF-8"), strays, "{}", ran.stderr());
    }
}

#[test]
fn a_prompt_whose_rest_cannot_be_read_is_said_to_be_cut_off() {
    let world = World::new();
    let (mut host, program) = UnixStream::pair().expect("two ends");
    // Who hangs up with something unread resets the connection: behind the prompt is no end.
    (&program).write_all(b"unread").expect("written");
    let mut command = world.command(&["splice", "s1"]);
    let child = command.stdin(OwnedFd::from(program)).spawn().expect("the program starts");
    drop(command);
    let writer = thread::spawn(move || host.write_all(&vec![b'x'; 17 << 20]).expect("it reads"));
    let ran = Ran::of_child(child).ends(2);
    writer.join().expect("it ends");
    assert_eq!(ran.stdout.len(), 17 << 20);
    assert!(ran.stderr().contains("the prompt is cut off: could not read its rest"), "{ran}");
    assert!(ran.stderr().contains("it has more than"), "{ran}");
}
