//! What sessions draw from: lengths, think times, kinds of request, waits before retries.

use super::Attempt;
use crate::distribution::Distribution;
use crate::random::{Purpose, StreamFamily};
use crate::time::Nanos;
use crate::workload::{RequestKind, SessionLength, Sessions, Workload};

/// What sessions draw from.
#[derive(Debug)]
pub(super) struct Laws {
    pub(super) kinds: Vec<RequestKind>,
    /// Cumulative shares of the kinds.
    shares: Vec<f64>,
    length: Option<SessionLength>,
    pub(super) think: Option<Distribution>,
    pub(super) seed: u64,
    lengths: StreamFamily,
    thinks: StreamFamily,
    choices: StreamFamily,
    backoffs: StreamFamily,
}

impl Laws {
    pub(super) fn new(workload: &Workload) -> Laws {
        let (length, think) = match &workload.sessions {
            Sessions::Open { .. } => (None, None),
            Sessions::Closed { think, .. } => (None, Some(think.clone())),
            Sessions::PartlyOpen { requests, think, .. } => {
                (Some(SessionLength::new(requests.clone())), Some(think.clone()))
            }
        };
        let total: f64 = workload.requests.iter().map(|kind| kind.weight).sum();
        let shares = workload.requests.iter().scan(0.0, |sum, kind| {
            *sum += kind.weight / total;
            Some(*sum)
        });
        let family = |purpose| StreamFamily::new(workload.seed, purpose);
        Laws {
            kinds: workload.requests.clone(),
            shares: shares.collect(),
            length,
            think,
            seed: workload.seed,
            lengths: family(Purpose::SessionLength),
            thinks: family(Purpose::Think),
            choices: family(Purpose::Request),
            backoffs: family(Purpose::Backoff),
        }
    }

    /// Whether every session has one request.
    pub(super) fn one_request(&self) -> bool {
        self.length.is_none()
    }

    #[inline]
    pub(super) fn session_length(&self, session: u64) -> u64 {
        match &self.length {
            None => 1,
            Some(length) => length.draw(&mut self.lengths.stream(session)),
        }
    }

    /// The think time before request `index` of the session.
    #[inline]
    pub(super) fn think(&self, session: u64, index: u32) -> Nanos {
        match &self.think {
            None => Nanos::ZERO,
            Some(law) => law.first_time(|| self.thinks.substream(session, index.into())),
        }
    }

    #[inline]
    pub(super) fn choose(&self, session: u64, index: u32) -> u32 {
        if self.kinds.len() == 1 {
            return 0;
        }
        let u = self.choices.substream(session, index.into()).uniform();
        self.shares.partition_point(|share| *share < u).min(self.kinds.len() - 1) as u32
    }

    /// The wait after the attempt, before the next one.
    pub(super) fn backoff(&self, attempt: &Attempt) -> Nanos {
        let retry = &self.kinds[attempt.kind as usize].retry;
        let Some(law) = &retry.backoff else { return Nanos::ZERO };
        let wait_s = law.sample(&mut self.backoffs.substream(attempt.session, attempt.serial()));
        let growth = retry.growth.powf(f64::from(attempt.attempt) - 1.0);
        Nanos::from_secs_f64(wait_s * growth).min(retry.backoff_max)
    }
}
