//! Lines of JSON, one object each.

use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::column_names::{Resolved, resolve, unit_open};
use super::scanner::Scanner;
use super::tree::Node;
use super::{Format, FormatEntry, FormatOptions, Head, Take};
use crate::field::{Draft, Field};
use crate::reason::Reason;
use crate::time::Clock;

pub(super) static KNOWN: FormatEntry = FormatEntry {
    name: "json",
    summary: "lines of JSON with usual names, as nginx's log_format with escape=json writes them",
    source: "https://nginx.org/en/docs/http/ngx_http_log_module.html",
    example: include_str!("examples/json.log"),
    argument: Some("json:end=ts,user=auth.name"),
    open: |head, wanted| open(head, wanted),
};

/// The reader of a file by the keys of its first lines.
fn open(head: &Head<'_>, wanted: &FormatOptions<'_>) -> Result<Option<Arc<dyn Format>>, Invalid> {
    let paths = keys(head);
    if paths.is_empty() {
        return Ok(None);
    }
    // Such lines are written when a request ends.
    let Some(Resolved { columns, ends }) = resolve(&paths, wanted.argument, wanted.user, true)?
    else {
        return Ok(None);
    };
    if let Some(lacking) = lacking(&columns) {
        return Err(lacking);
    }
    let unused =
        paths.iter().zip(&columns).filter(|(_, (field, user))| !user && *field == Field::Skip);
    let unused_fields = unused.map(|(path, _)| path.clone()).collect();
    let unit_open = paths.iter().zip(&columns).any(|(path, (field, _))| unit_open(path, field));
    let fields =
        paths.iter().zip(columns).filter(|(_, (field, user))| *user || *field != Field::Skip);
    let fields = fields.map(|(path, (field, user))| (&path[..], field, user)).collect();
    Ok(Some(Arc::new(Json { root: Node::tree(fields), ends, unused_fields, unit_open })))
}

/// If no key is known that every request has. A request line has both method and path.
fn lacking(columns: &[(Field, bool)]) -> Option<Invalid> {
    let has = |fields: &[Field]| columns.iter().any(|(field, _)| fields.contains(field));
    let user = columns.iter().any(|(_, user)| *user);
    let lacking: Vec<&str> = [
        ("method", has(&[Field::Method, Field::Request])),
        ("url", has(&[Field::Url, Field::Request])),
        ("address", user || has(&[Field::Address, Field::Forwarded, Field::User])),
    ]
    .into_iter()
    .filter(|(_, there)| !there)
    .map(|(key, _)| key)
    .collect();
    let all: Vec<String> = lacking.iter().map(|key| format!("{key}=KEY")).collect();
    (!lacking.is_empty()).then(|| {
        Invalid::new(format!(
            "no key of its first lines is known as the {}: name it, as in `--format json:{}`",
            lacking.join(", nor as the "),
            all.join(",")
        ))
    })
}

/// Keys are collected from this many lines.
const LINES_LOOKED_AT: usize = 50;

/// The keys of the first lines that are objects, as paths such as `request.uri`.
pub(super) fn keys(head: &Head<'_>) -> Vec<String> {
    let mut paths = Vec::new();
    for line in head.lines().filter(|line| line.starts_with(b"{")).take(LINES_LOOKED_AT) {
        Scanner::new(line).paths("", &mut paths);
    }
    paths
}

/// Objects, read as the tree requests.
#[derive(Debug)]
pub(super) struct Json {
    pub(super) root: Node,
    pub(super) ends: bool,
    /// The keys that are not used.
    pub(super) unused_fields: Vec<String>,
    pub(super) unit_open: bool,
}

impl Format for Json {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        Scanner::new(line).line(&self.root, &mut draft, clock)?;
        take(draft.finish(self.ends)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn unit_open(&self) -> bool {
        self.unit_open
    }
}
