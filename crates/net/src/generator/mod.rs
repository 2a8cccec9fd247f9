//! The load generator: a workload against a real server, on the wall clock.
//!
//! One event loop or several, each in a thread of its own; no thread a client. Each turn of a loop
//! sends all due requests, then handles all events, then sleeps until the next wish or socket.
//! Every request keeps its scheduled time. The loop's own delays are therefore measured as lateness
//! and never mistaken for the server's time.
//!
//! The folders from the ground up, each of which uses only those before it:
//!
//! - `plan`: the settings of a run, its progress and its outcome.
//! - `record`: how the event loops record the ends of requests.
//! - `transport`: TCP, UDP, TLS, QUIC and proxies: bytes to and from a server.
//! - `protocols`: the languages over a transport, one file a protocol.
//! - `target`: the URL of the server, and the addresses behind it.
//! - `credentials`: header fields, secrets and tokens by which clients identify themselves.
//! - `requests`: how an attempt becomes a request, with its cookies, values and redirects.
//! - `shared`: variables that scripts share on a server of Redis or Valkey.
//! - `connect`: how connections are opened and kept.
//! - `engine`: the event loop.
//! - `run`: preparation, event loops in threads, parts in other processes, and whether the result
//!   is to be trusted.

mod connect;
mod credentials;
mod engine;
mod plan;
mod protocols;
mod record;
mod requests;
mod run;
mod shared;
mod target;
mod transport;

pub use plan::{Ending, Plan, RunError, RunOutcome, RunProgress};
pub use record::trace_sample::{TraceSample, TraceSampler};
pub use run::loops::shares_of;
pub use run::merge::{Merge, merge};
pub use run::part::{Part, PartReport};
pub use run::run;
pub use target::Target;
pub use target::endpoint::{Endpoint, Host};
pub use transport::source::SourceAddress;
pub use transport::tls::TlsOptions;
