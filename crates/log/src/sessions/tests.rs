use super::*;
use crate::columns::{Batch, Collector, Columns, Digest, UserBy};
use crate::entry::Entry;
use thinktime_core::time::Nanos;

const AGENT: &str = "Mozilla/5.0 Firefox/140";

/// A request: second, address, path, referrer, agent.
type Line = (i64, &'static str, &'static str, &'static str, &'static str);

fn columns(lines: &[Line]) -> Columns {
    let mut collector = Collector::default();
    let (mut batch, digest) = (Batch::default(), Digest::new(UserBy::default()));
    for (at, (second, address, path, referrer, agent)) in lines.iter().enumerate() {
        let entry = Entry {
            time_ns: second * 1_000_000_000,
            duration: Some(Nanos(500_000_000)),
            address: address.as_bytes().into(),
            agent: agent.as_bytes().into(),
            path: path.as_bytes().into(),
            referrer: referrer.as_bytes().into(),
            method: b"GET"[..].into(),
            status: Some(200),
            bytes: Some(at as u64),
            ..Entry::default()
        };
        digest.add(&entry, &mut batch);
        if at % 3 == 0 {
            collector.take(&mut batch);
        }
    }
    collector.take(&mut batch);
    collector.finish()
}

fn figures(lines: &[Line], rules: Rules) -> SessionFigures {
    sessions(&columns(lines).view(), &rules, |_| true)
}

fn values(tally: &Tally) -> Vec<(u64, u64)> {
    tally.bins().map(|bin| (bin.low, bin.count)).collect()
}

#[test]
fn a_gap_longer_than_the_timeout_ends_a_session() {
    let lines = [
        (0, "a", "/", "", AGENT),
        (10, "b", "/", "", AGENT),
        (1800, "a", "/x", "", AGENT),
        (3601, "a", "/y", "", AGENT),
    ];
    let found = figures(&lines, Rules::default());
    assert_eq!((found.requests, found.users, found.sessions, found.first_visits), (4, 2, 3, 2));
    assert_eq!(values(&found.lengths.by_requests), [(1, 2), (2, 1)]);
    // A think time runs from the response's end.
    assert_eq!(found.thinks.total(), 1);
    let bin = found.thinks.bins().next().unwrap();
    assert!(bin.low <= 1_799_500_000 && 1_799_500_000 < bin.high);
    // N(tau) is the first visits and the gaps above tau.
    assert_eq!(found.gaps.total(), 2);
    assert_eq!((found.cut_at_start, found.cut_at_end), (2, 1));
    assert_eq!((found.start_ns, found.end_ns), (0, 3_601_000_000_000));
}

#[test]
fn objects_belong_to_the_page_that_embeds_them() {
    let lines = [
        (0, "a", "/", "", AGENT),
        (1, "a", "/style.css", "http://h/", AGENT),
        (2, "a", "/logo.png", "http://h/style.css", AGENT),
        (60, "a", "/shop", "http://h/", AGENT),
        (61, "a", "/api/cart", "http://h/shop", AGENT),
        (90, "a", "/late.png", "http://h/shop", AGENT),
        (500, "b", "/logo.png", "http://elsewhere/", AGENT),
    ];
    let found = figures(&lines, Rules::default());
    assert_eq!((found.requests, found.pages, found.sessions), (7, 3, 2));
    assert_eq!(values(&found.lengths.by_pages), [(1, 1), (2, 1)]);
    assert_eq!((found.page_thinks.total(), found.object_gaps.total()), (1, 4));
    let plain = figures(&lines, Rules { pages: false, ..Rules::default() });
    assert_eq!((plain.pages, plain.object_gaps.total()), (7, 0));
}

#[test]
fn sessions_are_made_of_some_requests() {
    let lines = [
        (0, "a", "/", "", AGENT),
        (1, "b", "/", "", "Googlebot/2.1"),
        (2, "a", "/x", "", AGENT),
        (3, "b", "/x", "", "Googlebot/2.1"),
        (4, "b", "/y", "", "Googlebot/2.1"),
    ];
    let columns = columns(&lines);
    let found = sessions(&columns.view(), &Rules::default(), |row| columns.rows.user[row] == 1);
    assert_eq!((found.sessions, found.requests, found.users), (1, 3, 1));
    // The log is the whole one.
    assert_eq!((found.start_ns, found.end_ns), (0, 4_000_000_000));
}

#[test]
fn minutes_count_requests_sessions_and_who_is_there() {
    let lines = [
        (60, "a", "/", "", AGENT),
        (61, "b", "/", "", AGENT),
        (130, "a", "/", "", AGENT),
        (250, "b", "/", "", AGENT),
    ];
    let minutes = figures(&lines, Rules::default()).minutes();
    assert_eq!(minutes.start_ns, MINUTE_NS);
    assert_eq!(minutes.requests, [2, 1, 0, 1]);
    assert_eq!(minutes.sessions, [2, 0, 0, 0]);
    assert_eq!(minutes.active, [2, 1, 1, 0]);
}

/// Sessions of three requests follow on one another; those at the log's edges have one or two.
#[test]
fn sessions_that_the_edges_cut_do_not_count_for_lengths() {
    let names: Vec<String> = (0..2000).map(|n| format!("user {n}")).collect();
    let mut collector = Collector::default();
    let (mut batch, digest) = (Batch::default(), Digest::new(UserBy::default()));
    for second in 0..2000_i64 {
        // Each second one session is in its first, one in its second, one in its third request.
        for age in 0..3 {
            let user = (second / 20 - age).rem_euclid(2000) as usize;
            if second % 20 == 0 {
                let entry = Entry {
                    time_ns: second * 1_000_000_000,
                    address: names[user].as_bytes().into(),
                    ..Entry::default()
                };
                digest.add(&entry, &mut batch);
            }
        }
    }
    collector.take(&mut batch);
    let rules = Rules { timeout_ns: 60_000_000_000, ..Rules::default() };
    let found = sessions(&collector.finish().view(), &rules, |_| true);
    assert_eq!(found.requests, 300);
    assert_eq!(values(&found.lengths.by_requests), [(3, found.lengths.sessions)]);
    assert!(found.lengths.sessions > 90, "{}", found.lengths.sessions);
}
