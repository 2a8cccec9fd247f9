//! `phase_type('START', 'RATES')`.

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use super::numeric::{Point, Tail, solve};
use super::{Entry, Law};
use crate::files::Files;
use crate::matrix::{Matrix, dot, row, solution, square, written, written_row};
use crate::notation::{Arguments, Call, word_of};
use crate::random::Stream;

/// A law whose chain moves more often than this before its end, on average, is refused: each move
/// takes time to draw.
const MOVES_MAX: f64 = 1e4;

/// Shares and rows whose sum is off by this much against their entries count as exact.
const ROUNDING: f64 = 1e-9;

/// Terms of the exponential's series up to here are summed; at an argument of 1 the next is below
/// 2^-70.
const TERMS: u32 = 24;

/// After 2^40 times the fastest state's mean time any chain that is not refused has ended.
const HALVINGS_MAX: f64 = 40.0;

/// The time until a chain of states has ended: from state i to state j at the rate `rates[i][j]`,
/// and to the end at the rate by which the row's sum lacks 0.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct PhaseType {
    start: Vec<f64>,
    rates: Matrix,
    mean: f64,
    second_moment: f64,
}

/// The probabilities at one time: of each state, then of the end.
struct Moment {
    states: Vec<f64>,
    ended: f64,
}

impl PhaseType {
    fn new(start: Vec<f64>, rates: Matrix) -> Result<PhaseType, Invalid> {
        let wrong = |what: String| Err(Self::ENTRY.error(&what));
        if start.len() != rates.len() {
            return wrong(format!(
                "has {} states in one, {} in the other",
                start.len(),
                rates.len()
            ));
        }
        let sum: f64 = start.iter().sum();
        if start.iter().any(|share| *share < 0.0) || (sum - 1.0).abs() > ROUNDING {
            return wrong(format!("needs probabilities that sum to 1, not {sum}"));
        }
        for (place, row) in rates.iter().enumerate() {
            let others = row.iter().enumerate().filter(|(to, _)| *to != place);
            let leaving: f64 = others.clone().map(|(_, rate)| rate).sum();
            if others.clone().any(|(_, rate)| *rate < 0.0) || row[place] >= 0.0 {
                return wrong(format!(
                    "needs a rate below 0 on the diagonal of row {}, and no other \
                                      below 0",
                    place + 1
                ));
            }
            if leaving + row[place] > ROUNDING * leaving {
                return wrong(format!("needs rows whose sum is 0 or less; see row {}", place + 1));
            }
        }
        let Some((mean, second_moment)) = moments(&start, &rates) else {
            return wrong("never ends from some state".to_owned());
        };
        let law = PhaseType { start, rates, mean, second_moment };
        if mean <= 0.0 || mean * law.fastest() >= MOVES_MAX {
            return wrong(format!("needs an end among {MOVES_MAX:e} moves on average"));
        }
        Ok(law)
    }

    /// The rate of the end from a state.
    fn end_rate(&self, place: usize) -> f64 {
        (-self.rates[place].iter().sum::<f64>()).max(0.0)
    }

    /// The rate of the state that is left the soonest.
    fn fastest(&self) -> f64 {
        (0..self.start.len()).map(|place| -self.rates[place][place]).fold(0.0, f64::max)
    }

    /// The probabilities at a time, without subtractions: the series of a matrix without negative
    /// entries at a small part of the time, then squared (uniformisation; Moler and Van Loan, SIAM
    /// Review 45, 2003, method 3).
    fn at(&self, x: f64) -> Moment {
        let states = self.start.len();
        let fastest = self.fastest();
        let halvings = (fastest * x).log2().ceil().clamp(0.0, HALVINGS_MAX);
        if x / halvings.exp2() * fastest > 1.0 {
            return Moment { states: vec![0.0; states], ended: 1.0 };
        }
        let mut moved = self.exponential(x / halvings.exp2());
        for _ in 0..halvings as u32 {
            moved = product(&moved, &moved, 1.0);
        }
        let mut all: Vec<f64> = (0..=states)
            .map(|to| (0..states).map(|from| self.start[from] * moved[from][to]).sum())
            .collect();
        let ended = all.pop().unwrap_or(1.0);
        let left: f64 = all.iter().sum();
        // The smaller of the two has the more digits.
        Moment { states: all, ended: if left < 0.5 { 1.0 - left } else { ended } }
    }

