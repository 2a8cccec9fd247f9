//! The preparation of a run, for all its loops.

use thinktime_core::secrets::KnownSecrets;
use thinktime_core::workload::Workload;

use crate::generator::connect::connector::Connector;
use crate::generator::credentials::Credentials;
use crate::generator::credentials::common_fields::with_common_fields;
use crate::generator::engine::redact;
use crate::generator::plan::{Plan, RunError};
use crate::generator::requests::messages;
use crate::generator::shared::Settings;
use crate::generator::target::Target;
use crate::generator::target::lookup::Lookup;
use crate::generator::target::peer::Peer;

/// A workload and a target that fit together, and a target that can be reached.
pub(crate) struct Prepared {
    /// With the common fields of all requests.
    pub(crate) workload: Workload,
    pub(crate) peer: Peer,
    pub(crate) credentials: Option<Credentials>,
    /// The server of shared variables, unless each loop has its own.
    pub(crate) shared: Option<Settings>,
    /// The secrets of all this.
    pub(crate) known: KnownSecrets,
    lookup: Option<Lookup>,
}

impl Prepared {
    /// # Errors
    /// If workload, target and plan do not fit together, or the target cannot be reached.
    pub(crate) fn of(
        workload: &Workload,
        target: &Target,
        plan: &Plan,
    ) -> Result<Prepared, RunError> {
        plan.check(workload)?;
        messages::check(workload, target, plan.demands.is_some())?;
        let workload = with_common_fields(workload)?;
        let quic = Connector::check(target, &workload)?;
        let (peer, lookup) = Peer::of(target, quic.as_ref())?;
        let credentials = Credentials::of(&workload, target)?;
        let shared = Settings::of(&workload, plan.run.as_deref())?;
        let known = redact::all_secrets(&workload, target)?;
        raise_descriptor_limit();
        Ok(Prepared { workload, peer, credentials, shared, known, lookup })
    }

    /// The notes after the run.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let lookup = self.lookup.as_ref().and_then(Lookup::warning);
        lookup.into_iter().chain(self.credentials.iter().flat_map(Credentials::warnings))
    }
}

/// Raises the limit of open sockets as far as allowed.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If it is refused, the old limit holds, and a lack of descriptors is counted.
    setrlimit(Resource::Nofile, limit).ok();
}
