//! The promise: installing changes nothing in a person's settings but our hooks, and removing
//! gives the bytes back.
//!
//! Shown on settings as people have them, and on many made from pieces with odd layouts.

use std::collections::BTreeSet;

use graff_notes::host::{
    hook::Host,
    settings::{Refused, Registration, events, install, remove},
};
use proptest::prelude::*;
use serde_json::{Value, json};

const WITH_SETTINGS: [Host; 3] = [Host::ClaudeCode, Host::Codex, Host::Gemini];

/// Settings as people have them.
const SETTINGS: &[&str] = &[
    "{}",
    "{}\n",
    "{ }\n",
    "{\n}\n",
    "{\"model\":\"opus\"}",
    "{\n  \"model\": \"opus\"\n}\n",
    "{\r\n\t\"model\": \"opus\",\r\n\t\"env\": {\r\n\t\t\"A\": \"{\\\"b\\\"\"\r\n\t}\r\n}\r\n",
    "{\n    // mine\n    \"model\": \"opus\", // why not\n    /* last */\n}\n",
    "{\n  \"theme\": \"dark\" // no comma here\n}\n",
    "{\"a\": [1, 2,], /* x */ \"b\": null /* y */ }",
    "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]}]}}",
    "{\n   \"hooks\": {\n      \"Stop\": [\n         {\n            \"hooks\": [{\"type\": \"command\", \"command\": \"other\"}]\n         }\n      ], // theirs\n      \"SessionStart\": [{\"matcher\": \"clear\", \"hooks\": []}],\n   },\n   \"permissions\": {\"allow\": [\"Bash(ls:*)\"]}\n}",
    "\u{FEFF}{\n  \"a\": 1\n}\n",
];

fn parsed(settings: &str) -> Value {
    let bare: String = uncommented(settings.trim_start_matches('\u{FEFF}'));
    serde_json::from_str(&bare).unwrap_or_else(|e| panic!("{e} in {bare}"))
}

/// The text without comments and trailing commas, by a reading of its own.
fn uncommented(text: &str) -> String {
    let (mut out, mut chars) = (String::new(), text.chars().peekable());
    while let Some(c) = chars.next() {
        match (c, chars.peek()) {
            ('"', _) => {
                out.push(c);
                while let Some(c) = chars.next() {
                    out.push(c);
                    if c == '\\' {
                        out.extend(chars.next());
                    } else if c == '"' {
                        break;
                    }
                }
            }
            ('/', Some('/')) => while chars.next_if(|c| *c != '\n').is_some() {},
            ('/', Some('*')) => {
                let mut last = ' ';
                chars.next();
                for c in chars.by_ref() {
                    if last == '*' && c == '/' {
                        break;
                    }
                    last = c;
                }
            }
            ('}' | ']', _) => {
                let kept = out.trim_end().len();
                if out[..kept].ends_with(',') {
                    out.truncate(kept - 1);
                }
                out.push(c);
            }
            _ => out.push(c),
        }
    }
    out
}

#[track_caller]
fn check(host: Host, before: &str) {
    let after = install(host, before).expect("settings");
    let names: BTreeSet<_> =
        Registration::of(host).iter().map(|hook| hook.event.to_owned()).collect();
    assert_eq!(
        events(host, &after).expect("settings").into_iter().collect::<BTreeSet<_>>(),
        names,
        "{after}"
    );
    assert_eq!(parsed(&after), expected(host, before), "{after}");
    assert_eq!(install(host, &after).as_deref(), Ok(after.as_str()), "twice is once");
    assert!(is_spread_over(before, &after), "{before}\n---\n{after}");
    assert_eq!(remove(host, &after).as_deref(), Ok(before), "after:\n{after}");
}

/// What settings mean that have none of our hooks, once ours stand behind the others of each event.
#[track_caller]
fn expected(host: Host, before: &str) -> Value {
    let mut settings = parsed(before);
    let ours = parsed(&install(host, "{}").expect("settings"));
    let hooks = settings.as_object_mut().expect("an object").entry("hooks").or_insert(json!({}));
    for (event, groups) in ours["hooks"].as_object().expect("an object") {
        let all = hooks.as_object_mut().expect("an object").entry(event).or_insert(json!([]));
        all.as_array_mut().expect("a list").extend(groups.as_array().expect("a list").clone());
    }
    settings
}

