//! Taking back an append that failed, so that the log reads as before.
//!
//! ```text
//! │ the log as it was │ {"v":1,"session":"s1","ge        our bytes stand last: cut them off
//! │ the log as it was │ {"v":1,"session":"s1","ge#␊      they can't be cut off: seal them
//! ```
//!
//! A seal is never the LF alone: that could complete a record which lacks nothing else. A line that
//! has its LF already is past sealing; it gets the mark all the same, durable if possible, so that
//! the next record does not share its line with what the disk may have kept of this one.

use super::file::File;
use crate::{error::Error, log::ABANDONED};

/// What became of a line whose append failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// The log reads as before, byte for byte.
    TakenBack,
    /// What came of it to the file stands there and will never be read as a record.
    GivenUp,
    /// It may be one, now or after a crash.
    Unknown,
}

/// What stands behind the place where the log ended before an append.
enum Standing {
    Nothing,
    /// So many bytes of our line, and nothing else.
    Ours(usize),
    /// Somebody else's bytes, and ours last: so many of them.
    OursBehindOthers(usize),
    Others,
}

/// Takes back `line`, appended to a log of `before` bytes, of which the write took `taken`.
///
/// The lock must be held since before the look that found `before`.
pub(super) fn take_back(file: File<'_>, before: u64, line: &[u8], taken: usize) -> Fate {
    // A record that lacks its LF alone is one.
    let is_whole = |standing: usize| standing + 1 >= line.len();
    match standing(file, before, line, taken) {
        Ok(Standing::Nothing) => Fate::TakenBack,
        Ok(Standing::Ours(bytes)) if file.cut(before).is_ok() => {
            let is_durable = file.sync().is_ok();
            if is_durable || !is_whole(bytes) { Fate::TakenBack } else { Fate::Unknown }
        }
        Ok(Standing::Ours(bytes) | Standing::OursBehindOthers(bytes)) => {
            let is_sealed = seal(file).is_ok() && bytes < line.len();
            if is_sealed || !is_whole(bytes) { Fate::GivenUp } else { Fate::Unknown }
        }
        Ok(Standing::Others) | Err(_) if is_whole(taken) => Fate::Unknown,
        Ok(Standing::Others) | Err(_) => Fate::GivenUp,
    }
}

fn standing(file: File<'_>, before: u64, line: &[u8], taken: usize) -> Result<Standing, Error> {
    let len = file.status()?.len;
    let mut bytes = Vec::new();
    if len <= before {
        return Ok(Standing::Nothing);
    }
    if len - before <= line.len() as u64 {
        file.read(&(before..len), &mut bytes)?;
        if line.starts_with(&bytes) {
            return Ok(Standing::Ours(bytes.len()));
        }
    }
    if taken == 0 {
        return Ok(Standing::Others);
    }
    file.read(&(len.saturating_sub(taken as u64)..len), &mut bytes)?;
    let is_ours = line.get(..taken) == Some(bytes.as_slice());
    Ok(if is_ours { Standing::OursBehindOthers(taken) } else { Standing::Others })
}

fn seal(file: File<'_>) -> Result<(), Error> {
    file.append_all(ABANDONED)?;
    file.sync()
}
