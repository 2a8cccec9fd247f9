//! Journeys and pages, compared with the records of a server that answers after a second.

use super::*;
use crate::attempt::NO_PAGE;

/// The name of a request's kind, its send time, and its page.
type Sent = (String, f64, Option<u32>);

/// The outcome: the requests and the pages.
fn browse(text: &str, requests: u64) -> (Vec<Sent>, Vec<Page>) {
    let workload = Workload::parse(Text { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests, until: Nanos::MAX, warmup: Nanos::ZERO };
    let mut clients = Clients::new(&workload, limit);
    let second = Nanos::from_secs_f64(1.0);
    let (mut answers, mut sent, mut pages) = (Vec::new(), Vec::new(), Vec::new());
    while !clients.done() {
        let wake = clients.next_wake();
        match answers.first().copied() {
            Some((at, ticket)) if at <= wake => {
                answers.remove(0);
                clients.answer(at, ticket, Reply::default());
            }
            _ => {
                if let ClientAction::Send(attempt) = clients.wake() {
                    let name = workload.requests[attempt.kind as usize].name.clone();
                    let page = Some(attempt.page).filter(|page| *page != NO_PAGE);
                    sent.push((name, attempt.due.as_secs_f64(), page));
                    answers.push((wake + second, attempt.ticket));
                }
            }
        }
        pages.extend(std::iter::from_fn(|| clients.ended_page()));
    }
    (sent, pages)
}

fn closed(session: &str, requests: &str) -> String {
    format!(
        "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 1\nstart = 'empty'\n\
         [session]\nthink = '10s'\n{session}\n{requests}"
    )
}

const SHOP: &str = "[[request]]\nname = 'home'\nnext = { item = 1 }\n\
                    objects = { count = 4, of = { image = 1 }, connections = 2 }\n\
                    [[request]]\nname = 'item'\nthink = '3s'\nnext = { home = 1 }\n\
                    [[request]]\nname = 'image'\nget = '/image/{uniform(0.6, 1.4)}'";

#[test]
fn objects_follow_their_base_over_so_many_connections() {
    let (sent, pages) = browse(&closed("", SHOP), 7);
    let expected = [
        ("home", 10.0, Some(0)),
        ("image", 11.0, Some(0)),
        ("image", 11.0, Some(0)),
        ("image", 12.0, Some(0)),
        ("image", 12.0, Some(0)),
        ("item", 23.0, None),
        ("home", 27.0, Some(6)),
    ];
    let expected = expected.map(|(name, at, page)| (name.to_owned(), at, page));
    assert_eq!(sent, expected);
    let page = pages[0];
    assert_eq!((page.scheduled, page.done), (Nanos(10_000_000_000), Nanos(13_000_000_000)));
    assert!(!page.failed);
}

#[test]
fn a_session_with_a_cache_asks_for_an_object_once() {
    let (sent, pages) = browse(&closed("cache = true", SHOP), 4);
    let names: Vec<_> = sent.iter().map(|one| (one.0.as_str(), one.1)).collect();
    assert_eq!(names, [("home", 10.0), ("image", 11.0), ("item", 22.0), ("home", 26.0)]);
    assert_eq!(pages[0].done, Nanos(12_000_000_000));
}

#[test]
fn a_closed_session_that_ends_begins_anew() {
    let requests = "[[request]]\nname = 'a'\nnext = { b = 1 }\n\
                    [[request]]\nname = 'b'\nnext = { end = 1 }";
    let (sent, _) = browse(&closed("", requests), 5);
    let names: String = sent.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, "ababa");
}

#[test]
fn a_session_ends_at_the_given_request_once_it_has_lasted() {
    // a at 10, b at 21, c at 32, a at 43: there 15 s have passed, and it comes to `c` at 65.
    let requests = "[[request]]\nname = 'a'\nnext = { b = 1 }\n\
                    [[request]]\nname = 'b'\nnext = { c = 1 }\n\
                    [[request]]\nname = 'c'\nnext = { a = 1 }";
    let (sent, _) = browse(&closed("lasts = '35s'\nends_at = 'c'", requests), 8);
    let names: String = sent.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, "abcababc");
    let (sent, _) = browse(&closed("lasts = '35s'", requests), 8);
    let names: String = sent.iter().map(|one| one.0.as_str()).collect();
    assert_eq!(names, "abcaabca");
}

#[test]
fn a_session_may_end_after_a_number_of_requests_objects_not_counted() {
    let text = closed("requests = 2", SHOP);
    let (sent, _) = browse(&text, 12);
    let steps: String = sent.iter().filter(|one| one.0 != "image").map(|one| &one.0[..1]).collect();
    assert_eq!(steps, "hihi");
}

