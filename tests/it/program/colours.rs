//! The promise: colour is where a person wants it, and JSON at a terminal is the same value without a
//! character that could steer it.

use serde_json::Value;

use crate::support::world::{Ran, World};

fn world() -> World {
    let world = World::new();
    world.fed("a note", &["write", "s1"]).quietly();
    world
}

#[test]
fn colour_is_there_unless_it_is_unwanted() {
    let world = world();
    let coloured = |args: &[&str]| world.at_terminal(80, "", args).stdout.contains(&0x1b);
    assert!(coloured(&["list"]));
    assert!(!coloured(&["list", "--color", "never"]));
    let piped = world.run(&["list"]).quietly();
    assert!(!piped.stdout.contains(&0x1b), "{piped}");
    // In a pipe too where it is asked for, as for `less -R`: the rows are the same but for it.
    let forced = world.run(&["list", "--color", "always"]).quietly();
    assert!(forced.stdout().contains("\t\u{1b}[32mok\u{1b}[0m\t"), "{forced}");
    let plain = forced.stdout().replace("\u{1b}[32m", "").replace("\u{1b}[0m", "");
    assert_eq!(plain, piped.stdout());
    let mut forced = world.command(&["list"]);
    assert!(Ran::of(forced.env("CLICOLOR_FORCE", "1")).stdout.contains(&0x1b));
}

#[test]
fn what_is_said_of_a_command_line_heeds_it_too() {
    let world = world();
    let coloured = |args: &[&str]| world.at_terminal(80, "", args).stdout.contains(&0x1b);
    for args in [&["list", "--help"][..], &["list", "--bogus"]] {
        assert!(coloured(args), "{args:?}");
        for never in [&["--color", "never"][..], &["--color=never"]] {
            assert!(!coloured(&[never, args].concat()), "{never:?} {args:?}");
        }
        let forced = world.run(&[args, &["--color", "always"]].concat());
        assert!([forced.stdout, forced.stderr].concat().contains(&0x1b), "{args:?}");
    }
}

#[test]
fn json_at_a_terminal_is_the_same_value_without_a_character_that_could_steer_it() {
    let world = World::new();
    let odd =
        "csi \u{9b}2J del \u{7f} turned \u{202e} parted \u{2028} unseen \u{200b} tag \u{e0041} é";
    let name = "a\u{202e}b";
    for text in ["first", odd] {
        world.fed(text, &["write", name]).quietly();
    }
    let value = |said: &str| said.lines().map(str::parse::<Value>).collect::<Result<Vec<_>, _>>();
    for args in [
        &["show", name][..],
        &["log", name],
        &["list"],
        &["diff", name],
        &["search", "csi"],
        &["verify"],
    ] {
        let args = [args, &["--json"]].concat();
        let shown = world.at_terminal(80, "", &args).ends(0);
        assert!(!shown.stdout().contains(|c: char| {
            matches!(c, '\u{7f}'..='\u{9f}' | '\u{200b}' | '\u{2028}'..='\u{202e}' | '\u{e0041}')
        }), "{args:?}: {shown}");
        assert!(shown.stdout().contains("\\u202e"), "{args:?}: {shown}");
        let piped = world.run(&args).ends(0);
        let [shown, piped] = [&shown, &piped].map(|ran| value(ran.stdout()).expect("JSON"));
        assert_eq!(shown, piped, "{args:?}");
    }
    for format in ["json", "jsonl"] {
        let args = ["export", "--format", format];
        let (shown, piped) = (world.at_terminal(80, "", &args).ends(0), world.run(&args).ends(0));
        assert!(!shown.stdout().contains(['\u{9b}', '\u{202e}']), "{shown}");
        let [shown, piped] = [&shown, &piped].map(|ran| value(ran.stdout()).expect("JSON"));
        assert_eq!(shown, piped, "{format}");
    }
    let missing = world.at_terminal(80, "", &["show", "c\u{202e}d", "--json"]).ends(3);
    assert!(missing.stdout().contains("c\\u202ed"), "{missing}");
}
