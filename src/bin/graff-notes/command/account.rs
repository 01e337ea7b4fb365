//! The account of a decision: what was decided, and the figures that led to it.

use std::fmt;

use graff_notes::{
    budget::Balance,
    conversation,
    gate::{self, Boundary, Provider, Refusal, Row, RowAnswer, Situation, Verdict},
    note::Author,
    threshold::{Binding, Compared, Handoff, Threshold},
    units::{Calls, Generation, Tokens},
    usage::Reading,
};
use serde::Serialize;
use serde_json::Value;

use crate::{
    failure::{Failure, Stop},
    figures::Figures,
    output::{Cell, Form, Output, Table, plural},
};

/// What was decided, and the figures that led to it.
#[derive(Debug)]
pub(super) struct Account {
    pub(super) handoff: Handoff,
    pub(super) situation: Situation,
    threshold: Threshold,
    reading: Reading,
    balance: Balance,
    /// Why the gate refuses; `None` where it fires.
    refusal: Option<Refusal>,
    /// The gate's verdict as the answers have it: its ticket may be spent by now.
    verdict: Value,
    /// Who writes the note, where one is due.
    author: Author,
}

/// An account as the answers have it.
#[derive(Serialize)]
pub(super) struct Answer<'v> {
    threshold: ThresholdAnswer,
    reading: Reading,
    handoff: bool,
    note: &'v Value,
    budget: Balance,
}

/// How an answer is shown at a terminal.
type Show = fn(String) -> Cell;

#[derive(Serialize)]
struct ThresholdAnswer {
    tokens: Tokens,
    binding: Binding,
}

impl Account {
    /// Returns the account of a verdict on a situation.
    pub(super) fn of(
        figures: &Figures,
        reading: Reading,
        situation: Situation,
        verdict: &Verdict,
        author: Author,
    ) -> Result<Self, Failure> {
        let threshold = figures.policy()?.threshold(situation.window);
        Ok(Self {
            handoff: conversation::check(&threshold, reading, figures.ratio()?),
            situation,
            threshold,
            reading,
            balance: figures.pool().balance(figures.pending()),
            refusal: verdict.refusal(),
            // Figures under their names always make JSON.
            verdict: serde_json::to_value(verdict).unwrap_or_default(),
            author,
        })
    }

    /// Returns whether the gate lets the agent be asked.
    pub(super) const fn fires(&self) -> bool {
        self.refusal.is_none()
    }

