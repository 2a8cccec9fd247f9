//! The laws of sessions: lengths, think times, kinds of request, waits before retries.

use thinktime_file::time::Nanos;

use crate::attempt::Attempt;
use crate::distribution::Distribution;
use crate::journey::Count;
use crate::random::{Purpose, StreamFamily};
use crate::request::Retry;
use crate::workload::{Sessions, Workload};

/// The laws of sessions.
#[derive(Debug)]
pub(super) struct Laws {
    /// The place of its first kind of request in the workload's list.
    pub(super) first_kind: u32,
    /// Cumulative shares of its kinds.
    shares: Vec<f64>,
    /// Whether every session has one request.
    pub(super) one_request: bool,
    /// The number of requests of a session; `None` if something else ends it, or nothing.
    length: Option<Count>,
    pub(super) think: Option<Distribution>,
    /// By kind, the think time after it, if any kind has its own; else empty.
    thinks_after: Vec<Option<Distribution>>,
    pub(super) seed: u64,
    lengths: StreamFamily,
    thinks: StreamFamily,
    pub(super) choices: StreamFamily,
    backoffs: StreamFamily,
    patience: StreamFamily,
}

impl Laws {
    /// The laws of sessions of the population in this place.
    pub(super) fn new(workload: &Workload, place: usize) -> Laws {
        let population = &workload.populations[place];
        let kinds = &workload.requests[population.kinds.clone()];
        let length = match &population.sessions {
            Sessions::Open { .. } => None,
            Sessions::Closed { requests, .. } | Sessions::PartlyOpen { requests, .. } => {
                requests.clone().map(Count::from_one)
            }
        };
        let total: f64 = kinds.iter().map(|kind| kind.weight).sum();
        let shares = kinds.iter().scan(0.0, |sum, kind| {
            *sum += kind.weight / total;
            Some(*sum)
        });
        let differ = population.thinks.iter().any(Option::is_some);
        let seed = workload.population_seed(place);
        let family = |purpose| StreamFamily::new(seed, purpose);
        Laws {
            first_kind: population.kinds.start as u32,
            shares: shares.collect(),
            one_request: matches!(population.sessions, Sessions::Open { .. }),
            length,
            think: population.think().cloned(),
            thinks_after: if differ { population.thinks.clone() } else { Vec::new() },
            seed,
            lengths: family(Purpose::SessionLength),
            thinks: family(Purpose::Think),
            choices: family(Purpose::Request),
            backoffs: family(Purpose::Backoff),
            patience: family(Purpose::Patience),
        }
    }

    /// The number of requests of a session; [`u64::MAX`] if something else ends it.
    #[inline]
    pub(super) fn session_length(&self, session: u64) -> u64 {
        match &self.length {
            None if self.one_request => 1,
            None => u64::MAX,
            Some(length) => length.draw(&mut self.lengths.stream(session)),
        }
    }

    /// As [`Laws::session_length`], of a closed session that has begun again this often.
    pub(super) fn length_of_turn(&self, session: u64, turn: u32) -> u64 {
        let Some(length) = &self.length else { return u64::MAX };
        length.draw(&mut self.lengths.substream(session, turn.into()))
    }

    /// The think time before request `index` of the session, whose last one was of this kind.
    #[inline]
    pub(super) fn think(&self, session: u64, index: u32, last: u32) -> Nanos {
        let own = match self.thinks_after.is_empty() {
            true => None,
            false => self.thinks_after[(last - self.first_kind) as usize].as_ref(),
        };
        match own.or(self.think.as_ref()) {
            None => Nanos::ZERO,
            Some(law) => law.first_time(|| self.thinks.substream(session, index.into())),
        }
    }

    /// The think time that begins a session, or its program.
    pub(super) fn first_think_of(&self, session: u64, index: u32) -> Nanos {
        let Some(law) = &self.think else { return Nanos::ZERO };
        law.first_time(|| self.thinks.substream(session, index.into()))
    }

    #[inline]
    pub(super) fn choose(&self, session: u64, index: u32) -> u32 {
        if self.shares.len() == 1 {
            return self.first_kind;
        }
        self.kind_at(self.choices.substream(session, index.into()).uniform())
    }

    /// The kind that a uniform number falls to.
    #[inline]
    pub(super) fn kind_at(&self, uniform: f64) -> u32 {
        let last = self.shares.len() - 1;
        let place = self.shares.partition_point(|share| *share < uniform).min(last);
        self.first_kind + place as u32
    }

    /// How long the client waits for the attempt, by a law of such times.
    pub(super) fn patience(&self, attempt: &Attempt, law: &Distribution) -> Nanos {
        let time_s = law.sample(&mut self.patience.substream(attempt.session, attempt.serial()));
        Nanos::from_secs_f64(time_s).max(Nanos(1))
    }

    /// The wait after the attempt, before the next one.
    pub(super) fn backoff(&self, attempt: &Attempt, retry: &Retry) -> Nanos {
        let Some(law) = &retry.backoff else { return Nanos::ZERO };
        let wait_s = law.sample(&mut self.backoffs.substream(attempt.session, attempt.serial()));
        let growth = retry.growth.powf(f64::from(attempt.attempt) - 1.0);
        Nanos::from_secs_f64(wait_s * growth).min(retry.backoff_max)
    }
}
