//! The part of a summary about links.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::system::link::{Counts, LinkSummary};

/// A link over the measured time.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct LinkFigures {
    /// Its traffic.
    #[serde(flatten)]
    pub counts: Counts,
    /// The share of its rate that was used from clients to servers; `None` without a rate.
    pub load_out: Option<f64>,
    /// The share of its rate that was used from servers to clients; `None` without a rate.
    pub load_back: Option<f64>,
}

impl From<&LinkSummary> for LinkFigures {
    fn from(link: &LinkSummary) -> LinkFigures {
        let load = |way: usize| link.loads.map(|loads| loads[way]);
        LinkFigures { counts: link.counts, load_out: load(0), load_back: load(1) }
    }
}
