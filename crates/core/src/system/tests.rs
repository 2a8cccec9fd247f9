mod many;
mod served;
mod sized;

use thinktime_file::schema::Source;

use super::*;
use crate::files::NoFiles;
use crate::random::Purpose;
use crate::workload::Workload;

/// Demands by token, for scenarios worked out by hand.
struct Given(Vec<u64>);

impl DemandSource for Given {
    fn demand(&mut self, job: &Job, station: usize) -> Option<Nanos> {
        (station == 0).then(|| Nanos(self.0[job.token as usize]))
    }
}

fn job(token: u64) -> Job {
    Job { token, session: token, serial: 0, kind: 0 }
}

/// As [`departures_of`], at one station.
fn departures(policy: &str, servers: u32, jobs: &[(u64, u64)]) -> Vec<u64> {
    let text = format!(
        "name = 's'\n[[station]]\nname = 'a'\nservers = {servers}\npolicy = '{policy}'\ndemand = 0"
    );
    departures_of(&text, jobs)
}

/// Runs jobs (arrival, demand) and gives their departure times in the order of arrival.
fn departures_of(text: &str, jobs: &[(u64, u64)]) -> Vec<u64> {
    let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
    let demands = Given(jobs.iter().map(|(_, demand)| *demand).collect());
    let program = Program::new(&model, &["request"]);
    let mut system = System::new(&model, &program, &["request"], demands, 1);
    let mut left = vec![0; jobs.len()];
    let mut arriving = jobs.iter().enumerate().peekable();
    loop {
        let next = arriving.peek().map_or(Nanos::MAX, |(_, (at, _))| Nanos(*at));
        if next.is_never() && system.next_event().is_never() {
            return left;
        }
        if system.next_event() <= next {
            let Some(departure) = system.advance() else { continue };
            left[departure.job.token as usize] = departure.at.0;
        } else {
            let (token, (at, _)) = arriving.next().unwrap();
            system.arrive(Nanos(*at), job(token as u64));
        }
    }
}

#[test]
fn fcfs_serves_in_order() {
    assert_eq!(departures("fcfs", 1, &[(0, 10), (1, 1), (2, 1)]), [10, 11, 12]);
    assert_eq!(departures("fcfs", 2, &[(0, 10), (1, 1), (2, 1)]), [10, 2, 3]);
}

#[test]
fn ps_shares_the_server() {
    // 0-10 alone: 10 of 30 done. Then two share: the second needs 10, so both get 10 by 30.
    // The first has 10 left and is alone again: 40.
    assert_eq!(departures("ps", 1, &[(0, 30), (10, 10)]), [40, 30]);
    // Two servers: no job is slowed down until there are three.
    assert_eq!(departures("ps", 2, &[(0, 30), (10, 10)]), [30, 20]);
    // Three on two servers, each at 2/3: the short one needs 10 * 3/2.
    assert_eq!(departures("ps", 2, &[(0, 30), (0, 30), (0, 10)]), [35, 35, 15]);
}

#[test]
fn sjf_takes_the_shortest_that_waits_but_never_interrupts() {
    assert_eq!(departures("sjf", 1, &[(0, 10), (1, 5), (2, 1)]), [10, 16, 11]);
}

#[test]
fn psjf_ranks_by_original_demand_and_srpt_by_what_is_left() {
    // At 8 the first has 2 left of 10: PSJF lets the 3 in, SRPT does not.
    assert_eq!(departures("psjf", 1, &[(0, 10), (8, 3)]), [13, 11]);
    assert_eq!(departures("srpt", 1, &[(0, 10), (8, 3)]), [10, 13]);
    assert_eq!(departures("srpt", 1, &[(0, 10), (2, 3)]), [13, 5]);
}

#[test]
fn equal_ranks_go_first_come_first_served() {
    for policy in ["sjf", "psjf", "srpt"] {
        assert_eq!(departures(policy, 1, &[(0, 5), (1, 5), (2, 5)]), [5, 10, 15], "{policy}");
    }
}

#[test]
fn a_request_visits_the_stations_that_have_a_demand_for_it() {
    let text = "name = 's'\n\
                [[station]]\nname = 'web'\ndemand = '2ms'\n\
                [[station]]\nname = 'db'\ndemand.order = '5ms'";
    let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
    let kinds = ["item", "order"];
    let program = Program::new(&model, &kinds);
    let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
    let mut system = System::new(&model, &program, &kinds, demands, 1);
    system.arrive(Nanos(0), Job { kind: 1, ..job(0) });
    assert_eq!(system.advance(), None);
    let order = system.advance().unwrap();
    assert_eq!((order.at, order.station), (Nanos(7_000_000), EntranceId(1)));
    assert_eq!(order.demand, Nanos(7_000_000));
    system.arrive(order.at, job(1));
    let item = system.advance().unwrap();
    assert_eq!((item.station, item.demand), (EntranceId(0), Nanos(2_000_000)));
    let station = |summary| match summary {
        Some(NodeSummary::Station(summary)) => summary,
        other => panic!("{other:?} is no station"),
    };
    let summaries: Vec<StationSummary> =
        system.summaries(item.at).into_iter().map(station).collect();
    assert!((summaries[1].load - 5.0 / 9.0).abs() < 1e-9);
    assert_eq!(summaries[0].demands.arrivals, 2);
}

