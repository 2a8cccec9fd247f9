//! Hit ratios of independent requests, by formulas.
//!
//! Each ratio is of 400,000 requests. Its standard deviation is below 0.001 in all cases: were the
//! seeds not fixed, an error of 0.006 would come once in 10^8 ratios.

use thinktime_file::time::Nanos;

use super::{UNLIMITED, cache, draws};
use crate::policy::replacement::Cache;

const REQUESTS: u32 = 400_000;
const ERROR: f64 = 0.006;

/// Popularities of some small catalogues, and the number of targets that the cache holds.
const CASES: [(&[f64], usize); 5] = [
    (&[0.5, 0.3, 0.2], 2),
    (&[0.25, 0.25, 0.25, 0.25], 3),
    (&[0.4, 0.2, 0.15, 0.1, 0.1, 0.05], 1),
    (&[0.4, 0.2, 0.15, 0.1, 0.1, 0.05], 3),
    (&[0.37, 0.18, 0.12, 0.09, 0.08, 0.06, 0.05, 0.05], 5),
];

/// Requests for targets of these popularities, all of one size; gives the part that hits.
fn ratio(cache: &mut Cache, shares: &[f64]) -> f64 {
    let mut random = draws(shares.len() as u64);
    let mut hits = 0;
    for _ in 0..REQUESTS {
        let drawn = random.uniform();
        let mut below = 0.0;
        let found = shares.iter().position(|share| {
            below += share;
            drawn < below
        });
        let target = found.unwrap_or(shares.len() - 1);
        hits += u32::from(cache.ask(Nanos::ZERO, target as u64, 1));
    }
    f64::from(hits) / f64::from(REQUESTS)
}

/// The sum over all sequences of `places` different targets of their popularity times the product
/// of `weight`, which sees a target's popularity and that of all before it, and the sum of the
/// products.
fn sums(
    shares: &[f64],
    places: usize,
    held: &mut Vec<usize>,
    weight: fn(f64, f64) -> f64,
) -> (f64, f64) {
    let before: f64 = held.iter().map(|one| shares[*one]).sum();
    if places == 0 {
        return (before, 1.0);
    }
    let (mut hits, mut all) = (0.0, 0.0);
    for target in 0..shares.len() {
        if held.contains(&target) {
            continue;
        }
        held.push(target);
        let (its_hits, its_all) = sums(shares, places - 1, held, weight);
        held.pop();
        let factor = weight(shares[target], before);
        hits += factor * its_hits;
        all += factor * its_all;
    }
    (hits, all)
}

fn exact(shares: &[f64], places: usize, weight: fn(f64, f64) -> f64) -> f64 {
    let (hits, all) = sums(shares, places, &mut Vec::new(), weight);
    hits / all
}

/// E. Gelenbe, IEEE Transactions on Computers 22 (1973): the probability of a content is in
/// proportion to the product of its targets' popularities, for both policies.
#[test]
fn random_and_fifo_have_the_hit_ratios_of_gelenbe() {
    for (shares, places) in CASES {
        let right = exact(shares, places, |share, _| share);
        for policy in ["random", "fifo"] {
            let found = ratio(&mut cache(policy, places as u64, None), shares);
            assert!((found - right).abs() < ERROR, "{policy}: {found} for {right}");
        }
    }
    // By hand: pairs of the first catalogue.
    let by_hand = (0.15 * 0.8 + 0.1 * 0.7 + 0.06 * 0.5) / 0.31;
    assert!((exact(CASES[0].0, 2, |share, _| share) - by_hand).abs() < 1e-12);
}

/// W. F. King, IFIP Congress 1971: of the order of use, each target is drawn by popularity among
/// those that have not come before it.
#[test]
fn lru_has_the_hit_ratios_of_king() {
    for (shares, places) in CASES {
        let right = exact(shares, places, |share, before| share / (1.0 - before));
        let found = ratio(&mut cache("lru", places as u64, None), shares);
        assert!((found - right).abs() < ERROR, "{found} for {right}");
    }
}

/// Targets of known high counts stay for ever. All others share the last place, where a new one,
/// with one request, replaces any other: a cache of one target, which hits if a target comes twice
/// in a row.
#[test]
fn lfu_holds_the_most_popular_and_the_last_one_asked_for() {
    for (shares, places) in CASES {
        let (popular, others) = shares.split_at(places - 1);
        let mut cache = cache("lfu", places as u64, None);
        for target in 0..popular.len() as u64 {
            // One of the others would take a place by 100 hits without a miss between them: at any
            // request a chance of 0.6^100 at most, in 400,000 requests below 10^-16.
            for _ in 0..100 {
                cache.ask(Nanos::ZERO, target, 1);
            }
        }
        let rest: f64 = others.iter().sum();
        let twice: f64 = others.iter().map(|share| share * share / rest).sum();
        let right = popular.iter().sum::<f64>() + twice;
        let found = ratio(&mut cache, shares);
        assert!((found - right).abs() < ERROR, "{found} for {right}");
        // No policy without knowledge of the future hits more than the most popular targets.
        assert!(found < shares[..places].iter().sum::<f64>() + ERROR);
    }
}

/// Poisson requests at a rate λ for a target that is held for T after a miss: to each miss come λT
/// hits on average, so λT / (1 + λT) of all requests hit.
#[test]
fn one_target_with_a_time_to_live_has_the_hit_ratio_of_a_renewal_process() {
    for rate_ttl in [0.1, 1.0, 5.0] {
        const TTL: f64 = 1e9;
        let mut cache = cache("lru", UNLIMITED, Some(TTL as u64));
        let (mut random, mut now, mut hits) = (draws(9), 0.0, 0);
        for _ in 0..REQUESTS {
            now -= random.uniform().ln() * TTL / rate_ttl;
            hits += u32::from(cache.ask(Nanos(now as u64), 3, 1));
        }
        let (found, right) = (f64::from(hits) / f64::from(REQUESTS), rate_ttl / (1.0 + rate_ttl));
        assert!((found - right).abs() < ERROR, "{found} for {right}");
    }
}

/// 1,000 targets by Zipf's law, with room for 50. LRU hits 41 %, and no policy without knowledge of
/// the future more than the 50 most popular have: 60 %.
#[test]
fn tinylfu_hits_more_than_lru_and_less_than_the_most_popular_have() {
    let weights: Vec<f64> = (1..=1_000).map(|rank| 1.0 / f64::from(rank)).collect();
    let all: f64 = weights.iter().sum();
    let shares: Vec<f64> = weights.iter().map(|weight| weight / all).collect();
    let [lru, tinylfu] = ["lru", "tinylfu"].map(|one| ratio(&mut cache(one, 50, None), &shares));
    let most: f64 = shares[..50].iter().sum();
    assert!(lru + 0.05 < tinylfu && tinylfu < most, "{lru}, {tinylfu}, {most}");
}
