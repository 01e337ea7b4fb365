//! A note is stored word for word, and a reply that carries none is recognised as such.
//!
//! Shown on tables of replies that models give, on every cap around a text of characters of every
//! width, and on sampled texts.

use graff_notes::{
    note::{Fitted, NoteCap, NoteText, Reply, TextRefused},
    units::Bytes,
};
use proptest::prelude::*;

#[track_caller]
fn cap(bytes: usize) -> NoteCap {
    NoteCap::new(bytes).expect("a cap within its range")
}

fn read(reply: &str) -> Reply {
    Reply::read(reply, NoteCap::DEFAULT)
}

#[track_caller]
fn assert_note(reply: &str) {
    let Reply::Note(Fitted { text, cut }) = read(reply) else {
        panic!("{reply:?} is a note, and not {:?}", read(reply));
    };
    assert_eq!(text.as_str(), reply.trim());
    assert_eq!(cut, Bytes::ZERO);
}

#[test]
fn the_bare_word_opts_out_however_it_is_dressed() {
    let replies = [
        "none",
        "None",
        "NONE",
        "nOnE",
        "  None.\n",
        "\"none\"",
        "'none.'",
        "“none”",
        "„None.“",
        "‘none’",
        "«none»",
        "`none`",
        "```\nnone\n```",
        "none...",
        "none…",
        "\u{3000}「None」。",
        "\r\nnone\r\n",
        ".none.",
        "\u{a0}none\u{a0}",
    ];
    for reply in replies {
        assert_eq!(read(reply), Reply::OptedOut, "{reply:?}");
    }
    let padded = format!("{0}none{0}", " \n.".repeat(40_000));
    assert_eq!(read(&padded), Reply::OptedOut);
}

#[test]
fn the_word_with_an_explanation_opts_out() {
    let replies = [
        "none — nothing in flight",
        "none—nothing is in flight",
        "none - nothing in flight",
        "none -- nothing in flight",
        "none: everything is merged",
        "none, everything is merged",
        "none; everything is merged",
        "None! All of it is merged.",
        "None. All of it is merged.",
        "None… all of it is merged.",
        "none (all of it is merged)",
        "none [all of it is merged]",
        "none\nAll of it is merged.",
        "none \r\n\r\nAll of it is merged.",
        "\"None\" – all of it is merged",
        "“None.” All of it is merged.",
        "`none`: all of it is merged",
        "none。没有进行中的工作",
    ];
    for reply in replies {
        assert_eq!(read(reply), Reply::OptedOut, "{reply:?}");
    }
}

#[test]
fn a_note_that_begins_with_the_word_is_a_note() {
    let replies = [
        "None of the tests pass yet: fix the tokenizer first.",
        "None of the three parsers handles CRLF; use the byte splitter.",
        "Nonetheless keep branch b2.",
        "nonexistent file: src/x.rs",
        "None.unwrap() panics at src/gate.rs:41",
        "None::<Seq> is what src/log.rs:7 expects",
        "none-blocking reads are left in src/io.rs:3",
        "None(x) is what src/log.rs:7 expects",
        "nоne: the first o is Cyrillic here",
        "SUBGOAL: none. ANCHORS: none. All is merged.",
    ];
    for reply in replies {
        assert_note(reply);
    }
}

#[test]
fn an_opt_out_explains_itself_within_200_bytes() {
    let explained = |bytes: usize| format!("none: {}", "x".repeat(bytes - 6));
    assert_eq!(read(&explained(200)), Reply::OptedOut);
    assert_eq!(read(&format!("\n\n{}  ", explained(200))), Reply::OptedOut);
    assert_note(&explained(201));
}

#[test]
fn less_than_16_bytes_are_no_note() {
    for (reply, bytes) in
        [("", 0), (" \n\t ", 0), ("ok", 2), ("None of it yet.", 15), ("ééééééé", 14)]
    {
        assert_eq!(read(reply), Reply::TooShort { bytes: Bytes::new(bytes) }, "{reply:?}");
    }
    assert_eq!(read(&format!("  {}  ", "x".repeat(15))), Reply::TooShort { bytes: Bytes::new(15) });
    assert_note(&format!("  {}  ", "x".repeat(16)));
    assert_note("éééééééé");
}

#[test]
fn a_reply_is_stored_trimmed_and_a_text_exactly_as_given() {
    let given = "\r\n  SUBGOAL:\tretry \u{1b}[31mladder\u{1b}[0m 👩‍💻\u{0}\r\n\n";
    assert_eq!(NoteText::fit(given, NoteCap::DEFAULT).unwrap().text.as_str(), given);
    assert_note(given);
    assert_eq!(NoteText::fit("x", NoteCap::DEFAULT).unwrap().text.as_str(), "x");
    assert_eq!(NoteText::fit("none", NoteCap::DEFAULT).unwrap().text.to_string(), "none");
}

