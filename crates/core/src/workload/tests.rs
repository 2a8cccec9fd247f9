use thinktime_file::workload::{Figure, OnError};

use super::*;
use crate::distribution::Distribution;
use crate::files::NoFiles;
use crate::journey::Count;
use crate::request::Method;

const SHOP: &str = r#"name = "shop"
seed = 7

[arrivals]
model = "partly-open"
rate = "12/s"
profile = "sine(period=20min, low=1/3)"

[session]
requests = "geometric(4)"
think = "exp(7s)"

[[request]]
name = "item"
weight = 9
get = "/item/{zipf(n=10000, s=0.9)}"
timeout = "2s"
retry = { attempts = 3, backoff = "const(0s)" }

[[request]]
name = "order"
post = "/order"
body = "x=1"

[slo]
p99 = "250ms"
errors = "1%"
"#;

fn parse(text: &str) -> Result<Workload, SchemaError> {
    Workload::parse(Source { file: "shop.toml", text }, &NoFiles)
}

fn message(text: &str) -> String {
    parse(text).unwrap_err().to_string()
}

#[test]
fn the_whole_file_is_read() {
    let shop = parse(SHOP).unwrap();
    assert_eq!(shop.model(), Some(Model::PartlyOpen));
    assert!((shop.requests_per_session() - 4.0).abs() < 1e-9);
    assert_eq!(shop.requests[0].retry.attempts, 3);
    assert_eq!(shop.requests[1].method, Method::Post);
    let slo = shop.slo.objectives.iter().map(|one| (one.figure, one.limit));
    let expected = [(Figure::Errors, 0.01), (Figure::Response("p99"), 0.25)];
    assert_eq!(slo.collect::<Vec<_>>(), expected);
}

#[test]
fn what_is_written_is_read_back() {
    let shop = parse(SHOP).unwrap();
    let again = Workload::from_file(&shop.file, &NoFiles).unwrap();
    assert_eq!(again.file, shop.file);
}

#[test]
fn unknown_keys_come_with_line_and_the_nearest_right_one() {
    let text = SHOP.replace("model = ", "modle = ");
    let said = message(&text);
    assert!(said.starts_with("shop.toml:5: "), "{said}");
    assert!(said.contains("unknown key `modle`: did you mean `model`?"), "{said}");
}

#[test]
fn contradictions_name_line_key_and_remedy() {
    let said = message(&SHOP.replace("partly-open", "closed"));
    assert!(said.starts_with("shop.toml:6: arrivals.rate: "), "{said}");
    assert!(said.contains("`clients` says how many"), "{said}");

    let said = message(&SHOP.replace("partly-open", "open"));
    assert!(said.starts_with("shop.toml:10: session.requests: "), "{said}");
}

