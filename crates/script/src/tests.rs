//! Scripts as a driver sees them: their requests, and the handling of their errors.

mod browsing;
mod calling;
mod parallel;
mod sending;
mod sql;

use super::*;
use thinktime_core::program::{Action, Event, Reply};
use thinktime_core::request::{Method, RequestKind};
use thinktime_core::time::Nanos;

const SECOND: Nanos = Nanos(1_000_000_000);

fn programs(source: &str) -> Box<dyn Programs> {
    Script::compile("buyer.luau", source, &["item", "search"]).unwrap().programs(1, &no_data())
}

fn no_data() -> Arc<[DataTable]> {
    Arc::new([])
}

fn body(text: &str) -> String {
    format!("return function(client)\n{text}\nend")
}

fn waited(machine: &mut dyn Programs, slot: usize, at: u64) -> Action {
    machine.resume(Nanos(at), slot, Event::Waited)
}

fn answered(machine: &mut dyn Programs, slot: usize, at: u64, reply: Reply<'_>) -> Action {
    machine.resume(Nanos(at), slot, Event::Answered(reply))
}

/// The messages of the errors that ended sessions.
fn errors(machine: &dyn Programs) -> Vec<String> {
    machine.report().errors().keys().cloned().collect()
}

/// The one error of a session that does this.
fn error_of(text: &str) -> String {
    let mut machine = programs(&body(text));
    let mut action = machine.begin(Nanos(1), 0, 0, 0);
    for at in 2..50_000 {
        action = match action {
            Action::End => break,
            Action::Request(_) => answered(machine.as_mut(), 0, at, Reply::default()),
            _ => waited(machine.as_mut(), 0, at),
        };
    }
    let found = errors(machine.as_ref());
    assert_eq!(found.len(), 1, "{text}: {found:?}");
    found[0].clone()
}

