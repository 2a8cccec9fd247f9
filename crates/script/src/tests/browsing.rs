//! Forms, lookups in pages, and data files.

use super::parallel::{EVERY_SECOND, drive};
use super::*;

/// The body and the fields of the one request of a session that does this.
fn sent(text: &str) -> (String, Vec<(String, String)>) {
    let mut machine = programs(&body(text));
    machine.begin(Nanos(1), 0, 0, 0);
    let call = machine.call(0).unwrap_or_else(|| panic!("{:?}", errors(machine.as_ref())));
    (String::from_utf8(call.body.clone()).unwrap(), call.headers.clone())
}

#[test]
fn forms_are_encoded_as_browsers_do() {
    let (body, headers) = sent(
        "client:post('/', nil, { form = { user = 'ann & bob', n = 3, x = 0.5, on = true,\n\
         tags = { 'b', 'a' }, ['ü'] = '' } })",
    );
    assert_eq!(body, "n=3&on=true&tags=b&tags=a&user=ann+%26+bob&x=0.5&%C3%BC=");
    let kind = "application/x-www-form-urlencoded".to_owned();
    assert_eq!(headers, [("Content-Type".to_owned(), kind)]);
    for (text, expected) in [
        ("client:post('/', 'x', { form = { a = 1 } })", "a form is for `post` or `put`"),
        ("client:get('/', { form = { a = 1 } })", "a form is for `post` or `put`"),
        ("client:post('/', nil, { form = { a = {{}} } })", "the field `a` of a form is text"),
        ("client:post('/', nil, { form = 'a=1' })", "`form` as string is no option"),
    ] {
        assert!(error_of(text).contains(expected), "{text}: {}", error_of(text));
    }
}

#[test]
fn bodies_are_searched() {
    let mut machine = programs(&body(
        "local page = client:get('/')\n\
         client:check('group', page:match('token=(\\\\w+)') == 'abc')\n\
         client:check('whole', page:match('tok[a-z]+') == 'token')\n\
         client:check('none', page:match('nothing') == nil)\n\
         local all = page:find_all('href=\"([^\"]*)\"')\n\
         client:check('all', #all == 2 and all[1] == '/a' and all[2] == '/b')",
    ));
    assert!(machine.reads_responses());
    machine.begin(Nanos(1), 0, 0, 0);
    let text = b"token=abc <a href=\"/a\"> <a href=\"/b\">";
    let reply = Reply { status: 200, body: text, ..Reply::default() };
    assert_eq!(answered(machine.as_mut(), 0, 2, reply), Action::End);
    let report = machine.report();
    assert_eq!(report.checks().len(), 4);
    assert!(report.checks().values().all(|check| check.failed == 0), "{report:?}");
}

#[test]
fn wrong_expressions_say_why() {
    for (text, expected) in [
        (
            "client:get('/'):match('(')",
            "buyer.luau:2: `(` is no regular expression: unclosed group",
        ),
        ("client:get('/'):match('(x{1000}){1000}{1000}')", "exceeds size limit"),
        ("local p = client:get('/')\nclient:think(1)\np:find_all('x')", "buyer.luau:4: a response"),
        ("client:get('/'):match()", "buyer.luau:2:"),
    ] {
        let found = error_of(text);
        assert!(found.contains(expected), "{text}: {found}");
    }
}

#[test]
fn data_files_are_read_by_row() {
    let text = "local row = client.data:next('users.csv')\n\
                client:check('frozen', not pcall(function() row.user = 'x' end))\n\
                client:check('rows', #client.data:rows('users.csv') == 2)\n\
                local any = client.data:random('users.csv')\n\
                client:check('columns', any.user == 'ann' and any.word == 'x' or any.word == 'y')\n\
                client:get('/' .. row.user)";
    let (sent, report, _) = drive(text, EVERY_SECOND, 4);
    let targets: Vec<_> = sent.iter().map(|one| one.target.as_str()).collect();
    assert_eq!(targets, ["/ann", "/bob", "/ann"]);
    assert!(report.errors().is_empty(), "{report:?}");
    assert!(report.checks().values().all(|check| check.failed == 0), "{report:?}");
    let (_, report, _) = drive("client.data:next('user.csv')", EVERY_SECOND, 2);
    let found = report.errors().keys().next().unwrap();
    assert!(found.starts_with("buyer.luau:2: the workload names no data file `user.csv`"));
    assert!(found.ends_with("it has users.csv"), "{found}");
}
