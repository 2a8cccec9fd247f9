//! Lines of frameworks and loggers: times before lines, pairs, keys in groups, colours.

use super::*;

/// The names and the entries of a text, and the number of its bad lines.
fn read(text: &str) -> (&'static str, Vec<String>, usize) {
    let (name, format) = found(text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    (name, entries, reasons.len())
}

/// What the entry of such a line contains, whatever stands before it.
#[test]
fn a_line_without_a_time_has_that_of_what_stands_before_it() {
    let line = r#"INFO:     203.0.113.7:41000 - "GET /a?b=c HTTP/1.1" 200 OK"#;
    let bare = line.trim_start_matches("INFO:     ");
    let quoted = line.replace('"', "\\\"");
    let drain = "at=info method=GET path=\"/a?b=c\" host=h fwd=\"203.0.113.7\" dyno=web.1 \
                 connect=2ms service=8ms status=200 bytes=5";
    for (name, text) in [
        ("uvicorn", format!("2026-11-22T10:00:00.500000000Z {line}")),
        ("uvicorn", format!("2026-11-22T10:00:00.500000000Z stdout F {line}")),
        ("uvicorn", format!("{{\"log\":\"{quoted}\\n\",\"time\":\"2026-11-22T10:00:00.5Z\"}}")),
        (
            "uvicorn",
            format!("{{\"MESSAGE\":\"{quoted}\",\"__REALTIME_TIMESTAMP\":\"1795341600500000\"}}"),
        ),
        ("uvicorn", format!("2026-11-22T11:00:00.5+0100 web uvicorn[7]: {line}")),
        ("uvicorn", format!("2026-11-22 10:00:00,500 - uvicorn.access - INFO - {bare}")),
        ("uvicorn", format!("web-1  | 2026-11-22 10:00:00,500 [INFO] {bare}")),
        ("heroku", format!("2026-11-22T10:00:00.500000+00:00 heroku[router]: {drain}")),
        ("heroku", format!("<158>1 2026-11-22T10:00:00.5+00:00 host heroku router - {drain}")),
    ] {
        let (found, entries, bad) = read(&format!("{text}\n{text}\n"));
        assert_eq!((found, entries.len(), bad), (name, 2, 0), "{text}");
        // The time is that of the end.
        let begun = if name == "heroku" { "1795341600490." } else { "1795341600500." };
        let entry = &entries[0];
        assert!(entry.starts_with(begun) && entry.contains(" a=203.0.113.7 m=GET"), "{entry}");
        assert!(entry.contains(" p=/a q=b=c") && entry.contains(" s=200"), "{entry}");
    }
    let error = find(&Head::new(format!("{line}\n").as_bytes()), &Choice::default()).unwrap_err();
    assert!(error.to_string().contains("read as `uvicorn`, its lines have no time"), "{error}");
}

#[test]
fn a_time_of_the_line_itself_comes_first() {
    let own = r#"{"ts":"2026-11-22T09:59:59Z","ip":"::1","method":"GET","url":"/"}"#;
    let none = own.replace("\"ts\":\"2026-11-22T09:59:59Z\",", "");
    let text = [own, own, &none, own]
        .map(|line| format!("2026-11-22T10:00:00Z stdout F {line}\n"))
        .concat();
    let (name, entries, bad) = read(&text);
    let seconds: Vec<&str> = entries.iter().map(|entry| &entry[..10]).collect();
    let (own, before) = ("1795341599", "1795341600");
    assert_eq!((name, seconds, bad), ("json", vec![own, own, before, own], 0));
}

#[test]
fn pairs_have_the_usual_names() {
    for (line, expected) in [
        (
            concat!(
                r#"t=2026-11-22T10:00:00Z level=info msg="Request Completed" method=GET "#,
                r#"path=/api status=200 remote_addr=203.0.113.7 duration=5.5ms size=17"#,
            ),
            "1795341600000.000000 1000000000ns a=203.0.113.7 m=GET p=/api s=200 b=17 d=5500000",
        ),
        (
            concat!(
                r#"time="2026-11-22T10:00:00Z" level=info clientIP="203.0.113.7:80" "#,
                r#"requestMethod=PUT requestPath="/a b" statusCode=404"#,
            ),
            "1795341600000.000000 1000000000ns a=203.0.113.7 m=PUT p=/a_b s=404",
        ),
        (
            concat!(
                r#"I, [2026-11-22T10:00:00.250000 #7]  INFO -- : method=GET path=/ status=200 "#,
                r#"duration_ms=12.5 ip=203.0.113.7"#,
            ),
            "1795341600237.500000 1000ns a=203.0.113.7 m=GET p=/ s=200 d=12500000",
        ),
    ] {
        let (name, entries, bad) = read(&format!("{line}\nstarted with x=1\n{line}\n"));
        assert_eq!((name, entries[0].as_str(), entries.len()), ("logfmt", expected, 2), "{line}");
        assert_eq!(bad, 1);
    }
    let line =
        r#"time_local="22/Nov/2026:10:00:00 +0000" http_method="GET" uri_path="/a" src="::1""#;
    assert_eq!(
        read(&format!("{line}\n")).1,
        ["1795341600000.000000 1000000000ns a=::1 m=GET p=/a"]
    );
    let line = "time=2026-11-22T10:00:00Z level=info method=GET path=/ status=200";
    let error = Choice::new(Some("logfmt"), None)
        .map(|choice| find(&Head::new(format!("{line}\n").as_bytes()), &choice).unwrap_err());
    let error = error.unwrap().to_string();
    assert!(error.contains("as in `--format logfmt:address=KEY`"), "{error}");
    let unnamed = find(&Head::new(format!("{line}\n").as_bytes()), &Choice::default());
    let error = unnamed.unwrap_err().to_string();
    assert!(error.contains("read as `logfmt`: no key") && error.contains("address=KEY"), "{error}");
}

#[test]
fn keys_in_groups_are_known_and_those_of_others_are_not() {
    for (line, expected) in [
        (
            concat!(
                r#"{"timestamp":"2026-11-22T10:00:00Z","req":{"method":"GET","originalUrl":"/x","#,
                r#""url":"/a","ip":"203.0.113.7","headers":{"user-agent":"x","host":"h"}},"#,
                r#""res":{"statusCode":201,"contentLength":7}}"#,
            ),
            "1795341600000.000000 1000000000ns a=203.0.113.7 m=GET h=h p=/a g=x s=201 b=7",
        ),
        (
            concat!(
                r#"{"ts":1795341600,"http":{"request":{"method":"GET","uri":"/a"},"#,
                r#""response":{"status":200}},"network":{"client":{"ip":"203.0.113.7"}},"#,
                r#""upstream":{"status":500,"size":9,"duration":3}}"#,
            ),
            "1795341600000.000000 1000000000ns a=203.0.113.7 m=GET p=/a s=200",
        ),
        (
            concat!(
                r#"{"time":"2026-11-22T10:00:00Z","fields":{"httpMethod":"GET","requestUri":"/a","#,
                r#""remoteIp":"203.0.113.7","durationMs":2}}"#,
            ),
            "1795341599998.000000 1000000000ns a=203.0.113.7 m=GET p=/a d=2000000",
        ),
    ] {
        let (name, entries, bad) = read(&format!("{line}\n{line}\n"));
        // Of stamps in whole seconds only whole seconds are taken off.
        let expected = expected.replace("1795341599998", "1795341600000");
        assert_eq!((name, &entries[0], bad), ("json", &expected, 0), "{line}");
    }
}

#[test]
fn lines_of_development_servers_are_read() {
    let red = |text: &str| format!("\u{1b}[31m\u{1b}[1m{text}\u{1b}[0m");
    let werkzeug = |request: &str, status: u16| {
        format!("203.0.113.7 - - [22/Nov/2026 10:00:00] \"{request}\" {status} -\n")
    };
    let plain = werkzeug("GET /a HTTP/1.1", 200);
    let coloured = werkzeug(&red("GET /b HTTP/1.1"), 500);
    for before in ["", "INFO:werkzeug:", "2026-11-22 10:00:01,5 INFO werkzeug: ", "\u{1b}[2Kw |  "]
    {
        let text = [&plain, &coloured, &plain].map(|line| format!("{before}{line}")).concat();
        let (name, entries, bad) = read(&text);
        assert_eq!((name, entries.len(), bad), ("common", 3, 0), "{before}");
        assert!(entries[1].starts_with("1795341600000") && entries[1].contains("p=/b"), "{before}");
    }
    let daphne = "203.0.113.7:41000 - - [22/Nov/2026:10:00:00] \"GET /a\" 200 5\n";
    assert_eq!(
        read(daphne).1,
        ["1795341600000.000000 1000000000ns a=203.0.113.7 m=GET p=/a s=200 b=5"]
    );
    let wsgi = "[22/Nov/2026 10:00:00] \"GET /a HTTP/1.1\" 302 0\n";
    let error = find(&Head::new(wsgi.as_bytes()), &Choice::default()).unwrap_err().to_string();
    assert!(error.contains("read as `django`, its first line is bad: no address"), "{error}");
}

#[test]
fn keys_may_have_dots() {
    let ecs = [
        r#"{"@timestamp":"2026-11-22T10:00:00.5Z","client.ip":"::1","http.request.method":"PUT","#,
        r#""url.original":"/a?b=c","http.response.status_code":201,"event.duration":250000000}"#,
    ]
    .concat();
    let zeek = [
        r#"{"ts":1795341600.25,"id.orig_h":"::1","id.orig_p":7,"method":"PUT","uri":"/a?b=c","#,
        r#""status_code":201,"response_body_len":9}"#,
    ]
    .concat();
    // A key with dots may hold further keys.
    let mixed = ecs.replace(r#""client.ip":"::1""#, r#""client":{"ip":"::1"}"#);
    let half = zeek.replace(r#""id.orig_h":"::1""#, r#""http.request":{"remote_addr":"::1"}"#);
    let begun = "1795341600250.000000";
    for (text, rest) in [(ecs, ""), (mixed, ""), (zeek, " b=9"), (half, " b=9")] {
        let (name, read, bad) = read(&format!("{text}\n{text}\n"));
        assert_eq!((name, read.len(), bad), ("json", 2, 0), "{text}");
        let entry = &read[0];
        assert!(entry.starts_with(begun) && entry.contains(" a=::1 m=PUT p=/a q=b=c"), "{entry}");
        assert!(entry.contains(&format!(" s=201{rest}")), "{entry}");
    }
}

#[test]
fn columns_between_bars_may_be_coloured() {
    let line = "[GIN] 2026/11/22 - 10:00:00 |\u{1b}[97;42m 200 \u{1b}[0m|   1.5ms |  192.0.2.8 \
                |\u{1b}[97;44m GET     \u{1b}[0m \"/ping\"";
    let plain = line.split('\u{1b}').map(|part| part.split_once('m').map_or(part, |cut| cut.1));
    let plain =
        format!("{}{}", line.split('\u{1b}').next().unwrap(), plain.skip(1).collect::<String>());
    let (name, entries, bad) = read(&format!("{line}\n{line}\n"));
    assert_eq!((name, bad), ("gin", 0));
    assert_eq!(entries, read(&format!("{plain}\n{plain}\n")).1);
}

#[test]
fn gateways_give_their_durations_in_milliseconds() {
    let aws = r#"{"ip":"::1","requestTime":"22/Nov/2026:10:00:00 +0000","httpMethod":"GET","#;
    let aws = [aws, r#""path":"/a","status":"200","responseLatency":"35"}"#].concat();
    let kong = r#"{"request":{"uri":"/a","method":"GET"},"response":{"status":200},"#;
    let kong =
        [kong, r#""latencies":{"proxy":30,"kong":5,"request":35},"client_ip":"::1","#].concat();
    let kong = kong + r#""started_at":1795341600000}"#;
    let begun = "1795341600000.";
    for text in [aws, kong] {
        let (_, read, bad) = read(&format!("{text}\n{text}\n"));
        assert_eq!((read.len(), bad), (2, 0));
        assert!(read[0].starts_with(begun) && read[0].ends_with("d=35000000"), "{}", read[0]);
    }
}

#[test]
fn what_a_table_of_the_w3c_lacks_is_told() {
    for (fields, line, reason) in [
        (
            "date-local time-local c-ip cs-method cs-uri-stem sc-status",
            "a b \"::1\" GET / 200",
            "no time",
        ),
        ("date time s-ip cs-method cs-uri-stem", "2026-11-22 10:00:00 ::1 GET /", "no address"),
    ] {
        let text = format!("#Software: X\n\n#Version: 1.0\n#Fields: {fields}\n{line}\n");
        let error = find(&Head::new(text.as_bytes()), &Choice::default()).unwrap_err().to_string();
        assert!(error.contains(&format!("read as `iis`, line 5 is bad: {reason}")), "{error}");
        assert!(error.contains("`c-ip`, `cs-method`"), "{error}");
    }
}

#[test]
fn lines_of_uwsgi_and_actix_are_read_among_others() {
    let uwsgi = "[pid: 7|app: 0|req: 1/1] 203.0.113.7 () {42 vars in 812 bytes} [Sun Nov 22 \
                 10:00:00 2026] GET /a => generated 9 bytes in 1250 micros (HTTP/1.1 200) 2 \
                 headers in 79 bytes (1 switches on core 0)";
    let text =
        format!("*** Starting uWSGI 2.0.21 (64bit) ***\n{uwsgi}\n{uwsgi}\nSIGTERM\n{uwsgi}\n");
    let (name, entries, bad) = read(&text);
    assert_eq!((name, entries.len(), bad), ("uwsgi", 3, 2));
    let expected = "1795341600000.000000 1000000000ns a=203.0.113.7 m=GET p=/a s=200 b=9 d=1250000";
    assert_eq!(entries[0], expected);
    let actix = "203.0.113.7 \"GET /a HTTP/1.1\" 200 9 \"-\" \"x\" 0.250000";
    for before in [
        "[2026-11-22T10:00:00.5Z INFO  actix_web::middleware::logger] ",
        "web-1  | [2026-11-22T10:00:00.5Z INFO  actix_web::middleware::logger] ",
        "2026-11-22T10:00:00.5Z  INFO actix_web::middleware::logger: ",
    ] {
        let (name, entries, _) =
            read(&format!("{before}{actix}\n{before}started\n{before}{actix}\n"));
        assert_eq!((name, entries.len()), ("actix", 2), "{before}");
        let expected = "1795341600250.000000 1000000ns a=203.0.113.7 m=GET p=/a v=HTTP/1.1 g=x \
                        s=200 b=9 d=250000000";
        assert_eq!(entries[0], expected, "{before}");
    }
}
