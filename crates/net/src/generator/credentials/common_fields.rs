//! Header fields that all requests of a population share, and the identity of its clients.

use std::fs::File;
use std::io::Read;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use thinktime_core::error::Invalid;
use thinktime_core::request::header_field;
use thinktime_core::workload::{Authorization, Population, Secret, Workload};

/// The longest accepted secret, in bytes.
const SECRET_BYTES_MAX: u64 = 64 << 10;
/// The default identification of the client in requests.
pub(crate) const USER_AGENT: &str = concat!("thinktime/", env!("CARGO_PKG_VERSION"));

/// The workload with these fields in all its requests that have none of their own; [`missing`]
/// gives those for programs.
///
/// # Errors
/// If a secret cannot be read, or does not fit into a header field. The message names its place,
/// and never the secret.
pub(crate) fn with_common_fields(workload: &Workload) -> Result<Workload, Invalid> {
    let mut workload = workload.clone();
    for population in &mut workload.populations {
        if let Some(authorization) = &population.authorization {
            let value = value_of(authorization, population)?;
            population.headers.extend(value.map(|value| ("Authorization".to_owned(), value)));
        }
        let agent = ("User-Agent".to_owned(), USER_AGENT.to_owned());
        let agent = missing_fields(&population.headers, &[agent]).next().cloned();
        population.headers.extend(agent);
    }
    for kind in &mut workload.requests {
        let common = &workload.populations[kind.population as usize].headers;
        let common: Vec<_> = missing_fields(&kind.headers, common).cloned().collect();
        kind.headers.extend(common);
    }
    Ok(workload)
}

/// The fields that a request does not have by itself.
pub(crate) fn missing_fields<'a>(
    own: &'a [(String, String)],
    common: &'a [(String, String)],
) -> impl Iterator<Item = &'a (String, String)> {
    let has = |name: &str| own.iter().any(|(other, _)| other.eq_ignore_ascii_case(name));
    common.iter().filter(move |(name, _)| !has(name))
}

/// The text of a file that holds a secret; the length is bounded.
fn secret_of_file(path: &str) -> Result<String, String> {
    let mut text = String::new();
    let file = File::open(path).map_err(|error| error.to_string())?;
    let limit = SECRET_BYTES_MAX + 1;
    let read = file.take(limit).read_to_string(&mut text).map_err(|error| error.to_string())?;
    if read as u64 == limit {
        return Err(format!("is longer than {SECRET_BYTES_MAX} bytes"));
    }
    Ok(text)
}

/// The value of the field `Authorization`, if all requests share it.
fn value_of(
    authorization: &Authorization,
    population: &Population,
) -> Result<Option<String>, Invalid> {
    let text = |secret, key| secret_text(secret, key, population);
    match authorization {
        Authorization::Bearer(secret) => {
            text(secret, "bearer").map(|it| Some(format!("Bearer {it}")))
        }
        Authorization::Basic(secret) => {
            text(secret, "basic").map(|it| Some(format!("Basic {}", STANDARD.encode(it))))
        }
        Authorization::Oauth2(_) | Authorization::Aws(_) => Ok(None),
    }
}

/// As [`secret_of_key`], for a `key` in `clients` of a population, or in a table there:
/// `oauth2.secret`.
///
/// # Errors
/// As there.
pub(crate) fn secret_text(
    secret: &Secret,
    key: &str,
    population: &Population,
) -> Result<String, Invalid> {
    let first = key.split('.').next().unwrap_or(key);
    let place = match population.secrets_at.get(first) {
        Some(at) => format!("{at}{}", &key[first.len()..]),
        None => format!("clients.{key}"),
    };
    secret_of_key(secret, &place)
}

/// A secret, which fits into a header field and is not empty; `key` is its own, with its place.
///
/// # Errors
/// If it cannot be read, or does not fit. The message names the key and the place, and never the
/// secret.
pub(crate) fn secret_of_key(secret: &Secret, key: &str) -> Result<String, Invalid> {
    let (text, kept) = match secret {
        Secret::Environment(name) => {
            let text = std::env::var_os(name).ok_or("there is no such variable");
            // The standard library's error for other bytes than UTF-8 repeats them.
            let text = text.and_then(|it| it.into_string().map_err(|_| "is no text"));
            (text.map_err(str::to_owned), format!("${name}"))
        }
        Secret::File(path) => (secret_of_file(path), path.clone()),
    };
    let wrong = |why: &str| Invalid::new(format!("{key}: the secret in {kept}{why}"));
    let text = text.map_err(|error| wrong(&format!(": {error}")))?;
    let text = text.trim_end_matches(['\r', '\n']);
    // The error's reason would repeat the secret.
    let checked = header_field("Authorization", text).ok().filter(|_| !text.is_empty());
    let checked = checked.map(|(_, text)| text);
    checked.ok_or_else(|| wrong(" is empty, or holds control characters"))
}
