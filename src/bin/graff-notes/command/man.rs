//! `man`: the manual, made from the same words as `--help`.

use std::{fs, io};

use camino::{Utf8Path, Utf8PathBuf};
use clap::Args;
use serde::Serialize;

use crate::{
    args,
    context::Context,
    exit::Exit,
    failure::{Failure, Stop},
    output::Form,
};

const EXAMPLES: &str = "\
Examples:
  graff-notes man | man -l -
  graff-notes man write | man -l -
  graff-notes man --dir ~/.local/share/man/man1";

/// Prints the manual page of the program or of one command
#[derive(Args, Debug)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Which command; without it, the program itself
    command: Option<String>,
    /// Writes every page into this folder instead
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    dir: Option<Utf8PathBuf>,
}

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
            pages.iter().try_for_each(|page| write(cx, folder, page))?;
            return Ok(Exit::Done);
        }
        if let Some(command) = &self.command {
            pages.retain(|page| page.get_name() == command);
        }
        let Some(page) = pages.first() else {
            let command = self.command.unwrap_or_default();
            let what = format_args!("print the manual of {command:?}: there is no such command");
            let advice = "`graff-notes --help` lists the commands";
            return Err(Failure::input(what).advise(advice).into());
        };
        let text = rendered(page)?;
        match cx.out.form() {
            Form::Json => {
                let text = Some(String::from_utf8_lossy(&text).into_owned());
                cx.out.json(&Answer { page: title(page), text, path: None })?;
            }
            Form::Plain | Form::Terminal => cx.out.bytes(&text)?,
        }
        Ok(Exit::Done)
    }
}

/// Returns the program and its commands, each with what its page is made from.
fn pages() -> Vec<clap::Command> {
    let mut program = args::described();
    program.build();
    let commands: Vec<_> = program.get_subcommands().cloned().collect();
    [program].into_iter().chain(commands).collect()
}

fn title(page: &clap::Command) -> String {
    page.get_display_name().unwrap_or(page.get_name()).to_owned()
}

fn write(cx: &mut Context, folder: &Utf8Path, page: &clap::Command) -> Result<(), Stop> {
    let path = folder.join(format!("{}.1", title(page)));
    fs::write(&path, rendered(page)?)
        .map_err(|e| Failure::system(format_args!("write {path}"), &e).at(&path))?;
    match cx.out.form() {
        Form::Json => cx.out.json(&Answer { page: title(page), text: None, path: Some(path) }),
        Form::Plain | Form::Terminal => cx.out.line(path.as_str()),
    }
}

fn rendered(page: &clap::Command) -> Result<Vec<u8>, Failure> {
    let mut text = Vec::new();
    clap_mangen::Man::new(page.clone())
        .render(&mut text)
        .map_err(|e: io::Error| Failure::system("make the manual page", &e))?;
    Ok(text)
}
