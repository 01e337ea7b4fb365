//! The conversation between two turns.

use super::{Boundary, Finished, Settings, Turn, running::Running};
use crate::{
    facts::Facts,
    notebook::Notebook,
    threshold::{Handoff, Threshold},
    turn::{Handoffs, History, Item, Steering, Steers, StopReason},
    units::{Bytes, BytesPerToken, Timestamp, Tokens},
    usage::{self, Meter, Reading},
};

/// A session of one agent as its host drives it: see the
/// [module](crate::conversation) for the steps of a turn.
///
/// # Examples
///
/// ```
/// use graff_notes::{
///     Conversation, Notebook, budget::RunPool, conversation::{Answered, Boundary, Ended, Response, Settings},
///     notebook, prompt, store::Store, turn::Item, units::{Timestamp, Tokens},
/// };
/// # use graff_notes::{turn::ResponseStop, usage::{Report, Unusable}};
/// # const NOTE: &str = "Subgoal: src/parse.rs:88 still drops the CR.";
/// # fn report(tokens: u64) -> Result<Report, Unusable> {
/// #     Report::from_json(&serde_json::json!({ "input_tokens": tokens, "output_tokens": 9 }))
/// # }
/// # /// Sends a system prompt, a history, a last message of the user, and the limit of the output.
/// # fn ask(_: &str, _: &[Item], last: &str, _: Tokens) -> Response {
/// #     let text = if last.is_empty() { "Mended; one test is left." } else { NOTE }.to_owned();
/// #     Response { text, calls: Vec::new(), stop: ResponseStop::EndTurn, usage: report(9_000) }
/// # }
/// /// Does what is to be done at the end of a turn.
/// fn close(mut boundary: Boundary<'_>, now: Timestamp) -> Ended {
///     loop {
///         boundary = match boundary {
///             Boundary::Note(step) => {
///                 let (system, note) = (step.system("You are an agent."), step.request());
///                 let most = note.output_tokens_max();
///                 let answer = ask(&system, step.items(), note.instruction(), most).into_note();
///                 step.answered(answer, now)
///             }
///             Boundary::Summary(step) => {
///                 let summary = step.request();
///                 let most = summary.output_tokens_max();
///                 let answer = ask(summary.system(), &[], summary.message(), most).into_summary();
///                 step.answered(answer, now)
///             }
///             Boundary::Ended(ended) => return ended,
///         }
///     }
/// }
///
/// # let folder = tempfile::tempdir()?;
/// # let root = camino::Utf8Path::from_path(folder.path()).ok_or("not UTF-8")?;
/// let store = Store::at(root);
/// let notes = notebook::Settings::default();
/// let notebook = Notebook::open(&store, "mend-the-parser", RunPool::default(), notes)?;
/// let settings = Settings { window: Tokens::new(10_000), ..Settings::default() };
/// let mut conversation = Conversation::new(notebook, settings);
/// let now = Timestamp::new(1_786_017_600_000); // the host's clock
///
/// let turn = conversation.begin("mend the parser")?;
/// let asked = turn.request("You are an agent.", now).map_err(|unasked| unasked.to_string())?;
/// let most = Tokens::new(1_000);
/// let response = ask(asked.system(), asked.items(), "", most); // reports 9,000 tokens
/// let Answered::Finished(finished) = asked.answered(response) else { return Ok(()) };
///
/// let ended = close(finished.close(now), now);
/// assert!(ended.rollover.is_performed());
/// assert!(matches!(conversation.history().items(), [Item::Handoff { .. }]));
///
/// let turn = conversation.begin("and now the last test")?;
/// let asked = turn.request("You are an agent.", now).map_err(|unasked| unasked.to_string())?;
/// assert_eq!(prompt::extract(asked.system()), Some(NOTE));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Debug)]
pub struct Conversation {
    pub(super) notebook: Notebook,
    pub(super) settings: Settings,
    pub(super) history: History,
    pub(super) steers: Steers,
    pub(super) meter: Meter,
    pub(super) handoffs: Handoffs,
    pub(super) facts: Facts,
    /// The last request of a turn.
    pub(super) last: Option<Sent>,
}

/// A prompt of white space alone, which begins no turn.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BlankPrompt;

/// What is kept of a request.
#[derive(Debug)]
pub(super) struct Sent {
    pub(super) system: String,
    /// What its history weighed.
    pub(super) weight: Bytes,
}

impl Conversation {
    /// Returns a conversation without a history yet, which keeps its notes in `notebook`.
    #[must_use]
    pub fn new(notebook: Notebook, settings: Settings) -> Self {
        Self::resumed(notebook, settings, History::new())
    }

