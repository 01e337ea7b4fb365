//! What this crate reads, in the words of the other readers; and the same line on another path.

use graff_notes::{
    log::{Body, Kind, Line, Tail},
    session::SessionName,
    units::Seq,
};

use serde::de::IgnoredAny;

use super::{
    called::Said,
    reference::{Record, is_sealed},
    seen::{replay, session},
};

/// What the lines of a file say, and how it ends.
pub(crate) fn our_log(file: &[u8]) -> (Vec<Said>, &'static str) {
    let (lines, tail) = replay(file);
    let ends = match tail {
        Tail::Clean => "whole",
        Tail::Unterminated => "unterminated",
        Tail::Torn { .. } => "torn",
    };
    let session = session();
    (lines.into_iter().map(|seen| said(seen.line, &session)).collect(), ends)
}

/// What a line says.
pub(crate) fn our_line(line: &[u8], session: &SessionName) -> Said {
    said(Line::read(line, session), session)
}

fn said(line: Line<'_>, session: &SessionName) -> Said {
    let record = match line {
        Line::Blank => return Err("blank"),
        Line::Foreign { .. } => return Err("foreign"),
        Line::Newer => return Err("newer"),
        Line::Bad(_) => return Err("bad"),
        Line::Record(record) => record,
    };
    let kind = Some(record.kind()).filter(|kind| *kind != Kind::Note);
    let (text, cut) = match record.body {
        Body::Note { text, cut, .. } => (Some(text.into_owned()), cut.get()),
        Body::Attempt | Body::Rollover => (None, 0),
    };
    Ok(Record {
        v: 1,
        session: session.as_str().to_owned(),
        r#gen: record.generation.get(),
        text,
        created_at: record.created_at.get(),
        seq: record.seq.map(Seq::get),
        kind: kind.map(|kind| kind.as_str().to_owned()),
        cut,
        crc: record.sealed.then_some(IgnoredAny),
    })
}

/// The line with a seal of its bytes, whatever they are, in the place of its last one.
pub(crate) fn resealed(mut line: Vec<u8>) -> Vec<u8> {
    line.pop();
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}").as_bytes());
    line
}

/// The line with white space in its object, which takes it off the fast path and changes nothing
/// else.
pub(crate) fn detour(line: &[u8]) -> Vec<u8> {
    let Some(brace) = line.iter().position(|&byte| byte == b'{') else { return line.to_vec() };
    let (before, object) = line.split_at(brace);
    // What JSON takes for white space, and no more: a form feed makes the line a bad one.
    let end = object.iter().rposition(|byte| !b" \t\r".contains(byte)).map_or(0, |last| last + 1);
    let object = &object[..end];
    let mut longer = [b"{ ", &object[1..]].concat();
    if str::from_utf8(object).is_ok_and(is_sealed) {
        longer.truncate(longer.len() - 17);
        longer = resealed(longer);
    }
    [before, &longer].concat()
}
