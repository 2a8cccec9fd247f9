//! `mmpp(2s: 10/s, 500ms: 200/s)`, `map('D0', 'D1')`: arrivals whose rate follows a hidden chain.
//!
//! The Markovian arrival process (Neuts, Journal of Applied Probability 16, 1979; Lucantoni,
//! Stochastic Models 7, 1991): from state i the chain moves to state j at the rate D0[i][j] without
//! an arrival, and at the rate D1[i][j] with one. The Markov-modulated Poisson process is the case
//! in which no arrival changes the state (Fischer and Meier-Hellstern, Performance Evaluation 18,
//! 1993).

use thinktime_file::error::Invalid;
use thinktime_file::units::Dimension;

use crate::matrix::{Matrix, STATES_MAX, dot, solution, square, stationary};
use crate::notation::{Arguments, Call, Label, Term, word_of};
use crate::random::Stream;

/// A chain that moves more often between two arrivals than this, on average, is refused: each move
/// takes time to draw.
const MOVES_MAX: f64 = 1e6;

/// Rows of D0 + D1 whose sum is this small against their entries sum to 0.
const ROUNDING: f64 = 1e-6;

const MMPP: &str = "mmpp(2s: 10/s, 500ms: 200/s)";
const MAP: &str = "map('-3 1; 2 -5', '2 0; 0 3')";

/// Arrivals at a rate of 1, driven by a hidden chain.
#[derive(Clone, Debug)]
pub(super) struct Markov {
    states: Vec<State>,
    /// The sums of the probabilities of the states at a random time.
    upto: Vec<f64>,
    /// The limit of the variance of the number of arrivals over its mean.
    dispersion: f64,
}

/// A state of the chain.
#[derive(Clone, Debug)]
struct State {
    /// The mean time until the next move, in units of the mean gap.
    stay: f64,
    moves: Vec<Move>,
}

/// A move of the chain.
#[derive(Clone, Debug)]
struct Move {
    /// The probabilities of this move and those before it.
    upto: f64,
    to: usize,
    arrives: bool,
}

impl Markov {
    /// The process of a call, and its rate in arrivals a second; `None` if the call is another.
    ///
    /// # Errors
    /// If an argument is missing, or no chain has these rates.
    pub(super) fn parse(call: &Call) -> Option<Result<(Markov, f64), Invalid>> {
        match call.name.as_str() {
            "mmpp" => Some(modulated(call).and_then(|(hidden, seen)| chain(&hidden, &seen, MMPP))),
            "map" => Some(matrices(call).and_then(|(hidden, seen)| chain(&hidden, &seen, MAP))),
            _ => None,
        }
    }

    /// The limit of Var N(t) / E N(t) for the number N(t) of arrivals up to t.
    pub(super) fn dispersion(&self) -> f64 {
        self.dispersion
    }

    /// The state at a random time.
    pub(super) fn state(&self, stream: &mut Stream) -> usize {
        let u = stream.uniform();
        self.upto.partition_point(|upto| *upto <= u).min(self.states.len() - 1)
    }

    /// The time until the next arrival, from and to a `state`.
    pub(super) fn gap(&self, state: &mut usize, stream: &mut Stream) -> f64 {
        let mut gap = 0.0;
        loop {
            let State { stay, moves } = &self.states[*state];
            gap -= stay * stream.uniform().ln();
            let u = stream.uniform();
            let place = moves.partition_point(|one| one.upto <= u).min(moves.len() - 1);
            *state = moves[place].to;
            if moves[place].arrives {
                return gap;
            }
        }
    }
}

/// The rates of moves without and with an arrival, a second, of `mmpp`. A state is left for each
/// other one with the same probability.
fn modulated(call: &Call) -> Result<(Matrix, Matrix), Invalid> {
    let wrong = |what: &str| Invalid::new(format!("`mmpp` {what}; write it as {MMPP}"));
    let number = call.arguments.len();
    if !(2..=STATES_MAX).contains(&number) {
        return Err(wrong(&format!("needs 2 to {STATES_MAX} states, and has {number}")));
    }
    let mut hidden = vec![vec![0.0; number]; number];
    let mut seen = hidden.clone();
    for (place, argument) in call.arguments.iter().enumerate() {
        let (Label::Weight(stay), Term::Quantity(rate)) = (&argument.label, &argument.term) else {
            return Err(wrong("needs a mean time and a rate for each state"));
        };
        let stay_s = stay.expect(Dimension::Time).map_err(|error| wrong(&error.to_string()))?;
        if !(stay_s > 0.0 && stay_s.is_finite()) {
            return Err(wrong("needs times above 0"));
        }
        let leaving = 1.0 / stay_s / (number - 1) as f64;
        hidden[place] = (0..number).map(|to| if to == place { 0.0 } else { leaving }).collect();
        seen[place][place] =
            rate.expect(Dimension::Rate).map_err(|error| wrong(&error.to_string()))?;
    }
    Ok((hidden, seen))
}

