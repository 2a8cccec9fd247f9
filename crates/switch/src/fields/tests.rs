//! Fields that are removed, and fields that are added.

use super::*;

fn fields(given: &[(&str, &str)]) -> HeaderMap {
    let mut map = HeaderMap::new();
    for (name, value) in given {
        let name = HeaderName::try_from(*name).unwrap();
        map.append(name, HeaderValue::try_from(*value).unwrap());
    }
    map
}

fn came(from: &str, behind_proxy: bool) -> Origin {
    Origin { from: from.parse().unwrap(), scheme: "http", behind_proxy }
}

fn said(map: &HeaderMap, name: &str) -> Vec<String> {
    let values = map.get_all(name).iter();
    values.map(|value| value.to_str().unwrap().to_owned()).collect()
}

#[test]
fn what_is_for_one_hop_stays_behind() {
    let mut map = fields(&[
        ("Host", "a"),
        ("Connection", "close, X-Secret"),
        ("Connection", "Host, Content-Length, x-other"),
        ("X-Secret", "1"),
        ("X-Other", "2"),
        ("Keep-Alive", "timeout=5"),
        ("TE", "trailers"),
        ("Upgrade", "h2c"),
        ("Proxy-Authorization", "Basic x"),
        ("Expect", "100-continue"),
        ("Content-Length", "3"),
        ("Authorization", "Basic y"),
    ]);
    to_server(&mut map, came("192.0.2.1", false), Version::HTTP_11);
    let mut names: Vec<&str> = map.keys().map(HeaderName::as_str).collect();
    names.sort_unstable();
    let stay = ["authorization", "content-length", "forwarded", "host", "via"];
    let told = ["x-forwarded-for", "x-forwarded-host", "x-forwarded-proto"];
    assert_eq!(names, [&stay[..], &told[..]].concat());
}

/// Programs that get fields as environment variables merge one of them with the switch's.
#[test]
fn nobody_says_who_asks_by_an_underscore() {
    for behind_proxy in [false, true] {
        let mut map = fields(&[
            ("Host", "a"),
            ("X_Forwarded_For", "10.0.0.1"),
            ("x-forwarded_host", "evil"),
            ("x_forwarded-proto", "https"),
            ("X_Real_IP", "10.0.0.1"),
            ("x_forwarded_other", "stays"),
            ("X_Twice", "stays"),
        ]);
        to_server(&mut map, came("192.0.2.1", behind_proxy), Version::HTTP_11);
        let mut names: Vec<&str> = map.keys().map(HeaderName::as_str).collect();
        names.retain(|name| name.contains('_'));
        names.sort_unstable();
        assert_eq!(names, ["x_forwarded_other", "x_twice"]);
        assert_eq!(said(&map, "x-forwarded-for"), ["192.0.2.1"]);
    }
}

#[test]
fn strangers_are_not_believed() {
    let given = [
        ("Host", "shop.example"),
        ("Forwarded", "for=10.0.0.1"),
        ("X-Forwarded-For", "10.0.0.1"),
        ("X-Forwarded-Host", "evil"),
        ("X-Forwarded-Proto", "https"),
        ("X-Forwarded-Port", "8443"),
        ("X-Real-IP", "10.0.0.1"),
        ("X-Client-IP", "10.0.0.1"),
        ("True-Client-IP", "10.0.0.1"),
        ("Via", "1.0 before"),
    ];
    let mut map = fields(&given);
    to_server(&mut map, came("2001:db8::1", false), Version::HTTP_11);
    let element = "for=\"[2001:db8::1]\";host=\"shop.example\";proto=http";
    assert_eq!(said(&map, "forwarded"), [element]);
    assert_eq!(said(&map, "x-forwarded-for"), ["2001:db8::1"]);
    assert_eq!(said(&map, "x-forwarded-host"), ["shop.example"]);
    assert_eq!(said(&map, "x-forwarded-proto"), ["http"]);
    assert_eq!(said(&map, "via"), ["1.0 before, 1.1 thinktime"]);
    for name in ["x-forwarded-port", "x-real-ip", "x-client-ip", "true-client-ip"] {
        assert!(said(&map, name).is_empty(), "{name}");
    }

    let mut map = fields(&given);
    to_server(&mut map, came("192.0.2.1", true), Version::HTTP_11);
    let element = "for=192.0.2.1;host=\"shop.example\";proto=http";
    assert_eq!(said(&map, "forwarded"), [format!("for=10.0.0.1, {element}")]);
    assert_eq!(said(&map, "x-forwarded-for"), ["10.0.0.1, 192.0.2.1"]);
    assert_eq!(said(&map, "x-forwarded-host"), ["evil"]);
    assert_eq!(said(&map, "x-forwarded-proto"), ["https"]);
    assert_eq!(said(&map, "x-forwarded-port"), ["8443"]);
    assert_eq!(said(&map, "x-real-ip"), ["10.0.0.1"]);
}

