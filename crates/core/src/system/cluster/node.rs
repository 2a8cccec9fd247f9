//! A cluster in motion.

use std::collections::VecDeque;

use super::cache::Cache;
use super::server::{News, Notice, Server};
use super::{ClusterModel, ClusterSummary};
use crate::heap::Heap;
use crate::policy::dispatch::{Placement, Request, Switch};
use crate::random::{Purpose, Stream};
use crate::system::agenda::Agenda;
use crate::system::jobs::{Handle, Jobs, Place};
use crate::system::node::{Answer, Building, DoorId, Node, NodeId, NodeModel, NodeSummary, Visit};
use crate::system::station::{Monitor, Station};
use crate::time::Nanos;

/// The entrance by which requests come into a cluster; the others are its stations, from 0.
pub(in crate::system) const GATE: u32 = u32::MAX;

/// A cluster: its servers' stations side by side, and the switch in front of them.
#[derive(Debug)]
pub(in crate::system) struct Cluster {
    id: NodeId,
    switch: Switch,
    /// Server by server, its stations.
    stations: Vec<Station>,
    per_server: usize,
    agenda: Agenda,
    /// By visitor.
    guests: Vec<Guest>,
    /// By visitor and station, the demand that it brings there; [`Nanos::MAX`] for no visit.
    demands: Vec<Nanos>,
    /// Requests that the policy lets wait, the first first.
    waiting: VecDeque<Handle>,
    waiters: Monitor,
    /// What the switch has not seen yet, by the time when it does.
    unseen: Heap<Notice>,
    seen_after: Nanos,
    /// By kind of request, its class, and whether a cache may hold it.
    kinds: Vec<Kind>,
    /// By station, whether only misses visit it.
    on_miss: Vec<bool>,
    servers: Vec<Server>,
    probed: Vec<usize>,
    /// The number of the first one's label (see `SystemModel::station_labels`).
    first_label: u32,
    /// The names of stations, and of classes.
    names: (Vec<String>, Vec<String>),
}

#[derive(Clone, Copy, Debug)]
struct Kind {
    /// None of the cluster's, where the file leaves it out.
    class: Option<u32>,
    held: bool,
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
struct Guest {
    request: Request,
    size: u64,
    kind: u32,
    server: usize,
    /// Where it is among its server's stations; none at the gate.
    station: Option<usize>,
    hit: bool,
    /// How many it found at the server.
    found: u32,
    since: Nanos,
}

impl Cluster {
    pub(super) fn new(id: NodeId, model: &ClusterModel, building: &Building<'_>) -> Cluster {
        let (servers, model_number) = (model.setting.weights.len(), model.number + 1);
        let random = Stream::new(building.seed, model.number.into(), Purpose::Dispatch);
        let switch = Switch::new(&model.dispatch, &model.setting, random);
        let per_server = model.stations.len();
        let one = |at: usize| {
            let entrance = (at % per_server) as u32;
            let model = &model.stations[at % per_server].model;
            model.station((id, entrance), (u64::from(model_number) << 32) + at as u64, building)
        };
        let stations: Vec<Station> = (0..servers * per_server).map(one).collect();
        let classes: Vec<String> = model.classes.iter().map(|(class, _)| class.clone()).collect();
        let cache = model.cache.as_ref().map(|cache| Cache::new(cache.replacement, cache.bytes));
        let server = Server::new(classes.len(), cache);
        Cluster {
            id,
            switch: switch.expect("the model has built the policy before"),
            agenda: Agenda::new(stations.len()),
            stations,
            per_server,
            guests: Vec::new(),
            demands: Vec::new(),
            waiting: VecDeque::new(),
            waiters: Monitor::new(1),
            unseen: Heap::new(),
            seen_after: model.seen_after,
            kinds: building.kinds.iter().map(|name| Kind::of(name, model)).collect(),
            on_miss: model.stations.iter().map(|one| one.on_miss).collect(),
            servers: vec![server; servers],
            probed: Vec::new(),
            first_label: building.doors.len() as u32 + model.labels_before,
            names: (model.entrances().into_iter().map(str::to_owned).collect(), classes),
        }
    }

