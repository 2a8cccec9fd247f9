//! Makes messages, and sees to it that a workload's requests are of the kind that its target takes.

use thinktime_core::client::Attempt;
use thinktime_core::error::Invalid;
use thinktime_core::program::Call;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::workload::{Expect, Method, RequestKind, RetryWhen, Workload};

use super::answering::Sending;
use super::{Scheme, Target};

/// Makes the messages of one run. The same attempt makes the same message however often it is asked
/// for.
pub(super) struct Messages<'a> {
    workload: &'a Workload,
    scheme: &'a Scheme,
    /// The parts of messages vary as those of targets do.
    targets: StreamFamily,
    bytes: Vec<u8>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(workload: &'a Workload, target: &'a Target) -> Messages<'a> {
        Messages {
            workload,
            scheme: &target.scheme,
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            bytes: Vec::new(),
        }
    }

    /// Whether the target takes messages, not requests of HTTP.
    pub(super) fn are_taken(&self) -> bool {
        self.scheme.takes_messages()
    }

    /// Whether what a program wants is of the kind that the target takes.
    pub(super) fn fit(&self, attempt: &Attempt, call: &Call) -> bool {
        let sends = call.method == Method::Send;
        sends == self.are_taken() && (!sends || self.expected(attempt, Some(call)).is_some())
    }

    /// Makes the message of an attempt, for `write` to encode: that of the `call` that a program
    /// wants, or what the workload says of this kind.
    pub(super) fn make(
        &mut self,
        attempt: &Attempt,
        call: Option<&Call>,
        write: impl FnOnce(&Sending<'_>),
    ) {
        let kind = &self.workload.requests[attempt.kind as usize];
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        match call {
            Some(call) => bytes.extend_from_slice(&call.body),
            None => {
                let mut stream = self.targets.substream(attempt.session, attempt.index.into());
                kind.message.write(&mut bytes, &mut stream);
            }
        }
        let binary = call.map_or(kind.message.binary, |call| call.binary);
        if let Some(expect) = self.expected(attempt, call) {
            write(&Sending { bytes: &bytes, binary, expect });
        }
        self.bytes = bytes;
    }

    /// When the attempt's answer is complete: as its call, its kind or the protocol has it.
    fn expected<'b>(&'b self, attempt: &Attempt, call: Option<&'b Call>) -> Option<&'b Expect> {
        let kind = &self.workload.requests[attempt.kind as usize];
        let own = call.and_then(|call| call.expect.as_ref());
        self.scheme.expectation(own.or(kind.expect.as_ref()))
    }
}

impl Scheme {
    /// Whether messages or plain bytes go to such a target, not requests of HTTP.
    #[must_use]
    pub fn takes_messages(&self) -> bool {
        !matches!(self, Scheme::Http | Scheme::Http2 | Scheme::Https(_))
    }

    /// What is expected of an answer, unless it is nothing that can be expected here.
    fn expectation<'a>(&self, wanted: Option<&'a Expect>) -> Option<&'a Expect> {
        let whole = matches!(wanted, None | Some(Expect::Message));
        match (self, wanted) {
            (Scheme::Tcp, _) if whole => None,
            (Scheme::Tcp, wanted) => wanted,
            _ if whole => Some(&Expect::Message),
            (_, Some(Expect::Pattern(_))) => wanted,
            _ => None,
        }
    }
}

/// # Errors
/// When the workload has requests that the target does not take; the message says what would be
/// right.
pub(super) fn check(workload: &Workload, target: &Target, demands: bool) -> Result<(), Invalid> {
    let messages = target.scheme.takes_messages();
    if messages && demands {
        return Err(Invalid::new(format!("`{}`: demands go to HTTP servers only", target.url)));
    }
    if messages && workload.extent().is_some() {
        return Err(Invalid::new(format!(
            "`{}`: a log is replayed on HTTP servers only",
            target.url
        )));
    }
    // Of a program's requests the workload gives names, timeouts and defaults only.
    let scripted = workload.programs.is_some();
    for kind in &workload.requests {
        let named = |why: &str| {
            Err(Invalid::new(format!("the request `{}` and `{}`: {why}", kind.name, target.url)))
        };
        let sends = kind.method == Method::Send;
        if !messages && (sends || kind.expect.is_some()) {
            return named("`send` and `expect` go to targets of ws, wss, tcp or udp");
        }
        if kind.grpc && (scripted || !matches!(target.scheme, Scheme::Http2 | Scheme::Https(_))) {
            return named("`grpc` goes to targets of h2c or https, and not with a script");
        }
        if messages && !sends && !scripted {
            return named("this target takes messages: give the request `send` or `send_hex`");
        }
        if let Some(why) = misfit(kind, &target.scheme, scripted) {
            return named(why);
        }
    }
    Ok(())
}

/// Why a request does not fit a target that takes messages.
fn misfit(kind: &RequestKind, scheme: &Scheme, scripted: bool) -> Option<&'static str> {
    if !scheme.takes_messages() {
        return None;
    }
    let given = kind.expect.is_some() || !scripted;
    if given && scheme.expectation(kind.expect.as_ref()).is_none() {
        return Some(match scheme {
            Scheme::Tcp => {
                "TCP has no messages: `expect` must say when the answer is complete, as in \
                 length(12), delimiter(\"\\n\") or pattern(REGEX)"
            }
            _ => "`expect` is for whole messages here: message (the default) or pattern(REGEX)",
        });
    }
    if *scheme != Scheme::Udp {
        return None;
    }
    if kind.timeout.is_never() || kind.retry.when == RetryWhen::Late {
        let why = "a datagram may be lost: give the request a `timeout`, and not when = \"late\"";
        return Some(why);
    }
    (kind.message.is_empty() && !scripted).then_some("an empty datagram cannot be sent")
}
