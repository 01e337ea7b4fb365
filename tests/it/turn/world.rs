//! A session in a folder of its own, and a model that answers from a script.

use std::collections::VecDeque;

use graff_notes::{
    Conversation, Notebook,
    budget::RunPool,
    conversation::{
        Answered, Asked, Boundary, Ended, Finished, NoteStep, Recovery, Response, Settings,
        ToolRound, Turn,
    },
    notebook::{self, Answer},
    store::Store,
    turn::{
        HEADINGS, Item, ProviderError, ResponseStop, SteerRejected, Steering, SummaryRequest,
        ToolCall, ToolResult, classify,
    },
    units::{Timestamp, Tokens},
    usage::{Report, Unusable},
};

pub(super) use super::script::{For, Reply, Request, refuses, says, tool};

pub(super) const BASE: &str = "You are an agent.";
pub(super) const NOTE: &str = "Subgoal: src/parse.rs:88 still drops the CR.\n\tDead end: regex.";
pub(super) const OVERFLOW: &str = r#"{"error":{"message":"This model's maximum context length is 1000 tokens. However, your messages resulted in 1200 tokens.","code":"context_length_exceeded"}}"#;

pub(super) fn now() -> Timestamp {
    Timestamp::new(1_786_017_600_000)
}

/// A summary with all seven headings.
pub(super) fn summary() -> String {
    HEADINGS.map(|heading| format!("{heading}: as it was\n")).concat()
}

/// A root folder, and what is set for the agent that runs in it.
pub(super) struct World {
    _folder: tempfile::TempDir,
    pub(super) store: Store,
    pub(super) settings: Settings,
    pub(super) notes: notebook::Settings,
}

impl World {
    /// A world with a model of `window` tokens.
    #[track_caller]
    pub(super) fn of_window(window: u64) -> Self {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let root = camino::Utf8Path::from_path(folder.path()).expect("a UTF-8 path").to_owned();
        let settings = Settings { window: Tokens::new(window), ..Settings::default() };
        let notes = notebook::Settings::default();
        Self { _folder: folder, store: Store::at(root), settings, notes }
    }

    pub(super) fn conversation(&self) -> Conversation {
        self.with_pool(RunPool::default())
    }

    pub(super) fn with_pool(&self, pool: RunPool) -> Conversation {
        Conversation::new(self.notebook(pool), self.settings)
    }

    pub(super) fn notebook(&self, pool: RunPool) -> Notebook {
        Notebook::open(&self.store, "s1", pool, self.notes).expect("a readable log")
    }
}

/// A model that answers from a script; a request that the script does not hold fails the test.
#[derive(Default)]
pub(super) struct Model {
    script: VecDeque<(Reply, Vec<String>)>,
    /// Where there is one, it is asked for each reply instead of the script.
    improvised: Option<Improvise>,
    /// Where there is one, it sees each request first, and may refuse it.
    judge: Option<Judge>,
    /// What the user does between two calls of a turn.
    pub(super) meddler: Option<Meddle>,
    pub(super) requests: Vec<Request>,
    pub(super) steered: Vec<(String, Result<(), SteerRejected>)>,
}

