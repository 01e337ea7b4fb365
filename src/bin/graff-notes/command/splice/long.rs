//! A prompt that is too long to be held: it goes out as it comes, in JSON too.

use std::{
    borrow::Cow,
    io::{self, Read},
};

use super::{Answer, STRAY};
use crate::{context::Context, failure::Stop, output::Form};

/// How much is passed on at once, in bytes.
const PIECE: usize = 128 * 1024;

/// What prints a piece.
type Say<'s> = &'s mut dyn FnMut(&mut Context, &[u8]) -> Result<(), Stop>;

/// Prints what was read of a prompt, and then the rest of it.
pub(super) fn pass_on(cx: &mut Context, beginning: &[u8]) -> Result<(), Stop> {
    if cx.out.form() != Form::Json {
        return rest_of(cx, beginning, &mut |cx, piece| cx.out.given(piece));
    }
    let mut text = Text::default();
    let answer = Answer { session: None, prompt: "", note: None, doubt: None };
    let answer = serde_json::to_string(&answer).unwrap_or_default(); // it has nothing that could fail
    let (before, behind) = answer.split_once(r#""""#).unwrap_or_default();
    cx.out.bytes(before.as_bytes())?;
    cx.out.bytes(b"\"")?;
    rest_of(cx, beginning, &mut |cx, piece| cx.out.bytes(text.escaped(piece).as_bytes()))?;
    cx.out.bytes(text.end().as_bytes())?;
    cx.out.bytes(b"\"")?;
    cx.out.line(behind)?;
    if text.has_strayed {
        cx.notices.warn(STRAY);
    }
    cx.out.flush()
}

/// Hands `say` the beginning and, piece by piece, what else can be read.
fn rest_of(cx: &mut Context, beginning: &[u8], say: Say<'_>) -> Result<(), Stop> {
    let (mut stdin, mut piece) = (io::stdin().lock(), vec![0; PIECE]);
    for piece in beginning.chunks(PIECE) {
        say(cx, piece)?;
    }
    loop {
        match stdin.read(&mut piece) {
            Ok(0) => break,
            Ok(read) => say(cx, piece.get(..read).unwrap_or_default())?,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => {
                cx.notices
                    .warn(format_args!("the prompt is cut off: could not read its rest: {e}"));
                break;
            }
        }
    }
    cx.out.flush()
}

/// A text in JSON whose bytes come in pieces.
#[derive(Default)]
struct Text {
    /// The first bytes of a character whose others may be to come.
    open: Vec<u8>,
    has_strayed: bool,
}

impl Text {
    /// Returns as much of the text as is known with this piece, without quotes around it.
    fn escaped(&mut self, piece: &[u8]) -> String {
        self.open.extend_from_slice(piece);
        let last = self.open.utf8_chunks().last();
        let open = last.map_or(0, |last| last.invalid().len());
        let open = self.open.split_off(self.open.len().saturating_sub(open));
        let known = std::mem::replace(&mut self.open, open);
        self.known(&known)
    }

    /// Returns the rest.
    fn end(&mut self) -> String {
        let rest = std::mem::take(&mut self.open);
        self.known(&rest)
    }

    fn known(&mut self, bytes: &[u8]) -> String {
        let text = String::from_utf8_lossy(bytes);
        self.has_strayed |= matches!(text, Cow::Owned(_));
        let json = serde_json::to_string(&text).unwrap_or_default(); // a text is always one
        let quoted = json.strip_prefix('"').and_then(|json| json.strip_suffix('"'));
        quoted.unwrap_or_default().to_owned()
    }
}
