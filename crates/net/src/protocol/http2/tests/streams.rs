//! Permitted actions of servers.

use proptest::prelude::*;
use thinktime_core::time::Nanos;

use super::*;

const OK: &[(&str, &str)] = &[(":status", "200"), ("server", "x"), ("content-length", "3")];
const END: u8 = flag::END_STREAM;

fn complete(stream: u32, bytes: u64) -> [Event; 2] {
    let end =
        Event::Complete { stream, status: 200, bytes, server_time: Nanos::MAX, excerpt: None };
    [Event::Begun { stream }, end]
}

/// Responses in many shapes, on streams 1 to 9.
fn shapes() -> Script {
    let mut script = script();
    let block = script.block(&[(":status", "200"), ("cookie", "abcdefghijklmnopqrstuvwxyz")]);
    let padded = [&[3, 0, 0, 0, 0, 9][..], &block[..4], &[0, 0, 0]].concat();
    script
        .head(1, 0, OK)
        .data(1, END, 3)
        .head(3, 0, &[(":status", "103")])
        .head(3, 0, OK)
        .data(3, 0, 2)
        .frame(kind::PING, 0, 0, b"12345678")
        .frame(kind::DATA, flag::PADDED, 3, &[2, b'x', 0, 0])
        .head(3, END, &[("checksum", "1")])
        .frame(kind::HEADERS, END | flag::PADDED | flag::PRIORITY, 5, &padded)
        .frame(kind::CONTINUATION, 0, 5, &block[4..5])
        .frame(kind::CONTINUATION, flag::END_HEADERS, 5, &block[5..])
        .frame(kind::PRIORITY, 0, 7, &[0; 5])
        .frame(0xaa, 0xff, 7, b"unknown")
        .head(7, END, &[(":status", "204")])
        .frame(kind::RST_STREAM, 0, 9, &2_u32.to_be_bytes())
}

#[test]
fn responses_of_many_shapes_are_read() {
    let (mut client, _) = client(5);
    let read = events(&mut client, &shapes());
    assert_eq!(read.len(), 9);
    let of = |stream: u32| -> Vec<Event> {
        let own = |event: &&Event| format!("{event:?}").contains(&format!("stream: {stream}"));
        read.iter().filter(own).cloned().collect()
    };
    assert!(matches!(of(1)[..], [Event::Begun { .. }, Event::Complete { status: 200, .. }]));
    assert!(matches!(of(3)[..], [Event::Begun { .. }, Event::Complete { status: 200, .. }]));
    assert!(matches!(of(5)[..], [Event::Begun { .. }, Event::Complete { status: 200, .. }]));
    assert!(matches!(of(7)[..], [Event::Begun { .. }, Event::Complete { status: 204, .. }]));
    assert_eq!(of(9), [Event::Reset { stream: 9, code: 2 }]);
}

#[test]
fn heads_trailers_and_bodies_are_kept_where_wanted() {
    for size in [1, 7, usize::MAX] {
        let (mut client, mut out) =
            (Client::open(STREAMS_MAX, Capture::All, &mut Vec::new()), Outbox::default());
        for _ in 0..5 {
            client.request(&GET, "http", &mut out);
        }
        let (read, _, result) = feed(&mut client, &shapes().bytes, size);
        assert_eq!(result, Ok(()));
        let excerpt = read.iter().find_map(|event| match event {
            Event::Complete { stream: 3, excerpt, .. } => excerpt.as_deref(),
            _ => None,
        });
        let excerpt = excerpt.unwrap();
        assert_eq!(excerpt.body, b"xxx");
        let head = String::from_utf8_lossy(&excerpt.head);
        assert_eq!(head, "HTTP/2 200\r\nserver: x\r\ncontent-length: 3\r\nchecksum: 1\r\n");
    }
}

#[test]
fn sizes_are_those_of_the_frames() {
    let (mut client, _) = client(1);
    let script = script().head(1, 0, &[(":status", "200")]).data(1, END, 100);
    assert_eq!(events(&mut client, &script), complete(1, 9 + 1 + 9 + 100));
}

