//! The method of scoring: climbs a likelihood by the slopes of its bins.
//!
//! The mean of the products of slopes stands for the second derivatives, with a correction from the
//! steps taken. A step that leads down is shortened.
//!
//! Sources: Berndt, Hall, Hall and Hausman, *Estimation and inference in nonlinear structural
//! models* (Annals of Economic and Social Measurement 3, 1974), for the products of slopes; Dennis,
//! Gay and Welsch, *An adaptive nonlinear least-squares algorithm* (ACM Transactions on
//! Mathematical Software 7, 1981), for what is added to them; Marquardt, *An algorithm for
//! least-squares estimation of nonlinear parameters* (SIAM Journal 11, 1963), for shorter steps.

use super::family::Family;
use super::likelihood::Likelihood;
use super::scale::Scale;
use super::square::{Square, dot, solve, times, zeros};

/// The distance over which slopes are measured, on scales where parameters change by about 1.
const STEP: f64 = 1e-5;

/// The longest move of a parameter in a step.
const FARTHEST: f64 = 3.0;

/// How often a step is shortened before the search gives up.
const SHORTENED: u32 = 12;

/// A bin that becomes impossible after a step has no slope.
const LOST: f64 = 1e6;

/// The parameters of a family, some of them held, to be fitted to observations.
#[derive(Clone, Copy, Debug)]
pub struct Search<'a> {
    /// The observations.
    pub likelihood: &'a Likelihood,
    /// The family.
    pub family: Family,
    /// The range of each parameter.
    pub scales: &'a [Scale],
    /// The places of the free parameters.
    pub searched: &'a [usize],
}

impl Search<'_> {
    /// The parameters `p` with new values of the free ones.
    fn at(&self, p: &[f64], free: &[f64]) -> Vec<f64> {
        let mut moved = p.to_vec();
        for (&place, &value) in self.searched.iter().zip(free) {
            moved[place] = self.scales[place].bounded(value);
        }
        moved
    }

    /// The free parameters, on scales without bounds.
    fn free(&self, p: &[f64]) -> Vec<f64> {
        self.searched.iter().map(|&place| self.scales[place].unbounded(p[place])).collect()
    }

    /// The logarithms of the bins' probabilities; None if no such law exists.
    fn logs(&self, p: &[f64], free: &[f64]) -> Option<Vec<f64>> {
        self.family.law(&self.at(p, free)).map(|law| self.likelihood.logs(&law))
    }

    /// How the logarithm of each bin changes with each parameter.
    fn rates(&self, p: &[f64], free: &[f64], here: &[f64]) -> Square {
        let rate = |place: usize| {
            let step = STEP * free[place].abs().max(1.0);
            let mut near = free.to_vec();
            near[place] += step;
            let there = self.logs(p, &near);
            there.map_or_else(
                || vec![0.0; here.len()],
                |there| {
                    let rates = there.iter().zip(here).map(|(there, here)| (there - here) / step);
                    rates.map(|rate| if rate.abs() < LOST { rate } else { 0.0 }).collect()
                },
            )
        };
        (0..free.len()).map(rate).collect()
    }
}

/// The parameters near `p` that locally maximize the mean of the bins' logarithms. The search ends
/// once the next step promises less than `least` of it, and after `most` steps.
#[must_use]
pub fn maximize(search: &Search<'_>, p: &[f64], least: f64, most: usize) -> Vec<f64> {
    let share = search.likelihood.shares();
    let mut at = search.free(p);
    let Some(mut here) = search.logs(p, &at) else { return search.at(p, &at) };
    let (mut reached, mut damping) = (dot(&share, &here), 0.0_f64);
    let mut rest = zeros(at.len());
    let mut moved: Option<(Vec<f64>, Vec<f64>)> = None;
    for _ in 0..most {
        let rates = search.rates(p, &at, &here);
        let slope = times(&rates, &share);
        let curvature = weighted_products(&rates, &share);
        if let Some((step, last)) = moved {
            let change: Vec<f64> =
                last.iter().zip(&slope).map(|(last, slope)| last - slope).collect();
            learn(&mut rest, &curvature, &step, &change);
        }
        let mut found = None;
        for _ in 0..SHORTENED {
            let (step, promised) = step_up(&curvature, &rest, &slope, damping);
            if promised.is_nan() || promised <= least {
                return search.at(p, &at);
            }
            let next: Vec<f64> = at.iter().zip(&step).map(|(at, step)| at + step).collect();
            if let Some(there) = search.logs(p, &next) {
                let value = dot(&share, &there);
                if value > reached {
                    found = Some((next, there, step, value));
                    break;
                }
            }
            damping = (4.0 * damping).max(0.1);
        }
        let Some((next, there, step, value)) = found else { break };
        (at, here, reached, moved) = (next, there, value, Some((step, slope)));
        damping = if damping > 1e-3 { damping / 8.0 } else { 0.0 };
    }
    search.at(p, &at)
}

