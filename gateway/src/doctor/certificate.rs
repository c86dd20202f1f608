//! The certificate for TLS, as a client will see it.

use std::fs;
use std::time::{SystemTime, UNIX_EPOCH};

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;
use x509_parser::prelude::{FromDer, X509Certificate};

use super::Diagnosis;
use crate::config::Config;
use crate::http::HttpConfig;

/// Within how many seconds the end of a certificate is worth a word.
const SOON: i64 = 21 * 24 * 60 * 60;

pub(super) fn check(config: &Config) -> Vec<Diagnosis> {
    let Some(path) = &config.tls_certificate else {
        let what = if config.insecure {
            "is left to something in front of the service"
        } else {
            "is off; only this machine can connect"
        };
        return vec![Diagnosis::fine("TLS", what)];
    };
    if let Err(error) = HttpConfig::from_config(config) {
        return vec![Diagnosis::wrong(
            "TLS",
            error.to_string(),
            "give the chain and the key that belong together, as PEM",
        )];
    }
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs() as i64);
    let read = fs::read(path).ok().and_then(|pem| CertificateDer::from_pem_slice(&pem).ok());
    let Some(der) = read else { return Vec::new() };
    let Ok((_, certificate)) = X509Certificate::from_der(&der) else {
        return vec![Diagnosis::wrong("TLS", format!("{} is no certificate", path.display()), "give the chain as PEM")];
    };
    let (from, to) = (certificate.validity().not_before, certificate.validity().not_after);
    let who = path.display();
    vec![if now < from.timestamp() {
        Diagnosis::wrong("TLS", format!("{who} is not valid before {from}"), "is the clock right?")
    } else if now > to.timestamp() {
        Diagnosis::wrong("TLS", format!("{who} was valid until {to}"), "get a new one, and start the service again")
    } else if now + SOON > to.timestamp() {
        Diagnosis::odd(
            "TLS",
            format!("{who} is valid until {to}, which is soon"),
            "get a new one, and start the service again",
        )
    } else {
        Diagnosis::fine("TLS", format!("{who} is valid until {to}"))
    }]
}
