//! The agent's two tools, in a folder of its own: read a file, run a command.
//!
//! The folder keeps a well-meaning agent in its place, and a malicious command out of nothing: run
//! it in a sandbox where that matters.

use std::{fs, io::Read as _, path::PathBuf};

use graff_notes::{
    facts::{Facts, FileAction, Outcome},
    turn::{ToolCall, ToolResult},
};
use serde_json::{Value, json};

use super::command::{self, End};

/// The most of a file or of a command's output that the model is given.
pub(super) const BYTES_MAX: u64 = 65_536;

/// A tool as the model is told of it.
pub(crate) struct Description {
    pub(crate) name: &'static str,
    pub(crate) purpose: &'static str,
    argument: &'static str,
}

pub(crate) const DESCRIPTIONS: [Description; 2] = [
    Description { name: "read_file", purpose: "Returns what a file holds.", argument: "path" },
    Description {
        name: "run_command",
        purpose: "Runs a shell command, and returns its output and its exit status.",
        argument: "command",
    },
];

/// The tools, in their folder.
pub(crate) struct Tools {
    scratch: PathBuf,
}

impl Description {
    pub(crate) fn parameters(&self) -> Value {
        json!({
            "type": "object",
            "properties": { self.argument: { "type": "string" } },
            "required": [self.argument],
        })
    }
}

impl Tools {
    pub(crate) fn within(scratch: &str) -> Result<Self, String> {
        match fs::canonicalize(scratch) {
            Ok(scratch) => Ok(Self { scratch }),
            Err(e) => Err(format!("open the scratch folder {scratch}: {e}")),
        }
    }

    /// Runs a tool; what goes wrong is told to the model. `None` where the user has cancelled.
    pub(crate) fn run(
        &self,
        call: &ToolCall,
        facts: &mut Facts,
        cancelled: &mut dyn FnMut() -> bool,
    ) -> Option<ToolResult> {
        if cancelled() {
            return None;
        }
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str);
        let content = match (call.name.as_str(), argument("path"), argument("command")) {
            ("read_file", Some(path), _) => self.read_file(path, facts),
            ("run_command", _, Some(command)) => {
                self.run_command(command, facts, cancelled).transpose()?
            }
            _ => Err(format!("no tool {:?} with these arguments", call.name)),
        };
        let content = content.unwrap_or_else(|why| format!("error: {why}"));
        Some(ToolResult { id: call.id.clone(), content })
    }

    fn read_file(&self, path: &str, facts: &mut Facts) -> Result<String, String> {
        let whole = fs::canonicalize(self.scratch.join(path)).map_err(|e| e.to_string())?;
        if !whole.starts_with(&self.scratch) {
            return Err(format!("{path} is outside of the scratch folder"));
        }
        let size = match fs::metadata(&whole).map_err(|e| e.to_string())? {
            file if file.is_file() => file.len(),
            _ => return Err(format!("{path} is no regular file")),
        };
        let mut bytes = Vec::new();
        let file = fs::File::open(&whole).map_err(|e| e.to_string())?;
        file.take(BYTES_MAX).read_to_end(&mut bytes).map_err(|e| e.to_string())?;
        facts.touch(path, FileAction::Read);
        Ok(shortened(&bytes, size.saturating_sub(BYTES_MAX)))
    }

    /// Runs a command; `None` where the user has cancelled.
    fn run_command(
        &self,
        command: &str,
        facts: &mut Facts,
        cancelled: &mut dyn FnMut() -> bool,
    ) -> Result<Option<String>, String> {
        let recorded = facts.run(command, Outcome::Running);
        let run = command::run_in(&self.scratch, command, cancelled).map_err(|e| e.to_string())?;
        let output = shortened(&run.output, run.left_out);
        let (outcome, output) = match run.end {
            End::Exited(Some(0)) => (Outcome::Worked, output),
            End::Exited(Some(exit)) => {
                let failed = Outcome::Failed { exit: Some(exit.into()) };
                (failed, format!("{output}\n[exit status {exit}]"))
            }
            End::Exited(None) => {
                let failed = Outcome::Failed { exit: None };
                (failed, format!("{output}\n[it ended without an exit status]"))
            }
            End::TimedOut => {
                let seconds = command::PATIENCE.as_secs();
                (Outcome::TimedOut, format!("{output}\n[stopped after {seconds} s]"))
            }
            End::Cancelled => return Ok(None),
        };
        facts.settle(recorded, outcome);
        Ok(Some(output))
    }
}

fn shortened(bytes: &[u8], left_out: u64) -> String {
    let text = String::from_utf8_lossy(bytes).into_owned();
    if left_out == 0 { text } else { format!("{text}\n[{left_out} bytes more]") }
}
