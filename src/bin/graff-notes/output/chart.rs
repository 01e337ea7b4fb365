//! Bars, for a person at a terminal.

use anstyle::AnsiColor;

use super::Output;
use crate::failure::Stop;

/// The parts of a whole column that a bar can end with, by eighths.
const EIGHTHS: [&str; 8] = ["", "▏", "▎", "▍", "▌", "▋", "▊", "▉"];

/// The longest bar, in columns.
const BAR_MAX: usize = 50;

/// The shortest length of the longest bar, in columns.
const BAR_MIN: usize = 10;

/// Writes a bar for each label, as long in proportion to the others as its figure is great.
pub(crate) fn chart(out: &mut Output, bars: &[(String, u64)]) -> Result<(), Stop> {
    let label_width = bars.iter().map(|(label, _)| label.chars().count()).max().unwrap_or(0);
    let most = bars.iter().map(|(_, figure)| *figure).max().unwrap_or(0);
    let figure_width = most.to_string().len();
    let around = "    ".len() + label_width + figure_width;
    let room = Output::width().saturating_sub(around).clamp(BAR_MIN, BAR_MAX);
    for (label, figure) in bars {
        out.bytes(format!("  {label:<label_width$} {figure:>figure_width$} ").as_bytes())?;
        out.styled(AnsiColor::Cyan.on_default(), &bar(*figure, most, room))?;
        out.line("")?;
    }
    Ok(())
}

/// Returns a bar; where there is anything to show, it is never empty.
fn bar(figure: u64, most: u64, room: usize) -> String {
    let room = room as u128 * 8;
    let eighths = (u128::from(figure) * room).div_ceil(u128::from(most.max(1)));
    let eighths = usize::try_from(eighths).unwrap_or(0);
    "█".repeat(eighths / 8) + EIGHTHS.get(eighths % 8).unwrap_or(&"")
}
