//! The effects of changes on a cluster in motion.

use thinktime_file::time::Nanos;

use super::change::{Change, Condition, Effect};
use super::node::{Cluster, GATE};
use super::server::{Notice, ServerEvent};
use crate::failure::RESET;
use crate::system::jobs::Jobs;

impl Cluster {
    /// The joint state of all of its servers.
    pub(in crate::system) fn condition(&self) -> Condition {
        match self.servers.iter().all(|one| one.failed) {
            true => Condition::Failed,
            false if self.switch.any_open() => Condition::Well,
            false => Condition::Drained,
        }
    }

    /// Applies the change that is due to a server.
    pub(super) fn change(&mut self, now: Nanos, change: Change, jobs: &mut Jobs) {
        let server = change.server;
        match change.does {
            Effect::Slows(speed) => return self.set_speed(now, server, speed),
            Effect::Recovers => {
                self.servers[server].failed = false;
                self.set_speed(now, server, 1.0);
            }
            Effect::Fails => {
                self.servers[server].fail();
                self.give_up(server, jobs);
            }
            Effect::Drains => {}
        }
        let event = ServerEvent::Open(change.does == Effect::Recovers);
        self.notify(now, Notice { server, event }, jobs);
    }

    /// All requests at a server are lost.
    fn give_up(&self, server: usize, jobs: &mut Jobs) {
        let there = |handle: &u32| {
            jobs.keeps(*handle, self.id, GATE) && self.guests[*handle as usize].server == server
        };
        let lost: Vec<u32> = (0..self.guests.len() as u32).filter(there).collect();
        jobs.lost.extend(lost.into_iter().map(|handle| (handle, RESET)));
    }

    fn set_speed(&mut self, now: Nanos, server: usize, speed: f64) {
        let numbers = server * self.per_server..(server + 1) * self.per_server;
        self.servers[server].set_speed(now, speed, &mut self.parts[numbers.clone()]);
        numbers.for_each(|number| self.touched(number));
    }
}
