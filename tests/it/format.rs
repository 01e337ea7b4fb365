//! Promise: a line says what docs/format.md says it does, to this crate and to any other reader.
//!
//! Shown by the exact bytes that are written, by each rule broken in turn, by an independent reader
//! that agrees on every fixture and on mutations of good lines, and by the fast path agreeing with
//! the parser behind it. What is written comes back, whatever characters it holds.

use std::fmt;

use graff_notes::{
    log::{Body, Draft, Fault, Field, Kind, LINE_BYTES_MAX, Line, Record},
    note::{Author, NoteCap, NoteText},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};
use proptest::prelude::*;
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

use crate::support::logs::{fixture, fixtures, session};

fn text(text: &str) -> NoteText {
    NoteText::fit(text, NoteCap::new(NoteText::BYTES_LIMIT).unwrap()).unwrap().text
}

#[track_caller]
fn written(draft: &Draft, session: &SessionName, seq: u64) -> Vec<u8> {
    let mut out = b"what stood there before".to_vec();
    draft.write(session, Seq::new(seq), &mut out);
    out.strip_prefix(b"what stood there before").unwrap().to_vec()
}

// Writing.

#[test]
fn every_kind_of_record_is_written_as_the_format_says_byte_for_byte() {
    let minute = |n: u64| Timestamp::new(1_790_000_000_000 + n * 60_000);
    let note = |words, author, cut, generation, created_at| Draft::Note {
        text: text(words),
        author,
        cut: Bytes::new(cut),
        generation: Generation::new(generation),
        created_at,
    };
    let ramp = "Ramp lives at kiln.toml:41.\t60 °C/h, \"soak\" 20 min \\ no longer";
    let asked = "user asked: fire the tiles\nfiles: ramp.rs, kiln.toml";
    let glaze = "ash glaze 🏺 runs: keep 5 mm off the foot";
    let drafts = [
        Draft::Attempt { generation: Generation::ZERO, created_at: minute(1) },
        note(ramp, Author::Agent, 0, 0, minute(2)),
        Draft::Rollover { generation: Generation::new(1), created_at: minute(3) },
        note(asked, Author::Mechanical, 311, 1, minute(4)),
        Draft::Rollover { generation: Generation::new(2), created_at: minute(5) },
        Draft::Attempt { generation: Generation::new(2), created_at: minute(6) },
        note(glaze, Author::Agent, 12, 2, minute(7)),
    ];
    let lines = (1..).zip(&drafts).flat_map(|(seq, draft)| written(draft, &session(), seq));
    let expected = String::from_utf8(fixture("sealed")).unwrap();
    assert_eq!(String::from_utf8(lines.collect()).unwrap(), expected);
}

