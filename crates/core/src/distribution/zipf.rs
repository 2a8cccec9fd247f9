//! `zipf(n=, s=)`.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::logarithm::ln;
use super::numeric::least_whole;
use super::{Entry, Law};
use crate::files::Files;
use crate::notation::{Arguments, Call};

/// The most ranks.
const RANKS_MAX: f64 = 1e12;

/// This many terms of a sum are added one by one; the rest has a closed form.
const TERMS_ADDED: usize = 1000;

/// The number of equal parts of the last kept sum, so that checking one or two sums finds a rank
/// where halving checks ten (Chen and Asau, AIIE Transactions 6(2), 1974).
const PARTS: usize = 1024;

/// A rank is checked only when its real-valued solution is this near the border to the next
/// one, or when s is so large that the solution is less exact than that.
const BORDER: f64 = 0.01;
const EXPONENT_PLAIN: f64 = 10.0;

/// P(X = k) ~ k^-s on 1..=n.
///
/// Takes constant memory and time for any n: the first sums are kept, and the others come from
/// the formula of Euler and Maclaurin.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Zipf {
    n: f64,
    s: f64,
    /// The sums of k^-s over 1..=k, for the first k.
    sums: Arc<[f64]>,
    /// By part of the last of these sums, the number of them in parts before it.
    guide: Arc<[u16]>,
    parts_per_sum: f64,
    /// The sum over all n.
    total: f64,
    /// (n + 1/2)^(s - 1), from which each rank beyond the kept sums is computed.
    top_power: f64,
    /// Whether 1 - s is so large that the solution needs no digits beyond those of a number near 1:
    /// they move it by some n 10^-16 / |1 - s|, a hundredth of the border's width at most.
    plain: bool,
    /// E[X] and E[X²].
    moments: Box<(f64, f64)>,
}

impl Zipf {
    fn new(n: f64, s: f64) -> Result<Zipf, Invalid> {
        Self::ENTRY.count("n", n, RANKS_MAX)?;
        if !(s >= 0.0 && s.is_finite()) {
            return Err(Self::ENTRY.error(&format!("needs `s` of 0 or more, not {s}")));
        }
        let kept = (n as usize).min(TERMS_ADDED);
        let sums: Arc<[f64]> = (1..=kept)
            .scan(0.0, |sum, k| {
                *sum += (k as f64).powf(-s);
                Some(*sum)
            })
            .collect();
        let total = sums[kept - 1] + sum_beyond(s, 1.0, kept as f64, n);
        let top_power = (n + 0.5).powf(s - 1.0);
        let parts_per_sum = PARTS as f64 / sums[kept - 1];
        let guide = guide_of(&sums, parts_per_sum);
        let moments = Box::new(moments(s, 1.0, n));
        let plain = (1.0 - s).abs() > n * 1e-12;
        Ok(Zipf { n, s, sums, guide, parts_per_sum, total, top_power, plain, moments })
    }

    /// The least k for which the sum over 1..=k reaches `target`; the last kept sum does.
    #[inline(always)]
    fn rank_kept(&self, target: f64) -> f64 {
        let mut before = usize::from(self.guide[part_of(target, self.parts_per_sum)]);
        // Mostly it is one of these three: found without a branch prediction.
        before += usize::from(self.sums[before] < target);
        before += usize::from(self.sums[before] < target);
        while self.sums[before] < target {
            before += 1;
        }
        (before + 1) as f64
    }

    /// The sum of k^-s over 1..=k.
    fn sum_to(&self, k: f64) -> f64 {
        let last = self.sums.len();
        if k <= last as f64 {
            return self.sums[k as usize - 1];
        }
        self.sums[last - 1] + sum_beyond(self.s, 1.0, last as f64, k)
    }

    /// The least k beyond the kept sums with P(X > k) <= q.
    fn rank_beyond(&self, q: f64) -> f64 {
        // The sum over k+1..=n is the integral over k+1/2..n+1/2 up to terms of s / (24 k).
        let (top, d) = (self.n + 0.5, 1.0 - self.s);
        let tail = q * self.total;
        let power = -d * tail * self.top_power;
        let x = if d == 0.0 {
            top * (-tail).exp()
        } else if self.plain && power > -1.0 + 1e-9 {
            top * (ln(1.0 + power) / d).exp()
        } else {
            top * (power.ln_1p() / d).exp()
        };
        let bounds = (self.sums.len() as f64 + 1.0, self.n);
        // Not by `floor`, which is a call in builds for older processors.
        let whole = x as i64 as f64;
        let beyond_border = x - whole - 0.5;
        if beyond_border.abs() > BORDER && self.s < EXPONENT_PLAIN {
            let rank = if beyond_border > 0.0 { whole + 1.0 } else { whole };
            return rank.clamp(bounds.0, bounds.1);
        }
        let guess = if x.is_nan() { self.n } else { x };
        least_whole(guess, bounds, |k| self.survival(k) > q)
    }
}

/// The part of a number. A larger number never lies in an earlier part, however products are
/// rounded: so a number in an earlier part is smaller.
#[inline(always)]
fn part_of(number: f64, parts_per_sum: f64) -> usize {
    ((number * parts_per_sum) as usize).min(PARTS - 1)
}

/// By part, the number of sums in parts before it.
fn guide_of(sums: &[f64], parts_per_sum: f64) -> Arc<[u16]> {
    let before = |part| sums.partition_point(|sum| part_of(*sum, parts_per_sum) < part) as u16;
    (0..PARTS).map(before).collect()
}

