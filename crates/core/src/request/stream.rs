//! Responses that come as streams of events.

use thinktime_file::error::Invalid;
use thinktime_file::time::Nanos;
use thinktime_file::workload::{RequestTable, StreamFormat};

use super::method::Method;
use super::timeout::time_of;

/// A response that is a stream of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StreamedResponse {
    /// The form of its events.
    pub format: StreamFormat,
    /// How long the client waits while nothing of it arrives; never [`Nanos::ZERO`].
    pub silence: Nanos,
}

impl StreamedResponse {
    /// That of a table, if it has one; an error comes with its key.
    pub(super) fn from_table(
        table: &RequestTable,
        method: Method,
    ) -> Result<Option<StreamedResponse>, (&'static str, Invalid)> {
        let Some(format) = table.stream else {
            let alone = || Invalid::new("goes with `stream`, as in stream = \"sse\"");
            return table.silence.as_ref().map_or(Ok(None), |_| Err(("silence", alone())));
        };
        if !method.is_http() || method == Method::Head || table.grpc.is_some() {
            let why = "goes with a method of HTTP whose response has a body: `get`, `post`, ...";
            return Err(("stream", Invalid::new(why)));
        }
        let silence = time_of(table.silence.as_ref()).map_err(|error| ("silence", error))?;
        Ok(Some(StreamedResponse { format, silence }))
    }
}