/// The mean of the products of slopes, the information of a value.
fn weighted_products(rates: &Square, share: &[f64]) -> Square {
    let product =
        |a: &[f64], b: &[f64]| a.iter().zip(b).zip(share).map(|((a, b), s)| a * b * s).sum();
    rates.iter().map(|a| rates.iter().map(|b| product(a, b)).collect()).collect()
}

/// Adds the smallest correction to the products that explains the change of the slope.
fn learn(rest: &mut Square, inside: &Square, moved: &[f64], change: &[f64]) {
    let (known, added) = (times(inside, moved), times(rest, moved));
    let missing: Vec<f64> =
        change.iter().zip(known).zip(added).map(|((change, a), b)| change - a - b).collect();
    let along = dot(&missing, moved);
    if along.abs() <= 1e-8 * (dot(&missing, &missing) * dot(moved, moved)).sqrt() {
        return;
    }
    for (row, a) in rest.iter_mut().zip(&missing) {
        for (one, b) in row.iter_mut().zip(&missing) {
            *one += a * b / along;
        }
    }
}

/// A step up, and the gain that it promises.
fn step_up(inside: &Square, rest: &Square, slope: &[f64], damping: f64) -> (Vec<f64>, f64) {
    let largest = (0..slope.len()).map(|i| inside[i][i]).fold(1e-12, f64::max);
    let ridged = |with: Option<&Square>| -> Square {
        let mut sum = inside.clone();
        for (i, row) in sum.iter_mut().enumerate() {
            row[i] += damping * row[i] + 1e-12 * largest;
            if let Some(with) = with {
                row.iter_mut().zip(&with[i]).for_each(|(one, more)| *one += more);
            }
        }
        sum
    };
    for with in [Some(rest), None] {
        if let Some(mut step) = solve(&ridged(with), slope) {
            step.iter_mut().for_each(|one| *one = one.clamp(-FARTHEST, FARTHEST));
            let promised = dot(slope, &step) / 2.0;
            return (step, promised);
        }
    }
    (slope.to_vec(), 0.0)
}

#[cfg(test)]
mod tests {
    use super::super::{Bins, Law};
    use super::*;

    /// Bins that hold exactly the law's expected counts.
    fn counted(law: &Law) -> Likelihood {
        let widths = (0..400).map(|n| 0.01 * 1.03_f64.powi(n));
        let bounds: Vec<f64> = std::iter::once(0.0).chain(widths).collect();
        let mass = |pair: &[f64]| 1e6 * (law.tails(pair[1]).0 - law.tails(pair[0]).0);
        let count = bounds.windows(2).map(mass).collect();
        let (lower, upper) = (bounds[..400].to_vec(), bounds[1..].to_vec());
        Likelihood::new(Bins { lower, upper, count, limit: f64::INFINITY, step: 0.0 })
    }

    #[test]
    fn the_parameters_that_made_the_bins_are_found() {
        let positive = Scale { low: 0.0, high: f64::INFINITY };
        let real = Scale { low: f64::NEG_INFINITY, high: f64::INFINITY };
        for (family, scales, start, made) in [
            (Family::Exponential, &[positive][..], &[1.0][..], &[7.0][..]),
            (Family::Lognormal, &[real, positive], &[0.0, 1.0], &[1.5, 0.6]),
            (Family::Weibull, &[positive, positive], &[0.6, 5.0], &[0.7, 4.0]),
            (Family::Gamma, &[positive, positive], &[1.0, 1.0], &[2.5, 1.5]),
        ] {
            let seen = counted(&family.law(made).unwrap());
            let searched: Vec<usize> = (0..made.len()).collect();
            let search = Search { likelihood: &seen, family, scales, searched: &searched };
            let found = maximize(&search, start, 1e-14, 60);
            for (found, made) in found.iter().zip(made) {
                assert!((found / made - 1.0).abs() < 1e-3, "{family:?}: {found} for {made}");
            }
        }
    }

    #[test]
    fn what_is_held_stays() {
        let seen = counted(&Family::Gamma.law(&[2.5, 1.5]).unwrap());
        let scales = [Scale { low: 0.0, high: f64::INFINITY }; 2];
        let search =
            Search { likelihood: &seen, family: Family::Gamma, scales: &scales, searched: &[1] };
        let found = maximize(&search, &[2.5, 1.0], 1e-14, 60);
        assert_eq!(found[0], 2.5);
        assert!((found[1] / 1.5 - 1.0).abs() < 1e-3, "{found:?}");
    }
}
