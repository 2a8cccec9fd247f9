//! Properties of all formats.

mod exported;
mod halves;
mod hostile;
mod loggers;
mod prefixed;
mod random;
mod readings;
mod tables;

use std::sync::Arc;

use super::*;
use crate::entry::Text;
use crate::time::MILLISECOND;

/// The entries of a text in one line each, and the reasons of its bad lines.
fn read_all(format: &Arc<dyn Format>, text: &[u8]) -> (Vec<String>, Vec<Reason>) {
    let (mut entries, mut reasons) = (Vec::new(), Vec::new());
    let mut clock = Clock::default();
    let mut format = format.clone();
    let mut joined = Vec::new();
    let text = match format.joiner() {
        None => text,
        Some(mut joiner) => {
            joiner.take(text, &mut joined);
            let mut rest = Vec::new();
            joiner.end(&mut rest);
            joined.extend(rest);
            &joined[..]
        }
    };
    let units: Vec<&[u8]> = match format.cut() {
        Cut::Lines => text.split(|byte| *byte == b'\n').collect(),
        Cut::Records(size) => text.chunks(size).collect(),
        Cut::Whole => {
            let mut parts = Vec::new();
            reasons.extend(format.parts(text, &mut |part| parts.push(part)).err());
            parts
        }
    };
    for unit in units.into_iter().filter(|unit| !unit.is_empty()) {
        if unit[0] == b'#' {
            format = format.directive(unit).unwrap_or(format);
            continue;
        }
        let read = format.read(unit, &mut clock, &mut |entry| entries.push(shown(entry)));
        reasons.extend(read.err());
    }
    (entries, reasons)
}

/// The content of an entry: milliseconds, resolution, and all present fields.
fn shown(entry: &Entry<'_>) -> String {
    let word = |text: &Text<'_>| String::from_utf8_lossy(text).replace(' ', "_");
    let mut words = vec![
        format!("{}.{:06}", entry.time_ns / MILLISECOND, entry.time_ns % MILLISECOND),
        format!("{}ns", entry.resolution_ns),
    ];
    let texts = [
        ("a", &entry.address),
        ("u", &entry.user),
        ("m", &entry.method),
        ("h", &entry.host),
        ("p", &entry.path),
        ("q", &entry.query),
        ("v", &entry.protocol),
        ("r", &entry.referrer),
        ("g", &entry.agent),
    ];
    for (name, text) in texts {
        if !text.is_empty() {
            words.push(format!("{name}={}", word(text)));
        }
    }
    words.extend(entry.status.map(|status| format!("s={status}")));
    words.extend(entry.bytes.map(|bytes| format!("b={bytes}")));
    words.extend(entry.duration.map(|duration| format!("d={}", duration.0)));
    words.join(" ")
}

fn found(text: &str) -> (&'static str, Arc<dyn Format>) {
    find(&Head::new(text.as_bytes()), &Choice::default()).unwrap()
}

/// The content of the examples, an entry a line after its format's name; seconds by `date -u -d ...
/// +%s`.
const EXPECTED: &str = include_str!("examples/expected.txt");

#[test]
fn every_example_is_found_and_read() {
    for known in FORMATS.iter().filter(|known| !known.example.is_empty()) {
        let (name, format) = found(known.example);
        assert_eq!(name, known.name);
        let (entries, reasons) = read_all(&format, known.example.as_bytes());
        let expected = EXPECTED.lines().filter_map(|line| line.split_once(' '));
        let expected: Vec<_> = expected.filter(|pair| pair.0 == name).map(|pair| pair.1).collect();
        assert_eq!(entries, expected, "{name}");
        assert_eq!(reasons, [], "{name}");
    }
}

#[test]
fn formats_have_their_own_names_and_words() {
    for (place, known) in FORMATS.iter().enumerate() {
        assert!(FORMATS[..place].iter().all(|other| other.name != known.name));
        let described =
            ["https://", "http://", "docs/"].iter().any(|at| known.source.starts_with(at));
        assert!(described && known.summary.len() < 90, "{}", known.name);
    }
}

/// Records of 20 bytes: a GET of an HTML page, an image not modified, a request without a size.
pub(crate) fn world_cup() -> Vec<u8> {
    let mut file = Vec::new();
    for (time, client, object, size, rest) in [
        (893_964_653_u32, 34_607_u32, 4_505_u32, 5_410_u32, [0, 0x42, 0, 0x61]),
        (893_964_653, 34_607, 17, 0, [0, 0x8d, 1, 0x61]),
        (893_964_700, 4_294_967_295, 4_294_967_295, u32::MAX, [8, 0xe5, 12, 0]),
    ] {
        for number in [time, client, object, size] {
            file.extend_from_slice(&number.to_be_bytes());
        }
        file.extend_from_slice(&rest);
    }
    file
}

