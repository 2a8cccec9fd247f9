//! The intervals of stations' figures, from several measurements of each.

use super::station_figures::{FlowIntervals, StationFigures, work};
use crate::system::{Flow, KindSummary, StationSummary};
use crate::workload::Workload;

/// A half-width, from the values of several measurements.
type HalfWidth<'a> = &'a dyn Fn(&[f64]) -> Option<f64>;

/// The load and the flow of all requests of a station in one measurement, or of those of one name.
type Measurement = (f64, Flow);

/// Sets the intervals of a station's figures from those of several measurements: of replications,
/// or of batches of time.
pub fn set_station_intervals(
    figures: &mut StationFigures,
    measurements: &[&StationSummary],
    workload: &Workload,
    half_width: HalfWidth<'_>,
) {
    let whole: Vec<Measurement> = measurements.iter().map(|one| (one.load, one.flow())).collect();
    figures.ci95 = intervals(&whole, half_width);
    let all: Vec<f64> = measurements.iter().map(|one| work(one, &one.by_kind)).collect();
    for (request, figures) in &mut figures.by_request {
        let of_name =
            |(one, all): (&&StationSummary, &f64)| of_request(one, *all, request, workload);
        let of: Vec<Measurement> = measurements.iter().zip(&all).map(of_name).collect();
        figures.ci95 = intervals(&of, half_width);
    }
}

/// The requests of one name, of a station whose requests need `all` work a second.
fn of_request(one: &StationSummary, all: f64, name: &str, workload: &Workload) -> Measurement {
    let named = |kind: &&KindSummary| workload.requests[kind.kind as usize].name == name;
    let kinds: Vec<&KindSummary> = one.by_kind.iter().filter(named).collect();
    let share = if all > 0.0 { work(one, kinds.iter().copied()) / all } else { 0.0 };
    (share * one.load, one.flow_of(&kinds).0)
}

/// Without a request that left in each measurement there is too little to judge by.
fn intervals(all: &[Measurement], half_width: HalfWidth<'_>) -> Option<FlowIntervals> {
    let of =
        |value: fn(&Measurement) -> f64| half_width(&all.iter().map(value).collect::<Vec<f64>>());
    let times: Option<Vec<f64>> = all.iter().map(|(_, flow)| flow.response_time_mean_s).collect();
    Some(FlowIntervals {
        load: of(|(load, _)| *load)?,
        queue_length_mean: of(|(_, flow)| flow.queue_length_mean)?,
        throughput: of(|(_, flow)| flow.throughput)?,
        response_time_mean_s: half_width(&times?)?,
    })
}
