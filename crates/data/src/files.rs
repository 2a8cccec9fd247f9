//! The names of a result's files.

pub(crate) const RUN: &str = "run.toml";
pub(crate) const SUMMARY: &str = "summary.json";
pub(crate) const REQUESTS: &str = "requests.parquet";
pub(crate) const SERIES: &str = "series.parquet";
pub(crate) const HISTOGRAM: &str = "latency.hlog";
pub(crate) const SCHEDULE: &str = "schedule.json";
/// The places of rows that stayed on other machines.
pub(crate) const ELSEWHERE: &str = "rows.json";

/// The files of a result, in the order in which they are written.
pub(crate) const OF_RESULT: [&str; 6] = [RUN, REQUESTS, SUMMARY, SERIES, HISTOGRAM, SCHEDULE];

/// The pages of reports that hold no result but others' figures, and their kinds.
pub(crate) const PAGES: [(&str, &str); 2] =
    [("sweep.html", "a sweep"), ("capacity.html", "a search for a capacity")];

/// Marks a directory as incomplete.
pub(crate) const MARK: &str = "PARTIAL";
/// Marks a directory as replaced by a newer one.
pub(crate) const REPLACED: &str = "REPLACED";
/// The suffix of a file that is about to take another's place.
pub(crate) const DRAFT: &str = ".new";
/// The footer that `requests.parquet` would have if it ended now.
pub(crate) const FOOTER: &str = "requests.footer";
/// The rows after those of the footer, as an Arrow IPC stream; a suffix of the name gives the
/// number of row groups in the footer.
pub(crate) const TAIL: &str = "requests.tail-";
/// The rows that were recovered.
pub(crate) const RECOVERED: &str = "requests.recovered";

/// Whether a newer result replaces this file, for every kind of result.
pub(crate) fn is_known(name: &str) -> bool {
    let name = name.strip_suffix(DRAFT).unwrap_or(name);
    KNOWN.contains(&name) || name.starts_with(TAIL)
}

pub(crate) const KNOWN: [&str; 16] = [
    RUN,
    SUMMARY,
    REQUESTS,
    SERIES,
    HISTOGRAM,
    SCHEDULE,
    ELSEWHERE,
    MARK,
    REPLACED,
    FOOTER,
    RECOVERED,
    // Written by Python: the label, and how the result was made.
    "label.json",
    "made.json",
    // A capacity.
    "capacity.json",
    "probes.parquet",
    "capacity.html",
];
