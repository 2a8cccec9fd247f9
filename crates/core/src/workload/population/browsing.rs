//! What a session is: the table of the file, and what of it is not the model's matter.

use crate::error::Invalid;
use crate::file::{OnError, SessionTable};

/// How sessions behave besides what they send, checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Browsing {
    /// Whether they keep cookies.
    pub cookies: bool,
    /// How many redirects a request follows.
    pub redirects: u32,
    /// What becomes of them when a request has failed for good.
    pub on_error: OnError,
}

/// The most redirects that can be asked for; browsers follow 20.
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
