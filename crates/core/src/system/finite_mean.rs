//! The check that a law has a finite mean.

use thinktime_file::error::Invalid;

use crate::distribution::Distribution;

pub(super) fn finite_mean(law: Distribution) -> Result<Distribution, Invalid> {
    if law.mean().is_finite() {
        return Ok(law);
    }
    Err(Invalid::new(format!(
        "`{law}` has an infinite mean, so no server can keep up with it: bound it, as in \
         truncated({law}, hi=...)"
    )))
}
