//! Clusters whose servers are machines.

use super::*;
use crate::failure::RESET;

/// Four cores on which threads are placed at random, with a pool and an event loop on them;
/// `worker` is not visited itself.
const WORKER: &str = "name = 's'\n[[machine]]\nname = 'worker'\ncores = 4\n\
    os = 'linux-2.6.22'\nscheduler.balancing.static.policy = 'random'\n\
    [[service]]\nname = 'pool'\nmachine = 'worker'\nthreads = 3\ndemand = '1s'\n\
    [[service]]\nname = 'loop'\nmachine = 'worker'\nthreads = 'event-loop(2)'\n\
    demand.page = '1s'\n";

/// A cluster of these machines.
fn of(machine: &str, servers: u32, keys: &str) -> String {
    format!(
        "{machine}[[cluster]]\nname = 'web'\nservers = {servers}\nserver = 'machine:worker'\n\
         {keys}\n"
    )
}

const TURNS: &str = "dispatch = 'round-robin'";

/// Requests (arrival, kind), and the demands of each.
type Requests = (Vec<(u64, u32)>, Vec<Vec<Option<u64>>>);

/// Requests (arrival, kind) with demands for `worker`, `pool` and `loop`; those of the second kind
/// do not visit the loop.
fn requests(number: usize, rate: f64, seed: u64) -> Requests {
    let drawn = drawn(number, rate, seed).into_iter().zip(0_u32..);
    let one = |((at, work), number): ((u64, u64), u32)| {
        let kind = number % 3 / 2;
        ((at, kind), vec![None, Some(work), (kind == 0).then_some(work / 2)])
    };
    drawn.map(one).unzip()
}

/// The departures of those requests.
fn left(text: &str, all: &Requests) -> Vec<Departure> {
    let brought = all.1.iter().map(|demands| (demands.clone(), 0, 0)).collect();
    run(&mut system(text, brought), &all.0)
}

fn times(all: &[Departure]) -> Vec<(u64, Nanos, Nanos)> {
    all.iter().map(|one| (one.job.session, one.at, one.demand)).collect()
}

#[test]
fn one_server_is_the_machine_alone_request_by_request() {
    let all = requests(3_000, 1.6, 5);
    let alone = times(&left(WORKER, &all));
    let found = left(&of(WORKER, 1, TURNS), &all);
    assert_eq!(times(&found), alone);
    let labels = model(&of(WORKER, 1, TURNS)).station_labels();
    let last = |kind: usize| labels[found[kind].station.0 as usize].as_str();
    assert_eq!([last(0), last(2)], ["web/0/loop", "web/0/pool"]);
}

/// In turns, the first of two servers gets every second request. It handles them as the machine
/// handles these alone, and the second one has other draws.
#[test]
fn each_server_draws_by_itself() {
    let (arrivals, demands) = requests(2_000, 3.2, 6);
    let each = |first: usize| -> Requests {
        let all = arrivals.iter().copied().zip(demands.iter().cloned());
        all.skip(first).step_by(2).unzip()
    };
    let found = left(&of(WORKER, 2, TURNS), &(arrivals.clone(), demands.clone()));
    let ends = |all: &[Departure]| all.iter().map(|one| one.at).collect::<Vec<_>>();
    let of_server = |first: usize| ends(&found).into_iter().skip(first).step_by(2);
    assert_eq!(of_server(0).collect::<Vec<_>>(), ends(&left(WORKER, &each(0))));
    assert_ne!(of_server(1).collect::<Vec<_>>(), ends(&left(WORKER, &each(1))));
}

/// The mean of the response times in seconds, and its standard error by 40 batches.
fn mean_and_error(all: &[f64]) -> (f64, f64) {
    let mean = |some: &[f64]| some.iter().sum::<f64>() / some.len() as f64;
    let batches: Vec<f64> = all.chunks(all.len() / 40).map(mean).collect();
    let whole = mean(&batches);
    let variance = batches.iter().map(|one| (one - whole).powi(2)).sum::<f64>() / 39.0;
    (whole, (variance / batches.len() as f64).sqrt())
}

/// Compares a random split over four machines with four single machines, each with arrivals of its
/// own and another seed. The batches give the standard error of the difference of the means; with
/// 39 degrees of freedom and more, 6 of these are passed by chance once in a million seeds.
#[test]
fn a_random_split_is_a_machine_for_each() {
    const NUMBER: usize = 40_000;
    let seconds = |text: &str, number: usize, rate: f64, seed: u64| -> Vec<f64> {
        let all = requests(number, rate, seed);
        let found = left(text, &all);
        let response = |(one, (at, _)): (&Departure, &(u64, u32))| (one.at.0 - at) as f64 / 1e9;
        found.iter().zip(&all.0).map(response).collect()
    };
    let split = seconds(&of(WORKER, 4, "dispatch = 'random'"), NUMBER, 6.4, 21);
    let alone: Vec<f64> =
        (0..4).flat_map(|one| seconds(WORKER, NUMBER / 4, 1.6, 31 + one)).collect();
    let ((mean, error), (wanted, its)) = (mean_and_error(&split), mean_and_error(&alone));
    assert!(error < 0.02 * mean && its < 0.02 * wanted, "{mean} +- {error}, {wanted} +- {its}");
    assert!((mean - wanted).abs() < 6.0 * error.hypot(its), "{mean} +- {error}, {wanted} +- {its}");
}

