//! Lines that could be read in two ways: what they say decides, and what is open is named.

use super::*;

const STAMP: &str = "[17/May/2015:10:05:03 +0000]";

/// The texts of the entries of lines with `REST` for a stamp and a request.
fn read_lines(lines: &[&str]) -> (Vec<String>, Vec<String>) {
    let rest = format!("{STAMP} \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"");
    let text: String = lines.iter().map(|line| line.replace("REST", &rest) + "\n").collect();
    let (_, format) = found(&text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    assert_eq!(reasons, [], "{text}");
    let short = |entry: String| {
        let words = entry.split(' ').skip(2);
        words.filter(|word| "auhd".contains(&word[..1])).collect::<Vec<_>>().join(" ")
    };
    (entries.into_iter().map(short).collect(), format.doubts())
}

#[test]
fn the_client_is_known_by_what_it_says() {
    for (lines, expected, doubts) in [
        (vec!["shop.example 192.0.2.1 - - REST"], vec!["a=192.0.2.1 h=shop.example"], 0),
        (vec!["shop 2001:db8::1 - ann REST"], vec!["a=2001:db8::1 u=ann h=shop"], 0),
        (vec!["h:8443 192.0.2.1:50112 - - REST"], vec!["a=192.0.2.1 h=h"], 0),
        (vec!["[2001:db8::1]:50112 - - REST"], vec!["a=2001:db8::1"], 0),
        // Names and addresses as hosts; the third word is the ident.
        (
            vec![
                "a.example 192.0.2.1 - - REST",
                "b.example 192.0.2.2 - - REST",
                "192.0.2.200 192.0.2.3 - - REST",
            ],
            vec!["a=192.0.2.1 h=a.example", "a=192.0.2.2 h=b.example", "a=192.0.2.3 h=192.0.2.200"],
            0,
        ),
        // One line of another server among those without a host.
        (
            vec!["192.0.2.1 - - REST", "192.0.2.2 - - REST", "a.example 192.0.2.3 - ann REST"],
            vec!["a=192.0.2.1", "a=192.0.2.2", "a=192.0.2.3 u=ann h=a.example"],
            0,
        ),
        (
            vec!["198.51.100.1 192.0.2.1 - - REST", "198.51.100.1 192.0.2.2 - - REST"],
            vec!["a=192.0.2.1 h=198.51.100.1", "a=192.0.2.2 h=198.51.100.1"],
            1,
        ),
        // Names of clients, and the name of a host after the client.
        (vec!["dsl-7.example - - REST"], vec!["a=dsl-7.example"], 0),
        (vec!["192.0.2.1 www.example ann REST"], vec!["a=192.0.2.1 u=ann"], 0),
        // Lists of addresses.
        (
            vec!["192.0.2.1, 10.0.0.1, 10.0.0.2 - - REST", "unknown, 192.0.2.1 - - REST"],
            vec!["a=192.0.2.1", "a=192.0.2.1"],
            0,
        ),
        (vec!["192.0.2.1 - - REST 1431857103.250 0.750"], vec!["a=192.0.2.1 d=750000000"], 1),
    ] {
        let (found, doubt) = read_lines(&lines);
        assert_eq!(
            (found, doubt.len()),
            (expected.iter().map(|one| (*one).to_owned()).collect(), doubts)
        );
        assert!(doubt.iter().all(|one| one.contains("--format")), "{doubt:?}");
    }
}

#[test]
fn values_that_come_late_are_read() {
    let early = |number: usize| format!("192.0.2.{} - - REST \"-\"", number % 200);
    let mut lines: Vec<String> = (0..3000).map(early).collect();
    lines.push("192.0.2.201 - - REST \"203.0.113.7:443\"".to_owned());
    let lines: Vec<&str> = lines.iter().map(|line| &line[..]).collect();
    assert_eq!(read_lines(&lines).0[3000], "a=203.0.113.7");
    let json = |more: &str| {
        format!(
            "{{\"ts\":1646861401,\"ip\":\"10.0.0.1\",\"method\":\"GET\",\"url\":\"/\"{more}}}\n"
        )
    };
    let text = json("").repeat(90) + &json(",\"x_forwarded_for\":\"203.0.113.7\"");
    assert!(read_all(&found(&text).1, text.as_bytes()).0[90].contains("a=203.0.113.7"));
}

#[test]
fn the_unit_of_the_w3cs_durations_is_what_the_file_says() {
    let read = |software: &str, taken: &str, format: Option<&str>| {
        let text = format!(
            "{software}#Fields: date time c-ip cs-method cs-uri sc-status bytes time-taken\n\
             2024-01-02 10:00:01 203.0.113.9 GET /a?x=1 200 512 {taken}\n"
        );
        let choice = Choice::new(format, None).unwrap();
        let (_, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
        let (entries, _) = read_all(&format, text.as_bytes());
        let duration = entries[0].split_once("b=512 d=").unwrap().1;
        (duration.parse::<u64>().unwrap() / 1_000_000, format.doubts().len())
    };
    let iis = "#Software: Microsoft Internet Information Services 10.0\n";
    let other = "#Software: Example Proxy 3\n";
    let named = |format| Some(format);
    for (software, taken, format, expected_ms, doubts) in [
        (iis, "15", None, 15, 0),
        ("#Software: SGOS 6.7\n", "15", None, 15, 0),
        (other, "2", None, 2000, 1),
        (other, "0.25", None, 250, 0),
        ("", "0.25", None, 250, 0),
        ("", "15", None, 15, 1),
        ("", "15", named("iis:duration_s=time-taken"), 15_000, 0),
        (other, "15", named("iis:duration_ms=time-taken"), 15, 0),
        (iis, "15", named("iis:duration_us=time-taken"), 0, 0),
    ] {
        assert_eq!(read(software, taken, format), (expected_ms, doubts), "{software}{taken}");
    }
    let wrong = Choice::new(Some("iis:duration_s=took"), None).unwrap();
    let text = "#Fields: date time c-ip time-taken\n";
    let message = find(&Head::new(text.as_bytes()), &wrong).unwrap_err().to_string();
    assert!(message.contains("unknown column `took`"), "{message}");
}

#[test]
fn requests_among_other_lines_are_read() {
    let good = format!("192.0.2.1 - - {STAMP} \"GET / HTTP/1.1\" 200 5 \"-\" \"x\"\n");
    let scanned = format!("192.0.2.9 - - {STAMP} \"\\x16\\x03\\x01\" 400 5 \"-\" \"-\"\n");
    let closed = format!("192.0.2.9 - - {STAMP} \"-\" 408 0 \"-\" \"-\"\n");
    let other = "worker started\n".to_owned();
    for (lines, named, entries, bad) in [
        (vec![(&scanned, 30), (&good, 2), (&closed, 30)], None, 2, 60),
        (vec![(&other, 30), (&good, 20)], None, 20, 30),
        (vec![(&other, 99), (&good, 1)], Some("combined"), 1, 99),
    ] {
        let lines: Vec<String> =
            lines.into_iter().flat_map(|(line, count)| vec![line.clone(); count]).collect();
        for prefix in ["", "web-1  | "] {
            let text: String = lines.iter().map(|line| format!("{prefix}{line}")).collect();
            let choice = Choice::new(named, None).unwrap();
            let (name, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
            let found = read_all(&format, text.as_bytes());
            assert_eq!(
                (name, found.0.len(), found.1.len()),
                ("combined", entries, bad),
                "{prefix}"
            );
        }
    }
    let text = other.repeat(99) + &good;
    assert!(find(&Head::new(text.as_bytes()), &Choice::default()).is_err());
}

#[test]
fn arrays_are_read_as_lines() {
    let one = |second: usize| {
        format!(
            "  {{\n    \"time\": \"2015-05-17T10:05:0{second}Z\",\n    \
             \"ip\": \"203.0.113.9\",\n    \
             \"request\": {{\"method\": \"GET\", \"uri\": \"/a\"}}\n  }}"
        )
    };
    let text = format!("[\n{},\n{}\n]\n", one(3), one(4));
    let choice = Choice::new(Some("json:method=request.method,url=request.uri"), None).unwrap();
    let (name, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
    let (entries, reasons) = read_all(&format, text.as_bytes());
    assert_eq!((name, reasons.len(), entries.len()), ("json", 0, 2));
    assert_eq!(entries[1], "1431857104000.000000 1000000000ns a=203.0.113.9 m=GET p=/a");
    let (entries, _) = read_all(&format, &text.as_bytes()[..text.len() - 20]);
    assert_eq!(entries.len(), 1);
}

#[test]
fn stamps_of_other_forms_are_read_behind_an_address() {
    for stamp in ["17/May/2015:12:05:03.125 +0200", "17/May/2015 10:05:03", "17/May/2015:10:05:03 "]
    {
        let text = format!("192.0.2.1 - - [{stamp}] \"GET / HTTP/1.1\" 200 -\n");
        let (name, format) = found(&text);
        let entry = read_all(&format, text.as_bytes()).0.remove(0);
        assert!(name == "common" && entry.starts_with("1431857103"), "{entry}");
    }
}

#[test]
fn objects_say_which_key_is_the_time() {
    for (line, expected) in [
        (
            r#"{"ip":"203.0.113.9","requestTime":"17/May/2015:10:05:03 +0000",
            "httpMethod":"PUT","resourcePath":"/a","status":"200","responseLength":"9"}"#,
            "1431857103000.000000 1000000000ns a=203.0.113.9 m=PUT p=/a s=200 b=9",
        ),
        (
            r#"{"ClientIP":"203.0.113.9","ClientRequestMethod":"GET","ClientRequestURI":"/a?b",
            "EdgeStartTimestamp":"2015-05-17T10:05:03Z",
            "EdgeEndTimestamp":"2015-05-17T10:05:04Z","EdgeResponseStatus":200,
            "EdgeResponseBytes":9}"#,
            "1431857103000.000000 1000000000ns a=203.0.113.9 m=GET p=/a q=b s=200 b=9",
        ),
        (
            r#"{"@timestamp":"2015-05-17T10:05:03.000Z","event":{"duration":5000000},"http":{
            "request":{"method":"GET"},"response":{"status_code":404,"body":{"bytes":7}}},
            "source":{"ip":"203.0.113.9"},"url":{"original":"/a"}}"#,
            "1431857102995.000000 1000000ns a=203.0.113.9 m=GET p=/a s=404 b=7 d=5000000",
        ),
        (
            r#"{"date":"2015-05-17T10:05:03Z","ip":"203.0.113.9","path":"/a"}"#,
            "1431857103000.000000 1000000000ns a=203.0.113.9 m=GET p=/a",
        ),
        (
            r#"{"@timestamp":"2015-05-17T10:05:09Z",
            "message":"203.0.113.9 - - [17/May/2015:10:05:03 +0000] \"GET /a HTTP/1.1\" 200 5"}"#,
            "1431857103000.000000 1000000000ns a=203.0.113.9 m=GET p=/a v=HTTP/1.1 s=200 b=5",
        ),
    ] {
        let text = line.split("\n            ").collect::<String>() + "\n";
        let (_, format) = found(&text);
        assert_eq!(read_all(&format, text.as_bytes()).0, [expected], "{line}");
    }
}
