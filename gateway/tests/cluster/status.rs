//! What operators see of a cluster.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::{sleep, timeout};

use crate::common::caller::Experience;
use crate::common::endless;
use crate::common::player::Seated;
use crate::gateways::{Cluster, GATEWAYS, LONG_LEASE};
use crate::state::NAME;

/// How many matches there are to see.
const MATCHES: usize = 12;
/// How long all of it may take before something hangs.
const PATIENCE: Duration = Duration::from_secs(120);

/// What a gateway counts.
async fn numbers(gateway: std::net::SocketAddr) -> String {
    let mut stream = TcpStream::connect(gateway).await.expect("it listens");
    stream.write_all(b"GET /metrics HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").await.expect("written");
    let mut text = String::new();
    stream.read_to_string(&mut text).await.expect("text");
    text
}

/// The numbers of a cluster that are promised.
fn promised() -> BTreeSet<String> {
    let list = Path::new(env!("CARGO_MANIFEST_DIR")).join("../deploy/metrics.txt");
    let text = std::fs::read_to_string(list).expect("the list");
    let names = text.lines().filter_map(|line| line.split_whitespace().next());
    names.filter(|name| name.starts_with("parley_cluster_")).map(str::to_owned).collect()
}

async fn run() {
    let cluster = Cluster::start(&[], LONG_LEASE).await;
    let mut caller = cluster.caller(&Arc::new(Experience::default()), 1);
    for number in 0..MATCHES {
        Seated::found(&mut caller, number as u64, endless(number as u64)).await;
    }
    // Everybody says once more how many matches it has.
    sleep(LONG_LEASE / 2).await;
    let nats = format!("nats://{}", cluster.nats.servers[0].address);
    let asked = ["cluster", "status", "--cluster", &nats, "--cluster-name", NAME];
    let shown = tokio::task::block_in_place(|| Command::new(env!("CARGO_BIN_EXE_parley")).args(asked).output());
    let shown = String::from_utf8(shown.expect("the binary runs").stdout).expect("text");
    eprintln!("{shown}");
    assert!(shown.starts_with(&format!("Cluster {NAME}: {GATEWAYS} servers, {MATCHES} matches claimed\n")), "{shown}");
    for gateway in &cluster.gateways {
        let address = gateway.address().to_string();
        let line = shown.lines().find(|line| line.starts_with(&address)).expect("a line for each gateway");
        let words: Vec<&str> = line.split_whitespace().collect();
        assert_eq!(words[1], "serving");
        // New matches go to whoever has the fewest.
        let matches: usize = words[2].parse().expect("a number");
        assert!((1..=MATCHES / 2).contains(&matches), "{shown}");
    }
    assert_eq!(shown.matches(" leads").count(), 1, "{shown}");
    assert_eq!(shown.matches(" is up to date").count(), 2, "{shown}");

    let told = numbers(cluster.gateways[0].address()).await;
    let names = promised();
    assert!(names.len() >= 7, "{names:?}");
    for name in names {
        assert!(told.contains(&name), "{name} is promised and not there");
    }
    assert!(told.contains(&format!("\nparley_cluster_nodes {GATEWAYS}\n")), "{told}");
    assert!(told.contains("\nparley_cluster_lease_held 1\n"), "{told}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs nats-server; .ci/run installs it and runs this"]
async fn operators_see_servers_matches_leases_and_lag() {
    timeout(PATIENCE, run()).await.expect("something hangs");
}
