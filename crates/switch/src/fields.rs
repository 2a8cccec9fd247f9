//! Header fields on their way through: fields for one hop only are removed, and fields about the
//! hop are added (RFC 9110, sections 7.6.1 and 7.6.3; RFC 7239).

mod client;

use std::fmt::Write;
use std::net::IpAddr;

pub(crate) use client::client;
use hyper::header::{
    CONNECTION, CONTENT_LENGTH, COOKIE, EXPECT, Entry, FORWARDED, HOST, HeaderName, HeaderValue,
    PROXY_AUTHENTICATE, PROXY_AUTHORIZATION, TE, TRAILER, TRANSFER_ENCODING, UPGRADE, VIA,
};
use hyper::{HeaderMap, Version};

use crate::framing::is_length;

const KEEP_ALIVE: HeaderName = HeaderName::from_static("keep-alive");
const PROXY_CONNECTION: HeaderName = HeaderName::from_static("proxy-connection");
const X_FORWARDED_FOR: &str = "x-forwarded-for";
const X_FORWARDED_HOST: &str = "x-forwarded-host";
const X_FORWARDED_PROTO: &str = "x-forwarded-proto";
const X_FORWARDED_PORT: &str = "x-forwarded-port";
const X_REAL_IP: &str = "x-real-ip";
const X_CLIENT_IP: &str = "x-client-ip";
const TRUE_CLIENT_IP: &str = "true-client-ip";
/// Received over HTTP/1.1, the version that all servers name.
const HERE: HeaderValue = HeaderValue::from_static("1.1 thinktime");
/// The name of switches in `Via`.
pub(crate) const NAME: &str = "thinktime";

/// Fields for one hop only, beside those that `Connection` names.
const HOP_BY_HOP: [HeaderName; 8] = [
    CONNECTION,
    KEEP_ALIVE,
    PROXY_CONNECTION,
    PROXY_AUTHENTICATE,
    PROXY_AUTHORIZATION,
    TE,
    TRANSFER_ENCODING,
    UPGRADE,
];

/// The sender of a request, and the protocol it came by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Origin {
    pub(crate) from: IpAddr,
    pub(crate) scheme: &'static str,
    /// Whether the client is a trusted proxy.
    pub(crate) behind_proxy: bool,
}

/// The fields in which proxies describe those before them.
const CLIENT_FIELDS: [&str; 8] = [
    "forwarded",
    X_FORWARDED_FOR,
    X_FORWARDED_HOST,
    X_FORWARDED_PROTO,
    X_FORWARDED_PORT,
    X_REAL_IP,
    X_CLIENT_IP,
    TRUE_CLIENT_IP,
];
/// The number of fields that the switch adds.
const ADDED: usize = 5;

/// Whether fields of HTTP/2 are well-formed: no blanks around values, and lengths are numbers (RFC
/// 9113, sections 8.1.1 and 8.2.1). The codec admits others, and servers of HTTP/1.1 read them in
/// different ways.
pub(crate) fn are_well_formed(fields: &HeaderMap) -> bool {
    let blank = |byte: Option<&u8>| matches!(byte, Some(b' ' | b'\t'));
    fields.iter().all(|(name, value)| {
        let bytes = value.as_bytes();
        !blank(bytes.first())
            && !blank(bytes.last())
            && (*name != CONTENT_LENGTH || is_length(value))
    })
}

/// Whether a server may take a field of this name for one that identifies the sender: programs that
/// get fields as environment variables, as by CGI and WSGI, cannot distinguish `_` from `-`.
pub(crate) fn may_name_client(name: &[u8]) -> bool {
    let dashed = |byte: &u8| if *byte == b'_' { b'-' } else { *byte };
    let is = |one: &&str| one.bytes().eq(name.iter().map(dashed));
    name.contains(&b'_') && CLIENT_FIELDS.iter().any(is)
}

/// Whether a field of this name, in small letters, identifies the sender.
pub(crate) fn names_client(name: &[u8]) -> bool {
    CLIENT_FIELDS.iter().any(|one| one.as_bytes() == name)
}

