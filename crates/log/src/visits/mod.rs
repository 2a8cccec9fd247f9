//! Sessions, the pages of each, what pages embed, and which page led to which.
//!
//! A session is a run of a user's requests with gaps up to a timeout. A page is a base with what it
//! embeds. Pages that lead to one another are a journey: a session has one, but more where it has
//! several tabs, or where several people are behind one user.
//!
//! All of it is found session by session. Requests are gone through twice: what pages embed without
//! an ending that says so is decided for each template as a whole, from how its requests come.
//! Where the log itself tells pages, as our own results do, there is nothing to find: a page begins
//! with the first of its requests.

mod calls;
mod embeds;
mod latest;
mod navigation;
mod overlaps;
mod pages;
mod parents;
mod users;

use calls::Calls;
use embeds::Embeds;
use overlaps::Overlaps;
use pages::PageFinder;
use thiserror::Error;
use users::Users;

use crate::columns::UNKNOWN;

/// Stands where there is no page.
pub const NONE: u32 = u32::MAX;

/// The most requests that can be looked at: places are kept in 31 bits.
pub const REQUESTS_MAX: usize = i32::MAX as usize;

/// Requests by time, in columns of one length, as [`columns::Rows`](crate::columns::Rows) has them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests<'a> {
    /// When they arrived, in nanoseconds since 1970.
    pub time_ns: &'a [i64],
    /// How long they took, in microseconds; [`UNKNOWN`], or one less for all that is longer, counts
    /// as 0.
    pub duration_us: &'a [u32],
    /// Who asked.
    pub user: &'a [u32],
    /// For what.
    pub path: &'a [u32],
    /// The path of the page that led there; [`UNKNOWN`] if nobody had asked for it before.
    pub referrer: &'a [u32],
    /// Statuses; 0 for none.
    pub status: &'a [u16],
    /// What a user's requests of one page have in common, where the log tells pages; else empty.
    pub page: &'a [u32],
}

/// What is known of paths, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paths<'a> {
    /// Whether pages embed what has this path, by its ending.
    pub objects: &'a [bool],
    /// The template of each path: numbers below the number of paths.
    pub templates: &'a [u32],
}

/// How visits are made of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A longer gap ends a session, in seconds.
    pub timeout_s: f64,
    /// The steps of the stamps, in seconds.
    pub resolution_s: f64,
    /// Whether pages embed something; otherwise every request is a page of its own.
    pub pages: bool,
}

/// The requests of users in order, and the pages that they make. Times are in seconds since the
/// first request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visits {
    /// The places of the requests by user and time; rows below are in this order.
    pub order: Vec<u32>,
    /// The session of each row, from 0.
    pub session: Vec<u32>,
    /// Whether the row is another attempt at what had failed.
    pub retry: Vec<bool>,
    /// Whether the row belongs to a page that was asked for before.
    pub embedded: Vec<bool>,
    /// The page of each row, from 0.
    pub page: Vec<u32>,
    /// Of each page: the row of its base.
    pub base: Vec<u32>,
    /// Of each page: the page before it in its journey; [`NONE`] where a journey begins.
    pub previous: Vec<u32>,
    /// Of the first page of a tab: the page from which it was opened; [`NONE`] of others.
    pub opener: Vec<u32>,
    /// Of each page: the page with which its journey begins.
    pub journey: Vec<u32>,
    /// Of each page: when it was asked for.
    pub start_s: Vec<f64>,
    /// Of each page: when all of it was answered, as far as durations are logged.
    pub end_s: Vec<f64>,
    /// Of each page: whether its last attempt failed.
    pub failed: Vec<bool>,
}

/// Columns that are not those of one log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ColumnMismatch(String);

/// Finds sessions and pages.
///
/// # Errors
///
/// If columns have different lengths, or more than [`REQUESTS_MAX`] rows, or if a path or a
/// template has a number that is too large.
pub fn find_visits(
    requests: Requests<'_>,
    paths: Paths<'_>,
    rules: &Rules,
) -> Result<Visits, ColumnMismatch> {
    fits(&requests, &paths)?;
    let mut users = Users::new(requests, paths.objects.len(), rules);
    let mut embeds = Embeds::by_endings(&paths, rules.pages && requests.page.is_empty());
    let known = |numbers: &[u32]| numbers.iter().any(|number| *number != UNKNOWN);
    let mut overlaps = Overlaps::new(&paths, known(requests.duration_us), rules.resolution_s);
    // Where neither can be told, what is called by what need not be looked for.
    if rules.pages && requests.page.is_empty() && (overlaps.is_known() || known(requests.referrer))
    {
        let mut calls = Calls::new(&paths);
        users.each(&embeds, |session| {
            calls.take(session);
            overlaps.take(session);
        });
        embeds.add(&paths, &calls.templates(), &overlaps.calls());
    }
    let mut finder = PageFinder::new(requests.time_ns.len(), paths.objects.len());
    users.each(&embeds, |session| finder.take(session));
    Ok(finder.finish(users.into_order()))
}

/// Whether columns have the same lengths, and numbers are within them.
fn fits(requests: &Requests<'_>, paths: &Paths<'_>) -> Result<(), ColumnMismatch> {
    let (rows, known) = (requests.time_ns.len(), paths.objects.len());
    let Requests { duration_us, user, path, referrer, status, page, .. } = *requests;
    let pages = if page.is_empty() { rows } else { page.len() };
    let lengths = [duration_us.len(), user.len(), path.len(), referrer.len(), status.len(), pages];
    if lengths.iter().any(|length| *length != rows) {
        return Err(ColumnMismatch(format!(
            "columns of {rows} and of {lengths:?} rows are not one log's"
        )));
    }
    if rows > REQUESTS_MAX {
        return Err(ColumnMismatch(format!(
            "there are {rows} requests; at most {REQUESTS_MAX} are taken"
        )));
    }
    if paths.templates.len() != known {
        let templates = paths.templates.len();
        return Err(ColumnMismatch(format!(
            "{known} paths need as many templates, not {templates}"
        )));
    }
    let beyond =
        |numbers: &[u32]| numbers.iter().find(|number| **number as usize >= known).copied();
    if let Some(path) = beyond(path) {
        return Err(ColumnMismatch(format!(
            "there is no path {path}: there are {known}, from 0 on"
        )));
    }
    if let Some(template) = beyond(paths.templates) {
        return Err(ColumnMismatch(format!(
            "template {template} is too large: {known} paths have no more"
        )));
    }
    Ok(())
}

#[cfg(test)]
mod tests;
