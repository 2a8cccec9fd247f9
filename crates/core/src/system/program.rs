//! Behaviours as one plain list of instructions, for the kinds of request of a run.

use super::behaviour::{Behaviour, Step};
use super::demand::DemandLaw;
use super::machine::Cause;
use super::model::SystemModel;
use crate::time::Nanos;

/// An instruction. Draws are numbered from 0 within each kind of request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Instruction {
    /// Be served at a station, if there is a demand.
    Use { station: u32, draw: u32 },
    /// Run on a machine, if there is a demand.
    Serve { service: u32, draw: u32 },
    /// The service is not used any more.
    Finish { service: u32 },
    /// Wait for a drawn time, for a timer or a disk.
    Delay { draw: u32, cause: Cause },
    /// Take a place of a pool.
    Acquire { pool: u32 },
    /// Give it back.
    Release { pool: u32 },
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

/// The behaviours of all kinds of request.
#[derive(Clone, Debug)]
pub struct Program {
    pub(super) code: Vec<Instruction>,
    /// Where each kind begins.
    pub(super) begins: Vec<u32>,
    /// By kind, what each of its draws is drawn from; none where it does not visit.
    pub(super) laws: Vec<Vec<Option<DemandLaw>>>,
    /// By kind, where each draw is a demand: a station, or a service after all stations; none for a
    /// delay.
    places: Vec<Vec<Option<usize>>>,
    /// Whether any request has parallel parts.
    pub(super) forks: bool,
}

impl Program {
    /// What requests named `kinds` do in the system.
    #[must_use]
    pub fn new(system: &SystemModel, kinds: &[&str]) -> Program {
        let mut program = Program {
            code: Vec::new(),
            begins: Vec::new(),
            laws: Vec::new(),
            places: Vec::new(),
            forks: false,
        };
        for kind in kinds {
            program.begins.push(program.code.len() as u32);
            program.laws.push(Vec::new());
            program.places.push(Vec::new());
            match system.behaviour_of(kind) {
                Some(Behaviour { steps, .. }) => program.steps(system, kind, steps),
                None => program.all_stations(system, kind),
            }
            program.code.push(Instruction::Leave);
        }
        program
    }

    /// Without a behaviour, a request visits the stations that have a demand for it in the order
    /// of the file, and then the services; a place's draw has the place's number.
    fn all_stations(&mut self, system: &SystemModel, kind: &str) {
        for place in 0..system.places() {
            let law = system.demand_at(place).and_then(|demand| demand.of(kind)).cloned();
            let draw = self.draw(law, Some(place));
            self.visit(system, place, draw, true);
        }
    }

    /// One visit; the last one to a service gives its thread back.
    fn visit(&mut self, system: &SystemModel, place: usize, draw: u32, last: bool) {
        let Some(service) = place.checked_sub(system.stations.len()) else {
            return self.code.push(Instruction::Use { station: place as u32, draw });
        };
        let service = service as u32;
        self.code.push(Instruction::Serve { service, draw });
        if last {
            self.code.push(Instruction::Finish { service });
        }
    }

    fn draw(&mut self, law: Option<DemandLaw>, place: Option<usize>) -> u32 {
        let laws = self.laws.last_mut().expect("a kind is being added");
        laws.push(law);
        self.places.last_mut().expect("a kind is being added").push(place);
        laws.len() as u32 - 1
    }

    fn steps(&mut self, system: &SystemModel, kind: &str, steps: &[Step]) {
        for (at, step) in steps.iter().enumerate() {
            let instruction = match step {
                Step::Use { place, demand } => {
                    let own = demand.clone().map(DemandLaw::Drawn);
                    let standing = || system.demand_at(*place)?.of(kind).cloned();
                    let draw = self.draw(own.or_else(standing), Some(*place));
                    let again =
                        |step: &Step| matches!(step, Step::Use { place: at, .. } if at == place);
                    self.visit(system, *place, draw, !steps[at + 1..].iter().any(again));
                    continue;
                }
                Step::Delay { length, disk } => {
                    let law = DemandLaw::Drawn(length.clone());
                    let cause = if *disk { Cause::Disk } else { Cause::Timer };
                    Instruction::Delay { draw: self.draw(Some(law), None), cause }
                }
                Step::Acquire(pool) => Instruction::Acquire { pool: *pool as u32 },
                Step::Release(pool) => Instruction::Release { pool: *pool as u32 },
                Step::Fork(parts) => {
                    self.fork(system, kind, parts);
                    continue;
                }
            };
            self.code.push(instruction);
        }
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

    /// The mean demand that a request of this kind brings to a place, all its visits together, in
    /// seconds. Places are the stations and then the services.
    #[must_use]
    pub fn mean_demand_s(&self, kind: usize, place: usize) -> f64 {
        self.visits(kind, place).map(DemandLaw::mean).sum()
    }

    /// The mean demand of a kind's first visit to a station.
    pub(super) fn first_mean(&self, kind: usize, station: usize) -> Nanos {
        self.visits(kind, station)
            .next()
            .map_or(Nanos::ZERO, |law| Nanos::from_secs_f64(law.mean()))
    }

    /// Whether requests of this kind take demands from a trace.
    pub(super) fn has_trace(&self, kind: usize) -> bool {
        self.laws[kind].iter().flatten().any(|law| matches!(law, DemandLaw::Trace(_)))
    }

    /// The name of the first `use` of a kind that has no demand from anywhere.
    pub(super) fn lacks_demand(&self, kind: usize) -> Option<usize> {
        let mut visits = self.laws[kind].iter().zip(&self.places[kind]);
        visits.find(|(law, _)| law.is_none()).and_then(|(_, place)| *place)
    }

    fn visits(&self, kind: usize, place: usize) -> impl Iterator<Item = &DemandLaw> {
        let visits = self.laws[kind].iter().zip(&self.places[kind]);
        visits.filter(move |(_, at)| **at == Some(place)).filter_map(|(law, _)| law.as_ref())
    }
}
