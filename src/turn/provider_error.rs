//! What a provider's refusal is: a request too large for the model's window, or anything else.
//!
//! The status and the error's code decide first, and only then its words. A refusal for rate or
//! quota is looked for before all else: it often speaks of too many tokens, and no summary would
//! help.

use serde::Serialize;
use serde_json::Value;

use super::patterns;
use crate::units::Tokens;

/// HTTP: bad request.
const BAD_REQUEST: u16 = 400;
/// HTTP: payment required, which is how some providers say that the credit is spent.
const PAYMENT_REQUIRED: u16 = 402;
/// HTTP: content too large. It is about the body's bytes, not the model's window.
const CONTENT_TOO_LARGE: u16 = 413;
/// HTTP: too many requests.
const TOO_MANY_REQUESTS: u16 = 429;

/// The codes by which providers refuse for rate or quota, in lower case.
///
/// Source: the error references of `OpenAI`, Anthropic and Gemini.
const RATE_CODES: [&str; 5] = [
    "billing_error",
    "insufficient_quota",
    "rate_limit_error",
    "rate_limit_exceeded",
    "resource_exhausted",
];

/// The words by which they do so where the code says nothing, in lower case.
const RATE_WORDS: [&str; 6] =
    ["quota", "rate limit", "per minute", "per day", "in one day", "credit balance"];

/// They stand at the start of a message; behind that it may quote what was sent, in bytes.
const RATE_WORDS_WITHIN: usize = 1_024;

/// The words by which a checker of requests quotes a value that does not fit: what stands in that
/// was written by a user, and says nothing of the window.
const QUOTES_A_VALUE: [&str; 3] = ["is not of type", "is not valid under", "does not match"];

/// The codes that name the window, in lower case.
///
/// Source: `OpenAI`'s error reference, and llama.cpp's server.
const WINDOW_CODES: [&str; 3] =
    ["context_length_exceeded", "exceed_context_size_error", "model_max_prompt_tokens_exceeded"];

/// An error inside an error (a gateway's, around a provider's) is looked at to this depth.
const DEPTH_MAX: u32 = 6;

/// So much of a body is looked at, in bytes: some quote all that was sent.
const BODY_BYTES_MAX: usize = 4_194_304;

/// So much of a text that is no JSON is taken for a message, in bytes: what says why stands at its
/// start.
const MESSAGE_BYTES_MAX: usize = 65_536;

/// What stands around a body that was meant to be JSON: marks of an encoding, of a stream's event.
const AROUND: [char; 2] = ['\u{feff}', '\0'];

/// What a provider's refusal is.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum ProviderError {
    /// The request exceeds the model's window: what the overflow ladder is for.
    ContextWindow(ContextOverflow),
    /// Too many requests or tokens for now, or no credit: a summary would be refused as well.
    RateOrQuota,
    /// The body has too many bytes for the server.
    BodyTooLarge,
    /// The request is wrong in another way.
    BadRequest,
    /// Anything else: the server failed, or does not know who asks.
    Other,
}

/// A refusal for size, which only [`classify`] makes: the key to the overflow ladder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ContextOverflow {
    body: String,
    figures: Figures,
}

/// What a refusal for size says of the sizes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Figures {
    /// What was asked for, the output included where the provider counts it.
    pub asked: Option<Tokens>,
    /// What the model holds.
    pub limit: Option<Tokens>,
}

impl ContextOverflow {
    /// Returns the provider's own words: the body of its response.
    #[must_use]
    pub fn body(&self) -> &str {
        &self.body
    }

    /// Returns the sizes that it named.
    #[must_use]
    pub const fn figures(&self) -> Figures {
        self.figures
    }
}

