//! Overload that no demand shows beforehand: of pools, of one server of a cluster, of links. It is
//! seen by what was left.

use std::fmt;

use thinktime_core::system::link::LinkSummary;
use thinktime_core::system::{AnyNodeModel, NodeSummary, StationSummary, SystemModel};
use thinktime_core::words;
use thinktime_core::workload::Workload;

use crate::node_figures::{NodeFigures, Nodes};

/// A part is full from this load on.
const FULL: f64 = 0.98;
/// A link is full from this load on: senders that lose packets leave some of its rate unused.
const LINK_FULL: f64 = 0.9;
/// A server of tokens is full from this load on: whole prompts leave some of its memory unused.
const TOKENS_FULL: f64 = 0.9;
/// By chance alone, the number that is present grows by several times the square root of the number
/// that came. Ten times are too many even at a load of exactly 1.
const DEVIATIONS: f64 = 10.0;
/// The least number of pieces of a run from which a growth is judged, and the number of standard
/// errors that it must exceed: by chance it does in one of 10,000 runs at a load of exactly 1.
const PIECES_LEAST: usize = 12;
const ERRORS: f64 = 5.0;
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
    /// rate changes. `samples` are the nodes' figures of equally long pieces of the run.
    pub(crate) fn find(
        workload: &Workload,
        system: &SystemModel,
        measured: &NodeFigures,
        samples: &[Nodes],
    ) -> Option<Overload> {
        let dispersion = workload.steady_dispersion()?;
        if !measured.nodes.iter().flatten().any(is_full) {
            return None;
        }
        // Requests of a session may come together.
        let each = workload.requests_per_session();
        let together = if each.is_finite() { each.max(1.0) } else { 1.0 };
        let chance = Chance { dispersion, together };
        let pieces: Vec<Vec<Part<'_>>> = samples.iter().map(|one| parts(system, one)).collect();
        let mut full = Vec::new();
        for (place, part) in parts(system, &measured.nodes).into_iter().enumerate() {
            let growths: Vec<f64> =
                pieces.iter().map(|piece| piece[place].figures.growth as f64).collect();
            full.extend(full_part(&part, chance, &growths));
        }
        for (model, node) in system.nodes.iter().zip(&measured.nodes) {
            if let (AnyNodeModel::Link(_), Some(NodeSummary::Link(of))) = (model, node) {
                full.extend(full_link(model.name(), of, measured.growth, chance));
            }
        }
        full.sort_by_key(|one| std::cmp::Reverse(one.growth));
        (!full.is_empty()).then_some(Overload(full))
    }
}

/// Whether any part of a node is full.
fn is_full(node: &NodeSummary) -> bool {
    match node {
        NodeSummary::Station(one) | NodeSummary::Pool(one) => one.load >= FULL,
        NodeSummary::TokenServer { tokens, .. } => tokens.fullness >= TOKENS_FULL,
        NodeSummary::Machine { .. } => false,
        NodeSummary::Cluster(of) => {
            of.servers.iter().flat_map(|one| &one.stations).any(|one| one.load >= FULL)
        }
        NodeSummary::Link(of) => of.loads.into_iter().flatten().any(|load| load >= LINK_FULL),
    }
}

/// A pool, a station, or a station of one of a cluster's servers, that turns nobody away; or a
/// server of tokens, which turns away only what does not fit into its memory.
struct Part<'a> {
    /// Of a cluster, whose server has this number.
    cluster: Option<(&'a str, usize)>,
    name: &'a str,
    figures: &'a StationSummary,
    /// How full it was, and from when on it is full.
    load: f64,
    full: f64,
}

impl<'a> Part<'a> {
    fn new(
        cluster: Option<(&'a str, usize)>,
        name: &'a str,
        figures: &'a StationSummary,
    ) -> Part<'a> {
        Part { cluster, name, figures, load: figures.load, full: FULL }
    }

