//! gRPC: an input is the body of an answer. Its parsed form is JSON of bounded length, and each
//! beginning of a valid answer is valid, too.

use thinktime_core::error::Invalid;
use thinktime_core::files::Files;
use thinktime_core::request::GrpcCall;
use thinktime_core::schema::Source;
use thinktime_core::workload::{Workload, WorkloadFiles};
use thinktime_net::protocol::grpc::Body;

use crate::Target;

pub(super) const TARGET: Target = Target {
    name: "grpc",
    examples: None,
    words: &[
        "\0\0\0\0\0",
        "\0\0\0\0\u{2}\u{8}\u{1}",
        "\u{1}\0\0\0\0",
        "\u{12}\u{1}a",
        "\u{8}\u{7f}",
    ],
    bytes_max: 20_000,
    tried: 5_000,
    read,
};

/// The most bytes of an answer as JSON.
const BYTES_MAX: usize = 4096;

/// The descriptors of gRPC's own health check.
struct Descriptors;

impl Files for Descriptors {
    fn read(&self, name: &str) -> Result<String, Invalid> {
        Err(Invalid::new(format!("no text in {name}")))
    }

    fn bytes(&self, _name: &str) -> Result<Vec<u8>, Invalid> {
        Ok(include_bytes!("../../../../examples/health.pb").to_vec())
    }
}

impl WorkloadFiles for Descriptors {}

/// A call of one message, and one of a stream.
fn calls() -> [GrpcCall; 2] {
    ["Check", "Watch"].map(|method| {
        let text = format!(
            "name = 'w'\n[arrivals]\nmodel = 'open'\nrate = 1\n[[request]]\nname = 'x'\n\
             grpc = 'grpc.health.v1.Health/{method}'\ndescriptors = 'health.pb'\n"
        );
        let workload = Workload::parse(Source { file: "w.toml", text: &text }, &Descriptors);
        let kind = workload.expect("it is written so").requests.swap_remove(0);
        GrpcCall::clone(&kind.grpc.expect("it is a call"))
    })
}

fn read(bytes: &[u8]) {
    for call in calls() {
        let body = |bytes, partial| Body { bytes, partial, messages: usize::MAX };
        let Ok(answer) = body(bytes, false).read(&call, BYTES_MAX) else { continue };
        let json = String::from_utf8(answer.json).expect("JSON is text");
        assert!(json.len() <= BYTES_MAX, "{} bytes", json.len());
        let (opens, ends) = if call.gives_stream() { ('[', ']') } else { ('{', '}') };
        assert!(json.is_empty() || json.starts_with(opens) && json.ends_with(ends), "{json}");
        for end in [bytes.len() / 2, bytes.len().saturating_sub(1)] {
            let begun = body(&bytes[..end], true).read(&call, BYTES_MAX);
            let begun = String::from_utf8(begun.expect("it begins alike").json);
            assert!(json.starts_with(begun.expect("JSON is text").trim_end_matches(']')));
        }
    }
}
