//! The records as they stand in the file.

use std::borrow::Cow;

use serde::{Deserialize, de::IgnoredAny};
use serde_json::value::RawValue;

use crate::{
    host::transcript::{
        loose::{Flag, Gather, Gathered, Object},
        text::Text,
    },
    units::Bytes,
    usage::IMAGE_PRESSURE,
};

/// What stands at the start of the summary that takes a history's place.
pub(super) const SUMMARY: &str = "<state_snapshot>";
#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(rename = "$set", default, borrow)]
    pub(super) set: Object<Set<'a>>,
    #[serde(rename = "sessionId", default, borrow)]
    pub(super) session: Text<'a>,
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) content: Gathered<Content<'a>>,
    #[serde(rename = "displayContent", default)]
    pub(super) display: Option<IgnoredAny>,
    #[serde(default, borrow)]
    pub(super) tokens: Object<Count<'a>>,
    #[serde(rename = "toolCalls", default, borrow)]
    pub(super) tool_calls: Gathered<ToolCalls<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Set<'a> {
    #[serde(default)]
    pub(super) messages: Option<Gathered<History>>,
    #[serde(rename = "sessionId", default, borrow)]
    pub(super) session: Text<'a>,
}

#[derive(Deserialize)]
pub(super) struct Count<'a> {
    #[serde(default, borrow)]
    pub(super) input: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) output: Option<&'a RawValue>,
}

/// A whole list of messages: what it weighs, and the summary in it.
#[derive(Default)]
pub(super) struct History {
    pub(super) weight: Bytes,
    pub(super) summary: Option<String>,
}

#[derive(Deserialize)]
pub(super) struct Message<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) content: Gathered<Content<'a>>,
}

/// A message's texts, and what all of it weighs.
#[derive(Default)]
pub(super) struct Content<'a> {
    pub(super) texts: Vec<Text<'a>>,
    pub(super) weight: Bytes,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Part<'a> {
    #[serde(default, borrow)]
    pub(super) text: Text<'a>,
    #[serde(default)]
    pub(super) thought: Flag,
    #[serde(default, borrow)]
    pub(super) function_call: Object<FunctionCall<'a>>,
    #[serde(default, borrow)]
    pub(super) function_response: Object<FunctionResponse<'a>>,
    #[serde(default)]
    pub(super) inline_data: Option<IgnoredAny>,
}

#[derive(Deserialize)]
pub(super) struct FunctionCall<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) args: Option<&'a RawValue>,
}

#[derive(Deserialize)]
pub(super) struct FunctionResponse<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) response: Object<Response<'a>>,
}

#[derive(Deserialize)]
pub(super) struct Response<'a> {
    #[serde(default, borrow)]
    pub(super) output: Text<'a>,
    #[serde(default, borrow)]
    pub(super) error: Text<'a>,
}

#[derive(Default)]
pub(super) struct ToolCalls<'a>(pub(super) Vec<ToolCall<'a>>);

#[derive(Deserialize)]
pub(super) struct ToolCall<'a> {
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) args: Option<&'a RawValue>,
    #[serde(default, borrow)]
    pub(super) status: Text<'a>,
    #[serde(default, borrow)]
    pub(super) result: Gathered<Results<'a>>,
}

#[derive(Default)]
pub(super) struct Results<'a>(pub(super) Option<FunctionResponse<'a>>);

impl Content<'_> {
    pub(super) fn said(&self) -> impl Iterator<Item = Cow<'_, str>> {
        self.texts.iter().filter(|text| !text.is_empty()).map(Text::head)
    }
}

impl<'de: 'a, 'a> Gather<'de> for Content<'a> {
    type Item = Object<Part<'a>>;

    fn item(&mut self, Object(part): Self::Item) {
        const TEXTS_MAX: usize = 16;
        let Some(part) = part else { return };
        self.weight = self.weight.saturating_add(part.weight());
        if self.texts.len() < TEXTS_MAX && !part.thought.is_set() {
            self.texts.push(part.text);
        }
    }

    fn text(&mut self, text: Text<'de>) {
        self.weight = text.bytes();
        self.texts.push(text);
    }
}

impl Part<'_> {
    pub(super) fn weight(&self) -> Bytes {
        let call = self.function_call.0.as_ref().map(FunctionCall::weight);
        let response = self.function_response.0.as_ref().map(FunctionResponse::weight);
        let image = self.inline_data.map(|_| IMAGE_PRESSURE);
        let other = [call, response, image].into_iter().flatten();
        other.fold(self.text.bytes(), Bytes::saturating_add)
    }
}

impl FunctionCall<'_> {
    pub(super) fn weight(&self) -> Bytes {
        call_weight(&self.id, &self.name, self.args)
    }
}

impl FunctionResponse<'_> {
    pub(super) fn weight(&self) -> Bytes {
        let said = self.response.0.as_ref();
        let said = said.map(|said| said.output.bytes().saturating_add(said.error.bytes()));
        self.id.bytes().saturating_add(said.unwrap_or_default())
    }
}

fn call_weight(id: &Text<'_>, name: &Text<'_>, args: Option<&RawValue>) -> Bytes {
    let args = args.map_or(Bytes::ZERO, |args| Bytes::of(args.get()));
    id.bytes().saturating_add(name.bytes()).saturating_add(args)
}

impl ToolCalls<'_> {
    pub(super) fn weight(&self) -> Bytes {
        let weights = self.0.iter().map(|it| call_weight(&it.id, &it.name, it.args));
        weights.fold(Bytes::ZERO, Bytes::saturating_add)
    }
}

impl<'de: 'a, 'a> Gather<'de> for ToolCalls<'a> {
    type Item = Object<ToolCall<'a>>;

    fn item(&mut self, Object(call): Self::Item) {
        const CALLS_MAX: usize = 64;
        self.0.extend(call.filter(|_| self.0.len() < CALLS_MAX));
    }
}

impl<'de: 'a, 'a> Gather<'de> for Results<'a> {
    type Item = Object<ResultPart<'a>>;

    fn item(&mut self, Object(part): Self::Item) {
        let response = part.and_then(|part| part.function_response.0);
        self.0 = self.0.take().or(response);
    }
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct ResultPart<'a> {
    #[serde(default, borrow)]
    pub(super) function_response: Object<FunctionResponse<'a>>,
}

impl<'de> Gather<'de> for History {
    type Item = Object<Message<'de>>;

    fn item(&mut self, Object(message): Self::Item) {
        let Some(message) = message else { return };
        let content = &message.content.0;
        self.weight = self.weight.saturating_add(content.weight);
        if self.summary.is_none() && content.said().any(|text| text.starts_with(SUMMARY)) {
            self.summary = Some(message.id.short().into_owned());
        }
    }
}
