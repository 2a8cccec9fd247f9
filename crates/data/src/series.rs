//! The run over time as Arrow columns: the one schema of `series.parquet`.

use std::sync::Arc;

use arrow_array::{ArrayRef, Float64Array, RecordBatch, StringArray, UInt64Array};
use arrow_schema::{DataType, Field, Schema};
use thinktime_core::record::Timeline;

use crate::Labels;

/// A row an interval and kind of request, which `labels` name: the numbers of scheduled, completed
/// and failed requests in it, the mean and the largest response time of the completed ones, the
/// number in the system at its end, the number of attempts scheduled in it, and the number of all
/// kinds, abandoned ones included, that a modelled server still had at its end.
#[must_use]
pub fn series_batch(timeline: &Timeline, labels: &Labels) -> RecordBatch {
    let Labels { requests: names, populations, .. } = labels;
    let cells: Vec<_> = timeline.cells().collect();
    let interval_s = timeline.interval().as_secs_f64();
    let mut present = vec![0u64; names.len()];
    let in_system = cells.iter().map(|(_, kind, cell)| {
        present[*kind] = present[*kind] + cell.scheduled - cell.completed - cell.failed;
        present[*kind]
    });
    let in_system: Vec<u64> = in_system.collect();
    let counts = |of: fn(&thinktime_core::record::Cell) -> u64| -> ArrayRef {
        Arc::new(cells.iter().map(|(_, _, cell)| of(cell)).collect::<UInt64Array>())
    };
    let times = |value: &dyn Fn(&thinktime_core::record::Cell) -> f64| -> ArrayRef {
        let of = |cell: &thinktime_core::record::Cell| (cell.completed > 0).then(|| value(cell));
        Arc::new(cells.iter().map(|(_, _, cell)| of(cell)).collect::<Float64Array>())
    };
    let intervals = (0..cells.len()).map(|row| timeline.in_server(row / names.len().max(1)));
    let in_server: UInt64Array = intervals.collect();
    let columns: Vec<ArrayRef> = vec![
        Arc::new(cells.iter().map(|(at, ..)| Some(at.as_secs_f64())).collect::<Float64Array>()),
        Arc::new(cells.iter().map(|_| Some(interval_s)).collect::<Float64Array>()),
        Arc::new(cells.iter().map(|(_, kind, _)| names.get(*kind)).collect::<StringArray>()),
        counts(|cell| cell.scheduled),
        counts(|cell| cell.completed),
        counts(|cell| cell.failed),
        times(&|cell| cell.response_sum_ns as f64 * 1e-9 / cell.completed as f64),
        times(&|cell| cell.response_max.as_secs_f64()),
        Arc::new(UInt64Array::from(in_system)),
        counts(|cell| cell.attempts),
        Arc::new(in_server),
        Arc::new(cells.iter().map(|(_, kind, _)| populations.get(*kind)).collect::<StringArray>()),
    ];
    RecordBatch::try_new(Arc::new(schema()), columns).expect("columns match the schema below")
}

fn schema() -> Schema {
    let field = |name: &str, of: DataType| Field::new(name, of, true);
    Schema::new(vec![
        field("start_s", DataType::Float64),
        field("interval_s", DataType::Float64),
        field("name", DataType::Utf8),
        field("scheduled", DataType::UInt64),
        field("completed", DataType::UInt64),
        field("failed", DataType::UInt64),
        field("response_mean_s", DataType::Float64),
        field("response_max_s", DataType::Float64),
        field("in_system", DataType::UInt64),
        field("attempts", DataType::UInt64),
        field("in_server", DataType::UInt64),
        field("population", DataType::Utf8),
    ])
}
