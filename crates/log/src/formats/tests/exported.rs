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
