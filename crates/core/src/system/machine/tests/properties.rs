//! Properties of every choice of features and every workload.

use proptest::prelude::*;
use proptest::sample::{select, subsequence};
use thinktime_file::time::Nanos;

use super::super::features::PRESETS;
use super::{Case, Outcome, Request, ns, on};

const CASES: u32 = 256;

/// Changes that go with all disciplines but processor sharing.
const GENERAL: [&str; 13] = [
    "balancing.static.policy = 'random'",
    "balancing.static.policy = 'same-as-parent'",
    "balancing.static.policy = 'cyclic-splitting'",
    "balancing.static.woken = 'first-core'",
    "balancing.static.woken = 'idle-core'",
    "balancing.dynamic = false",
    "balancing.dynamic.location = 'random'",
    "balancing.dynamic.location = 'memory'",
    "balancing.dynamic.transfer = {policy = 'relative', difference = 2}",
    "balancing.dynamic.information.demand_driven = 'symmetrically-initiated'",
    "balancing.dynamic.information.periodic = '7ms'",
    "balancing.dynamic.selection.number = 'equalise'",
    "balancing.dynamic.load_index = {kind = 'average-queue-length', time_span = '9ms'}",
];

/// Changes of one discipline or another; those that do not go with a preset are refused.
const SPECIAL: [&str; 16] = [
    "balancing.dynamic.load_index = {kind = 'ageing-queue-length', weight = 0.7, tick = '3ms'}",
    "balancing.dynamic.selection.preferred_waiting_time = 'short'",
    "balancing.dynamic.selection.cache_affinity = '5ms'",
    "run_queues.arrays = 'active-and-expired'",
    "time_sharing.slice.length = '5ms'",
    "time_sharing.slice.wait_costs = '2ms'",
    "time_sharing.boosts.decay = 'reset'",
    "time_sharing.starvation = {kind='boost', after='30ms', every='10ms', to=15, slices=2}",
    "time_sharing.starvation = {kind = 'expired-limit', limit = '10ms'}",
    "time_sharing.interactivity.creator_sleep_average = '0s'",
    "time_sharing.slice.granularity = '1ms'",
    "time_sharing.tick = false",
    "time_sharing.run_to_parity = false",
    "time_sharing.delayed_dequeue = false",
    "time_sharing.keep_lag = false",
    "time_sharing.wakeup_granularity = '0s'",
];

fn burst() -> impl Strategy<Value = String> {
    prop_oneof![
        8 => (1..60u32).prop_map(|ms| format!("{ms}")),
        1 => Just("0".to_owned()),
        1 => Just("1ns".to_owned()),
    ]
}

fn wait() -> impl Strategy<Value = String> {
    (select(vec!["sleep", "disk"]), 0..40u32).prop_map(|(kind, ms)| format!("{kind} {ms}"))
}

/// A step or two. A request that holds a place of `p` asks for no thread of `w`, and neither do
/// parts: else requests could wait for each other for ever.
fn step() -> impl Strategy<Value = String> {
    prop_oneof![
        3 => burst(),
        3 => burst().prop_map(|length| format!("w {length}")),
        2 => wait(),
        1 => (burst(), wait()).prop_map(|(run, wait)| format!("take p, {run}, {wait}, give p")),
        1 => (burst(), wait(), burst()).prop_map(|(a, b, c)| format!("({a} | {b}, {c})")),
        1 => (burst(), burst(), burst()).prop_map(|(a, b, c)| {
            format!("{a}, (({b} | {c}), {a} | take p, {c}, give p), {b}")
        }),
    ]
}

pub(super) fn workload() -> impl Strategy<Value = Vec<(u32, String)>> {
    let steps = prop::collection::vec(step(), 1..5).prop_map(|steps| steps.join(", "));
    prop::collection::vec((0..100u32, steps), 1..9)
}

fn threads() -> impl Strategy<Value = String> {
    select(vec!["1", "2", "'event-loop'", "'event-loop(2)'", "'per-request'"])
        .prop_map(str::to_owned)
}

/// A machine of 1 to 4 cores with a service `w`, of any features that go together.
pub(super) fn case() -> impl Strategy<Value = Case> {
    let presets: Vec<&str> = PRESETS.iter().map(|(name, _)| *name).collect();
    let priorities = select(vec!["best", "high", "average", "low", "worst"]);
    let general = subsequence(GENERAL.to_vec(), 0..4);
    let special = subsequence(SPECIAL.to_vec(), 0..3);
    let changes = (general, special);
    (select(presets), 1..5u32, changes, threads(), priorities, any::<bool>()).prop_map(
        |(os, cores, (general, special), threads, priority, bound)| {
            let mut case = on(os, cores).table("[[pool]]\nname = 'p'\nsize = 1");
            let mut lines = format!("threads = {threads}");
            if os != "processor-sharing" {
                lines += &format!("\npriority = '{priority}'");
                lines += if bound { "\ncores = [0]" } else { "" };
            }
            for change in general.into_iter().chain(special) {
                let changed = case.clone().with(change);
                if changed.refusal() == "accepted" {
                    case = changed;
                }
            }
            case.service("w", &lines)
        },
    )
}

pub(super) fn requests(workload: &[(u32, String)]) -> Vec<Request<'_>> {
    workload.iter().map(|(at, steps)| (f64::from(*at), steps.as_str())).collect()
}

