//! What is searched for: a text, or a regular expression.

use std::ops::Range;

use memchr::memmem::Finder;
use regex::{Regex, RegexBuilder};

/// What is searched for in the lines of a note.
#[derive(Debug)]
pub(crate) enum Needle {
    /// This text, letter by letter; the finder is many times as fast as an expression.
    Fixed(Box<Finder<'static>>),
    /// Whatever matches: with `regex`, not `regex-lite`, which is smaller but takes no `É` for `é`
    /// and thirty times as long.
    Matching(Regex),
}

/// What the words that were given are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Syntax {
    /// What is meant, letter by letter.
    Text,
    /// A regular expression.
    Expression,
}

/// Whether `É` is `é`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Case {
    Matters,
    Ignored,
}

/// Why what was given describes no needle.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NoNeedle {
    #[error("a line break can stand in no line, and each line is searched for itself")]
    LineBreak,
    #[error("{}", on_one_line(.0))]
    Expression(#[from] regex::Error),
}

/// Returns why an expression is none, without the drawing of where.
fn on_one_line(why: &regex::Error) -> String {
    let whole = why.to_string();
    let last = whole.lines().last().unwrap_or_default();
    last.trim_start_matches("error: ").to_owned()
}

impl Needle {
    /// Returns the needle that `given` describes, or why it describes none.
    pub(crate) fn new(given: &str, syntax: Syntax, case: Case) -> Result<Self, NoNeedle> {
        if syntax == Syntax::Text && given.contains('\n') {
            return Err(NoNeedle::LineBreak);
        }
        let expression = match (syntax, case) {
            (Syntax::Text, Case::Matters) => {
                return Ok(Self::Fixed(Box::new(Finder::new(given).into_owned())));
            }
            (Syntax::Text, Case::Ignored) => regex::escape(given),
            (Syntax::Expression, _) => given.to_owned(),
        };
        let ignored = case == Case::Ignored;
        let built = RegexBuilder::new(&expression).case_insensitive(ignored).build();
        Ok(Self::Matching(built?))
    }

    /// Returns whether no line of `text` can hold it, if that is quickly seen.
    pub(crate) fn is_surely_not_in(&self, text: &str) -> bool {
        match self {
            Self::Fixed(finder) => finder.find(text.as_bytes()).is_none(),
            Self::Matching(_) => false,
        }
    }

    /// Returns where it stands in `line`; `None` where it doesn't.
    ///
    /// An expression can match without standing anywhere: then there are no places.
    pub(crate) fn places(&self, line: &str) -> Option<Vec<Range<usize>>> {
        match self {
            Self::Fixed(finder) => {
                let length = finder.needle().len();
                let places = finder.find_iter(line.as_bytes()).map(|at| at..at + length);
                Some(places.collect()).filter(|places: &Vec<_>| !places.is_empty())
            }
            Self::Matching(regex) => regex.is_match(line).then(|| {
                regex
                    .find_iter(line)
                    .map(|found| found.range())
                    .filter(|at| !at.is_empty())
                    .collect()
            }),
        }
    }
}
