//! Policies: the order of service, the server of a request, and what a cache forgets.

pub mod dispatch;
pub mod replacement;
pub mod scheduling;
