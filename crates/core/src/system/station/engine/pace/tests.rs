//! Stations whose speed varies, against hand-made schedules and exact means.

use thinktime_file::schema::Source;

use super::*;
use crate::files::NoFiles;
use crate::random::Stream;
use crate::system::{DrawnDemands, FastStation, Job, Program, SystemModel};

pub(in super::super::super) fn model(keys: &str) -> Result<SystemModel, String> {
    let text = format!("name = 's'\n[[station]]\nname = 'a'\n{keys}");
    let model = SystemModel::parse(Source { file: "", text: &text }, &NoFiles);
    model.map_err(|error| error.to_string())
}

/// The times of arrival and departure of requests of these kinds, in the order of arrival.
fn times(keys: &str, kinds: &[&str], arrivals: &[(Nanos, u32)], seed: u64) -> Vec<(Nanos, Nanos)> {
    let model = model(keys).unwrap();
    let program = Program::new(&model, kinds);
    let demands = || DrawnDemands::new(&program, seed, Purpose::Demand);
    let mut station = FastStation::new(&model, &program, kinds, demands, seed).unwrap();
    let mut times: Vec<_> = arrivals.iter().map(|(at, _)| (*at, Nanos::MAX)).collect();
    let mut coming = (0..).zip(arrivals).peekable();
    loop {
        let due = station.next_event();
        match coming.next_if(|(_, (at, _))| *at < due) {
            Some((token, &(at, kind))) => {
                station.arrive(at, Job { token, session: token, serial: 0, kind });
            }
            None if due.is_never() => return times,
            None => {
                if let Some(one) = station.advance(due) {
                    times[one.job.token as usize].1 = one.at;
                }
            }
        }
    }
}

/// When requests of one kind leave that come at these milliseconds.
pub(in super::super::super) fn departures_ms(keys: &str, arrivals_ms: &[u64]) -> Vec<f64> {
    let arrivals: Vec<_> = arrivals_ms.iter().map(|ms| (Nanos(ms * 1_000_000), 0)).collect();
    let times = times(keys, &["page"], &arrivals, 1);
    times.iter().map(|(_, left)| left.0 as f64 / 1e6).collect()
}

#[test]
fn schedules_by_hand() {
    let cases: [(&str, &[u64], &[f64]); 10] = [
        // Alone at speed 1 to 4, then two at a total of 0.5: the first has 6 left, and ends at 16.
        // The second then has the speed 1.
        ("demand = '10ms'\nrate = 'table(1, 0.5)'", &[0, 4], &[16.0, 26.0]),
        // Shared: from 4 on each at 0.25, until the first has ended at 28; the other has had 6.
        ("policy = 'ps'\ndemand = '10ms'\nrate = 'table(1, 0.5)'", &[0, 4], &[28.0, 32.0]),
        // Twice as fast with two and more.
        ("policy = 'ps'\ndemand = '10ms'\nrate = 'table(1, 4)'", &[0, 0, 0], &[7.5, 7.5, 7.5]),
        // Two servers, each at half of 3 as long as two are there.
        ("servers = 2\ndemand = '9ms'\nrate = 'table(2, 3)'", &[0, 0, 0], &[6.0, 6.0, 10.5]),
        // Up 0-6, down to 10, up to 16, down to 20, up to 26.
        (
            "demand = '5ms'\nfailure = { after = '6ms', repair = '4ms' }",
            &[3, 15, 25],
            &[12.0, 24.0, 34.0],
        ),
        // By work: it fails after 6 ms of work, at 101 and at 202.
        (
            "demand = '5ms'\nfailure = { after = '6ms', repair = '4ms', clock = 'work' }",
            &[0, 100, 200],
            &[5.0, 109.0, 209.0],
        ),
        // Off at 0, and again once it is empty.
        ("demand = '5ms'\nsetup = '3ms'", &[10, 11, 30], &[18.0, 23.0, 38.0]),
        // On for 10 ms after 18, and after 25.
        ("demand = '5ms'\nsetup = '3ms'\nidle_for = '10ms'", &[10, 20, 40], &[18.0, 25.0, 48.0]),
        // It fails at 6 in its setup, which continues: up again at 10, and it works to 15.
        (
            "demand = '5ms'\nsetup = '3ms'\nfailure = { after = '6ms', repair = '4ms' }",
            &[4],
            &[15.0],
        ),
        // A turn is of work: 2 ms at half the speed.
        ("policy = 'rr(2ms)'\ndemand = '4ms'\nrate = 'table(1, 0.5)'", &[0, 0], &[12.0, 14.0]),
    ];
    for (keys, arrivals, expected) in cases {
        assert_eq!(departures_ms(keys, arrivals), expected, "{keys}");
    }
}

