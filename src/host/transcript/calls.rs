//! Tool calls that wait for their result, and what each means for the facts.

use std::collections::VecDeque;

use crate::facts::{CommandId, Facts, FileAction, Outcome};

use super::arguments::Arguments;

/// So many calls wait for their result at most; agents run a few at a time.
const WAITING_MAX: usize = 256;

/// What the tools of the agents do, by name in lower case.
const TOOLS: &[(&str, Tool)] = &[
    ("bash", Tool::Shell),
    ("exec_command", Tool::Shell),
    ("shell", Tool::Shell),
    ("shell_command", Tool::Shell),
    ("local_shell", Tool::Shell),
    ("container.exec", Tool::Shell),
    ("run_shell_command", Tool::Shell),
    ("run_command", Tool::Shell),
    ("execute_command", Tool::Shell),
    ("run_terminal_cmd", Tool::Shell),
    ("read", Tool::File(FileAction::Read)),
    ("read_file", Tool::File(FileAction::Read)),
    ("edit", Tool::File(FileAction::Edited)),
    ("multiedit", Tool::File(FileAction::Edited)),
    ("notebookedit", Tool::File(FileAction::Edited)),
    ("edit_file", Tool::File(FileAction::Edited)),
    ("replace", Tool::File(FileAction::Edited)),
    ("str_replace", Tool::File(FileAction::Edited)),
    ("write", Tool::File(FileAction::Written)),
    ("write_file", Tool::File(FileAction::Written)),
    ("create_file", Tool::File(FileAction::Written)),
    ("delete_file", Tool::File(FileAction::Deleted)),
    ("apply_patch", Tool::Patch),
    ("todowrite", Tool::Todos),
    ("write_todos", Tool::Todos),
    ("update_plan", Tool::Todos),
];

#[derive(Clone, Copy)]
enum Tool {
    /// It runs a command.
    Shell,
    /// It does something to one file.
    File(FileAction),
    /// It changes the files that a patch names.
    Patch,
    /// It replaces the to-do list.
    Todos,
}

/// The calls that wait for their result, newest last.
#[derive(Clone, Debug, Default)]
pub(super) struct Calls(VecDeque<Waiting>);

#[derive(Clone, Debug)]
struct Waiting {
    id: String,
    call: Call,
}

/// What becomes a fact once the result is there.
#[derive(Clone, Debug)]
enum Call {
    Command(CommandId),
    Files { name: String, files: Vec<(String, FileAction)> },
}

impl Calls {
    /// Takes a call up; `cwd` is what paths are shortened by.
    pub(super) fn begin(
        &mut self,
        facts: &mut Facts,
        cwd: Option<&str>,
        (id, name): (&str, &str),
        arguments: Arguments<'_>,
    ) {
        let lower = name.to_ascii_lowercase();
        let files = match TOOLS.iter().find(|(known, _)| *known == lower).map(|(_, tool)| tool) {
            Some(Tool::Shell) => {
                let command = facts.run(&arguments.command(), Outcome::Unknown);
                return self.wait(id, Call::Command(command));
            }
            Some(Tool::Todos) => {
                facts.set_todos(arguments.todos().open());
                Vec::new()
            }
            Some(Tool::Patch) => arguments.patched(),
            Some(Tool::File(action)) => vec![(arguments.path().into_owned(), *action)],
            None => Vec::new(),
        };
        let files = files.into_iter().map(|(path, action)| (relative(&path, cwd), action));
        self.wait(id, Call::Files { name: name.to_owned(), files: files.collect() });
    }

    /// Takes up how a call ended. A failure of a tool that runs no command is kept like that of a
    /// command, under the tool's name and what it was to touch.
    pub(super) fn end(&mut self, facts: &mut Facts, id: &str, outcome: Outcome) {
        let Some(place) = self.0.iter().rposition(|waiting| waiting.id == id) else { return };
        if let (Some(Waiting { call: Call::Command(command), .. }), Outcome::Running) =
            (self.0.get(place), outcome)
        {
            return facts.settle(*command, outcome);
        }
        match self.0.remove(place).map(|waiting| waiting.call) {
            Some(Call::Command(command)) => facts.settle(command, outcome),
            Some(Call::Files { files, .. }) if went_well(outcome) => {
                for (path, action) in files {
                    facts.touch(&path, action);
                }
            }
            Some(Call::Files { name, files }) => {
                let paths = files.into_iter().map(|(path, _)| path);
                let words: Vec<String> = std::iter::once(name).chain(paths).collect();
                facts.run(&words.join(" "), outcome);
            }
            None => {}
        }
    }

    fn wait(&mut self, id: &str, call: Call) {
        if self.0.len() == WAITING_MAX {
            self.0.pop_front();
        }
        self.0.push_back(Waiting { id: id.to_owned(), call });
    }
}

/// Whether nobody said that a tool failed: most say nothing where they did not.
const fn went_well(outcome: Outcome) -> bool {
    matches!(outcome, Outcome::Worked | Outcome::Running | Outcome::Unknown)
}

/// The path as seen from `cwd`, where it lies below it.
pub(super) fn relative(path: &str, cwd: Option<&str>) -> String {
    let path = path.strip_prefix("file://").unwrap_or(path);
    let below = cwd.and_then(|cwd| path.strip_prefix(cwd)?.strip_prefix(['/', '\\']));
    let path = below.unwrap_or(path);
    path.strip_prefix("./").unwrap_or(path).to_owned()
}
