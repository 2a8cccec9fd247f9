//! Calls of gRPC, and their answers.

use thinktime_core::attempt::Attempt;
use thinktime_core::request::Reads;

use super::Requests;
use crate::generator::protocols::exchange::Answer;
use crate::generator::transport::failure::Failure;
use crate::protocol::{Excerpt, KEPT_BODY_BYTES_MAX, grpc};

impl Requests<'_> {
    /// The error of a call of gRPC, which stands in its trailers only.
    pub(crate) fn grpc_failure(&self, attempt: &Attempt, answer: &Answer) -> Option<Failure> {
        let kind = &self.workload.requests[attempt.kind as usize];
        if kind.grpc.is_none() || answer.excerpt.as_ref().is_some_and(|excerpt| excerpt.enough) {
            return None;
        }
        let status =
            answer.excerpt.as_ref().and_then(|excerpt| excerpt.fields("grpc-status").last());
        if status != Some(b"0") {
            return Some("grpc_status");
        }
        kind.messages.map(|_| "grpc_messages")
    }

    /// The most messages that an attempt waits for, if it is answered by a stream of gRPC.
    pub(crate) fn messages(&self, attempt: &Attempt) -> Option<u64> {
        let kind = &self.workload.requests[attempt.kind as usize];
        let gives_stream = kind.grpc.as_ref()?.gives_stream();
        gives_stream.then(|| kind.messages.map_or(u64::MAX, u64::from))
    }

    /// Converts the messages of an answer of gRPC to JSON, if the attempt's request uses them.
    /// Other content stays unchanged.
    pub(crate) fn read_messages(
        &self,
        attempt: &Attempt,
        excerpt: &mut Excerpt,
    ) -> Option<Failure> {
        let kind = &self.workload.requests[attempt.kind as usize];
        let call = kind.grpc.as_ref()?;
        let looked_into = kind.value_use.reads() == Reads::Bodies;
        if excerpt.body.is_empty() && !call.gives_stream()
            || !looked_into && self.population(attempt).programs.is_none()
        {
            return None;
        }
        let messages = kind.messages.map_or(usize::MAX, |wanted| wanted as usize);
        let partial = excerpt.cut || excerpt.enough;
        let body = grpc::Body { bytes: &excerpt.body, partial, messages };
        let Ok(answer) = body.read(call, KEPT_BODY_BYTES_MAX) else {
            return Some("grpc_answer");
        };
        excerpt.cut |= answer.cut;
        excerpt.body = answer.json;
        None
    }
}
