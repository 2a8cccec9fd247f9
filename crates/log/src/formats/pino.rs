//! Node's pino-http: objects with the request in `req` and the response in `res`. The time is that
//! of the request's end.

use super::FormatEntry;
use super::Head;
use super::dialect::{Dialect, largest_whole};
use super::keyed::Keyed;
use super::scanner::Scanner;
use crate::field::Field;
use crate::time::MILLISECOND;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "pino",
    summary: "Node's pino-http, with its usual serializers",
    source: "https://github.com/pinojs/pino-http",
    example: include_str!("examples/pino.log"),
    argument: None,
    open: |head, wanted| {
        let apart = largest_whole(head, "time").is_some() && in_two_lines(head);
        LINES.open_as(head, wanted, |keyed| match apart {
            true => Keyed { doubts: vec![IN_TWO.to_owned()], ..keyed },
            false => keyed,
        })
    },
};

const IN_TWO: &str = "requests and their answers have lines of their own, as of Fastify, and only \
    the requests are read, without status and duration: `jq -sc \
    'group_by([.pid,.reqId])[]|add' FILE | thinktime learn -` joins them";

/// Whether no line has both a request and its answer.
fn in_two_lines(head: &Head<'_>) -> bool {
    let has = |line: &[u8], key| Scanner::new(line).source_of(key).is_some();
    !head.lines().any(|line| has(line, "req") && has(line, "res"))
}

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
