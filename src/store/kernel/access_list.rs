//! The access list of a file: whom it lets in beside its owner, its group and all others.
//!
//! Where there is one, the group's bits of a mode say what the list lets anybody do at most. Who
//! copies the bits without the list lets the whole group in.

use std::{fs::File, io};

use rustix::{
    fs::{XattrFlags, fgetxattr, fremovexattr, fsetxattr},
    io::Errno,
};

/// The attribute that holds the list. Source: `linux/xattr.h`.
const NAME: &str = "system.posix_acl_access";

/// The most bytes of an attribute. Source: `linux/limits.h`.
const BYTES_MAX: usize = 65_536;

/// Returns the list in the form in which the system keeps it; `None` where the file has none.
pub(in crate::store) fn of(file: &File) -> io::Result<Option<Vec<u8>>> {
    let mut list = vec![0; BYTES_MAX];
    match fgetxattr(file, NAME, list.as_mut_slice()) {
        Ok(bytes) => list.truncate(bytes),
        Err(Errno::NODATA | Errno::NOTSUP) => return Ok(None),
        Err(errno) => return Err(errno.into()),
    }
    Ok(Some(list))
}

/// Gives a file this list, or takes away the one that it has from its folder.
pub(in crate::store) fn put(file: &File, list: Option<&[u8]>) -> io::Result<()> {
    let Some(list) = list else {
        return match fremovexattr(file, NAME) {
            Err(Errno::NODATA | Errno::NOTSUP) => Ok(()),
            removed => Ok(removed?),
        };
    };
    Ok(fsetxattr(file, NAME, list, XattrFlags::empty())?)
}