/// One core without a pool: the outcome is the demands in seconds.
fn one_core(os: &str) -> String {
    format!("name = 's'\n[[machine]]\nname = 'worker'\nos = '{os}'\ndemand = '1s'\n")
}

const SECOND: u64 = 1_000_000_000;

/// Runs requests (arrival, demand) in seconds over changes (at, server, what); gives the time at
/// which each left, in seconds, and the reason.
fn changed(
    os: &str,
    servers: u32,
    changes: &[(u64, u32, &str)],
    requests: &[(u64, u64)],
) -> Vec<(f64, Option<&'static str>)> {
    let change = |(at, server, does): &(u64, u32, &str)| {
        format!("[[cluster.change]]\nat = '{at}s'\nserver = {server}\ndoes = '{does}'\n")
    };
    let changes = changes.iter().map(change).collect::<String>();
    let text = of(&one_core(os), servers, TURNS) + &changes;
    let given = requests.iter().map(|(_, demand)| (vec![Some(demand * SECOND)], 0, 0)).collect();
    let arrivals: Vec<(u64, u32)> = requests.iter().map(|(at, _)| (at * SECOND, 0)).collect();
    let all = run(&mut system(&text, given), &arrivals);
    all.iter().map(|one| (one.at.as_secs_f64(), one.error)).collect()
}

#[test]
fn machines_fail_slow_down_drain_and_recover() {
    for os in ["processor-sharing", "linux-eevdf", "windows-server-2003"] {
        let slow = [(2, 0, "slows(0.5)"), (8, 0, "recovers")];
        assert_eq!(changed(os, 1, &slow, &[(0, 4), (7, 2)]), [(6.0, None), (8.0 + 1.5, None)]);
        let fails = [(1, 0, "fails"), (5, 0, "recovers")];
        let found = changed(os, 2, &fails, &[(0, 3), (0, 3), (0, 1), (4, 1), (6, 1), (6, 1)]);
        let reset = (1.0, Some(RESET));
        assert_eq!(found, [reset, (3.0, None), reset, (5.0, None), (7.0, None), (7.0, None)]);
        let drained = changed(os, 2, &[(1, 0, "drains")], &[(0, 3), (0, 1), (2, 1)]);
        assert_eq!(drained, [(3.0, None), (1.0, None), (3.0, None)]);
    }
}

#[test]
fn averages_of_machines_are_over_the_time_of_all() {
    let changes = "[[cluster.change]]\nat = '0s'\nserver = 0\ndoes = 'slows(0.25)'\n\
                   [[cluster.change]]\nat = '8s'\nserver = 0\ndoes = 'recovers'\n";
    let text = of(&one_core("linux-eevdf"), 1, TURNS) + changes;
    let mut system = system(&text, vec![(vec![Some(SECOND)], 0, 0); 2]);
    run(&mut system, &[(0, 0), (4 * SECOND, 0)]);
    let found = summary(&system, 16 * SECOND);
    assert_eq!(
        (found.stations.as_slice(), found.os.as_deref()),
        (["web/worker".to_owned()].as_slice(), Some("linux-eevdf"),)
    );
    let station = &found.servers[0].stations[0];
    assert_eq!((station.duration_s, station.load, station.demands.arrivals), (16.0, 0.5, 2));
    let machine = found.servers[0].machine.as_ref().unwrap();
    assert_eq!((machine.duration_s, machine.core_loads.as_slice()), (16.0, [0.5].as_slice()));
}

/// The services of a machine share its cores: 1 s and two thirds of half a request, on 2 x 4.
#[test]
fn the_load_is_that_of_all_services_together() {
    use crate::workload::Workload;
    let text = of(WORKER, 2, TURNS);
    let workload = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                    [[request]]\nname = 'page'\n[[request]]\nname = 'search'\n";
    let workload = Workload::parse(Source { file: "", text: workload }, &NoFiles).unwrap();
    let capacities = model(&text).capacities(&workload, &[1.0]);
    let only = capacities[0];
    assert_eq!((capacities.len(), only.speed, only.unlimited), (1, 8.0, true));
    assert!((only.demand_s - 1.5).abs() < 1e-9, "{}", only.demand_s);
}

