//! Policies: the order of service, and the server of a request.

pub mod dispatch;
pub mod scheduling;
