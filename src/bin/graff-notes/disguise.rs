//! A prompt that need not be UTF-8: it goes through the library, which knows text only, and comes
//! out with every byte as it was.

/// Where the private-use characters of plane 16 begin: they mean nothing to anybody, and any 128
/// in a row that occur nowhere in a prompt can stand in for the stray bytes 80 to FF.
const PRIVATE_USE: u32 = 0x10_0000;
/// How many characters stand in: one for each byte that can be no part of a character.
const STRAYS: u32 = 128;
/// How many rows of that length the plane has.
const ROWS: usize = 512;

/// A text in which each stray byte is stood in for by a character of its own.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Disguised {
    text: String,
    /// The first of the characters that stand in; `None` where nothing had to be stood in for.
    first: Option<u32>,
}

impl Disguised {
    /// Returns the text that `bytes` are, such that `beside` can be put into it.
    ///
    /// Gives the bytes back where every row of stand-ins occurs in them.
    pub(crate) fn of(bytes: Vec<u8>, beside: &str) -> Result<Self, Vec<u8>> {
        let bytes = match String::from_utf8(bytes) {
            Ok(text) => return Ok(Self { text, first: None }),
            Err(e) => e.into_bytes(),
        };
        let Some(first) = free_row(&bytes, beside) else { return Err(bytes) };
        let mut text = String::with_capacity(bytes.len());
        for chunk in bytes.utf8_chunks() {
            text.push_str(chunk.valid());
            text.extend(chunk.invalid().iter().filter_map(|byte| stand_in(first, *byte)));
        }
        Ok(Self { text, first: Some(first) })
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    /// Returns the bytes of a text that was made from this one.
    pub(crate) fn reveal(&self, text: &str) -> Vec<u8> {
        let Some(first) = self.first else { return text.as_bytes().to_vec() };
        let mut bytes = Vec::with_capacity(text.len());
        for c in text.chars() {
            match stray(first, c) {
                Some(byte) => bytes.push(byte),
                None => bytes.extend_from_slice(c.encode_utf8(&mut [0; 4]).as_bytes()),
            }
        }
        bytes
    }
}

/// Returns the first character of a row that occurs neither in `bytes` nor in `beside`.
fn free_row(bytes: &[u8], beside: &str) -> Option<u32> {
    let mut taken = [false; ROWS];
    let chars = bytes.utf8_chunks().flat_map(|chunk| chunk.valid().chars()).chain(beside.chars());
    for c in chars {
        let row = u32::from(c).checked_sub(PRIVATE_USE).map(|at| (at / STRAYS) as usize);
        if let Some(taken) = row.and_then(|row| taken.get_mut(row)) {
            *taken = true;
        }
    }
    let row = u32::try_from(taken.iter().position(|taken| !taken)?).ok()?;
    Some(PRIVATE_USE + row * STRAYS)
}

fn stand_in(first: u32, byte: u8) -> Option<char> {
    char::from_u32(first + u32::from(byte).checked_sub(STRAYS)?)
}

fn stray(first: u32, c: char) -> Option<u8> {
    let at = u32::from(c).checked_sub(first).filter(|at| *at < STRAYS)?;
    u8::try_from(at + STRAYS).ok()
}
