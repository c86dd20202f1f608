//! Several servers that share one journal in NATS JetStream, and nothing else.
//!
//! Each server has a lease: it says again and again, in a bucket, that it lives (`lease`). Each match that is served
//! has a claim in another bucket, which names the server; claims are compared and set, so that two servers never think
//! that they both won one. A claim is good as long as the lease of its server. When a server dies, the others take its
//! matches over, each those that are its own by the same reckoning (`directory`). What makes all of this safe is not
//! the clock but the journal: whoever takes a match over writes a message there, and after it the stream refuses
//! everything of whoever had it before (`journal/jetstream.rs`).
//!
//! A call that comes to another server than its match's is sent on to there ([`forward_calls`]). A session may have channels
//! of matches of several servers: it is served where it came to, and each channel of another server's match is a session of
//! its own there ([`PeerSession`]).

mod address;
mod claims;
mod directory;
mod forwarding;
mod keys;
mod lease;
mod peer_session;
mod peers;
pub mod status;

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use async_nats::jetstream::kv::{self, Operation};
use dashmap::{DashMap, DashSet};
use futures_util::StreamExt;
use futures_util::stream;
use parley_proto::journal::v1::{Claim, Node};
use prost::Message;
use tokio::sync::Notify;
use tokio::task::{JoinHandle, JoinSet};
use tokio::time::{Instant, timeout};
use uuid::Uuid;

use self::directory::{ClaimRevision, Directory};
use self::peers::Peers;
use crate::auth::Keyring;
use crate::journal::jetstream::{JetStream, JetStreamOptions};
use crate::journal::{Journal, MatchId, Stage};
use crate::matches::Matches;
use crate::matches::listing::Listed;
use crate::nats::{self, Nats, NatsError, NatsOptions};

pub use forwarding::forward_calls;
pub use peer_session::{PeerMessage, PeerServer, PeerSession, SessionOrigin};
pub use peers::Trust;

/// How many matches are taken over, or handed over, at a time.
const AT_A_TIME: usize = 64;
/// How long the last sign of life of a server is kept: longer than any lease, which ends otherwise.
const LEASES_KEPT: Duration = Duration::from_secs(1200);
/// How long a creation is remembered for repeats.
const CREATIONS_KEPT: Duration = Duration::from_secs(24 * 60 * 60);
/// How long the mark of a claim that was given up stays, where the servers can do that.
const MARKS_KEPT: Duration = Duration::from_secs(60 * 60);

/// How a server takes part in a cluster.
#[derive(Clone, Debug)]
pub struct ClusterOptions {
    /// The servers of NATS.
    pub nats: NatsOptions,
    /// How long a server that says nothing is taken for alive.
    pub lease: Duration,
    /// The address at which the other servers reach this one.
    pub address: String,
    /// What the other servers' certificates are checked with; none for calls without TLS.
    pub trust: Option<Trust>,
    /// How many calls go over one connection between two servers.
    pub calls_per_connection: usize,
}

/// Whether a test asked for a server that does not fence. Only a build for tests listens.
fn is_fenced() -> bool {
    !(cfg!(debug_assertions) && std::env::var_os("PARLEY_TEST_UNFENCED").is_some())
}

/// A server's part in a cluster: its lease, its claims and its connections.
pub struct Cluster {
    me: Uuid,
    options: ClusterOptions,
    nats: Nats,
    journal: Arc<JetStream>,
    nodes: kv::Store,
    claims: kv::Store,
    creations: kv::Store,
    directory: Directory,
    /// The matches that are this server's, with the revisions of their claims.
    held: DashMap<MatchId, u64>,
    /// Matches that are being claimed or given back.
    taking: DashSet<MatchId>,
    peers: Peers,
    /// A password that only the servers of the cluster know.
    password: Arc<str>,
    matches: OnceLock<Matches>,
    started: Instant,
    started_ms: u64,
    /// When the lease was renewed last, in milliseconds since `started`.
    renewed_ms: AtomicU64,
    /// Whether there is a lease, and the revision that the next renewal follows.
    has_lease: AtomicBool,
    lease_revision: AtomicU64,
    draining: AtomicBool,
    fenced: bool,
    /// Is notified when there may be matches whose server is gone.
    orphans_suspected: Notify,
    tasks: Mutex<Vec<JoinHandle<()>>>,
}

