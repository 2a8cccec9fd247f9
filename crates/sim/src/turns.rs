//! The cost of turns of limited length: each is an event.

use thinktime_core::error::Invalid;
use thinktime_core::policy::scheduling::Rank;
use thinktime_core::request::RequestKind;
use thinktime_core::system::{DemandLaw, StationModel, SystemModel};
use thinktime_core::words;

/// A request with more turns is not simulated.
const TURNS_MAX: f64 = 10_000.0;

const INSTEAD: &str = ", or say policy = \"ps\", the limit of ever shorter turns";

/// Refuses quanta so small beside the demands that turns alone would take the time.
///
/// # Errors
/// The message if a request takes more than 10,000 turns, with a sufficient quantum.
pub(crate) fn check_turns(system: &SystemModel, requests: &[RequestKind]) -> Result<(), Invalid> {
    for station in system.all_stations() {
        // Turns follow one another on the last level, so that its quantum counts; the turns of each
        // class follow one another.
        let quanta = &station.discipline.quanta;
        let by_class = station.discipline.rank == Rank::Class;
        let counts = if by_class { quanta.iter().min() } else { quanta.last() };
        let Some(quantum) = counts else { continue };
        let demand = largest_demand(station, requests);
        let turns = demand / quantum.as_secs_f64();
        if turns > TURNS_MAX {
            return Err(Invalid::new(format!(
                "at `{}` a demand of {} takes {turns:.0} turns of {}, each an event: at most \
                 {TURNS_MAX} are simulated. Make {} at least {}{}",
                station.name,
                words::time(demand),
                words::time(quantum.as_secs_f64()),
                if by_class { "each quantum" } else { "the last quantum" },
                words::time(demand / TURNS_MAX),
                if by_class { "" } else { INSTEAD },
            )));
        }
    }
    Ok(())
}

/// The largest mean demand of a kind of request.
fn largest_demand(station: &StationModel, requests: &[RequestKind]) -> f64 {
    let of_all = |law: &DemandLaw| {
        let means = requests.iter().map(|kind| law.mean(kind.size.as_ref()));
        if law.uses_size() { means.fold(0.0, f64::max) } else { law.mean(None) }
    };
    station.laws().map(of_all).fold(0.0, f64::max)
}

#[cfg(test)]
mod tests {
    use thinktime_core::files::NoFiles;
    use thinktime_core::schema::Source;

    use super::*;

    fn checked(policy: &str, demand: &str) -> Result<(), String> {
        let class = if policy.starts_with("priority") { "priority.a = 1\n" } else { "" };
        let text = format!(
            "name = \"s\"\n[[station]]\nname = \"cpu\"\npolicy = \"{policy}\"\n\
             demand = {demand}\n{class}"
        );
        let system = SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap();
        check_turns(&system, &[]).map_err(|error| error.to_string())
    }

    #[test]
    fn quanta_far_below_the_demands_are_refused_with_what_they_cost() {
        let message = checked("rr(1ns)", "\"exp(10ms)\"").unwrap_err();
        assert!(
            message.contains("`cpu` a demand of 10.0 ms takes 10000000 turns of 1.00 ns"),
            "{message}"
        );
        assert!(message.contains("at least 1.00 µs"), "{message}");
        assert!(checked("mlfq(1ms, 1ns)", "\"exp(10ms)\"").is_err());
        assert!(checked("priority(1ns, 1ms)", "\"exp(10ms)\"").unwrap_err().ends_with("1.00 µs"));
        // The largest demand of any kind of request counts.
        assert!(checked("rr(1us)", "{ a = \"1ms\", b = \"1s\" }").is_err());
    }

    #[test]
    fn other_quanta_are_taken() {
        for (policy, demand) in
            [("rr(1us)", "\"exp(10ms)\""), ("mlfq(1ns, 1ms)", "\"exp(10ms)\""), ("ps", "\"1h\"")]
        {
            assert_eq!(checked(policy, demand), Ok(()), "{policy}");
        }
    }
}
