//! A link in motion.

use thinktime_file::time::Nanos;
use thinktime_file::workload::Reuse;

use super::direction::LinkDirection;
use super::figures::{Counts, LinkSummary};
use super::model::LinkModel;
use super::transfer::{BACK, OUT, Outcome, Path, Transfer, TransferStart};
use crate::failure::CONNECT_TIMEOUT;
use crate::heap::Heap;
use crate::random::{Purpose, StreamFamily};
use crate::system::Job;
use crate::system::ids::NodeId;
use crate::system::jobs::{Handle, Jobs, Place};
use crate::system::machine::Cause;
use crate::system::node::{Answer, Build, Building, Detail, Node, NodeSummary, Visit};

/// All transfers over a link.
#[derive(Debug)]
pub(in crate::system) struct Link {
    id: NodeId,
    model: LinkModel,
    ways: [LinkDirection; 2],
    /// By kind of request, the requests that set up a connection.
    connections: Vec<Reuse>,
    /// By place, the transfers in progress; places are reused.
    transfers: Vec<Option<Transfer>>,
    free: Vec<u32>,
    /// The places, by the time at which their transfer acts next.
    due: Heap<u32>,
    draws: StreamFamily,
    counts: Counts,
    began: Nanos,
}

impl Build for LinkModel {
    type Node = Link;

    fn build(&self, id: NodeId, building: &Building<'_>) -> Link {
        Link::new(id, self, building)
    }
}

impl Link {
    /// The entry by which requests go to the server, and that by which responses come back.
    pub(in crate::system) const SEND: u32 = OUT as u32;
    pub(in crate::system) const RECEIVE: u32 = BACK as u32;

    fn new(id: NodeId, model: &LinkModel, building: &Building<'_>) -> Link {
        let kinds = 0..building.kinds.len();
        let of_kind = |kind| model.connections.unwrap_or(building.forecast.connections(kind));
        Link {
            id,
            model: model.clone(),
            ways: [LinkDirection::new(model.rate), LinkDirection::new(model.rate)],
            connections: kinds.map(of_kind).collect(),
            transfers: Vec::new(),
            free: Vec::new(),
            due: Heap::new(),
            draws: StreamFamily::new(building.seed, Purpose::Link).member(u64::from(id.0)),
            counts: Counts::default(),
            began: Nanos::ZERO,
        }
    }

    /// Whether a connection is set up for this attempt. If sessions have only one request, the
    /// first of a session is the only one.
    fn connects(&self, job: &Job) -> bool {
        match self.connections[job.kind as usize] {
            Reuse::KeepAlive => false,
            // The request's number in the session is the low half of its attempt's.
            Reuse::PerSession => job.serial as u32 == 0,
            Reuse::PerRequest => true,
        }
    }

    /// The outcome of a transfer's turn, and the number of segments that it has sent.
    fn act(&mut self, now: Nanos, place: u32) -> (Outcome, u64) {
        let Link { model, ways, counts, transfers, .. } = self;
        let before = counts.segments;
        let mut path = Path { link: model, ways, counts };
        let transfer = transfers[place as usize].as_mut().expect("who is due is under way");
        (transfer.act(now, &mut path), self.counts.segments - before)
    }

    fn take(&mut self, place: u32) {
        self.transfers[place as usize] = None;
        self.free.push(place);
    }
}

impl Node for Box<Link> {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let (handle, bytes) = (visit.handle, jobs.entry.size);
        let visitor = &mut jobs[handle];
        (visitor.place, visitor.waited_for) = (Place::Inside(self.id), Cause::Network);
        // Its time is not a service.
        visitor.demand = Nanos::ZERO;
        let (job, step) = (visitor.job, visitor.step);
        let connects = self.connects(&job);
        let way = visit.entry as usize;
        // Each visit of a request has draws of its own.
        let stream = self.draws.member(u64::from(step)).substream(job.session, job.serial);
        self.counts.transfers += 1;
        self.counts.bytes += bytes;
        self.counts.connections += u64::from(connects && way == OUT);
        let begin = TransferStart { handle, way, bytes, connects, stream };
        let transfer = Some(Transfer::new(begin, &self.model, now));
        let place = match self.free.pop() {
            Some(place) => {
                self.transfers[place as usize] = transfer;
                place
            }
            None => {
                self.transfers.push(transfer);
                self.transfers.len() as u32 - 1
            }
        };
        self.due.push(now.0, place);
        Answer::Stays
    }

    fn next_event(&self) -> Nanos {
        self.due.peek().map_or(Nanos::MAX, |(at, _)| Nanos(at))
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let (_, place) = self.due.pop()?;
        let handle = self.transfers[place as usize].as_ref()?.handle;
        if !jobs.still_waits(handle) {
            self.take(place);
            return None;
        }
        let (outcome, segments) = self.act(now, place);
        jobs.segments += segments;
        match outcome {
            Outcome::Next(at) => {
                self.due.push(at.0, place);
                None
            }
            Outcome::Done => {
                self.take(place);
                Some(handle)
            }
            Outcome::Failed => {
                self.take(place);
                jobs[handle].place = Place::Between;
                jobs.lost.push((handle, CONNECT_TIMEOUT));
                None
            }
        }
    }

    /// It stays until its next turn, as gone.
    fn withdraw(&mut self, _: Nanos, _: Handle, _: &mut Jobs) -> bool {
        true
    }

    fn begin_measuring(&mut self, now: Nanos) {
        (self.counts, self.began) = (Counts::default(), now);
        self.ways.iter_mut().for_each(LinkDirection::begin_measuring);
    }

    fn summary(&self, now: Nanos, _: Detail) -> Option<NodeSummary> {
        let duration_s = now.since(self.began).as_secs_f64();
        let load = |way: &LinkDirection| {
            let busy = way.busy()?.as_secs_f64();
            Some(if duration_s > 0.0 { (busy / duration_s).min(1.0) } else { 0.0 })
        };
        let loads = load(&self.ways[OUT]).zip(load(&self.ways[BACK])).map(|(a, b)| [a, b]);
        Some(NodeSummary::Link(LinkSummary { duration_s, counts: self.counts, loads }))
    }
}