impl Cluster {
    /// Takes part in a cluster: connects to NATS and opens what is shared.
    pub async fn join(options: ClusterOptions, now_ms: u64) -> Result<(Arc<Self>, Arc<Keyring>), NatsError> {
        // What has never happened is told as 0, so that the first time is seen as a change.
        for name in ["parley_cluster_takeovers_total", "parley_cluster_fenced_total", "parley_cluster_forwarded_total"]
        {
            metrics::counter!(name).absolute(0);
        }
        let nats = Nats::connect(&options.nats).await?;
        let keyring = keys::share(&nats).await?;
        let me = Uuid::now_v7();
        let fenced = is_fenced();
        let journal =
            JetStreamOptions { claimed: true, fenced, ..JetStreamOptions::new(me, options.nats.message_bytes) };
        let journal = Arc::new(JetStream::open(nats.clone(), journal).await?);
        let nodes = nats.bucket("nodes", LEASES_KEPT, None).await?;
        let claims = nats.bucket("claims", Duration::ZERO, Some(MARKS_KEPT)).await?;
        let creations = nats.bucket("creations", CREATIONS_KEPT, None).await?;
        let password = keyring.sign_receipt(b"parley hop 1");
        let password = blake3::hash(&password).to_hex().to_string();
        let cluster = Arc::new(Self {
            me,
            directory: Directory::new(me, options.lease),
            peers: Peers::new(options.trust.clone(), options.calls_per_connection),
            options,
            nats,
            journal,
            nodes,
            claims,
            creations,
            held: DashMap::new(),
            taking: DashSet::new(),
            password: password.into(),
            matches: OnceLock::new(),
            started: Instant::now(),
            started_ms: now_ms,
            renewed_ms: AtomicU64::new(0),
            has_lease: AtomicBool::new(false),
            lease_revision: AtomicU64::new(0),
            draining: AtomicBool::new(false),
            fenced,
            orphans_suspected: Notify::new(),
            tasks: Mutex::new(Vec::new()),
        });
        Ok((cluster, Arc::new(keyring)))
    }

    /// The password that servers of this cluster show when they send calls on to each other.
    pub fn password(&self) -> Arc<str> {
        Arc::clone(&self.password)
    }

    /// The journal that the servers share.
    pub fn journal(&self) -> Arc<JetStream> {
        Arc::clone(&self.journal)
    }

    /// Begins to serve these matches: says that it lives, follows what the others say, and takes over what is left.
    pub async fn begin(self: &Arc<Self>, matches: Matches) {
        // Nobody else sets it: a server begins once.
        let _ = self.matches.set(matches);
        let (nodes, claims) = (self.watch_nodes(), self.watch_claims());
        for read in [nodes.1, claims.1] {
            // What takes longer to be read is only known later.
            let _ = timeout(self.options.lease.max(Duration::from_secs(10)), read.notified()).await;
        }
        let cluster = Arc::clone(self);
        self.renew().await;
        let renewing = tokio::spawn(async move { cluster.keep_renewing().await });
        let cluster = Arc::clone(self);
        let sweeping = tokio::spawn(async move { cluster.keep_taking_over().await });
        let tasks = [nodes.0, claims.0, renewing, sweeping];
        self.tasks.lock().unwrap_or_else(PoisonError::into_inner).extend(tasks);
    }

    /// Follows which servers live. Notifies when everything that was said before is read.
    fn watch_nodes(self: &Arc<Self>) -> (JoinHandle<()>, Arc<Notify>) {
        self.watch(self.nodes.clone(), |cluster, entry| {
            let Ok(node) = Uuid::try_parse(&entry.key) else { return };
            match entry.operation {
                Operation::Put => {
                    if let Ok(said) = Node::decode(entry.value) {
                        cluster.directory.hear(node, entry.revision, said);
                    }
                }
                Operation::Delete | Operation::Purge => {
                    if cluster.directory.left(node, entry.revision) {
                        cluster.peers.disconnect(node);
                        cluster.orphans_suspected.notify_one();
                    }
                }
            }
        })
    }

    /// Follows which match is whose.
    fn watch_claims(self: &Arc<Self>) -> (JoinHandle<()>, Arc<Notify>) {
        self.watch(self.claims.clone(), |cluster, entry| {
            let Ok(id) = Uuid::try_parse(&entry.key).map(MatchId) else { return };
            let claim = Claim::decode(entry.value).ok().and_then(|claim| Uuid::from_slice(&claim.node).ok());
            match claim.filter(|_| entry.operation == Operation::Put) {
                Some(node) => cluster.claimed(id, ClaimRevision { node, revision: entry.revision }),
                None => {
                    cluster.directory.free(id, entry.revision);
                    cluster.lose(id, entry.revision);
                }
            }
        })
    }

    /// Lets a match go that is not this server's any more since a revision of its claim.
    fn lose(&self, id: MatchId, revision: u64) {
        let lost = self.held.remove_if(&id, |_, held| *held < revision);
        if self.fenced && (lost.is_some() || self.is_idle(id)) {
            self.journal.let_go(id);
            if let Some(matches) = self.matches.get() {
                matches.revoke(id);
            }
        }
    }

    /// Follows a bucket as long as this server lives.
    fn watch(self: &Arc<Self>, bucket: kv::Store, hear: fn(&Arc<Self>, kv::Entry)) -> (JoinHandle<()>, Arc<Notify>) {
        let cluster = Arc::clone(self);
        let read = Arc::new(Notify::new());
        let all_read = Arc::clone(&read);
        let following = tokio::spawn(async move {
            nats::follow(&bucket, || all_read.notify_one(), |entry| hear(&cluster, entry)).await;
        });
        (following, read)
    }

