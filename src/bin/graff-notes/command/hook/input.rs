//! Reads the payload: up to where its object ends, and not up to where the host closes the pipe.

use std::io::{ErrorKind, Read};

use graff_notes::host::hook::{Framed, Framing};

/// So much of a payload is kept, in bytes: room for the longest answer of a tool. What is longer is
/// read to its end all the same, so that the host's write doesn't fail.
const PAYLOAD_BYTES_MAX: usize = 16 * 1024 * 1024;

const PIECE: usize = 64 * 1024;

/// What stood on stdin.
pub(super) enum Input {
    Object(Vec<u8>),
    /// Not a byte.
    Nothing,
    /// Why it is no payload.
    Unusable(String),
}

pub(super) fn read_object(mut stdin: impl Read) -> Input {
    let (mut framing, mut payload, mut read_bytes) = (Framing::default(), Vec::new(), 0_usize);
    let mut buffer = vec![0; PIECE];
    loop {
        let piece = match stdin.read(&mut buffer) {
            Ok(read) => buffer.get(..read).unwrap_or_default(),
            Err(e) if e.kind() == ErrorKind::Interrupted => continue,
            Err(e) => return Input::Unusable(e.to_string()),
        };
        if piece.is_empty() {
            return match payload.trim_ascii() {
                [] if read_bytes == 0 => Input::Nothing,
                _ => Input::Unusable("it ends within the object".to_owned()),
            };
        }
        let (framed, piece) = match framing.feed(piece) {
            Framed::EndsAt(end) => (true, piece.get(..end).unwrap_or_default()),
            Framed::GoesOn => (false, piece),
            Framed::NoObject => return Input::Unusable("it is no JSON object".to_owned()),
        };
        read_bytes = read_bytes.saturating_add(piece.len());
        if read_bytes <= PAYLOAD_BYTES_MAX {
            payload.extend_from_slice(piece);
        }
        if framed {
            if read_bytes > PAYLOAD_BYTES_MAX {
                return Input::Unusable(format!("{read_bytes} bytes are too many"));
            }
            return Input::Object(payload);
        }
    }
}
