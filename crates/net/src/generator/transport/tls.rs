//! TLS by rustls, with `ring` for its cryptography: options, configuration, and the stream.

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::sync::Arc;

use rustls::client::Resumption;
use rustls::crypto::ring;
use rustls::pki_types::ServerName;
use rustls::{AlertDescription, ClientConfig, ClientConnection, RootCertStore};
use thinktime_core::error::Invalid;
use thinktime_core::options::RunOptions;

use super::failure::{CLOSED, Failure, failure, would_block};
use super::input::Input;
use super::no_verification::NoVerification;
use crate::certificates::{Identity, roots};

/// The security of connections to an `https` target, and the offered protocols.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TlsOptions {
    /// The certificate authorities to trust, as a file of PEM certificates. Without one, those
    /// that Mozilla trusts, as they were when this program was built.
    pub ca_file: Option<PathBuf>,
    /// Whether the server's certificate must be valid for the target's host.
    pub verify: bool,
    /// The client's own certificate, if it has one.
    pub certificate: Option<Identity>,
    /// Whether HTTP/2 is offered besides HTTP/1.1; the server chooses (ALPN).
    pub http2: bool,
}

impl Default for TlsOptions {
    fn default() -> TlsOptions {
        TlsOptions { ca_file: None, verify: true, certificate: None, http2: true }
    }
}

impl TlsOptions {
    /// With these options, for a target that is `secure` or not.
    ///
    /// # Errors
    /// If one does not fit the target, or another option.
    pub(crate) fn of(options: &RunOptions, secure: bool) -> Result<TlsOptions, Invalid> {
        let insecure = options.insecure == Some(true);
        let given = [
            (insecure, "insecure"),
            (options.ca_file.is_some(), "ca_file"),
            (options.certificate.is_some(), "certificate"),
            (options.key.is_some(), "key"),
        ];
        if let (false, Some((_, option))) = (secure, given.iter().find(|(given, _)| *given)) {
            return Err(Invalid::new(format!(
                "`{option}` goes with TLS only: with an https, wss or h3 target, or one of \
                 postgresql with ?sslmode=require"
            )));
        }
        if insecure && options.ca_file.is_some() {
            return Err(Invalid::new("give `ca_file` or `insecure`, not both"));
        }
        let certificate = options.certificate.as_ref().map(|file| Identity {
            certificate: file.into(),
            key: options.key.as_ref().unwrap_or(file).into(),
        });
        if certificate.is_none() && options.key.is_some() {
            return Err(Invalid::new("`key` is that of a `certificate`: give both"));
        }
        let ca_file = options.ca_file.as_ref().map(PathBuf::from);
        Ok(TlsOptions { ca_file, verify: !insecure, certificate, ..TlsOptions::default() })
    }
}

/// Connections with stored sessions, which later ones resume.
const SESSIONS_KEPT: usize = 1024;

/// A configuration of connections beside the load, which trusts these authorities.
pub(crate) fn with_roots(roots: RootCertStore) -> Result<Arc<ClientConfig>, Invalid> {
    let builder = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .map_err(|error| Invalid::new(format!("TLS cannot be set up: {error}")))?;
    Ok(Arc::new(builder.with_root_certificates(roots).with_no_client_auth()))
}

/// The configuration that all connections of a run share, with their store of sessions. It offers
/// the protocols of these names (ALPN), the best first.
pub(crate) fn configuration(
    options: &TlsOptions,
    offered: Vec<Vec<u8>>,
) -> Result<Arc<ClientConfig>, Invalid> {
    let provider = Arc::new(ring::default_provider());
    let builder = ClientConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .map_err(|error| Invalid::new(format!("TLS cannot be set up: {error}")))?;
    let builder = if options.verify {
        builder.with_root_certificates(roots(options.ca_file.as_deref())?)
    } else {
        let verifier = Arc::new(NoVerification::new(provider));
        builder.dangerous().with_custom_certificate_verifier(verifier)
    };
    let mut configuration = match &options.certificate {
        None => builder.with_no_client_auth(),
        Some(files) => {
            let (chain, key) = files.load()?;
            builder.with_client_auth_cert(chain, key).map_err(|error| files.misfit(&error))?
        }
    };
    configuration.alpn_protocols = offered;
    configuration.resumption = Resumption::in_memory_sessions(SESSIONS_KEPT);
    Ok(Arc::new(configuration))
}

/// A TLS connection over a socket that does not block.
pub(crate) struct TlsStream {
    socket: TcpStream,
    session: ClientConnection,
}

impl TlsStream {
    pub(crate) fn new(
        socket: TcpStream,
        configuration: &Arc<ClientConfig>,
        name: &ServerName<'static>,
    ) -> io::Result<TlsStream> {
        let session = ClientConnection::new(Arc::clone(configuration), name.clone())
            .map_err(io::Error::other)?;
        Ok(TlsStream { socket, session })
    }

