//! Asks an address whether a Parley is there.

use std::net::SocketAddr;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// How long whoever listens there may take to answer.
const PATIENCE: Duration = Duration::from_secs(3);
/// How many bytes of the answer are read.
const ANSWER: u64 = 4096;

/// Whether a service of this kind answers at an address, without TLS.
pub async fn is_parley(address: SocketAddr) -> bool {
    let ask = async {
        let mut stream = TcpStream::connect(address).await.ok()?;
        stream.write_all(b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.ok()?;
        let mut answer = String::new();
        stream.take(ANSWER).read_to_string(&mut answer).await.ok()?;
        Some(answer.starts_with("HTTP/1.1 200") && answer.ends_with("ok\n"))
    };
    timeout(PATIENCE, ask).await.ok().flatten().unwrap_or(false)
}
