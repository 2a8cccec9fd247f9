//! The load generator: a workload against a real server, on the wall clock.
//!
//! One event loop or several, each in a thread of its own; no thread a client. Each turn of a loop
//! sends all that is due, then handles all that has come, then sleeps until the next wish or
//! socket. Every request keeps its scheduled time, so what the loop itself delays is measured as
//! lateness and never mistaken for the server's time.

mod answering;
mod aws;
mod common;
mod connection;
mod connector;
mod cookies;
mod credentials;
mod early;
mod ends;
mod engine;
mod exchange;
mod failure;
mod input;
mod judge;
mod ledger;
mod limits;
mod lookup;
mod loops;
mod messages;
mod oauth2;
mod peer;
mod place;
mod plan;
mod pool;
mod protocols;
mod reading;
mod redirects;
mod requests;
mod source;
mod stamped;
mod target;
mod tls;
mod transport;
mod tunnel;
mod turns;
mod unverified;
mod values;

use thinktime_core::client::Share;
use thinktime_core::error::Invalid;
use thinktime_core::record::{Collector, Lost, RowSink, Summary};
use thinktime_core::time::Nanos;
use thinktime_core::workload::Workload;

use connector::Connector;
use credentials::Credentials;
use early::EarlyEnd;
use engine::Engine;
use ledger::Book;
use lookup::Lookup;
use peer::Peer;
pub use place::{Host, Place};
use plan::Done;
pub use plan::{Ending, Plan, RunError, RunOutcome, RunProgress};
pub use source::SourceAddress;
pub use target::Target;
pub use tls::TlsOptions;

use crate::poller::Clock;
use crate::protocol::KEPT_BODY_BYTES_MAX;

/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

/// Runs a workload against a target. `watch` is called about ten times a second with the progress,
/// and ends the run by saying `false`.
///
/// # Errors
/// When the plan makes no sense, or the target cannot be reached at the start. What goes wrong
/// later is counted, and never ends the run.
pub fn run(
    workload: &Workload,
    target: &Target,
    plan: &Plan,
    sink: &mut impl RowSink,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<RunOutcome, RunError> {
    check(workload, target, plan)?;
    let workload = &common::with_common_fields(workload)?;
    Connector::check(target)?;
    let (peer, lookup) = Peer::of(target)?;
    let credentials = Credentials::of(workload, target)?;
    raise_descriptor_limit();
    let (early, mut out_of_reach) = (EarlyEnd::new(workload, plan), None);
    let collector = Collector::of(workload, plan.limit, true, SECOND);
    let mut sink = early.before(sink);
    let book = Book::new(collector, &mut sink);
    let mut watch = early.watching(watch, &mut out_of_reach);
    let (done, collector) = if plan.loops == 1 {
        let connector = Connector::new(target, peer, workload)?;
        let within = Share::WHOLE;
        let engine =
            Engine::new(workload, target, plan, connector, credentials.clone(), within, book)?;
        let (done, book) = engine.run(Clock::start(), &mut watch)?;
        (done, book.collector)
    } else {
        loops::run(workload, target, &peer, plan, credentials.as_ref(), book, &mut watch)?
    };
    drop(watch);
    let mut outcome = outcome(workload, collector, done, out_of_reach);
    outcome.summary.warnings.extend(lookup.as_ref().and_then(Lookup::warning));
    outcome.summary.warnings.extend(credentials.iter().flat_map(Credentials::warnings));
    Ok(outcome)
}

/// Whether workload, target and plan make sense together.
fn check(workload: &Workload, target: &Target, plan: &Plan) -> Result<(), RunError> {
    if plan.limit.warmup >= plan.limit.until {
        return Err(Invalid::new("the warm-up must end before the duration does").into());
    }
    if let Some(system) = &plan.demands {
        system.check_requests(workload)?;
    }
    workload.check_start()?;
    messages::check(workload, target, plan.demands.is_some())?;
    Ok(loops::check(workload, plan)?)
}

/// The result, judged.
fn outcome(
    workload: &Workload,
    mut collector: Collector,
    done: Done,
    out_of_reach: Option<Lost>,
) -> RunOutcome {
    let ending = match (out_of_reach, done.interrupted) {
        (Some(lost), _) => Ending::OutOfReach(lost),
        (None, true) => Ending::Interrupted,
        (None, false) => Ending::Planned,
    };
    collector.set_report(done.report);
    let mut summary = Summary::new("run", workload, &collector, done.window, done.sessions);
    summary.generator = Some(done.generator);
    let untrusted = judge::judge(&mut summary, &workload.slo, &ending, done.in_flight)
        .or_else(|| collector.scripts_failed())
        .or_else(|| judge::judge_rate(&mut summary, workload, &ending));
    summary.notes.extend(workload.ended_before(done.window.end));
    summary.warnings.extend(tls::advice(&summary.errors_by_kind));
    summary.warnings.extend((done.bodies_cut > 0).then(|| {
        format!(
            "{} responses had bodies of more than {} MiB: clients saw that much of each",
            done.bodies_cut,
            KEPT_BODY_BYTES_MAX >> 20
        )
    }));
    RunOutcome { summary, collector, ending, untrusted }
}

/// Lets the process open as many sockets as it may.
fn raise_descriptor_limit() {
    use rustix::process::{Resource, getrlimit, setrlimit};
    let mut limit = getrlimit(Resource::Nofile);
    limit.current = limit.maximum;
    // If it is refused, the old limit holds, and running out of descriptors is counted.
    setrlimit(Resource::Nofile, limit).ok();
}
