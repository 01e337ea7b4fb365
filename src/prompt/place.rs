//! The place of the block in a prompt: after the `HARD CONSTRAINTS` section, else at the end.
//!
//! The section begins at the first line that holds `HARD CONSTRAINTS` and besides it only `#`, `*`
//! and white space before it, and `:`, `*` and white space behind it; the words within a sentence
//! are no heading. It reaches to its last line that is not blank, before whichever comes first:
//!
//! * the next Markdown heading (up to three spaces, one to six `#`, then white space);
//! * where it has had a list item: a blank line and then a line that is neither another list item
//!   nor indented deeper than the list;
//! * where it has had text but no list item, and its own heading has no `#`: a blank line and then
//!   a line that is no list item;
//! * the end of the prompt.
//!
//! Between two code fences (three backticks or tildes) nothing ends the section.
//!
//! At the end of a prompt, the block goes before a final LF, so that the outcome begins with the
//! prompt and ends as the prompt does.

use std::{borrow::Cow, ops::Range};

use memchr::memmem::Finder;

use super::{block::Block, fence, needle::Needle};

const HEADING: &str = "HARD CONSTRAINTS";

static HEADINGS: Needle = Needle::new(HEADING, || Finder::new(HEADING));

/// What parts the block from the text before it: it ends that line and makes a blank one.
const GAP: &str = "\n\n";

/// A prompt, rid of former blocks, with the place where a block goes.
///
/// Finding the place reads the prompt twice; a host whose prompt stays the same does it once.
///
/// # Examples
///
/// ```
/// use graff_notes::prompt::Place;
///
/// let prompt = "# Agent\n\n## HARD CONSTRAINTS\n- never push\n\n## Tools\n";
/// let place = Place::of(prompt);
/// assert_eq!(place.split().0, "# Agent\n\n## HARD CONSTRAINTS\n- never push");
/// ```
#[derive(Clone, Debug)]
pub struct Place<'b> {
    base: Cow<'b, str>,
    /// Where the block goes, in bytes.
    at: usize,
    /// The longest run of `=` before a mark in `base`.
    run: usize,
}

impl<'b> Place<'b> {
    /// Returns the place of a block in `base`, which loses the blocks that it has.
    #[must_use]
    pub fn of(base: &'b str) -> Self {
        let stripped = fence::strip(base);
        let at = place_in(&stripped.text);
        Self { base: stripped.text, at, run: stripped.run }
    }

    /// Returns the prompt before the place and from it on.
    #[must_use]
    pub fn split(&self) -> (&str, &str) {
        self.base.split_at_checked(self.at).unwrap_or((&self.base, ""))
    }

    /// Returns the prompt with `block` at its place.
    #[must_use]
    pub fn splice(&self, block: &Block<'_>) -> String {
        let mut out = String::new();
        self.splice_into(block, &mut out);
        out
    }

    /// Writes the prompt with `block` at its place over what `out` holds.
    ///
    /// A buffer that is large enough is not allocated anew.
    pub fn splice_into(&self, block: &Block<'_>, out: &mut String) {
        let (before, after) = self.split();
        let rank = block.rank_beside(self.run);
        out.clear();
        out.reserve(self.base.len() + GAP.len() + block.length(rank));
        out.push_str(before);
        out.push_str(GAP);
        block.write(rank, out);
        out.push_str(after);
    }
}

fn place_in(base: &str) -> usize {
    let end = || base.strip_suffix('\n').unwrap_or(base).len();
    heading_in(base).map_or_else(end, |heading| section_end(base, heading))
}

/// The line of the first heading, without its line break.
fn heading_in(base: &str) -> Option<Range<usize>> {
    let mut passed = 0; // the end of the lines that were looked at
    HEADINGS.occurrences(base).find_map(|at| {
        if at < passed {
            return None; // text stands before it on its line
        }
        let line_start = base.get(..at)?.rfind('\n').map_or(0, |lf| lf + 1);
        let words_end = at + HEADING.len();
        let line_end = base.get(words_end..)?.find('\n').map_or(base.len(), |n| words_end + n);
        passed = line_end;
        let lead = base.get(line_start..at)?;
        let trail = base.get(words_end..line_end)?;
        let is_heading = lead.chars().all(|c| matches!(c, '#' | '*') || c.is_ascii_whitespace())
            && trail.chars().all(|c| matches!(c, ':' | '*') || c.is_ascii_whitespace());
        is_heading.then_some(line_start..line_end)
    })
}

