//! Service demands on the wire.

use thinktime_core::attempt::Attempt;
use thinktime_core::attempt::TokenCounts;
use thinktime_core::error::Invalid;
use thinktime_core::request::{RequestKind, target_key};
use thinktime_core::system::{Demand, DrawnDemands, EntranceId, Job, NodeId, Program, SystemModel};
use thinktime_core::time::Nanos;
use thinktime_core::units::parse_time;
use thinktime_core::workload::Workload;

use super::request_kinds::RequestKinds;
use crate::protocol::http1::{Request, RequestReader};

/// The header in which a request carries its service demands: a time for each station in the order
/// of the system file, separated by commas, and `-` for a station that it does not visit, as in
/// `Thinktime-Demand: 12ms,-,3ms`. A request with a behaviour has a time for each `use` and `delay`
/// of its steps. Bare numbers are seconds.
pub const DEMAND_HEADER: &str = "Thinktime-Demand";
/// The header with a request's name, for systems whose demands differ by name. Without it the name
/// is the first part of the target's path, or the path itself, as in learned systems.
pub const REQUEST_HEADER: &str = "Thinktime-Request";

/// The header in which a request carries the tokens of its prompt and of its response, as in
/// `Thinktime-Tokens: 250,40`, for servers of tokens.
pub const TOKENS_HEADER: &str = "Thinktime-Tokens";

/// A request's demand at each station, in the order of the system file, or at each step of its
/// behaviour; `None` for stations that it does not visit.
pub(super) type Demands = Vec<Option<Nanos>>;

/// The known properties of a received request.
#[derive(Debug)]
pub(super) struct IdentifiedRequest {
    /// The number of its kind.
    pub(super) kind: u32,
    pub(super) own_demands: RequestDemands,
}

/// The demands that a request brings to the system.
#[derive(Clone, Debug, Default)]
pub(super) struct RequestDemands {
    /// The demands that it carries, if any.
    pub(super) demands: Option<Demands>,
    /// The size of its response in bytes, if the workload is known and gives one.
    pub(super) size: Option<u64>,
    /// The tokens of its prompt and response, for servers of tokens.
    pub(super) tokens: TokenCounts,
    /// A number that distinguishes its target from others.
    pub(super) target: u64,
}

/// The header's value for an attempt, as a simulation with the same seed would draw it.
pub(crate) fn demand_value(
    demands: &mut DrawnDemands,
    attempt: &Attempt,
    request: &RequestKind,
) -> String {
    let Attempt { session, kind, .. } = *attempt;
    let serial = request.retry.demand_serial(attempt);
    write_demands(&demands.all(&Job { token: 0, session, serial, kind }))
}

/// The same of [`TOKENS_HEADER`]; `None` if the request visits no server of tokens.
pub(crate) fn tokens_value(
    demands: &mut DrawnDemands,
    attempt: &Attempt,
    request: &RequestKind,
) -> Option<String> {
    let Attempt { session, kind, .. } = *attempt;
    let serial = request.retry.demand_serial(attempt);
    let tokens = demands.carried_tokens(&Job { token: 0, session, serial, kind })?;
    Some(format!("{},{}", tokens.prompt, tokens.output))
}

fn write_demands(demands: &[Option<Nanos>]) -> String {
    let part = |demand: &Option<Nanos>| match demand {
        Some(demand) => format!("{}ns", demand.0),
        None => "-".to_owned(),
    };
    demands.iter().map(part).collect::<Vec<_>>().join(",")
}

/// Parses the header's value.
pub(super) fn parse_demands(text: &str, wanted: usize) -> Result<Demands, Invalid> {
    let parts: Vec<&str> = text.split(',').map(str::trim).collect();
    if parts.len() != wanted {
        return Err(Invalid::new(format!(
            "{DEMAND_HEADER} has {} demands, the request has {wanted}",
            parts.len()
        )));
    }
    let parse = |part: &&str| match *part {
        "-" => Ok(None),
        time => parse_time(time).map(|seconds| Some(Nanos::from_secs_f64(seconds))),
    };
    let demands: Demands = parts.iter().map(parse).collect::<Result<_, _>>()?;
    if demands.iter().all(Option::is_none) {
        return Err(Invalid::new(format!("{DEMAND_HEADER} names no demand")));
    }
    Ok(demands)
}

/// The kinds of request that a system knows, and the work of each.
#[derive(Debug)]
pub(super) struct Kinds {
    program: Program,
    /// Request names that the system knows; empty for all others.
    names: Vec<String>,
    asked: RequestKinds,
}

impl Kinds {
    /// The kinds of a system; a known workload decides how they are requested.
    pub(super) fn new(system: &SystemModel, workload: Option<&Workload>) -> Kinds {
        let names = request_names(system);
        let kinds: Vec<&str> = names.iter().map(String::as_str).collect();
        let program = Program::of_carried_demands(system, &kinds);
        Kinds { program, names, asked: RequestKinds::new(workload) }
    }

    /// The work of requests, by kind.
    pub(super) fn program(&self) -> &Program {
        &self.program
    }

    /// The names of the kinds.
    pub(super) fn names(&self) -> Vec<&str> {
        self.names.iter().map(String::as_str).collect()
    }

    /// The first entrance at which a demand depends on the size of the response.
    pub(super) fn needs_size(&self) -> Option<EntranceId> {
        (0..self.names.len()).find_map(|kind| self.program.needs_size(kind))
    }

    /// The number of the first node that is a link for responses of their own size.
    pub(super) fn response_link(&self) -> Option<usize> {
        let kinds = 0..self.names.len();
        kinds.filter_map(|kind| self.program.receives_over(kind)).map(NodeId::number).next()
    }

