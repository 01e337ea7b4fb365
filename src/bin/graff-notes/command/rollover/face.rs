//! What `rollover` takes, and in which order it goes about it.

use camino::Utf8PathBuf;
use clap::Args;
use graff_notes::gate::Outcome;

use super::roll::Rolled;
use crate::{
    command::{
        note_turn::{self, NoteTurn},
        splice,
    },
    context::{Context, session},
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    input::{Expected, Input},
    note_from::{self, NoteFrom},
    signals::Held,
    splicing::{Source, Spliced},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes rollover --transcript session.jsonl --system PROMPT.md >next-prompt.md
  graff-notes rollover --transcript session.jsonl --system PROMPT.md --window-tokens 200000 \\
      --note-from 'command:ask-my-model'
  graff-notes rollover --transcript session.jsonl --system PROMPT.md --json | jq .outcome

The transcript is a session file of Claude Code, a rollout of Codex, a chat file of Gemini CLI, \
or plain messages; what is in it tells which. The prompt goes to stdout whatever happens, but for \
one of more than 16 MiB and a command line that cannot be understood; what was decided, and on \
which figures, to stderr, or with --json beside the prompt.

What stands behind command: is run in a shell. It is given the request as JSON on stdin, and as \
`GRAFF_TRANSCRIPT` and `GRAFF_SESSION` where the history is and whose; what it prints is the \
model's reply. A signal that ends the program ends the command too, and comes into effect once \
the prompt is out; a second one ends it at once.

An endpoint is asked once a generation, whatever comes of it. What can be seen to be wrong before \
that (an address that cannot be called, no model) ends with status 2, with the prompt as it is and \
nothing new on record.

Exit status: 0 whatever is decided, and 6 with --require-note where the gate refuses; 1 where the \
note could not be kept, and 4 where another process has the session's log.";

/// Measures, decides, gets and stores the note, and prints the prompt with it
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Rollover {
    #[command(flatten)]
    pub(super) turn: NoteTurn,
    /// System prompt that the note goes into; - for stdin
    #[arg(long, value_name = "FILE")]
    system: Utf8PathBuf,
    /// Where the note comes from: mechanical, stdin, command: and a command, or endpoint: and the
    /// address of a model's endpoint
    #[arg(long, value_name = "SOURCE", default_value = "mechanical")]
    #[arg(value_parser = note_from::Parser)]
    pub(super) note_from: NoteFrom,
    /// Name of the model at an endpoint
    #[cfg(feature = "ask")]
    #[arg(long, value_name = "NAME")]
    pub(super) model: Option<String>,
    /// Puts the rollover on record, due or not, so that the next generation begins: for transcripts
    /// that don't tell of rollovers
    #[arg(long)]
    pub(super) rolled_over: bool,
    /// Ends with status 6 where the gate refuses
    #[arg(long)]
    require_note: bool,
}

impl Rollover {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let base = self.prompt()?;
        let held = Held::hold();
        let ended = self.answer(cx, base, &held);
        heard_or_not(cx.out.flush())?;
        held.give_way();
        ended
    }

    /// Goes through it all, and prints the prompt whatever it comes to.
    fn answer(&self, cx: &mut Context, base: Vec<u8>, held: &Held) -> Result<Exit, Stop> {
        let rolled = match self.roll(cx, held) {
            Ok(rolled) => rolled,
            Err(failure) => {
                self.say_spared(cx, base, &failure)?;
                return Err(failure.into());
            }
        };
        let spliced = match &rolled.source {
            Some(source) => source.splice(base, &cx.notices),
            None => Spliced::bare(base),
        };
        rolled.say(cx, &spliced)?;
        match spliced.trouble {
            Some(trouble) => Err(trouble.into()),
            None => Ok(self.exit(&rolled)?),
        }
    }

    /// Prints the prompt where nothing could be decided: with the note that is on record, if it is
    /// said whose. What keeps the note out too is said, unless that is why nothing was decided.
    fn say_spared(&self, cx: &mut Context, base: Vec<u8>, why: &Failure) -> Result<(), Stop> {
        let source = self.turn.session.as_deref().map(|name| self.on_record(cx, name));
        let spliced = match &source {
            Some(Ok(source)) => source.splice(base, &cx.notices),
            Some(Err(_)) | None => Spliced::bare(base),
        };
        let (source, unread) = source.transpose().map_or_else(|e| (None, Some(e)), |s| (s, None));
        for trouble in unread.iter().chain(&spliced.trouble) {
            if trouble.to_string() != why.to_string() {
                cx.notices.warn_of(trouble);
            }
        }
        splice::say(cx, source.as_ref(), &spliced)
    }

    fn on_record(&self, cx: &Context, name: &str) -> Result<Source, Failure> {
        Source::read(&cx.store()?, session(name)?, self.turn.cap()?)
    }

    fn prompt(&self) -> Result<Vec<u8>, Failure> {
        let system = Input::of(&self.system);
        if matches!((system, &self.note_from), (Input::Stdin, NoteFrom::Stdin)) {
            return Err(Failure::input("read both the prompt and the note from stdin"));
        }
        system.whole(&Expected::PROMPT)
    }

    fn exit(&self, rolled: &Rolled) -> Result<Exit, Failure> {
        let exit = rolled.outcome.as_ref().map_or(Exit::Done, note_turn::exit);
        if let Some(Outcome::StoreFailed { kind, reason }) = &rolled.outcome {
            let what = format_args!("keep the note: {reason}");
            return Err(Failure::new(exit, kind.as_str(), what).about(&rolled.session));
        }
        // A call that failed is told in the account, and costs the prompt nothing.
        let is_refused = exit == Exit::Refused || !rolled.account.fires();
        Ok(if self.require_note && is_refused { Exit::Refused } else { Exit::Done })
    }
}
