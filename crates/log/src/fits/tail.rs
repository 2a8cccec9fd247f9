//! The upper tail of a sample, from a threshold on: as a Pareto law, and as a lognormal one.
//!
//! With y = ln(x / threshold) the tail's density is e^{-a y - b y²} up to a factor. A Pareto law
//! has b = 0 and is a straight line on two logarithmic scales. A lognormal one has b = 1 / (2
//! sigma²), and bends down. From y on its integral is M(y) = √(π / 4b) e^{-a y - b y²} erfcx((a + 2
//! b y) / (2 √b)).
//!
//! Sources: Virkar and Clauset, *Power-law distributions in binned empirical data* (Annals of
//! Applied Statistics 8, 2014); Malevergne, Pisarenko and Sornette, *Testing the Pareto against the
//! lognormal distributions* (Physical Review E 83, 2011).

use super::likelihood::TINY;
use super::normal::erfcx;

/// A smaller bend counts as zero.
const STRAIGHT: f64 = 1e-12;

/// The most Newton steps for the shape, and the relative change that ends them.
const STEPS: usize = 30;
const NEAR: f64 = 1e-9;

const SHAPES: (f64, f64) = (1e-3, 1e3);

/// The bins above a threshold.
#[derive(Clone, Debug)]
pub struct Tail {
    /// Bounds of the bins as ln(x / threshold), up to the tail's end.
    lower: Vec<f64>,
    upper: Vec<f64>,
    count: Vec<f64>,
    total: f64,
    /// The tail's end, likewise; infinite if it has none.
    span: f64,
}

/// A chosen tail, with its most likely Pareto law.
#[derive(Clone, Copy, Debug)]
pub struct TailChoice {
    /// The first of its bins.
    pub place: usize,
    /// The law's exponent: P(X > x) falls as x^-shape.
    pub shape: f64,
    /// One over the variance of the shape; 0 if unknown.
    pub information: f64,
    /// The largest difference of the two distribution functions.
    pub distance: f64,
}

impl Tail {
    /// The bins from `place` on, with bounds `lower` and `upper`; None if the tail would end at
    /// `bound` before it begins.
    #[must_use]
    pub fn of(
        lower: &[f64],
        upper: &[f64],
        count: &[f64],
        place: usize,
        bound: f64,
    ) -> Option<Tail> {
        let threshold = lower[place].ln();
        let span = bound.ln() - threshold;
        if span.is_nan() || span <= 0.0 {
            return None;
        }
        let scaled = |x: &f64| x.ln() - threshold;
        Some(Tail {
            lower: lower[place..].iter().map(scaled).collect(),
            upper: upper[place..].iter().map(|x| scaled(x).min(span)).collect(),
            count: count[place..].to_vec(),
            total: count[place..].iter().sum(),
            span,
        })
    }

    /// The most likely shape of a Pareto law, and one over its variance: Newton's steps.
    ///
    /// A bin has the probability (e^{-a y1} - e^{-a y2}) / (1 - e^{-a span}).
    #[must_use]
    pub fn shape(&self) -> (f64, f64) {
        let middle: f64 = self.bins().map(|(low, high, count)| count * center(low, high)).sum();
        let mut shape = self.total / middle.max(1e-12 * self.total);
        let mut information = 0.0;
        for _ in 0..STEPS {
            let (slope_of_all, bend_of_all) = rates(self.span, shape);
            let (mut slope, mut bend) = (-self.total * slope_of_all, -self.total * bend_of_all);
            for (low, high, count) in self.bins() {
                let (own, bent) = rates(high - low, shape);
                slope += count * (own - low);
                bend += count * bent;
            }
            information = bend;
            if information.is_nan() || information <= 0.0 {
                break;
            }
            let step = (slope / information).clamp(-shape / 2.0, shape);
            shape = (shape + step).clamp(SHAPES.0, SHAPES.1);
            if step.abs() < NEAR * shape {
                break;
            }
        }
        (shape, information.max(0.0))
    }

    /// The logarithm of the probability of each bin; that of 1e-300 if it has none.
    #[must_use]
    pub fn logs(&self, a: f64, b: f64) -> Vec<f64> {
        let whole = beyond(0.0, a, b) - beyond(self.span, a, b);
        let mut from = shared(|y| beyond(y, a, b));
        self.bins()
            .map(|(low, high, _)| ((from(low) - from(high)) / whole).max(TINY).ln())
            .collect()
    }

    /// Σ count ln P(bin).
    #[must_use]
    pub fn log_likelihood(&self, a: f64, b: f64) -> f64 {
        self.logs(a, b).iter().zip(&self.count).map(|(log, count)| log * count).sum()
    }

    /// The largest difference of the two distribution functions, at bounds of bins.
    #[must_use]
    pub fn distance(&self, a: f64, b: f64) -> f64 {
        let first = beyond(0.0, a, b);
        let whole = first - beyond(self.span, a, b);
        let mut model = shared(|y| ((first - beyond(y, a, b)) / whole).clamp(0.0, 1.0));
        let (mut upto, mut largest) = (0.0, 0.0_f64);
        for (low, high, count) in self.bins() {
            let before = upto;
            upto += count / self.total;
            largest = largest.max((model(low) - before).abs()).max((model(high) - upto).abs());
        }
        largest
    }

    fn bins(&self) -> impl Iterator<Item = (f64, f64, f64)> {
        let bounds = self.lower.iter().zip(&self.upper);
        bounds.zip(&self.count).map(|((low, high), count)| (*low, *high, *count))
    }
}

