//! Sessions that a person may have meant by a name: those whose names begin with it, and the one
//! whose name differs least from it.
//!
//! A command never takes one of these for the session that was named. There is one exception: at a
//! terminal a command that only reads takes the one session whose name begins with what was typed.
//! Otherwise the message lists their names.

use graff_notes::{session::SessionName, store::Store};
use strsim::osa_distance;

/// A message lists at most so many sessions.
const NAMED_MAX: usize = 8;

/// Two names are alike if at most so many slips of the finger make one into the other.
const SLIPS_MAX: usize = 2;

/// A name needs so many characters for each slip.
const CHARACTERS_A_SLIP: usize = 4;

/// Returns those names that begin with `beginning` and are longer.
pub(crate) fn with_beginning(mut names: Vec<SessionName>, beginning: &str) -> Vec<SessionName> {
    names.retain(|name| name.as_str() != beginning && name.as_str().starts_with(beginning));
    names
}

/// Returns, in words, the sessions whose names begin with that of `session`; `None` where there are
/// none.
pub(crate) fn with_beginning_in_words(
    names: Vec<SessionName>,
    session: &SessionName,
) -> Option<String> {
    let others = with_beginning(names, session.as_str());
    (!others.is_empty()).then(|| format!("sessions that begin so: {}", named(&others)))
}

/// Returns the first names as arguments, and how many more there are.
pub(crate) fn named(sessions: &[SessionName]) -> String {
    let first: Vec<_> = sessions.iter().take(NAMED_MAX).map(SessionName::to_argument).collect();
    let more = match sessions.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", first.join(", "))
}

/// Returns the session of a store whose name is most like that of `session`, if any is alike.
pub(crate) fn most_like(store: &Store, session: &SessionName) -> Option<SessionName> {
    let names = store.sessions().ok()?.names.into_iter();
    let near = names.filter_map(|name| Some((slips(&name, session)?, name)));
    near.min().map(|(_, name)| name)
}

/// Returns how many slips make one name into the other; `None` where they are the same, or too far
/// apart.
fn slips(one: &SessionName, other: &SessionName) -> Option<usize> {
    let (one, other) = (one.as_str(), other.as_str());
    let lengths = [one, other].map(|name| name.chars().count());
    let most = (lengths.into_iter().min()? / CHARACTERS_A_SLIP).min(SLIPS_MAX);
    if lengths[0].abs_diff(lengths[1]) > most {
        return None; // the exact distance costs more
    }
    Some(osa_distance(one, other)).filter(|slips| (1..=most).contains(slips))
}
