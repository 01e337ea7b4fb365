//! Who calls a tool: the agent, and the session as far as the agent says which.

use std::env;

use graff_notes::host::hook::Host;
use rmcp::{RoleServer, model::JsonObject, service::RequestContext};
use serde_json::Value;

/// Where Codex CLI names its thread in a call's `_meta`.
const META_KEYS: [&str; 2] = ["threadId", "sessionId"];

/// Where Claude Code names its session as of the server's start. Whatever is started from its shell
/// has that too, other agents among them.
const VARIABLE: &str = "CLAUDE_CODE_SESSION_ID";

/// Who calls a tool.
pub(super) struct Caller<'c> {
    host: Option<Host>,
    meta: &'c JsonObject,
}

impl<'c> Caller<'c> {
    /// Returns who asks, by the name that the client goes by.
    pub(super) fn of(asked: &'c RequestContext<RoleServer>) -> Self {
        let host = asked.client_info().and_then(|client| match client.name.as_str() {
            "claude-code" => Some(Host::ClaudeCode),
            "codex-mcp-client" => Some(Host::Codex),
            "gemini-cli-mcp-client" => Some(Host::Gemini),
            "opencode" => Some(Host::Opencode),
            _ => None,
        });
        Self { host, meta: &asked.meta }
    }

    /// Returns the agent, where it is one that is known here.
    pub(super) const fn host(&self) -> Option<Host> {
        self.host
    }

    /// Returns the session that the call names beside its arguments.
    pub(super) fn session(&self) -> Option<&'c str> {
        META_KEYS.iter().find_map(|key| self.meta.get(*key).and_then(Value::as_str))
    }

    /// Returns the session that the server was started for.
    pub(super) fn session_at_start(&self) -> Option<String> {
        let named = || env::var(VARIABLE).ok().filter(|name| !name.is_empty());
        self.host.filter(|host| *host == Host::ClaudeCode).and_then(|_| named())
    }
}
