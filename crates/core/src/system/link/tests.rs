//! Links in systems: rounds worked out by hand, draws compared with their laws, and refusals.

mod refusals;

use thinktime_file::schema::Source;
use thinktime_file::time::Nanos;

use super::*;
use crate::files::NoFiles;
use crate::random::Purpose;
use crate::system::{DrawnDemands, Job, NodeSummary, System, SystemModel};
use crate::workload::Workload;

const MS: u64 = 1_000_000;

fn workload(size: &str, connections: &str) -> Workload {
    let text = format!(
        "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[clients]\n\
         connections = '{connections}'\n[[request]]\nname = 'item'\nget = '/item'\nsize = '{size}'"
    );
    Workload::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

fn model(link: &str, more: &str) -> SystemModel {
    let text = format!(
        "name = 's'\n[[station]]\nname = 'web'\ndemand = 0\n[[link]]\nname = 'wan'\n{link}\n{more}"
    );
    SystemModel::parse(Source { file: "", text: &text }, &NoFiles).unwrap()
}

/// Lets requests through, one every `gap`; gives the time of each, with its error, and the link's
/// counts.
fn through(
    model: &SystemModel,
    workload: &Workload,
    number: u64,
    gap: Nanos,
) -> (Vec<(Nanos, Option<&'static str>)>, LinkSummary) {
    model.check_requests(workload).unwrap();
    let program = model.program_for(workload);
    let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
    let mut system = System::new(model, &program, &["item"], demands, 1);
    let mut took = vec![(Nanos::ZERO, None); number as usize];
    let (mut token, mut last) = (0, Nanos::ZERO);
    loop {
        let next = if token < number { Nanos(gap.0 * token) } else { Nanos::MAX };
        let event = system.next_event();
        if event.is_never() && next.is_never() {
            break;
        }
        if next < event {
            system.arrive(next, Job { token, session: token, serial: 0, kind: 0 });
            token += 1;
        } else if let Some(departure) = system.advance() {
            last = departure.at;
            let token = departure.job.token;
            took[token as usize] = (departure.at.since(Nanos(gap.0 * token)), departure.error);
        }
    }
    assert_eq!(system.in_system(), 0);
    let links = system.summaries(last).into_iter().flatten();
    let mut link = links.filter_map(|one| match one {
        NodeSummary::Link(link) => Some(link),
        _ => None,
    });
    (took, link.next_back().unwrap())
}

/// The time of one request.
fn one(link: &str, size: &str, connections: &str) -> Nanos {
    through(&model(link, ""), &workload(size, connections), 1, Nanos(1)).0[0].0
}

/// The mean in seconds of requests that do not disturb one another.
fn mean_s(link: &str, size: &str, connections: &str, number: u64) -> f64 {
    let (took, _) =
        through(&model(link, ""), &workload(size, connections), number, Nanos(3_000_000 * MS));
    took.iter().map(|(time, _)| time.as_secs_f64()).sum::<f64>() / number as f64
}

/// Without loss: a round trip for the connection, one for the request and the first round, and one
/// for each further round: 2 kB are 2 segments, 50 kB 35 (10, 20, 5), 1 MB 691 (10, 20, ..., 320,
/// 61).
#[test]
fn rounds_without_loss_are_counted_by_hand() {
    for (delay, rounds) in [10, 50, 200].iter().flat_map(|d| [(*d, 1), (*d, 3), (*d, 7)]) {
        let size = match rounds {
            1 => "2kB",
            3 => "50kB",
            _ => "1MB",
        };
        let link = format!("delay = '{delay}ms'");
        let round_trip = 2 * delay * MS;
        assert_eq!(one(&link, size, "per-request"), Nanos((rounds + 1) * round_trip), "{size}");
        assert_eq!(one(&link, size, "keep-alive"), Nanos(rounds * round_trip), "{size}");
    }
    // One segment more than a round holds is a round more.
    let link = "delay = '10ms'\ninitial_window = 2\nsegment = '1000B'";
    assert_eq!(one(link, "2000B", "keep-alive"), Nanos(20 * MS));
    assert_eq!(one(link, "2001B", "keep-alive"), Nanos(40 * MS));
    assert_eq!(one(link, "6000B", "keep-alive"), Nanos(40 * MS));
    assert_eq!(one(link, "0B", "keep-alive"), Nanos(20 * MS));
}

/// The second request of a session finds its connection.
#[test]
fn who_connects_is_what_the_workload_says_or_the_link() {
    let took = |connections: &str, link: &str, serial: u64| {
        let (model, workload) = (model(link, ""), workload("2kB", connections));
        let program = model.program_for(&workload);
        let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
        let mut system = System::new(&model, &program, &["item"], demands, 1);
        system.arrive(Nanos(0), Job { token: 0, session: 0, serial, kind: 0 });
        while !system.next_event().is_never() {
            if let Some(departure) = system.advance() {
                return departure.at.0 / MS;
            }
        }
        panic!("nobody left")
    };
    let link = "delay = '10ms'";
    assert_eq!(took("per-session", link, 0), 40);
    assert_eq!(took("per-session", link, 1), 20);
    // A second attempt at the first request.
    assert_eq!(took("per-session", link, 1 << 32), 40);
    assert_eq!(took("per-request", link, 1), 40);
    assert_eq!(took("keep-alive", link, 0), 20);
    let link = "delay = '10ms'\nconnections = 'per-request'";
    assert_eq!(took("keep-alive", link, 3), 40);
}

/// At 12 kbit/s a packet of 1500 bytes takes a second; headers and the request count as well.
#[test]
fn a_rate_makes_segments_wait_for_one_another() {
    let link = "rate = '12kbit/s'\nbuffer = '1MB'";
    let request = 252.0 / 1500.0;
    let took = one(link, "14480B", "keep-alive").as_secs_f64();
    assert!((took - (10.0 + request)).abs() < 1e-6, "{took}");
    // Rounds follow the first acknowledgement, so that the link is never idle.
    let took = one(link, "144800B", "keep-alive").as_secs_f64();
    assert!((took - (100.0 + request)).abs() < 1e-6, "{took}");
    // Two transfers at once take turns round by round, and the link is as busy.
    let (model, workload) = (model(link, ""), workload("144800B", "keep-alive"));
    let (took, summary) = through(&model, &workload, 2, Nanos(1));
    let last = took.iter().map(|(time, _)| time.as_secs_f64()).fold(0.0, f64::max);
    assert!((last - (200.0 + request)).abs() < 1e-3, "{last}");
    let [out, back] = summary.loads.unwrap();
    assert!(back > 0.998 && (out - 2.0 * request / last).abs() < 1e-6, "{out} {back}");
    assert_eq!((summary.counts.bytes, summary.counts.lost), (2 * 144_800 + 2 * 200, 0));
}

/// A buffer of five packets lets five of ten pass. The sender has no sign of the others, and
/// probes; then it knows of four more, for which there is room.
#[test]
fn what_finds_the_buffer_full_is_sent_again() {
    let link = "delay = '10ms'\nrate = '12Mbit/s'\nbuffer = '7500B'";
    let (took, summary) = through(&model(link, ""), &workload("14480B", "keep-alive"), 1, Nanos(1));
    assert_eq!(took[0].1, None);
    let counts = summary.counts;
    assert_eq!((counts.dropped, counts.retransmissions, counts.lost), (5, 5, 0));
    assert_eq!(counts.segments, 1 + 10 + 5);
}

/// The SYN is sent again after 1, 2, 4 s. The mean over 200,000 requests is that of the law, within
/// 4.5 standard errors (false alarm 7e-6, the seed is fixed).
#[test]
fn connections_take_as_long_as_their_law_says() {
    let number = 200_000;
    let link = "delay = '10ms'\nloss = '5%'";
    let (model, workload) = (model(link, ""), workload("2kB", "per-request"));
    let (with, _) = through(&model, &workload, number, Nanos(3_000_000 * MS));
    let without = mean_s(link, "2kB", "keep-alive", number);
    let mean = with.iter().map(|(time, _)| time.as_secs_f64()).sum::<f64>() / number as f64;
    // A SYN fails with q = 1 - 0.95^2; k failures take 2^k - 1 seconds.
    let q = 1.0 - 0.95_f64.powi(2);
    let law = |power: i32| -> f64 {
        let part = |k: i32| q.powi(k) * (1.0 - q) * (2_f64.powi(k) - 1.0).powi(power);
        (0..7).map(part).sum()
    };
    let variance = law(2) - law(1).powi(2);
    let found = mean - without - 0.02;
    // The rest differs in its draws: each half has a standard deviation below 0.35 s.
    let error = ((variance + 2.0 * 0.35_f64.powi(2)) / number as f64).sqrt();
    assert!((found - law(1)).abs() < 4.5 * error, "{found} {} {error}", law(1));
}

/// At almost half of all packets lost, some get no connection, and all others finish.
#[test]
fn heavy_losses_end_in_failure_or_success() {
    let link = "delay = '1ms'\nloss = '49%'";
    let (model, workload) = (model(link, ""), workload("20kB", "per-request"));
    let number = 5000;
    let (took, summary) = through(&model, &workload, number, Nanos(10_000_000 * MS));
    let failed: Vec<u64> =
        took.iter().filter(|(_, error)| error.is_some()).map(|(time, _)| time.0 / MS).collect();
    assert!(took.iter().all(|(_, error)| matches!(error, None | Some("connect_timeout"))));
    // After 127 s, with a probability of (1 - 0.51^2)^7 = 0.121, within 4.5 standard errors.
    assert!(failed.iter().all(|time| *time == 127_000), "{failed:?}");
    let share = failed.len() as f64 / number as f64;
    assert!((share - 0.121).abs() < 4.5 * (0.121_f64 * 0.879 / number as f64).sqrt(), "{share}");
    assert!(summary.counts.timeouts > 1000);
}

/// The share of lost packets is the given one, within 4.5 standard errors; each segment is sent
/// until it arrives.
#[test]
fn as_many_are_lost_as_the_link_loses() {
    let link = "delay = '20ms'\nloss = '3%'";
    let (model, workload) = (model(link, ""), workload("100kB", "keep-alive"));
    let number = 3000;
    let (_, summary) = through(&model, &workload, number, Nanos(3_000_000 * MS));
    let counts = summary.counts;
    let sent = counts.segments as f64;
    let share = counts.lost as f64 / sent;
    assert!((share - 0.03).abs() < 4.5 * (0.03 * 0.97 / sent).sqrt(), "{share}");
    // 70 segments a response and one a request. A probe may repeat a segment that arrived, but not
    // here.
    assert_eq!(counts.segments - counts.lost, number * 71);
    assert_eq!(counts.retransmissions, counts.lost);
}

/// The same request meets the same losses beside any others, and under any policy.
#[test]
fn losses_hang_on_the_session_alone() {
    let link = "delay = '20ms'\nloss = '3%'\njitter = '5ms'";
    let workload = workload("100kB", "per-request");
    let (alone, _) = through(&model(link, ""), &workload, 300, Nanos(3_000_000 * MS));
    let (together, _) = through(&model(link, ""), &workload, 300, Nanos(1));
    assert_eq!(alone, together);
}

/// Jitter changes single times by up to its bound, and hardly the mean.
#[test]
fn jitter_is_around_the_delay() {
    let link = "delay = '50ms'\njitter = '10ms'";
    let (took, _) =
        through(&model(link, ""), &workload("2kB", "keep-alive"), 10_000, Nanos(1000 * MS));
    let times: Vec<f64> = took.iter().map(|(time, _)| time.as_secs_f64()).collect();
    assert!(times.iter().all(|time| (0.08..=0.12).contains(time)));
    let mean = times.iter().sum::<f64>() / 10_000.0;
    // Two draws from 20 ms each: a standard error of 0.082 ms, and a margin of 4.5 of them.
    assert!((mean - 0.1).abs() < 4.5 * 8.2e-5, "{mean}");
}

/// Steps give the places of links: one goes to the web, and another from there to the database,
/// whose answer is three segments.
#[test]
fn behaviours_send_and_receive() {
    let more = "[[link]]\nname = 'lan'\ndelay = '1ms'\ninitial_window = 1\n[[behaviour]]\nsteps = [\
                { send = 'wan' }, { send = 'lan', size = '1kB' }, { use = 'web' }, \
                { receive = 'lan', size = '3kB' }, { receive = 'wan' }]";
    let model = model("delay = '10ms'", more);
    let (took, lan) = through(&model, &workload("2kB", "keep-alive"), 1, Nanos(1));
    // 10 ms there, 1 ms there, 1 ms and a round of 2 ms back (1 and 2 segments), 10 ms back.
    assert_eq!(took[0].0, Nanos(24 * MS));
    assert_eq!((lan.counts.transfers, lan.counts.bytes, lan.counts.segments), (2, 4000, 4));
    // Without a `receive` of its own the response's size is not needed.
    let unsized_ = "[[behaviour]]\nsteps = [{ send = 'wan' }, { use = 'web' }]";
    let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1";
    let workload = Workload::parse(Source { file: "", text }, &NoFiles).unwrap();
    self::model("delay = '10ms'", unsized_).check_requests(&workload).unwrap();
}

/// A client that gives up leaves nothing behind, whatever its transfer was about to do.
#[test]
fn who_is_taken_back_is_gone() {
    let (model, workload) = (model("delay = '10ms'", ""), workload("50kB", "per-request"));
    let program = model.program_for(&workload);
    for at in 0..80 {
        let demands = DrawnDemands::new(&program, 1, Purpose::Demand);
        let mut system = System::new(&model, &program, &["item"], demands, 1);
        let presence = system.arrive(Nanos(0), Job { token: 7, session: 0, serial: 0, kind: 0 });
        while system.next_event() < Nanos(at * MS) {
            assert_eq!(system.advance(), None);
        }
        assert!(system.withdraw(Nanos(at * MS), presence, 7, true), "{at}");
        while !system.next_event().is_never() {
            assert_eq!(system.advance(), None);
        }
        assert_eq!(system.in_system(), 0);
    }
}

/// A request of one segment and a response of two: the mean is that of the tree of all cases,
/// within 4.5 standard errors (false alarm 7e-6, fixed seed) and the weight of cases of three
/// losses.
#[test]
fn short_responses_take_what_their_tree_of_cases_says() {
    let (p, number) = (0.05_f64, 400_000_u64);
    let (travel, round_trip, timeout) = (0.05, 0.1, 0.3);
    let link = "delay = '50ms'\nloss = '5%'";
    let (model, workload) = (model(link, ""), workload("2kB", "keep-alive"));
    let (took, _) = through(&model, &workload, number, Nanos(3_000_000 * MS));
    let times: Vec<f64> = took.iter().map(|(time, _)| time.as_secs_f64()).collect();
    let mean = times.iter().sum::<f64>() / number as f64;
    let variance = times.iter().map(|time| (time - mean).powi(2)).sum::<f64>() / number as f64;
    // With each of k further losses.
    let further = |extra: &dyn Fn(i32) -> f64| -> f64 {
        (0..60).map(|k| p.powi(k) * (1.0 - p) * extra(k)).sum()
    };
    // One segment is lost in silence. A probe goes out when the timer is due; then timeouts follow,
    // of which the second is doubled.
    let silent = further(&|k| timeout * 2_f64.powi(k));
    // A segment that is sent again, and lost again: timeouts from then on.
    let again = further(&|k| timeout * (2_f64.powi(k) - 1.0));
    let request = travel + p * silent;
    let second_lost = silent;
    // Known a quarter of a round trip later than if more segments had followed.
    let first_lost = 1.25 * round_trip + again;
    // A probe after two round trips, whose answer reveals the other segment; or a timeout after it,
    // and a round each.
    let probed = 3.0 * round_trip + again;
    let both_lost = (1.0 - p) * probed + p * (2.0 * round_trip + timeout + round_trip);
    let law = request + travel + p * (1.0 - p) * (second_lost + first_lost) + p * p * both_lost;
    let error = (variance / number as f64).sqrt();
    assert!((mean - law).abs() < 4.5 * error + 1e-4, "{mean} {law} {error}");
}
