//! Policies: who is served next.

pub mod scheduling;
