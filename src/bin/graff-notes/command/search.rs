//! `search`: in which notes of all sessions something stands.

use std::{
    num::NonZeroUsize,
    ops::ControlFlow,
    sync::atomic::{AtomicU64, Ordering},
};

use clap::Args;
use graff_notes::{
    log::{Line, Tail},
    session::SessionName,
    store::Store,
};

use super::{
    found::{self, FoundNote},
    hits, passed_over,
};
use crate::{
    context::{Context, explain, is_forgotten},
    exit::Exit,
    failure::{Failure, Stop},
    needle::{Case, Needle, Syntax},
    output::{Progress, plural},
    parallel,
    selection::Selection,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes search read_line
  graff-notes search -i -C 2 'out of memory' --since '2 weeks'
  graff-notes search --regex 'src/\\w+\\.rs:\\d+' --session-glob 'fix-*'
  graff-notes search read_line --json | jq -r .session | uniq

In a pipe it prints, a row a line found: session, seq (a dash where the note has none), number of \
the line in the note, `match` or `context`, and the line with its tabs and backslashes escaped.

Exit status: 0 where something was found, else 1 where a log could not be read, else 3.";

/// Finds a text in the notes of all sessions
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Search {
    /// What to look for, letter by letter
    text: String,
    /// Takes TEXT for a regular expression, which is matched against each line
    #[arg(long, short = 'e')]
    regex: bool,
    /// Takes capital and small letters for the same
    #[arg(long, short)]
    ignore_case: bool,
    /// Shows N lines before and behind each line found
    #[arg(short = 'C', long, value_name = "N", default_value_t = 0)]
    context: usize,
    /// Ends after N lines found
    #[arg(short = 'n', long, value_name = "N")]
    limit: Option<NonZeroUsize>,
    #[command(flatten)]
    selection: Selection,
}

impl Search {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let needle = self.needle()?;
        let store = cx.store()?;
        let mut sessions = passed_over::sessions(cx, &store)?;
        sessions.retain(|session| self.selection.scope.holds(session));
        let mut progress = Progress::new(&cx.notices, sessions.len(), "searching");
        let clock = self.selection.times.clock(cx.out.form());
        let most = self.limit.map_or(usize::MAX, NonZeroUsize::get);
        let (mut left, unreadable) = (most, AtomicU64::new(0));
        let (mut is_found, mut failures) = (false, Vec::new());
        cx.out.page();
        parallel::in_order(
            &sessions,
            |session| self.look(&store, session, &needle, most, &unreadable),
            |session, looked| {
                progress.step();
                cx.out.heard()?;
                match looked {
                    Ok(found) if found.is_empty() => {}
                    Ok(found) => {
                        progress.end(); // from here on, there is something to read
                        is_found = true;
                        let found = found::limited(found, &mut left, self.context);
                        hits::say(cx, &clock, session, &found, self.context)?;
                    }
                    Err(e) if is_forgotten(&e) => {}
                    Err(e) => failures.push(explain(e, &store, session)),
                }
                Ok(if left == 0 { ControlFlow::Break(()) } else { ControlFlow::Continue(()) })
            },
        )?;
        progress.end();
        cx.out.close()?;
        if !is_found && failures.is_empty() {
            self.say_none(cx);
        }
        let none = failures.iter().fold(Exit::NothingThere, |_, why| cx.notices.failure(why));
        warn_of_unread(cx, unreadable.into_inner());
        Ok(if is_found { Exit::Done } else { none })
    }

    fn say_none(&self, cx: &Context) {
        let text = &self.text;
        cx.notices.hint(format_args!("none of the notes that were searched has {text:?}"));
    }

    fn needle(&self) -> Result<Needle, Failure> {
        let syntax = if self.regex { Syntax::Expression } else { Syntax::Text };
        let case = if self.ignore_case { Case::Ignored } else { Case::Matters };
        if self.text.is_empty() {
            return Err(Failure::input("search for nothing: name at least one character"));
        }
        Needle::new(&self.text, syntax, case)
            .map_err(|why| Failure::input(format_args!("search for {:?}: {why}", self.text)))
    }

    /// Looks through the notes of one session, and holds no more of them than `most` lines call
    /// for.
    fn look(
        &self,
        store: &Store,
        session: &SessionName,
        needle: &Needle,
        most: usize,
        unreadable: &AtomicU64,
    ) -> Result<Vec<FoundNote>, graff_notes::Error> {
        let (mut found, mut lines) = (Vec::new(), 0);
        let tail = store.replay(session, &mut |entry| match entry.line {
            Line::Record(record)
                if lines < most && self.selection.period.holds(record.created_at) =>
            {
                let note = FoundNote::of(&record, needle, self.context);
                lines += note.as_ref().map_or(0, FoundNote::hits);
                found.extend(note);
            }
            Line::Bad(_) | Line::Newer => {
                unreadable.fetch_add(1, Ordering::Relaxed);
            }
            Line::Record(_) | Line::Blank | Line::Foreign { .. } => {}
        })?;
        unreadable.fetch_add(u64::from(matches!(tail, Tail::Torn { .. })), Ordering::Relaxed);
        Ok(found)
    }
}

fn warn_of_unread(cx: &Context, unreadable: u64) {
    if unreadable > 0 {
        let lines = plural(unreadable, "line");
        cx.notices.warn(format_args!(
            "did not search {lines} that cannot be read; `graff-notes verify` shows more"
        ));
    }
}
