//! Calls by pages themselves, which name their page as referrer.

use super::Paths;
use super::users::Session;
use crate::columns::UNKNOWN;

/// The longest delay of an embedded object by its referrer.
const CALL_S: f64 = 1.0;

/// Requests of a template are calls of pages if at least this share comes this soon.
const CALLS: f64 = 0.5;

const CALLS_LEAST: u32 = 20;

/// Counts, by template, the timing of requests.
///
/// A template is a call as a whole or not at all: a quick reader makes no call.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    templates: &'a [u32],
    /// The number of requests that would be pages.
    asked: Vec<u32>,
    /// The number of these that came at once.
    quick: Vec<u32>,
}

impl<'a> Calls<'a> {
    pub(super) fn new(paths: &Paths<'a>) -> Calls<'a> {
        let templates = template_count(paths);
        let (asked, quick) = (vec![0; templates], vec![0; templates]);
        Calls { templates: paths.templates, asked, quick }
    }

    pub(super) fn take(&mut self, session: &Session<'_>) {
        let rows = session.rows;
        // The page before: a session's first row is one.
        let mut page = 0;
        for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.base) {
            let template = self.templates[row.path as usize] as usize;
            self.asked[template] += 1;
            if at > 0 && row.referrer != UNKNOWN {
                let before = &rows[at - 1];
                let soon = row.time_s - before.time_s <= CALL_S;
                let another = before.referrer == row.referrer;
                if soon && (another || rows[page].path == row.referrer) {
                    self.quick[template] += 1;
                }
            }
            page = at;
        }
    }

    /// The templates that are calls.
    pub(super) fn templates(&self) -> Vec<bool> {
        let both = self.quick.iter().zip(&self.asked);
        let enough = |quick: u32, asked: u32| f64::from(quick) >= CALLS * f64::from(asked);
        both.map(|(quick, asked)| enough(*quick, *asked) && *quick >= CALLS_LEAST).collect()
    }
}

/// The number of templates.
pub(super) fn template_count(paths: &Paths<'_>) -> usize {
    paths.templates.iter().max().map_or(0, |last| *last as usize + 1)
}
