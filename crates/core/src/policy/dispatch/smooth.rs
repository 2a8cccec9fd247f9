//! Turns: one server after another, as often as weights say.

use super::Servers;

/// Whose turn it is, by smooth weighted round robin (nginx): before each turn every open server's
/// standing grows by its weight; the first of those that stand highest has it, and falls by the sum
/// of the weights. Between servers of the same weight that is plain round robin.
#[derive(Clone, Debug)]
pub(super) struct Turns {
    weights: Vec<f64>,
    /// Where the count of servers begins.
    first: usize,
    how: How,
}

#[derive(Clone, Debug)]
enum How {
    /// All weights are the same: the next one's number.
    Plain(usize),
    /// By standing.
    Smooth(Vec<f64>),
}

impl Turns {
    /// Begins with the server of number `first`, or with the heaviest, counted from there.
    pub(super) fn new(weights: &[f64], first: usize) -> Turns {
        let same = weights.iter().all(|weight| *weight == weights[0]);
        let how = if same { How::Plain(first) } else { How::Smooth(vec![0.0; weights.len()]) };
        Turns { weights: weights.to_vec(), first, how }
    }

    /// The server whose turn it is; those that are not open are passed over, and others keep their
    /// places. None where none is open.
    pub(super) fn next(&mut self, servers: &Servers) -> Option<usize> {
        let number = self.weights.len();
        let open = |at: usize| servers.all()[at].open;
        match &mut self.how {
            How::Plain(next) => {
                let from = *next;
                let found = (from..number).chain(0..from).find(|at| open(*at))?;
                *next = (found + 1) % number;
                Some(found)
            }
            How::Smooth(standing) => {
                let (mut best, mut sum) = (None, 0.0);
                for at in (self.first..number).chain(0..self.first).filter(|at| open(*at)) {
                    standing[at] += self.weights[at];
                    sum += self.weights[at];
                    if best.is_none_or(|best: usize| standing[at] > standing[best]) {
                        best = Some(at);
                    }
                }
                standing[best?] -= sum;
                best
            }
        }
    }
}
