//! Which session another one goes on from, as far as the host gives it.
//!
//! Nothing is guessed, least of all by time: without a name there is no parent.

use serde::Deserialize;

use super::{client::Host, event::Call};
use crate::session::SessionName;

#[derive(Deserialize)]
struct Line<'l> {
    #[serde(rename = "type")]
    kind: Option<&'l str>,
    uuid: Option<&'l str>,
    #[serde(borrow)]
    payload: Option<Meta<'l>>,
}

#[derive(Deserialize)]
struct Meta<'l> {
    forked_from_id: Option<&'l str>,
}

/// Returns the session that the transcript's file name is of, where that is another one: some
/// versions of Claude Code resume a session under a new name and go on in the old file.
#[must_use]
pub fn named_by_transcript(call: &Call) -> Option<SessionName> {
    let stem = match call.host {
        Host::ClaudeCode => call.transcript.as_ref()?.file_stem()?,
        _ => return None,
    };
    SessionName::parse(stem).ok().filter(|named| *named != call.session)
}

/// Returns the session that a rollout of Codex CLI was forked from; `head` is its beginning.
#[must_use]
pub fn forked_from(head: &[u8]) -> Option<SessionName> {
    let first = lines(head).next()?;
    let parent = first.payload.filter(|_| first.kind == Some("session_meta"))?.forked_from_id?;
    SessionName::parse(parent).ok()
}

/// Returns the name of the first record of a transcript of Claude Code that has one: a fork begins
/// with copies of its parent's records, and they keep their names.
#[must_use]
pub fn first_record(head: &[u8]) -> Option<&str> {
    lines(head).find(|line| line.kind == Some("user")).and_then(|line| line.uuid)
}

fn lines(head: &[u8]) -> impl Iterator<Item = Line<'_>> {
    head.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice(line).ok())
}
