//! The sources of service demands.

use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::schema::Scalar;
use thinktime_file::system::DemandValue;
use thinktime_file::time::Nanos;
use thinktime_file::units::Dimension;

use super::Job;
use super::finite_mean::finite_mean;
use super::size_demand::SizeDemand;
use super::token_demand::TokenDemand;
use crate::attempt::TokenCounts;
use crate::distribution::Distribution;
use crate::files::Files;
use crate::request::Sizes;
use crate::times::TraceCall;

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
    /// By the tokens of prompt and response.
    Tokens(Box<TokenDemand>),
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
        if let Some(call) = TraceCall::parse(text)? {
            if call.begin_s.is_some() {
                return Err(Invalid::new("a trace of demands has no `begin`: leave it out"));
            }
            let times = call.times(call.values(files)?.without_stamps(&call.file)?)?;
            return Ok(DemandLaw::Trace(times.into_iter().map(Nanos::from_secs_f64).collect()));
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
            DemandLaw::Trace(_) | DemandLaw::Sized(_) | DemandLaw::Tokens(_) => None,
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
            DemandLaw::Tokens(law) => law.mean(),
            DemandLaw::Trace(values) => {
                values.iter().map(|value| value.as_secs_f64()).sum::<f64>() / values.len() as f64
            }
        }
    }
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

    /// The tokens of a job's prompt and response; 0 if they are not known.
    fn tokens(&mut self, _job: &Job) -> TokenCounts {
        TokenCounts::default()
    }
}
