//! The demands of the requests in the server.

use thinktime_core::attempt::TokenCounts;
use thinktime_core::random::Purpose;
use thinktime_core::system::{DemandSource, DrawnDemands, Job};
use thinktime_core::time::Nanos;

use super::demands::{Kinds, RequestDemands};

/// Their own demands, or drawn ones.
#[derive(Debug)]
pub(super) struct ServedDemands {
    /// By the job's token: the demands of the request.
    requested: Vec<RequestDemands>,
    drawn: DrawnDemands,
    kinds: Kinds,
}

impl ServedDemands {
    pub(super) fn new(kinds: Kinds, seed: u64) -> ServedDemands {
        let drawn = DrawnDemands::new(kinds.program(), seed, Purpose::Server);
        ServedDemands { requested: Vec::new(), drawn, kinds }
    }

    /// The kinds of request that are served.
    pub(super) fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// Stores the demands of the request of this token.
    pub(super) fn set(&mut self, token: u64, own_demands: RequestDemands) {
        let at = token as usize;
        if at >= self.requested.len() {
            self.requested.resize(at + 1, RequestDemands::default());
        }
        self.requested[at] = own_demands;
    }
}

impl DemandSource for ServedDemands {
    fn demand(&mut self, job: &Job, draw: usize) -> Option<Nanos> {
        let requested = self.requested.get(job.token as usize);
        let of_tokens = |own: &RequestDemands| self.drawn.of_tokens(job, draw, own.tokens);
        if let Some(demand) = requested.and_then(of_tokens) {
            return Some(demand);
        }
        match requested {
            Some(RequestDemands { demands: Some(given), .. }) => given[draw],
            Some(RequestDemands { size: Some(size), .. }) => self.drawn.of_size(job, draw, *size),
            _ => self.drawn.demand(job, draw),
        }
    }

    fn target(&mut self, job: &Job) -> u64 {
        self.requested.get(job.token as usize).map_or(0, |own_demands| own_demands.target)
    }

    fn size(&mut self, job: &Job) -> u64 {
        let own_demands = self.requested.get(job.token as usize);
        own_demands.and_then(|own_demands| own_demands.size).unwrap_or(0)
    }

    fn tokens(&mut self, job: &Job) -> TokenCounts {
        let own_demands = self.requested.get(job.token as usize);
        own_demands.map_or(TokenCounts::default(), |own_demands| own_demands.tokens)
    }
}