proptest! {
    /// Whichever request is taken back in the middle, and whatever happens to servers, the others
    /// continue, and nothing is left over.
    #[test]
    fn all_who_come_to_machines_leave_or_are_taken_back(
        events in prop::collection::vec((0..40_u64, 0..4_u8, any::<prop::sample::Index>()), 1..150),
        changes in prop::collection::vec((0..3_000_u64, 0..3_u32, 0..4_usize), 0..15),
        dispatch in 0..4_usize,
        os in 0..4_usize,
        late in any::<bool>(),
    ) {
        let policies = ["random", "least-connections", "lard-r(low=1, high=2)", "prequal"];
        let late = if late { "seen_after = '15ns'" } else { "" };
        let keys = format!("dispatch = '{}'\n{late}", policies[dispatch]);
        let systems = ["linux-eevdf", "windows-server-2003", "linux-cfs", "linux-2.6.22"];
        let machine = WORKER.replace("linux-2.6.22", systems[os]);
        let text = of(&machine.replace("threads = 3", "threads = 1\nqueue_limit = 2"), 3, &keys)
            + &drawn_changes(changes);
        let brought = (0..events.len() as u64).map(|at| {
            let demands = vec![None, Some(at % 13), (at % 3 > 0).then_some(at % 29)];
            (demands, at % 5, 1)
        });
        come_and_go(system(&text, brought.collect()), events)?;
    }
}

#[test]
fn servers_that_cannot_be_are_explained() {
    let message = |text: &str| {
        SystemModel::parse(Source { file: "s.toml", text }, &NoFiles).unwrap_err().to_string()
    };
    let refused = |text: &str, place: &str, why: &str| {
        let found = message(text);
        assert!(found.contains(place) && found.contains(why), "{found}");
    };
    let good = of(&one_core("linux-eevdf"), 2, TURNS);
    let server = "s.toml:9: cluster[1].server";
    refused(&good.replace("machine:worker", "worker"), server, "\"machine:NAME\"");
    refused(&good.replace("machine:worker", "machine:wroker"), server, "did you mean `worker`?");
    refused(&good.replace("demand = '1s'", ""), server, "has no demand");
    refused(&good.replace("worker", "wor/ker"), server, "must be without `/`");
    let station = "[[cluster.station]]\nname = 'cpu'\ndemand = '1s'\n";
    refused(&(good.clone() + station), server, "goes without [[cluster.station]]");
    let cache = "[cluster.cache]\nsize = '1MB'\n";
    refused(
        &(good.clone() + cache),
        "s.toml:11: cluster[1].cache",
        "goes with [[cluster.station]]",
    );
    let inside = "[[behaviour]]\nsteps = [{ use = 'worker' }]\n";
    refused(&(good.clone() + inside), "behaviour[1].steps[1].use", "use = \"web\" sends a request");
    refused(&good.replace("server = 'machine:worker'", ""), "cluster[1].station", "machine:NAME");
    // An error in the machine is one of the machine.
    refused(&good.replace("linux-eevdf", "linux"), "s.toml:4: machine[1].os", "unknown");
}

/// A machine that clusters copy does not exist by itself; another one does.
#[test]
fn behaviours_go_to_clusters_and_to_other_machines() {
    let front = "[[machine]]\nname = 'front'\nos = 'linux-eevdf'\n";
    let text = of(&(one_core("linux-eevdf") + front), 2, TURNS)
        + "[[behaviour]]\nsteps = [{ use = 'front', demand = '1s' }, { use = 'web' }]\n";
    assert_eq!(model(&text).machines().map(|one| one.name.as_str()).collect::<Vec<_>>(), ["front"]);
    let brought = vec![(vec![Some(5), Some(100)], 0, 0); 2];
    let left = run(&mut system(&text, brought), &[(0, 0), (50, 0)]);
    assert_eq!([left[0].at.0, left[1].at.0], [105, 155]);
}

#[test]
fn one_server_alone_takes_its_machine_along() {
    let text = of(WORKER, 3, TURNS);
    let file = crate::system::SystemFile::read(&Source { file: "", text: &text }).unwrap();
    let only = SystemModel::from_file(&file.only_server(2).unwrap(), &NoFiles).unwrap();
    let cluster = only.clusters().next().unwrap();
    assert_eq!((cluster.setting.weights.len(), only.nodes.len()), (1, 1));
    let beside = text + "[[machine]]\nname = 'other'\nos = 'linux-eevdf'\ndemand = '1s'\n";
    let file = crate::system::SystemFile::read(&Source { file: "", text: &beside }).unwrap();
    assert!(file.only_server(2).unwrap_err().to_string().contains("nothing beside"));
}
