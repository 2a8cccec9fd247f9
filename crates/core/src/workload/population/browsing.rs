//! The properties of a session: the table of the file, and the part that does not concern the
//! model.

use thinktime_file::error::Invalid;
use thinktime_file::workload::{OnError, SessionTable};

/// The properties of sessions besides their requests, checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Browsing {
    /// Whether they keep cookies.
    pub cookies: bool,
    /// How many redirects a request follows.
    pub redirects: u32,
    /// The fate of a session when one of its requests has failed for good.
    pub on_error: OnError,
}

/// The largest allowed number of redirects; browsers follow 20.
const REDIRECTS_MAX: u32 = 50;

impl Browsing {
    pub(crate) fn from_table(table: &SessionTable) -> Result<Browsing, (&'static str, Invalid)> {
        let redirects = table.redirects.unwrap_or(0);
        if redirects > REDIRECTS_MAX {
            let why = format!("must be from 0 to {REDIRECTS_MAX}, not {redirects}");
            return Err(("redirects", Invalid::new(why)));
        }
        Ok(Browsing {
            cookies: table.cookies.unwrap_or(false),
            redirects,
            on_error: table.on_error.unwrap_or_default(),
        })
    }
}
