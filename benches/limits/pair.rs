//! Two ways to do the same, timed in turn.

use std::{
    hint::black_box,
    time::{Duration, Instant},
};

use criterion::Criterion;

/// Each operation runs so long before it is measured; with a second all of them end within five
/// minutes, and none of them has anything to learn in three.
pub(crate) const WARM_UP: Duration = Duration::from_secs(1);

/// How many rounds at least stand behind a ratio that is printed.
const ROUNDS_MIN: usize = 20;

/// Times `raw` and `ours` in turn, `batch` runs of each a round, and prints the ratio.
///
/// Criterion decides how many rounds there are and reports on ours; who goes first changes from
/// round to round. No round counts that was begun before the warm-up had its time.
pub(crate) fn compare<R, O>(
    criterion: &mut Criterion,
    name: &str,
    batch: u32,
    mut raw: impl FnMut() -> R,
    mut ours: impl FnMut() -> O,
) {
    let (mut ratios, mut run_for) = (Vec::new(), Duration::ZERO);
    criterion.bench_function(name, |bencher| {
        bencher.iter_custom(|rounds| {
            let (start, is_warm) = (Instant::now(), run_for > WARM_UP);
            let mut total = Duration::ZERO;
            for round in 0..rounds {
                let (limit, taken) = if round % 2 == 0 {
                    let limit = time(batch, &mut raw);
                    (limit, time(batch, &mut ours))
                } else {
                    let taken = time(batch, &mut ours);
                    (time(batch, &mut raw), taken)
                };
                if is_warm {
                    ratios.push(taken.as_secs_f64() / limit.as_secs_f64());
                }
                total += taken;
            }
            run_for += start.elapsed();
            total / batch
        });
    });
    if ratios.len() >= ROUNDS_MIN {
        ratios.sort_by(f64::total_cmp);
        let at = |quarter: usize| ratios[ratios.len() * quarter / 4];
        println!("{name}: {:.2} × raw ({:.2} to {:.2})\n", at(2), at(1), at(3));
    }
}

fn time<T>(batch: u32, work: &mut impl FnMut() -> T) -> Duration {
    let start = Instant::now();
    for _ in 0..batch {
        black_box(work());
    }
    start.elapsed()
}
