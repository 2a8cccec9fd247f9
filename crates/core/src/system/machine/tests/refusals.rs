//! Features that do not go together are refused, and the message names the key.

use super::{on, refused};

#[test]
fn features_of_time_sharing_must_go_together() {
    let cases = [
        ("linux-2.6.22", "run_queues.arrays = 'single'", "run_queues.arrays"),
        (
            "linux-2.6.22",
            "time_sharing.boosts = \
             {start=1, network=1, disk=1, event=1, ceiling=-20, decay='reset'}",
            "interactivity and boosts",
        ),
        ("linux-2.6.22", "time_sharing.interactivity = false", "slice.granularity"),
        ("linux-2.6.22", "time_sharing.slice.minimum = false", "slice.by_priority"),
        ("linux-2.6.22", "time_sharing.slice.length = '0s'", "slice.length"),
        ("linux-2.6.22", "time_sharing.slice.minimum = '0s'", "slice.minimum"),
        ("linux-2.6.22", "time_sharing.slice.length_above_average = '0s'", "length_above_average"),
        ("windows-xp", "time_sharing.starvation.slices = 0", "starvation.slices"),
        ("linux-2.6.22", "time_sharing.slice.granularity = '0s'", "slice.granularity"),
        ("linux-2.6.22", "time_sharing.interactivity.bonus_maximum = 1", "bonus_maximum"),
        ("linux-2.6.22", "time_sharing.interactivity.bonus_maximum = 101", "bonus_maximum"),
        (
            "linux-2.6.22",
            "time_sharing.interactivity.sleep_average_maximum = '0s'",
            "sleep_average_maximum",
        ),
        ("linux-2.6.22", "time_sharing.interactivity.child_share = 1.1", "child_share"),
        ("linux-2.6.22", "time_sharing.interactivity.waiting_share = -0.1", "waiting_share"),
        ("linux-2.6.22", "time_sharing.levels.default = 20", "levels.default"),
        ("linux-2.6.22", "time_sharing.levels.high = 7", "levels"),
        ("linux-2.6.22", "time_sharing.levels.worst = 300", "levels"),
        ("windows-xp", "time_sharing.boosts.ceiling = 16", "boosts.ceiling"),
        ("windows-xp", "time_sharing.starvation.to = 16", "starvation.to"),
        ("windows-xp", "time_sharing.starvation.every = '0s'", "starvation.every"),
        ("windows-xp", "time_sharing.starvation.after = '0s'", "starvation.after"),
        (
            "windows-xp",
            "time_sharing.starvation = {kind = 'expired-limit', limit = '1s'}",
            "starvation",
        ),
        ("linux-cfs", "run_queues.arrays = 'active-and-expired'", "run_queues.arrays"),
        ("linux-cfs", "run_queues.number = 'one'", "run_queues.number"),
        ("linux-cfs", "time_sharing.period = '0s'", "time_sharing.period"),
        ("linux-cfs", "time_sharing.minimum_granularity = '0s'", "minimum_granularity"),
        ("linux-cfs", "time_sharing.levels.worst = 20", "levels"),
        ("linux-cfs", "time_sharing.tick = '0s'", "time_sharing.tick"),
        ("linux-eevdf", "run_queues.number = 'one'", "run_queues.number"),
        ("linux-eevdf", "time_sharing.slice = '0s'", "time_sharing.slice"),
        ("linux-eevdf", "time_sharing.tick = '0s'", "time_sharing.tick"),
        ("processor-sharing", "run_queues.number = 'one-per-core'", "run_queues.number"),
    ];
    check(&cases);
}

