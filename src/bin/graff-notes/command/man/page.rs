//! A page of the manual: the words of `--help`, under the headings that readers of manuals know.
//!
//! The lists of options and commands are `clap_mangen`'s. The usage, the prose, the exit status and
//! the examples are set here: it has one heading for all that stands behind the options.

use std::io;

use clap::Command;
use clap_mangen::{
    Man,
    roff::{Roff, roman},
};

/// What the paragraphs begin with that are set line by line, and their headings, in the order of
/// the page.
const AS_TYPED: [(&str, &str); 3] =
    [("Environment:\n", "ENVIRONMENT"), ("Files:\n", "FILES"), ("Examples:\n", "EXAMPLES")];
const EXIT_STATUS: &str = "Exit status: ";

/// Returns the page's name, such as `graff-notes-write`.
pub(super) fn title(command: &Command) -> String {
    command.get_display_name().unwrap_or(command.get_name()).to_owned()
}

/// Returns the page of a built command, in roff.
pub(super) fn rendered(command: &Command) -> io::Result<String> {
    let help = command.get_after_help().map(ToString::to_string).unwrap_or_default();
    let man = Man::new(command.clone())
        .date(" ") // of no day; an empty one would move what follows into its place
        .source(concat!("graff-notes ", env!("CARGO_PKG_VERSION")))
        .manual("Manual of graff-notes");

    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    texts(Some("SYNOPSIS"), [usage(command)].iter()).to_writer(&mut page)?;
    man.render_description_section(&mut page)?;
    let has_a_section = |text: &&str| {
        let sections = AS_TYPED.iter().map(|(begin, _)| begin).chain([&EXIT_STATUS]);
        sections.into_iter().any(|begin| text.starts_with(begin))
    };
    let is_prose = |text: &&str| !has_a_section(text);
    texts(None, help.split("\n\n").filter(is_prose)).to_writer(&mut page)?;
    man.render_options_section(&mut page)?;
    if command.has_subcommands() {
        man.render_subcommands_section(&mut page)?;
    }
    if let Some(status) = paragraph(&help, EXIT_STATUS) {
        texts(Some("EXIT STATUS"), [status].iter()).to_writer(&mut page)?;
    }
    for (begin, heading) in AS_TYPED {
        if let Some(lines) = paragraph(&help, begin) {
            as_typed(heading, lines).to_writer(&mut page)?;
        }
    }
    if let Some(parent) = parent(command) {
        texts(Some("SEE ALSO"), [format!("{parent}(1)")].iter()).to_writer(&mut page)?;
    }
    Ok(in_bold(&with_one_preamble(&String::from_utf8_lossy(&page))))
}

/// Returns what follows the word that a paragraph begins with.
fn paragraph<'a>(help: &'a str, begin: &str) -> Option<&'a str> {
    help.split("\n\n").find_map(|text| text.strip_prefix(begin))
}

fn usage(command: &Command) -> String {
    let usage = command.clone().render_usage().to_string();
    usage.trim_start_matches("Usage: ").to_owned()
}

fn parent(command: &Command) -> Option<String> {
    let (parent, _) = command.get_bin_name()?.rsplit_once(' ')?;
    Some(parent.replace(' ', "-"))
}

fn texts(heading: Option<&str>, texts: impl Iterator<Item = impl AsRef<str>>) -> Roff {
    let mut roff = Roff::new();
    if heading.is_some() {
        roff.control("SH", heading);
    }
    for text in texts {
        roff.control("PP", []).text([roman(text.as_ref())]);
    }
    roff
}

/// Returns a section whose lines and spaces are kept.
fn as_typed(heading: &str, lines: &str) -> Roff {
    let mut roff = Roff::new();
    roff.control("SH", [heading]).control("nf", []).text([roman(lines)]).control("fi", []);
    roff
}

/// Returns the page with the definitions that each of its parts begins with once, at its start.
fn with_one_preamble(page: &str) -> String {
    let preamble = Roff::new().render();
    format!("{preamble}{}", page.replace(&preamble, ""))
}

/// Returns the page with the words in bold that the help sets between backticks.
fn in_bold(page: &str) -> String {
    let parts = page.split('`').enumerate();
    parts.map(|(n, part)| if n % 2 == 1 { format!(r"\fB{part}\fR") } else { part.into() }).collect()
}
