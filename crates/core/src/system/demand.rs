//! Where service demands come from.

use super::{Job, SystemModel};
use crate::distribution::Distribution;
use crate::random::{Purpose, StreamFamily};
use crate::time::Nanos;
use crate::workload::Workload;

/// Says how much work a request brings to a station.
pub trait DemandSource {
    /// The service demand of the job at the station, or nothing if it does not visit it. Asked
    /// once a job and station.
    fn demand(&mut self, job: &Job, station: usize) -> Option<Nanos>;
}

/// Demands drawn from the system's distributions, each from the stream of (seed, session,
/// request, station): the same request brings the same work under every policy, simulated or
/// real.
#[derive(Clone, Debug)]
pub struct DrawnDemands {
    /// By station, then by kind of request.
    laws: Vec<Vec<Option<Distribution>>>,
    /// One family a station.
    families: Vec<StreamFamily>,
}

impl DrawnDemands {
    /// The demands that `workload`'s requests bring to `system`'s stations.
    #[must_use]
    pub fn new(system: &SystemModel, workload: &Workload, seed: u64) -> DrawnDemands {
        let kinds: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        DrawnDemands::by_names(system, &kinds, seed, Purpose::Demand)
    }

    /// The demands of requests named `kinds`, for another purpose.
    #[must_use]
    pub fn by_names(
        system: &SystemModel,
        kinds: &[&str],
        seed: u64,
        purpose: Purpose,
    ) -> DrawnDemands {
        let of_kind = |station: &super::StationModel| {
            kinds.iter().map(|name| station.demand.of(name).cloned()).collect()
        };
        let family = StreamFamily::new(seed, purpose);
        DrawnDemands {
            laws: system.stations.iter().map(of_kind).collect(),
            families: (0..system.stations.len() as u64).map(|at| family.member(at)).collect(),
        }
    }

    /// The demands of one request at all stations, in the order of the file.
    pub fn all(&mut self, job: &Job) -> Vec<Option<Nanos>> {
        (0..self.laws.len()).map(|station| self.demand(job, station)).collect()
    }
}

impl DemandSource for DrawnDemands {
    #[inline]
    fn demand(&mut self, job: &Job, station: usize) -> Option<Nanos> {
        let law = self.laws[station][job.kind as usize].as_ref()?;
        let mut stream = self.families[station].substream(job.session, job.serial);
        Some(law.sample_time(&mut stream))
    }
}
