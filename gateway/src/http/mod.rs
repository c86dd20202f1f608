//! Everything that speaks HTTP: one port for gRPC, gRPC-web, the web page, and plain HTTP for operators.
//!
//! [`serve`] accepts connections, with or without TLS, and [`serve_connection`] speaks HTTP on each: HTTP/1.1, or
//! HTTP/2 without asking first, as gRPC clients do. A [`RequestRouter`] sends each request where it belongs. Every wait
//! has an end and every number a limit, so that a stranger can tie up only their own connection.

mod answers;
mod budget;
mod calls;
mod connection;
mod gather;
mod hosts;
mod listen;
mod observe;
mod origins;
mod page;
mod peer;
mod preface;
mod probe;
mod routing;
mod tls;

#[cfg(test)]
mod tests;

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

pub use budget::{Budget, BudgetAccount, BudgetLimits, Full, Reservation};
pub use calls::{Admission, CALL_COST, CallLimits, LEAST_IN_FLIGHT, read_cost, too_much};
pub use connection::{Client, serve_connection};
pub use hosts::Hosts;
pub use listen::serve;
pub use observe::{MetricsPage, install_metrics, metrics_router, observability_router};
pub use origins::Origins;
pub use page::page_router;
pub use peer::{ForwardedCall, HOP, HOP_PEER, Peer, Proxies};
pub use probe::is_parley;
pub use routing::RequestRouter;

use crate::config::Config;

/// How long a client may take for the TLS handshake, and then again to say which HTTP it speaks.
pub const HANDSHAKE_TIME: Duration = Duration::from_secs(10);
/// How long an HTTP/1 client may take for the headers of a request, and stay silent between two.
pub const HEADER_TIME: Duration = Duration::from_secs(30);
/// After which silence an HTTP/2 client is asked whether it is still there.
pub const KEEPALIVE_EVERY: Duration = Duration::from_secs(30);
/// How long the client may take to answer that.
pub const KEEPALIVE_TIME: Duration = Duration::from_secs(20);
/// How many bytes all headers of a request may have, and how many are buffered of one that comes over HTTP/1.
pub const MAX_HEADER_BYTES: u32 = 16 * 1024;
/// How many bytes an HTTP/2 client may send on one stream before they are read.
pub const STREAM_WINDOW: u32 = 64 * 1024;
/// How many bytes an HTTP/2 client may send on all streams before they are read.
pub const CONNECTION_WINDOW: u32 = 256 * 1024;

/// How many bytes wait for an HTTP/2 client on one stream before its call waits for it.
pub const SEND_BUFFER: usize = 128 * 1024;
/// How many bytes an open connection is counted with: its buffers, and what a client may send on it before that is
/// read.
pub const CONNECTION_COST: usize = 64 * 1024;
/// How long a client that is asked to go may take to do so.
pub const GOING_AWAY_TIME: Duration = Duration::from_secs(5);
/// How long a connection may be idle when most of the connections that may be open are.
pub const CROWDED_IDLE: Duration = Duration::from_secs(10);

/// How the service listens and what it allows each connection and call.
#[derive(Clone, Debug)]
pub struct HttpConfig {
    /// How many connections may be open at a time; over that, new ones are closed at once.
    pub max_connections: usize,
    /// How many of them may come from one address.
    pub max_connections_per_address: usize,
    /// How many calls may be open at a time on one connection.
    pub max_streams_per_connection: u32,
    /// How long open calls get to end when the service stops.
    pub drain: Duration,
    /// After how long without an open call a connection is ended.
    pub idle: Duration,
    /// The limits of every call.
    pub calls: CallLimits,
    /// What lets calls from the network in; `None` lets all in.
    pub admission: Option<Admission>,
    /// How many bytes may be in flight.
    pub budget: BudgetLimits,
    /// Whether callers on this machine are exempt from quotas of creations, matches and connections.
    pub exempt_loopback: bool,
    /// The proxies whose word counts for where a request comes from.
    pub trusted_proxies: Proxies,
    /// The password that servers of the same cluster show when they send calls on.
    pub cluster_password: Option<Arc<str>>,
    /// The origins whose web pages may call, beside the service's own.
    pub origins: Origins,
    /// The hosts that requests may be meant for; `None` where others can reach the service and any host is good.
    pub hosts: Option<Hosts>,
    /// The certificate and what else TLS needs; `None` for plain text.
    pub tls: Option<Arc<rustls::ServerConfig>>,
}

impl Default for HttpConfig {
    /// The limits as the defaults of [`Config`] describe it.
    fn default() -> Self {
        Self::without_tls(&Config::default())
    }
}

impl HttpConfig {
    /// The limits as a configuration describes them. Reads the certificate and its key.
    pub fn from_config(config: &Config) -> Result<Self, TlsError> {
        let tls = match (&config.tls_certificate, &config.tls_key) {
            (Some(certificate), Some(key)) => Some(tls::load(certificate, key)?),
            _ => None,
        };
        Ok(Self { tls, ..Self::without_tls(config) })
    }

    fn without_tls(config: &Config) -> Self {
        Self {
            max_connections: config.max_connections,
            max_connections_per_address: config.max_connections_per_address,
            max_streams_per_connection: config.max_streams_per_connection,
            drain: Duration::from_secs(config.drain_seconds),
            idle: Duration::from_secs(config.idle_connection_seconds),
            calls: CallLimits::new(
                config.max_message_bytes,
                Duration::from_secs(config.request_seconds),
                &config.budget_limits(),
            ),
            admission: None,
            budget: config.budget_limits(),
            exempt_loopback: config.exempt_loopback,
            trusted_proxies: config.trusted_proxies.clone(),
            cluster_password: None,
            origins: config.web_origins.clone(),
            hosts: hosts(config),
            tls: None,
        }
    }

    /// A router for these services and pages.
    pub fn router(&self, grpc: tonic::service::Routes, http: axum::Router) -> RequestRouter {
        let (origins, admission) = (self.origins.clone(), self.admission.clone());
        RequestRouter::new(grpc, http, origins, self.calls, admission).for_hosts(self.hosts.clone())
    }
}

/// The hosts that requests may be meant for, where only the service's own machine can reach it.
fn hosts(config: &Config) -> Option<Hosts> {
    let advertised = config.cluster_advertise.as_ref().map(|address| address.0.as_str());
    let alone = config.listen.ip().to_canonical().is_loopback();
    alone.then(|| Hosts::new(&config.host_names, &config.web_origins, advertised))
}

/// Why there can be no TLS.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// A file cannot be read.
    #[error("{}: {source}", path.display())]
    Failed {
        /// The file that cannot be read.
        path: PathBuf,
        /// What the system says.
        source: io::Error,
    },
    /// A file does not have what it should have.
    #[error("{}: there is no {what} in it, as PEM", path.display())]
    Missing {
        /// The file that was read.
        path: PathBuf,
        /// What the file should have.
        what: &'static str,
    },
    /// Certificate and key are no pair, or not usable.
    #[error("{} and {} cannot be used for TLS: {source}", certificate.display(), key.display())]
    Unusable {
        /// The file of the certificate.
        certificate: PathBuf,
        /// The file of the key.
        key: PathBuf,
        /// What the TLS library says.
        source: rustls::Error,
    },
}