/// Turns the fields of a received request of this version into those for its server.
pub(crate) fn to_server(fields: &mut HeaderMap, origin: Origin, version: Version) {
    fields.reserve(ADDED);
    take_off(fields);
    join_cookies(fields);
    // The switch itself permits the client to send the body.
    remove_all(fields, |name| *name == EXPECT);
    if !origin.behind_proxy {
        remove_all(fields, |name| names_client(name.as_str().as_bytes()));
    }
    // No proxy writes these.
    remove_all(fields, |name| may_name_client(name.as_str().as_bytes()));
    let from = origin.from.to_string();
    let host = fields.get(HOST).cloned();
    let forwarded = forwarded(&origin, &from, host.as_ref().and_then(|host| host.to_str().ok()));
    add(fields, FORWARDED, HeaderValue::try_from(forwarded).ok());
    add(fields, HeaderName::from_static(X_FORWARDED_FOR), HeaderValue::try_from(from).ok());
    fields.entry(X_FORWARDED_PROTO).or_insert_with(|| HeaderValue::from_static(origin.scheme));
    if let Some(host) = host {
        fields.entry(X_FORWARDED_HOST).or_insert(host);
    }
    let via = match version {
        Version::HTTP_2 => HeaderValue::from_static("2 thinktime"),
        Version::HTTP_10 => HeaderValue::from_static("1.0 thinktime"),
        _ => HERE,
    };
    add(fields, VIA, Some(via));
}

/// Clients of HTTP/2 may send cookies one by one; those of HTTP/1.1 may not (RFC 9113, section
/// 8.2.3).
fn join_cookies(fields: &mut HeaderMap) {
    let all: Vec<&[u8]> = fields.get_all(COOKIE).iter().map(HeaderValue::as_bytes).collect();
    if let (true, Ok(joined)) = (all.len() > 1, HeaderValue::from_bytes(&all.join(&b"; "[..]))) {
        fields.insert(COOKIE, joined);
    }
}

/// Turns the fields of a response into those for the client.
pub(crate) fn to_client(fields: &mut HeaderMap) {
    take_off(fields);
    add(fields, VIA, Some(HERE));
}

/// Removes fields for one hop only.
fn take_off(fields: &mut HeaderMap) {
    // No client or server may have the framing or the host of a message removed.
    let stays = |name: &HeaderName| [HOST, CONTENT_LENGTH, TRAILER].contains(name);
    let named: Vec<HeaderName> = fields
        .get_all(CONNECTION)
        .iter()
        .filter_map(|value| value.to_str().ok())
        .flat_map(|value| value.split(','))
        .filter_map(|name| HeaderName::try_from(name.trim()).ok())
        .filter(|name| !stays(name))
        .collect();
    for name in named {
        fields.remove(name);
    }
    remove_all(fields, |name| HOP_BY_HOP.contains(name));
}

/// Removes fields of some names. One pass over the fields is faster than a lookup of each name,
/// since few messages have any of them.
fn remove_all(fields: &mut HeaderMap, is_one: impl Fn(&HeaderName) -> bool) {
    while let Some(name) = fields.keys().find(|name| is_one(name)).cloned() {
        fields.remove(name);
    }
}

/// Appends to the elements of earlier proxies, in one field.
fn add(fields: &mut HeaderMap, name: HeaderName, value: Option<HeaderValue>) {
    let Some(value) = value else { return };
    match fields.entry(name) {
        Entry::Vacant(place) => {
            place.insert(value);
        }
        Entry::Occupied(mut said) => {
            let before: Vec<&[u8]> = said.iter().map(HeaderValue::as_bytes).collect();
            let all = [before.join(&b", "[..]).as_slice(), value.as_bytes()].join(&b", "[..]);
            if let Ok(all) = HeaderValue::from_bytes(&all) {
                said.insert(all);
            }
        }
    }
}

/// An element of `Forwarded`.
fn forwarded(origin: &Origin, from: &str, host: Option<&str>) -> String {
    let mut element = match origin.from {
        IpAddr::V4(_) => format!("for={from}"),
        IpAddr::V6(_) => format!("for=\"[{from}]\""),
    };
    if let Some(host) = host {
        let quoted = host.replace('\\', "\\\\").replace('"', "\\\"");
        // Writing into a text does not fail.
        let _ = write!(element, ";host=\"{quoted}\"");
    }
    element + ";proto=" + origin.scheme
}

#[cfg(test)]
mod tests;
