//! Users of one kind: their sessions, and the course of these.

mod abandoned_steps;
pub(super) mod browsing;
pub(super) mod course;
mod journeys;
mod log_replay;
pub(super) mod start;

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use thinktime_file::error::Invalid;
use thinktime_file::workload::{Model, PopulationTable};

use super::clients::authorization::Authorization;
use super::clients::secret::Secret;
use super::constant::constant;
use super::{Browsing, ClientLimits};
use crate::arrival::ArrivalProcess;
use crate::data::DataTable;
use crate::distribution::Distribution;
use crate::journey::{Count, Journey};
use crate::program::ProgramSource;
use crate::request::{RequestKind, ValueNames};
use course::Course;

/// Users of one kind, checked.
#[derive(Clone, Debug)]
pub struct Population {
    /// Its name; empty if the workload names no populations.
    pub name: String,
    /// Its sessions.
    pub sessions: Sessions,
    /// Its requests: places in the workload's list; never empty.
    pub kinds: Range<usize>,
    /// The long-run shares of these among its requests; they sum to 1.
    pub mix: Vec<f64>,
    /// The mean number of requests of each of these in a session that ends; `None` if it is not
    /// known beforehand.
    pub visits: Option<Vec<f64>>,
    /// The successor of each request; `None` if each is drawn by its weight.
    pub journey: Option<Journey>,
    /// The mean visits of a session to each kind, objects not counted: numbers, or shares if
    /// sessions do not end by themselves.
    pub steps: Vec<f64>,
    /// By kind, the think time after it, if it has its own.
    pub thinks: Vec<Option<Distribution>>,
    /// Whether any request has objects.
    pub has_pages: bool,
    /// How long a session lasts, if a time ends it.
    pub lasts: Option<Distribution>,
    /// The place among its kinds of the request at which a session ends that has lasted long
    /// enough, if there is one.
    pub ends_at: Option<u32>,
    /// Whether a session does not request again an object that it has.
    pub cache: bool,
    /// The common properties of all its clients.
    pub clients: ClientLimits,
    /// Header fields of all their requests that have no such field.
    pub headers: Vec<(String, String)>,
    /// The subprotocols of WebSocket that they offer, the best first.
    pub subprotocols: Vec<String>,
    /// Their credentials, if they have any.
    pub authorization: Option<Authorization>,
    /// The source of the password with which they log in to a database, if it is given.
    pub password: Option<Secret>,
    /// For keys of `clients` that name sources of secrets: the keys' own places, as in
    /// `shop.toml:7: clients.password`.
    pub secrets_at: BTreeMap<&'static str, String>,
    /// The properties of sessions besides their requests.
    pub browsing: Browsing,
    /// If sessions are programs: their maker. They then choose requests and think times.
    pub programs: Option<Arc<dyn ProgramSource>>,
    /// The tables that sessions read.
    pub data: Arc<[DataTable]>,
    /// The values of sessions that are not programs.
    pub values: ValueNames,
    /// The plain tables from which this was built.
    pub table: PopulationTable,
}

/// The sessions of a population.
#[derive(Clone, Debug)]
pub enum Sessions {
    /// Sessions of one request arrive by themselves.
    Open {
        /// Their arrivals.
        arrivals: ArrivalProcess,
    },
    /// Sessions that never end.
    Closed {
        /// Their number.
        clients: u64,
        /// The number of requests, objects not counted, after which a session begins again; `None`
        /// if its journey or a time ends it, or nothing does.
        requests: Option<Distribution>,
        /// The think time before each request.
        think: Distribution,
    },
    /// Sessions of several requests arrive by themselves.
    PartlyOpen {
        /// Their arrivals.
        arrivals: ArrivalProcess,
        /// The number of requests of a session, objects not counted: draws are rounded, and at
        /// least 1; `None` if its journey or a time ends it.
        requests: Option<Distribution>,
        /// The think time between a response and the next request.
        think: Distribution,
    },
}

impl Sessions {
    /// The number of requests of a session, objects not counted, if a number ends it.
    pub(super) fn length(&self) -> Option<Count> {
        match self {
            Sessions::Open { .. } => Some(Count::from_one(constant(1.0))),
            Sessions::Closed { requests, .. } | Sessions::PartlyOpen { requests, .. } => {
                requests.clone().map(Count::from_one)
            }
        }
    }
}

impl Population {
    /// The system model.
    #[must_use]
    pub fn model(&self) -> Model {
        self.table.arrivals.model
    }

    /// When sessions arrive; `None` for a closed model.
    #[must_use]
    pub fn arrivals(&self) -> Option<&ArrivalProcess> {
        match &self.sessions {
            Sessions::Open { arrivals } | Sessions::PartlyOpen { arrivals, .. } => Some(arrivals),
            Sessions::Closed { .. } => None,
        }
    }

    /// The number of sessions of a closed model; `None` for others.
    #[must_use]
    pub fn clients(&self) -> Option<u64> {
        match self.sessions {
            Sessions::Closed { clients, .. } => Some(clients),
            _ => None,
        }
    }

