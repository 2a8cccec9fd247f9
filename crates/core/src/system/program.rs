//! Behaviours as one plain list of instructions, for the kinds of request of a run.

use thinktime_file::time::Nanos;
use thinktime_file::workload::Reuse;

use super::behaviour::{Behaviour, Step};
use super::cluster::GATE;
use super::delay::DelayModel;
use super::demand::DemandLaw;
use super::ids::{EntranceId, NodeId};
use super::model::SystemModel;
use super::node::{Forecast, HoldKind};
use crate::request::{Sizes, Tokens};
use crate::workload::Targets;

/// An instruction. Draws are numbered from 0 within each kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// Come to a node with the demand of a draw, or with no demand under [`NO_DRAW`]: by an
    /// entrance, or to wait or take a place.
    Visit { node: NodeId, entry: u32, draw: u32, entrance: EntranceId },
    /// Carry the demands of draws (their first and their number) for the entrances of the node that
    /// is entered next. If the node needs them, carry the request's target and size too.
    Bring { draws: (u32, u32), content: bool },
    /// Carry the request's tokens to the node that is visited next.
    Tokens,
    /// Carry this many bytes to the next link, or [`OF_RESPONSE`].
    Carry { bytes: u32 },
    /// Release the part kept of a node.
    Release { node: NodeId, entry: u32 },
    /// Go through parts at once: the instructions that follow give each part's beginning. Then
    /// continue at `after`.
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
    /// The beginning of each kind.
    pub(super) begins: Vec<u32>,
    /// By kind, the source of each of its draws; `None` if it does not visit.
    pub(super) laws: Vec<Vec<Option<DemandLaw>>>,
    /// By kind, the entrance at which each draw is a demand; `None` for a delay.
    entrances: Vec<Vec<Option<EntranceId>>>,
    /// By kind, the sizes of its responses, if they are known.
    pub(super) sizes: Vec<Option<Sizes>>,
    /// By kind, its tokens, if they are known; empty if none are.
    pub(super) tokens: Vec<Option<Tokens>>,
    /// By kind, the target of its requests; empty if it is not known.
    pub(super) targets: Vec<Targets>,
    /// By kind, which of its requests set up a connection; empty if that is not known.
    pub(super) connections: Vec<Reuse>,
    /// By kind, the first link over which it receives its response, and so needs the size of it.
    pub(super) receives: Vec<Option<NodeId>>,
    /// Whether any request has parallel parts.
    pub(super) forks: bool,
    /// Whether a request without a demand in the system goes by entrances.
    all_doors: bool,
}

impl Program {
    /// The behaviour of requests named `kinds` in a system that draws their demands.
    #[must_use]
    pub fn new(system: &SystemModel, kinds: &[&str]) -> Program {
        Program::compiled(system, kinds, false)
    }

    /// The same for requests that may bring demands of their own, even if the system has no demand
    /// for them.
    #[must_use]
    pub fn of_carried_demands(system: &SystemModel, kinds: &[&str]) -> Program {
        Program::compiled(system, kinds, true)
    }

    fn compiled(system: &SystemModel, kinds: &[&str], all_doors: bool) -> Program {
        let (code, begins, laws, entrances) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let sizes = vec![None; kinds.len()];
        let (tokens, targets) = (Vec::new(), Vec::new());
        let (connections, receives, forks) = (Vec::new(), Vec::new(), false);
        let mut program = Program {
            code,
            begins,
            laws,
            entrances,
            sizes,
            tokens,
            targets,
            connections,
            receives,
            forks,
            all_doors,
        };
        for kind in kinds {
            program.begins.push(program.code.len() as u32);
            program.laws.push(Vec::new());
            program.entrances.push(Vec::new());
            program.receives.push(None);
            match system.behaviour_of(kind) {
                Some(Behaviour { steps, .. }) => program.steps(system, kind, steps),
                None => program.all_visits(system, kind),
            }
            program.code.push(Instruction::Leave);
        }
        program
    }

    /// Without a behaviour, a request goes over all links and limiters, by all entrances that have
    /// a demand for it, and back over the links; an entrance's draw has the entrance's number.
    fn all_visits(&mut self, system: &SystemModel, kind: &str) {
        let links: Vec<NodeId> = system.links().map(|(id, _)| id).collect();
        links.iter().for_each(|link| self.send(*link, None));
        system.limiters().for_each(|limiter| self.come_to(limiter, 0, NO_DRAW));
        self.visits_between(system, kind);
        links.iter().rev().for_each(|link| self.receive(*link, None));
    }

    fn visits_between(&mut self, system: &SystemModel, kind: &str) {
        let mut entered = None;
        for (entrance, _) in system.entrances() {
            let (node, _) = system.behind(entrance);
            if system.is_entered(node) {
                if entered.replace(node) != Some(node) {
                    self.enter(system, kind, node);
                }
                continue;
            }
            let law = system.demand_at(entrance).and_then(|demand| demand.of(kind)).cloned();
            let visits = self.all_doors || law.is_some();
            let draw = self.draw(law, Some(entrance));
            if visits {
                self.visit(system, entrance, draw, true);
            }
        }
    }

