//! Where the first JSON object of a stream ends.
//!
//! A host may keep the pipe open behind its payload, so whoever waits for its end waits for ever.
//! This looks at brackets and strings only; whether the object makes sense is the parser's to say.

use memchr::{memchr2, memchr3};

/// A look for the end of the first JSON object, piece by piece.
///
/// # Examples
///
/// ```
/// use graff_notes::host::hook::{Framed, Framing};
///
/// let mut framing = Framing::default();
/// assert_eq!(framing.feed(b" {\"a\": \"}"), Framed::GoesOn);
/// assert_eq!(framing.feed(b"\"} and more"), Framed::EndsAt(2));
/// assert_eq!(Framing::default().feed(b"usage: hook"), Framed::NoObject);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Framing {
    depth: usize,
    place: Place,
}

/// What a piece of the stream was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Framed {
    /// The object begins or goes on; more is wanted.
    GoesOn,
    /// The object ends within the piece, before this offset.
    EndsAt(usize),
    /// What stands there begins no object.
    NoObject,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Before,
    Within,
    InString,
    Escaped,
}

/// What may stand before the object: white space, and the bytes of a byte-order mark.
const BEFORE: &[u8] = b" \t\r\n\xEF\xBB\xBF";

impl Framing {
    /// Takes the next piece of the stream.
    pub fn feed(&mut self, piece: &[u8]) -> Framed {
        let mut at = 0;
        while let Some(&byte) = piece.get(at) {
            at += 1;
            match self.place {
                Place::Before if byte == b'{' => (self.place, self.depth) = (Place::Within, 1),
                Place::Before if BEFORE.contains(&byte) => {}
                Place::Before => return Framed::NoObject,
                Place::Escaped => self.place = Place::InString,
                Place::InString => match byte {
                    b'"' => self.place = Place::Within,
                    b'\\' => self.place = Place::Escaped,
                    _ => at += skipped(memchr2(b'"', b'\\', rest(piece, at)), piece, at),
                },
                Place::Within => match byte {
                    b'"' => self.place = Place::InString,
                    b'{' => self.depth += 1,
                    b'}' if self.depth == 1 => return Framed::EndsAt(at),
                    b'}' => self.depth -= 1,
                    _ => at += skipped(memchr3(b'"', b'{', b'}', rest(piece, at)), piece, at),
                },
            }
        }
        Framed::GoesOn
    }
}

fn rest(piece: &[u8], at: usize) -> &[u8] {
    piece.get(at..).unwrap_or_default()
}

/// How many bytes lie before what was found, or before the end where nothing was.
fn skipped(found: Option<usize>, piece: &[u8], at: usize) -> usize {
    found.unwrap_or(piece.len() - at)
}