/// The rates of moves without and with an arrival, a second, of `map`.
fn matrices(call: &Call) -> Result<(Matrix, Matrix), Invalid> {
    let mut arguments = Arguments::new(call, MAP, &["d0", "d1"])?;
    let mut matrix = |name: &str| -> Result<Matrix, Invalid> {
        let Some(text) = word_of(arguments.required(name)?) else {
            return Err(arguments.error(&format!("needs `{name}` in single quotes")));
        };
        square(&text).map_err(|error| arguments.error(&format!("for `{name}`: {error}")))
    };
    let (mut hidden, seen) = (matrix("d0")?, matrix("d1")?);
    if hidden.len() != seen.len() {
        return Err(arguments.error("needs two matrices of the same size"));
    }
    for place in 0..hidden.len() {
        let row = hidden[place].iter().chain(&seen[place]);
        let (sum, most) = row
            .fold((0.0, 0.0), |(sum, most): (f64, f64), rate| (sum + rate, most.max(rate.abs())));
        if sum.abs() > ROUNDING * most {
            let row = place + 1;
            return Err(arguments.error(&format!(
                "needs rows of `d0` and `d1` that sum to 0 together; row {row} sums to {sum}"
            )));
        }
        hidden[place][place] = 0.0;
    }
    arguments.finish()?;
    Ok((hidden, seen))
}

/// The process with these rates of moves, and its rate of arrivals.
fn chain(hidden: &Matrix, seen: &Matrix, usage: &str) -> Result<(Markov, f64), Invalid> {
    let wrong = |what: String| Err(Invalid::new(format!("{what}; write it as {usage}")));
    let number = hidden.len();
    if let Some(rate) =
        hidden.iter().chain(seen).flatten().find(|rate| **rate < 0.0 || rate.is_infinite())
    {
        return wrong(format!("a rate of {rate} is below 0, or infinite"));
    }
    let rates: Matrix = (0..number)
        .map(|from| {
            let all = (0..number).map(|to| hidden[from][to] + seen[from][to]);
            all.enumerate().map(|(to, rate)| if to == from { 0.0 } else { rate }).collect()
        })
        .collect();
    let Some(shares) = stationary(&rates) else {
        return wrong("some state is not reached from another".to_owned());
    };
    let comes: Vec<f64> = seen.iter().map(|row| row.iter().sum()).collect();
    let rate = dot(&shares, &comes);
    let moves: Vec<f64> =
        (0..number).map(|from| comes[from] + hidden[from].iter().sum::<f64>()).collect();
    if rate <= 0.0 || dot(&shares, &moves) / rate > MOVES_MAX {
        return wrong(format!("needs an arrival among {MOVES_MAX:e} moves on average"));
    }
    let Some(dispersion) = dispersion(&rates, seen, &shares, rate) else {
        return wrong("its rates are too far apart".to_owned());
    };
    let states = (0..number).map(|from| state(&hidden[from], &seen[from], rate)).collect();
    let upto = sums(&shares);
    Ok((Markov { states, upto, dispersion }, rate))
}

/// A state with these rates of moves from it, on the scale on which arrivals have the rate 1.
fn state(hidden: &[f64], seen: &[f64], rate: f64) -> State {
    let leaving: f64 = hidden.iter().chain(seen).sum();
    let shares: Vec<f64> = hidden.iter().chain(seen).map(|one| one / leaving).collect();
    let moves = sums(&shares).into_iter().enumerate().map(|(place, upto)| Move {
        upto,
        to: place % hidden.len(),
        arrives: place >= hidden.len(),
    });
    State { stay: rate / leaving, moves: moves.collect() }
}

fn sums(shares: &[f64]) -> Vec<f64> {
    shares
        .iter()
        .scan(0.0, |sum, share| {
            *sum += share;
            Some(*sum)
        })
        .collect()
}