    /// Returns the conversation of a session that goes on with `history`.
    ///
    /// So many handoffs are taken to have been before as the notebook's generation says, which
    /// counts other rewritings as well.
    #[must_use]
    pub fn resumed(notebook: Notebook, settings: Settings, history: History) -> Self {
        let before = notebook.generation().get();
        Self {
            handoffs: Handoffs::new(settings.proactive).resumed_after(before),
            notebook,
            settings,
            history,
            steers: Steers::new(),
            meter: Meter::new(),
            facts: Facts::new(),
            last: None,
        }
    }

    /// Begins a turn with the user's prompt.
    ///
    /// Steers that the last turn accepted and could not show stand before it.
    ///
    /// # Errors
    ///
    /// Refuses a prompt of white space alone: providers do, and it would stay in the history.
    pub fn begin(&mut self, prompt: impl Into<String>) -> Result<Turn<'_>, BlankPrompt> {
        let prompt = prompt.into();
        if prompt.trim().is_empty() {
            return Err(BlankPrompt);
        }
        self.halt();
        let carried = self.steers.drain();
        self.facts.set_request(&prompt);
        self.history.begin(carried, prompt);
        Ok(self.begun())
    }

    /// Begins a turn with what the last one accepted and could not show, for a host that does not
    /// let the user wait for an answer until the next prompt; `None` where there is nothing.
    pub fn begin_carried(&mut self) -> Option<Turn<'_>> {
        self.halt();
        let carried = self.steers.drain();
        self.facts.set_request(carried.last()?);
        self.history.begin_carried(carried);
        Some(self.begun())
    }

    fn begun(&mut self) -> Turn<'_> {
        self.handoffs.turn_began();
        self.steers.open();
        Turn { running: Running::new(self) }
    }

    /// Takes over another model's window, and asks at once whether the history is too large for it.
    ///
    /// The last request's reading is held against the new window before anything is sent to it.
    pub fn change_window(&mut self, window: Tokens, now: Timestamp) -> Boundary<'_> {
        self.settings.window = window;
        self.handoffs.window_changed();
        Finished { running: Running::new(self), stop: StopReason::WindowChanged }.close(now)
    }

    /// Returns the door for what the user says while a turn runs.
    #[must_use]
    pub fn steering(&self) -> Steering {
        self.steers.steering()
    }

    /// Returns how many steers were accepted and not shown: the next turn begins with them.
    #[must_use]
    pub fn carried(&self) -> usize {
        self.steers.waiting()
    }

    /// Returns what the model is shown.
    #[must_use]
    pub const fn history(&self) -> &History {
        &self.history
    }

    /// Returns the notebook.
    #[must_use]
    pub const fn notebook(&self) -> &Notebook {
        &self.notebook
    }

    /// Returns what the host has set.
    #[must_use]
    pub const fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns what a mechanical note would be made of, for the host to add to: commands, files and
    /// to-do items. The prompt and the model's words are recorded by themselves.
    pub const fn facts(&mut self) -> &mut Facts {
        &mut self.facts
    }

    /// Returns the size of the history: measured for the last request of a turn, or its weight.
    #[must_use]
    pub fn reading(&self) -> Reading {
        self.meter.reading(self.notebook.generation(), || weight(self.history.items()))
    }

    /// Returns how a reading stands to the threshold.
    #[must_use]
    pub fn check(&self, reading: Reading) -> Handoff {
        let threshold = self.settings.policy.threshold(self.settings.window);
        check(&threshold, reading, self.settings.bytes_per_token)
    }

    /// Brings the conversation to rest, and returns how many steers are carried over.
    pub(super) fn halt(&mut self) -> usize {
        self.history.end();
        self.steers.close()
    }
}

impl std::fmt::Display for BlankPrompt {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the prompt is blank")
    }
}

impl std::error::Error for BlankPrompt {}

/// Returns how a reading stands to a threshold: measured, or weighed at a ratio.
#[must_use]
pub fn check(threshold: &Threshold, reading: Reading, ratio: BytesPerToken) -> Handoff {
    match reading {
        Reading::Measured { tokens } => threshold.check_measured(tokens),
        Reading::Pressure { bytes } => threshold.check_pressure(bytes, ratio),
    }
}

/// Returns what items weigh.
pub(super) fn weight(items: &[Item]) -> Bytes {
    usage::pressure(items.iter().map(as_weighed))
}

/// Returns what an item weighs.
pub(super) fn weight_of(item: &Item) -> Bytes {
    as_weighed(item).pressure()
}

fn as_weighed(item: &Item) -> usage::Item<'_> {
    match item {
        Item::Handoff { text }
        | Item::Prompt { text }
        | Item::Steer { text }
        | Item::Assistant { text } => usage::Item::Text(text),
        Item::ToolCall(call) => {
            usage::Item::ToolCall { id: &call.id, name: &call.name, arguments: &call.arguments }
        }
        Item::ToolResult(result) => {
            usage::Item::ToolResult { id: &result.id, content: &result.content }
        }
    }
}
