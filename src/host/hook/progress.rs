//! Which generation a session's history is in, and whether that history has the newest note.
//!
//! ```text
//! generation = base + compactions in the transcript         (+ 1 where one is under way)
//! ```
//!
//! The base is what the log knew when the transcript was first seen: a session that was forked, or
//! that another runtime began, goes on from there.

use super::{
    client::Host,
    count::Counted,
    state::{Given, Seen, State},
};
use crate::{note::Note, units::Generation};

/// Where a hook stands to a compaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Moment {
    /// None is under way.
    Between,
    /// One has just been made, and the transcript may not have it yet.
    JustCompacted,
}

impl State {
    /// Returns the generation of the history, and keeps it.
    ///
    /// `counted` is what the transcript has; where there is none, `greatest` stands in: the
    /// greatest generation that the log has.
    ///
    /// Just after a compaction it is the one after that which was about to be summarised. Where
    /// nobody said so, the host decides: Claude Code calls before it writes the compaction down.
    pub fn advance(
        &mut self,
        host: Host,
        moment: Moment,
        counted: Option<Counted>,
        greatest: Generation,
    ) -> Generation {
        self.forget_unvouched(counted.as_ref(), greatest);
        let unwritten = host == Host::ClaudeCode || counted.is_none();
        let counted = match counted {
            Some(counted) => {
                let counted = self.take_up(counted, greatest);
                self.forget_compaction(moment, counted);
                counted
            }
            None => greatest,
        };
        let after = match (moment, self.compacting) {
            (Moment::JustCompacted, Some(before)) => before.next(),
            (Moment::JustCompacted, None) if unwritten => counted.next(),
            _ => counted,
        };
        self.generation = self.generation.max(counted).max(after);
        self.generation
    }

    /// Forgets generations that no hook can have left: those beyond what the log and the transcript
    /// come to, and one step more.
    ///
    /// A file that came with the project, say, could else fix the generation for ever, and keep the
    /// note from each history.
    fn forget_unvouched(&mut self, counted: Option<&Counted>, greatest: Generation) {
        let compactions = counted.map_or(0, |counted| counted.compactions);
        let most = greatest.saturating_add(Generation::new(compactions)).next();
        if self.generation > most {
            self.generation = greatest;
        }
        self.base = self.base.filter(|base| *base <= greatest.next());
        self.compacting = self.compacting.filter(|generation| *generation <= most);
        self.given = self.given.filter(|given| given.generation <= most);
    }

    /// Forgets that a compaction is under way once the transcript has it: the word for the next one
    /// may be lost, and this one must not be taken for it. Between the hooks of one compaction it
    /// is kept, whichever of them comes first.
    fn forget_compaction(&mut self, moment: Moment, counted: Generation) {
        if moment == Moment::Between && self.compacting.is_some_and(|before| before < counted) {
            self.compacting = None;
        }
    }

    /// Returns the generation that a count comes to.
    ///
    /// It fixes the base where that is not known, where the session goes on in another file, and
    /// where the log has run ahead. By one it may be ahead: a compaction reaches it before the
    /// transcript.
    fn take_up(&mut self, counted: Counted, greatest: Generation) -> Generation {
        let compactions = Generation::new(counted.compactions);
        let elsewhere = |seen: &Seen| seen.transcript != counted.seen.transcript;
        let ahead = |base: Generation| {
            greatest > base.saturating_add(compactions).next().max(self.generation)
        };
        let base = match self.base {
            _ if self.seen.as_ref().is_some_and(elsewhere) => {
                self.generation.saturating_sub(compactions)
            }
            Some(base) if !ahead(base) => base,
            _ => greatest.saturating_sub(compactions),
        };
        self.base = Some(base);
        self.seen = Some(counted.seen);
        base.saturating_add(compactions)
    }

    /// Returns whether `newest` is to be put into the history of `generation`.
    ///
    /// A history gets a note once. It gets a second one only if that is about what the history no
    /// longer holds, as a note out of the summary is; what the agent wrote in this generation it
    /// still has.
    #[must_use]
    pub fn is_due(&self, newest: &Note, generation: Generation) -> bool {
        match self.given {
            None => true,
            Some(given) if given.generation < generation => true,
            Some(given) => newest.generation < generation && !given.is(newest),
        }
    }

    /// Keeps that the history of `generation` has `note`.
    pub fn give(&mut self, note: &Note, generation: Generation) {
        self.given = Some(Given::new(note, generation));
    }
}
