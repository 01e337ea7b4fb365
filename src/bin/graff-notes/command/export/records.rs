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

/// The last records of a log, and what stands between them and behind the one before.
struct Window {
    /// How many records are still to come before it.
    before: u64,
    /// How many are still to come in it: of a log that grows meanwhile there may be more.
    within: u64,
}

impl Window {
    /// Returns whether the next entry is in it.
    fn has(&mut self, entry: &Entry<'_>) -> bool {
        let is_before = self.before > 0;
        if matches!(entry, Entry::Record(_)) {
            let left = if is_before { &mut self.before } else { &mut self.within };
            let is_one_left = *left > 0;
            *left = left.saturating_sub(1);
            return !is_before && is_one_left;
        }
        !is_before
    }
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
        let (mut said, mut lines) = (Ok(()), 0);
        let replayed = export.window(store, session).and_then(|mut window| {
            store.replay(session, &mut |line| {
                lines = line.number;
                let entry = Entry::of(&line, session);
                let wanted =
                    |entry: &Entry<'_>| said.is_ok() && export.holds(entry) && window.has(entry);
                let Some(entry) = entry.filter(wanted) else { return };
                let entry = if export.without_text { entry.without_text() } else { entry };
                said = self.say(session, &entry);
            })
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
    /// Returns which part of a log is wanted. Its records are counted for that, since damage without
    /// end can stand between the last of them.
    fn window(&self, store: &Store, session: &SessionName) -> Result<Window, graff_notes::Error> {
        let Some(limit) = self.limit else { return Ok(Window { before: 0, within: u64::MAX }) };
        let (mut records, within) = (0_u64, limit as u64);
        store.replay(session, &mut |line| {
            let entry = Entry::of(&line, session).filter(|entry| self.holds(entry));
            records += u64::from(matches!(entry, Some(Entry::Record(_))));
        })?;
        Ok(Window { before: records.saturating_sub(within), within })
    }

    fn holds(&self, entry: &Entry<'_>) -> bool {
        match entry {
            Entry::Record(record) => self.selection.period.holds(record.created_at),
            Entry::Damage(_) | Entry::Newer(_) => true,
        }
    }
}
