//! Which servers live and which match is whose, as this server knows it. What it knows may be late: it is good enough
//! to send a call somewhere, and everything that matters is compared and set in NATS.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use parley_proto::journal::v1::Node;
use tokio::time::Instant;
use uuid::Uuid;
use xxhash_rust::xxh3::xxh3_64;

use crate::journal::MatchId;

/// The server that has claimed a match, and the revision of the claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ClaimRevision {
    pub(super) node: Uuid,
    pub(super) revision: u64,
}

/// Where a match is served.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Whereabouts {
    /// This server serves it.
    Here,
    /// Another server that lives serves it.
    There(Uuid, Node),
    /// Nobody serves it; whoever is asked for it may take it.
    Nowhere,
}

/// What another server said of itself last.
struct KnownServer {
    node: Node,
    revision: u64,
    heard: Instant,
    /// How many matches were sent there since its last sign of life.
    placed: u64,
}

pub(super) struct Directory {
    me: Uuid,
    lease: Duration,
    peers: DashMap<Uuid, KnownServer>,
    claims: DashMap<MatchId, ClaimRevision>,
    /// Since when this server is connected and hears what the others say.
    hears_since: Mutex<Instant>,
}

impl Directory {
    pub(super) fn new(me: Uuid, lease: Duration) -> Self {
        let hears_since = Mutex::new(Instant::now());
        Self { me, lease, peers: DashMap::new(), claims: DashMap::new(), hears_since }
    }

    /// Notes that this server was cut off: nobody is thought dead for what it did not hear meanwhile.
    pub(super) fn hear_again(&self) {
        *self.hears_since.lock().unwrap_or_else(PoisonError::into_inner) = Instant::now();
    }

    /// Notes that a server says that it lives.
    pub(super) fn hear(&self, node: Uuid, revision: u64, said: Node) {
        let heard = Instant::now();
        let mut peer = self.peers.entry(node).or_insert_with(|| KnownServer {
            node: Node::default(),
            revision: 0,
            heard,
            placed: 0,
        });
        if peer.revision < revision {
            *peer = KnownServer { node: said, revision, heard, placed: 0 };
        }
    }

    /// Notes that a server is gone for certain.
    pub(super) fn leave(&self, node: Uuid) {
        self.peers.remove(&node);
    }

    /// Notes that a server's lease was ended, by itself or by others. Says whether the server has had none since.
    pub(super) fn left(&self, node: Uuid, revision: u64) -> bool {
        self.peers.remove_if(&node, |_, peer| peer.revision < revision);
        !self.peers.contains_key(&node)
    }

    /// Servers that may be dead: nothing was heard of them for a lease, or they have claims and are not known.
    pub(super) fn silent(&self) -> Vec<Uuid> {
        let known = self.peers.iter().filter(|peer| *peer.key() != self.me && !self.is_heard(peer));
        let silent: Vec<Uuid> = known.map(|peer| *peer.key()).collect();
        let owners: HashSet<Uuid> = self.claims.iter().map(|claimed| claimed.node).collect();
        let unknown = owners.into_iter().filter(|node| *node != self.me && !self.peers.contains_key(node));
        unknown.chain(silent).collect()
    }

    /// The revision of the last sign of life that was heard of a server.
    pub(super) fn revision(&self, node: Uuid) -> Option<u64> {
        self.peers.get(&node).map(|peer| peer.revision)
    }

    /// The matches that a server has claimed.
    pub(super) fn claims_of(&self, node: Uuid) -> Vec<MatchId> {
        self.claims.iter().filter(|claimed| claimed.node == node).map(|claimed| *claimed.key()).collect()
    }

    /// Whether a server was heard of within its own lease.
    fn is_heard(&self, peer: &KnownServer) -> bool {
        let since = *self.hears_since.lock().unwrap_or_else(PoisonError::into_inner);
        let lease = if peer.node.lease_ms > 0 { Duration::from_millis(peer.node.lease_ms) } else { self.lease };
        peer.heard.max(since) + lease > Instant::now()
    }

