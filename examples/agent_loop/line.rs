//! The line to the model's endpoint: one call at a time, each of which can be cancelled.

use std::{io::Read as _, sync::mpsc, thread, time::Duration};

use graff_notes::{conversation::Response, notebook::Answer};
use serde_json::Value;

use super::{
    flags::Flags,
    shape::{Ask, Shape},
};

/// The longest that a model may think.
const PATIENCE: Duration = Duration::from_secs(600);

/// The most of a response that is read.
const BODY_BYTES_MAX: u64 = 67_108_864;

/// The version of Anthropic's interface that is spoken here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// The line to the model's endpoint.
pub(crate) struct Line {
    endpoint: Endpoint,
    events: mpsc::Receiver<Event>,
    sender: mpsc::Sender<Event>,
    calls: u64,
    /// Whether the user has cancelled the turn that runs.
    cancelled: bool,
    /// How many prompts were heard of whose turns have not begun.
    ahead: u64,
}

/// What came of a call.
pub(crate) enum Reply {
    /// The model answered.
    Answered(Response),
    /// The endpoint refused, or there was none.
    Refused {
        /// The HTTP status; 0 where nothing came back.
        status: u16,
        /// Its words.
        body: String,
    },
    /// The user did not want to wait for it.
    Cancelled,
}

/// The user's hand on the line.
#[derive(Clone)]
pub(crate) struct Canceller(mpsc::Sender<Event>);

#[derive(Clone)]
struct Endpoint {
    agent: ureq::Agent,
    url: String,
    model: String,
    shape: Shape,
    api_key: Option<String>,
}

enum Event {
    Returned(u64, Reply),
    Cancelled,
    /// A prompt was handed over: what is cancelled from now on is its turn.
    Prompted,
}

impl Line {
    pub(crate) fn to(flags: &Flags) -> Self {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .timeout_global(Some(PATIENCE));
        let endpoint = Endpoint {
            agent: config.build().into(),
            url: [&flags.endpoint, flags.shape.path()].concat(),
            model: flags.model.clone(),
            shape: flags.shape,
            api_key: flags.api_key.clone(),
        };
        let (sender, events) = mpsc::channel();
        Self { endpoint, events, sender, calls: 0, cancelled: false, ahead: 0 }
    }

    pub(crate) fn canceller(&self) -> Canceller {
        Canceller(self.sender.clone())
    }

    /// Forgets a cancellation that came before the prompt whose turn begins.
    pub(crate) fn begin_prompt(&mut self) {
        self.cancelled = false;
        if let Some(ahead) = self.ahead.checked_sub(1) {
            self.ahead = ahead;
            return;
        }
        while let Ok(event) = self.events.try_recv() {
            if let Event::Prompted = event {
                return;
            }
        }
    }

    /// Forgets a cancellation that came before a turn that has no prompt of its own.
    pub(crate) fn begin_carried(&mut self) {
        self.is_cancelled();
        self.cancelled = false;
    }

    /// Returns whether the user has cancelled the turn that runs.
    pub(crate) fn is_cancelled(&mut self) -> bool {
        while let Ok(event) = self.events.try_recv() {
            self.hear(&event);
        }
        self.cancelled
    }

    fn hear(&mut self, event: &Event) {
        match event {
            Event::Returned(..) => {} // of a call that was cancelled
            Event::Cancelled => self.cancelled = true,
            Event::Prompted => self.ahead += 1,
        }
    }

    /// Makes a call, and waits for it or for the user to cancel it, whichever is first.
    pub(crate) fn ask(&mut self, ask: &Ask<'_>) -> Reply {
        if self.is_cancelled() {
            return Reply::Cancelled;
        }
        self.calls += 1;
        let call = self.calls;
        let body = self.endpoint.shape.body(&self.endpoint.model, ask);
        let (endpoint, sender) = (self.endpoint.clone(), self.sender.clone());
        thread::spawn(move || {
            let reply = endpoint.post(&body);
            let _ = sender.send(Event::Returned(call, reply));
        });
        loop {
            match self.events.recv() {
                Ok(Event::Returned(returned, reply)) if returned == call => return reply,
                Ok(event) => self.hear(&event),
                Err(_) => self.cancelled = true,
            }
            if self.cancelled {
                return Reply::Cancelled;
            }
        }
    }
}

impl Canceller {
    pub(crate) fn cancel(&self) {
        let _ = self.0.send(Event::Cancelled);
    }

    /// Says that a prompt is handed over, before it is.
    pub(crate) fn prompt(&self) {
        let _ = self.0.send(Event::Prompted);
    }
}

impl Endpoint {
    fn post(&self, body: &Value) -> Reply {
        match self.send(body) {
            Ok((200, body)) => match self.shape.read(&body) {
                Some(response) => Reply::Answered(response),
                None => Reply::Refused { status: 200, body },
            },
            Ok((status, body)) if body.trim().is_empty() => {
                Reply::Refused { status, body: format!("status {status}, and no word") }
            }
            Ok((status, body)) => Reply::Refused { status, body },
            Err(e) => Reply::Refused { status: 0, body: e.to_string() },
        }
    }

    fn send(&self, body: &Value) -> Result<(u16, String), ureq::Error> {
        let mut request = self.agent.post(&self.url).header("content-type", "application/json");
        request = match (self.shape, &self.api_key) {
            (Shape::OpenAi, Some(key)) => request.header("authorization", format!("Bearer {key}")),
            (Shape::Anthropic, Some(key)) => request.header("x-api-key", key),
            (_, None) => request,
        };
        if let Shape::Anthropic = self.shape {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        let mut response = request.send(body.to_string())?;
        let mut body = Vec::new();
        // What came of a body that breaks off, or is no text, still says why.
        let _ = response.body_mut().as_reader().take(BODY_BYTES_MAX).read_to_end(&mut body);
        Ok((response.status().as_u16(), String::from_utf8_lossy(&body).into_owned()))
    }
}

impl Reply {
    /// Returns the reply to the request for a note.
    pub(crate) fn into_note(self) -> Answer {
        match self {
            Self::Answered(response) => response.into_note(),
            reply => reply.into_summary(),
        }
    }

    /// Returns the reply to the request for a summary.
    pub(crate) fn into_summary(self) -> Answer {
        match self {
            Self::Answered(response) => response.into_summary(),
            Self::Refused { status, body } => Answer::Failed(format!("status {status}: {body}")),
            Self::Cancelled => Answer::Cancelled,
        }
    }
}
