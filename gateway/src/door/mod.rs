//! The door: one port for gRPC, gRPC-web, the web page, and plain HTTP for operators.
//!
//! [`serve`] accepts connections, with or without TLS, and [`serve_connection`] speaks HTTP on each: HTTP/1.1, or
//! HTTP/2 without asking first, as gRPC clients do. A [`Reception`] sends each request where it belongs. Every wait has
//! an end and every number a limit, so that a stranger can tie up only their own connection.

mod connection;
mod gather;
mod listen;
mod observe;
mod origins;
mod page;
mod preface;
mod reception;
mod tls;

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use connection::serve_connection;
pub use listen::serve;
pub use observe::{install_metrics, observability_router};
pub use origins::Origins;
pub use page::page_router;
pub use reception::{Peer, Reception};

use crate::config::Config;

/// How long a client may take for the TLS handshake, and then again to say which HTTP it speaks.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// How long an HTTP/1 client may take for the headers of a request, and stay silent between two.
pub const HEADER_TIME: Duration = Duration::from_secs(30);
/// After which silence an HTTP/2 client is asked whether it is still there.
pub const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
/// How long it may take to answer that.
pub const KEEPALIVE_TIME: Duration = Duration::from_secs(20);
/// How many bytes all headers of an HTTP/2 request may have.
pub const MAX_HEADER_BYTES: u32 = 16 * 1024;
/// How many bytes an HTTP/2 client may send on one stream before they are read.
pub const STREAM_WINDOW: u32 = 256 * 1024;
/// How many bytes an HTTP/2 client may send on all streams before they are read.
pub const CONNECTION_WINDOW: u32 = 1024 * 1024;

/// How many bytes wait for an HTTP/2 client on one stream before its call waits for it.
pub const SEND_BUFFER: usize = 128 * 1024;

/// How the door is set up.
#[derive(Clone, Debug)]
pub struct DoorConfig {
    /// How many connections may be open at a time; over that, new ones are closed at once.
    pub max_connections: usize,
    /// How many calls may be open at a time on one connection.
    pub max_streams_per_connection: u32,
    /// How long open calls get to end when the service stops.
    pub drain: Duration,
    /// Whose web pages may call, beside the service's own.
    pub origins: Origins,
    /// The certificate and what else TLS needs; none for plain text.
    pub tls: Option<Arc<rustls::ServerConfig>>,
}

impl Default for DoorConfig {
    /// What the defaults of [`Config`] say.
    fn default() -> Self {
        let config = Config::default();
        Self {
            max_connections: config.max_connections,
            max_streams_per_connection: config.max_streams_per_connection,
            drain: Duration::from_secs(config.drain_seconds),
            origins: Origins::default(),
            tls: None,
        }
    }
}

impl DoorConfig {
    /// What a configuration says. Reads the certificate and its key.
    pub fn from_config(config: &Config) -> Result<Self, TlsError> {
        let tls = match (&config.tls_certificate, &config.tls_key) {
            (Some(certificate), Some(key)) => Some(tls::load(certificate, key)?),
            _ => None,
        };
        Ok(Self {
            max_connections: config.max_connections,
            max_streams_per_connection: config.max_streams_per_connection,
            drain: Duration::from_secs(config.drain_seconds),
            origins: config.web_origins.clone(),
            tls,
        })
    }
}

/// Why there can be no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Failed {
        /// Which file.
        path: PathBuf,
        /// What the machine says.
        source: io::Error,
    },
    /// A file has not what it should have.
    #[error("{}: there is no {what} in it, as PEM", path.display())]
    Missing {
        /// Which file.
        path: PathBuf,
        /// What it should have.
        what: &'static str,
    },
    /// Certificate and key are no pair, or not usable.
    #[error("{} and {} cannot be used for TLS: {source}", certificate.display(), key.display())]
    Unusable {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What the library says.
        source: rustls::Error,
    },
}
