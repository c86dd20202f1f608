//! Serves one connection.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::{Instant, interval, timeout};

use super::budget::{Budget, BudgetAccount};
use super::gather::Gathered;
use super::peer::ConnectionOrigin;
use super::routing::{ConnectionRouter, RequestRouter};
use super::{
    CONNECTION_WINDOW, CROWDED_IDLE, GOING_AWAY_TIME, HANDSHAKE_TIME, HEADER_TIME, HttpConfig, KEEPALIVE_EVERY,
    KEEPALIVE_TIME, MAX_HEADER_BYTES, SEND_BUFFER, STREAM_WINDOW, preface,
};

/// A client on the network.
#[derive(Clone, Debug)]
pub struct Client {
    /// The address that the client connects from.
    pub address: IpAddr,
    /// The accounts of all peers of the server.
    pub budget: Arc<Budget>,
    /// The account of what this connection has in flight.
    pub account: Arc<BudgetAccount>,
}

/// Speaks HTTP on a connection until the client leaves, is let go because it is idle or does not read, or, after
/// `shutdown`, its open calls have ended. The connection comes from a client or, without one, from inside the process.
pub async fn serve_connection<I>(
    config: &HttpConfig,
    router: RequestRouter,
    io: I,
    client: Option<Client>,
    shutdown: impl Future<Output = ()>,
) -> io::Result<()>
where
    I: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let mut shutdown = pin!(shutdown);
    let io = tokio::select! {
        io = timeout(HANDSHAKE_TIME, preface::read(io)) => io??,
        () = &mut shutdown => return Ok(()),
    };
    let builder = http(config);
    let origin = ConnectionOrigin {
        address: client.as_ref().map(|client| client.address),
        exempt_loopback: config.exempt_loopback,
        proxies: config.trusted_proxies.clone(),
        cluster: config.cluster_password.clone(),
    };
    let account = client.as_ref().map(|client| (Arc::clone(&client.budget), Arc::clone(&client.account)));
    let service = ConnectionRouter { router, origin, account };
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Gathered::new(io)), service));
    let mut watch = pin!(look_after(config, client));
    let mut leaving = false;
    let ended = loop {
        tokio::select! {
            ended = connection.as_mut() => break ended,
            () = &mut shutdown, if !leaving => {
                leaving = true;
                connection.as_mut().graceful_shutdown();
            }
            over = &mut watch, if !leaving => match over {
                Over::Unread => return Err(io::Error::new(ErrorKind::TimedOut, "the client does not read its answers")),
                // It is asked to go, and may end what it begins meanwhile.
                Over::Idle => {
                    connection.as_mut().graceful_shutdown();
                    break timeout(GOING_AWAY_TIME, connection).await.unwrap_or(Ok(()));
                }
            },
        }
    };
    match ended {
        Err(error) if !has_gone(&*error) => Err(io::Error::other(error)),
        _ => Ok(()),
    }
}

/// Why a client is let go.
enum Over {
    /// It has had no call open for a long time. That it answers pings does not count.
    Idle,
    /// It does not read what was sent to it.
    Unread,
}

/// Looks after a connection while it is served, and says when it is over.
async fn look_after(config: &HttpConfig, client: Option<Client>) -> Over {
    let Some(Client { budget, account, .. }) = client else { return std::future::pending().await };
    let mut looks = interval((config.budget.unread.min(config.idle) / 6).max(Duration::from_millis(10)));
    let mut busy = Instant::now();
    let mut calls = 0;
    loop {
        looks.tick().await;
        if account.is_unread() {
            return Over::Unread;
        }
        if account.opened() > 0 || calls != account.ever_opened() {
            (busy, calls) = (Instant::now(), account.ever_opened());
        }
        let crowded = budget.connections() * 10 > config.max_connections * 8;
        if busy.elapsed() >= if crowded { config.idle.min(CROWDED_IDLE) } else { config.idle } {
            return Over::Idle;
        }
    }
}

/// Whether a connection ended because the client has gone, which is how connections end.
fn has_gone(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let kind = error.downcast_ref::<io::Error>().map(io::Error::kind);
        if matches!(kind, Some(ErrorKind::BrokenPipe | ErrorKind::ConnectionReset | ErrorKind::NotConnected)) {
            return true;
        }
        cause = error.source();
    }
    false
}

/// The HTTP protocol with the limits of the configuration.
fn http(config: &HttpConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIME).max_buf_size(MAX_HEADER_BYTES as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(config.max_streams_per_connection)
        .max_header_list_size(MAX_HEADER_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(KEEPALIVE_EVERY)
        .keep_alive_timeout(KEEPALIVE_TIME);
    builder
}
