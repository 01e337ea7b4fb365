//! What a call comes to, and why, where that is nothing: a dry run says so.

use std::fmt;

use graff_notes::{host::hook::Host, units::Tokens};

/// What a call comes to.
#[derive(Debug)]
#[must_use]
pub(super) enum Came {
    /// Something; or what stands in its way was told.
    ToSomething,
    ToNothing(Idle),
}

/// Why there is nothing to do.
#[derive(Debug)]
pub(super) enum Idle {
    NoPayload,
    Worker,
    /// Nothing is done on the event of this name.
    Event(String),
    /// The host does not have the event of this name, and another one does.
    NoEvent(Host, String),
    NoNote,
    /// Nothing of the note has room in what the host takes; the longest name leaves it some.
    NoRoom,
    Given,
    OurRequest,
    Emptied,
    /// The request holds the note, or no summary that it could stand behind.
    NothingToMend,
    NoTranscript,
    NoUsage,
    FarFromFull {
        used: Tokens,
        window: Tokens,
    },
    Asked,
    NotAsked,
    HasNote,
    NoFacts,
    NoSummaryAwaited,
    NoSection,
    NoFile,
    FileHasIt,
}

impl From<Idle> for Came {
    fn from(why: Idle) -> Self {
        Self::ToNothing(why)
    }
}

impl fmt::Display for Idle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Event(name) => return write!(f, "{name} asks for nothing"),
            Self::NoEvent(host, name) => return write!(f, "{host} has no event {name}"),
            Self::FarFromFull { used, window } => {
                return write!(f, "only {used} of {window} tokens are used");
            }
            Self::NoPayload => "stdin is empty",
            Self::Worker => "the agent works for another one, whose note is kept",
            Self::NoNote => "the session has no note",
            Self::NoRoom => "nothing of the note has room in what the host takes",
            Self::Given => "this history has the note",
            Self::OurRequest => "the prompt is our own request for a note",
            Self::Emptied => "the user has emptied the history",
            Self::NothingToMend => {
                "the request has the note, or no summary that it could stand behind"
            }
            Self::NoTranscript => "there is no transcript yet, or none with a request",
            Self::NoUsage => "the transcript does not say how many tokens are used",
            Self::Asked => "the agent has written its note in this history, or was asked for it",
            Self::NotAsked => "the agent was asked for nothing",
            Self::HasNote => "this history has a note of its own",
            Self::NoFacts => "nothing is known that a note could be made of",
            Self::NoSummaryAwaited => "no compaction was announced",
            Self::NoSection => "the summary has no note in it",
            Self::NoFile => "GOOSE_MOIM_MESSAGE_FILE names no file",
            Self::FileHasIt => "the file that goose reads is up to date",
        })
    }
}
