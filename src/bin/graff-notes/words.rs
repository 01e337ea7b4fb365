//! What changed from one text to another, word by word.

use std::time::Duration;

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

/// How long the shortest account of the changes is looked for; after that a longer one will do.
pub(crate) const PATIENCE: Duration = Duration::from_millis(500);

/// A piece of the one text, of the other, or of both.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct Piece {
    /// Of which text it is.
    pub(crate) op: Op,
    /// What stands there.
    pub(crate) text: String,
}

/// Of which text a piece is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Op {
    /// Of both.
    Equal,
    /// Of the old one only.
    Delete,
    /// Of the new one only.
    Insert,
}

/// Returns the pieces of two texts, in their order.
///
/// What is equal or deleted, put together, is `old` byte for byte; what is equal or inserted is
/// `new`. Words that stand side by side are one piece, also where the space between them is as it
/// was.
pub(crate) fn compare(old: &str, new: &str) -> Vec<Piece> {
    let diff = TextDiff::configure().timeout(PATIENCE).diff_words(old, new);
    let mut pieces = Pieces::default();
    for change in diff.iter_all_changes() {
        pieces.see(change.tag(), change.value());
    }
    pieces.end()
}

/// The pieces so far.
#[derive(Debug, Default)]
struct Pieces {
    whole: Vec<Piece>,
    deleted: String,
    inserted: String,
    /// The space behind them, which is theirs if another change follows.
    space: String,
}

impl Pieces {
    fn see(&mut self, tag: ChangeTag, text: &str) {
        match tag {
            ChangeTag::Equal => self.see_equal(text),
            ChangeTag::Delete => {
                self.take_space();
                self.deleted.push_str(text);
            }
            ChangeTag::Insert => {
                self.take_space();
                self.inserted.push_str(text);
            }
        }
    }

    fn see_equal(&mut self, text: &str) {
        let is_under_way = !self.deleted.is_empty() || !self.inserted.is_empty();
        if is_under_way && self.space.is_empty() && text.chars().all(|c| c == ' ' || c == '\t') {
            text.clone_into(&mut self.space);
            return;
        }
        self.close();
        self.push(Op::Equal, text);
    }

    fn take_space(&mut self) {
        self.deleted.push_str(&self.space);
        self.inserted.push_str(&self.space);
        self.space.clear();
    }

    fn close(&mut self) {
        let [deleted, inserted, space] =
            [&mut self.deleted, &mut self.inserted, &mut self.space].map(std::mem::take);
        self.push(Op::Delete, &deleted);
        self.push(Op::Insert, &inserted);
        self.push(Op::Equal, &space);
    }

    fn push(&mut self, op: Op, text: &str) {
        match self.whole.last_mut() {
            _ if text.is_empty() => {}
            Some(last) if last.op == op => last.text.push_str(text),
            _ => self.whole.push(Piece { op, text: text.to_owned() }),
        }
    }

    fn end(mut self) -> Vec<Piece> {
        self.close();
        self.whole
    }
}
