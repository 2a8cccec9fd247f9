//! Header fields that all requests of a population bring, and who its clients say they are.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thinktime_core::error::Invalid;
use thinktime_core::workload::{Authorization, Secret, Workload, header_field};

const USER_AGENT: &str = concat!("thinktime/", env!("CARGO_PKG_VERSION"));

/// The workload with these fields in all its requests that have none of their own; those of
/// programs are told by [`missing`].
///
/// # Errors
/// When a secret cannot be read, or does not fit into a header field. The message names where it
/// is kept, and never the secret.
pub(super) fn with_common_fields(workload: &Workload) -> Result<Workload, Invalid> {
    let mut workload = workload.clone();
    for population in &mut workload.populations {
        if let Some(authorization) = &population.authorization {
            let field = ("Authorization".to_owned(), value_of(authorization)?);
            population.headers.push(field);
        }
        let agent = ("User-Agent".to_owned(), USER_AGENT.to_owned());
        let agent = missing(&population.headers, &[agent]).next().cloned();
        population.headers.extend(agent);
    }
    for kind in &mut workload.requests {
        let common = &workload.populations[kind.population as usize].headers;
        let common: Vec<_> = missing(&kind.headers, common).cloned().collect();
        kind.headers.extend(common);
    }
    Ok(workload)
}

/// The fields that a request does not have by itself.
pub(super) fn missing<'a>(
    own: &'a [(String, String)],
    common: &'a [(String, String)],
) -> impl Iterator<Item = &'a (String, String)> {
    let has = |name: &str| own.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    common.iter().filter(move |(name, _)| !has(name))
}

fn value_of(authorization: &Authorization) -> Result<String, Invalid> {
    let secret = authorization.secret();
    let (text, kept) = match secret {
        Secret::Environment(name) => {
            (std::env::var(name).map_err(|error| error.to_string()), format!("${name}"))
        }
        Secret::File(path) => {
            (std::fs::read_to_string(path).map_err(|error| error.to_string()), path.clone())
        }
    };
    let text = text.map_err(|error| Invalid::new(format!("the secret in {kept}: {error}")))?;
    let text = text.trim_end_matches(['\r', '\n']);
    let value = match authorization {
        Authorization::Bearer(_) => format!("Bearer {text}"),
        Authorization::Basic(_) => format!("Basic {}", STANDARD.encode(text)),
    };
    // The reason of a refusal would repeat the secret.
    let checked = header_field("Authorization", &value).ok().filter(|_| !text.is_empty());
    checked.map(|(_, value)| value).ok_or_else(|| {
        Invalid::new(format!("the secret in {kept} is empty, or holds control characters"))
    })
}