#[test]
fn bad_values_are_named() {
    let cases = [
        ("rate = \"12/s\"", "rate = \"12 parsecs\"", ":6: arrivals.rate: unknown unit"),
        ("rate = \"12/s\"", "rate = \"-1/s\"", ":6: arrivals.rate: "),
        ("rate = \"12/s\"", "rate = \"0/s\"", ":6: arrivals.rate: "),
        ("rate = \"12/s\"\n", "", ":4: arrivals: "),
        ("think = \"exp(7s)\"", "think = \"exp(7MB)\"", ":11: session.think: "),
        ("think = \"exp(7s)\"", "think = \"const(-1s)\"", "can be negative"),
        ("think = \"exp(7s)\"", "think = \"expo(7s)\"", "did you mean `exp`"),
        ("think = \"exp(7s)\"\n", "", ":9: session: a partly-open model needs `think`"),
        ("weight = 9", "weight = -9", ":15: request[1].weight: must be positive"),
        ("weight = 9", "weight = \"x\"", ":15: weight: must be a number, not \"x\""),
        ("name = \"item\"", "name = \"\"", "request[1].name: is empty"),
        ("name = \"shop\"", "name = \"\"", ":1: name: is empty"),
        ("seed = 7", "seed = 1.5", ":2: seed: must be a whole number, not 1.5"),
        ("seed = 7", "seed = 1e19", ":2: seed: must be a smaller whole number, not 1"),
        (
            "timeout = \"2s\"",
            "hedge = \"60ms\"",
            "must be a table, as in { after = \"50ms\" }, not",
        ),
        ("backoff = \"const(0s)\"", "backoff = \"expo(1s)\"", "retry: `backoff`: unknown"),
        ("backoff = \"const(0s)\"", "backoff_max = \"-1s\"", "retry: `backoff_max`: `-1s` must"),
        ("backoff = \"const(0s)\"", "on = [\"503\"]", ":18: request[1].retry: `on`: `503` is no"),
        ("get = \"/item/", "get = \"item/", "must begin with `/`"),
        ("timeout = \"2s\"", "timeout = \"0s\"", "more than 0s"),
        ("name = \"order\"", "name = \"item\"", "request[2].name: is taken"),
        ("post = \"/order\"", "get = \"/order\"", "goes with `post`, `put`, `patch`"),
        ("p99 = \"250ms\"", "p99 = \"fast\"", "slo.p99: "),
        ("errors = \"1%\"", "errors = \"200%\"", "slo.errors: "),
        ("seed = 7", "seed = -7", ":2: seed: must be a larger whole number, not -7"),
        ("low=1/3", "low=3", "arrivals.profile: "),
        ("[arrivals]", "[[arrivals]]", "arrivals: is one table, no list of them: write [arrivals]"),
        ("[slo]", "[[slo]]", "slo: is one table, no list of them: write [slo]"),
        ("\"partly-open\"", "\"ajar\"", ":5: model: unknown value `ajar`, expected one of `open`"),
        ("body = \"x=1\"", "isolation = \"high\"", ":23: isolation: unknown value `high`"),
        ("post = \"/order\"", "sql = [\"a\", \"b\"]", ":22: sql: invalid type: sequence"),
        ("post = \"/order\"", "sql = [\"a\", \"b\"]", "a list of them is a `transaction`"),
        ("body = \"x=1\"", "transaction = \"a\"", ":23: transaction: must be a list, not \"a\""),
        ("body = \"x=1\"", "checks = [\"body\"]", ":23: checks: must be a table of names"),
        ("body = \"x=1\"", "headers = 7", "headers: must be a table of names and values, as in"),
        ("body = \"x=1\"", "body = { x = 1 }", ":23: body: must be a text, not a table"),
        ("body = \"x=1\"", "body = true", ":23: body: must be a text, not true"),
    ];
    for (from, to, expected) in cases {
        let said = message(&SHOP.replace(from, to));
        assert!(said.contains(expected), "{to}: {said}");
    }
}

/// As in PostgreSQL: five digits and capitals (its manual, appendix A).
#[test]
fn retries_go_by_the_sqlstates_that_there_can_be() {
    let with = |word: &str| {
        SHOP.replace("backoff = \"const(0s)\"", &format!("on = [\"timeout\", \"{word}\"]"))
    };
    for word in ["sqlstate_40001", "sqlstate_40P01", "sqlstate_XX000", "status 503"] {
        assert!(parse(&with(word)).is_ok(), "{word}");
    }
    for word in ["4001", "400011", "40p01", "4000_", "4000é", "", "40001 7"] {
        let said = message(&with(&format!("sqlstate_{word}")));
        let begin = format!("shop.toml:18: request[1].retry: `on`: `sqlstate_{word}` is no");
        assert!(said.starts_with(&begin) && said.contains("sqlstate_40001"), "{said}");
    }
}

/// Secrets are read when a run begins, and messages then name the place of the setting.
#[test]
fn keys_of_secrets_know_where_they_stand() {
    let clients = "[clients]\nbearer = 'env:A'\npassword = 'file:b'\n[arrivals]";
    let text = SHOP.replace("[arrivals]", clients);
    let shop = parse(&text).unwrap();
    let at = |key: &str| shop.populations[0].secrets_at.get(key).map(String::as_str);
    assert_eq!(at("bearer"), Some("shop.toml:5: clients.bearer"));
    assert_eq!(at("password"), Some("shop.toml:6: clients.password"));
    assert_eq!(at("aws"), None);
    let again = Workload::from_file(&shop.file, &NoFiles).unwrap();
    assert_eq!(again.populations[0].secrets_at["bearer"], "clients.bearer");
    let people = parse(
        "name = 'shop'\n[[population]]\nname = 'people'\n[population.arrivals]\nmodel = 'open'\n\
         rate = '1/s'\n[population.clients]\npassword = 'env:B'",
    );
    let at = people.unwrap().populations[0].secrets_at["password"].clone();
    assert_eq!(at, "shop.toml:8: population[1].clients.password");
}