#[test]
fn no_more_is_escaped_than_must_be() {
    let all: String = ('\0'..='\u{a0}').collect();
    let draft = plain_note(&all);
    let line = String::from_utf8(written(&draft, &session(), 1)).unwrap();
    let expected = serde_json::to_string(&all).unwrap();
    assert!(line.contains(&format!(r#","text":{expected},"#)), "{line}");
}

#[test]
fn the_longest_record_is_within_the_longest_line() {
    let draft = Draft::Note {
        text: text(&["x", &"\u{1}".repeat(NoteText::BYTES_LIMIT - 1)].concat()),
        author: Author::Mechanical,
        cut: Bytes::MAX,
        generation: Generation::MAX,
        created_at: Timestamp::MAX,
    };
    let session = SessionName::parse(&"\"".repeat(SessionName::STEM_BYTES_MAX / 3)).unwrap();
    let line = written(&draft, &session, u64::MAX);
    assert!(line.len() <= LINE_BYTES_MAX);
    assert!(matches!(read(&line, &session), Line::Record(Record { sealed: true, .. })));
}

fn plain_note(words: &str) -> Draft {
    Draft::Note {
        text: text(words),
        author: Author::Agent,
        cut: Bytes::ZERO,
        generation: Generation::ZERO,
        created_at: Timestamp::ZERO,
    }
}

#[test]
fn the_example_of_the_format_is_what_is_written() {
    let page = include_str!("../../docs/format.md");
    let (_, example) = page.split_once("```jsonl\n").unwrap();
    let (example, _) = example.split_once("```").unwrap();
    let (generation, created_at) = (Generation::new(3), Timestamp::new(1_790_000_000_000));
    let drafts = [
        Draft::Attempt { generation, created_at },
        Draft::Note {
            text: text("red\nblue"),
            author: Author::Agent,
            cut: Bytes::ZERO,
            generation,
            created_at,
        },
    ];
    let session = SessionName::parse("s1").unwrap();
    let lines = (7..).zip(&drafts).flat_map(|(seq, draft)| written(draft, &session, seq));
    assert_eq!(String::from_utf8(lines.collect()).unwrap(), example);
}

/// Reads a line that ends in LF.
#[track_caller]
fn read<'a>(line: &'a [u8], session: &SessionName) -> Line<'a> {
    let line = line.strip_suffix(b"\n").unwrap();
    assert!(!line.contains(&b'\n'));
    Line::read(line, session)
}

// Round trip.

#[track_caller]
fn assert_comes_back(draft: &Draft, session: &SessionName, seq: u64) {
    let line = written(draft, session, seq);
    let (generation, created_at, body) = match draft.clone() {
        Draft::Note { text, author, cut, generation, created_at } => {
            let text = text.as_str().to_owned().into();
            (generation, created_at, Body::Note { text, author, cut })
        }
        Draft::Attempt { generation, created_at } => (generation, created_at, Body::Attempt),
        Draft::Rollover { generation, created_at } => (generation, created_at, Body::Rollover),
    };
    let record = Record { generation, created_at, seq: Some(Seq::new(seq)), body, sealed: true };
    assert_eq!(read(&line, session), Line::Record(record));
}

#[test]
fn every_character_that_may_be_escaped_comes_back_by_itself() {
    for c in '\0'..='\u{a0}' {
        let words = format!("a{c}b");
        assert_comes_back(&plain_note(&words), &session(), 1);
    }
}

#[test]
fn every_unicode_scalar_value_comes_back() {
    let scalars: Vec<char> = ('\0'..=char::MAX).collect();
    for chunk in scalars.chunks(16_000) {
        let words = chunk.iter().collect::<String>() + "visible";
        assert_comes_back(&plain_note(&words), &session(), 1);
    }
}

fn drafts() -> impl Strategy<Value = Draft> {
    let notes = (any::<String>(), any::<bool>(), any::<[u64; 3]>());
    prop_oneof![
        3 => notes.prop_map(|(words, mechanical, [cut, generation, created_at])| Draft::Note {
            text: text(&(words + "visible")),
            author: if mechanical { Author::Mechanical } else { Author::Agent },
            cut: Bytes::new(cut),
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
        1 => any::<[u64; 2]>().prop_map(|[generation, created_at]| Draft::Attempt {
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
        1 => any::<[u64; 2]>().prop_map(|[generation, created_at]| Draft::Rollover {
            generation: Generation::new(generation),
            created_at: Timestamp::new(created_at),
        }),
    ]
}

fn names() -> impl Strategy<Value = SessionName> {
    "[a-z\"'{}:,é🏺 .-]{1,20}".prop_filter_map("refused", |name| SessionName::parse(&name).ok())
}

proptest! {
    #[test]
    fn every_record_comes_back(draft in drafts(), session in names(), seq: u64) {
        assert_comes_back(&draft, &session, seq);
    }

    #[test]
    fn a_record_is_foreign_to_every_other_session(draft in drafts(), a in names(), b in names()) {
        prop_assume!(a != b);
        let line = written(&draft, &a, 1);
        prop_assert_eq!(read(&line, &b), Line::Foreign { session: a.as_str().into() });
    }
}

// The rules, each broken in turn.

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

// An independent reader.

/// What a line says: generation, time, number, kind, text, cut, sealed; or what it is instead.
type Said = Result<(u64, u64, Option<u64>, String, Option<String>, u64, bool), &'static str>;

/// Reads a line as docs/format.md says, with nothing of this crate but the list of fields.
fn reference(line: &[u8], session: &str) -> Said {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Some(start) = line.iter().position(|b| !b"\0 \t\r".contains(b)) else {
        return Err(if line.contains(&0) { "bad" } else { "blank" });
    };
    let object =
        str::from_utf8(&line[start..]).map_err(|_| "bad")?.trim_end_matches([' ', '\t', '\r']);
    let Keys(keys) = serde_json::from_str(object).map_err(|_| "bad")?;
    if Field::ALL.iter().any(|field| keys.iter().filter(|key| *key == field.key()).count() > 1) {
        return Err("bad");
    }
    let fields: Map<String, Value> = serde_json::from_str(object).map_err(|_| BEYOND_REFERENCE)?;
    let sealed = seal_holds(object)?;
    let number = |key| fields.get(key).map(|value| value.as_u64().ok_or("bad")).transpose();
    let string = |key| fields.get(key).map(|value| value.as_str().ok_or("bad")).transpose();
    match number("v")? {
        Some(1) if sealed || !fields.contains_key("crc") => {}
        Some(2..) => return Err("newer"),
        _ => return Err("bad"),
    }
    let owner = string("session")?.ok_or("bad")?;
    let (generation, created_at) =
        (number("gen")?.unwrap_or(0), number("created_at")?.unwrap_or(0));
    let (seq, cut) = (number("seq")?, number("cut")?.unwrap_or(0));
    let kind = string("kind")?;
    if kind.is_some_and(|kind| !["attempt", "mechanical", "rollover"].contains(&kind)) {
        return Err(if owner == session { "newer" } else { "foreign" });
    }
    let text = string("text")?;
    let wants_text = matches!(kind, None | Some("mechanical"));
    if wants_text != text.is_some() || text.is_some_and(|text| text.trim().is_empty()) {
        return Err("bad");
    }
    if owner != session {
        return Err("foreign");
    }
    let kind = kind.unwrap_or("note").to_owned();
    let cut = if wants_text { cut } else { 0 };
    Ok((generation, created_at, seq, kind, text.map(str::to_owned), cut, sealed))
}

/// The keys of an object in their order, also those that stand there again.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            self.0.push(key);
        }
        Ok(self)
    }
}

/// Whether an object ends in a seal, which then has to be that of the bytes before it.
fn seal_holds(object: &str) -> Result<bool, &'static str> {
    let split = object.len().checked_sub(18).and_then(|at| object.split_at_checked(at));
    let Some((covered, seal)) = split else { return Ok(false) };
    let digits = seal.strip_prefix(",\"crc\":\"").and_then(|seal| seal.strip_suffix("\"}"));
    match digits.filter(|digits| digits.bytes().all(|b| b"0123456789abcdef".contains(&b))) {
        None => Ok(false),
        Some(digits) if digits == format!("{:08x}", crc32(covered)) => Ok(true),
        Some(_) => Err("bad"),
    }
}

fn crc32(covered: &str) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !covered.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

/// What this crate reads, in the words of the reference.
fn ours(line: &[u8], session: &SessionName) -> Said {
    let record = match Line::read(line, session) {
        Line::Blank => return Err("blank"),
        Line::Foreign { .. } => return Err("foreign"),
        Line::Newer => return Err("newer"),
        Line::Bad(_) => return Err("bad"),
        Line::Record(record) => record,
    };
    let kind = record.kind().as_str().to_owned();
    let Record { generation, created_at, seq, body, sealed } = record;
    let (text, cut) = match body {
        Body::Note { text, cut, .. } => (Some(text.into_owned()), cut.get()),
        Body::Attempt | Body::Rollover => (None, 0),
    };
    Ok((generation.get(), created_at.get(), seq.map(Seq::get), kind, text, cut, sealed))
}

/// What the reference says where a `serde_json::Value` cannot hold what stands there: more than 127
/// levels, a number beyond all floating point, half of a surrogate pair.
const BEYOND_REFERENCE: &str = "beyond the reference";

#[test]
fn an_independent_reader_agrees_on_every_fixture() {
    let mut beyond = Vec::new();
    for (name, file) in fixtures() {
        for (index, line) in file.split(|&byte| byte == b'\n').enumerate() {
            match reference(line, session().as_str()) {
                Err(BEYOND_REFERENCE) => beyond.push(name.clone()),
                said => assert_eq!(ours(line, &session()), said, "{name}, line {}", index + 1),
            }
        }
    }
    assert_eq!(beyond, ["deep_200", "lone_surrogate", "odd_numbers"]);
}

/// Good lines without a seal, on which no reader trips.
fn unsealed_lines() -> Vec<String> {
    let sealed = String::from_utf8(fixture("sealed")).unwrap();
    let stripped = sealed.lines().map(|line| format!("{}}}", &line[..line.len() - 18]));
    let plain = String::from_utf8(fixture("codegraff")).unwrap();
    let extra = String::from_utf8(fixture("extra_fields")).unwrap();
    let others = plain.lines().chain(extra.lines().skip(1).take(1)).map(str::to_owned);
    stripped.chain(others).collect()
}

/// What is put in the place of a few bytes of a line.
const SPLINTERS: &[&str] = &[
    "",
    "\"",
    "\\",
    "{",
    "}",
    "[",
    "]",
    ",",
    ":",
    "0",
    "1",
    "-",
    ".",
    "e9",
    "\0",
    " ",
    "\t",
    "\r",
    "\u{1}",
    "\u{7f}",
    "é",
    "\\u",
    "\\n",
    "\\/",
    "\\u0041",
    "\\ud83c\\udffa",
    "\\ud83c",
    "null",
    "kiln",
    "wheel",
    "\"text\":\"x\",",
    ",\"v\":2",
    "\"kind\":\"attempt\",",
    ",\"cut\":7",
    ",\"seq\":18446744073709551615",
    ",\"crc\":\"00000000\"",
];

/// A good line with up to three mutations, then sealed or not.
fn mutants() -> impl Strategy<Value = Vec<u8>> {
    let mutation = (any::<prop::sample::Index>(), 0_usize..4, prop::sample::select(SPLINTERS));
    let line = prop::sample::select(unsealed_lines());
    (line, prop::collection::vec(mutation, 0..4), any::<bool>()).prop_map(
        |(line, mutations, seal)| {
            let mut line = line.into_bytes();
            for (place, length, splinter) in mutations {
                let start = place.index(line.len());
                let end = (start + length).min(line.len());
                line.splice(start..end, splinter.bytes());
            }
            if seal { resealed(line) } else { line }
        },
    )
}

/// The line with a seal of its bytes, whatever they are, in the place of its last one.
fn resealed(mut line: Vec<u8>) -> Vec<u8> {
    line.pop();
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}").as_bytes());
    line
}

