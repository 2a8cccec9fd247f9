//! The intervals of stations' figures, from several measurements of each.

use super::station_figures::{FlowIntervals, StationFigures};
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
    for (request, figures) in &mut figures.by_request {
        let of_name = |one: &&StationSummary| of_request(one, request, workload);
        let of: Vec<Measurement> = measurements.iter().map(of_name).collect();
        figures.ci95 = intervals(&of, half_width);
    }
}

/// The requests of one name.
fn of_request(one: &StationSummary, name: &str, workload: &Workload) -> Measurement {
    let named = |kind: &&KindSummary| workload.requests[kind.kind as usize].name == name;
    let kinds: Vec<&KindSummary> = one.by_kind.iter().filter(named).collect();
    (one.load_of(&kinds), one.flow_of(&kinds).0)
}

/// Without a request that left in each measurement there is too little to judge by.
fn intervals(all: &[Measurement], half_width: HalfWidth<'_>) -> Option<FlowIntervals> {
    let of =
        |value: fn(&Measurement) -> f64| half_width(&all.iter().map(value).collect::<Vec<f64>>());
    let times =
        all.iter().map(|(_, flow)| flow.response_time_mean_s).collect::<Option<Vec<f64>>>()?;
    Some(FlowIntervals {
        load: of(|(load, _)| *load)?,
        queue_length_mean: of(|(_, flow)| flow.queue_length_mean)?,
        throughput: of(|(_, flow)| flow.throughput)?,
        response_time_mean_s: half_width(&times)?,
    })
}
