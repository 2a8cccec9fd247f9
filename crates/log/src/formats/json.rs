//! Lines of JSON, one object each.

use std::borrow::Cow;
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
    let mut resolved = resolve(&paths, wanted.argument, wanted.user, true)?;
    if let (None, Some(key)) = (&resolved, only_time(head, &paths)) {
        let mapping = format!("{},stamp={key}", wanted.argument.unwrap_or_default());
        resolved = resolve(&paths, Some(&mapping), wanted.user, true)?;
    }
    let timed = resolved.is_some();
    let skipped = || Resolved { columns: vec![(Field::Skip, false); paths.len()], ends: true };
    let Resolved { columns, ends } = resolved.unwrap_or_else(skipped);
    if let Some(lacking) = lacking(timed, &columns, &paths) {
        return Err(lacking);
    }
    let has_method = has(&columns, &[Field::Method, Field::Request]);
    let unused =
        paths.iter().zip(&columns).filter(|(_, (field, user))| !user && *field == Field::Skip);
    let unused_fields = unused.map(|(path, _)| path.clone()).collect();
    let unit_open = paths.iter().zip(&columns).any(|(path, (field, _))| unit_open(path, field));
    let fields =
        paths.iter().zip(columns).filter(|(_, (field, user))| *user || *field != Field::Skip);
    let fields = fields.map(|(path, (field, user))| (&path[..], field, user)).collect();
    let root = Node::tree(fields);
    Ok(Some(Arc::new(Json { root, ends, unused_fields, unit_open, has_method })))
}

fn has(columns: &[(Field, bool)], fields: &[Field]) -> bool {
    columns.iter().any(|(field, _)| fields.contains(field))
}

/// The only key whose values are all texts of a time, whatever its name.
fn only_time<'a>(head: &Head<'_>, paths: &'a [String]) -> Option<&'a str> {
    let mut clock = Clock::default();
    let mut is_time = |line: &[u8], path: &str| {
        let text = Scanner::new(line).text_of(path);
        text.is_some_and(|text| text.contains(&b':') && clock.any(&text).is_ok())
    };
    let lines = || head.lines().filter(|line| line.starts_with(b"{")).take(LINES_TRIED);
    let mut times = paths.iter().filter(|path| lines().all(|line| is_time(line, path)));
    times.next().filter(|_| times.next().is_none()).map(|path| &path[..])
}

/// If no key is known that every request has. A request line has a path.
fn lacking(timed: bool, columns: &[(Field, bool)], paths: &[String]) -> Option<Invalid> {
    let user = columns.iter().any(|(_, user)| *user);
    let addressed = has(columns, &[Field::Address, Field::Forwarded, Field::User]);
    // Without a time, the other keys are not looked for.
    let lacking: Vec<&str> = [
        ("time", timed),
        ("url", !timed || has(columns, &[Field::Url, Field::Request])),
        ("address", !timed || user || addressed),
    ]
    .into_iter()
    .filter(|(_, there)| !there)
    .map(|(key, _)| key)
    .collect();
    let all: Vec<String> = lacking.iter().map(|key| format!("{key}=KEY")).collect();
    (!lacking.is_empty()).then(|| {
        Invalid::new(format!(
            "no key of its first lines is known as the {}: name it, as in `--format json:{}`; its \
             keys are {}{}",
            lacking.join(", nor as the "),
            all.join(","),
            paths[..paths.len().min(KEYS_SHOWN)].join(", "),
            if paths.len() > KEYS_SHOWN { ", ..." } else { "" }
        ))
    })
}

/// The lines whose values are tried.
const LINES_TRIED: usize = 20;
/// The keys that a message lists.
const KEYS_SHOWN: usize = 30;
/// Keys are collected from this many lines.
const LINES_LOOKED_AT: usize = 2000;

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
    /// Whether a key has the method. Lists of pages have none.
    pub(super) has_method: bool,
}

impl Format for Json {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        if !self.has_method {
            draft.entry.method = Cow::Borrowed(b"GET");
        }
        Scanner::new(line).line(&self.root, &mut draft, clock)?;
        take(draft.finish(self.ends)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        let doubt = "no key is known as the method, and all requests are taken for GET; \
                     --format json:method=KEY names it";
        if self.has_method { Vec::new() } else { vec![doubt.to_owned()] }
    }

    fn unit_open(&self) -> bool {
        self.unit_open
    }
}
