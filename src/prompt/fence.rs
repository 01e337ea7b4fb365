//! The fence: the two lines between which a block stands, and how blocks are found again.
//!
//! ```text
//! === graff-note begins ===      opening line of rank 3
//! This is a note that …          header: at least one line, none of them blank
//! - …
//!                                a blank line
//! SUBGOAL: …                     the note, byte for byte
//! === graff-note ends ===        closing line of the same rank
//! ```
//!
//! The *rank* is the number of `=` on each side. A new block's rank is one more than the longest
//! run of `=` that stands directly before the mark ` graff-note ` anywhere in the prompt, the note
//! or the session's name; so neither can hold a line of that rank, and the block of the highest
//! rank is the one that was put in last.
//!
//! A fence line stands alone on its line, and ends at LF, CR or the end of the text. An opening
//! line and the next closing line of its rank are a pair; a pair with a header, a blank line and a
//! note between them is a block. A pair without is somebody's text: it is left alone, and so is
//! whatever stands within it. Blocks may have CRLF for LF throughout, as an editor leaves them.
//!
//! Taking a block out never makes or unmakes a fence line elsewhere, since what follows a block
//! begins with a line break; and it never touches the inside of a pair of higher rank. So one sweep
//! from the highest rank down finds every block, and nothing that it leaves is one. As each further
//! rank needs longer lines, a text of `n` bytes has at most `O(√n)` ranks, and each costs no more
//! than one pass.

use std::{borrow::Cow, iter, ops::Range};

use memchr::memmem::{self, Finder};

use super::needle::Needle;

/// What stands in the middle of every fence line.
const MARK: &str = " graff-note ";

const BEGINS: &str = "begins ";
const ENDS: &str = "ends ";

/// The least rank: two `=` may be an operator.
const RANK_MIN: usize = 3;

/// A longer header is none of ours, in bytes; the limit keeps the search for its end short.
const HEADER_BYTES_MAX: usize = 4 * 1024;

/// The mark behind the last `=` of a run; a mark without one has no rank.
const RUN_END: &str = "= graff-note ";

static RUN_ENDS: Needle = Needle::new(RUN_END, || Finder::new(RUN_END));

/// A text without its blocks.
pub(super) struct Stripped<'t> {
    pub(super) text: Cow<'t, str>,
    /// The longest run of `=` before a mark in it.
    pub(super) run: usize,
    /// How many blocks were taken out.
    pub(super) blocks: usize,
}

/// Returns the least rank that no line has where the longest run before a mark is `run`.
pub(super) fn rank_above(run: usize) -> usize {
    run.saturating_add(1).max(RANK_MIN)
}

/// Returns the longest run of `=` directly before a mark in `text`.
pub(super) fn longest_run(text: &str) -> usize {
    marks(text).map(|(_, run)| run).max().unwrap_or(0)
}

/// Returns how many bytes the two lines of a rank take, without their line breaks.
pub(super) fn lines_length(rank: usize) -> usize {
    rank.saturating_mul(4).saturating_add(2 * MARK.len() + BEGINS.len() + ENDS.len())
}

pub(super) fn write_opening(rank: usize, out: &mut String) {
    write_line(BEGINS, rank, out);
}

pub(super) fn write_closing(rank: usize, out: &mut String) {
    write_line(ENDS, rank, out);
}

fn write_line(word: &str, rank: usize, out: &mut String) {
    out.extend(iter::repeat_n('=', rank));
    out.push_str(MARK);
    out.push_str(word);
    out.extend(iter::repeat_n('=', rank));
}

/// Returns where the note of the first block of the highest rank stands.
pub(super) fn find_note(text: &str) -> Option<Range<usize>> {
    let mut fences = scan(text).fences;
    while let Some(rank) = highest_rank(&fences) {
        let pairs = pairs_of_rank(&fences, rank);
        if let Some(note) = pairs.iter().find_map(|pair| pair.note(text)) {
            return Some(note);
        }
        leave_lower_ranks_outside(&mut fences, rank, &pairs);
    }
    None
}

/// Takes out every block, the highest rank first.
pub(super) fn strip(text: &str) -> Stripped<'_> {
    let Scan { mut fences, run } = scan(text);
    let (mut holes, mut blocks) = (Vec::new(), 0);
    while let Some(rank) = highest_rank(&fences) {
        let pairs = pairs_of_rank(&fences, rank);
        let found: Vec<_> = pairs.iter().filter_map(|pair| pair.whole(text, &holes)).collect();
        leave_lower_ranks_outside(&mut fences, rank, &pairs);
        blocks += found.len();
        holes = united(holes, found);
    }
    if holes.is_empty() {
        return Stripped { text: Cow::Borrowed(text), run, blocks };
    }
    let text = without(text, 0..text.len(), &holes);
    Stripped { run: longest_run(&text), text, blocks }
}

struct Fence {
    line: Range<usize>,
    rank: usize,
    side: Side,
}

#[derive(Clone, Copy)]
enum Side {
    Opening,
    Closing,
}

/// The fence lines of a text in order, and its longest run before a mark.
struct Scan {
    fences: Vec<Fence>,
    run: usize,
}

fn scan(text: &str) -> Scan {
    let mut scan = Scan { fences: Vec::new(), run: 0 };
    for (mark, run) in marks(text) {
        scan.run = scan.run.max(run);
        scan.fences.extend(fence_at(text, mark, run));
    }
    scan
}

