//! The parts of a message, in the shapes that the two providers and most agents share.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};
use serde_json::value::RawValue;

use crate::{units::Bytes, usage::IMAGE_PRESSURE};

use super::{
    loose::{Flag, Gather, Gathered, Object},
    text::Text,
};

/// A message's content: its parts, and what all of them weigh.
#[derive(Default)]
pub(super) struct Content<'a> {
    parts: Vec<Part<'a>>,
    weight: Bytes,
}

/// A part: a text, a tool call, what a tool gave back, or an image.
#[derive(Default, Deserialize)]
pub(super) struct Part<'a> {
    #[serde(rename = "type", default, borrow)]
    name_of_kind: Text<'a>,
    #[serde(default, borrow)]
    text: Text<'a>,
    #[serde(default, borrow)]
    thinking: Text<'a>,
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, borrow)]
    input: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) tool_use_id: Text<'a>,
    #[serde(default, borrow)]
    content: Given<'a>,
    #[serde(default)]
    is_error: Flag,
}

/// What a tool gave back: its first text, and what all of it weighs.
#[derive(Default)]
pub(super) struct Given<'a> {
    text: Text<'a>,
    weight: Bytes,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    /// Words of the user, of the model or of the system.
    Text,
    /// A tool call of the model.
    Call,
    /// What a tool gave back.
    Result,
    Image,
    /// The model's thoughts, and what nobody here knows.
    Other,
}

impl<'a> Content<'a> {
    /// So many parts of one message are looked at; the others only weigh.
    const PARTS_MAX: usize = 64;

    /// What the whole message weighs.
    pub(super) const fn weight(&self) -> Bytes {
        self.weight
    }

    /// The texts that somebody said, in order.
    pub(super) fn texts(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.of(Kind::Text).filter(|part| !part.text.is_empty()).map(|part| part.text.head())
    }

    /// The tool calls, in order.
    pub(super) fn calls(&self) -> impl Iterator<Item = &Part<'a>> {
        self.of(Kind::Call)
    }

    /// What tools gave back, in order.
    pub(super) fn results(&self) -> impl Iterator<Item = &Part<'a>> {
        self.of(Kind::Result)
    }

    fn of(&self, kind: Kind) -> impl Iterator<Item = &Part<'a>> {
        self.parts.iter().filter(move |part| part.kind() == kind)
    }
}

impl<'de: 'a, 'a> Gather<'de> for Content<'a> {
    type Item = Object<Part<'a>>;

    fn item(&mut self, Object(part): Self::Item) {
        let Some(part) = part else { return };
        self.weight = self.weight.saturating_add(part.weight());
        if self.parts.len() < Self::PARTS_MAX {
            self.parts.push(part);
        }
    }

    fn text(&mut self, text: Text<'de>) {
        self.item(Object(Some(Part { text, ..Part::default() })));
    }
}

impl Part<'_> {
    /// The arguments of a call, as they are sent.
    pub(super) fn arguments(&self) -> &str {
        self.input.map_or("", RawValue::get)
    }

    /// What a tool gave back.
    pub(super) const fn given(&self) -> &Given<'_> {
        &self.content
    }

    /// Whether the tool said that it failed.
    pub(super) fn failed(&self) -> bool {
        self.is_error.is_set()
    }

    fn kind(&self) -> Kind {
        match self.name_of_kind.short().as_ref() {
            "" | "text" | "input_text" | "output_text" | "Text" => Kind::Text,
            "tool_use" => Kind::Call,
            "tool_result" => Kind::Result,
            "image" | "input_image" | "image_url" => Kind::Image,
            _ => Kind::Other,
        }
    }

    fn weight(&self) -> Bytes {
        match self.kind() {
            Kind::Image => IMAGE_PRESSURE,
            Kind::Call => {
                let names = self.id.bytes().saturating_add(self.name.bytes());
                names.saturating_add(Bytes::of(self.arguments()))
            }
            Kind::Result => self.tool_use_id.bytes().saturating_add(self.given().weight),
            Kind::Text | Kind::Other => {
                let said = self.text.bytes().saturating_add(self.thinking.bytes());
                said.saturating_add(self.given().weight)
            }
        }
    }
}

impl<'a> Given<'a> {
    /// Takes what was given back as a text or as a list of parts.
    fn of(json: &'a str) -> Self {
        if json.starts_with('"') {
            let text = Text::of(json);
            return Self { weight: text.bytes(), text };
        }
        serde_json::from_str::<Gathered<Parts<'_>>>(json).map(|parts| parts.0.0).unwrap_or_default()
    }

    /// The first text of what was given back.
    pub(super) const fn text(&self) -> &Text<'a> {
        &self.text
    }

    /// What all of it weighs.
    pub(super) const fn weight(&self) -> Bytes {
        self.weight
    }
}

impl<'de: 'a, 'a> Deserialize<'de> for Given<'a> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        <&'a RawValue>::deserialize(deserializer).map(|value| Self::of(value.get()))
    }
}

/// The parts of what was given back, as they come.
#[derive(Default)]
struct Parts<'a>(Given<'a>);

impl<'de: 'a, 'a> Gather<'de> for Parts<'a> {
    type Item = Object<Part<'a>>;

    fn item(&mut self, Object(part): Self::Item) {
        let Some(part) = part else { return };
        let given = &mut self.0;
        given.weight = given.weight.saturating_add(part.weight());
        if given.text.is_empty() {
            given.text = part.text;
        }
    }
}