#[test]
fn pings_and_settings_are_answered() {
    let (mut client, _) = client(1);
    let script = script().frame(kind::PING, 0, 0, b"12345678").frame(kind::PING, 1, 0, &[0; 8]);
    let (_, out, _) = feed(&mut client, &script.bytes, usize::MAX);
    assert_eq!(written(&out), [(kind::SETTINGS, 0), (kind::PING, 0)]);
    assert!(out.ends_with(b"12345678"));
}

#[test]
fn the_server_says_how_many_streams_there_may_be() {
    let (mut client, mut out) = client(2);
    assert_eq!(client.streams_allowed(), None);
    events(&mut client, &script().setting(3, 2));
    assert!(!client.has_room() && client.streams_allowed() == Some(2));
    client.reset(1, &mut out);
    client.reset(1, &mut out);
    assert_eq!(written(out.unsent()), [(kind::RST_STREAM, 1)]);
    assert!(client.has_room());
}

#[test]
fn streams_above_the_last_that_a_leaving_server_saw_are_given_back() {
    let (mut client, _) = client(3);
    let leave = |last: u32| [last.to_be_bytes(), [0; 4]].concat();
    let script = script()
        .frame(kind::GOAWAY, 0, 0, &leave(u32::MAX))
        .frame(kind::GOAWAY, 0, 0, &leave(3))
        .head(1, 0, OK)
        .data(1, END, 3);
    let read = events(&mut client, &script);
    assert_eq!(read[0], Event::Unprocessed { stream: 5, others_taken: true });
    assert_eq!((read.len(), client.has_room(), client.is_closing()), (3, false, true));
}

fn unprocessed(stream: u32, others_taken: bool) -> Event {
    Event::Unprocessed { stream, others_taken }
}

/// Whether it took any shows whether the same request will make progress elsewhere.
#[test]
fn a_server_that_leaves_says_whether_it_took_others() {
    for (last, taken) in [(0, false), (1, true)] {
        let (mut client, _) = client(2);
        let leave = [u32::to_be_bytes(last), [0; 4]].concat();
        let read = events(&mut client, &script().frame(kind::GOAWAY, 0, 0, &leave));
        let later = [unprocessed(1, taken), unprocessed(3, taken)];
        assert_eq!(read, later[usize::from(taken)..]);
    }
}

#[test]
fn a_window_that_is_opened_too_far_ends_its_stream_alone() {
    let far = (1_u32 << 31) - 1;
    let update = |stream, bytes: u32| (kind::WINDOW_UPDATE, 0, stream, bytes.to_be_bytes());
    for already in [1_u32, 65_535] {
        let (mut client, _) = client(2);
        let (kind, flags, stream, one) = update(3, already);
        let script = script().frame(kind, flags, stream, &one);
        let (_, _, _, two) = update(3, far - 65_535 - already + 1);
        let script = script.frame(kind, flags, stream, &two).head(1, 0, OK).data(1, END, 3);
        let (read, out, result) = feed(&mut client, &script.bytes, usize::MAX);
        assert_eq!((result, &read[0]), (Ok(()), &Event::FlowControl { stream: 3 }));
        assert!(matches!(read[2], Event::Complete { stream: 1, .. }), "{read:?}");
        let reset = [&[0, 0, 4, kind::RST_STREAM, 0, 0, 0, 0, 3][..], &[0, 0, 0, 3]].concat();
        assert!(out.ends_with(&reset), "{out:?}");
    }
}

