//! The visits of a workload's requests to the parts of a system, with their demands.

use std::collections::BTreeMap;

use super::demand::DemandLaw;
use super::ids::EntranceId;
use super::model::SystemModel;
use super::nodes::AnyNodeModel;
use super::pool::PoolModel;
use super::program::{Instruction, NO_DRAW, Program};
use super::station::StationModel;
use crate::workload::Workload;

/// Requests of one kind visit one part of a system.
#[derive(Clone, Debug)]
pub struct KindVisit<'a> {
    /// The place of the kind among the workload's requests.
    pub kind: usize,
    /// The name of the station, or of a machine's service; `None` of a delay.
    pub at: Option<&'a str>,
    /// The station; `None` at a machine, and of a delay.
    pub station: Option<&'a StationModel>,
    /// The pools of which a request has a place meanwhile.
    pub pools: Vec<&'a PoolModel>,
    /// The law of the demand, or of the length of the delay.
    pub law: DemandLaw,
}

impl SystemModel {
    /// The visits of all requests of a workload that bring a demand, and their delays.
    #[must_use]
    pub fn kind_visits(&self, workload: &Workload) -> Vec<KindVisit<'_>> {
        let program = self.program_for(workload);
        let mut stations = BTreeMap::new();
        for one in self.all_stations() {
            stations.entry(one.name.as_str()).or_insert(one);
        }
        let mut visits = Vec::new();
        for kind in 0..workload.requests.len() {
            visits.extend(self.draws(&program, kind).into_iter().filter_map(|(draw, pools)| {
                let (entrance, law) = program.draw_at(kind, draw)?;
                let at = entrance.map(|entrance| self.name_of(entrance));
                let station = at.and_then(|at| stations.get(at).copied());
                Some(KindVisit { kind, at, station, pools, law: law.clone() })
            }));
        }
        visits
    }

    /// The draws of a kind in the order of its steps, each with the pools that are kept meanwhile.
    fn draws(&self, program: &Program, kind: usize) -> Vec<(u32, Vec<&PoolModel>)> {
        let (mut all, mut kept) = (Vec::new(), Vec::<&PoolModel>::new());
        let pool = |node| match self.node(node) {
            AnyNodeModel::Pool(pool) => Some(pool),
            _ => None,
        };
        for instruction in &program.code[program.begins[kind] as usize..] {
            match *instruction {
                Instruction::Visit { node, draw, .. } => {
                    kept.extend(pool(node));
                    all.extend((draw != NO_DRAW).then(|| (draw, kept.clone())));
                }
                Instruction::Release { node, .. } => {
                    kept.retain(|one| pool(node).is_none_or(|released| released.name != one.name));
                }
                Instruction::Bring { draws: (first, number), .. } => {
                    all.extend((first..first + number).map(|draw| (draw, kept.clone())));
                }
                Instruction::Leave => break,
                _ => {}
            }
        }
        all
    }

    fn name_of(&self, entrance: EntranceId) -> &str {
        &self.entrance(entrance).name
    }
}
