//! What there is before a run begins, for all its loops.

use thinktime_core::secrets::KnownSecrets;
use thinktime_core::workload::Workload;

use super::common::with_common_fields;
use super::connector::Connector;
use super::credentials::Credentials;
use super::lookup::Lookup;
use super::peer::Peer;
use super::plan::{Plan, RunError};
use super::shared::Settings;
use super::target::Target;
use super::{hiding, messages};

/// A workload and a target that go together, and a target that can be reached.
pub(super) struct Prepared {
    /// With the fields that all requests have.
    pub(super) workload: Workload,
    pub(super) peer: Peer,
    pub(super) credentials: Option<Credentials>,
    /// Who keeps what scripts share, if it is not each loop by itself.
    pub(super) shared: Option<Settings>,
    /// What is secret of all this.
    pub(super) known: KnownSecrets,
    lookup: Option<Lookup>,
}

impl Prepared {
    /// # Errors
    /// When workload, target and plan make no sense together, or the target cannot be reached.
    pub(super) fn of(
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
        let known = hiding::known(&workload, target)?;
        raise_descriptor_limit();
        Ok(Prepared { workload, peer, credentials, shared, known, lookup })
    }

    /// What to say of it after the run.
    pub(super) fn warnings(&self) -> impl Iterator<Item = String> + '_ {
        let lookup = self.lookup.as_ref().and_then(Lookup::warning);
        lookup.into_iter().chain(self.credentials.iter().flat_map(Credentials::warnings))
    }
}

/// Lets the process open as many sockets as it may.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If it is refused, the old limit holds, and running out of descriptors is counted.
    setrlimit(Resource::Nofile, limit).ok();
}
