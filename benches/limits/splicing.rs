//! A note into a prompt, beside one copy of the prompt.

use std::hint::black_box;

use criterion::Criterion;
use graff_notes::{
    log::Draft,
    note::{Author, Note, NoteCap},
    prompt::{self, Block, Place},
    units::{Bytes, Generation, Seq, Timestamp},
};

use crate::{pair::compare, world};

/// The length of the prompt in bytes.
const PROMPT_BYTES: usize = 32 * 1024;

pub(crate) fn operations(criterion: &mut Criterion) {
    let line = "Say what you are about to do before you do it, and what came of it after.\n";
    let base = line.repeat(PROMPT_BYTES.div_ceil(line.len()));
    let Draft::Note { text, .. } = world::note(1) else { unreachable!() };
    let (note, session) = (stored(text.as_str()), world::session("s1"));
    let block = Block::of(&session, &note, NoteCap::default());
    let (mut copy, mut buffer) = (String::new(), String::new());

    let mut copied = || {
        copy.clear();
        copy.push_str(black_box(&base));
        black_box(&copy);
    };
    compare(criterion, "splice 2 KiB into 32 KiB", 256, &mut copied, || {
        prompt::splice_into(&base, &block, &mut buffer);
    });
    let place = Place::of(&base);
    compare(criterion, "splice where the place is known", 256, &mut copied, || {
        place.splice_into(&block, &mut buffer);
    });
}

fn stored(text: &str) -> Note {
    Note {
        seq: Some(Seq::new(1)),
        generation: Generation::ZERO,
        created_at: Timestamp::new(1_790_000_000_000),
        author: Author::Agent,
        text: text.to_owned(),
        cut: Bytes::ZERO,
        sealed: true,
    }
}
