//! Whether a system and a workload fit together.

use thinktime_file::error::{Invalid, nearest};
use thinktime_file::schema::Source;
use thinktime_file::system::DemandValue;

use super::ids::{EntranceId, NodeId};
use super::model::SystemModel;
use crate::request::RequestKind;
use crate::workload::Workload;

/// The number of names that a message lists.
const NAMES_MAX: usize = 12;

/// The first names, as in `a`, `b`.
fn listed(names: &[&str]) -> String {
    let first = names.iter().take(NAMES_MAX).map(|name| format!("`{name}`"));
    let more = (names.len() > NAMES_MAX).then(|| "...".to_owned());
    first.chain(more).collect::<Vec<_>>().join(", ")
}

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
                let remedy = match nearest(name, known.iter().copied()) {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("its requests are {}", listed(&known)),
                };
                return Err(Invalid::new(format!(
                    "{place} `{name}`, but the workload has no request of that name: {remedy}"
                )));
            }
        }
        for cluster in self.clusters() {
            cluster.check_requests(workload)?;
        }
        self.check_demands(workload, &known)
    }

    fn check_demands(&self, workload: &Workload, known: &[&str]) -> Result<(), Invalid> {
        let program = self.program_for(workload);
        let again = workload.requests.iter().position(|one| one.retry.same_demand);
        if let Some(kind) = again.filter(|kind| program.has_trace(*kind)) {
            return Err(Invalid::new(format!(
                "the request `{}` brings the same demand with every attempt, but a trace gives \
                 each attempt a new one: leave out `same_demand`, or the trace",
                known[kind]
            )));
        }
        for (kind, name) in known.iter().enumerate() {
            self.check_size(&workload.requests[kind], program.needs_size(kind))?;
            self.check_received(&workload.requests[kind], program.receives_over(kind))?;
            self.check_tokens(name, program.lacks_tokens(kind))?;
            let demand: f64 = program.mean_visits_s(kind).map(|(_, mean)| mean).sum();
            let declared = self.behaviour_of(name).is_some();
            match program.lacks_demand(kind).filter(|_| declared) {
                Some(at) => {
                    return Err(Invalid::new(format!(
                        "the behaviour of `{name}` uses `{}`, which has no demand for it: give the \
                     step a `demand`, or the station",
                        self.entrances[at.0 as usize].name
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

    /// A request that needs its size, at this entrance, has one.
    fn check_size(&self, request: &RequestKind, needed: Option<EntranceId>) -> Result<(), Invalid> {
        match (needed, &request.size) {
            (Some(entrance), None) => {
                let (entrance, name) = (&self.entrances[entrance.0 as usize].name, &request.name);
                let error = Invalid::new(format!(
                    "the demand of `{name}` at `{entrance}` depends on the size of its response, \
                     but the request `{name}` of the workload has no `size`, as in size = \"20kB\"",
                ));
                Err(self.at_demand(entrance, name, error))
            }
            _ => Ok(()),
        }
    }

    /// An error about the demand that an entrance has for a request, with file, line and key if it
    /// is in a file's table of the entrance.
    fn at_demand(&self, entrance: &str, request: &str, error: Invalid) -> Invalid {
        let (file, text) = (&*self.origin.0, &*self.origin.1);
        let used = self.file.used().find(|(_, _, name)| *name == entrance);
        let key = used.and_then(|(table, at, _)| {
            let demand = match table {
                "station" => self.file.station[at].demand.as_ref(),
                "service" => self.file.service[at].demand.as_ref(),
                _ => None,
            }?;
            Some(match demand {
                DemandValue::All(_) => format!("{table}.{at}.demand"),
                DemandValue::ByRequest(_) => format!("{table}.{at}.demand.{request}"),
            })
        });
        match key.filter(|_| !file.is_empty()) {
            Some(key) => Invalid::new(Source { file, text }.error(&key, &error).to_string()),
            None => error,
        }
    }

    /// A request that needs tokens, at this entrance, has them.
    fn check_tokens(&self, request: &str, lacking: Option<EntranceId>) -> Result<(), Invalid> {
        let Some(entrance) = lacking else { return Ok(()) };
        Err(Invalid::new(format!(
            "the request `{request}` goes to `{0}`, a server of tokens, but has no `tokens` in the \
             workload, as in tokens = {{ prompt = 500, output = \"geometric(200)\" }}; to leave \
             `{0}` out, give the request a [[behaviour]]",
            self.entrances[entrance.0 as usize].name
        )))
    }

    /// A request that receives its response over a link has a size.
    fn check_received(&self, request: &RequestKind, link: Option<NodeId>) -> Result<(), Invalid> {
        match (link, &request.size) {
            (Some(link), None) => Err(Invalid::new(format!(
                "the response to `{0}` comes over the link `{1}`, but the request `{0}` of the \
                 workload has no `size`, as in size = \"20kB\"",
                request.name,
                self.nodes[link.0 as usize].name()
            ))),
            _ => Ok(()),
        }
    }

    fn visits_any(&self, request: &str) -> bool {
        let visits =
            |entrance| self.demand_at(entrance).is_some_and(|one| one.of(request).is_some());
        self.entrances().any(|(entrance, _)| visits(entrance))
    }

    /// Every request name in the system, with its place.
    #[must_use]
    pub fn named_requests(&self) -> Vec<(String, &str)> {
        let mut named: Vec<(String, &str)> =
            self.nodes.iter().flat_map(|node| node.model().named_requests()).collect();
        for request in self.behaviours.iter().filter_map(|one| one.request.as_deref()) {
            named.push(("there is a behaviour of".to_owned(), request));
        }
        named
    }
}
