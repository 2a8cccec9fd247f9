//! Statements and transactions, with a driver that sends them and one that does not see them.

use thinktime_core::program::TransactionStep;

use super::*;

/// The text and the parameters of a statement that is sent now.
fn statement(step: TransactionStep) -> (String, Vec<u8>) {
    let TransactionStep::Statement(call) = step else { panic!("{step:?}") };
    let sql = call.sql.as_ref().unwrap();
    (sql.sql.statements[0].text.clone(), call.body.clone())
}

fn rows(body: &[u8]) -> Reply<'_> {
    Reply { body, ..Reply::default() }
}

#[test]
fn a_statement_is_a_request_and_its_rows_are_tables() {
    let mut machine = programs(&body(
        "local found = client:sql('select $1, $2, $3, $4', { 7, 'a b', client.null, true },\
         { name = 'search', attempts = 3 })\n\
         local row = found.rows[1]\n\
         client:check('rows', found.ok and #found.rows == 2 and row.name == 'tea')\n\
         client:check('types', row.id == 7 and row.here and not row.none and row.tags[2] == 'b')\n\
         local again = client:sql('select $1, $2, $3, $4', { 1.5, { x = 1 }, '', 2 })\n\
         client:check('kept', found.rows[2].id == 8)\n\
         client:check('error', again.error == 'sqlstate_42P01' and again.message == 'no such')\n\
         client:check('no rows', #again.rows == 0 and not again.ok)",
    ));
    let machine = machine.as_mut();
    assert!(machine.reads_responses());
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    assert_eq!(
        (call.method, &call.body[..], &call.cuts[..]),
        (Method::Sql, &b"7a btrue"[..], &[1, 4, 4][..])
    );
    let first = call.sql.clone().unwrap();
    assert_eq!((&first.nulls[..], first.attempts, first.is_transaction()), (&[2][..], 3, false));
    assert!(first.covers(2, Some("sqlstate_40001")) && !first.covers(3, Some("sqlstate_40001")));
    assert!(first.covers(1, Some("sqlstate_40P01")) && !first.covers(1, Some("sqlstate_23505")));
    let text = br#"[{"id":7,"name":"tea","here":true,"none":null,"tags":["a","b"]},{"id":8}]"#;
    assert_eq!(answered(machine, 0, 2, rows(text)), Action::Request(0));
    let call = machine.call(0).unwrap();
    assert_eq!((&call.body[..], &call.cuts[..]), (&b"1.5{\"x\":1}2"[..], &[3, 10, 10][..]));
    let second = call.sql.clone().unwrap();
    assert_eq!((second.place, second.attempts), (first.place, 1), "prepared once");
    let failed = Reply { error: Some("sqlstate_42P01"), ..rows(b"no such") };
    assert_eq!(answered(machine, 0, 3, failed), Action::End);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
    for name in ["rows", "types", "kept", "error", "no rows"] {
        assert_eq!(machine.report().checks()[name].passed, 1, "{name}");
    }
}

#[test]
fn rows_are_bounded_and_that_is_said() {
    let many = format!("[{}{{}}]", "{},".repeat(10_000));
    let cut = Reply { cut: true, ..rows(b"[{}]") };
    for (reply, expected) in [
        (rows(many.as_bytes()), "buyer.luau:3: the answer has 10001 rows, and a script gets"),
        (cut, "buyer.luau:3: the rows exceed the 1 MiB that is kept"),
        (rows(b"[{"), "buyer.luau:3: the rows cannot be read"),
    ] {
        let mut machine = programs(&body("local a = client:sql('select 1')\nreturn a.rows[1]"));
        assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(0));
        assert_eq!(answered(machine.as_mut(), 0, 2, reply), Action::End);
        let said = errors(machine.as_ref());
        assert!(said[0].starts_with(expected), "{said:?}");
    }
}

