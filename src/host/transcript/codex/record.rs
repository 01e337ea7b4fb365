//! The records as they stand in the file.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::{
    facts::{FileAction, Outcome},
    host::transcript::{
        loose::{Flag, Gather, Gathered, Number, Object},
        parts::{Content, Given},
        text::Text,
    },
    units::Bytes,
};

/// So many files of one command or patch are looked at.
const FILES_MAX: usize = 64;

#[derive(Deserialize)]
pub(super) struct Record<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) payload: Object<Payload<'a>>,
    #[serde(default)]
    pub(super) metadata: Object<Metadata>,
}

#[derive(Deserialize)]
pub(super) struct Metadata {
    #[serde(default)]
    pub(super) compaction_output: Flag,
}

/// The payload of a record of any type.
#[derive(Deserialize)]
pub(super) struct Payload<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(default, borrow)]
    pub(super) role: Text<'a>,
    #[serde(default, borrow)]
    pub(super) content: Gathered<Content<'a>>,
    #[serde(default, borrow)]
    pub(super) summary: Given<'a>,
    #[serde(default, borrow)]
    pub(super) call_id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) name: Text<'a>,
    #[serde(default, borrow)]
    pub(super) arguments: Text<'a>,
    #[serde(default, borrow)]
    pub(super) input: Text<'a>,
    #[serde(default, borrow)]
    pub(super) output: Given<'a>,
    #[serde(default, borrow)]
    pub(super) message: Text<'a>,
    #[serde(default, borrow)]
    pub(super) item: Object<Item<'a>>,
    #[serde(default, borrow)]
    pub(super) info: Object<TokenInfo<'a>>,
    #[serde(default)]
    pub(super) model_context_window: Number,
    #[serde(default)]
    pub(super) replacement_history: Option<Gathered<Replacement>>,
}

#[derive(Deserialize)]
pub(super) struct TokenInfo<'a> {
    #[serde(default, borrow)]
    pub(super) last_token_usage: Option<&'a RawValue>,
    #[serde(default)]
    pub(super) model_context_window: Number,
}

/// What a person was shown.
#[derive(Deserialize)]
pub(super) struct Item<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) id: Text<'a>,
    #[serde(default, borrow)]
    pub(super) content: Gathered<Content<'a>>,
    #[serde(default, borrow)]
    pub(super) cwd: Text<'a>,
    #[serde(default, borrow)]
    pub(super) status: Text<'a>,
    #[serde(default)]
    pub(super) exit_code: Number,
    #[serde(default)]
    pub(super) parsed_cmd: Gathered<FilesRead>,
    #[serde(default)]
    pub(super) changes: Gathered<FilesChanged>,
}

/// What a tool gave back in older rollouts.
#[derive(Deserialize)]
pub(super) struct OldOutput {
    #[serde(default)]
    pub(super) metadata: Object<OldMetadata>,
}

#[derive(Deserialize)]
pub(super) struct OldMetadata {
    #[serde(default)]
    pub(super) exit_code: Number,
}

/// What the history weighs that a compaction put in the place of the old one.
#[derive(Default)]
pub(super) struct Replacement(pub(super) Bytes);

/// The files that a command read, as far as Codex made them out.
#[derive(Default)]
pub(super) struct FilesRead(pub(super) Vec<String>);

#[derive(Deserialize)]
pub(super) struct ParsedCommand<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) path: Text<'a>,
}

/// The files that a patch changed.
#[derive(Default)]
pub(super) struct FilesChanged(pub(super) Vec<(String, FileAction)>);

#[derive(Deserialize)]
pub(super) struct Change<'a> {
    #[serde(rename = "type", default, borrow)]
    pub(super) kind: Text<'a>,
    #[serde(default, borrow)]
    pub(super) move_path: Text<'a>,
}

impl Payload<'_> {
    /// What an item of the history weighs.
    pub(super) fn weight(&self) -> Bytes {
        [
            self.content.0.weight(),
            self.summary.weight(),
            self.call_id.bytes(),
            self.name.bytes(),
            self.arguments.bytes(),
            self.input.bytes(),
            self.output.weight(),
        ]
        .into_iter()
        .fold(Bytes::ZERO, Bytes::saturating_add)
    }
}

impl Item<'_> {
    pub(super) fn outcome(&self) -> Outcome {
        match (self.exit_code.0, self.status.short().as_ref()) {
            (Some(0), _) | (None, "completed") => Outcome::Worked,
            (Some(exit), _) => Outcome::Failed { exit: Some(exit) },
            (None, "failed") => Outcome::Failed { exit: None },
            (None, "declined") => Outcome::Denied,
            (None, _) => Outcome::Unknown,
        }
    }
}

impl<'de> Gather<'de> for Replacement {
    type Item = Object<Payload<'de>>;

    fn item(&mut self, Object(item): Self::Item) {
        let weight = item.map_or(Bytes::ZERO, |item| item.weight());
        self.0 = self.0.saturating_add(weight);
    }
}

impl<'de> Gather<'de> for FilesRead {
    type Item = Object<ParsedCommand<'de>>;

    fn item(&mut self, Object(command): Self::Item) {
        let reads = command.filter(|command| command.kind.is("read") && !command.path.is_empty());
        let path = reads.filter(|_| self.0.len() < FILES_MAX);
        self.0.extend(path.map(|command| command.path.short().into_owned()));
    }
}

impl<'de> Gather<'de> for FilesChanged {
    type Item = Object<Change<'de>>;

    fn item(&mut self, _: Self::Item) {}

    fn entry(&mut self, path: &Text<'de>, Object(change): Self::Item) {
        let Some(change) = change.filter(|_| self.0.len() < FILES_MAX) else { return };
        let path = path.short().into_owned();
        let moved = Some(change.move_path.short()).filter(|path| !path.is_empty());
        match (change.kind.short().as_ref(), moved) {
            ("add", _) => self.0.push((path, FileAction::Written)),
            ("delete", _) => self.0.push((path, FileAction::Deleted)),
            (_, Some(moved)) => self
                .0
                .extend([(path, FileAction::Deleted), (moved.into_owned(), FileAction::Written)]),
            (_, None) => self.0.push((path, FileAction::Edited)),
        }
    }
}
