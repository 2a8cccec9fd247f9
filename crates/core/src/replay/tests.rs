mod shares;

use std::cell::RefCell;

use proptest::prelude::*;
use thinktime_file::schema::Source;

use super::*;
use crate::attempt::{Attempt, Ticket};
use crate::client::{ClientAction, Clients};
use crate::files::Files;
use crate::limit::Limit;
use crate::program::Reply;
use crate::request::Method;
use crate::workload::{Workload, WorkloadFiles};

/// A log as (time in ms, duration in ms, user, method, target).
type Line = (i64, u64, u64, &'static str, &'static str);

struct Given {
    lines: Vec<Line>,
    resolution_ns: u64,
    asked: RefCell<Option<LogOptions>>,
}

impl Files for Given {
    fn read(&self, _name: &str) -> Result<String, Invalid> {
        Ok("t\n1\n2\n".to_owned())
    }
}

impl WorkloadFiles for Given {
    fn log(&self, _name: &str, options: &LogOptions) -> Result<RequestLog, Invalid> {
        *self.asked.borrow_mut() = Some(options.clone());
        let mut log = RequestLog::new(options);
        for (time_ms, duration_ms, user, method, target) in &self.lines {
            log.add(&LogRequest {
                time_ns: time_ms * 1_000_000,
                resolution_ns: self.resolution_ns,
                duration: Nanos(duration_ms * 1_000_000),
                user: user_number(&[&user.to_le_bytes()]),
                method: method.as_bytes(),
                target: target.as_bytes(),
            });
        }
        Ok(log)
    }
}

/// Two users: the first makes three requests, and comes again after an hour.
const LINES: [Line; 6] = [
    (10_000, 200, 1, "GET", "/"),
    // Out of order, as logs that are written when responses end.
    (12_500, 300, 1, "GET", "/a?x=1"),
    (11_000, 0, 2, "HEAD", "/b"),
    (12_600, 0, 1, "GET", "/c"),
    (13_000, 0, 2, "POST", "/d"),
    (3_610_000, 0, 1, "OPTIONS", "/e"),
];

fn parse(lines: &[Line], rest: &str) -> Result<Workload, String> {
    parse_coarse(lines, 1, rest)
}

fn parse_coarse(lines: &[Line], resolution_ns: u64, rest: &str) -> Result<Workload, String> {
    let files = Given { lines: lines.to_vec(), resolution_ns, asked: RefCell::default() };
    let text = format!("name = 'a'\n[arrivals]\n{rest}");
    let workload = Workload::parse(Source { file: "w.toml", text: &text }, &files);
    workload.map_err(|error| error.to_string())
}

fn replay(model: &str, arguments: &str) -> Workload {
    let clients = if model == "closed" { "clients = 2\n" } else { "" };
    let rest = format!("model = '{model}'\n{clients}process = 'trace(a.log{arguments})'");
    parse(&LINES, &rest).unwrap()
}

/// A request as it was sent: time in ms, session, its number in it, method, target.
type Sent = (u64, u64, u32, Method, String);

/// Runs clients against a server that answers after `delay_ms`, to the end.
fn sent(workload: &Workload, limit: Limit, delay_ms: u64) -> Vec<Sent> {
    let mut clients = Clients::new(workload, limit);
    let mut answers: Vec<(Nanos, Ticket)> = Vec::new();
    let mut sent = Vec::new();
    let note = |clients: &Clients, one: &Attempt| {
        let call = clients.call(one).unwrap();
        let at = one.due.0 / 1_000_000;
        (at, one.session, one.index, call.method, call.target.clone())
    };
    while !clients.finished() {
        if let Some((at, ticket)) = answers.first().copied()
            && at <= clients.next_wake()
        {
            answers.remove(0);
            clients.answer(at, ticket, Reply::default());
        } else {
            let now = clients.next_wake();
            if let ClientAction::Send(attempt) = clients.wake() {
                sent.push(note(&clients, &attempt));
                answers.push((now + Nanos(delay_ms * 1_000_000), attempt.ticket));
            }
        }
    }
    sent
}