/// E[X] and E[X²] of k^-s on from..=to.
fn moments(s: f64, from: f64, to: f64) -> (f64, f64) {
    let sum = |power: f64| {
        let added = (to - from + 1.0).min(TERMS_ADDED as f64);
        let last = from + added - 1.0;
        let few: f64 = (0..added as u32).map(|i| (1.0 + f64::from(i) / from).powf(power - s)).sum();
        few + sum_beyond(s - power, from, last, to)
    };
    let weight = sum(0.0);
    (from * (sum(1.0) / weight), from * from * (sum(2.0) / weight))
}

/// The sum of (k / unit)^-s over from+1..=to, for a large `from`: Euler-Maclaurin.
fn sum_beyond(s: f64, unit: f64, from: f64, to: f64) -> f64 {
    if to <= from {
        return 0.0;
    }
    let log = (to / from).ln();
    let first = (from / unit).powf(-s);
    let last = (to / unit).powf(-s);
    let d = 1.0 - s;
    let growth = if d == 0.0 { log } else { (d * log).exp_m1() / d };
    // Divided differences of the odd derivatives at the two ends.
    let odd = |order: i32| first / from.powi(order) - last / to.powi(order);
    let third = s * (s + 1.0) * (s + 2.0);
    let fifth = third * (s + 3.0) * (s + 4.0);
    first * from * growth + 0.5 * (last - first) + s * odd(1) / 12.0 - third * odd(3) / 720.0
        + fifth * odd(5) / 30_240.0
}

impl Law for Zipf {
    const ENTRY: Entry = Entry {
        name: "zipf",
        usage: "zipf(n=10000, s=0.9)",
        example: "zipf(n=10000, s=0.9)",
        summary: "ranks 1 to n, the k-th drawn in proportion to k^-s",
        source: "Johnson, Kemp and Kotz, Univariate Discrete Distributions, 11.2.20",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["n", "s"])?;
        let n = arguments.number("n", Dimension::Number)?;
        let s = arguments.number("s", Dimension::Number)?;
        arguments.finish()?;
        Ok((Zipf::new(n, s)?, Dimension::Number))
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("zipf(n={}, s={})", self.n, self.s)
    }

    fn mean(&self) -> f64 {
        self.moments.0
    }

    fn second_moment(&self) -> f64 {
        self.moments.1
    }

    fn cdf(&self, x: f64) -> f64 {
        if x < 1.0 || x >= self.n {
            return if x < 1.0 { 0.0 } else { 1.0 };
        }
        self.sum_to(x.floor()) / self.total
    }

    fn survival(&self, x: f64) -> f64 {
        if x < 1.0 || x >= self.n {
            return if x < 1.0 { 1.0 } else { 0.0 };
        }
        let k = x.floor();
        let tail = if k < self.sums.len() as f64 {
            self.total - self.sums[k as usize - 1]
        } else {
            sum_beyond(self.s, 1.0, k, self.n)
        };
        tail / self.total
    }

    #[inline]
    fn quantile(&self, u: f64) -> f64 {
        let target = u * self.total;
        if target <= self.sums[self.sums.len() - 1] {
            return self.rank_kept(target);
        }
        if self.n <= self.sums.len() as f64 { self.n } else { self.rank_beyond(1.0 - u) }
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        if self.survival(self.sums.len() as f64) <= q {
            let kept = (1.0, self.sums.len() as f64);
            return least_whole(self.quantile(1.0 - q), kept, |k| self.survival(k) > q);
        }
        self.rank_beyond(q)
    }

    fn range(&self) -> (f64, f64) {
        (1.0, self.n)
    }

    fn is_discrete(&self) -> bool {
        true
    }

    fn scaled(&self, _factor: f64) -> Option<Self> {
        None
    }

    fn window_moments(&self, lo: f64, hi: f64) -> Option<(f64, f64)> {
        Some(moments(self.s, lo.ceil().max(1.0), hi.floor().min(self.n)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Stream};

    /// Compared with the sums one after another, and with the survival function beyond them.
    #[test]
    fn a_rank_is_the_least_whose_sum_reaches() {
        let mut stream = Stream::new(1, 0, Purpose::Target);
        for (n, s) in
            [(1.0, 1.0), (7.0, 0.0), (1000.0, 0.8), (1000.0, 3.0), (1e4, 0.8), (3e3, 12.0)]
        {
            let zipf = Zipf::new(n, s).unwrap();
            let kept = zipf.sums.iter().map(|sum| sum / zipf.total);
            let edges: Vec<f64> = kept.flat_map(|u| [u.next_down(), u, u.next_up()]).collect();
            let drawn = (0..20_000).map(|_| stream.uniform());
            for u in edges.into_iter().chain(drawn).filter(|u| *u < 1.0) {
                let rank = zipf.quantile(u);
                let target = u * zipf.total;
                match zipf.sums.iter().position(|sum| *sum >= target) {
                    Some(before) => assert_eq!(rank, (before + 1) as f64, "{u}"),
                    None if rank < n => {
                        assert!(zipf.survival(rank) <= 1.0 - u, "{u}: {rank}");
                        assert!(zipf.survival(rank - 1.0) > 1.0 - u, "{u}: {rank}");
                    }
                    None => assert_eq!(rank, n),
                }
            }
        }
    }
}
