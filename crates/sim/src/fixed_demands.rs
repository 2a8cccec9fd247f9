//! Requests with given times and demands, at one server: without clients and without draws.

use thinktime_core::error::Invalid;
use thinktime_core::files::NoFiles;
use thinktime_core::schema::Source;
use thinktime_core::system::{DemandSource, Departure, FastStation, Job, Program, SystemModel};
use thinktime_core::time::Nanos;

/// The name of the only kind of request.
const KIND: [&str; 1] = ["request"];

/// The response time of each request at one server under this scheduling policy, by the code of
/// simulations. Requests come at `arrivals`, which do not fall, and bring `demands`.
///
/// # Errors
/// When there is no such policy, the lists differ in length, or a request comes before the one that
/// it follows.
pub fn response_times(
    policy: &str,
    arrivals: &[Nanos],
    demands: &[Nanos],
) -> Result<Vec<Nanos>, Invalid> {
    if arrivals.len() != demands.len() {
        let (times, works) = (arrivals.len(), demands.len());
        return Err(Invalid::new(format!("{times} arrivals and {works} demands")));
    }
    if !arrivals.is_sorted() {
        return Err(Invalid::new("arrivals must be in the order of their times"));
    }
    let mut station = station(policy, demands)?;
    let mut times = vec![Nanos::ZERO; arrivals.len()];
    let mut left = |departure: Option<Departure>| {
        if let Some(Departure { job, at, .. }) = departure {
            times[job.token as usize] = at.since(arrivals[job.token as usize]);
        }
    };
    for (number, &now) in (0..).zip(arrivals) {
        while station.next_event() <= now {
            let due = station.next_event();
            left(station.advance(due));
        }
        station.arrive(now, Job { token: number, session: number, serial: 0, kind: 0 });
    }
    while !station.next_event().is_never() {
        let due = station.next_event();
        left(station.advance(due));
    }
    Ok(times)
}

fn station<'a>(policy: &str, demands: &'a [Nanos]) -> Result<FastStation<Given<'a>>, Invalid> {
    let text = format!(
        "name = 'server'\n[[station]]\nname = 'server'\ndemand = '1s'\npolicy = {policy:?}\n"
    );
    let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles)
        .map_err(|error| Invalid::new(error.message))?;
    let program = Program::new(&model, &KIND);
    FastStation::new(&model, &program, &KIND, || Given(demands), 0)
        .ok_or_else(|| Invalid::new(format!("`{policy}` is no policy of one server alone")))
}

/// The demand of each request, by its token.
struct Given<'a>(&'a [Nanos]);

impl DemandSource for Given<'_> {
    #[inline]
    fn demand(&mut self, job: &Job, _draw: usize) -> Option<Nanos> {
        Some(self.0[job.token as usize])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use thinktime_core::random::{Purpose, Stream};

    fn nanos(values: &[u64]) -> Vec<Nanos> {
        values.iter().map(|&value| Nanos(value)).collect()
    }

    /// Worked out by hand.
    #[test]
    fn three_requests_at_one_server() {
        let (arrivals, demands) = (nanos(&[0, 10, 20]), nanos(&[100, 20, 50]));
        let times = |policy| response_times(policy, &arrivals, &demands).unwrap();
        assert_eq!(times("fcfs"), nanos(&[100, 110, 150]));
        assert_eq!(times("srpt"), nanos(&[170, 20, 60]));
        // Alone for 10, two for 10, three for 45 (the second has 15 left), and so on.
        assert_eq!(times("ps"), nanos(&[170, 55, 115]));
    }

    /// Lindley's recursion: W' = max(W + S - A, 0).
    #[test]
    fn first_come_first_served_is_lindleys_recursion() {
        let mut draw = Stream::new(1, 0, Purpose::Arrival);
        let mut drawn = |mean: f64| (-draw.uniform().ln() * mean) as u64;
        let (mut now, mut wait) = (0, 0);
        let (mut arrivals, mut demands, mut expected) = (vec![], vec![], vec![]);
        for _ in 0..5000 {
            let (gap, demand) = (drawn(1e6), drawn(0.9e6));
            now += gap;
            wait = u64::saturating_sub(wait, gap);
            arrivals.push(Nanos(now));
            demands.push(Nanos(demand));
            wait += demand;
            expected.push(Nanos(wait));
        }
        assert_eq!(response_times("fcfs", &arrivals, &demands).unwrap(), expected);
    }

    #[test]
    fn what_is_wrong_is_said() {
        let message = |policy, arrivals: &[u64], demands: &[u64]| {
            let (arrivals, demands) = (nanos(arrivals), nanos(demands));
            response_times(policy, &arrivals, &demands).unwrap_err().to_string()
        };
        assert!(message("fcfs", &[1], &[]).contains("1 arrivals and 0 demands"));
        assert!(message("fcfs", &[2, 1], &[1, 1]).contains("order of their times"));
        assert!(message("first", &[1], &[1]).contains("first"));
    }
}