#[test]
fn the_world_cup() {
    let file = world_cup();
    let (name, format) = find(&Head::new(&file), &Choice::default()).unwrap();
    assert_eq!(name, "worldcup");
    let expected = [
        "893964653000.000000 1000000000ns a=34607 m=GET p=/4505.html v=HTTP/1.0 s=200 b=5410",
        "893964653000.000000 1000000000ns a=34607 m=GET p=/17.gif v=HTTP/1.1 s=304 b=0",
        "893964700000.000000 1000000000ns a=4294967295 m=OTHER p=/4294967295",
    ];
    assert_eq!(read_all(&format, &file), (expected.map(str::to_owned).to_vec(), vec![]));
    let mut odd = file.clone();
    odd[16] = 9;
    odd[37] = 0x3f;
    assert_eq!(read_all(&format, &odd).1, [Reason::NotThisFormat, Reason::BadStatus]);
}

fn named(format: &str, user: Option<&str>, line: &str) -> (Vec<String>, Vec<Reason>) {
    let choice = Choice::new(Some(format), user).unwrap();
    let text = format!("{line}\n");
    let (_, format) = find(&Head::new(text.as_bytes()), &choice).unwrap();
    read_all(&format, text.as_bytes())
}

#[test]
fn log_formats_of_apache() {
    for (format, line, expected) in [
        (
            r#"apache:LogFormat "%h %l %u %t \"%r\" %>s %b %D \"%{X-Forwarded-For}i\"" timed"#,
            r#"::1 - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 1500 "1.2.3.4, 5.6.7""#,
            "1431857103000.000000 1000000000ns a=1.2.3.4 m=GET p=/ v=HTTP/1.1 s=200 b=5 d=1500000",
        ),
        (
            "%a [%{%d/%b/%Y:%T}t.%{msec_frac}t %{%z}t] %m %U%q %H %>s %B %T %{ms}T %v",
            "::1 [17/May/2015:12:05:03.025 +0200] GET /a?b HTTP/2.0 204 0 1 1234 example.org",
            "1431857103025.000000 1000000ns a=::1 m=GET h=example.org p=/a q=b v=HTTP/2.0 s=204 \
             b=0 d=1234000000",
        ),
        (
            "%h %{end:usec}t %D %s %m %U",
            "h 1431857103000250 250 200 GET /",
            "1431857103000.000000 1000ns a=h m=GET p=/ s=200 d=250000",
        ),
        (
            "%h %t %{end:msec}t %s %m %U",
            "h [17/May/2015:10:05:03 +0000] 1431857104000 200 GET /",
            "1431857103000.000000 1000000000ns a=h m=GET p=/ s=200",
        ),
    ] {
        assert_eq!(named(format, None, line), (vec![expected.to_owned()], vec![]), "{format}");
    }
    let (entries, _) = named(
        "%h %t %{X-User}i %m %U \"%{User-Agent}i\"",
        Some("x-user"),
        r#"h [17/May/2015:10:05:03 +0000] u7 GET / "a\tb \xc3\xa4""#,
    );
    assert_eq!(entries, ["1431857103000.000000 1000000000ns a=h u=u7 m=GET p=/ g=a\tb_ä"]);
}

#[test]
fn log_formats_of_nginx() {
    let main = "log_format main '$remote_addr - $remote_user [$time_local] \"$request\" '\n  \
                '$status $body_bytes_sent \"$http_referer\" \"$http_user_agent\" $request_time';";
    for (format, line, expected) in [
        (
            main,
            r#"h - - [17/May/2015:10:05:03 +0000] "GET / HTTP/1.1" 200 5 "-" "x\x22y" 2.500"#,
            "1431857101000.000000 1000000000ns a=h m=GET p=/ v=HTTP/1.1 g=x\"y s=200 b=5 \
             d=2500000000",
        ),
        (
            "$msec|$request_time|$remote_addr|${host}|$request_method|$request_uri|$uri|$status",
            "1431857103.250|0.250|::1|h|GET|/a?b|/index.php|200",
            "1431857103000.000000 1000000ns a=::1 m=GET h=h p=/a q=b s=200 d=250000000",
        ),
        (
            "$body_bytes_sent $remote_addr $request_method $uri $msec $bytes_sent",
            "88 10.0.0.1 GET / 1431857103.250 1294",
            "1431857103250.000000 1000000ns a=10.0.0.1 m=GET p=/ b=88",
        ),
        (
            "nginx:[$time_iso8601] $remote_addr $request_method $uri $args",
            "[2015-05-17T12:05:03+02:00] 10.0.0.1 GET / -",
            "1431857103000.000000 1000000000ns a=10.0.0.1 m=GET p=/",
        ),
    ] {
        assert_eq!(named(format, None, line), (vec![expected.to_owned()], vec![]), "{format}");
    }
}

