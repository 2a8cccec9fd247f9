//! Links in the programs of requests.

use thinktime_file::workload::Reuse;

use super::node::Link;
use crate::system::ids::NodeId;
use crate::system::program::{Instruction, NO_DRAW, OF_RESPONSE, Program};
use crate::workload::Workload;

/// The default size of a request.
const REQUEST_BYTES: u32 = 200;

impl Program {
    /// The request goes over a link.
    pub(in crate::system) fn send(&mut self, link: NodeId, bytes: Option<u32>) {
        self.code.push(Instruction::Carry { bytes: bytes.unwrap_or(REQUEST_BYTES) });
        self.come_to(link, Link::SEND, NO_DRAW);
    }

    /// The response comes back over a link.
    pub(in crate::system) fn receive(&mut self, link: NodeId, bytes: Option<u32>) {
        if bytes.is_none() {
            self.receives.last_mut().expect("a kind is being added").get_or_insert(link);
        }
        self.code.push(Instruction::Carry { bytes: bytes.unwrap_or(OF_RESPONSE) });
        self.come_to(link, Link::RECEIVE, NO_DRAW);
    }

    /// The first link over which requests of this kind receive their response, and so need its
    /// size.
    #[must_use]
    pub fn receives_over(&self, kind: usize) -> Option<NodeId> {
        self.receives[kind]
    }
}

/// By kind of request, how long a connection is used by the clients of its population.
pub(in crate::system) fn connections(workload: &Workload) -> Vec<Reuse> {
    let mut found = vec![Reuse::default(); workload.requests.len()];
    for population in &workload.populations {
        found[population.kinds.clone()].fill(population.clients.connections);
    }
    found
}
