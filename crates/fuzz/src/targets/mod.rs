//! The fuzz targets: one file and one line each.

mod events;
mod grpc;
mod hpack;
mod http1;
mod http2;
mod http3;
mod log;
mod luau;
mod postgresql;
mod server_timing;
mod toml;
mod websocket;

use crate::Target;

/// All targets.
pub static TARGETS: [Target; 12] = [
    http1::TARGET,
    http2::TARGET,
    http3::TARGET,
    hpack::TARGET,
    server_timing::TARGET,
    websocket::TARGET,
    postgresql::TARGET,
    grpc::TARGET,
    events::TARGET,
    log::TARGET,
    toml::TARGET,
    luau::TARGET,
];

/// Sizes of the pieces in which an input is read, besides the whole.
const PIECES: [usize; 2] = [1, 7];
