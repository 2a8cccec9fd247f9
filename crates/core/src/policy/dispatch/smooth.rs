//! Turns between servers, in proportion to their weights.

use std::sync::Arc;

use super::standings::Standings;
use super::{Servers, View};

/// Smooth weighted round robin (nginx): before each turn every open server's standing grows by its
/// weight. The first of the highest-standing ones has the turn, and falls by the sum of the
/// weights. Between servers of the same weight this is plain round robin.
#[derive(Clone, Debug)]
pub(super) enum Turns {
    /// All weights are the same: the next one's number.
    Plain(usize),
    /// By standing.
    Smooth(Standings),
}

impl Turns {
    /// Begins with the server of number `first`, or with the heaviest, counted from there.
    pub(super) fn new(weights: &Arc<[f64]>, first: usize) -> Turns {
        match weights.iter().all(|weight| *weight == weights[0]) {
            true => Turns::Plain(first),
            false => Turns::Smooth(Standings::new(weights.clone(), first)),
        }
    }

    /// The server whose turn it is; closed ones are passed over, and others keep their places.
    /// `None` if no server is open.
    pub(super) fn next(&mut self, servers: &Servers) -> Option<usize> {
        let shares = servers.shares();
        match self {
            Turns::Plain(next) => {
                let found = shares.first_from(*next).or_else(|| shares.first_from(0))?;
                *next = (found + 1) % servers.all().len();
                Some(found)
            }
            Turns::Smooth(standings) => standings.next(shares.sum()),
        }
    }

    /// Reports to all turns of a policy whether a server is open. They get the same reports, so all
    /// of them know of a change or none.
    pub(super) fn update(all: &mut [Turns], server: usize, view: &View<'_>) {
        let open = view.servers.all()[server].open;
        for turns in all {
            let Turns::Smooth(standings) = turns else { return };
            if standings.is_open(server) == open {
                return;
            }
            standings.set_open(server, open);
        }
    }
}