    pub(super) fn answer(&self) -> Answer<'_> {
        let (tokens, binding) = (self.threshold.tokens(), self.threshold.binding());
        Answer {
            threshold: ThresholdAnswer { tokens, binding },
            reading: self.reading,
            handoff: self.handoff.is_due(),
            note: &self.verdict,
            budget: self.balance,
        }
    }

    pub(super) fn say(&self, out: &mut Output) -> Result<(), Stop> {
        if out.form() == Form::Json {
            return out.json(&self.answer());
        }
        let mut table = Table::of(&[]);
        for (show, [what, answer, figures]) in self.rows() {
            table.row(out, vec![Cell::text(what), show(answer), Cell::text(figures)])?;
        }
        table.end(out)
    }

    /// Returns the account in words (what, answer, figures), and how each answer is shown.
    fn rows(&self) -> Vec<(Show, [String; 3])> {
        let good_if = |is_good| if is_good { Cell::good } else { Cell::strong as Show };
        let gate = gate::rows(&self.situation);
        let gate = gate.iter().zip(1..).map(|(answer, number)| {
            let show = if answer.refusal.is_some() { Cell::bad } else { Cell::strong as Show };
            (show, self.gate_row(number, answer))
        });
        let mut rows: Vec<(Show, _)> = vec![
            (Cell::strong, self.threshold_row()),
            (Cell::strong, self.reading_row()),
            (good_if(self.handoff.is_due()), self.handoff_row()),
        ];
        rows.extend(gate);
        rows.push((good_if(self.fires()), self.note_row()));
        rows.push((Cell::strong, self.budget_row()));
        rows
    }

    /// Returns the account in words, of the gate only its verdict.
    pub(super) fn short_rows(&self) -> [[String; 3]; 5] {
        [
            self.threshold_row(),
            self.reading_row(),
            self.handoff_row(),
            self.note_row(),
            self.budget_row(),
        ]
    }

    fn threshold_row(&self) -> [String; 3] {
        let terms = self.threshold.terms();
        let named = [
            ("percent", terms.percent),
            ("ceiling", terms.ceiling),
            ("window less output reserve", terms.output_reserve),
        ];
        let known = named.iter().filter_map(|(name, term)| Some(format!("{name} {}", (*term)?)));
        let terms = known.collect::<Vec<_>>().join(", ");
        let figures = match self.threshold.binding() {
            Binding::Disabled if terms.is_empty() => "neither a window nor a ceiling".to_owned(),
            Binding::Disabled => format!("nothing ever fires: {terms}"),
            binding => format!("{} binds: {terms}", words(binding)),
        };
        match self.threshold.binding() {
            Binding::Disabled => row("threshold", "disabled", figures),
            _ => row("threshold", self.threshold.tokens(), figures),
        }
    }

    fn reading_row(&self) -> [String; 3] {
        match self.reading {
            Reading::Measured { tokens } => row("reading", tokens, "tokens, measured"),
            Reading::Pressure { bytes } => row("reading", bytes, "bytes of history, not measured"),
        }
    }

    fn handoff_row(&self) -> [String; 3] {
        match self.handoff {
            Handoff::Due(compared) => row("handoff", "yes", reached(compared, "reached", "over")),
            Handoff::NotDue(compared) => {
                row("handoff", "no", reached(compared, "below", "not over"))
            }
            Handoff::Disabled => row("handoff", "no", "there is no threshold"),
        }
    }

    fn gate_row(&self, number: u8, answer: &RowAnswer) -> [String; 3] {
        let what = format!("gate {number} {}", answer.row.as_str());
        match answer.refusal {
            Some(refusal) => row(what, "refuses", refusal),
            None => row(what, "passes", self.figures_of(answer.row)),
        }
    }

    fn note_row(&self) -> [String; 3] {
        match self.refusal {
            Some(refusal) => row("note", refusal.as_str(), refusal),
            None if self.handoff.is_due() => row("note", "fire", due(self.author)),
            None => row("note", "fire", "as soon as the history must roll over"),
        }
    }

    /// Returns the figures that a row of the gate let pass.
    fn figures_of(&self, row: Row) -> String {
        let Situation { generation, attempted, window, effective, .. } = self.situation;
        match row {
            Row::Disabled | Row::Session => String::new(),
            Row::Worker => format!("depth {}", self.situation.depth),
            Row::Attempt => attempt(generation, attempted),
            Row::Budget => budget(&self.situation),
            Row::Recovering => recovering(&self.situation).to_owned(),
            Row::Headroom if window == Tokens::ZERO => "the window is unknown".to_owned(),
            Row::Headroom => {
                let room = gate::headroom(window);
                format!("{effective} tokens and {room} for the note fit into {window}")
            }
        }
    }

    fn budget_row(&self) -> [String; 3] {
        let Balance { cap, used, remaining, reserve, pending, least_remaining_for_note } =
            self.balance;
        if remaining == Calls::MAX {
            return row("budget", "unlimited", format_args!("{used} calls used"));
        }
        let least = match least_remaining_for_note {
            Some(least) => format!("a note needs {least} left"),
            None => "no note can ever fit".to_owned(),
        };
        let figures = format_args!(
            "of {cap} calls {used} are used; {reserve} held back, {pending} pending: {least}"
        );
        row("budget", format_args!("{remaining} left"), figures)
    }
}

pub(super) fn row(
    what: impl fmt::Display,
    answer: impl fmt::Display,
    figures: impl fmt::Display,
) -> [String; 3] {
    [what.to_string(), answer.to_string(), figures.to_string()]
}

const fn due(author: Author) -> &'static str {
    match author {
        Author::Agent => "the agent is to be asked for its note",
        Author::Mechanical => "a note is to be made of what the transcript holds",
    }
}

const fn words(binding: Binding) -> &'static str {
    match binding {
        Binding::OutputReserve => "output reserve",
        other => other.as_str(),
    }
}

fn reached(compared: Compared, measured: &str, weighed: &str) -> String {
    match compared {
        Compared::Measured { tokens, limit } => format!("{tokens} tokens, {measured} {limit}"),
        Compared::Pressure { bytes, limit } => format!("{bytes} bytes, {weighed} {limit}"),
    }
}

fn attempt(generation: Generation, attempted: Option<Generation>) -> String {
    match attempted {
        Some(attempted) => format!("generation {generation}, the last attempt was of {attempted}"),
        None => format!("generation {generation}, no attempt on record"),
    }
}

fn budget(situation: &Situation) -> String {
    let Situation { remaining, reserve, cost, .. } = *situation;
    if remaining == Calls::MAX {
        return "no limit".to_owned();
    }
    let left = plural(remaining.get(), "call");
    let fit = if cost == Calls::new(1) { "fits" } else { "fit" };
    format!("{left} left and {reserve} held back: {cost} {fit}")
}

const fn recovering(situation: &Situation) -> &'static str {
    match (situation.provider, situation.boundary) {
        (Provider::Rejected, _) => "",
        (Provider::Accepted, Boundary::EndOfTurn) => "at the end of a turn",
        (Provider::Accepted, Boundary::MidTurn) => "in the midst of a turn, with room left",
    }
}
