//! What hooks of one session tell the next ones: a small file beside the log.
//!
//! Each hook is a process of its own. What the log says is not repeated here, and everything here
//! can be lost: then the base generation is found again from the log, and a note may be given a
//! second time.

use serde::{Deserialize, Serialize};

use crate::{
    note::Note,
    units::{Bytes, Generation, Seq, Timestamp},
};

/// What is known of a session from one hook to the next.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct State {
    /// The session whose history this one goes on from.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<Parent>,
    /// The generation of the history when the transcript began; absent before it is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub base: Option<Generation>,
    /// The greatest generation that a hook has seen.
    pub generation: Generation,
    /// How far the transcript has been read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seen: Option<Seen>,
    /// The generation that was about to be summarised when that was last said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub compacting: Option<Generation>,
    /// The request for a note that the agent has not answered yet.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<Asked>,
    /// The note that the agent has in its context.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub given: Option<Given>,
}

/// The session whose history another one goes on from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Parent {
    /// There is one, and the host has not said which.
    Unnamed,
    /// It has this name.
    Named(String),
}

/// How far a transcript has been read, and what was counted on the way.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    /// The transcript's path.
    pub transcript: String,
    /// Up to where.
    pub bytes: Bytes,
    /// The compactions up to there.
    pub compactions: u64,
    /// What the last summary goes by, where the host's transcripts repeat it.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub summary: Option<String>,
}

/// A request for a note.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Asked {
    /// The generation that it was made for.
    pub generation: Generation,
    /// The mark by which it is found again.
    pub nonce: String,
}

/// A note that the agent has in its context, and since which generation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Given {
    /// The generation of the history that has it.
    pub generation: Generation,
    /// The note's number.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub seq: Option<Seq>,
    /// When the note was stored.
    pub created_at: Timestamp,
}

impl State {
    /// Returns the state that a file holds; what cannot be read is as good as lost, and so is a
    /// count of more compactions than bytes.
    #[must_use]
    pub fn read(bytes: Option<&[u8]>) -> Self {
        let state = bytes.and_then(|bytes| serde_json::from_slice::<Self>(bytes).ok());
        let state = state.unwrap_or_default();
        Self { seen: state.seen.filter(|seen| seen.compactions <= seen.bytes.get()), ..state }
    }

    /// Returns the file's bytes.
    #[must_use]
    pub fn write(&self) -> Vec<u8> {
        // Numbers and strings under fixed names always make JSON.
        let mut bytes = serde_json::to_vec(self).unwrap_or_default();
        bytes.push(b'\n');
        bytes
    }
}

impl Given {
    /// Returns that the history of `generation` has `note`.
    #[must_use]
    pub const fn new(note: &Note, generation: Generation) -> Self {
        Self { generation, seq: note.seq, created_at: note.created_at }
    }

    /// Returns whether it is this very note.
    #[must_use]
    pub fn is(&self, note: &Note) -> bool {
        self.seq == note.seq && self.created_at == note.created_at
    }
}