    pub(super) fn is_alive(&self, node: Uuid) -> bool {
        node == self.me || self.peers.get(&node).is_some_and(|peer| self.is_heard(&peer))
    }

    /// The other servers that live.
    pub(super) fn others(&self) -> Vec<(Uuid, Node)> {
        let others = self.peers.iter().filter(|peer| *peer.key() != self.me && self.is_heard(peer));
        others.map(|peer| (*peer.key(), peer.node.clone())).collect()
    }

    pub(super) fn note(&self, id: MatchId, claimed: ClaimRevision) {
        let mut known = self.claims.entry(id).or_insert(claimed);
        if known.revision < claimed.revision {
            *known = claimed;
        }
    }

    pub(super) fn free(&self, id: MatchId, revision: u64) {
        self.claims.remove_if(&id, |_, known| known.revision <= revision);
    }

    pub(super) fn claim(&self, id: MatchId) -> Option<ClaimRevision> {
        self.claims.get(&id).map(|claimed| *claimed)
    }

    pub(super) fn whereabouts(&self, id: MatchId) -> Whereabouts {
        match self.claim(id) {
            Some(claimed) if claimed.node == self.me => Whereabouts::Here,
            Some(claimed) if self.is_alive(claimed.node) => match self.peers.get(&claimed.node) {
                Some(peer) => Whereabouts::There(claimed.node, peer.node.clone()),
                None => Whereabouts::Nowhere,
            },
            _ => Whereabouts::Nowhere,
        }
    }

    /// Matches whose server is gone for certain.
    pub(super) fn orphans(&self) -> Vec<MatchId> {
        let gone = |node: Uuid| node != self.me && !self.peers.contains_key(&node);
        let orphans = self.claims.iter().filter(|claimed| gone(claimed.node));
        orphans.map(|claimed| *claimed.key()).collect()
    }

    /// The server that gets a match which has to move. Every server comes to the same answer, and all get about as
    /// many.
    pub(super) fn heir(&self, id: MatchId, stays: bool) -> Option<Uuid> {
        let others = self.peers.iter().filter(|peer| !peer.node.draining && self.is_heard(peer));
        let others = others.map(|peer| *peer.key()).filter(|node| *node != self.me);
        others.chain(stays.then_some(self.me)).max_by_key(|node| weight(id, *node))
    }

    /// The server that a new match goes to: the one with the fewest, where this one has `own` matches.
    pub(super) fn least_loaded(&self, own: u64) -> Whereabouts {
        let others = self.peers.iter().filter(|peer| *peer.key() != self.me && self.is_heard(peer));
        let others = others.filter(|peer| !peer.node.draining);
        let least = others.map(|peer| (peer.node.claims + peer.placed, *peer.key())).min();
        let Some((_, node)) = least.filter(|(load, _)| *load < own) else { return Whereabouts::Here };
        match self.peers.get_mut(&node) {
            Some(mut peer) => {
                peer.placed += 1;
                Whereabouts::There(node, peer.node.clone())
            }
            None => Whereabouts::Here,
        }
    }
}

fn weight(id: MatchId, node: Uuid) -> u64 {
    let mut both = [0; 32];
    both[..16].copy_from_slice(id.0.as_bytes());
    both[16..].copy_from_slice(node.as_bytes());
    xxh3_64(&both)
}

#[cfg(test)]
mod tests {
    use super::*;

    const ME: Uuid = Uuid::from_u128(1);
    const LEASE: Duration = Duration::from_secs(10);

    fn directory(others: u128) -> Directory {
        let directory = Directory::new(ME, LEASE);
        (2..2 + others).for_each(|node| directory.hear(Uuid::from_u128(node), 1, Node::default()));
        directory
    }

    fn id(number: u128) -> MatchId {
        MatchId(Uuid::from_u128(number))
    }

