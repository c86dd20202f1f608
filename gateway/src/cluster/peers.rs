//! Connections to the other servers, over which calls are sent on.

use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use parley_proto::journal::v1::Node;
use tokio::sync::watch;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint};
use uuid::Uuid;

/// How long it may take to connect.
const CONNECT_TIME: Duration = Duration::from_secs(2);
/// How often a connection is tried while calls are open on it, and how long that may take.
const KEEPALIVE: Duration = Duration::from_secs(5);

/// How many bytes of an answer wait on one call, so that no call takes the room of the others.
const STREAM_WINDOW: u32 = 64 * 1024;
/// The largest window that HTTP/2 knows.
const MOST_WINDOW: u32 = i32::MAX as u32;

/// What the certificates of other servers are checked with.
#[derive(Clone, Debug)]
pub struct Trust {
    /// The certificates to trust, as PEM.
    pub pem: Vec<u8>,
    /// The name in the other servers' certificates, where it is not the host of their addresses.
    pub name: Option<String>,
}

/// A connection, and a count of the calls on it: whoever has one open keeps a clone.
struct PeerConnection {
    channel: Channel,
    open: Arc<()>,
}

/// The connections to one server.
struct PeerConnections {
    list: Mutex<Vec<PeerConnection>>,
    /// Becomes true when the other server is gone.
    gone: watch::Sender<bool>,
}

/// A channel to another server for one call.
pub(super) struct PeerChannel {
    /// The connection that the call goes over.
    pub(super) channel: Channel,
    /// A token that is kept as long as the call is open.
    pub(super) open: Arc<()>,
    /// Becomes true when the other server is gone.
    pub(super) gone: watch::Receiver<bool>,
}

/// All connections to other servers.
pub(super) struct Peers {
    trust: Option<Trust>,
    per_connection: usize,
    /// The connections by server, apart for streams and short calls, so that who does not read its stream holds up no
    /// short call.
    servers: DashMap<(Uuid, bool), PeerConnections>,
}

impl Peers {
    pub(super) fn new(trust: Option<Trust>, per_connection: usize) -> Self {
        Self { trust, per_connection: per_connection.max(1), servers: DashMap::new() }
    }

    /// A connection to a server with room for one more call.
    pub(super) fn channel(&self, id: Uuid, node: &Node, long: bool) -> Result<PeerChannel, tonic::transport::Error> {
        let connections = self
            .servers
            .entry((id, long))
            .or_insert_with(|| PeerConnections { list: Mutex::new(Vec::new()), gone: watch::Sender::new(false) });
        let gone = connections.gone.subscribe();
        let mut known = connections.list.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(connection) =
            known.iter().find(|connection| Arc::strong_count(&connection.open) <= self.per_connection)
        {
            return Ok(PeerChannel { channel: connection.channel.clone(), open: Arc::clone(&connection.open), gone });
        }
        let connection = PeerConnection { channel: self.connect(node)?, open: Arc::new(()) };
        let channel = PeerChannel { channel: connection.channel.clone(), open: Arc::clone(&connection.open), gone };
        known.push(connection);
        Ok(channel)
    }

    fn connect(&self, node: &Node) -> Result<Channel, tonic::transport::Error> {
        let scheme = if node.tls { "https" } else { "http" };
        let mut endpoint = Endpoint::from_shared(format!("{scheme}://{}", node.address))?
            .connect_timeout(CONNECT_TIME)
            .http2_keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE)
            .initial_stream_window_size(STREAM_WINDOW)
            .initial_connection_window_size(STREAM_WINDOW.saturating_mul(self.per_connection as u32).min(MOST_WINDOW))
            .tcp_nodelay(true);
        if let Some(trust) = self.trust.as_ref().filter(|_| node.tls) {
            let mut trusted = ClientTlsConfig::new().ca_certificate(Certificate::from_pem(&trust.pem));
            if let Some(name) = &trust.name {
                trusted = trusted.domain_name(name);
            }
            endpoint = endpoint.tls_config(trusted)?;
        }
        Ok(endpoint.connect_lazy())
    }

    /// Ends all calls to a server that is gone, and forgets the connections to it.
    pub(super) fn disconnect(&self, id: Uuid) {
        for long in [false, true] {
            if let Some((_, connections)) = self.servers.remove(&(id, long)) {
                connections.gone.send_replace(true);
            }
        }
    }
}
