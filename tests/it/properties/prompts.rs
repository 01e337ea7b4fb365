//! A prompt carries the note, and is otherwise untouched.

use std::borrow::Cow;

use graff_notes::{
    note::{Author, Note, NoteCap},
    prompt::{self, Block, Check, Place},
    session::SessionName,
    units::{Bytes, Generation, Seq, Timestamp},
};

/// A note of generation 3 with this text, as a log would return it.
pub(crate) fn note(text: &str) -> Note {
    Note {
        seq: Some(Seq::new(7)),
        generation: Generation::new(3),
        created_at: Timestamp::new(1_764_417_600_123),
        author: Author::Agent,
        text: text.to_owned(),
        cut: Bytes::ZERO,
        sealed: true,
    }
}

/// Whatever the prompt and the note hold: a spliced note comes out as it went in, the prompt comes
/// out as it was, and splicing again changes nothing.
pub(crate) fn a_splice_can_be_undone_and_repeated(base: &str, text: &str) {
    let session = SessionName::parse("s1").expect("a plain name");
    let (note, other) = (note(text), note("SUBGOAL: quite another one"));
    let cap = NoteCap::new(NoteCap::BYTES_MAX).expect("the greatest cap");
    let (block, other) = (Block::of(&session, &note, cap), Block::of(&session, &other, cap));

    let stripped = prompt::strip(base);
    let spliced = prompt::splice(base, Some(&block));
    assert_eq!(prompt::extract(&spliced), Some(block.text()), "the note comes out as it went in");
    assert_eq!(prompt::strip(&spliced), stripped, "the prompt comes out as it was");
    assert_eq!(prompt::splice(&spliced, Some(&block)), spliced, "twice is once");
    assert_eq!(prompt::check(&spliced, &block), Check::Current);
    assert_eq!(
        prompt::splice(&spliced, Some(&other)),
        prompt::splice(base, Some(&other)),
        "another note replaces the first"
    );
    assert_eq!(prompt::splice(base, None), base, "no note, no change");

    let mut buffer = String::from("what was there before");
    prompt::splice_into(base, &block, &mut buffer);
    assert_eq!(buffer, spliced, "a used buffer is overwritten");

    a_stripped_text_has_no_block(base);
    a_place_parts_the_prompt_at_a_line(base, &spliced);
}

fn a_stripped_text_has_no_block(text: &str) {
    let stripped = prompt::strip(text);
    assert!(matches!(prompt::strip(&stripped), Cow::Borrowed(_)), "stripping twice is once");
    assert_eq!(prompt::extract(&stripped), None);
    let had_one = prompt::extract(text).is_some();
    assert_eq!(had_one, matches!(stripped, Cow::Owned(_)), "extract and strip agree");
}

fn a_place_parts_the_prompt_at_a_line(base: &str, spliced: &str) {
    let place = Place::of(base);
    let (before, after) = place.split();
    assert_eq!([before, after].concat(), prompt::strip(base));
    assert!(after.is_empty() || after.starts_with(['\n', '\r']), "it parts no line");
    assert!(spliced.starts_with(before) && spliced.ends_with(after));
}

/// The first part of the input as a prompt, the second as a note.
pub(crate) fn a_note_is_carried_and_no_more(input: &[u8]) {
    let (base, text) = super::halves(input);
    let text = String::from_utf8_lossy(text);
    if !text.trim().is_empty() {
        a_splice_can_be_undone_and_repeated(&String::from_utf8_lossy(base), &text);
    }
}
