//! Claims of matches, compared and set in NATS.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::stream::LastRawMessageErrorKind;
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parley_proto::journal::v1::Claim;
use prost::Message;
use tokio::time::{Instant, sleep};
use tonic::Code;
use uuid::Uuid;

use super::directory::ClaimRevision;
use super::{Cluster, MARKS_KEPT};
use crate::journal::{MatchId, Stage};
use crate::matches::ownership::Ownership;
use crate::refusal::{Reason, Refusal};

/// How often a claim is tried that somebody else changes at the same time.
const ATTEMPTS: usize = 8;
/// How long to wait for somebody in this server who claims the same match.
const TAKING_TIME: Duration = Duration::from_secs(10);
/// How often to look whether that claim is settled.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Marks a match as being claimed, for as long as it lives.
struct Taking<'a> {
    cluster: &'a Cluster,
    id: MatchId,
}

impl Drop for Taking<'_> {
    fn drop(&mut self) {
        self.cluster.taking.remove(&self.id);
    }
}

impl Cluster {
    /// Claims a match, and takes it over in the journal.
    pub(super) async fn claim(&self, id: MatchId, new: bool) -> Result<(), Refusal> {
        if self.journal.stage(id) == Some(Stage::Finished) {
            // Nobody writes to it any more, so that everybody may read it.
            return Ok(());
        }
        let _taking = self.begin_taking(id).await?;
        if self.held.contains_key(&id) {
            return Ok(());
        }
        if !new && !self.journal.knows(id).await.map_err(|_| out_of_order())? {
            return Err(Refusal::no_match());
        }
        let mut known = self.directory.claim(id).map(|claimed| (Some(claimed.node), claimed.revision));
        for _ in 0..ATTEMPTS {
            if let Some((Some(node), _)) = known
                && node != self.me
                && !self.end_lease_if_dead(node).await
            {
                return Err(Refusal::moved());
            }
            if !self.is_good() || self.draining.load(Ordering::Relaxed) {
                return Err(Refusal::moved());
            }
            let revision = known.map_or(0, |(_, revision)| revision);
            match self.claims.update(key(id), of(self.me), revision).await {
                Ok(revision) => {
                    self.directory.note(id, ClaimRevision { node: self.me, revision });
                    self.journal.take(id, revision, new).await.map_err(|_| Refusal::moved())?;
                    self.held.insert(id, revision);
                    // Waiting for the journal may have taken long.
                    let own = self.directory.claim(id) == Some(ClaimRevision { node: self.me, revision });
                    if own && self.is_good() {
                        return Ok(());
                    }
                    self.lost(id);
                    return Err(Refusal::moved());
                }
                Err(_) => known = self.look_up(id).await?,
            }
        }
        Err(Refusal::moved())
    }

