//! The requests of the switch itself: health checks and probes.

use hyper::Request;
use hyper::header::{HOST, HeaderValue, InvalidHeaderValue, USER_AGENT};

use crate::backend::Backend;
use crate::check_path::CheckPath;
use crate::upload::Upload;

/// The request for a path at a server.
pub(crate) fn check_request(
    path: &CheckPath,
    server: &Backend,
) -> Result<Request<Upload>, InvalidHeaderValue> {
    let mut request = Request::new(Upload::nothing());
    *request.uri_mut() = path.uri().clone();
    let fields = request.headers_mut();
    fields.insert(HOST, HeaderValue::try_from(server.authority())?);
    fields.insert(USER_AGENT, HeaderValue::from_static("thinktime"));
    Ok(request)
}
