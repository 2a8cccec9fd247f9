//! The table of everything in progress in a system: requests, and the parallel parts of requests.

use std::collections::BTreeMap;
use std::ops::{Index, IndexMut};

use thinktime_file::time::Nanos;

use super::Job;
use super::ids::NodeId;
use super::machine::Cause;
use crate::attempt::{EventTimes, TokenCounts};

/// Names a visitor in the table; reused after the visitor has left.
pub(super) type Handle = u32;

/// No visitor.
pub(super) const NOBODY: Handle = Handle::MAX;

/// A request in the system, or a parallel part of one.
#[derive(Clone, Copy, Debug)]
pub(super) struct Visitor {
    pub(super) job: Job,
    /// The next step of its behaviour.
    pub(super) step: u32,
    pub(super) place: Place,
    /// It has left. If it was in a waiting line, whatever takes it from there releases it.
    pub(super) gone: bool,
    /// The request of which this is a part, or [`NOBODY`].
    pub(super) parent: Handle,
    /// Parallel parts that have not joined yet.
    pub(super) parts: u32,
    /// The demands of the steps that it has gone through.
    pub(super) served: Nanos,
    /// When it came to its place.
    pub(super) entered: Nanos,
    /// The demand that it brought to its node.
    pub(super) demand: Nanos,
    /// The rest of it; kept up to date while it is not in service.
    pub(super) remaining: Nanos,
    /// Its rank at its station, if the rank does not change.
    pub(super) rank: u64,
    /// Breaks ties of rank: the smaller one goes first.
    pub(super) order: u64,
    /// Its number among the station's arrivals.
    pub(super) arrival: u64,
    /// The level that it has sunk to.
    pub(super) level: u32,
    /// The event that it waited for since it was last on a machine.
    pub(super) waited_for: Cause,
    /// The rest of its turn, if turns are limited.
    pub(super) turn_left: Nanos,
}

impl Visitor {
    const EMPTY: Visitor = Visitor {
        job: Job { token: 0, session: 0, serial: 0, kind: 0 },
        step: 0,
        place: Place::Between,
        gone: false,
        parent: NOBODY,
        parts: 0,
        served: Nanos::ZERO,
        entered: Nanos::ZERO,
        demand: Nanos::ZERO,
        remaining: Nanos::ZERO,
        rank: 0,
        order: 0,
        arrival: 0,
        level: 0,
        waited_for: Cause::Network,
        turn_left: Nanos::MAX,
    };
}

/// The place of a visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Place {
    /// Between two steps, or at rest until its parts have joined.
    Between,
    /// In a node's waiting line, or waiting for a thread.
    Waiting(NodeId),
    /// In service at a station: when it leaves, the next one in line has its server.
    Service(NodeId),
    /// At a node, and in no line: on a thread, or in a delay.
    Inside(NodeId),
}

/// The part of a node that a visitor keeps: a place of a pool, a thread of a service.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Holding {
    pub(super) node: NodeId,
    pub(super) entry: u32,
}

/// The properties of a request that enters a node (see [`super::node::NodeModel::is_entered`]).
#[derive(Debug, Default)]
pub(super) struct EntryProperties {
    /// By entry, its demand there, if it goes there.
    pub(super) demands: Vec<Option<Nanos>>,
    /// A number of its target, and the size of its response; 0 if they are not known.
    pub(super) target: u64,
    pub(super) size: u64,
    /// Its tokens; 0 if they are not known.
    pub(super) tokens: TokenCounts,
}

/// All visitors.
#[derive(Debug, Default)]
pub(super) struct Jobs {
    visitors: Vec<Visitor>,
    free: Vec<Handle>,
    /// By visitor, the parts that it keeps.
    kept: Vec<Vec<Holding>>,
    /// The visitors that are to continue with their next step.
    pub(super) ready: Vec<Handle>,
    /// The visitors that a node has given up since the system last looked, each with the word for
    /// the reason.
    pub(super) lost: Vec<(Handle, &'static str)>,
    /// The properties of the request that enters a node now.
    pub(super) entry: EntryProperties,
    /// The segments that links have sent since the driver's last call.
    pub(super) segments: u64,
    /// By the driver's name, the requests that were given a token since its last call; `None` until
    /// it has called.
    pub(super) given: Option<Vec<u64>>,
    /// By request in progress, the tokens that it has been given.
    events: BTreeMap<(u64, u64, u64), EventTimes>,
}

impl Jobs {
    /// A new visitor that begins at `step`.
    #[inline(always)]
    pub(super) fn add(&mut self, job: Job, step: u32, parent: Handle) -> Handle {
        let handle = self.add_to_node(job);
        let visitor = &mut self[handle];
        visitor.step = step;
        visitor.place = Place::Between;
        visitor.parent = parent;
        visitor.served = Nanos::ZERO;
        handle
    }

