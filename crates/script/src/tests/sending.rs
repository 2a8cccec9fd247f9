//! Messages, for targets that take no requests of HTTP.

use thinktime_core::request::Expect;

use super::*;

#[test]
fn messages_are_sent_as_they_are_and_answers_read() {
    let mut machine = programs(&body(
        "local page = client:send('PING\\r\\n', { name = 'search', expect = 'length(7)' })\n\
         client:check('pong', page.ok and page.body == '+PONG\\r\\n' and page.status == 0)\n\
         for _ = 1, 2 do\n\
         client:send({ say = 'hello' }, { binary = true, expect = 'pattern(ok|no)' })\n\
         end\n\
         client:send('')",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 9, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    assert_eq!((call.method, call.body.as_slice()), (Method::Send, &b"PING\r\n"[..]));
    assert_eq!((call.binary, &call.expect), (false, &Some(Expect::Length(7))));
    assert!(call.target.is_empty() && call.headers.is_empty());
    let reply = Reply { body: b"+PONG\r\n", ..Reply::default() };
    for at in 2..4 {
        assert_eq!(answered(machine, 0, at, reply), Action::Request(0));
        let call = machine.call(0).unwrap();
        assert_eq!((call.body.as_slice(), call.binary), (&br#"{"say":"hello"}"#[..], true));
        assert!(matches!(&call.expect, Some(Expect::Pattern(pattern)) if pattern.is_in(b"ok")));
    }
    assert_eq!(answered(machine, 0, 4, Reply::default()), Action::Request(0));
    assert_eq!(machine.call(0).unwrap().expect, None);
    assert_eq!(answered(machine, 0, 5, Reply::default()), Action::End);
    assert_eq!(machine.report().checks()["pong"].passed, 1);
    assert!(errors(machine).is_empty());
}

#[test]
fn wrong_messages_name_their_line() {
    for (text, expected) in [
        ("client:send()", "buyer.luau:2: a message is text"),
        ("client:send(7)", "buyer.luau:2:"),
        ("client:send('x', { expect = 'lines' })", "buyer.luau:2: `lines` does not say"),
        ("client:send('x', { expect = 'pattern(()' })", "buyer.luau:2: the pattern `(`"),
        ("client:send('x', { headers = {} })", "buyer.luau:2: `headers` as table is no option"),
        ("client:send('x', { name = 'buy' })", "buyer.luau:2: the workload has no request"),
    ] {
        let found = error_of(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn a_call_is_what_the_workload_says_of_its_name() {
    let mut machine = programs(&body("client:get('/')\nlocal answer = client:call('search')"));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(0));
    assert!(machine.call(0).is_some());
    assert_eq!(answered(machine, 0, 2, Reply::default()), Action::Request(1));
    assert_eq!(machine.call(0), None);
    assert_eq!(answered(machine, 0, 3, Reply::default()), Action::End);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
    for (text, expected) in [
        ("client:call()", "buyer.luau:2: a call is the name of a request"),
        ("client:call(7)", "buyer.luau:2: a call is the name of a request"),
        ("client:call('buy')", "buyer.luau:2: the workload has no request `buy`"),
        ("client:call('item', {})", "buyer.luau:2: the request `item` has no `grpc`"),
    ] {
        let said = error_of(text);
        assert!(said.starts_with(expected), "{text}: {said}");
    }
}
