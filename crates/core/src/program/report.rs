//! The findings of programs.

use std::collections::{BTreeMap, BTreeSet};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use thinktime_file::time::Nanos;

use crate::secrets::KnownSecrets;
use crate::statistics::Tally;

/// How often a check held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct CheckCount {
    /// How often it held.
    pub passed: u64,
    /// How often it did not.
    pub failed: u64,
}

/// How often each check held, by its name.
pub type CheckCounts = BTreeMap<String, CheckCount>;

/// The findings of programs, by name.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Report {
    checks: CheckCounts,
    metrics: BTreeMap<String, Tally>,
    errors: BTreeMap<String, u64>,
    warnings: BTreeSet<String>,
    /// How often a value that requests take was in their responses, by request and name.
    takes: BTreeMap<String, CheckCount>,
    /// The beginning of the first body of a failure, by request and cause.
    bodies: BTreeMap<(String, String), String>,
}

/// The number of different messages that are kept apart; further ones count as the last.
const ERRORS_MAX: usize = 20;
const FURTHER: &str = "further errors";
/// The number of beginnings of bodies that are kept.
const BODIES_MAX: usize = 100;
/// The longest beginning of a body, in characters.
const BEGINNING_MAX: usize = 160;
/// Metrics count in this fraction of a unit, as times count in nanoseconds of a second.
const PARTS: f64 = 1e9;

impl Report {
    /// Counts a check.
    pub fn check(&mut self, name: &str, held: bool) {
        let count = entry(&mut self.checks, name);
        count.passed += u64::from(held);
        count.failed += u64::from(!held);
    }

    /// Adds a value, of 0 or more, to a metric; to three significant digits in percentiles.
    pub fn record(&mut self, name: &str, value: f64) {
        entry(&mut self.metrics, name).add(Nanos((value * PARTS + 0.5) as u64));
    }

    /// Counts whether the value that a request takes by this name was in a response.
    pub fn take(&mut self, request: &str, name: &str, found: bool) {
        let count = entry(&mut self.takes, &format!("`{name}` of `{request}`"));
        count.passed += u64::from(found);
        count.failed += u64::from(!found);
    }

    /// The values to be taken that were not always there, in words.
    pub fn missed(&self) -> impl Iterator<Item = String> + '_ {
        self.takes.iter().filter(|(_, count)| count.failed > 0).map(|(what, count)| {
            let all = count.passed + count.failed;
            format!("{what} was not found in {} of {all} responses", count.failed)
        })
    }

    /// Whether the body of a response that failed by this cause is the first, and may be kept.
    #[must_use]
    pub fn wants_body(&self, request: &str, cause: &str) -> bool {
        let place = (request.to_owned(), cause.to_owned());
        self.bodies.len() < BODIES_MAX && !self.bodies.contains_key(&place)
    }

    /// Keeps the beginning of the body of a response that failed by this cause, if it is the first,
    /// without secrets.
    pub fn failed_body(&mut self, request: &str, cause: String, body: &[u8], known: &KnownSecrets) {
        if self.wants_body(request, &cause) {
            self.bodies.insert((request.to_owned(), cause), beginning(body, known));
        }
    }

    /// The same with no secrets in the messages of errors, which may repeat a server's text. Names
    /// of checks and metrics are the author's, and stay.
    #[must_use]
    pub fn without(mut self, known: &KnownSecrets) -> Report {
        for (message, count) in std::mem::take(&mut self.errors) {
            *entry(&mut self.errors, &known.hidden(&message, false)) += count;
        }
        self.warnings = self.warnings.iter().map(|text| known.hidden(text, false)).collect();
        self
    }

    /// The beginnings of bodies of requests of this name, by cause.
    pub fn failed_bodies<'a>(
        &'a self,
        request: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a str)> + 'a {
        let own = self.bodies.iter().filter(move |((name, _), _)| name == request);
        own.map(|((_, cause), body)| (cause.as_str(), body.as_str()))
    }

    /// Counts an error that ended a session.
    pub fn error(&mut self, message: &str) {
        let known = self.errors.contains_key(message) || self.errors.len() < ERRORS_MAX;
        *entry(&mut self.errors, if known { message } else { FURTHER }) += 1;
    }

    /// Adds a remark that spoils or limits the result; the same words count once.
    pub fn warn(&mut self, message: &str) {
        self.warnings.insert(message.to_owned());
    }

    /// Checks by name.
    #[must_use]
    pub fn checks(&self) -> &CheckCounts {
        &self.checks
    }

    /// Metrics by name; a unit of the metric is a second of the tally.
    #[must_use]
    pub fn metrics(&self) -> &BTreeMap<String, Tally> {
        &self.metrics
    }

    /// Sessions that an error ended, by its message.
    #[must_use]
    pub fn errors(&self) -> &BTreeMap<String, u64> {
        &self.errors
    }

    /// Remarks that spoil or limit the result.
    #[must_use]
    pub fn warnings(&self) -> &BTreeSet<String> {
        &self.warnings
    }

    /// Merges two of them.
    #[must_use]
    pub fn joined(one: Option<Report>, other: Option<Report>) -> Option<Report> {
        match (one, other) {
            (Some(mut one), Some(other)) => {
                one.merge(&other);
                Some(one)
            }
            (one, other) => one.or(other),
        }
    }

    /// Adds the findings of another replication's programs.
    pub fn merge(&mut self, other: &Report) {
        for (name, count) in &other.checks {
            let mine = entry(&mut self.checks, name);
            mine.passed += count.passed;
            mine.failed += count.failed;
        }
        for (name, tally) in &other.metrics {
            entry(&mut self.metrics, name).merge(tally);
        }
        for (message, count) in &other.errors {
            *entry(&mut self.errors, message) += count;
        }
        self.warnings.extend(other.warnings.iter().cloned());
        for (place, body) in &other.bodies {
            self.bodies.entry(place.clone()).or_insert_with(|| body.clone());
        }
        for (what, count) in &other.takes {
            let mine = entry(&mut self.takes, what);
            mine.passed += count.passed;
            mine.failed += count.failed;
        }
    }
}

