//! Makes messages, and sees to it that a workload's requests are of the kind that its target takes.

use thinktime_core::client::Attempt;
use thinktime_core::error::Invalid;
use thinktime_core::program::Call;
use thinktime_core::random::{Purpose, StreamFamily};
use thinktime_core::workload::{Expect, Method, RequestKind, Workload};

use super::answering::Sending;
use super::protocols::{Carries, Scheme};
use super::target::Target;

/// Makes the messages of one run. The same attempt makes the same message however often it is asked
/// for.
pub(super) struct Messages<'a> {
    workload: &'a Workload,
    scheme: &'static Scheme,
    /// The parts of messages vary as those of targets do.
    targets: StreamFamily,
    bytes: Vec<u8>,
}

impl<'a> Messages<'a> {
    pub(super) fn new(workload: &'a Workload, target: &'a Target) -> Messages<'a> {
        Messages {
            workload,
            scheme: target.scheme,
            targets: StreamFamily::new(workload.seed, Purpose::Target),
            bytes: Vec::new(),
        }
    }

    /// Whether the target takes messages, not requests of HTTP.
    pub(super) fn are_taken(&self) -> bool {
        self.scheme.carries() == Carries::Messages
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
        (self.scheme.first().expects)(own.or(kind.expect.as_ref()))
    }
}

/// # Errors
/// When the workload has requests that the target does not take; the message says what would be
/// right.
pub(super) fn check(workload: &Workload, target: &Target, demands: bool) -> Result<(), Invalid> {
    let messages = target.scheme.carries() == Carries::Messages;
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
    let scripted =
        |kind: &RequestKind| workload.populations[kind.population as usize].programs.is_some();
    for kind in &workload.requests {
        let named = |why: &str| {
            Err(Invalid::new(format!("the request `{}` and `{}`: {why}", kind.name, target.url)))
        };
        if let Some(why) = (target.scheme.first().misfit)(kind, scripted(kind)) {
            return named(why);
        }
    }
    Ok(())
}