    /// The think time; `None` for an open model.
    #[must_use]
    pub fn think(&self) -> Option<&Distribution> {
        match &self.sessions {
            Sessions::Open { .. } => None,
            Sessions::Closed { think, .. } | Sessions::PartlyOpen { think, .. } => Some(think),
        }
    }

    /// How often its kinds are requested relative to one another, and the sum of that: as in the
    /// file if each is drawn by its weight, so that nothing is rounded twice.
    pub(crate) fn weights(&self, requests: &[RequestKind]) -> (Vec<f64>, f64) {
        if self.journey.is_some() || self.has_pages {
            return (self.mix.clone(), 1.0);
        }
        let kinds = &requests[self.kinds.clone()];
        let weights: Vec<f64> = kinds.iter().map(|kind| kind.weight).collect();
        let total = weights.iter().sum();
        (weights, total)
    }

    /// Whether a session is more than requests drawn one by one: its requests follow one another,
    /// have objects, or end after a time.
    #[must_use]
    pub fn browses(&self) -> bool {
        self.journey.is_some() || self.has_pages || self.lasts.is_some()
    }

    /// The mean number of requests a session; infinite for a closed model. NaN if a program chooses
    /// them during the run, or if it depends on response times. `seed` is that of the population.
    pub(super) fn requests_per_session(&self, seed: u64) -> f64 {
        match &self.sessions {
            Sessions::PartlyOpen { .. } if self.programs.is_some() => {
                let extent = self.programs.as_ref().and_then(|programs| programs.extent(seed));
                extent.map_or(f64::NAN, |extent| extent.requests as f64 / extent.sessions as f64)
            }
            Sessions::Closed { .. } => f64::INFINITY,
            // As in the file, so that nothing is rounded twice.
            _ if !self.browses() => self.sessions.length().map_or(f64::NAN, |one| one.mean()),
            _ => self.visits.as_ref().map_or(f64::NAN, |visits| visits.iter().sum()),
        }
    }

    /// The long-run rate of requests that it asks for, if that does not depend on the system:
    /// requests a second. `None` for a closed model, if a program chooses requests, or if sessions
    /// last for a time or remember what they have.
    #[must_use]
    pub fn request_rate(&self) -> Option<f64> {
        if self.programs.is_some() {
            return None;
        }
        self.visits.as_ref()?;
        let per_session = self.requests_per_session(0);
        self.arrivals().map(|arrivals| arrivals.mean_rate() * per_session)
    }
}

/// The mean visits of a session to each kind, and the long-run shares of the kinds among requests.
pub(super) struct Visits {
    /// `None` if it is not known beforehand.
    pub(super) visits: Option<Vec<f64>>,
    pub(super) mix: Vec<f64>,
    /// As [`Population::steps`].
    pub(super) steps: Vec<f64>,
}

impl Visits {
    /// For a session of `length` requests, objects not counted, if it has a number. It follows its
    /// journey, or else weights.
    ///
    /// # Errors
    /// For a journey that lasts very long among very many requests.
    pub(super) fn new(
        kinds: &[RequestKind],
        course: &Course,
        length: Option<&Count>,
    ) -> Result<Visits, Invalid> {
        let journey = course.journey.as_ref();
        // An end by time, or a request that is skipped, is known only when it happens.
        let bounded = course.lasts.is_some() || course.cache;
        let bases = match (journey, length) {
            (Some(journey), Some(length)) => {
                let lasts = |n: f64| if n > 0.0 { length.above(n) } else { 1.0 };
                Some(journey.visits_within(lasts, |n| length.mean_beyond(n)))
            }
            (Some(journey), None) if journey.may_end() && !bounded => Some(journey.visits()?),
            (Some(_), None) => None,
            (None, length) => length.map(|length| by_weight(kinds, length.mean())),
        };
        let shares = match (&bases, journey) {
            (Some(bases), _) => bases.clone(),
            (None, Some(journey)) => journey.long_run()?,
            (None, None) => by_weight(kinds, 1.0),
        };
        let all = with_objects(kinds, &shares);
        let total: f64 = all.iter().sum();
        let visits = bases.filter(|_| !bounded).map(|bases| with_objects(kinds, &bases));
        let mix = all.iter().map(|one| one / total).collect();
        Ok(Visits { visits, mix, steps: shares })
    }
}

fn by_weight(kinds: &[RequestKind], number: f64) -> Vec<f64> {
    let total: f64 = kinds.iter().map(|kind| kind.weight).sum();
    kinds.iter().map(|kind| number * kind.weight / total).collect()
}

/// Including the objects of the bases of pages.
fn with_objects(kinds: &[RequestKind], bases: &[f64]) -> Vec<f64> {
    let mut all = bases.to_vec();
    for (kind, visits) in kinds.iter().zip(bases) {
        let Some(objects) = &kind.objects else { continue };
        for (place, share) in objects.of.shares() {
            if let Some(place) = place {
                all[place as usize] += visits * objects.mean() * share;
            }
        }
    }
    all
}
