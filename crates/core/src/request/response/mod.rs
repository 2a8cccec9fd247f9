//! Responses: what is looked for in them, and what must hold.

pub(super) mod check;
pub(super) mod lookup;
pub(super) mod pattern;
