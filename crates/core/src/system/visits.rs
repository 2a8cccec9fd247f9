//! The visits of a workload's requests to the parts of a system, with their demands.

use std::collections::BTreeMap;

use super::demand::DemandLaw;
use super::ids::EntranceId;
use super::model::SystemModel;
use super::station::StationModel;
use crate::workload::Workload;

/// Requests of one kind visit one part of a system.
#[derive(Clone, Debug)]
pub struct KindVisit<'a> {
    /// The place of the kind among the workload's requests.
    pub kind: usize,
    /// The name of the station, or of a machine's service.
    pub at: &'a str,
    /// The station; `None` at a machine.
    pub station: Option<&'a StationModel>,
    /// The law of the demand.
    pub law: DemandLaw,
}

impl SystemModel {
    /// The visits of all requests of a workload that bring a demand.
    #[must_use]
    pub fn kind_visits(&self, workload: &Workload) -> Vec<KindVisit<'_>> {
        let program = self.program_for(workload);
        let mut stations = BTreeMap::new();
        for one in self.all_stations() {
            stations.entry(one.name.as_str()).or_insert(one);
        }
        let mut visits = Vec::new();
        for kind in 0..workload.requests.len() {
            visits.extend(program.visits(kind).map(|(entrance, law)| {
                let at = self.name_of(entrance);
                KindVisit { kind, at, station: stations.get(at).copied(), law: law.clone() }
            }));
        }
        visits
    }

    fn name_of(&self, entrance: EntranceId) -> &str {
        &self.entrance(entrance).name
    }
}