const ENDLESS: Limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };

fn times(sent: &[Sent]) -> Vec<(u64, u64)> {
    sent.iter().map(|(at, session, ..)| (*at, *session)).collect()
}

#[test]
fn an_open_replay_sends_at_the_logs_times_whatever_the_responses() {
    let workload = replay("open", ", methods=all");
    for delay_ms in [0, 100_000] {
        let sent = sent(&workload, ENDLESS, delay_ms);
        let targets: Vec<&str> = sent.iter().map(|one| one.4.as_str()).collect();
        assert_eq!(targets, ["/", "/b", "/a?x=1", "/c", "/d", "/e"]);
        let expected = [(0, 0), (1000, 1), (2500, 2), (2600, 3), (3000, 4), (3_600_000, 5)];
        assert_eq!(times(&sent), expected);
        assert_eq!((sent[1].3, sent[4].3, sent[5].2), (Method::Head, Method::Post, 0));
    }
    let extent = workload.extent().unwrap();
    assert_eq!((extent.sessions, extent.requests), (6, 6));
    assert_eq!((workload.request_rate(), workload.requests_per_session()), (None, 1.0));
}

#[test]
fn requests_of_one_coarse_stamp_are_spread_over_its_second() {
    let stamps = (0..2000).map(|number| (1000 * (number / 20), 0, number as u64, "GET", "/"));
    let lines: Vec<Line> = stamps.collect();
    let rest = "model = 'open'\nprocess = 'trace(a.log)'";
    let coarse = parse_coarse(&lines, 1_000_000_000, rest).unwrap();
    let limit = Limit { requests: u64::MAX, until: Nanos::MAX, warmup: Nanos::ZERO };
    let found = sent(&coarse, limit, 10);
    let seconds: Vec<u64> = found.iter().map(|one| one.0 / 1000).collect();
    assert!(seconds.iter().zip(0..).all(|(second, number)| second.abs_diff(number / 20) <= 1));
    let within: Vec<f64> = found.iter().map(|one| (one.0 % 1000) as f64).collect();
    let mean = within.iter().sum::<f64>() / within.len() as f64;
    // The mean of 2000 uniform times has a standard error of 6.5 ms: the margin is five of them.
    assert!((mean - 500.0).abs() < 33.0, "{mean}");
    let sessions: Vec<u64> = found.iter().map(|one| one.1).collect();
    assert_eq!(sessions, (0..2000).collect::<Vec<_>>(), "in the order of the log");
    assert_eq!(sent(&coarse, limit, 10), found, "the same each time");
}

#[test]
fn partly_open_sessions_think_after_the_response() {
    let workload = replay("partly-open", "");
    // User 1: 2.5 s after the arrival of `/`, which took 0.2 s: a think time of 2.3 s; then `/c`
    // arrives before `/a` has ended. An hour later a new session. The POST is left out.
    let sent = sent(&workload, ENDLESS, 1000);
    let expected = [(0, 0), (1000, 1), (3300, 0), (4300, 0), (3_600_000, 2)];
    assert_eq!(times(&sent), expected);
    assert_eq!(sent.iter().map(|one| one.2).collect::<Vec<_>>(), [0, 0, 1, 2, 0]);
    let extent = workload.extent().unwrap();
    assert_eq!((extent.sessions, extent.requests), (3, 5));
    assert!((workload.requests_per_session() - 5.0 / 3.0).abs() < 1e-12);
    assert!((workload.mean_think_s() - 2.3 / 2.0).abs() < 1e-12);
}