#[test]
fn what_sessions_do_besides_is_read_and_checked() {
    let keys = "cookies = true\nredirects = 5\non_error = \"end\"";
    let with = |keys: &str| SHOP.replace("[session]", &format!("[session]\n{keys}"));
    let shop = parse(&with(keys)).unwrap();
    let expected = Browsing { cookies: true, redirects: 5, on_error: OnError::End };
    assert_eq!(shop.populations[0].browsing, expected);
    assert_eq!(
        Workload::from_file(&shop.file, &NoFiles).unwrap().populations[0].browsing,
        expected
    );
    assert_eq!(parse(SHOP).unwrap().populations[0].browsing, Browsing::default());
    for (keys, expected) in [
        ("redirects = 51", "shop.toml:10: session.redirects: must be from 0 to 50"),
        ("redirects = -1", "shop.toml:10: "),
        ("cookies = 1", "shop.toml:10: "),
        ("on_error = 'stop'", "shop.toml:10: "),
        ("rows = 'random'", "shop.toml:10: session.rows: goes with `data`"),
    ] {
        let said = message(&with(keys));
        assert!(said.starts_with(expected), "{keys}: {said}");
    }
    let open = "name = 'a'\n[arrivals]\nmodel = 'open'\nrate = '1/s'\n[session]\n";
    let said = message(&format!("{open}on_error = 'end'"));
    assert!(said.contains("an open session ends with its request"), "{said}");
    assert!(parse(&format!("{open}cookies = true\nredirects = 1")).is_ok());
}

#[test]
fn targets_vary_with_their_stream() {
    use crate::random::{Purpose, Stream};
    let shop = parse(SHOP).unwrap();
    let mut target = String::new();
    shop.requests[0].target.write(&mut target, &mut Stream::new(1, 2, Purpose::Request));
    let number: u64 = target.strip_prefix("/item/").unwrap().parse().unwrap();
    assert!((1..=10_000).contains(&number));
}

#[test]
fn session_lengths_that_need_rounding_have_the_rounded_mean() {
    let mean = |law: &Distribution| Count::from_one(law.clone()).mean();
    // The rounded inverse Gaussian of mean 3.86 and lambda 9.46 has mean 3.859.
    let law: Distribution = "inverse_gaussian(mu=3.86, lambda=9.46)".parse().unwrap();
    assert!((mean(&law) - 3.859).abs() < 0.001);
    let exact = [
        ("geometric(4)", 4.0),
        ("const(2.5)", 3.0),
        ("discrete(0.5: 1.5, 0.5: 2.5)", 2.5),
        // A Poisson draw of 0 counts as 1: 1 + e^-1.
        ("poisson(1)", 1.0 + (-1.0f64).exp()),
        // A long tail: 1 + the sum over n >= 1 of (n + 1/2)^-1.1 = 1 + zeta(1.1, 1.5) (scipy).
        ("pareto(shape=1.1, scale=1)", 1.0 + 9.960_266_570_611_16),
    ];
    for (text, expected) in exact {
        assert!((mean(&text.parse().unwrap()) - expected).abs() < 1e-9, "{text}");
    }
}

#[test]
fn names_of_populations_stand_in_keys() {
    let text = |name: &str| {
        format!(
            "name = 'a'\n[[population]]\nname = '{name}'\n[population.arrivals]\n\
             model = 'closed'\nclients = 1\n[population.session]\nthink = '1s'\n"
        )
    };
    for name in ["visitors", "pollers-2", "käufer", "page_readers"] {
        parse(&text(name)).unwrap();
    }
    for name in ["a.b", "p99", "page_p90", "errors", "a b", "a]"] {
        let error = parse(&text(name)).unwrap_err().to_string();
        assert!(error.contains("stands in keys"), "{error}");
    }
}

