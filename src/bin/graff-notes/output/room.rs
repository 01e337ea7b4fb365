//! How a name and a text share a line of the terminal with what stands between them.
//!
//! A name is there to be told from others and to be typed, a text to be recognised. So where not
//! both have room, names give way first, down to what tells them apart, and then the text is left
//! out. What tells names apart is kept also where a line has no room for it: the terminal goes on
//! with it in its next line.

use super::text;

/// The least that is shown of a text, in columns.
pub(super) const TEXT_MIN: usize = 20;

/// The least where names that would be alike need the room, in columns.
const TEXT_LEAST: usize = 12;

/// The most that names keep beside a text that needs room, if that is not a half: as much as most
/// programs name their sessions by, in columns.
///
/// Source: the length of a UUID.
const NAME_USUAL: usize = 36;

/// The least that is left of a name, in columns.
const NAME_MIN: usize = 8;

/// What columns want and get.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shares {
    /// Columns for a name.
    pub(super) name: usize,
    /// Columns for the text; `None` where it is left out.
    pub(super) text: Option<usize>,
}

impl Shares {
    /// Returns how the names and the texts share so much `room` with a gap of so many columns
    /// between them; where the text is left out, the gap is not needed.
    pub(super) fn of(room: usize, gap: usize, names: &[&str], text: usize) -> Self {
        let whole = names.iter().map(|name| text::width(name)).max().unwrap_or(0);
        let least_apart = least_apart(names);
        let apart = least_apart.max(NAME_MIN).min(whole);
        let both = room.saturating_sub(gap);
        let usual = NAME_USUAL.max(both / 2).max(both.saturating_sub(text));
        let beside_a_text = usual.min(both.saturating_sub(text.clamp(TEXT_LEAST, TEXT_MIN)));
        let name = beside_a_text.max(apart).min(whole);
        if name + TEXT_LEAST <= both {
            return Self { name, text: Some(both - name) };
        }
        Self { name: room.max(NAME_MIN).max(least_apart).min(whole), text: None }
    }
}

/// Returns the least columns in which no two names are alike that are cut to these, with a mark.
fn least_apart(names: &[&str]) -> usize {
    let mut sorted = names.to_vec();
    sorted.sort_unstable();
    sorted.dedup();
    sorted.windows(2).map(apart).max().unwrap_or(0)
}

/// Returns the columns that tell two names apart, the second of which comes behind the first: what
/// they have in common, a character, and the mark.
fn apart(pair: &[&str]) -> usize {
    let [first, second] = pair else { return 0 };
    let common = first.chars().zip(second.chars()).take_while(|(a, b)| a == b).count();
    let needed: String = second.chars().take(common + 1).collect();
    text::width(&needed) + 1
}
