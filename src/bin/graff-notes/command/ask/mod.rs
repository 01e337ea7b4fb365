//! `ask`: one bounded note turn against a model's endpoint.

#[cfg(feature = "ask")]
mod turn;

use clap::Args;

#[cfg(not(feature = "ask"))]
use crate::masked;
#[cfg(feature = "ask")]
use crate::settings;
use crate::{
    command::note_turn::NoteTurn,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes ask --transcript session.jsonl --session fix-parser --model gpt-5 \\
    --endpoint https://api.openai.com/v1/responses
  graff-notes ask --transcript session.jsonl --model qwen3 \\
    --endpoint http://localhost:8080/v1/chat/completions

The endpoint's address says how it speaks: it ends in /chat/completions, /responses or /messages. \
The key is in GRAFF_API_KEY, else in OPENAI_API_KEY or ANTHROPIC_API_KEY. The history goes first \
and the instruction last, without tools, for at most 4096 tokens of output; the one attempt of \
the generation is on record before the call is made. A build without the feature `ask` has no \
endpoints.

What can be seen to be wrong before the call is refused with status 2 and costs nothing: an \
address that cannot be called, no model, a history that is too large. A call that was made and \
failed (no connection, a key that is refused, no answer in time) was the generation's one attempt: \
the same command is refused from then on. The note can still be written outright, with \
`graff-notes write SESSION --generation N`; the next generation, which begins with the next \
rollover, is asked again.

A transcript of plain messages goes as it is, calls of tools in the endpoint's own form; to \
/messages they go as text, since Anthropic refuses calls where the request has no tools. One of \
Claude Code, Codex or Gemini goes as the text of one message, its last 400,000 bytes: it holds \
neither the system prompt nor the tools that the agent's own requests begin with, so no cache \
would know it.

In a pipe it prints: what became of the note, and the figures in words.

Exit status: 0 where the model was asked and answered, 1 where that failed, 2 where it could not \
even be asked, 4 where another process has the session's log, 6 where the gate refuses.";

/// What to do where a build has no endpoints.
#[cfg(not(feature = "ask"))]
pub(in crate::command) const HOW_TO_GET_ENDPOINTS: &str =
    "build it with `cargo install --path . --features ask`";

/// Asks a model for the note of a session, and stores it
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Ask {
    #[command(flatten)]
    turn: NoteTurn,
    /// Address of the endpoint
    #[arg(long, value_name = "URL")]
    endpoint: Option<String>,
    /// Name of the model there
    #[arg(long, value_name = "NAME")]
    model: Option<String>,
}

impl Ask {
    #[cfg(feature = "ask")]
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        turn::run(&self, cx)
    }

    #[cfg(not(feature = "ask"))]
    pub(crate) fn run(self, _cx: &mut Context) -> Result<Exit, Stop> {
        let Self { turn: NoteTurn { transcript, .. }, endpoint, .. } = self;
        let endpoint = endpoint.map_or_else(|| "a model".to_owned(), |it| masked::url(&it));
        let what = format_args!("ask {endpoint} about {transcript}: this build has no endpoints");
        Err(Failure::input(what).advise(HOW_TO_GET_ENDPOINTS).into())
    }

    #[cfg(feature = "ask")]
    fn named<'a>(&self, value: Option<&'a String>, flag: &str) -> Result<&'a str, Failure> {
        value.map(String::as_str).ok_or_else(|| {
            let transcript = &self.turn.transcript;
            Failure::input(format_args!("ask about {transcript}: no {flag} is named"))
                .advise(settings::how_to_name(flag))
        })
    }
}
