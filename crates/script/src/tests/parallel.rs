//! Sessions that act in parallel, driven by the clients of core.

use std::collections::VecDeque;

use thinktime_core::workload::WorkloadFiles;

use super::*;
use thinktime_core::attempt::Attempt;
use thinktime_core::client::{ClientAction, Clients};
use thinktime_core::files::Files;
use thinktime_core::limit::Limit;
use thinktime_core::program::Report;
use thinktime_core::schema::Source;
use thinktime_core::workload::Workload;

/// A script, and a table of users.
struct Given(String);

impl Files for Given {
    fn read(&self, _name: &str) -> std::result::Result<String, Invalid> {
        Ok("user,word\nann,x\nbob,y\n".to_owned())
    }
}

impl WorkloadFiles for Given {
    fn program(
        &self,
        name: &str,
        requests: &[RequestKind],
    ) -> std::result::Result<Arc<dyn ProgramSource>, Invalid> {
        let names: Vec<&str> = requests.iter().map(|kind| kind.name.as_str()).collect();
        Ok(Arc::new(Script::compile(name, &self.0, &names)?))
    }
}

/// A request that was sent: its time in milliseconds, its slot, and its target.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Sent {
    pub(super) ms: u64,
    pub(super) attempt: Attempt,
    pub(super) target: String,
}

/// The service time of the server below.
const SERVICE: Nanos = Nanos(10_000_000);

/// Drives such clients against a server that answers after 10 ms; gives their requests and their
/// findings. Targets that begin with `/no` fail.
pub(super) fn drive(text: &str, rest: &str, seconds: u64) -> (Vec<Sent>, Report, Clients) {
    let toml = format!(
        "name = 'w'\n{rest}\nscript = 'buyer.luau'\ndata = ['users.csv']\n\
         [[request]]\nname = 'item'\n[[request]]\nname = 'search'\n"
    );
    let source = Source { file: "", text: &toml };
    let workload = Workload::parse(source, &Given(body(text))).unwrap();
    let until = Nanos(seconds * SECOND.0);
    let limit = Limit { requests: u64::MAX, until, warmup: Nanos::ZERO };
    let mut clients = Clients::new(&workload, limit);
    let mut answers: VecDeque<(Nanos, Sent)> = VecDeque::new();
    let mut all = Vec::new();
    while !clients.finished() {
        let now = clients.next_wake();
        if answers.front().is_some_and(|(at, _)| *at <= now) {
            let (at, sent) = answers.pop_front().unwrap();
            let error = sent.target.starts_with("/no").then_some("status");
            clients.answer(at, sent.attempt.ticket, Reply::of(error));
        } else if let ClientAction::Send(attempt) = clients.wake() {
            let target = clients.call(&attempt).unwrap().target.clone();
            let sent = Sent { ms: now.0 / 1_000_000, attempt, target };
            answers.push_back((now + SERVICE, sent.clone()));
            all.push(sent);
        }
    }
    let report = clients.report().unwrap();
    (all, report, clients)
}

pub(super) const EVERY_SECOND: &str =
    "[arrivals]\nmodel = 'partly-open'\nrate = '1/s'\nprocess = 'even'\n[session]";
pub(super) const TWO_CLIENTS: &str =
    "[arrivals]\nmodel = 'closed'\nclients = 2\n[session]\nthink = '10ms'";

fn targets(sent: &[Sent]) -> Vec<(u64, &str)> {
    sent.iter().map(|one| (one.ms, one.target.as_str())).collect()
}

#[test]
fn functions_run_at_the_same_time_up_to_the_limit() {
    let text = "local list = {}\n\
                for at = 1, 5 do list[at] = function(c) c:get('/' .. at) end end\n\
                client:parallel(list, 2)\n\
                client:get('/after')";
    let (sent, report, clients) = drive(text, EVERY_SECOND, 2);
    let expected = [(0, "/1"), (0, "/2"), (10, "/3"), (10, "/4"), (20, "/5"), (30, "/after")];
    let shifted: Vec<_> = expected.map(|(ms, target)| (ms + 1000, target)).into();
    assert_eq!(targets(&sent), shifted);
    assert!(sent.iter().all(|one| one.attempt.session == 0));
    let mut numbers: Vec<u32> = sent.iter().map(|one| one.attempt.index).collect();
    numbers.sort_unstable();
    assert_eq!(numbers, [0, 1, 2, 3, 4, 5]);
    assert_eq!(clients.sessions_begun(), 1);
    assert!(report.errors().is_empty(), "{report:?}");
}

#[test]
fn a_page_brings_its_objects() {
    let text = "local page = client:page('/', {\n\
                objects = function(page) return { '/a', '/b', '/c' } end,\n\
                parallel = 2, name = 'search', objects_name = 'item' })\n\
                client:check('all', #page.objects == 3 and page.objects[3].ok)\n\
                client:record('load', page.load_time)";
    let (sent, report, _) = drive(text, EVERY_SECOND, 2);
    assert_eq!(targets(&sent), [(1000, "/"), (1010, "/a"), (1010, "/b"), (1020, "/c")]);
    let kinds: Vec<u32> = sent.iter().map(|one| one.attempt.kind).collect();
    assert_eq!(kinds, [1, 0, 0, 0]);
    assert_eq!(report.checks()["all"].passed, 1);
    assert!((report.metrics()["load"].mean_s().unwrap() - 0.03).abs() < 1e-9);
    let (sent, _, _) = drive("client:page('/no', { objects = { '/a' } })", EVERY_SECOND, 2);
    assert_eq!(targets(&sent), [(1000, "/no")]);
}

