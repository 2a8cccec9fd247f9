//! Forbidden actions of servers.

use proptest::prelude::*;

use super::super::frame::push;
use super::*;

/// The result of frames that break a rule: the error, which the server receives.
fn error(bytes: &[u8]) -> WebSocketError {
    let (mut client, mut told) = (open(), None);
    let (_, out, result) = feed(&mut client, bytes, usize::MAX);
    let error = result.unwrap_err();
    for (opcode, payload) in written(&out) {
        told = (opcode == opcode::CLOSE).then_some(payload);
    }
    assert_eq!(told, error.code().map(|code| code.to_be_bytes().to_vec()));
    error
}

#[test]
fn broken_rules_are_named() {
    let mut masked = Vec::new();
    push(&mut masked, opcode::TEXT, b"x", [0; 4]);
    let close = 0x80 | opcode::CLOSE;
    let part = || frame(opcode::TEXT, b"x");
    let long_ping = frame(0x80 | opcode::PING, &[0; 126]);
    for bytes in [
        masked,
        frame(0xc0 | opcode::TEXT, b"x"),
        frame(0x90 | opcode::TEXT, b"x"),
        frame(0x83, b"x"),
        frame(0x8b, b"x"),
        frame(opcode::PING, b"x"),
        long_ping,
        frame(0x80 | opcode::CONTINUATION, b"x"),
        [part(), part()].concat(),
        vec![0x81, 126, 0, 125],
        vec![0x81, 127, 0, 0, 0, 0, 0, 0, 255, 255],
        vec![0x82, 127, 0x80, 0, 0, 0, 0, 0, 0, 0],
        frame(close, &[3]),
        frame(close, &[3, 237]),
        frame(close, &[0, 1]),
        frame(close, &[0x13, 0x88]),
    ] {
        assert_eq!(error(&bytes), WebSocketError::Protocol, "{bytes:?}");
    }
}

#[test]
fn texts_must_be_utf8() {
    let euro = "€".as_bytes();
    for bytes in [
        text(b"\xff"),
        text(&euro[..2]),
        text(b"\xed\xa0\x80"),
        [frame(opcode::TEXT, &euro[..2]), frame(0x80, b"x")].concat(),
        [frame(opcode::TEXT, &euro[..2]), frame(0x80, b"")].concat(),
        frame(0x80 | opcode::CLOSE, b"\x03\xe8\xff"),
    ] {
        assert_eq!(error(&bytes), WebSocketError::Text, "{bytes:?}");
    }
}

#[test]
fn messages_are_bounded() {
    let huge = [&[0x82, 127][..], &(1_u64 << 62).to_be_bytes()].concat();
    assert_eq!(error(&huge), WebSocketError::TooLarge);
    let half = (MESSAGE_BYTES_MAX / 2 + 1).to_be_bytes();
    let mut client = open();
    let begin = [&[opcode::BINARY, 127][..], &half].concat();
    assert_eq!(feed(&mut client, &begin, 1).2, Ok(()));
    let zeros = vec![0; 1 << 20];
    for _ in 0..MESSAGE_BYTES_MAX >> 21 {
        client.read(&zeros, &mut Outbox::default(), |_| {}).unwrap();
    }
    let next = [&[0, 0, 127][..], &half].concat();
    let result = client.read(&next, &mut Outbox::default(), |_| {});
    assert_eq!(result, Err(WebSocketError::TooLarge));
}

#[test]
fn frames_that_bring_nothing_cannot_go_on_for_ever() {
    let count = BARREN_FRAMES_MAX as usize + 1;
    let first = || frame(opcode::BINARY, b"");
    for bytes in [
        frame(0x80 | opcode::PING, &[0; 125]).repeat(count),
        frame(0x80 | opcode::PONG, b"").repeat(count),
        [first(), frame(opcode::CONTINUATION, b"").repeat(count)].concat(),
        frame(0x80 | opcode::BINARY, b"").repeat(count),
    ] {
        let (_, out, result) = feed(&mut open(), &bytes, usize::MAX);
        assert_eq!(result, Err(WebSocketError::Flood));
        assert!(out.len() < 140 * count);
    }
}

#[test]
fn a_server_that_reads_no_pongs_is_left() {
    let (mut client, mut out) = (open(), Outbox::default());
    let bytes = [frame(0x80 | opcode::PING, &[0; 125]), text(b"x")].concat().repeat(100);
    let error = (0..200).find_map(|_| client.read(&bytes, &mut out, |_| {}).err());
    assert_eq!(error, Some(WebSocketError::RepliesUnread));
    assert!(out.unsent().len() < REPLY_BYTES_MAX + 200, "{}", out.unsent().len());
    let (last, payload) = written(out.unsent()).pop().unwrap();
    assert_eq!((last, payload), (opcode::CLOSE, 1008_u16.to_be_bytes().to_vec()));
}