/// 1 + 2 (π D1 Z D1 e - λ²) / λ with Z = (e π - D0 - D1)⁻¹, and time in mean gaps, so that λ = 1
/// (Neuts, Structured Stochastic Matrices of M/G/1 Type, 1989, section 5.4).
fn dispersion(rates: &Matrix, seen: &Matrix, shares: &[f64], rate: f64) -> Option<f64> {
    let states = 0..rates.len();
    let entry = |from: usize, to: usize| {
        let generator = if from == to { -rates[from].iter().sum::<f64>() } else { rates[from][to] };
        shares[to] - generator / rate
    };
    let matrix: Matrix =
        states.clone().map(|from| states.clone().map(|to| entry(from, to)).collect()).collect();
    let comes: Vec<f64> = seen.iter().map(|row| row.iter().sum::<f64>() / rate).collect();
    let later = solution(&matrix, &comes)?;
    let moved: f64 = states.map(|from| shares[from] * dot(&seen[from], &later) / rate).sum();
    Some((1.0 + 2.0 * (moved - 1.0)).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Purpose;

    fn process(text: &str) -> (Markov, f64) {
        Markov::parse(&Call::parse(text).unwrap()).unwrap().unwrap()
    }

    /// The index of dispersion of a two-state MMPP is 1 + 2 r1 r2 (λ1 - λ2)² / ((r1 + r2)² (λ1 r2 +
    /// λ2 r1)) (Heffes and Lucantoni, IEEE JSAC 4, 1986); that of a renewal process is C².
    #[test]
    fn rates_and_dispersions_are_the_known_ones() {
        let near = |found: f64, known: f64| assert!((found / known - 1.0).abs() < 1e-9, "{found}");
        for (stays, rates) in [([2.0, 0.5], [10.0, 200.0]), ([60.0, 1.0], [0.0, 5.0])] {
            let [r1, r2] = stays.map(|stay: f64| 1.0 / stay);
            let [l1, l2] = rates;
            let text = format!("mmpp({}s: {l1}/s, {}s: {l2}/s)", stays[0], stays[1]);
            let (found, rate) = process(&text);
            near(rate, (l1 * r2 + l2 * r1) / (r1 + r2));
            let known = 2.0 * r1 * r2 * (l1 - l2).powi(2) / (r1 + r2).powi(2) / (l1 * r2 + l2 * r1);
            near(found.dispersion(), 1.0 + known);
        }
        // Erlang gaps of two stages, and two-phase hyperexponential ones.
        let (erlang, rate) = process("map('-10 10; 0 -10', '0 0; 10 0')");
        near(rate, 5.0);
        near(erlang.dispersion(), 0.5);
        let (h2, rate) = process("map('-2 0; 0 -8', '0.5 1.5; 2 6')");
        let (mean, second) = (0.25 / 2.0 + 0.75 / 8.0, 2.0 * (0.25 / 4.0 + 0.75 / 64.0));
        near(rate, 1.0 / mean);
        near(h2.dispersion(), second / mean / mean - 1.0);
    }

    /// The mean of 200,000 gaps is within 4.5 standard errors, which the dispersion gives (false
    /// alarm 7e-6 each; the seed is fixed).
    #[test]
    fn gaps_have_mean_one_and_begin_anywhere() {
        for text in [
            "mmpp(2s: 10/s, 500ms: 200/s)",
            "mmpp(3s: 0/s, 1s: 40/s, 2s: 5/s)",
            "map('-3 1; 2 -5', '2 0; 0 3')",
            "map('-10 10; 0 -10', '0 0; 10 0')",
        ] {
            let (found, _) = process(text);
            let mut stream = Stream::new(11, 0, Purpose::Arrival);
            let mut state = found.state(&mut stream);
            let number = 200_000;
            let sum: f64 = (0..number).map(|_| found.gap(&mut state, &mut stream)).sum();
            let error = (found.dispersion() / f64::from(number)).sqrt();
            let off = (sum / f64::from(number) - 1.0) / error;
            assert!(off.abs() < 4.5, "{text}: {off}");
        }
    }

    #[test]
    fn what_is_no_chain_is_refused_with_its_form() {
        let why = |text: &str| {
            Markov::parse(&Call::parse(text).unwrap()).unwrap().unwrap_err().to_string()
        };
        assert!(why("mmpp(2s: 10/s)").contains("needs 2 to 100 states, and has 1"));
        assert!(why("mmpp(10/s, 2/s)").contains("a mean time and a rate for each state"));
        assert!(why("mmpp(1s: 2s, 2s: 3/s)").contains("wanted a rate"));
        assert!(why("mmpp(0s: 2/s, 2s: 3/s)").contains("times above 0"));
        assert!(why("mmpp(1s: 0/s, 2s: 0/s)").contains("needs an arrival"));
        assert!(why("mmpp(1s: -1/s, 2s: 1/s)").contains("a rate of -1 is below 0"));
        assert!(why("mmpp(1ns: 0.001/s, 1ns: 0/s)").contains("needs an arrival among 1e6 moves"));
        assert!(why("map('-1 1; 0 -2', '0 0; 0 2')").contains("not reached from another"));
        assert!(why("map('-3 1; 2 -5', '2 0; 0 4')").contains("row 2 sums to 1"));
        assert!(why("map('-1', '1 0; 0 1')").contains("the same size"));
        assert!(why("map(-1, 1)").contains("in single quotes"));
    }
}
