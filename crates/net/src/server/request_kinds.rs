//! The requests of a workload, as a server receives them.

use thinktime_core::request::RequestKind;
use thinktime_core::workload::Workload;

/// The requests of a workload; nothing if none is known.
#[derive(Debug)]
pub(super) struct RequestKinds {
    kinds: Vec<RequestKind>,
}

impl RequestKinds {
    pub(super) fn new(workload: Option<&Workload>) -> RequestKinds {
        RequestKinds { kinds: workload.map_or_else(Vec::new, |workload| workload.requests.clone()) }
    }

    /// The kind of a request: among those with its name, if it has one, the closest by method and
    /// target, else the first.
    pub(super) fn kind(
        &self,
        name: Option<&str>,
        method: &str,
        target: &str,
    ) -> Option<&RequestKind> {
        let mut named = self.kinds.iter().filter(|kind| name.is_none_or(|name| kind.name == name));
        match RequestKind::place_of(named.clone(), method, target) {
            Some(place) => named.nth(place),
            None => named.next().filter(|_| name.is_some()),
        }
    }
}
