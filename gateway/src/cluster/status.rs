//! What a cluster looks like from outside, for `parley cluster status`.

use std::collections::BTreeMap;
use std::fmt;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use async_nats::jetstream::kv::{Entry, Operation, Store};
use futures_util::StreamExt;
use parley_proto::journal::v1::{Claim, Node};
use prost::Message;
use uuid::Uuid;

use crate::nats::{Nats, NatsError, NatsOptions};

/// A server, as its last sign of life tells.
#[derive(Clone, Debug)]
pub struct ServerStatus {
    /// The id that the server has given itself.
    pub id: Uuid,
    /// What the server said of itself last.
    pub node: Node,
    /// How long ago it said so.
    pub heard: Duration,
    /// How many claims name it.
    pub claims: u64,
}

/// A NATS server that keeps the journals.
#[derive(Clone, Debug)]
pub struct NatsReplica {
    /// The name of the NATS server.
    pub name: String,
    /// Whether the others follow it.
    pub leads: bool,
    /// Whether it has all messages.
    pub current: bool,
    /// Whether it cannot be reached.
    pub offline: bool,
    /// How many messages it is behind.
    pub lag: u64,
}

/// What a cluster looks like.
#[derive(Clone, Debug)]
pub struct ClusterStatus {
    /// The name of the cluster.
    pub name: String,
    /// Its servers, by address.
    pub servers: Vec<ServerStatus>,
    /// How many claims name servers that do not live.
    pub orphans: u64,
    /// The NATS servers that keep the journals.
    pub replicas: Vec<NatsReplica>,
    /// How many messages the stream of journals has.
    pub messages: u64,
    /// How many bytes these messages have.
    pub bytes: u64,
}

impl ClusterStatus {
    /// Asks NATS about a cluster, and creates nothing.
    pub async fn ask(options: &NatsOptions) -> Result<Self, NatsError> {
        let nats = Nats::connect(&NatsOptions { message_bytes: 0, ..options.clone() }).await?;
        let name = &options.name;
        let failed = |what: String, why: String| NatsError::Failed { what, why };
        let stream = nats.context.get_stream(format!("{name}_journal")).await;
        let stream = stream.map_err(|error| failed(format!("the journal of the cluster {name}"), error.to_string()))?;
        let bucket = async |what: &str| {
            let bucket = nats.context.get_key_value(format!("{name}_{what}")).await;
            bucket.map_err(|error| failed(format!("the bucket {name}_{what}"), error.to_string()))
        };
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let mut servers = BTreeMap::new();
        for entry in all(&bucket("nodes").await?).await? {
            let heard = Duration::from_nanos(entry.created.unix_timestamp_nanos().max(0) as u64);
            if let (Ok(id), Ok(node)) = (Uuid::try_parse(&entry.key), Node::decode(entry.value)) {
                servers.insert(id, ServerStatus { id, node, heard: now.saturating_sub(heard), claims: 0 });
            }
        }
        let mut orphans = 0;
        for entry in all(&bucket("claims").await?).await? {
            let node = Claim::decode(entry.value).ok().and_then(|claim| Uuid::from_slice(&claim.node).ok());
            match node.and_then(|node| servers.get_mut(&node)) {
                Some(server) => server.claims += 1,
                None => orphans += 1,
            }
        }
        let mut servers: Vec<ServerStatus> = servers.into_values().collect();
        servers.sort_by(|a, b| a.node.address.cmp(&b.node.address));
        let info = stream.cached_info();
        let (messages, bytes) = (info.state.messages, info.state.bytes);
        let mut replicas = Vec::new();
        if let Some(cluster) = &info.cluster {
            let leader =
                |name: &String| NatsReplica { name: name.clone(), leads: true, current: true, offline: false, lag: 0 };
            replicas.extend(cluster.leader.iter().map(leader));
            replicas.extend(cluster.replicas.iter().map(|replica| NatsReplica {
                name: replica.name.clone(),
                leads: false,
                current: replica.current,
                offline: replica.offline,
                lag: replica.lag.unwrap_or(0),
            }));
        }
        Ok(Self { name: name.clone(), servers, orphans, replicas, messages, bytes })
    }
}

/// Reads all values of a bucket.
async fn all(bucket: &Store) -> Result<Vec<Entry>, NatsError> {
    let failed = |why: String| NatsError::Failed { what: format!("the bucket {}", bucket.name), why };
    let status = bucket.status().await.map_err(|error| failed(error.to_string()))?;
    let mut entries = Vec::new();
    if status.values() == 0 {
        return Ok(entries);
    }
    let mut found = bucket.watch_with_history(">").await.map_err(|error| failed(error.to_string()))?;
    while let Some(entry) = found.next().await {
        let entry = entry.map_err(|error| failed(error.to_string()))?;
        let is_last = entry.delta == 0;
        if entry.operation == Operation::Put {
            entries.push(entry);
        }
        if is_last {
            break;
        }
    }
    Ok(entries)
}

impl fmt::Display for ClusterStatus {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let claims: u64 = self.servers.iter().map(|server| server.claims).sum::<u64>() + self.orphans;
        writeln!(f, "Cluster {}: {} servers, {claims} matches claimed", self.name, self.servers.len())?;
        writeln!(f)?;
        writeln!(
            f,
            "{:<22} {:<9} {:>8} {:>9} {:>8} {:>10} {:>9}  id",
            "server", "state", "matches", "in memory", "waiting", "append", "lease"
        )?;
        for server in &self.servers {
            let ServerStatus { id, node, heard, claims } = server;
            let state = if node.draining { "leaving" } else { "serving" };
            let append = format!("{:.1} ms", node.append_us as f64 / 1000.0);
            let heard = format!("{:.1} s ago", heard.as_secs_f64());
            let (address, id) = (&node.address, id.simple());
            writeln!(
                f,
                "{address:<22} {state:<9} {claims:>8} {:>9} {:>8} {append:>10} {heard:>9}  {id}",
                node.in_memory, node.waiting
            )?;
        }
        if self.orphans > 0 {
            writeln!(f, "{} matches wait to be taken over: their servers are gone", self.orphans)?;
        }
        writeln!(f)?;
        write!(f, "Journal: {} messages, {:.1} MiB", self.messages, self.bytes as f64 / f64::from(1 << 20))?;
        for replica in &self.replicas {
            let state = match replica {
                NatsReplica { leads: true, .. } => "leads".to_owned(),
                NatsReplica { offline: true, .. } => "cannot be reached".to_owned(),
                NatsReplica { current: true, lag: 0, .. } => "is up to date".to_owned(),
                NatsReplica { lag, .. } => format!("is {lag} messages behind"),
            };
            write!(f, "\n  {} {state}", replica.name)?;
        }
        Ok(())
    }
}
