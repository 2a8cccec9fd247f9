//! The uses that requests of a kind make of a system's parts, one after another, in the mean.

use thinktime_file::workload::Cancel;

use super::cluster::{ClusterModel, GATE};
use super::ids::{EntranceId, NodeId};
use super::jobs::Holding;
use super::limiter::LimiterModel;
use super::machine::{MachineModel, Threads};
use super::model::SystemModel;
use super::nodes::AnyNodeModel;
use super::program::{Instruction, NO_DRAW, OF_RESPONSE, Program};
use super::station::StationModel;
use crate::policy::scheduling::Ties;
use crate::request::Sizes;
use crate::workload::Workload;

/// One use of a part of a system.
#[derive(Clone, Copy, Debug)]
pub(super) struct Use {
    pub(super) node: NodeId,
    pub(super) entry: u32,
    pub(super) of: Amount,
    /// Whether each request makes it, however many there are: none is turned away before, and each
    /// waits as long as it takes.
    pub(super) certain: bool,
}

/// The mean of what is used.
#[derive(Clone, Copy, Debug)]
pub(super) enum Amount {
    /// Of a station or a service, by an entrance: the demand in seconds.
    Demand(EntranceId, f64),
    /// Of a pool or of a service's threads: the least time in seconds that a place is kept, which
    /// no wait within it makes longer. Of a limiter: the time between two requests.
    Kept(f64),
    /// Of a link, in one direction: the bytes without headers.
    Bytes(f64),
}

impl SystemModel {
    /// The uses that requests of a kind make, in the order of their steps; parallel parts one after
    /// another.
    pub(super) fn uses(&self, program: &Program, workload: &Workload, kind: usize) -> Vec<Use> {
        let request = &workload.requests[kind];
        let turned_away = workload.population_of(kind as u32).clients.turn_away();
        let given_up = request.is_impatient() || request.hedge.is_some();
        let leaves = |cancel| given_up && request.cancel == cancel;
        let certain = !turned_away && !leaves(Cancel::Always);
        let mut walk = Walk {
            system: self,
            program,
            kind,
            leaves_queues: leaves(Cancel::Queued),
            brought: 0,
            bytes: 0,
            uses: Vec::new(),
        };
        let mut course = Course { time_s: 0.0, certain, kept: Vec::new() };
        walk.steps(program.begins[kind] as usize, &mut course);
        walk.uses
    }
}

/// A walk through the program of one kind of request.
struct Walk<'a> {
    system: &'a SystemModel,
    program: &'a Program,
    kind: usize,
    /// Whether a request leaves the queue that it waits in, once its client has given it up.
    leaves_queues: bool,
    /// The first of the draws that are carried to the node that is entered next.
    brought: u32,
    /// The bytes that are carried to the next link.
    bytes: u32,
    uses: Vec<Use>,
}

/// A request, or a part of one, on its way.
struct Course {
    /// The least mean time since its beginning.
    time_s: f64,
    certain: bool,
    /// The places that it keeps, each with the time at which it got it.
    kept: Vec<(Holding, f64)>,
}

