//! Forbidden actions of servers.

use proptest::prelude::*;

use super::super::stream::{ReceiveWindow, STREAM_WINDOW};
use super::*;

fn result(script: &Script) -> Result<(), Http2Error> {
    let (mut client, _) = client(2);
    let (_, out, result) = feed(&mut client, &script.bytes, usize::MAX);
    // The server receives the reason.
    let told = written(&out).last() == Some(&(kind::GOAWAY, 0));
    assert_eq!((told, client.is_closing()), (result.is_err(), result.is_err()));
    result
}

#[test]
fn broken_rules_are_named() {
    let empty = || Script { bytes: Vec::new(), encoder: Encoder::new() };
    let part = || script().frame(kind::HEADERS, 0, 1, &[0x88]);
    let update = u32::to_be_bytes((1 << 31) - 1);
    let cases = [
        (Http2Error::Protocol, empty().frame(kind::PING, 0, 0, &[0; 8])),
        (Http2Error::Protocol, empty().frame(kind::SETTINGS, 1, 0, &[])),
        (Http2Error::Protocol, script().frame(kind::SETTINGS, 0, 1, &[])),
        (Http2Error::FrameSize, script().frame(kind::SETTINGS, 0, 0, &[0; 5])),
        (Http2Error::FrameSize, script().frame(kind::SETTINGS, 1, 0, &[0; 6])),
        (Http2Error::Protocol, script().setting(2, 1)),
        (Http2Error::FlowControl, script().setting(4, 1 << 31)),
        (Http2Error::Protocol, script().setting(5, 16_383)),
        (Http2Error::Protocol, script().data(0, 0, 1)),
        (Http2Error::Protocol, script().data(2, 0, 1)),
        (Http2Error::Protocol, script().data(5, 0, 1)),
        (Http2Error::FrameSize, script().data(1, 0, 16_385)),
        (Http2Error::FrameSize, script().frame(kind::DATA, flag::PADDED, 1, &[])),
        (Http2Error::Protocol, script().frame(kind::DATA, flag::PADDED, 1, &[2, 0])),
        (Http2Error::Protocol, script().head(5, 0, &[(":status", "200")])),
        (Http2Error::FrameSize, script().frame(kind::HEADERS, flag::PRIORITY, 1, &[0; 4])),
        (Http2Error::Compression, script().frame(kind::HEADERS, flag::END_HEADERS, 1, &[0x80])),
        (Http2Error::Protocol, part().frame(kind::PING, 0, 0, &[0; 8])),
        (Http2Error::Protocol, part().frame(kind::CONTINUATION, 4, 3, &[])),
        (Http2Error::Protocol, script().frame(kind::CONTINUATION, 4, 1, &[])),
        (Http2Error::Protocol, script().frame(kind::PUSH_PROMISE, 4, 1, &[0, 0, 0, 2])),
        (Http2Error::Protocol, script().frame(kind::RST_STREAM, 0, 0, &[0; 4])),
        (Http2Error::Protocol, script().frame(kind::RST_STREAM, 0, 5, &[0; 4])),
        (Http2Error::FrameSize, script().frame(kind::RST_STREAM, 0, 1, &[0; 3])),
        (Http2Error::FrameSize, script().frame(kind::PRIORITY, 0, 1, &[0; 4])),
        (Http2Error::FrameSize, script().frame(kind::PING, 0, 0, &[0; 7])),
        (Http2Error::Protocol, script().frame(kind::PING, 0, 1, &[0; 8])),
        (Http2Error::FrameSize, script().frame(kind::GOAWAY, 0, 0, &[0; 7])),
        (Http2Error::Protocol, script().frame(kind::GOAWAY, 0, 1, &[0; 8])),
        (Http2Error::Protocol, script().frame(kind::WINDOW_UPDATE, 0, 0, &[0; 4])),
        (Http2Error::FlowControl, script().frame(kind::WINDOW_UPDATE, 0, 0, &update)),
        (Http2Error::Protocol, script().frame(kind::WINDOW_UPDATE, 0, 5, &[0, 0, 0, 1])),
    ];
    for (place, (error, script)) in cases.into_iter().enumerate() {
        assert_eq!(result(&script), Err(error), "case {place}");
    }
}

#[test]
fn frames_that_bring_nothing_cannot_go_on_for_ever() {
    let interim = &[(":status", "103")][..];
    let cases: [&dyn Fn(Script) -> Script; 7] = [
        &|script| script.frame(kind::PING, 0, 0, &[0; 8]),
        &|script| script.frame(kind::SETTINGS, 0, 0, &[]),
        &|script| script.frame(kind::PRIORITY, 0, 1, &[0; 5]),
        &|script| script.data(1, 0, 0),
        &|script| script.head(1, 0, interim),
        &|script| script.frame(0xee, 0, 0, &[]),
        &|script| script.frame(kind::GOAWAY, 0, 0, &[0xff; 8]),
    ];
    for (place, more) in cases.iter().enumerate() {
        let begin = if place == 3 { script().head(1, 0, &[(":status", "200")]) } else { script() };
        let flood = (0..=BARREN_FRAMES_MAX).fold(begin, |script, _| more(script));
        let (mut client, _) = client(2);
        let (_, out, result) = feed(&mut client, &flood.bytes, 1000);
        assert_eq!(result, Err(Http2Error::Flood), "case {place}");
        assert!(out.len() < 32 * BARREN_FRAMES_MAX as usize);
    }
}

