//! What pages call by themselves, naming themselves as referrer.

use super::Paths;
use super::users::Session;
use crate::columns::UNKNOWN;

/// What a page embeds by its referrer comes this soon.
const CALL_S: f64 = 1.0;

/// Requests of a template are calls of pages where at least this share comes so soon.
const CALLS: f64 = 0.5;

const CALLS_LEAST: u32 = 20;

/// Counts by template how requests come.
///
/// Whether they are calls is decided for a template as a whole: a quick reader is no call.
#[derive(Debug)]
pub(super) struct Calls<'a> {
    templates: &'a [u32],
    /// How many there were, of those that would be pages.
    asked: Vec<u32>,
    /// And how many of these came at once.
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

/// How many templates there are.
pub(super) fn template_count(paths: &Paths<'_>) -> usize {
    paths.templates.iter().max().map_or(0, |last| *last as usize + 1)
}
