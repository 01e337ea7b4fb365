//! The mark that stands beside a log while it is being replaced.
//!
//! It says how long `.rejected` was before, so that a repair which is begun again does not add the
//! same lines a second time.

use std::str;

use super::{folder::Folder, layout, medium::Access};
use crate::{error::Error, session::SessionName};

/// More than the bytes of a mark, which is one number and its LF.
const BYTES_MAX: u64 = 32;

/// Puts the mark there, before anything that it speaks of is written.
///
/// Its entry in the folder is the caller's to make durable.
pub(super) fn put(folder: &Folder, session: &SessionName) -> Result<(), Error> {
    let (name, rejected) = (layout::repairing(session), layout::rejected(session));
    let before = match folder.open_if_there(&rejected, Access::Append)? {
        Some(handle) => folder.file(&rejected, handle.as_ref()).length_of_sole()?,
        None => 0,
    };
    let handle = folder.create(&name)?;
    let mark = folder.file(&name, handle.as_ref());
    mark.append_all(format!("{before}\n").as_bytes())?;
    mark.sync()
}

/// Returns how long `.rejected` was; `None` where that never came to stand in the mark, so that
/// nothing was written behind it.
pub(super) fn rejected_before(folder: &Folder, mark: &str) -> Result<Option<u64>, Error> {
    let mut bytes = Vec::new();
    if let Some(handle) = folder.open_if_there(mark, Access::Read)? {
        folder.file(mark, handle.as_ref()).read(&(0..BYTES_MAX), &mut bytes)?;
    }
    let number = bytes.strip_suffix(b"\n").and_then(|digits| str::from_utf8(digits).ok());
    Ok(number.and_then(|digits| digits.parse().ok()))
}
