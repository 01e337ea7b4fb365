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

/// What is known of how much of a line a write took.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Taken {
    /// So many bytes, as it said.
    Bytes(usize),
    /// It failed, which does not say that it took nothing.
    Unknown,
}

/// What stands behind the place where the log ended before an append.
enum Standing {
    Nothing,
    /// So many bytes of our line, and nothing else.
    Ours(usize),
    /// Somebody else's bytes, and ours last: so many of them.
    OursBehindOthers(usize),
    /// Somebody else's bytes last; ours may stand before them.
    Others,
}

impl Taken {
    pub(super) const fn at_least(self) -> usize {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Unknown => 0,
        }
    }

    /// Returns whether it may be so much that a record stands there, for one that lacks its LF
    /// alone is one.
    const fn may_be_whole(self, line: &[u8]) -> bool {
        match self {
            Self::Bytes(bytes) => bytes + 1 >= line.len(),
            Self::Unknown => true,
        }
    }
}

/// Takes back `line`, appended to a log of `before` bytes, of which the write took `taken`.
///
/// The lock must be held since before the look that found `before`.
pub(super) fn take_back(file: File<'_>, before: u64, line: &[u8], taken: Taken) -> Fate {
    match standing(file, before, line, taken.at_least()) {
        Ok(Standing::Nothing) => Fate::TakenBack,
        Ok(Standing::Ours(bytes)) => cut_off(file, before, line, bytes),
        Ok(Standing::OursBehindOthers(bytes)) => seal_off(file, line, bytes),
        Ok(Standing::Others) | Err(_) if taken.may_be_whole(line) => Fate::Unknown,
        Ok(Standing::Others) | Err(_) => Fate::GivenUp,
    }
}

/// Cuts off the `bytes` of our line, which stand last; where that fails, they are sealed.
fn cut_off(file: File<'_>, before: u64, line: &[u8], bytes: usize) -> Fate {
    if file.cut(before).is_err() {
        return seal_off(file, line, bytes);
    }
    let is_durable = file.sync().is_ok();
    let may_be_whole = Taken::Bytes(bytes).may_be_whole(line);
    if is_durable || !may_be_whole { Fate::TakenBack } else { Fate::Unknown }
}

fn seal_off(file: File<'_>, line: &[u8], bytes: usize) -> Fate {
    let is_sealed = seal(file).is_ok() && bytes < line.len();
    let may_be_whole = Taken::Bytes(bytes).may_be_whole(line);
    if is_sealed || !may_be_whole { Fate::GivenUp } else { Fate::Unknown }
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
