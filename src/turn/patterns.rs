//! The sentences by which providers say that a request exceeds the model's window.
//!
//! A sentence counts by its words in their order and by its numbers: what was asked for must exceed
//! the limit that it names. So a provider may change a word or two and is still understood, and a
//! complaint about something else that has a limit (the output, a list, an image) is not taken for
//! one about the window.

use super::provider_error::Figures;
use crate::units::Tokens;

/// Between two pieces of a pattern stand at most this many words or numbers that are none.
const GAP_MAX: usize = 8;

/// So many words and numbers of a message are looked at, from its start: a sentence is no longer,
/// and looking for one costs more than in proportion.
const TOKENS_MAX: usize = 512;

/// A piece of a pattern.
#[derive(Clone, Copy)]
enum Piece {
    /// One of these words.
    Word(&'static [&'static str]),
    /// One of these words, with nothing in between.
    Next(&'static [&'static str]),
    /// The next number, which is what was asked for, or a part of it.
    Asked,
    /// The next number, which is the limit.
    Limit,
}

use Piece::{Asked, Limit, Next, Word};

/// What a limit is called.
const MOST: &[&str] = &["allowed", "limit", "maximum", "most"];
/// What a request is called.
const SENT: &[&str] = &["input", "messages", "prompt", "request"];
/// What stands between a request and its size.
const HAS: &[&str] = &["contains", "has", "is", "of"];
/// What a request did, where its size stands behind that.
const CAME_TO: &[&str] = &["contains", "has", "provided", "requested", "resulted", "sent"];
/// What the window is called, behind the word `context`.
const WINDOW: &[&str] = &["length", "limit", "size", "window"];

/// The sentences, in no order: one that matches suffices.
const PATTERNS: &[&[Piece]] = &[
    // Anthropic: prompt is too long: N tokens > M maximum
    &[
        Word(SENT),
        Next(&["is"]),
        Next(&["too"]),
        Next(&["long"]),
        Asked,
        Next(&["tokens"]),
        Limit,
        Next(&["maximum"]),
    ],
    // The same, the limit named first: the prompt has N tokens, the most allowed is M
    &[Word(SENT), Next(HAS), Asked, Word(&["tokens"]), Word(MOST), Limit],
    // Anthropic: input length and `max_tokens` exceed context limit: N + K > M
    &[Word(SENT), Word(&["context"]), Word(WINDOW), Asked, Asked, Limit],
    // The same, the parts named first
    &[Word(SENT), Asked, Word(&["max_tokens"]), Asked, Word(&["context"]), Word(WINDOW), Limit],
    // OpenAI, OpenRouter: maximum context length is M tokens, however you requested N tokens (…)
    &[Word(&["maximum"]), Word(&["context"]), Word(WINDOW), Limit, Word(CAME_TO), Asked],
    // vLLM: maximum context length is M tokens, K output tokens were requested, the prompt has N
    &[
        Word(&["maximum"]),
        Word(&["context"]),
        Word(WINDOW),
        Limit,
        Asked,
        Next(&["output"]),
        Word(SENT),
        Asked,
    ],
    // xAI: maximum prompt length is M but the request contains N tokens
    &[
        Word(&["maximum"]),
        Next(&["input", "prompt"]),
        Next(&["length"]),
        Limit,
        Word(CAME_TO),
        Asked,
    ],
    // Mistral: prompt contains N tokens and …, too large for model with M maximum context length
    &[
        Word(SENT),
        Next(HAS),
        Asked,
        Next(&["tokens"]),
        Word(&["large", "long"]),
        Limit,
        Next(&["maximum"]),
        Next(&["context"]),
    ],
    // Others: input (N tokens) is longer than the model's context length (M tokens)
    &[Word(SENT), Asked, Next(&["tokens"]), Word(&["context"]), Next(WINDOW), Limit],
    // OpenAI's newer interface: your input exceeds the context window of this model
    &[Word(SENT), Word(&["exceeds"]), Word(&["context"]), Word(WINDOW)],
    // Bedrock: input is too long for requested model
    &[Word(SENT), Next(&["is"]), Next(&["too"]), Next(&["long"]), Next(&["for"]), Word(&["model"])],
    // Vertex: input token count is N but model only supports up to M
    &[Word(SENT), Next(&["token"]), Next(&["count"]), Asked, Word(&["supports"]), Limit],
    // Gemini: the input token count (N) exceeds the maximum number of tokens allowed (M)
    &[
        Word(SENT),
        Word(&["token"]),
        Word(&["count"]),
        Asked,
        Word(&["exceeds"]),
        Word(MOST),
        Word(&["tokens"]),
        Word(MOST),
        Limit,
    ],
    // Gemini, which at times leaves out what was asked for
    &[
        Word(SENT),
        Word(&["token"]),
        Word(&["count"]),
        Next(&["exceeds"]),
        Word(MOST),
        Word(&["tokens"]),
        Word(MOST),
    ],
];

