//! A file that is made without a name and gets one once it is ready, or never was.

use std::{fs::File, io, os::fd::AsRawFd as _};

use rustix::{
    fs::{AtFlags, CWD, Mode, OFlags, linkat, openat},
    io::Errno,
};

/// What says that it cannot be done here, rather than that it failed: old kernels and file systems
/// that know no file without a name, a container's filter or rules, no `/proc`. It may also have
/// failed for want of rights, or since the folder was removed meanwhile: whoever then makes the
/// file with its name hears the same, and it is said then.
///
/// Source: open(2), `O_TMPFILE`; linkat(2).
const CANNOT_BE: [Errno; 8] = [
    Errno::NOTSUP,
    Errno::ISDIR,
    Errno::INVAL,
    Errno::NOSYS,
    Errno::PERM,
    Errno::ACCESS,
    Errno::XDEV,
    Errno::NOENT,
];

/// Makes a file in `folder`, has it fitted out, and gives it `name`, unless something has that
/// already.
///
/// `None` says that there is none: it can only be made with its name here. Whoever dies on the way
/// leaves nothing.
pub(in crate::store) fn make(
    folder: &File,
    name: &str,
    flags: OFlags,
    mode: Mode,
    fit_out: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<Option<File>> {
    let flags = flags | OFlags::TMPFILE | OFlags::CLOEXEC;
    let file = match openat(folder, ".", flags, mode) {
        Err(errno) if CANNOT_BE.contains(&errno) => return Ok(None),
        opened => File::from(opened?),
    };
    fit_out(&file)?;
    let itself = format!("/proc/self/fd/{}", file.as_raw_fd()); // by its number alone only few may
    match linkat(CWD, itself, folder, name, AtFlags::SYMLINK_FOLLOW) {
        Err(errno) if CANNOT_BE.contains(&errno) => Ok(None),
        named => Ok(named.map(|()| Some(file))?),
    }
}
