mod browse;
mod children;
mod hedges;
mod start;

use thinktime_file::schema::Source as Text;

use super::*;
use crate::attempt::{Attempt, Fate};
use crate::files::NoFiles;

fn clients(text: &str, requests: u64, until_s: f64) -> Clients {
    let workload = Workload::parse(Text { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests, until: Nanos::from_secs_f64(until_s), warmup: Nanos::ZERO };
    Clients::new(&workload, limit)
}

/// Runs the clients against a server that answers after `delay_s`, and lists the attempts.
fn drive(clients: &mut Clients, delay_s: f64) -> Vec<Attempt> {
    let delay = Nanos::from_secs_f64(delay_s);
    let mut answers: Vec<(Nanos, Ticket)> = Vec::new();
    let mut sent = Vec::new();
    while !clients.finished() {
        let answer = answers.first().copied();
        match answer {
            Some((at, ticket)) if at <= clients.next_wake() => {
                answers.remove(0);
                clients.answer(at, ticket, Reply::default());
            }
            _ => {
                let now = clients.next_wake();
                if let ClientAction::Send(attempt) = clients.wake() {
                    sent.push(attempt);
                    answers.push((now + delay, attempt.ticket));
                }
            }
        }
    }
    sent
}

#[test]
fn an_open_workload_sends_at_its_arrivals_whatever_the_responses() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '100/s'";
    let times = |delay| -> Vec<Nanos> {
        drive(&mut clients(text, 50, 1e9), delay).iter().map(|a| a.due).collect()
    };
    assert_eq!(times(0.0), times(5.0));
    assert_eq!(times(0.0).len(), 50);
}

#[test]
fn a_closed_workload_waits_for_each_response() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 1\nstart = 'empty'\n\
                [session]\nthink = '1s'";
    let sent = drive(&mut clients(text, 3, 1e9), 0.5);
    let times: Vec<f64> = sent.iter().map(|attempt| attempt.due.as_secs_f64()).collect();
    assert_eq!(times, [1.0, 2.5, 4.0]);
    assert_eq!(sent.iter().map(|attempt| attempt.index).collect::<Vec<_>>(), [0, 1, 2]);
}

/// Of more clients than requests, those with the earliest first requests begin; the others take no
/// memory.
#[test]
fn of_many_clients_those_begin_that_are_first() {
    for start in ["steady", "empty"] {
        let text = format!(
            "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 3000\nstart = '{start}'\n\
             [session]\nthink = 'exp(1s)'"
        );
        let mut few = clients(&text, 40, 1e9);
        assert_eq!((few.sessions(), few.sessions_begun()), (40, 3000));
        let few = drive(&mut few, 0.2);
        let all = drive(&mut clients(&text, 3000, 1e9), 0.2);
        let acts = |sent: &[Attempt]| -> Vec<(Nanos, u64, u32)> {
            sent.iter().take(40).map(|one| (one.due, one.session, one.index)).collect()
        };
        assert_eq!(few.len(), 40);
        assert_eq!(acts(&few), acts(&all));
    }
}

#[test]
fn partly_open_sessions_have_their_length() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '1/s'\nprocess = 'even'\n\
                [session]\nthink = '100ms'\nrequests = 3";
    let mut machine = clients(text, u64::MAX, 10.5);
    let sent = drive(&mut machine, 0.1);
    // Ten sessions arrive from 1 s to 10 s; each lasts 0.5 s, and the last one is cut at 10.5 s.
    assert_eq!(machine.sessions_begun(), 10);
    assert_eq!(sent.iter().filter(|attempt| attempt.session == 0).count(), 3);
    assert!(sent.iter().all(|attempt| attempt.due.as_secs_f64() < 10.5));
    assert_eq!(machine.window_end(), Nanos::from_secs_f64(10.5));
}

#[test]
fn a_timeout_gives_up_and_tries_again_as_often_as_allowed() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\nprocess = 'even'\n\
                [[request]]\nname = 'x'\ntimeout = '100ms'\n\
                retry = { attempts = 3, backoff = '50ms' }";
    let mut machine = clients(text, 1, 1e9);
    let mut steps = Vec::new();
    while !machine.finished() {
        let now = machine.next_wake();
        steps.push((now.0 / 1_000_000, machine.wake()));
    }
    let given_up: Vec<(u64, Fate)> = steps
        .iter()
        .filter_map(|(at, step)| match step {
            ClientAction::TimedOut(_, fate) => Some((*at, *fate)),
            _ => None,
        })
        .collect();
    assert_eq!(given_up, [(1100, Fate::Retried), (1250, Fate::Retried), (1400, Fate::Over)]);
}