    /// A request comes to the switch.
    fn enter(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Answer {
        let at = handle as usize;
        if self.guests.len() <= at {
            self.guests.resize(at + 1, Guest::default());
            self.demands.resize((at + 1) * self.per_server, Nanos::MAX);
        }
        let (mut work, kind) = (Nanos::ZERO, jobs[handle].job.kind);
        let own = &mut self.demands[at * self.per_server..][..self.per_server];
        for (kept, demand) in own.iter_mut().zip(&jobs.brought.demands) {
            *kept = demand.unwrap_or(Nanos::MAX);
            work += demand.unwrap_or(Nanos::ZERO);
        }
        // What is in no class is with the first; no count of classes has it.
        let class = self.kinds[kind as usize].class.unwrap_or(0);
        let (target, size) = (jobs.brought.target, jobs.brought.size);
        let request = Request { class, target, work };
        self.guests[at] = Guest { request, size, kind, since: now, ..Guest::default() };
        let placement = self.place(now, handle, jobs);
        self.probe(now, jobs);
        match placement {
            Placement::Server(_) => Answer::GoesOn,
            Placement::Nowhere => Answer::Refused,
            Placement::Waits => {
                jobs[handle].place = Place::Waiting(self.id);
                self.waiters.arrive(now, Nanos::ZERO);
                self.waiting.push_back(handle);
                Answer::Stays
            }
        }
    }

    /// Asks servers how they are. What they answer is of use to later requests.
    fn probe(&mut self, now: Nanos, jobs: &mut Jobs) {
        let mut wanted = std::mem::take(&mut self.probed);
        self.switch.probes(now, &mut wanted);
        for server in wanted.drain(..) {
            let news = News::Probed(self.servers[server].answer());
            self.tell(now, Notice { server, news }, jobs);
        }
        self.probed = wanted;
    }

    /// The switch hears of something: now, or later.
    fn tell(&mut self, now: Nanos, notice: Notice, jobs: &mut Jobs) {
        match self.seen_after {
            Nanos::ZERO => self.hear(now, notice, jobs),
            later => self.unseen.push((now + later).0, notice),
        }
    }

    /// Sends a request to a server, if the policy has one for it.
    fn place(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Placement {
        let guest = &mut self.guests[handle as usize];
        let placement = self.switch.place(now, &guest.request);
        let Placement::Server(server) = placement else { return placement };
        let (kind, target) = (self.kinds[guest.kind as usize], guest.request.target);
        let at = &mut self.servers[server];
        (guest.server, guest.found) = (server, at.begin(kind.class));
        guest.hit = kind.held && at.holds(target, guest.size);
        jobs.keep(handle, self.id, GATE);
        placement
    }

    /// The switch hears of something. Where a request has ended, who waits may go on.
    fn hear(&mut self, now: Nanos, Notice { server, news }: Notice, jobs: &mut Jobs) {
        match news {
            News::Ended(response) => self.switch.ended(now, server, response),
            News::Probed(answer) => return self.switch.probed(now, server, answer),
        }
        while let Some(next) = self.waiting.front().copied() {
            if jobs[next].gone {
                self.waiting.pop_front();
                jobs.still_waits(next);
                continue;
            }
            if self.place(now, next, jobs) == Placement::Waits {
                return;
            }
            self.waiting.pop_front();
            self.waiters.depart(now);
            jobs[next].place = Place::Between;
            jobs.ready.push(next);
        }
    }

    fn number_of(&self, server: usize, station: usize) -> usize {
        server * self.per_server + station
    }

    fn touched(&mut self, at: usize) {
        self.agenda.set(NodeId(at as u32), self.stations[at].next_event());
    }
}

impl Node for Box<Cluster> {
    fn arrive(&mut self, now: Nanos, visit: Visit, jobs: &mut Jobs) -> Answer {
        let handle = visit.handle;
        if visit.entrance == GATE {
            return self.enter(now, handle, jobs);
        }
        let (at, station) = (handle as usize, visit.entrance as usize);
        let demand = self.demands[at * self.per_server + station];
        let guest = &mut self.guests[at];
        if demand.is_never() || (guest.hit && self.on_miss[station]) {
            return Answer::GoesOn;
        }
        guest.station = Some(station);
        let number = self.number_of(self.guests[at].server, station);
        let visit = Visit { handle, entrance: 0, demand };
        let answer = self.stations[number].arrive(now, visit, jobs);
        self.touched(number);
        answer
    }

    fn next_event(&self) -> Nanos {
        let seen = self.unseen.peek().map_or(Nanos::MAX, |(at, _)| Nanos(at));
        self.agenda.first().0.min(seen)
    }

    fn advance(&mut self, now: Nanos, jobs: &mut Jobs) -> Option<Handle> {
        let (at, first) = self.agenda.first();
        if at > now {
            let (_, notice) = self.unseen.pop()?;
            self.hear(now, notice, jobs);
            return None;
        }
        let number = first.0 as usize;
        let done = self.stations[number].advance(now, jobs);
        self.touched(number);
        done
    }

    /// A request leaves the cluster.
    fn release(&mut self, now: Nanos, entrance: u32, handle: Handle, jobs: &mut Jobs) {
        jobs.let_go(handle, self.id, entrance);
        let Guest { server, since, found, .. } = self.guests[handle as usize];
        let response = now.since(since);
        self.servers[server].end(found, response);
        self.tell(now, Notice { server, news: News::Ended(response) }, jobs);
    }

    fn label(&self, handle: Handle, _: DoorId) -> DoorId {
        let Guest { server, station, .. } = self.guests[handle as usize];
        let number = |station| self.number_of(server, station) as u32;
        station.map_or(DoorId::NONE, |station| DoorId(self.first_label + number(station)))
    }

    fn withdraw(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> bool {
        let Guest { server, station, .. } = self.guests[handle as usize];
        let Some(station) = station else {
            self.waiters.depart(now);
            return true;
        };
        let number = self.number_of(server, station);
        let stays = self.stations[number].withdraw(now, handle, jobs);
        self.touched(number);
        stays
    }

    fn begin_measuring(&mut self, now: Nanos) {
        self.stations.iter_mut().for_each(|one| one.begin_measuring(now));
        self.waiters.begin(now);
        self.servers.iter_mut().for_each(Server::begin_measuring);
    }

    fn summary(&self, now: Nanos) -> Option<NodeSummary> {
        let server = |(server, stations): (&Server, &[Station])| {
            server.summary(stations.iter().map(|one| one.monitor().summary(now)).collect())
        };
        let servers = self.servers.iter().zip(self.stations.chunks(self.per_server));
        let (stations, classes) = self.names.clone();
        Some(NodeSummary::Cluster(ClusterSummary {
            servers: servers.map(server).collect(),
            stations,
            classes,
            waiting_mean: self.waiters.summary(now).queue_length_mean,
        }))
    }
}
