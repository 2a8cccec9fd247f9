//! Why requests do not fit a protocol.

use thinktime_core::request::{Expect, Method, RequestKind};

/// Why calls of gRPC do not fit.
pub(super) const NO_GRPC: &str = "`grpc` goes to targets of h2c or https";

/// Why statements of SQL do not fit.
const NO_SQL: &str = "`sql` and `transaction` go to targets of postgresql";

/// Why a request does not fit a protocol of statements.
pub(super) fn statement_mismatch(kind: &RequestKind, scripted: bool) -> Option<&'static str> {
    if scripted && kind.sql.is_some() {
        return Some(
            "a script says itself what it sends: leave `sql` and `transaction` out, or `script`",
        );
    }
    if kind.grpc.is_some() {
        return Some(NO_GRPC);
    }
    if !scripted && kind.sql.is_none() {
        return Some("a database takes statements: give the request `sql` or `transaction`");
    }
    let of_messages = kind.expect.is_some() || kind.messages.is_some() || kind.wait_for_each;
    let why = "`expect`, `messages` and `wait_for_each` are for messages, and SQL has none";
    of_messages.then_some(why)
}

/// Why a request does not fit a protocol of requests, calls of gRPC aside.
pub(super) fn request_mismatch(kind: &RequestKind) -> Option<&'static str> {
    if kind.sql.is_some() {
        return Some(NO_SQL);
    }
    let of_messages = (kind.method == Method::Send) || kind.expect.is_some();
    of_messages
        .then_some("`send` and `expect` go to targets of ws, wss, tcp or udp")
        .or_else(|| if kind.grpc.is_some() { None } else { single_message_mismatch(kind) })
}

/// Why a request does not fit if an exchange is one message and its answer.
pub(super) fn single_message_mismatch(kind: &RequestKind) -> Option<&'static str> {
    (kind.messages.is_some() || kind.message.is_several())
        .then_some("`messages` and a list to `send` go to targets of ws or wss")
}

/// Why a request does not fit a protocol of messages with such expectations.
pub(super) fn message_mismatch(
    kind: &RequestKind,
    scripted: bool,
    expects: for<'a> fn(Option<&'a Expect>) -> Option<&'a Expect>,
    wrong_expectation: &'static str,
) -> Option<&'static str> {
    if kind.grpc.is_some() {
        return Some(NO_GRPC);
    }
    if kind.sql.is_some() {
        return Some(NO_SQL);
    }
    if !(kind.method == Method::Send) && !scripted {
        return Some("this target takes messages: give the request `send` or `send_hex`");
    }
    let given = kind.expect.is_some() || !scripted;
    (given && expects(kind.expect.as_ref()).is_none()).then_some(wrong_expectation)
}

/// A whole message: the next one, or the one in which a pattern is found.
pub(super) fn whole_message(wanted: Option<&Expect>) -> Option<&Expect> {
    match wanted {
        None | Some(Expect::Message) => Some(&Expect::Message),
        Some(Expect::Pattern(_)) => wanted,
        Some(_) => None,
    }
}

/// Why another expectation does not fit [`whole_message`].
pub(super) const WHOLE_MESSAGES: &str =
    "`expect` is for whole messages here: message (the default) or pattern(REGEX)";
