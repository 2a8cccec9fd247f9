//! A replay that is divided among several event loops.

use super::*;
use crate::share::Share;

/// The attempts of a share as (session, target), in the order in which they were sent.
fn of_share(workload: &Workload, share: Share) -> Vec<(u64, String)> {
    let limit = Limit { until: Nanos(4_000_000_000_000), ..ENDLESS };
    let mut clients = Clients::of_share(workload, limit, share);
    let mut sent = Vec::new();
    while !clients.finished() {
        if let ClientAction::Send(attempt) = clients.wake() {
            let target = clients.call(&attempt).map(|call| call.target.clone());
            sent.push((attempt.session, target.unwrap_or_default()));
            let answered = attempt.due + Nanos(1_000_000);
            clients.answer(answered, attempt.ticket, Reply::default());
        }
    }
    sent
}

fn whole_and_shares(workload: &Workload, shares: u64) -> [Vec<(u64, String)>; 2] {
    let mut whole = of_share(workload, Share::WHOLE);
    let each = (0..shares).map(|part| of_share(workload, Share::new(part, shares)));
    let mut all: Vec<_> = each.flatten().collect();
    whole.sort();
    all.sort();
    [whole, all]
}

#[test]
fn shares_of_what_arrives_are_together_the_log() {
    for model in ["open", "partly-open"] {
        for shares in 1..=7 {
            let [whole, all] = whole_and_shares(&replay(model, ", methods=all"), shares);
            assert_eq!(whole.len(), 6, "{model}");
            assert_eq!(whole, all, "{model}, {shares} shares");
        }
    }
}

/// The client of each session depends on which one is free first, but each session of the log has
/// one.
#[test]
fn shares_of_closed_clients_are_together_the_log() {
    let workload = replay("closed", ", methods=all, timeout=1s");
    for shares in 1..=2 {
        let [whole, all] = whole_and_shares(&workload, shares);
        let targets = |sent: &[(u64, String)]| {
            let mut targets: Vec<_> = sent.iter().map(|one| one.1.clone()).collect();
            targets.sort();
            targets
        };
        assert_eq!((whole.len(), targets(&whole)), (6, targets(&all)), "{shares} shares");
    }
}

#[test]
fn of_chosen_users_shares_have_every_so_many_th_session() {
    let lines: Vec<Line> = (0..400).map(|at| (at, 0, at as u64 % 100, "GET", "/")).collect();
    let rest = "model = 'partly-open'\nprocess = 'trace(a.log, users=50%)'";
    let workload = parse(&lines, rest).unwrap();
    for shares in [2, 3] {
        let [whole, all] = whole_and_shares(&workload, shares);
        assert!((100..400).contains(&whole.len()), "{}", whole.len());
        assert_eq!(whole, all, "{shares} shares");
    }
}