/// Each of 2,000 clients requests a, b and c, and begins again: at every time a third of them has
/// each of these as its next. By chance alone one of the counts would be off once in 10,000 times.
#[test]
fn clients_are_amid_a_number_of_requests_when_a_run_begins() {
    for think in ["const(8s)", "0s"] {
        let text = format!(
            "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 2000\n\
             [session]\nthink = '{think}'\nrequests = 3\n\
             [[request]]\nname = 'a'\nnext = {{ b = 1 }}\n\
             [[request]]\nname = 'b'\nnext = {{ c = 1 }}\n\
             [[request]]\nname = 'c'\nnext = {{ c = 1 }}"
        );
        let (sent, _) = browse(&text, 12_000);
        for round in sent.chunks(2000) {
            for name in ["a", "b", "c"] {
                let found = round.iter().filter(|one| one.0 == name).count() as f64;
                assert!((found - 2000.0 / 3.0).abs() < 4.5 * 21.1, "{think}: {name} {found}");
            }
        }
    }
}

/// Mean numbers of the sessions that think at the start and of their last requests, compared with
/// the chain's: by chance alone one of the three would be off once in 10,000 times.
#[test]
fn journeys_begin_as_they_are_in_the_long_run() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '1000/s'\n\
                [session]\nthink = '10s'\n\
                [[request]]\nname = 'a'\nnext = { a = 0.5, b = 0.3, end = 0.2 }\n\
                think = 'exp(2s)'\n\
                [[request]]\nname = 'b'\nnext = { a = 0.6, end = 0.4 }";
    let workload = Workload::parse(Text { file: "", text }, &NoFiles).unwrap();
    let limit = Limit { requests: u64::MAX, until: Nanos::from_secs_f64(1e6), warmup: Nanos::ZERO };
    let clients = Clients::new(&workload, limit);
    // v(a) = 1 + 0.5 v(a) + 0.6 v(b), v(b) = 0.3 v(a): v(a) = 1 / 0.32.
    let (a, b) = (1.0 / 0.32, 0.3 / 0.32);
    let visits = workload.populations[0].visits.clone().unwrap();
    assert!((visits[0] - a).abs() < 1e-9 && (visits[1] - b).abs() < 1e-9, "{visits:?}");
    // Little: this many think after a, and after b.
    let expected = 1000.0 * (a * 0.8 * 2.0 + b * 0.6 * 10.0);
    let found = clients.sessions() as f64;
    assert!((found - expected).abs() < 4.0 * expected.sqrt(), "{found} {expected}");
}

#[test]
fn populations_come_side_by_side_with_numbers_of_their_own() {
    let text = "name = 'w'\n[[population]]\nname = 'people'\n\
                [population.arrivals]\nmodel = 'open'\nrate = '10/s'\nprocess = 'even'\n\
                [[population.request]]\nname = 'home'\n\
                [[population]]\nname = 'pollers'\n\
                [population.arrivals]\nmodel = 'closed'\nclients = 2\n\
                [population.session]\nthink = 'const(5s)'\n\
                [[population.request]]\nname = 'status'";
    let mut clients = clients(text, u64::MAX, 10.0);
    let sent = drive(&mut clients, 0.1);
    let of = |kind: u32| sent.iter().filter(move |one| one.kind == kind);
    assert!((99..=101).contains(&of(0).count()), "{}", of(0).count());
    assert!((3..=4).contains(&of(1).count()), "{}", of(1).count());
    assert!(of(0).all(|one| one.population_and_number().is_some_and(|(place, _)| place == 0)));
    let pollers: Vec<_> = of(1).map(|one| one.population_and_number().unwrap()).collect();
    assert!(pollers.iter().all(|one| one.0 == 1 && one.1 < 2), "{pollers:?}");
}

/// With such a tail a third of the sessions that think at the start have made more than 2^32
/// requests.
#[test]
fn sessions_that_began_ages_ago_go_on_with_pages() {
    let text = "name = 'a'\n[arrivals]\nmodel = 'partly-open'\nrate = '0.1/s'\n\
                [session]\nrequests = 'pareto(shape=1.05, scale=100)'\nthink = 'exp(1s)'\n\
                [[request]]\nname = 'a'\n\
                [[request]]\nname = 'b'\nobjects = { count = 2, of = { c = 1 } }\n\
                [[request]]\nname = 'c'";
    let (sent, pages) = browse(text, 5000);
    assert_eq!(sent.len(), 5000);
    assert!(pages.len() > 500, "{}", pages.len());
}
