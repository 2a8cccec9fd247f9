//! Certificates and keys from files in PEM form.

use std::path::{Path, PathBuf};

use rustls::RootCertStore;
use rustls::pki_types::pem::{self, PemObject};
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use thinktime_core::error::Invalid;

/// The files, in PEM form, by which a client or a server shows who it is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Identity {
    /// Its certificate, followed by those that lead to its authority.
    pub certificate: PathBuf,
    /// The private key, which may be in the same file.
    pub key: PathBuf,
}

/// The authorities of a file; those that Mozilla trusts where there is none.
pub(crate) fn roots(file: Option<&Path>) -> Result<RootCertStore, Invalid> {
    let Some(file) = file else {
        return Ok(webpki_roots::TLS_SERVER_ROOTS.iter().cloned().collect());
    };
    let what = "the CA file";
    let mut roots = RootCertStore::empty();
    for certificate in certificates(what, file)? {
        roots.add(certificate).map_err(|error| wrong(what, file, &error.to_string()))?;
    }
    Ok(roots)
}

impl Identity {
    /// The certificates, the own one first, and the key.
    ///
    /// # Errors
    /// When a file cannot be read or has none of them in PEM form.
    pub fn load(&self) -> Result<(Vec<CertificateDer<'static>>, PrivateKeyDer<'static>), Invalid> {
        let chain = certificates("the certificate file", &self.certificate)?;
        Ok((chain, key(&self.key)?))
    }

    /// Why TLS does not take them.
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
    let text = std::fs::read(file).map_err(|error| wrong(what, file, &error.to_string()))?;
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

/// The certificates of a file, at least one.
fn certificates(what: &str, file: &Path) -> Result<Vec<CertificateDer<'static>>, Invalid> {
    let wrong = |error: pem::Error| wrong(what, file, &error.to_string());
    let all = CertificateDer::pem_file_iter(file).map_err(wrong)?;
    let all = all.collect::<Result<Vec<_>, _>>().map_err(wrong)?;
    if all.is_empty() {
        return Err(self::wrong(what, file, "it holds no certificate in PEM form"));
    }
    Ok(all)
}

fn wrong(what: &str, file: &Path, why: &str) -> Invalid {
    Invalid::new(format!("{what} {}: {why}", file.display()))
}