#[test]
fn a_transaction_gives_its_statements_one_after_another() {
    let mut machine = programs(&body(
        "local begun = 0\n\
         local done = client:transaction(function(client)\n\
         begun += 1\n\
         local found = client:sql('select stock from item where id = $1', { 7 })\n\
         client:sql('update item set stock = $1', { found.rows[1].stock - 1 })\n\
         return 'sold'\n\
         end, { name = 'search', isolation = 'serializable', attempts = 4 })\n\
         client:check('value', done.ok and done.value == 'sold')\n\
         client:check('done', done.attempts == 2 and begun == 2)",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(1));
    let call = machine.call(0).unwrap();
    let sql = call.sql.as_ref().unwrap();
    assert!(sql.is_transaction() && sql.covers(3, Some("sqlstate_40001")));
    assert_eq!(sql.sql.begin, Some("begin isolation level serializable"));
    for _ in 0..2 {
        // It begins once more, after an attempt that failed in its second statement.
        let (text, values) = statement(machine.transact(Nanos(2), 0, None));
        assert_eq!(
            (text.as_str(), &values[..]),
            ("select stock from item where id = $1", &b"7"[..])
        );
        let (_, values) = statement(machine.transact(Nanos(3), 0, Some(rows(br#"[{"stock":5}]"#))));
        assert_eq!(values, b"4");
        assert_eq!(machine.call(0).unwrap(), call);
    }
    assert_eq!(machine.transact(Nanos(4), 0, Some(rows(b"[]"))), TransactionStep::Commit);
    assert_eq!(answered(machine, 0, 5, Reply::default()), Action::End);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
    assert_eq!(machine.report().checks()["done"].passed, 1);
}

#[test]
fn a_transaction_is_undone_by_an_error_and_by_false() {
    for (text, expected) in [
        ("error('no stock')", Some("buyer.luau:3: no stock")),
        ("return false", None),
        ("client:think(1)", Some("buyer.luau:3: in a transaction a client sends statements")),
        ("client:get('/')", Some("buyer.luau:3: in a transaction a client sends statements")),
        ("client:parallel({ print })", Some("buyer.luau:3:")),
        ("client.shared:get('a')", Some("buyer.luau:3: in a transaction a client sends")),
        ("client:transaction(function() end)", Some("buyer.luau:3: in a transaction a client")),
        ("client:sql('select 1', nil, { name = 'item' })", Some("buyer.luau:3: the statements of")),
        ("while true do end", Some("a session made")),
    ] {
        let mut machine = programs(&body(&format!(
            "client:transaction(function()\n{text}\nend)\nclient:think(1)"
        )));
        let machine = machine.as_mut();
        assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(0));
        assert_eq!(machine.transact(Nanos(2), 0, None), TransactionStep::Rollback, "{text}");
        let action = answered(machine, 0, 3, Reply::default());
        let said = errors(machine);
        match expected {
            None => assert_eq!((action, said.len()), (Action::Think(SECOND), 0)),
            Some(expected) => {
                assert_eq!(action, Action::End);
                assert!(said[0].contains(expected), "{text}: {said:?}");
            }
        }
        // Others are not in a transaction.
        assert_eq!(machine.begin(Nanos(4), 1, 1, 0), Action::Request(0));
    }
}

#[test]
fn failures_of_transactions_are_values() {
    let mut machine = programs(&body(
        "local done = client:transaction(function(client)\n\
         pcall(function() client:sql('insert') end)\n\
         error('never comes here')\n\
         end)\n\
         client:check('failed', done.error == 'sqlstate_23505' and done.attempts == 1)\n\
         client:check('said', done.message == 'there already' and done.value == nil)\n\
         done = client:transaction(function(client) error('nor here') end)\n\
         client:check('never begun', done.error == 'refused' and done.attempts == 0)",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(0));
    assert_eq!(statement(machine.transact(Nanos(2), 0, None)).0, "insert");
    let failed = Reply { error: Some("sqlstate_23505"), ..rows(b"there already") };
    assert_eq!(answered(machine, 0, 3, failed), Action::Request(0));
    assert_eq!(answered(machine, 0, 4, Reply::of(Some("refused"))), Action::End);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
    for name in ["failed", "said", "never begun"] {
        assert_eq!(machine.report().checks()[name].passed, 1, "{name}");
    }
}

/// A modelled server answers a transaction as a whole, with no rows.
#[test]
fn statements_on_a_modelled_server_have_no_rows() {
    let mut machine = programs(&body(
        "local seen = 0\n\
         local done = client:transaction(function(client)\n\
         for _ = 1, 3 do\n\
         local found = client:sql('select 1')\n\
         seen += if found.ok and #found.rows == 0 then 1 else 0\n\
         end\n\
         return seen\n\
         end)\n\
         client:check('all', done.ok and done.value == 3 and done.attempts == 1)\n\
         client:check('one', #client:sql('select 1').rows == 0)",
    ));
    let machine = machine.as_mut();
    assert_eq!(machine.begin(SECOND, 0, 0, 0), Action::Request(0));
    let reply = Reply { status: 200, ..Reply::default() };
    assert_eq!(answered(machine, 0, 2, reply), Action::Request(0));
    assert_eq!(answered(machine, 0, 3, reply), Action::End);
    assert!(errors(machine).is_empty(), "{:?}", errors(machine));
    let report = machine.report();
    assert_eq!((report.checks()["all"].passed, report.checks()["one"].passed), (1, 1));
}

#[test]
fn wrong_statements_name_their_line() {
    for (text, expected) in [
        ("client:sql()", "buyer.luau:2: a statement is text"),
        ("client:sql('select 1; select 2')", "buyer.luau:2: the statement: holds several"),
        (
            "client:sql('begin')",
            "buyer.luau:2: the statement: `begin` begins or ends a transaction",
        ),
        (
            "client:sql('select $1')",
            "buyer.luau:2: the statement has the parameter $1, and 0 given",
        ),
        ("client:sql('select 1', { 1 })", "buyer.luau:2: the statement has no parameter, and 1"),
        (
            "client:sql('select $1, $2', { 1, nil, 3 })",
            "buyer.luau:2: parameters are a list without",
        ),
        ("client:sql('select $1', { a = 1 })", "buyer.luau:2: parameters are a list without gaps"),
        ("client:sql('select $1', 7)", "buyer.luau:2: parameters are a list, not "),
        ("client:sql('select $1', { print })", "buyer.luau:2:"),
        (
            "client:sql('select 1', nil, { nme = 'x' })",
            "buyer.luau:2: `nme` as string is no option",
        ),
        ("client:sql('select 1', nil, { name = 'buy' })", "buyer.luau:2: the workload has no"),
        ("client:transaction('x')", "buyer.luau:2: client:transaction(FUNCTION, OPTIONS) needs"),
        ("client:transaction(print)", "buyer.luau:2: client:transaction(FUNCTION, OPTIONS) needs"),
        (
            "client:transaction(function() end, { isolation = 'chaos' })",
            "buyer.luau:2: `chaos` is no isolation",
        ),
        (
            "client:transaction(function() end, { attempts = 0 })",
            "buyer.luau:2: `attempts` is a whole number from 1",
        ),
    ] {
        let found = error_of(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

/// A script that writes values into its texts does not fill the server with prepared statements.
#[test]
fn statements_that_are_kept_prepared_are_bounded() {
    let mut machine = programs(&body("for n = 1, 1001 do client:sql('select ' .. n) end"));
    let machine = machine.as_mut();
    machine.begin(SECOND, 0, 0, 0);
    for at in 0..1001 {
        let call = machine.call(0).unwrap();
        let place = call.sql.as_ref().unwrap().place;
        assert_eq!(place, (at < 1000).then_some(at as u32));
        answered(machine, 0, 2 + at, Reply::default());
    }
}
