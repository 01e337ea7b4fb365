//! One call of a hook: what it is about, where the notes are, and the figures that it needs.

use std::{cell::OnceCell, env, io, os::fd::AsFd, thread, time::Duration};

use camino::{Utf8Path, Utf8PathBuf};
use graff_notes::{
    Error, ErrorKind,
    budget::RunPool,
    host::hook::{Answer, Call, Counted, Event, LastRequest, Moment, Start, State},
    log::Draft,
    note::NoteCap,
    session::SessionName,
    store::{HOOK_PATIENCE, Newest, Store},
    threshold::Policy,
    units::{Generation, Timestamp, Tokens},
};

use rustix::io::Errno;

use super::{Hook, active, came::Came, files::TranscriptFile};
use crate::{context::now, doubt, failure::Failure, output::Notices, root, settings::ForAgents};

/// The share of the window at which the agent is asked, in percent, unless the user says otherwise:
/// the hosts compact well before their window is full.
pub(crate) const PERCENT_DEFAULT: u64 = 75;

/// How often a stdout is tried that takes nothing at the moment.
const RETRY_EVERY: Duration = Duration::from_millis(5);

/// One call of a hook.
pub(super) struct Visit<'a> {
    pub(super) call: &'a Call,
    pub(super) store: Store,
    pub(super) now: Timestamp,
    hook: &'a Hook,
    /// The user's settings, once they were read.
    set: OnceCell<ForAgents>,
    /// Whether it was said that a newer note may have been there.
    doubted: OnceCell<()>,
    notices: Notices,
}

impl<'a> Visit<'a> {
    pub(super) fn new(
        hook: &'a Hook,
        root: Option<&Utf8Path>,
        call: &'a Call,
    ) -> Result<Self, Failure> {
        let notices = Notices::at_once();
        let root = root::find_from(root, project(call).as_deref())?;
        for skipped in &root.skipped {
            notices.warn(skipped);
        }
        if !hook.dry_run {
            active::remember(call, &root.path);
        }
        let store = Store::at(root.path).with_patience(HOOK_PATIENCE);
        Ok(Self {
            call,
            store,
            now: now(),
            hook,
            set: OnceCell::new(),
            doubted: OnceCell::new(),
            notices,
        })
    }

    /// Returns the user's settings; most calls need none of them.
    fn set(&self) -> &ForAgents {
        self.set.get_or_init(|| ForAgents::at(self.store.root(), &self.notices))
    }

    pub(super) const fn session(&self) -> &SessionName {
        &self.call.session
    }

    /// Whether something is to be written at all.
    pub(super) const fn writes(&self) -> bool {
        !self.hook.dry_run
    }

    pub(super) fn warn(&self, what: impl std::fmt::Display) {
        self.notices.warn(what);
    }