/// Returns what a response with this status and body is.
///
/// Only status 400 with a code or a sentence that names the window is
/// [`ContextWindow`](ProviderError::ContextWindow); what nobody can read is not guessed at.
///
/// # Examples
///
/// ```
/// use graff_notes::turn::{ProviderError, classify};
///
/// let body = r#"{"type":"error","error":{"type":"invalid_request_error",
///     "message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#;
/// assert!(matches!(classify(400, body), ProviderError::ContextWindow(_)));
/// assert_eq!(classify(413, body), ProviderError::BodyTooLarge);
/// ```
///
/// Source: block/buzz PR 3147; earendil-works/pi issue 5930 and anomalyco/opencode issue 13015 for
/// what is mistaken for what.
pub fn classify(status: u16, body: &str) -> ProviderError {
    let said = Said::of(crate::note::head(body, BODY_BYTES_MAX));
    match status {
        TOO_MANY_REQUESTS | PAYMENT_REQUIRED => ProviderError::RateOrQuota,
        _ if said.rate_or_quota() => ProviderError::RateOrQuota,
        CONTENT_TOO_LARGE => ProviderError::BodyTooLarge,
        BAD_REQUEST => match said.exceeds_the_window() {
            Some(figures) => {
                ProviderError::ContextWindow(ContextOverflow { body: body.to_owned(), figures })
            }
            None => ProviderError::BadRequest,
        },
        _ => ProviderError::Other,
    }
}

/// The codes and messages of an error, those of the errors inside it included.
#[derive(Debug, Default)]
struct Said {
    codes: Vec<String>,
    messages: Vec<String>,
}

impl Said {
    fn of(body: &str) -> Self {
        let mut said = Self::default();
        said.hear_text(body, 0);
        said
    }

    /// A text may be an error as JSON, or else says what it says.
    fn hear_text(&mut self, text: &str, depth: u32) {
        let around = |c: char| c.is_whitespace() || AROUND.contains(&c);
        let text = text.trim_matches(around);
        let json = text.strip_prefix("data:").unwrap_or(text);
        match serde_json::from_str::<Value>(json) {
            Ok(value @ (Value::Object(_) | Value::Array(_))) => self.hear(&value, depth),
            _ => self.hear_broken(text),
        }
    }

    /// What is no JSON, or only the start of some, may still hold a code, as a string of its own.
    fn hear_broken(&mut self, text: &str) {
        let known = RATE_CODES.iter().chain(&WINDOW_CODES);
        let codes = known.filter(|code| text.contains(&format!("\"{code}\"")));
        self.codes.extend(codes.map(|code| (*code).to_owned()));
        self.messages.push(crate::note::head(text, MESSAGE_BYTES_MAX).to_owned());
    }

    fn hear(&mut self, value: &Value, depth: u32) {
        if depth > DEPTH_MAX {
            return;
        }
        match value {
            Value::Array(values) => values.iter().for_each(|value| self.hear(value, depth + 1)),
            Value::Object(members) => {
                members.iter().for_each(|(key, value)| self.hear_member(key, value, depth));
            }
            _ => {}
        }
    }

    fn hear_member(&mut self, key: &str, value: &Value, depth: u32) {
        match (key, value) {
            ("code" | "type" | "status" | "reason", Value::String(code)) => {
                self.codes.push(code.to_lowercase());
            }
            ("message" | "raw" | "error" | "detail", Value::String(text)) => {
                self.hear_text(text, depth + 1);
            }
            _ => self.hear(value, depth + 1),
        }
    }

    fn rate_or_quota(&self) -> bool {
        let worded = |message: &String| {
            let words = words(crate::note::head(message, RATE_WORDS_WITHIN));
            RATE_WORDS.iter().any(|rate| words.contains(&format!(" {rate} ")))
        };
        self.coded(&RATE_CODES) || (!self.coded(&WINDOW_CODES) && self.messages.iter().any(worded))
    }

    fn exceeds_the_window(&self) -> Option<Figures> {
        let quotes = |m: &str| QUOTES_A_VALUE.iter().any(|words| m.contains(words));
        let says = self.messages.iter().filter(|message| !quotes(message));
        let worded = says.into_iter().find_map(|m| patterns::exceeds_the_window(m));
        worded.or_else(|| self.coded(&WINDOW_CODES).then(Figures::default))
    }

    fn coded(&self, codes: &[&str]) -> bool {
        self.codes.iter().any(|code| codes.contains(&code.as_str()))
    }
}

/// The words of a message in lower case, each between two spaces.
fn words(message: &str) -> String {
    let lower = message.to_lowercase();
    let words = lower.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty());
    words.fold(" ".to_owned(), |words, word| words + word + " ")
}
