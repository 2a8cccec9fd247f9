use super::*;

fn workload(request: &str) -> WorkloadFile {
    let begin =
        "name = 'shop'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n[[request]]\nname = 'item'\n";
    toml::from_str(&format!("{begin}{request}")).unwrap()
}

fn text(file: &WorkloadFile) -> String {
    toml::to_string(file).unwrap()
}

#[test]
fn what_is_called_like_a_secret_is_taken_out_and_comes_back() {
    let cases = [
        ("headers = { Authorization = 'Bearer HIDDEN', Accept = 'a' }", "headers.Authorization"),
        ("headers = { cookie = 'sid=HIDDEN' }", "headers.cookie"),
        ("headers = { X-Auth-Token = 'HIDDEN \" HIDDEN' }", "headers.X-Auth-Token"),
        ("get = '/a?access_token=HIDDEN&x=1&sid=HIDDEN'", "get"),
        ("post = '/'\njson = { user = { password = 'HIDDEN', n = 1 } }", "json.user.password"),
        ("post = '/'\njson = { list = [{ pwd = 'HIDDEN' }] }", "json.list[0].pwd"),
        ("post = '/'\njson = '{\"password\": \"HIDDEN\\\" HIDDEN\", \"a\": \"b\"}'", "json"),
        ("post = '/'\nform = { password = ['HIDDEN', 'x'], b = '1' }", "form.password[0]"),
        ("post = '/'\nbody = 'user=a&password=HIDDEN'", "body"),
        ("post = '/'\nbody = '''\npassword=HIDDEN'''", "body"),
        ("post = '/'\nbody = 'http://user:HIDDEN@host/'", "body"),
        ("post = '/'\nbody = '<login><password>HIDDEN</password></login>'", "body"),
        ("get = '/a?code=HIDDEN42&key=HIDDEN43&pin=HIDDEN&SAMLResponse=HIDDEN'", "get"),
    ];
    for (request, place) in cases {
        let file = workload(request);
        let (kept, places) = removed_from(&file).unwrap();
        assert!(!text(&kept).contains("HIDDEN"), "{request}: {}", text(&kept));
        assert!(text(&kept).contains(REMOVED), "{request}");
        assert_eq!(places[0], format!("request[0].{place}"), "{request}");
        assert_eq!(with_secrets(&kept, &file, &places).unwrap(), file, "{request}");
        let shown = secrets_of(&file).hidden("<HIDDEN> <HIDDEN42> <HIDDEN\" HIDDEN>", false);
        assert!(shown.contains(REMOVED), "{request}: {shown}");
        assert_eq!(removed_from(&kept).unwrap(), (kept, Vec::new()), "{request}: once more");
    }
}

#[test]
fn what_is_no_secret_stays() {
    for request in [
        "get = '/items?page=1&sort=price'",
        "get = '/items?token={token}&page=1'",
        "headers = { Authorization = 'Bearer {token}' }",
        "post = '/'\njson = { user = '{user}', password = '{password}' }",
        "take = { token = 'regex:[?&]token=([a-z]+)', sid = 'json:$.sid' }",
    ] {
        let file = workload(request);
        assert_eq!(removed_from(&file).unwrap(), (file, Vec::new()), "{request}");
    }
}

#[test]
fn numbers_are_secrets_too_where_they_are_sent() {
    let (kept, places) = removed_from(&workload("post = '/'\njson = { passwd = 1234 }")).unwrap();
    assert_eq!(places, ["request[0].json.passwd"]);
    assert!(!text(&kept).contains("1234"));
}

#[test]
fn secrets_come_from_the_workload_that_has_them() {
    let with = |item: &str, token: &str| {
        workload(&format!("get = '{item}'\nheaders = {{ X-Api-Key = '{token}' }}"))
    };
    let (kept, places) = removed_from(&with("/a", "HIDDEN")).unwrap();
    let back = with_secrets(&kept, &with("/other", "NEW"), &places).unwrap();
    assert_eq!(back, with("/a", "NEW"), "nothing else of it");
    let without = workload("get = '/a'");
    let why = with_secrets(&kept, &without, &places).unwrap_err();
    assert_eq!(why, "it has no such secret at `request[0].headers.X-Api-Key`");
}
