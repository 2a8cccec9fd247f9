//! A cluster in motion.

use std::collections::VecDeque;

use thinktime_file::time::Nanos;

use super::change::Change;
use super::part::Part;
use super::server::{Notice, Server, ServerEvent};
use super::{ClusterModel, ClusterSummary};
use crate::heap::Heap;
use crate::policy::dispatch::{PolicyInput, Request, Switch};
use crate::random::{Purpose, Stream};
use crate::system::agenda::Agenda;
use crate::system::ids::{EntranceId, NodeId};
use crate::system::jobs::{Handle, Jobs};
use crate::system::node::{Answer, Build, Building, Detail, Node, NodeModel, NodeSummary, Visit};
use crate::system::station::{Left, Monitor};

/// The entry by which requests come into a cluster; the others are its stations or the services
/// of its machines, from 0.
pub(in crate::system) const GATE: u32 = u32::MAX;

/// A cluster: its servers' parts side by side, and the switch in front of them.
#[derive(Debug)]
pub(in crate::system) struct Cluster {
    pub(super) id: NodeId,
    pub(super) switch: Switch,
    /// Server by server, its stations or its machine.
    pub(super) parts: Vec<Part>,
    pub(super) per_server: usize,
    /// By part, its server.
    servers_of: Vec<u32>,
    /// The number of a server's entrances: its stations, or the services of its machine.
    pub(super) entry_names: usize,
    /// The machine that has acted, until the consequences have happened.
    acted: Option<usize>,
    pub(super) agenda: Agenda,
    /// By visitor.
    pub(super) guests: Vec<ClusterJob>,
    /// By visitor and entry, the demand that it brings there; [`Nanos::MAX`] for no visit.
    pub(super) demands: Vec<Nanos>,
    /// Requests that the policy lets wait, in order.
    pub(super) waiting: VecDeque<Handle>,
    pub(super) waiters: Monitor,
    /// Events that the switch has not seen yet, by the time when it does.
    pub(super) unseen: Heap<Notice>,
    pub(super) seen_after: Nanos,
    /// By kind of request, its class, and whether a cache may hold it.
    pub(super) kinds: Vec<Kind>,
    /// By station, whether only misses visit it.
    pub(super) on_miss: Vec<bool>,
    pub(super) servers: Vec<Server>,
    /// Whether the policy probes servers, and the probed servers.
    pub(super) probes: bool,
    pub(super) probed: Vec<usize>,
    /// The number of the first one's label (see `SystemModel::station_labels`).
    pub(super) first_label: u32,
    /// The events of servers, by time.
    pub(super) changes: VecDeque<Change>,
    /// The names of the parts with a load on each server, and of classes.
    pub(super) names: (Vec<String>, Vec<String>),
    /// The operating system of servers that are machines.
    pub(super) os: Option<String>,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Kind {
    /// Empty if the file leaves it out.
    pub(super) class: Option<u32>,
    pub(super) held: bool,
}

impl Kind {
    fn of(name: &str, model: &ClusterModel) -> Kind {
        let mut classes = model.classes.iter();
        let class = classes.position(|(_, names)| names.iter().any(|one| one == name));
        Kind { class: class.map(|class| class as u32), held: model.holds(name) }
    }
}

/// A request in the cluster.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct ClusterJob {
    pub(super) request: Request,
    pub(super) size: u64,
    pub(super) kind: u32,
    pub(super) server: usize,
    /// Its last entrance among its server's; `None` at the gate.
    pub(super) entry: Option<usize>,
    pub(super) hit: bool,
    /// The number that it found at the server.
    pub(super) found: u32,
    pub(super) since: Nanos,
}

impl Build for ClusterModel {
    type Node = Cluster;

    fn build(&self, id: NodeId, building: &Building<'_>) -> Cluster {
        Cluster::new(id, self, building)
    }
}

impl Cluster {
    fn new(id: NodeId, model: &ClusterModel, building: &Building<'_>) -> Cluster {
        let servers = model.setting.weights.len();
        let random = Stream::new(building.seed, model.number.into(), Purpose::Dispatch);
        let switch = Switch::new(&model.dispatch, &model.setting, random);
        let parts = Part::all(id, model, building);
        let classes: Vec<String> = model.classes.iter().map(|(class, _)| class.clone()).collect();
        let cache = |server| Some(model.cache.as_ref()?.build(building.seed, model.number, server));
        let probed = model.dispatch.entry().needs.contains(&PolicyInput::Probes);
        let server = |server| Server::new(classes.len(), cache(server), probed);
        let per_server = parts.len() / servers;
        let servers_of = (0..servers as u32).flat_map(|one| std::iter::repeat_n(one, per_server));
        Cluster {
            id,
            switch: switch.expect("the model has built the policy before"),
            agenda: Agenda::new(parts.len()),
            per_server,
            servers_of: servers_of.collect(),
            parts,
            entry_names: model.entry_names().len(),
            acted: None,
            guests: Vec::new(),
            demands: Vec::new(),
            waiting: VecDeque::new(),
            waiters: Monitor::new(1, 0),
            unseen: Heap::new(),
            seen_after: model.seen_after,
            kinds: building.kinds.iter().map(|name| Kind::of(name, model)).collect(),
            on_miss: model.stations.iter().map(|one| one.on_miss).collect(),
            servers: (0..servers).map(server).collect(),
            probes: probed,
            probed: Vec::new(),
            changes: model.changes.iter().copied().collect(),
            first_label: building.entrances.len() as u32 + model.labels_before,
            names: (model.measured(), classes),
            os: model.machine.as_ref().map(|machine| machine.os.clone()),
        }
    }

