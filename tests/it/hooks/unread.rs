//! The promise: hooks go beside a comment or a trailing comma that their host does not read, and
//! whoever puts them in is told that none is called, and which line keeps them from it.
//!
//! Shown by the built program in a home of its own, for each host and each of the two.

use graff_notes::host::{
    hook::Host,
    settings::{Extra, Unread, install, unread},
};
use serde_json::{Value, json};

use super::installs::{FILES, desk, hooks, put, text};
use crate::support::world::Ran;

const COMMENT: &str = "{\n  // mine\n  \"model\": \"opus\"\n}\n";
const COMMA: &str = "{\n  \"model\": \"opus\",\n}\n";
const NEITHER: &str = "{\n  \"model\": \"https://a /* b */,\"\n}\n";

#[test]
fn the_first_thing_that_a_host_does_not_read_is_told_with_its_line() {
    let (comment, comma) = (Extra::Comment, Extra::TrailingComma);
    for (settings, strict, gemini) in [
        (COMMENT, Some((comment, 2)), None),
        (COMMA, Some((comma, 2)), Some((comma, 2))),
        ("{\"a\": 1} // behind", Some((comment, 1)), None),
        ("/* a\n */ {\"a\": [1,\n]}", Some((comment, 1)), Some((comma, 2))),
        ("{\"a\": [1,],\n // b\n}", Some((comma, 1)), Some((comma, 1))),
        ("{\"a\": [1\n, // b\n],\n}", Some((comma, 2)), Some((comma, 2))),
        ("{\"a\": oops, // b\n}", None, None),
        (NEITHER, None, None),
        ("{}", None, None),
        ("", None, None),
    ] {
        for (host, wanted) in [
            (Host::ClaudeCode, strict),
            (Host::Codex, strict),
            (Host::Gemini, gemini),
            (Host::Opencode, None),
            (Host::Goose, None),
        ] {
            let wanted = wanted.map(|(extra, line)| Unread { extra, line });
            assert_eq!(unread(host, settings), wanted, "{host}: {settings}");
        }
    }
}

#[test]
fn install_status_and_doctor_say_that_no_hook_is_called_and_why() {
    let then = ["passes the whole file over", "runs none of the file's hooks", "does not start"];
    for ((host, name), then) in FILES[..3].iter().zip(then) {
        for (settings, what, has) in [
            (COMMENT, "a comment", Some("comment")),
            (COMMA, "a comma behind the last entry", Some("trailing_comma")),
            (NEITHER, "", None),
        ] {
            let has = has.filter(|has| *has == "trailing_comma" || *host != Host::Gemini);
            let desk = desk();
            let path = put(&desk, name, settings);
            let ran = hooks(&desk, &["install", host.as_str()]).quietly();
            assert_eq!(text(&path), install(*host, settings).expect("settings"), "{ran}");
            // Behind the hooks now, where it is a comma.
            let line = unread(*host, &text(&path)).map(|unread| unread.line);
            let line = line.unwrap_or_default();
            let words = format!("line {line} has {what}, which {host} does not read: it {then}");
            let told = ran.stdout().contains(&format!("In {path} {words}: take it out."));
            assert_eq!(told, has.is_some(), "{settings}: {ran}");
            assert!(
                !ran.stdout().contains("It works from the next session on; ") || !told,
                "{ran}"
            );

            let shown = hooks(&desk, &["status", host.as_str()]).ends(0);
            let mark = if told { format!("\tyes, but {words}\t") } else { "\tyes\t".to_owned() };
            assert!(shown.stdout().contains(&mark), "{shown}");
            let said = hooks(&desk, &["status", host.as_str(), "--json"]).quietly().json();
            let unread = has.map_or(Value::Null, |has| json!({"line": line, "has": has}));
            assert_eq!(said["unread"], unread, "{said}");

            let doctor = Ran::of(desk.command(&["doctor"]).current_dir(desk.project()));
            let fails = format!("{host}, user: installed, and {words}");
            assert_eq!(doctor.stdout().contains(&fails), told, "{doctor}");
            assert!(
                !told || doctor.stdout().contains(&format!("take it out of {path}")),
                "{doctor}"
            );

            hooks(&desk, &["remove", host.as_str()]).quietly();
            assert_eq!(text(&path), settings);
            let shown = hooks(&desk, &["status", host.as_str()]).ends(0);
            assert!(shown.stdout().contains("\tno\t"), "what has no hooks of ours: {shown}");
        }
    }
}
