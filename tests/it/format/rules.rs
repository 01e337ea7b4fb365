//! Each rule of the format broken in turn.

use graff_notes::{
    log::{Body, Fault, Field, Kind, Line, Record},
    note::Author,
    units::{Bytes, Generation, Timestamp},
};

use crate::support::logs::session;

/// What a line is that holds an unsealed object with these members.
#[track_caller]
fn members(members: &str) -> Line<'static> {
    let line = format!("{{{members}}}").into_bytes().leak();
    Line::read(line, &session())
}

#[track_caller]
fn fault(line: &Line<'_>) -> Fault {
    let Line::Bad(fault) = line else { panic!("not bad: {line:?}") };
    *fault
}

#[test]
fn a_good_record_needs_no_more_than_version_session_and_text() {
    let line = members(r#""v":1,"session":"kiln","text":"one""#);
    let body = Body::Note { text: "one".into(), author: Author::Agent, cut: Bytes::ZERO };
    assert_eq!(
        line,
        Line::Record(Record {
            generation: Generation::ZERO,
            created_at: Timestamp::ZERO,
            seq: None,
            body,
            sealed: false,
        })
    );
}

#[test]
fn the_order_of_fields_white_space_and_escaped_keys_make_no_difference() {
    let plain = members(r#""v":1,"session":"kiln","gen":3,"text":"one","created_at":4,"seq":5"#);
    let other = members(
        "\t\"seq\" : 5 , \"text\":\"\\u006fne\",\"created\\u005fat\":4, \"\\u0076\":1,\
         \"gen\":3,\"session\":\"k\\u0069ln\"\r",
    );
    assert_eq!(plain, other);
}

#[test]
fn each_field_has_its_type_and_range() {
    let rows = [
        (r#""session":"kiln","text":"x""#, Fault::Missing(Field::Version)),
        (r#""v":"1","session":"kiln","text":"x""#, Fault::WrongType(Field::Version)),
        (r#""v":null,"session":"kiln","text":"x""#, Fault::WrongType(Field::Version)),
        (r#""v":0,"session":"kiln","text":"x""#, Fault::OutOfRange(Field::Version)),
        (r#""v":1.0,"session":"kiln","text":"x""#, Fault::OutOfRange(Field::Version)),
        (r#""v":-1,"session":"kiln","text":"x""#, Fault::OutOfRange(Field::Version)),
        (r#""v":1,"text":"x""#, Fault::Missing(Field::Session)),
        (r#""v":1,"session":["kiln"],"text":"x""#, Fault::WrongType(Field::Session)),
        (r#""v":1,"session":"kiln","gen":null,"text":"x""#, Fault::WrongType(Field::Generation)),
        (r#""v":1,"session":"kiln","gen":-0,"text":"x""#, Fault::OutOfRange(Field::Generation)),
        (r#""v":1,"session":"kiln","gen":1e3,"text":"x""#, Fault::OutOfRange(Field::Generation)),
        (
            r#""v":1,"session":"kiln","created_at":"","text":"x""#,
            Fault::WrongType(Field::CreatedAt),
        ),
        (
            r#""v":1,"session":"kiln","seq":18446744073709551616,"text":"x""#,
            Fault::OutOfRange(Field::Seq),
        ),
        (r#""v":1,"session":"kiln","cut":1.5,"text":"x""#, Fault::OutOfRange(Field::Cut)),
        (r#""v":1,"session":"kiln","kind":1,"text":"x""#, Fault::WrongType(Field::Kind)),
        (r#""v":1,"session":"kiln""#, Fault::Missing(Field::Text)),
        (r#""v":1,"session":"kiln","text":null"#, Fault::WrongType(Field::Text)),
        (r#""v":1,"session":"kiln","text":"""#, Fault::BlankText),
        (r#""v":1,"session":"kiln","text":"\u2003\t""#, Fault::BlankText),
        (r#""v":1,"session":"kiln","text":"\udc00""#, Fault::LoneSurrogate(Field::Text)),
        (r#""v":1,"session":"kiln","text":"\ud800x""#, Fault::LoneSurrogate(Field::Text)),
        (r#""v":1,"session":"kiln","kind":"mechanical""#, Fault::Missing(Field::Text)),
        (r#""v":1,"session":"kiln","kind":"attempt","text":null"#, Fault::WrongType(Field::Text)),
        (
            r#""v":1,"session":"kiln","kind":"rollover","text":"""#,
            Fault::UnexpectedText(Kind::Rollover),
        ),
        (r#""v":1,"session":"kiln","text":"x","crc":"00000000""#, Fault::ChecksumMismatch),
        (r#""v":1,"session":"kiln","text":"x","crc":null"#, Fault::ChecksumMisplaced),
        (r#""v":1,"session":"kiln","text":"x","crc":"0000000""#, Fault::ChecksumMisplaced),
        (r#""v":1,"session":"kiln","text":"x","crc":"0000000G""#, Fault::ChecksumMisplaced),
        (r#""v":1,"session":"kiln","text":"x","\u0063rc":"00000000""#, Fault::ChecksumMisplaced),
        (r#""crc":"00000000","v":1,"session":"kiln","text":"x""#, Fault::ChecksumMisplaced),
    ];
    for (row, expected) in rows {
        assert_eq!(fault(&members(row)), expected, "{row}");
    }
}

#[test]
fn each_known_field_may_stand_there_once_and_every_other_any_number_of_times() {
    let all = r#""v":1,"session":"kiln","gen":1,"text":"x","created_at":1,"seq":1,"cut":1"#;
    assert!(matches!(members(all), Line::Record(_)));
    for field in Field::ALL {
        let again = format!(r#"{all},"kind":"mechanical","crc":"","{}":1"#, field.key());
        assert_eq!(fault(&members(&again)), Fault::Duplicate(field));
    }
    let others = format!(r#"{all},"x":1,"x":{{"v":2,"v":3,"text":4}},"x":[{{"text":5}}]"#);
    assert!(matches!(members(&others), Line::Record(_)));
}

#[test]
fn a_key_of_the_record_is_a_string_and_one_further_in_is_not_looked_into() {
    let whole = r#""v":1,"session":"kiln","text":"x""#;
    assert!(matches!(fault(&members(&format!(r#"{whole},"\ud800":1"#))), Fault::Malformed { .. }));
    assert!(matches!(members(&format!(r#"{whole},"x":{{"\ud800":1}}"#)), Line::Record(_)));
    let newer = r#""v":2,"\ud800":1"#;
    assert!(matches!(members(newer), Line::Bad(_)));
}

#[test]
fn a_newer_version_is_not_guessed_at_but_its_checksum_counts() {
    assert_eq!(members(r#""v":2"#), Line::Newer);
    assert_eq!(members(r#""v":18446744073709551615,"session":7,"text":null,"crc":1"#), Line::Newer);
    assert_eq!(fault(&members(r#""v":3,"crc":"00000000""#)), Fault::ChecksumMismatch);
    assert_eq!(fault(&members(r#""v":2,"v":2"#)), Fault::Duplicate(Field::Version));
}

#[test]
fn an_unknown_kind_is_of_a_newer_version_unless_it_is_foreign() {
    let unknown = r#""v":1,"session":"kiln","kind":"glimpse","text":7"#;
    assert_eq!(members(unknown), Line::Newer);
    assert_eq!(members(r#""v":1,"session":"kiln","kind":"note","text":"x""#), Line::Newer);
    let foreign = unknown.replace("kiln", "wheel");
    assert_eq!(members(&foreign), Line::Foreign { session: "wheel".into() });
}

#[test]
fn a_damaged_record_is_damaged_before_it_is_foreign_or_newer() {
    let wrong = r#","crc":"00000000""#;
    for row in
        [r#""v":1,"session":"wheel","text":"x""#, r#""v":1,"session":"kiln","kind":"glimpse""#]
    {
        assert!(!matches!(members(row), Line::Bad(_)));
        assert_eq!(fault(&members(&[row, wrong].concat())), Fault::ChecksumMismatch, "{row}");
    }
    assert_eq!(fault(&members(r#""v":1,"session":"wheel","text":"""#)), Fault::BlankText);
}

#[test]
fn every_line_that_is_no_object_is_named_for_what_it_is() {
    let rows: [(&[u8], Fault); 17] = [
        (b"\0\0\0", Fault::NulBytes),
        (b"{\"v\":1,\0", Fault::NulBytes),
        (b"\xff\xfe{\0\"\0", Fault::Utf16),
        (b"\xfe\xff\0{\0\"", Fault::Utf16),
        (b"\0{\0\"\0v\0\"\0", Fault::Utf16),
        (b"\x1f\x8b\x08\x00", Fault::Compressed),
        (b"{\"v\":1,\"\xb0", Fault::InvalidUtf8),
        (b"||||||| base", Fault::ConflictMarker),
        (b"[", Fault::ArrayWrapped),
        (b"{\"v\":1,\"session\":\"kiln\",\"text\":\"x\"},", Fault::ArrayWrapped),
        (b"[{}]", Fault::NotAnObject),
        (b"{\"v\":1}\r{\"v\":1}", Fault::BareCr),
        (b"{\"v\":1}{\"v\":1}", Fault::RunTogether),
        (b"{\"v\":1,\"ses#", Fault::Abandoned),
        (b"{\"v\":1,\"ses", Fault::Unfinished),
        (b"{\"v\":1}}", Fault::Malformed { at: 8 }),
        (b"{\"v\":01}", Fault::Malformed { at: 7 }),
    ];
    for (line, expected) in rows {
        let read = Line::read(line, &session());
        assert_eq!(read, Line::Bad(expected), "{}", line.escape_ascii());
    }
}

#[test]
fn junk_is_called_malformed_where_a_parser_would_stop_whatever_it_begins_with() {
    let firsts = (b'!'.into()..=0x24f).chain([0x2028, 0x1_f980]).filter_map(char::from_u32);
    for first in firsts.filter(|first| !"{[]".contains(*first)) {
        for line in [format!("{first}"), format!("{first}x y"), format!("{first}\"")] {
            let expected = match serde_json::from_str::<serde::de::IgnoredAny>(&line) {
                Ok(_) => Fault::NotAnObject,
                Err(e) => Fault::Malformed { at: e.column() as u64 },
            };
            assert_eq!(Line::read(line.as_bytes(), &session()), Line::Bad(expected), "{line:?}");
        }
    }
}

#[test]
fn white_space_alone_is_blank_and_nuls_and_marks_before_a_record_cost_nothing() {
    for blank in ["", " \t ", "\r", "\u{feff}", "\u{feff} \r"] {
        assert_eq!(Line::read(blank.as_bytes(), &session()), Line::Blank, "{blank:?}");
    }
    let record = r#"{"v":1,"session":"kiln","text":"x"}"#;
    for before in ["\0", "\u{feff}", "\u{feff}\0\0 ", " \t\0"] {
        let line = [before, record, " \t\r"].concat();
        assert!(matches!(Line::read(line.as_bytes(), &session()), Line::Record(_)), "{before:?}");
    }
    for behind in ["\0", "\u{feff}", "\u{b}"] {
        let line = [record, behind].concat();
        assert!(matches!(Line::read(line.as_bytes(), &session()), Line::Bad(_)), "{behind:?}");
    }
}
