//! A log that is much longer than the few bytes that spell it, so that a search of short inputs comes to
//! every window in which a log is read, and to lines that are too long for one.

use graff_notes::log::LINE_BYTES_MAX;

use super::log;

/// Where something changes with the length of what has been read, in bytes: the first windows from
/// the end, the longest line, and what two of the greatest windows hold.
const EDGES: [usize; 6] =
    [8 << 10, 16 << 10, 32 << 10, 64 << 10, LINE_BYTES_MAX, 2 * (LINE_BYTES_MAX + 2)];

/// A piece with an LF is not repeated beyond this length, in bytes: what is kept of each line takes
/// a hundred times as much.
const LINES_BYTES_MAX: usize = 20 << 10;

/// No log is longer, in bytes, but for its last piece.
const LOG_BYTES_MAX: usize = 3 * LINE_BYTES_MAX;

/// A long log reads one way, too.
pub(crate) fn a_long_log_is_read_one_way(input: &[u8]) {
    log::any_bytes_are_read_one_way(&spelt(input));
}

/// The log that `input` spells: pieces, each with what comes of it and its length before it.
///
/// Six of the 256 values of `how` say that a piece is repeated, up to a length near one of [`EDGES`];
/// with the others it stands there as it is.
pub(crate) fn spelt(mut input: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    while let [how, near, length, rest @ ..] = input
        && log.len() < LOG_BYTES_MAX
    {
        let (piece, rest) = rest.split_at(rest.len().min(usize::from(*length)));
        input = rest;
        match EDGES.get(usize::from(how / 8)) {
            Some(edge) if how % 8 == 0 && !piece.is_empty() => {
                let most = if piece.contains(&b'\n') { LINES_BYTES_MAX } else { LOG_BYTES_MAX };
                let wanted = (edge + usize::from(*near)).saturating_sub(128).min(most);
                log.extend(piece.iter().cycle().take(wanted));
            }
            _ => log.extend_from_slice(piece),
        }
    }
    log
}