/// What a sentence said about sizes.
#[derive(Clone, Copy, Debug, Default)]
struct Sizes {
    asked: Option<u64>,
    limit: Option<u64>,
}

/// A word or a number of a message.
#[derive(Debug, PartialEq, Eq)]
enum Token<'m> {
    Word(&'m str),
    Number(u64),
}

/// Returns the figures of the first pattern that `message` matches, or `None` where it matches
/// none; a pattern that holds no figures gives none.
pub(super) fn exceeds_the_window(message: &str) -> Option<Figures> {
    let lower = message.to_lowercase();
    let tokens: Vec<Token<'_>> = tokens(&lower).take(TOKENS_MAX).collect();
    let sizes = PATTERNS.iter().find_map(|pattern| find(pattern, &tokens))?;
    Some(Figures { asked: sizes.asked.map(Tokens::new), limit: sizes.limit.map(Tokens::new) })
}

/// Looks for a pattern that begins anywhere.
fn find(pattern: &[Piece], tokens: &[Token<'_>]) -> Option<Sizes> {
    (0..tokens.len())
        .filter_map(|start| tokens.get(start..))
        .find_map(|rest| match_from(pattern, rest, 0, Sizes::default()))
}

/// Matches what is left of a pattern, of whose next piece at most `gap` tokens stand in front. A
/// word may be any of its kind that leads on; a number is the first that comes.
fn match_from(pattern: &[Piece], tokens: &[Token<'_>], gap: usize, sizes: Sizes) -> Option<Sizes> {
    let Some((piece, later)) = pattern.split_first() else {
        return sizes.exceed().then_some(sizes);
    };
    let gap = if let Next(_) = piece { 0 } else { gap };
    let mut near = tokens.iter().enumerate().take(gap + 1);
    let lead_on = |(at, token): (usize, &Token<'_>)| {
        let sizes = sizes.with(*piece, token)?;
        match_from(later, tokens.get(at + 1..).unwrap_or_default(), GAP_MAX, sizes)
    };
    match piece {
        Word(_) | Next(_) => near.find_map(lead_on),
        Asked | Limit => {
            near.find(|(_, token)| matches!(token, Token::Number(_))).and_then(lead_on)
        }
    }
}

impl Sizes {
    /// Returns the sizes after `token` has matched `piece`, or `None` where it does not.
    fn with(self, piece: Piece, token: &Token<'_>) -> Option<Self> {
        match (piece, token) {
            (Word(words) | Next(words), Token::Word(word)) if words.contains(word) => Some(self),
            (Asked, Token::Number(number)) => Some(self.with_asked(*number)),
            (Limit, Token::Number(number)) => Some(Self { limit: Some(*number), ..self }),
            _ => None,
        }
    }

    fn with_asked(self, more: u64) -> Self {
        Self { asked: Some(self.asked.unwrap_or_default().saturating_add(more)), ..self }
    }

    /// Whether what was asked for is above the limit, as far as both are known.
    fn exceed(self) -> bool {
        match (self.asked, self.limit) {
            (Some(asked), Some(limit)) => asked > limit,
            _ => true,
        }
    }
}

/// Parts a message into words and numbers; a number may be written in groups, as 1,048,576.
fn tokens(message: &str) -> impl Iterator<Item = Token<'_>> {
    let parts = message.split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | ',')));
    parts.flat_map(|part| {
        let part = part.trim_matches(',');
        let number = number(part).map(Token::Number);
        let words = number.is_none().then(|| part.split(',').map(Token::Word));
        number.into_iter().chain(words.into_iter().flatten())
    })
}

fn number(part: &str) -> Option<u64> {
    let digits: String = part.chars().filter(|c| !matches!(c, ',' | '_')).collect();
    digits.parse().ok()
}
