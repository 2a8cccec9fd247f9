//! Demands drawn from the distributions of a program.

use std::sync::Arc;

use thinktime_file::time::Nanos;

use super::demand::{DemandLaw, DemandSource};
use super::demand_buffer::DemandBuffer;
use super::responses::Responses;
use super::{Job, Program};
use crate::attempt::TokenCounts;
use crate::random::{Purpose, StreamFamily};
use crate::request::Tokens;

/// Demands drawn from the system's distributions, each from the stream of (seed, session,
/// request, draw): the same request brings the same work under every policy, simulated or
/// real.
#[derive(Clone, Debug)]
pub struct DrawnDemands {
    /// By kind of request, then by draw.
    laws: Vec<Vec<Option<(DemandLaw, DemandBuffer)>>>,
    /// One family for each draw.
    families: Vec<StreamFamily>,
    /// The next value of each trace, shared by all requests.
    cursors: Vec<(Arc<[Nanos]>, usize)>,
    responses: Responses,
    /// By kind of request, if they are known.
    tokens: Vec<Option<Tokens>>,
}

impl DrawnDemands {
    /// The demands of a program's requests.
    #[must_use]
    pub fn new(program: &Program, seed: u64, purpose: Purpose) -> DrawnDemands {
        let family = StreamFamily::new(seed, purpose);
        let most = program.laws.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let with_ahead = |law: &Option<DemandLaw>| Some((law.clone()?, DemandBuffer::default()));
        let laws = program.laws.iter().map(|of_kind| of_kind.iter().map(with_ahead).collect());
        DrawnDemands {
            laws: laws.collect(),
            families: (0..most).map(|draw| family.member(draw)).collect(),
            cursors: Vec::new(),
            responses: Responses::new(&program.sizes, &program.targets),
            tokens: program.tokens.clone(),
        }
    }

    /// The demand of a request with a response of this many bytes, as
    /// [`demand`](DemandSource::demand) gives it.
    pub fn of_size(&mut self, job: &Job, draw: usize, size: u64) -> Option<Nanos> {
        match self.laws[job.kind as usize][draw].as_ref()? {
            (DemandLaw::Sized(law), _) => {
                Some(law.draw(self.families[draw], job.session, job.serial, size))
            }
            _ => self.demand(job, draw),
        }
    }

    /// The demand of a request with these tokens at a server of tokens; `None` if the draw is
    /// another demand.
    #[must_use]
    pub fn of_tokens(&self, job: &Job, draw: usize, tokens: TokenCounts) -> Option<Nanos> {
        match self.laws[job.kind as usize][draw].as_ref()? {
            (DemandLaw::Tokens(law), _) => Some(law.of_counts(tokens)),
            _ => None,
        }
    }

    /// The tokens of a request that visits a server of tokens.
    pub fn carried_tokens(&mut self, job: &Job) -> Option<TokenCounts> {
        let laws = self.laws[job.kind as usize].iter().flatten();
        let visits = laws.clone().any(|(law, _)| matches!(law, DemandLaw::Tokens(_)));
        visits.then(|| self.tokens(job))
    }

    /// A demand that depends on the size of the response. It takes the job itself, which thus needs
    /// no place in memory if no demand needs it.
    #[inline(never)]
    fn sized(&mut self, job: Job, draw: usize) -> Option<Nanos> {
        let size = self.responses.size(&job);
        self.of_size(&job, draw, size)
    }

    /// All draws of one request, in their order.
    pub fn all(&mut self, job: &Job) -> Vec<Option<Nanos>> {
        (0..self.laws[job.kind as usize].len()).map(|draw| self.demand(job, draw)).collect()
    }
}

/// The next value of a trace. There are few traces, so a linear search is enough.
fn next_of(cursors: &mut Vec<(Arc<[Nanos]>, usize)>, values: &Arc<[Nanos]>) -> Nanos {
    let known = cursors.iter().position(|(trace, _)| Arc::ptr_eq(trace, values));
    let place = known.unwrap_or_else(|| {
        cursors.push((Arc::clone(values), 0));
        cursors.len() - 1
    });
    let cursor = &mut cursors[place].1;
    let value = values[*cursor];
    *cursor = (*cursor + 1) % values.len();
    value
}

impl DemandSource for DrawnDemands {
    #[inline(always)]
    fn demand(&mut self, job: &Job, draw: usize) -> Option<Nanos> {
        let (law, ahead) = self.laws[job.kind as usize][draw].as_mut()?;
        let (session, serial) = (job.session, job.serial);
        if let Some(demand) = ahead.drawn(session, serial) {
            return Some(demand);
        }
        match law {
            DemandLaw::Drawn(law) => Some(ahead.demand(law, self.families[draw], session, serial)),
            DemandLaw::Trace(values) => Some(next_of(&mut self.cursors, values)),
            DemandLaw::Sized(_) => self.sized(*job, draw),
            DemandLaw::Tokens(law) => Some(law.draw(session, serial)),
        }
    }

    fn target(&mut self, job: &Job) -> u64 {
        self.responses.target(job)
    }

    fn size(&mut self, job: &Job) -> u64 {
        self.responses.size(job)
    }

    fn tokens(&mut self, job: &Job) -> TokenCounts {
        let tokens = self.tokens.get(job.kind as usize).and_then(Option::as_ref);
        tokens.map_or(TokenCounts::default(), |one| one.of_request(job.session, job.serial))
    }
}
