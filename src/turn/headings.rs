//! The seven headings of a summary, and whether a reply has them.

use std::fmt;

use serde::Serialize;

use crate::note::without_reasoning;

/// A heading that a summary must have, at the start of a line of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize)]
pub enum Heading {
    /// What the user wants.
    #[serde(rename = "TASK")]
    Task,
    /// What the work is bound by.
    #[serde(rename = "CONSTRAINTS")]
    Constraints,
    /// What is finished.
    #[serde(rename = "DONE")]
    Done,
    /// What was decided, and why.
    #[serde(rename = "DECISIONS")]
    Decisions,
    /// What was found out.
    #[serde(rename = "FACTS")]
    Facts,
    /// What is left to do.
    #[serde(rename = "REMAINING")]
    Remaining,
    /// What comes next.
    #[serde(rename = "NEXT STEP")]
    NextStep,
}

/// The headings, in the order in which a summary has them.
///
/// Source: block/buzz PR 3147.
pub const HEADINGS: [Heading; 7] = [
    Heading::Task,
    Heading::Constraints,
    Heading::Done,
    Heading::Decisions,
    Heading::Facts,
    Heading::Remaining,
    Heading::NextStep,
];

/// What ends a model's reasoning. Some servers leave it in the text, and not what begins it.
const REASONING_ENDS: &str = "</think>";

/// A model's summary: not blank, trimmed, without the reasoning that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Summary {
    text: String,
    missing: Vec<Heading>,
}

/// Why a reply is no summary.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum SummaryRefused {
    /// There is no word in it, or nothing but reasoning.
    Empty,
}

impl Heading {
    /// Returns the heading as it stands in a summary.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Task => "TASK",
            Self::Constraints => "CONSTRAINTS",
            Self::Done => "DONE",
            Self::Decisions => "DECISIONS",
            Self::Facts => "FACTS",
            Self::Remaining => "REMAINING",
            Self::NextStep => "NEXT STEP",
        }
    }

    /// Whether `line` is this heading, alone or with its text behind a colon. Signs that Markdown
    /// sets a heading off with do not count, and neither does a number before it.
    fn begins(self, line: &str) -> bool {
        let decorated = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '_' | '`');
        let line = line.trim_start_matches(decorated);
        let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ')'));
        let line = line.trim_start_matches(decorated);
        line.strip_prefix(self.as_str()).is_some_and(|rest| {
            let rest = rest.trim_start_matches(decorated);
            rest.is_empty() || rest.starts_with(':')
        })
    }
}

impl Summary {
    /// Returns the summary that `reply` is, with the headings that it lacks.
    ///
    /// # Errors
    ///
    /// Refuses a reply in which nothing is said.
    ///
    /// # Examples
    ///
    /// ```
    /// use graff_notes::turn::{Heading, Summary, SummaryRefused};
    ///
    /// let reply = "## TASK\nmend a.rs\nCONSTRAINTS: none\nDONE\nDECISIONS\nFACTS\nREMAINING\nall";
    /// assert_eq!(Summary::read(reply)?.missing(), [Heading::NextStep]);
    /// assert_eq!(Summary::read("<think>Hm.</think>\n"), Err(SummaryRefused::Empty));
    /// # Ok::<(), SummaryRefused>(())
    /// ```
    pub fn read(reply: &str) -> Result<Self, SummaryRefused> {
        let text = behind_reasoning(without_reasoning(reply)).trim();
        if !text.contains(char::is_alphanumeric) {
            return Err(SummaryRefused::Empty);
        }
        Ok(Self { text: text.to_owned(), missing: lacking(text) })
    }

    /// Returns the text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// Returns the headings that it lacks, in order.
    #[must_use]
    pub fn missing(&self) -> &[Heading] {
        &self.missing
    }
}

/// What stands behind the end of a reasoning whose beginning is not in the text, unless the
/// headings stand before it: then it is the summary's own.
fn behind_reasoning(text: &str) -> &str {
    match text.rsplit_once(REASONING_ENDS) {
        Some((before, behind)) if lacking(behind).len() <= lacking(before).len() => behind,
        _ => text,
    }
}

fn lacking(text: &str) -> Vec<Heading> {
    let lacks = |heading: &Heading| !text.lines().any(|line| heading.begins(line));
    HEADINGS.into_iter().filter(lacks).collect()
}

impl fmt::Display for Heading {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Display for SummaryRefused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("the reply says nothing"),
        }
    }
}
