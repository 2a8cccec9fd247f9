//! Policies: who is served next, and which server a request goes to.

pub mod dispatch;
pub mod scheduling;
