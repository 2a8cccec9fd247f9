//! A path that servers are asked for: whether they are well, or how much they have to do.

use hyper::header::{HOST, HeaderValue, InvalidHeaderValue, USER_AGENT};
use hyper::{Request, Uri};
use thinktime_core::error::Invalid;

use crate::plan::Backend;
use crate::stream::Upload;

/// A path, perhaps with a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question(Uri);

impl Question {
    /// As in `/health`.
    ///
    /// # Errors
    /// When it is no path.
    pub fn new(path: &str) -> Result<Question, Invalid> {
        let wrong =
            || Invalid::new(format!("`{path}` is no path to ask servers for, as in /health"));
        let parsed = path.parse::<Uri>().map_err(|_| wrong())?;
        if !path.starts_with('/') || parsed.authority().is_some() || path.contains('#') {
            return Err(wrong());
        }
        Ok(Question(parsed))
    }

    /// The request for it.
    pub(crate) fn to(&self, server: &Backend) -> Result<Request<Upload>, InvalidHeaderValue> {
        let mut request = Request::new(Upload::nothing());
        *request.uri_mut() = self.0.clone();
        let fields = request.headers_mut();
        fields.insert(HOST, HeaderValue::try_from(server.authority())?);
        fields.insert(USER_AGENT, HeaderValue::from_static("thinktime"));
        Ok(request)
    }
}
