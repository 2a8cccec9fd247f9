//! Lines as stores export them, and lines that lack fields of others of their format.

use super::*;

const STAMP: &str = "[22/Nov/2026:10:00:00 +0000]";

fn read(text: &str) -> (&'static str, Vec<String>, Vec<Reason>) {
    let (name, format) = found(text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    (name, entries, reasons)
}

#[test]
fn lines_in_quotes_are_read_as_they_were() {
    let line = format!(
        "203.0.113.7 - - {STAMP} \"GET /a?b=\\\"c\\\" HTTP/1.1\" 200 5 \"-\" \"x, \\\"y\\\"\""
    );
    let plain = read(&format!("{line}\n")).1;
    let doubled = line.replace('"', "\"\"");
    let escaped = line.replace('\\', "\\\\").replace('"', "\\\"");
    for (text, bad) in [
        (format!("\"{escaped}\"\n"), 0),
        (format!("[\n  \"{escaped}\",\n  \"{escaped}\"\n]\n"), 0),
        (format!("[\"{escaped}\",\"{escaped}\"]"), 0),
        (format!("message\n\"{doubled}\"\n\"{doubled}\"\n"), 1),
        (format!("\"@timestamp\",message,n\n\"2026\",\"{doubled}\",7\n2026,\"{doubled}\",8\n"), 1),
        (format!("{{\"textPayload\":\"{escaped}\",\"severity\":\"INFO\"}}\n"), 0),
        (format!("{{\"labels\":{{}},\"line\":\"{escaped}\",\"timestamp\":\"2026\"}}\n"), 0),
    ] {
        let (name, entries, reasons) = read(&text);
        assert_eq!((name, &entries[0], reasons.len()), ("combined", &plain[0], bad), "{text}");
    }
    // Nothing was escaped for the pair of quotes.
    let unquoted = format!("203.0.113.7 - - {STAMP} \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"");
    let (name, entries, _) = read(&format!("\"{unquoted}\"\n"));
    assert!(name == "combined" && entries[0].ends_with("p=/a v=HTTP/1.1 g=x s=200 b=5"));
}

#[test]
fn every_bad_element_of_an_array_is_counted() {
    let good = r#"{"time":"2026-11-22T10:00:00Z","ip":"::1","method":"GET","url":"/a"}"#;
    let bad = [
        r#"{"time":"2026-11-22T10:00:00Z","ip":"::1","method":"GET","url":""}"#,
        r#"{"time":"yesterday","ip":"::1","method":"GET","url":"/a"}"#,
        "7",
    ];
    let (name, entries, reasons) = read(&format!("[{good},{},{good}]", bad.join(",\n")));
    assert_eq!((name, entries.len()), ("json", 2));
    assert_eq!(reasons, [Reason::NoPath, Reason::NoTime, Reason::NotThisFormat]);
    let (_, entries, reasons) = read(&format!("[{good},{},{good}", bad.join(",")));
    assert_eq!((entries.len(), reasons.len()), (2, 4), "and the end is missing");
}

#[test]
fn a_bare_dash_stands_for_a_text_in_quotes() {
    let line = |referrer: &str, agent: &str| {
        format!("203.0.113.7 - - {STAMP} \"GET /a HTTP/1.1\" 200 5 {referrer} {agent}")
    };
    let fields = ["\"http://h/\" \"x\"", "- \"x\"", "\"http://h/\" -", "- -"];
    let parts = fields.map(|both| both.split_once(' ').unwrap());
    for (name, end) in [("combined", ""), ("traefik", " 7 \"router\" \"http://10.0.0.8:80\" 13ms")]
    {
        let text = parts.map(|(referrer, agent)| line(referrer, agent) + end + "\n").concat();
        let (found, entries, reasons) = read(&text);
        assert_eq!((found, entries.len(), reasons.len()), (name, 4, 0));
        let has = |part| entries.iter().map(|entry| entry.contains(part)).collect::<Vec<_>>();
        assert_eq!(has("r=http://h/"), [true, false, true, false]);
        assert_eq!(has("g=x"), [true, true, false, false]);
        assert_eq!(has("d=13000000"), [name == "traefik"; 4]);
    }
    let text = line("\"-\"", "\"\"robot 2.0\"\"") + "\n";
    assert!(read(&text).1[0].contains(" g=\"robot_2.0\" "));
}

#[test]
fn lines_may_lack_columns_that_are_not_used() {
    let s3 = |end: &str| {
        format!(
            "o b {STAMP} 203.0.113.7 r i WEBSITE.GET.OBJECT k \"GET /k HTTP/1.1\" 200 - 5 5 10 9 \
             \"-\" \"x \\\"y\\\"\"{end}\n"
        )
    };
    let ends = ["", " -", " v host-id SigV4 ECDHE AuthHeader h TLSV1.2 -"];
    for ends in [&ends[..], &ends[..1], &ends[1..]] {
        let text: String = ends.iter().map(|end| s3(end)).collect();
        let (name, entries, reasons) = read(&text);
        assert_eq!((name, entries.len(), reasons.len()), ("s3", ends.len(), 0), "{text}");
        assert!(entries.iter().all(|entry| entry.ends_with("g=x_\"y\" s=200 b=5 d=10000000")));
    }
    let w3c = "#Fields: date time c-ip cs-method cs-uri-stem sc-status time-taken x-a x-b\n\
               2026-11-22 10:00:00 203.0.113.7 GET /a 200 15 a b\n\
               2026-11-22 10:00:01 203.0.113.7 GET /b 200 15\n\
               2026-11-22 10:00:01 203.0.113.7 GET /b 200\n";
    let (name, entries, reasons) = read(w3c);
    assert_eq!((name, entries.len(), reasons), ("iis", 2, vec![Reason::NotThisFormat]));
}

#[test]
fn an_array_may_be_a_member_of_an_object() {
    let record = concat!(
        r#"{"time":"2026-11-22T10:00:00.25Z","category":"FrontDoorAccessLog","properties":{"#,
        r#""httpMethod":"GET","requestUri":"https://h:443/a?b=c","clientIp":"203.0.113.7","#,
        r#""httpStatusCode":"200","timeTaken":"0.250","responseBytes":"9"}}"#,
    );
    let expected = "1795341600000.000000 1000000ns a=203.0.113.7 m=GET h=h:443 p=/a q=b=c s=200 \
                    b=9 d=250000000";
    for (text, count) in [
        (format!("{{\"records\":[{record},{record}]}}"), 2),
        (format!("{{\n  \"records\": [\n    {record},\n    {record}\n  ]\n}}\n"), 2),
        (format!("{{\"records\":[{record},{record}]}}\n{{\"records\":[{record}]}}\n"), 3),
    ] {
        let (name, entries, reasons) = read(&text);
        assert_eq!((name, entries.len(), reasons.len()), ("json", count, 0), "{text}");
        assert_eq!(entries[0], expected);
    }
    // A request may begin with an array of its own.
    let line =
        r#"{"tags":[{"k":1}],"time":"2026-11-22T10:00:00Z","ip":"::1","method":"GET","url":"/a"}"#;
    let (name, entries, _) = read(&format!("{line}\n{line}\n"));
    assert_eq!((name, entries.len()), ("json", 2));
}

#[test]
fn lines_of_the_common_log_format_stand_among_combined_ones() {
    let combined = format!("203.0.113.7 - - {STAMP} \"GET /a HTTP/1.1\" 200 5 \"-\" \"x\"\n");
    let common = format!("::1 - - {STAMP} \"GET /b HTTP/1.1\" 404 209\n");
    let cut = format!("::1 - - {STAMP} \"GET /c HTTP/1.1\" 404 209 \"-\" \"Mozilla\n");
    let (name, entries, reasons) = read(&format!("{common}{combined}{combined}{combined}{cut}"));
    assert_eq!((name, entries.len(), reasons.len()), ("combined", 4, 1));
    assert!(entries[0].ends_with("a=::1 m=GET p=/b v=HTTP/1.1 s=404 b=209"), "{}", entries[0]);
}

#[test]
fn dates_are_no_durations_whatever_they_are_called() {
    let rest = r#""ip":"::1","method":"GET","path":"/a","status":200"#;
    for (key, value, begun, doubts) in [
        ("requestTime", "1795341600250", "1795341600250.000000 1000000ns", 0),
        ("request_time", "1795341600.25", "1795341600250.000000 1000000ns", 0),
        ("responseTime", "\"2026-11-22T10:00:00Z\"", "1795341600000.000000 1000000000ns", 0),
        ("ts\":1795341600,\"request_time", "1795341599", "1795341600000.000000 1000000000ns", 1),
    ] {
        let line = format!("{{\"{key}\":{value},{rest}}}\n");
        let (name, format) = found(&line.repeat(3));
        let (entries, reasons) = read_all(&format, line.as_bytes());
        assert_eq!((name, reasons.len(), format.doubts().len()), ("json", 0, doubts), "{line}");
        assert_eq!(entries[0], format!("{begun} a=::1 m=GET p=/a s=200"), "{line}");
    }
    // Beside it another key may have the duration.
    let line = format!("{{\"requestTime\":1795341600250,\"responseTime\":\"12ms\",{rest}}}\n");
    let (_, entries, _) = read(&line.repeat(3));
    let expected = "1795341600250.000000 1000000ns a=::1 m=GET p=/a s=200 d=12000000";
    assert_eq!(entries[0], expected);
    // Nanoseconds of slow requests differ by more than dates of one log.
    let line = |ns: u64| format!("{{\"ts\":1795341600,\"response_time\":{ns},{rest}}}\n");
    let (_, format) = found(&[1_250_000_000, 4_100_000_000, 9_000_000].map(line).concat());
    assert!(format.unit_open());
    let table = "requestTime,ip,method,path\n1795341600250,::1,GET,/a\n1795341601250,::1,GET,/a\n";
    let (name, entries, _) = read(table);
    assert_eq!((name, &entries[0][..]), ("csv", "1795341600250.000000 1000000ns a=::1 m=GET p=/a"));
}

#[test]
fn an_object_with_a_request_of_its_own_needs_no_text_of_it() {
    let line = concat!(
        r#"{"@timestamp":"2026-11-22T10:00:00.125Z","message":"::1 - - [22/Nov/2026:10:00:00 "#,
        r#"+0000] \"GET /a HTTP/1.1\" 200 9","method":"GET","protocol":"HTTP/1.1","#,
        r#""status_code":200,"requested_uri":"/a","remote_host":"::1","content_length":9,"#,
        r#""elapsed_time":25}"#,
    );
    let (name, entries, reasons) = read(&format!("{line}\n{line}\n"));
    let expected =
        "1795341600100.000000 1000000ns a=::1 m=GET p=/a v=HTTP/1.1 s=200 b=9 d=25000000";
    assert_eq!((name, &entries[0][..], reasons.len()), ("json", expected, 0));
}
