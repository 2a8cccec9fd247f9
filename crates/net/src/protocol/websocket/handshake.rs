//! The handshake: RFC 6455 section 4.

use std::mem::MaybeUninit;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use super::WebSocketError;
use crate::protocol::http1::{HEAD_BYTES_MAX, HEADERS_MAX, RequestHead, write_request};

/// The server's suffix to the key, which shows that it knows the protocol.
const MARK: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";
const HEAD_END: &[u8] = b"\r\n\r\n";

/// The content of a handshake's request.
#[derive(Debug, Clone, Copy, Default)]
pub struct HandshakeRequest<'a> {
    /// Host and, unless it is the scheme's own, port.
    pub host: &'a str,
    /// A path with its query.
    pub target: &'a str,
    /// Further header fields, none of which is one of WebSocket's own. The caller vouches that none
    /// holds a line end.
    pub fields: &'a [(String, String)],
    /// The offered subprotocols, the best first: tokens. The server must choose one, if any are
    /// offered.
    pub subprotocols: &'a [String],
}

/// A handshake under way.
#[derive(Debug)]
pub(super) struct Handshake {
    /// The offered subprotocols.
    offered: Vec<String>,
    /// The required answer to the key.
    accept: String,
    /// The received part of its head.
    head: Vec<u8>,
}

impl Handshake {
    /// Appends the request.
    pub(super) fn begin(
        asked: &HandshakeRequest<'_>,
        nonce: [u8; 16],
        out: &mut Vec<u8>,
    ) -> Handshake {
        let HandshakeRequest { host, target, fields, subprotocols } = *asked;
        let key = STANDARD.encode(nonce);
        let offered = subprotocols.join(", ");
        let offer = (!subprotocols.is_empty()).then_some(("Sec-WebSocket-Protocol", &*offered));
        let own = [
            ("Upgrade", "websocket"),
            ("Connection", "Upgrade"),
            ("Sec-WebSocket-Key", key.as_str()),
            ("Sec-WebSocket-Version", "13"),
        ];
        let fields = fields.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        let headers: Vec<(&str, &str)> = own.into_iter().chain(offer).chain(fields).collect();
        let method = "GET";
        write_request(out, &RequestHead { method, host, target, headers: &headers, body: &[] });
        Handshake { offered: subprotocols.to_vec(), accept: accept_of(&key), head: Vec::new() }
    }

    /// Feeds arrived bytes: the number that belong to the handshake, if it ends among them.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Option<usize>, WebSocketError> {
        // The end may lie across the seam.
        let seam = self.head.len().saturating_sub(HEAD_END.len() - 1);
        let before = self.head.len();
        let room = HEAD_BYTES_MAX - before;
        self.head.extend_from_slice(&bytes[..bytes.len().min(room)]);
        match memchr::memmem::find(&self.head[seam..], HEAD_END) {
            Some(at) => {
                let length = seam + at + HEAD_END.len();
                self.check(length)?;
                self.head = Vec::new();
                Ok(Some(length - before))
            }
            None if bytes.len() >= room => Err(WebSocketError::HeadTooLarge),
            None => Ok(None),
        }
    }

    fn check(&self, length: usize) -> Result<(), WebSocketError> {
        let mut headers = [const { MaybeUninit::uninit() }; HEADERS_MAX];
        let mut head = httparse::Response::new(&mut []);
        let parsed = httparse::ParserConfig::default()
            .parse_response_with_uninit_headers(&mut head, &self.head[..length], &mut headers)
            .map_err(|_| WebSocketError::Handshake)?;
        if parsed != httparse::Status::Complete(length) || head.version != Some(1) {
            return Err(WebSocketError::Handshake);
        }
        if head.code != Some(101) {
            return Err(WebSocketError::Refused);
        }
        let values = |name: &'static str| {
            let of_name = |it: &&httparse::Header<'_>| it.name.eq_ignore_ascii_case(name);
            head.headers.iter().filter(of_name).map(|header| header.value.trim_ascii())
        };
        let lists = |name: &'static str, word: &str| {
            let mut elements = values(name).flat_map(|value| value.split(|byte| *byte == b','));
            elements.any(|element| element.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
        };
        let accepted = values("sec-websocket-accept").eq([self.accept.as_bytes()]);
        let upgraded = lists("upgrade", "websocket") && lists("connection", "upgrade");
        // No extension was requested.
        let granted = values("sec-websocket-extensions").next().is_some();
        if !accepted || !upgraded || granted {
            return Err(WebSocketError::Handshake);
        }
        let mut chosen = values("sec-websocket-protocol");
        let fits = match (chosen.next(), chosen.next()) {
            (None, _) => self.offered.is_empty(),
            (Some(name), None) => self.offered.iter().any(|own| own.as_bytes() == name),
            _ => false,
        };
        if fits { Ok(()) } else { Err(WebSocketError::Subprotocol) }
    }
}

/// The required answer of a server to a key.
pub(super) fn accept_of(key: &str) -> String {
    let joined = format!("{key}{MARK}");
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, joined.as_bytes()))
}
