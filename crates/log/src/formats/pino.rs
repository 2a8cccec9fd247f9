//! Node's pino-http: objects with the request in `req` and the response in `res`. The time is that
//! of the request's end.

use super::FormatEntry;
use super::dialect::Dialect;
use crate::field::Field;
use crate::time::MILLISECOND;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "pino",
    summary: "Node's pino-http, with its usual serializers",
    source: "https://github.com/pinojs/pino-http",
    example: include_str!("examples/pino.log"),
    argument: None,
    open: |head, wanted| LINES.open(head, wanted),
};

const LINES: Dialect = Dialect {
    marks: &[&["req.method", "req.url", "res.statusCode"]],
    fields: &[
        ("time", Field::AnyTime),
        ("responseTime", Field::Duration(MILLISECOND)),
        ("req.remoteAddress", Field::Address),
        ("req.headers.x-forwarded-for", Field::Forwarded),
        ("req.headers.user-agent", Field::Agent),
        ("req.headers.referer", Field::Referrer),
        ("req.headers.host", Field::Host),
        ("req.method", Field::Method),
        ("req.url", Field::Url),
        ("res.statusCode", Field::Status),
        ("res.headers.content-length", Field::Bytes),
    ],
    ends: true,
};
