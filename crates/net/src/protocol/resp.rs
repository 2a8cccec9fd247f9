//! RESP, the protocol of Redis and Valkey, version 3: commands are written, replies are read.
//!
//! Input is bounded in size and depth: a server that sends garbage is refused.

/// A server's reply.
#[derive(Clone, Debug, PartialEq)]
pub enum Reply {
    /// Text or bytes.
    Bytes(Vec<u8>),
    /// A whole number.
    Integer(i64),
    /// Any other number, as text.
    Number(String),
    /// Yes or no.
    Flag(bool),
    /// Nothing.
    Null,
    /// An error, in the server's words.
    Error(String),
    /// Several; those of a map are names and values in turn.
    List(Vec<Reply>),
    /// A message that was not requested.
    Push(Vec<Reply>),
}

/// These bytes are no RESP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RespError;

/// The longest reply, in bytes, and the deepest.
const BYTES_MAX: usize = 64 << 20;
const DEPTH_MAX: u32 = 8;
/// The longest line, and the most parts of a reply.
const LINE_MAX: usize = 64 << 10;
const PARTS_MAX: usize = 1 << 20;

/// Appends a command.
pub fn write(out: &mut Vec<u8>, parts: &[&[u8]]) {
    out.extend_from_slice(format!("*{}\r\n", parts.len()).as_bytes());
    for part in parts {
        out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
        out.extend_from_slice(part);
        out.extend_from_slice(b"\r\n");
    }
}

/// The first reply of these bytes and its length; nothing while it is incomplete.
///
/// # Errors
/// If no reply can begin with them.
pub fn read(bytes: &[u8]) -> Result<Option<(Reply, usize)>, RespError> {
    let mut reading = Reading { bytes, at: 0, parts: 0 };
    match reading.reply(DEPTH_MAX) {
        Ok(reply) => Ok(Some((reply, reading.at))),
        Err(Stop::Unfinished) if bytes.len() <= BYTES_MAX => Ok(None),
        Err(_) => Err(RespError),
    }
}

enum Stop {
    Unfinished,
    RespError,
}

impl From<RespError> for Stop {
    fn from(_: RespError) -> Stop {
        Stop::RespError
    }
}

struct Reading<'a> {
    bytes: &'a [u8],
    at: usize,
    parts: usize,
}

impl<'a> Reading<'a> {
    fn reply(&mut self, depth: u32) -> Result<Reply, Stop> {
        self.parts += 1;
        if depth == 0 || self.parts > PARTS_MAX {
            return Err(Stop::RespError);
        }
        let line = self.line()?;
        let (kind, rest) = line.split_first().ok_or(Stop::RespError)?;
        let text = || String::from_utf8_lossy(rest).into_owned();
        Ok(match kind {
            b'+' => Reply::Bytes(rest.to_vec()),
            b'-' => Reply::Error(text()),
            b':' => Reply::Integer(number(rest)?),
            b',' | b'(' => Reply::Number(text()),
            b'_' => Reply::Null,
            b'#' => match rest {
                b"t" => Reply::Flag(true),
                b"f" => Reply::Flag(false),
                _ => return Err(Stop::RespError),
            },
            b'$' | b'*' if rest == b"-1" => Reply::Null,
            b'$' => Reply::Bytes(self.content(rest)?.to_vec()),
            b'=' => {
                // Three letters give the kind of text.
                let content = self.content(rest)?;
                Reply::Bytes(content.get(4..).ok_or(Stop::RespError)?.to_vec())
            }
            b'!' => Reply::Error(String::from_utf8_lossy(self.content(rest)?).into_owned()),
            b'*' | b'~' => Reply::List(self.several(count(rest)?, depth)?),
            b'%' => Reply::List(self.several(count(rest)?.saturating_mul(2), depth)?),
            b'>' => Reply::Push(self.several(count(rest)?, depth)?),
            _ => return Err(Stop::RespError),
        })
    }

