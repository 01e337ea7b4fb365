//! The figures, as Markdown.

use std::fmt::Write as _;

use crate::measured::Measured;

/// The sizes that the exponents are of: the last two decades. What comes before is mostly the
/// program's start.
const SIZES_OF_EXPONENT: usize = 3;

/// What an operation took at each size.
pub(crate) struct Row {
    name: &'static str,
    points: Vec<(u64, Measured)>,
}

impl Row {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, points: Vec::new() }
    }

    pub(crate) fn add(&mut self, size: u64, measured: Measured) {
        eprintln!("{} at {size}: {}", self.name, figures(measured));
        self.points.push((size, measured));
    }

    /// Returns the exponents of time and memory over the last sizes.
    fn exponents(&self) -> String {
        let last = self.points.len().saturating_sub(SIZES_OF_EXPONENT);
        let points = &self.points[last..];
        let exponent = |of: &dyn Fn(&Measured) -> Option<f64>| {
            let known = points.iter().filter_map(|(size, took)| Some((*size as f64, of(took)?)));
            slope(&known.map(|(size, took)| (size.ln(), took.ln())).collect::<Vec<_>>())
        };
        let time = exponent(&|took| Some(took.time.as_secs_f64()));
        let memory = exponent(&|took| took.peak_kib.map(|kib| kib as f64));
        [time, memory]
            .map(|found| found.map_or_else(String::new, |n| format!("{n:.2}")))
            .join(" | ")
    }
}

/// Returns a table of what grows with `what`.
pub(crate) fn markdown(what: &str, rows: &[Row]) -> String {
    let mut table = format!("| {what}: |");
    let sizes = rows.first().map(|row| &row.points[..]).unwrap_or_default();
    for (size, _) in sizes {
        write!(table, " {} |", grouped(*size)).expect("a string");
    }
    table.push_str(" time ∝ nˣ, last two decades | memory ∝ nˣ, likewise |\n|---|");
    table.push_str(&"--:|".repeat(sizes.len() + 2));
    for row in rows {
        write!(table, "\n| {} |", row.name).expect("a string");
        for (_, measured) in &row.points {
            write!(table, " {} |", figures(*measured)).expect("a string");
        }
        write!(table, " {} |", row.exponents()).expect("a string");
    }
    table
}

fn figures(measured: Measured) -> String {
    let micros = measured.time.as_secs_f64() * 1e6;
    let time = match micros {
        ..100.0 => format!("{micros:.1} µs"),
        ..1e3 => format!("{micros:.0} µs"),
        ..1e6 => format!("{:.1} ms", micros / 1e3),
        _ => format!("{:.2} s", micros / 1e6),
    };
    match measured.peak_kib {
        Some(kib) => format!("{time}, {:.1} MiB", kib as f64 / 1024.0),
        None => time,
    }
}

/// Returns the slope of the line through `points` that has the least squares.
fn slope(points: &[(f64, f64)]) -> Option<f64> {
    let count = points.len() as f64;
    let mean = |of: fn(&(f64, f64)) -> f64| points.iter().map(of).sum::<f64>() / count;
    let (x, y) = (mean(|point| point.0), mean(|point| point.1));
    let spread: f64 = points.iter().map(|point| (point.0 - x).powi(2)).sum();
    let common: f64 = points.iter().map(|point| (point.0 - x) * (point.1 - y)).sum();
    (spread > 0.0).then(|| common / spread)
}

/// Returns a number with a comma before each three digits.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let groups: Vec<_> = digits.as_bytes().rchunks(3).rev().map(String::from_utf8_lossy).collect();
    groups.join(",")
}
