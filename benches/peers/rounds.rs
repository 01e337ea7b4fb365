//! Rounds in which every engine does the same once, and what came of them.

use std::{
    thread,
    time::{Duration, Instant},
};

use crate::{engines, operations::Operation, world};

/// What an operation took, in the order of the engines.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// The median of the first engine's time.
    pub(crate) limit: Duration,
    pub(crate) ratios: Vec<Option<Ratio>>,
}

/// How many times the first engine's time another took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) quartiles: (f64, f64),
}

/// How long files are left alone before they are read: one that was just written may be written to
/// once more within the same tick of its clock, so that whoever goes by its times looks again.
const REST: Duration = Duration::from_millis(2_100);

pub(crate) fn measure(operation: &Operation) -> Row {
    let folders: Vec<_> = engines::ALL.iter().map(|_| world::folder()).collect();
    let mut works: Vec<_> = engines::ALL
        .iter()
        .zip(&folders)
        .map(|(engine, folder)| (operation.prepare)(engine, world::path(folder)))
        .collect();
    // What filled them is not to be written back while others are timed.
    rustix::fs::sync();
    thread::sleep(REST);
    works.iter_mut().flatten().for_each(|work| work());

    let mut times = vec![Vec::new(); works.len()];
    for round in 0..operation.rounds {
        for turn in 0..works.len() {
            let engine = (turn + round) % works.len();
            if let Some(work) = &mut works[engine] {
                times[engine].push(time(operation.batch, work));
            }
        }
    }
    let limits = &times[0];
    let ratios = times.iter().map(|times| ratio(times, limits)).collect();
    Row { name: operation.name, limit: median(limits), ratios }
}

fn time(batch: u32, work: &mut dyn FnMut()) -> Duration {
    let start = Instant::now();
    for _ in 0..batch {
        work();
    }
    start.elapsed() / batch
}

fn median(times: &[Duration]) -> Duration {
    let mut times = times.to_vec();
    times.sort_unstable();
    times[times.len() / 2]
}

fn ratio(times: &[Duration], limits: &[Duration]) -> Option<Ratio> {
    let pairs = times.iter().zip(limits);
    let mut ratios: Vec<f64> =
        pairs.map(|(time, limit)| time.as_secs_f64() / limit.as_secs_f64()).collect();
    ratios.sort_by(f64::total_cmp);
    let at = |quarter: usize| ratios.get(ratios.len() * quarter / 4).copied();
    Some(Ratio { median: at(2)?, quartiles: (at(1)?, at(3)?) })
}