    /// The number of visits to servers of tokens that requests of a kind make.
    pub(super) fn token_visits(&self, kind: u32) -> usize {
        self.program.token_visits(kind as usize)
    }

    /// The workload's kind of a request, if a workload is known.
    pub(super) fn asked(&self, request: &Request) -> Option<&RequestKind> {
        let named = request.headers[1].as_deref();
        self.asked.kind(named, &request.method, &request.target)
    }

    /// Whether it has the kind of a request.
    pub(super) fn knows(&self, request: &Request) -> bool {
        self.kind_of(request).is_ok()
    }

    /// The properties of a request, but for its tokens.
    pub(super) fn read(&self, request: &Request) -> Result<IdentifiedRequest, Invalid> {
        let given = request.headers[0].as_deref();
        let asked = self.asked(request);
        // A request that carries its demands needs no name.
        let kind = match self.kind_of(request) {
            Ok(kind) => kind,
            Err(_) if given.is_some() => 0,
            Err(error) => return Err(error),
        };
        let wanted = self.program.draws(kind as usize);
        let demands = given.map(|text| parse_demands(text, wanted)).transpose()?;
        let sizes = asked.and_then(|asked| asked.size.as_ref());
        let size = sizes.map(|sizes| sizes.of_target(&request.target));
        if demands.is_none() && size.is_none() && self.program.needs_size(kind as usize).is_some() {
            let message = "its demand depends on the size of the response, which is unknown";
            return Err(Invalid::new(message));
        }
        let target = match asked {
            Some(asked) => asked.target.key_of(&request.target),
            None => target_key(&request.target),
        };
        let tokens = TokenCounts::default();
        let own_demands = RequestDemands { demands, size, tokens, target };
        Ok(IdentifiedRequest { kind, own_demands })
    }

    /// The number of the request's kind, by the workload's name for it or its own.
    fn kind_of(&self, request: &Request) -> Result<u32, Invalid> {
        let asked = self.asked(request).map(|asked| asked.name.as_str());
        self.kind(asked.or(request.headers[1].as_deref()), &request.method, &request.target)
    }

    /// The number of the kind with a name.
    fn kind(&self, header: Option<&str>, method: &str, target: &str) -> Result<u32, Invalid> {
        let path = target.split(['?', '#']).next().unwrap_or(target);
        let name = header.unwrap_or_else(|| path.split('/').nth(1).unwrap_or(""));
        let known = self.names.iter().position(|other| other == name);
        // A learned name is a path, after its method if that is not GET.
        let with_method = || self.named_path(&format!("{method} {path}"));
        let found = match header {
            Some(_) => known,
            None => known.or_else(with_method).or_else(|| self.named_path(path)),
        };
        let any = || self.names.iter().position(String::is_empty);
        match found.or_else(any) {
            Some(kind) => Ok(kind as u32),
            None => Err(Invalid::new(format!(
                "no station has a demand for `{name}`; known are {}",
                self.names.join(", ")
            ))),
        }
    }

    /// The longest name that stands for this path.
    fn named_path(&self, path: &str) -> Option<usize> {
        let fitting = (0..self.names.len()).filter(|place| fits(&self.names[*place], path));
        fitting
            .filter(|place| !self.names[*place].is_empty())
            .max_by_key(|place| self.names[*place].len())
    }
}

/// Whether a path is one of those that a name such as `/img/*.jpg` stands for: `*` is any text.
fn fits(name: &str, path: &str) -> bool {
    let Some((begin, rest)) = name.split_once('*') else { return name == path };
    let parts: Vec<&str> = rest.split('*').collect();
    let (Some(mut left), Some((end, middle))) = (path.strip_prefix(begin), parts.split_last())
    else {
        return false;
    };
    for part in middle {
        let Some((_, after)) = left.split_once(part) else { return false };
        left = after;
    }
    left.ends_with(end)
}

/// A reader of requests that keeps the headers for [`Kinds::read`].
pub(super) fn request_reader() -> RequestReader {
    RequestReader::new(&[DEMAND_HEADER, REQUEST_HEADER, TOKENS_HEADER])
}

/// The request names that the system knows, and the empty name if it serves any other too.
fn request_names(system: &SystemModel) -> Vec<String> {
    let named = system.named_requests().into_iter();
    let mut names: Vec<String> = named.map(|(_, name)| name.to_owned()).collect();
    let for_all = |entrance| matches!(system.demand_at(entrance), Some(Demand::All(_)));
    let others = match system.behaviours.as_slice() {
        [] => system.entrances().any(|(entrance, _)| for_all(entrance)),
        // Every request may go to a server of tokens.
        behaviours => {
            let tokens = system.token_servers().next().is_some();
            tokens || behaviours.iter().any(|one| one.request.is_none())
        }
    };
    names.sort();
    names.dedup();
    if others || names.is_empty() {
        names.push(String::new());
    }
    names
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_read_back() {
        let demands = vec![Some(Nanos(12_000_001)), None, Some(Nanos(0))];
        assert_eq!(write_demands(&demands), "12000001ns,-,0ns");
        assert_eq!(parse_demands(&write_demands(&demands), 3), Ok(demands));
    }

    #[test]
    fn wrong_demands_are_named() {
        let message = |text| parse_demands(text, 1).unwrap_err().to_string();
        assert!(message("1ms,2ms").contains("has 2 demands, the request has 1"));
        assert!(message("-1ms").contains("0 or more"));
        assert!(message("soon").contains("not a number"));
        assert!(message("-").contains("names no demand"));
    }
}