#[test]
fn a_timeout_says_what_a_session_is() {
    let sent = |timeout: &str| {
        let workload = replay("partly-open", &format!(", timeout={timeout}"));
        sent(&workload, ENDLESS, 0).iter().map(|one| one.1).max().unwrap() + 1
    };
    // The longest gap of user 1 is 3597.4 s, then there is one of 2.5 s.
    assert_eq!((sent("3597.4s"), sent("3597.3s"), sent("2.5s"), sent("2.4s")), (2, 3, 3, 4));
}

#[test]
fn closed_clients_take_session_after_session() {
    let workload = replay("closed", ", methods=all");
    let sent = sent(&workload, ENDLESS, 1000);
    let seen: Vec<(u64, u64, &str)> =
        sent.iter().map(|(at, client, .., target)| (*at, *client, target.as_str())).collect();
    let expected = [
        (0, 0, "/"),
        (0, 1, "/b"),
        (1000, 0, "/a?x=1"),
        (1000, 1, "/d"),
        (2000, 0, "/c"),
        (2000, 1, "/e"),
    ];
    assert_eq!(seen, expected);
}

#[test]
fn a_run_ends_with_the_log_or_before() {
    for model in ["open", "partly-open", "closed"] {
        let workload = replay(model, ", methods=all");
        let mut clients = Clients::new(&workload, ENDLESS);
        let mut begun = 0;
        while !clients.closed() {
            if let ClientAction::Send(attempt) = clients.wake() {
                begun += 1;
                clients.answer(attempt.due, attempt.ticket, Reply::default());
            }
        }
        assert_eq!((begun, clients.done()), (6, true), "{model}");
        let some = Limit { requests: 4, ..ENDLESS };
        assert_eq!(sent(&workload, some, 10).len(), 4, "{model}");
        let short = Limit { until: Nanos(2_600_000_000), ..ENDLESS };
        let expected = [("open", 3), ("partly-open", 4), ("closed", 6)];
        let expected = expected.iter().find(|one| one.0 == model).unwrap().1;
        assert_eq!(sent(&workload, short, 10).len(), expected, "{model}");
    }
}

/// With a given time an open run lasts for it; a closed one ends when it has nothing more to do.
#[test]
fn the_measured_time_is_that_of_the_model() {
    let limit = Limit { until: Nanos(4_000_000_000_000), ..ENDLESS };
    for (model, end) in [("open", limit.until), ("partly-open", limit.until), ("closed", Nanos(0))]
    {
        let mut clients = Clients::new(&replay(model, ""), limit);
        while !clients.finished() {
            if let ClientAction::Send(attempt) = clients.wake() {
                clients.answer(attempt.due, attempt.ticket, Reply::default());
            }
        }
        assert_eq!(clients.window_end(), end, "{model}");
    }
}

#[test]
fn a_session_may_end_with_a_failed_request() {
    let clients = "model = 'closed'\nclients = 1\nprocess = 'trace(a.log)'";
    let workload = parse(&LINES, &format!("{clients}\n[session]\non_error = 'end'")).unwrap();
    let mut clients = Clients::new(&workload, ENDLESS);
    let mut targets = Vec::new();
    while !clients.finished() {
        if let ClientAction::Send(attempt) = clients.wake() {
            targets.push(clients.call(&attempt).unwrap().target.clone());
            clients.answer(attempt.due, attempt.ticket, Reply::of(Some("status")));
        }
    }
    assert_eq!(targets, ["/", "/b", "/e"]);
    assert!(clients.closed());
}

#[test]
fn speed_makes_the_log_faster_and_its_think_times_shorter() {
    let open = sent(&replay("open", ", speed=2"), ENDLESS, 0);
    assert_eq!(times(&open), [(0, 0), (500, 1), (1250, 2), (1300, 3), (1_800_000, 4)]);
    let partly = sent(&replay("partly-open", ", speed=0.5"), ENDLESS, 1000);
    let expected = [(0, 0), (2000, 1), (5600, 0), (6600, 0), (7_200_000, 2)];
    assert_eq!(times(&partly), expected);
}

