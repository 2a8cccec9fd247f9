//! How sessions continue and end.

use crate::distribution::Distribution;
use crate::journey::Journey;

/// How sessions continue and end, besides by a number of requests.
#[derive(Debug, Default)]
pub(crate) struct Course {
    pub(crate) journey: Option<Journey>,
    pub(crate) lasts: Option<Distribution>,
    pub(crate) ends_at: Option<u32>,
    pub(crate) cache: bool,
}
