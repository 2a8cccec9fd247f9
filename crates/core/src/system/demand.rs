//! The sources of service demands.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::DemandValue;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::demand_buffer::DemandBuffer;
use super::responses::Responses;
use super::size_demand::SizeDemand;
use super::{Job, Program};
use crate::distribution::Distribution;
use crate::files::Files;
use crate::random::{Purpose, StreamFamily};
use crate::request::Sizes;
use crate::times::trace;

/// Service demands, for all requests or by name.
#[derive(Clone, Debug)]
pub enum Demand {
    /// The same for all.
    All(DemandLaw),
    /// By request name.
    ByRequest(Vec<(String, DemandLaw)>),
}

/// The source of demands.
#[derive(Clone, Debug)]
pub enum DemandLaw {
    /// Drawn, in seconds.
    Drawn(Distribution),
    /// The values of a file in the order of the requests; after the last one the first follows
    /// again.
    Trace(Arc<[Nanos]>),
    /// By the size of the response.
    Sized(SizeDemand),
}

impl Demand {
    /// Checks the value of the key `demand`.
    pub(super) fn parse(
        value: &DemandValue,
        files: &dyn Files,
    ) -> Result<Demand, (String, Invalid)> {
        let law = |key: String, scalar: &Scalar| {
            DemandLaw::parse(&scalar.text(), files).map_err(|error| (key, error))
        };
        match value {
            DemandValue::All(scalar) => Ok(Demand::All(law("demand".into(), scalar)?)),
            DemandValue::ByRequest(table) => {
                let named = |(name, scalar): (&String, &Scalar)| {
                    Ok((name.clone(), law(format!("demand.{name}"), scalar)?))
                };
                Ok(Demand::ByRequest(table.iter().map(named).collect::<Result<_, _>>()?))
            }
        }
    }

    /// The demand of requests of this name, if they visit.
    #[must_use]
    pub fn of(&self, request: &str) -> Option<&DemandLaw> {
        match self {
            Demand::All(law) => Some(law),
            Demand::ByRequest(laws) => {
                laws.iter().find(|(name, _)| name == request).map(|(_, law)| law)
            }
        }
    }
}

impl DemandLaw {
    fn parse(text: &str, files: &dyn Files) -> Result<DemandLaw, Invalid> {
        if let Some(values) = trace(text, files)? {
            if values.begin_s.is_some() {
                return Err(Invalid::new("a trace of demands has no `begin`: leave it out"));
            }
            let times = values.times.into_iter();
            return Ok(DemandLaw::Trace(times.map(Nanos::from_secs_f64).collect()));
        }
        DemandLaw::of_a_step(text, files)
    }

    /// As a step's own demand, which cannot be a trace.
    pub(super) fn of_a_step(text: &str, files: &dyn Files) -> Result<DemandLaw, Invalid> {
        if let Some(sized) = SizeDemand::parse(text, files)? {
            return Ok(DemandLaw::Sized(sized));
        }
        let law = Distribution::parse(text, files)?.expect(Dimension::Time)?;
        Ok(DemandLaw::Drawn(finite_mean(law)?))
    }

    /// The distribution that it is drawn from, if it is drawn.
    pub(super) fn drawn(&self) -> Option<&Distribution> {
        match self {
            DemandLaw::Drawn(law) => Some(law),
            DemandLaw::Trace(_) | DemandLaw::Sized(_) => None,
        }
    }

    /// Whether it depends on the size of the response.
    #[must_use]
    pub fn uses_size(&self) -> bool {
        matches!(self, DemandLaw::Sized(_))
    }

    /// The mean in seconds, of requests whose responses have these sizes, if they have any.
    #[must_use]
    pub fn mean(&self, sizes: Option<&Sizes>) -> f64 {
        match self {
            DemandLaw::Sized(law) => law.mean(sizes),
            DemandLaw::Drawn(law) => law.mean(),
            DemandLaw::Trace(values) => {
                values.iter().map(|value| value.as_secs_f64()).sum::<f64>() / values.len() as f64
            }
        }
    }
}

pub(super) fn finite_mean(law: Distribution) -> Result<Distribution, Invalid> {
    if law.mean().is_finite() {
        return Ok(law);
    }
    Err(Invalid::new(format!(
        "`{law}` has an infinite mean, so no server can keep up with it: bound it, as in \
         truncated({law}, hi=...)"
    )))
}

/// Gives the work that a request brings to a step of its behaviour.
pub trait DemandSource {
    /// The draw of this number within the job's behaviour; `None` if the step is left out. Called
    /// once a job and draw.
    fn demand(&mut self, job: &Job, draw: usize) -> Option<Nanos>;

    /// A number that identifies the target of a job's request; 0 if it is not known.
    fn target(&mut self, _job: &Job) -> u64 {
        0
    }

    /// The size of the response to a job's request in bytes; 0 if it is not known.
    fn size(&mut self, _job: &Job) -> u64 {
        0
    }
}

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
        }
    }

    fn target(&mut self, job: &Job) -> u64 {
        self.responses.target(job)
    }

    fn size(&mut self, job: &Job) -> u64 {
        self.responses.size(job)
    }
}
