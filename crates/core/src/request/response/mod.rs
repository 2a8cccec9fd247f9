//! Responses: lookups in them, and conditions on them.

pub(super) mod check;
pub(super) mod lookup;
pub(super) mod pattern;
