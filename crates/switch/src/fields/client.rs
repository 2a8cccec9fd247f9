//! The client that the fields of a trusted proxy name.

use std::net::{IpAddr, SocketAddr};

use hyper::HeaderMap;
use hyper::header::{FORWARDED, HeaderValue};

use super::{Origin, TRUE_CLIENT_IP, X_CLIENT_IP, X_FORWARDED_FOR, X_REAL_IP};

/// The address of the client: the first one that a trusted proxy names, else that of the
/// connection.
pub(crate) fn client(fields: &HeaderMap, origin: &Origin) -> IpAddr {
    let texts = |name: &str| {
        let values = fields.get_all(name).iter();
        values.filter_map(|value: &HeaderValue| value.to_str().ok())
    };
    let named = || {
        let elements = texts(FORWARDED.as_str()).flat_map(|value| value.split(','));
        let mut known = elements.filter_map(of_element);
        let others = [X_FORWARDED_FOR, X_REAL_IP, X_CLIENT_IP, TRUE_CLIENT_IP].into_iter();
        let mut listed = others.flat_map(texts).flat_map(|value| value.split(','));
        known.next().or_else(|| listed.find_map(address))
    };
    let trusted = origin.behind_proxy.then(named).flatten();
    trusted.map_or(origin.from, |address| address.to_canonical())
}

/// The address in an element of `Forwarded`, such as `for="[2001:db8::1]:4711";proto=https`.
fn of_element(element: &str) -> Option<IpAddr> {
    element.split(';').find_map(|pair| {
        let (name, value) = pair.split_once('=')?;
        let is_for = name.trim().eq_ignore_ascii_case("for");
        is_for.then(|| address(value.trim().trim_matches('"')))?
    })
}

/// An address, perhaps with a port; not a word such as `unknown`, or a name that hides one.
fn address(text: &str) -> Option<IpAddr> {
    let text = text.trim();
    let bare = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(text);
    bare.parse().ok().or_else(|| Some(text.parse::<SocketAddr>().ok()?.ip()))
}
