//! The host of a request: its target and its Host field (RFC 9112, sections 3.2 and 3.3).

use hyper::header::{HOST, HeaderValue, VIA};
use hyper::http::uri::Authority;
use hyper::{HeaderMap, Method, Uri, Version};

use crate::fields::NAME;
use crate::refusal::Refusal;

/// This many switches in a row are a loop.
const SWITCHES_MAX: usize = 16;

/// The target in the form for an origin server; its host goes to the Host field.
///
/// # Errors
/// If it is no path, or the host is missing, repeated, or invalid.
pub(crate) fn of_origin(
    uri: Uri,
    method: &Method,
    version: Version,
    fields: &mut HeaderMap,
) -> Result<Uri, Refusal> {
    if goes_in_circles(fields) {
        return Err(Refusal(508, "the request goes in circles"));
    }
    let origin = path_of(&uri, method)?;
    if fields.get_all(HOST).iter().count() > 1 {
        return Err(Refusal(400, "the request has several Host fields"));
    }
    let named = uri.authority().map(|host| HeaderValue::try_from(host.as_str()));
    if let Some(Ok(host)) = named {
        fields.insert(HOST, host);
    }
    match fields.get(HOST) {
        None if version < Version::HTTP_11 => {}
        None => return Err(Refusal(400, "the request has no Host field")),
        Some(host) if is_host(host) => {}
        Some(_) => return Err(Refusal(400, "the request's Host field is no host")),
    }
    Ok(origin)
}

/// Path and query, or the asterisk of OPTIONS.
fn path_of(uri: &Uri, method: &Method) -> Result<Uri, Refusal> {
    let malformed = Refusal(400, "the request's target is malformed");
    let known = match (uri.scheme_str(), uri.authority()) {
        (None, None) => true,
        (Some(scheme), Some(_)) => scheme == "http" || scheme == "https",
        _ => false,
    };
    match uri.path() {
        _ if !known => Err(malformed),
        "*" if method == Method::OPTIONS => Ok(Uri::from_static("*")),
        path if !path.starts_with('/') => Err(malformed),
        _ if uri.authority().is_none() => Ok(uri.clone()),
        path => {
            let query = uri.query().map_or_else(String::new, |query| format!("?{query}"));
            Uri::try_from(path.to_owned() + &query).map_err(|_| malformed)
        }
    }
}

/// Whether a field is a host, perhaps with a port; it may be empty.
fn is_host(value: &HeaderValue) -> bool {
    let bytes = value.as_bytes();
    let parsed = || Authority::try_from(bytes).is_ok_and(|host| !host.as_str().contains('@'));
    bytes.is_empty() || parsed()
}

/// Whether a request has passed this many switches.
fn goes_in_circles(fields: &HeaderMap) -> bool {
    let all = fields.get_all(VIA).iter().filter_map(|value| value.to_str().ok());
    let passed = all.flat_map(|value| value.split(','));
    passed.filter(|hop| hop.trim().split(' ').nth(1) == Some(NAME)).count() >= SWITCHES_MAX
}

#[cfg(test)]
mod tests;