fn section_end(base: &str, heading: Range<usize>) -> usize {
    let mut section = Section::under(base.get(heading.clone()).unwrap_or_default());
    let mut end = heading.start + visible_length(base.get(heading.clone()).unwrap_or_default());
    let mut at = heading.end;
    for line in base.get(heading.end..).unwrap_or_default().split_inclusive('\n') {
        if section.ends_before(line) {
            break;
        }
        if !is_blank(line) {
            end = at + visible_length(line);
        }
        at += line.len();
    }
    end
}

/// What has been seen of a section so far.
struct Section {
    heading: Heading,
    /// The last line was blank.
    blank: bool,
    in_code: bool,
    body: Body,
}

/// How a section's heading is written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Heading {
    /// With `#`: text behind a blank line is still under it.
    Markdown,
    /// As words alone.
    Words,
}

#[derive(Clone, Copy)]
enum Body {
    Nothing,
    Text,
    List { indent: usize },
}

impl Section {
    /// Returns the section whose heading is this line.
    fn under(line: &str) -> Self {
        let marked = line.trim_start().starts_with('#');
        let heading = if marked { Heading::Markdown } else { Heading::Words };
        Self { heading, blank: false, in_code: false, body: Body::Nothing }
    }

    /// Whether the section is over before this line; else takes the line in.
    fn ends_before(&mut self, line: &str) -> bool {
        if is_blank(line) {
            self.blank = true;
            return false;
        }
        if !self.in_code && (is_heading(line) || (self.blank && self.is_left_by(line))) {
            return true;
        }
        self.take_in(line);
        false
    }

    /// Whether this line, behind a blank one, is no longer of the section.
    fn is_left_by(&self, line: &str) -> bool {
        match self.body {
            Body::Nothing => false,
            Body::Text => self.heading == Heading::Words && !is_list_item(line),
            Body::List { indent } => !is_list_item(line) && indent_of(line) <= indent,
        }
    }

    fn take_in(&mut self, line: &str) {
        self.blank = false;
        self.in_code ^= is_code_fence(line);
        self.body = match self.body {
            list @ Body::List { .. } => list,
            _ if !self.in_code && is_list_item(line) => Body::List { indent: indent_of(line) },
            _ => Body::Text,
        };
    }
}

fn is_blank(line: &str) -> bool {
    line.trim_ascii().is_empty()
}

/// The length of a line without its line break.
fn visible_length(line: &str) -> usize {
    let line = line.strip_suffix('\n').unwrap_or(line);
    line.strip_suffix('\r').unwrap_or(line).len()
}

fn indent_of(line: &str) -> usize {
    line.len() - line.trim_start_matches([' ', '\t']).len()
}

fn is_heading(line: &str) -> bool {
    let text = line.trim_start_matches(' ');
    let after = text.trim_start_matches('#');
    let hashes = text.len() - after.len();
    line.len() - text.len() <= 3
        && (1..=6).contains(&hashes)
        && (after.is_empty() || after.starts_with(|c: char| c.is_ascii_whitespace()))
}

fn is_list_item(line: &str) -> bool {
    let text = line.trim_ascii_start();
    let number = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let after = if number.len() < text.len() {
        number.strip_prefix(['.', ')'])
    } else {
        text.strip_prefix(['-', '*', '+', '•'])
    };
    after.is_some_and(|after| after.is_empty() || after.starts_with([' ', '\t', '\r', '\n']))
}

fn is_code_fence(line: &str) -> bool {
    let text = line.trim_ascii_start();
    text.starts_with("```") || text.starts_with("~~~")
}
