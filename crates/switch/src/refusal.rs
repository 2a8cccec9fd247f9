//! Why the switch answers a request itself.

use crate::dispatcher::PlacementError;

/// The switch's own answer: a status, and the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Refusal(pub(crate) u16, pub(crate) &'static str);

impl From<PlacementError> for Refusal {
    fn from(why: PlacementError) -> Refusal {
        match why {
            PlacementError::NoServer => Refusal(503, "no server takes requests"),
            PlacementError::Full => Refusal(503, "too many requests wait"),
            PlacementError::Late => Refusal(503, "the request has waited for too long"),
        }
    }
}

impl Refusal {
    /// The text for the client.
    pub(crate) fn text(self) -> String {
        let Refusal(status, why) = self;
        format!("{status}: {why}\n")
    }
}
