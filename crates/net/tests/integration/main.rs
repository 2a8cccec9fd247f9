//! The generator and the servers over real sockets, and the protocols' codecs through a faulty
//! network. One binary, because each one is linked separately: a file here is a module of it.
#![allow(clippy::unwrap_used, reason = "tests")]

mod browsing;
mod burn;
mod connections;
mod faulty_network;
mod generator;
mod grpc;
mod http2;
mod http2_peer;
mod loops;
mod messages;
mod nginx;
mod oauth2;
mod precision;
mod requests;
mod support;
mod tls;
mod unread;
mod websocket;
