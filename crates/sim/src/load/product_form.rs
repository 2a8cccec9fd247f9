//! The think time that brings a closed system to a load, if it has a product form.

use thinktime_core::file::OnError;
use thinktime_core::policy::scheduling::{Discipline, Rank, Ties};
use thinktime_core::request::RequestKind;
use thinktime_core::system::{Demand, DemandLaw, StationModel, SystemModel};
use thinktime_core::workload::{ClientLimits, Workload};

/// The most clients: mean value analysis takes as many steps.
const CLIENTS_MAX: u64 = 100_000;
/// The number of bisection steps for the think time: to the last digit.
const HALVINGS: u32 = 100;

/// The mean think time in seconds at which the throughput times `demand` is the load. `None` if no
/// formula is exact; the load without thinking if it is less than the given one.
pub(super) fn think_time(
    workload: &Workload,
    system: &SystemModel,
    (clients, load, demand): (u64, f64, f64),
) -> Option<Result<f64, f64>> {
    if clients > CLIENTS_MAX || !has_product_form(workload, system) {
        return None;
    }
    let demands: Vec<f64> =
        system.capacities(workload, &[1.0]).iter().map(|one| one.demand_s).collect();
    let load_at = |think_s: f64| throughput(&demands, clients, think_s) * demand;
    let reachable = load_at(0.0);
    if reachable < load {
        return Some(Err(reachable));
    }
    // X = N / (Z + R) and load = X D: the think time is at most N D / load, for R = 0.
    let (mut short, mut long) = (0.0, clients as f64 * demand / load);
    for _ in 0..HALVINGS {
        let middle = 0.5 * (short + long);
        if load_at(middle) > load {
            short = middle;
        } else {
            long = middle;
        }
    }
    Some(Ok(0.5 * (short + long)))
}

/// The throughput of clients with this mean think time that then visit stations of one server each,
/// by mean value analysis (Reiser and Lavenberg, JACM 27, 1980).
fn throughput(demands: &[f64], clients: u64, think_s: f64) -> f64 {
    let mut numbers = vec![0.0; demands.len()];
    let mut rate = 0.0;
    for present in 1..=clients {
        let time_at = |(demand, number): (&f64, &f64)| demand * (1.0 + number);
        let times: Vec<f64> = demands.iter().zip(&numbers).map(time_at).collect();
        rate = present as f64 / (think_s + times.iter().sum::<f64>());
        numbers.iter_mut().zip(&times).for_each(|(number, time)| *number = rate * time);
    }
    rate
}

/// Whether mean value analysis is exact (Baskett, Chandy, Muntz and Palacios, JACM 22, 1975):
/// stations of one server in a row, FCFS with exponential demands or PS with any that have a
/// density, and clients that wait for every response. Think times may have any law.
fn has_product_form(workload: &Workload, system: &SystemModel) -> bool {
    let patient = |kind: &RequestKind| kind.timeout.is_never() && kind.hedge.is_none();
    system.is_plain()
        && system.stations().all(is_product_form)
        && workload.populations.iter().all(|one| {
            one.programs.is_none()
                && one.clients == ClientLimits::NONE
                && one.browsing.on_error == OnError::Continue
        })
        && workload.requests.iter().all(patient)
}

fn is_product_form(station: &StationModel) -> bool {
    let exponential = |law: &DemandLaw| match law {
        DemandLaw::Drawn(law) => law.phases().is_some_and(|phases| phases.len() == 1),
        DemandLaw::Trace(_) | DemandLaw::Sized(_) | DemandLaw::Tokens(_) => false,
    };
    let has_density = |law: &DemandLaw| match law {
        DemandLaw::Drawn(law) => !law.is_discrete(),
        DemandLaw::Sized(law) => law.time.as_ref().is_some_and(|time| !time.is_discrete()),
        DemandLaw::Trace(_) | DemandLaw::Tokens(_) => false,
    };
    let Discipline { rank, preemptive, ties, quanta, .. } = &station.discipline;
    let plain = *rank == Rank::Equal && !preemptive && quanta.is_empty() && station.servers == 1;
    let fits = match (ties, &station.demand) {
        (Ties::FirstCome, Some(Demand::All(law))) => exponential(law),
        (Ties::Share, Some(_)) => station.laws().all(has_density),
        _ => false,
    };
    plain && fits
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_clients_are_as_solved_by_hand() {
        // Two clients, one exponential server, no thinking: it is always busy. With think times of
        // mean Z and demands of mean 1 the birth-and-death chain has weights 1, 2/Z, 2/Z²: the load
        // is (2/Z + 2/Z²) / (1 + 2/Z + 2/Z²).
        assert!((throughput(&[1.0], 2, 0.0) - 1.0).abs() < 1e-12);
        for z in [0.5f64, 3.0, 40.0] {
            let busy = 2.0 / z + 2.0 / (z * z);
            assert!((throughput(&[1.0], 2, z) - busy / (1.0 + busy)).abs() < 1e-12);
        }
    }
}
