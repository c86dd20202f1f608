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

use super::reception::Reception;
use super::{DoorConfig, HANDSHAKE_TIME, serve_connection};

/// How long to wait when the machine has no room for another connection.
const OUT_OF_ROOM_PAUSE: Duration = Duration::from_millis(50);

/// Serves a listener until `shutdown`. Then no connection is accepted any more, clients are asked to go, open calls get
/// the drain time to end, and what is open after that is closed.
pub async fn serve(
    door: DoorConfig,
    listener: TcpListener,
    grpc: Routes,
    http: Router,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()> {
    let (stop, stopping) = watch::channel(());
    let reception = Reception::new(grpc, http, door.origins.clone());
    let door = Arc::new(door);
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
        if connections.len() >= door.max_connections {
            metrics::counter!("parley_connections_refused_total").increment(1);
            tracing::debug!(max_connections = door.max_connections, "too many connections; closed a new one");
            continue;
        }
        connections.spawn(attend(Arc::clone(&door), reception.clone(), stream, peer, stopping.clone()));
    }
    drop(listener);
    drop(stop);
    let all_ended = async { while connections.join_next().await.is_some() {} };
    if timeout(door.drain, all_ended).await.is_err() {
        tracing::warn!(connections = connections.len(), "closed connections that did not end in the drain time");
        connections.shutdown().await;
    }
    Ok(())
}

/// One connection from the network, from its first byte to its last.
async fn attend(
    door: Arc<DoorConfig>,
    reception: Reception,
    stream: TcpStream,
    peer: IpAddr,
    mut stopping: watch::Receiver<()>,
) {
    let _counted = Counted::new();
    // Nothing is ever sent: the channel closes when the service stops.
    let mut stopped = pin!(async move { while stopping.changed().await.is_ok() {} });
    let welcomed = tokio::select! {
        welcomed = welcome(&door, stream) => welcomed,
        () = &mut stopped => return,
    };
    let ended = match welcomed {
        Ok(Welcomed::Plain(stream)) => serve_connection(&door, reception, stream, Some(peer), stopped).await,
        Ok(Welcomed::Tls(stream)) => serve_connection(&door, reception, stream, Some(peer), stopped).await,
        Err(error) => Err(error),
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended early");
    }
}

enum Welcomed {
    Plain(TcpStream),
    Tls(Box<tokio_rustls::server::TlsStream<TcpStream>>),
}

async fn welcome(door: &DoorConfig, stream: TcpStream) -> io::Result<Welcomed> {
    stream.set_nodelay(true)?;
    let Some(tls) = &door.tls else { return Ok(Welcomed::Plain(stream)) };
    let handshake = TlsAcceptor::from(Arc::clone(tls)).accept(stream);
    Ok(Welcomed::Tls(Box::new(timeout(HANDSHAKE_TIME, handshake).await??)))
}

/// A client that left before it was accepted is nothing to wait for; a machine without room is.
async fn pause_after(error: &io::Error) {
    use io::ErrorKind::{ConnectionAborted, ConnectionRefused, ConnectionReset};
    if !matches!(error.kind(), ConnectionAborted | ConnectionRefused | ConnectionReset) {
        tracing::warn!(%error, "could not accept a connection");
        tokio::time::sleep(OUT_OF_ROOM_PAUSE).await;
    }
}

/// Counts a connection as open while it exists.
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
