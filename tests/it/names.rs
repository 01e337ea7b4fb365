//! Any sensible name of a session works, and none leaves the store's folder.
//!
//! Shown on a table of names that have broken out of other programs, on every character of
//! Unicode's basic plane alone and within a name, on every short string over the signs that the
//! encoding itself uses, and on sampled pairs.

use std::{collections::HashMap, error::Error};

use graff_notes::{
    log::{Draft, Line},
    session::{NameRefused, SessionName},
    store::Store,
    units::{Generation, Seq, Timestamp},
};
use proptest::prelude::*;

use crate::properties::names::assert_safe;

/// A name, and the stem that stands for it.
const KEPT: &[(&str, &str)] = &[
    ("s1", "s1"),
    ("Fix_the-parser.v2", "Fix_the-parser.v2"),
    ("-rf", "-rf"),
    ("--help", "--help"),
    (" lead", "%20lead"),
    ("trail ", "trail%20"),
    ("a:b", "a%3Ab"),
    ("a?b*", "a%3Fb%2A"),
    ("name.", "name%2E"),
    (".hidden", "%2Ehidden"),
    (".a.", "%2Ea%2E"),
    ("a..b", "a..b"),
    ("%2e%2e%2fx", "%252e%252e%252fx"),
    ("50%", "50%25"),
    ("x.notes.jsonl", "x.notes.jsonl"),
    ("$(id)", "%24%28id%29"),
    ("`id`", "%60id%60"),
    ("${HOME}", "%24%7BHOME%7D"),
    ("<a|b>\"", "%3Ca%7Cb%3E%22"),
    ("s1\u{202e}txt", "s1%E2%80%AEtxt"),
    ("漢", "%E6%BC%A2"),
    ("\u{feff}s", "%EF%BB%BFs"),
    ("e\u{301}", "e%CC%81"),
    ("\u{e9}", "%C3%A9"),
];

/// A name that Windows would open as a device, and the stem that it would not.
const DEVICES: &[(&str, &str)] = &[
    ("CON", "%43ON"),
    ("con", "%63on"),
    ("Prn", "%50rn"),
    ("aux.notes", "%61ux.notes"),
    ("nul", "%6Eul"),
    ("NUL.", "%4EUL%2E"),
    ("COM0", "%43OM0"),
    ("COM1.txt", "%43OM1.txt"),
    ("lpt9.a.b", "%6Cpt9.a.b"),
];

const NO_DEVICES: &[&str] =
    &["CONS", "xCON", "COM", "COM10", "LPTx", "CO", "console.con", "nul-1", "a.CON"];

#[track_caller]
fn parsed(name: &str) -> SessionName {
    SessionName::parse(name).unwrap_or_else(|refused| panic!("{name:?}: {refused}"))
}

#[track_caller]
fn refused(name: &str) -> NameRefused {
    SessionName::parse(name).expect_err("this is no session name")
}

/// Panics where the stem could be anything but a plain, visible file within one folder, or where it
/// doesn't lead back to the name.
#[test]
fn a_name_keeps_its_plain_characters_and_escapes_the_others() {
    for &(name, stem) in KEPT {
        let parsed = parsed(name);
        assert_eq!(parsed.stem(), stem, "{name:?}");
        assert_eq!(parsed.as_str(), name);
        assert_safe(&parsed);
    }
}

#[test]
fn a_device_of_windows_loses_its_first_letter_to_an_escape() {
    for &(name, stem) in DEVICES {
        assert_eq!(parsed(name).stem(), stem, "{name:?}");
        assert_safe(&parsed(name));
    }
    for name in NO_DEVICES {
        assert_eq!(parsed(name).stem(), *name);
    }
}

#[test]
fn what_could_leave_the_folder_or_cannot_be_typed_is_refused_with_words() {
    let table = [
        ("", NameRefused::Empty, "the session name is empty: give it at least one character"),
        (".", NameRefused::Dots, "the session name is made of dots only: add a letter or a digit"),
        ("..", NameRefused::Dots, "the session name is made of dots only: add a letter or a digit"),
        (
            "....",
            NameRefused::Dots,
            "the session name is made of dots only: add a letter or a digit",
        ),
        (
            "../../etc/passwd",
            NameRefused::Separator('/'),
            "the session name holds `/`: use another character, such as `-`",
        ),
        (
            "a\\b",
            NameRefused::Separator('\\'),
            "the session name holds `\\`: use another character, such as `-`",
        ),
        (
            "~/x\u{85}",
            NameRefused::Control('\u{85}'),
            "the session name holds the control character U+0085: leave it out",
        ),
        (
            "a\0b",
            NameRefused::Control('\0'),
            "the session name holds the control character U+0000: leave it out",
        ),
        (
            "a\nb",
            NameRefused::Control('\n'),
            "the session name holds the control character U+000A: leave it out",
        ),
    ];
    for (name, why, words) in table {
        let refused = refused(name);
        assert_eq!(refused, why, "{name:?}");
        assert_eq!(refused.to_string(), words);
        assert!(refused.source().is_none());
    }
}

#[test]
fn the_encoded_form_decides_how_long_a_name_may_be() {
    for (unit, fits) in [("a", 220), ("%", 73), ("漢", 24)] {
        assert_safe(&parsed(&unit.repeat(fits)));
        let refused = refused(&unit.repeat(fits + 1));
        let encoded = parsed(unit).stem().len() * (fits + 1);
        assert_eq!(refused, NameRefused::TooLong { encoded });
        let words = format!(
            "the session name takes {encoded} bytes as a file name, and 220 is the most: shorten it"
        );
        assert_eq!(refused.to_string(), words);
    }
}

