//! The wall-clock driver: the same clients and the same modelled systems as `thinktime-sim`, on
//! sockets and the machine's clock. Linux only, 5.11 or newer: it needs `epoll_pwait2`.
//!
//! - [`certificates`]: the identity of a client or a server, from files.
//! - [`generator`]: a workload against a real server (`thinktime run`).
//! - [`namespace`]: network namespaces, in which a thread's sockets are created.
//! - [`server`]: a modelled system as a real server (`thinktime serve`).
//! - [`protocol`]: codecs without I/O.

pub mod certificates;
pub mod generator;
pub mod namespace;
mod poller;
pub mod protocol;
pub mod server;

pub use poller::Clock;
