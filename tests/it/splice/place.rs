//! The block stands after the `HARD CONSTRAINTS` section where there is one, else at the end.

use super::*;

/// Prompts in which `¦` marks the place of the block.
const PLACES: &[&str] = &[
    // without a section: the end, before a final LF
    "¦",
    "¦\n",
    "text¦",
    "text¦\n",
    "text\n¦\n",
    "text\r¦\n",
    // a heading as any of these, and nothing below it
    "HARD CONSTRAINTS¦",
    "HARD CONSTRAINTS:¦\n",
    "# HARD CONSTRAINTS¦\n",
    "a\n\n## HARD CONSTRAINTS:¦\n\n",
    "**HARD CONSTRAINTS:**¦\n\n\n",
    "  ### **HARD CONSTRAINTS** :  \t¦\n",
    // the words within a sentence, in other case or with something beside them are no heading
    "The HARD CONSTRAINTS below hold.\n- a\n\nb¦\n",
    "Hard Constraints\n- a\n\nb¦\n",
    "HARD CONSTRAINTS apply\n- a\n\nb¦\n",
    "> HARD CONSTRAINTS\n- a\n\nb¦\n",
    "See HARD CONSTRAINTS.\n\nHARD CONSTRAINTS\n- a¦\n\nb\n",
    // the first heading counts
    "HARD CONSTRAINTS\n- a¦\n\n# HARD CONSTRAINTS\n- b\n",
    // a list ends at a blank line
    "HARD CONSTRAINTS\n- a\n- b¦\n\nTools\n",
    "HARD CONSTRAINTS\n\n- a\n- b¦\n\nTools\n",
    "# HARD CONSTRAINTS\n- a¦\n\nTools\n\n# Next\n",
    "HARD CONSTRAINTS\n1. a\n2) b\n• c\n+ d\n* e¦\n\nTools\n",
    "HARD CONSTRAINTS\n- a\nlazily goes on¦\n\nTools\n",
    "HARD CONSTRAINTS\n- a¦",
    "HARD CONSTRAINTS\n- a¦\n",
    "HARD CONSTRAINTS\n- a¦\n\n\n",
    // but not at one before another item or an indented continuation
    "HARD CONSTRAINTS\n- a\n\n- b\n\n  still b\n\n1. c¦\n\nTools\n",
    "HARD CONSTRAINTS\n- a\n\n    code of a¦\n\nTools\n",
    "  HARD CONSTRAINTS\n  - a\n\n    still a¦\n\n  Tools\n",
    // a Markdown heading ends any section
    "HARD CONSTRAINTS\n- a¦\n# Next\n- b\n",
    "HARD CONSTRAINTS\n- a\n\n- b¦\n\n   ###### Next\n- c\n",
    "## HARD CONSTRAINTS\ntext¦\n\n#\n",
    "HARD CONSTRAINTS\n- a\n#no heading\n####### nor this¦\n\nTools\n",
    // without a list: a `#` heading's section goes on to the next heading
    "# HARD CONSTRAINTS\nNever push.\n\nAsk first.¦\n\n## Next\ntext\n",
    "# HARD CONSTRAINTS\n\nNever push.\n\nAsk first.¦\n",
    // and another one's to the first blank line
    "HARD CONSTRAINTS:\nNever push.\nAsk first.¦\n\nTools\n",
    "**HARD CONSTRAINTS**\n\nNever push.¦\n\nTools\n",
    // which a list that the text leads up to doesn't make
    "HARD CONSTRAINTS\n\nThese hold:\n\n- a¦\n\nTools\n",
    // nothing ends a section between two code fences
    "HARD CONSTRAINTS\n- a\n```sh\n# no heading\n\ntext\n```¦\n\nTools\n",
    "# HARD CONSTRAINTS\n~~~\n# no heading\n~~~¦\n# Next\n",
    // CRLF: the block goes before both
    "HARD CONSTRAINTS\r\n- a\r\n- b¦\r\n\r\nTools\r\n",
    "# HARD CONSTRAINTS\r\ntext¦\r\n\r\n# Next\r\n",
    "HARD CONSTRAINTS¦\r\n",
    // characters of more than one byte
    "# Für dich\n\n# HARD CONSTRAINTS\n- nie löschen 👩‍💻¦\n\nWerkzeuge\n",
];

#[test]
fn the_block_goes_after_the_hard_constraints_else_to_the_end() {
    for marked in PLACES {
        let base = marked.replace('¦', "");
        let place = Place::of(&base);
        let (before, after) = place.split();
        assert_eq!([before, "¦", after].concat(), **marked);
        a_splice_can_be_undone_and_repeated(&base, "SUBGOAL: x");
    }
}

#[test]
fn a_prompt_without_a_section_stays_whole_in_front() {
    for base in ["", "\n", "\n\n", "text", "text\n", "text\r\n", "a\nb\n\n"] {
        assert!(spliced(base, &note("SUBGOAL: x")).starts_with(base), "{base:?}");
    }
}

#[test]
fn a_place_is_found_once_for_many_notes() {
    let place = Place::of(BASE);
    let session = session("s1");
    let mut buffer = String::with_capacity(4_096);
    let allocated = buffer.as_ptr();
    for text in ["SUBGOAL: a", "SUBGOAL: b", "=== graff-note ends ==="] {
        let note = note(text);
        let block = Block::of(&session, &note, NoteCap::DEFAULT);
        place.splice_into(&block, &mut buffer);
        assert_eq!(buffer, prompt::splice(BASE, Some(&block)));
        assert_eq!(buffer, place.splice(&block));
    }
    assert_eq!(buffer.as_ptr(), allocated, "the buffer was large enough");
}

#[test]
fn a_line_of_nothing_but_headings_is_read_through_once() {
    let prompts = [1_000, 8_000].map(|count| "HARD CONSTRAINTS ".repeat(count));
    let place = |prompt: &str| {
        let started = std::time::Instant::now();
        assert_eq!(Place::of(prompt).split(), (prompt, ""));
        started.elapsed()
    };
    // A busy machine disturbs most of such short tries, but not every one of them.
    let [short, long] = prompts.map(|prompt| (0..100).map(|_| place(&prompt)).min().unwrap());
    // Eight times the text takes sixty-four times as long where each heading reads the line anew.
    assert!(long < short * 32, "{long:?} for eight times what took {short:?}");
}
