//! The meaning of responses, and the data for servers.

use thinktime_core::time::Nanos;

use super::*;
use crate::protocol::Excerpt;

/// The received response: its status, the size of its frames, its head as text and its body.
fn complete(outcome: Outcome) -> (u16, u64, String, usize) {
    let (events, result) = outcome;
    assert_eq!(result, Ok(None));
    let mut events = events.into_iter();
    assert_eq!(events.next(), Some(Event::Begun { stream: 0 }));
    let Some(Event::Complete { stream: 0, status, bytes, excerpt: Some(excerpt), .. }) =
        events.next()
    else {
        panic!("no response");
    };
    assert_eq!(events.next(), None);
    let Excerpt { head, body, .. } = *excerpt;
    (status, bytes, String::from_utf8(head).unwrap(), body.len())
}

#[test]
fn a_response_is_read() {
    let script =
        script().head(&[(":status", "200"), ("content-length", "300")]).data(100).data(200);
    let size = script.0.len() as u64;
    let head = "HTTP/3 200\r\ncontent-length: 300\r\n".to_owned();
    assert_eq!(complete(response(&script)), (200, size, head, 300));
}

#[test]
fn interim_heads_trailers_and_unknown_frames_go_with_a_response() {
    let script = script()
        .frame(0x21, b"grease")
        .head(&[(":status", "103"), ("link", "/a.css")])
        .head(&[(":status", "200")])
        .data(0)
        .data(5)
        .frame(0x40, &[])
        .head(&[("checksum", "7")])
        .frame(0x5f, &[0; 100]);
    let (status, _, head, body) = complete(response(&script));
    assert_eq!((status, &head[..], body), (200, "HTTP/3 200\r\nchecksum: 7\r\n", 5));
}

#[test]
fn heads_alone_are_responses_to_head_and_of_some_statuses() {
    let long = [(":status", "200"), ("content-length", "9")];
    let mut client = Client::new(Capture::Nothing);
    client.begin(0, true, None);
    let (events, result) = feed(&mut client, 0, &script().head(&long).0, 5, true);
    let bytes = script().head(&long).0.len() as u64;
    let server_time = Nanos::MAX;
    let end = Event::Complete { stream: 0, status: 200, bytes, server_time, excerpt: None };
    assert_eq!((events, result), (vec![Event::Begun { stream: 0 }, end], Ok(None)));
    for status in ["204", "304"] {
        let script = script().head(&[(":status", status), ("content-length", "9")]);
        assert_eq!(complete(response(&script)).0.to_string(), status);
    }
}

#[test]
fn malformed_responses_end_their_stream_alone() {
    let ok = || script().head(&[(":status", "200"), ("content-length", "3")]);
    for script in [
        script(),
        script().head(&[("server", "x")]),
        script().head(&[(":status", "101")]),
        script().head(&[(":status", "103")]),
        script().head(&[(":status", "200"), ("connection", "close")]),
        script().head(&[(":status", "200"), ("Server", "x")]),
        ok(),
        ok().data(2),
        ok().data(4),
        ok().data(3).head(&[(":status", "200")]),
    ] {
        let (events, result) = response(&script);
        assert_eq!(events.last(), Some(&Event::Malformed { stream: 0 }));
        assert_eq!(result, Ok(Some(Stop { code: 0x10e })));
    }
    let mut client = Client::new(Capture::Nothing);
    client.begin(0, true, None);
    let (_, result) = feed(&mut client, 0, &ok().data(3).0, 100, true);
    assert_eq!((result, client.is_closing()), (Ok(Some(Stop { code: 0x10e })), false));
}

fn unprocessed(stream: u64, others_taken: bool) -> Event {
    Event::Unprocessed { stream, others_taken }
}

#[test]
fn resets_are_told() {
    let mut events = VecDeque::new();
    let mut client = client(3);
    client.reset(0, 0x10b, &mut events).unwrap();
    client.reset(4, 0x102, &mut events).unwrap();
    client.reset(4, 0x102, &mut events).unwrap();
    client.forget(8);
    client.reset(8, 0x102, &mut events).unwrap();
    let told = [unprocessed(0, false), Event::Reset { stream: 4, code: 0x102 }];
    assert_eq!((events.make_contiguous(), client.is_closing()), (&mut told.clone()[..], false));
}