    /// Waits until nobody else of this server claims a match or lets it go.
    async fn begin_taking(&self, id: MatchId) -> Result<Taking<'_>, Refusal> {
        let end = Instant::now() + TAKING_TIME;
        while !self.taking.insert(id) {
            if Instant::now() >= end {
                return Err(Refusal::moved());
            }
            sleep(LOOK_EVERY).await;
        }
        Ok(Taking { cluster: self, id })
    }

    /// The server that has claimed a match, as the leader of the bucket knows it, and the revision of that claim.
    async fn look_up(&self, id: MatchId) -> Result<Option<(Option<Uuid>, u64)>, Refusal> {
        let subject = format!("{}{}", self.claims.prefix, key(id));
        match self.claims.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) => {
                let node = Claim::decode(message.payload).ok().and_then(|claim| Uuid::from_slice(&claim.node).ok());
                if let Some(node) = node {
                    self.directory.note(id, ClaimRevision { node, revision: message.sequence });
                }
                Ok(Some((node, message.sequence)))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(_) => Err(out_of_order()),
        }
    }

    /// Gives a claim up, unless somebody else has it by now.
    async fn give_back(&self, id: MatchId, revision: u64) {
        let key = key(id);
        let given = if self.nats.batches {
            self.claims.purge_expect_revision_with_ttl(&key, revision, MARKS_KEPT).await
        } else {
            self.claims.purge_expect_revision(&key, Some(revision)).await
        };
        match given {
            Ok(()) => self.directory.free(id, revision),
            Err(error) => tracing::debug!(match_id = %id.0, %error, "a claim was not given back"),
        }
    }

    /// Gives up a claim that nobody sees to: of a match that was never written down, or that has nothing to do.
    pub(super) async fn forget_claim(&self, id: MatchId) {
        let Ok(_taking) = self.begin_taking(id).await else { return };
        if self.held.contains_key(&id) {
            return;
        }
        if let Ok(Some((Some(node), revision))) = self.look_up(id).await
            && (node == self.me || self.end_lease_if_dead(node).await)
        {
            self.give_back(id, revision).await;
        }
    }

    /// Hands a match to another server, or to nobody where there is none.
    pub(super) async fn hand_over_one(&self, id: MatchId) {
        // From here on nobody brings it back to this server.
        let Some((_, revision)) = self.held.remove(&id) else { return };
        if let Some(matches) = self.matches.get() {
            matches.stop(id).await;
        }
        self.journal.let_go(id);
        let heir = if self.has_to_wake(id).await { self.directory.heir(id, false) } else { None };
        let Some(heir) = heir else { return self.give_back(id, revision).await };
        match self.claims.update(key(id), of(heir), revision).await {
            Ok(revision) => self.directory.note(id, ClaimRevision { node: heir, revision }),
            Err(error) => tracing::debug!(match_id = %id.0, %error, "a match was not handed over"),
        }
    }
}

impl Ownership for Cluster {
    fn hold(&self, id: MatchId) -> BoxFuture<'_, Result<(), Refusal>> {
        self.claim(id, false).boxed()
    }

    fn hold_new(&self, id: MatchId) -> BoxFuture<'_, Result<(), Refusal>> {
        self.claim(id, true).boxed()
    }

    fn reserve(&self, tail: [u8; 10], id: MatchId) -> BoxFuture<'_, Result<(MatchId, bool), Refusal>> {
        async move {
            let key: String = tail.iter().map(|byte| format!("{byte:02x}")).collect();
            for _ in 0..ATTEMPTS {
                let reserved = self.creations.update(&key, Bytes::copy_from_slice(id.0.as_bytes()), 0).await;
                if reserved.is_ok() {
                    return Ok((id, true));
                }
                let subject = format!("{}{key}", self.creations.prefix);
                let first = self.creations.stream.get_last_raw_message_by_subject(&subject).await;
                if let Some(first) = first.ok().and_then(|message| Uuid::from_slice(&message.payload).ok()) {
                    return Ok((MatchId(first), MatchId(first) == id));
                }
                sleep(LOOK_EVERY).await;
            }
            Err(out_of_order())
        }
        .boxed()
    }

    fn release(&self, id: MatchId) -> BoxFuture<'_, ()> {
        // Whoever wants it from here on waits until it is given back.
        let taking = self.taking.insert(id).then_some(Taking { cluster: self, id });
        let held = taking.as_ref().and_then(|_| self.held.remove(&id));
        async move {
            let _taking = taking;
            if let Some((_, revision)) = held {
                self.journal.let_go(id);
                self.give_back(id, revision).await;
            }
        }
        .boxed()
    }

    fn lost(&self, id: MatchId) {
        self.held.remove(&id);
        self.journal.let_go(id);
    }

    fn held(&self) -> usize {
        self.held.len()
    }

    fn is_good(&self) -> bool {
        Self::is_good(self)
    }
}

fn key(id: MatchId) -> String {
    id.0.simple().to_string()
}

fn of(node: Uuid) -> Bytes {
    Claim { node: node.as_bytes().to_vec().into() }.encode_to_vec().into()
}

fn out_of_order() -> Refusal {
    Refusal::new(Code::Unavailable, Reason::StoreFailed, "the store does not answer; try again")
}