    /// Notes that a match has been claimed by a server.
    fn claimed(self: &Arc<Self>, id: MatchId, claimed: ClaimRevision) {
        if !self.fenced && self.held.contains_key(&id) {
            return;
        }
        self.directory.note(id, claimed);
        if claimed.node != self.me {
            self.lose(id, claimed.revision);
        } else if self.is_idle(id) {
            // A server that leaves has handed the match over to this one.
            let cluster = Arc::clone(self);
            tokio::spawn(async move { cluster.adopt(id).await });
        }
    }

    /// Whether a match has something to do without being asked. Of one that is not listed that is not known.
    async fn has_to_wake(&self, id: MatchId) -> bool {
        match self.journal.listing(id).await {
            Ok(Some(listing)) if listing.stage == Stage::Finished => false,
            Ok(Some(listing)) => Listed::read(&listing.summary).is_none_or(|listed| listed.has_to_wake()),
            _ => true,
        }
    }

    /// Whether only house bots play a match.
    async fn is_unattended(&self, id: MatchId) -> bool {
        let listing = self.journal.listing(id).await.ok().flatten();
        listing.and_then(|listing| Listed::read(&listing.summary)).is_some_and(|listed| listed.is_unattended())
    }

    /// Takes over what the dead leave behind, as long as this server lives.
    async fn keep_taking_over(self: Arc<Self>) {
        let every = (self.options.lease / 10).clamp(Duration::from_millis(50), Duration::from_secs(1));
        // Matches that nobody plays come last, one after the other, and nobody else waits for them. The task ends with
        // this one.
        let (mut adopting, mut left) = (JoinSet::new(), HashSet::<MatchId>::new());
        loop {
            // Whether somebody notified this task or the time has passed, it is time to look for orphans.
            let _ = timeout(every, self.orphans_suspected.notified()).await;
            if !self.is_good() || self.draining.load(Ordering::Relaxed) {
                continue;
            }
            for node in self.directory.silent() {
                self.end_lease_if_dead(node).await;
            }
            let mut orphans = self.directory.orphans();
            orphans.retain(|id| self.directory.heir(*id, true) == Some(self.me));
            orphans.extend(self.directory.claims_of(self.me).into_iter().filter(|id| self.is_idle(*id)));
            if orphans.is_empty() {
                continue;
            }
            while adopting.try_join_next().is_some() {}
            if adopting.is_empty() {
                left.clear();
            }
            orphans.retain(|id| !left.contains(id));
            let began = Instant::now();
            let (mut played, mut unattended) = (Vec::new(), Vec::new());
            for id in orphans {
                if self.is_unattended(id).await { &mut unattended } else { &mut played }.push(id);
            }
            // Those that are left while others are adopted are found again after them.
            left.extend(&unattended);
            if adopting.is_empty() && !unattended.is_empty() {
                let cluster = Arc::clone(&self);
                adopting.spawn(async move { stream::iter(unattended).for_each(|id| cluster.adopt(id)).await });
            }
            let count = played.len();
            stream::iter(played).for_each_concurrent(AT_A_TIME, |id| self.adopt(id)).await;
            if count > 0 {
                tracing::info!(matches = count, took = ?began.elapsed(), "took matches over from servers that are gone");
            }
        }
    }

    /// Whether a match is this server's by its claim, and nobody sees to it: the claim is from before the lease ended.
    fn is_idle(&self, id: MatchId) -> bool {
        !self.held.contains_key(&id) && !self.taking.contains(&id)
    }

    /// Takes a match over that was handed to this server, or whose server is gone. One that nobody waits for is left to
    /// whoever is asked for it next.
    async fn adopt(&self, id: MatchId) {
        let Some(matches) = self.matches.get() else { return };
        let is_own = self.directory.claim(id).is_some_and(|claimed| claimed.node == self.me);
        if !is_own && self.directory.heir(id, true) != Some(self.me) {
            return;
        }
        if matches.is_in_memory(id) {
            // The task of the match has been told to leave, and the match is looked at again when it has.
            return;
        }
        if !self.has_to_wake(id).await {
            return self.forget_claim(id).await;
        }
        match self.claim(id, false).await {
            Ok(()) => {
                metrics::counter!("parley_cluster_takeovers_total").increment(1);
                matches.wake_one(id).await;
            }
            Err(refusal) if refusal.code == tonic::Code::NotFound => self.forget_claim(id).await,
            Err(refusal) => tracing::debug!(match_id = %id.0, why = refusal.message, "a match was not taken over"),
        }
    }

    /// Hands all matches to the others, because this server leaves.
    pub async fn hand_over(&self) {
        self.draining.store(true, Ordering::Relaxed);
        self.renew().await;
        let ids: Vec<MatchId> = self.held.iter().map(|held| *held.key()).collect();
        let count = ids.len();
        stream::iter(ids).for_each_concurrent(AT_A_TIME, |id| self.hand_over_one(id)).await;
        tracing::info!(matches = count, "handed matches over to the other servers");
    }

    /// Says that this server is gone, and stops to listen.
    pub async fn leave(&self) {
        for task in self.tasks.lock().unwrap_or_else(PoisonError::into_inner).drain(..) {
            task.abort();
        }
        // If this fails, the others notice when the lease ends.
        let _ = timeout(self.options.lease, self.nodes.delete(self.me.simple().to_string())).await;
    }
}
