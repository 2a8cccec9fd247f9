//! Rows as Arrow columns: the one schema of `requests.parquet`.

use std::sync::Arc;

use arrow_array::builder::{
    Float64Builder, Int64Builder, StringDictionaryBuilder, UInt16Builder, UInt32Builder,
    UInt64Builder,
};
use arrow_array::types::UInt16Type;
use arrow_array::{ArrayRef, RecordBatch};
use arrow_schema::{DataType, Field, Schema, SchemaRef};
use thinktime_core::attempt::NO_PAGE;
use thinktime_core::record::Row;
use thinktime_core::time::Nanos;

/// The meanings of numbers in rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Labels {
    /// Names of the kinds of request.
    pub requests: Vec<String>,
    /// By kind of request, the name of its population; empty if the workload names none.
    pub populations: Vec<String>,
    /// Names of the stations; empty for a real system.
    pub stations: Vec<String>,
    /// Whether the system is a real one, whose responses may report the server's own time.
    pub real: bool,
    /// Whether responses are streams of events.
    pub streamed: bool,
}

/// Builds record batches out of rows.
#[derive(Debug)]
pub struct RowTable {
    labels: Labels,
    schema: SchemaRef,
}

impl RowTable {
    /// A table of rows with these names.
    #[must_use]
    pub fn new(labels: Labels) -> RowTable {
        let schema = schema(&labels);
        RowTable { labels, schema }
    }

    /// The columns.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }

    /// The rows as columns.
    #[must_use]
    pub fn batch(&self, rows: &[Row]) -> RecordBatch {
        let names = &self.labels.requests;
        let station = |row: &Row| self.labels.stations.get(row.station as usize);
        let populations = &self.labels.populations;
        let population = |row: &Row| populations.get(row.attempt.kind as usize);
        let mut columns: Vec<ArrayRef> = vec![
            integers(rows, |row| row.attempt.session),
            counts(rows, |row| row.attempt.index),
            counts(rows, |row| row.attempt.attempt),
            dictionary(rows, |row| names.get(row.attempt.kind as usize).map(String::as_str)),
            times(rows, |row| row.attempt.scheduled()),
            times(rows, |row| row.sent),
            times(rows, |row| row.first_byte),
            times(rows, |row| row.done),
            small(rows, |row| (row.status > 0).then_some(row.status)),
            dictionary(rows, |row| row.error),
            integers(rows, |row| row.bytes_sent),
            integers(rows, |row| row.bytes_received),
            dictionary(rows, |row| station(row).map(String::as_str)),
            seconds(rows, |row| row.demand),
            counts(rows, |row| row.replication),
            dictionary(rows, |row| population(row).map(String::as_str)),
            pages(rows),
            counts(rows, |row| row.rows),
        ];
        if self.labels.real {
            columns.push(seconds(rows, |row| row.server_time));
        }
        if self.labels.streamed {
            let gap = |row: &Row| row.event_gap().unwrap_or(Nanos::MAX);
            columns.push(seconds(rows, |row| row.first_event().unwrap_or(Nanos::MAX)));
            columns.push(seconds(rows, gap));
            columns.push(counts(rows, |row| row.events.count));
            columns.push(reported(rows, |row| row.reported_tokens().prompt));
            columns.push(reported(rows, |row| row.reported_tokens().output));
        }
        RecordBatch::try_new(self.schema(), columns).expect("columns match the schema above")
    }
}

fn schema(labels: &Labels) -> SchemaRef {
    let word = || DataType::Dictionary(Box::new(DataType::UInt16), Box::new(DataType::Utf8));
    let required = |name: &str, of: DataType| Field::new(name, of, false);
    let optional = |name: &str, of: DataType| Field::new(name, of, true);
    let mut fields = vec![
        required("session", DataType::UInt64),
        required("request", DataType::UInt32),
        optional("attempt", DataType::UInt32),
        optional("name", word()),
        optional("scheduled_ns", DataType::Int64),
        optional("sent_ns", DataType::Int64),
        optional("first_byte_ns", DataType::Int64),
        optional("done_ns", DataType::Int64),
        optional("status", DataType::UInt16),
        optional("error", word()),
        required("bytes_sent", DataType::UInt64),
        required("bytes_received", DataType::UInt64),
        optional("station", word()),
        optional("demand_s", DataType::Float64),
        required("replication", DataType::UInt32),
        optional("population", word()),
        optional("page", DataType::UInt32),
        required("rows", DataType::UInt32),
    ];
    if labels.real {
        fields.push(optional("server_time_s", DataType::Float64));
    }
    if labels.streamed {
        fields.push(optional("first_event_s", DataType::Float64));
        fields.push(optional("event_gap_s", DataType::Float64));
        fields.push(required("events", DataType::UInt32));
        fields.push(optional("prompt_tokens", DataType::UInt32));
        fields.push(optional("output_tokens", DataType::UInt32));
    }
    Arc::new(Schema::new(fields))
}

fn integers(rows: &[Row], value: impl Fn(&Row) -> u64) -> ArrayRef {
    let mut column = UInt64Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_value(value(row)));
    Arc::new(column.finish())
}

fn counts(rows: &[Row], value: impl Fn(&Row) -> u32) -> ArrayRef {
    let mut column = UInt32Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_value(value(row)));
    Arc::new(column.finish())
}

/// Numbers of which 0 is unknown.
fn reported(rows: &[Row], value: impl Fn(&Row) -> u32) -> ArrayRef {
    let mut column = UInt32Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_option(Some(value(row)).filter(|number| *number > 0)));
    Arc::new(column.finish())
}

/// The page of each row, if it belongs to one.
fn pages(rows: &[Row]) -> ArrayRef {
    let mut column = UInt32Builder::with_capacity(rows.len());
    for row in rows {
        column.append_option(Some(row.attempt.page).filter(|page| *page != NO_PAGE));
    }
    Arc::new(column.finish())
}

fn small(rows: &[Row], value: impl Fn(&Row) -> Option<u16>) -> ArrayRef {
    let mut column = UInt16Builder::with_capacity(rows.len());
    rows.iter().for_each(|row| column.append_option(value(row)));
    Arc::new(column.finish())
}

fn times(rows: &[Row], value: impl Fn(&Row) -> Nanos) -> ArrayRef {
    let mut column = Int64Builder::with_capacity(rows.len());
    for row in rows {
        column.append_option(i64::try_from(value(row).0).ok());
    }
    Arc::new(column.finish())
}

fn seconds(rows: &[Row], value: impl Fn(&Row) -> Nanos) -> ArrayRef {
    let mut column = Float64Builder::with_capacity(rows.len());
    for row in rows {
        let time = value(row);
        column.append_option((!time.is_never()).then(|| time.as_secs_f64()));
    }
    Arc::new(column.finish())
}

fn dictionary<'a>(rows: &'a [Row], value: impl Fn(&'a Row) -> Option<&'a str>) -> ArrayRef {
    let mut column = StringDictionaryBuilder::<UInt16Type>::new();
    rows.iter().for_each(|row| column.append_option(value(row)));
    Arc::new(column.finish())
}
