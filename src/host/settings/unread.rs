//! What people write into settings that is no JSON proper, and which of it a host reads.
//!
//! Our hooks go beside it all the same, and nothing of it is touched. But a host that doesn't read
//! it calls none of them, and whoever put them in is to be told so.

use super::{
    scan::{self, Scanned},
    tree::place_of,
};
use crate::host::hook::Host;

/// What settings may hold that no JSON has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Extra {
    /// A comment, of a line or of a part of one.
    Comment,
    /// A comma behind the last entry of an object or a list.
    TrailingComma,
}

/// The first thing in settings that their host does not read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unread {
    /// What it is.
    pub extra: Extra,
    /// The line that it stands in, from 1.
    pub line: usize,
}

impl Extra {
    /// Returns its name, as the program writes it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Comment => "comment",
            Self::TrailingComma => "trailing_comma",
        }
    }
}

impl Host {
    /// Returns whether the host reads settings that hold this, and the hooks in them. It does where
    /// it has no settings that are a person's own.
    ///
    /// Source: claude-code issue 83190, and the code of Codex CLI and Gemini CLI that reads the
    /// file.
    #[must_use]
    pub const fn reads(self, extra: Extra) -> bool {
        match self {
            Self::ClaudeCode | Self::Codex => false,
            Self::Gemini => matches!(extra, Extra::Comment),
            Self::Opencode | Self::Goose => true,
        }
    }

    /// Returns what the host does with settings that hold what it does not read, in words that have
    /// the host before them.
    ///
    /// Source: as for [`reads`](Self::reads).
    #[must_use]
    pub const fn without_reading(self) -> &'static str {
        match self {
            Self::ClaudeCode => "passes the whole file over",
            Self::Codex => "runs none of the file's hooks",
            Self::Gemini => "does not start",
            Self::Opencode | Self::Goose => "goes on",
        }
    }
}

/// Returns the first thing in settings of `host` that it does not read; none where that cannot be
/// told, since they are no JSON with it either.
#[must_use]
pub fn unread(host: Host, settings: &str) -> Option<Unread> {
    if [Extra::Comment, Extra::TrailingComma].into_iter().all(|extra| host.reads(extra)) {
        return None;
    }
    let Scanned { comment, trailing_comma, .. } = scan::scan(settings).ok()?;
    let found = [(Extra::Comment, comment), (Extra::TrailingComma, trailing_comma)];
    let unread = found.into_iter().filter(|(extra, _)| !host.reads(*extra));
    let (at, extra) = unread.filter_map(|(extra, at)| Some((at?, extra))).min_by_key(|it| it.0)?;
    Some(Unread { extra, line: place_of(settings, at).0 })
}
