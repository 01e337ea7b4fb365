//! What stands behind the last LF of a file.

/// The state of a file's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tail {
    /// The file is empty or ends in LF.
    Clean,
    /// A whole record stands there that lacks its LF only; it counts.
    Unterminated,
    /// Anything else stands there; it doesn't count.
    Torn,
}
