//! How connections to the target are opened, kept in a pool, and carry exchanges.

pub(crate) mod connection;
pub(crate) mod connector;
pub(crate) mod pool;
