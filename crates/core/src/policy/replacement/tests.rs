//! Hit ratios against formulas, and each policy against a slow second implementation.

mod formulas;
mod lists;

use thinktime_file::time::Nanos;

use super::{Cache, ENTRIES, Entry, Limits};
use crate::random::{Purpose, Stream, StreamFamily};

const UNLIMITED: u64 = u64::MAX;

/// An empty cache of this policy.
fn cache(policy: &str, bytes: u64, ttl: Option<u64>) -> Cache {
    let random = StreamFamily::new(5, Purpose::Replacement).stream(0);
    let limits = Limits { bytes, ttl: ttl.map(Nanos) };
    Cache::new(Entry::parse(policy).unwrap(), limits, random)
}

fn draws(entity: u64) -> Stream {
    StreamFamily::new(7, Purpose::Target).stream(entity)
}

#[test]
fn a_cache_with_room_for_all_forgets_nothing() {
    for policy in ENTRIES.iter().map(|entry| entry.name).filter(|name| *name != "none") {
        let mut cache = cache(policy, 5_050, None);
        let mut ask = |target| cache.ask(Nanos::ZERO, target, target);
        assert!((1..=100).all(|target| !ask(target)), "{policy}");
        assert!((1..=100).rev().all(&mut ask), "{policy}");
        cache.clear();
        assert!(!cache.ask(Nanos::ZERO, 100, 100), "{policy}");
    }
}

#[test]
fn no_policy_keeps_what_is_larger_than_the_cache_or_drives_others_out_for_it() {
    for policy in ENTRIES.iter().map(|entry| entry.name).filter(|name| *name != "none") {
        let mut cache = cache(policy, 30, None);
        let asked =
            [(0, 20), (1, 31), (1, 31), (0, 20)].map(|(one, size)| cache.ask(Nanos(1), one, size));
        assert_eq!(asked, [false, false, false, true], "{policy}");
    }
}

#[test]
fn a_cache_that_keeps_nothing_never_hits() {
    let mut cache = cache("none", 100, None);
    assert_eq!([1, 1].map(|target| cache.ask(Nanos::ZERO, target, 1)), [false, false]);
}

/// Five targets at one cache of two: after a thousand requests 2^-1000 is the chance of equal ends.
#[test]
fn random_draws_are_those_of_the_cache_s_stream() {
    let hits = |entity| {
        let random = StreamFamily::new(5, Purpose::Replacement).stream(entity);
        let limits = Limits { bytes: 2, ttl: None };
        let mut cache = Cache::new(Entry::parse("random").unwrap(), limits, random);
        let mut targets = draws(0);
        let asked = (0..1_000).map(|_| cache.ask(Nanos::ZERO, targets.below(5), 1));
        asked.collect::<Vec<bool>>()
    };
    assert_eq!(hits(0), hits(0));
    assert_ne!(hits(0), hits(1));
}

#[test]
fn a_target_expires_by_the_time_when_it_was_stored() {
    let mut cache = cache("lru", UNLIMITED, Some(10));
    let times = [0, 9, 10, 15, 19, 20, 31];
    let asked = times.map(|now| cache.ask(Nanos(now), 1, 1));
    assert_eq!(asked, [false, true, false, true, true, false, false]);
}

/// An expired target leaves at its time, not when it is requested, and so makes room.
#[test]
fn what_has_expired_takes_no_room() {
    let mut cache = cache("lru", 2, Some(10));
    let asked = [(0, 1), (5, 2), (11, 3), (12, 2)].map(|(now, one)| cache.ask(Nanos(now), one, 1));
    assert_eq!(asked, [false, false, false, true]);
}

#[test]
fn the_page_of_clusters_lists_all_policies_with_their_rules() {
    let page = include_str!("../../../../../docs/clusters.md");
    for Entry { name, summary, source, .. } in ENTRIES {
        let (first, rest) = summary.split_at(1);
        let row = format!("| `\"{name}\"` | {}{rest}. | {source} |", first.to_uppercase());
        assert!(page.contains(&row), "docs/clusters.md lacks: {row}");
    }
}
