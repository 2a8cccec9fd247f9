//! A switch's knowledge of the servers of its cluster.

use super::shares::Shares;
use crate::random::Stream;

/// The switch's knowledge of one server.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Server {
    /// Its share relative to one of weight 1, under policies that heed weights; positive.
    pub weight: f64,
    /// Requests that went to it and have not ended, as far as the switch knows.
    pub in_progress: u32,
    /// Whether it accepts requests: it has not failed, and is not draining.
    pub open: bool,
}

/// The servers of a cluster, by their numbers.
#[derive(Clone, Debug)]
pub struct Servers {
    all: Vec<Server>,
    /// The numbers of the open servers, in no order, and the place of each there.
    open: Vec<u32>,
    places: Vec<u32>,
    shares: Shares,
    in_progress: u64,
}

impl Servers {
    /// Open idle servers of these weights.
    #[must_use]
    pub fn new(weights: &[f64]) -> Servers {
        let one = |&weight| Server { weight, in_progress: 0, open: true };
        let numbers: Vec<u32> = (0..).take(weights.len()).collect();
        Servers {
            all: weights.iter().map(one).collect(),
            open: numbers.clone(),
            places: numbers,
            shares: Shares::new(weights),
            in_progress: 0,
        }
    }

    /// All servers.
    #[must_use]
    pub fn all(&self) -> &[Server] {
        &self.all
    }

    /// The numbers of the open servers, in no order.
    #[must_use]
    pub fn open(&self) -> &[u32] {
        &self.open
    }

    /// The open servers, by number and by weight.
    pub(super) fn shares(&self) -> &Shares {
        &self.shares
    }

    /// The requests in progress at all together.
    #[must_use]
    pub fn in_progress(&self) -> u64 {
        self.in_progress
    }

    /// Any open server; there must be one.
    pub fn any(&self, random: &mut Stream) -> usize {
        self.open[random.below(self.open.len() as u64) as usize] as usize
    }

    /// This many different open servers, or all of them, each set as likely as any other (R. W.
    /// Floyd, in Bentley and Floyd, A sample of brilliance, CACM 30, 1987).
    pub fn sample(&self, number: usize, random: &mut Stream, into: &mut Vec<usize>) {
        into.clear();
        let open = self.open.len();
        for last in open.saturating_sub(number)..open {
            let drawn = self.open[random.below(last as u64 + 1) as usize] as usize;
            let new = if into.contains(&drawn) { self.open[last] as usize } else { drawn };
            into.push(new);
        }
    }

    pub(super) fn begin(&mut self, server: usize) {
        self.all[server].in_progress += 1;
        self.in_progress += 1;
    }

    pub(super) fn end(&mut self, server: usize) {
        self.all[server].in_progress -= 1;
        self.in_progress -= 1;
    }

    /// Says whether this has changed anything.
    pub(super) fn set_open(&mut self, server: usize, open: bool) -> bool {
        if self.all[server].open == open {
            return false;
        }
        self.all[server].open = open;
        self.shares.set(server, open.then_some(self.all[server].weight));
        if open {
            self.places[server] = self.open.len() as u32;
            self.open.push(server as u32);
        } else {
            let place = self.places[server] as usize;
            self.open.swap_remove(place);
            if let Some(moved) = self.open.get(place) {
                self.places[*moved as usize] = place as u32;
            }
        }
        true
    }
}

/// The cheapest of these; any one of equals.
pub(super) fn cheapest<T: PartialOrd + Copy>(
    candidates: &[usize],
    random: &mut Stream,
    cost: impl Fn(usize) -> T,
) -> Option<usize> {
    let (first, others) = candidates.split_first()?;
    let (mut best, mut least, mut ties) = (*first, cost(*first), 1);
    for candidate in others {
        let its = cost(*candidate);
        if its < least {
            (best, least, ties) = (*candidate, its, 1);
        } else if its == least {
            ties += 1;
            if random.below(ties) == 0 {
                best = *candidate;
            }
        }
    }
    Some(best)
}
