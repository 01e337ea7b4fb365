//! The records of each session on their way into the document, and how many there were.

use graff_notes::{session::SessionName, store::Store};

use super::{entry::Entry, face::Export, sheet::Sheet};
use crate::{
    command::meant::Meant,
    context::{Context, explain},
    exit::Exit,
    failure::{Failure, Stop},
    output::Progress,
};

/// What an export has come to.
#[derive(Debug, Default)]
pub(super) struct Sum {
    pub(super) records: u64,
    pub(super) damage: u64,
    /// How many logs were read to their end.
    read: u64,
    /// How many could not be.
    unreadable: u64,
    /// How many sessions were named and are not there.
    missing: u64,
}

impl Sum {
    /// Returns whether what there is of it is no file's new content: what was asked for by name is
    /// not there, or nothing could be read.
    pub(super) const fn is_no_document(&self) -> bool {
        self.missing > 0 || self.unreadable > 0 && self.read == 0
    }
}

/// An export under way.
pub(super) struct Run<'c> {
    pub(super) cx: &'c mut Context,
    pub(super) sheet: Sheet,
    pub(super) sum: Sum,
    pub(super) progress: Progress,
}

impl Run<'_> {
    /// Puts what is wanted of a session into the document, and returns how it stands with its log.
    pub(super) fn session(
        &mut self,
        export: &Export,
        store: &Store,
        session: &SessionName,
        meant: &Meant,
    ) -> Result<Exit, Stop> {
        let damage_before = self.sum.damage;
        let mut too_early = export.too_early(store, session);
        let (mut said, mut lines) = (Ok(()), 0);
        let replayed = store.replay(session, &mut |line| {
            lines = line.number;
            let entry = Entry::of(&line, session);
            let Some(entry) = entry.filter(|entry| said.is_ok() && export.holds(entry)) else {
                return;
            };
            if too_early > 0 {
                too_early -= u64::from(matches!(entry, Entry::Record(_)));
                return;
            }
            let entry = if export.without_text { entry.without_text() } else { entry };
            said = self.say(session, &entry);
        });
        said?;
        self.progress.step();
        match replayed {
            Ok(tail) => {
                let torn = Entry::of_tail(tail, session, lines + 1);
                torn.iter().try_for_each(|entry| self.say(session, entry))?;
                self.sum.read += 1;
                Ok(if self.sum.damage > damage_before { Exit::Damage } else { Exit::Done })
            }
            Err(e) if meant.is_left_out(&e) => Ok(Exit::Done),
            Err(e) => Ok(self.unread(&explain(e, store, session))),
        }
    }

    fn unread(&mut self, why: &Failure) -> Exit {
        match why.exit() {
            Exit::NothingThere => self.sum.missing += 1,
            _ => self.sum.unreadable += 1,
        }
        self.progress.aside(|| self.cx.notices.failure(why))
    }

    fn say(&mut self, session: &SessionName, entry: &Entry<'_>) -> Result<(), Stop> {
        match entry {
            Entry::Record(_) => self.sum.records += 1,
            Entry::Damage(_) => self.sum.damage += 1,
            Entry::Newer(_) => {}
        }
        let Self { cx, sheet, progress, .. } = self;
        if sheet.is_a_file() {
            return sheet.entry(&mut cx.out, session, entry);
        }
        progress.beside_answer(|| sheet.entry(&mut cx.out, session, entry))
    }
}

impl Export {
    /// Returns how many records of a log stand before the last that are wanted: those are counted
    /// first, since damage without end can stand between them. A log that cannot be read has none,
    /// and what is wrong with it is said where it is read again.
    fn too_early(&self, store: &Store, session: &SessionName) -> u64 {
        let Some(limit) = self.limit else { return 0 };
        let mut records = 0_u64;
        let counted = store.replay(session, &mut |line| {
            let entry = Entry::of(&line, session).filter(|entry| self.holds(entry));
            records += u64::from(matches!(entry, Some(Entry::Record(_))));
        });
        counted.map_or(0, |_| records.saturating_sub(limit as u64))
    }

    fn holds(&self, entry: &Entry<'_>) -> bool {
        match entry {
            Entry::Record(record) => self.selection.period.holds(record.created_at),
            Entry::Damage(_) | Entry::Newer(_) => true,
        }
    }
}
