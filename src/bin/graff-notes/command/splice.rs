//! `splice`: a prompt comes in, and goes out with the session's newest note in it.
//!
//! Whatever goes wrong, the prompt goes out: an agent that has lost its note still needs its
//! prompt. What went wrong is said on stderr and in the exit status.

use std::{
    borrow::Cow,
    io::{self, IsTerminal, Read},
};

use clap::Args;
use graff_notes::{
    ErrorKind,
    note::{Note, NoteCap},
    prompt::{self, Block, Check},
    session::SessionName,
    store::{Doubt, Newest},
    units::{Bytes, Generation, Seq},
};
use serde::Serialize;

use super::doubt;
use crate::{
    args,
    context::{Context, explain, session},
    disguise::Disguised,
    exit::Exit,
    failure::{Failure, Stop},
    output::Form,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes splice fix-parser <PROMPT.md
  graff-notes splice --strip <spliced.md >PROMPT.md
  graff-notes splice --extract <spliced.md
  graff-notes splice fix-parser --check <spliced.md

The note goes behind the HARD CONSTRAINTS section where the prompt has one, else to its end, and
takes the place of one that is there. Without a note the prompt comes out byte for byte. It comes
out in any case: what went wrong is said on stderr and in the exit status.

Exit status of --extract: 3 where the prompt has no note; of --check: 1 where it has not exactly
the session's newest note.";

/// Puts a session's newest note into a prompt, from stdin to stdout
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Splice {
    /// Name of the session
    #[arg(required_unless_present_any = ["strip", "extract"])]
    session: Option<String>,
    #[command(flatten)]
    mode: Mode,
    /// Most bytes of the note that are shown, 16 to 65536
    #[arg(long, value_name = "N", default_value_t = NoteCap::DEFAULT.get())]
    cap_bytes: usize,
}

/// What to do instead of splicing.
#[derive(Args, Debug)]
#[group(multiple = false)]
struct Mode {
    /// Takes the note out of the prompt
    #[arg(long)]
    strip: bool,
    /// Prints the note that is in the prompt, byte for byte
    #[arg(long)]
    extract: bool,
    /// Says whether the prompt has the session's newest note: current, absent, stale or stacked
    #[arg(long)]
    check: bool,
}

#[derive(Serialize)]
struct Answer<'a> {
    session: Option<&'a str>,
    prompt: &'a str,
    note: Option<NoteAnswer>,
    doubt: Option<doubt::Answer>,
}

/// The note that was put in.
#[derive(Serialize)]
struct NoteAnswer {
    seq: Option<Seq>,
    r#gen: Generation,
    left_out: Bytes,
}

#[derive(Serialize)]
struct Extracted<'a> {
    note: &'a str,
}

#[derive(Serialize)]
struct Checked<'a> {
    session: &'a str,
    check: &'static str,
}

/// What is to be put into a prompt.
struct Source {
    session: SessionName,
    note: Option<Note>,
    doubt: Option<Doubt>,
    cap: NoteCap,
}

impl Splice {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let base = read_base(cx)?;
        let Mode { strip, extract, check } = self.mode;
        if strip {
            return strip_base(cx, base);
        }
        if extract {
            return extract_note(cx, base);
        }
        let source = self.source(cx);
        if check {
            return say_check(cx, base, &source?);
        }
        splice(cx, base, source)
    }

    fn source(&self, cx: &Context) -> Result<Source, Failure> {
        let session = session(self.session.as_deref().unwrap_or_default())?;
        let cap = args::cap(self.cap_bytes)?;
        let store = cx.store()?;
        let Newest { note, doubt } = match store.newest(&session) {
            Err(e) if e.kind() == ErrorKind::NotFound => Newest::default(),
            read => read.map_err(|e| explain(e, &store, &session))?,
        };
        Ok(Source { session, note, doubt, cap })
    }
}

impl Source {
    fn block(&self) -> Option<Block<'_>> {
        self.note.as_ref().map(|note| Block::of(&self.session, note, self.cap))
    }

    /// What the note's text can be told apart from.
    fn text(&self) -> &str {
        self.note.as_ref().map(|note| note.text.as_str()).unwrap_or_default()
    }
}

/// Prints the prompt in any case, then says what went wrong.
fn splice(cx: &mut Context, base: Vec<u8>, source: Result<Source, Failure>) -> Result<Exit, Stop> {
    let source = match source {
        Ok(source) => source,
        Err(failure) => {
            say_prompt(cx, None, &base, None)?;
            return Err(failure.into());
        }
    };
    let Some(block) = source.block() else {
        say_prompt(cx, Some(&source), &base, None)?;
        return match source.doubt {
            Some(doubt) => Err(doubt::failure("splice a note of", &source.session, doubt).into()),
            None => Ok(Exit::Done),
        };
    };
    match Disguised::of(base, source.text()) {
        Ok(base) => {
            let prompt = base.reveal(&prompt::splice(base.text(), Some(&block)));
            say_prompt(cx, Some(&source), &prompt, Some(&block))?;
            warn(cx, &source, &block);
            Ok(Exit::Done)
        }
        Err(base) => {
            say_prompt(cx, Some(&source), &base, None)?;
            Err(unreadable("splice a note into the prompt").into())
        }
    }
}

