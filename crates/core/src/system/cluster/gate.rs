//! The entry of a cluster: its switch's choice of servers, and the events of servers that reach
//! the switch.

use thinktime_file::time::Nanos;

use super::node::{Cluster, ClusterJob, GATE};
use super::server::{Notice, ServerEvent};
use crate::failure::REFUSED;
use crate::policy::dispatch::{Placement, Request};
use crate::system::jobs::{Handle, Jobs, Place};
use crate::system::node::Answer;
use crate::system::station::Left;

impl Cluster {
    /// A request comes to the switch.
    pub(super) fn enter(&mut self, now: Nanos, handle: Handle, jobs: &mut Jobs) -> Answer {
        let at = handle as usize;
        if self.guests.len() <= at {
            self.guests.resize(at + 1, ClusterJob::default());
            self.demands.resize((at + 1) * self.entry_names, Nanos::MAX);
        }
        let (mut work, kind) = (Nanos::ZERO, jobs[handle].job.kind);
        let own = &mut self.demands[at * self.entry_names..][..self.entry_names];
        for (kept, demand) in own.iter_mut().zip(&jobs.entry.demands) {
            *kept = demand.unwrap_or(Nanos::MAX);
            work += demand.unwrap_or(Nanos::ZERO);
        }
        // A request without a class counts as one of the first; no count of classes includes it.
        let class = self.kinds[kind as usize].class.unwrap_or(0);
        let (target, size) = (jobs.entry.target, jobs.entry.size);
        let request = Request { class, target, work };
        self.guests[at] = ClusterJob { request, size, kind, since: now, ..ClusterJob::default() };
        let placement = self.place(now, handle, jobs);
        if self.probes {
            self.probe(now, jobs);
        }
        match placement {
            Placement::Server(_) => Answer::GoesOn,
            Placement::Nowhere => Answer::Refused,
            Placement::Waits => {
                jobs[handle].place = Place::Waiting(self.id);
                self.waiters.arrive(now, Nanos::ZERO, || 0);
                self.waiting.push_back(handle);
                Answer::Stays
            }
        }
    }

    /// Probes servers. The answers are for later requests.
    fn probe(&mut self, now: Nanos, jobs: &mut Jobs) {
        let mut wanted = std::mem::take(&mut self.probed);
        self.switch.probes(now, &mut wanted);
        for server in wanted.drain(..) {
            if let Some(answer) = self.servers[server].answer() {
                self.notify(now, Notice { server, event: ServerEvent::Probed(answer) }, jobs);
            }
        }
        self.probed = wanted;
    }

    /// News reaches the switch: now, or later.
    pub(super) fn notify(&mut self, now: Nanos, notice: Notice, jobs: &mut Jobs) {
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
        let failed = self.servers[server].failed;
        let (kind, target) = (self.kinds[guest.kind as usize], guest.request.target);
        let at = &mut self.servers[server];
        (guest.server, guest.found) = (server, at.begin(kind.class));
        if failed {
            // The switch does not know of it yet, and learns of the refusal no sooner.
            at.end(guest.found, Nanos::ZERO);
            self.notify(now, Notice { server, event: ServerEvent::Ended(Nanos::ZERO) }, jobs);
            return Placement::Nowhere;
        }
        guest.hit = kind.held && at.holds(now, target, guest.size);
        jobs.keep(handle, self.id, GATE);
        placement
    }

    /// News reaches the switch. Waiting requests may then continue.
    pub(super) fn hear(&mut self, now: Nanos, Notice { server, event }: Notice, jobs: &mut Jobs) {
        match event {
            ServerEvent::Ended(response) => self.switch.ended(now, server, response),
            ServerEvent::Probed(answer) => return self.switch.probed(now, server, answer),
            ServerEvent::Open(open) => self.switch.set_open(now, server, open),
        }
        while let Some(next) = self.waiting.front().copied() {
            if jobs[next].gone {
                self.waiting.pop_front();
                jobs.still_waits(next);
                continue;
            }
            let placement = self.place(now, next, jobs);
            if placement == Placement::Waits {
                return;
            }
            self.waiting.pop_front();
            self.waiters.depart(now, || Left::NOTHING);
            jobs[next].place = Place::Between;
            match placement {
                Placement::Nowhere => jobs.lost.push((next, REFUSED)),
                _ => jobs.ready.push(next),
            }
        }
    }
}
