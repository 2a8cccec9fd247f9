//! Prefixes of containers and system logs, fields added at lines' ends, unused columns.

use super::*;

const LINE: &str =
    "10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /a?b=c HTTP/1.1\" 200 5 \"-\" \"x\"";

/// The name and the entries of lines, made of one by `before`.
fn entries(lines: &[String]) -> (&'static str, Vec<String>, Vec<String>) {
    let text = lines.join("\n") + "\n";
    let (name, format) = found(&text);
    let (entries, reasons) = read_all(&format, text.as_bytes());
    assert_eq!(reasons, [], "{text}");
    (name, entries, format.unused_fields())
}

#[test]
fn a_prefix_is_peeled_off_whatever_the_format_behind() {
    let (_, plain, _) = entries(&[LINE.to_owned()]);
    let quoted = LINE.replace('"', "\\\"");
    for line in [
        format!(r#"{{"log":"{quoted}\n","stream":"stdout","time":"2026-11-22T10:00:00.1Z"}}"#),
        format!(r#"{{"MESSAGE":"{quoted}","_PID":"7","__REALTIME_TIMESTAMP":"1795341600000000"}}"#),
        format!("2026-11-22T10:00:00.123456789Z stdout F {LINE}"),
        format!("2026-11-22T10:00:00.123456789Z {LINE}"),
        format!("Nov 22 10:00:00 web nginx[77]: {LINE}"),
        format!("<190>Nov  2 10:00:00 web nginx: {LINE}"),
        format!("<190>1 2026-11-22T10:00:00.123Z web nginx 77 - - {LINE}"),
        format!("2026-11-22T10:00:00.123+00:00 web nginx[77]: {LINE}"),
        format!("web-1    | {LINE}"),
        format!("[pod/web-7d9/nginx] 2026-11-22T10:00:00.123456789Z {LINE}"),
        format!("2026-11-22T10:00:00.1Z stdout F Nov 22 10:00:00 web nginx: {LINE}"),
    ] {
        let (name, read, _) = entries(&[line.clone(), line.clone()]);
        assert_eq!((name, &read[0], read.len()), ("combined", &plain[0], 2), "{line}");
    }
    for known in FORMATS.iter().filter(|known| !known.example.is_empty()) {
        let (_, format) = found(known.example);
        if format.cut() != Cut::Lines || format.has_directives() {
            continue;
        }
        let (plain, _) = read_all(&format, known.example.as_bytes());
        let lines: Vec<_> = known
            .example
            .lines()
            .map(|line| format!("Nov 22 10:00:00 web app[7]: {line}"))
            .collect();
        let (name, read, _) = entries(&lines);
        assert_eq!((name, read), (known.name, plain));
    }
}

#[test]
fn requests_among_as_many_other_lines_have_no_part_of_the_prefix() {
    let (_, plain, _) = entries(&[LINE.to_owned()]);
    for (request, other) in [
        ("shop-api-2   | ", "cache-1      | * Ready to accept connections"),
        ("Nov 22 10:00:00 web nginx[7]: ", "Nov 22 10:00:00 web sshd[9]: Accepted publickey"),
        ("[pod/api-0/app] ", "[pod/api-0/sidecar] config reloaded"),
        ("2026-11-22T10:00:00.1Z stdout F ", "2026-11-22T10:00:00.2Z stderr F slow query"),
    ] {
        for others in [1, 4] {
            let other = format!("{other}\n").repeat(others);
            let text = format!("{request}{LINE}\n{other}").repeat(3);
            for named in [None, Some("combined")] {
                let choice = Choice::new(named, None).unwrap();
                let (name, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
                let (read, reasons) = read_all(&format, text.as_bytes());
                assert_eq!((name, read.len(), reasons.len()), ("combined", 3, 3 * others));
                assert_eq!(read[0], plain[0], "{request}{others}{named:?}");
            }
        }
    }
}

#[test]
fn requests_that_are_rare_are_read_if_their_format_is_named() {
    let text = format!("web  | {LINE}\n") + &"web  | starting worker\n".repeat(30);
    let refused = find(&Head::new(text.as_bytes()), &Choice::default()).unwrap_err().to_string();
    assert!(refused.contains("1 of its first lines is of the format `combined`"), "{refused}");
    assert!(refused.contains("`--format combined` reads such lines alone"), "{refused}");
    let choice = Choice::new(Some("combined"), None).unwrap();
    let (_, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
    assert_eq!(read_all(&format, text.as_bytes()).0, entries(&[LINE.to_owned()]).1);
}

#[test]
fn a_format_that_is_named_may_have_a_prefix() {
    let lines = "web-1  | 1431857103.5 ::1 GET /a\n".repeat(3);
    let line = concat!(
        r#"{"StartUTC":"2024-03-01T00:00:00Z","Duration":1,"RequestMethod":"GET","#,
        r#""RequestPath":"/","ClientHost":"::1","DownstreamStatus":200,"weird_col":7}"#,
    );
    let (name, format) = found(&format!("{line}\n"));
    assert_eq!((name, format.unused_fields()), ("traefik-json", vec!["weird_col".to_owned()]));
    let (name, format) = found(include_str!("../examples/fastly.log"));
    let taken = ["timestamp", "client_ip", "request_method"];
    let unused_fields = format.unused_fields();
    assert!(unused_fields.contains(&"geo_city".to_owned()), "{unused_fields:?}");
    assert!(name == "fastly" && !unused_fields.iter().any(|key| taken.contains(&&key[..])));
    let choice = Choice::new(Some("nginx:$msec $remote_addr $request_method $uri"), None).unwrap();
    let (_, format) = find(&Head::new(lines.as_bytes()), &choice).unwrap();
    let (entries, _) = read_all(&format, lines.as_bytes());
    assert_eq!(entries[0], "1431857103500.000000 1000000ns a=::1 m=GET p=/a");
}

#[test]
fn added_fields_are_used_where_they_stand() {
    let line = |added: &str| format!("{LINE} {added}");
    let read = |added: &str| {
        let (name, read, unused_fields) = entries(&[line(added), line(added)]);
        assert_eq!(name, "combined");
        (read[0].clone(), unused_fields)
    };
    // `date -u -d '2026-11-22 10:00' +%s`: the end, as nginx stamps it, less 1 s of 1.25 s.
    let begun = "1795341599000.000000";
    let (entry, unused_fields) = read("\"203.0.113.9, 10.0.0.7\"");
    assert!(entry.starts_with("1795341600000") && entry.contains(" a=203.0.113.9 "), "{entry}");
    assert_eq!(unused_fields, Vec::<String>::new());
    for added in [
        "\"203.0.113.9\" rt=1.250 uct=\"0.000\"",
        "\"203.0.113.9\" 1.250 1.249",
        "rt=1.250 \"203.0.113.9\" urt=-",
        "\"203.0.113.9\" request_time=1.25 x",
    ] {
        let (entry, unused_fields) = read(added);
        assert!(entry.starts_with(begun), "{added}: {entry}");
        assert!(entry.contains(" a=203.0.113.9 ") && entry.ends_with(" d=1250000000"), "{entry}");
        assert!(unused_fields.len() <= 1);
    }
    let (entry, unused_fields) = read("\"-\" 250");
    assert!(entry.contains(" a=10.0.0.1 ") && !entry.contains(" d="), "{entry}");
    assert_eq!(unused_fields, ["field 2 of those added, as in `250`"]);
    // Some clients send arbitrary text.
    let lines = [line("\"203.0.113.9\""), line("\"::1\""), line("\"() { :;}; x\"")];
    let (_, read, _) = entries(&lines);
    assert!(read[2].contains(" a=10.0.0.1 "), "{}", read[2]);
}

#[test]
fn keys_that_lines_of_json_lack_are_named() {
    let line = r#"{"time":"2024-03-01T00:00:01Z","ip":"::1","method":"GET","site":"/"}"#;
    let bytes = format!("{line}\n{line}\n");
    let refused = |format: Option<&str>| {
        let choice = Choice::new(format, None).unwrap();
        find(&Head::new(bytes.as_bytes()), &choice).err().map(|error| error.to_string())
    };
    for format in [None, Some("json")] {
        let error = refused(format).unwrap();
        assert!(
            error.contains("is known as the url: name it, as in `--format json:url="),
            "{error}"
        );
    }
    assert_eq!(refused(Some("json:url=site")), None);
}

#[test]
fn columns_that_are_left_over_are_named() {
    let (name, format) = found("time,ip,method,url,colour,status\n1431857103,::1,GET,/,red,200\n");
    assert_eq!((name, format.unused_fields()), ("csv", vec!["colour".to_owned()]));
    let line =
        r#"{"time":"2024-03-01T00:00:01Z","ip":"::1","request":"GET / HTTP/1.1","a":{"b":1}}"#;
    let (name, format) = found(&format!("{line}\n"));
    assert_eq!((name, format.unused_fields()), ("json", vec!["a.b".to_owned()]));
    let choice = Choice::new(Some("nginx:$msec $remote_addr $request $upstream_x"), None).unwrap();
    let (_, format) = find(&Head::new(b""), &choice).unwrap();
    assert_eq!(format.unused_fields(), ["upstream_x"]);
}
