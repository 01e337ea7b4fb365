//! The table, as Markdown.

use std::{fmt::Write as _, time::Duration};

use crate::{
    engines,
    rounds::{Ratio, Row},
};

pub(crate) fn markdown(rows: &[Row]) -> String {
    let mut table = String::from("| operation |");
    for engine in &engines::ALL {
        write!(table, " {} |", engine.name).expect("a string");
    }
    table.push_str("\n|---|");
    table.push_str(&"--:|".repeat(engines::ALL.len()));
    for row in rows {
        write!(table, "\n| {} | {} |", row.name, time(row.limit)).expect("a string");
        for ratio in &row.ratios[1..] {
            write!(table, " {} |", ratio.map_or_else(String::new, cell)).expect("a string");
        }
    }
    table.push_str("\n\n");
    for engine in &engines::ALL {
        writeln!(table, "* **{}**: {}.", engine.name, engine.promise).expect("a string");
    }
    table
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
