//! The facts, newest last, with a limit on each kind.

use std::collections::VecDeque;

use crate::note::{head, tail};

/// What is known of a session: requests, to-do items, commands, files and statements.
///
/// # Examples
///
/// ```
/// use graff_notes::facts::{Facts, FileAction, Outcome};
/// use graff_notes::note::NoteCap;
///
/// let mut facts = Facts::new();
/// facts.set_request("fix the parser");
/// facts.touch("src/parse.rs", FileAction::Edited);
/// let test = facts.run("cargo test", Outcome::Running);
/// facts.settle(test, Outcome::Failed { exit: Some(101) });
///
/// let note = facts.mechanical_note(NoteCap::DEFAULT).unwrap().text;
/// assert!(note.as_str().starts_with("Mechanical note: "));
/// assert!(note.as_str().contains("\n- exit 101: cargo test"));
/// assert_eq!(Facts::new().mechanical_note(NoteCap::DEFAULT), None);
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Facts {
    request: Option<String>,
    statement: Option<String>,
    todos: Vec<TodoItem>,
    commands: VecDeque<Command>,
    commands_begun: u64,
    files: VecDeque<TouchedFile>,
}

/// A command, or a call of another tool, and how it ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Command {
    /// What was run.
    pub text: String,
    /// How it ended.
    pub outcome: Outcome,
}

/// How a command ended, as far as anybody said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// It did what it should.
    Worked,
    /// It failed.
    Failed {
        /// The exit status, where there is one.
        exit: Option<i64>,
    },
    /// It was stopped because it took too long.
    TimedOut,
    /// It was not allowed to run.
    Denied,
    /// It had not ended when it was last heard of.
    Running,
    /// Nobody said.
    Unknown,
}

/// The name by which a recorded command can be settled later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct CommandId(u64);

/// A file, and what was last done to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TouchedFile {
    /// Its path, as the host names it.
    pub path: String,
    /// What was last done to it.
    pub action: FileAction,
    /// The last change before that, where the last action only read it.
    pub changed: Option<FileAction>,
}

/// What was done to a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileAction {
    /// It was read.
    Read,
    /// A part of it was changed.
    Edited,
    /// It was created, or written anew as a whole.
    Written,
    /// It was deleted.
    Deleted,
}

/// An item of a to-do list that is not done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TodoItem {
    /// What is to be done.
    pub text: String,
    /// How far it is.
    pub state: TodoState,
}

/// How far an open to-do item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum TodoState {
    /// Work on it has begun.
    InProgress,
    /// It waits.
    Pending,
}

impl Facts {
    /// So many commands are kept, the newest.
    pub const COMMANDS_MAX: usize = 20;
    /// So many files are kept, those touched last.
    pub const FILES_MAX: usize = 40;
    /// So many open to-do items are kept, the first of the list.
    pub const TODOS_MAX: usize = 40;
    /// So much of a request or a statement is kept, in bytes from its start.
    pub const TEXT_BYTES_MAX: usize = 8_192;
    /// So much of a command, a path or a to-do item is kept, in bytes: of a path its end.
    pub const ITEM_BYTES_MAX: usize = 1_024;

    /// Returns facts that know nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Records what the user asked for; a blank text is no request.
    pub fn set_request(&mut self, text: &str) {
        keep_text(&mut self.request, text);
    }

    /// Records what the agent said; a blank text is no statement.
    pub fn set_statement(&mut self, text: &str) {
        keep_text(&mut self.statement, text);
    }

    /// Replaces the to-do list by its open items, in the list's order.
    pub fn set_todos(&mut self, items: impl IntoIterator<Item = TodoItem>) {
        self.todos.clear();
        let open = items.into_iter().filter(|item| !item.text.trim().is_empty());
        self.todos.extend(open.take(Self::TODOS_MAX).map(|mut item| {
            item.text.truncate(head(&item.text, Self::ITEM_BYTES_MAX).len());
            item
        }));
    }

    /// Records a command, and returns its name, by which it can be settled once it has ended.
    pub fn run(&mut self, text: &str, outcome: Outcome) -> CommandId {
        if self.commands.len() == Self::COMMANDS_MAX {
            self.commands.pop_front();
        }
        let text = head(text, Self::ITEM_BYTES_MAX).to_owned();
        self.commands.push_back(Command { text, outcome });
        self.commands_begun = self.commands_begun.saturating_add(1);
        CommandId(self.commands_begun)
    }

    /// Records how a command ended, unless newer ones have pushed it out.
    pub fn settle(&mut self, command: CommandId, outcome: Outcome) {
        let newer = usize::try_from(self.commands_begun.saturating_sub(command.0));
        let place =
            newer.ok().and_then(|newer| self.commands.len().checked_sub(1)?.checked_sub(newer));
        if let Some(command) = place.and_then(|place| self.commands.get_mut(place)) {
            command.outcome = outcome;
        }
    }

    /// Records what was done to a file, and makes it the one touched last.
    pub fn touch(&mut self, path: &str, action: FileAction) {
        let path = tail(path, Self::ITEM_BYTES_MAX);
        let place = self.files.iter().position(|file| file.path == path);
        let before = place.and_then(|place| self.files.remove(place));
        let changed = match (action, &before) {
            (FileAction::Read, Some(before)) => before.last_change(),
            _ => None,
        };
        if self.files.len() == Self::FILES_MAX {
            self.files.pop_front();
        }
        self.files.push_back(TouchedFile { path: path.to_owned(), action, changed });
    }

    /// Returns the last user request.
    #[must_use]
    pub fn request(&self) -> Option<&str> {
        self.request.as_deref()
    }

    /// Returns what the agent said last.
    #[must_use]
    pub fn statement(&self) -> Option<&str> {
        self.statement.as_deref()
    }

    /// Returns the open to-do items, in the list's order.
    #[must_use]
    pub fn todos(&self) -> &[TodoItem] {
        &self.todos
    }

    /// Returns the last commands, newest first.
    pub fn commands(&self) -> impl Iterator<Item = &Command> {
        self.commands.iter().rev()
    }

    /// Returns the files touched, the one touched last first.
    pub fn files(&self) -> impl Iterator<Item = &TouchedFile> {
        self.files.iter().rev()
    }
}

impl TouchedFile {
    fn last_change(&self) -> Option<FileAction> {
        if self.action == FileAction::Read { self.changed } else { Some(self.action) }
    }
}

fn keep_text(kept: &mut Option<String>, text: &str) {
    let text = text.trim();
    if !text.is_empty() {
        *kept = Some(head(text, Facts::TEXT_BYTES_MAX).to_owned());
    }
}
