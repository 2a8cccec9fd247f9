//! A pool: places (threads, connections) that requests take and give back.

use std::collections::VecDeque;

use thinktime_file::schema::SchemaError;
use thinktime_file::system::PoolTable;
use thinktime_file::time::Nanos;

use super::ids::NodeId;
use super::jobs::{Handle, Jobs, Place};
use super::machine::Cause;
use super::node::{Answer, Build, Building, Detail, Node, NodeModel, NodeSummary, Visit};
use super::read::{ReadResult, Reading, at_least_one, named};
use super::station::{Left, Monitor};

/// A pool, checked.
#[derive(Clone, Debug)]
pub struct PoolModel {
    /// Its name.
    pub name: String,
    /// The number of places, at least 1.
    pub size: u32,
    /// The largest number of requests that wait for a place.
    pub queue_limit: u64,
}

/// A pool in motion; a visitor that finds no place waits, first come, first served.
#[derive(Debug)]
pub(super) struct Pool {
    id: NodeId,
    free: u64,
    waiting: VecDeque<Handle>,
    /// The waiting visitors that have not gone.
    waiting_count: u64,
    queue_limit: u64,
    monitor: Monitor,
}

/// A pool has one entrance.
const ENTRANCE: u32 = 0;

impl PoolModel {
    fn from_table(table: &PoolTable) -> ReadResult<PoolModel> {
        Ok(PoolModel {
            name: named(&table.name)?,
            size: at_least_one("size", table.size)?,
            queue_limit: table.queue_limit.map_or(u64::MAX, u64::from),
        })
    }
}

impl NodeModel for PoolModel {
    fn read(reading: &Reading<'_>) -> Result<Vec<PoolModel>, SchemaError> {
        let name = |one: &PoolModel| one.name.clone();
        reading.all("pool", &reading.file.pool, PoolModel::from_table, name)
    }

    fn name(&self) -> &str {
        &self.name
    }

    fn is_acquired(&self) -> bool {
        true
    }

    /// Only behaviours take places.
    fn is_plain(&self) -> bool {
        true
    }
}

impl Build for PoolModel {
    type Node = Pool;

    fn build(&self, id: NodeId, building: &Building<'_>) -> Pool {
        Pool {
            id,
            free: self.size.into(),
            waiting: VecDeque::new(),
            waiting_count: 0,
            queue_limit: self.queue_limit,
            monitor: Monitor::new(self.size, building.kinds.len()),
        }
    }
}

impl Node for Pool {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let handle = visit.handle;
        if self.free == 0 && self.waiting_count >= self.queue_limit {
            return Answer::Refused;
        }
        self.monitor.arrive(now, Nanos::ZERO, || jobs[handle].job.kind);
        jobs[handle].entered = now;
        if self.free > 0 {
            self.free -= 1;
            jobs.keep(handle, self.id, ENTRANCE);
            return Answer::GoesOn;
        }
        let job = &mut jobs[handle];
        (job.place, job.waited_for) = (Place::Waiting(self.id), Cause::Event);
        self.waiting.push_back(handle);
        self.waiting_count += 1;
        Answer::Stays
    }

    /// Gives a place back: the first one in line gets it.
    fn release(&mut self, now: Nanos, _: u32, handle: Handle, jobs: &mut Jobs) {
        self.monitor.depart(now, || Left { kind: jobs[handle].job.kind, served: Nanos::ZERO });
        jobs.release_hold(handle, self.id, ENTRANCE);
        while let Some(next) = self.waiting.pop_front() {
            if jobs.still_waits(next) {
                self.waiting_count -= 1;
                jobs[next].place = Place::Between;
                jobs.keep(next, self.id, ENTRANCE);
                return jobs.ready.push(next);
            }
        }
        self.free += 1;
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        self.monitor.depart(now, || Left { kind: jobs[handle].job.kind, served: Nanos::ZERO });
        self.waiting_count -= 1;
        true
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.monitor.begin(now);
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        Some(NodeSummary::Pool(self.monitor.summary(now, detail)))
    }
}
