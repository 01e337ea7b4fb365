//! The agent: whole turns, from the prompt to what is installed at their end.

use std::{
    io::Write,
    time::{SystemTime, UNIX_EPOCH},
};

use graff_notes::{
    Conversation, Notebook,
    budget::RunPool,
    conversation::{Answered, Asked, Boundary, Ended, Recovery, Settings, ToolRound, Turn},
    notebook,
    store::Store,
    threshold::Policy,
    turn::{Item, Proactive, ProviderError, Steering, SummaryRequest, classify},
    units::{Calls, Timestamp, Tokens},
};

use super::{
    flags::Flags,
    line::{Canceller, Line, Reply},
    shape::{Ask, Tools as Use},
    tools::Tools,
};

/// The system prompt, without the note.
pub(crate) const BASE: &str = "\
You are an agent that works in a scratch folder. Read before you change anything, run what you \
change, and say at the end what you did.

HARD CONSTRAINTS
- Leave everything outside of the scratch folder alone.
";

/// The most that the model may say in one response of a turn.
const OUTPUT_TOKENS_MAX: Tokens = Tokens::new(8_192);

/// The part of a small window that it may take: the tenth that the threshold leaves.
const WINDOW_SHARE: u64 = 10;

/// The agent.
pub(crate) struct Agent {
    conversation: Conversation,
    hands: Hands,
}

/// What the agent acts with.
struct Hands {
    line: Line,
    tools: Tools,
    output_tokens_max: Tokens,
}

impl Agent {
    pub(crate) fn start(flags: &Flags) -> Result<Self, String> {
        let store = Store::at(flags.root.as_str());
        let pool = RunPool::builder().cap(Calls::new(flags.calls_cap)).build();
        let notes = notebook::Settings::default();
        let notebook =
            Notebook::open(&store, &flags.session, pool, notes).map_err(|e| e.with_causes())?;
        let output_tokens_max = match flags.window_tokens {
            0 => OUTPUT_TOKENS_MAX,
            window => Tokens::new((window / WINDOW_SHARE).max(1)).min(OUTPUT_TOKENS_MAX),
        };
        let settings = Settings {
            window: Tokens::new(flags.window_tokens),
            policy: Policy::default().with_output_reserve(output_tokens_max),
            proactive: Proactive::from_max_handoffs(flags.max_handoffs),
            rounds_max: flags.rounds_max,
            ..Settings::default()
        };
        Ok(Self {
            conversation: Conversation::new(notebook, settings),
            hands: Hands {
                line: Line::to(flags),
                tools: Tools::within(&flags.scratch)?,
                output_tokens_max,
            },
        })
    }

    pub(crate) fn steering(&self) -> Steering {
        self.conversation.steering()
    }

    pub(crate) fn canceller(&self) -> Canceller {
        self.hands.line.canceller()
    }

    pub(crate) const fn conversation(&self) -> &Conversation {
        &self.conversation
    }

    /// Runs a turn for a prompt, and writes down what the model says.
    pub(crate) fn turn(&mut self, prompt: &str, output: &mut dyn Write) -> Result<Ended, String> {
        let Self { conversation, hands } = self;
        hands.line.begin_prompt();
        let turn = conversation.begin(prompt).map_err(|blank| blank.to_string())?;
        hands.run(turn, output)
    }

    /// Runs a turn for what the last one accepted and could not show the model, if anything.
    pub(crate) fn turn_for_carried(
        &mut self,
        output: &mut dyn Write,
    ) -> Option<Result<Ended, String>> {
        let Self { conversation, hands } = self;
        let turn = conversation.begin_carried()?;
        hands.line.begin_carried();
        Some(hands.run(turn, output))
    }
}

impl Hands {
    fn run(&mut self, mut turn: Turn<'_>, output: &mut dyn Write) -> Result<Ended, String> {
        let boundary = loop {
            let asked = match turn.request(BASE, now()) {
                Ok(asked) => asked,
                Err(unasked) => break unasked.close(now()),
            };
            turn = match self.ask(asked, output)? {
                Next::Turn(turn) => turn,
                Next::Boundary(boundary) => break boundary,
            };
        };
        Ok(self.settle(boundary))
    }