#[test]
fn a_share_of_the_users_is_chosen_by_the_seed() {
    let lines: Vec<Line> = (0..10_000).map(|at| (at, 0, at as u64 % 1000, "GET", "/")).collect();
    let users = |seed: u64| -> Vec<u64> {
        let rest = "model = 'open'\nprocess = 'trace(a.log, users=10%)'";
        let workload = parse(&lines, rest).unwrap().with_seed(seed);
        let sent = sent(&workload, ENDLESS, 0);
        assert_eq!(workload.extent().unwrap().requests, sent.len() as u64);
        sent.iter().map(|one| one.0 % 1000).collect()
    };
    let (one, again, other) = (users(1), users(1), users(2));
    assert_eq!(one, again);
    assert_ne!(one, other);
    // 100 of 1000 users, each with all ten requests; 4.5 standard deviations: false alarm 7e-6.
    for mut all in [one, other] {
        let requests = all.len();
        all.sort_unstable();
        all.dedup();
        assert_eq!(requests, all.len() * 10);
        assert!((all.len() as f64 - 100.0).abs() < 4.5 * (1000.0_f64 * 0.09).sqrt());
    }
}

#[test]
fn requests_are_named_by_their_targets() {
    let rest = "model = 'open'\nprocess = 'trace(a.log, methods=all)'\n\
        [[request]]\nname = 'home'\nget = '/'\n\
        [[request]]\nname = 'reviews'\nget = '/item/{zipf(n=9, s=1)}/reviews'\n\
        [[request]]\nname = 'item'\nget = '/item/{zipf(n=9, s=1)}'\n\
        [[request]]\nname = 'search'\nget = '/search?q={zipf(n=9, s=1)}'\n\
        [[request]]\nname = 'order'\npost = '/order'\n\
        [[request]]\nname = 'other'\ntimeout = '2s'";
    let named = [
        ("GET", "/", "home"),
        ("GET", "/?from=x", "home"),
        ("HEAD", "/", "home"),
        ("GET", "/item/7", "item"),
        ("GET", "/item/blue?page=2", "item"),
        ("GET", "/item/7/reviews?page=2", "reviews"),
        ("GET", "/item", "other"),
        ("GET", "/search?q=shoes", "search"),
        ("GET", "/search", "other"),
        ("POST", "/order", "order"),
        ("GET", "/order", "other"),
        ("POST", "/", "other"),
    ];
    let lines: Vec<Line> = named.iter().map(|(method, to, _)| (0, 0, 1, *method, *to)).collect();
    let workload = parse(&lines, rest).unwrap();
    let mut clients = Clients::new(&workload, ENDLESS);
    let mut names = Vec::new();
    while !clients.finished() {
        if let ClientAction::Send(attempt) = clients.wake() {
            names.push(workload.requests[attempt.kind as usize].name.clone());
        }
        if names.len() == named.len() {
            break;
        }
    }
    assert_eq!(names, named.iter().map(|one| one.2).collect::<Vec<_>>());
}

#[test]
fn what_is_left_out_is_told() {
    let warnings = |arguments: &str| {
        let clients = Clients::new(&replay("open", arguments), ENDLESS);
        clients.report().unwrap().warnings().iter().cloned().collect::<Vec<_>>()
    };
    assert_eq!(warnings(", methods=all"), Vec::<String>::new());
    assert_eq!(
        warnings(""),
        ["a.log: 1 of 6 requests are left out: 1 whose method may change something (see \
          `methods`)"]
    );
}

