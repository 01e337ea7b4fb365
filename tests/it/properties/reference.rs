//! Another reader of a log's lines, written from docs/format.md with nothing of this crate's.

use std::fmt;

use graff_notes::{
    log::{Body, Field, Line, Record},
    session::SessionName,
    units::Seq,
};
use serde::{
    Deserialize, Deserializer,
    de::{IgnoredAny, MapAccess, Visitor},
};
use serde_json::{Map, Value};

/// What a line says: generation, time, number, kind, text, cut, sealed; or what it is instead.
pub(crate) type Said =
    Result<(u64, u64, Option<u64>, String, Option<String>, u64, bool), &'static str>;

/// Reads a line as docs/format.md says, with nothing of this crate but the list of fields.
pub(crate) fn reference(line: &[u8], session: &str) -> Said {
    let line = line.strip_prefix(b"\xef\xbb\xbf").unwrap_or(line);
    let Some(start) = line.iter().position(|b| !b"\0 \t\r".contains(b)) else {
        return Err(if line.contains(&0) { "bad" } else { "blank" });
    };
    let object =
        str::from_utf8(&line[start..]).map_err(|_| "bad")?.trim_end_matches([' ', '\t', '\r']);
    let Keys(keys) = serde_json::from_str(object).map_err(|_| "bad")?;
    if Field::ALL.iter().any(|field| keys.iter().filter(|key| *key == field.key()).count() > 1) {
        return Err("bad");
    }
    let fields: Map<String, Value> = serde_json::from_str(object).map_err(|_| BEYOND_REFERENCE)?;
    let sealed = seal_holds(object)?;
    let number = |key| fields.get(key).map(|value| value.as_u64().ok_or("bad")).transpose();
    let string = |key| fields.get(key).map(|value| value.as_str().ok_or("bad")).transpose();
    match number("v")? {
        Some(1) if sealed || !fields.contains_key("crc") => {}
        Some(2..) => return Err("newer"),
        _ => return Err("bad"),
    }
    let owner = string("session")?.ok_or("bad")?;
    let (generation, created_at) =
        (number("gen")?.unwrap_or(0), number("created_at")?.unwrap_or(0));
    let (seq, cut) = (number("seq")?, number("cut")?.unwrap_or(0));
    let kind = string("kind")?;
    if kind.is_some_and(|kind| !["attempt", "mechanical", "rollover"].contains(&kind)) {
        return Err(if owner == session { "newer" } else { "foreign" });
    }
    let text = string("text")?;
    let wants_text = matches!(kind, None | Some("mechanical"));
    if wants_text != text.is_some() || text.is_some_and(|text| text.trim().is_empty()) {
        return Err("bad");
    }
    if owner != session {
        return Err("foreign");
    }
    let kind = kind.unwrap_or("note").to_owned();
    let cut = if wants_text { cut } else { 0 };
    Ok((generation, created_at, seq, kind, text.map(str::to_owned), cut, sealed))
}

/// The keys of an object in their order, also those that stand there again.
struct Keys(Vec<String>);

impl<'de> Deserialize<'de> for Keys {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Self(Vec::new()))
    }
}

impl<'de> Visitor<'de> for Keys {
    type Value = Self;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Self, A::Error> {
        while let Some((key, IgnoredAny)) = map.next_entry()? {
            self.0.push(key);
        }
        Ok(self)
    }
}

/// Whether an object ends in a seal, which then has to be that of the bytes before it.
fn seal_holds(object: &str) -> Result<bool, &'static str> {
    let split = object.len().checked_sub(18).and_then(|at| object.split_at_checked(at));
    let Some((covered, seal)) = split else { return Ok(false) };
    let digits = seal.strip_prefix(",\"crc\":\"").and_then(|seal| seal.strip_suffix("\"}"));
    match digits.filter(|digits| digits.bytes().all(|b| b"0123456789abcdef".contains(&b))) {
        None => Ok(false),
        Some(digits) if digits == format!("{:08x}", crc32(covered)) => Ok(true),
        Some(_) => Err("bad"),
    }
}

fn crc32(covered: &str) -> u32 {
    let bit = |crc: u32, _| (crc >> 1) ^ (0xEDB8_8320 & (crc & 1).wrapping_neg());
    !covered.bytes().fold(!0, |crc, byte| (0..8).fold(crc ^ u32::from(byte), bit))
}

/// What this crate reads, in the words of the reference.
pub(crate) fn ours(line: &[u8], session: &SessionName) -> Said {
    let record = match Line::read(line, session) {
        Line::Blank => return Err("blank"),
        Line::Foreign { .. } => return Err("foreign"),
        Line::Newer => return Err("newer"),
        Line::Bad(_) => return Err("bad"),
        Line::Record(record) => record,
    };
    let kind = record.kind().as_str().to_owned();
    let Record { generation, created_at, seq, body, sealed } = record;
    let (text, cut) = match body {
        Body::Note { text, cut, .. } => (Some(text.into_owned()), cut.get()),
        Body::Attempt | Body::Rollover => (None, 0),
    };
    Ok((generation.get(), created_at.get(), seq.map(Seq::get), kind, text, cut, sealed))
}

/// What the reference says where a `serde_json::Value` cannot hold what stands there: more than 127
/// levels, a number beyond all floating point, half of a surrogate pair.
pub(crate) const BEYOND_REFERENCE: &str = "beyond the reference";

/// The line with a seal of its bytes, whatever they are, in the place of its last one.
pub(crate) fn resealed(mut line: Vec<u8>) -> Vec<u8> {
    line.pop();
    let crc = crc32fast::hash(&line);
    line.extend_from_slice(format!(",\"crc\":\"{crc:08x}\"}}").as_bytes());
    line
}

/// The line with white space in its object, which takes it off the fast path and changes nothing else.
pub(crate) fn detour(line: &[u8]) -> Vec<u8> {
    let Some(brace) = line.iter().position(|&byte| byte == b'{') else { return line.to_vec() };
    let (before, object) = line.split_at(brace);
    // What JSON takes for white space, and no more: a form feed makes the line a bad one.
    let end = object.iter().rposition(|byte| !b" \t\r".contains(byte)).map_or(0, |last| last + 1);
    let object = &object[..end];
    let mut longer = [b"{ ", &object[1..]].concat();
    if str::from_utf8(object).map(seal_holds) == Ok(Ok(true)) {
        longer.truncate(longer.len() - 17);
        longer = resealed(longer);
    }
    [before, &longer].concat()
}
