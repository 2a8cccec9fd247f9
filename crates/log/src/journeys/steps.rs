//! Which kind of page follows which, and how many pages journeys have.

use super::{ColumnMismatch, same_lengths, within};

/// A page's successor is judged if this share of the waits ends before the log does.
const EDGE_QUANTILE: f64 = 0.995;

/// This share of all waits, the longest, nearly always shows the point with little still to come.
const LONGEST: f64 = 0.05;

/// At most this part of the log is left out at either end.
const EDGE_MAX: f64 = 0.2;

/// Of the journeys that were under way when the log began, at most this share may appear later.
const UNSETTLED: f64 = 0.01;

/// The pages of visits, in columns of one length.
#[derive(Clone, Copy, Debug)]
pub struct Pages<'a> {
    /// The page before each page in its journey, an earlier one; -1 if a journey begins.
    pub previous: &'a [i32],
    /// The page with which each page's journey begins.
    pub journey: &'a [i32],
    /// The kind of each page.
    pub kind: &'a [i32],
    /// When each page was requested, in seconds since the log's first request.
    pub start_s: &'a [f64],
    /// Whether the last attempt at each failed.
    pub failed: &'a [bool],
}

/// Counts of steps from page to page. Tables have a row for each kind.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Steps {
    /// How often each kind was visited.
    pub visited: Vec<u64>,
    /// With which kinds journeys begin.
    pub first: Vec<u64>,
    /// The kinds that follow, by kind; the last column, for the end, is 0.
    pub next: Vec<u64>,
    /// As `first`, for journeys that no edge of the log cut off.
    pub judged_first: Vec<u64>,
    /// As `next`, for pages that no edge of the log and no failure cut off; the last column is the
    /// end.
    pub judged_next: Vec<u64>,
    /// How many journeys were cut off.
    pub cut: u64,
    /// The seconds at the log's end that do not show which page follows.
    pub edge_s: f64,
    /// The seconds at its begin in which journeys under way seem to begin.
    pub settled_s: f64,
    /// Journeys by their number of pages.
    pub lengths: Vec<u64>,
    /// Journeys that begin after `settled_s`, by the number of pages before the edge.
    pub seen: Vec<u64>,
    /// Those of these journeys that have no other pages.
    pub ended: Vec<u64>,
}

/// Counts the steps between pages of `kinds` kinds, in a log of `span_s` seconds.
///
/// Near the log's end the next page may be missing. Near its begin, journeys under way seem to
/// begin.
///
/// # Errors
///
/// If columns have different lengths, or numbers are beyond pages and kinds.
pub fn steps(pages: &Pages<'_>, kinds: usize, span_s: f64) -> Result<Steps, ColumnMismatch> {
    let Pages { previous, journey, kind, start_s, failed } = *pages;
    let many = previous.len();
    same_lengths(many, &[journey.len(), kind.len(), start_s.len(), failed.len()])?;
    within("page", previous, -1, many)?;
    within("page", journey, 0, many)?;
    within("kind", kind, 0, kinds)?;
    let (edge_s, settled_s) = edges(gaps(pages), span_s);
    let table = || vec![0; kinds * (kinds + 1)];
    let mut found = Steps {
        visited: vec![0; kinds],
        first: vec![0; kinds],
        next: table(),
        judged_first: vec![0; kinds],
        judged_next: table(),
        edge_s,
        settled_s,
        ..Steps::default()
    };
    found.follow(pages, kinds, span_s - edge_s);
    found.measure(pages, span_s - edge_s);
    Ok(found)
}

