//! Gateways on one NATS cluster, with a line that can be cut from each of them to each of its servers.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use async_nats::jetstream::Context;
use futures_util::future::join_all;
use parley_bots::refusal::Refusal;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::time::timeout;
use tonic::Code;

use crate::common::caller::{Caller, Experience, Manners, Servers};
use crate::common::nats::Nats;
use crate::common::process::Process;
use crate::common::proxy::Proxy;
use crate::state::{self, NAME, eventually};

/// How many gateways there are.
pub const GATEWAYS: usize = 3;
/// How many NATS servers there are.
const SERVERS: usize = 3;
/// How long a gateway that is not heard of keeps its matches, where that has to happen often.
pub const LEASE: Duration = Duration::from_millis(2000);
/// How long it keeps them where leases are not to end because the machine is busy.
pub const LONG_LEASE: Duration = Duration::from_millis(6000);
/// How long a gateway may take to be ready.
const START_WITHIN: Duration = Duration::from_secs(60);
/// What a gateway is given to end, in seconds.
const DRAIN_SECONDS: &str = "10";
/// How long it may take all in all.
const DRAIN_WITHIN: Duration = Duration::from_secs(20);
/// More than all callers of a test together have open on one connection.
const STREAMS: &str = "65536";
/// Few enough that matches are taken over from snapshots too.
const SNAPSHOT_EVERY: &str = "3";
/// More than a seat calls in one turn, so that its last lock-in can be repeated in the middle of it.
const REQUEST_MEMORY: &str = "64";

/// More variables for the environment of gateways.
pub type Environment = &'static [(&'static str, &'static str)];

/// A match may be between two owners, and a gateway may be away or paused. Nothing else may keep it from answering.
pub const MANNERS: Manners = Manners {
    forgives: |status| Refusal::from(status.clone()).code == Code::Unavailable,
    answer: Duration::from_secs(3),
    silence: Duration::from_secs(5),
    pause: Duration::from_millis(100),
    thinks: Duration::ZERO,
};

/// A gateway, its folder and its lines to NATS.
pub struct Gateway {
    process: Option<Process>,
    data: PathBuf,
    environment: Environment,
    lease: Duration,
    pub lines: Vec<Proxy>,
}

impl Gateway {
    async fn start(&mut self) {
        let lines: Vec<String> = self.lines.iter().map(|line| line.address.to_string()).collect();
        let (cluster, lease) = (format!("nats://{}", lines.join(",")), self.lease.as_millis().to_string());
        let flags = [
            ["--cluster", cluster.as_str()],
            ["--cluster-name", NAME],
            ["--cluster-lease-ms", lease.as_str()],
            ["--drain-seconds", DRAIN_SECONDS],
            ["--max-streams-per-connection", STREAMS],
            ["--snapshot-every-turns", SNAPSHOT_EVERY],
            ["--request-memory", REQUEST_MEMORY],
            // Some matches are played by their deadlines alone.
            ["--missed-deadlines-before-expiry", "1000000"],
        ];
        let flags = flags.concat();
        let starting = Process::start_in(&self.data, &flags, self.environment);
        self.process = Some(timeout(START_WITHIN, starting).await.expect("a gateway that is ready in time"));
    }

    /// The address that the gateway listens on.
    pub fn address(&self) -> SocketAddr {
        self.process.as_ref().expect("it runs").address
    }

    /// Stops the time of the gateway, as SIGSTOP does.
    pub fn pause(&self) {
        self.process.as_ref().expect("it runs").signal("STOP");
    }

    /// Lets the time of the gateway go on.
    pub fn resume(&self) {
        self.process.as_ref().expect("it runs").signal("CONT");
    }

    /// Ends it as a power failure would.
    pub fn kill(&mut self) {
        self.process.take().expect("it runs").kill();
    }

    /// Asks it to end, and waits until it has; says whether it ended well.
    pub async fn drain(&mut self) -> bool {
        let process = self.process.take().expect("it runs");
        process.terminate();
        process.ended(DRAIN_WITHIN).await.success()
    }

    /// Starts it anew, somewhere else.
    pub async fn restart(&mut self, number: usize, servers: &watch::Sender<Servers>) {
        self.start().await;
        let address = self.address();
        servers.send_modify(|servers| servers.replace(number, address));
    }

    /// Waits until the others know that it lives.
    pub async fn is_known(&self, context: &Context) {
        let address = self.address().to_string();
        eventually("a gateway that the others know", async || {
            let nodes = state::nodes(context).await.ok()?;
            nodes.values().any(|node| node.address == address && !node.draining).then_some(())
        })
        .await;
    }
}

/// The gateways and the NATS servers of a test.
pub struct Cluster {
    pub gateways: Vec<Gateway>,
    /// The addresses at which callers find the gateways.
    pub servers: watch::Sender<Servers>,
    pub nats: Nats,
    _folder: TempDir,
}

impl Cluster {
    /// Starts NATS, and then all gateways at once.
    pub async fn start(environment: Environment, lease: Duration) -> Self {
        let nats = Nats::start(SERVERS).await;
        let folder = tempfile::tempdir().expect("a folder");
        let mut gateways = Vec::new();
        for number in 0..GATEWAYS {
            let mut lines = Vec::new();
            for server in &nats.servers {
                lines.push(Proxy::start(server.address).await);
            }
            let data = folder.path().join(format!("gateway-{number}"));
            gateways.push(Gateway { process: None, data, environment, lease, lines });
        }
        join_all(gateways.iter_mut().map(|gateway| gateway.start())).await;
        let servers = Servers::at(gateways.iter().map(Gateway::address));
        Self { gateways, servers, nats, _folder: folder }
    }

    /// Somebody who calls any gateway.
    pub fn caller(&self, experience: &Arc<Experience>, seed: u64) -> Caller {
        Caller::new(&self.servers, MANNERS, experience, seed)
    }

    /// All gateways but one.
    pub fn others(&self, number: usize) -> watch::Sender<Servers> {
        let others = self.gateways.iter().enumerate().filter(|(other, _)| *other != number);
        Servers::at(others.map(|(_, gateway)| gateway.address()))
    }

    /// Which gateway serves a match.
    pub async fn owner(&self, context: &Context, id: &str) -> usize {
        let owner = async || {
            let node = state::claim(context, id).await.ok()??;
            let nodes = state::nodes(context).await.ok()?;
            let address = &nodes.get(&node)?.address;
            self.gateways.iter().position(|gateway| gateway.address().to_string() == *address)
        };
        eventually("an owner of the match", owner).await
    }
}