    fn line(&mut self) -> Result<&'a [u8], Stop> {
        let rest = &self.bytes[self.at..];
        let Some(end) = memchr::memchr(b'\n', &rest[..rest.len().min(LINE_MAX)]) else {
            return Err(if rest.len() < LINE_MAX { Stop::Unfinished } else { Stop::RespError });
        };
        self.at += end + 1;
        rest[..end].strip_suffix(b"\r").ok_or(Stop::RespError)
    }

    fn content(&mut self, length: &[u8]) -> Result<&'a [u8], Stop> {
        let length = count(length)?;
        if length > BYTES_MAX {
            return Err(Stop::RespError);
        }
        let whole = self.bytes.get(self.at..self.at + length + 2).ok_or(Stop::Unfinished)?;
        self.at += length + 2;
        whole.strip_suffix(b"\r\n").ok_or(Stop::RespError)
    }

    fn several(&mut self, count: usize, depth: u32) -> Result<Vec<Reply>, Stop> {
        if count > PARTS_MAX {
            return Err(Stop::RespError);
        }
        // Announced data is not there yet: no memory is reserved for it.
        let mut all = Vec::new();
        for _ in 0..count {
            all.push(self.reply(depth - 1)?);
        }
        Ok(all)
    }
}

fn number(digits: &[u8]) -> Result<i64, RespError> {
    std::str::from_utf8(digits).ok().and_then(|text| text.parse().ok()).ok_or(RespError)
}

fn count(digits: &[u8]) -> Result<usize, RespError> {
    usize::try_from(number(digits)?).map_err(|_| RespError)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// From the examples of the protocol's specification.
    #[test]
    fn replies_are_read() {
        let bytes = |text: &str| Reply::Bytes(text.as_bytes().to_vec());
        for (text, expected) in [
            ("+OK\r\n", bytes("OK")),
            ("-ERR unknown command\r\n", Reply::Error("ERR unknown command".to_owned())),
            (":-1000\r\n", Reply::Integer(-1000)),
            ("$5\r\nhel\r\n\r\n", bytes("hel\r\n")),
            ("$0\r\n\r\n", bytes("")),
            ("$-1\r\n", Reply::Null),
            ("*-1\r\n", Reply::Null),
            ("_\r\n", Reply::Null),
            ("#t\r\n", Reply::Flag(true)),
            (",1.5e3\r\n", Reply::Number("1.5e3".to_owned())),
            ("!5\r\nSYNTA\r\n", Reply::Error("SYNTA".to_owned())),
            ("=8\r\ntxt:some\r\n", bytes("some")),
            ("*2\r\n:1\r\n*0\r\n", Reply::List(vec![Reply::Integer(1), Reply::List(vec![])])),
            ("%1\r\n+a\r\n:2\r\n", Reply::List(vec![bytes("a"), Reply::Integer(2)])),
            (">1\r\n+message\r\n", Reply::Push(vec![bytes("message")])),
        ] {
            let with_more = format!("{text}+next\r\n");
            assert_eq!(read(with_more.as_bytes()), Ok(Some((expected, text.len()))), "{text:?}");
            for end in 0..text.len() {
                assert_eq!(read(&text.as_bytes()[..end]), Ok(None), "{text:?} to {end}");
            }
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        for text in [
            "HTTP/1.1 400 Bad Request\r\n",
            ":1x\r\n",
            "$-2\r\n",
            "$3\r\nabcde\r\n",
            "$99999999999999999999\r\n",
            "$9223372036854775807\r\n",
            "*9223372036854775807\r\n",
            "%9223372036854775807\r\n",
            "#maybe\r\n",
            "=2\r\nab\r\n",
            "+lone line feed\n",
            "\r\n",
        ] {
            assert_eq!(read(text.as_bytes()), Err(RespError), "{text:?}");
        }
        assert_eq!(read("*1\r\n".repeat(9).as_bytes()), Err(RespError));
        assert_eq!(read(&[b'+'; LINE_MAX]), Err(RespError));
    }

    proptest! {
        #[test]
        fn nothing_that_comes_does_harm(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(Some((_, length))) = read(&bytes) {
                prop_assert!(length <= bytes.len());
            }
        }

        /// Among all bytes those with a meaning are the rarest.
        #[test]
        fn nothing_that_is_nearly_right_does_harm(text in "[-+:$*%>~!=#,_0-9\r\nat]{0,60}") {
            let _ = read(text.as_bytes());
        }

        /// A command is a list of texts, and so can be read as a reply.
        #[test]
        fn commands_are_written(
            parts in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..20), 1..6)
        ) {
            let mut out = Vec::new();
            let slices: Vec<&[u8]> = parts.iter().map(Vec::as_slice).collect();
            write(&mut out, &slices);
            let expected = Reply::List(parts.into_iter().map(Reply::Bytes).collect());
            prop_assert_eq!(read(&out), Ok(Some((expected, out.len()))));
        }
    }
}
