//! Time on a noisy machine: the median over interleaved pairs. The clock is the thread's own, which
//! stands still while other programs run.

use std::hint::black_box;
use std::time::Duration;

use cpu_time::ThreadTime;

const PAIRS: usize = 21;
/// Long enough that the clock's own steps do not count.
const SAMPLE: Duration = Duration::from_millis(3);

/// How long `one` takes, as a share of `other`.
pub(crate) fn ratio<A, B>(mut one: impl FnMut() -> A, mut other: impl FnMut() -> B) -> f64 {
    let (rounds_of_one, rounds_of_other) = (rounds(&mut one), rounds(&mut other));
    median((0..PAIRS).map(|_| sample(&mut one, rounds_of_one) / sample(&mut other, rounds_of_other)).collect())
}

/// How many nanoseconds `one` takes more than `other`, each divided by `parts`.
pub(crate) fn difference<A, B>(mut one: impl FnMut() -> A, mut other: impl FnMut() -> B, parts: f64) -> f64 {
    let (rounds_of_one, rounds_of_other) = (rounds(&mut one), rounds(&mut other));
    let pairs = (0..PAIRS).map(|_| sample(&mut one, rounds_of_one) - sample(&mut other, rounds_of_other));
    median(pairs.map(|nanos| nanos / parts).collect())
}

/// How many nanoseconds one run takes, divided by `parts`.
pub(crate) fn nanos<A>(one: impl FnMut() -> A, parts: f64) -> f64 {
    difference(one, || (), parts)
}

/// How many milliseconds one run takes that is long enough to stand alone.
pub(crate) fn millis<A>(mut one: impl FnMut() -> A) -> f64 {
    median((0..3).map(|_| sample(&mut one, 1) / 1e6).collect())
}

fn rounds<T>(run: &mut impl FnMut() -> T) -> u32 {
    let mut rounds = 1_u32;
    loop {
        let started = ThreadTime::now();
        (0..rounds).for_each(|_| drop(black_box(run())));
        let taken = started.elapsed();
        if taken >= SAMPLE || rounds > 1 << 22 {
            return rounds;
        }
        rounds *= 2;
    }
}

/// Nanoseconds of one run.
fn sample<T>(run: &mut impl FnMut() -> T, rounds: u32) -> f64 {
    let started = ThreadTime::now();
    (0..rounds).for_each(|_| drop(black_box(run())));
    started.elapsed().as_secs_f64() * 1e9 / f64::from(rounds)
}

fn median(mut values: Vec<f64>) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
