//! Lines of JSON, one object each.

use std::borrow::Cow;
use std::cell::OnceCell;
use std::collections::HashMap;
use std::sync::Arc;

use thinktime_core::error::Invalid;

use super::keyed::Keyed;
use super::scanner::{Paths, Scanner};
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
    let objects = Objects::first(head);
    let values = |path: &str| objects.values(path);
    let keyed = Keyed::by_names(KNOWN.name, &paths, wanted, head.timed, values)?;
    Ok(Some(Arc::new(Json::new(keyed))))
}

/// Whether the first lines are objects with a request in keys of usual names.
pub(super) fn has_request(head: &Head<'_>) -> bool {
    let (paths, wanted) = (keys(head), FormatOptions::default());
    let objects = Objects::first(head);
    let values = |path: &str| objects.values(path);
    let keyed = Keyed::by_names(KNOWN.name, &paths, &wanted, true, values);
    keyed.is_ok_and(|keyed| keyed.has_method)
}

/// The first lines, each parsed once: an object may have as many keys as it has words.
struct Objects<'a>(Vec<Members<'a>>);

impl<'a> Objects<'a> {
    fn first(head: &Head<'a>) -> Objects<'a> {
        let lines = head.lines().filter(|line| line.starts_with(b"{")).take(LINES_TRIED);
        Objects(lines.map(Members::of).collect())
    }

    /// The values of a key in these lines, without the quotes of texts.
    fn values(&self, path: &str) -> Vec<Option<Text<'a>>> {
        self.0.iter().map(|members| members.value(path)).collect()
    }
}

/// The values of an object in their source form, each with its own ones if somebody wants them.
struct Members<'a>(HashMap<&'a [u8], (&'a [u8], OnceCell<Members<'a>>)>);

impl<'a> Members<'a> {
    fn of(object: &'a [u8]) -> Members<'a> {
        let members = Scanner::new(object).members().into_iter();
        Members(members.map(|(key, source)| (key, (source, OnceCell::new()))).collect())
    }

    fn value(&self, path: &str) -> Option<Text<'a>> {
        let Some((source, _)) = self.0.get(path.as_bytes()) else {
            let (group, rest) = path.split_once('.')?;
            let (source, inner) = self.0.get(group.as_bytes())?;
            return inner.get_or_init(|| Members::of(source)).value(rest);
        };
        Scanner::new(source).text().or(Some(Cow::Borrowed(source)))
    }
}

/// The lines whose values are tried.
const LINES_TRIED: usize = 20;
/// Keys are collected from this many lines.
pub(super) const LINES_LOOKED_AT: usize = 2000;

/// The keys of the first lines that are objects, as paths such as `request.uri`.
pub(super) fn keys(head: &Head<'_>) -> Vec<String> {
    let mut paths = Paths::default();
    for line in head.lines().filter(|line| line.starts_with(b"{")).take(LINES_LOOKED_AT) {
        Scanner::new(line).paths("", &mut paths);
    }
    paths.into_all()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_keys_and_within_groups() {
        let line = r#"{"a":"x\ty","a":2,"b.c":3,"b":{"c":4,"d":{"e":[5]}},"f":{"g":1,},"n":null}"#;
        let (text, cut) = (format!("{line}\n"), format!("{}\n", &line[..20]));
        let value = |text: &str, path: &str| {
            let objects = Objects::first(&Head::new(text.as_bytes())).values(path);
            objects[0].as_ref().map(|value| String::from_utf8(value.to_vec()).unwrap())
        };
        for (path, expected) in [
            ("a", Some("x\ty")),
            ("b.c", Some("3")),
            ("b.d.e", Some("[5]")),
            ("b.d", Some(r#"{"e":[5]}"#)),
            ("n", Some("null")),
            ("b.x", None),
            ("x.c", None),
            ("f.g.h", None),
        ] {
            assert_eq!(value(&text, path).as_deref(), expected, "{path}");
        }
        assert_eq!(value(&cut, "a"), None);
    }

    #[test]
    fn a_line_of_very_many_keys_is_read() {
        // A second look at the whole line for each key would take minutes.
        let pairs: Vec<String> = (0..60_000).map(|n| format!("\"key{n}\":{{\"v\":{n}}}")).collect();
        let text = format!("{{{}}}\n", pairs.join(","));
        let head = Head::new(text.as_bytes());
        let all = keys(&head);
        assert_eq!((all.len(), &all[999][..]), (1000, "key999.v"));
        let objects = Objects::first(&head);
        assert!(all.iter().all(|key| objects.values(key)[0].is_some()));
        assert!(open(&head, &FormatOptions::default()).is_err());
    }
}