    /// A new visitor that goes directly to a node, and nowhere else. It has no steps to go through,
    /// if all visitors are such.
    #[inline(always)]
    pub(super) fn add_to_node(&mut self, job: Job) -> Handle {
        let handle = self.free.pop().unwrap_or_else(|| {
            self.visitors.push(Visitor::EMPTY);
            Handle::try_from(self.visitors.len() - 1).expect("fewer than 2^32 visitors")
        });
        // Written field by field: a whole visitor, or job, would be made elsewhere and copied.
        let visitor = &mut self[handle];
        let Job { token, session, serial, kind } = job;
        (visitor.job.token, visitor.job.session) = (token, session);
        (visitor.job.serial, visitor.job.kind) = (serial, kind);
        visitor.gone = false;
        handle
    }

    /// The visitor has left, and is in no waiting line.
    #[inline]
    pub(super) fn remove(&mut self, handle: Handle) {
        self.visitors[handle as usize].gone = true;
        if let Some(kept) = self.kept.get_mut(handle as usize) {
            kept.clear();
        }
        self.free.push(handle);
    }

    /// Whether the visitor at the head of a waiting line is still present; one that has gone is
    /// released.
    #[inline]
    pub(super) fn still_waits(&mut self, handle: Handle) -> bool {
        let gone = self[handle].gone;
        if gone {
            self.remove(handle);
        }
        !gone
    }

    /// The requests that are present.
    pub(super) fn requests(&self) -> impl Iterator<Item = &Job> {
        let here = self.visitors.iter().filter(|one| !one.gone && one.parent == NOBODY);
        here.map(|one| &one.job)
    }

    /// The visitors that are present.
    pub(super) fn present(&self) -> Vec<Handle> {
        let all = self.visitors.iter().zip(0..);
        all.filter(|(one, _)| !one.gone).map(|(_, handle)| handle).collect()
    }

    /// The visitor keeps a part of a node from now on, if it did not before.
    pub(super) fn keep(&mut self, handle: Handle, node: NodeId, entry: u32) {
        let (at, keeping) = (handle as usize, Holding { node, entry });
        if self.kept.len() <= at {
            self.kept.resize_with(at + 1, Vec::new);
        }
        if !self.kept[at].contains(&keeping) {
            self.kept[at].push(keeping);
        }
    }

    /// Whether the visitor is present and keeps this.
    pub(super) fn keeps(&self, handle: Handle, node: NodeId, entry: u32) -> bool {
        let kept = self.kept.get(handle as usize);
        kept.is_some_and(|kept| kept.contains(&Holding { node, entry }))
    }

    /// It does not keep it any more.
    pub(super) fn release_hold(&mut self, handle: Handle, node: NodeId, entry: u32) {
        if let Some(kept) = self.kept.get_mut(handle as usize) {
            kept.retain(|one| *one != Holding { node, entry });
        }
    }

    /// All parts that a visitor keeps, in the order of the nodes.
    pub(super) fn held_by(&self, handle: Handle) -> Vec<Holding> {
        let mut kept = self.kept.get(handle as usize).cloned().unwrap_or_default();
        kept.sort_unstable();
        kept
    }

    /// A visitor has been given tokens at these times.
    pub(super) fn note_events(&mut self, handle: Handle, given: EventTimes) {
        let all = self.events.entry(named(&self[handle].job)).or_default();
        *all = EventTimes {
            count: all.count.saturating_add(given.count),
            first: all.first.min(given.first),
            last: if all.count > 0 { all.last.max(given.last) } else { given.last },
            tokens: TokenCounts {
                prompt: all.tokens.prompt.max(given.tokens.prompt),
                output: all.tokens.output.saturating_add(given.tokens.output),
            },
        };
    }

    /// The tokens that a request has been given, which leaves.
    #[inline(always)]
    pub(super) fn take_events(&mut self, job: &Job) -> EventTimes {
        if self.events.is_empty() {
            return EventTimes::NONE;
        }
        // A request that was at no server of tokens has none.
        self.events.remove(&named(job)).unwrap_or_default()
    }

    /// The parallel parts of a request.
    pub(super) fn parts_of(&self, request: Handle) -> Vec<Handle> {
        let all = self.visitors.iter().zip(0..);
        let parts = all.filter(|(one, _)| one.parent == request && !one.gone);
        parts.map(|(_, handle)| handle).collect()
    }
}

/// A request by what no other in progress has.
fn named(job: &Job) -> (u64, u64, u64) {
    (job.token, job.session, job.serial)
}

impl Index<Handle> for Jobs {
    type Output = Visitor;
    #[inline]
    fn index(&self, handle: Handle) -> &Visitor {
        &self.visitors[handle as usize]
    }
}

impl IndexMut<Handle> for Jobs {
    #[inline]
    fn index_mut(&mut self, handle: Handle) -> &mut Visitor {
        &mut self.visitors[handle as usize]
    }
}
