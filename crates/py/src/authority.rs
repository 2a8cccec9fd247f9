//! Certificates for `thinktime record`: an authority of its own, and the certificates that it
//! signs.

use std::time::Duration;

use pyo3::prelude::*;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, Error, ExtendedKeyUsagePurpose,
    IsCa, Issuer, KeyPair, KeyUsagePurpose, PublicKeyData, date_time_ymd,
};

use crate::errors::InputError;

/// Adds the functions to a module.
pub(crate) fn add(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(certificate_authority, module)?)?;
    module.add_function(wrap_pyfunction!(host_certificate, module)?)?;
    module.add_function(wrap_pyfunction!(public_key, module)?)
}

/// (the certificate, its private key) of a new authority of this name, both as PEM. `from_s` and
/// `until_s` say when it is valid, in seconds since 1970.
#[pyfunction]
fn certificate_authority(name: &str, from_s: u32, until_s: u32) -> PyResult<(String, String)> {
    let made = || {
        let key = KeyPair::generate()?;
        let params = authority(name, from_s, until_s)?;
        Ok((params.self_signed(&key)?.pem(), key.serialize_pem()))
    };
    made().map_err(|error: Error| InputError::new_err(error.to_string()))
}

/// (the certificate, its private key) of a host, a name or an IP address, both as PEM, signed by an
/// authority that `certificate_authority` has made.
#[pyfunction]
fn host_certificate(
    host: &str,
    authority_name: &str,
    authority_key: &str,
    from_s: u32,
    until_s: u32,
) -> PyResult<(String, String)> {
    let made = || {
        let issuer = authority(authority_name, from_s, until_s)?;
        let issuer = Issuer::new(issuer, KeyPair::from_pem(authority_key)?);
        let key = KeyPair::generate()?;
        let mut params = valid(CertificateParams::new([host.to_owned()])?, from_s, until_s);
        params.distinguished_name = named("thinktime record");
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth];
        params.use_authority_key_identifier_extension = true;
        Ok((params.signed_by(&key, &issuer)?.pem(), key.serialize_pem()))
    };
    made().map_err(|error: Error| InputError::new_err(format!("`{host}`: {error}")))
}

/// The public key of a private one in PEM form, as its `SubjectPublicKeyInfo` in DER form.
#[pyfunction]
fn public_key(key: &str) -> PyResult<Vec<u8>> {
    let key = KeyPair::from_pem(key).map_err(|error| InputError::new_err(error.to_string()))?;
    Ok(key.subject_public_key_info())
}

fn authority(name: &str, from_s: u32, until_s: u32) -> Result<CertificateParams, Error> {
    let mut params = valid(CertificateParams::new([])?, from_s, until_s);
    params.distinguished_name = named(name);
    // It signs certificates of hosts, and of no further authority.
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    Ok(params)
}

fn named(name: &str) -> DistinguishedName {
    let mut found = DistinguishedName::new();
    found.push(DnType::CommonName, name);
    found
}

fn valid(mut params: CertificateParams, from_s: u32, until_s: u32) -> CertificateParams {
    let after = |seconds| date_time_ymd(1970, 1, 1) + Duration::from_secs(u64::from(seconds));
    (params.not_before, params.not_after) = (after(from_s), after(until_s));
    params
}
