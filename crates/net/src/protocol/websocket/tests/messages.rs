//! Servers that keep the rules.

use super::*;

#[test]
fn the_key_of_the_standard_gives_its_answer() {
    assert_eq!(accept_of("dGhlIHNhbXBsZSBub25jZQ=="), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

#[test]
fn the_handshake_is_a_request_of_http() {
    let mut out = Vec::new();
    let asked = HandshakeRequest { target: "/chat?x=1", ..CHAT };
    let client = Client::open(&asked, random(), &mut out);
    let text = String::from_utf8(out).unwrap();
    assert!(text.starts_with("GET /chat?x=1 HTTP/1.1\r\nHost: a:1\r\nUpgrade: websocket\r\n"));
    assert!(text.contains("\r\nSec-WebSocket-Version: 13\r\n") && text.ends_with("\r\n\r\n"));
    assert!(!client.is_open() && !client.is_closed());
}

#[test]
fn the_handshake_brings_fields_and_offers_subprotocols() {
    let fields = [("Authorization".to_owned(), "Bearer x".to_owned())];
    let subprotocols = ["chat.v2".to_owned(), "chat".to_owned()];
    let asked = HandshakeRequest { fields: &fields, subprotocols: &subprotocols, ..CHAT };
    let (_, _, text) = asking(&asked);
    let offer = "\r\nSec-WebSocket-Protocol: chat.v2, chat\r\nAuthorization: Bearer x\r\n\r\n";
    assert!(text.ends_with(offer), "{text}");
    for (further, expected) in [
        ("Sec-WebSocket-Protocol: chat\r\n", Ok(())),
        ("sec-websocket-protocol:  chat.v2 \r\n", Ok(())),
        ("", Err(WebSocketError::Subprotocol)),
        ("Sec-WebSocket-Protocol: CHAT\r\n", Err(WebSocketError::Subprotocol)),
        ("Sec-WebSocket-Protocol: chat.v2, chat\r\n", Err(WebSocketError::Subprotocol)),
        (
            "Sec-WebSocket-Protocol: chat\r\nSec-WebSocket-Protocol: chat\r\n",
            Err(WebSocketError::Subprotocol),
        ),
    ] {
        let (mut client, accept, _) = asking(&asked);
        let (_, _, result) = feed(&mut client, &answer(&accept, further), 100);
        assert_eq!(result, expected, "{further}");
    }
}

#[test]
fn what_comes_with_the_handshake_is_read() {
    for size in [1, 7, usize::MAX] {
        let (mut client, mut bytes) = shaking();
        bytes.extend(text(b"hello"));
        let (seen, ..) = feed(&mut client, &bytes, size);
        assert_eq!(seen, [Seen::Opened, Seen::Message(b"hello".to_vec(), 7)]);
    }
}

#[test]
fn messages_of_every_length_are_read() {
    for length in [0, 1, 125, 126, 0xffff, 0x1_0000, 300_000] {
        let payload = vec![b'x'; length];
        let bytes = frame(0x80 | opcode::BINARY, &payload);
        let expected = [Seen::Message(payload, bytes.len() as u64)];
        for size in [1, 1000, usize::MAX] {
            assert_eq!(feed(&mut open(), &bytes, size), (expected.to_vec(), vec![], Ok(())));
        }
    }
}

#[test]
fn messages_in_fragments_are_joined_whatever_comes_between() {
    let euro = "€".as_bytes();
    let bytes = [
        frame(opcode::TEXT, &euro[..1]),
        frame(0x80 | opcode::PING, b"p"),
        frame(opcode::CONTINUATION, &euro[1..2]),
        frame(opcode::CONTINUATION, b""),
        frame(0x80 | opcode::PONG, b""),
        frame(0x80 | opcode::CONTINUATION, &euro[2..]),
    ]
    .concat();
    for size in [1, 2, 3, usize::MAX] {
        let (seen, out, result) = feed(&mut open(), &bytes, size);
        assert_eq!((seen, result), (vec![Seen::Message(euro.to_vec(), 11)], Ok(())));
        assert_eq!(written(&out), [(opcode::PONG, b"p".to_vec())]);
    }
}

#[test]
fn messages_are_written_masked_and_as_what_they_are() {
    let (mut client, mut out) = (open(), Vec::new());
    let long = vec![b'x'; 70_000];
    let cases: [(&[u8], bool, u8); 5] = [
        (b"hello", false, opcode::TEXT),
        (b"hello", true, opcode::BINARY),
        (b"\xff", false, opcode::BINARY),
        (&[b'y'; 200], false, opcode::TEXT),
        (&long, false, opcode::TEXT),
    ];
    let mut sizes = 0;
    for (message, binary, _) in cases {
        sizes += client.send(message, binary, &mut out);
    }
    assert_eq!(sizes, out.len() as u64);
    let expected: Vec<_> = cases.iter().map(|(bytes, _, of)| (*of, bytes.to_vec())).collect();
    assert_eq!(written(&out), expected);
}

#[test]
fn a_close_is_answered_and_ends_it() {
    for payload in [&b""[..], &[3, 232], &[3, 232, b'o', b'k'], &[0x0f, 0xa0]] {
        let bytes = [frame(0x80 | opcode::CLOSE, payload), text(b"late")].concat();
        let mut client = open();
        let (seen, out, result) = feed(&mut client, &bytes, usize::MAX);
        assert_eq!((seen, result), (vec![Seen::Closed], Ok(())));
        assert_eq!(written(&out), [(opcode::CLOSE, payload[..payload.len().min(2)].to_vec())]);
        assert!(client.is_closed() && !client.is_open());
        let mut out = Vec::new();
        client.close(&mut out);
        assert!(out.is_empty());
    }
    let (mut client, mut out) = (open(), Vec::new());
    client.close(&mut out);
    assert_eq!(written(&out), [(opcode::CLOSE, vec![3, 232])]);
    assert_eq!(feed(&mut client, &text(b"late"), 1).0, []);
}
