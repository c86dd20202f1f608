//! A proxy before a server, which a test can cut.

use std::io;
use std::net::SocketAddr;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{JoinHandle, JoinSet};

/// How many bytes are carried at once.
const CHUNK: usize = 64 << 10;

/// What becomes of bytes and connections.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Traffic {
    /// Bytes and connections go through.
    Open,
    /// Bytes wait: nobody learns that the proxy is cut, and what was sent arrives late.
    Held,
    /// There are no connections, and new ones end at once.
    Cut,
}

#[derive(Clone, Copy)]
struct State {
    traffic: Traffic,
    /// How often all connections were ended.
    ended: u64,
}

/// Carries connections to a server.
pub struct Proxy {
    /// The address at which the server is reached through this proxy.
    pub address: SocketAddr,
    state: watch::Sender<State>,
    carrying: JoinHandle<()>,
}

impl Proxy {
    pub async fn start(server: SocketAddr) -> Self {
        let listener = TcpListener::bind(("127.0.0.1", 0)).await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        let state = watch::Sender::new(State { traffic: Traffic::Open, ended: 0 });
        let carrying = tokio::spawn(accept(listener, server, state.subscribe()));
        Self { address, state, carrying }
    }

    /// Ends all connections, and all new ones until the proxy is opened again.
    pub fn cut(&self) {
        self.state.send_modify(|state| *state = State { traffic: Traffic::Cut, ended: state.ended + 1 });
    }

    /// Ends all connections. New ones are welcome.
    pub fn end_connections(&self) {
        self.state.send_modify(|state| state.ended += 1);
    }

    /// Keeps everything back until the proxy is opened again.
    pub fn hold(&self) {
        self.state.send_modify(|state| state.traffic = Traffic::Held);
    }

    /// Opens the proxy, so that everything goes through.
    pub fn open(&self) {
        self.state.send_modify(|state| state.traffic = Traffic::Open);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.carrying.abort();
    }
}

async fn accept(listener: TcpListener, server: SocketAddr, state: watch::Receiver<State>) {
    let mut connections = JoinSet::new();
    loop {
        let (near, _) = listener.accept().await.expect("a connection");
        while connections.try_join_next().is_some() {}
        let now = *state.borrow();
        if now.traffic != Traffic::Cut {
            connections.spawn(carry(near, server, state.clone(), now.ended));
        }
    }
}

/// Carries one connection until one of its ends, or the test, ends it.
async fn carry(near: TcpStream, server: SocketAddr, mut state: watch::Receiver<State>, ended: u64) {
    let Ok(far) = TcpStream::connect(server).await else { return };
    // Small messages are not to wait for each other.
    let _ = (near.set_nodelay(true), far.set_nodelay(true));
    let ((near_reader, near_writer), (far_reader, far_writer)) = (near.into_split(), far.into_split());
    let (there, back) = (state.clone(), state.clone());
    tokio::select! {
        _ = copy(near_reader, far_writer, there) => {}
        _ = copy(far_reader, near_writer, back) => {}
        _ = state.wait_for(|state| state.ended > ended) => {}
    }
}

async fn copy(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, mut state: watch::Receiver<State>) -> io::Result<()> {
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = from.read(&mut chunk).await?;
        if read == 0 {
            return Ok(());
        }
        drop(state.wait_for(|state| state.traffic != Traffic::Held).await);
        to.write_all(&chunk[..read]).await?;
    }
}
