//! The number of requests of a session.

use crate::distribution::{Distribution, Equilibrium, Tail};
use crate::random::Stream;

/// N = max(1, round(X)), halves rounded up: any law of numbers gives a law of whole ones.
#[derive(Clone, Debug)]
pub(crate) struct SessionLength(Distribution);

/// So many terms of a sum are added one by one.
const TERMS_MAX: u32 = 100_000;
/// A term this small ends the sum.
const NOTHING: f64 = 1e-12;

impl SessionLength {
    pub(crate) fn new(law: Distribution) -> SessionLength {
        SessionLength(law)
    }

    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        whole(self.0.sample(stream)) as u64
    }

    /// P(N > n), for a whole n of 1 or more.
    fn above(&self, n: f64) -> f64 {
        self.0.survival((n + 0.5).next_down())
    }

    /// Draws N given that N > n.
    pub(crate) fn draw_above(&self, n: f64, stream: &mut Stream) -> u64 {
        let x = self.0.upper_quantile(stream.uniform() * self.above(n));
        whole(x).max(n + 1.0) as u64
    }

    /// E[N], as the sum over n >= 0 of P(N > n). Far out, rounding changes the mean no more: the
    /// rest is that of X.
    pub(crate) fn mean(&self) -> f64 {
        let mut mean = 1.0;
        for n in (1..=TERMS_MAX).map(f64::from) {
            let above = self.above(n);
            mean += above;
            if above < NOTHING {
                return mean + self.0.excess(n + 1.0);
            }
        }
        mean + self.0.excess(f64::from(TERMS_MAX) + 1.0)
    }

    /// The equilibrium law of N - 1, the number of think times: rounded down, it is the number of
    /// think times that a session which thinks at a time chosen at random has behind it.
    pub(crate) fn thinks_behind(&self) -> Option<Equilibrium<Thinks>> {
        Equilibrium::new(Thinks(self.clone()))
    }
}

fn whole(x: f64) -> f64 {
    x.round().max(1.0)
}

/// N - 1.
#[derive(Clone, Debug)]
pub(crate) struct Thinks(SessionLength);

impl Thinks {
    /// The law of N.
    pub(crate) fn length(&self) -> &SessionLength {
        &self.0
    }
}

impl Tail for Thinks {
    fn survival(&self, x: f64) -> f64 {
        self.0.above(x.floor() + 1.0)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        whole(self.0.0.upper_quantile(q)) - 1.0
    }
}
