//! TLS in front: the switch's identity, and the offered protocols.

use std::sync::Arc;

use thinktime_core::error::Invalid;
use thinktime_net::certificates::Identity;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;

/// The name of HTTP/2 in TLS.
pub(crate) const HTTP2: &[u8] = b"h2";

/// The settings for clients that connect by TLS: HTTP/2 and HTTP/1.1 (ALPN), TLS 1.2 and 1.3.
#[derive(Clone)]
pub struct Tls(pub(crate) TlsAcceptor);

impl std::fmt::Debug for Tls {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.write_str("Tls")
    }
}

impl Tls {
    /// With the certificate and the key of these files.
    ///
    /// # Errors
    /// If they cannot be read, or do not belong together.
    pub fn new(identity: &Identity) -> Result<Tls, Invalid> {
        let (chain, key) = identity.load()?;
        let mut configuration =
            ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
                .with_safe_default_protocol_versions()
                .map_err(|error| Invalid::new(format!("TLS cannot be set up: {error}")))?
                .with_no_client_auth()
                .with_single_cert(chain, key)
                .map_err(|error| identity.misfit(&error))?;
        configuration.alpn_protocols = vec![HTTP2.to_vec(), b"http/1.1".to_vec()];
        Ok(Tls(TlsAcceptor::from(Arc::new(configuration))))
    }
}
