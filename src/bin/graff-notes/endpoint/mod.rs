//! A model's endpoint: one bounded call, which ends by its deadline whatever comes back.
//!
//! The key comes from the environment and goes into one header; nothing that is printed or kept has
//! it, and no redirect takes it elsewhere. A reply is the model's to the byte, but for a key that
//! is long enough to be a secret.

mod address;
mod history;
mod items;
mod key;
mod shape;

use std::{
    fmt, thread,
    time::{Duration, Instant},
};

use graff_notes::{
    notebook::Answer,
    prompt::NoteRequest,
    turn::{ProviderError, classify},
};
use serde_json::Value;

use crate::{masked, note_from::PATIENCE_SECONDS_MAX};
use key::Key;

pub(crate) use history::History;
pub(crate) use shape::Shape;

/// How much of an answer is read, in bytes: many times what a note of 4,096 tokens takes.
const BODY_BYTES_MAX: u64 = 1024 * 1024;

/// How much of a refusal's words is passed on, in bytes.
const WORDS_MAX: usize = 400;

/// How long a call may take at the most.
const PATIENCE_MAX: Duration = Duration::from_secs(PATIENCE_SECONDS_MAX);

/// How often a call is made that the endpoint asks to be made later.
const TRIES: u32 = 3;

/// What is said of a call that was not answered by its deadline.
const TOO_LATE: &str = "there was no answer in time";

/// The version of Anthropic's interface that is spoken here.
const ANTHROPIC_VERSION: &str = "2023-06-01";

/// A model's endpoint.
#[derive(Clone)]
pub(crate) struct Endpoint {
    url: String,
    host: String,
    shape: Shape,
    model: String,
    key: Key,
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Endpoint").field("url", &masked::url(&self.url)).finish_non_exhaustive()
    }
}

/// What came back.
struct Came {
    status: u16,
    /// How long the endpoint asks to be left alone.
    retry_after: Option<Duration>,
    body: String,
}

impl Endpoint {
    /// Returns the endpoint at `url`, whose path says how it speaks; an error says why no call
    /// could be made there, as far as that can be known before one is.
    pub(crate) fn new(url: &str, model: &str) -> Result<Self, String> {
        let shape = Shape::of(url).ok_or_else(|| {
            let (shown, paths) = (masked::url(url), Shape::PATHS.join(", "));
            format!("{shown} tells of no interface that is spoken here: it must end in {paths}")
        })?;
        let host = address::host(url)?;
        if model.trim().is_empty() {
            return Err("the model's name is blank".to_owned());
        }
        let key = Key::of(shape)?;
        Ok(Self { url: url.to_owned(), host, shape, model: model.to_owned(), key })
    }

    /// Asks for a note, behind the history, and takes no longer than `patience`.
    pub(crate) fn answer(
        &self,
        history: &History,
        request: &NoteRequest,
        patience: Duration,
    ) -> Answer {
        let deadline = Instant::now() + patience.min(PATIENCE_MAX);
        let body = self.shape.body(&self.host, &self.model, history, request);
        let answer = match self.converse(&body, deadline) {
            Ok(came) if came.status == 200 => self.read(&came.body),
            Ok(came) => Err(self.refusal(&came)),
            Err(why) => Err(why),
        };
        match answer {
            Ok(reply) => Answer::Text(self.key.out_of_reply(reply)),
            Err(why) => Answer::Failed(why),
        }
    }

    /// Makes the call, and once more where the endpoint asks for it and there is time.
    fn converse(&self, body: &Value, deadline: Instant) -> Result<Came, String> {
        let mut tries_left = TRIES;
        loop {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(TOO_LATE.to_owned());
            }
            let came = self.post(body, left).map_err(|e| match e {
                ureq::Error::Timeout(_) => TOO_LATE.to_owned(),
                e => self.key.out_of(&e.to_string()),
            })?;
            tries_left -= 1;
            let left = deadline.saturating_duration_since(Instant::now());
            match came.retry_after {
                Some(wait)
                    if matches!(came.status, 429 | 503 | 529) && tries_left > 0 && wait < left =>
                {
                    thread::sleep(wait);
                }
                _ => return Ok(came),
            }
        }
    }

    fn post(&self, body: &Value, patience: Duration) -> Result<Came, ureq::Error> {
        let config = ureq::Agent::config_builder()
            .http_status_as_error(false)
            .max_redirects(0)
            .timeout_global(Some(patience));
        let agent: ureq::Agent = config.build().into();
        let mut request = agent.post(&self.url).header("content-type", "application/json");
        if self.shape == Shape::Anthropic {
            request = request.header("anthropic-version", ANTHROPIC_VERSION);
        }
        request = match (self.shape, self.key.as_str()) {
            (_, None) => request,
            (Shape::Anthropic, Some(key)) => request.header("x-api-key", key),
            (_, Some(key)) => request.header("authorization", format!("Bearer {key}")),
        };
        let mut response = request.send(body.to_string())?;
        let retry_after = response.headers().get("retry-after").and_then(|it| it.to_str().ok());
        let retry_after =
            retry_after.and_then(|it| it.trim().parse().ok()).map(Duration::from_secs);
        let status = response.status().as_u16();
        let body = response.body_mut().with_config().limit(BODY_BYTES_MAX).lossy_utf8(true);
        Ok(Came { status, retry_after, body: body.read_to_string()? })
    }

    fn read(&self, body: &str) -> Result<String, String> {
        let body: Value = serde_json::from_str(body)
            .map_err(|e| format!("the answer is no JSON: {e}: {}", self.words(body)))?;
        self.shape.read(&body)
    }

    fn refusal(&self, Came { status, retry_after, body }: &Came) -> String {
        let what = match classify(*status, body) {
            ProviderError::ContextWindow(_) => "the history is too large for the model",
            ProviderError::RateOrQuota => "the endpoint refuses for rate or quota",
            _ => "the endpoint refuses",
        };
        let later = retry_after.map_or_else(String::new, |wait| {
            format!(", and asks to be left alone for {} s", wait.as_secs())
        });
        format!("{what}, with status {status}{later}: {}", self.words(body))
    }

    /// Returns the first words of a body. The key goes before the cut, which may leave a part of
    /// it.
    fn words(&self, body: &str) -> String {
        let mut words = self.key.out_of(body);
        let end = (0..=words.len().min(WORDS_MAX)).rev().find(|end| words.is_char_boundary(*end));
        words.truncate(end.unwrap_or_default());
        words.trim().to_owned()
    }
}
