//! Lines of JSON, one object each.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::named::{Resolved, resolve};
use super::scanner::Scanner;
use super::tree::Node;
use super::{Format, Head, Known, Take, Wanted};
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::Clock;

pub(super) static CADDY: Known = Known {
    name: "caddy",
    summary: "Caddy's JSON lines",
    source: "https://caddyserver.com/docs/caddyfile/directives/log",
    example: include_str!("examples/caddy.log"),
    argument: None,
    open: |head, wanted| {
        if !has_objects(head) {
            return Ok(None);
        }
        let mut fields: Vec<(&str, Field, bool)> =
            CADDY_FIELDS.iter().map(|(path, field)| (*path, field.clone(), false)).collect();
        if let Some(user) = wanted.user {
            fields.retain(|field| field.1 != Field::User);
            match fields.iter_mut().find(|field| field.0 == user) {
                Some(field) => field.2 = true,
                None => fields.push((user, Field::Skip, true)),
            }
        }
        Ok(Some(Arc::new(Json { root: Node::tree(fields), ends: true })))
    },
};

/// What Caddy writes. Its older versions have the address and port together.
const CADDY_FIELDS: &[(&str, Field)] = &[
    ("ts", Field::AnyTime),
    ("duration", Field::AnyDuration),
    ("status", Field::Status),
    ("size", Field::Bytes),
    ("user_id", Field::User),
    ("request.remote_addr", Field::AddressPort),
    ("request.remote_ip", Field::Address),
    ("request.client_ip", Field::Address),
    ("request.proto", Field::Protocol),
    ("request.method", Field::Method),
    ("request.host", Field::Host),
    ("request.uri", Field::Url),
    ("request.headers.User-Agent", Field::Agent),
    ("request.headers.Referer", Field::Referrer),
];

pub(super) static JSON: Known = Known {
    name: "json",
    summary: "lines of JSON with usual names, as nginx's log_format with escape=json writes them",
    source: "https://nginx.org/en/docs/http/ngx_http_log_module.html",
    example: include_str!("examples/json.log"),
    argument: Some("json:end=ts,user=auth.name"),
    open: |head, wanted| open(head, wanted),
};

fn has_objects(head: &Head<'_>) -> bool {
    head.lines().any(|line| line.starts_with(b"{"))
}

/// The reader of a file by the keys of its first lines.
fn open(head: &Head<'_>, wanted: &Wanted<'_>) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let mut paths = Vec::new();
    for line in head.lines().filter(|line| line.starts_with(b"{")).take(LINES_LOOKED_AT) {
        Scanner::new(line).paths("", &mut paths);
    }
    if paths.is_empty() {
        return Ok(None);
    }
    // Such lines are written when a request ends.
    let Some(Resolved { columns, ends }) = resolve(&paths, wanted.argument, wanted.user, true)?
    else {
        return Ok(None);
    };
    let fields =
        paths.iter().zip(columns).filter(|(_, (field, user))| *user || *field != Field::Skip);
    let fields = fields.map(|(path, (field, user))| (&path[..], field, user)).collect();
    Ok(Some(Arc::new(Json { root: Node::tree(fields), ends })))
}

/// Keys are collected from so many lines.
const LINES_LOOKED_AT: usize = 50;

/// Objects of which the tree says what is wanted.
#[derive(Debug)]
struct Json {
    root: Node,
    ends: bool,
}

impl Format for Json {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        Scanner::new(line).line(&self.root, &mut draft, clock)?;
        take(draft.finish(self.ends)?);
        Ok(())
    }
}
