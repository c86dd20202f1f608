//! One connection.

use std::error::Error;
use std::io::{self, ErrorKind};
use std::net::IpAddr;
use std::pin::pin;

use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use hyper_util::server::conn::auto::Builder;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::time::timeout;

use super::gather::Gathered;
use super::reception::{Reception, Visit};
use super::{
    CONNECTION_WINDOW, DoorConfig, HANDSHAKE_TIME, HEADER_TIME, KEEPALIVE_EVERY, KEEPALIVE_TIME, MAX_HEADER_BYTES,
    SEND_BUFFER, STREAM_WINDOW, preface,
};

/// Speaks HTTP on a connection until the client leaves or, after `shutdown`, its open calls have ended. The connection
/// may come from the network or, without an address, from inside the process.
pub async fn serve_connection<I>(
    door: &DoorConfig,
    reception: Reception,
    io: I,
    peer: Option<IpAddr>,
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
    let builder = http(door);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(Gathered::new(io)), Visit { reception, peer }));
    let ended = tokio::select! {
        ended = connection.as_mut() => ended,
        () = shutdown => {
            connection.as_mut().graceful_shutdown();
            connection.await
        }
    };
    match ended {
        Err(error) if !has_gone(&*error) => Err(io::Error::other(error)),
        _ => Ok(()),
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

/// How HTTP is spoken.
fn http(door: &DoorConfig) -> Builder<TokioExecutor> {
    let mut builder = Builder::new(TokioExecutor::new());
    builder.http1().timer(TokioTimer::new()).header_read_timeout(HEADER_TIME);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_concurrent_streams(door.max_streams_per_connection)
        .max_header_list_size(MAX_HEADER_BYTES)
        .initial_stream_window_size(STREAM_WINDOW)
        .initial_connection_window_size(CONNECTION_WINDOW)
        .max_send_buf_size(SEND_BUFFER)
        .keep_alive_interval(KEEPALIVE_EVERY)
        .keep_alive_timeout(KEEPALIVE_TIME);
    builder
}
