//! The state of sessions when a run begins.

use thinktime_file::error::Invalid;
use thinktime_file::workload::Start;

use super::super::{Population, Sessions, Workload};
use crate::distribution::Distribution;
use crate::journey::Count;

/// How the sessions of a workload begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InitialState {
    /// In their long-run state, except for those that wait for a response.
    Steady,
    /// Empty, because the file says so.
    Chosen,
    /// Empty, because the course of sessions is not known beforehand: a script or a log has it, a
    /// trace gives their times, or they depend on values taken from responses.
    Unknown,
    /// Empty, because the mean think time is infinite and there is no long run.
    NeverSteady,
}

/// The most sessions that can be present at the start: as many as closed clients.
const SESSIONS_MAX: f64 = 1e7;

impl Population {
    /// How its sessions begin.
    #[must_use]
    pub fn beginning(&self) -> InitialState {
        let think = match &self.sessions {
            Sessions::Open { .. } => return InitialState::Steady,
            // In the middle of its course a session would not have the values that it takes at the
            // beginning.
            _ if self.programs.is_some() || self.values.has_takes() => {
                return InitialState::Unknown;
            }
            _ if self.table.arrivals.start == Some(Start::Empty) => return InitialState::Chosen,
            Sessions::PartlyOpen { arrivals, .. } if arrivals.is_trace() => {
                return InitialState::Unknown;
            }
            Sessions::PartlyOpen { .. } if self.lasts.is_some() => return InitialState::Unknown,
            Sessions::Closed { think, .. } | Sessions::PartlyOpen { think, .. } => think,
        };
        if think.settles() && self.thinks.iter().flatten().all(Distribution::settles) {
            InitialState::Steady
        } else {
            InitialState::NeverSteady
        }
    }

    /// The mean number of sessions that think, by Little's law: the arrival rate of sessions, times
    /// their mean number of think times, times the mean think time. The rate is that before the
    /// start, or the largest one there if it varied. For a closed model it is infinite, as its
    /// sessions' length is; for an open one it is 0.
    #[must_use]
    pub(crate) fn thinking_before_start(&self) -> f64 {
        match &self.sessions {
            Sessions::Open { .. } => 0.0,
            Sessions::Closed { .. } => f64::INFINITY,
            Sessions::PartlyOpen { arrivals, requests: Some(requests), think }
                if !self.thinks_by_kind() =>
            {
                let further = Count::from_one(requests.clone()).mean() - 1.0;
                arrivals.rate_before_start() * further * think.mean()
            }
            Sessions::PartlyOpen { arrivals, .. } => {
                let times: f64 = self.thinking_by_kind().iter().sum();
                arrivals.rate_before_start() * times
            }
        }
    }

    /// Whether the think time, or the request after it, depends on the last request.
    pub(crate) fn thinks_by_kind(&self) -> bool {
        self.journey.is_some() || self.thinks.iter().any(Option::is_some)
    }

    /// The mean think time of a session after requests of each kind, in seconds; for a closed model
    /// in shares.
    pub(crate) fn thinking_by_kind(&self) -> Vec<f64> {
        let visits = self.visits_before_others();
        visits.iter().zip(self.think_after()).map(|(visits, after_s)| visits * after_s).collect()
    }

    /// The mean think time of a session after a request of each kind, in seconds, if its number of
    /// requests lets it continue: 0 for the share of journeys that end there.
    pub(crate) fn think_after(&self) -> Vec<f64> {
        let Some(think) = self.think() else { return Vec::new() };
        let journey = self.journey.as_ref().filter(|_| self.clients().is_none());
        let after = |(place, own): (usize, &Option<Distribution>)| {
            let next = journey.map(|journey| journey.next[place].as_ref());
            let goes_on = next.map_or(1.0, |next| next.map_or(0.0, |next| 1.0 - next.ends()));
            goes_on * own.as_ref().unwrap_or(think).mean()
        };
        self.thinks.iter().enumerate().map(after).collect()
    }

    /// The mean number of a session's visits to each kind with requests left of its number, if it
    /// has one; for a closed model in shares.
    fn visits_before_others(&self) -> Vec<f64> {
        let Sessions::PartlyOpen { requests: Some(requests), .. } = &self.sessions else {
            return self.steps.clone();
        };
        let length = Count::from_one(requests.clone());
        if let Some(journey) = &self.journey {
            return journey
                .visits_within(|n| length.above(n + 1.0), |n| length.mean_beyond(n + 1.0));
        }
        let all: f64 = self.steps.iter().sum();
        self.steps.iter().map(|visits| visits / all * (length.mean() - 1.0)).collect()
    }

    /// The mean number of sessions that think at the start, if `clients` does not give it.
    fn thinking_at_start(&self) -> f64 {
        match &self.sessions {
            Sessions::PartlyOpen { .. } if self.beginning() == InitialState::Steady => {
                self.thinking_before_start()
            }
            _ => 0.0,
        }
    }
}

impl Workload {
    /// How the sessions of all populations begin: if they differ, in the way that needs the longest
    /// explanation.
    #[must_use]
    pub fn beginning(&self) -> InitialState {
        let all = || self.populations.iter().map(Population::beginning);
        let order = [InitialState::NeverSteady, InitialState::Unknown, InitialState::Chosen];
        order
            .into_iter()
            .find(|one| all().any(|other| other == *one))
            .unwrap_or(InitialState::Steady)
    }

    /// Refuses a start with more sessions than fit in memory.
    ///
    /// # Errors
    /// When the mean number of sessions that think at the start exceeds 10,000,000.
    pub fn check_start(&self) -> Result<(), Invalid> {
        let thinking: f64 = self.populations.iter().map(Population::thinking_at_start).sum();
        if thinking <= SESSIONS_MAX {
            return Ok(());
        }
        Err(Invalid::new(format!(
            "{thinking:.3e} sessions think at any time in the long run (rate x mean number of \
             think times x mean think time), more than the {SESSIONS_MAX:.0} that a run can \
             begin with: lower the rate or the think time, or write start = \"empty\" in \
             [arrivals] to begin with nobody"
        )))
    }
}
