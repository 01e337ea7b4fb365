//! The wording of a mechanical note: which sections there are, in which order.

use std::fmt::Write as _;

use crate::{
    note::{Fitted, NoteCap, NoteText},
    units::Bytes,
};

use super::{
    known::{Command, Facts, FileAction, Outcome, TodoItem, TodoState, TouchedFile},
    layout::{Kept, Line, Section, lay_out},
};

/// The first line.
const LABEL: &str =
    "Mechanical note: made by a program from the record of the session, not written by the agent.";
/// The first line where a tiny cap leaves no room for more beside the long one.
const LABEL_SHORT: &str = "Mechanical note:";
const _: () = assert!(LABEL_SHORT.len() <= NoteCap::BYTES_MIN);

impl Facts {
    /// Returns the note that the facts make, within `cap`, or `None` where there is nothing to say.
    ///
    /// Its first line says that it is mechanical. The sections follow, the most important first:
    /// request, to-do items, commands, files, statement; within them the newest stands first, and
    /// to-do items in the list's order. Each fact is one line, with control characters escaped.
    /// Where the cap is short, every section gets its share and every line of it its own: long
    /// lines are shortened first, then the oldest are left out, then the least important sections.
    #[must_use]
    pub fn mechanical_note(&self, cap: NoteCap) -> Option<Fitted> {
        let sections = self.sections();
        if sections.is_empty() {
            return None;
        }
        let whole = LABEL.len() + sections.iter().map(Section::len).sum::<usize>();
        let note = lay_out(LABEL, &sections, cap.get())
            .or_else(|| lay_out(LABEL_SHORT, &sections, cap.get()))
            .unwrap_or_else(|| LABEL_SHORT.to_owned());
        let fitted = NoteText::fit(&note, cap).ok()?;
        let cut = whole.saturating_sub(fitted.text.as_str().len());
        Some(Fitted { cut: Bytes::new(u64::try_from(cut).unwrap_or(u64::MAX)), ..fitted })
    }

    fn sections(&self) -> Vec<Section> {
        let prose = |text: Option<&str>| {
            text.map(|text| Line::new(String::new(), text, Kept::Head)).into_iter().collect()
        };
        let sections = [
            Section::new("Last user request:", prose(self.request())),
            Section::new("Open to-do items:", self.todos().iter().map(todo_line).collect()),
            Section::new(
                "Last commands, newest first:",
                self.commands().map(command_line).collect(),
            ),
            Section::new("Files touched, newest first:", self.files().map(file_line).collect()),
            Section::new("Last statement of the agent:", prose(self.statement())),
        ];
        sections.into_iter().flatten().collect()
    }
}

fn todo_line(item: &TodoItem) -> Line {
    let state = match item.state {
        TodoState::InProgress => "in progress: ",
        TodoState::Pending => "pending: ",
    };
    Line::new(state.to_owned(), &item.text, Kept::Head)
}

fn command_line(command: &Command) -> Line {
    let outcome = match command.outcome {
        Outcome::Worked => "worked: ".to_owned(),
        Outcome::Failed { exit: Some(exit) } => format!("exit {exit}: "),
        Outcome::Failed { exit: None } => "failed: ".to_owned(),
        Outcome::TimedOut => "timed out: ".to_owned(),
        Outcome::Denied => "denied: ".to_owned(),
        Outcome::Running => "still running: ".to_owned(),
        Outcome::Unknown => "outcome unknown: ".to_owned(),
    };
    Line::new(outcome, &command.text, Kept::Head)
}

fn file_line(file: &TouchedFile) -> Line {
    let mut action = String::new();
    if let Some(changed) = file.changed {
        // Writing to a string cannot fail.
        let _ = write!(action, "{}, then ", verb(changed));
    }
    action.push_str(verb(file.action));
    action.push_str(": ");
    Line::new(action, &file.path, Kept::Tail)
}

const fn verb(action: FileAction) -> &'static str {
    match action {
        FileAction::Read => "read",
        FileAction::Edited => "edited",
        FileAction::Written => "written",
        FileAction::Deleted => "deleted",
    }
}
