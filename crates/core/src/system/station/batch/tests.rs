//! Stations that serve in batches, against hand-made schedules.

use super::super::engine::pace::tests::{departures_ms, model};

#[test]
fn schedules_by_hand() {
    let cases: [(&str, &[u64], &[f64]); 6] = [
        // An idle server begins at once: alone to 10, then the two that came meanwhile.
        ("demand = '10ms'\nbatch = { max = 2 }", &[0, 3, 4], &[10.0, 20.0, 20.0]),
        // The fourth is left over.
        ("demand = '10ms'\nbatch = { max = 2 }", &[0, 3, 4, 5], &[10.0, 20.0, 20.0, 30.0]),
        // It waits for 5 ms from the first arrival, or until two are there.
        ("demand = '10ms'\nbatch = { max = 2, wait = '5ms' }", &[0, 20, 23], &[15.0, 33.0, 33.0]),
        // The third has waited since 6 when the server becomes idle at 11, and begins at once.
        ("demand = '10ms'\nbatch = { max = 2, wait = '5ms' }", &[0, 1, 6], &[11.0, 11.0, 21.0]),
        // It came at 9, and waits to 14.
        ("demand = '10ms'\nbatch = { max = 2, wait = '5ms' }", &[0, 1, 9], &[11.0, 11.0, 24.0]),
        ("demand = '10ms'\nbatch = { max = 1 }", &[0, 3, 4], &[10.0, 20.0, 30.0]),
    ];
    for (keys, arrivals, expected) in cases {
        assert_eq!(departures_ms(keys, arrivals), expected, "{keys} {arrivals:?}");
    }
}

#[test]
fn what_cannot_be_is_explained() {
    let demand = "demand = '1ms'\n";
    for (keys, words) in [
        ("batch = { max = 0 }", "from 1 to"),
        ("batch = { max = 2, wait = '5MB' }", "batch.wait"),
        ("batch = { wait = '5ms' }", "max"),
        ("policy = 'ps'\nbatch = { max = 2 }", "must be \"fcfs\""),
        ("servers = 2\nbatch = { max = 2 }", "must be 1 with `batch`"),
        ("setup = '1s'\nbatch = { max = 2 }", "setup: does not go with `batch`"),
        ("queue_limit = 3\nbatch = { max = 2 }", "queue_limit: does not go with `batch`"),
    ] {
        let message = model(&format!("{demand}{keys}")).unwrap_err();
        assert!(message.contains(words), "{keys}: {message}");
    }
}