    fn name(&self) -> String {
        match self.cluster {
            None => self.name.to_owned(),
            Some((cluster, number)) => {
                let own = self.name.strip_prefix(cluster).unwrap_or(self.name);
                format!("{cluster}/{number}{own}")
            }
        }
    }
}

/// The parts of a system that may have an overload.
fn parts<'a>(system: &'a SystemModel, nodes: &'a Nodes) -> Vec<Part<'a>> {
    let mut all = Vec::new();
    for (model, node) in system.nodes.iter().zip(nodes) {
        let alone = |figures| Part::new(None, model.name(), figures);
        match (model, node) {
            (AnyNodeModel::Pool(pool), Some(NodeSummary::Pool(of)))
                if pool.queue_limit == u64::MAX =>
            {
                all.push(alone(of));
            }
            (AnyNodeModel::Station(station), Some(NodeSummary::Station(of)))
                if station.is_unlimited() =>
            {
                all.push(alone(of));
            }
            (AnyNodeModel::TokenServer(_), Some(NodeSummary::TokenServer { station, tokens })) => {
                all.push(Part { load: tokens.fullness, full: TOKENS_FULL, ..alone(station) });
            }
            (AnyNodeModel::Cluster(cluster), Some(NodeSummary::Cluster(of)))
                if cluster.stations.iter().all(|one| one.model.is_unlimited()) =>
            {
                for (number, server) in of.servers.iter().enumerate() {
                    let cluster = Some((model.name(), number));
                    let its = of.stations.iter().zip(&server.stations);
                    all.extend(its.map(|(name, figures)| Part::new(cluster, name, figures)));
                }
            }
            _ => {}
        }
    }
    all
}

/// How much arrivals vary.
#[derive(Clone, Copy)]
struct Chance {
    dispersion: f64,
    /// The number of requests that may come together.
    together: f64,
}

impl Chance {
    /// Whether `growth` is beyond chance if this many came, with demands of this variation.
    fn is_exceeded(self, growth: i64, came: u64, demand_cv2: f64) -> bool {
        let cv2 = (0.5 * (self.dispersion + demand_cv2)).max(1.0) * self.together;
        growth as f64 > DEVIATIONS * (came as f64 * cv2).sqrt()
    }
}

/// Whether the number present grew from piece to piece of a run, beyond the chance that the pieces
/// themselves show: by a mean of more than five of its standard errors, and in most of them.
fn keeps_growing(growths: &[f64]) -> bool {
    let number = growths.len() as f64;
    if growths.len() < PIECES_LEAST {
        return false;
    }
    let mean = growths.iter().sum::<f64>() / number;
    let squares: f64 = growths.iter().map(|one| (one - mean).powi(2)).sum();
    let error = (squares / (number - 1.0) / number).sqrt();
    let grew = growths.iter().filter(|one| **one > 0.0).count() as f64;
    mean > ERRORS * error && grew >= 0.8 * number
}

fn full_part(part: &Part<'_>, chance: Chance, growths: &[f64]) -> Option<FullPart> {
    let (load, growth) = (part.load, part.figures.growth);
    let (arrivals, demand_cv2) = (part.figures.demands.arrivals, part.figures.demands.cv2());
    let beyond = || chance.is_exceeded(growth, arrivals, demand_cv2) || keeps_growing(growths);
    let full = load >= part.full && growth > 0 && beyond();
    full.then(|| {
        let served = (arrivals as f64 - growth as f64).max(1.0);
        let asked = Some(load * arrivals as f64 / served);
        FullPart { name: part.name(), load, asked, growth }
    })
}

/// A link does not know who waits for it: what is present grows in the whole system.
fn full_link(name: &str, of: &LinkSummary, growth: i64, chance: Chance) -> Option<FullPart> {
    let load = of.loads?.into_iter().fold(0.0, f64::max);
    let full =
        load >= LINK_FULL && chance.is_exceeded(growth, of.counts.transfers, chance.dispersion);
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