    /// The probabilities of each state and, last, of the end, from each, after a time in which the
    /// fastest state is left once.
    fn exponential(&self, time: f64) -> Matrix {
        let (states, fastest) = (self.start.len(), self.fastest());
        let entry = |from: usize, to: usize| match (from == states, to == states) {
            (true, true) => fastest * time,
            (true, false) => 0.0,
            (false, true) => self.end_rate(from) * time,
            (false, false) if from == to => (self.rates[from][to] + fastest) * time,
            (false, false) => self.rates[from][to] * time,
        };
        let square = |entry: &dyn Fn(usize, usize) -> f64| -> Matrix {
            (0..=states).map(|from| (0..=states).map(|to| entry(from, to)).collect()).collect()
        };
        let step = square(&entry);
        let mut term = square(&|from, to| f64::from(u8::from(from == to)));
        let mut sum = term.clone();
        for number in 1..=TERMS {
            term = product(&term, &step, 1.0 / f64::from(number));
            for (row, more) in sum.iter_mut().zip(&term) {
                row.iter_mut().zip(more).for_each(|(entry, more)| *entry += more);
            }
        }
        let shrunk = (-fastest * time).exp();
        sum.iter_mut().flatten().for_each(|entry| *entry *= shrunk);
        sum
    }

    fn point(&self, x: f64) -> Point {
        let Moment { states, ended } = self.at(x);
        let ends = (0..states.len()).map(|place| self.end_rate(place));
        let density = states.iter().zip(ends).map(|(share, rate)| share * rate).sum();
        Point { lower: ended, upper: states.iter().sum::<f64>().min(1.0), density }
    }
}

/// The mean time to the end, and the second moment; `None` if some state never ends.
fn moments(start: &[f64], rates: &Matrix) -> Option<(f64, f64)> {
    let negated: Matrix = rates.iter().map(|row| row.iter().map(|rate| -rate).collect()).collect();
    let first = solution(&negated, &vec![1.0; start.len()])?;
    let second = solution(&negated, &first)?;
    Some((dot(start, &first), 2.0 * dot(start, &second)))
}

/// The product of two square matrices and a number.
fn product(left: &Matrix, right: &Matrix, factor: f64) -> Matrix {
    let size = left.len();
    let mut product = vec![vec![0.0; size]; size];
    for (into, row) in product.iter_mut().zip(left) {
        for (entry, through) in row.iter().zip(right) {
            let entry = entry * factor;
            into.iter_mut().zip(through).for_each(|(sum, other)| *sum += entry * other);
        }
    }
    product
}

impl Law for PhaseType {
    const ENTRY: Entry = Entry {
        name: "phase_type",
        usage: "phase_type('START', 'RATES')",
        example: "phase_type('0.4 0.6', '-30 10; 0 -200')",
        summary: "the time until a chain of states ends; RATES a second, rows apart by semicolons, \
                  what a row lacks to 0 is the rate of the end",
        source: "Neuts, Matrix-Geometric Solutions in Stochastic Models, 1981, chapter 2",
    };

    fn parse(call: &Call, _files: &dyn Files) -> Result<(Self, Dimension), Invalid> {
        let mut arguments = Arguments::new(call, Self::ENTRY.usage, &["start", "rates"])?;
        let mut word = |name: &str| {
            word_of(arguments.required(name)?)
                .ok_or_else(|| Self::ENTRY.error(&format!("needs `{name}` in single quotes")))
        };
        let (start, rates) = (word("start")?, word("rates")?);
        arguments.finish()?;
        let start = row(&start).map_err(|error| Self::ENTRY.error(&error.to_string()))?;
        let rates = square(&rates).map_err(|error| Self::ENTRY.error(&error.to_string()))?;
        Ok((PhaseType::new(start, rates)?, Dimension::Number))
    }

    fn notation(&self, _dimension: Dimension) -> String {
        format!("phase_type('{}', '{}')", written_row(&self.start), written(&self.rates))
    }

    fn mean(&self) -> f64 {
        self.mean
    }

    fn second_moment(&self) -> f64 {
        self.second_moment
    }

