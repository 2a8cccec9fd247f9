//! How sessions begin, compared with the plain law of sessions after a long time.

use super::super::start::ThinkingSessions;
use super::*;
use crate::attempt::FIRST_SESSION;
use crate::distribution::Distribution;
use crate::random::{Purpose, Stream};

fn workload(arrivals: &str, requests: &str, think: &str) -> Workload {
    let text = format!(
        "name = 'a'\n[arrivals]\nmodel = 'partly-open'\n{arrivals}\n\
         [session]\nrequests = '{requests}'\nthink = '{think}'"
    );
    Workload::parse(Text { file: "", text: &text }, &NoFiles).unwrap()
}

/// A session that thinks: the requests that it has made, those that it has left, and the rest of
/// its think time.
type Seen = [f64; 3];

fn begun(workload: &Workload, share: Share) -> Vec<Seen> {
    let thinking = ThinkingSessions::new(workload, 0).unwrap();
    let seen = thinking.of_share(share);
    seen.map(|one| [f64::from(one.behind), one.left as f64, one.due.as_secs_f64()]).collect()
}

/// Sessions that began one after another at `rate` over the last `past_s`, thinned to the `share`
/// for their age: those that think now. Responses come at once.
fn looked_at(
    (requests, think): (&str, &str),
    (rate, past_s): (f64, f64),
    share: impl Fn(f64) -> f64,
) -> Vec<Seen> {
    let (requests, think): (Distribution, Distribution) =
        (requests.parse().unwrap(), think.parse().unwrap());
    let mut stream = Stream::new(77, 0, Purpose::Program);
    let mut seen = Vec::new();
    for number in 0..(rate * past_s) as u64 {
        let age_s = (number as f64 + 0.5) / rate;
        let length = requests.sample(&mut stream).round().max(1.0);
        let (mut behind, mut passed_s) = (1.0, 0.0);
        let there = stream.uniform() <= share(age_s);
        while behind < length && passed_s <= age_s {
            passed_s += think.sample(&mut stream);
            if passed_s > age_s && there {
                seen.push([behind, length - behind, passed_s - age_s]);
            }
            behind += 1.0;
        }
    }
    seen
}

fn mean(values: impl Iterator<Item = f64> + Clone) -> (f64, f64) {
    let count = values.clone().count() as f64;
    let mean = values.clone().sum::<f64>() / count;
    let variance = values.map(|value| (value - mean).powi(2)).sum::<f64>() / count;
    (mean, variance / count)
}

/// The same number of sessions, and the same means of logarithms of their requests made and left,
/// and of their rest (and of products, so that these go together). They agree within 5 standard
/// deviations: false alarm 6e-7 for each of 6 figures, and the seeds are fixed.
fn same(begun: &[Seen], seen: &[Seen], what: &str) {
    let (here, there) = (begun.len() as f64, seen.len() as f64);
    assert!(here > 400.0, "{what}: {here} sessions are too few to tell");
    assert!((here - there).abs() < 5.0 * (here + there).sqrt(), "{what}: {here} and {there}");
    let figures: [fn(&Seen) -> f64; 5] = [
        |one| one[0].ln(),
        |one| one[1].ln(),
        |one| (one[2] + 1e-3).ln(),
        |one| one[0].ln() * one[1].ln(),
        |one| one[0].ln() * (one[2] + 1e-3).ln(),
    ];
    for (number, figure) in figures.into_iter().enumerate() {
        let (one, one_variance) = mean(begun.iter().map(figure));
        let (other, other_variance) = mean(seen.iter().map(figure));
        let deviation = (one_variance + other_variance).sqrt();
        assert!((one - other).abs() <= 5.0 * deviation + 1e-12, "{what} {number}: {one}, {other}");
    }
}

#[test]
fn sessions_begin_as_they_are_after_a_long_time() {
    // Counts and rounded laws, below 1 too; think times with and without atoms. The past is as long
    // as any of these sessions lasts.
    for (requests, think, past_s) in [
        ("geometric(4)", "exp(1s)", 100.0),
        ("7", "2s", 20.0),
        ("uniform(0, 3.2)", "uniform(1s, 3s)", 10.0),
        ("lognormal(mu=0.3, sigma=0.8)", "h2(1s, cv2=4)", 200.0),
        ("discrete(0.5: 0.2, 0.3: 2.5, 0.2: 9)", "discrete(0.9: 100ms, 0.1: 5s)", 50.0),
        ("bounded_pareto(shape=1.2, lo=1, hi=30)", "mix(0.5: const(1s), 0.5: exp(2s))", 200.0),
        ("poisson(2)", "bounded_pareto(shape=1.1, lo=100ms, hi=10s)", 100.0),
        ("zipf(n=20, s=1.1)", "weibull(shape=0.7, scale=1s)", 200.0),
    ] {
        let workload = workload("rate = '1000/s'", requests, think);
        let seen = looked_at((requests, think), (1000.0, past_s), |_| 1.0);
        same(&begun(&workload, Share::WHOLE), &seen, requests);
    }
}

