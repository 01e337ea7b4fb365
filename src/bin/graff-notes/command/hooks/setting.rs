//! What belongs into a file of the user's: hooks beside other settings, or a file of our own.

use std::fmt;

use graff_notes::host::{
    hook::Host,
    settings::{self, Found, Sort},
};

/// The words in the line by which a file of ours is known. Every version writes that line as it is,
/// and in the same place.
const OURS: &str = "graff-notes hooks install";

/// What belongs into a file.
#[derive(Clone, Copy, Debug)]
pub(super) enum Setting {
    /// The hooks of this host, among its settings.
    Hooks(Host),
    /// The file is ours as a whole.
    Whole(&'static str),
}

/// Why a file is left alone, in words.
#[derive(Debug)]
pub(super) struct LeftAlone(String);

impl Setting {
    /// Returns the file's text with what belongs there.
    pub(super) fn installed(self, before: Option<&str>) -> Result<String, LeftAlone> {
        match self {
            Self::Hooks(host) => {
                Ok(settings::install(host, before.unwrap_or_default())
                    .map_err(LeftAlone::because)?)
            }
            Self::Whole(_) if before.is_some_and(|before| !self.has_ours(before)) => {
                Err(LeftAlone("it is another one's, and not to be overwritten".to_owned()))
            }
            Self::Whole(text) => Ok(text.to_owned()),
        }
    }

    /// Returns the file's text without what belongs there, or `None` where the file has to go.
    ///
    /// `copies` are the texts that are kept from before; one of them may be what it was made from.
    pub(super) fn removed(
        self,
        before: &str,
        copies: &[&str],
    ) -> Result<Option<String>, LeftAlone> {
        let Self::Hooks(host) = self else { return Ok(None) };
        let restored = |copy: &&&str| {
            !self.has_ours(copy) && settings::install(host, copy).as_deref() == Ok(before)
        };
        if let Some(copy) = copies.iter().find(restored) {
            return Ok(Some((*copy).to_owned()));
        }
        if settings::install(host, "").as_deref() == Ok(before) {
            return Ok(None); // made from nothing: a blank file would have left its copy
        }
        let after = settings::remove(host, before).map_err(LeftAlone::because)?;
        Ok(Some(after).filter(|after| !copies.is_empty() || after.trim() != "{}"))
    }

    /// Returns whether something that we have put in is in a text, or may be, where that cannot be
    /// told.
    pub(super) fn has_ours(self, text: &str) -> bool {
        match self {
            Self::Hooks(host) => settings::found(host, text)
                .map_or(true, |found| found.iter().any(|it| it.sort == Sort::Installed)),
            Self::Whole(ours) => {
                let mark = ours.lines().enumerate().find(|(_, line)| line.contains(OURS));
                mark.is_some_and(|(number, mark)| text.lines().nth(number) == Some(mark))
            }
        }
    }

    /// Returns the hooks in a text that call us by a line which a person wrote or changed, or by a
    /// matcher of theirs; none where that cannot be told.
    pub(super) fn own_lines(self, text: &str) -> Vec<Found> {
        let Self::Hooks(host) = self else { return Vec::new() };
        let mut found = settings::found(host, text).unwrap_or_default();
        found.retain(|found| found.sort != Sort::Installed || found.only.is_some());
        found
    }

    /// Returns whether nothing in a text with something of ours is a person's that is in none of
    /// `copies`, or stays once ours is taken out.
    pub(super) fn is_as_installed(self, text: &str, copies: &[&str]) -> bool {
        match self {
            Self::Hooks(host) => {
                let comes_of =
                    |before: &str| settings::install(host, before).as_deref() == Ok(text);
                copies.iter().copied().any(comes_of)
                    || settings::remove(host, text).is_ok_and(|before| comes_of(&before))
            }
            Self::Whole(ours) => text == ours,
        }
    }
}

impl LeftAlone {
    fn because(why: impl fmt::Display) -> Self {
        Self(why.to_string())
    }
}

impl fmt::Display for LeftAlone {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
