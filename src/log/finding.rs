//! What is found in a log that is wrong, or only odd: what it is about, where, and what a repair
//! does.

use std::fmt;

use super::Fault;
use crate::units::{Bytes, Generation, Seq};

/// Something that `verify` reports, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// The number of the line, from 1.
    pub line: u64,
    /// Where the line begins in the file.
    pub offset: Bytes,
    /// What it is about.
    pub concern: Concern,
}

/// What a finding is about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Concern {
    /// The line is no record.
    Bad(Fault),
    /// The file ends in the middle of something.
    TornTail(Fault),
    /// The record belongs to another session.
    Foreign {
        /// Its name, or the start of it.
        session: String,
    },
    /// An earlier record has the same number.
    SeqRepeated {
        /// The number.
        seq: Seq,
    },
    /// An earlier record has a greater number.
    SeqBackward {
        /// The number.
        seq: Seq,
        /// The greatest before it.
        after: Seq,
    },
    /// The note before this one is of the same generation.
    GenerationRepeated {
        /// The generation.
        generation: Generation,
    },
    /// The record has no checksum, and too great a generation to be believed without one.
    GenerationNotCounted {
        /// The generation.
        generation: Generation,
    },
    /// A newer version of the format wrote the record.
    NewerVersion,
}

impl Concern {
    /// Returns whether it says that something is wrong; else it is a remark.
    #[must_use]
    pub const fn is_fault(&self) -> bool {
        !matches!(
            self,
            Self::GenerationRepeated { .. }
                | Self::GenerationNotCounted { .. }
                | Self::NewerVersion
        )
    }

    /// Returns whether a repair leaves it in the log; else it takes it out.
    #[must_use]
    pub const fn outlasts_repair(&self) -> bool {
        !matches!(self, Self::Bad(_) | Self::TornTail(_))
    }

    /// Returns the word for it in the answers of `verify --json` and `repair --json`.
    #[must_use]
    pub const fn reason(&self) -> &'static str {
        match self {
            Self::Bad(fault) => fault.reason(),
            Self::TornTail(_) => "torn_tail",
            Self::Foreign { .. } => "foreign",
            Self::SeqRepeated { .. } => "seq_repeated",
            Self::SeqBackward { .. } => "seq_backward",
            Self::GenerationRepeated { .. } => "generation_repeated",
            Self::GenerationNotCounted { .. } => "generation_not_counted",
            Self::NewerVersion => "newer_version",
        }
    }

    /// Returns what a repair does about it, which wins so many records back there, in words for a
    /// person.
    #[must_use]
    pub const fn under_repair(&self, won_back: u64) -> &'static str {
        match self {
            Self::Bad(_) | Self::TornTail(_) if won_back > 0 => {
                "repair takes it out, and wins back what is whole in it"
            }
            Self::Bad(_) | Self::TornTail(_) => "repair takes it out",
            Self::Foreign { .. }
            | Self::SeqRepeated { .. }
            | Self::SeqBackward { .. }
            | Self::GenerationRepeated { .. }
            | Self::GenerationNotCounted { .. }
            | Self::NewerVersion => "repair keeps it",
        }
    }
}

impl fmt::Display for Concern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bad(fault) => fault.fmt(f),
            Self::TornTail(fault) => write!(f, "the file ends in a torn record: {fault}"),
            Self::Foreign { session } => write!(f, "a record of session {session:?}"),
            Self::SeqRepeated { seq } => write!(f, "seq {seq} was given before"),
            Self::SeqBackward { seq, after } => write!(f, "seq {seq} stands behind seq {after}"),
            Self::GenerationRepeated { generation } => {
                write!(f, "the note before is also of generation {generation}, which is no fault")
            }
            Self::GenerationNotCounted { generation } => {
                write!(
                    f,
                    "generation {generation} has no checksum to vouch for it: it doesn't count"
                )
            }
            Self::NewerVersion => {
                f.write_str("written by a newer version of the format, kept unread")
            }
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}, byte {}: {}", self.line, self.offset, self.concern)
    }
}
