//! Sessions that a name may have been meant for: those that begin so, and the one that is nearly
//! called so.
//!
//! Nobody is given another session than he names for it, but at a terminal one that begins so, where
//! he only reads. Else they are named, for him to choose.

use graff_notes::{session::SessionName, store::Store};
use strsim::osa_distance;

/// How many sessions are named that a name may be the beginning of.
const NAMED_MAX: usize = 8;

/// How many slips of the finger lie between two names at the most that one is taken for the other.
const SLIPS_MAX: usize = 2;

/// For one slip a name has at least so many characters.
const CHARACTERS_A_SLIP: usize = 4;

/// Returns those names that begin with `beginning`, which is none of them.
pub(crate) fn begun_by(mut names: Vec<SessionName>, beginning: &str) -> Vec<SessionName> {
    names.retain(|name| name.as_str() != beginning && name.as_str().starts_with(beginning));
    names
}

/// Returns which sessions of a store begin with a name, in words; `None` where none does.
pub(crate) fn begin_so(names: Vec<SessionName>, session: &SessionName) -> Option<String> {
    let others = begun_by(names, session.as_str());
    (!others.is_empty()).then(|| format!("sessions that begin so: {}", named(&others)))
}

/// Returns the names of sessions, the first few of them, as arguments.
pub(crate) fn named(sessions: &[SessionName]) -> String {
    let first: Vec<_> = sessions.iter().take(NAMED_MAX).map(SessionName::to_argument).collect();
    let more = match sessions.len().saturating_sub(NAMED_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!("{}{more}", first.join(", "))
}

/// Returns the session of a store that another one is called nearly like, if any is.
pub(crate) fn nearly(store: &Store, session: &SessionName) -> Option<SessionName> {
    let names = store.sessions().ok()?.names.into_iter();
    let near = names.filter_map(|name| Some((slips(&name, session)?, name)));
    near.min().map(|(_, name)| name)
}

/// Returns how many slips lie between two names; `None` where they are the same, or too many.
fn slips(one: &SessionName, other: &SessionName) -> Option<usize> {
    let (one, other) = (one.as_str(), other.as_str());
    let lengths = [one, other].map(|name| name.chars().count());
    let most = (lengths.into_iter().min()? / CHARACTERS_A_SLIP).min(SLIPS_MAX);
    if lengths[0].abs_diff(lengths[1]) > most {
        return None; // so that the long way is taken for few
    }
    Some(osa_distance(one, other)).filter(|slips| (1..=most).contains(slips))
}