    /// Enters a node, uses each of its entrances that has a demand, and leaves.
    fn enter(&mut self, system: &SystemModel, kind: &str, node: NodeId) {
        let first = self.laws.last().expect("a kind is being added").len() as u32;
        let entrances: Vec<EntranceId> = system
            .entrances()
            .filter(|(_, entrance)| entrance.node == node)
            .map(|(id, _)| id)
            .collect();
        let mut visits = self.all_doors;
        for entrance in &entrances {
            let law = system.demand_at(*entrance).and_then(|demand| demand.of(kind)).cloned();
            visits |= law.is_some();
            // A request need not visit all stations of a server.
            let at = law.is_some().then_some(*entrance);
            self.draw(law, at);
        }
        if !visits {
            return;
        }
        let content = system.looks_at_content(node);
        let draws = (first, entrances.len() as u32);
        self.code.push(Instruction::Bring { draws, content });
        self.come_to(node, GATE, NO_DRAW);
        for entrance in entrances {
            self.visit(system, entrance, NO_DRAW, true);
        }
        self.code.push(Instruction::Release { node, entry: GATE });
    }

    /// One visit; the last one to an entrance releases the part kept there.
    fn visit(&mut self, system: &SystemModel, entrance: EntranceId, draw: u32, last: bool) {
        let (node, entry) = system.behind(entrance);
        if system.node(node).model().looks_at_tokens() {
            self.code.push(Instruction::Tokens);
        }
        self.code.push(Instruction::Visit { node, entry, draw, entrance });
        if last && system.hold_kind_at(entrance) != HoldKind::Nothing {
            self.code.push(Instruction::Release { node, entry });
        }
    }

    fn draw(&mut self, law: Option<DemandLaw>, entrance: Option<EntranceId>) -> u32 {
        let laws = self.laws.last_mut().expect("a kind is being added");
        laws.push(law);
        self.entrances.last_mut().expect("a kind is being added").push(entrance);
        laws.len() as u32 - 1
    }

    fn steps(&mut self, system: &SystemModel, kind: &str, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            match step {
                Step::Use { entrance, demand } => {
                    let standing = || system.demand_at(*entrance)?.of(kind).cloned();
                    let draw = self.draw(demand.clone().or_else(standing), Some(*entrance));
                    let again = |step: &Step| match step {
                        Step::Use { entrance: at, .. } => at == entrance,
                        _ => false,
                    };
                    self.visit(system, *entrance, draw, !steps[at + 1..].iter().any(again));
                }
                Step::Delay { node, length, disk } => {
                    let draw = self.draw(Some(DemandLaw::Drawn(length.clone())), None);
                    self.come_to(*node, DelayModel::entry(*disk), draw);
                }
                Step::Enter(node) => self.enter(system, kind, *node),
                Step::Acquire(node) | Step::Pass(node) => self.come_to(*node, 0, NO_DRAW),
                Step::Release(node) => {
                    self.code.push(Instruction::Release { node: *node, entry: 0 });
                }
                Step::Fork(parts) => self.fork(system, kind, parts),
                Step::Send(link, bytes) => self.send(*link, *bytes),
                Step::Receive(link, bytes) => self.receive(*link, *bytes),
            }
        }
    }

    /// A visit by no entrance.
    pub(super) fn come_to(&mut self, node: NodeId, entry: u32, draw: u32) {
        self.code.push(Instruction::Visit { node, entry, draw, entrance: EntranceId::NONE });
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

    /// The entrance of each visit that requests of this kind make with a demand, and the mean of
    /// that demand in seconds.
    pub(super) fn mean_visits_s(&self, kind: usize) -> impl Iterator<Item = (EntranceId, f64)> {
        let size = self.sizes[kind].as_ref();
        self.visits(kind).map(move |(entrance, law)| (entrance, law.mean(size)))
    }

    /// Whether requests of this kind take demands from a trace.
    pub(super) fn has_trace(&self, kind: usize) -> bool {
        self.laws[kind].iter().flatten().any(|law| matches!(law, DemandLaw::Trace(_)))
    }

    /// The first entrance at which requests of this kind have a demand by the size of the response.
    #[must_use]
    pub fn needs_size(&self, kind: usize) -> Option<EntranceId> {
        self.visits(kind).find(|(_, law)| law.uses_size()).map(|(entrance, _)| entrance)
    }

    /// The first `use` of a kind that has no demand from any source.
    pub(super) fn lacks_demand(&self, kind: usize) -> Option<EntranceId> {
        let mut draws = self.laws[kind].iter().zip(&self.entrances[kind]);
        draws.find_map(|(law, entrance)| entrance.filter(|_| law.is_none()))
    }

    /// The entrance and the law of a draw; no entrance of a delay. `None` if it is left out.
    pub(super) fn draw_at(
        &self,
        kind: usize,
        draw: u32,
    ) -> Option<(Option<EntranceId>, &DemandLaw)> {
        let law = self.laws[kind][draw as usize].as_ref()?;
        Some((self.entrances[kind][draw as usize], law))
    }

    pub(super) fn visits(&self, kind: usize) -> impl Iterator<Item = (EntranceId, &DemandLaw)> {
        let draws = self.entrances[kind].iter().zip(&self.laws[kind]);
        draws.filter_map(|(entrance, law)| Some(((*entrance)?, law.as_ref()?)))
    }
}

impl Forecast for Program {
    fn first_mean(&self, kind: usize, entrance: EntranceId) -> Nanos {
        let first = self.visits(kind).find(|(at, _)| *at == entrance);
        let mean = |law: &DemandLaw| Nanos::from_secs_f64(law.mean(self.sizes[kind].as_ref()));
        first.map_or(Nanos::ZERO, |(_, law)| mean(law))
    }

    fn connections(&self, kind: usize) -> Reuse {
        // Only `program_for` fills the list: requests of no workload connect as by default.
        self.connections.get(kind).copied().unwrap_or_default()
    }
}