    fn cdf(&self, x: f64) -> f64 {
        if x > 0.0 { self.at(x).ended } else { 0.0 }
    }

    fn survival(&self, x: f64) -> f64 {
        if x > 0.0 { self.point(x).upper } else { 1.0 }
    }

    fn quantile(&self, u: f64) -> f64 {
        solve(Tail::of_lower(u), self.mean, |x| self.point(x))
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        solve(Tail::of_upper(q), self.mean, |x| self.point(x))
    }

    fn range(&self) -> (f64, f64) {
        (0.0, f64::INFINITY)
    }

    fn is_discrete(&self) -> bool {
        false
    }

    fn scaled(&self, factor: f64) -> Option<Self> {
        let slower = |row: &Vec<f64>| row.iter().map(|rate| rate / factor).collect();
        PhaseType::new(self.start.clone(), self.rates.iter().map(slower).collect()).ok()
    }

    /// The chain, move by move, on a stream of its own that takes one draw of the given one.
    fn sample(&self, stream: &mut Stream) -> f64 {
        let mut own = Stream::of_bits(stream.bits());
        let mut place = chosen(&self.start, own.uniform());
        let mut time = 0.0;
        loop {
            let leaving = -self.rates[place][place];
            time -= own.uniform().ln() / leaving;
            let mut left = own.uniform() * leaving;
            let next = (0..self.start.len()).filter(|to| *to != place).find(|to| {
                left -= self.rates[place][*to];
                left < 0.0
            });
            match next {
                Some(next) => place = next,
                None => return time,
            }
        }
    }
}

/// The place of a draw among these shares.
fn chosen(shares: &[f64], u: f64) -> usize {
    let mut left = u;
    let found = shares.iter().position(|share| {
        left -= share;
        left < 0.0
    });
    found.unwrap_or(shares.len() - 1)
}

#[cfg(test)]
mod tests {
    use super::super::Distribution;
    use crate::files::NoFiles;

    fn law(text: &str) -> Distribution {
        Distribution::parse(text, &NoFiles).unwrap()
    }

    /// The same laws by other formulas, in both tails.
    #[test]
    fn known_laws_are_special_cases() {
        for (phases, other) in [
            ("phase_type('1', '-4')", "exp(0.25)"),
            ("phase_type('1 0 0', '-6 6 0; 0 -6 6; 0 0 -6')", "erlang(3, 0.5)"),
            ("phase_type('0.3 0.7', '-2 0; 0 -50')", "mix(0.3: exp(0.5), 0.7: exp(0.02))"),
        ] {
            let (one, same) = (law(phases), law(other));
            assert!((one.mean() / same.mean() - 1.0).abs() < 1e-12, "{phases}");
            assert!((one.cv2() / same.cv2() - 1.0).abs() < 1e-12, "{phases}");
            for x in [1e-6, 0.01, 0.3, 1.0, 4.0] {
                let near =
                    |a: f64, b: f64| assert!((a / b - 1.0).abs() < 1e-10, "{phases}: {a} {b}");
                near(one.cdf(x), same.cdf(x));
                near(one.survival(x), same.survival(x));
                near(one.quantile(same.cdf(x).clamp(1e-9, 0.999_999)), {
                    same.quantile(same.cdf(x).clamp(1e-9, 0.999_999))
                });
            }
        }
    }

    #[test]
    fn what_is_no_chain_is_refused() {
        let why = |text: &str| Distribution::parse(text, &NoFiles).unwrap_err().to_string();
        assert!(why("phase_type('1 0', '-1')").contains("has 2 states in one, 1 in the other"));
        assert!(why("phase_type('0.5 0.4', '-1 0; 0 -1')").contains("sum to 1, not 0.9"));
        assert!(why("phase_type('1', '0')").contains("below 0 on the diagonal of row 1"));
        assert!(why("phase_type('1 0', '-1 2; 0 -1')").contains("0 or less; see row 1"));
        assert!(why("phase_type('1 0', '-1 1; 1 -1')").contains("never ends"));
        assert!(why("phase_type('1 0', '-1e9 1e9; 1e9 -1000000001')").contains("an end among"));
        assert!(why("phase_type(1, -1)").contains("in single quotes"));
    }
}
