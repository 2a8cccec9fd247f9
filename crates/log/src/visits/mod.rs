//! Sessions, the pages of each, embedded objects, and which page led to which.
//!
//! A session is a run of a user's requests with gaps up to a timeout. A page is a base with its
//! embedded objects. Pages that lead to one another are a journey. A session has one journey, or
//! several if it has several tabs or several people are behind one user.
//!
//! All of it is found session by session, in two passes over the requests. Whether pages embed
//! paths without a telling ending is decided for each template as a whole, from the timing of its
//! requests. If the log itself names pages, as our own results do, no search is needed: a page
//! begins with its first request.

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

/// Stands for no page.
pub const NONE: u32 = u32::MAX;

/// The most requests: places are kept in 31 bits.
pub const REQUESTS_MAX: usize = i32::MAX as usize;

/// Requests by time, in columns of one length, as in [`columns::Rows`](crate::columns::Rows).
#[derive(Clone, Copy, Debug, Default)]
pub struct Requests<'a> {
    /// When they arrived, in nanoseconds since 1970.
    pub time_ns: &'a [i64],
    /// The durations, in microseconds; [`UNKNOWN`], and the value below it, which stands for all
    /// longer ones, count as 0.
    pub duration_us: &'a [u32],
    /// The users.
    pub user: &'a [u32],
    /// The requested paths.
    pub path: &'a [u32],
    /// The path of the referring page; [`UNKNOWN`] if nobody had requested it before.
    pub referrer: &'a [u32],
    /// Statuses; 0 for none.
    pub status: &'a [u16],
    /// The page number that a user's requests of one page share, if the log names pages; else
    /// empty.
    pub page: &'a [u32],
}

/// Properties of paths, by their numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct Paths<'a> {
    /// Whether pages embed this path, by its ending.
    pub objects: &'a [bool],
    /// The template of each path: numbers below the number of paths.
    pub templates: &'a [u32],
}

/// The rules that make visits of requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rules {
    /// A longer gap ends a session, in seconds.
    pub timeout_s: f64,
    /// The resolution of the stamps, in seconds.
    pub resolution_s: f64,
    /// Whether pages embed objects; otherwise every request is a page of its own.
    pub pages: bool,
}

/// The requests of users in order, and their pages. Times are in seconds since the first request.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Visits {
    /// The places of the requests by user and time; rows below are in this order.
    pub order: Vec<u32>,
    /// The session of each row, from 0.
    pub session: Vec<u32>,
    /// Whether the row is another attempt after a failure.
    pub retry: Vec<bool>,
    /// Whether the row belongs to a page that was requested before.
    pub embedded: Vec<bool>,
    /// The page of each row, from 0.
    pub page: Vec<u32>,
    /// By page: the row of its base.
    pub base: Vec<u32>,
    /// By page: the page before it in its journey; [`NONE`] if a journey begins.
    pub previous: Vec<u32>,
    /// For the first page of a tab: the page from which it was opened; else [`NONE`].
    pub opener: Vec<u32>,
    /// By page: the page with which its journey begins.
    pub journey: Vec<u32>,
    /// By page: when it was requested.
    pub start_s: Vec<f64>,
    /// By page: when all of it was answered, as far as durations are logged.
    pub end_s: Vec<f64>,
    /// By page: whether its last attempt failed.
    pub failed: Vec<bool>,
}

/// Columns that do not belong to one log.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ColumnMismatch(String);

/// Finds sessions and pages.
///
/// # Errors
///
/// If columns have different lengths or more than [`REQUESTS_MAX`] rows, or if the number of a path
/// or a template is too large.
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
    // If neither can be known, the search for calls is skipped.
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