    /// Makes a request of the turn, and does what its response asks for.
    fn ask<'c>(&mut self, asked: Asked<'c>, output: &mut dyn Write) -> Result<Next<'c>, String> {
        let note = asked.spliced();
        let doubt = note.doubt.as_ref();
        let doubt = doubt.map(|at| format!("-- a newer note may be damaged, at {}\n", at.offset));
        let trouble = note.trouble.as_ref().map(|e| format!("-- no note: {}\n", e.with_causes()));
        let trouble = [doubt, trouble].into_iter().flatten().collect::<String>();
        write!(output, "{trouble}").map_err(|e| format!("write the answer: {e}"))?;
        let reply = self.line.ask(&Ask {
            system: asked.system(),
            items: asked.items(),
            last: None,
            tools: Use::Offered,
            output_tokens_max: self.output_tokens_max,
        });
        let response = match reply {
            Reply::Answered(response) => response,
            Reply::Cancelled => return Ok(Next::ended(asked.cancelled())),
            Reply::Refused { status, body } => {
                return Ok(match classify(status, &body) {
                    ProviderError::ContextWindow(overflow) => {
                        self.recover(asked.overflowed(overflow, now()))
                    }
                    _ => Next::ended(asked.failed(body)),
                });
            }
        };
        if !response.text.is_empty() {
            writeln!(output, "{}", response.text).map_err(|e| format!("write the answer: {e}"))?;
        }
        Ok(match asked.answered(response) {
            Answered::Tools(round) => self.run_tools(round),
            Answered::Steered(turn) => Next::Turn(turn),
            Answered::Finished(finished) => Next::Boundary(finished.close(now())),
        })
    }

    fn run_tools<'c>(&mut self, mut round: ToolRound<'c>) -> Next<'c> {
        let calls = round.calls().to_vec();
        let mut results = Vec::new();
        for call in &calls {
            let line = &mut self.line;
            match self.tools.run(call, round.facts(), &mut || line.is_cancelled()) {
                Some(result) => results.push(result),
                None => return Next::ended(round.cancelled()),
            }
        }
        match round.results(results) {
            Ok(turn) => Next::Turn(turn),
            Err(unfit) => {
                let why = unfit.to_string();
                Next::ended(unfit.round.failed(why))
            }
        }
    }

    /// Goes down the ladder until a summary fits.
    fn recover<'c>(&mut self, mut recovery: Recovery<'c>) -> Next<'c> {
        loop {
            recovery = match recovery {
                Recovery::Summary(step) => {
                    let answer = self.summarise(step.request()).into_summary();
                    step.answered(answer, now())
                }
                Recovery::Recovered(turn) => return Next::Turn(turn),
                Recovery::Ended(ended) => return Next::ended(ended),
            };
        }
    }

    /// Does what is to be done at the end of a turn.
    fn settle(&mut self, mut boundary: Boundary<'_>) -> Ended {
        loop {
            boundary = match boundary {
                Boundary::Note(step) => {
                    let system = step.system(BASE);
                    let request = step.request();
                    let (last, most) = (request.instruction(), request.output_tokens_max());
                    let answer = self.write_note(&system, step.items(), last, most).into_note();
                    step.answered(answer, now())
                }
                Boundary::Summary(step) => {
                    let answer = self.summarise(step.request()).into_summary();
                    step.answered(answer, now())
                }
                Boundary::Ended(ended) => return ended,
            };
        }
    }

    fn write_note(&mut self, system: &str, items: &[Item], last: &str, most: Tokens) -> Reply {
        let (last, tools) = (Some(last), Use::Withheld);
        self.line.ask(&Ask { system, items, last, tools, output_tokens_max: most })
    }

    fn summarise(&mut self, request: &SummaryRequest) -> Reply {
        self.line.ask(&Ask {
            system: request.system(),
            items: &[],
            last: Some(request.message()),
            tools: Use::Absent,
            output_tokens_max: request.output_tokens_max(),
        })
    }
}

/// Where a turn goes on.
enum Next<'c> {
    Turn(Turn<'c>),
    Boundary(Boundary<'c>),
}

impl Next<'_> {
    const fn ended(ended: Ended) -> Self {
        Self::Boundary(Boundary::Ended(ended))
    }
}

fn now() -> Timestamp {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    Timestamp::new(u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}
