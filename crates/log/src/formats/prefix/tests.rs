use super::*;

#[test]
fn prefixes_are_peeled_off() {
    let docker = Member("log", "time");
    for (prefix, line) in [
        (docker, r#"{"log":"a \"b\" : c\n","stream":"stdout","time":"2026-11-22T10:00:00Z"}"#),
        (Member("MESSAGE", ""), r#"{"_PID":"7","MESSAGE":"a \"b\" : c","PRIORITY":"6"}"#),
        (Member("message", ""), r#"{"@timestamp":"2026-11-22","message":"a \"b\" : c"}"#),
        (Quoted, r#""a \"b\" : c""#),
        (Quoted, r#"  "a \"b\" : c","#),
        (Quoted, r#""a ""b"" : c""#),
        (Quoted, r#""a "b" : c""#),
        (Quoted, r#"2026-11-22 10:00:00.5,"x, y","a ""b"" : c",7"#),
        (Quoted, r#""Nov 22, 2026 @ 10:00:00","a ""b"" : c""#),
        (Colour, "\u{1b}[2K\u{1b}[31;1ma \"b\"\u{1b}[0m : c"),
        (Cri, "2026-11-22T10:00:00.123456789Z stdout F a \"b\" : c"),
        (Cri, "2026-11-22T10:00:00.123456789+01:00 stderr F a \"b\" : c"),
        (Syslog, "<190>1 2026-11-22T10:00:00Z web nginx 7 - - a \"b\" : c"),
        (Syslog, "<190>1 2026-11-22T10:00:00Z web nginx - - [x y=\"1\"] a \"b\" : c"),
        (Syslog, "<158>1 2026-11-22T10:00:00+00:00 host heroku router - a \"b\" : c"),
        (OldSyslog, "<190>Nov 22 10:00:00 web nginx: a \"b\" : c"),
        (OldSyslog, "Nov  2 10:00:00 web nginx[77]: a \"b\" : c"),
        (OldSyslog, "Nov 22 10:00:00.123456 nginx: a \"b\" : c"),
        (IsoSyslog, "2026-11-22T10:00:00.123+00:00 web haproxy[7]: a \"b\" : c"),
        (Name, "web-1  | a \"b\" : c"),
        (Pod, "[pod/web-7d9/nginx] a \"b\" : c"),
        (Level, "INFO:     a \"b\" : c"),
        (Level, "INFO:web.server:a \"b\" : c"),
        (Level, "2026-11-22 10:00:00,123 - web.server - INFO - a \"b\" : c"),
        (Level, "[2026-11-22 10:00:00 +0000] [77] [INFO] a \"b\" : c"),
        (Level, "I, [2026-11-22T10:00:00.123456 #77]  INFO -- : a \"b\" : c"),
        (Level, "2026-11-22T10:00:00.1Z debug web.server: a \"b\" : c"),
        (Stamp, "2026-11-22T10:00:00Z a \"b\" : c"),
        (Stamp, "2026-11-22 10:00:00,5 a \"b\" : c"),
    ] {
        let plain = prefix.peel(line.as_bytes());
        assert_eq!(plain.as_deref(), Some(&b"a \"b\" : c"[..]), "{prefix:?} {line}");
        for end in 0..line.len() {
            let rest = prefix.peel(&line.as_bytes()[..end]);
            assert!(rest.is_none_or(|rest| rest.len() <= end), "{prefix:?} {line} to {end}");
        }
    }
}

#[test]
fn lines_of_logs_are_no_prefixes() {
    let common = b"10.0.0.1 - - [22/Nov/2026:10:00:00 +0000] \"GET /a: | b HTTP/1.1\" 200 5";
    let json = br#"{"time":"2026-11-22T10:00:00Z","path":"/log","request":{"log":"x"}}"#;
    let level = b"10.0.0.1 - - [-] \"GET /info: x HTTP/1.1\" 200";
    let empty = b"10.0.0.1 - \"\" [-] \"GET /a HTTP/1.1\" 200 5 \"\" \"\"";
    let cells = br#""1431857103","::1","GET","/a""#;
    for line in [
        &common[..],
        json,
        level,
        empty,
        cells,
        b"",
        b"<",
        b"<1>",
        b"time|ip|path",
        b" | x",
        b"level=info a=b",
        b"10.0.0.1 GET /\x1b[31mx",
        b"\"",
    ] {
        assert!(ALL.iter().all(|prefix| prefix.peel(line).is_none()), "{line:?}");
    }
}

#[test]
fn the_time_of_a_prefix_is_read() {
    // `date -u -d '2026-11-22 10:00:00' +%s`
    let begin_ms = 1_795_341_600_000;
    let journal = Member("MESSAGE", "__REALTIME_TIMESTAMP");
    for (prefix, line, after_ms) in [
        (Member("log", "time"), r#"{"log":"a","time":"2026-11-22T10:00:00.25Z"}"#, Some(250)),
        (journal, r#"{"MESSAGE":"a","__REALTIME_TIMESTAMP":"1795341600250000"}"#, Some(250)),
        (journal, r#"{"MESSAGE":"a"}"#, None),
        (Cri, "2026-11-22T11:00:00.25+01:00 stdout F a", Some(250)),
        (Syslog, "<190>1 2026-11-22T10:00:00.25Z web nginx 7 - - a", Some(250)),
        (IsoSyslog, "2026-11-22T10:00:00.25+00:00 heroku[router]: a", Some(250)),
        (Level, "2026-11-22 10:00:00,250 - web - INFO - a", Some(250)),
        (Level, "[2026-11-22 12:00:00 +0200] [77] [INFO] a", Some(0)),
        (Level, "2026-11-22 10:00:00 - INFO - a", Some(0)),
        (Level, "INFO:     a", None),
        (Stamp, "2026-11-22T10:00:00Z 7 a", Some(0)),
        (Stamp, "2026-11-22 10:00:00.250 7 a", Some(250)),
        (Quoted, r#"2026-11-22 10:00:00.250,"a ""b"" c""#, Some(250)),
        (Quoted, r#""2026-11-22T10:00:00Z","x","a ""b"" c""#, Some(0)),
        (Quoted, r#""a ""b"" c""#, None),
        (OldSyslog, "Nov 22 10:00:00 web nginx: a", None),
    ] {
        let found = prefix.time(line.as_bytes(), &mut Clock::default());
        let found_ms = found.map(|time| time.ns / 1_000_000 - begin_ms);
        assert_eq!(found_ms, after_ms, "{prefix:?} {line}");
    }
}
