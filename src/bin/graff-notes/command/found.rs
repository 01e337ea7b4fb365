//! What a search finds in a note: the lines that match, and those around them.

use std::ops::Range;

use graff_notes::{
    log::{Body, Record},
    units::{Generation, Seq, Timestamp},
};

use crate::needle::Needle;

/// A note in which something was found.
#[derive(Debug)]
pub(super) struct FoundNote {
    pub(super) seq: Option<Seq>,
    pub(super) generation: Generation,
    pub(super) kind: &'static str,
    pub(super) created_at: Timestamp,
    /// The lines that match and those around them, in their order, each once.
    pub(super) lines: Vec<FoundLine>,
}

/// A line that matches, or one that stands near.
#[derive(Debug)]
pub(super) struct FoundLine {
    /// Its number in the note, from 1.
    pub(super) number: usize,
    pub(super) text: String,
    /// Where it matches, in bytes; `None` where it only stands near.
    pub(super) places: Option<Vec<Range<usize>>>,
}

impl FoundNote {
    /// Returns what is found in a record, with `context` lines around each line that matches.
    pub(super) fn of(record: &Record<'_>, needle: &Needle, context: usize) -> Option<Self> {
        let Body::Note { text, .. } = &record.body else { return None };
        if needle.is_surely_not_in(text) {
            return None;
        }
        let places: Vec<_> = text.lines().map(|line| needle.places(line)).collect();
        let hits = hits(&places);
        let lines = (1..).zip(text.lines()).zip(places);
        let lines: Vec<_> = lines
            .filter(|((number, _), _)| is_near(*number, &hits, context))
            .map(|((number, line), places)| FoundLine { number, text: line.to_owned(), places })
            .collect();
        (!lines.is_empty()).then(|| Self {
            seq: record.seq,
            generation: record.generation,
            kind: record.kind().as_str(),
            created_at: record.created_at,
            lines,
        })
    }

    /// Returns how many lines match.
    pub(super) fn hits(&self) -> usize {
        self.lines.iter().filter(|line| line.places.is_some()).count()
    }
}

/// Keeps so much of what was found that no more than `left` lines match, and counts them off.
pub(super) fn limited(
    mut found: Vec<FoundNote>,
    left: &mut usize,
    context: usize,
) -> Vec<FoundNote> {
    for note in &mut found {
        let mut hits: Vec<_> = note
            .lines
            .iter()
            .filter(|line| line.places.is_some())
            .map(|line| line.number)
            .collect();
        hits.truncate(*left);
        *left -= hits.len();
        note.lines.retain(|line| is_near(line.number, &hits, context));
        for line in &mut note.lines {
            line.places.take_if(|_| hits.binary_search(&line.number).is_err());
        }
    }
    found.retain(|note| !note.lines.is_empty());
    found
}

/// Returns the numbers of the lines that match.
fn hits<T>(places: &[Option<T>]) -> Vec<usize> {
    (1..).zip(places).filter(|(_, places)| places.is_some()).map(|(number, _)| number).collect()
}

/// Returns whether a line is one of `hits`, which go up, or stands near one.
fn is_near(number: usize, hits: &[usize], context: usize) -> bool {
    let next = hits.partition_point(|hit| hit.saturating_add(context) < number);
    hits.get(next).is_some_and(|hit| *hit <= number.saturating_add(context))
}