#[test]
fn mistakes_in_formats_are_named() {
    for (format, user, part) in [
        ("combinde", None, "did you mean `combined`?"),
        ("apache", None, "give the format after a colon"),
        ("apache:%h %s", None, "has no time"),
        ("apache:%h%t %y", None, "`%y`, which is not known"),
        ("apache:%{%Q}t", None, "`%Q` has a conversion that is not known"),
        ("apache:%h%u %t", None, "`h` and `u` need something between them"),
        ("nginx:$status $", None, "a `$` without a name"),
        ("nginx:$msec ${x", None, "a closing brace"),
        ("nginx:$msec $http_x_user", Some("$http_user"), "field for the user `$http_user`"),
        ("combined:x", None, "takes no argument"),
    ] {
        let message = Choice::new(Some(format), user).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn bad_lines_have_their_reasons() {
    let rest = "\"GET / HTTP/1.1\" 200 5 \"-\" \"x\"";
    for (line, reason) in [
        ("h - - [31/Feb/2015:10:05:03 +0000] REST", Reason::ImpossibleDate),
        ("h - - [-] REST", Reason::NoTime),
        ("h - - [17/Maj/2015:10:05:03 +0000] REST", Reason::NoTime),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 2x0 5 \"-\" \"x\"",
            Reason::BadStatus,
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5k \"-\" \"x\"",
            Reason::BadNumber,
        ),
        (
            "h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5 \"-\" \"x",
            Reason::NotThisFormat,
        ),
        ("h - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5", Reason::NotThisFormat),
        ("hä - - [17/May/2015:10:05:03 +0000] REST", Reason::BadEncoding),
    ] {
        let line = line.replace("REST", rest);
        assert_eq!(named("combined", None, &line), (vec![], vec![reason]), "{line}");
    }
    // Output of old servers: unescaped quotes.
    let line = "h - - [17/May/2015:10:05:03 +0000] \"GET /a\"b HTTP/1.0\" 200 5 \"-\" \"x\"";
    assert!(named("combined", None, line).0[0].contains("p=/a\"b v=HTTP/1.0"));
}

#[test]
fn hosts_before_lines_are_found() {
    let line =
        "www.example.com:80 10.0.0.1 - - [17/May/2015:10:05:03 +0000] \"GET / HTTP/1.1\" 200 5";
    for (name, line) in [("common", line.to_owned()), ("combined", format!("{line} \"-\" \"x\""))] {
        let text = format!("{line}\n");
        let (found_name, format) = found(&text);
        assert_eq!(found_name, name);
        assert!(
            read_all(&format, text.as_bytes()).0[0].contains("a=10.0.0.1 m=GET h=www.example.com")
        );
    }
}

#[test]
fn users_are_known_by_a_field() {
    for known in FORMATS.iter().filter(|known| !known.example.is_empty()) {
        let head = Head::new(known.example.as_bytes());
        let choice = Choice::new(Some(known.name), Some("surprise")).unwrap();
        let message = find(&head, &choice).map_err(|error| error.to_string());
        match known.name {
            name if message_is_fine(name) => assert!(message.is_ok()),
            _ => assert!(message.unwrap_err().contains("`surprise`"), "{}", known.name),
        }
        let unnamed = Choice::new(None, Some("surprise")).unwrap();
        assert!(find(&head, &unnamed).is_ok() == message_is_fine(known.name), "{}", known.name);
    }
    let line =
        r#"{"ts":1646861401.5,"request":{"method":"GET","uri":"/","headers":{"X-User":["u7"]}}}"#;
    let (entries, _) = named("caddy", Some("request.headers.X-User"), line);
    assert_eq!(entries, ["1646861401500.000000 1000000ns u=u7 m=GET p=/"]);
    let (entries, _) = named(
        "json:time=t,user=who.id",
        None,
        r#"{"t":1646861401,"who":{"id":7},"request":"GET / HTTP/1.1"}"#,
    );
    assert_eq!(entries, ["1646861401000.000000 1000000000ns u=7 m=GET p=/ v=HTTP/1.1"]);
}

/// Formats that take any name for the user's field.
fn message_is_fine(name: &str) -> bool {
    matches!(
        name,
        "har" | "heroku" | "caddy" | "envoy-json" | "traefik-json" | "fastly" | "gcp" | "pino"
    )
}
