//! The agents whose hooks call us, and what tells them apart.

use std::{fmt, str::FromStr};

use thiserror::Error;

use crate::units::Tokens;

/// An agent that calls a hook.
///
/// It is told by an argument, never by the environment: Gemini CLI sets `CLAUDE_PROJECT_DIR` too.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Host {
    /// Claude Code.
    ClaudeCode,
    /// Codex CLI.
    Codex,
    /// Gemini CLI.
    Gemini,
    /// opencode, through the plugin that comes with this program.
    Opencode,
    /// goose.
    Goose,
}

/// Why a name is none of a host.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0:?} is no host: claude-code (or claude), codex, gemini, opencode or goose is")]
pub struct NoSuchHost(pub String);

/// What Claude Code's own program is called.
const CLAUDE: &str = "claude";

impl Host {
    /// Every host, in the order in which they are listed to people.
    pub const ALL: [Self; 5] =
        [Self::ClaudeCode, Self::Codex, Self::Gemini, Self::Opencode, Self::Goose];

    /// Returns the name that the command line uses.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::ClaudeCode => "claude-code",
            Self::Codex => "codex",
            Self::Gemini => "gemini",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
        }
    }

    /// Returns the name that people know.
    #[must_use]
    pub const fn title(self) -> &'static str {
        match self {
            Self::ClaudeCode => "Claude Code",
            Self::Codex => "Codex CLI",
            Self::Gemini => "Gemini CLI",
            Self::Opencode => "opencode",
            Self::Goose => "goose",
        }
    }

    /// Returns the names of the host's events that are known here.
    pub(super) const fn events(self) -> &'static [&'static str] {
        match self {
            Self::ClaudeCode | Self::Codex => &[
                "SessionStart",
                "UserPromptSubmit",
                "PreCompact",
                "PostCompact",
                "Stop",
                "SessionEnd",
            ],
            Self::Gemini => &[
                "SessionStart",
                "BeforeAgent",
                "BeforeModel",
                "AfterTool",
                "AfterAgent",
                "PreCompress",
                "SessionEnd",
            ],
            Self::Opencode => &["SystemPrompt", "PreCompact", "PostCompact"],
            Self::Goose => &["SessionStart", "UserPromptSubmit", "Stop", "SessionEnd"],
        }
    }

    /// Returns the variable in which the host names the project's folder, where it names one.
    #[must_use]
    pub const fn project_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE_PROJECT_DIR"),
            Self::Gemini => Some("GEMINI_PROJECT_DIR"),
            Self::Codex | Self::Opencode | Self::Goose => None,
        }
    }

    /// Returns the variable in which the user tells the host a window, where there is one.
    #[must_use]
    pub const fn window_variable(self) -> Option<&'static str> {
        match self {
            Self::ClaudeCode => Some("CLAUDE_CODE_AUTO_COMPACT_WINDOW"),
            _ => None,
        }
    }

    /// Returns the window of the host's models, for where nobody says what it is.
    ///
    /// Source: the providers' model pages; Gemini's models have had 2^20 tokens since 1.5.
    #[must_use]
    pub const fn window_default(self) -> Tokens {
        match self {
            Self::Gemini => Tokens::new(1_048_576),
            _ => Tokens::new(200_000),
        }
    }
}

impl fmt::Display for Host {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl FromStr for Host {
    type Err = NoSuchHost;

    /// Returns the host of this name; Claude Code goes by that of its program too.
    fn from_str(name: &str) -> Result<Self, NoSuchHost> {
        let name_of_host = if name == CLAUDE { Self::ClaudeCode.as_str() } else { name };
        let named = Self::ALL.into_iter().find(|host| host.as_str() == name_of_host);
        named.ok_or_else(|| NoSuchHost(name.to_owned()))
    }
}
