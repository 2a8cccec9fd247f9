//! The mean number of visits of an ending Markov chain to each of its states, exactly.

use thinktime_file::error::Invalid;

/// The largest number of states that can be solved for. Memory grows with their square, and so does
/// the time if few states follow each; if many do, time grows with their third power.
const STATES_MAX: usize = 2500;

/// A chain whose every state leads to the end, sooner or later.
pub(crate) struct Chain {
    /// By state, the shares of its successors.
    shares: Vec<Vec<f64>>,
    /// By state, the share of the end.
    ends: Vec<f64>,
}

impl Chain {
    /// A chain of this many states, without transitions yet.
    ///
    /// # Errors
    /// When there are too many states.
    pub(crate) fn new(states: usize) -> Result<Chain, Invalid> {
        if states > STATES_MAX {
            return Err(Invalid::new(format!(
                "a journey that lasts this long, among {states} requests, is too large to be \
                 computed beforehand: let it end sooner, or have {STATES_MAX} at most"
            )));
        }
        Ok(Chain { shares: vec![vec![0.0; states]; states], ends: vec![0.0; states] })
    }

    /// Adds this share to the transition from `from` to `to`, or to the end.
    pub(crate) fn add(&mut self, from: usize, to: Option<usize>, share: f64) {
        match to {
            Some(to) => self.shares[from][to] += share,
            None => self.ends[from] += share,
        }
    }

    /// The mean number of visits to each state for these shares of initial states. States are
    /// eliminated one by one, as in Grassmann, Taksar and Heyman (1985): nothing is ever
    /// subtracted, so no digits are lost, however late the chain ends.
    pub(crate) fn visits(mut self, mut begin: Vec<f64>) -> Vec<f64> {
        let mut leaves = vec![0.0; begin.len()];
        for out in (0..begin.len()).rev() {
            let (before, after) = self.shares.split_at_mut(out);
            let row = &after[0];
            leaves[out] = row[..out].iter().sum::<f64>() + self.ends[out];
            let add = |to: &mut [f64], factor: f64| {
                to.iter_mut().zip(row).for_each(|(to, share)| *to += factor * share);
            };
            for (from, row) in before.iter_mut().enumerate() {
                let factor = row[out] / leaves[out];
                if factor > 0.0 {
                    add(&mut row[..out], factor);
                    self.ends[from] += factor * self.ends[out];
                }
            }
            let factor = begin[out] / leaves[out];
            add(&mut begin[..out], factor);
        }
        for state in 0..begin.len() {
            let (before, here) = begin.split_at_mut(state);
            let come = before.iter().zip(&self.shares).map(|(visits, row)| visits * row[state]);
            here[0] = (here[0] + come.sum::<f64>()) / leaves[state];
        }
        begin
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn visits_are_those_of_the_equations() {
        // 0 begins; 0 -> 1 (0.5), 2 (0.5); 1 -> 0 (0.25), end; 2 -> 2 (0.9), 1 (0.1).
        let mut chain = Chain::new(3).unwrap();
        let all = [
            (0, Some(1), 0.5),
            (0, Some(2), 0.5),
            (1, Some(0), 0.25),
            (1, None, 0.75),
            (2, Some(2), 0.9),
            (2, Some(1), 0.1),
        ];
        all.into_iter().for_each(|(from, to, share)| chain.add(from, to, share));
        let found = chain.visits(vec![1.0, 0.0, 0.0]);
        let expected = [4.0 / 3.0, 4.0 / 3.0, 20.0 / 3.0];
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-12;
        assert!(found.iter().zip(&expected).all(near), "{found:?}");
    }

    #[test]
    fn an_end_that_hardly_ever_comes_loses_no_digits() {
        let mut chain = Chain::new(2).unwrap();
        chain.add(0, Some(1), 1.0);
        chain.add(1, Some(0), 1.0);
        chain.add(1, None, 1e-15);
        let found = chain.visits(vec![1.0, 0.0]);
        assert!(found.iter().all(|one| (one * 1e-15 - 1.0).abs() < 1e-12), "{found:?}");
    }

    #[test]
    fn too_many_states_are_refused() {
        assert!(Chain::new(STATES_MAX + 1).is_err_and(|why| why.to_string().contains("2501")));
    }
}
