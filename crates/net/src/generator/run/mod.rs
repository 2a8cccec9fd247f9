//! A run from its preparation to the judgement of its result.

pub(crate) mod early_end;
pub(crate) mod loops;
pub(crate) mod merge;
pub(crate) mod part;
pub(crate) mod preparation;
pub(crate) mod trust;

use thinktime_core::record::{Collector, ObjectiveOutOfReach, RowSink, StopRule, Summary};
use thinktime_core::share::Share;
use thinktime_core::time::Nanos;
use thinktime_core::words;
use thinktime_core::workload::Workload;

use self::early_end::EarlyEnd;
use self::preparation::Prepared;
use crate::generator::connect::connector::Connector;
use crate::generator::engine::Engine;
use crate::generator::plan::{Ending, LoopOutcome, Plan, RunError, RunOutcome, RunProgress};
use crate::generator::record::recorder::ResultRecorder;
use crate::generator::target::Target;
use crate::generator::transport::tls;
use crate::poller::Clock;
use crate::protocol::KEPT_BODY_BYTES_MAX;

/// The interval of the timeline.
const SECOND: Nanos = Nanos(1_000_000_000);

/// Runs a workload against a target. `watch` is called about ten times a second with the progress,
/// and ends the run by returning `false`.
///
/// # Errors
/// If the plan makes no sense, or the target cannot be reached at the start. Later errors are
/// counted, and never end the run.
pub fn run(
    workload: &Workload,
    target: &Target,
    plan: &Plan,
    sink: &mut dyn RowSink,
    watch: &mut dyn FnMut(RunProgress) -> bool,
) -> Result<RunOutcome, RunError> {
    loops::check(workload, plan)?;
    let prepared = Prepared::of(workload, target, plan)?;
    let mut outcome = run_and_judge(&prepared.workload, plan, sink, watch, |results, watch| {
        if plan.loops > 1 {
            return loops::run(&prepared, target, plan, results, watch);
        }
        let Prepared { workload, peer, credentials, shared, known, .. } = &prepared;
        let connector = Connector::new(target, peer.clone(), workload)?;
        let (credentials, share) = (credentials.clone(), Share::WHOLE);
        let engine = Engine::new(workload, target, plan, connector, credentials, share, results)?;
        let engine = engine.with_secrets(known).with_shared_variables(shared.as_ref());
        let (done, results) = engine.run(Clock::start(), watch)?;
        Ok((done, results.collector))
    })?;
    outcome.summary.warnings.extend(prepared.warnings());
    Ok(outcome)
}

/// Records the rows of `generate`, which ends early if objectives say so, and judges the result.
fn run_and_judge(
    workload: &Workload,
    plan: &Plan,
    sink: &mut dyn RowSink,
    watch: &mut dyn FnMut(RunProgress) -> bool,
    generate: impl FnOnce(
        ResultRecorder<'_>,
        &mut dyn FnMut(RunProgress) -> bool,
    ) -> Result<(LoopOutcome, Collector), RunError>,
) -> Result<RunOutcome, RunError> {
    let (early, mut out_of_reach) = (EarlyEnd::new(workload, plan), None);
    let collector = Collector::of(workload, plan.limit, true, SECOND);
    let mut sink = early.wrap(sink);
    let rule = StopRule::of_run(plan.precision, plan.limit.warmup);
    let results = ResultRecorder::new(collector, rule, &mut sink);
    let mut watch = early.watch(watch, &mut out_of_reach);
    let (done, collector) = generate(results, &mut watch)?;
    drop(watch);
    let mut outcome = outcome(workload, collector, done, out_of_reach);
    if let Some(precision) = plan.precision.filter(|_| outcome.ending == Ending::Planned) {
        match outcome.summary.found_to(precision) {
            Ok(note) => outcome.summary.notes.push(note),
            Err(missed) => outcome.summary.warnings.push(missed),
        }
    }
    Ok(outcome)
}

/// The result, judged.
fn outcome(
    workload: &Workload,
    mut collector: Collector,
    done: LoopOutcome,
    out_of_reach: Option<ObjectiveOutOfReach>,
) -> RunOutcome {
    let ending = match (out_of_reach, done.load_lost) {
        (Some(lost), _) => Ending::OutOfReach(lost),
        (None, Some(why)) => Ending::LoadLost(why),
        (None, None) if done.interrupted => Ending::Interrupted,
        (None, None) => Ending::Planned,
    };
    collector.set_sessions(done.report, &done.session_times);
    collector.set_event_gaps(done.event_gaps);
    let mut summary = Summary::new("run", workload, &collector, done.window, done.sessions);
    summary.generator = Some(done.generator);
    let judged = trust::judge(&mut summary, &workload.slo, &ending, done.in_flight);
    // Failed scripts explain why nothing happened.
    let untrusted = collector
        .scripts_failed()
        .or(judged)
        .or_else(|| trust::judge_rate(&mut summary, workload, &ending));
    summary.notes.extend(workload.ended_before(done.window.end));
    summary.notes.extend(waiting_note(&summary, workload));
    summary.warnings.extend(tls::advice(&summary.errors_by_kind));
    let dead = done.tries.iter().filter(|(_, tries)| tries.failed > 0);
    summary.warnings.extend(
        dead.map(|(address, tries)| format!("{address}, one of the target's addresses, {tries}")),
    );
    summary.warnings.extend((done.bodies_cut > 0).then(|| {
        format!(
            "{} responses had bodies of more than {} MiB: clients saw that much of each",
            done.bodies_cut,
            KEPT_BODY_BYTES_MAX >> 20
        )
    }));
    RunOutcome { summary, collector, ending, untrusted }
}

/// How long requests waited for a connection or for their place among those in flight, in words, if
/// any did.
fn waiting_note(summary: &Summary, workload: &Workload) -> Option<String> {
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
