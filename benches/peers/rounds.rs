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
    /// How many times the first engine's time each took.
    pub(crate) to_raw: Vec<Option<Ratio>>,
    /// How many times the time of this crate each took.
    pub(crate) to_ours: Vec<Option<Ratio>>,
}

/// How many times the time of another it took.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ratio {
    pub(crate) median: f64,
    pub(crate) quartiles: (f64, f64),
}

/// How long files are left alone before they are read: one that was just written may be written to
/// once more within the same tick of its clock, so that whoever goes by its times looks again.
const REST: Duration = Duration::from_millis(2_100);

/// From round to round the engines go in another order, so that none has always the same one before
/// it: what that one left to the disk and the caches is paid by who comes next.
const STEPS: [usize; 4] = [1, 3, 5, 7];

const _: () = assert!(engines::ALL_COUNT == 8, "each step must lead through all of them");

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
    for work in works.iter_mut().flatten() {
        (0..operation.beforehand).for_each(|_| work());
    }

    let mut times = vec![Vec::new(); works.len()];
    for round in 0..operation.rounds {
        for turn in 0..works.len() {
            let engine = (turn * STEPS[round % STEPS.len()] + round) % works.len();
            if let Some(work) = &mut works[engine] {
                times[engine].push(time(operation.batch, work));
            }
        }
    }
    let ratios_to = |one: usize| times.iter().map(|each| ratio(each, &times[one])).collect();
    Row {
        name: operation.name,
        limit: median(&times[engines::RAW]),
        to_raw: ratios_to(engines::RAW),
        to_ours: ratios_to(engines::OURS),
    }
}

/// Times so many runs. Where one is too short to be timed, another goes before them, which finds
/// the processor's caches as the engine before has left them.
fn time(batch: u32, work: &mut dyn FnMut()) -> Duration {
    if batch > 1 {
        work();
    }
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
