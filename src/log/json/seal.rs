//! The seal that closes a record: a CRC-32 of all that stands before it.
//!
//! It is found by its form at the very end of the object, so its meaning does not hang on how the
//! rest is parsed, and it is the same in every version of the format.

/// What the end of an object says about the bytes before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::log) enum Seal {
    /// There is no seal.
    Absent,
    /// The checksum is that of the bytes.
    Matches,
    /// The checksum is that of other bytes.
    Differs,
}

const OPENING: &[u8] = br#","crc":""#;
const DIGITS: usize = 8;
const CLOSING: &[u8] = br#""}"#;

impl Seal {
    /// The length of a seal, the closing brace of the object included, in bytes.
    pub(super) const BYTES: usize = OPENING.len() + DIGITS + CLOSING.len();

    /// Returns what the end of `object`, given from `{` to `}`, says.
    pub(in crate::log) fn of(object: &[u8]) -> Self {
        match split(object) {
            None => Self::Absent,
            Some((covered, crc)) if crc32fast::hash(covered) == crc => Self::Matches,
            Some(_) => Self::Differs,
        }
    }

    /// Appends the seal of what stands in `out` from `start` on.
    pub(super) fn put(start: usize, out: &mut Vec<u8>) {
        let crc = crc32fast::hash(out.get(start..).unwrap_or_default());
        out.extend_from_slice(OPENING);
        out.extend(crc.to_be_bytes().into_iter().flat_map(hex));
        out.extend_from_slice(CLOSING);
    }
}

/// Parts `object` into what its checksum covers and the checksum.
fn split(object: &[u8]) -> Option<(&[u8], u32)> {
    let (before, digits) = object.strip_suffix(CLOSING)?.split_last_chunk::<DIGITS>()?;
    let crc = digits.iter().try_fold(0, |crc, digit| Some(crc << 4 | nibble(*digit)?))?;
    Some((before.strip_suffix(OPENING)?, crc))
}

/// Returns the two digits of a byte.
pub(super) const fn hex(byte: u8) -> [u8; 2] {
    [hex_digit(byte >> 4), hex_digit(byte & 15)]
}

const fn hex_digit(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}

const fn nibble(digit: u8) -> Option<u32> {
    match digit {
        b'0'..=b'9' => Some((digit - b'0') as u32),
        b'a'..=b'f' => Some((digit - b'a') as u32 + 10),
        _ => None,
    }
}
