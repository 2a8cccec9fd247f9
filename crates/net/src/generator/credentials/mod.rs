//! The identification of each population's clients, if it changes from request to request.

pub(crate) mod aws;
pub(crate) mod common_fields;
pub(crate) mod login;
pub(crate) mod oauth2;

use std::path::Path;

use rustls::RootCertStore;
use thinktime_core::error::Invalid;
use thinktime_core::workload::{Authorities, Authorization, Population, Workload};

use crate::certificates::{roots, roots_of};
use crate::generator::target::Target;
use crate::generator::transport::tls::{TlsOptions, with_roots};
use crate::poller::Clock;
use crate::protocol::http1::RequestHead;
use aws::Signer;
use oauth2::RenewableToken;

const AUTHORIZATION: &str = "Authorization";

/// By the populations' places.
#[derive(Clone)]
pub(crate) struct Credentials(Vec<Option<Credential>>);

#[derive(Clone)]
enum Credential {
    Token(RenewableToken),
    Signed(Box<Signer>),
}

impl Credentials {
    /// Those of a workload, with the necessary tokens; `None` if nothing of it changes.
    ///
    /// # Errors
    /// If a secret cannot be read, or no token is granted.
    pub(crate) fn of(workload: &Workload, target: &Target) -> Result<Option<Credentials>, Invalid> {
        let of_population = |one: &Population| match &one.authorization {
            Some(Authorization::Oauth2(wanted)) => {
                let own = wanted.authorities.as_ref();
                let roots = own.map_or_else(|| authorities(target), roots_of_own)?;
                let token = RenewableToken::start(wanted, one, &with_roots(roots)?)?;
                Ok(Some(Credential::Token(token)))
            }
            Some(Authorization::Aws(wanted)) => {
                Ok(Some(Credential::Signed(Box::new(Signer::of(wanted, one)?))))
            }
            _ => Ok(None),
        };
        let all: Vec<_> =
            workload.populations.iter().map(of_population).collect::<Result<_, Invalid>>()?;
        Ok(all.iter().any(Option::is_some).then_some(Credentials(all)))
    }

    /// Gives a request of a population to `write`, with its identification, unless it has its own.
    pub(crate) fn with<R>(
        &mut self,
        population: u32,
        request: &RequestHead<'_>,
        write: impl FnOnce(&RequestHead<'_>) -> R,
    ) -> R {
        let own = request.headers.iter().any(|(name, _)| name.eq_ignore_ascii_case(AUTHORIZATION));
        match &mut self.0[population as usize] {
            Some(Credential::Token(token)) if !own => {
                let field = (AUTHORIZATION, token.field());
                let headers: Vec<_> = request.headers.iter().copied().chain([field]).collect();
                write(&RequestHead { headers: &headers, ..*request })
            }
            Some(Credential::Signed(signer)) if !own => {
                signer.with(request, Clock::date_s(), write)
            }
            _ => write(request),
        }
    }

    /// The notes for the end.
    pub(crate) fn warnings(&self) -> impl Iterator<Item = String> {
        self.0.iter().flatten().filter_map(|one| match one {
            Credential::Token(token) => token.warning(),
            Credential::Signed(_) => None,
        })
    }
}

/// The authorities that the workload names for the token server alone.
fn roots_of_own(own: &Authorities) -> Result<RootCertStore, Invalid> {
    let wrong = |error: Invalid| Invalid::new(format!("clients.oauth2: `ca`: {error}"));
    roots_of(Path::new(&own.file), &own.pem).map_err(wrong)
}

/// The authorities for the token server: Mozilla's, and those of the target's options. An option
/// against checks applies to the target alone.
fn authorities(target: &Target) -> Result<RootCertStore, Invalid> {
    let mut all = roots(None)?;
    if let Some(TlsOptions { ca_file: Some(file), .. }) = target.tls() {
        all.roots.extend(roots(Some(file))?.roots);
    }
    Ok(all)
}
