//! The arguments of tool calls, as far as they say what was run, touched or planned.

use std::borrow::Cow;

use serde::Deserialize;

use crate::facts::{FileAction, TodoItem, TodoState};

use super::{
    loose::{Gather, Gathered, Object},
    text::Text,
};

/// The arguments that tools of the known kinds take, whatever the agent calls them.
#[derive(Default, Deserialize)]
pub(super) struct Arguments<'a> {
    #[serde(default, alias = "cmd")]
    command: Gathered<CommandLine>,
    #[serde(
        default,
        borrow,
        alias = "path",
        alias = "filePath",
        alias = "filename",
        alias = "absolute_path",
        alias = "notebook_path",
        alias = "target_file"
    )]
    file_path: Text<'a>,
    #[serde(default, alias = "plan")]
    todos: Gathered<TodoList>,
    #[serde(default, borrow, alias = "patch", alias = "patchText")]
    input: Text<'a>,
}

/// A to-do list, done items included.
#[derive(Clone, Debug, Default)]
pub(super) struct TodoList(pub(super) Vec<Todo>);

/// An item of a to-do list.
#[derive(Clone, Debug, Default)]
pub(super) struct Todo {
    pub(super) id: String,
    pub(super) text: String,
    /// How far it is; `None` where it is done or dropped.
    pub(super) state: Option<TodoState>,
}

/// A to-do item as the agents write it.
#[derive(Deserialize)]
pub(super) struct TodoEntry<'a> {
    #[serde(default, borrow)]
    id: Text<'a>,
    #[serde(default, borrow)]
    subject: Text<'a>,
    #[serde(default, borrow)]
    content: Text<'a>,
    #[serde(default, borrow)]
    step: Text<'a>,
    #[serde(default, borrow)]
    description: Text<'a>,
    #[serde(default, borrow)]
    status: Text<'a>,
}

/// A command: one text, or a list of words.
#[derive(Default)]
pub(super) struct CommandLine {
    words: Vec<String>,
}

impl<'a> Arguments<'a> {
    /// Reads the arguments; what cannot be read says nothing.
    pub(super) fn read(json: &'a str) -> Self {
        serde_json::from_str(json).unwrap_or_default()
    }

    /// Returns the arguments of a tool that takes one text.
    pub(super) fn of_text(text: &'a str) -> Self {
        Self { input: Text::Plain(text.into()), ..Self::default() }
    }

    /// The command, empty where there is none.
    pub(super) fn command(&self) -> String {
        self.command.0.joined()
    }

    /// The path, empty where there is none.
    pub(super) fn path(&self) -> Cow<'_, str> {
        self.file_path.short()
    }

    /// The files that a patch names.
    pub(super) fn patched(&self) -> Vec<(String, FileAction)> {
        patched(&self.input.head())
    }

    /// The to-do list.
    pub(super) fn todos(self) -> TodoList {
        self.todos.0
    }
}

impl TodoList {
    /// So many items of a list are looked at.
    pub(super) const ITEMS_MAX: usize = 200;

    /// Adds an item.
    pub(super) fn add(&mut self, todo: Todo) {
        if self.0.len() < Self::ITEMS_MAX {
            self.0.push(todo);
        }
    }

    /// The open items.
    pub(super) fn open(&self) -> impl Iterator<Item = TodoItem> {
        self.0
            .iter()
            .filter_map(|todo| todo.state.map(|state| TodoItem { text: todo.text.clone(), state }))
    }
}

impl Todo {
    pub(super) fn is_named(&self) -> bool {
        !self.id.is_empty() && !self.text.is_empty()
    }
}

impl<'de> Gather<'de> for TodoList {
    type Item = Object<TodoEntry<'de>>;

    fn item(&mut self, Object(entry): Self::Item) {
        if let Some(entry) = entry {
            self.add(entry.todo());
        }
    }
}

impl TodoEntry<'_> {
    pub(super) fn todo(&self) -> Todo {
        let texts = [&self.subject, &self.content, &self.step, &self.description];
        let text = texts.into_iter().map(Text::short).find(|text| !text.is_empty());
        let text = text.unwrap_or_default().into_owned();
        let id = self.id.short().into_owned();
        Todo { id, text, state: state_named(&self.status.short()) }
    }
}

/// How far an item is; `None` where it is done or dropped.
pub(super) fn state_named(status: &str) -> Option<TodoState> {
    match status {
        "completed" | "done" | "cancelled" | "deleted" => None,
        "in_progress" => Some(TodoState::InProgress),
        _ => Some(TodoState::Pending),
    }
}

impl CommandLine {
    /// So many words of a command are looked at.
    const WORDS_MAX: usize = 64;

    /// The command as a person would type it: without the shell that only carries it.
    pub(super) fn joined(&self) -> String {
        match self.words.as_slice() {
            [shell, flag, script] if shell.ends_with("sh") && flag.starts_with('-') => {
                script.clone()
            }
            words => words.join(" "),
        }
    }
}

impl<'de> Gather<'de> for CommandLine {
    type Item = Text<'de>;

    fn item(&mut self, word: Text<'de>) {
        if self.words.len() < Self::WORDS_MAX {
            self.words.push(word.head().into_owned());
        }
    }

    fn text(&mut self, text: Text<'de>) {
        self.item(text);
    }
}

/// The files that a patch in the form of `apply_patch` names, and what it does to them.
pub(super) fn patched(patch: &str) -> Vec<(String, FileAction)> {
    const FILES_MAX: usize = 16;
    let verbs = [
        ("*** Add File: ", FileAction::Written),
        ("*** Update File: ", FileAction::Edited),
        ("*** Delete File: ", FileAction::Deleted),
    ];
    let named = patch.lines().filter_map(|line| {
        verbs.iter().find_map(|(verb, action)| Some((line.strip_prefix(verb)?.to_owned(), *action)))
    });
    named.take(FILES_MAX).collect()
}