#[test]
fn sessions_and_their_slots_go_on_after_children() {
    let text = "client:page('/', { objects = { '/a', '/b' } })\nclient:think(0.01)";
    let (sent, report, clients) = drive(text, TWO_CLIENTS, 3);
    assert!(report.errors().is_empty(), "{report:?}");
    assert_eq!(clients.sessions_begun(), 2);
    for session in 0..2 {
        let own: Vec<&Sent> = sent.iter().filter(|one| one.attempt.session == session).collect();
        let mut numbers: Vec<u32> = own.iter().map(|one| one.attempt.index).collect();
        numbers.sort_unstable();
        assert!(numbers.iter().copied().eq(0..own.len() as u32));
        // A turn takes 40 ms: the page, its objects, and two thinks.
        assert_eq!(own.len(), 225);
    }
    assert!(sent.iter().all(|one| one.attempt.ticket.slot() < 6));
}

#[test]
fn draws_of_functions_do_not_hang_on_who_runs_them() {
    let text = |limit: u32, service: &str| {
        format!(
            "local list = {{}}\n\
             for at = 1, 4 do list[at] = function(c)\n\
             {service}\n\
             c:get('/' .. at .. '/' .. c.random:integer(1, 1000000)) end end\n\
             client:parallel(list, {limit})"
        )
    };
    let drawn = |text: &str| {
        let (sent, _, _) = drive(text, EVERY_SECOND, 2);
        let mut targets: Vec<String> = sent.into_iter().map(|one| one.target).collect();
        targets.sort();
        targets
    };
    let one = drawn(&text(1, ""));
    assert_eq!(one.len(), 4);
    assert_eq!(one, drawn(&text(4, "if at == 1 then c:think(1e-3) end")));
}

#[test]
fn an_error_in_a_function_is_raised_where_the_session_waits() {
    let text = "client:parallel({\n\
                function(c) c:get('/1') error('no stock') end,\n\
                function(c) c:get('/2') c:get('/3') end,\n\
                function(c) c:get('/4') end }, 2)\n\
                client:get('/never')";
    let (sent, report, _) = drive(text, EVERY_SECOND, 2);
    assert_eq!(targets(&sent), [(1000, "/1"), (1000, "/2"), (1010, "/3")]);
    assert_eq!(report.errors()["buyer.luau:3: no stock"], 1);
    let caught = format!("local ok = pcall(function()\n{text}\nend)\nclient:get('/on')");
    let (sent, report, _) = drive(&caught, EVERY_SECOND, 2);
    assert_eq!(sent.last().unwrap().target, "/on");
    assert!(report.errors().is_empty());
}

#[test]
fn a_failed_request_ends_the_session_where_it_is_to() {
    let text = "client:parallel({\n\
                function(c) c:get('/no') c:get('/never') end,\n\
                function(c) c:think(1) c:get('/2') end }, 2)\n\
                client:get('/never')";
    let ending = format!("{EVERY_SECOND}\non_error = 'end'");
    let (sent, report, _) = drive(text, &ending, 3);
    let own: Vec<Sent> = sent.into_iter().filter(|one| one.attempt.session == 0).collect();
    // Requests in progress continue to their end.
    assert_eq!(targets(&own), [(1000, "/no"), (2000, "/2")]);
    assert!(report.errors().is_empty(), "{report:?}");
    let closed = format!("{TWO_CLIENTS}\non_error = 'end'");
    let (sent, _, _) = drive("client:get('/no')\nclient:get('/never')", &closed, 1);
    assert_eq!(sent.len(), 2 * 50);
    assert!(sent.iter().all(|one| one.target == "/no"));
}

#[test]
fn locks_of_a_function_are_given_back_with_it() {
    let text = "local list = {}\n\
                for at = 1, 3 do list[at] = function(c)\n\
                c.shared:lock('l') c:get('/' .. at) end end\n\
                client:parallel(list)";
    let (sent, report, _) = drive(text, EVERY_SECOND, 2);
    assert_eq!(targets(&sent), [(1000, "/1"), (1010, "/2"), (1020, "/3")]);
    assert!(report.errors().is_empty());
}

#[test]
fn what_cannot_be_parallel_says_why() {
    for (text, expected) in [
        ("client:parallel(3)", "buyer.luau:2: client:parallel("),
        ("client:parallel({ 3 })", "buyer.luau:2: client:parallel("),
        ("client:parallel({ function() end }, 0)", "buyer.luau:2: the number of functions"),
        ("client:parallel({ function() end }, 'x')", "buyer.luau:2:"),
        ("client:page('/', 'x')", "buyer.luau:2: the options of a page are a table"),
        ("client:page('/', { objects = 'x' })", "buyer.luau:2: the objects of a page"),
        ("client:page('/', { objets = {} })", "buyer.luau:2: `objets` as table is no option"),
        ("client:page('/', { objects = { 'a' } })", "the target `a` must begin with `/`"),
        (
            "client:parallel({ function(c)\nc:parallel({ function() end }) end })",
            "buyer.luau:3: what is done in parallel",
        ),
        (
            "while true do client:parallel({ function() end }) end",
            "10000 times while no time passed",
        ),
        ("client:parallel({ function() while true do end end })", "without waiting"),
    ] {
        let (_, report, _) = drive(text, EVERY_SECOND, 2);
        let found: Vec<_> = report.errors().keys().collect();
        assert!(found.len() == 1 && found[0].contains(expected), "{text}: {found:?}");
    }
}

#[test]
fn the_same_seed_gives_the_same_requests() {
    let text = "client:page('/', { objects = function()\n\
                local list = {}\n\
                for at = 1, client.random:integer(1, 9) do list[at] = '/' .. at end\n\
                return list end })\n\
                client:think('exp(50ms)')";
    let run = || drive(text, TWO_CLIENTS, 3).0;
    let one = run();
    assert!(one.len() > 100);
    assert_eq!(one, run());
}
