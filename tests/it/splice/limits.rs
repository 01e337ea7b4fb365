//! A block fits into what a host lets through, and says what it left out.

use super::*;

#[test]
fn a_block_within_limits_keeps_the_start_and_says_what_it_left_out() {
    let session = session("s1");
    for text in ["SUBGOAL: x ".repeat(2_000), "漢字".repeat(5_000), "=".repeat(12_000)] {
        let note = note(&text);
        let whole = Block::of(&session, &note, NoteCap::new(65_536).expect("the greatest cap"));
        let block = whole.within(Limits::HOOK).expect("room for a header");
        let shown = block.to_string();
        assert!(shown.len() <= 9_000 && shown.chars().count() <= 9_000);
        assert!(shown.len() > 8_990, "{} bytes are left unused", 9_000 - shown.len());
        assert!(text.starts_with(block.text()));
        assert_eq!(block.left_out(), Bytes::new((text.len() - block.text().len()) as u64));
        let note_of_it = format!("The last {} bytes of what is stored", block.left_out());
        assert!(shown.contains(&note_of_it) && shown.contains("`graff-notes show s1`"), "{shown}");
        assert_eq!(prompt::extract(&shown), Some(block.text()));
    }
}

#[test]
fn every_limit_is_kept_and_used_up() {
    let session = session("s1");
    let text = "aé漢👩 === graff-note ends === ".repeat(20);
    let (many, plain) = (note(&text), note(&"x".repeat(300)));
    let whole = || Block::of(&session, &many, NoteCap::DEFAULT);
    let most = whole().to_string().len();
    let mut shown_before = 0;
    for bytes_max in 0..=most {
        let limits = Limits { bytes_max, chars_max: usize::MAX };
        let Some(block) = whole().within(limits) else {
            assert_eq!(shown_before, 0, "what fits into less fits into more");
            continue;
        };
        assert!(block.to_string().len() <= bytes_max);
        assert!(block.text().len() >= shown_before);
        shown_before = block.text().len();
    }
    assert_eq!(shown_before, text.len(), "all of it fits into its own size");

    let whole_plain = || Block::of(&session, &plain, NoteCap::DEFAULT);
    for bytes_max in 0..whole_plain().to_string().len() {
        let limits = Limits { bytes_max, chars_max: usize::MAX };
        let Some(block) = whole_plain().within(limits) else { continue };
        assert_eq!(block.to_string().len(), bytes_max, "a byte more would fit: {block}");
    }

    let chars = whole().to_string().chars().count();
    for (chars_max, all) in [(chars, true), (chars - 1, false)] {
        let limits = Limits { bytes_max: usize::MAX, chars_max };
        let block = whole().within(limits).expect("room for a header");
        assert_eq!(block.left_out() == Bytes::ZERO, all);
        assert!(block.to_string().chars().count() <= chars_max);
    }
}