/// The marks of a text that have a run of `=` before them, and its length.
fn marks(text: &str) -> impl Iterator<Item = (usize, usize)> {
    RUN_ENDS.occurrences(text).map(|last| {
        let mark = last + 1;
        let before = text.as_bytes().get(..mark).unwrap_or_default();
        (mark, before.iter().rev().take_while(|&&byte| byte == b'=').count())
    })
}

fn fence_at(text: &str, mark: usize, rank: usize) -> Option<Fence> {
    let start = mark.checked_sub(rank)?;
    let before = text.get(..start)?;
    let after = text.get(mark + MARK.len()..)?;
    let (side, after) = match after.strip_prefix(BEGINS) {
        Some(after) => (Side::Opening, after),
        None => (Side::Closing, after.strip_prefix(ENDS)?),
    };
    let rest = after.trim_start_matches('=');
    let stands_alone = (before.is_empty() || before.ends_with('\n'))
        && (rest.is_empty() || rest.starts_with(['\n', '\r']));
    let ranked = rank >= RANK_MIN && after.len() - rest.len() == rank;
    let line = start..text.len() - rest.len();
    (stands_alone && ranked).then_some(Fence { line, rank, side })
}

fn highest_rank(fences: &[Fence]) -> Option<usize> {
    fences.iter().map(|fence| fence.rank).max()
}

/// An opening line and the next closing line of its rank.
struct Pair {
    opening: Range<usize>,
    closing: Range<usize>,
}

/// The pairs of a rank, in order; none overlaps another. A second opening line before the closing
/// one is text within the pair, a closing line without an opening one is text outside.
fn pairs_of_rank(fences: &[Fence], rank: usize) -> Vec<Pair> {
    let (mut pairs, mut opened) = (Vec::new(), None);
    for fence in fences.iter().filter(|fence| fence.rank == rank) {
        match (fence.side, opened.take()) {
            (Side::Opening, None) => opened = Some(fence.line.clone()),
            (Side::Closing, Some(opening)) => {
                pairs.push(Pair { opening, closing: fence.line.clone() });
            }
            (_, still) => opened = still,
        }
    }
    pairs
}

fn leave_lower_ranks_outside(fences: &mut Vec<Fence>, rank: usize, pairs: &[Pair]) {
    fences.retain(|fence| {
        let next = pairs.partition_point(|pair| pair.closing.end <= fence.line.start);
        let inside = pairs.get(next).is_some_and(|pair| pair.opening.start <= fence.line.start);
        fence.rank < rank && !inside
    });
}

impl Pair {
    fn inside(&self) -> Range<usize> {
        self.opening.end..self.closing.start
    }

    /// Where the note stands, if this is a block.
    fn note(&self, text: &str) -> Option<Range<usize>> {
        let (_, note) = parts(text.get(self.inside())?)?;
        Some(self.opening.end + note.start..self.opening.end + note.end)
    }

    /// Where the whole block stands, if this is one once the holes are cut out: with up to two line
    /// breaks before it, as many as [`splice`](super::splice()) puts there.
    fn whole(&self, text: &str, holes: &[Range<usize>]) -> Option<Range<usize>> {
        let (line_break, _) = parts(&without(text, self.inside(), holes))?;
        let before = text.get(..self.opening.start)?;
        let one = before.strip_suffix(line_break).unwrap_or(before);
        let two = one.strip_suffix(line_break).unwrap_or(one);
        Some(two.len()..self.closing.end)
    }
}

/// Returns the line break of a block and where its note stands, from what is between its fence
/// lines; `None` where that is no header, blank line and note.
fn parts(inside: &str) -> Option<(&'static str, Range<usize>)> {
    let (line_break, blank) =
        [("\n", "\n\n"), ("\r\n", "\r\n\r\n")].into_iter().find(|(b, _)| inside.starts_with(b))?;
    let header_start = line_break.len();
    let near = inside.as_bytes().get(header_start..)?;
    let near = near.get(..HEADER_BYTES_MAX).unwrap_or(near);
    let header_end = header_start + memmem::find(near, blank.as_bytes())?;
    let note = header_end + blank.len()..inside.strip_suffix(line_break)?.len();
    let has_header = !near.starts_with(line_break.as_bytes());
    (has_header && note.start <= note.end).then_some((line_break, note))
}

/// Puts two lists of ranges in one order; of two that are nested, only the outer stays.
fn united(mut inner: Vec<Range<usize>>, outer: Vec<Range<usize>>) -> Vec<Range<usize>> {
    inner.retain(|hole| {
        let next = outer.partition_point(|range| range.end <= hole.start);
        outer.get(next).is_none_or(|range| hole.start < range.start)
    });
    inner.extend(outer);
    inner.sort_unstable_by_key(|hole| hole.start);
    inner
}

/// Returns `range` of the text without the holes that lie in it.
fn without<'t>(text: &'t str, range: Range<usize>, holes: &[Range<usize>]) -> Cow<'t, str> {
    let first = holes.partition_point(|hole| hole.start < range.start);
    let mut within = holes.iter().skip(first).take_while(|hole| hole.end <= range.end).peekable();
    if within.peek().is_none() {
        return Cow::Borrowed(text.get(range).unwrap_or_default());
    }
    let (mut kept, mut from) = (String::with_capacity(range.len()), range.start);
    for hole in within {
        kept.push_str(text.get(from..hole.start).unwrap_or_default());
        from = hole.end;
    }
    kept.push_str(text.get(from..range.end).unwrap_or_default());
    Cow::Owned(kept)
}
