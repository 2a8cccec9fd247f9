//! Makes requests: the one place where an attempt becomes a method, a target, fields and a body.

use thinktime_core::client::Attempt;
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

    /// Makes the request of an attempt, for `write` to encode.
    pub(super) fn make<R>(
        &mut self,
        attempt: &Attempt,
        write: impl FnOnce(&RequestHead<'_>) -> R,
    ) -> R {
        let kind = &self.workload.requests[attempt.kind as usize];
        self.path.clear();
        self.path.push_str(&self.target.prefix);
        let mut stream = self.targets.substream(attempt.session, attempt.index.into());
        kind.target.write(&mut self.path, &mut stream);
        let demand = self.demands.as_mut().map(|demands| demand_value(demands, attempt, kind));
        let demand = demand.as_deref().map(|text| (DEMAND_HEADER, text));
        let headers = [demand.unwrap_or_default(), ("Connection", "close")];
        let once = self.target.connections.reuse == Reuse::PerRequest;
        let headers = match (demand, once) {
            (Some(_), true) => &headers[..],
            (Some(_), false) => &headers[..1],
            (None, true) => &headers[1..],
            (None, false) => &[],
        };
        write(&RequestHead {
            method: kind.method.word(),
            host: &self.target.host,
            target: &self.path,
            headers,
            body: kind.body.as_bytes(),
        })
    }

    /// Whether the request may go out again when nobody knows if it was carried out.
    pub(super) fn may_be_repeated(&self, attempt: &Attempt) -> bool {
        self.workload.requests[attempt.kind as usize].method != Method::Post
    }
}
