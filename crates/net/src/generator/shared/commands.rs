//! The commands to a server of shared variables, and the parsing of its answers.

use thinktime_core::program::{Shared, SharedAnswer, SharedFailure};

use crate::protocol::resp::Reply;

/// The script that the server runs, one call an operation.
pub(super) const SCRIPT: &str = include_str!("server.lua");

/// A value in the server's form: a letter for its kind, and then its text.
pub(super) fn encoded(value: Option<&Shared>) -> Vec<u8> {
    match value {
        None => Vec::new(),
        Some(Shared::Flag(flag)) => vec![b'f', if *flag { b'1' } else { b'0' }],
        Some(Shared::Number(number)) => format!("n{}", digits(*number)).into_bytes(),
        Some(Shared::Text(text)) => [b"t", text.as_slice()].concat(),
    }
}

/// A number that Lua and C read, and that reads back to the same.
pub(super) fn digits(number: f64) -> String {
    match number {
        _ if number.is_nan() => "nan".to_owned(),
        _ if number.is_infinite() => if number > 0.0 { "inf" } else { "-inf" }.to_owned(),
        _ => format!("{number:e}"),
    }
}

/// A value from [`written`], or from the server.
pub(super) fn value(bytes: &[u8]) -> Option<Shared> {
    let (kind, rest) = bytes.split_first()?;
    match kind {
        b'f' => Some(Shared::Flag(rest == b"1")),
        b't' => Some(Shared::Text(rest.to_vec())),
        b'n' => std::str::from_utf8(rest).ok()?.parse().ok().map(Shared::Number),
        _ => None,
    }
}

/// The script's answer.
#[derive(Debug, PartialEq)]
pub(super) enum ScriptReply {
    Answer(SharedAnswer),
    /// The session waits for the lock.
    Waits,
    /// The member is known; whether the server has lost its state.
    Joined(bool),
    /// The call makes no sense on this connection any more.
    Nonsense,
}

/// Reads the answer to a call of the script.
pub(super) fn script_reply(reply: &Reply) -> ScriptReply {
    let Reply::List(parts) = reply else { return ScriptReply::Nonsense };
    let text = |at: usize| match parts.get(at) {
        Some(Reply::Bytes(bytes)) => bytes.as_slice(),
        _ => &[],
    };
    let lossy = |at| String::from_utf8_lossy(text(at)).into_owned();
    match text(0) {
        b"done" => ScriptReply::Answer(SharedAnswer::Done),
        b"value" => match value(text(1)) {
            Some(value) => ScriptReply::Answer(SharedAnswer::Value(Some(value))),
            None => ScriptReply::Nonsense,
        },
        b"token" => match lossy(1).parse() {
            Ok(token) => ScriptReply::Answer(SharedAnswer::Token(token)),
            Err(_) => ScriptReply::Nonsense,
        },
        b"waits" => ScriptReply::Waits,
        b"lost" => ScriptReply::Answer(SharedAnswer::Failed(SharedFailure::Lost(lossy(1)))),
        b"no number" => ScriptReply::Answer(SharedAnswer::Failed(SharedFailure::NoNumber)),
        b"joined" => ScriptReply::Joined(text(1) == b"1"),
        _ => ScriptReply::Nonsense,
    }
}

/// The ticket of this member that has obtained a lock, with its token, if the message says so:
/// `MEMBER/TICKET TOKEN`.
pub(super) fn granted(member: &str, parts: &[Reply]) -> Option<(u64, u64)> {
    let [Reply::Bytes(kind), _, Reply::Bytes(message)] = parts else { return None };
    let message = std::str::from_utf8(message).ok().filter(|_| kind == b"message")?;
    let (ticket, token) = message.split_once(' ')?;
    let ticket = ticket.strip_prefix(member)?.strip_prefix('/')?;
    Some((ticket.parse().ok()?, token.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn values_are_read_as_they_were_written(
            number in any::<f64>().prop_filter("NaN is no other's equal", |it| !it.is_nan()),
            text in prop::collection::vec(any::<u8>(), 0..50),
            flag in any::<bool>(),
        ) {
            for one in [Shared::Number(number), Shared::Text(text), Shared::Flag(flag)] {
                prop_assert_eq!(value(&encoded(Some(&one))), Some(one));
            }
        }
    }

    #[test]
    fn what_makes_no_sense_is_told_apart() {
        let bytes = |text: &str| Reply::Bytes(text.as_bytes().to_vec());
        for reply in [
            Reply::Null,
            Reply::List(vec![]),
            Reply::List(vec![bytes("stale")]),
            Reply::List(vec![bytes("token"), bytes("-1")]),
            Reply::List(vec![bytes("value"), bytes("x1")]),
            Reply::List(vec![Reply::Integer(1)]),
        ] {
            assert_eq!(script_reply(&reply), ScriptReply::Nonsense, "{reply:?}");
        }
        let message = |text| [bytes("message"), bytes("run:m"), bytes(text)];
        assert_eq!(granted("m", &message("m/7 9")), Some((7, 9)));
        for other in ["n/7 9", "m/x 9", "m/7", "m/7 -1", ""] {
            assert_eq!(granted("m", &message(other)), None);
        }
    }
}
