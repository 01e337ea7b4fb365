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
    let (kept, asked) = (text.as_str(), reply.trim());
    assert!(asked.starts_with(kept), "a start of the reply");
    assert!(kept.len() <= bytes, "within the cap");
    assert_eq!(Bytes::of(kept).saturating_add(cut), Bytes::of(asked), "nothing goes uncounted");
    let next = asked[kept.len()..].chars().next();
    assert!(next.is_none_or(|next| kept.len() + next.len_utf8() > bytes), "no less than fits");
    assert_eq!(NoteText::fit(kept, cap), Ok(Fitted { text: text.clone(), cut: Bytes::ZERO }));
}
