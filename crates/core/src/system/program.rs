//! Behaviours as one plain list of instructions, for the kinds of request of a run.

use super::behaviour::{Behaviour, Step};
use super::cluster::GATE;
use super::delay::DelayModel;
use super::demand::DemandLaw;
use super::link::connections;
use super::model::SystemModel;
use super::node::{DoorId, Kept, NodeId};
use crate::file::Reuse;
use crate::request::Sizes;
use crate::time::Nanos;
use crate::workload::{Targets, Workload};

/// An instruction. Draws are numbered from 0 within each kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// Come to a node with the demand of a draw, if there is one, or with none under [`NO_DRAW`].
    /// By a door, or to wait or to take something.
    Visit { node: NodeId, entrance: u32, draw: u32, door: DoorId },
    /// Take the demands of draws along, of which the first and their number are given, for the
    /// entrances of the node that is entered next; and, where it looks at that, what is asked for
    /// and how large it is.
    Bring { draws: (u32, u32), content: bool },
    /// Take so many bytes along to the link that comes next, or [`OF_RESPONSE`].
    Carry { bytes: u32 },
    /// Let go of what was kept of a node.
    Release { node: NodeId, entrance: u32 },
    /// Go through parts at once: the instructions that follow, each beginning a part, say where;
    /// then go on at `after`.
    Fork { parts: u32, after: u32 },
    /// A part begins here.
    Part { begin: u32 },
    /// A part ends.
    Join,
    /// The request leaves.
    Leave,
}

/// A visit brings no demand.
pub(super) const NO_DRAW: u32 = u32::MAX;
/// As many bytes as the response has.
pub(super) const OF_RESPONSE: u32 = u32::MAX;

/// The behaviours of all kinds of request.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) code: Vec<Instruction>,
    /// Where each kind begins.
    pub(super) begins: Vec<u32>,
    /// By kind, what each of its draws is drawn from; none where it does not visit.
    pub(super) laws: Vec<Vec<Option<DemandLaw>>>,
    /// By kind, at which door each draw is a demand; none for a delay.
    doors: Vec<Vec<Option<DoorId>>>,
    /// By kind, the sizes of its responses, where they are known.
    pub(super) sizes: Vec<Option<Sizes>>,
    /// By kind, what its requests ask for; empty where that is not known.
    pub(super) targets: Vec<Targets>,
    /// By kind, which of its requests set up a connection; empty where that is not known.
    pub(super) connections: Vec<Reuse>,
    /// By kind, the first link over which it receives its response, whose size it so needs.
    pub(super) receives: Vec<Option<NodeId>>,
    /// Whether any request has parallel parts.
    pub(super) forks: bool,
    /// Whether it goes by doors where the system has no demand for the request.
    all_doors: bool,
}

impl Program {
    /// What requests named `kinds` do in the system, which draws their demands.
    #[must_use]
    pub fn new(system: &SystemModel, kinds: &[&str]) -> Program {
        Program::compiled(system, kinds, false)
    }

    /// The same for requests that may bring demands of their own, even where the system has none
    /// for them.
    #[must_use]
    pub fn of_carried_demands(system: &SystemModel, kinds: &[&str]) -> Program {
        Program::compiled(system, kinds, true)
    }

    /// The same where its kinds are those of this workload, which says what they ask for and which
    /// sizes responses have.
    #[must_use]
    pub(super) fn with_content(self, workload: &Workload) -> Program {
        let kinds = &workload.requests;
        Program {
            sizes: kinds.iter().map(|kind| kind.size.clone()).collect(),
            targets: kinds.iter().map(|kind| kind.targets(workload.seed)).collect(),
            connections: connections(workload),
            ..self
        }
    }

    fn compiled(system: &SystemModel, kinds: &[&str], all_doors: bool) -> Program {
        let (code, begins, laws, doors) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let sizes = vec![None; kinds.len()];
        let targets = Vec::new();
        let (connections, receives, forks) = (Vec::new(), Vec::new(), false);
        let mut program = Program {
            code,
            begins,
            laws,
            doors,
            sizes,
            targets,
            connections,
            receives,
            forks,
            all_doors,
        };
        for kind in kinds {
            program.begins.push(program.code.len() as u32);
            program.laws.push(Vec::new());
            program.doors.push(Vec::new());
            program.receives.push(None);
            match system.behaviour_of(kind) {
                Some(Behaviour { steps, .. }) => program.steps(system, kind, steps),
                None => program.all_visits(system, kind),
            }
            program.code.push(Instruction::Leave);
        }
        program
    }

    /// Without a behaviour, a request goes over all links, by all doors that have a demand for it,
    /// and back over the links; a door's draw has the door's number.
    fn all_visits(&mut self, system: &SystemModel, kind: &str) {
        let links: Vec<NodeId> = system.links().map(|(id, _)| id).collect();
        links.iter().for_each(|link| self.send(*link, None));
        self.visits_between(system, kind);
        links.iter().rev().for_each(|link| self.receive(*link, None));
    }

    fn visits_between(&mut self, system: &SystemModel, kind: &str) {
        let mut entered = None;
        for (door, _) in system.doors() {
            let (node, _) = system.behind(door);
            if system.is_entered(node) {
                if entered.replace(node) != Some(node) {
                    self.enter(system, kind, node);
                }
                continue;
            }
            let law = system.demand_at(door).and_then(|demand| demand.of(kind)).cloned();
            let visits = self.all_doors || law.is_some();
            let draw = self.draw(law, Some(door));
            if visits {
                self.visit(system, door, draw, true);
            }
        }
    }