#[test]
fn every_character_of_the_basic_plane_is_refused_or_safe_wherever_it_stands() {
    for c in '\0'..='\u{ffff}' {
        for name in [format!("{c}"), format!("{c}a"), format!("a{c}"), format!("a{c}a")] {
            match SessionName::parse(&name) {
                Ok(name) => {
                    assert!(!c.is_control(), "{name:?}");
                    assert_safe(&name);
                }
                Err(NameRefused::Control(_)) => assert!(c.is_control(), "{name:?}"),
                Err(NameRefused::Separator(_)) => assert!(matches!(c, '/' | '\\'), "{name:?}"),
                Err(NameRefused::Dots) => assert_eq!(name, "."),
                Err(other) => panic!("{name:?}: {other}"),
            }
        }
    }
}

/// Calls `visit` with every string of at most `chars_max` characters of `alphabet`.
fn every_string(alphabet: &[char], chars_max: usize, visit: &mut dyn FnMut(&str)) {
    let mut strings = vec![String::new()];
    for _ in 0..chars_max {
        strings = strings
            .iter()
            .flat_map(|s| alphabet.iter().map(move |c| format!("{s}{c}")))
            .inspect(|s| visit(s))
            .collect();
    }
}

/// Signs with which one name could be made to look like the encoding of another.
const ENCODING: [char; 10] = ['%', '2', '5', '4', '3', 'E', 'e', '.', 'a', ' '];

#[test]
fn no_two_short_names_share_a_stem() {
    let mut names = HashMap::new();
    every_string(&ENCODING, 4, &mut |name| {
        let Ok(name) = SessionName::parse(name) else { return };
        if let Some(other) = names.insert(name.stem().to_owned(), name.clone()) {
            panic!("{name:?} and {other:?} share a stem");
        }
    });
    assert!(names.len() > 10_000);
}

#[test]
fn a_stem_that_encoding_would_not_make_is_no_name() {
    let mut accepted = 0;
    every_string(&ENCODING, 5, &mut |stem| {
        if let Some(name) = SessionName::from_stem(stem) {
            assert_eq!(name.stem(), stem);
            accepted += 1;
        }
    });
    assert!(accepted > 10_000);
    let others = [
        "", ".", "..", "CON", "aux.x", "a/b", "a b", "%", "%2", "%2e", "%61", "%41b", "%zz", "a.",
        ".a", "%2Ea%", "%00", "%2F", "%2E", "%FF", "%C3", "漢", "a%0A",
    ];
    for stem in others {
        assert_eq!(SessionName::from_stem(stem), None, "{stem:?}");
    }
    assert_eq!(SessionName::from_stem(&"a".repeat(221)), None);
}

#[test]
fn of_a_sessions_files_its_log_alone_is_known_for_its_own() {
    let store = Store::at("root");
    for (name, _) in KEPT {
        let session = SessionName::parse(name).expect("a good name");
        let log = store.log_path(&session);
        for path in store.paths_of(&session).into_iter().chain([store.lock_path(&session)]) {
            let found = Store::session_of_log(path.file_name().expect("a name"));
            assert_eq!(found.as_ref(), (path == log).then_some(&session), "{path}");
        }
    }
    for other in [".notes.jsonl", "a b.notes.jsonl", "s1", "s1.jsonl", "s1.notes.jsonl.part"] {
        assert_eq!(Store::session_of_log(other), None, "{other:?}");
    }
}

/// On a file system that folds case or composes characters, such names share a file.
const FOLDED: [(&str, &str); 3] = [("s1", "S1"), ("CON", "con"), ("caf\u{e9}", "cafe\u{301}")];

#[test]
fn names_that_a_file_system_folds_into_one_keep_their_records_apart() {
    for (a, b) in FOLDED {
        let (a, b) = (parsed(a), parsed(b));
        assert_ne!(a.stem(), b.stem());
        let mut line = Vec::new();
        let rollover =
            Draft::Rollover { generation: Generation::new(1), created_at: Timestamp::new(1) };
        rollover.write(&a, Seq::new(1), &mut line);
        let line = line.trim_ascii_end();
        assert!(matches!(Line::read(line, &a), Line::Record(_)));
        assert_eq!(Line::read(line, &b), Line::Foreign { session: a.as_str().into() });
    }
}

fn name() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        any::<char>().prop_map(String::from),
        proptest::sample::select(ENCODING.to_vec()).prop_map(String::from),
        proptest::sample::select(vec!["CON", "nul", "com1", "%43", "%2E", "..", "LPT9."])
            .prop_map(str::to_owned),
    ];
    proptest::collection::vec(piece, 0..8).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn two_names_never_share_a_stem(a in name(), b in name()) {
        if let (Ok(a), Ok(b)) = (SessionName::parse(&a), SessionName::parse(&b)) {
            assert_safe(&a);
            prop_assert_eq!(a == b, a.stem() == b.stem());
        }
    }

    #[test]
    fn any_string_is_a_name_or_refused(text in ".*") {
        if let Ok(name) = SessionName::parse(&text) {
            assert_safe(&name);
        }
    }
}
