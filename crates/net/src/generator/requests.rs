//! Makes requests: the one place where an attempt becomes a method, a target, fields and a body.

use thinktime_core::client::Attempt;
use thinktime_core::program::Call;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::system::DrawnDemands;
use thinktime_core::workload::{Method, Workload};

use super::{Plan, Reuse, Target};
use crate::protocol::http1::RequestHead;
use crate::server::{DEMAND_HEADER, demand_value};

/// Makes the requests of one run. The same attempt makes the same request however often it is
/// asked for.
pub(super) struct Requests<'a> {
    workload: &'a Workload,
    target: &'a Target,
    demands: Option<DrawnDemands>,
    targets: StreamFamily,
    path: String,
}

impl<'a> Requests<'a> {
    pub(super) fn new(workload: &'a Workload, target: &'a Target, plan: &Plan) -> Requests<'a> {
        let demands = plan.demands.as_ref();
        Requests {
            workload,
            target,
            demands: demands.map(|system| {
                let program = system.program_for(workload);
                DrawnDemands::new(&program, workload.seed, Purpose::Demand)
            }),
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            path: String::new(),
        }
    }

    /// Makes the request of an attempt, for `write` to encode: the `call` that a program wants, or
    /// what the workload says of this kind.
    pub(super) fn make<R>(
        &mut self,
        attempt: &Attempt,
        call: Option<&Call>,
        write: impl FnOnce(&RequestHead<'_>) -> R,
    ) -> R {
        let kind = &self.workload.requests[attempt.kind as usize];
        self.path.clear();
        self.path.push_str(&self.target.prefix);
        match call {
            Some(call) => self.path.push_str(&call.target),
            None => {
                let mut stream = self.targets.substream(attempt.session, attempt.index.into());
                kind.target.write(&mut self.path, &mut stream);
            }
        }
        let demand = self.demands.as_mut().map(|demands| demand_value(demands, attempt, kind));
        let own = call.map_or(&[][..], |call| &call.headers);
        let own = own.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let once = self.target.connections.reuse == Reuse::PerRequest;
        let headers: Vec<(&str, &str)> = own
            .chain(demand.as_deref().map(|text| (DEMAND_HEADER, text)))
            .chain(once.then_some(("Connection", "close")))
            .collect();
        write(&RequestHead {
            method: call.map_or(kind.method, |call| call.method).word(),
            host: &self.target.host,
            target: &self.path,
            headers: &headers,
            body: call.map_or(kind.body.as_bytes(), |call| &call.body),
        })
    }

    /// Whether the request may go out again when nobody knows if it was carried out.
    pub(super) fn may_be_repeated(&self, attempt: &Attempt, call: Option<&Call>) -> bool {
        let kind = &self.workload.requests[attempt.kind as usize];
        call.map_or(kind.method, |call| call.method) != Method::Post
    }
}