/// The first tail, by some `places`, whose Pareto law fits within `enough`; else the closest one.
/// None if no tail begins before its end, at `bound`.
#[must_use]
pub fn closest(
    bins: (&[f64], &[f64], &[f64]),
    bound: f64,
    places: &[usize],
    enough: &[f64],
) -> Option<TailChoice> {
    let mut best: Option<TailChoice> = None;
    for (&place, &enough) in places.iter().zip(enough) {
        let Some(tail) = Tail::of(bins.0, bins.1, bins.2, place, bound) else { continue };
        let (shape, information) = tail.shape();
        let one = TailChoice { place, shape, information, distance: tail.distance(shape, 0.0) };
        if one.distance <= enough {
            return Some(one);
        }
        if best.is_none_or(|best| one.distance < best.distance) {
            best = Some(one);
        }
    }
    best
}

/// A function that keeps its last value: one bin mostly ends where the next one begins.
fn shared(function: impl Fn(f64) -> f64) -> impl FnMut(f64) -> f64 {
    let mut last = (f64::NAN, 0.0);
    move |y| {
        if y != last.0 {
            last = (y, function(y));
        }
        last.1
    }
}

/// The integral of the density from y on, up to a factor.
fn beyond(y: f64, a: f64, b: f64) -> f64 {
    if b < STRAIGHT {
        return (-a * y).exp();
    }
    if y.is_infinite() {
        return 0.0;
    }
    (-a * y - b * y * y).exp() * erfcx((a + 2.0 * b * y) / (2.0 * b.sqrt()))
}

/// The approximate mean of a bin's values.
fn center(low: f64, high: f64) -> f64 {
    let width = high - low;
    if width.is_finite() { low + width.min(1.0) / 2.0 } else { low }
}

/// For a width w: w / (e^{a w} - 1), and minus its derivative by a, w² e^{a w} / (e^{a w} - 1)².
fn rates(width: f64, shape: f64) -> (f64, f64) {
    let z = (shape * width).clamp(1e-8, 500.0);
    let grown = z.exp_m1();
    let slope = z / grown / shape;
    (slope, slope * slope * (grown + 1.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bins of one width of ln x, with a law's expected counts.
    fn bins(upto: impl Fn(f64) -> f64) -> (Vec<f64>, Vec<f64>, Vec<f64>) {
        let edges: Vec<f64> = (0..=400).map(|place| (f64::from(place) / 20.0).exp()).collect();
        let pairs = edges.iter().zip(&edges[1..]);
        let count = pairs.map(|(low, high)| 1e6 * (upto(*high) - upto(*low))).collect();
        (edges[..400].to_vec(), edges[1..].to_vec(), count)
    }

    #[test]
    fn the_shape_of_a_pareto_law_is_found() {
        let (lower, upper, count) = bins(|x| 1.0 - x.powf(-1.5));
        let tail = Tail::of(&lower, &upper, &count, 0, f64::INFINITY).expect("it begins");
        let (shape, information) = tail.shape();
        assert!((shape - 1.5).abs() < 1e-6, "{shape}");
        // For exact values it is N / shape²; bins lose little.
        assert!((information / (1e6 / 2.25) - 1.0).abs() < 1e-3, "{information}");
        assert!(tail.distance(1.5, 0.0) < 1e-9);
        assert!(tail.log_likelihood(1.5, 0.0) > tail.log_likelihood(1.6, 0.0));
    }

    /// With a bound of e^5 the law covers values up to it.
    #[test]
    fn a_tail_ends_where_observation_does() {
        let end = 5.0_f64.exp();
        let whole = 1.0 - end.powf(-0.8);
        let (lower, upper, count) = bins(|x| (1.0 - x.min(end).powf(-0.8)) / whole);
        let tail = Tail::of(&lower[..100], &upper[..100], &count[..100], 0, end);
        let (shape, _) = tail.expect("it begins").shape();
        assert!((shape - 0.8).abs() < 1e-6, "{shape}");
        assert!(Tail::of(&lower, &upper, &count, 120, end).is_none(), "beyond its end");
    }

    /// The bend of a lognormal law, from its median on, is 1 / (2 sigma²), and its slope 0.
    #[test]
    fn a_lognormal_tail_bends() {
        let sigma = 2.0_f64;
        let (lower, upper, count) = bins(|x| 1.0 - erfcx_times(x.ln() / sigma));
        let tail = Tail::of(&lower, &upper, &count, 0, f64::INFINITY).expect("it begins");
        let bend = 1.0 / (2.0 * sigma * sigma);
        assert!(tail.distance(0.0, bend) < 1e-9);
        let best = tail.log_likelihood(0.0, bend);
        assert!(best > tail.log_likelihood(tail.shape().0, 0.0) + 1000.0);
        assert!(best > tail.log_likelihood(0.01, bend) && best > tail.log_likelihood(0.0, 0.1));
    }

    /// P(Z > z) twice.
    fn erfcx_times(z: f64) -> f64 {
        libm::erfc(z * std::f64::consts::FRAC_1_SQRT_2)
    }

    #[test]
    fn the_longest_tail_that_is_close_enough_is_chosen() {
        // A tail of shape 2 from x = e on; before it much more.
        let (lower, upper, mut count) = bins(|x| 1.0 - x.powi(-2));
        count[..20].iter_mut().for_each(|count| *count *= 3.0);
        let bins = (&lower[..], &upper[..], &count[..]);
        let places: Vec<usize> = (0..60).collect();
        let chosen = closest(bins, f64::INFINITY, &places, &[1e-6; 60]).expect("there are tails");
        assert_eq!(chosen.place, 20);
        let none = closest(bins, f64::INFINITY, &places, &[0.0; 60]).expect("there are tails");
        assert!(none.place >= 20 && none.distance <= chosen.distance);
    }
}
