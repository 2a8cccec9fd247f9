//! Errors in the form of the interface.

use serde_json::json;

/// A request for a completion that gets none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::server) struct CompletionError {
    /// The status of the response.
    pub(in crate::server) status: u16,
    message: String,
    /// The methods that the path has, if the request's is not one of them (RFC 9110, 15.5.6).
    pub(in crate::server) allow: Option<&'static str>,
    /// The key of the body that is wrong, if it is one.
    key: Option<&'static str>,
}

impl CompletionError {
    pub(in crate::server) fn new(status: u16, message: impl Into<String>) -> CompletionError {
        CompletionError { status, message: message.into(), allow: None, key: None }
    }

    /// A key of the body has a wrong value.
    pub(super) fn wrong(key: &'static str, message: &str) -> CompletionError {
        let message = format!("`{key}` {message}");
        CompletionError { status: 400, message, allow: None, key: Some(key) }
    }

    /// A path does not have the request's method; it has these.
    pub(super) fn method(allow: &'static str) -> CompletionError {
        let message = format!("the path has the method {allow}");
        CompletionError { status: 405, message, allow: Some(allow), key: None }
    }

    /// The body of the response.
    pub(in crate::server) fn to_json(&self) -> String {
        let kind = if self.status < 500 { "invalid_request_error" } else { "server_error" };
        let CompletionError { message, key, .. } = self;
        json!({ "error": { "message": message, "type": kind, "param": key, "code": null } })
            .to_string()
    }
}
