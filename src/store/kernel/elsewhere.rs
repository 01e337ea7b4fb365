//! The answers where the kernel is not asked: it has no access lists, names no holder, has no
//! rename but the common one, a file has a name from its beginning, and no look tells whether a
//! file has changed.

pub(in crate::store) mod access_list {
    use std::{fs::File, io};

    pub(in crate::store) fn of(_: &File) -> io::Result<Option<Vec<u8>>> {
        Ok(None)
    }

    pub(in crate::store) fn put(_: &File, _: Option<&[u8]>) -> io::Result<()> {
        Ok(())
    }
}

pub(in crate::store) mod holder {
    use crate::store::medium::{FileId, Holder};

    pub(in crate::store) fn holder(_: FileId) -> Option<Holder> {
        None
    }
}

pub(in crate::store) mod nameless {
    use std::{fs::File, io};

    use rustix::fs::{Mode, OFlags};

    pub(in crate::store) fn make(
        _: &File,
        _: &str,
        _: OFlags,
        _: Mode,
        _: impl FnOnce(&File) -> io::Result<()>,
    ) -> io::Result<Option<File>> {
        Ok(None)
    }
}

pub(in crate::store) mod names {
    use std::{fs::File, io};

    pub(in crate::store) fn each(folder: &File, visit: &mut dyn FnMut(&str)) -> io::Result<()> {
        for entry in rustix::fs::Dir::read_from(folder)? {
            visit(&entry?.file_name().to_string_lossy());
        }
        Ok(())
    }
}

pub(in crate::store) mod rename {
    use std::fs::File;

    use rustix::io::Errno;

    pub(in crate::store) fn where_there_is_none(_: &File, _: &str, _: &str) -> Result<(), Errno> {
        Err(Errno::NOSYS)
    }
}

pub(in crate::store) mod stamp {
    use std::{fs::File, io};

    use rustix::fs::Stat;

    use crate::store::medium::{Stamp, Status};

    #[derive(Debug)]
    pub(in crate::store) struct Opening;

    #[derive(Debug)]
    pub(in crate::store) struct Seen;

    impl Opening {
        pub(in crate::store) fn now() -> Self {
            Self
        }

        pub(in crate::store) fn found(self, _: Status, _: &Stat) -> Seen {
            Seen
        }
    }

    impl Seen {
        pub(in crate::store) fn stamp_that_tells(&self, _: &File) -> io::Result<Option<Stamp>> {
            Ok(None)
        }
    }

    pub(in crate::store) fn of(_: Status, _: &Stat) -> Option<Stamp> {
        None
    }
}
