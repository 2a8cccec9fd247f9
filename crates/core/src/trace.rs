//! Trace contexts: the trace of a request, as servers see it (W3C Recommendation *Trace Context*,
//! 23 November 2021).
//!
//! Ids are functions of the seed and of a request's numbers, so anyone who knows these knows the
//! ids.

use crate::attempt::Attempt;
use crate::random::{Purpose, StreamFamily};

/// The name of the header field.
pub const TRACEPARENT: &str = "traceparent";

/// The traces of one seed.
#[derive(Clone, Copy, Debug)]
pub struct Traces {
    family: StreamFamily,
}

/// One attempt in a trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace, common to all attempts at a request; never 0.
    pub trace: u128,
    /// The attempt, as the parent of the server's work for it; never 0.
    pub span: u64,
}

impl Traces {
    /// Those of this seed.
    #[must_use]
    pub fn new(seed: u64) -> Traces {
        Traces { family: StreamFamily::new(seed, Purpose::Trace) }
    }

    /// The context of the attempt of this number, from 1, at the request of this number in its
    /// session.
    #[must_use]
    pub fn context(&self, session: u64, request: u32, attempt: u32) -> TraceContext {
        // No attempt has the number 0.
        let mut of_request = self.family.substream(session, request.into());
        let trace = u128::from(of_request.bits()) << 64 | u128::from(of_request.bits());
        let part = u64::from(attempt) << 32 | u64::from(request);
        let span = self.family.substream(session, part).bits();
        TraceContext { trace: trace.max(1), span: span.max(1) }
    }

    /// That of an attempt.
    #[must_use]
    pub fn of(&self, attempt: &Attempt) -> TraceContext {
        self.context(attempt.session, attempt.index, attempt.attempt)
    }
}

impl TraceContext {
    /// The header field: version 00, and the flag that asks to keep the trace.
    #[must_use]
    pub fn traceparent(&self) -> String {
        format!("00-{:032x}-{:016x}-01", self.trace, self.span)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn ids_tell_requests_and_attempts_apart() {
        let (mut traces, mut spans) = (HashSet::new(), HashSet::new());
        for seed in 0..3 {
            let of_seed = Traces::new(seed);
            for (session, request, attempt) in
                (0..20).flat_map(|n| (0..20).flat_map(move |m| (1..4).map(move |k| (n, m, k))))
            {
                let context = of_seed.context(session, request, attempt);
                assert_eq!(context, of_seed.context(session, request, attempt));
                assert_eq!(context.trace, of_seed.context(session, request, 1).trace);
                traces.insert(context.trace);
                spans.insert(context.span);
            }
        }
        // Two of 3,600 numbers of 64 bits are the same with a probability of 4e-13.
        assert_eq!((traces.len(), spans.len()), (3 * 400, 3 * 1200));
    }

    /// The form of the recommendation, section 3.2. Ids are portable: these must never change.
    #[test]
    fn fields_have_the_form_of_the_recommendation() {
        let context = TraceContext { trace: 0xab, span: 1 };
        let field = "00-000000000000000000000000000000ab-0000000000000001-01";
        assert_eq!(context.traceparent(), field);
    }
}