/// Whether `after` is `before` with bytes put in between.
fn is_spread_over(before: &str, after: &str) -> bool {
    let mut after = after.bytes();
    before.bytes().all(|byte| after.any(|other| other == byte))
}

#[test]
fn every_bracket_comment_and_indentation_stays() {
    for host in WITH_SETTINGS {
        for settings in SETTINGS {
            check(host, settings);
        }
    }
}

#[test]
fn settings_that_are_blank_get_the_hooks_alone() {
    for host in WITH_SETTINGS {
        let after = install(host, "\n").expect("settings");
        assert_eq!(remove(host, &after).as_deref(), Ok("{}\n"));
        assert_eq!(events(host, "").expect("settings"), Vec::<String>::new());
    }
}

#[test]
fn what_is_put_in_reads_well() {
    let after = install(Host::Gemini, "{\n  \"theme\": \"dark\" // mine\n}\n").expect("settings");
    assert_eq!(
        after,
        r#"{
  "theme": "dark", // mine
  "hooks": {
    "BeforeAgent": [{"hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}],
    "BeforeModel": [{"hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}],
    "AfterTool": [{"hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}],
    "AfterAgent": [{"hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}],
    "PreCompress": [{"matcher": "manual", "hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}],
    "SessionEnd": [{"hooks": [{"type": "command", "command": "graff-notes hook gemini", "timeout": 5000}]}]
  }
}
"#
    );
}

#[test]
fn every_source_and_trigger_calls_but_the_one_before_every_request_of_gemini() {
    for host in WITH_SETTINGS {
        let installed = parsed(&install(host, "{}").expect("settings"));
        for (event, groups) in installed["hooks"].as_object().expect("an object") {
            let matcher = (event == "PreCompress").then_some("manual");
            assert_eq!(groups[0].get("matcher").and_then(Value::as_str), matcher, "{host} {event}");
        }
    }
}

fn refused(settings: &str) -> String {
    install(Host::ClaudeCode, settings).expect_err("no settings").to_string()
}

#[test]
fn what_is_no_json_is_refused_with_its_place() {
    assert_eq!(refused("{\n  \"a\": 1\n  \"b\": 2\n}"), "line 3, column 3 is no JSON");
    assert_eq!(refused("{\"a\": \"no end}"), "line 1, column 7 is no JSON");
    assert_eq!(refused("{} {}"), "line 1, column 4 is no JSON");
    assert_eq!(refused("{\"a\": }"), "line 1, column 7 is no JSON");
    assert_eq!(refused(&"[".repeat(100_000)), "line 1, column 65 is no JSON");
    assert_eq!(refused("[]"), "the whole is not an object");
    assert_eq!(refused("{\"hooks\": []}"), "`hooks` is not an object");
    let object = "{\"hooks\": {\"SessionStart\": {\"a\": 1}}}";
    assert_eq!(refused(object), "`hooks.SessionStart` is not a list");
    let refused =
        install(Host::ClaudeCode, "{\"hooks\": {\"Stop\": {}}}").expect_err("no settings");
    assert!(matches!(refused, Refused::Shape { .. }), "{refused}");
}

#[test]
fn a_key_that_stands_twice_on_the_way_is_refused_with_its_place() {
    let twice =
        |line, column, key| format!("line {line}, column {column} has the key {key:?} again");
    assert_eq!(refused("{\"hooks\": {},\n \"hooks\": {}}"), twice(2, 2, "hooks"));
    assert_eq!(refused("{\"hooks\": {},\n \"h\\u006foks\": {}}"), twice(2, 2, "hooks"));
    assert_eq!(refused("{\"hooks\": {\"Stop\": [], \"Stop\": []}}"), twice(1, 24, "Stop"));
    let group = "{\"hooks\": {\"Stop\": [{\"hooks\": [],\n\"hooks\": []}]}}";
    assert_eq!(refused(group), twice(2, 1, "hooks"));
    let handler =
        "{\"hooks\": {\"Stop\": [{\"hooks\": [{\"command\": \"a\",\n\"command\": \"b\"}]}]}}";
    assert_eq!(refused(handler), twice(2, 1, "command"));
    for host in WITH_SETTINGS {
        let elsewhere = "{\"a\": 1, \"a\": 2, \"hooks\": {}}";
        let installed = install(host, elsewhere).expect("what is not on the way is let pass");
        assert_eq!(remove(host, &installed).as_deref(), Ok("{\"a\": 1, \"a\": 2}"));
        let ours = install(host, "{}").expect("settings");
        let twice = ours.replacen('{', "{\"hooks\": {},", 1);
        assert!(matches!(remove(host, &twice), Err(Refused::Repeated { .. })), "{host}");
    }
}

/// White space and comments, as they may stand between any two things.
fn gap() -> impl Strategy<Value = String> {
    prop_oneof![
        4 => Just(String::new()),
        2 => Just(" ".to_owned()),
        2 => "\n {0,4}",
        1 => "\n\t{0,2}",
        1 => Just(" // a comment, with \"quotes\" {\n".to_owned()),
        1 => Just("/* , } */".to_owned()),
        1 => Just("\r\n".to_owned()),
    ]
}

fn value() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("1".to_owned()),
        Just("-2.5e3".to_owned()),
        Just("null".to_owned()),
        Just(r#""a \" } // b""#.to_owned()),
    ];
    leaf.prop_recursive(3, 12, 3, |inner| {
        let item = (gap(), inner, gap()).prop_map(|(a, v, b)| [a, v, b].concat());
        let comma = prop_oneof![3 => Just(""), 1 => Just(",")];
        (prop::collection::vec(item, 0..3), comma, any::<bool>(), gap()).prop_map(
            |(items, comma, keyed, end)| {
                let named = |(n, item): (usize, &String)| {
                    if keyed { format!("\"k{n}\":{item}") } else { item.clone() }
                };
                let list = items.iter().enumerate().map(named).collect::<Vec<_>>().join(",");
                let comma = if items.is_empty() { "" } else { comma };
                let (open, close) = if keyed { ("{", "}") } else { ("[", "]") };
                [open, &list, comma, &end, close].concat()
            },
        )
    })
}

/// Settings with or without hooks of others.
fn settings() -> impl Strategy<Value = String> {
    let group = (gap(), value(), gap()).prop_map(|(a, v, b)| {
        format!("{{\"matcher\": \"x\",{a}\"hooks\":{b}[{{\"command\": \"other\", \"x\": {v}}}]}}")
    });
    let groups = prop::collection::vec((gap(), group, gap()), 1..3).prop_map(|groups| {
        groups.iter().map(|(a, g, b)| [a.as_str(), g, b].concat()).collect::<Vec<_>>().join(",")
    });
    let event =
        prop::sample::subsequence(vec!["Stop", "SessionStart", "AfterAgent", "Other"], 1..3);
    let hooks = (event, groups, gap(), gap()).prop_map(|(events, groups, a, b)| {
        let events = events.iter().map(|e| format!("{a}\"{e}\":{b}[{groups}]"));
        format!("\"hooks\":{{{}{b}}}", events.collect::<Vec<_>>().join(","))
    });
    let entry = (gap(), value()).prop_map(|(a, v)| format!("\"v\":{a}{v}"));
    let entries = prop::collection::vec(prop_oneof![3 => entry, 1 => hooks], 0..3);
    (gap(), entries, gap(), gap(), any::<bool>()).prop_map(|(before, entries, a, b, comma)| {
        // A second entry of the same name would be another one's fault.
        let mut seen = false;
        let once = entries
            .into_iter()
            .filter(|e| !e.starts_with("\"hooks") || !std::mem::replace(&mut seen, true));
        let list: Vec<_> = once.map(|e| [a.as_str(), &e, &b].concat()).collect();
        let comma = if comma && !list.is_empty() { "," } else { "" };
        format!("{before}{{{}{comma}{b}}}{a}", list.join(","))
    })
}

proptest! {
    #[test]
    fn removing_is_the_inverse_of_installing(settings in settings(), which in 0..3_usize) {
        check(WITH_SETTINGS[which], &settings);
    }
}