impl Walk<'_> {
    fn steps(&mut self, mut at: usize, course: &mut Course) {
        loop {
            let instruction = self.program.code[at];
            at += 1;
            match instruction {
                Instruction::Visit { node, entry, draw, entrance } => {
                    self.visit((node, entry, entrance), draw, course);
                }
                Instruction::Bring { draws, .. } => self.brought = draws.0,
                Instruction::Tokens => {}
                Instruction::Carry { bytes } => self.bytes = bytes,
                Instruction::Release { node, entry } => {
                    self.release(Holding { node, entry }, course);
                }
                Instruction::Fork { parts, after } => {
                    self.fork(at, parts as usize, course);
                    at = after as usize;
                }
                Instruction::Part { .. } => unreachable!("parts begin where the fork says"),
                Instruction::Join | Instruction::Leave => {
                    let kept = course.kept.clone();
                    return kept.into_iter().for_each(|(what, _)| self.release(what, course));
                }
            }
        }
    }

    /// All parts begin at once, and the whole continues after the longest.
    fn fork(&mut self, at: usize, parts: usize, course: &mut Course) {
        let (first, begin_s) = (self.uses.len(), course.time_s);
        for part in &self.program.code[at..at + parts] {
            let Instruction::Part { begin } = *part else {
                unreachable!("a fork is followed by its parts")
            };
            let mut own = Course { time_s: begin_s, certain: course.certain, kept: Vec::new() };
            self.steps(begin as usize, &mut own);
            course.time_s = course.time_s.max(own.time_s);
            course.certain &= own.certain;
        }
        // A part that is turned away takes the others with it.
        let certain = course.certain;
        self.uses[first..].iter_mut().for_each(|one| one.certain &= certain);
    }

    fn visit(
        &mut self,
        (node, entry, entrance): (NodeId, u32, EntranceId),
        draw: u32,
        course: &mut Course,
    ) {
        let (system, at) = (self.system, Holding { node, entry });
        match system.node(node) {
            AnyNodeModel::Delay(_) => course.time_s += self.mean_s(draw).unwrap_or(0.0),
            AnyNodeModel::Pool(pool) => {
                course.certain &= pool.queue_limit == u64::MAX && !self.leaves_queues;
                course.kept.push((at, course.time_s));
            }
            AnyNodeModel::Limiter(limiter) => self.pass(limiter, at, course),
            AnyNodeModel::Link(_) => {
                let sizes = self.program.sizes[self.kind].as_ref();
                let bytes = match self.bytes {
                    OF_RESPONSE => sizes.map_or(0.0, Sizes::mean),
                    bytes => bytes.into(),
                };
                self.add(at, Amount::Bytes(bytes), course.certain);
            }
            AnyNodeModel::Cluster(cluster) if entry == GATE => {
                course.certain &= !self.leaves_queues && !cluster.may_close();
            }
            AnyNodeModel::Cluster(cluster) => {
                self.serve_in(cluster, (at, entrance), self.brought + entry, course);
            }
            AnyNodeModel::Station(station) => {
                self.serve_at(station, (at, entrance), draw, course);
            }
            AnyNodeModel::Machine(machine) => {
                self.serve_on(machine, (at, entrance), draw, course);
            }
            AnyNodeModel::TokenServer(server) => {
                course.certain &= server.steps.memory.is_none() && !self.leaves_queues;
                self.demand((at, entrance), draw, course);
            }
        }
    }

    fn pass(&mut self, limiter: &LimiterModel, at: Holding, course: &mut Course) {
        course.certain &= limiter.lets_all_pass() && !self.leaves_queues;
        self.add(at, Amount::Kept(limiter.period.as_secs_f64()), course.certain);
    }

    /// A visit within a server of a cluster.
    fn serve_in(
        &mut self,
        cluster: &ClusterModel,
        at: (Holding, EntranceId),
        draw: u32,
        course: &mut Course,
    ) {
        match (&cluster.machine, cluster.stations.get(at.0.entry as usize)) {
            (Some(machine), _) => self.serve_on(machine, at, draw, course),
            // Its visits depend on the contents of the caches.
            (None, Some(one)) if one.on_miss => course.certain &= self.lasts(&one.model),
            (None, Some(one)) => self.serve_at(&one.model, at, draw, course),
            (None, None) => {}
        }
    }

    /// Whether each request stays at a station until it is served.
    fn lasts(&self, station: &StationModel) -> bool {
        let leaves = self.leaves_queues && station.discipline.ties != Ties::Share;
        station.is_unlimited() && !leaves
    }

    fn serve_at(
        &mut self,
        station: &StationModel,
        at: (Holding, EntranceId),
        draw: u32,
        course: &mut Course,
    ) {
        course.certain &= self.lasts(station);
        self.demand(at, draw, course);
    }

    /// A burst of a service, whose thread is kept up to its last use.
    fn serve_on(
        &mut self,
        machine: &MachineModel,
        (at, entrance): (Holding, EntranceId),
        draw: u32,
        course: &mut Course,
    ) {
        let service = &machine.services[at.entry as usize];
        let leaves = self.leaves_queues && service.threads != Threads::PerRequest;
        course.certain &= service.queue_limit == u64::MAX && !leaves;
        if matches!(service.threads, Threads::Pool(_))
            && !course.kept.iter().any(|(kept, _)| *kept == at)
        {
            course.kept.push((at, course.time_s));
        }
        self.demand((at, entrance), draw, course);
    }

    fn demand(&mut self, (at, entrance): (Holding, EntranceId), draw: u32, course: &mut Course) {
        if let Some(mean_s) = self.mean_s(draw) {
            self.add(at, Amount::Demand(entrance, mean_s), course.certain);
            course.time_s += mean_s;
        }
    }

    /// The mean of a draw; `None` without a draw.
    fn mean_s(&self, draw: u32) -> Option<f64> {
        if draw == NO_DRAW {
            return None;
        }
        let law = self.program.laws[self.kind][draw as usize].as_ref()?;
        Some(law.mean(self.program.sizes[self.kind].as_ref()))
    }

    fn release(&mut self, what: Holding, course: &mut Course) {
        if let Some(at) = course.kept.iter().position(|(kept, _)| *kept == what) {
            let (_, since_s) = course.kept.remove(at);
            self.add(what, Amount::Kept(course.time_s - since_s), course.certain);
        }
    }

    fn add(&mut self, Holding { node, entry }: Holding, of: Amount, certain: bool) {
        self.uses.push(Use { node, entry, of, certain });
    }
}
