//! Targets and hosts, valid and invalid ones.

use super::*;

fn asked(target: &str, host: &[&str], method: Method) -> Result<(String, String), u16> {
    let mut fields = HeaderMap::new();
    for host in host {
        fields.append(HOST, HeaderValue::try_from(*host).unwrap());
    }
    let uri = Uri::try_from(target).map_err(|_| 0_u16)?;
    let found = of_origin(uri, &method, Version::HTTP_11, &mut fields);
    found
        .map(|uri| (uri.to_string(), fields[HOST].to_str().unwrap().to_owned()))
        .map_err(|Refusal(status, _)| status)
}

#[test]
fn a_target_is_a_path_and_names_its_host_once() {
    let good = |path: &str, host: &str| Ok((path.to_owned(), host.to_owned()));
    assert_eq!(asked("/a?b=c", &["shop:80"], Method::GET), good("/a?b=c", "shop:80"));
    assert_eq!(asked("http://real/a", &["other"], Method::GET), good("/a", "real"));
    assert_eq!(asked("http://real?b", &["other"], Method::GET), good("/?b", "real"));
    assert_eq!(asked("*", &["[::1]:80"], Method::OPTIONS), good("*", "[::1]:80"));
    assert_eq!(asked("/", &[""], Method::GET), good("/", ""));
}

#[test]
fn what_is_no_path_or_no_host_is_refused() {
    for target in ["x", "evil:80", "ftp://evil/p", "*", "http://u:p@evil/"] {
        assert_eq!(asked(target, &["a"], Method::GET), Err(400), "{target}");
    }
    for host in ["a b/../c@d", "\"<script>", "u:p@evil", "a/b", "a,b c"] {
        assert_eq!(asked("/", &[host], Method::GET), Err(400), "{host}");
    }
    assert_eq!(asked("/", &[], Method::GET), Err(400));
    assert_eq!(asked("/", &["a", "a"], Method::GET), Err(400));
}

#[test]
fn who_comes_by_here_again_and_again_is_stopped() {
    let passed = |times: usize| {
        let mut fields = HeaderMap::new();
        fields.insert(
            VIA,
            HeaderValue::try_from(["1.1 thinktime"].repeat(times).join(", ")).unwrap(),
        );
        fields.append(VIA, HeaderValue::from_static("1.1 other"));
        goes_in_circles(&fields)
    };
    assert!(!passed(SWITCHES_MAX - 1));
    assert!(passed(SWITCHES_MAX));
}
