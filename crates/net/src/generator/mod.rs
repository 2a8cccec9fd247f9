//! The load generator: a workload against a real server, on the wall clock.
//!
//! One event loop or several, each in a thread of its own; no thread a client. Each turn of a loop
//! sends all that is due, then handles all that has come, then sleeps until the next wish or
//! socket. Every request keeps its scheduled time, so what the loop itself delays is measured as
//! lateness and never mistaken for the server's time.

mod answering;
mod aws;
mod bodies;
mod chooser;
mod common;
mod connection;
mod connector;
mod cookies;
mod credentials;
mod database;
mod datagrams;
mod early;
mod ends;
mod engine;
mod exchange;
mod failure;
mod gathering;
mod hiding;
mod input;
mod judge;
mod keeper;
mod ledger;
mod limits;
mod login;
mod lookup;
mod loops;
mod messages;
mod oauth2;
mod part;
mod peer;
mod place;
mod plan;
mod pool;
mod prelude;
mod prepared;
mod protocols;
mod quic;
mod quic_reach;
mod quic_socket;
mod reading;
mod redirects;
mod requests;
mod shared;
mod sharing;
mod source;
mod stamped;
mod target;
mod tls;
mod transport;
mod tunnel;
mod turns;
mod unverified;
mod values;

use thinktime_core::record::{Collector, Lost, RowSink, Summary};
use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_core::words;
use thinktime_core::workload::Workload;

pub use chooser::{Chooser, Chosen};
use connector::Connector;
use early::{EarlyEnd, Observed};
use engine::Engine;
pub use gathering::{Gathering, gather};
use ledger::Book;
pub use loops::shares_of;
pub use part::{Part, Taken};
pub use place::{Host, Place};
use plan::Done;
pub use plan::{Ending, Plan, RunError, RunOutcome, RunProgress};
use prepared::Prepared;
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
    loops::check(workload, plan)?;
    let prepared = Prepared::of(workload, target, plan)?;
    let mut outcome = kept(&prepared.workload, plan, sink, watch, |book, watch| {
        if plan.loops > 1 {
            return loops::run(&prepared, target, plan, book, watch);
        }
        let Prepared { workload, peer, credentials, shared, known, .. } = &prepared;
        let connector = Connector::new(target, peer.clone(), workload)?;
        let (credentials, share) = (credentials.clone(), Share::WHOLE);
        let engine = Engine::new(workload, target, plan, connector, credentials, share, book)?;
        let engine = engine.hiding(known).sharing(shared.as_ref());
        let (done, book) = engine.run(Clock::start(), watch)?;
        Ok((done, book.collector))
    })?;
    outcome.summary.warnings.extend(prepared.warnings());
    Ok(outcome)
}

/// Lets `generate` run while a book is kept of it that ends early where objectives say so, and
/// judges what came of it.
fn kept<S: RowSink>(
    workload: &Workload,
    plan: &Plan,
    sink: &mut S,
    watch: &mut dyn FnMut(RunProgress) -> bool,
    generate: impl FnOnce(
        Book<'_, Observed<'_, S>>,
        &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(Done, Collector), RunError>,
) -> Result<RunOutcome, RunError> {
    let (early, mut out_of_reach) = (EarlyEnd::new(workload, plan), None);
    let collector = Collector::of(workload, plan.limit, true, SECOND);
    let mut sink = early.before(sink);
    let book = Book::new(collector, &mut sink);
    let mut watch = early.watching(watch, &mut out_of_reach);
    let (done, collector) = generate(book, &mut watch)?;
    drop(watch);
    Ok(outcome(workload, collector, done, out_of_reach))
}

/// The result, judged.
fn outcome(
    workload: &Workload,
    mut collector: Collector,
    done: Done,
    out_of_reach: Option<Lost>,
) -> RunOutcome {
    let ending = match (out_of_reach, done.load_lost) {
        (Some(lost), _) => Ending::OutOfReach(lost),
        (None, Some(why)) => Ending::LoadLost(why),
        (None, None) if done.interrupted => Ending::Interrupted,
        (None, None) => Ending::Planned,
    };
    collector.set_report(done.report);
    let mut summary = Summary::new("run", workload, &collector, done.window, done.sessions);
    summary.generator = Some(done.generator);
    let judged = judge::judge(&mut summary, &workload.slo, &ending, done.in_flight);
    // Scripts that fail are why nothing happened.
    let untrusted = collector
        .scripts_failed()
        .or(judged)
        .or_else(|| judge::judge_rate(&mut summary, workload, &ending));
    summary.notes.extend(workload.ended_before(done.window.end));
    summary.notes.extend(waited(&summary, workload));
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

/// How long requests waited for a connection or to be among those in flight, in words, if any did.
fn waited(summary: &Summary, workload: &Workload) -> Option<String> {
    let waiting = summary.waiting_s.as_ref()?;
    let (mean, max) = (waiting.mean.filter(|mean| *mean > 0.0)?, waiting.max?);
    let pooled = workload.populations.iter().any(|one| one.clients.pooled);
    let what = if pooled { "a connection of the pool" } else { "others in flight to end" };
    let (mean, max) = (words::time(mean), words::time(max));
    Some(format!(
        "requests waited for {what}, {mean} on average and {max} at most, which is part of the \
         response time"
    ))
}