/// A client that has a head, and a thousand frames that require replies, with data between them:
/// each of these is within its limit.
fn begged(kind: u8, payload: &[u8]) -> (Client, Vec<u8>) {
    let (mut client, _) = client(1);
    let begin = script().head(1, 0, &[(":status", "200")]);
    assert_eq!(feed(&mut client, &begin.bytes, usize::MAX).2, Ok(()));
    let nothing = Script { bytes: Vec::new(), encoder: Encoder::new() };
    let more = |script: Script, _| script.frame(kind, 0, 0, payload).data(1, 0, 1);
    (client, (0..1000).fold(nothing, more).bytes)
}

#[test]
fn a_server_that_reads_no_replies_is_left() {
    for (kind, payload) in [(kind::PING, &[0; 8][..]), (kind::SETTINGS, &[])] {
        let (mut client, bytes) = begged(kind, payload);
        let (mut events, mut out) = (VecDeque::new(), Outbox::default());
        let error = (0..200).find_map(|_| client.read(&bytes, &mut out, &mut events).err());
        assert_eq!(error, Some(Http2Error::RepliesUnread));
        assert!(out.unsent().len() < REPLY_BYTES_MAX + 100, "{}", out.unsent().len());
        assert_eq!(written(out.unsent()).last(), Some(&(kind::GOAWAY, 0)));
        assert!(events.is_empty());
    }
}

#[test]
fn a_server_that_reads_its_replies_may_have_any_number() {
    let (mut client, bytes) = begged(kind::PING, &[0; 8]);
    let (mut events, mut out) = (VecDeque::new(), Outbox::default());
    for _ in 0..200 {
        assert_eq!(client.read(&bytes, &mut out, &mut events), Ok(()));
        out.mark_sent(out.unsent().len() - 3);
    }
}

#[test]
fn resets_of_streams_that_are_over_cannot_go_on_for_ever() {
    let reset = |script: Script, _| script.frame(kind::RST_STREAM, 0, 1, &[0; 4]);
    let flood = (0..BARREN_FRAMES_MAX + 2).fold(script(), reset);
    assert_eq!(result(&flood), Err(Http2Error::Flood));
}

#[test]
fn header_blocks_are_bounded() {
    let begin = || script().frame(kind::HEADERS, 0, 1, &[]);
    let endless =
        (0..5).fold(begin(), |script, _| script.frame(kind::CONTINUATION, 0, 1, &[0; 16_384]));
    assert_eq!(result(&endless), Err(Http2Error::HeadTooLarge));
    let empty = (0..=BARREN_FRAMES_MAX)
        .fold(begin(), |script, _| script.frame(kind::CONTINUATION, 0, 1, &[]));
    assert_eq!(result(&empty), Err(Http2Error::Flood));
}

#[test]
fn a_server_cannot_send_more_than_the_window() {
    let mut window = ReceiveWindow::new();
    assert!(window.take(STREAM_WINDOW as usize / 2) && window.refill().is_none());
    assert!(window.take(1));
    assert_eq!(window.refill(), Some(STREAM_WINDOW as u32 / 2 + 1));
    assert!(window.take(STREAM_WINDOW as usize) && !window.take(1));
}

/// Valid frames, with the required beginning.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let payload = prop::collection::vec(any::<u8>(), 0..40);
    let frame = (0_u8..11, any::<u8>(), 0_u32..8, payload);
    prop::collection::vec(frame, 0..30).prop_map(|frames| {
        let begin = script();
        frames
            .into_iter()
            .fold(begin, |script, (kind, flags, stream, payload)| {
                script.frame(kind, flags, stream, &payload)
            })
            .bytes
    })
}

proptest! {
    #[test]
    fn any_frames_end_without_panic_and_alike_however_cut(
        bytes in frames(),
        size in 1_usize..50,
    ) {
        let whole = feed(&mut client(3).0, &bytes, usize::MAX);
        let cut = feed(&mut client(3).0, &bytes, size);
        prop_assert_eq!(whole, cut);
    }

    #[test]
    fn any_bytes_end_without_panic_and_alike_however_cut(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        size in 1_usize..50,
        begun in any::<bool>(),
    ) {
        let bytes = if begun { [script().bytes, bytes].concat() } else { bytes };
        let whole = feed(&mut client(3).0, &bytes, usize::MAX);
        let cut = feed(&mut client(3).0, &bytes, size);
        prop_assert_eq!(whole, cut);
    }
}