/// The beginning of a body, in one line: blanks and non-text count as one blank. Secrets are
/// removed before it is cut.
fn beginning(body: &[u8], known: &KnownSecrets) -> String {
    let end = body.len().min(16 * BEGINNING_MAX + known.longest());
    let text = String::from_utf8_lossy(&body[..end]);
    let cut = end < body.len();
    // A character that was cut does not count either.
    let text: &str = if cut { text.trim_end_matches('\u{fffd}') } else { &text };
    let text = known.hidden(text, cut);
    let blank = |c: char| c.is_whitespace() || c.is_control();
    let words: Vec<&str> = text.split(blank).filter(|word| !word.is_empty()).collect();
    let line = words.join(" ");
    match line.char_indices().nth(BEGINNING_MAX) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}

/// The value of this name, made if it does not exist; a known name is not copied.
fn entry<'a, T: Default>(map: &'a mut BTreeMap<String, T>, name: &str) -> &'a mut T {
    if !map.contains_key(name) {
        map.insert(name.to_owned(), T::default());
    }
    map.get_mut(name).expect("it was just made")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::secrets::REMOVED;

    #[test]
    fn reports_of_replications_add_up() {
        let mut one = Report::default();
        one.check("ok", true);
        one.record("items", 2.5);
        one.error("x.luau:1: no");
        one.warn("half of it is missing");
        let mut both = one.clone();
        one.check("ok", false);
        both.merge(&one);
        assert_eq!(both.checks()["ok"], CheckCount { passed: 2, failed: 1 });
        assert_eq!(both.metrics()["items"].mean_s(), Some(2.5));
        assert_eq!(both.errors()["x.luau:1: no"], 2);
        assert_eq!(both.warnings().len(), 1);
    }

    #[test]
    fn the_first_body_of_each_cause_is_kept_in_one_line() {
        let mut report = Report::default();
        let mut keep = |request: &str, cause: &str, body: &[u8]| {
            report.failed_body(request, cause.to_owned(), body, &KnownSecrets::default());
        };
        keep("a", "status 404", b"<p>\n  no\x1b[31m\tsuch page \xff</p>");
        keep("a", "status 404", b"another");
        keep("a", "status 500", "\u{e4}".repeat(500).as_bytes());
        keep("b", "status 404", b"");
        assert!(!report.wants_body("a", "status 404") && report.wants_body("b", "status 500"));
        let found: Vec<(&str, &str)> = report.failed_bodies("a").collect();
        assert_eq!(found[0], ("status 404", "<p> no [31m such page \u{fffd}</p>"));
        assert_eq!(found[1].1.chars().count(), BEGINNING_MAX + 1);
        assert_eq!(report.failed_bodies("b").collect::<Vec<_>>(), [("status 404", "")]);
    }

    #[test]
    fn secrets_are_taken_out_before_a_body_is_cut() {
        let (mut report, mut known) = (Report::default(), KnownSecrets::default());
        known.learn("HIDDEN-TOKEN");
        for at in [0, BEGINNING_MAX - 6, 16 * BEGINNING_MAX - 6, 16 * BEGINNING_MAX + 6] {
            for filler in [" ", "x"] {
                let body = format!("{}HIDDEN-TOKEN{}", filler.repeat(at), " x".repeat(5000));
                report.failed_body("a", format!("{at}{filler}"), body.as_bytes(), &known);
            }
        }
        assert_eq!(report.failed_bodies("a").count(), 8);
        for (cause, body) in report.failed_bodies("a") {
            assert!(!body.contains("HID"), "{cause}: {body}");
        }
    }

    #[test]
    fn messages_of_scripts_are_without_secrets() {
        let (mut report, mut known) = (Report::default(), KnownSecrets::default());
        known.learn("HIDDEN");
        report.error("x.luau:1: HIDDEN, {\"password\": \"ALSO\"}");
        report.error("x.luau:1: REMOVED, {\"password\": \"REMOVED\"}");
        report.warn("HIDDEN");
        let shown = report.without(&known);
        assert_eq!(shown.errors()["x.luau:1: REMOVED, {\"password\": \"REMOVED\"}"], 2);
        assert!(shown.errors().len() == 1 && shown.warnings().iter().eq([REMOVED]));
    }

    #[test]
    fn messages_are_bounded() {
        let mut report = Report::default();
        (0..100).for_each(|number| report.error(&format!("{number}")));
        assert_eq!(report.errors().len(), ERRORS_MAX + 1);
        assert_eq!(report.errors()[FURTHER], 80);
    }
}
