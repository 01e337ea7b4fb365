//! `splice`: a prompt comes in, and goes out with the session's newest note in it.
//!
//! Whatever goes wrong, the prompt goes out: an agent that has lost its note still needs its
//! prompt. What went wrong is said on stderr and in the exit status.

mod long;

use std::{
    borrow::Cow,
    io::{self, IsTerminal},
};

use clap::Args;
use graff_notes::{
    note::NoteCap,
    prompt::{self, Check},
    session::SessionName,
    store::Store,
};
use serde::Serialize;

use crate::{
    alike, args,
    context::Context,
    disguise::Disguised,
    doubt,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    input::{Expected, Input},
    output::Form,
    splicing::{Carried, Source, Spliced, unreadable},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes splice fix-parser <PROMPT.md
  graff-notes splice --strip <spliced.md >PROMPT.md
  graff-notes splice --extract <spliced.md
  graff-notes splice fix-parser --check <spliced.md

The note goes behind the HARD CONSTRAINTS section where the prompt has one, else to its end, and \
takes the place of one that is there. Without a note the prompt comes out byte for byte. It comes \
out whatever goes wrong, which is said on stderr and in the exit status; one of more than 16 MiB \
goes out as it came. Only a command line that cannot be understood leaves stdout empty.

Exit status: 3 with --extract where the prompt has no note; 1 with --check where it has not \
exactly the session's newest note, 5 where damage may have cost that.";

/// Puts a session's newest note into a prompt, from stdin to stdout
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Splice {
    /// Name of the session; at a terminal the beginning of one will do
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

/// What is said of a prompt that JSON cannot hold as it is.
const STRAY: &str = "the prompt is not UTF-8: in JSON, U+FFFD stands for its stray bytes";

#[derive(Serialize)]
struct Answer<'a> {
    session: Option<&'a str>,
    prompt: &'a str,
    note: Option<&'a Carried>,
    doubt: Option<doubt::Answer>,
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

impl Splice {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let Mode { strip, extract, check } = self.mode;
        let (base, refused) = read_base(cx);
        if let Some(refused) = refused {
            if !extract && !check {
                heard_or_not(long::pass_on(cx, &base))?;
            }
            return Err(refused.into());
        }
        if strip {
            return strip_base(cx, base);
        }
        if extract {
            return extract_note(cx, base);
        }
        let store = cx.store();
        let source = store.and_then(|store| self.source(cx, &store));
        if check {
            return say_check(cx, base, &source?);
        }
        let spliced = match &source {
            Ok(source) => source.splice(base, &cx.notices),
            Err(_) => Spliced::bare(base),
        };
        say(cx, source.as_ref().ok(), &spliced)?;
        match source.err().or(spliced.trouble) {
            Some(trouble) => Err(trouble.into()),
            None => Ok(Exit::Done),
        }
    }

    fn source(&self, cx: &Context, store: &Store) -> Result<Source, Failure> {
        let session = cx.to_read(store, self.session.as_deref().unwrap_or_default())?;
        let cap = args::cap(self.cap_bytes)?;
        let source = Source::read(store, session, cap)?;
        let is_bare = source.block().is_none() && source.doubt.is_none();
        if is_bare && cx.notices.is_for_a_person() {
            cx.notices.hint(without_a_note(store, &source.session));
        }
        Ok(source)
    }
}

/// Returns that a session has no note, to a person who may have meant another.
fn without_a_note(store: &Store, session: &SessionName) -> String {
    let names = store.sessions().unwrap_or_default().names;
    let others = alike::with_beginning_in_words(names, session).map(|others| format!("; {others}"));
    let others = others.unwrap_or_default();
    format!("session {session} has no note, so that the prompt is left without one{others}")
}

/// Prints the prompt, whether or not anybody reads it: what went wrong is still to be told.
pub(super) fn say(
    cx: &mut Context,
    source: Option<&Source>,
    spliced: &Spliced,
) -> Result<(), Stop> {
    if cx.out.form() != Form::Json {
        return heard_or_not(cx.out.given(&spliced.prompt));
    }
    let prompt = &text_of(cx, &spliced.prompt);
    heard_or_not(cx.out.json(&Answer {
        session: source.map(|source| source.session.as_str()),
        prompt,
        note: spliced.carried.as_ref(),
        doubt: source.and_then(|source| source.doubt).map(doubt::Answer::from),
    }))
}

fn strip_base(cx: &mut Context, base: Vec<u8>) -> Result<Exit, Stop> {
    let stripped = match Disguised::of(base, "") {
        Ok(base) => Spliced::bare(base.reveal(&prompt::strip(base.text()))),
        Err(base) => Spliced::without(base, unreadable("take the note out of the prompt")),
    };
    say(cx, None, &stripped)?;
    match stripped.trouble {
        Some(trouble) => Err(trouble.into()),
        None => Ok(Exit::Done),
    }
}

fn extract_note(cx: &mut Context, base: Vec<u8>) -> Result<Exit, Stop> {
    let base = Disguised::of(base, "").map_err(|_| unreadable("find a note in the prompt"))?;
    let Some(note) = prompt::extract(base.text()) else {
        return Err(Failure::nothing("extract a note: the prompt has none").into());
    };
    let note = base.reveal(note);
    if cx.out.form() == Form::Json {
        let note = &text_of(cx, &note);
        cx.out.json(&Extracted { note })?;
    } else {
        cx.out.given(&note)?;
    }
    Ok(Exit::Done)
}

fn say_check(cx: &mut Context, base: Vec<u8>, source: &Source) -> Result<Exit, Stop> {
    let base = source.disguise(base).map_err(|_| unreadable("check the prompt"))?;
    let block = source.block();
    match (&block, source.doubt) {
        (Some(_), Some(doubt)) => cx.notices.warn(doubt::warning(&source.session, doubt)),
        (Some(_), None) => {}
        (None, _) => {
            let unknown = source.without_a_note("check for a note of", &cx.notices);
            unknown.map_or(Ok(()), |why| Err(Stop::from(why)))?;
        }
    }
    let (check, exit) = match block {
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
        cx.out.json(&Checked { session: source.session.as_str(), check })?;
    } else {
        cx.out.line(check)?;
    }
    Ok(exit)
}

/// Returns what could be read of the prompt, and why that is not all.
fn read_base(cx: &Context) -> (Vec<u8>, Option<Failure>) {
    if io::stdin().is_terminal() {
        cx.notices.hint("reading the prompt from the terminal; Ctrl-D ends it");
    }
    Input::Stdin.as_far_as(&Expected::PROMPT)
}

/// Returns what JSON can say of a prompt: it holds text only, so that stray bytes are shown as what
/// they are not, and that is said.
pub(super) fn text_of<'b>(cx: &Context, prompt: &'b [u8]) -> Cow<'b, str> {
    let text = String::from_utf8_lossy(prompt);
    if matches!(text, Cow::Owned(_)) {
        cx.notices.warn(STRAY);
    }
    text
}