    /// Comes into a node, by each of its doors that has a demand, and out again.
    fn enter(&mut self, system: &SystemModel, kind: &str, node: NodeId) {
        let first = self.laws.last().expect("a kind is being added").len() as u32;
        let doors: Vec<DoorId> =
            system.doors().filter(|(_, door)| door.node == node).map(|(id, _)| id).collect();
        let mut visits = self.all_doors;
        for door in &doors {
            let law = system.demand_at(*door).and_then(|demand| demand.of(kind)).cloned();
            visits |= law.is_some();
            // A request need not visit all stations of a server.
            let at = law.is_some().then_some(*door);
            self.draw(law, at);
        }
        if !visits {
            return;
        }
        let content = system.looks_at_content(node);
        let draws = (first, doors.len() as u32);
        self.code.push(Instruction::Bring { draws, content });
        self.come_to(node, GATE, NO_DRAW);
        for door in doors {
            self.visit(system, door, NO_DRAW, true);
        }
        self.code.push(Instruction::Release { node, entrance: GATE });
    }

    /// One visit; the last one to a door lets go of what is kept there.
    fn visit(&mut self, system: &SystemModel, door: DoorId, draw: u32, last: bool) {
        let (node, entrance) = system.behind(door);
        self.code.push(Instruction::Visit { node, entrance, draw, door });
        if last && system.kept_at(door) != Kept::Nothing {
            self.code.push(Instruction::Release { node, entrance });
        }
    }

    fn draw(&mut self, law: Option<DemandLaw>, door: Option<DoorId>) -> u32 {
        let laws = self.laws.last_mut().expect("a kind is being added");
        laws.push(law);
        self.doors.last_mut().expect("a kind is being added").push(door);
        laws.len() as u32 - 1
    }

    fn steps(&mut self, system: &SystemModel, kind: &str, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Use { door, demand } => {
                    let standing = || system.demand_at(*door)?.of(kind).cloned();
                    let draw = self.draw(demand.clone().or_else(standing), Some(*door));
                    let again =
                        |step: &Step| matches!(step, Step::Use { door: at, .. } if at == door);
                    self.visit(system, *door, draw, !steps[at + 1..].iter().any(again));
                }
                Step::Delay { node, length, disk } => {
                    let draw = self.draw(Some(DemandLaw::Drawn(length.clone())), None);
                    self.come_to(*node, DelayModel::entrance(*disk), draw);
                }
                Step::Enter(node) => self.enter(system, kind, *node),
                Step::Acquire(node) => self.come_to(*node, 0, NO_DRAW),
                Step::Release(node) => {
                    self.code.push(Instruction::Release { node: *node, entrance: 0 });
                }
                Step::Fork(parts) => self.fork(system, kind, parts),
                Step::Send(link, bytes) => self.send(*link, *bytes),
                Step::Receive(link, bytes) => self.receive(*link, *bytes),
            }
        }
    }

    /// A visit by no door.
    pub(super) fn come_to(&mut self, node: NodeId, entrance: u32, draw: u32) {
        self.code.push(Instruction::Visit { node, entrance, draw, door: DoorId::NONE });
    }

    fn fork(&mut self, system: &SystemModel, kind: &str, parts: &[Vec<Step>]) {
        self.forks = true;
        let at = self.code.len();
        let count = parts.len() as u32;
        self.code.push(Instruction::Fork { parts: count, after: 0 });
        self.code.extend(parts.iter().map(|_| Instruction::Part { begin: 0 }));
        for (part, steps) in parts.iter().enumerate() {
            self.code[at + 1 + part] = Instruction::Part { begin: self.code.len() as u32 };
            self.steps(system, kind, steps);
            self.code.push(Instruction::Join);
        }
        self.code[at] = Instruction::Fork { parts: count, after: self.code.len() as u32 };
    }

    /// The number of draws that a request of this kind makes.
    #[must_use]
    pub fn draws(&self, kind: usize) -> usize {
        self.laws[kind].len()
    }

    /// By door, the mean demand that a request of this kind brings, all its visits together, in
    /// seconds. There are `doors` of them.
    pub(super) fn mean_demands_s(&self, kind: usize, doors: usize) -> Vec<f64> {
        let mut means = vec![0.0; doors];
        for (door, law) in self.visits(kind) {
            means[door.0 as usize] += law.mean(self.sizes[kind].as_ref());
        }
        means
    }

    /// The mean demand of a kind's first visit by a door.
    pub(super) fn first_mean(&self, kind: usize, door: DoorId) -> Nanos {
        let first = self.visits(kind).find(|(at, _)| *at == door);
        let mean = |law: &DemandLaw| Nanos::from_secs_f64(law.mean(self.sizes[kind].as_ref()));
        first.map_or(Nanos::ZERO, |(_, law)| mean(law))
    }

    /// Whether requests of this kind take demands from a trace.
    pub(super) fn has_trace(&self, kind: usize) -> bool {
        self.laws[kind].iter().flatten().any(|law| matches!(law, DemandLaw::Trace(_)))
    }

    /// The first door at which requests of this kind have a demand by the size of the response.
    #[must_use]
    pub fn needs_size(&self, kind: usize) -> Option<DoorId> {
        self.visits(kind).find(|(_, law)| law.uses_size()).map(|(door, _)| door)
    }

    /// The first `use` of a kind that has no demand from anywhere.
    pub(super) fn lacks_demand(&self, kind: usize) -> Option<DoorId> {
        let mut draws = self.laws[kind].iter().zip(&self.doors[kind]);
        draws.find_map(|(law, door)| door.filter(|_| law.is_none()))
    }

    fn visits(&self, kind: usize) -> impl Iterator<Item = (DoorId, &DemandLaw)> {
        let draws = self.doors[kind].iter().zip(&self.laws[kind]);
        draws.filter_map(|(door, law)| Some(((*door)?, law.as_ref()?)))
    }
}
