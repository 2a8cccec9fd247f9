//! Overload that no demand shows beforehand: of pools, of one server of a cluster, of links. It is
//! seen by what was left.

use std::fmt;

use thinktime_core::system::cluster::ClusterSummary;
use thinktime_core::system::link::LinkSummary;
use thinktime_core::system::{AnyNodeModel, NodeSummary, StationSummary, SystemModel};
use thinktime_core::words;
use thinktime_core::workload::Workload;

use crate::modelled_system::Measured;

/// A part is full from this load on.
const FULL: f64 = 0.98;
/// A link is full from this load on: senders that lose packets leave some of its rate unused.
const LINK_FULL: f64 = 0.9;
/// By chance alone, the number that is present grows by several times the square root of the number
/// that came. Ten times are too many even at a load of exactly 1.
const DEVIATIONS: f64 = 10.0;
/// This many parts are named.
const NAMED_MAX: usize = 3;

/// The parts that were full all the time while ever more waited for them.
pub(crate) struct Overload(Vec<FullPart>);

struct FullPart {
    name: String,
    load: f64,
    /// The load that would have been needed to keep up; not known of a link.
    asked: Option<f64>,
    /// How many more were present at the end than at the beginning.
    growth: i64,
}

impl Overload {
    /// The overload that the figures show; nothing if the numbers of sessions are fixed, or the
    /// rate changes.
    pub(crate) fn find(
        workload: &Workload,
        system: &SystemModel,
        measured: &Measured,
    ) -> Option<Overload> {
        let gap_cv2 = workload.steady_gap_cv2()?;
        let mut full = Vec::new();
        for (model, node) in system.nodes.iter().zip(&measured.nodes) {
            match (model, node) {
                (AnyNodeModel::Pool(pool), Some(NodeSummary::Pool(of)))
                    if pool.queue_limit == u64::MAX =>
                {
                    full.extend(full_station(&pool.name, of, gap_cv2));
                }
                (AnyNodeModel::Station(station), Some(NodeSummary::Station(of)))
                    if station.is_unlimited() =>
                {
                    full.extend(full_station(&station.name, of, gap_cv2));
                }
                (AnyNodeModel::Cluster(cluster), Some(NodeSummary::Cluster(of)))
                    if cluster.stations.iter().all(|one| one.model.is_unlimited()) =>
                {
                    full.extend(full_servers(model.name(), of, gap_cv2));
                }
                (AnyNodeModel::Link(_), Some(NodeSummary::Link(of))) => {
                    full.extend(full_link(model.name(), of, measured.growth, gap_cv2));
                }
                _ => {}
            }
        }
        full.sort_by_key(|one| std::cmp::Reverse(one.growth));
        (!full.is_empty()).then_some(Overload(full))
    }
}

/// Whether `growth` is beyond chance if this many came, with demands and gaps of this variation.
fn grows(growth: i64, came: u64, cv2: f64) -> bool {
    growth as f64 > DEVIATIONS * (came as f64 * cv2.max(1.0)).sqrt()
}

fn full_station(name: &str, of: &StationSummary, gap_cv2: f64) -> Option<FullPart> {
    let StationSummary { load, growth, arrivals, demand_cv2, .. } = *of;
    let full = load >= FULL && grows(growth, arrivals, 0.5 * (gap_cv2 + demand_cv2));
    full.then(|| {
        let served = (arrivals as f64 - growth as f64).max(1.0);
        let asked = Some(load * arrivals as f64 / served);
        FullPart { name: name.to_owned(), load, asked, growth }
    })
}

/// The stations of a cluster's servers that are full.
fn full_servers(name: &str, of: &ClusterSummary, gap_cv2: f64) -> Vec<FullPart> {
    let numbered = of.servers.iter().enumerate();
    let all = numbered.flat_map(|(number, server)| {
        of.stations.iter().zip(&server.stations).filter_map(move |(station, figures)| {
            let own = station.strip_prefix(name).unwrap_or(station);
            full_station(&format!("{name}/{number}{own}"), figures, gap_cv2)
        })
    });
    all.collect()
}

/// A link does not know who waits for it: what is present grows in the whole system.
fn full_link(name: &str, of: &LinkSummary, growth: i64, gap_cv2: f64) -> Option<FullPart> {
    let load = of.loads?.into_iter().fold(0.0, f64::max);
    let full = load >= LINK_FULL && grows(growth, of.counts.transfers, gap_cv2);
    full.then(|| FullPart { name: name.to_owned(), load, asked: None, growth })
}

impl fmt::Display for FullPart {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let FullPart { name, load, asked, growth } = self;
        write!(f, "`{name}` was full, at a load of {load:.3}")?;
        if let Some(asked) = asked {
            write!(f, " of which {asked:.3} were asked")?;
        }
        let more = words::count(growth.unsigned_abs());
        write!(f, ", and {more} more requests were there at the end than at the beginning")
    }
}

impl fmt::Display for Overload {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let named: Vec<String> = self.0.iter().take(NAMED_MAX).map(ToString::to_string).collect();
        write!(
            f,
            "an overload: {}. There is no steady state, and all times depend on how long the run \
             was: lower the rate, or give it more",
            named.join("; ")
        )
    }
}