/// Where a turn goes on.
enum Next<'c> {
    Turn(Turn<'c>),
    Boundary(Boundary<'c>),
}

/// Looks at a request, and refuses it or leaves it to the script.
pub(super) type Judge = fn(&Request) -> Option<Reply>;

/// Steers while nothing is awaited.
pub(super) type Meddle = Box<dyn FnMut(&Steering)>;

/// Makes the reply to a request, and may steer meanwhile.
pub(super) type Improvise = Box<dyn FnMut(&Steering) -> Reply>;

impl Model {
    /// A model that makes its replies up.
    pub(super) fn improvising(replies: impl FnMut(&Steering) -> Reply + 'static) -> Self {
        Self { improvised: Some(Box::new(replies)), ..Self::default() }
    }

    /// A model that answers from a script what its provider lets through.
    pub(super) fn judged(judge: Judge, script: impl IntoIterator<Item = Reply>) -> Self {
        Self { judge: Some(judge), ..Self::new(script) }
    }

    pub(super) fn new(script: impl IntoIterator<Item = Reply>) -> Self {
        let script = script.into_iter().map(|reply| (reply, Vec::new())).collect();
        Self { script, ..Self::default() }
    }

    /// Adds to the script.
    pub(super) fn then(&mut self, replies: impl IntoIterator<Item = Reply>) -> &mut Self {
        self.script.extend(replies.into_iter().map(|reply| (reply, Vec::new())));
        self
    }

    /// Adds a reply during which the user says something.
    pub(super) fn then_while(&mut self, steers: &[&str], reply: Reply) -> &mut Self {
        let steers = steers.iter().map(|text| (*text).to_owned()).collect();
        self.script.push_back((reply, steers));
        self
    }

    pub(super) fn asked_for(&self) -> Vec<For> {
        self.requests.iter().map(|request| request.what).collect()
    }

    pub(super) fn last(&self) -> &Request {
        self.requests.last().expect("a request")
    }

    /// Runs a whole turn.
    #[track_caller]
    pub(super) fn run(&mut self, conversation: &mut Conversation, prompt: &str) -> Ended {
        let steering = conversation.steering();
        let mut turn = conversation.begin(prompt).expect("a prompt");
        let boundary = loop {
            self.meddle(&steering);
            let asked = match turn.request(BASE, now()) {
                Ok(asked) => asked,
                Err(unasked) => break unasked.close(now()),
            };
            turn = match self.respond(asked, &steering) {
                Next::Turn(turn) => turn,
                Next::Boundary(boundary) => break boundary,
            };
        };
        self.settle(boundary, &steering)
    }

    /// Takes over another model's window, and does what that asks for.
    #[track_caller]
    pub(super) fn change_window(&mut self, conversation: &mut Conversation, to: u64) -> Ended {
        let steering = conversation.steering();
        let boundary = conversation.change_window(Tokens::new(to), now());
        self.settle(boundary, &steering)
    }

    /// Ends a turn that has had its last response.
    #[track_caller]
    pub(super) fn close(&mut self, finished: Finished<'_>, steering: &Steering) -> Ended {
        self.settle(finished.close(now()), steering)
    }

    #[track_caller]
    fn settle(&mut self, mut boundary: Boundary<'_>, steering: &Steering) -> Ended {
        loop {
            boundary = match boundary {
                Boundary::Note(step) => self.note(step, steering),
                Boundary::Summary(step) => {
                    let answer = self.summarise(step.request(), steering);
                    step.answered(answer, now())
                }
                Boundary::Ended(ended) => {
                    assert!(self.script.is_empty(), "the script holds more: {:?}", self.script);
                    return ended;
                }
            };
        }
    }

    fn respond<'c>(&mut self, asked: Asked<'c>, steering: &Steering) -> Next<'c> {
        self.record(For::Turn, asked.system(), asked.items(), "", None);
        let (response, result) = match self.next(steering) {
            Reply::Text(text, tokens) => (response(&text, tokens), None),
            Reply::Tool(result, tokens) => (response("", tokens), Some(result)),
            Reply::CancelledSuccess(tokens) => {
                let stop = ResponseStop::Cancelled;
                (Response { stop, ..response("I was about to", tokens) }, None)
            }
            Reply::Cancelled => return Next::Boundary(Boundary::Ended(asked.cancelled())),
            Reply::Refused(status, body) => {
                return match classify(status, &body) {
                    ProviderError::ContextWindow(overflow) => {
                        self.recover(asked.overflowed(overflow, now()), steering)
                    }
                    _ => Next::Boundary(Boundary::Ended(asked.failed(body))),
                };
            }
        };
        let calls = result.iter().map(|_| call(self.requests.len())).collect();
        match asked.answered(Response { calls, ..response }) {
            Answered::Tools(round) => Next::Turn(run_tools(round, &result.unwrap_or_default())),
            Answered::Steered(turn) => Next::Turn(turn),
            Answered::Finished(finished) => {
                self.meddle(steering);
                Next::Boundary(finished.close(now()))
            }
        }
    }

    /// The user says something while nothing is awaited.
    fn meddle(&mut self, steering: &Steering) {
        if let Some(meddler) = &mut self.meddler {
            meddler(steering);
        }
    }

    fn recover<'c>(&mut self, mut recovery: Recovery<'c>, steering: &Steering) -> Next<'c> {
        loop {
            recovery = match recovery {
                Recovery::Summary(step) => {
                    let answer = self.summarise(step.request(), steering);
                    step.answered(answer, now())
                }
                Recovery::Recovered(turn) => return Next::Turn(turn),
                Recovery::Ended(ended) => return Next::Boundary(Boundary::Ended(ended)),
            };
        }
    }

    fn note<'c>(&mut self, step: NoteStep<'c>, steering: &Steering) -> Boundary<'c> {
        let (asks, most) = (step.request().instruction(), step.request().output_tokens_max());
        self.record(For::Note, &step.system(BASE), step.items(), asks, Some(most));
        let answer = self.answer(steering);
        step.answered(answer, now())
    }

    fn summarise(&mut self, request: &SummaryRequest, steering: &Steering) -> Answer {
        let most = request.output_tokens_max();
        self.record(For::Summary, request.system(), &[], request.message(), Some(most));
        self.answer(steering)
    }

    fn record(
        &mut self,
        what: For,
        system: &str,
        items: &[Item],
        asks: &str,
        most: Option<Tokens>,
    ) {
        self.requests.push(Request {
            what,
            system: system.to_owned(),
            items: items.to_vec(),
            message: asks.to_owned(),
            output_tokens_max: most,
        });
    }

    fn answer(&mut self, steering: &Steering) -> Answer {
        match self.next(steering) {
            Reply::Text(text, _) => Answer::Text(text),
            Reply::Refused(status, body) => Answer::Failed(format!("status {status}: {body}")),
            Reply::Cancelled | Reply::CancelledSuccess(_) => Answer::Cancelled,
            Reply::Tool(..) => Answer::Failed("it called a tool".to_owned()),
        }
    }

    fn next(&mut self, steering: &Steering) -> Reply {
        if let Some(refusal) = self.judge.and_then(|judge| judge(self.last())) {
            return refusal;
        }
        if let Some(improvised) = &mut self.improvised {
            return improvised(steering);
        }
        let asked = self.asked_for();
        let next = self.script.pop_front();
        let (reply, steers) = next.unwrap_or_else(|| panic!("an unexpected request: {asked:?}"));
        for text in steers {
            let sent = steering.send(text.as_str());
            self.steered.push((text, sent));
        }
        reply
    }
}

pub(super) fn response(text: &str, tokens: Option<u64>) -> Response {
    let usage = tokens.map_or(Err(Unusable::NotReported), |tokens| Ok(report(tokens)));
    Response { text: text.to_owned(), calls: Vec::new(), stop: ResponseStop::EndTurn, usage }
}

fn report(tokens: u64) -> Report {
    let (cache_read, cache_creation) = (Tokens::ZERO, Tokens::ZERO);
    Report::Anthropic { input: Tokens::new(tokens), cache_read, cache_creation }
}

fn call(number: usize) -> ToolCall {
    ToolCall { id: format!("c{number}"), name: "read".to_owned(), arguments: "{}".to_owned() }
}

#[track_caller]
fn run_tools<'c>(round: ToolRound<'c>, result: &str) -> Turn<'c> {
    let ids = round.calls().iter().map(|call| call.id.clone());
    let results = ids.map(|id| ToolResult { id, content: result.to_owned() }).collect();
    round.results(results).expect("a result for each call")
}

pub(super) fn prompt(text: &str) -> Item {
    Item::Prompt { text: text.to_owned() }
}

pub(super) fn steer(text: &str) -> Item {
    Item::Steer { text: text.to_owned() }
}
