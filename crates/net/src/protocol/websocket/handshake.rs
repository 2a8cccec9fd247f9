//! The handshake: RFC 6455 section 4.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use ring::digest::{SHA1_FOR_LEGACY_USE_ONLY, digest};

use super::WebSocketError;
use crate::protocol::http1::{
    Body, Head, Header, MessageReader, ParsedHead, ProtocolError, RequestHead, Rules,
    read_response_head, write_request,
};

const HEAD_END: &[u8] = b"\r\n\r\n";
/// The server's suffix to the key, which shows that it knows the protocol.
const MARK: &str = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

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
    /// Reads the answer, as a message without a body.
    reader: MessageReader<Result<(), WebSocketError>>,
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
        let (offered, reader) = (subprotocols.to_vec(), MessageReader::new(Rules::Strict, false));
        Handshake { offered, accept: accept_of(&key), reader }
    }

    /// Feeds arrived bytes: the number that belong to the handshake, if it ends among them.
    pub(super) fn read(&mut self, bytes: &[u8]) -> Result<Option<usize>, WebSocketError> {
        let Handshake { offered, accept, reader } = self;
        let parse = |bytes: &[u8]| {
            // It is judged as a whole, however it is cut.
            if memchr::memmem::find(bytes, HEAD_END).is_none() {
                return Ok(None);
            }
            read_response_head(bytes, Rules::Strict, |head| {
                (Head::Final(check(head, offered, accept), Body::EMPTY), head.length)
            })
        };
        match reader.read(bytes, parse) {
            Ok(answer) => answer.map(|answer| answer.message.map(|()| answer.used)).transpose(),
            Err(ProtocolError::HeadTooLarge) => Err(WebSocketError::HeadTooLarge),
            Err(_) => Err(WebSocketError::Handshake),
        }
    }
}

/// Whether the server takes one of the offered subprotocols, if any, and knows the key.
fn check(
    head: &ParsedHead<'_, '_, u16>,
    offered: &[String],
    accept: &str,
) -> Result<(), WebSocketError> {
    if head.minor_version != 1 {
        return Err(WebSocketError::Handshake);
    }
    if head.first != 101 {
        return Err(WebSocketError::Refused);
    }
    let values = |name: &'static str| {
        let of_name = |it: &&Header<'_>| it.name.eq_ignore_ascii_case(name);
        head.fields.iter().filter(of_name).map(|header| header.value.trim_ascii())
    };
    let lists = |name: &'static str, word: &str| {
        let mut elements = values(name).flat_map(|value| value.split(|byte| *byte == b','));
        elements.any(|element| element.trim_ascii().eq_ignore_ascii_case(word.as_bytes()))
    };
    let accepted = values("sec-websocket-accept").eq([accept.as_bytes()]);
    let upgraded = lists("upgrade", "websocket") && lists("connection", "upgrade");
    // No extension was requested.
    let granted = values("sec-websocket-extensions").next().is_some();
    if !accepted || !upgraded || granted {
        return Err(WebSocketError::Handshake);
    }
    let mut chosen = values("sec-websocket-protocol");
    let fits = match (chosen.next(), chosen.next()) {
        (None, _) => offered.is_empty(),
        (Some(name), None) => offered.iter().any(|own| own.as_bytes() == name),
        _ => false,
    };
    if fits { Ok(()) } else { Err(WebSocketError::Subprotocol) }
}

/// The required answer of a server to a key.
pub(super) fn accept_of(key: &str) -> String {
    let joined = format!("{key}{MARK}");
    STANDARD.encode(digest(&SHA1_FOR_LEGACY_USE_ONLY, joined.as_bytes()))
}