#[test]
fn features_of_balancing_must_go_together() {
    let cases = [
        ("windows-server-2003", "run_queues.number = 'one'", "run_queues.number"),
        (
            "windows-server-2003",
            "balancing.dynamic.information = {demand_driven = false, state_change_driven = []}",
            "balancing.dynamic.information",
        ),
        ("linux-cfs", "balancing.dynamic.information.periodic = '0s'", "information.periodic"),
        ("windows-7", "balancing.dynamic.transfer.lower_bound = 2", "transfer.lower_bound"),
        ("windows-7", "balancing.dynamic.transfer.lower_bound = 0", "transfer.lower_bound"),
        ("linux-cfs", "balancing.dynamic.transfer.difference = 1", "transfer.difference"),
        ("linux-2.6.22", "balancing.dynamic.load_index.weight = 1.0", "load_index.weight"),
        ("linux-2.6.22", "balancing.dynamic.load_index.weight = 0.0", "load_index.weight"),
        ("linux-2.6.22", "balancing.dynamic.load_index.tick = '0s'", "load_index.tick"),
        (
            "linux-2.6.22",
            "balancing.dynamic.load_index = {kind='average-queue-length', time_span='0s'}",
            "load_index.time_span",
        ),
        ("windows-7", "balancing.static.probabilities = [0.5, 0.5]", "static.probabilities"),
        (
            "windows-7",
            "balancing.static = {policy = 'random', probabilities = [0.5, 0.4]}",
            "static.probabilities",
        ),
        (
            "windows-7",
            "balancing.static = {policy = 'random', probabilities = [1.5, -0.5]}",
            "static.probabilities",
        ),
        (
            "windows-7",
            "balancing.static = {policy = 'random', probabilities = [1.0]}",
            "static.probabilities",
        ),
        ("windows-7", "balancing.dynamic.selection.number = 0", "selection.number"),
    ];
    check(&cases);
}

fn check(cases: &[(&str, &str, &str)]) {
    let wrong: Vec<String> = cases
        .iter()
        .map(|(os, change, word)| (refused(os, change), change, word))
        .filter(|(message, _, word)| !message.contains(*word))
        .map(|(message, change, word)| format!("{change}: no `{word}` in: {message}"))
        .collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn machines_and_services_must_make_sense() {
    let m = || on("windows-7", 2);
    assert!(on("windows-7", 0).refusal().contains("cores"));
    assert!(on("windows-7", 129).refusal().contains("cores"));
    assert!(on("windos-7", 2).refusal().contains("windows-7"));
    assert!(m().machine("priority = 16").refusal().contains("priority"));
    assert!(m().machine("threads = 0").refusal().contains("threads"));
    assert!(m().machine("threads = 'event-loop(0)'").refusal().contains("threads"));
    assert!(m().service("w", "cores = [2]").refusal().contains("cores"));
    assert!(m().service("w", "cores = []").refusal().contains("cores"));
    assert!(m().machine("context_switch = '-1ms'").refusal().contains("context_switch"));
    let ps = || on("processor-sharing", 2);
    assert!(ps().machine("priority = 1").refusal().contains("priority"));
    assert!(ps().service("w", "cores = [1]").refusal().contains("cores"));
    assert!(ps().machine("context_switch = '1ms'").refusal().contains("context_switch"));
}

/// Times whose sums would not fit are refused, or do no harm.
#[test]
fn no_length_is_too_long() {
    let cases = [
        ("linux-2.6.22", "time_sharing.slice.length_above_average = '5000000h'"),
        ("linux-2.6.22", "time_sharing.slice.granularity = '5000000h'"),
        ("linux-2.6.22", "time_sharing.interactivity.tick = '5000000h'"),
        ("windows-7", "time_sharing.slice.length = '5000000h'"),
        ("windows-7", "time_sharing.starvation.every = '5000000h'"),
        ("linux-cfs", "time_sharing.period = '5000000h'"),
        ("linux-cfs", "time_sharing.minimum_granularity = '5000000h'"),
        ("linux-cfs", "time_sharing.tick = '5000000h'"),
        ("linux-eevdf", "time_sharing.slice = '5000000h'"),
        ("linux-eevdf", "time_sharing.tick = '5000000h'"),
        ("linux-cfs", "balancing.dynamic.information.periodic = '5000000h'"),
    ];
    let mut wrong = Vec::new();
    for (os, change) in cases {
        let case = on(os, 2).with(change);
        let run = || case.run(&[(0.0, "10, sleep 5, 10"), (0.0, "20"), (1.0, "20")]).ends();
        let ends = std::panic::catch_unwind(std::panic::AssertUnwindSafe(run));
        if case.refusal() == "accepted"
            && !ends.is_ok_and(|ends| !ends.contains(&"never".to_owned()))
        {
            wrong.push(change);
        }
    }
    assert!(wrong.is_empty(), "{wrong:?}");
}
