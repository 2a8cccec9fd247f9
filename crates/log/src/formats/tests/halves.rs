//! Requests whose begin and answer have a line each.

use super::*;

fn read(text: &str) -> (&'static str, Vec<String>, Vec<String>, usize) {
    let (name, format) = found(text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    (name, entries, format.doubts(), reasons.len())
}

/// A request of Fastify's, and its answer.
fn fastify(pid: u32, id: &str, path: &str, begin_ms: u64, took_ms: u64) -> [String; 2] {
    let line = |at_ms: u64, rest: &str| {
        let common = format!(r#""pid":{pid},"hostname":"h","reqId":"{id}""#);
        format!(r#"{{"level":30,"time":{at_ms},{common},{rest}}}"#)
    };
    let client = r#""host":"shop.example","remoteAddress":"203.0.113.7","remotePort":5"#;
    let request = format!(r#""req":{{"method":"GET","url":"{path}",{client}}}"#);
    let begin = line(begin_ms, &format!(r#"{request},"msg":"incoming request""#));
    let response = format!(r#""res":{{"statusCode":404}},"responseTime":{took_ms}.25"#);
    let answer = line(begin_ms + took_ms, &format!(r#"{response},"msg":"request completed""#));
    [begin, answer]
}

const FASTIFY_BEGIN_MS: u64 = 1_795_341_600_000;

#[test]
fn the_two_lines_of_a_request_are_joined_by_its_identifier() {
    let begin = FASTIFY_BEGIN_MS;
    let a = fastify(7, "req-1", "/a", begin, 90);
    let b = fastify(7, "req-2", "/b", begin + 10, 20);
    // Another process counts from the beginning, and the last request has no answer.
    let c = fastify(8, "req-1", "/c", begin + 20, 30);
    let d = fastify(8, "req-2", "/d", begin + 40, 50);
    let own = r#"{"level":30,"time":1795341600100,"pid":7,"hostname":"h","msg":"ready"}"#;
    let lines = [&a[0], &b[0], &c[0], &b[1], own, &c[1], &d[0], &a[1]];
    for before in ["", "web-1  | "] {
        let text: String = lines.iter().map(|line| format!("{before}{line}\n")).collect();
        let (name, entries, doubts, bad) = read(&text);
        assert_eq!((name, entries.len(), bad), ("pino", 4, 0), "{before}");
        for (entry, path, begin_us, took_us) in [
            (&entries[0], "/a", "1795341599999.750000", " s=404 d=90250000"),
            (&entries[1], "/b", "1795341600009.750000", " s=404 d=20250000"),
            (&entries[2], "/c", "1795341600019.750000", " s=404 d=30250000"),
            (&entries[3], "/d", "1795341600040.000000", " a=203.0.113.7 m=GET p=/d"),
        ] {
            assert!(
                entry.starts_with(begin_us) && entry.contains(&format!(" p={path}")),
                "{entry}"
            );
            assert!(entry.ends_with(took_us), "{entry}");
        }
        assert_eq!(doubts, Vec::<String>::new());
    }
}

#[test]
fn after_a_restart_identifiers_come_again() {
    let first = fastify(1, "req-1", "/cut", FASTIFY_BEGIN_MS, 90);
    let second = fastify(1, "req-1", "/a", FASTIFY_BEGIN_MS + 900, 10);
    let text = [&first[0], &second[0], &second[1]].map(|line| format!("{line}\n")).concat();
    let (_, entries, _, _) = read(&text);
    assert_eq!(entries.len(), 2);
    assert!(entries[0].ends_with("p=/cut") && entries[1].ends_with("p=/a s=404 d=10250000"));
}

fn started(path: &str) -> String {
    format!("Started GET \"{path}\" for 203.0.113.7 at 2026-11-22 12:00:00 +0200")
}

const RAILS: &str = "1795341600000.000000 1000000000ns a=203.0.113.7 m=GET";

#[test]
fn lines_of_rails_are_joined_by_their_tags() {
    let logger = "I, [2026-11-22T12:00:00.5 #77]  INFO -- :";
    let lines = [
        format!("{logger} [u1] [::1] {}", started("/a?x=\" for y")),
        format!("{logger} [u2] [::1] {}", started("/b")),
        format!("{logger} [u2] [::1] Processing by HomeController#index as HTML"),
        format!("{logger} [u1] [::1] Completed 200 OK in 30ms (Views: 1.2ms | ActiveRecord: 0ms)"),
        format!("{logger} [u2] [::1] Completed 500 Internal Server Error in 1250ms"),
        format!("{logger} [u3] [::1] {}", started("/c")),
    ];
    let (name, entries, doubts, bad) = read(&(lines.join("\n") + "\n"));
    assert_eq!((name, bad, doubts.len()), ("rails", 0, 0));
    assert_eq!(
        entries,
        [
            format!("{RAILS} p=/a q=x=\"_for_y s=200 d=30000000"),
            format!("{RAILS} p=/b s=500 d=1250000000"),
            format!("{RAILS} p=/c"),
        ]
    );
}

#[test]
fn without_tags_requests_that_overlap_have_no_answer_of_their_own() {
    let completed = |ms: u32| format!("Completed 200 OK in {ms}ms (Views: 1.2ms)");
    let lines = [
        started("/alone"),
        "  Rendered home/index.html.erb within layouts/application".into(),
        completed(12),
        String::new(),
        started("/one"),
        started("/two"),
        completed(13),
        completed(14),
        started("/last"),
        completed(15),
    ];
    let (name, entries, doubts, _) = read(&(lines.join("\n") + "\n"));
    assert_eq!(name, "rails");
    let expected = ["p=/alone s=200 d=12000000", "p=/one", "p=/two", "p=/last s=200 d=15000000"];
    assert_eq!(entries, expected.map(|end| format!("{RAILS} {end}")));
    assert!(doubts.iter().any(|doubt| doubt.contains("log_tags = [:request_id]")), "{doubts:?}");
    // The logger's process tells them apart.
    let of = |process: u32, line: String| {
        format!("I, [2026-11-22T12:00:00.5 #{process}]  INFO -- : {line}")
    };
    let lines =
        [of(7, started("/one")), of(8, started("/two")), of(8, completed(13)), of(7, completed(9))];
    let (_, entries, doubts, _) = read(&(lines.join("\n") + "\n"));
    let expected = ["p=/one s=200 d=9000000", "p=/two s=200 d=13000000"];
    assert_eq!(entries, expected.map(|end| format!("{RAILS} {end}")));
    assert_eq!(doubts.len(), 0);
}

#[test]
fn in_a_file_that_grows_no_request_waits_for_another() {
    let completed = "Completed 200 OK in 3ms";
    let lines = [
        format!("[u1] {}", started("/cable")),
        format!("[u2] {}", started("/a")),
        format!("[u2] {completed}"),
    ];
    let text = lines.join("\n") + "\n";
    let handed_over = |live: bool| {
        let joiner = found(&text).1.joiner().unwrap();
        let mut joiner = if live { joiner.of_live() } else { joiner };
        let mut joined = Vec::new();
        joiner.take(text.as_bytes(), &mut joined);
        joined.iter().filter(|byte| **byte == b'\n').count()
    };
    assert_eq!([handed_over(false), handed_over(true)], [0, 1]);
}
