//! The requests of a workload, as a server meets them.

use thinktime_core::workload::{Method, RequestKind, Workload};

/// What a workload asks for; nothing where none is known.
#[derive(Debug)]
pub(super) struct Asked {
    kinds: Vec<RequestKind>,
}

impl Asked {
    pub(super) fn new(workload: Option<&Workload>) -> Asked {
        Asked { kinds: workload.map_or_else(Vec::new, |workload| workload.requests.clone()) }
    }

    /// The kind of a request: of those with its name, where it says one, the first that asks for
    /// such a target by such a method, else the first.
    pub(super) fn kind(
        &self,
        name: Option<&str>,
        method: &str,
        target: &str,
    ) -> Option<&RequestKind> {
        let mut named = self.kinds.iter().filter(|kind| name.is_none_or(|name| kind.name == name));
        let method = Method::of_http(method.as_bytes());
        let takes = |kind: &&RequestKind| method.is_some_and(|method| kind.takes(method, target));
        named.clone().find(takes).or_else(|| named.next().filter(|_| name.is_some()))
    }
}