#[test]
fn a_rate_that_varied_shows_in_who_is_there() {
    let profile = "rate = '3000/s'\nprofile = 'sine(period=8s, low=0)'";
    let laws = ("geometric(4)", "exp(1s)");
    let share = |age_s: f64| (1.0 - (std::f64::consts::TAU * age_s / 8.0).sin()) / 2.0;
    let seen = looked_at(laws, (3000.0, 100.0), share);
    same(&begun(&workload(profile, laws.0, laws.1), Share::WHOLE), &seen, profile);
    let nobody = "rate = '3000/s'\nprofile = 'ramp(from=0, to=1, over=10min)'";
    assert!(ThinkingSessions::new(&workload(nobody, laws.0, laws.1), 0).is_none());
}

#[test]
fn the_number_at_the_start_is_a_poisson_one() {
    let counts = (0..2000).map(|seed| {
        let workload = workload("rate = '5/s'", "3", "1s").with_seed(seed);
        begun(&workload, Share::WHOLE).len() as f64
    });
    let (average, squared_error) = mean(counts);
    // The mean is 10, and so is the variance: within 5 standard errors (false alarm 6e-7 each).
    assert!((average - 10.0).abs() < 5.0 * (10.0f64 / 2000.0).sqrt(), "{average}");
    assert!((squared_error * 2000.0 - 10.0).abs() < 5.0 * 10.0 * (2.0f64 / 2000.0).sqrt() * 1.05);
}

#[test]
fn those_who_were_there_are_not_counted_as_come() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '5/s'\n\
                [session]\nrequests = 4\nthink = 'exp(10s)'";
    let mut steady = clients(text, u64::MAX, 20.0);
    let mut empty = clients(&text.replace("'5/s'", "'5/s'\nstart = 'empty'"), u64::MAX, 20.0);
    let sent = drive(&mut steady, 0.1);
    let sent_after_nobody = drive(&mut empty, 0.1);
    assert_eq!(steady.sessions_begun(), empty.sessions_begun());
    // Arriving sessions do the same, whichever sessions were present.
    let came: Vec<(Nanos, u64, u32)> = sent
        .iter()
        .filter(|one| one.session < FIRST_SESSION)
        .map(|one| (one.due, one.session, one.index))
        .collect();
    let alone: Vec<(Nanos, u64, u32)> =
        sent_after_nobody.iter().map(|one| (one.due, one.session, one.index)).collect();
    assert_eq!(came, alone);
    assert!(sent.iter().any(|one| one.session > FIRST_SESSION && one.index == 3));
    assert!(sent.iter().all(|one| one.index < 4));
}

#[test]
fn closed_clients_do_not_begin_together() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 1000\n[session]\nthink = '8s'";
    let sent = drive(&mut clients(text, 1000, 1e9), 0.0);
    let times: Vec<f64> = sent.iter().map(|one| one.due.as_secs_f64()).collect();
    let average = times.iter().sum::<f64>() / 1000.0;
    // Uniform over the 8 s: within 5 standard errors of 4 s (false alarm 6e-7).
    assert!((average - 4.0).abs() < 5.0 * 8.0 / (12.0f64 * 1000.0).sqrt(), "{average}");
    let together = text.replace("clients", "start = 'empty'\nclients");
    let sent = drive(&mut clients(&together, 1000, 1e9), 0.0);
    assert!(sent.iter().all(|one| one.due == Nanos::from_secs_f64(8.0)));
}

#[test]
fn more_sessions_than_memory_should_hold_are_refused() {
    let many = workload("rate = '1000/s'", "geometric(11)", "exp(2000s)");
    let said = many.check_start().unwrap_err().to_string();
    assert!(said.contains("2.000e7 sessions") && said.contains("start = \"empty\""), "{said}");
    assert!(workload("rate = '100/s'", "geometric(11)", "exp(2000s)").check_start().is_ok());
    let empty = "rate = '1000/s'\nstart = 'empty'";
    assert!(workload(empty, "geometric(11)", "exp(2000s)").check_start().is_ok());
}

#[test]
fn a_think_time_of_infinite_mean_begins_with_nobody() {
    let endless = workload("rate = '10/s'", "3", "pareto(shape=1, scale=1s)");
    assert_eq!(endless.beginning(), crate::workload::InitialState::NeverSteady);
    assert!(endless.check_start().is_ok());
    let limit = Limit { requests: u64::MAX, until: Nanos::from_secs_f64(1.0), warmup: Nanos::ZERO };
    let sent = drive(&mut Clients::new(&endless, limit), 0.0);
    assert!(sent.iter().all(|one| one.session < FIRST_SESSION));
}