#[test]
fn a_host_cannot_say_more_than_a_host() {
    let mut map = fields(&[("Host", "a\";for=\"10.0.0.1")]);
    to_server(&mut map, came("192.0.2.1", false), Version::HTTP_11);
    let element = "for=192.0.2.1;host=\"a\\\";for=\\\"10.0.0.1\";proto=http";
    assert_eq!(said(&map, "forwarded"), [element]);
}

#[test]
fn cookies_that_come_one_by_one_go_on_as_one_field() {
    let mut map = fields(&[("Host", "a"), ("Cookie", "a=1"), ("Cookie", "b=2; c=3")]);
    to_server(&mut map, came("192.0.2.1", false), Version::HTTP_2);
    assert_eq!(said(&map, "cookie"), ["a=1; b=2; c=3"]);
    assert_eq!(said(&map, "via"), ["2 thinktime"]);
    let mut old = fields(&[("Host", "a")]);
    to_server(&mut old, came("192.0.2.1", false), Version::HTTP_10);
    assert_eq!(said(&old, "via"), ["1.0 thinktime"]);
}

#[test]
fn lengths_are_numbers_and_values_have_no_blanks_around_them() {
    let good = [("content-length", "0"), ("content-length", "17"), ("x", ""), ("x", "a b\tc")];
    let bad = [
        ("content-length", ""),
        ("content-length", "+7"),
        ("content-length", "0x7"),
        ("content-length", "7,7"),
        ("x", " a"),
        ("x", "a "),
        ("x", "\ta"),
        ("x", "a\t"),
        ("x", " "),
    ];
    for (of, wanted) in [(&good[..], true), (&bad[..], false)] {
        for field in of {
            let all = fields(&[("host", "a"), *field]);
            assert_eq!(are_well_formed(&all), wanted, "{field:?}");
        }
    }
}

#[test]
fn the_client_is_the_first_that_a_trusted_proxy_names() {
    for (given, expected) in [
        (vec![], "192.0.2.1"),
        (vec![("X-Forwarded-For", "203.0.113.9, 10.0.0.7")], "203.0.113.9"),
        (vec![("X-Forwarded-For", "203.0.113.9"), ("X-Forwarded-For", "10.0.0.7")], "203.0.113.9"),
        (vec![("X-Forwarded-For", " unknown, [2001:db8::9]:4711")], "2001:db8::9"),
        (vec![("X-Forwarded-For", "203.0.113.9:4711")], "203.0.113.9"),
        (vec![("X-Forwarded-For", "::ffff:203.0.113.9")], "203.0.113.9"),
        (vec![("X-Forwarded-For", "_hidden")], "192.0.2.1"),
        (
            vec![("Forwarded", "proto=https;For=\"[2001:db8::9]:4711\", for=10.0.0.7")],
            "2001:db8::9",
        ),
        (vec![("Forwarded", "for=_a"), ("X-Forwarded-For", "203.0.113.9")], "203.0.113.9"),
        (vec![("Forwarded", "for=203.0.113.8"), ("X-Real-IP", "203.0.113.9")], "203.0.113.8"),
        (vec![("X-Real-IP", "203.0.113.9")], "203.0.113.9"),
        (vec![("True-Client-IP", "203.0.113.9")], "203.0.113.9"),
        (vec![("X_Forwarded_For", "203.0.113.9")], "192.0.2.1"),
    ] {
        let map = fields(&given);
        for (trusted, expected) in [(true, expected), (false, "192.0.2.1")] {
            let found = client(&map, &came("192.0.2.1", trusted));
            assert_eq!(found.to_string(), expected, "{given:?}");
        }
    }
}