#[test]
fn a_session_goes_through_its_program() {
    let mut machine = programs(&body(
        "local page = client:get('/item/7', { name = 'search', bearer = 'x' })\n\
         client:check('found', page.status == 200 and page.body == 'hello')\n\
         client:check('typed', page:header('content-TYPE') == 'text/plain')\n\
         client:think(2.5)\n\
         client:post('/buy', { item = 7, tags = { 'a', 'b' } })\n\
         client:record('time', 1.5)",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 9, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    assert_eq!((call.method, call.target.as_str()), (Method::Get, "/item/7"));
    assert_eq!(call.headers, [("Authorization".to_owned(), "Bearer x".to_owned())]);
    let head = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n";
    let reply = Reply { status: 200, head, body: b"hello", ..Reply::default() };
    assert!(machine.reads_responses());
    assert_eq!(answered(machine, 0, 2, reply), Action::Think(Nanos(2_500_000_000)));
    assert_eq!(waited(machine, 0, 3), Action::Request(0));
    let call = machine.call(0).unwrap();
    assert_eq!(call.body, br#"{"item":7,"tags":["a","b"]}"#);
    assert_eq!(call.headers[0].1, "application/json");
    assert_eq!(answered(machine, 0, 4, Reply::default()), Action::End);
    assert_eq!(machine.call(0), None);
    let report = machine.report();
    assert_eq!((report.checks()["found"].passed, report.checks()["typed"].passed), (1, 1));
    assert_eq!(report.metrics()["time"].mean_s(), Some(1.5));
    assert!(report.errors().is_empty());
}

#[test]
fn draws_hang_on_the_session_and_not_on_the_others() {
    let source = body("while true do client:think('exp(7s)') end");
    let thinks = |sessions: &[u64]| {
        let mut machine = programs(&source);
        for (slot, session) in sessions.iter().enumerate() {
            machine.begin(Nanos(1), slot, *session, 0);
        }
        (2..5).map(|at| waited(machine.as_mut(), 0, at)).collect::<Vec<_>>()
    };
    assert_eq!(thinks(&[4]), thinks(&[4, 5, 6]));
    assert_ne!(thinks(&[4]), thinks(&[5]));
}

#[test]
fn sessions_share_nothing_but_shared_variables() {
    let mut machine = programs(
        "local mine = 0\n\
         return function(client)\n\
         mine += 1\n\
         client:record('mine', mine)\n\
         client:record('ours', client.shared:add('ours'))\n\
         client:think(1)\n\
         end",
    );
    (0..3).for_each(|slot| assert!(machine.begin(Nanos(1), slot, slot as u64, 0) != Action::End));
    let report = machine.report();
    assert_eq!(report.metrics()["mine"].mean_s(), Some(1.0));
    assert_eq!(report.metrics()["ours"].mean_s(), Some(2.0));
}

#[test]
fn a_lock_is_handed_on() {
    let mut machine = programs(&body(
        "client.shared:lock('till')\nclient:think(1)\n\
         client.shared:unlock('till')\nclient:think(2)",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(Nanos(1), 0, 0, 0), Action::Think(SECOND));
    assert_eq!(machine.begin(Nanos(1), 1, 1, 0), Action::Wait);
    assert_eq!(machine.woken(), None);
    assert_eq!(waited(machine, 0, 2), Action::Think(Nanos(2_000_000_000)));
    assert_eq!((machine.woken(), machine.woken()), (Some(1), None));
    assert_eq!(waited(machine, 1, 2), Action::Think(SECOND));
}

#[test]
fn an_error_ends_its_session_and_names_its_line() {
    for (text, expected) in [
        ("local x = nil\nprint(x)", "buyer.luau:3: attempt to call a nil value"),
        ("client:think('exp(7)s')", "buyer.luau:2:"),
        ("client:think('zipf(n=3, s=1, x=2)')", "buyer.luau:2:"),
        ("client:think(-1)", "buyer.luau:2: -1 is no think time"),
        ("client:get('item')", "buyer.luau:2: the target `item` must begin with `/`"),
        ("client:get('/', { nme = 'x' })", "buyer.luau:2: `nme` as string is no option"),
        ("client:get('/', { name = 'buy' })", "buyer.luau:2: the workload has no request `buy`"),
        ("client:get('/')\nerror('no stock')", "buyer.luau:3: no stock"),
        ("leak = 1", "buyer.luau:2: attempt to modify a readonly table"),
        ("client.get = 1", "buyer.luau:2: attempt to modify a readonly table"),
        ("string.rep = 1", "buyer.luau:2: attempt to modify a readonly table"),
        ("client.shared:unlock('a')", "buyer.luau:2: the client has no lock `a`"),
        ("client:record('x', -1)", "buyer.luau:2: a metric takes numbers of 0 or more"),
        ("while true do end", "without waiting"),
        ("while true do pcall(function() while true do end end) end", "without waiting"),
        ("", "buyer.luau: a session ended without a request or a think time"),
        (
            "local p = client:get('/')\nclient:think(1)\nlocal b = p.body",
            "buyer.luau:4: a response",
        ),
        ("local p = client:get('/')\nlocal b = p.json", "buyer.luau:3: the body is no JSON"),
        ("math.random()", "buyer.luau:2: attempt to call a nil value"),
        ("local p = client:get('/')\nlocal x = p:header(nil)", "buyer.luau:3:"),
    ] {
        let found = error_of(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn a_session_that_lets_no_time_pass_is_ended() {
    let mut machine = programs(&body("while true do client:think(0) end"));
    let mut turns = 0;
    let mut action = machine.begin(Nanos(1), 0, 0, 0);
    while action != Action::End {
        action = waited(machine.as_mut(), 0, 1);
        turns += 1;
    }
    assert_eq!(turns, 10_000);
    assert!(errors(machine.as_ref())[0].contains("while no time passed"));
}

#[test]
fn memory_is_bounded_and_the_others_go_on() {
    let mut machine = programs(&body(
        "if client:session() == 0 then\n\
         local t = {}\n\
         while true do table.insert(t, table.create(10000000, 0)) end\n\
         end\n\
         client:think(1)",
    ));
    assert_eq!(machine.begin(Nanos(1), 1, 1, 0), Action::Think(SECOND));
    assert_eq!(machine.begin(Nanos(1), 0, 0, 0), Action::End);
    assert!(errors(machine.as_ref())[0].contains("memory"), "{:?}", errors(machine.as_ref()));
    assert_eq!(waited(machine.as_mut(), 1, 2), Action::End);
    assert_eq!(machine.begin(Nanos(3), 0, 7, 0), Action::Think(SECOND));
}

#[test]
fn what_is_no_script_is_refused_with_its_line() {
    let message = |source| Script::compile("a.luau", source, &["x"]).unwrap_err().to_string();
    assert!(message("return function(client)\nlocal = 3\nend").starts_with("a.luau:2:"));
    assert!(message("x = ").starts_with("a.luau:1:"));
}

#[test]
fn a_script_that_gives_no_program_says_so() {
    let mut machine = programs("local x = 1");
    assert_eq!(machine.begin(Nanos(1), 0, 0, 0), Action::End);
    assert!(errors(machine.as_ref())[0].contains("return function(client)"));
}
