//! Lines in an agent's settings that call us, and those of which a part or nothing comes.

use std::collections::BTreeMap;

use camino::Utf8PathBuf;
use graff_notes::host::{
    hook::Host,
    settings::{self, Found, Registration, Sort},
};
use serde::Serialize;

use super::file::PersonsFile;
use crate::command::in_path::may_run;

/// A line that answers a part of an event which no other line answers.
#[derive(Serialize)]
pub(in crate::command) struct Narrow {
    line: usize,
    event: String,
    matcher: String,
}

/// A line that calls a program which is not there.
#[derive(Serialize)]
pub(in crate::command) struct Lost {
    line: usize,
    event: String,
    program: String,
}

/// Returns what a file of settings says; nothing where it cannot be read.
pub(super) fn text_in(settings: Utf8PathBuf) -> String {
    let file = PersonsFile::open(settings).ok();
    file.as_ref().and_then(PersonsFile::text).unwrap_or_default().to_owned()
}

/// Returns the hooks in a file that call us; none where it cannot be read.
pub(super) fn found_in(host: Host, settings: Utf8PathBuf) -> Vec<Found> {
    settings::found(host, &text_in(settings)).unwrap_or_default()
}

/// Returns the events that no hook of these answers as a whole, and the lines that answer a part.
pub(super) fn unanswered(host: Host, found: Vec<Found>) -> (Vec<&'static str>, Vec<Narrow>) {
    let is_missing = |event: &str| !found.iter().any(|it| it.acts() && it.event == event);
    let missing: Vec<_> = Registration::of(host)
        .iter()
        .map(|hook| hook.event)
        .filter(|event| is_missing(event))
        .collect();
    let narrow = found.into_iter().filter_map(|Found { line, event, sort, only, .. }| {
        let matcher = only.filter(|_| sort != Sort::Trial && missing.contains(&event.as_str()))?;
        Some(Narrow { line, event, matcher })
    });
    let narrow = narrow.collect();
    (missing, narrow)
}

impl Narrow {
    /// Returns what each of them answers, in words that read on.
    pub(in crate::command) fn words(narrow: &[Self]) -> String {
        let words = |Self { line, event, matcher }: &Self| {
            format!("; line {line} answers {event} only for `{matcher}`")
        };
        narrow.iter().map(words).collect()
    }
}

impl Lost {
    /// Returns those of the hooks that act. Of a place that depends on the folder or on a variable
    /// nothing can be told here.
    pub(super) fn among(found: &[Found]) -> Vec<Self> {
        let is_lost = |found: &&Found| {
            let program = &found.program;
            found.acts()
                && program.starts_with('/')
                && !program.contains(['$', '`', '*', '?', '['])
                && !may_run(program.as_ref())
        };
        let lost = |Found { line, event, program, .. }: &Found| Self {
            line: *line,
            event: event.clone(),
            program: program.clone(),
        };
        found.iter().filter(is_lost).map(lost).collect()
    }

    /// Returns which lines name which program, a clause for each program.
    pub(super) fn words(lost: &[Self]) -> Vec<String> {
        let mut lines = BTreeMap::<_, Vec<_>>::new();
        for Self { line, program, .. } in lost {
            lines.entry(program).or_default().push(line.to_string());
        }
        let words = |(program, lines): (&String, Vec<String>)| match lines.as_slice() {
            [line] => format!("line {line} names {program}, which cannot be run"),
            lines => format!("lines {} name {program}, which cannot be run", lines.join(", ")),
        };
        lines.into_iter().map(words).collect()
    }
}
