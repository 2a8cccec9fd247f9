//! Replications merged into one result: in their order, each as soon as those before it are done.

use std::collections::BTreeMap;

use thinktime_core::error::Invalid;
use thinktime_core::record::{Rates, Row, RowSink, RunProgress};
use thinktime_core::statistics::Tally;

use crate::driver::Replication;
use crate::node_figures::Nodes;

/// Several replications as one.
#[derive(Clone)]
pub(crate) struct JoinedReplications {
    /// The first, into which the others are merged.
    pub(crate) all: Replication,
    /// The length of all measured times together.
    pub(crate) duration_s: f64,
    /// The response times of each; empty if there is only one replication.
    pub(crate) times: Vec<Tally>,
    /// Of each, by kind of request, the number of response times and their mean in seconds.
    pub(crate) by_kind: Vec<Vec<(u64, f64)>>,
    /// Of each, by population, the number of sessions and their mean length in seconds.
    pub(crate) sessions: Vec<Vec<(u64, f64)>>,
    /// The rates of each.
    pub(crate) rates: Vec<Rates>,
    /// The nodes' figures of each.
    pub(crate) nodes: Vec<Nodes>,
}

impl JoinedReplications {
    pub(crate) fn one(first: Replication) -> JoinedReplications {
        JoinedReplications {
            duration_s: first.window.duration_s(),
            all: first,
            times: Vec::new(),
            by_kind: Vec::new(),
            sessions: Vec::new(),
            rates: Vec::new(),
            nodes: Vec::new(),
        }
    }

    fn of_several(first: Replication) -> JoinedReplications {
        let mut joined = JoinedReplications::one(first.clone());
        joined.note(&first);
        joined
    }

    /// Notes the figures of one by itself.
    fn note(&mut self, one: &Replication) {
        self.times.push(one.collector.all_responses());
        self.by_kind.push(means(&one.collector.responses()));
        self.sessions.push(means(one.collector.session_times()));
        self.rates.push(one.collector.rates(one.window.duration_s()));
        self.nodes.push(one.measured.nodes.clone());
    }

    fn take(&mut self, other: &Replication) {
        self.note(other);
        self.all.collector.merge(&other.collector);
        self.all.measured.join(&other.measured);
        self.all.sessions += other.sessions;
        self.all.stuck = self.all.stuck.take().or_else(|| other.stuck.clone());
        self.duration_s += other.window.duration_s();
    }
}

fn means(of: &[Tally]) -> Vec<(u64, f64)> {
    of.iter().map(|one| (one.count(), one.mean_s().unwrap_or(0.0))).collect()
}

/// Takes finished replications in any order.
pub(crate) struct InOrder<'a> {
    sink: &'a mut (dyn RowSink + Send),
    next: u32,
    waiting: BTreeMap<u32, (Replication, Vec<Row>)>,
    joined: Option<JoinedReplications>,
}

impl<'a> InOrder<'a> {
    pub(crate) fn new(sink: &'a mut (dyn RowSink + Send)) -> InOrder<'a> {
        InOrder { sink, next: 0, waiting: BTreeMap::new(), joined: None }
    }

    /// A replication was done elsewhere, with this result; `figures` as below.
    ///
    /// # Errors
    /// When it is not a replication.
    pub(crate) fn take_bytes(
        &mut self,
        number: u32,
        bytes: &[u8],
        figures: impl Fn(JoinedReplications) -> RunProgress,
    ) -> Result<u64, Invalid> {
        let read: Result<(Replication, Vec<Row>), _> = postcard::from_bytes(bytes);
        let done = read.map_err(|error| {
            Invalid::new(format!("the result of replication {number} cannot be read: {error}"))
        })?;
        let requests = done.0.collector.requests();
        self.take(number, done, figures);
        Ok(requests)
    }

    /// Merges the replications that wait for a missing one, because no more will come.
    pub(crate) fn end(mut self) -> Option<JoinedReplications> {
        for (done, rows) in std::mem::take(&mut self.waiting).into_values() {
            self.join(done, &rows);
        }
        self.joined
    }

    fn join(&mut self, done: Replication, rows: &[Row]) {
        rows.iter().for_each(|row| self.sink.row(row));
        match &mut self.joined {
            Some(joined) => joined.take(&done),
            none => *none = Some(JoinedReplications::of_several(done)),
        }
    }

    /// A replication is done; `figures` makes figures of those so far.
    pub(crate) fn take(
        &mut self,
        number: u32,
        done: (Replication, Vec<Row>),
        figures: impl Fn(JoinedReplications) -> RunProgress,
    ) {
        self.waiting.insert(number, done);
        while let Some((done, rows)) = self.waiting.remove(&self.next) {
            self.next += 1;
            self.join(done, &rows);
        }
        if let Some(joined) = &self.joined {
            self.sink.look(&|| figures(joined.clone()));
        }
    }
}

/// Shows a sink the figures, but no rows.
pub(crate) struct NoRows<'a>(pub(crate) &'a mut dyn RowSink);

impl RowSink for NoRows<'_> {
    fn row(&mut self, _row: &Row) {}

    fn wants_rows(&self) -> bool {
        false
    }

    fn look(&mut self, so_far: &dyn Fn() -> RunProgress) {
        self.0.look(so_far);
    }
}