#[test]
fn the_reader_is_told_what_is_wanted() {
    let asked = |process: &str| {
        let files = Given { lines: LINES.to_vec(), resolution_ns: 1, asked: RefCell::default() };
        let text = format!("name = 'a'\n[arrivals]\nmodel = 'open'\nprocess = \"{process}\"");
        Workload::parse(Source { file: "", text: &text }, &files).unwrap();
        files.asked.into_inner().map(|it| (it.format, it.user, it.all_methods))
    };
    let options = |format: Option<&str>, user: &str, all| {
        Some((format.map(str::to_owned), user.to_owned(), all))
    };
    assert_eq!(asked("trace(a.log)"), options(None, "agent", false));
    assert_eq!(asked("trace(a.csv, format=auto, user=address)"), options(None, "address", false));
    let csv = "csv:time=t,address=ip";
    assert_eq!(
        asked(&format!("trace(file=a.csv, format='{csv}', methods=all)")),
        options(Some(csv), "agent", true)
    );
    for column in ["a.csv", "a.txt", "a.parquet", "a.log, column=t", "a.log, format=times"] {
        assert_eq!(asked(&format!("trace({column})")), None, "{column}");
    }
}

proptest! {
    #[test]
    fn any_process_is_taken_or_refused(text in "trace\\([a-z0-9(),:=./' %]{0,60}\\)") {
        // Both outcomes are fine, as long as it does not panic.
        let _ = Settings::parse(&text);
    }
}

#[test]
fn mistakes_are_explained() {
    let open = |process: &str| parse(&LINES, &format!("model = 'open'\nprocess = '{process}'"));
    for (process, part) in [
        ("trace(a.log, speed=0)", "needs a `speed` above 0"),
        ("trace(a.log, users=0%)", "needs `users` above 0% and up to 100%"),
        ("trace(a.log, users=200%)", "needs `users` above 0%"),
        ("trace(a.log, users=few)", "needs a number for `users`"),
        ("trace(a.log, methods=save)", "did you mean `safe`?"),
        ("trace(a.log, timeout=3MB)", "for `timeout`"),
        ("trace(a.log, timeout=1min)", "an open one has no sessions"),
        ("trace(a.log, sped=2)", "did you mean `speed`?"),
        ("trace(a.csv, speed=2)", "add format=auto"),
        ("trace(a.log, users=0.0000001%)", "give a larger share"),
    ] {
        let message = open(process).unwrap_err();
        assert!(message.contains(part), "{process}: {message}");
        assert!(message.starts_with("w.toml:4: arrivals.process: "), "{message}");
    }
    let log = "process = 'trace(a.log)'";
    for (rest, part) in [
        (format!("model = 'open'\nrate = '1/s'\n{log}"), "4: arrivals.rate: does not go"),
        (format!("model = 'open'\nprofile = 'constant'\n{log}"), "by `speed`"),
        (format!("model = 'open'\nclients = 2\n{log}"), "arrivals.clients"),
        (format!("model = 'closed'\n{log}"), "needs `clients`"),
        (format!("model = 'partly-open'\n{log}\n[session]\nthink = '1s'"), "session.think"),
        (format!("model = 'partly-open'\n{log}\n[session]\nrequests = 2"), "session.requests"),
        (format!("model = 'closed'\nclients = 1\n{log}\n[session]\nscript = 'x'"), "the log says"),
        (format!("model = 'open'\n{log}\n[session]\non_error = 'end'"), "ends with its request"),
        ("model = 'closed'\nclients = 1\nprocess = 'trace(a.csv)'".to_owned(), "no arrivals"),
        (
            "model = 'closed'\nclients = 1\nprocess = 'trace(a.log, speed=2)'".to_owned(),
            "as fast as they can",
        ),
    ] {
        let message = parse(&LINES, &rest).unwrap_err();
        assert!(message.contains(part), "{rest}: {message}");
    }
    let nothing = |lines: &[Line]| parse(lines, &format!("model = 'open'\n{log}")).unwrap_err();
    assert!(nothing(&[]).contains("a.log: holds no request; so there is nothing to replay"));
    let posts = nothing(&[(0, 0, 1, "POST", "/")]);
    assert!(posts.contains("1 of 1 requests are left out"), "{posts}");
}
