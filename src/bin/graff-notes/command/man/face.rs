//! What `man` takes, and where its pages go.

use std::{
    fs::{self, Permissions},
    os::unix::fs::PermissionsExt,
};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use serde::Serialize;

use super::page;
use crate::{
    args,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop, heard_or_not},
    output::{Form, IfThere, NewFile},
};

const EXAMPLES: &str = "\
Examples:
  graff-notes man | man -l -
  graff-notes man write | man -l -
  graff-notes man hooks install | man -l -
  graff-notes man --dir ~/.local/share/man/man1";

/// Prints the manual page of the program or of one command
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Which command, such as `write` or `hooks install`; without it, the program itself
    command: Vec<String>,
    /// Writes every page into this folder instead, and makes it where it is not there
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<Utf8PathBuf>,
}

/// The mode of a page, which readers of manuals other than its owner read too.
const READ_BY_ALL: u32 = 0o644;

#[derive(Serialize)]
struct Answer {
    page: String,
    text: Option<String>,
    path: Option<Utf8PathBuf>,
}

impl Man {
    pub(crate) fn run(self, cx: &mut Context) -> Result<Exit, Stop> {
        let mut pages = pages();
        if let Some(folder) = &self.dir {
            fs::create_dir_all(folder).map_err(|e| Failure::on("create", folder, &e))?;
            pages.iter().try_for_each(|page| write(cx, folder, page))?;
            return Ok(Exit::Done);
        }
        let command = self.command.join(" ");
        if !command.is_empty() {
            let title = format!("graff-notes-{}", command.replace(' ', "-"));
            pages.retain(|page| page::title(page) == title);
        }
        let Some(page) = pages.first() else {
            let what = format_args!("print the manual of {command:?}: there is no such command");
            let advice = "`graff-notes --help` lists the commands";
            return Err(Failure::input(what).advise(advice).into());
        };
        let text = rendered(page)?;
        match cx.out.form() {
            Form::Json => {
                cx.out.json(&Answer { page: page::title(page), text: Some(text), path: None })?;
            }
            Form::Plain | Form::Terminal => cx.out.bytes(text.as_bytes())?,
        }
        if cx.out.form() == Form::Terminal {
            let words = self.command.iter().fold(String::new(), |words, word| words + " " + word);
            cx.notices.hint(format_args!("`graff-notes man{words} | man -l -` shows it as a page"));
        }
        Ok(Exit::Done)
    }
}

/// Returns the program and its commands, and theirs, each with what its page is made from.
fn pages() -> Vec<clap::Command> {
    let mut program = args::described();
    program.build();
    let mut pages = vec![program];
    let mut next = 0;
    while let Some(page) = pages.get(next) {
        let below: Vec<_> = page.get_subcommands().cloned().collect();
        pages.extend(below);
        next += 1;
    }
    pages
}

fn write(cx: &mut Context, folder: &Utf8Path, page: &clap::Command) -> Result<(), Stop> {
    let title = page::title(page);
    let path = folder.join(format!("{title}.1"));
    let mut file = NewFile::begin(&path, IfThere::Replace)?;
    file.allow(Permissions::from_mode(READ_BY_ALL))?;
    file.bytes(rendered(page)?.as_bytes())?;
    file.finish()?;
    // Whoever doesn't read their names wants the pages all the same.
    heard_or_not(match cx.out.form() {
        Form::Json => cx.out.json(&Answer { page: title, text: None, path: Some(path) }),
        Form::Plain | Form::Terminal => cx.out.line(path.as_str()),
    })
}

fn rendered(page: &clap::Command) -> Result<String, Failure> {
    page::rendered(page).map_err(|e| Failure::system("make the manual page", &e))
}