#[test]
fn a_server_that_goes_away_has_not_looked_at_later_requests() {
    let mut client = client(3);
    let bytes = control().frame(kind::GOAWAY, &[4]).0;
    let (events, result) = feed(&mut client, CONTROL, &bytes, 1, false);
    let later = vec![unprocessed(4, true), unprocessed(8, true)];
    assert_eq!((events, result, client.is_closing()), (later, Ok(None), true));
    let (events, _) = feed(&mut client, 0, &script().head(&[(":status", "200")]).0, 9, true);
    assert!(matches!(events[..], [_, Event::Complete { .. }]), "{events:?}");
}

#[test]
fn what_the_server_says_of_itself_is_heeded() {
    let mut client = client(0);
    assert!(client.takes(u64::MAX));
    // At most 100 bytes of fields, a table of 4096 bytes, and an unknown setting.
    let settings = [0x06, 0x40, 100, 0x01, 0x50, 0x00, 0x21, 0x00];
    let bytes = Script(vec![0]).frame(kind::SETTINGS, &settings).0;
    assert_eq!(feed(&mut client, CONTROL, &bytes, 1, false).1, Ok(None));
    assert!(client.takes(100) && !client.takes(101));
    // The decoder gave streams up; the encoder sets its size to zero; a stream is unknown.
    assert_eq!(feed(&mut client, OTHER, &[3, 0x44, 0x7f, 0x80, 0x01], 1, false).1, Ok(None));
    assert_eq!(feed(&mut client, 11, &[2, 0x20], 1, false).1, Ok(None));
    let unknown = feed(&mut client, 15, &[0x40, 0x21, 1, 2], 1, false).1;
    assert_eq!((unknown, client.is_closing()), (Ok(Some(Stop { code: 0x103 })), false));
}

#[test]
fn requests_are_written() {
    let [control, encoder, decoder] = Client::greeting();
    // A frame of settings: MAX_FIELD_SECTION_SIZE is 64 KiB.
    assert_eq!(control, [0, 4, 5, 6, 0x80, 1, 0, 0]);
    assert_eq!((encoder, decoder), (vec![2], vec![3]));
    let written = Client::write(&GET);
    assert_eq!(written.bytes[..4], [1, written.bytes.len() as u8 - 2, 0, 0]);
    assert!(!written.head_only);
    let headers = [("Connection", "close"), ("X-A", "b")];
    let post = RequestHead { method: "POST", headers: &headers, body: b"body", ..GET };
    let written = Client::write(&post);
    assert!(written.bytes.ends_with(&[0, 4, b'b', b'o', b'd', b'y']));
    let mut fields = Vec::new();
    let block = &written.bytes[2..written.bytes.len() - 6];
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).unwrap();
    qpack::decode(block, |name, value| fields.push((text(name), text(value)))).unwrap();
    let wanted = [
        (":method", "POST"),
        (":scheme", "https"),
        (":authority", "a"),
        (":path", "/"),
        ("content-length", "4"),
        ("x-a", "b"),
    ];
    assert_eq!(fields, wanted.map(|(name, value)| (name.to_owned(), value.to_owned())));
    let size: usize = wanted.iter().map(|(name, value)| name.len() + value.len() + 32).sum();
    assert_eq!(written.list_bytes, size as u64);
}

#[test]
fn the_servers_own_time_is_that_of_the_final_head() {
    let script = script()
        .head(&[(":status", "103"), ("server-timing", "early;dur=7")])
        .head(&[(":status", "200"), ("server-timing", "db;dur=2, total;dur=2.5")])
        .head(&[("server-timing", "late;dur=9")]);
    let (events, _) = response(&script);
    let Some(Event::Complete { server_time, .. }) = events.last() else { panic!("{events:?}") };
    assert_eq!(*server_time, Nanos(2_500_000));
}