#[test]
fn a_server_that_reads_its_pongs_may_have_any_number() {
    let (mut client, mut out) = (open(), Outbox::default());
    let bytes = [frame(0x80 | opcode::PING, &[0; 125]), text(b"x")].concat().repeat(100);
    for _ in 0..200 {
        assert_eq!(client.read(&bytes, &mut out, |_| {}), Ok(()));
        out.mark_sent(out.unsent().len() - 3);
    }
}

fn refusal(bytes: &[u8]) -> WebSocketError {
    let mut client = shaking().0;
    let (seen, out, result) = feed(&mut client, bytes, 64);
    assert_eq!((seen, out), (vec![], vec![]));
    result.unwrap_err()
}

#[test]
fn wrong_handshakes_are_refused() {
    let right = String::from_utf8(shaking().1).unwrap();
    let accept = right.lines().find_map(|it| it.strip_prefix("Sec-WebSocket-Accept: ")).unwrap();
    for wrong in [
        String::from_utf8(answer("s3pPLMBiTxaQ9kYGzzhZRbK+xOo=", "")).unwrap(),
        String::from_utf8(answer("", "")).unwrap(),
        right.replace("HTTP/1.1", "HTTP/1.0"),
        right.replace("HTTP/1.1 ", "HTTP/1.1"),
        right.replace("upgrade: WebSocket\r\n", ""),
        right.replace("WebSocket\r", "h2c\r"),
        right.replace(", Upgrade", ""),
        right.replace("upgrade: ", "up grade: "),
        right.replace("\r\nConnection: ", "\r\n Connection: "),
        String::from_utf8(answer(accept, &format!("Sec-WebSocket-Accept: {accept}\r\n"))).unwrap(),
        String::from_utf8(answer(accept, "Sec-WebSocket-Extensions: permessage\r\n")).unwrap(),
        "garbage\r\n\r\n".to_owned(),
    ] {
        assert_eq!(refusal(wrong.as_bytes()), WebSocketError::Handshake, "{wrong}");
    }
    let chosen = answer(accept, "Sec-WebSocket-Protocol: chat\r\n");
    assert_eq!(refusal(&chosen), WebSocketError::Subprotocol);
    for status in ["200 OK", "404 Not Found", "503 Busy", "301 Moved"] {
        let other = right.replace("101 Switching Protocols", status);
        assert_eq!(refusal(other.as_bytes()), WebSocketError::Refused);
    }
    let endless = format!("HTTP/1.1 101 X\r\nA: {}", "x".repeat(100_000));
    assert_eq!(refusal(endless.as_bytes()), WebSocketError::HeadTooLarge);
}

/// Valid frames.
fn frames() -> impl Strategy<Value = Vec<u8>> {
    let first = prop::sample::select(vec![0, 1, 2, 0x80, 0x81, 0x82, 0x88, 0x89, 0x8a, 0x83, 0xc1]);
    let payload =
        prop::collection::vec(prop::sample::select(b"ab\xc3\xa9\x03\xe8".to_vec()), 0..40);
    let list = prop::collection::vec((first, payload), 0..20);
    list.prop_map(|list| list.iter().flat_map(|(first, payload)| frame(*first, payload)).collect())
}

proptest! {
    #[test]
    fn any_frames_end_without_panic_and_alike_however_cut(
        bytes in frames(),
        size in 1_usize..50,
    ) {
        let whole = feed(&mut open(), &bytes, usize::MAX);
        prop_assert_eq!(whole, feed(&mut open(), &bytes, size));
    }

    #[test]
    fn any_bytes_end_without_panic_and_alike_however_cut(
        bytes in prop::collection::vec(any::<u8>(), 0..200),
        size in 1_usize..50,
        begun in any::<bool>(),
    ) {
        let client = || if begun { open() } else { shaking().0 };
        let whole = feed(&mut client(), &bytes, usize::MAX);
        prop_assert_eq!(whole, feed(&mut client(), &bytes, size));
    }

    #[test]
    fn messages_of_any_bytes_come_back_from_what_is_written(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..300), 0..5),
    ) {
        let (mut client, mut out) = (open(), Vec::new());
        messages.iter().for_each(|message| { client.send(message, true, &mut out); });
        let back: Vec<_> = written(&out).into_iter().map(|(_, payload)| payload).collect();
        prop_assert_eq!(back, messages);
    }
}
