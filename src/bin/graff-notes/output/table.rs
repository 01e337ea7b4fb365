//! Rows of cells: aligned for a person, parted by tabs for a script.

use std::fmt;

use anstyle::{AnsiColor, Style};

use super::{
    Form, Output,
    text::{self, first_line, one_line, plain_cell},
};
use crate::failure::Stop;

/// What stands between two columns on a terminal.
const GAP: &str = "  ";

/// The least that is shown of a row's last cell, in columns.
const ROOM_MIN: usize = 20;

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
    /// It is cut, and left out of all rows where there is no room for the least of it.
    Spare,
}

/// One cell.
#[derive(Debug)]
pub(crate) struct Cell {
    text: String,
    style: Style,
    side: Side,
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

    /// Returns an empty table whose last column stands there only where a terminal has room for it.
    pub(crate) const fn with_spare_last(head: &'static [&'static str]) -> Self {
        Self { head, rows: Vec::new(), last: Last::Spare }
    }

    /// Adds a row.
    pub(crate) fn row(&mut self, out: &mut Output, cells: Vec<Cell>) -> Result<(), Stop> {
        if out.form() == Form::Terminal {
            self.rows.push(cells);
            return Ok(());
        }
        for (at, cell) in cells.iter().enumerate() {
            out.bytes(if at == 0 { b"" } else { b"\t" })?;
            out.bytes(plain_cell(&cell.text).as_bytes())?;
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
        let widths = widths(&rows);
        let before_last = widths.iter().rev().skip(1).map(|width| width + GAP.len()).sum();
        let room = Output::width().saturating_sub(before_last);
        for row in &mut rows {
            if self.last == Last::Spare && room < ROOM_MIN {
                row.pop();
            } else if let (Last::Cut | Last::Spare, Some(last)) = (self.last, row.last_mut()) {
                last.cut_to(room.max(ROOM_MIN));
            }
        }
        rows.iter().try_for_each(|row| write(out, row, &widths))
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
        Self { text: text.into(), style: Style::new(), side: Side::Left }
    }

    /// Returns a cell of a figure, which stands to the right.
    pub(crate) fn figure(figure: impl fmt::Display) -> Self {
        Self { side: Side::Right, ..Self::text(format!("{figure}")) }
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

    /// Cuts off what exceeds a line of the terminal.
    fn cut_to(&mut self, room: usize) {
        if self.width() > room {
            self.text = first_line(&self.text, room);
        }
    }

    fn width(&self) -> usize {
        text::width(&self.text)
    }
}
