//! A request on its way to a server, perhaps to several in turn.

use hyper::body::{Body, Incoming};
use hyper::header::{CONTENT_LENGTH, HeaderValue, TRANSFER_ENCODING};
use hyper::http::request::Parts;
use hyper::http::uri::PathAndQuery;
use hyper::{HeaderMap, Method, Request, Uri, Version};

use crate::fields::{self, Origin};
use crate::host;
use crate::refusal::Refusal;
use crate::settings::{FIELDS_MAX, Settings};
use crate::upload::{Progress, Upload};

/// A request on its way.
#[derive(Debug)]
pub(crate) struct Outgoing {
    method: Method,
    uri: Uri,
    fields: HeaderMap,
    /// Its body, until it is sent; nothing without a body.
    upload: Option<Upload>,
    /// Whether sending it twice has the same effect as sending it once, and there is no body.
    repeatable: bool,
    pub(crate) progress: Progress,
}

impl Outgoing {
    /// The request for a server.
    pub(crate) fn new(
        request: Request<Incoming>,
        origin: Origin,
        settings: &Settings,
    ) -> Result<Outgoing, Refusal> {
        let (Parts { method, uri, version, headers: mut fields, .. }, body) = request.into_parts();
        if method == Method::CONNECT {
            return Err(Refusal(501, "CONNECT is not for a reverse proxy"));
        }
        if version == Version::HTTP_2 && !fields::are_well_formed(&fields) {
            return Err(Refusal(400, "the request has a malformed header field"));
        }
        let uri = host::of_origin(uri, &method, version, &mut fields)?;
        if fields.len() > FIELDS_MAX {
            return Err(Refusal(431, "the request has too many header fields"));
        }
        // The codec of HTTP/2 admits equal ones; the filter of HTTP/1 admits none.
        if fields.get_all(CONTENT_LENGTH).iter().count() > 1 {
            return Err(Refusal(400, "the request says its length twice"));
        }
        if body.size_hint().lower() > settings.body_bytes_max {
            return Err(Refusal(413, "the request's body is too large"));
        }
        fields::to_server(&mut fields, origin, version);
        if !body.is_end_stream() && body.size_hint().exact().is_none() {
            // For hyper, a GET without fields about a body has none.
            fields.insert(TRANSFER_ENCODING, HeaderValue::from_static("chunked"));
        }
        let progress = Progress::default();
        let repeatable = body.is_end_stream() && method.is_idempotent();
        let upload = Upload::new(body, settings.body_bytes_max, settings.idle, progress.clone());
        Ok(Outgoing { method, uri, fields, upload: Some(upload), repeatable, progress })
    }

    /// Path and query.
    pub(crate) fn target(&self) -> &str {
        self.uri.path_and_query().map_or("*", PathAndQuery::as_str)
    }

    pub(crate) fn method(&self) -> &str {
        self.method.as_str()
    }

    /// Whether it may be sent, perhaps once more.
    pub(crate) fn may_be_sent(&self) -> bool {
        self.repeatable || self.upload.is_some()
    }

    pub(crate) fn is_repeatable(&self) -> bool {
        self.repeatable
    }

    /// The request in its form for sending.
    pub(crate) fn message(&mut self) -> Request<Upload> {
        let mut message = Request::new(self.upload.take().unwrap_or_else(Upload::nothing));
        *message.method_mut() = self.method.clone();
        *message.uri_mut() = self.uri.clone();
        *message.headers_mut() = self.fields.clone();
        message
    }

    /// It was not sent after all.
    pub(crate) fn take_back(&mut self, message: Request<Upload>) {
        self.upload = Some(message.into_body());
    }
}
