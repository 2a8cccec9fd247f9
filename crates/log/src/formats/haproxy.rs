//! HAProxy's HTTP log (`option httplog`). Its time is that of the request's begin, in the machine's
//! zone, which it does not name: it is read as UTC. The last of its times in milliseconds, `Ta` or
//! formerly `Tt`, is the whole. Captured headers have no names in it, and are skipped.

use super::FormatEntry;
use super::layout_format::first_fitting;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "haproxy",
    summary: "HAProxy's HTTP log",
    source: "https://docs.haproxy.org/3.0/configuration.html#8.2.3",
    example: include_str!("examples/haproxy.log"),
    argument: None,
    open: |head, wanted| first_fitting(&[TEMPLATE], false, head, wanted),
};

/// Captured headers are between the queues and the request.
const TEMPLATE: &str = concat!(
    "{address_port} [{clf_millis}] {-frontend} {-backend} {timers} {status} {bytes} ",
    "{-request_cookie} {-response_cookie} {-termination} {-connections} {-queues} \"{request}\"",
);
