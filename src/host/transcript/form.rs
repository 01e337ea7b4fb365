//! Tells the forms apart, by what a record says and never by the name of a file.

use serde::{Deserialize, de::IgnoredAny};

use super::{
    account::Account, claude::Claude, codex::Codex, gemini::Gemini, loose::Object, plain,
    text::Text,
};

/// The form of a transcript.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Form {
    /// A session file of Claude Code.
    ClaudeCode,
    /// A rollout file of Codex.
    Codex,
    /// A chat file of Gemini CLI.
    Gemini,
    /// Messages with a role and a content, in lines or in one array.
    Plain,
}

/// The reader of one form.
#[derive(Clone, Debug)]
pub(super) enum Dialect {
    Claude(Claude),
    Codex(Codex),
    Gemini(Gemini),
    Plain,
}

/// The keys that only one of the forms has.
#[derive(Deserialize)]
struct Probe<'a> {
    #[serde(rename = "type", default, borrow)]
    kind: Text<'a>,
    #[serde(default)]
    payload: Object<Empty>,
    #[serde(default, borrow)]
    role: Text<'a>,
    #[serde(rename = "$set", default)]
    set: Option<IgnoredAny>,
    #[serde(rename = "projectHash", default)]
    project_hash: Option<IgnoredAny>,
    #[serde(rename = "sessionId", default)]
    session_id: Option<IgnoredAny>,
    #[serde(rename = "leafUuid", default)]
    leaf_uuid: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Empty {}

impl Dialect {
    /// Returns the reader of the form that the record is in, or `None` where it says too little.
    pub(super) fn of(record: &str) -> serde_json::Result<Option<Self>> {
        let probe: Probe<'_> = serde_json::from_str(record)?;
        let typed = !probe.kind.is_empty();
        Ok(if probe.set.is_some() || probe.project_hash.is_some() {
            Some(Self::Gemini(Gemini::default()))
        } else if typed && probe.payload.0.is_some() {
            Some(Self::Codex(Codex::default()))
        } else if !probe.role.is_empty() {
            Some(Self::Plain)
        } else if probe.kind.is("gemini") {
            Some(Self::Gemini(Gemini::default()))
        } else if typed && (probe.session_id.is_some() || probe.leaf_uuid.is_some()) {
            Some(Self::Claude(Claude::default()))
        } else {
            None
        })
    }

    pub(super) const fn form(&self) -> Form {
        match self {
            Self::Claude(_) => Form::ClaudeCode,
            Self::Codex(_) => Form::Codex,
            Self::Gemini(_) => Form::Gemini,
            Self::Plain => Form::Plain,
        }
    }

    /// Takes up a record; refuses what is no JSON object.
    pub(super) fn take(&mut self, record: &str, account: &mut Account) -> serde_json::Result<()> {
        match self {
            Self::Claude(claude) => claude.take(record, account),
            Self::Codex(codex) => codex.take(record, account),
            Self::Gemini(gemini) => gemini.take(record, account),
            Self::Plain => plain::take(record, account),
        }
    }
}