#[test]
fn a_blank_text_is_refused() {
    for text in ["", " ", " \n\t\r\n", "\u{3000}\u{2028}"] {
        assert_eq!(NoteText::fit(text, NoteCap::DEFAULT), Err(TextRefused::Blank), "{text:?}");
    }
    let blank_up_to_the_cap = format!("{}x", " ".repeat(16));
    assert_eq!(NoteText::fit(&blank_up_to_the_cap, cap(16)), Err(TextRefused::Blank));
    assert_eq!(TextRefused::Blank.to_string(), "the note is blank: write at least one character");
}

#[test]
fn a_text_over_65536_bytes_is_refused_on_every_path() {
    let most = "é".repeat(32_768);
    let greatest = cap(NoteCap::BYTES_MAX);
    assert_eq!(NoteText::fit(&most, greatest).unwrap().cut, Bytes::ZERO);
    assert!(
        matches!(Reply::read(&most, greatest), Reply::Note(fitted) if fitted.cut == Bytes::ZERO)
    );

    let over = format!("{most}x");
    let bytes = Bytes::new(65_537);
    for cap in [greatest, NoteCap::DEFAULT, cap(16)] {
        assert_eq!(NoteText::fit(&over, cap), Err(TextRefused::TooLong { bytes }));
        assert_eq!(Reply::read(&over, cap), Reply::TooLong { bytes });
    }
    assert_eq!(
        TextRefused::TooLong { bytes }.to_string(),
        "the note has 65537 bytes, and 65536 is the most: shorten it"
    );
}

#[test]
fn the_cap_is_4000_bytes_unless_it_is_set_between_16_and_65536() {
    assert_eq!(NoteCap::default().get(), 4_000);
    for (bytes, is_one) in [(0, false), (15, false), (16, true), (65_536, true), (65_537, false)] {
        assert_eq!(NoteCap::new(bytes).map(NoteCap::get), is_one.then_some(bytes));
    }
}

#[test]
fn the_cap_parts_no_character_and_says_what_it_cut() {
    let emoji = format!("{}👩‍💻", "A".repeat(3_990));
    let table = [
        ("x".repeat(4_000), 4_000),
        ("x".repeat(4_001), 4_000),
        (format!("{}é", "x".repeat(3_998)), 4_000),
        (format!("{}é", "x".repeat(3_999)), 3_999),
        (format!("{}漢", "x".repeat(3_998)), 3_998),
        (format!("{}👩", "x".repeat(3_997)), 3_997),
        (emoji.clone(), 3_997),
    ];
    for (text, kept) in table {
        let fitted = NoteText::fit(&text, NoteCap::DEFAULT).unwrap();
        assert_eq!(fitted.text.as_str(), &text[..kept]);
        assert_eq!(fitted.cut, Bytes::new((text.len() - kept) as u64));
        assert_eq!(read(&text), Reply::Note(fitted));
    }
}

#[test]
fn every_cap_keeps_the_longest_start_that_fits() {
    let text = "aé漢👩‍💻\u{0}".repeat(8);
    for bytes in 16..=text.len() + 1 {
        let Fitted { text: kept, cut } = NoteText::fit(&text, cap(bytes)).unwrap();
        assert!(text.starts_with(kept.as_str()) && kept.as_str().len() <= bytes);
        assert_eq!(cut, Bytes::new((text.len() - kept.as_str().len()) as u64));
        let next = text[kept.as_str().len()..].chars().next();
        assert!(next.is_none_or(|c| kept.as_str().len() + c.len_utf8() > bytes), "{bytes}");
    }
}

proptest! {
    #[test]
    fn any_text_is_kept_byte_for_byte_up_to_the_cap(text in "\\PC{0,60}|(?s).{0,60}", bytes in 16_usize..80) {
        match NoteText::fit(&text, cap(bytes)) {
            Ok(Fitted { text: kept, cut }) => {
                prop_assert!(text.starts_with(kept.as_str()));
                prop_assert_eq!(Bytes::of(kept.as_str()).saturating_add(cut), Bytes::of(&text));
                prop_assert_eq!(cut == Bytes::ZERO, text.len() <= bytes);
            }
            Err(refused) => prop_assert_eq!(refused, TextRefused::Blank),
        }
    }

    #[test]
    fn a_note_read_from_a_reply_reads_back_as_itself(reply in "(?s)[ \n]{0,3}.{0,60}[ \n]{0,3}", bytes in 16_usize..80) {
        if let Reply::Note(Fitted { text, cut }) = Reply::read(&reply, cap(bytes)) {
            prop_assert_eq!(Bytes::of(text.as_str()).saturating_add(cut), Bytes::of(reply.trim()));
            prop_assert_eq!(NoteText::fit(reply.trim(), cap(bytes)).unwrap().text, text);
        }
    }
}
