//! A log that is much longer than the few bytes that spell it, so that a search of short inputs
//! comes to every window in which a log is read, and to lines that are too long for one.

use graff_notes::log::LINE_BYTES_MAX;

use super::log;

/// Where something changes with the length of what has been read, in bytes: the first windows from
/// the end, the longest line, and what two of the greatest windows hold.
const EDGES: [usize; 6] =
    [8 << 10, 16 << 10, 32 << 10, 64 << 10, LINE_BYTES_MAX, 2 * (LINE_BYTES_MAX + 2)];

/// Pieces with an LF are not repeated beyond this length, in bytes, all of a log together: what is
/// kept of each line takes a hundred times as much, and a search ends where memory has a limit.
const LINES_BYTES_MAX: usize = 64 << 10;

/// No log is longer, in bytes, but for its last piece.
const LOG_BYTES_MAX: usize = 3 * LINE_BYTES_MAX;

/// A long log reads one way, too.
pub(crate) fn a_long_log_is_read_one_way(input: &[u8]) {
    log::any_bytes_are_read_one_way(&spelt(input));
}

/// The log that `input` spells: pieces, each with what comes of it and its length before it.
///
/// Six of the 256 values of `how` say that a piece is repeated, up to a length near one of
/// [`EDGES`]; with the others it stands there as it is.
pub(crate) fn spelt(mut input: &[u8]) -> Vec<u8> {
    let (mut log, mut lines_left) = (Vec::new(), LINES_BYTES_MAX);
    while let [how, near, length, rest @ ..] = input
        && log.len() < LOG_BYTES_MAX
    {
        let (piece, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        input = rest;
        match EDGES.get(usize::from(how / 8)) {
            Some(edge) if how % 8 == 0 && !piece.is_empty() => {
                let is_line = piece.contains(&b'\n');
                let most = if is_line { lines_left } else { LOG_BYTES_MAX };
                let wanted = (edge + usize::from(*near)).saturating_sub(128).min(most);
                log.extend(piece.iter().cycle().take(wanted.max(piece.len())));
                lines_left -= if is_line { wanted } else { 0 };
            }
            _ => log.extend_from_slice(piece),
        }
    }
    log
}
