//! The agent's two tools, in a folder of its own: read a file, run a command.
//!
//! The folder keeps a well-meaning agent in its place, and a malicious command out of nothing: run
//! it in a sandbox where that matters.

use std::{
    fs,
    io::Read as _,
    path::{Path, PathBuf},
    process::{Command, Stdio},
    sync::mpsc,
    thread,
    time::Duration,
};

use graff_notes::{
    facts::{Facts, FileAction, Outcome},
    turn::{ToolCall, ToolResult},
};
use serde_json::{Value, json};

/// The longest that a command may run.
const PATIENCE: Duration = Duration::from_secs(60);

/// The most of a file or of a command's output that the model is given.
const BYTES_MAX: usize = 65_536;

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

    /// Runs a tool; what goes wrong is told to the model.
    pub(crate) fn run(&self, call: &ToolCall, facts: &mut Facts) -> ToolResult {
        let arguments: Value = serde_json::from_str(&call.arguments).unwrap_or_default();
        let argument = |name: &str| arguments.get(name).and_then(Value::as_str);
        let content = match (call.name.as_str(), argument("path"), argument("command")) {
            ("read_file", Some(path), _) => self.read_file(path, facts),
            ("run_command", _, Some(command)) => self.run_command(command, facts),
            _ => Err(format!("no tool {:?} with these arguments", call.name)),
        };
        let content = content.unwrap_or_else(|why| format!("error: {why}"));
        ToolResult { id: call.id.clone(), content }
    }

    fn read_file(&self, path: &str, facts: &mut Facts) -> Result<String, String> {
        let whole = fs::canonicalize(self.scratch.join(path)).map_err(|e| e.to_string())?;
        if !whole.starts_with(&self.scratch) {
            return Err(format!("{path} is outside of the scratch folder"));
        }
        let bytes = fs::read(&whole).map_err(|e| e.to_string())?;
        facts.touch(path, FileAction::Read);
        Ok(shortened(&bytes))
    }

    fn run_command(&self, command: &str, facts: &mut Facts) -> Result<String, String> {
        let recorded = facts.run(command, Outcome::Running);
        let (outcome, output) = run_in(&self.scratch, command).map_err(|e| e.to_string())?;
        facts.settle(recorded, outcome);
        let output = shortened(&output);
        Ok(match outcome {
            Outcome::Worked => output,
            Outcome::Failed { exit: Some(exit) } => format!("{output}\n[exit status {exit}]"),
            Outcome::TimedOut => format!("{output}\n[stopped after {} s]", PATIENCE.as_secs()),
            _ => format!("{output}\n[it ended without an exit status]"),
        })
    }
}

fn run_in(folder: &Path, command: &str) -> std::io::Result<(Outcome, Vec<u8>)> {
    let mut child = Command::new("sh")
        .args(["-c", &format!("exec 2>&1; {command}")])
        .current_dir(folder)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()?;
    let (sender, output) = mpsc::channel();
    if let Some(mut stdout) = child.stdout.take() {
        thread::spawn(move || {
            let mut output = Vec::new();
            let _ = stdout.read_to_end(&mut output);
            let _ = sender.send(output);
        });
    }
    let Ok(output) = output.recv_timeout(PATIENCE) else {
        child.kill()?;
        child.wait()?;
        return Ok((Outcome::TimedOut, Vec::new()));
    };
    let status = child.wait()?;
    let outcome = match status.code() {
        Some(0) => Outcome::Worked,
        code => Outcome::Failed { exit: code.map(i64::from) },
    };
    Ok((outcome, output))
}

fn shortened(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.get(..BYTES_MAX).unwrap_or(bytes)).into_owned();
    match bytes.len().checked_sub(BYTES_MAX) {
        None | Some(0) => text,
        Some(left_out) => format!("{text}\n[{left_out} bytes more]"),
    }
}