/// Poisson arrivals of each kind at these rates a second.
fn poisson(rates: &[f64], number: usize, seed: u64) -> Vec<(Nanos, u32)> {
    let total: f64 = rates.iter().sum();
    let (mut gaps, mut kinds) =
        (Stream::new(seed, 0, Purpose::Arrival), Stream::new(seed, 0, Purpose::Request));
    let mut now = 0.0;
    let mut one = || {
        now -= gaps.uniform().ln() / total;
        let (mut kind, mut mark) = (0, kinds.uniform() * total - rates[0]);
        while mark > 0.0 && kind + 1 < rates.len() {
            kind += 1;
            mark -= rates[kind];
        }
        (Nanos::from_secs_f64(now), kind as u32)
    };
    (0..number).map(|_| one()).collect()
}

/// The mean response times by kind, each with its standard error: of 20 runs, each of `number`
/// requests, of which the first tenth is not counted.
fn means(keys: &str, rates: &[(&str, f64)], number: usize) -> Vec<(f64, f64)> {
    let (names, rates): (Vec<&str>, Vec<f64>) = rates.iter().copied().unzip();
    let run = |seed| {
        let arrivals = poisson(&rates, number, seed);
        let times = times(keys, &names, &arrivals, seed);
        let counted = || arrivals.iter().zip(&times).skip(number / 10);
        let mean = |kind| {
            let its = counted().filter(|((_, its), _)| *its == kind);
            let (sum, count) = its.fold((0.0, 0.0), |(sum, count), (_, (came, left))| {
                (sum + left.since(*came).as_secs_f64(), count + 1.0)
            });
            sum / count
        };
        (0..names.len() as u32).map(mean).collect::<Vec<f64>>()
    };
    let runs: Vec<Vec<f64>> = (1..=20).map(run).collect();
    let of = |kind: usize| {
        let mean = runs.iter().map(|one| one[kind]).sum::<f64>() / 20.0;
        let squares: f64 = runs.iter().map(|one| (one[kind] - mean).powi(2)).sum();
        (mean, (squares / 19.0 / 20.0).sqrt())
    };
    (0..names.len()).map(of).collect()
}

/// A false alarm has a probability of 1e-4 (4.9 is that quantile of Student's law for 19 degrees of
/// freedom), and seeds are fixed. The interval is so narrow that a slip of 10 % is seen.
fn assert_mean(keys: &str, rate: f64, exact: f64) {
    assert_means(keys, &[("page", rate)], &[exact]);
}

fn assert_means(keys: &str, rates: &[(&str, f64)], exact: &[f64]) {
    for ((mean, error), exact) in means(keys, rates, 100_000).into_iter().zip(exact) {
        assert!((mean - exact).abs() < 4.9 * error, "{keys}: {mean}, exact {exact} +- {error}");
        assert!(4.9 * error < 0.05 * exact, "{keys}: {error} is too wide");
    }
}

/// Birth and death: with n present the rate of departures is the speed divided by the mean demand.
fn birth_and_death(rate: f64, demand_s: f64, speeds: &[f64]) -> f64 {
    let (mut weight, mut sum, mut number) = (1.0, 1.0, 0.0);
    for n in 1..10_000 {
        let speed = speeds.get(n - 1).or(speeds.last()).unwrap();
        weight *= rate * demand_s / speed;
        sum += weight;
        number += n as f64 * weight;
    }
    number / sum / rate
}

#[test]
fn speeds_by_number_have_the_means_of_a_birth_and_death_process() {
    for (rate, speeds) in [(110.0, vec![1.0, 1.5, 1.8]), (60.0, vec![2.0, 1.2, 0.8, 0.9])] {
        let exact = birth_and_death(rate, 0.01, &speeds);
        let words: Vec<String> = speeds.iter().map(ToString::to_string).collect();
        let table = format!("rate = 'table({})'", words.join(", "));
        for policy in ["fcfs", "siro", "plcfs"] {
            assert_mean(
                &format!("policy = '{policy}'\ndemand = 'exp(10ms)'\n{table}"),
                rate,
                exact,
            );
        }
        assert_mean(&format!("servers = 4\ndemand = 'exp(10ms)'\n{table}"), rate, exact);
        // Insensitive to the law of the demand (Kelly 1979, section 3.3).
        assert_mean(&format!("policy = 'ps'\ndemand = 'h2(10ms, cv2=4)'\n{table}"), rate, exact);
    }
}

