//! The path of a health check or a load probe.

use hyper::Uri;
use thinktime_core::error::Invalid;

/// A path, perhaps with a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckPath(Uri);

impl CheckPath {
    /// As in `/health`.
    ///
    /// # Errors
    /// If it is no path.
    pub fn new(path: &str) -> Result<CheckPath, Invalid> {
        let wrong = || Invalid::new(format!("`{path}` is no path of a server, as in /health"));
        let parsed = path.parse::<Uri>().map_err(|_| wrong())?;
        if !path.starts_with('/') || parsed.authority().is_some() || path.contains('#') {
            return Err(wrong());
        }
        Ok(CheckPath(parsed))
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.0
    }
}
