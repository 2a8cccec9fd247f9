//! Stations whose number of servers changes, against schedules made by hand. Exact means and
//! another implementation are in `tests/python/test_station_scale.py`.

use super::super::engine::pace::tests::{departures_ms, model};

/// The departures of requests that come at these milliseconds, each with this demand.
fn departures(demand_ms: u32, scale: &str, arrivals_ms: &[u64]) -> Vec<f64> {
    departures_ms(&format!("demand = '{demand_ms}ms'\nscale = {{ {scale} }}"), arrivals_ms)
}

#[test]
fn servers_are_turned_on_by_requests_that_wait() {
    let scale = "on = 'requests', to = 2, delay = '3ms'";
    // The second server is there at 4, and goes when it has nothing to do, at 9.
    assert_eq!(departures(5, scale, &[0, 1]), [8.0, 9.0]);
    // The second server, which would be there at 5, is given up at 4.
    assert_eq!(departures(1, scale, &[0, 2, 10]), [4.0, 5.0, 14.0]);
    assert_eq!(departures(2, "on = 'requests', to = 2", &[0, 0, 0]), [2.0, 2.0, 4.0]);
    // One server is always there.
    let kept = "on = 'requests', from = 1, to = 2, delay = '3ms'";
    assert_eq!(departures(5, kept, &[0, 1]), [5.0, 9.0]);
    // As `setup` and `idle_for`: on for 10 ms after 18, and after 25.
    let idle = "on = 'requests', to = 1, delay = '3ms', wait = '10ms'";
    assert_eq!(departures(5, idle, &[10, 20, 40]), [18.0, 25.0, 48.0]);
}

#[test]
fn servers_follow_a_plan_and_finish_their_requests() {
    let plan = "on = 'time', plan = 'steps(0s: 1, 10ms: 2, 20ms: 1)'";
    assert_eq!(departures(8, plan, &[0, 0, 0, 0]), [8.0, 16.0, 18.0, 24.0]);
    let late = "on = 'time', plan = 'steps(0s: 1, 10ms: 2)', delay = '5ms'";
    assert_eq!(departures(8, late, &[0, 0, 0]), [8.0, 16.0, 23.0]);
    // One of two is to go at 5: the first that is free, at 8.
    let fewer = "on = 'time', plan = 'steps(0s: 2, 5ms: 1)'";
    assert_eq!(departures(8, fewer, &[0, 2, 2, 2]), [8.0, 10.0, 18.0, 26.0]);
    // A new one comes while the one that is to go still works.
    let both = "on = 'time', plan = 'steps(0s: 1, 1ms: 0, 2ms: 1)'";
    assert_eq!(departures(10, both, &[0, 0]), [10.0, 12.0]);
    // Nobody is there at night; what comes meanwhile waits for the morning.
    let night = "on = 'time', plan = 'steps(0s: 1, 10ms: 0, 50ms: 1)'";
    assert_eq!(departures(4, night, &[20, 30, 60]), [54.0, 58.0, 64.0]);
}

#[test]
fn servers_follow_the_load() {
    // At 10 a load of 1, twice the target: another server, there at 15.
    let scale = "on = 'load', to = 3, target = 0.5, every = '10ms', delay = '5ms'";
    assert_eq!(departures(10, scale, &[0, 0, 0]), [10.0, 20.0, 25.0]);
    // Near the target nothing changes.
    let near = format!("{scale}, tolerance = 1.0");
    assert_eq!(departures(10, &near, &[0, 0, 0]), [10.0, 20.0, 30.0]);
    // Two servers after 10; by 40 idle for a whole interval, and one goes at once.
    let hasty = "on = 'load', to = 2, target = 0.5, every = '10ms', wait = '0s'";
    assert_eq!(departures(10, hasty, &[0, 0, 40, 40]), [10.0, 20.0, 50.0, 60.0]);
    let patient = "on = 'load', to = 2, target = 0.5, every = '10ms', wait = '30ms'";
    assert_eq!(departures(10, patient, &[0, 0, 40, 40]), [10.0, 20.0, 50.0, 50.0]);
}

