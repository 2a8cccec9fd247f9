//! Lines that lack a part of an entry: they are counted by the missing part, and never entries.

use super::*;

/// The reason for a line among good ones of its format.
fn reason_of(name: &str, line: &str) -> Vec<Reason> {
    let known = FORMATS.iter().find(|known| known.name == name).unwrap();
    let (_, format) = found(known.example);
    let (entries, reasons) = read_all(&format, line.as_bytes());
    assert_eq!(entries, Vec::<String>::new(), "{name}: {line}");
    reasons
}

#[test]
fn what_lacks_path_method_time_or_address_is_no_entry() {
    use Reason::{NoAddress, NoMethod, NoPath};
    let combined = |address: &str, request: &str| {
        format!("{address} - - [17/May/2015:10:05:03 +0000] \"{request}\" 400 0 \"-\" \"-\"")
    };
    for (name, line, reason) in [
        ("combined", combined("h", "-"), NoMethod),
        ("combined", combined("h", ""), NoMethod),
        ("combined", combined("h", "\\x16\\x03\\x01"), NoMethod),
        ("combined", combined("h", "\\x16\\x03 x"), NoMethod),
        ("combined", combined("h", "/only"), NoMethod),
        ("combined", combined("h", "GET"), NoMethod),
        ("combined", combined("h", "GET HTTP/1.1"), NoPath),
        ("combined", combined("h", "GET  HTTP/1.1"), NoPath),
        ("combined", combined("-", "GET / HTTP/1.1"), NoAddress),
        ("combined", combined("", "GET / HTTP/1.1"), NoAddress),
        (
            "elb",
            "2015-05-13T23:39:45.0Z elb 1.2.3.4:5 - 0.1 0.1 0.1 - - 57 502 \"- - - \" \"-\""
                .to_owned(),
            NoMethod,
        ),
        (
            "haproxy",
            "10.0.1.2:1 [06/Feb/2009:12:14:14.655] in in/<NOSRV> -1/-1/-1/-1/5 400 187 - - PR-- \
             1/1/0/0/0 0/0 \"<BADREQ>\""
                .to_owned(),
            NoMethod,
        ),
        (
            "envoy",
            "[2016-04-15T20:17:00.310Z] \"GET / HTTP/1.1\" 200 - 0 1 2 - \"-\" \"-\" \"-\" \"h\" \
             \"-\""
                .to_owned(),
            NoAddress,
        ),
        (
            "s3",
            "o b [06/Feb/2019:00:00:38 +0000] - r i S3.EXPIRE.OBJECT k \"-\" - - - 5 - - \"-\" \
             \"-\" -"
                .to_owned(),
            NoAddress,
        ),
        ("squid", "1286536309.586 1 - TCP_MISS/200 5 GET http://h/ - D/- -".to_owned(), NoAddress),
        ("squid", "1286536309.586 1 ::1 NONE/400 5 NONE - - D/- -".to_owned(), NoPath),
    ] {
        assert_eq!(reason_of(name, &line), [reason], "{name}: {line}");
    }
}

#[test]
fn values_by_name_that_lack_one_of_these_are_no_entry() {
    use Reason::{NoAddress, NoMethod, NoPath, NoTime};
    let json = |part: &str| format!("{{{part},\"status\":200}}");
    for (name, line, reason) in [
        (
            "json",
            json(r#""time_iso8601":"2024-03-01T01:00:00Z","remote_addr":"::1","request":"""#),
            NoMethod,
        ),
        ("json", json(r#""remote_addr":"::1","request":"GET / HTTP/1.1""#), NoTime),
        (
            "json",
            json(r#""time_iso8601":"2024-03-01T01:00:00Z","request":"GET / HTTP/1.1""#),
            NoAddress,
        ),
        (
            "traefik-json",
            json(r#""StartUTC":"2024-03-01T00:00:01Z","ClientHost":"::1","RequestMethod":"GET""#),
            NoPath,
        ),
        (
            "gcp",
            json(r#""timestamp":"2024-03-01T00:00:01Z","httpRequest":{"remoteIp":"::1"}"#),
            NoMethod,
        ),
        ("fastly", json(r#""client_ip":"::1","url":"/","request":"GET""#), NoTime),
        (
            "envoy-json",
            json(r#""start_time":"2024-03-01T00:00:01Z","method":"GET","path":"/""#),
            NoAddress,
        ),
        ("caddy", json(r#""ts":1646861401.5,"request":{"uri":"/","remote_ip":"::1"}"#), NoMethod),
        ("csv", "2024-03-01T00:00:00Z,,x,GET,/a,200,5,1".to_owned(), NoAddress),
        ("csv", "2024-03-01T00:00:00Z,::1,x,,/a,200,5,1".to_owned(), NoMethod),
        ("csv", "2024-03-01T00:00:00Z,::1,x,GET,,200,5,1".to_owned(), NoPath),
        ("csv", ",::1,x,GET,/a,200,5,1".to_owned(), NoTime),
    ] {
        assert_eq!(reason_of(name, &line), [reason], "{name}: {line}");
    }
}

#[test]
fn other_peoples_json_is_no_access_log() {
    for line in [
        r#"{"time":"2024-03-01T00:00:01Z","level":"info","msg":"started","duration":5}"#,
        r#"{"timestamp":"2024-03-01T00:00:01Z","status":"ok","ip":"10.0.0.1","duration":7}"#,
        r#"{"Records":[{"eventTime":"2024-03-01T00:00:01Z","eventName":"GetObject"}]}"#,
    ] {
        let text = format!("{line}\n").repeat(30);
        let found = find(&Head::new(text.as_bytes()), &Choice::default());
        let message = found.unwrap_err().to_string();
        assert!(message.contains("no format that is known"), "{message}");
    }
}