    #[tokio::test(start_paused = true)]
    async fn who_says_nothing_for_a_lease_is_dead_and_leaves_orphans() {
        let directory = directory(2);
        let (alive, dead) = (Uuid::from_u128(2), Uuid::from_u128(3));
        directory.note(id(7), ClaimRevision { node: dead, revision: 1 });
        tokio::time::advance(LEASE / 2).await;
        directory.hear(alive, 2, Node::default());
        // Said before: it is no sign of life to hear it again.
        directory.hear(dead, 1, Node::default());
        assert!(matches!(directory.whereabouts(id(7)), Whereabouts::There(node, _) if node == dead));
        tokio::time::advance(LEASE / 2).await;
        assert_eq!((directory.is_alive(alive), directory.is_alive(dead)), (true, false));
        assert_eq!(directory.whereabouts(id(7)), Whereabouts::Nowhere);
        assert_eq!((directory.silent(), directory.orphans()), (vec![dead], vec![]));
        directory.leave(dead);
        assert_eq!(directory.orphans(), vec![id(7)]);
    }

    #[tokio::test(start_paused = true)]
    async fn an_old_end_is_no_end() {
        let directory = directory(1);
        let node = Uuid::from_u128(2);
        directory.hear(node, 7, Node::default());
        assert!(!directory.left(node, 5) && directory.is_alive(node));
        assert!(directory.left(node, 8) && !directory.is_alive(node));
    }

    #[tokio::test(start_paused = true)]
    async fn nobody_is_dead_for_what_this_server_did_not_hear() {
        let directory = directory(1);
        tokio::time::advance(2 * LEASE).await;
        directory.hear_again();
        assert!(directory.is_alive(Uuid::from_u128(2)));
    }

    #[tokio::test(start_paused = true)]
    async fn matches_are_spread_evenly_and_everybody_agrees() {
        let (here, there) = (directory(2), Directory::new(Uuid::from_u128(2), LEASE));
        [ME, Uuid::from_u128(3)].into_iter().for_each(|node| there.hear(node, 1, Node::default()));
        let mut got = std::collections::BTreeMap::<Uuid, u32>::new();
        for number in 0..3000 {
            let heir = here.heir(id(number), true).expect("somebody");
            assert_eq!(there.heir(id(number), true), Some(heir));
            *got.entry(heir).or_default() += 1;
        }
        assert!(got.len() == 3 && got.values().all(|count| (900..1100).contains(count)), "{got:?}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_leaves_inherits_nothing() {
        let directory = directory(1);
        directory.hear(Uuid::from_u128(2), 2, Node { draining: true, ..Node::default() });
        assert_eq!(directory.heir(id(1), true), Some(ME));
        assert_eq!(directory.heir(id(1), false), None);
        assert_eq!(directory.least_loaded(5), Whereabouts::Here);
    }

    #[tokio::test(start_paused = true)]
    async fn new_matches_go_to_the_least_loaded_one_by_one() {
        let directory = directory(2);
        let mut there = 0;
        for own in [3, 3, 3, 3, 3, 3] {
            there += u32::from(directory.least_loaded(own) != Whereabouts::Here);
        }
        assert_eq!(there, 6, "three to each of the others, which had none");
        assert_eq!(directory.least_loaded(3), Whereabouts::Here);
    }

    #[tokio::test(start_paused = true)]
    async fn an_older_claim_changes_nothing() {
        let directory = directory(1);
        directory.note(id(1), ClaimRevision { node: ME, revision: 5 });
        directory.note(id(1), ClaimRevision { node: Uuid::from_u128(2), revision: 4 });
        directory.free(id(1), 4);
        assert_eq!(directory.whereabouts(id(1)), Whereabouts::Here);
        directory.free(id(1), 6);
        assert_eq!(directory.whereabouts(id(1)), Whereabouts::Nowhere);
    }
}