/// Turns by the tasks that had them; they may not overlap.
fn overlap(outcome: &Outcome, who: impl Fn(&super::Turn) -> u64) -> Option<String> {
    let mut turns = outcome.turns.clone();
    turns.sort_by_key(|turn| (who(turn), turn.from));
    let clash =
        |pair: &&[super::Turn]| who(&pair[0]) == who(&pair[1]) && pair[0].until > pair[1].from;
    turns.windows(2).find(clash).map(|pair| format!("{pair:?}"))
}

proptest! {
    #![proptest_config(ProptestConfig { cases: CASES, failure_persistence: None,
        rng_seed: proptest::test_runner::RngSeed::Fixed(20100915), ..ProptestConfig::default() })]

    /// Every request ends and has its demand, on one core at a time. Cores are busy for exactly
    /// that long. Bound tasks stay within their cores. The same seed gives the same schedule.
    #[test]
    fn demands_are_met_and_nothing_else((case, workload) in (case(), workload())) {
        let requests = requests(&workload);
        let outcome = case.run(&requests);
        let mut demands = 0;
        for (at, left) in outcome.left.iter().enumerate() {
            prop_assert!(left.is_some_and(|one| one.error.is_none()), "{at} is lost: {case:?}");
            let demand = left.unwrap().demand;
            demands += demand.0;
            if !outcome.turns.is_empty() && outcome.turns.len() < 4096 {
                let received = outcome.received(at as u64, Nanos::MAX);
                prop_assert_eq!(received, demand, "request {} of {:?}", at, case);
            }
        }
        prop_assert_eq!(overlap(&outcome, |turn| turn.core.into()), None);
        prop_assert_eq!(overlap(&outcome, |turn| turn.task), None);
        if case.tables.contains("cores = [0]") {
            let strays = outcome.turns.iter().filter(|turn| turn.service == 1 && turn.core != 0);
            prop_assert_eq!(strays.count(), 0, "{:?}", case);
        }
        let summary = &outcome.summaries[0];
        let busy: f64 = summary.core_loads.iter().sum::<f64>() * summary.duration_s * 1e9;
        prop_assert!((busy - demands as f64).abs() < 10.0, "busy {busy}, demands {demands}");
        prop_assert_eq!(case.run(&requests), outcome);
    }

    /// Requests that are taken back in the middle leave no trace: all others end.
    #[test]
    fn what_is_taken_back_disturbs_nobody(
        (case, workload) in (case(), workload()),
        back in prop::collection::vec((0..8usize, 0..150u32, any::<bool>()), 0..4),
    ) {
        let back: Vec<(usize, f64, bool)> = back
            .into_iter()
            .filter(|(who, at, _)| workload.get(*who).is_some_and(|(came, _)| came < at))
            .map(|(who, at, even)| (who, f64::from(at), even))
            .collect();
        let outcome = case.run_with(&requests(&workload), &back);
        for (at, left) in outcome.left.iter().enumerate() {
            let taken = back.iter().any(|(who, ..)| *who == at);
            prop_assert!(taken || left.is_some(), "{at} is lost: {case:?}");
        }
    }

    /// With one queue, and if idle cores take tasks at once, no core is idle while a task waits.
    #[test]
    fn no_core_is_idle_while_a_task_waits(
        os in select(vec!["windows-xp", "windows-server-2003"]),
        cores in 1..5usize,
        workload in prop::collection::vec((0..60u32, 1..80u32, 0..30u32, 1..80u32), 1..12),
    ) {
        let steps: Vec<(u32, String)> = workload
            .iter()
            .map(|(at, first, sleep, second)| (*at, format!("{first}, sleep {sleep}, {second}")))
            .collect();
        let outcome = on(os, cores as u32).run(&requests(&steps));
        let wanted = |at: usize| wants(&outcome, at, workload[at]);
        let wants: Vec<(Nanos, Nanos)> = (0..workload.len()).flat_map(wanted).collect();
        let mut edges: Vec<Nanos> =
            wants.iter().flat_map(|(from, until)| [*from, *until]).collect();
        edges.extend(outcome.turns.iter().flat_map(|turn| [turn.from, turn.until]));
        edges.sort();
        for from in edges {
            let here = |(begin, end): &&(Nanos, Nanos)| *begin <= from && from < *end;
            let want = wants.iter().filter(here).count();
            let run = outcome.turns.iter().filter(|turn| turn.from <= from && from < turn.until);
            prop_assert_eq!(run.count(), want.min(cores), "at {}", from);
        }
    }
}

/// The times at which a request needs a core: from each burst's beginning to its end, by its turns.
fn wants(outcome: &Outcome, at: usize, request: (u32, u32, u32, u32)) -> [(Nanos, Nanos); 2] {
    let (came, first, sleep, _) = request;
    let mut left = ns(f64::from(first));
    let mut turns: Vec<_> = outcome.turns.iter().filter(|turn| turn.session == at as u64).collect();
    turns.sort_by_key(|turn| turn.from);
    let mut done = Nanos::ZERO;
    for turn in turns {
        let length = turn.until.since(turn.from);
        if left > Nanos::ZERO && length >= left {
            done = turn.from + left;
        }
        left = left.since(length);
    }
    let woken = done + ns(f64::from(sleep));
    [(ns(f64::from(came)), done), (woken, outcome.left[at].unwrap().at)]
}

/// Many tasks, many cores, all at once: nothing is lost.
#[test]
fn crowds_are_served() {
    for (os, _) in PRESETS {
        for cores in [1, 2, 128] {
            let requests: Vec<Request<'_>> =
                (0..1500).map(|at| (f64::from(at % 3), "1, sleep 2, 1")).collect();
            let outcome = on(os, cores).run(&requests);
            assert!(outcome.left.iter().all(Option::is_some), "{os} on {cores}");
        }
    }
}