    /// The number of the part behind an entry of a server.
    fn number_of(&self, server: usize, entry: usize) -> usize {
        server * self.per_server + entry.min(self.per_server - 1)
    }

    /// The time of its server's clock for a part.
    #[inline(always)]
    fn own(&self, now: Nanos, number: usize) -> Nanos {
        self.servers[self.servers_of[number] as usize].clock.own(now)
    }

    /// A part may have another next event, or its server another speed.
    #[inline(always)]
    pub(super) fn touched(&mut self, at: usize) {
        let own = self.parts[at].next_event();
        let server = self.servers_of[at] as usize;
        self.agenda.set(NodeId(at as u32), self.servers[server].clock.at(own));
    }
}

impl Cluster {
    /// A visitor that kept a part of its server, a thread, releases it in this way.
    fn release_hold(
        &mut self,
        now: Nanos,
        entry: u32,
        handle: Handle,
        jobs: &mut Jobs,
        how: fn(&mut Part, Nanos, u32, Handle, &mut Jobs),
    ) {
        // A visitor that did not visit the service keeps no part of it.
        if jobs.keeps(handle, self.id, entry) {
            let number = self.number_of(self.guests[handle as usize].server, entry as usize);
            let own = self.own(now, number);
            how(&mut self.parts[number], own, entry, handle, jobs);
            self.touched(number);
        }
    }
}

impl Node for Box<Cluster> {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let handle = visit.handle;
        if visit.entry == GATE {
            return self.enter(now, handle, jobs);
        }
        let (at, entry) = (handle as usize, visit.entry as usize);
        let demand = self.demands[at * self.entry_names + entry];
        let guest = &mut self.guests[at];
        if demand.is_never() || (guest.hit && self.on_miss[entry]) {
            return Answer::GoesOn;
        }
        guest.entry = Some(entry);
        let number = self.number_of(self.guests[at].server, entry);
        let own = self.own(now, number);
        let answer = self.parts[number].arrive(own, Visit { demand, ..visit }, jobs);
        self.touched(number);
        answer
    }

    fn next_event(&self) -> Nanos {
        let seen = self.unseen.peek().map_or(Nanos::MAX, |(at, _)| Nanos(at));
        let change = self.changes.front().map_or(Nanos::MAX, |change| change.at);
        self.agenda.first().0.min(seen).min(change)
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        if let Some(change) = self.changes.front().copied().filter(|change| change.at <= now) {
            self.changes.pop_front();
            self.change(now, change, jobs);
            return None;
        }
        let (at, first) = self.agenda.first();
        if at > now {
            let (_, notice) = self.unseen.pop()?;
            self.hear(now, notice, jobs);
            return None;
        }
        let number = first.0 as usize;
        let own = self.own(now, number);
        let done = self.parts[number].advance(own, jobs);
        // A station is idle.
        self.acted = matches!(self.parts[number], Part::Machine(_)).then_some(number);
        self.touched(number);
        done
    }

    fn settle(&mut self, now: Nanos, jobs: &mut Jobs) -> bool {
        let Some(number) = self.acted.take() else { return false };
        let own = self.own(now, number);
        let changed = self.parts[number].settle(own, jobs);
        if changed {
            self.touched(number);
        }
        changed
    }

    /// A request leaves the cluster, or no longer needs a service of its server.
    fn release(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        if entry != GATE {
            return self.release_hold(now, entry, handle, jobs, Part::release);
        }
        jobs.release_hold(handle, self.id, entry);
        let ClusterJob { server, since, found, .. } = self.guests[handle as usize];
        let response = now.since(since);
        self.servers[server].end(found, response);
        self.notify(now, Notice { server, event: ServerEvent::Ended(response) }, jobs);
    }

    fn label(&self, handle: Handle, _: EntranceId) -> EntranceId {
        let ClusterJob { server, entry, .. } = self.guests[handle as usize];
        let number = |entry| (server * self.entry_names + entry) as u32;
        entry.map_or(EntranceId::NONE, |entry| EntranceId(self.first_label + number(entry)))
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        let ClusterJob { server, entry, .. } = self.guests[handle as usize];
        let Some(entry) = entry else {
            self.waiters.depart(now, || Left::NOTHING);
            return true;
        };
        let number = self.number_of(server, entry);
        let own = self.own(now, number);
        let stays = self.parts[number].withdraw(own, handle, jobs);
        self.touched(number);
        stays
    }

    fn abandon(&mut self, now: Nanos, entry: u32, handle: Handle, jobs: &mut Jobs) {
        match entry {
            GATE => self.release(now, entry, handle, jobs),
            _ => self.release_hold(now, entry, handle, jobs, Part::abandon),
        }
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.waiters.begin(now);
        let parts = self.parts.chunks_mut(self.per_server);
        self.servers.iter_mut().zip(parts).for_each(|(one, its)| one.begin_measuring(now, its));
    }

    fn summary(&self, now: Nanos, detail: Detail) -> Option<NodeSummary> {
        let servers = self.servers.iter().zip(self.parts.chunks(self.per_server));
        let server = |(server, its): (&Server, &[Part])| server.summary(now, its, detail);
        let (stations, classes) = self.names.clone();
        Some(NodeSummary::Cluster(ClusterSummary {
            servers: servers.map(server).collect(),
            stations,
            classes,
            os: self.os.clone(),
            waiting_mean: self.waiters.summary(now, detail).queue_length_mean,
        }))
    }
}
