use super::*;

/// A cluster of one server, with a disk for misses, and a cache of these keys.
fn cached(keys: &str) -> String {
    cluster(1, "dispatch = 'random'", "ps")
        + "[[cluster.station]]\nname = 'disk'\ndemand.page = '1s'\nwhen = 'miss'\n[cluster.cache]\n"
        + keys
}

/// Requests for targets of 6 bytes, by time in seconds; gives which of them hit.
fn hits(keys: &str, requests: &[(u64, u64)]) -> Vec<bool> {
    let given = requests.iter().map(|(_, target)| (vec![Some(1), Some(100)], *target, 6));
    let arrivals: Vec<(u64, u32)> =
        requests.iter().map(|(at, _)| (at * 1_000_000_000, 0)).collect();
    let left = run(&mut system(&cached(keys), given.collect()), &arrivals);
    left.iter().map(|one| one.demand.0 == 1).collect()
}

#[test]
fn a_response_expires_with_and_without_a_size() {
    let requests = [(0, 1), (59, 1), (60, 1), (61, 2), (62, 1), (121, 2)];
    let without_size = hits("ttl = '60 s'", &requests);
    assert_eq!(without_size, [false, true, false, false, true, false]);
    let with_size = hits("ttl = '1min'\nsize = '10B'", &requests);
    assert_eq!(with_size, [false, true, false, false, false, false]);
}

/// One target of two at a time: each that comes again in a row hits, whatever the policy.
#[test]
fn every_policy_has_a_name_in_the_file() {
    for name in ["lru", "fifo", "random", "lfu", "greedy-dual-size"] {
        let keys = format!("size = '10B'\nreplacement = '{name}'");
        let found = hits(&keys, &[(0, 1), (1, 1), (2, 2), (3, 2), (4, 1)]);
        assert_eq!(found, [false, true, false, true, false], "{name}");
    }
    // TinyLFU keeps the first: the second has not been requested more often.
    let found =
        hits("size = '10B'\nreplacement = 'tinylfu'", &[(0, 1), (1, 1), (2, 2), (3, 1), (4, 2)]);
    assert_eq!(found, [false, true, false, true, false]);
}

#[test]
fn mistakes_in_caches_are_named() {
    let said = |keys: &str| {
        let text = cached(keys);
        SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles)
            .unwrap_err()
            .to_string()
    };
    for (keys, why) in [
        ("size = '1MB'\nreplacement = 'lur'", "did you mean"),
        ("holds = ['page']", "size: is missing: a cache has it, a `ttl`, or both"),
        ("ttl = 0", "ttl: must be above 0"),
        ("ttl = '5MB'", "ttl: "),
        ("ttl = '5s'\nreplacement = 'lfu'", "replacement: goes with a `size`"),
    ] {
        let found = said(keys);
        assert!(found.contains(why), "{found}");
    }
}