    /// Prints the answer, past the buffer of stdout, so that it is out by the deadline.
    pub(super) fn say(&self, answer: &Answer) -> Result<Came, Failure> {
        let (stdout, printed) = (io::stdout(), answer.print(self.call));
        let mut rest = printed.as_bytes();
        while !rest.is_empty() {
            let failed = |e| Failure::system("write the answer to stdout", &e);
            match rustix::io::write(stdout.as_fd(), rest) {
                Ok(0) => return Err(failed(io::ErrorKind::WriteZero.into())),
                Ok(written) => rest = rest.get(written..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                // The host reads it in time, or the deadline ends us.
                Err(Errno::AGAIN) => thread::sleep(RETRY_EVERY),
                Err(e) => return Err(failed(e.into())),
            }
        }
        Ok(Came::ToSomething)
    }

    /// Returns the newest note, `None` where the session has no log; where a newer one may have
    /// been there, it says so, once a call.
    pub(super) fn newest(&self) -> Result<Option<Newest>, Failure> {
        let newest = self.found()?;
        if let Some(Newest { note, doubt: Some(doubt) }) = &newest
            && self.doubted.set(()).is_ok()
        {
            let said = if note.is_some() { doubt::warning } else { doubt::empty };
            self.warn(said(self.session(), *doubt));
        }
        Ok(newest)
    }

    /// Returns the newest note that is found, and says nothing.
    pub(super) fn found(&self) -> Result<Option<Newest>, Failure> {
        absent_is_none(self.store.newest(self.session()))
    }

    /// Returns what the last hooks left; what cannot be read counts as lost.
    pub(super) fn state(&self) -> State {
        self.state_of(self.session())
    }

    /// Returns what the last hooks of a session left, likewise.
    pub(super) fn state_of(&self, session: &SessionName) -> State {
        let word = self.store.word(session).unwrap_or_else(|e| {
            // A note that is given twice is better than none.
            self.warn(e.with_causes());
            None
        });
        State::read(word.as_deref())
    }

    /// Hands the state to `change`, and leaves what it becomes for the next hooks.
    ///
    /// Of several hooks at once each sees what the others left.
    pub(super) fn leave(&self, change: impl FnOnce(&mut State)) -> Result<(), Failure> {
        let changed = |word: Option<Vec<u8>>| {
            let before = State::read(word.as_deref());
            let mut state = before.clone();
            change(&mut state);
            (state != before).then(|| state.write())
        };
        if self.writes() {
            self.store.leave_word(self.session(), changed)?;
        } else {
            changed(self.store.word(self.session())?);
        }
        Ok(())
    }

    /// Appends a record.
    pub(super) fn append(&self, draft: &Draft) -> Result<(), Failure> {
        if self.writes() {
            let _ = self.store.append(self.session(), draft)?;
        }
        Ok(())
    }

    /// Opens the transcript, where there is one.
    pub(super) fn transcript(&self) -> Result<Option<TranscriptFile>, Failure> {
        let Some(path) = &self.call.transcript else { return Ok(None) };
        TranscriptFile::open(path)
            .map_err(|e| Failure::system(format_args!("open the transcript {path}"), &e))
    }

    /// Counts the compactions, on from where the last hook ended.
    pub(super) fn count(
        &self,
        state: &State,
        kept: Option<&str>,
    ) -> Result<Option<Counted>, Failure> {
        let (Some(path), Some(file)) = (&self.call.transcript, self.transcript()?) else {
            return Ok(None);
        };
        let counted = file.count(path, self.call.host, state.seen.as_ref(), kept);
        counted.map(Some).map_err(|e| unreadable(path, &e))
    }

    /// Returns the greatest generation that the log has.
    pub(super) fn greatest(&self) -> Result<Generation, Failure> {
        Ok(self.store.greatest_generation(self.session())?)
    }

    /// Where this call stands to a compaction.
    pub(super) const fn moment(&self) -> Moment {
        match &self.call.event {
            Event::Start(Start::Compact) | Event::Compacted { .. } => Moment::JustCompacted,
            _ => Moment::Between,
        }
    }

    /// Returns the generation of the history, and keeps it in `state`.
    pub(super) fn advance(
        &self,
        state: &mut State,
        counted: Option<Counted>,
        greatest: Generation,
    ) -> Generation {
        state.advance(self.call.host, self.moment(), counted, greatest)
    }

    /// Puts a generation on record that the log doesn't know yet, so that notes which are written
    /// past the hooks belong to it too.
    pub(super) fn record(
        &self,
        generation: Generation,
        greatest: Generation,
    ) -> Result<(), Failure> {
        if generation <= greatest || self.newest()?.is_none() {
            return Ok(());
        }
        self.append(&Draft::Rollover { generation, created_at: self.now })
    }

    /// Returns what the transcript says of the last request.
    pub(super) fn last_request(&self) -> Result<Option<LastRequest>, Failure> {
        let Some(file) = self.transcript()? else { return Ok(None) };
        let path = self.call.transcript.as_deref().unwrap_or(Utf8Path::new(""));
        file.last_request().map_err(|e| unreadable(path, &e))
    }

    /// Returns the model's window, where the transcript may have said what it is.
    pub(super) fn window(&self, said: Option<Tokens>) -> Tokens {
        self.set().window(Some(self.call.host), self.hook.window_tokens, said)
    }

    pub(super) fn policy(&self) -> Result<Policy, Failure> {
        let percent = self.hook.percent.or_else(|| self.set().percent()).unwrap_or(PERCENT_DEFAULT);
        Policy::default()
            .with_percent(percent)
            .map_err(|why| Failure::input(format_args!("set a threshold: {why}")))
    }

    pub(super) fn pool(&self) -> RunPool {
        self.set().pool(self.hook.calls_cap)
    }

    /// Returns the longest note that is kept.
    pub(super) fn note_cap(&self) -> NoteCap {
        self.set().note_cap()
    }
}

/// Returns the folder of the project: what the host names, else where the session works. It may be
/// gone by now.
fn project(call: &Call) -> Option<Utf8PathBuf> {
    let named = call.host.project_variable().and_then(|variable| env::var(variable).ok());
    named.filter(|folder| !folder.is_empty()).map(Utf8PathBuf::from).or_else(|| call.cwd.clone())
}

fn unreadable(path: &Utf8Path, cause: &io::Error) -> Failure {
    Failure::system(format_args!("read the transcript {path}"), cause)
}

fn absent_is_none<T>(result: Result<T, Error>) -> Result<Option<T>, Failure> {
    match result {
        Ok(found) => Ok(Some(found)),
        Err(e) if e.kind() == ErrorKind::NotFound => Ok(None),
        Err(e) => Err(e.into()),
    }
}