impl Steps {
    /// Counts which kind follows which, for pages up to `end_s`.
    fn follow(&mut self, pages: &Pages<'_>, kinds: usize, end_s: f64) {
        let mut followed = vec![false; pages.previous.len()];
        let columns = pages.previous.iter().zip(pages.kind).zip(pages.start_s);
        for ((previous, kind), start_s) in columns {
            let kind = *kind as usize;
            self.visited[kind] += 1;
            if let Ok(before) = usize::try_from(*previous) {
                followed[before] = true;
                let step = pages.kind[before] as usize * (kinds + 1) + kind;
                self.next[step] += 1;
                self.judged_next[step] += u64::from(pages.start_s[before] <= end_s);
            } else {
                self.first[kind] += 1;
                self.judged_first[kind] += u64::from(*start_s >= self.edge_s);
            }
        }
        for (page, _) in followed.iter().enumerate().filter(|(_, followed)| !**followed) {
            if pages.failed[page] || pages.start_s[page] > end_s {
                self.cut += 1;
            } else {
                self.judged_next[pages.kind[page] as usize * (kinds + 1) + kinds] += 1;
            }
        }
    }

    /// Counts the pages of journeys up to `end_s`.
    fn measure(&mut self, pages: &Pages<'_>, end_s: f64) {
        let (mut lengths, mut known) =
            (vec![0_u32; pages.journey.len()], vec![0_u32; pages.journey.len()]);
        for (head, start_s) in pages.journey.iter().zip(pages.start_s) {
            lengths[*head as usize] += 1;
            known[*head as usize] += u32::from(*start_s <= end_s);
        }
        for (page, _) in pages.previous.iter().enumerate().filter(|(_, before)| **before < 0) {
            let (length, known) = (lengths[page], known[page]);
            count(&mut self.lengths, length);
            if known > 0 && pages.start_s[page] >= self.settled_s {
                count(&mut self.seen, known);
                if length == known {
                    count(&mut self.ended, known);
                }
            }
        }
        self.ended.resize(self.seen.len(), 0);
    }
}

fn count(counts: &mut Vec<u64>, number: u32) {
    let place = number as usize;
    if place >= counts.len() {
        counts.resize(place + 1, 0);
    }
    counts[place] += 1;
}

/// For each page that follows another: the time between them.
fn gaps(pages: &Pages<'_>) -> Vec<f64> {
    let both = pages.previous.iter().zip(pages.start_s);
    let wait = |(previous, start_s): (&i32, &f64)| {
        usize::try_from(*previous).ok().map(|before| start_s - pages.start_s[before])
    };
    both.filter_map(wait).collect()
}

/// The seconds at the log's end and at its begin that are not reliable.
///
/// A cut at the begin meets long waits more often, at any point within them: t seconds later, for
/// waits W, the share E[(W - t)+] / E[W] is still to come.
fn edges(mut waits: Vec<f64>, span_s: f64) -> (f64, f64) {
    let count = waits.len();
    if waits.iter().all(|wait| *wait <= 0.0) {
        return (0.0, 0.0);
    }
    let unsettled = UNSETTLED * waits.iter().sum::<f64>();
    let mut found = (0.0, 0.0);
    // The long waits nearly always decide it: the others need not be sorted.
    for share in [LONGEST, 1.0] {
        let many = count.min((share * count as f64) as usize + 2);
        if many < count {
            waits.select_nth_unstable_by(count - many, f64::total_cmp);
        }
        let longest = &mut waits[count - many..];
        longest.sort_unstable_by(f64::total_cmp);
        let settled = timeout_place(longest, unsettled);
        let place = EDGE_QUANTILE * (count - 1) as f64 - (count - many) as f64;
        found = (between(longest, place), longest[settled]);
        if settled > 0 {
            break;
        }
    }
    (found.0.min(EDGE_MAX * span_s), found.1.min(EDGE_MAX * span_s))
}

/// The first of these ascending waits beyond which at most `unsettled` seconds are to come; 0 if no
/// such wait exists.
fn timeout_place(longest: &[f64], unsettled: f64) -> usize {
    let (mut upto, mut found) = (0.0, 0);
    for (place, wait) in longest.iter().enumerate().rev() {
        upto += wait;
        if upto - wait * (longest.len() - place) as f64 <= unsettled {
            found = place;
        }
    }
    found
}

/// The value at a position between two values, by linear interpolation.
fn between(values: &[f64], place: f64) -> f64 {
    let low = (place.max(0.0) as usize).min(values.len() - 1);
    let next = values.get(low + 1).unwrap_or(&values[low]);
    values[low] + (next - values[low]) * (place - low as f64).max(0.0)
}
