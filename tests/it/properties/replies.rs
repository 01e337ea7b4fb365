//! A reply is a note word for word, or none.

use graff_notes::{
    note::{Fitted, NoteCap, NoteText, Reply},
    units::Bytes,
};

/// Any reply is kept to its last character that fits, or is no note; and a note that was read
/// from one reads back as itself.
pub(crate) fn a_reply_is_kept_word_for_word(input: &[u8]) {
    let (bytes, reply) = input.split_at(input.len().min(1));
    let reply = String::from_utf8_lossy(reply);
    let bytes = bytes.first().map_or(NoteCap::DEFAULT.get(), |&bytes| 16 + usize::from(bytes));
    let cap = NoteCap::new(bytes).expect("a cap within its range");
    let Reply::Note(Fitted { text, cut }) = Reply::read(&reply, cap) else { return };
    let kept = text.as_str();
    assert!(kept.len() <= bytes, "within the cap");
    let counted = Bytes::of(kept).saturating_add(cut);
    let (reasoning, asked) = parted(reply.trim(), usize::try_from(counted.get()).expect("it fits"));
    assert!(asked.starts_with(kept), "a start of the answer");
    assert!(reasoning.is_empty() || is_reasoning(reasoning), "nothing goes uncounted");
    let next = asked[kept.len()..].chars().next();
    assert!(next.is_none_or(|next| kept.len() + next.len_utf8() > bytes), "no less than fits");
    assert_eq!(NoteText::fit(kept, cap), Ok(Fitted { text: text.clone(), cut: Bytes::ZERO }));
}

/// Returns what stands before the last `bytes`, and these.
fn parted(reply: &str, bytes: usize) -> (&str, &str) {
    let at = reply.len().checked_sub(bytes).expect("no more than came");
    reply.split_at_checked(at).expect("whole characters")
}

/// Whether a text is what a server left of a model's reasoning.
fn is_reasoning(text: &str) -> bool {
    let tags = [("<think>", "</think>"), ("<thinking>", "</thinking>")];
    tags.iter().any(|(opening, _)| text.starts_with(opening))
        && tags.iter().any(|(_, closing)| text.trim_end().ends_with(closing))
}
