//! A fixed text that a prompt is searched for, mostly in vain.
//!
//! Looking for one byte is three times as fast as looking for a text, until the byte turns out to
//! be common; so the search begins with the text's first byte, and changes over after some hits.

use std::{iter, sync::LazyLock};

use memchr::{memchr, memmem::Finder};

/// How often the first byte may be hit before the general search takes over. A hit costs about 7
/// ns, a general search through 32 KiB 0.7 µs: at most as much is lost as could have been won.
const HITS_MAX: usize = 64;

pub(super) struct Needle {
    text: &'static str,
    finder: LazyLock<Finder<'static>, fn() -> Finder<'static>>,
}

impl Needle {
    /// Returns the needle of a text, with the way to make its finder; its first byte should be
    /// rare.
    pub(super) const fn new(text: &'static str, finder: fn() -> Finder<'static>) -> Self {
        Self { text, finder: LazyLock::new(finder) }
    }

    /// Returns where the text occurs in `hay`, in order.
    pub(super) fn occurrences<'h>(&'h self, hay: &'h str) -> impl Iterator<Item = usize> + 'h {
        let (hay, text) = (hay.as_bytes(), self.text.as_bytes());
        let first = text.first().copied().unwrap_or_default();
        let (mut from, mut hits) = (0, 0);
        iter::from_fn(move || {
            while hits < HITS_MAX {
                let at = from + memchr(first, hay.get(from..)?)?;
                (from, hits) = (at + 1, hits + 1);
                if hay.get(at..)?.starts_with(text) {
                    return Some(at);
                }
            }
            let at = from + self.finder.find(hay.get(from..)?)?;
            from = at + 1;
            Some(at)
        })
    }
}
