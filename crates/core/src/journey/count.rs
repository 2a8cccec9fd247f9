//! Numbers of requests: of a session, of a page.

use crate::distribution::{Distribution, Equilibrium, Tail};
use crate::random::Stream;

/// N = max(least, round(X)), halves rounded up: any law of numbers gives a law of whole ones.
#[derive(Clone, Debug)]
pub(crate) struct Count {
    law: Distribution,
    least: f64,
}

/// The number of terms of a sum that are added one by one.
const TERMS_MAX: u32 = 100_000;
/// A term this small ends the sum.
const NOTHING: f64 = 1e-12;

impl Count {
    /// The requests of a session: 1 or more.
    pub(crate) fn from_one(law: Distribution) -> Count {
        Count { law, least: 1.0 }
    }

    /// The objects of a page: 0 or more.
    pub(crate) fn from_none(law: Distribution) -> Count {
        Count { law, least: 0.0 }
    }

    #[inline]
    pub(crate) fn draw(&self, stream: &mut Stream) -> u64 {
        self.law.sample_whole(stream).max(self.least as u64)
    }

    fn whole(&self, x: f64) -> f64 {
        x.round().max(self.least)
    }

    /// P(N > n), for a whole n of the least number or more.
    pub(crate) fn above(&self, n: f64) -> f64 {
        self.law.survival((n + 0.5).next_down())
    }

    /// Draws N given that N > n.
    pub(crate) fn draw_above(&self, n: f64, stream: &mut Stream) -> u64 {
        let x = self.law.upper_quantile(stream.uniform() * self.above(n));
        self.whole(x).max(n + 1.0) as u64
    }

    /// E[N], as the sum over n >= 0 of P(N > n). Far out, rounding no longer changes the mean: the
    /// rest is that of X.
    pub(crate) fn mean(&self) -> f64 {
        let mut mean = self.least;
        for n in (0..TERMS_MAX).map(|n| self.least + f64::from(n)) {
            let above = self.above(n);
            mean += above;
            if above < NOTHING {
                return mean + self.mean_beyond(n);
            }
        }
        mean + self.law.excess(f64::from(TERMS_MAX) + self.least)
    }

    /// E[N²] is no larger than this, as N is no larger than max(least, X + 1/2).
    pub(crate) fn second_moment_max(&self) -> f64 {
        self.least * self.least + self.law.second_moment() + self.law.mean() + 0.25
    }

    /// The sum of P(N > m) over all m > n, for an n so large that rounding no longer changes it.
    pub(crate) fn mean_beyond(&self, n: f64) -> f64 {
        self.law.excess(n + 1.0)
    }

    /// The equilibrium law of N - 1, the number of think times. Rounded down, it is the number of
    /// past think times of a session that thinks at a random time.
    pub(crate) fn thinks_behind(&self) -> Option<Equilibrium<ThinkTimeCount>> {
        Equilibrium::new(ThinkTimeCount { length: self.clone(), without: 1.0 })
    }

    /// The same of N: of a client that thinks after its last request too, and begins again.
    pub(crate) fn thinks_of_client_behind(&self) -> Option<Equilibrium<ThinkTimeCount>> {
        Equilibrium::new(ThinkTimeCount { length: self.clone(), without: 0.0 })
    }
}

/// The number of think times of a session of N requests.
#[derive(Clone, Debug)]
pub(crate) struct ThinkTimeCount {
    length: Count,
    /// It does not think after this many of the requests.
    without: f64,
}

impl ThinkTimeCount {
    /// The law of N.
    pub(crate) fn length(&self) -> &Count {
        &self.length
    }

    /// Draws N of a session that thinks after its request of this number, from 1.
    pub(crate) fn draw_length(&self, behind: f64, stream: &mut Stream) -> u64 {
        self.length.draw_above(behind - 1.0 + self.without, stream)
    }
}

impl Tail for ThinkTimeCount {
    fn survival(&self, x: f64) -> f64 {
        self.length.above(x.floor() + self.without)
    }

    fn upper_quantile(&self, q: f64) -> f64 {
        self.length.whole(self.length.law.upper_quantile(q)) - self.without
    }
}
