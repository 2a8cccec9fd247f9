//! The length of the warm-up: the rule MSER-5.

/// The observations that one batch joins.
const BATCH: usize = 5;

/// The number of first observations to leave out, so that the mean of the rest is known best:
/// MSER-5 (White, Simulation 69, 1997). `None` if that would be half of them or more: the sequence
/// is too short.
#[must_use]
pub fn mser5(values: &[f64]) -> Option<usize> {
    let mean = |batch: &[f64]| batch.iter().sum::<f64>() / BATCH as f64;
    let batches: Vec<f64> = values.chunks_exact(BATCH).map(mean).collect();
    let half = batches.len() / 2;
    // From the end: the mean of the following values, and their sum of squared deviations
    // (Welford).
    let (mut count, mut average, mut squares) = (0.0, 0.0, 0.0);
    let mut best = (f64::INFINITY, half);
    for (at, value) in batches.iter().enumerate().rev() {
        count += 1.0;
        let step = value - average;
        average += step / count;
        squares += step * (value - average);
        let error = squares / (count * count);
        if at <= half && error <= best.0 {
            best = (error, at);
        }
    }
    (best.1 < half).then_some(best.1 * BATCH)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    fn noise(count: usize) -> Vec<f64> {
        let mut stream = Stream::new(4, 0, Purpose::Demand);
        (0..count).map(|_| stream.uniform()).collect()
    }

    #[test]
    fn a_start_that_differs_is_left_out() {
        let mut values = noise(2000);
        values[..300].iter_mut().for_each(|value| *value -= 3.0);
        let left_out = mser5(&values).unwrap();
        assert!((300..=400).contains(&left_out), "{left_out}");
    }

    #[test]
    fn little_of_a_steady_sequence_is_left_out() {
        assert!(mser5(&noise(2000)).unwrap() < 500);
    }

    #[test]
    fn a_sequence_that_never_settles_is_too_short() {
        let rising: Vec<f64> = (0..1000).map(f64::from).collect();
        assert_eq!(mser5(&rising), None);
        assert_eq!(mser5(&[]), None);
    }
}
