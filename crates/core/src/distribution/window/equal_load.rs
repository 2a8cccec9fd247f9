//! The points at which a law is cut so that each part brings as much work.

use super::Window;
use crate::distribution::Distribution;

/// Enough halvings to separate neighbouring numbers.
const HALVINGS: usize = 200;

impl Distribution {
    /// E\[X; X <= x\]: the part of the mean that values up to `x` bring.
    #[must_use]
    pub fn mean_up_to(&self, x: f64) -> f64 {
        let (least, most) = self.range();
        if x < least || self.cdf(x) == 0.0 {
            return 0.0;
        }
        if x >= most {
            return self.mean();
        }
        self.cdf(x) * Window::new(self, least, x).mean()
    }

    /// The values that cut a positive law of a finite mean into this many parts, each of which
    /// brings the same share of the mean; one fewer than parts.
    ///
    /// The cut-offs of SITA-E: M. Harchol-Balter, M. Crovella, C. Murta, On choosing a task
    /// assignment policy for a distributed server system, JPDC 59, 1999.
    #[must_use]
    pub fn equal_load_cutoffs(&self, parts: usize) -> Vec<f64> {
        let mean = self.mean();
        (1..parts).map(|part| self.where_mean_is(mean * part as f64 / parts as f64)).collect()
    }

    /// The smallest x with E\[X; X <= x\] of at least this.
    fn where_mean_is(&self, wanted: f64) -> f64 {
        let (least, most) = self.range();
        let (mut below, mut above) =
            (least.max(0.0), if most.is_finite() { most } else { self.mean() });
        while self.mean_up_to(above) < wanted {
            (below, above) = (above, 2.0 * above);
        }
        for _ in 0..HALVINGS {
            let middle = below + (above - below) / 2.0;
            if middle <= below || middle >= above {
                break;
            }
            if self.mean_up_to(middle) < wanted { below = middle } else { above = middle }
        }
        above
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::files::NoFiles;

    fn law(text: &str) -> Distribution {
        Distribution::parse(text, &NoFiles).unwrap()
    }

    fn close(found: f64, exact: f64) -> bool {
        (found / exact - 1.0).abs() < 1e-9
    }

    /// The paper's closed form for the bounded Pareto law, for a shape other than 1 and for 1.
    #[test]
    fn bounded_pareto_is_cut_as_by_its_formula() {
        let (lo, hi, parts) = (0.001_f64, 100.0_f64, 4);
        for shape in [0.6_f64, 1.0, 1.1, 1.5] {
            let cuts = law(&format!("bounded_pareto(shape={shape}, lo=1ms, hi=100s)"))
                .equal_load_cutoffs(parts);
            for (at, found) in (1..).zip(cuts) {
                let share = f64::from(at) / parts as f64;
                let power = 1.0 - shape;
                let exact = if power == 0.0 {
                    lo * (hi / lo).powf(share)
                } else {
                    ((1.0 - share) * lo.powf(power) + share * hi.powf(power)).powf(1.0 / power)
                };
                assert!(close(found, exact), "shape {shape}: {found} for {exact}");
            }
        }
    }

    /// Exponential of mean 1: E[X; X <= x] = 1 - (1 + x) exp(-x).
    #[test]
    fn an_exponential_law_is_cut_in_halves() {
        let cut = law("exp(1s)").equal_load_cutoffs(2)[0];
        assert!(close(1.0 - (1.0 + cut) * (-cut).exp(), 0.5), "{cut}");
    }

    #[test]
    fn one_value_is_not_cut() {
        assert_eq!(law("const(5ms)").equal_load_cutoffs(3), [0.005, 0.005]);
    }
}