fn say_prompt(
    cx: &mut Context,
    source: Option<&Source>,
    prompt: &[u8],
    block: Option<&Block<'_>>,
) -> Result<(), Stop> {
    if cx.out.form() != Form::Json {
        return cx.out.bytes(prompt);
    }
    let prompt = &in_json(cx, prompt);
    let note = block.zip(source.and_then(|source| source.note.as_ref()));
    cx.out.json(&Answer {
        session: source.map(|source| source.session.as_str()),
        prompt,
        note: note.map(|(block, note)| NoteAnswer {
            seq: note.seq,
            r#gen: note.generation,
            left_out: block.left_out(),
        }),
        doubt: source.and_then(|source| source.doubt).map(doubt::Answer::from),
    })
}

fn warn(cx: &Context, source: &Source, block: &Block<'_>) {
    if let Some(doubt) = source.doubt {
        cx.notices.warn(doubt::warning(&source.session, doubt));
    }
    if block.left_out() > Bytes::ZERO {
        let (bytes, cap) = (block.left_out(), source.cap.get());
        cx.notices.warn(format_args!("left out {bytes} bytes of the note: over the cap of {cap}"));
    }
}

fn strip_base(cx: &mut Context, base: Vec<u8>) -> Result<Exit, Stop> {
    match Disguised::of(base, "") {
        Ok(base) => {
            let prompt = base.reveal(&prompt::strip(base.text()));
            say_prompt(cx, None, &prompt, None)?;
            Ok(Exit::Done)
        }
        Err(base) => {
            say_prompt(cx, None, &base, None)?;
            Err(unreadable("take the note out of the prompt").into())
        }
    }
}

fn extract_note(cx: &mut Context, base: Vec<u8>) -> Result<Exit, Stop> {
    let base = Disguised::of(base, "").map_err(|_| unreadable("find a note in the prompt"))?;
    let Some(note) = prompt::extract(base.text()) else {
        return Err(Failure::nothing("extract a note: the prompt has none").into());
    };
    let note = base.reveal(note);
    if cx.out.form() == Form::Json {
        let note = &in_json(cx, &note);
        cx.out.json(&Extracted { note })?;
    } else {
        cx.out.bytes(&note)?;
    }
    Ok(Exit::Done)
}

fn say_check(cx: &mut Context, base: Vec<u8>, source: &Source) -> Result<Exit, Stop> {
    let base = Disguised::of(base, source.text()).map_err(|_| unreadable("check the prompt"))?;
    if let Some(doubt) = source.doubt {
        cx.notices.warn(doubt::warning(&source.session, doubt));
    }
    let (word, exit) = match source.block() {
        Some(block) => match prompt::check(base.text(), &block) {
            Check::Current => ("current", Exit::Done),
            Check::Absent => ("absent", Exit::Failed),
            Check::Stale => ("stale", Exit::Failed),
            Check::Stacked { .. } => ("stacked", Exit::Failed),
        },
        None if prompt::extract(base.text()).is_none() => ("current", Exit::Done),
        None => ("stale", Exit::Failed),
    };
    if cx.out.form() == Form::Json {
        cx.out.json(&Checked { session: source.session.as_str(), check: word })?;
    } else {
        cx.out.line(word)?;
    }
    Ok(exit)
}

fn read_base(cx: &Context) -> Result<Vec<u8>, Failure> {
    if io::stdin().is_terminal() {
        cx.notices.hint("reading the prompt from the terminal; Ctrl-D ends it");
    }
    let mut base = Vec::new();
    match io::stdin().lock().read_to_end(&mut base) {
        Ok(_) => Ok(base),
        Err(e) => Err(Failure::system("read the prompt from stdin", &e)),
    }
}

/// JSON holds text only: stray bytes are shown as what they are not, and that is said.
fn in_json<'b>(cx: &Context, bytes: &'b [u8]) -> Cow<'b, str> {
    let text = String::from_utf8_lossy(bytes);
    if matches!(text, Cow::Owned(_)) {
        cx.notices.warn("the prompt is not UTF-8: in JSON, U+FFFD stands for its stray bytes");
    }
    text
}

fn unreadable(what: &str) -> Failure {
    Failure::input(format_args!("{what}: it is not UTF-8, and too odd to be worked around"))
}
