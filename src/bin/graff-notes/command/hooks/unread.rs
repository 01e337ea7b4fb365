//! What stands in an agent's settings that it does not read, and what it does then.

use std::fmt;

use graff_notes::host::{
    hook::Host,
    settings::{self, Extra},
};
use serde::Serialize;

use super::{
    lines::text_in,
    place::{Scope, places},
};

/// The first thing in an agent's settings that it does not read.
#[derive(Clone, Copy, Serialize)]
pub(in crate::command) struct Unread {
    line: usize,
    has: &'static str,
    #[serde(skip)]
    extra: Extra,
    #[serde(skip)]
    host: Host,
}

impl Unread {
    /// Returns that of a text; none where the host reads all of it, or nobody could.
    pub(super) fn of(host: Host, text: &str) -> Option<Self> {
        let settings::Unread { extra, line } = settings::unread(host, text)?;
        Some(Self { line, has: extra.as_str(), extra, host })
    }
}

/// Returns what in these settings the host does not read, in a sentence, and what to do.
pub(super) fn unread_in(host: Host, scope: &Scope) -> Option<String> {
    let settings = places(host, scope).ok()?.into_iter().next()?.0;
    let unread = Unread::of(host, &text_in(settings.clone()))?;
    Some(format!("In {settings} {unread}: take it out."))
}

impl fmt::Display for Unread {
    /// Writes where it stands, and what the host does then, in words that read on.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { line, extra, host, .. } = self;
        let what = match extra {
            Extra::Comment => "a comment",
            Extra::TrailingComma => "a comma behind the last entry",
        };
        let then = host.without_reading();
        write!(f, "line {line} has {what}, which {host} does not read: it {then}")
    }
}