    pub(crate) fn socket(&self) -> &TcpStream {
        &self.socket
    }

    pub(crate) fn holds_bytes(&self) -> bool {
        self.session.wants_write()
    }

    /// The protocol that the server has chosen, once the handshake has ended.
    pub(crate) fn chosen_protocol(&self) -> Option<&[u8]> {
        self.session.alpn_protocol()
    }

    /// Continues the handshake, and says whether it has ended.
    pub(crate) fn shake_hands(&mut self) -> Result<bool, Failure> {
        self.push()?;
        while self.session.is_handshaking() {
            match self.pull()? {
                Input::Bytes(_) => {}
                Input::End => return Err("tls_handshake"),
                Input::Blocked => return Ok(false),
            }
        }
        Ok(true)
    }

    /// See `Transport::read`.
    pub(crate) fn read(&mut self, buffer: &mut [u8]) -> Result<Input, Failure> {
        loop {
            match self.session.reader().read(buffer) {
                Ok(0) => return Ok(Input::End),
                Ok(count) => return Ok(Input::Bytes(count)),
                Err(error) if would_block(&error) => {}
                // The stream ended without a closing alert: its data may have been cut off.
                Err(_) => return Err(CLOSED),
            }
            if self.pull()? == Input::Blocked {
                return Ok(Input::Blocked);
            }
        }
    }

    /// See `Transport::write`.
    pub(crate) fn write(&mut self, bytes: &[u8]) -> Result<usize, Failure> {
        let mut taken = 0;
        loop {
            if taken < bytes.len() {
                // The session accepts data while it holds at most 64 KiB.
                let count = self.session.writer().write(&bytes[taken..]);
                taken += count.map_err(|error| failure(&error))?;
            }
            let held_back = !self.push()?;
            if held_back || taken == bytes.len() {
                return Ok(taken);
            }
        }
    }

    pub(crate) fn send_close(&mut self) {
        self.session.send_close_notify();
        self.push().ok();
    }

    /// Takes one read of the socket through the session.
    fn pull(&mut self) -> Result<Input, Failure> {
        let count = loop {
            match self.session.read_tls(&mut self.socket) {
                Ok(count) => break count,
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if would_block(&error) => return Ok(Input::Blocked),
                Err(error) => return Err(failure(&error)),
            }
        };
        let handshaking = self.session.is_handshaking();
        if let Err(error) = self.session.process_new_packets() {
            // The alert that reports it to the server is worth one try.
            self.push().ok();
            return Err(failure_of(&error, handshaking));
        }
        self.push()?;
        Ok(if count == 0 { Input::End } else { Input::Bytes(count) })
    }

    /// Writes the session's data: whether all of it.
    fn push(&mut self) -> Result<bool, Failure> {
        while self.session.wants_write() {
            match self.session.write_tls(&mut self.socket) {
                Ok(0) => return Err(CLOSED),
                Ok(_) => {}
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) if would_block(&error) => return Ok(false),
                Err(error) => return Err(failure(&error)),
            }
        }
        Ok(true)
    }
}

/// The word under which an error of TLS is counted.
fn failure_of(error: &rustls::Error, handshaking: bool) -> Failure {
    match error {
        rustls::Error::InvalidCertificate(_) | rustls::Error::NoCertificatesPresented => {
            "tls_certificate"
        }
        rustls::Error::AlertReceived(alert) if is_about_client(*alert) => "tls_client_certificate",
        _ if handshaking => "tls_handshake",
        rustls::Error::AlertReceived(_) => "tls_alert",
        _ => "tls_protocol",
    }
}

/// Whether one side rejects or misses the other's certificate: for a server, the client's.
pub(crate) fn is_about_client(alert: AlertDescription) -> bool {
    use AlertDescription as Alert;
    matches!(
        alert,
        Alert::CertificateRequired
            | Alert::BadCertificate
            | Alert::UnsupportedCertificate
            | Alert::CertificateRevoked
            | Alert::CertificateExpired
            | Alert::CertificateUnknown
            | Alert::UnknownCA
            | Alert::AccessDenied
    )
}

/// The advice about failed certificates, if there were any.
pub(crate) fn advice(failures: &BTreeMap<String, u64>) -> Vec<String> {
    let advice = [
        (
            "tls_certificate",
            "the server's certificate is not valid, not trusted, or for another host: name its \
             authority with --ca FILE (`ca_file`), or take any certificate with --insecure \
             (`insecure`)",
        ),
        (
            "tls_client_certificate",
            "the server wants a certificate of the client, or does not take the one it got: name \
             one with --certificate FILE and --key FILE (`certificate`, `key`)",
        ),
    ];
    let counted = advice.iter().filter(|(word, _)| failures.contains_key(*word));
    counted.map(|(word, what)| format!("{word}: {what}")).collect()
}
