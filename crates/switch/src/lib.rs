//! A content-aware switch for real servers: a reverse proxy of HTTP that sends each request where
//! a dispatch policy says: HTTP/1.1 and HTTP/2 in front, with TLS or without, HTTP/1.1 behind.
//!
//! Who decides is the [`Switch`](thinktime_core::policy::dispatch::Switch) of simulated clusters;
//! here are only the connections. What clients send is looked at by a guard before it is parsed,
//! and everything that peers send has a limit. `README.md` says why it stands on hyper.

mod accept;
mod addressed;
mod attempt;
mod bell;
mod beside;
mod closing;
mod counts;
mod desk;
mod direct;
mod either;
mod exchange;
mod fields;
mod forward;
mod framing;
mod front;
mod guard;
mod guarded;
mod health;
mod http1;
mod http2;
mod link;
mod links;
mod log;
mod max_forwards;
mod metrics;
mod news;
mod outgoing;
mod page;
mod patience;
mod plain;
mod plan;
mod probe;
mod proxy;
mod question;
mod reload;
mod settings;
mod stamp;
mod stop;
mod stream;
mod term;
mod ticket;
mod tls;
mod wire;

pub use counts::Switched;
pub use health::Checks;
pub use plan::{Backend, Plan};
pub use proxy::Proxy;
pub use question::Question;
pub use reload::Control;
pub use settings::Settings;
pub use tls::Tls;