/// The speeds of c servers are those of a station with c of them.
#[test]
fn the_speed_of_the_servers_themselves_changes_nothing() {
    let arrivals = poisson(&[260.0], 3000, 3);
    for policy in ["fcfs", "ps", "las", "srpt", "mlfq(2ms, 5ms)", "rr(3ms)"] {
        let plain = format!("servers = 3\npolicy = '{policy}'\ndemand = 'exp(10ms)'");
        let paced = format!("{plain}\nrate = 'table(1, 2, 3)'");
        let of = |keys: &str| times(keys, &["page"], &arrivals, 5);
        assert_eq!(of(&plain), of(&paced), "{policy}");
    }
}

/// The mean of M/G/1 with a delay before the first service of a busy period (Welch 1964), from the
/// first two moments of demand and delay.
fn with_delays(rate: f64, (s1, s2): (f64, f64), (d1, d2): (f64, f64)) -> f64 {
    let waits = rate * s2 / (2.0 * (1.0 - rate * s1));
    s1 + waits + (2.0 * d1 + rate * d2) / (2.0 * (1.0 + rate * d1))
}

/// The first two moments of exponential times.
fn exponential(mean: f64) -> (f64, f64) {
    (mean, 2.0 * mean * mean)
}

#[test]
fn setups_have_welchs_mean() {
    let (rate, h2) = (60.0, (0.01, 5.0 * 0.01 * 0.01));
    for (setup, moments) in [("exp(30ms)", exponential(0.03)), ("20ms", (0.02, 0.0004))] {
        let keys = format!("demand = 'h2(10ms, cv2=4)'\nsetup = '{setup}'");
        assert_mean(&keys, rate, with_delays(rate, h2, moments));
        // An empty station stays on for 10 ms: it is off with probability exp(-0.6) at the next
        // arrival.
        let off = (-rate * 0.01).exp();
        let delays = (off * moments.0, off * moments.1);
        assert_mean(&format!("{keys}\nidle_for = '10ms'"), rate, with_delays(rate, h2, delays));
    }
}

/// Each demand is prolonged by the repairs in it, which are a Poisson process of its time
/// (Avi-Itzhak and Naor 1963).
fn completion((s1, s2): (f64, f64), failures: f64, (r1, r2): (f64, f64)) -> (f64, f64) {
    (s1 * (1.0 + failures * r1), s2 * (1.0 + failures * r1).powi(2) + failures * s1 * r2)
}

#[test]
fn failures_have_the_mean_of_avi_itzhak_and_naor() {
    let (rate, failures, repairs) = (50.0, 4.0, 25.0);
    let moments = (0.01, 3.0 * 0.01 * 0.01);
    let served = completion(moments, failures, exponential(1.0 / repairs));
    let keys = |clock| {
        format!(
            "demand = 'h2(10ms, cv2=2)'\n\
             failure = {{ after = 'exp(250ms)', repair = 'exp(40ms)', clock = '{clock}' }}"
        )
    };
    assert_mean(&keys("work"), rate, with_delays(rate, served, (0.0, 0.0)));
    // It is up when it becomes empty, and may be down when the next request comes.
    let down = failures / (failures + repairs + rate);
    let delay = exponential(1.0 / repairs);
    let delays = (down * delay.0, down * delay.1);
    assert_mean(&keys("time"), rate, with_delays(rate, served, delays));
    // Under `ps` the station is the same for demands that are exponential, whatever the order.
    let served = completion(exponential(0.01), failures, exponential(1.0 / repairs));
    let keys = keys("work").replace("h2(10ms, cv2=2)", "exp(10ms)");
    let exact = with_delays(rate, served, (0.0, 0.0));
    assert_mean(&format!("policy = 'plcfs'\n{keys}"), rate, exact);
}

