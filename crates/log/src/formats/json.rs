//! Lines of JSON, one object each.

use std::borrow::Cow;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::keyed::Keyed;
use super::scanner::Scanner;
use super::tree::Node;
use super::{Format, FormatEntry, FormatOptions, Head, Take};
use crate::entry::Text;
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
    let values = |path: &str| values(head, path);
    let keyed = Keyed::by_names(KNOWN.name, &paths, wanted, head.timed, values)?;
    Ok(Some(Arc::new(Json::new(keyed))))
}

/// Whether the first lines are objects with a request in keys of usual names.
pub(super) fn has_request(head: &Head<'_>) -> bool {
    let (paths, wanted) = (keys(head), FormatOptions::default());
    let values = |path: &str| values(head, path);
    let keyed = Keyed::by_names(KNOWN.name, &paths, &wanted, true, values);
    keyed.is_ok_and(|keyed| keyed.has_method)
}

/// The values of a key in the first lines, without the quotes of texts.
fn values<'a>(head: &Head<'a>, path: &str) -> Vec<Option<Text<'a>>> {
    let lines = head.lines().filter(|line| line.starts_with(b"{")).take(LINES_TRIED);
    lines.map(|line| value(line, path)).collect()
}

fn value<'a>(object: &'a [u8], path: &str) -> Option<Text<'a>> {
    let scanner = Scanner::new(object);
    let Some(source) = scanner.source_of(path) else {
        let (group, rest) = path.split_once('.')?;
        return value(scanner.source_of(group)?, rest);
    };
    scanner.text_of(path).or(Some(Cow::Borrowed(source)))
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

impl Json {
    /// Reads the lines of one request; of a key that several have, the last value is taken.
    pub(super) fn read_lines<'a>(
        &self,
        lines: impl Iterator<Item = &'a [u8]>,
        clock: &mut Clock,
        take: &mut Take<'_>,
    ) -> Result<(), Reason> {
        let mut draft = Draft::default();
        if !self.keyed.has_method {
            draft.entry.method = Cow::Borrowed(b"GET");
        }
        for line in lines {
            Scanner::new(line).line(&self.root, &mut draft, clock)?;
        }
        take(draft.finish(self.keyed.ends, clock)?);
        Ok(())
    }
}

impl Format for Json {
    fn read(&self, line: &[u8], clock: &mut Clock, take: &mut Take<'_>) -> Result<(), Reason> {
        self.read_lines(std::iter::once(line), clock, take)
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
