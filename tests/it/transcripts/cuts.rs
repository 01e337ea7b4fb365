//! However the bytes come, and whatever parts the records, the same is read.

use graff_notes::host::transcript::{Form, TranscriptReader};

use super::{ARRAY, SESSIONS, fixture, input, read};

#[test]
fn pieces_of_any_size_say_the_same_as_the_whole() {
    for name in SESSIONS.into_iter().chain([ARRAY]) {
        let bytes = fixture(name);
        let whole = read(&bytes);
        for size in [1, 2, 3, 7, 100, 4_096] {
            let mut reader = TranscriptReader::new();
            bytes.as_bytes().chunks(size).for_each(|piece| reader.push(piece));
            assert_eq!(reader.finish(), whole, "{name} in pieces of {size}");
        }
    }
}

#[test]
fn lines_fed_one_by_one_say_the_same_as_the_stream() {
    for name in SESSIONS {
        let bytes = fixture(name);
        let mut reader = TranscriptReader::new();
        bytes.lines().for_each(|line| reader.feed(line.as_bytes()));
        assert_eq!(reader.finish(), read(&bytes), "{name}");
    }
}

#[test]
fn line_ends_blank_lines_a_byte_order_mark_and_a_missing_final_line_end_make_no_difference() {
    for name in SESSIONS {
        let bytes = fixture(name);
        let whole = read(&bytes);
        assert_eq!(read(bytes.trim_end()), whole, "{name} without its final line end");
        assert_eq!(read(bytes.replace('\n', "\r\n")), whole, "{name} with CRLF");
        assert_eq!(read(bytes.replace('\n', "\n\n  \n")), whole, "{name} with blank lines");
        assert_eq!(read(format!("\u{feff}{bytes}")), whole, "{name} with a byte-order mark");
    }
}

#[test]
fn a_clone_tells_what_the_transcript_comes_to_so_far() {
    let bytes = fixture("claude-compacted.jsonl");
    let (before, after) = bytes.split_at(bytes.len() / 2);
    let mut reader = TranscriptReader::new();
    reader.push(before.as_bytes());
    assert_eq!(reader.clone().finish(), read(before));
    reader.push(after.as_bytes());
    assert_eq!(reader.finish(), read(&bytes));
}

#[test]
fn an_array_says_the_same_as_its_elements_in_lines() {
    let lines = fixture("plain-openai.jsonl");
    let in_lines = read(&lines);
    let elements: Vec<&str> = lines.lines().collect();
    for parted in [",", ",\n", " ,\r\n\t"] {
        let array = format!("\n [{}\n]\n", elements.join(parted));
        assert_eq!(read(&array), in_lines, "{parted:?} between the elements");
    }
    let pretty: Vec<serde_json::Value> =
        elements.iter().map(|element| serde_json::from_str(element).unwrap()).collect();
    let pretty = read(serde_json::to_string_pretty(&pretty).unwrap());
    assert_eq!((input(&pretty), &pretty.facts), (input(&in_lines), &in_lines.facts));
}

#[test]
fn what_parts_records_parts_them_only_outside_of_texts() {
    let said = r#"}, {\"role\": [ ] \\"#;
    let array = format!(r#"[{{"role":"user","content":"{said}"}},{{"role":"user"}}]"#);
    let transcript = read(array);
    assert_eq!((transcript.records, transcript.bad_records), (2, 0));
    assert_eq!(transcript.facts.request(), Some(r#"}, {"role": [ ] \"#));
}

#[test]
fn a_first_line_that_only_begins_like_an_array_costs_itself() {
    for junk in ["[2026-11-29 20:15:42] started", "[", "[]", "[1,2,3]", "[\"{\"]"] {
        let transcript = read(format!("{junk}\n{}", fixture("codex-compacted.jsonl")));
        assert_eq!(transcript.form, Some(Form::Codex), "behind {junk:?}");
        assert_eq!(input(&transcript), Some(14_000), "behind {junk:?}");
    }
}

#[test]
fn an_empty_transcript_says_nothing() {
    for nothing in ["", "\n", " \r\n\n", "[]", "[ ]\n"] {
        let transcript = read(nothing);
        assert_eq!(transcript.form, None, "{nothing:?}");
        assert_eq!(input(&transcript), None);
        assert_eq!(transcript.facts.mechanical_note(graff_notes::note::NoteCap::DEFAULT), None);
    }
}
