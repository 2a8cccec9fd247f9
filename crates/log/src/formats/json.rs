//! Lines of JSON, one object each.

use std::borrow::Cow;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::keyed::Keyed;
use super::scanner::Scanner;
use super::tree::Node;
use super::{Format, FormatEntry, FormatOptions, Head, Take};
use crate::field::Draft;
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
    let only_time = || only_time(head, &paths);
    let keyed = Keyed::by_names(KNOWN.name, &paths, wanted, head.timed, only_time)?;
    Ok(Some(Arc::new(Json::new(keyed))))
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

/// The lines whose values are tried.
const LINES_TRIED: usize = 20;
/// Keys are collected from this many lines.
pub(super) const LINES_LOOKED_AT: usize = 2000;

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
    root: Node,
    keyed: Keyed,
}

impl Json {
    pub(super) fn new(keyed: Keyed) -> Json {
        let fields = keyed.fields.iter();
        let fields = fields.map(|(path, field, user)| (&path[..], field.clone(), *user)).collect();
        Json { root: Node::tree(fields), keyed }
    }
}

impl Format for Json {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        let mut draft = Draft::default();
        if !self.keyed.has_method {
            draft.entry.method = Cow::Borrowed(b"GET");
        }
        Scanner::new(line).line(&self.root, &mut draft, clock)?;
        take(draft.finish(self.keyed.ends, clock)?);
        Ok(())
    }

    fn unused_fields(&self) -> Vec<String> {
        self.keyed.unused_fields.clone()
    }

    fn doubts(&self) -> Vec<String> {
        self.keyed.doubts.clone()
    }

    fn unit_open(&self) -> bool {
        self.keyed.unit_open
    }
}