/// The bytes of a request that never left, by what had left when its stream ended.
#[test]
fn the_part_of_a_request_that_was_not_sent_is_reported() {
    let body = vec![b'y'; 100_000];
    let post = RequestHead { method: "POST", body: &body, ..GET };
    for (sent, ends) in [(0, "all"), (40, "some"), (20_000, "most"), (usize::MAX, "window")] {
        let (mut client, mut out) = client(0);
        let begun = client.request(&post, "https", &mut out);
        let waiting = out.unsent().len();
        out.mark_sent(sent.min(waiting));
        let head = script().head(1, END, &[(":status", "413")]);
        let mut events = VecDeque::new();
        client.read(&head.bytes, &mut out, &mut events).unwrap();
        let cut = events.iter().find_map(|event| match event {
            Event::CutShort { stream: 1, unsent } => Some(*unsent),
            _ => None,
        });
        // The window let 65,535 bytes out, in frames of 16 KiB.
        let left = begun.bytes - sent.min(waiting) as u64;
        assert_eq!(cut, Some(left), "{ends}");
        assert!(matches!(events.back(), Some(Event::Complete { status: 413, .. })));
    }
    let (mut client, mut out) = client(1);
    assert_eq!(client.reset(1, &mut out), 0);
}

#[test]
fn a_refused_stream_is_given_back() {
    let (mut client, _) = client(1);
    let script = script().frame(kind::RST_STREAM, 0, 1, &7_u32.to_be_bytes());
    assert_eq!(events(&mut client, &script), [unprocessed(1, false)]);
}

#[test]
fn what_still_comes_for_a_stream_that_was_reset_is_skipped() {
    let (mut client, mut out) = client(2);
    client.reset(1, &mut out);
    let script = script()
        .head(1, 0, OK)
        .data(1, END, 3)
        .frame(kind::WINDOW_UPDATE, 0, 1, &[0, 0, 0, 1])
        .head(3, 0, OK)
        .data(3, END, 3);
    // The second head refers to fields of the first.
    assert_eq!(events(&mut client, &script), complete(3, 9 + 3 + 9 + 3));
}

#[test]
fn malformed_responses_end_their_stream_alone() {
    let many: [Script; 9] = [
        script().data(1, END, 3),
        script().head(1, END, OK),
        script().head(1, 0, OK).data(1, END, 2),
        script().head(1, 0, OK).data(1, 0, 4),
        script().head(1, 0, &[("server", "x")]),
        script().head(1, END, &[(":status", "103")]),
        script().head(1, 0, &[(":status", "101")]),
        script().head(1, 0, OK).head(1, 0, &[("a", "b")]),
        script().head(1, 0, OK).frame(kind::WINDOW_UPDATE, 0, 1, &[0; 4]),
    ];
    for script in many {
        let (mut client, _) = client(2);
        let (read, out, result) = feed(&mut client, &script.bytes, usize::MAX);
        assert_eq!((result, read.last()), (Ok(()), Some(&Event::Malformed { stream: 1 })));
        assert_eq!(written(&out).last(), Some(&(kind::RST_STREAM, 1)));
        assert_eq!(client.streams.len(), 1);
    }
}

#[test]
fn bodies_wait_for_windows() {
    let (mut client, mut out) = client(0);
    let post = RequestHead { method: "POST", body: &[b'y'; 100_000], ..GET };
    let begun = client.request(&post, "https", &mut out);
    let sent = |out: &[u8]| -> usize {
        let mut sent = 0;
        FrameReader::default()
            .read(out, |frame| {
                sent += if frame.kind == kind::DATA { frame.payload.len() } else { 0 };
                Ok(())
            })
            .unwrap();
        sent
    };
    assert_eq!(sent(out.unsent()), 65_535);
    assert!((100_063..100_100).contains(&begun.bytes), "{begun:?}");
    // The stream's window grows with the settings, the connection's does not.
    let (_, out, _) = feed(&mut client, &script().setting(4, 80_000).bytes, usize::MAX);
    assert_eq!(sent(&out), 0);
    let update = |stream, bytes: u32| {
        script().frame(kind::WINDOW_UPDATE, 0, stream, &bytes.to_be_bytes()).bytes
    };
    let (_, out, _) = feed(&mut client, &update(0, 1 << 20), usize::MAX);
    assert_eq!(sent(&out), 80_000 - 65_535);
    // A smaller setting makes the window negative, and an update makes it positive again.
    events(&mut client, &script().setting(4, 0));
    let (_, out, _) = feed(&mut client, &update(1, 80_010), usize::MAX);
    assert_eq!(sent(&out), 10);
    let (_, out, _) = feed(&mut client, &update(1, 1 << 20), usize::MAX);
    assert_eq!(sent(&out), 100_000 - 80_010);
    assert_eq!(client.streams[0].unsent.len(), 0);
}

