//! Which operations may fail without the caller hearing of it, and why nothing is lost by that.

use std::collections::BTreeMap;

use crate::support::{faulty::OpKind, notes::LOG};

/// Operations that may fail without the caller hearing of it: those of a kind on a file, in some of
/// the cases. An interrupted call beside these is begun again, unless it is a sync.
struct Unheard {
    kind: OpKind,
    on: &'static str,
    /// Each with how many such operations it has.
    of: &'static [(&'static str, usize)],
    why: &'static str,
}

const UNHEARD: [Unheard; 5] = [
    Unheard {
        kind: OpKind::Unlock,
        on: "s1.notes.lock",
        of: &[
            ("the first append", 1),
            ("an append", 1),
            ("an append behind a torn tail", 1),
            ("an append of what is there", 1),
            ("a latch", 1),
            ("a salvage", 1),
            ("a repair", 1),
            ("an import", 1),
            ("an import of all", 1),
            ("a word left", 1),
            ("a session forgotten", 1),
            ("what was begun forgotten", 1),
        ],
        why: "closing the file gives the lock back",
    },
    Unheard {
        kind: OpKind::Remove,
        on: "s1.notes.repairing",
        of: &[("a repair", 1), ("an import", 1), ("an import of all", 1)],
        why: "all is done and durable by then, and the next to write takes the mark away",
    },
    Unheard {
        kind: OpKind::Names,
        on: "Notes",
        of: &[("the first append", 1), ("an import of all", 1)],
        why: "what others left half made is swept by the next that makes a store",
    },
    Unheard {
        kind: OpKind::Open,
        on: "s1.notes.lock",
        of: &[("the newest", 1), ("a verify", 1)],
        why: "a reader that cannot ask for the writer of a torn tail says that it is torn",
    },
    Unheard {
        kind: OpKind::Stamp,
        on: LOG,
        of: &[("the newest again", 2)],
        why: "a log of which a look says nothing is read",
    },
];

/// What fails unheard, by kind, file and case, with how many operations.
pub(super) type Counted<'a> = BTreeMap<(OpKind, &'a str, &'a str), usize>;

pub(super) fn may_be_unheard() -> Counted<'static> {
    let of_row = |row: &Unheard| {
        assert!(!row.why.is_empty());
        let (kind, on) = (row.kind, row.on);
        row.of.iter().map(move |(case, operations)| ((kind, on, *case), *operations))
    };
    UNHEARD.iter().flat_map(of_row).collect()
}