/// The line with white space in its object, which takes it off the fast path and changes nothing else.
fn detour(line: &[u8]) -> Vec<u8> {
    let Some(brace) = line.iter().position(|&byte| byte == b'{') else { return line.to_vec() };
    let (before, object) = line.split_at(brace);
    let object = object.trim_ascii_end();
    let mut longer = [b"{ ", &object[1..]].concat();
    if str::from_utf8(object).map(seal_holds) == Ok(Ok(true)) {
        longer.truncate(longer.len() - 17);
        longer = resealed(longer);
    }
    [before, &longer].concat()
}

#[test]
fn the_fast_path_says_what_the_parser_behind_it_says_on_every_fixture() {
    for (name, file) in fixtures() {
        for line in file.split(|&byte| byte == b'\n') {
            assert_eq!(ours(line, &session()), ours(&detour(line), &session()), "{name}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4_096))]

    #[test]
    fn an_independent_reader_agrees_on_mutations(line in mutants()) {
        let said = reference(&line, session().as_str());
        prop_assume!(said != Err(BEYOND_REFERENCE));
        prop_assert_eq!(ours(&line, &session()), said);
    }

    #[test]
    fn the_fast_path_says_what_the_parser_behind_it_says(line in mutants()) {
        prop_assert_eq!(ours(&line, &session()), ours(&detour(&line), &session()));
    }
}