#[test]
fn wrong_systems_are_explained() {
    let message = |text: &str| {
        SystemModel::parse(Source { file: "s.toml", text }, &NoFiles).unwrap_err().to_string()
    };
    let with = |line: &str| format!("name = 's'\n[[station]]\nname = 'a'\n{line}");
    assert!(message(&with("demand = 'pareto(shape=1, scale=1ms)'")).contains("infinite mean"));
    assert!(message(&with("demand = '5/s'")).starts_with("s.toml:4: station[1].demand: "));
    assert!(message(&with("demand = '5ms'\npolicy = 'fsfc'")).contains("did you mean `fcfs`?"));
    assert!(message(&with("demand = '5ms'\nservers = 0")).contains("from 1 to"));
    assert!(message(&with("")).contains("missing key `demand`"));
    let hidden = message("name = 's'\n[[station]]\nname = \"a\\u001b[2J\"\ndemand = '5ms'");
    assert!(
        hidden.contains("station[1].name") && hidden.contains("control characters"),
        "{hidden}"
    );
    assert!(message("name = 's'\nstation = []").contains("at least one"));
}

#[test]
fn a_learned_system_keeps_how_sure_it_is() {
    let text = |up_to: &str| {
        format!(
            "name = 's'\n[[station]]\nname = 'a'\ndemand = 0\n[learned]\nfrom = 'a.log'\n\
             confidence = 'low'\nguesses = ['policy', 'servers']\nup_to = '{up_to}'\n"
        )
    };
    let parse = |text: &str| SystemModel::parse(Source { file: "s.toml", text }, &NoFiles);
    let model = parse(&text("26/s")).unwrap();
    let again = parse(&model.file.to_toml().unwrap()).unwrap();
    let learned = again.file.learned.unwrap();
    assert_eq!(learned.rate_max().unwrap(), Some(26.0));
    assert!(!learned.confirmed);
    let error = parse(&text("26s")).unwrap_err().to_string();
    assert!(error.starts_with("s.toml:9: learned.up_to: "), "{error}");
}

#[test]
fn demands_and_requests_must_fit_together() {
    let workload = |names: &[&str]| {
        let kinds: String = names.iter().map(|n| format!("[[request]]\nname='{n}'\n")).collect();
        let text = format!("name='w'\n[arrivals]\nmodel='open'\nrate=1\n{kinds}");
        Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
    };
    let text = "name = 's'\n[[station]]\nname = 'a'\ndemand.item = '5ms'";
    let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
    model.check_requests(&workload(&["item"])).unwrap();
    let missing = model.check_requests(&workload(&["item", "order"])).unwrap_err().to_string();
    assert!(missing.contains("demand.order"), "{missing}");
    let unknown = model.check_requests(&workload(&["itme"])).unwrap_err().to_string();
    assert!(unknown.contains("did you mean `itme`?"), "{unknown}");
}

/// Drawn ahead or one by one, a request's demand is the same.
#[test]
fn demands_hang_on_the_session_and_not_on_the_order() {
    let text = "name = 's'\n[[station]]\nname = 'web'\ndemand = 'exp(2ms)'";
    let model = SystemModel::parse(Source { file: "", text }, &NoFiles).unwrap();
    let program = Program::new(&model, &["any"]);
    let drawn = |sessions: &mut dyn Iterator<Item = u64>| -> Vec<(u64, Nanos)> {
        let mut demands = DrawnDemands::new(&program, 1, Purpose::Demand);
        let mut all: Vec<(u64, Nanos)> = sessions
            .map(|session| (session, demands.demand(&Job { session, ..job(0) }, 0).unwrap()))
            .collect();
        all.sort_unstable();
        all
    };
    let forward = drawn(&mut (0..100));
    assert_eq!(forward, drawn(&mut (0..100).rev()));
    assert_eq!(forward, drawn(&mut (0..100).map(|at| at * 37 % 100)));
    assert_eq!(forward[7..93], drawn(&mut (7..93)));
    let values: std::collections::BTreeSet<Nanos> = forward.iter().map(|(_, one)| *one).collect();
    assert_eq!(values.len(), 100);
}