#[test]
fn a_late_answer_finds_nothing() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                [[request]]\nname = 'x'\ntimeout = '100ms'";
    let mut machine = clients(text, 1, 1e9);
    let ClientAction::Send(attempt) = machine.wake() else { panic!("a request") };
    let ClientAction::TimedOut(given_up, Fate::Over) = machine.wake() else { panic!("a timeout") };
    assert_eq!(given_up, attempt);
    assert_eq!(machine.answer(Nanos(u64::MAX / 2), attempt.ticket, Reply::default()), None);
    assert!(machine.finished());
}

#[test]
fn kinds_are_chosen_by_weight() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n\
                [[request]]\nname = 'x'\nweight = 9\n[[request]]\nname = 'y'";
    let sent = drive(&mut clients(text, 20_000, 1e12), 0.0);
    let rare = sent.iter().filter(|attempt| attempt.kind == 1).count() as f64;
    // 4.5 standard deviations of Binomial(20000, 0.1): false alarm 7e-6, and the seed is fixed.
    assert!((rare - 2000.0).abs() < 4.5 * (20_000.0f64 * 0.09).sqrt(), "{rare}");
}

/// Shares together send exactly the requests of the whole, at the same times.
#[test]
fn shares_together_are_the_whole_workload() {
    let sessions = "[session]\nthink = 'exp(1s)'";
    let partly = format!(
        "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '5/s'\n{sessions}\n\
         requests = 'geometric(3)'"
    );
    let closed = format!("name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 7\n{sessions}");
    let sent = |text: &str, share| -> Vec<(Nanos, u64, u32)> {
        let workload = Workload::parse(Text { file: "", text }, &NoFiles).unwrap();
        let until = Nanos::from_secs_f64(20.0);
        let limit = Limit { requests: u64::MAX, until, warmup: Nanos::ZERO };
        let attempts = drive(&mut Clients::of_share(&workload, limit, share), 0.1);
        attempts.iter().map(|one| (one.due, one.session, one.index)).collect()
    };
    for text in [&partly, &closed] {
        let mut whole = sent(text, Share::WHOLE);
        let mut parts: Vec<_> = (0..3).flat_map(|part| sent(text, Share::new(part, 3))).collect();
        whole.sort_unstable();
        parts.sort_unstable();
        assert!(whole.len() > 100);
        assert_eq!(whole, parts);
    }
}

/// A process that takes a share over continues with the sessions that come from then on, and with
/// no others.
#[test]
fn a_share_that_is_taken_over_goes_on_with_what_comes() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '9/s'";
    let workload = Workload::parse(Text { file: "", text }, &NoFiles).unwrap();
    let sent = |share, requests| -> Vec<(Nanos, u64)> {
        let until = Nanos::from_secs_f64(20.0);
        let limit = Limit { requests, until, warmup: Nanos::ZERO };
        let mut clients = Clients::of_share(&workload, limit, share);
        let attempts = drive(&mut clients, 0.1);
        assert_eq!(clients.sessions_begun(), attempts.len() as u64);
        attempts.iter().map(|one| (one.due, one.session)).collect()
    };
    let share = Share::new(1, 3);
    let from = Nanos::from_secs_f64(10.0);
    let all = sent(share, u64::MAX);
    let before = all.partition_point(|(at, _)| *at < from);
    assert!(before > 10 && all.len() > before + 10);
    assert_eq!(sent(Share { from, ..share }, u64::MAX), all[before..]);
    // The limit of a share is 20, of which another process began 15.
    assert_eq!(sent(Share { from, begun: 15, ..share }, 60), all[before..before + 5]);
}

/// As at the end of the duration: what has begun is still answered.
#[test]
fn no_request_begins_after_an_end_that_is_set_later() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '10/s'\nprocess = 'even'";
    let mut clients = clients(text, u64::MAX, 1e9);
    let (mut begun, end) = (Vec::new(), Nanos::from_secs_f64(1.25));
    while !clients.closed() {
        if let ClientAction::Send(attempt) = clients.wake() {
            begun.push(attempt);
        }
        if begun.len() == 5 {
            clients.end_at(end);
        }
    }
    assert_eq!((begun.len(), clients.window_end()), (12, end));
    assert_eq!(clients.open_requests(), 12);
    for attempt in begun {
        assert!(!clients.finished());
        clients.answer(end + end, attempt.ticket, Reply::default());
    }
    assert!(clients.finished());
}
