//! Demands that depend on the sizes of responses.

use super::*;

fn model(demand: &str) -> Result<SystemModel, String> {
    let text = format!("name = 's'\n[[station]]\nname = 'disk'\n{demand}");
    SystemModel::parse(Source { file: "", text: &text }, &NoFiles).map_err(|e| e.to_string())
}

fn workload(requests: &str) -> Workload {
    let text = format!("name = 'w'\nseed = 3\n[arrivals]\nmodel = 'open'\nrate = 10\n{requests}");
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

const ITEM: &str = "[[request]]\nname = 'item'\nget = '/item/{zipf(n=100, s=1)}'\n\
                    size = 'lognormal(mu=9, sigma=1.3)'\n";

fn demand_of(demand: &str, requests: &str, job: &Job) -> Nanos {
    let (model, workload) = (model(demand).unwrap(), workload(requests));
    let program = model.program_for(&workload);
    DrawnDemands::new(&program, workload.seed, Purpose::Demand).demand(job, 0).unwrap()
}

#[test]
fn a_demand_is_a_time_and_the_transfer_of_the_response() {
    let workload = workload(ITEM);
    let sizes = workload.requests[0].size.clone().unwrap();
    for session in 0..50 {
        // The second attempt at the session's request of number 4.
        let job = Job { token: 0, session, serial: 2 << 32 | 4, kind: 0 };
        let transfer = sizes.of_request(session, 4) as f64 / 12.5e6;
        let expected = |time: f64| Nanos::from_secs_f64(time + transfer);
        let demand = |text: &str| demand_of(text, ITEM, &job);
        assert_eq!(demand("demand = '0.29ms + size / 12.5MB/s'"), expected(0.29e-3));
        assert_eq!(demand("demand = 'size/12500000'"), expected(0.0));
        assert_eq!(demand("demand.item = 'size / 12.5MB/s + 1e+0ms'"), expected(1e-3));
        // The time equals the draw without the transfer.
        let time = demand("demand = 'exp(5ms)'");
        let sum = demand("demand = 'exp(5ms) + size / 12.5MB/s'");
        assert!(sum.since(time + expected(0.0)).0 <= 1 && (time + expected(0.0)).since(sum).0 <= 1);
    }
}

/// Earlier requests do not matter: another request, another attempt, the same again.
#[test]
fn the_size_is_that_of_the_request_that_is_asked_for() {
    let other = ITEM.replace("'item'", "'other'").replace("/item/", "/other/");
    let (model, workload) =
        (model("demand = 'size / 12.5MB/s'").unwrap(), workload(&format!("{ITEM}{other}")));
    let program = model.program_for(&workload);
    let fresh = || DrawnDemands::new(&program, workload.seed, Purpose::Demand);
    let mut kept = fresh();
    for (session, serial, kind) in
        [(1, 0, 0), (1, 0, 0), (1, 0, 1), (1, 1, 1), (2, 1, 1), (2, 1 << 32 | 1, 1), (1, 0, 0)]
    {
        let job = Job { token: 0, session, serial, kind };
        assert_eq!(kept.demand(&job, 0), fresh().demand(&job, 0), "{job:?}");
        assert_eq!(kept.target(&job), fresh().target(&job), "{job:?}");
        assert_eq!(kept.size(&job), fresh().size(&job), "{job:?}");
    }
}

/// The load is that of the actual targets under the seed, by a sum written out here.
#[test]
fn the_load_is_exact_under_the_seed() {
    let workload = workload(ITEM);
    let sizes = workload.requests[0].size.clone().unwrap();
    let total: f64 = (1..=100).map(|k| 1.0 / f64::from(k)).sum();
    let share = |k: u32| sizes.of_target(&format!("/item/{k}")) as f64 / f64::from(k) / total;
    let mean: f64 = (1..=100).map(share).sum();
    let expected = 10.0 * (0.29e-3 + mean / 12.5e6);
    for demand in ["demand", "demand.item"] {
        let model = model(&format!("{demand} = '0.29ms + size / 12.5MB/s'")).unwrap();
        model.check_requests(&workload).unwrap();
        let load = model.bottleneck_load(&workload, &[10.0]);
        assert!((load / expected - 1.0).abs() < 1e-9, "{load} {expected}");
    }
}

#[test]
fn steps_of_behaviours_have_such_demands_too() {
    let steps = "[[behaviour]]\nsteps = [{ use = 'disk', demand = 'size / 1MB/s' }]";
    let (model, workload) = (model(steps).unwrap(), workload(ITEM));
    model.check_requests(&workload).unwrap();
    let mean = workload.requests[0].size.as_ref().unwrap().mean();
    assert!((model.bottleneck_load(&workload, &[1.0]) / (mean / 1e6) - 1.0).abs() < 1e-12);
}

#[test]
fn a_request_without_a_size_is_refused_with_the_station() {
    let without = "[[request]]\nname = 'order'\npost = '/order'\n";
    let workload = workload(&format!("{ITEM}{without}"));
    let error = |demand: &str| model(demand).unwrap().check_requests(&workload);
    let message = error("demand = '1ms + size / 1MB/s'").unwrap_err().to_string();
    assert!(message.contains("`order`") && message.contains("`disk`"), "{message}");
    assert!(message.contains("has no `size`"), "{message}");
    // For a file, the error gives the place.
    for (demand, place) in [
        ("demand = '1ms + size / 1MB/s'", "s.toml:4: station[1].demand: "),
        (
            "demand.item = '1ms'\ndemand.order = 'size / 1MB/s'",
            "s.toml:5: station[1].demand.order: ",
        ),
    ] {
        let text = format!("name = 's'\n[[station]]\nname = 'disk'\n{demand}\n");
        let model = SystemModel::parse(Source { file: "s.toml", text: &text }, &NoFiles).unwrap();
        let message = model.check_requests(&workload).unwrap_err().to_string();
        assert!(message.starts_with(&format!("{place}the demand of `order`")), "{message}");
    }
    // One that visits without it is not affected.
    error("demand.item = 'size / 1MB/s'\ndemand.order = '1ms'").unwrap();
}

#[test]
fn wrong_sums_are_explained() {
    let message = |text: &str| model(&format!("demand = '{text}'")).unwrap_err();
    assert!(message("size").contains("at most one time"));
    assert!(message("size * 3").contains("at most one time"));
    assert!(message("1ms + 2ms + size / 1MB/s").contains("at most one time"));
    assert!(message("size / 1MB/s + size / 1MB/s").contains("at most one time"));
    assert!(message("size / 1MB").contains("rate in bytes a second"));
    assert!(message("size / 0B/s").contains("above 0"));
    assert!(message("3MB + size / 1MB/s").contains("wanted a time"));
    assert!(message("pareto(shape=1, scale=1ms) + size / 1MB/s").contains("infinite mean"));
    assert!(message("sizes / 1MB/s").contains("sizes"));
}
