//! NATS servers with JetStream, each a process of its own, that form one cluster. They end with the test.
//!
//! The variable `PARLEY_NATS_SERVER` says where the binary is; otherwise `nats-server` has to be on the path.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use async_nats::ConnectOptions;
use async_nats::jetstream::{self, Context};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{Instant, sleep, timeout};

use super::fresh;
use super::process::Held;

/// The variable that names the binary.
const BINARY: &str = "PARLEY_NATS_SERVER";
/// How long the servers may take until each of them has what all of them have.
const HEALTHY_WITHIN: Duration = Duration::from_secs(60);
/// How often they are asked.
const ASK_EVERY: Duration = Duration::from_millis(100);
/// How long one may take to say how it is.
const ANSWER_WITHIN: Duration = Duration::from_secs(1);
/// After twice this time without an answer, the connection of a test to a server counts as lost.
const PING_EVERY: Duration = Duration::from_secs(1);
/// Ports of servers are looked for from here on: below those of outgoing connections, one of which could otherwise get
/// the port of a server that is down for a moment.
const FIRST_PORT: u64 = 20_000;
/// How many ports there are to look at.
const PORTS: u64 = 10_000;

/// An address of this machine that nobody has.
fn free_address() -> SocketAddr {
    loop {
        // Tests that run beside each other begin at other places.
        let port = FIRST_PORT + (u64::from(std::process::id()) * 97 + fresh()) % PORTS;
        let address = SocketAddr::from(([127, 0, 0, 1], port as u16));
        if TcpListener::bind(address).is_ok() {
            return address;
        }
    }
}

/// One of the servers. What it stores, and where it listens, stays the same however often it is started.
pub struct Server {
    process: Option<Held>,
    config: PathBuf,
    /// The address at which clients reach it.
    pub address: SocketAddr,
    /// The address of its monitoring port, where it says how it is.
    health: SocketAddr,
}

impl Server {
    fn new(folder: &Path, number: usize, routes: &[SocketAddr]) -> Self {
        let (address, health) = (free_address(), free_address());
        let store = folder.join(format!("store-{number}"));
        let others: Vec<String> = routes.iter().map(|route| format!("\"nats-route://{route}\"")).collect();
        // Clients are not told of the other servers: they would go around whatever is put in their way.
        let text = format!(
            "server_name: \"server-{number}\"\n\
             listen: \"{address}\"\n\
             http: \"{health}\"\n\
             max_payload: 8MB\n\
             jetstream {{ store_dir: {store:?}, sync_interval: always }}\n\
             cluster {{ name: \"test\", listen: \"{}\", no_advertise: true, routes: [{}] }}\n",
            routes[number],
            others.join(", "),
        );
        let config = folder.join(format!("server-{number}.conf"));
        std::fs::write(&config, text).expect("a file");
        Self { process: None, config, address, health }
    }

    /// Starts the server on what it has stored. It takes a moment until it is as the others.
    pub fn start(&mut self) {
        let binary = std::env::var_os(BINARY).unwrap_or_else(|| "nats-server".into());
        let mut command = Command::new(binary);
        command.arg("--config").arg(&self.config).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
        self.process = Some(Held::spawn(&mut command));
    }

    /// Ends the server as a power failure would.
    pub fn kill(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    /// Stops the server's time.
    pub fn pause(&self) {
        self.process.as_ref().expect("it runs").signal("STOP");
    }

    /// Lets the server's time go on.
    pub fn resume(&self) {
        self.process.as_ref().expect("it runs").signal("CONT");
    }

    /// Whether the server knows the leader of JetStream and has what the others have.
    async fn is_healthy(&self) -> bool {
        let ask = async {
            let mut stream = TcpStream::connect(self.health).await?;
            stream.write_all(b"GET /healthz HTTP/1.0\r\n\r\n").await?;
            let mut answer = Vec::new();
            stream.read_to_end(&mut answer).await?;
            io::Result::Ok(answer.starts_with(b"HTTP/1.0 200 "))
        };
        matches!(timeout(ANSWER_WITHIN, ask).await, Ok(Ok(true)))
    }
}

/// A cluster of servers.
pub struct Nats {
    pub servers: Vec<Server>,
    _folder: TempDir,
}

impl Nats {
    /// Starts servers and waits until JetStream has a leader.
    pub async fn start(count: usize) -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let routes: Vec<SocketAddr> = (0..count).map(|_| free_address()).collect();
        let mut servers: Vec<Server> = (0..count).map(|number| Server::new(folder.path(), number, &routes)).collect();
        servers.iter_mut().for_each(Server::start);
        let nats = Self { servers, _folder: folder };
        nats.healthy().await;
        nats
    }

    /// Waits until every server has what all of them have.
    pub async fn healthy(&self) {
        let deadline = Instant::now() + HEALTHY_WITHIN;
        for (number, server) in self.servers.iter().enumerate() {
            while !server.is_healthy().await {
                assert!(Instant::now() < deadline, "server {number} is not healthy after {HEALTHY_WITHIN:?}");
                sleep(ASK_EVERY).await;
            }
        }
    }

    /// JetStream, as nobody disturbs it.
    pub async fn jetstream(&self) -> Context {
        let addresses: Vec<String> = self.servers.iter().map(|server| server.address.to_string()).collect();
        let options = ConnectOptions::new().ping_interval(PING_EVERY);
        jetstream::new(options.connect(addresses).await.expect("a server listens"))
    }
}
