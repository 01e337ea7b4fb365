//! Judges one line: the one parser for whoever shows, verifies or repairs a log.

use memchr::memchr;

use super::{
    super::{Fault, Field, Kind, LINE_BYTES_MAX, Line, Record},
    Seal, VERSION, body, kind,
    members::Members,
    plain, syntax,
};
use crate::{
    session::SessionName,
    units::{Generation, Seq, Timestamp},
};

/// Returns what `line`, given without its LF, is in the log of `session`.
pub(in crate::log) fn read<'a>(line: &'a [u8], session: &SessionName) -> Line<'a> {
    if line.len() > LINE_BYTES_MAX {
        return Line::Bad(Fault::TooLong);
    }
    let object = trim(line);
    match object.first() {
        None if memchr(0, line).is_none() => Line::Blank,
        Some(b'{') => {
            plain::read(object, session).map_or_else(|| parsed(line, object, session), Line::Record)
        }
        _ => Line::Bad(syntax::no_object(line, object)),
    }
}

fn parsed<'a>(line: &[u8], object: &'a [u8], session: &SessionName) -> Line<'a> {
    syntax::members(line, object)
        .and_then(|members| judge(object, &members, session))
        .unwrap_or_else(Line::Bad)
}

/// Takes off what may stand around a record without being damage to it.
fn trim(line: &[u8]) -> &[u8] {
    let mut rest = line.strip_prefix(syntax::UTF8_MARK).unwrap_or(line);
    while let [0 | b' ' | b'\t' | b'\r', after @ ..] = rest {
        rest = after;
    }
    while let [before @ .., b' ' | b'\t' | b'\r'] = rest {
        rest = before;
    }
    rest
}

/// Applies the rules in their order: duplicates, version, checksum, fields, kind, session.
fn judge<'a>(
    object: &[u8],
    members: &Members<'a>,
    session: &SessionName,
) -> Result<Line<'a>, Fault> {
    if let Some(field) = members.duplicate {
        return Err(Fault::Duplicate(field));
    }
    let version = members.number(Field::Version)?.ok_or(Fault::Missing(Field::Version))?;
    let seal = Seal::of(object);
    match seal {
        _ if version == 0 => return Err(Fault::OutOfRange(Field::Version)),
        Seal::Differs => return Err(Fault::ChecksumMismatch),
        _ if version > VERSION => return Ok(Line::Newer),
        Seal::Absent if members.has(Field::Crc) => return Err(Fault::ChecksumMisplaced),
        Seal::Absent | Seal::Matches => {}
    }
    let name = members.string(Field::Session)?.ok_or(Fault::Missing(Field::Session))?;
    let record = record(members, seal == Seal::Matches)?;
    if name != session.as_str() {
        return Ok(Line::Foreign { session: name });
    }
    Ok(record.map_or(Line::Newer, Line::Record))
}

/// Returns the record that the members make, whosesoever; `None` where we don't know its kind.
fn record<'a>(members: &Members<'a>, sealed: bool) -> Result<Option<Record<'a>>, Fault> {
    let generation = members.number(Field::Generation)?.map_or(Generation::ZERO, Into::into);
    let created_at = members.number(Field::CreatedAt)?.map_or(Timestamp::ZERO, Into::into);
    let seq = members.number(Field::Seq)?.map(Seq::new);
    let cut = members.number(Field::Cut)?.unwrap_or(0);
    let kind = match members.string(Field::Kind)? {
        None => Kind::Note,
        Some(word) => match kind(&word) {
            None => return Ok(None),
            Some(kind) => kind,
        },
    };
    let body = body(kind, members.string(Field::Text)?, cut)?;
    Ok(Some(Record { generation, created_at, seq, body, sealed }))
}
