//! What is said where another note than those that can be read may have been there.

use graff_notes::{
    log::{Line, Tail},
    session::SessionName,
    store::{Doubt, DoubtCause},
    units::Bytes,
};
use serde::Serialize;

use crate::{exit::Exit, failure::Failure};

/// A doubt as the answers have it.
#[derive(Serialize)]
pub(crate) struct Answer {
    cause: &'static str,
    offset: Bytes,
}

impl From<Doubt> for Answer {
    fn from(Doubt { cause, offset }: Doubt) -> Self {
        Self { cause: word(cause), offset }
    }
}

/// Returns the warning beside a note that may not be the newest.
pub(crate) fn warning(session: &SessionName, Doubt { cause, offset }: Doubt) -> String {
    let (what, may) = (
        words(cause),
        match cause {
            DoubtCause::Damaged | DoubtCause::Torn => "may be damaged",
            DoubtCause::NewerVersion => "may be there, unreadable to this version",
        },
    );
    format!(
        "a newer note of session {session} {may}: {what} stands behind this one, at byte {offset}; \
         `graff-notes verify {}` shows more",
        session.to_argument()
    )
}

/// Returns the doubt that a line casts: it may have been a note.
pub(crate) fn of_line(line: &Line<'_>, offset: Bytes) -> Option<Doubt> {
    let cause = match line {
        Line::Bad(_) => DoubtCause::Damaged,
        Line::Newer => DoubtCause::NewerVersion,
        Line::Record(_) | Line::Blank | Line::Foreign { .. } => return None,
    };
    Some(Doubt { cause, offset })
}

/// Returns the doubt that the end of a log casts.
pub(crate) fn of_tail(tail: &Tail) -> Option<Doubt> {
    match tail {
        Tail::Torn { offset, .. } => Some(Doubt { cause: DoubtCause::Torn, offset: *offset }),
        Tail::Clean | Tail::Unterminated => None,
    }
}

/// Returns the warning where what is in doubt stands between two notes that are shown.
pub(crate) fn between(session: &SessionName, Doubt { cause, offset }: Doubt) -> String {
    format!(
        "another note of session {session} may have stood between these two: {} is there, at byte \
         {offset}; `graff-notes verify {}` shows more",
        words(cause),
        session.to_argument()
    )
}

/// Returns the warning where there is no note before what is in doubt.
pub(crate) fn empty(session: &SessionName, Doubt { cause, offset }: Doubt) -> String {
    format!(
        "session {session} has no note: its log has {} at byte {offset}; `graff-notes verify {}` \
         shows more",
        words(cause),
        session.to_argument()
    )
}

/// Returns the failure to do `what` where there is no such note that can be read, but may have been
/// one.
pub(crate) fn failure(what: &str, session: &SessionName, doubt: Doubt) -> Failure {
    let Doubt { cause, offset } = doubt;
    let exit = match cause {
        DoubtCause::Damaged | DoubtCause::Torn => Exit::Damage,
        DoubtCause::NewerVersion => Exit::Failed,
    };
    let found = words(cause);
    let what = format_args!(
        "{what} session {session}: its log has {found} at byte {offset}, and no such note that can be read"
    );
    Failure::new(exit, word(cause), what)
        .advise(format!("`graff-notes verify {}` shows what is wrong", session.to_argument()))
        .about(session)
}

const fn word(cause: DoubtCause) -> &'static str {
    match cause {
        DoubtCause::Damaged => "damaged",
        DoubtCause::Torn => "torn",
        DoubtCause::NewerVersion => "newer_version",
    }
}

const fn words(cause: DoubtCause) -> &'static str {
    match cause {
        DoubtCause::Damaged => "a damaged line",
        DoubtCause::Torn => "a record that was never finished",
        DoubtCause::NewerVersion => "a record of a newer version of this program",
    }
}
