//! The fields of a request in HTTP/2 and HTTP/3.

use super::http1::RequestHead;

/// Fields about a connection of HTTP/1.1, or that become pseudo-fields.
const LEFT_OUT: [&str; 6] =
    ["host", "connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"];
/// Fields that a client often repeats unchanged.
const KEPT: [&str; 5] = ["accept", "accept-encoding", "accept-language", "cookie", "user-agent"];

/// Hands each field to `push`: its name in lower case, its value, and whether it is likely to be
/// repeated, so that it is worth a place in a table.
///
/// Content-Length is added if there is a body or the method suggests one. Fields about a connection
/// of HTTP/1.1 are left out. `scheme` is `http` or `https`.
pub(super) fn request_fields(
    request: &RequestHead<'_>,
    scheme: &str,
    mut push: impl FnMut(&str, &[u8], bool),
) {
    let value = |name: &str| {
        let mut headers = request.headers.iter();
        headers.find(|(own, _)| own.eq_ignore_ascii_case(name)).map(|(_, value)| *value)
    };
    push(":method", request.method.as_bytes(), false);
    push(":scheme", scheme.as_bytes(), false);
    push(":authority", value("host").unwrap_or(request.host).as_bytes(), true);
    push(":path", request.target.as_bytes(), false);
    let suggested = matches!(request.method, "POST" | "PUT" | "PATCH");
    if (suggested || !request.body.is_empty()) && value("content-length").is_none() {
        push("content-length", request.body.len().to_string().as_bytes(), false);
    }
    for (name, value) in request.headers {
        let name = name.to_ascii_lowercase();
        if !LEFT_OUT.contains(&&name[..]) {
            push(&name, value.as_bytes(), KEPT.contains(&&name[..]));
        }
    }
}
