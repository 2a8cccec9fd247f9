//! The kept parts of servers' responses, without the secrets that the run has sent.

use thinktime_core::attempt::Attempt;
use thinktime_core::error::Invalid;
use thinktime_core::record::cause;
use thinktime_core::secrets::{KnownSecrets, secrets_of};
use thinktime_core::workload::{Authorization, Secret, Workload};

use super::Engine;
use crate::generator::credentials::common_fields::secret_of_key;
use crate::generator::credentials::login::login;
use crate::generator::record::recorder::Recorder;
use crate::generator::requests::Sender;
use crate::generator::target::Target;
use crate::generator::transport::failure::Failure;
use crate::protocol::http1::RequestHead;

/// The part of a request's body that is searched.
const LOOKED_AT_MAX: usize = 64 << 10;

/// The secrets of a workload that already has its common fields.
///
/// # Errors
/// If a secret cannot be read.
pub(crate) fn all_secrets(workload: &Workload, target: &Target) -> Result<KnownSecrets, Invalid> {
    let mut known = secrets_of(&workload.file);
    for (name, value) in workload.populations.iter().flat_map(|one| &one.headers) {
        known.learn_field(name, value);
    }
    let password = login(target, workload)?.and_then(|login| login.password);
    known.learn(password.as_deref().unwrap_or_default());
    for (secret, key) in secrets_outside_fields(workload) {
        known.learn(&secret_of_key(secret, key)?);
    }
    Ok(known)
}

/// Secrets that go into no header field unchanged, each with its key.
fn secrets_outside_fields(workload: &Workload) -> impl Iterator<Item = (&Secret, &'static str)> {
    let shared = workload.shared.as_ref().and_then(|shared| shared.password.as_ref());
    let shared = shared.map(|secret| (secret, "shared.password"));
    let of_clients = workload.populations.iter().flat_map(|one| match &one.authorization {
        Some(Authorization::Oauth2(own)) => vec![(&own.secret, "clients.oauth2.secret")],
        Some(Authorization::Aws(own)) => {
            let token = own.token.iter().map(|token| (token, "clients.aws.token"));
            token.chain([(&own.secret, "clients.aws.secret")]).collect()
        }
        _ => Vec::new(),
    });
    shared.into_iter().chain(of_clients)
}

impl<'a, L: Recorder> Engine<'a, L> {
    /// The same, with responses that repeat none of these.
    pub(crate) fn with_secrets(mut self, known: &'a KnownSecrets) -> Self {
        self.failure_bodies.known = Some(known);
        self
    }

    /// Keeps the beginning of an attempt's response body, if configured, without known secrets, and
    /// without the values of its own request: cookies, tokens that changed, inserted values.
    pub(crate) fn keep_body(
        &mut self,
        attempt: &Attempt,
        error: Failure,
        status: u16,
        body: &[u8],
    ) {
        let Some(began) = &self.failure_bodies.began else { return };
        let (name, cause) = (self.requests.name(attempt), cause(error, status));
        if !began.wants_body(name, &cause) {
            return;
        }
        let mut known = self.failure_bodies.known.cloned().unwrap_or_default();
        let call = self.call(attempt);
        if !self.messages.has_takes() {
            let sender = Sender { owner: self.clients.owner(attempt), now: self.clock.now() };
            let learn = |request: &RequestHead<'_>| learn(request, &mut known);
            self.requests.make(attempt, call.as_deref(), Some(sender), learn);
        } else if let Some(call) = call {
            known.learn_text(&String::from_utf8_lossy(beginning(&call.body)));
        }
        if let Some(began) = &mut self.failure_bodies.began {
            began.failed_body(name, cause, body, &known);
        }
    }
}

/// The secrets in a request.
fn learn(request: &RequestHead<'_>, known: &mut KnownSecrets) {
    for (name, value) in request.headers {
        known.learn_field(name, value);
    }
    known.learn_text(request.target);
    known.learn_text(&String::from_utf8_lossy(beginning(request.body)));
}

fn beginning(body: &[u8]) -> &[u8] {
    &body[..body.len().min(LOOKED_AT_MAX)]
}
