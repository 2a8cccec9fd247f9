//! Columns and keys whose meanings values show: tables without a header, GELF, labels.

use super::*;

fn read(lines: &[&str]) -> (&'static str, Vec<String>, Vec<String>) {
    let text = lines.join("\n") + "\n";
    let (name, format) = found(&text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    assert_eq!(reasons, [], "{text}");
    let short = |entry: String| entry.split(' ').skip(2).collect::<Vec<_>>().join(" ");
    (name, entries.into_iter().map(short).collect(), format.doubts())
}

fn refusal(text: &str) -> String {
    find(&Head::new(text.as_bytes()), &Choice::default()).unwrap_err().to_string()
}

#[test]
fn tables_without_a_header_are_read_by_their_values() {
    let end = "2026-11-22T10:00:01.000Z";
    for (separator, spaced) in [("|", false), ("|", true), ("\t", false), (";", false), ("^", true)]
    {
        let between = if spaced { format!(" {separator} ") } else { separator.to_owned() };
        let line = |cells: [&str; 8]| cells.join(&between);
        let lines = [
            line([end, "10.0.0.1", "192.0.2.1", "GET", "/a?b=c", "200", "0.250", "curl/8.5.0"]),
            line([end, "10.0.0.1", "192.0.2.2", "POST", "/b", "503", "1.500", "Mozilla/5.0 (X)"]),
        ];
        let (name, entries, doubts) = read(&[&lines[0], &lines[1]]);
        assert_eq!(name, "csv", "{lines:?}");
        assert_eq!(
            entries,
            [
                "a=192.0.2.1 m=GET p=/a q=b=c g=curl/8.5.0 s=200 d=250000000",
                "a=192.0.2.2 m=POST p=/b g=Mozilla/5.0_(X) s=503 d=1500000000",
            ]
        );
        let decides = "column 3 is taken as the address, not column 2; --format csv:address=2";
        assert!(doubts.len() == 1 && doubts[0].starts_with(decides), "{doubts:?}");
    }
}

#[test]
fn whole_numbers_of_tables_are_named_and_not_taken() {
    let lines = [
        "[22/Nov/2026:10:00:00 +0000]|192.0.2.1|GET /a HTTP/1.1|200|512|12ms",
        "[22/Nov/2026:10:00:05 +0000]|192.0.2.2|GET /b HTTP/1.1|200|304|2s",
    ];
    let (_, entries, doubts) = read(&lines);
    assert_eq!(entries[1], "a=192.0.2.2 m=GET p=/b v=HTTP/1.1 s=200 d=2000000000");
    assert!(doubts.iter().any(|one| one.contains("csv:bytes=5")), "{doubts:?}");
    assert!(doubts.iter().any(|one| one.contains("csv:time=1")), "{doubts:?}");
    // The option decides.
    let choice = Choice::new(Some("csv:time=1,bytes=5"), None).unwrap();
    let text = lines.join("\n") + "\n";
    let (_, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
    let (entries, _) = read_all(&format, text.as_bytes());
    assert_eq!(
        entries[1],
        "1795341605000.000000 1000000000ns a=192.0.2.2 m=GET p=/b v=HTTP/1.1 s=200 b=304 \
         d=2000000000"
    );
}

#[test]
fn a_day_and_a_time_of_day_are_one_time() {
    let lines = ["2026-11-22|10:00:01|192.0.2.1|/a|200", "2026-11-22|10:00:02|192.0.2.1|/b|404"];
    let text = lines.join("\n") + "\n";
    let (_, format) = found(&text);
    let (entries, _) = read_all(&format, text.as_bytes());
    assert_eq!(entries[0], "1795341601000.000000 1000000000ns a=192.0.2.1 m=GET p=/a s=200");
    let choice = Choice::new(Some("csv:time=1"), None).unwrap();
    let (_, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
    assert_eq!(read_all(&format, text.as_bytes()).0, entries);
}

#[test]
fn lines_with_another_number_of_columns_are_bad() {
    let good = "2026-11-22T10:00:00Z|192.0.2.1|GET|/a|200|curl/8.5.0\n".repeat(20);
    let text = good + "2026-11-22T10:00:00Z|192.0.2.1|GET|/a|b|200|curl/8.5.0\n";
    let (_, format) = found(&text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    assert_eq!((entries.len(), reasons.len()), (20, 1));
}

#[test]
fn a_header_without_usual_names_leaves_the_rest_to_values() {
    let (name, entries, doubts) = read(&[
        "# when | who | verb | what | outcome",
        "2026-11-22 10:00:00 | 192.0.2.1 | GET | /a | 200",
        "2026-11-22 10:00:01 | 192.0.2.2 | PUT | /b | 404",
    ]);
    assert_eq!((name, entries.len()), ("csv", 2));
    assert_eq!(entries[1], "a=192.0.2.2 m=PUT p=/b");
    assert_eq!(doubts.len(), 3, "{doubts:?}");
}

#[test]
fn keys_of_gelf_have_an_underscore() {
    let line = |at: &str, client: &str, more: &str| {
        format!(
            "{{\"version\":\"1.1\",\"host\":\"web-1\",\"short_message\":\"GET /a?b=c HTTP/1.1\",\
             \"timestamp\":{at},\"level\":6,\"_remote_addr\":\"{client}\",\"_status\":200,\
             \"_request_time\":0.25,\"_body_bytes_sent\":512{more}}}"
        )
    };
    let lines = [line("1795341601.250", "192.0.2.1", ""), line("1795341602.5", "192.0.2.2", "")];
    let (name, entries, _) = read(&[&lines[0], &lines[1]]);
    assert_eq!(name, "json");
    assert_eq!(
        entries[0],
        "a=192.0.2.1 m=GET h=web-1 p=/a q=b=c v=HTTP/1.1 s=200 b=512 d=250000000"
    );
    // A key without an underscore says more.
    let path = line("1795341601.250", "192.0.2.1", ",\"_path\":\"http\",\"_uri\":\"/x\"");
    assert!(read(&[&path]).1[0].contains("p=/x"));
    // A whole line of access as the message.
    let inner = "192.0.2.7 - - [22/Nov/2026:10:00:00 +0000] \\\"GET / HTTP/1.1\\\" 200 5";
    let docker = format!(
        "{{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"{inner}\",\
         \"timestamp\":1795341600.1,\"_container_name\":\"web\"}}"
    );
    let (name, entries, _) = read(&[&docker]);
    assert_eq!((name, &entries[0][..]), ("common", "a=192.0.2.7 m=GET p=/ v=HTTP/1.1 s=200 b=5"));
}

#[test]
fn labels_of_apache_have_the_begin_and_microseconds() {
    let line = "time:[22/Nov/2026:10:00:05 +0000]\thost:192.0.2.1\treq:GET /a HTTP/1.1\t\
                status:200\tsize:9\treqtime_microsec:2500000";
    let (name, format) = found(&format!("{line}\n"));
    let (entries, _) = read_all(&format, line.as_bytes());
    assert_eq!(name, "ltsv");
    assert_eq!(
        entries[0],
        "1795341605000.000000 1000000000ns a=192.0.2.1 m=GET p=/a v=HTTP/1.1 s=200 b=9 d=2500000000"
    );
    // The host is the client only as the format's own label.
    let other = line.replace("host:192.0.2.1", "host:shop.example\tremote_addr:192.0.2.9");
    assert!(read(&[&other]).1[0].starts_with("a=192.0.2.9 m=GET h=shop.example"));
}

#[test]
fn what_values_do_not_show_is_refused_with_the_option() {
    let nobody = "2026-11-22T10:00:00Z|GET|/a|200\n".repeat(3);
    let message = refusal(&nobody);
    assert!(message.contains("csv:time=1,address=2,url=3"), "{message}");
    // The same address in all objects, or one of a private network, may be the server's.
    let line = |host: &str| {
        format!("{{\"time\":\"2026-11-22T10:00:00Z\",\"host\":\"{host}\",\"url\":\"/a\"}}\n")
    };
    assert!(refusal(&line("192.0.2.1").repeat(3)).contains("json:address=KEY"));
    assert!(refusal(&(line("10.0.0.1") + &line("10.0.0.2"))).contains("json:address=KEY"));
    let (_, entries, doubts) = read(&[&line("192.0.2.1"), &line("192.0.2.2")]);
    assert_eq!((&entries[1][..], doubts.len()), ("a=192.0.2.2 m=GET p=/a", 2));
}

#[test]
fn the_target_is_that_of_the_group_with_the_method() {
    let line = |path: &str| {
        format!(
            "{{\"timestamp\":1795341600003,\"host\":\"x.vercel.app\",\"path\":\"/[...slug]\",\
             \"statusCode\":200,\"proxy\":{{\"timestamp\":1795341600000,\"method\":\"GET\",\
             \"host\":\"shop.example\",\"path\":\"{path}\",\"statusCode\":404,\
             \"clientIp\":\"192.0.2.1\"}}}}"
        )
    };
    let (_, entries, _) = read(&[&line("/a?b=c"), &line("/d")]);
    assert_eq!(entries[0], "a=192.0.2.1 m=GET h=shop.example p=/a q=b=c s=404");
    // Without a target of its own, the group leaves it to others.
    let line = "{\"timestamp\":1795341600003,\"path\":\"/a\",\"request\":{\"method\":\"PUT\"},\
                \"ip\":\"192.0.2.1\"}";
    assert_eq!(read(&[line]).1, ["a=192.0.2.1 m=PUT p=/a"]);
}

#[test]
fn a_host_before_the_path_is_no_part_of_it() {
    let line = |target: &str| {
        format!(
            "timestamp=2026-11-22T10:00:00Z remoteIp=192.0.2.1 requestMethod=GET \
             requestUrl={target} status=200"
        )
    };
    let (_, entries, _) = read(&[&line("shop.example/a?b=c"), &line("[2001:db8::1]:80/d")]);
    assert_eq!(entries[0], "a=192.0.2.1 m=GET h=shop.example p=/a q=b=c s=200");
    assert_eq!(entries[1], "a=192.0.2.1 m=GET h=[2001:db8::1]:80 p=/d s=200");
    assert_eq!(read(&[&line("/index.php/a")]).1, ["a=192.0.2.1 m=GET p=/index.php/a s=200"]);
}
