//! A content-aware switch for real servers: an HTTP reverse proxy that sends each request to the
//! server of a dispatch policy: HTTP/1.1 and HTTP/2 in front, with TLS or without, HTTP/1.1 behind.
//!
//! The [`Switch`](thinktime_core::policy::dispatch::Switch) of simulated clusters decides; this
//! crate has only the connections. A filter checks clients' data before it is parsed, and all
//! peers' data has limits. `README.md` says why it is based on hyper.

mod accept;
mod attempt;
mod backend;
mod body;
mod check_path;
mod check_request;
mod client_connection;
mod client_timeouts;
mod counters;
mod date_text;
mod dispatcher;
mod download;
mod either;
mod exchange;
mod fast_path;
mod fields;
mod filtered_stream;
mod forward;
mod forwarder;
mod framing;
mod generation;
mod handover;
mod health_checks;
mod host;
mod http1;
mod http2;
mod labels;
mod load_probe;
mod log;
mod max_forwards;
mod metrics;
mod metrics_page;
mod outgoing;
mod plan;
mod proxy;
mod refusal;
mod reload;
mod response_record;
mod scratch;
mod server_connection;
mod server_health;
mod server_pool;
mod server_socket;
mod settings;
mod side_thread;
mod simple_message;
mod smuggling_filter;
mod stop;
mod ticket;
mod tls;
mod transitions;
mod upload;
mod waker;

pub use backend::Backend;
pub use check_path::CheckPath;
pub use counters::SwitchTotals;
pub use health_checks::Checks;
pub use plan::Plan;
pub use proxy::Proxy;
pub use reload::Control;
pub use settings::Settings;
pub use tls::Tls;