#[test]
fn a_session_that_could_never_end_is_refused() {
    let text = |end: &str| {
        format!(
            "name = 'a'\n[arrivals]\nmodel = 'closed'\nclients = 1\n[session]\nthink = '1s'\n\
             first = {{ a = 1 }}\nlasts = '5s'\nends_at = '{end}'\n\
             [[request]]\nname = 'a'\nnext = {{ b = 1 }}\n\
             [[request]]\nname = 'b'\nnext = {{ b = 1 }}\n"
        )
    };
    parse(&text("b")).unwrap();
    let error = parse(&text("a")).unwrap_err().to_string();
    assert!(error.contains("never comes again after `b`"), "{error}");
}

#[test]
fn populations_have_names_and_bounds_together() {
    let of = |name: &str, arrivals: &str, rest: &str| {
        format!("[[population]]\nname = '{name}'\n[population.arrivals]\n{arrivals}\n{rest}\n")
    };
    let open = "model = 'open'\nrate = 1";
    let unnamed = message(&format!("name = 'w'\n{}", of("", open, "")));
    assert!(unnamed.contains("shop.toml:3: population[1].name: stands in keys"), "{unnamed}");
    let closed = "model = 'closed'\nclients = 6_000_000";
    let think = "[population.session]\nthink = '1s'";
    let both = format!("name = 'w'\n{}{}", of("a", closed, think), of("b", closed, think));
    let said = message(&both);
    let expected =
        "population[2].arrivals.clients: with it there are 12,000,000 clients, more than";
    assert!(said.contains(expected), "{said}");
    // Each could begin alone: 6,000,000 sessions think.
    let coming = "model = 'partly-open'\nrate = 60_000";
    let think = "[population.session]\nthink = '100s'\nrequests = 2";
    let both = format!("name = 'w'\n{}{}", of("a", coming, think), of("b", coming, think));
    let said = parse(&both).unwrap().check_start().unwrap_err().to_string();
    assert!(said.contains("1.200e7 sessions"), "{said}");
}

#[test]
fn names_that_are_not_there_are_told_before_ends_that_are_not() {
    let text =
        SHOP.replace("requests = \"geometric(4)\"\n", "").replace("weight = 9", "next = {itm = 1}");
    assert!(
        message(&text).contains("request[1].next: unknown request `itm`"),
        "{}",
        message(&text)
    );
}

#[test]
fn pages_have_a_bounded_number_of_objects() {
    let text = "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'a'\n\
                objects = { count = 1e6, of = { b = 1 } }\n[[request]]\nname = 'b'\n";
    assert!(message(text).contains("objects.count: a page has at most 100000 objects"));
}

#[test]
fn a_scaled_workload_has_that_many_times_the_rates_and_clients() {
    let mixed = r#"name = "mixed"
[[population]]
name = "people"
arrivals = { model = "open", rate = "4/s", profile = "sine(period=20min, low=1/3)" }
request = [{ name = "a", get = "/" }]
[[population]]
name = "checks"
arrivals = { model = "closed", clients = 3 }
session = { think = "5s" }
request = [{ name = "b", get = "/health" }]
"#;
    let mixed = parse(mixed).unwrap();
    let rate = |one: &Workload| one.populations[0].arrivals().unwrap().mean_rate();
    let doubled = mixed.scaled(2.0, &NoFiles).unwrap();
    assert!((rate(&doubled) / rate(&mixed) - 2.0).abs() < 1e-9);
    assert_eq!(doubled.populations[1].clients(), Some(6));
    assert_eq!(mixed.scaled(0.1, &NoFiles).unwrap().populations[1].clients(), Some(1));
    let error = mixed.scaled(0.0, &NoFiles).unwrap_err().to_string();
    assert_eq!(error, "a workload is scaled by a factor above 0, not by 0");
}

#[test]
fn a_workload_whose_rate_ends_at_0_is_scaled() {
    for profile in ["steps(0s: 1, 200s: 0)", "ramp(from=1, to=0, over=1min)"] {
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = '4/s'\nprofile = '{profile}'\n\
             [[request]]\nname = 'a'\nget = '/'\n"
        );
        let scaled = parse(&text).unwrap().scaled(2.5, &NoFiles).unwrap();
        let arrivals = scaled.populations[0].arrivals().unwrap();
        assert_eq!((arrivals.rate(), arrivals.mean_factor()), (10.0, 0.0));
    }
}
