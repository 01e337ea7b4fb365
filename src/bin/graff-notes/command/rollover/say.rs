//! What is said of a rollover: the prompt, and what was decided on which figures.

use camino::Utf8Path;
use graff_notes::{
    gate::Outcome,
    host::transcript::Form as TranscriptForm,
    units::{Generation, Tokens},
};
use serde::Serialize;

use super::roll::Rolled;
use crate::{
    command::{
        account::{self, row},
        splice,
    },
    context::Context,
    doubt,
    failure::{Stop, heard_or_not},
    output::{Form, Notices, plural},
    splicing::{Carried, Spliced},
};

#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    generation: Generation,
    transcript: TranscriptAnswer<'a>,
    #[serde(flatten)]
    account: account::Answer<'a>,
    outcome: Option<&'a Outcome>,
    spliced: Option<&'a Carried>,
    doubt: Option<doubt::Answer>,
    prompt: &'a str,
}

#[derive(Serialize)]
struct TranscriptAnswer<'a> {
    path: &'a Utf8Path,
    form: Option<&'static str>,
    window_tokens: Option<Tokens>,
    compactions: u64,
    records: u64,
    bad_records: u64,
}

impl Rolled {
    pub(super) fn say(&self, cx: &mut Context, spliced: &Spliced) -> Result<(), Stop> {
        if cx.out.form() == Form::Json {
            let prompt = &splice::text_of(cx, &spliced.prompt);
            return heard_or_not(cx.out.json(&self.answer(spliced, prompt)));
        }
        heard_or_not(cx.out.given(&spliced.prompt).and_then(|()| cx.out.flush()))?;
        Notices::account(&self.rows());
        Ok(())
    }

    fn answer<'a>(&'a self, spliced: &'a Spliced, prompt: &'a str) -> Answer<'a> {
        let transcript = &self.transcript;
        let doubt = self.source.as_ref().and_then(|source| source.doubt);
        Answer {
            session: &self.session,
            generation: self.account.situation.generation,
            transcript: TranscriptAnswer {
                path: &self.path,
                form: transcript.form.map(word),
                window_tokens: transcript.window,
                compactions: transcript.compactions,
                records: transcript.records,
                bad_records: transcript.bad_records,
            },
            account: self.account.answer(),
            outcome: self.outcome.as_ref(),
            spliced: spliced.carried.as_ref(),
            doubt: doubt.map(doubt::Answer::from),
            prompt,
        }
    }

    fn rows(&self) -> Vec<[String; 3]> {
        let generation = self.account.situation.generation;
        let session = format!("generation {generation} of {:?}", self.session);
        let mut rows = vec![self.transcript_row(), row("session", "", session)];
        rows.extend(self.account.short_rows());
        rows.push(match &self.outcome {
            // Why, is said as every failure is.
            Some(outcome @ Outcome::StoreFailed { .. }) => {
                row("outcome", outcome.as_str(), "no note was kept")
            }
            Some(outcome) => row("outcome", outcome.as_str(), outcome),
            None if !self.account.handoff.is_due() => {
                row("outcome", "-", "nothing to do: the history need not roll over")
            }
            None if self.account.fires() => {
                row("outcome", "-", "the transcript holds nothing to make a note of")
            }
            None => row("outcome", "-", "no note is asked for"),
        });
        rows
    }

    fn transcript_row(&self) -> [String; 3] {
        let transcript = &self.transcript;
        let records = plural(transcript.records, "record");
        let compactions = plural(transcript.compactions, "compaction");
        let bad = match transcript.bad_records {
            0 => String::new(),
            bad => format!(", {bad} of them unreadable"),
        };
        let form = transcript.form.map_or("empty", word);
        row("transcript", form, format_args!("{records}{bad}, {compactions}"))
    }
}

const fn word(form: TranscriptForm) -> &'static str {
    match form {
        TranscriptForm::ClaudeCode => "claude_code",
        TranscriptForm::Codex => "codex",
        TranscriptForm::Gemini => "gemini",
        TranscriptForm::Plain => "plain",
        _ => "other",
    }
}