#[test]
fn weighted_shares_have_the_means_of_fayolle_mitrani_and_iasnogorodski() {
    // W_k - sum over j of l_j g_j (W_k + W_j) / (m_j g_j + m_k g_k) = 1 / m_k, for two classes.
    let (l, m, g) = ([40.0, 25.0], [100.0, 80.0], [5.0, 1.0]);
    let share = |j: usize, k: usize| l[j] * g[j] / (m[j] * g[j] + m[k] * g[k]);
    let own = |k: usize| 1.0 - share(0, k) - share(1, k) - share(k, k);
    let (a, b, c, d) = (own(0), -share(1, 0), -share(0, 1), own(1));
    let determinant = a * d - b * c;
    let exact = [(d / m[0] - b / m[1]) / determinant, (a / m[1] - c / m[0]) / determinant];
    let keys = "policy = 'dps'\nweight.gold = 5\ndemand.gold = 'exp(10ms)'\n\
                demand.base = 'exp(12.5ms)'";
    assert_means(keys, &[("gold", 40.0), ("base", 25.0)], &exact);
    // A table of speeds of 1 changes nothing, and speeds of 2 halve all times at half the load.
    let keys = format!("{keys}\nrate = 'table(2)'").replace("10ms", "20ms").replace("12.5", "25");
    assert_means(&keys, &[("gold", 40.0), ("base", 25.0)], &exact);
}

#[test]
fn equal_weights_are_processor_sharing() {
    let arrivals = poisson(&[50.0, 30.0], 3000, 4);
    let demands = "demand = 'exp(10ms)'";
    let of = |keys: &str| times(keys, &["gold", "base"], &arrivals, 5);
    let ps = of(&format!("policy = 'ps'\n{demands}"));
    for weights in ["weight.gold = 1", "weight = { gold = 0.3, base = 0.3 }"] {
        let dps = of(&format!("policy = 'dps'\n{demands}\n{weights}"));
        let apart = ps.iter().zip(&dps).map(|(a, b)| a.1.0.abs_diff(b.1.0)).max();
        // Each event is rounded to a nanosecond.
        assert!(apart.unwrap() <= 20, "{weights}: {apart:?} ns");
    }
}

#[test]
fn what_cannot_be_is_explained() {
    let demand = "demand = '1ms'\n";
    for (keys, words) in [
        ("rate = 'table(1, 0)'", "above 0"),
        ("rate = 'table(1, 1001)'", "at most 1000"),
        ("rate = 'table()'", "write it as table(SPEED"),
        ("rate = 'tabel(1)'", "write it as table(SPEED"),
        ("rate = '5'", "write it as table(SPEED"),
        ("rate = 'table(1ms)'", "table(SPEED"),
        ("rate = 'table(speed=1)'", "has a label"),
        ("failure = { after = 'exp(10us)', repair = '1s' }", "at least 1ms"),
        ("failure = { after = '1s', repair = 'pareto(shape=1, scale=1s)' }", "infinite mean"),
        ("failure = { after = '1s', repair = '1s', clock = 'off' }", "`off`"),
        ("failure = { after = '1s' }", "repair"),
        ("failure = { after = '1MB', repair = '1s' }", "wanted"),
        ("setup = 'exp(5)'\nqueue_timeout = '1s'", "does not go with"),
        ("idle_for = '5s'", "goes with `setup`"),
        ("policy = 'dps'\nweight.page = 2\nservers = 2", "must be 1 under `dps`"),
        ("policy = 'dps'", "weight.item = 3"),
        ("policy = 'dps'\nweight.page = 0", "0.000001"),
        ("policy = 'edf'", "deadline.item = \"100ms\""),
        ("policy = 'edf'\ndeadline.page = '5MB'", "deadline.page"),
        ("deadline.page = '1s'", "goes with policy = \"edf\", not with `fcfs`"),
        ("policy = 'edf'\ndeadline.page = '1s'\nweight.page = 1", "goes with policy = \"dps\""),
    ] {
        let message = model(&format!("{demand}{keys}")).unwrap_err();
        assert!(message.contains(words), "{keys}: {message}");
    }
}

/// The capacity is of the speed in the long run with very many requests.
#[test]
fn the_capacity_is_of_the_speed_in_the_long_run() {
    for (keys, speed) in [
        ("servers = 3", 3.0),
        ("servers = 3\nrate = 'table(1, 1.5)'", 1.5),
        ("servers = 2\nfailure = { after = '3s', repair = '1s' }", 1.5),
        ("rate = 'table(1, 2)'\nfailure = { after = '1s', repair = '1s', clock = 'work' }", 1.0),
        ("setup = '10s'", 1.0),
    ] {
        let model = model(&format!("demand = '1ms'\n{keys}")).unwrap();
        assert_eq!(model.stations().next().unwrap().speed(), speed, "{keys}");
    }
}
