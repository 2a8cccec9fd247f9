//! Certificates and keys from files in PEM form.

use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thinktime_core::error::Invalid;

/// The name of a file of authorities in messages.
const CA_FILE: &str = "the CA file";

/// The files, in PEM form, that identify a client or a server.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its certificate, followed by the chain to its authority.
    pub certificate: PathBuf,
    /// The private key, which may be in the same file.
    pub key: PathBuf,
}

/// The authorities of a file; without one, those that Mozilla trusts.
pub(crate) fn roots(file: Option<&Path>) -> Result<RootCertStore, Invalid> {
    let Some(file) = file else {
        return Ok(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect());
    };
    roots_of(file, &read(CA_FILE, file)?)
}

/// The authorities in the contents of a file.
pub(crate) fn roots_of(file: &Path, text: &[u8]) -> Result<RootCertStore, Invalid> {
    let what = CA_FILE;
    let mut roots = RootCertStore::empty();
    for certificate in certificates(what, file, text)? {
        roots.add(certificate).map_err(|error| wrong(what, file, &error.to_string()))?;
    }
    Ok(roots)
}

impl Identity {
    /// The certificates, the own one first, and the key.
    ///
    /// # Errors
    /// If a file cannot be read or has none of them in PEM form.
    pub fn load(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Invalid> {
        let (what, file) = ("the certificate file", &self.certificate);
        let chain = certificates(what, file, &read(what, file)?)?;
        Ok((chain, key(&self.key)?))
    }

    /// Why TLS rejects them.
    #[must_use]
    pub fn misfit(&self, error: &rustls::Error) -> Invalid {
        let (certificate, key) = (self.certificate.display(), self.key.display());
        Invalid::new(match error {
            rustls::Error::InconsistentKeys(_) => {
                format!("the key {key} is not that of the certificate {certificate}")
            }
            other => format!("the certificate {certificate} with the key {key}: {other}"),
        })
    }
}

fn key(file: &Path) -> Result<PrivateKeyDer<'static>, Invalid> {
    let what = "the key file";
    let text = read(what, file)?;
    PrivateKeyDer::from_pem_slice(&text).map_err(|error| match error {
        pem::Error::NoItemsFound if memchr::memmem::find(&text, b"ENCRYPTED").is_some() => {
            let why = "its key is encrypted: write it without a password by \
                       `openssl pkey -in FILE -out FILE`";
            wrong(what, file, why)
        }
        pem::Error::NoItemsFound => wrong(what, file, "it holds no private key in PEM form"),
        other => wrong(what, file, &other.to_string()),
    })
}

fn read(what: &str, file: &Path) -> Result<Vec<u8>, Invalid> {
    std::fs::read(file).map_err(|error| wrong(what, file, &error.to_string()))
}

/// The certificates in the contents of a file, at least one.
fn certificates(
    what: &str,
    file: &Path,
    text: &[u8],
) -> Result<Vec<CertificateDer<'static>>, Invalid> {
    let wrong = |error: pem::Error| wrong(what, file, &error.to_string());
    let all = CertificateDer::pem_slice_iter(text);
    let all = all.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    if all.is_empty() {
        return Err(self::wrong(what, file, "it holds no certificate in PEM form"));
    }
    Ok(all)
}

fn wrong(what: &str, file: &Path, why: &str) -> Invalid {
    Invalid::new(format!("{what} {}: {why}", file.display()))
}
