//! Sessions in the middle of their course when a run begins, if their number of requests has a law
//! and their think time or order depends on the last request.
//!
//! A session of N requests, of which the k-th is of kind i, thinks Z(i) after it if k < N. So by
//! Little's law, for a session that thinks at any time, the last request was the k-th, of kind i,
//! with probability P(N > k) p(k, i) E[Z(i)], up to a factor. k is drawn by P(N > k) and the course
//! up to there by the chain. The course is kept with a probability in proportion to E[Z(i)], and
//! drawn again if the chain ended before. Clients of a closed model think after the last request
//! too, before they begin again: then it is P(N >= k).

use thinktime_file::time::Nanos;

use super::Draw;
use super::mid_session::{MidSession, Position, ThinkTime, pick, rest_of_thinks, sums};
use crate::arrival::ArrivalProcess;
use crate::distribution::Equilibrium;
use crate::journey::{Count, Journey, ThinkTimeCount};
use crate::random::{Purpose, Stream, StreamFamily};
use crate::workload::{Sessions, Workload};

/// The number of courses that are drawn for a session. One with a share of less than 1 in this
/// number is not found.
const TRIES_MAX: u32 = 100_000;
/// The number of requests for which a course is followed: the ends of longer ones are alike.
const STEPS_MAX: f64 = 100_000.0;

/// Finds sessions in the middle of their course when a run begins, by their numbers.
pub(super) type Find<'a> = Box<dyn Fn(u64) -> Option<Position> + 'a>;

/// Of a population; `None` if no session comes or thinks.
pub(super) fn finder(workload: &Workload, place: usize) -> Option<Find<'_>> {
    let arrivals = workload.populations[place].arrivals();
    if let Some(counted) = Counted::new(workload, place) {
        return Some(Box::new(move |number| counted.session(number, arrivals)));
    }
    let mid_session = MidSession::new(workload, place)?;
    Some(Box::new(move |number| mid_session.session(number, arrivals)))
}

/// All such sessions of a population.
struct Counted<'a> {
    behind: Equilibrium<ThinkTimeCount>,
    journey: Option<&'a Journey>,
    /// The sums of the shares of the kinds, if each is drawn by weight.
    shares: Vec<f64>,
    /// By kind, its think time and the rest of it, except for kinds without a think time.
    thinks: Vec<ThinkTime<'a>>,
    /// By kind, the mean think time of sessions after it.
    after_s: Vec<f64>,
    most_s: f64,
    streams: StreamFamily,
}

impl<'a> Counted<'a> {
    /// `None` if sessions have no law of their number of requests, or no session that comes thinks.
    fn new(workload: &'a Workload, place: usize) -> Option<Counted<'a>> {
        let population = &workload.populations[place];
        let mut after_s = population.think_after();
        let mut most_s = after_s.iter().copied().fold(0.0, f64::max);
        let behind = match &population.sessions {
            Sessions::PartlyOpen { requests: Some(requests), .. } if most_s > 0.0 => {
                Count::from_one(requests.clone()).thinks_behind()?
            }
            Sessions::Closed { requests: Some(requests), .. } => {
                if most_s <= 0.0 {
                    // Only the visits tell the kinds apart.
                    (after_s, most_s) = (vec![1.0; after_s.len()], 1.0);
                }
                Count::from_one(requests.clone()).thinks_of_client_behind()?
            }
            _ => return None,
        };
        Some(Counted {
            behind,
            journey: population.journey.as_ref(),
            shares: sums(&population.steps)?,
            thinks: rest_of_thinks(population)?,
            after_s,
            most_s,
            streams: StreamFamily::new(workload.population_seed(place), Purpose::Start),
        })
    }

    /// The one of this number, if it was present, for arrivals whose rate varied.
    fn session(&self, number: u64, arrivals: Option<&ArrivalProcess>) -> Option<Position> {
        let stream = |draw: Draw| self.streams.substream(number, draw as u64);
        let mut course = stream(Draw::Course);
        let mut kinds = Vec::new();
        let behind = (0..TRIES_MAX).find_map(|_| self.course(&mut kinds, &mut course))?;
        let length = self.behind.tail().draw_length(behind, &mut course);
        let last = *kinds.last()?;
        let (think, rest) = &self.thinks[last];
        let rest_s = rest.as_ref().map_or(0.0, |rest| rest.sample(&mut stream(Draw::Rest)));
        if let Some(arrivals) = arrivals.filter(|arrivals| arrivals.varied_before_start()) {
            let mut past = stream(Draw::Past);
            let earlier = &kinds[..kinds.len() - 1];
            let before_s: f64 = earlier.iter().map(|at| self.thinks[*at].0.sample(&mut past)).sum();
            let age_s = before_s + think.longer_than(rest_s, &mut past) - rest_s;
            if past.uniform() > arrivals.share_before_start(age_s) {
                return None;
            }
        }
        // A session that comes and goes thinks only if it has further requests.
        let least = u64::from(arrivals.is_some());
        Some(Position {
            last: last as u32,
            behind: behind.min(super::BEHIND_MAX) as u32,
            left: length.saturating_sub(behind as u64).clamp(least, u64::MAX - 1),
            due: Nanos::from_secs_f64(rest_s),
        })
    }

    /// Draws the number of a session's past requests, and their kinds; `None` if it is not kept.
    fn course(&self, kinds: &mut Vec<usize>, stream: &mut Stream) -> Option<f64> {
        let behind = self.behind.sample(stream).floor() + 1.0;
        kinds.clear();
        for _ in 0..behind.min(STEPS_MAX) as u32 {
            kinds.push(self.next(kinds.last().copied(), stream.uniform())?);
        }
        let after_s = self.after_s[*kinds.last()?];
        (stream.uniform() * self.most_s < after_s).then_some(behind)
    }

    /// The kind that follows one, or the first kind of a session; `None` at the end.
    fn next(&self, last: Option<usize>, uniform: f64) -> Option<usize> {
        let Some(journey) = self.journey else { return Some(pick(&self.shares, uniform)) };
        let choice = match last {
            Some(last) => journey.next[last].as_ref()?,
            None => &journey.first,
        };
        choice.of(uniform).map(|place| place as usize)
    }
}
