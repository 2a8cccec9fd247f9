//! The intervals of stations' figures, from several measurements of each.

use std::collections::BTreeMap;

use super::station_figures::{FlowIntervals, StationFigures};

/// A half-width, from the values of several measurements.
type HalfWidth<'a> = &'a dyn Fn(&[f64]) -> Option<f64>;

/// The figures of all requests of a station in one measurement, or of those of one name.
#[derive(Clone, Copy)]
struct Measurement {
    load: f64,
    queue_length_mean: f64,
    throughput: f64,
    response_time_mean_s: Option<f64>,
}

/// Sets the intervals of stations' figures from those of several measurements: of replications, or
/// of batches of time.
pub fn set_station_intervals(
    stations: &mut BTreeMap<String, StationFigures>,
    measurements: &[BTreeMap<String, StationFigures>],
    half_width: HalfWidth<'_>,
) {
    for (name, figures) in stations {
        let all: Vec<&StationFigures> =
            measurements.iter().filter_map(|one| one.get(name)).collect();
        let whole: Vec<Measurement> = all.iter().map(|one| of_station(one)).collect();
        figures.ci95 = intervals(&whole, half_width);
        for (request, figures) in &mut figures.by_request {
            let of: Vec<Measurement> = all.iter().map(|one| of_request(one, request)).collect();
            figures.ci95 = intervals(&of, half_width);
        }
    }
}

fn of_station(one: &StationFigures) -> Measurement {
    Measurement {
        load: one.load,
        queue_length_mean: one.queue_length_mean,
        throughput: one.throughput.unwrap_or(0.0),
        response_time_mean_s: one.response_time_mean_s,
    }
}

/// A request that never came in a measurement was not there.
fn of_request(one: &StationFigures, request: &str) -> Measurement {
    let of = one.by_request.get(request);
    Measurement {
        load: of.map_or(0.0, |of| of.load),
        queue_length_mean: of.map_or(0.0, |of| of.queue_length_mean),
        throughput: of.map_or(0.0, |of| of.throughput),
        response_time_mean_s: of.and_then(|of| of.response_time_mean_s),
    }
}

/// Without a request that left in each measurement there is too little to judge by.
fn intervals(all: &[Measurement], half_width: HalfWidth<'_>) -> Option<FlowIntervals> {
    let of =
        |value: fn(&Measurement) -> f64| half_width(&all.iter().map(value).collect::<Vec<f64>>());
    let times: Option<Vec<f64>> = all.iter().map(|one| one.response_time_mean_s).collect();
    Some(FlowIntervals {
        load: of(|one| one.load)?,
        queue_length_mean: of(|one| one.queue_length_mean)?,
        throughput: of(|one| one.throughput)?,
        response_time_mean_s: half_width(&times?)?,
    })
}
