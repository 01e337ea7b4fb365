//! A small file beside a log, in which a program that is called again and again leaves word.
//!
//! It is replaced as a whole, under the log's lock, so that nobody reads half of it, and of two
//! that change it at once the second knows of the first. It is not synced: who loses it has lost no
//! note.

use super::{
    Store, aside, folder::Folder, layout, lock::acquire, medium::Access, system::Deadline,
};
use crate::{error::Error, session::SessionName};

/// A longer file is none of ours, in bytes.
const BYTES_MAX: u64 = 64 * 1024;

impl Store {
    /// Returns what [`leave_word`](Self::leave_word) last left beside a session's log.
    ///
    /// # Errors
    ///
    /// A file that cannot be read; a missing one has no word.
    pub fn word(&self, session: &SessionName) -> Result<Option<Vec<u8>>, Error> {
        read(self.folder(), session)
    }

    /// Hands `change` what was last left beside a session's log, and leaves what that returns, if
    /// anything, in its place.
    ///
    /// It is for programs that are called again and again and tell each other how far they are. The
    /// session's lock is held meanwhile: `change` must not append to its log.
    ///
    /// # Errors
    ///
    /// The lock is not to be had, or the file not to be read or replaced.
    ///
    /// # Durability
    ///
    /// A crash of the process leaves the old word or the new one, a loss of power possibly none.
    pub fn leave_word(
        &self,
        session: &SessionName,
        change: impl FnOnce(Option<Vec<u8>>) -> Option<Vec<u8>>,
    ) -> Result<(), Error> {
        let folder = self.folder();
        let _held = acquire(&mut None, folder, session, Deadline::after(self.patience()))?;
        match change(read(folder, session)?) {
            Some(word) => {
                let (name, new) = (layout::side(session), layout::side_new(session));
                folder.remove_if_there(&new)?; // left by a process that died here
                let handle = folder.create(&new)?;
                let new = folder.file(&new, handle.as_ref());
                aside::put(folder, &name, new, &word, aside::Sync::Needless)
            }
            None => Ok(()),
        }
    }
}

fn read(folder: &Folder, session: &SessionName) -> Result<Option<Vec<u8>>, Error> {
    let name = layout::side(session);
    let Some(handle) = folder.open_if_there(&name, Access::Read)? else { return Ok(None) };
    let mut word = Vec::new();
    folder.file(&name, handle.as_ref()).read(&(0..BYTES_MAX + 1), &mut word)?;
    Ok(Some(word).filter(|word| word.len() as u64 <= BYTES_MAX))
}
