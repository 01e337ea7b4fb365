//! Rows of cells: aligned for a person, parted by tabs for a script.

use std::{borrow::Cow, fmt};

use anstyle::{AnsiColor, Style};

use super::{
    Form, Output,
    room::{Shares, TEXT_MIN},
    text::{self, cut_name, first_line, one_line, plain_cell, plain_cell_of_a_note},
};
use crate::failure::Stop;

/// What stands between two columns on a terminal.
const GAP: &str = "  ";

/// A table under way. In a pipe each row is written as it comes; on a terminal they wait for the
/// last one, so that the columns can be aligned.
#[derive(Debug)]
pub(crate) struct Table {
    head: &'static [&'static str],
    rows: Vec<Vec<Cell>>,
    last: Last,
}

/// What becomes of a row's last cell where the terminal has no room for all of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Last {
    Cut,
    /// The terminal goes on with it in its next line.
    Whole,
    /// It shares the line with the first cell, a name, and is left out of all rows where there is
    /// no room for the least of it.
    Shared,
}

/// One cell.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    of: Of,
    style: Style,
    side: Side,
}

/// Whose words a cell holds, by which a pipe is given them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of {
    /// An agent's: its note, in which a pipe has every character that is not the table's own.
    Note,
    /// Ours, or those of another program.
    Others,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

impl Table {
    /// Returns an empty table; the names of its columns are shown on a terminal only.
    pub(crate) const fn of(head: &'static [&'static str]) -> Self {
        Self { head, rows: Vec::new(), last: Last::Cut }
    }

    /// Returns an empty table in which nothing is cut: for paths, and for what is to be done.
    pub(crate) const fn uncut(head: &'static [&'static str]) -> Self {
        Self { head, rows: Vec::new(), last: Last::Whole }
    }

    /// Returns an empty table whose first column is a name, and whose last is a text that stands
    /// there only where a terminal has room for it beside the name.
    pub(crate) const fn of_names_and_texts(head: &'static [&'static str]) -> Self {
        Self { head, rows: Vec::new(), last: Last::Shared }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, out: &mut Output, cells: Vec<Cell>) -> Result<(), Stop> {
        if out.form() == Form::Terminal {
            self.rows.push(cells);
            return Ok(());
        }
        for (at, cell) in cells.iter().enumerate() {
            out.bytes(if at == 0 { b"" } else { b"\t" })?;
            out.styled(cell.style, &cell.plain())?;
        }
        out.bytes(b"\n")
    }

    /// Ends the table.
    pub(crate) fn end(self, out: &mut Output) -> Result<(), Stop> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let sides = self.rows.iter().flatten().map(|cell| cell.side);
        let head =
            self.head.iter().zip(sides).map(|(name, side)| Cell { side, ..Cell::dim(*name) });
        let mut rows = vec![head.collect::<Vec<_>>()];
        rows.retain(|head| !head.is_empty());
        rows.extend(self.rows);
        for cell in rows.iter_mut().flatten() {
            cell.text = one_line(&cell.text).into_owned();
        }
        match self.last {
            Last::Cut => cut_last(&mut rows),
            Last::Whole => {}
            Last::Shared => share(&mut rows),
        }
        let widths = widths(&rows);
        rows.iter().try_for_each(|row| write(out, row, &widths))
    }
}

/// Cuts the last cell of each row to what the others leave of a line.
fn cut_last(rows: &mut [Vec<Cell>]) {
    let widths = widths(rows);
    let before_last: usize = widths.iter().rev().skip(1).map(|width| width + GAP.len()).sum();
    let room = Output::width().saturating_sub(before_last).max(TEXT_MIN);
    for last in rows.iter_mut().filter_map(|row| row.last_mut()) {
        if last.width() > room {
            last.text = first_line(&last.text, room);
        }
    }
}

/// Cuts the first cell of each row and the last to what those between leave of a line, or leaves
/// the last one out.
fn share(rows: &mut [Vec<Cell>]) {
    let widths = widths(rows);
    let [_, between @ .., text] = widths.as_slice() else { return };
    let between: usize = between.iter().map(|width| GAP.len() + width).sum();
    let room = Output::width().saturating_sub(between);
    let names: Vec<_> = rows.iter().filter_map(|row| row.first()).map(|cell| &*cell.text).collect();
    let shares = Shares::of(room, GAP.len(), &names, *text);
    for row in rows {
        if let Some(name) = row.first_mut() {
            name.text = cut_name(&name.text, shares.name);
        }
        match (shares.text, row.last_mut()) {
            (Some(room), Some(text)) if text.width() > room => {
                text.text = first_line(&text.text, room);
            }
            (Some(_), _) => {}
            (None, _) => drop(row.pop()),
        }
    }
}

fn widths(rows: &[Vec<Cell>]) -> Vec<usize> {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column| rows.iter().filter_map(|row| row.get(column)).map(Cell::width).max();
    (0..columns).map(|column| width(column).unwrap_or(0)).collect()
}

fn write(out: &mut Output, row: &[Cell], widths: &[usize]) -> Result<(), Stop> {
    for (at, (cell, width)) in row.iter().zip(widths).enumerate() {
        let pad = " ".repeat(width.saturating_sub(cell.width()));
        out.bytes(if at == 0 { b"" } else { GAP.as_bytes() })?;
        if cell.side == Side::Right {
            out.bytes(pad.as_bytes())?;
        }
        out.styled(cell.style, &cell.text)?;
        if cell.side == Side::Left && at + 1 < row.len() {
            out.bytes(pad.as_bytes())?;
        }
    }
    out.bytes(b"\n")
}

impl Cell {
    pub(crate) fn text(text: impl Into<String>) -> Self {
        Self { text: text.into(), of: Of::Others, style: Style::new(), side: Side::Left }
    }

    /// Returns a cell of a note's text, or of a part of it.
    pub(crate) fn note(text: impl Into<String>) -> Self {
        Self { of: Of::Note, ..Self::text(text) }
    }

    /// Returns a cell of a figure, which stands to the right.
    pub(crate) fn figure(figure: impl fmt::Display) -> Self {
        Self { side: Side::Right, ..Self::text(figure.to_string()) }
    }

    /// Returns a cell of a figure, or of a dash where there is none.
    pub(crate) fn figure_if(figure: Option<impl fmt::Display>) -> Self {
        figure.map_or_else(|| Self { side: Side::Right, ..Self::dim("-") }, Self::figure)
    }

    pub(crate) fn strong(text: impl Into<String>) -> Self {
        Self { style: Style::new().bold(), ..Self::text(text) }
    }

    pub(crate) fn dim(text: impl Into<String>) -> Self {
        Self { style: Style::new().dimmed(), ..Self::text(text) }
    }

    pub(crate) fn good(text: impl Into<String>) -> Self {
        Self { style: AnsiColor::Green.on_default(), ..Self::text(text) }
    }

    pub(crate) fn bad(text: impl Into<String>) -> Self {
        Self { style: AnsiColor::Red.on_default().bold(), ..Self::text(text) }
    }

    fn plain(&self) -> Cow<'_, str> {
        match self.of {
            Of::Note => plain_cell_of_a_note(&self.text),
            Of::Others => plain_cell(&self.text),
        }
    }

    fn width(&self) -> usize {
        text::width(&self.text)
    }
}
