//! The content of requests: header fields, bodies, messages, calls of gRPC, statements of SQL.

pub(super) mod body;
pub(super) mod form;
pub(super) mod grpc;
pub(super) mod header;
pub(super) mod message;
mod place;
pub(super) mod sql;
pub(super) mod template;
pub(super) mod words;
