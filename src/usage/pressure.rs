//! The weight of a history in bytes, for when nobody measured it in tokens.

use crate::units::Bytes;

/// What an image weighs, whatever its size.
///
/// Source: block/buzz PR 3147.
pub const IMAGE_PRESSURE: Bytes = Bytes::new(16_384);

/// A piece of a history, as far as its weight goes.
///
/// A message of several parts is several items.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item<'a> {
    /// Text of the user, of the model, or of the system.
    Text(&'a str),
    /// A tool call of the model.
    ToolCall {
        /// The id that ties it to its result.
        id: &'a str,
        /// The tool's name.
        name: &'a str,
        /// The arguments as they are sent, serialized.
        arguments: &'a str,
    },
    /// What a tool gave back.
    ToolResult {
        /// The id of the call that it answers.
        id: &'a str,
        /// The text that was given back.
        content: &'a str,
    },
    /// An image, in a message or in what a tool gave back.
    Image,
}

impl Item<'_> {
    /// Returns the weight of this piece.
    #[must_use]
    pub const fn pressure(&self) -> Bytes {
        match self {
            Self::Text(text) => Bytes::of(text),
            Self::ToolCall { id, name, arguments } => {
                Bytes::of(id).saturating_add(Bytes::of(name)).saturating_add(Bytes::of(arguments))
            }
            Self::ToolResult { id, content } => Bytes::of(id).saturating_add(Bytes::of(content)),
            Self::Image => IMAGE_PRESSURE,
        }
    }
}

/// Returns the weight of a history: the bytes of its text, with a flat figure for each image.
///
/// # Examples
///
/// ```
/// use graff_notes::{units::Bytes, usage::{Item, pressure}};
///
/// let call = Item::ToolCall { id: "c1", name: "read", arguments: r#"{"path":"a"}"# };
/// assert_eq!(pressure([Item::Text("look at a"), call]), Bytes::new(9 + 2 + 4 + 12));
/// ```
#[must_use]
pub fn pressure<'a>(history: impl IntoIterator<Item = Item<'a>>) -> Bytes {
    history.into_iter().fold(Bytes::ZERO, |weight, item| weight.saturating_add(item.pressure()))
}