#[test]
fn a_quantum_ends_no_server_and_a_preempted_job_continues() {
    let keys = "demand = '4ms'\npolicy = 'rr(2ms)'\n\
                scale = { on = 'time', plan = 'steps(0s: 2, 1ms: 1)' }";
    // At 2 the turns of both end, and both continue.
    assert_eq!(departures_ms(keys, &[0, 0]), [4.0, 4.0]);
    let keys = "demand = '4ms'\npolicy = 'plcfs'\n\
                scale = { on = 'requests', to = 2, delay = '3ms' }";
    // At 3 the newest begins, at 4 the other.
    assert_eq!(departures_ms(keys, &[0, 1]), [8.0, 7.0]);
    // At 5 the newest pushes the other out of the only server.
    let one = keys.replace("to = 2", "to = 1");
    assert_eq!(departures_ms(&one, &[0, 5]), [11.0, 9.0]);
}

#[test]
fn mistakes_are_named() {
    let refused = [
        ("on = 'loud', to = 2", "scale.on: must be \"load\", \"requests\" or \"time\""),
        ("on = 'load'", "missing key `to`"),
        ("on = 'load', to = 0", "scale.to: must be from 1 to 1000000"),
        ("on = 'load', from = 0, to = 2", "scale.from: must be at least 1"),
        ("on = 'requests', from = 3, to = 2", "scale.from: must be at most `to`, which is 2"),
        ("on = 'load', to = 2, target = 1.5", "scale.target: 1.5 is not from 0.001 to 1"),
        ("on = 'load', to = 2, tolerance = -0.1", "scale.tolerance: -0.1 is not from 0 to 1"),
        ("on = 'load', to = 2, every = '0s'", "scale.every: must be at least 1ms"),
        ("on = 'load', to = 2, wait = '-1s'", "scale.wait"),
        ("on = 'load', to = 2, delay = 'soon'", "scale.delay"),
        ("on = 'load', to = 2, delay = 'pareto(shape=1, scale=1s)'", "an infinite mean"),
        ("on = 'requests', to = 2, target = 0.5", "scale.target: does not go with on = \"req"),
        ("on = 'time'", "missing key `plan`"),
        ("on = 'time', plan = 'steps(0s: 1)', to = 2", "scale.to: does not go with on = \"time\""),
        ("on = 'time', plan = 'ramp(1)'", "is not a list of steps"),
        ("on = 'time', plan = 'steps(1s: 1)'", "does not begin at 0s"),
        ("on = 'time', plan = 'steps(0s: 1, 0s: 2)'", "does not have its times in order"),
        ("on = 'time', plan = 'steps(0s: 1.5)'", "is not whole"),
        ("on = 'time', plan = 'steps(0s: 1, 5s: 0)'", "has no server at its end"),
    ];
    for (scale, message) in refused {
        let error = model(&format!("demand = '1ms'\nscale = {{ {scale} }}")).unwrap_err();
        assert!(error.contains(message), "{scale}: {error}");
        assert!(error.contains("5: station[1].scale"), "{scale}: {error}");
    }
    for (key, message) in [
        ("servers = 2", "servers: does not go with `scale`"),
        ("policy = 'ps'", "policy: does not go with `scale` yet"),
        ("setup = '1s'", "setup: does not go with `scale` yet"),
        ("queue_timeout = '1s'", "queue_timeout: does not go with `scale` yet"),
    ] {
        let error = model(&format!("demand = '1ms'\n{key}\nscale = {{on = 'load', to = 2}}"));
        let error = error.unwrap_err();
        assert!(error.contains(message), "{key}: {error}");
    }
}

#[test]
fn a_start_lasts_until_all_servers_could_be_there() {
    let settling = |scale: &str| {
        let one = model(&format!("demand = '1ms'\nscale = {{ {scale} }}")).unwrap();
        one.settling().as_secs_f64()
    };
    // From 2 servers by 3.3, 5.6 and 9.3 to 10: four looks of 15 s, and 30 s of delay after each.
    let load = "on = 'load', from = 2, to = 10, target = 0.6, delay = '30s'";
    assert!((settling(load) - (4.0 * 45.0 + 300.0)).abs() < 1e-6);
    // Even servers that are all busy are near this target: their number never grows.
    assert!((settling("on = 'load', to = 9, target = 0.95, wait = '1s'") - 1.0).abs() < 1e-6);
    assert!((settling("on = 'requests', to = 9, delay = 'exp(3s)'") - 6.0).abs() < 1e-6);
    assert!(settling("on = 'time', plan = 'steps(0s: 1, 1h: 2)'").abs() < 1e-6);
}
