//! Whether a system and a workload go together.

use super::model::SystemModel;
use super::{Demand, Program};
use crate::error::{Invalid, nearest};
use crate::workload::Workload;

impl SystemModel {
    /// Checks that the system can serve the workload: every request visits a station, every step
    /// has its demand, and every request that the system names exists.
    ///
    /// # Errors
    /// When a request has no demand, or the system names an unknown request.
    pub fn check_requests(&self, workload: &Workload) -> Result<(), Invalid> {
        let known: Vec<&str> = workload.requests.iter().map(|kind| kind.name.as_str()).collect();
        for (place, name) in self.named_requests() {
            if !known.contains(&name) {
                let hint = nearest(name, known.iter().copied())
                    .map_or(String::new(), |near| format!(" (did you mean `{near}`?)"));
                return Err(Invalid::new(format!(
                    "{place} `{name}`, but the workload has no request of that name{hint}"
                )));
            }
        }
        self.check_demands(workload, &known)
    }

    fn check_demands(&self, workload: &Workload, known: &[&str]) -> Result<(), Invalid> {
        let program = Program::new(self, known);
        let again = workload.requests.iter().position(|one| one.retry.same_demand);
        if let Some(kind) = again.filter(|kind| program.has_trace(*kind)) {
            return Err(Invalid::new(format!(
                "the request `{}` brings the same demand with every attempt, but a trace gives the \
                 next one each time it is asked: leave out `same_demand`, or the trace",
                known[kind]
            )));
        }
        for (kind, name) in known.iter().enumerate() {
            let places = 0..self.places();
            let demand: f64 = places.map(|at| program.mean_demand_s(kind, at)).sum();
            let declared = self.behaviour_of(name).is_some();
            match program.lacks_demand(kind).filter(|_| declared) {
                Some(at) => {
                    return Err(Invalid::new(format!(
                        "the behaviour of `{name}` uses `{}`, which has no demand for it: give the \
                     step a `demand`, or the station",
                        self.place_name(at)
                    )));
                }
                None if !declared && demand <= 0.0 && !self.visits_any(name) => {
                    return Err(Invalid::new(format!(
                        "nothing in the system has a demand for the request `{name}`: add \
                         demand.{name} = \"...\""
                    )));
                }
                None => {}
            }
        }
        Ok(())
    }

    fn visits_any(&self, request: &str) -> bool {
        (0..self.places()).any(|at| self.demand_at(at).is_some_and(|one| one.of(request).is_some()))
    }

    /// Every request name in the system, with where it stands.
    fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named = Vec::new();
        for station in &self.stations {
            if let Some(Demand::ByRequest(laws)) = &station.demand {
                let place = format!("station `{}` has a demand for", station.name);
                named.extend(laws.iter().map(|(name, _)| (place.clone(), name.as_str())));
            }
            let place = format!("station `{}` has a priority for", station.name);
            named.extend(station.classes.iter().map(|(name, _)| (place.clone(), name.as_str())));
        }
        for service in &self.services {
            if let Some(Demand::ByRequest(laws)) = &service.demand {
                let place = format!("service `{}` has a demand for", service.name);
                named.extend(laws.iter().map(|(name, _)| (place.clone(), name.as_str())));
            }
        }
        for request in self.behaviours.iter().filter_map(|one| one.request.as_deref()) {
            named.push(("there is a behaviour of".to_owned(), request));
        }
        named
    }
}