#[test]
fn an_answer_before_the_request_is_all_sent_ends_the_stream() {
    let (mut client, mut out) = client(0);
    let post = RequestHead { method: "POST", body: &[b'y'; 100_000], ..GET };
    client.request(&post, "https", &mut out);
    let script = script().head(1, END, &[(":status", "413")]);
    let (_, out, _) = feed(&mut client, &script.bytes, usize::MAX);
    assert_eq!(written(&out).last(), Some(&(kind::RST_STREAM, 1)));
}

#[test]
fn a_long_head_goes_out_in_several_frames() {
    let (mut client, mut out) = client(0);
    let long = "€".repeat(20_000);
    let headers = [("X-Long", long.as_str()), ("Connection", "close"), ("Host", "b")];
    client.request(&RequestHead { headers: &headers, ..GET }, "http", &mut out);
    let frames = written(out.unsent());
    assert!(frames.len() > 2 && frames[1..].iter().all(|it| *it == (kind::CONTINUATION, 1)));
}

proptest! {
    #[test]
    fn how_frames_are_cut_never_changes_what_is_read(size in 1_usize..60) {
        let script = shapes();
        let whole = feed(&mut client(5).0, &script.bytes, usize::MAX);
        let cut = feed(&mut client(5).0, &script.bytes, size);
        prop_assert_eq!(whole, cut);
    }
}

#[test]
fn a_stream_of_messages_is_over_when_enough_have_come() {
    // Messages of 2, 0 and 3 bytes, with their prefixes.
    let body = b"\0\0\0\0\x02ab\0\0\0\0\0\0\0\0\0\x03abc";
    let head = &[(":status", "200")];
    for (wanted, cut) in [(2, true), (3, true), (4, false), (u64::MAX, false)] {
        let (mut client, mut out) = (client(0).0, Outbox::default());
        let begun = client.request(&GET, "http", &mut out);
        client.await_messages(begun.stream, wanted);
        let mut frames = script().head(1, 0, head).frame(kind::DATA, 0, 1, &body[..3]);
        for part in body[3..].chunks(4) {
            frames = frames.frame(kind::DATA, 0, 1, part);
        }
        let frames = frames.head(1, END, &[("grpc-status", "0")]);
        let (read, out, result) = feed(&mut client, &frames.bytes, 1);
        assert_eq!(result, Ok(()));
        let [Event::Begun { stream: 1 }, Event::Complete { stream: 1, status: 200, .. }] = read[..]
        else {
            panic!("{wanted}: {read:?}")
        };
        let reset = written(&out).contains(&(kind::RST_STREAM, 1));
        assert_eq!(reset, cut, "{wanted}");
    }
    // A stream without message never begins.
    let mut client = client(1).0;
    client.await_messages(1, 1);
    let read = events(&mut client, &script().head(1, END, &[(":status", "200")]));
    assert!(matches!(read[..], [Event::Complete { stream: 1, .. }]), "{read:?}");
}

#[test]
fn the_servers_own_time_is_that_of_the_final_head() {
    let (mut client, _) = client(1);
    let fields = &[(":status", "200"), ("server-timing", "a;dur=1"), ("server-timing", "b;dur=2")];
    let script = script()
        .head(1, 0, &[(":status", "103"), ("server-timing", "early;dur=7")])
        .head(1, 0, fields)
        .head(1, END, &[("server-timing", "late;dur=9")]);
    let read = events(&mut client, &script);
    let Some(Event::Complete { server_time, .. }) = read.last() else { panic!("{read:?}") };
    assert_eq!(*server_time, Nanos(3_000_000));
}
