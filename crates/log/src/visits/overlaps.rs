//! What a screen of an app asks for at once: calls beside the first one, without a referrer.

use super::Paths;
use super::calls::template_count;
use super::users::Session;
use crate::columns::UNKNOWN;

/// Of coarser stamps nobody can tell what came at once, and what came first; in seconds.
const RESOLUTION_S: f64 = 0.1;

/// Requests of a template are calls of screens where at least this share comes while another of
/// the user's requests is under way.
const OVERLAP_SHARE: f64 = 0.5;

/// And so many screens must begin with what is no such call: else there is no order in them, as
/// where many hands work behind one address.
const FIRST: f64 = 0.9;

/// Calls, and users, without which nothing is said.
const LEAST: usize = 20;

/// One request that came while another was under way.
#[derive(Clone, Copy, Debug)]
struct Call {
    user: u32,
    template: u32,
    /// The template of the request with which the screen began.
    first: u32,
}

/// Counts by template what comes while another request is under way.
#[derive(Debug)]
pub(super) struct Overlaps<'a> {
    templates: &'a [u32],
    /// Whether the log can tell.
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

    /// Whether the log can tell what came beside what.
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

    /// The templates that are such calls: none where there is no order in screens.
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
        // Those of a user are one behind the other.
        let users = calls.chunk_by(|call, next| call.user == next.user).count();
        if users < LEAST || among as f64 / calls.len() as f64 > 1.0 - FIRST {
            return vec![false; found.len()];
        }
        found
    }
}
