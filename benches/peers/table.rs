//! The tables, as Markdown.

use std::{fmt::Write as _, time::Duration};

use crate::{
    engines,
    rounds::{Ratio, Row},
};

/// Returns what each took beside the bare system calls, what the peers took beside this crate, and
/// what each promises for it.
pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut tables = header(engines::RAW);
    for row in rows {
        write!(tables, "\n| {} | {} |", row.name, time(row.limit)).expect("a string");
        write_ratios(&mut tables, &row.to_raw[engines::RAW + 1..]);
    }
    tables.push_str("\n\nThe same beside graff-notes:\n\n");
    tables.push_str(&header(engines::OURS));
    for row in rows {
        write!(tables, "\n| {} | 1 |", row.name).expect("a string");
        write_ratios(&mut tables, &row.to_ours[engines::OURS + 1..]);
    }
    tables.push_str("\n\n");
    for engine in &engines::ALL {
        writeln!(tables, "* **{}**: {}.", engine.name, engine.promise).expect("a string");
    }
    tables
}

/// Returns the headings: an operation, and the engines from `first` on.
fn header(first: usize) -> String {
    let names = engines::ALL[first..].iter().map(|engine| engine.name);
    let names = names.collect::<Vec<_>>().join(" | ");
    format!("| operation | {names} |\n|---|{}", "--:|".repeat(engines::ALL_COUNT - first))
}

fn write_ratios(table: &mut String, ratios: &[Option<Ratio>]) {
    for ratio in ratios {
        write!(table, " {} |", ratio.map_or_else(String::new, cell)).expect("a string");
    }
}

fn cell(ratio: Ratio) -> String {
    let (low, high) = ratio.quartiles;
    format!("{} ({}–{})", figure(ratio.median), figure(low), figure(high))
}

/// Two digits behind the point as long as they mean something.
fn figure(ratio: f64) -> String {
    let digits = if ratio < 10.0 { 2 } else { usize::from(ratio < 100.0) };
    format!("{ratio:.digits$}")
}

fn time(time: Duration) -> String {
    let micros = time.as_secs_f64() * 1e6;
    if micros < 1000.0 { format!("{micros:.1} µs") } else { format!("{:.2} ms", micros / 1e3) }
}
