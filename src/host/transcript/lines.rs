//! Cuts a stream into records: lines, or the elements of a JSON array.
//!
//! The stream comes in pieces that are cut anywhere. A document that opens with `[` and an object
//! is an array of records, whose elements are cut out one by one; any other is one record a line.
//! A record longer than [`RECORD_BYTES_MAX`] is passed over, so that memory stays bounded.

use memchr::{memchr, memchr2};

/// No longer record is read, in bytes: room for a screenshot in a line, and far from what a
/// machine would miss.
pub(super) const RECORD_BYTES_MAX: usize = 8 * 1024 * 1024;

const BYTE_ORDER_MARK: &[u8] = b"\xEF\xBB\xBF";

/// A record, or what is known of one that is too long.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Cut<'a> {
    /// The bytes of the record, without its end.
    Record(&'a [u8]),
    /// It had more than [`RECORD_BYTES_MAX`] bytes.
    TooLong,
}

/// The place in the stream, and what has been seen of the record there.
#[derive(Clone, Debug, Default)]
pub(super) struct Splitter {
    place: Place,
    seen: Vec<u8>,
    too_long: bool,
}

#[derive(Clone, Copy, Debug, Default)]
enum Place {
    /// Before the first record.
    #[default]
    Start,
    /// Behind a `[`, of which it is not known yet whether it opens an array of records.
    Opened,
    /// In a line.
    Line,
    /// Between the elements of an array.
    Array,
    /// In an element of an array.
    Element(Nesting),
}

#[derive(Clone, Copy, Debug, Default)]
struct Nesting {
    depth: usize,
    in_text: bool,
    escaped: bool,
}

impl Splitter {
    /// Takes the next piece of the stream, and hands every record that ends in it to `take`.
    pub(super) fn push(&mut self, piece: &[u8], mut take: impl FnMut(Cut<'_>)) {
        let mut rest = piece;
        while !rest.is_empty() {
            rest = match self.place {
                Place::Start => self.start(rest),
                Place::Opened => self.open(rest),
                Place::Line => self.line(rest, &mut take),
                Place::Array => self.between(rest),
                Place::Element(nesting) => self.element(rest, nesting, &mut take),
            };
        }
    }

    /// Hands what is left at the end of the stream to `take`.
    pub(super) fn finish(&mut self, mut take: impl FnMut(Cut<'_>)) {
        if self.too_long || !self.seen.is_empty() {
            self.cut(&[], &mut take);
        }
    }

    fn start<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let rest = skip_while(piece, |b| b.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(&b));
        match rest.split_first() {
            Some((b'[', behind)) => {
                self.place = Place::Opened;
                behind
            }
            Some(_) => {
                self.place = Place::Line;
                rest
            }
            None => rest,
        }
    }

    fn open<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let rest = skip_while(piece, |b| b.is_ascii_whitespace());
        match rest.first() {
            Some(b'{') => self.place = Place::Array,
            Some(_) => {
                self.keep(b"[");
                self.place = Place::Line;
            }
            None => {}
        }
        rest
    }

    fn line<'p>(&mut self, piece: &'p [u8], take: &mut impl FnMut(Cut<'_>)) -> &'p [u8] {
        let end = memchr(b'\n', piece).and_then(|end| piece.split_at_checked(end));
        let Some((line, rest)) = end else {
            self.keep(piece);
            return &[];
        };
        self.cut(line, take);
        rest.get(1..).unwrap_or_default()
    }

    fn between<'p>(&mut self, piece: &'p [u8]) -> &'p [u8] {
        let rest = memchr2(b'{', b']', piece).and_then(|next| piece.get(next..));
        match rest.and_then(<[u8]>::split_first) {
            Some((b']', behind)) => {
                self.place = Place::Start;
                behind
            }
            Some(_) => {
                self.place = Place::Element(Nesting::default());
                rest.unwrap_or_default()
            }
            None => &[],
        }
    }

    fn element<'p>(
        &mut self,
        piece: &'p [u8],
        mut nesting: Nesting,
        take: &mut impl FnMut(Cut<'_>),
    ) -> &'p [u8] {
        let end = nesting.end(piece).and_then(|end| piece.split_at_checked(end));
        let Some((element, rest)) = end else {
            self.keep(piece);
            self.place = Place::Element(nesting);
            return &[];
        };
        self.cut(element, take);
        self.place = Place::Array;
        rest
    }

    /// Keeps a part of a record whose end is yet to come.
    fn keep(&mut self, part: &[u8]) {
        if self.seen.len().saturating_add(part.len()) > RECORD_BYTES_MAX {
            self.too_long = true;
            self.seen = Vec::new();
        } else if !self.too_long {
            self.seen.extend_from_slice(part);
        }
    }

    /// Hands on the record that ends with `last`.
    fn cut(&mut self, last: &[u8], take: &mut impl FnMut(Cut<'_>)) {
        if self.seen.is_empty() && !self.too_long && last.len() <= RECORD_BYTES_MAX {
            return take(Cut::Record(last));
        }
        self.keep(last);
        take(if self.too_long { Cut::TooLong } else { Cut::Record(&self.seen) });
        self.seen.clear();
        self.too_long = false;
    }
}

impl Nesting {
    /// Follows the nesting through `piece`, and returns where the outermost object ends, if there.
    fn end(&mut self, piece: &[u8]) -> Option<usize> {
        piece.iter().position(|&byte| self.ends_at(byte)).map(|last| last + 1)
    }

    /// Takes the next byte, and returns whether the outermost object ends with it.
    const fn ends_at(&mut self, byte: u8) -> bool {
        match byte {
            _ if self.escaped => self.escaped = false,
            b'\\' => self.escaped = self.in_text,
            b'"' => self.in_text = !self.in_text,
            b'{' | b'[' if !self.in_text => self.depth = self.depth.saturating_add(1),
            b'}' | b']' if !self.in_text => {
                self.depth = self.depth.saturating_sub(1);
                return self.depth == 0;
            }
            _ => {}
        }
        false
    }
}

fn skip_while(bytes: &[u8], skipped: impl Fn(u8) -> bool) -> &[u8] {
    let start = bytes.iter().position(|&byte| !skipped(byte)).unwrap_or(bytes.len());
    bytes.get(start..).unwrap_or_default()
}
