//! Node's pino-http: objects with the request in `req` and the response in `res`. The time is that
//! of the request's end. Fastify writes a line for each of both.

use std::sync::Arc;

use super::dialect::{Dialect, largest_whole};
use super::json::{Json, keys};
use super::scanner::Scanner;
use super::{Format, FormatEntry, Half, Head, Take};
use crate::field::Field;
use crate::reason::Reason;
use crate::time::{Clock, MILLISECOND};

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "pino",
    summary: "Node's pino-http with its usual serializers, and Fastify's logger",
    source: "https://github.com/pinojs/pino-http",
    example: include_str!("examples/pino.log"),
    argument: None,
    open: |head, wanted| {
        let apart = largest_whole(head, "time").is_some() && in_two_lines(head);
        match LINES.keyed(&keys(head), wanted).map(Json::new) {
            Some(json) if apart => Ok(Some(Arc::new(Fastify(json)))),
            json => Ok(json.map(|json| Arc::new(json) as Arc<dyn Format>)),
        }
    },
};

/// Whether no line has both a request and its answer.
fn in_two_lines(head: &Head<'_>) -> bool {
    let has = |line: &[u8], key| Scanner::new(line).source_of(key).is_some();
    !head.lines().any(|line| has(line, "req") && has(line, "res"))
}

/// Fastify's lines: that of a request has `req`, and that of its answer `res` and the duration.
#[derive(Debug)]
struct Fastify(Json);

impl Format for Fastify {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        match self.half(line) {
            Some(half) if !half.begins => Ok(()),
            _ => self.0.read(line, clock, take),
        }
    }

    fn has_halves(&self) -> bool {
        true
    }

    fn half(&self, line: &[u8]) -> Option<Half> {
        let value = |key| Scanner::new(line).source_of(key);
        let mut key = value("reqId")?.to_vec();
        // Each process counts by itself; a logger may leave its number out.
        key.extend_from_slice(value("pid").unwrap_or_default());
        let begins = value("req").is_some();
        (begins || value("res").is_some()).then_some(Half { begins, key, unique: true })
    }

    fn join(
        &self,
        begin: &[u8],
        answer: Option<&[u8]>,
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        self.0.read_lines([Some(begin), answer].into_iter().flatten(), clock, take)
    }

    fn unused_fields(&self) -> Vec<String> {
        self.0.unused_fields()
    }
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
