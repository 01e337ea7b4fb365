//! What a search says about what it found.

use std::ops::Range;

use anstyle::{AnsiColor, Style};
use graff_notes::{
    session::SessionName,
    units::{Generation, Seq, Timestamp},
};
use serde::Serialize;

use super::found::{FoundLine, FoundNote};
use crate::{
    context::Context,
    failure::Stop,
    output::{Cell, Clock, Form, Output, Table, shown},
};

/// A line that matches, as the answers have it.
#[derive(Serialize)]
struct Answer<'a> {
    session: &'a str,
    seq: Option<Seq>,
    r#gen: Generation,
    kind: &'static str,
    created_at: Timestamp,
    line: usize,
    text: &'a str,
    matches: Vec<[usize; 2]>,
    before: Vec<&'a str>,
    after: Vec<&'a str>,
}

/// Says what was found in a session, and hands it on at once.
pub(super) fn say(
    cx: &mut Context,
    clock: &Clock,
    session: &SessionName,
    found: &[FoundNote],
    context: usize,
) -> Result<(), Stop> {
    for note in found {
        match cx.out.form() {
            Form::Json => objects(&mut cx.out, session, note, context)?,
            Form::Plain => rows(&mut cx.out, session, note)?,
            Form::Terminal => lines(&mut cx.out, clock, session, note)?,
        }
    }
    if found.is_empty() { Ok(()) } else { cx.out.flush() }
}

fn objects(
    out: &mut Output,
    session: &SessionName,
    note: &FoundNote,
    context: usize,
) -> Result<(), Stop> {
    let from = |number| note.lines.partition_point(|line| line.number < number);
    let near = |first: usize, behind: usize| {
        let lines = note.lines.get(from(first)..from(behind)).unwrap_or_default();
        lines.iter().map(|line| line.text.as_str()).collect()
    };
    for FoundLine { number, text, places } in &note.lines {
        let Some(places) = places else { continue };
        out.json(&Answer {
            session: session.as_str(),
            seq: note.seq,
            r#gen: note.generation,
            kind: note.kind,
            created_at: note.created_at,
            line: *number,
            text,
            matches: places.iter().map(|place| [place.start, place.end]).collect(),
            before: near(number.saturating_sub(context), *number),
            after: near(number + 1, number.saturating_add(context).saturating_add(1)),
        })?;
    }
    Ok(())
}

fn rows(out: &mut Output, session: &SessionName, note: &FoundNote) -> Result<(), Stop> {
    let mut table = Table::of(&[]);
    for FoundLine { number, text, places } in &note.lines {
        let row = vec![
            Cell::text(session.as_str()),
            Cell::figure_if(note.seq),
            Cell::figure(number),
            Cell::text(if places.is_some() { "match" } else { "context" }),
            Cell::note(text),
        ];
        table.row(out, row)?;
    }
    table.end(out)
}

fn lines(
    out: &mut Output,
    clock: &Clock,
    session: &SessionName,
    note: &FoundNote,
) -> Result<(), Stop> {
    let number = note.seq.map(|seq| format!(" {seq}")).unwrap_or_default();
    out.styled(Style::new().bold(), &shown(session.as_str()))?;
    let about = format!(" · {}{number} · {}", note.kind, clock.show(note.created_at));
    out.styled(Style::new().dimmed(), &about)?;
    out.line("")?;
    let mut before = None;
    for FoundLine { number, text, places } in &note.lines {
        if before.is_some_and(|before| before + 1 < *number) {
            out.styled(Style::new().dimmed(), "     ⋯\n")?;
        }
        before = Some(*number);
        let sign = if places.is_some() { ':' } else { '-' };
        out.styled(AnsiColor::Green.on_default(), &format!("{number:>6}"))?;
        out.bytes(format!("{sign} ").as_bytes())?;
        marked(out, text, places.as_deref().unwrap_or_default())?;
    }
    out.line("")
}

/// Writes a line with the places that match picked out.
fn marked(out: &mut Output, line: &str, places: &[Range<usize>]) -> Result<(), Stop> {
    let mut end = 0;
    for place in places {
        out.bytes(shown(line.get(end..place.start).unwrap_or_default()).as_bytes())?;
        let style = AnsiColor::Red.on_default().bold();
        out.styled(style, &shown(line.get(place.clone()).unwrap_or_default()))?;
        end = place.end;
    }
    out.line(&shown(line.get(end..).unwrap_or_default()))
}
