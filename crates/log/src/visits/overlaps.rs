//! Simultaneous calls of an app's screen: calls beside the first one, without a referrer.

use super::Paths;
use super::calls::template_count;
use super::users::Session;
use crate::columns::UNKNOWN;

/// Coarser stamps do not show which requests came together, and which came first; in seconds.
const RESOLUTION_S: f64 = 0.1;

/// Requests of a template are calls of screens if at least this share comes while another of the
/// user's requests is under way.
const OVERLAP_SHARE: f64 = 0.5;

/// At least this share of screens must begin with a request that is no such call: else they have no
/// order, as with several people behind one address.
const FIRST: f64 = 0.9;

/// The fewest calls and users for a conclusion.
const LEAST: usize = 20;

/// A request that came while another was under way.
#[derive(Clone, Copy, Debug)]
struct Call {
    user: u32,
    template: u32,
    /// The template of the request that began the screen.
    first: u32,
}

/// Counts, by template, requests that come while another one is under way.
#[derive(Debug)]
pub(super) struct Overlaps<'a> {
    templates: &'a [u32],
    /// Whether the log can show it.
    known: bool,
    requests: Vec<u32>,
    calls: Vec<Call>,
}

impl<'a> Overlaps<'a> {
    /// `timed` says whether durations are logged.
    pub(super) fn new(paths: &Paths<'a>, timed: bool, resolution_s: f64) -> Overlaps<'a> {
        Overlaps {
            templates: paths.templates,
            known: timed && resolution_s <= RESOLUTION_S,
            requests: vec![0; template_count(paths)],
            calls: Vec::new(),
        }
    }

    /// Whether the log can show which requests overlap.
    pub(super) fn is_known(&self) -> bool {
        self.known
    }

    pub(super) fn take(&mut self, session: &Session<'_>) {
        if !self.known {
            return;
        }
        let mut under_way_s = f64::NEG_INFINITY;
        let mut first = 0;
        for row in session.rows.iter().filter(|row| row.base && row.referrer == UNKNOWN) {
            let template = self.templates[row.path as usize];
            self.requests[template as usize] += 1;
            if row.time_s < under_way_s {
                self.calls.push(Call { user: session.user, template, first });
            } else {
                first = template;
            }
            under_way_s = under_way_s.max(row.end_s);
        }
    }

    /// The templates that are such calls: empty if screens have no order.
    pub(super) fn calls(&self) -> Vec<bool> {
        let mut many = vec![0_usize; self.requests.len()];
        self.calls.iter().for_each(|call| many[call.template as usize] += 1);
        let enough = |(many, requests): (&usize, &u32)| {
            *many as f64 >= OVERLAP_SHARE * f64::from(*requests) && *many >= LEAST
        };
        let found: Vec<bool> = many.iter().zip(&self.requests).map(enough).collect();
        let of = |call: &&Call| found[call.template as usize];
        let calls: Vec<&Call> = self.calls.iter().filter(of).collect();
        let among = calls.iter().filter(|call| found[call.first as usize]).count();
        // The requests of a user are adjacent.
        let users = calls.chunk_by(|call, next| call.user == next.user).count();
        if users < LEAST || among as f64 / calls.len() as f64 > 1.0 - FIRST {
            return vec![false; found.len()];
        }
        found
    }
}
