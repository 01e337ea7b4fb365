//! Lines in sections, shortened fairly until they fit.

use std::iter;

use crate::note::{head, tail};

/// What stands before a section.
const SECTION_LEAD: &str = "\n\n";
/// What stands before a line.
const LINE_LEAD: &str = "\n- ";
/// What stands where a line was shortened.
const ELLIPSIS: &str = "…";
/// A line is left out rather than shortened below this, in bytes with its lead: what is left
/// would say nothing.
const LINE_BYTES_MIN: usize = 40;

/// A heading and its lines, of which there is at least one.
pub(super) struct Section {
    heading: &'static str,
    lines: Vec<Line>,
}

/// A line: words that are never shortened, then text that may be.
pub(super) struct Line {
    fixed: String,
    text: String,
    kept: Kept,
}

/// Which end of a text says more, and is kept where it is shortened.
#[derive(Clone, Copy)]
pub(super) enum Kept {
    Head,
    Tail,
}

impl Section {
    pub(super) fn new(heading: &'static str, lines: Vec<Line>) -> Option<Self> {
        if lines.is_empty() { None } else { Some(Self { heading, lines }) }
    }

    pub(super) fn len(&self) -> usize {
        self.heading_len() + self.lines.iter().map(Line::len).sum::<usize>()
    }

    fn heading_len(&self) -> usize {
        SECTION_LEAD.len() + self.heading.len()
    }

    /// The least that the section needs to say anything.
    fn len_min(&self) -> usize {
        self.heading_len() + self.lines.first().map_or(0, Line::len_min)
    }

    /// Appends the section to `note`, within `bytes_max`.
    fn write(&self, note: &mut String, bytes_max: usize) {
        let room = bytes_max.saturating_sub(self.heading_len());
        let mut least = 0_usize;
        let fitting = self.lines.iter().take_while(|line| {
            least += line.len_min();
            least <= room
        });
        let lines: Vec<&Line> = fitting.collect();
        let shares = share_out(&lines.iter().map(|line| line.len()).collect::<Vec<_>>(), room);
        note.push_str(SECTION_LEAD);
        note.push_str(self.heading);
        for (line, share) in iter::zip(lines, shares) {
            line.write(note, share);
        }
    }
}

impl Line {
    pub(super) fn new(fixed: String, text: &str, kept: Kept) -> Self {
        Self { fixed, text: one_line(text), kept }
    }

    fn len(&self) -> usize {
        LINE_LEAD.len() + self.fixed.len() + self.text.len()
    }

    fn len_min(&self) -> usize {
        self.len().min(LINE_BYTES_MIN)
    }

    /// Appends the line to `note`, within `bytes_max`.
    fn write(&self, note: &mut String, bytes_max: usize) {
        note.push_str(LINE_LEAD);
        note.push_str(&self.fixed);
        let room = bytes_max.saturating_sub(LINE_LEAD.len() + self.fixed.len());
        if self.text.len() <= room {
            note.push_str(&self.text);
            return;
        }
        let room = room.saturating_sub(ELLIPSIS.len());
        match self.kept {
            Kept::Head => note.extend([head(&self.text, room), ELLIPSIS]),
            Kept::Tail => note.extend([ELLIPSIS, tail(&self.text, room)]),
        }
    }
}

/// Returns `label` and the sections, together within `bytes_max`, or `None` where that is too
/// little for the first one.
///
/// The last sections are left out until every other one has a share that it can speak in.
pub(super) fn lay_out(label: &str, sections: &[Section], bytes_max: usize) -> Option<String> {
    let mut note = label.to_owned();
    let room = bytes_max.checked_sub(label.len())?;
    for count in (1..=sections.len()).rev() {
        let sections = sections.get(..count).unwrap_or_default();
        let shares = share_out(&sections.iter().map(Section::len).collect::<Vec<_>>(), room);
        if iter::zip(sections, &shares).all(|(section, &share)| section.len_min() <= share) {
            iter::zip(sections, shares)
                .for_each(|(section, share)| section.write(&mut note, share));
            return Some(note);
        }
    }
    None
}

/// Shares out `room` among `needs`: nobody gets more than it needs, and what the modest leave is
/// shared among the others.
fn share_out(needs: &[usize], room: usize) -> Vec<usize> {
    let mut by_need: Vec<(usize, usize)> = needs.iter().copied().enumerate().collect();
    by_need.sort_by_key(|&(_, need)| need);
    let mut shares = vec![0; needs.len()];
    let mut room = room;
    let mut takers = needs.len();
    for (place, need) in by_need {
        let share = need.min(room / takers);
        room -= share;
        takers -= 1;
        if let Some(slot) = shares.get_mut(place) {
            *slot = share;
        }
    }
    shares
}

/// The text on one line: control characters and line separators escaped.
fn one_line(text: &str) -> String {
    let mut line = String::with_capacity(text.len());
    for c in text.trim().chars() {
        match c {
            '\n' | '\r' | '\t' => line.extend(c.escape_default()),
            '\u{2028}' | '\u{2029}' => line.extend(c.escape_unicode()),
            _ if c.is_control() => line.extend(c.escape_unicode()),
            _ => line.push(c),
        }
    }
    line
}
