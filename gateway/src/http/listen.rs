//! Accepts connections, and lets them end.

use std::io;
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio::time::timeout;
use tokio_rustls::TlsAcceptor;
use tonic::service::Routes;

use super::budget::{Budget, Connected};
use super::routing::RequestRouter;
use super::{CONNECTION_COST, Client, HANDSHAKE_TIME, HttpConfig, serve_connection};

/// How long to wait when the machine has no room for another connection.
const OUT_OF_ROOM_PAUSE: Duration = Duration::from_millis(50);
/// How many connections from this machine are let in when there are as many as may be.
const RESERVED_CONNECTIONS: usize = 64;
/// The target of the lines that are logged here. Operators filter by it, so it stays what it was when the module had
/// another name.
const LOG_TARGET: &str = "parley_gateway::door::listen";

/// Serves a listener until `shutdown`. Then no connection is accepted any more, clients are asked to go, open calls get
/// the drain time to end, and what is open after that is closed.
pub async fn serve(
    config: HttpConfig,
    budget: Arc<Budget>,
    listener: TcpListener,
    grpc: Routes,
    http: Router,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stop, stopping) = watch::channel(());
    let router = config.router(grpc, http);
    let config = Arc::new(config);
    let mut connections = JoinSet::new();
    let mut shutdown = pin!(shutdown);
    loop {
        let (stream, peer) = tokio::select! {
            biased;
            () = &mut shutdown => break,
            Some(_) = connections.join_next() => continue,
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => (stream, peer.ip()),
                Err(error) => {
                    pause_after(&error).await;
                    continue;
                }
            },
        };
        let Some(connected) = admit(&config, &budget, peer) else {
            metrics::counter!("parley_connections_refused_total").increment(1);
            tracing::debug!(target: LOG_TARGET, %peer, "too many connections; closed a new one");
            continue;
        };
        let client = Client { address: peer, budget: Arc::clone(&budget), account: Arc::clone(&connected.account) };
        let served = serve_client(Arc::clone(&config), router.clone(), stream, client, stopping.clone());
        connections.spawn(async move {
            served.await;
            drop(connected);
        });
    }
    drop(listener);
    drop(stop);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(config.drain, all_ended).await.is_err() {
        tracing::warn!(target: LOG_TARGET, connections = connections.len(), "closed connections that did not end in the drain time");
        connections.shutdown().await;
    }
    Ok(())
}

/// Counts a new connection, unless there are too many. Whoever is on this machine, and a proxy that speaks for many, has no
/// limit of its own; whoever is on this machine also comes in when nobody else does, so that operators are never shut out.
fn admit(config: &HttpConfig, budget: &Arc<Budget>, peer: IpAddr) -> Option<Connected> {
    let exempt = config.exempt_loopback && peer.to_canonical().is_loopback();
    let most = if exempt { config.max_connections + RESERVED_CONNECTIONS } else { config.max_connections };
    if budget.connections() >= most {
        return None;
    }
    if exempt {
        return budget.connect_from_here(peer, CONNECTION_COST);
    }
    let unlimited = config.trusted_proxies.trusts(peer);
    budget.connect(peer, CONNECTION_COST, (!unlimited).then_some(config.max_connections_per_address))
}

/// Serves one connection from the network, from its first byte to its last.
async fn serve_client(
    config: Arc<HttpConfig>,
    router: RequestRouter,
    stream: TcpStream,
    client: Client,
    mut stopping: watch::Receiver<()>,
) {
    let _counted = Counted::new();
    // Nothing is ever sent: the channel closes when the service stops.
    let mut stopped = pin!(async move { while stopping.changed().await.is_ok() {} });
    let handshaken = tokio::select! {
        handshaken = handshake(&config, stream) => handshaken,
        () = &mut stopped => return,
    };
    let ended = match handshaken {
        Ok(Handshaken::Plain(stream)) => serve_connection(&config, router, stream, Some(client), stopped).await,
        Ok(Handshaken::Tls(stream)) => serve_connection(&config, router, stream, Some(client), stopped).await,
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::debug!(target: LOG_TARGET, %error, "a connection ended early");
    }
}

/// A connection that HTTP can be spoken on: plain, or after the handshake of TLS.
enum Handshaken {
    Plain(TcpStream),
    Tls(Box<tokio_rustls::server::TlsStream<TcpStream>>),
}

async fn handshake(config: &HttpConfig, stream: TcpStream) -> io::Result<Handshaken> {
    stream.set_nodelay(true)?;
    let Some(tls) = &config.tls else { return Ok(Handshaken::Plain(stream)) };
    let accepting = TlsAcceptor::from(Arc::clone(tls)).accept(stream);
    Ok(Handshaken::Tls(Box::new(timeout(HANDSHAKE_TIME, accepting).await??)))
}

/// Waits a moment after an error of accepting, unless it only means that a client left before it was accepted.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(target: LOG_TARGET, %error, "could not accept a connection");
        tokio::time::sleep(OUT_OF_ROOM_PAUSE).await;
    }
}

/// Counts a connection as open while this value exists.
struct Counted;

impl Counted {
    fn new() -> Self {
        metrics::gauge!("parley_connections").increment(1);
        Self
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        metrics::gauge!("parley_connections").decrement(1);
    }
}
