//! The lease of a server: a value in a bucket that only its server renews, and that only those end who have heard
//! nothing of it for as long as it lasts.
//!
//! Both compare and set. A renewal that comes too late fails, because the lease has been ended, and then the server
//! lets go of everything. So nobody takes a match over whose server may still think that it has it: its lease counts
//! from the moment in which the last successful renewal was sent, and theirs from the moment in which they heard of it.

use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::stream::LastRawMessageErrorKind;
use parley_proto::journal::v1::Node;
use prost::Message;
use tokio::time::{Instant, sleep, timeout};
use uuid::Uuid;

use super::Cluster;
use crate::journal::Stage;

/// What a bucket holds of a server's lease.
enum Found {
    /// A lease that was not ended, with its revision and what the server says of itself.
    Lease(u64, Node),
    /// The mark of a lease that was ended, with its revision.
    Mark(u64),
    /// Neither a lease nor a mark.
    Nothing,
}

impl Cluster {
    /// Whether this server may serve: its lease is good.
    pub fn is_good(&self) -> bool {
        let renewed = self.started + Duration::from_millis(self.renewed_ms.load(Ordering::Acquire));
        !self.fenced || (self.has_lease.load(Ordering::Acquire) && renewed.elapsed() < self.options.lease)
    }

    /// What this server says of itself when it renews its lease.
    fn sign_of_life(&self) -> Node {
        let (waiting, append_us) = self.journal.lag();
        Node {
            address: self.options.address.clone(),
            tls: self.options.trust.is_some(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            draining: self.draining.load(Ordering::Relaxed),
            claims: self.held.len() as u64,
            in_memory: self.matches.get().map_or(0, |matches| matches.in_memory() as u64),
            waiting,
            append_us,
            started_ms: self.started_ms,
            lease_ms: self.options.lease.as_millis() as u64,
        }
    }

    /// Renews the lease, or gets a new one when it has ended.
    pub(super) async fn renew(&self) {
        let renewed = timeout(self.options.lease / 3, self.try_to_renew()).await;
        match renewed {
            Ok(Ok(())) => {}
            Ok(Err(why)) => tracing::warn!(why, "the lease of this server was not renewed"),
            Err(_) => tracing::warn!("the lease of this server was not renewed: NATS does not answer"),
        }
    }

    async fn try_to_renew(&self) -> Result<(), String> {
        if !self.is_good() {
            self.give_up();
        }
        let key = self.me.simple().to_string();
        let asked = Instant::now();
        let revision = self.lease_revision.load(Ordering::Acquire);
        let said = self.sign_of_life().encode_to_vec().into();
        let error = match self.nodes.update(&key, said, revision).await {
            Ok(revision) => {
                metrics::histogram!("parley_cluster_renewal_seconds").record(asked.elapsed());
                let renewed = asked.duration_since(self.started).as_millis() as u64;
                self.renewed_ms.store(renewed, Ordering::Release);
                self.lease_revision.store(revision, Ordering::Release);
                if !self.has_lease.swap(true, Ordering::AcqRel) {
                    self.directory.hear_again();
                }
                return Ok(());
            }
            Err(error) => error,
        };
        // Whether it is a lost answer or a lost lease is to be seen in the bucket.
        let (revision, ended) = match self.look_up_lease(self.me).await? {
            Found::Lease(revision, _) => (revision, false),
            Found::Mark(revision) => (revision, true),
            Found::Nothing => (0, true),
        };
        self.lease_revision.store(revision, Ordering::Release);
        if ended && self.has_lease.swap(false, Ordering::AcqRel) {
            self.give_up();
        }
        Err(error.to_string())
    }

    /// What the leader of the bucket holds of a server's lease.
    async fn look_up_lease(&self, node: Uuid) -> Result<Found, String> {
        let subject = format!("{}{}", self.nodes.prefix, node.simple());
        match self.nodes.stream.get_last_raw_message_by_subject(&subject).await {
            Ok(message) if message.payload.is_empty() => Ok(Found::Mark(message.sequence)),
            Ok(message) => match Node::decode(message.payload) {
                Ok(said) => Ok(Found::Lease(message.sequence, said)),
                Err(_) => Ok(Found::Mark(message.sequence)),
            },
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(Found::Nothing),
            Err(error) => Err(error.to_string()),
        }
    }

    /// Renews the lease again and again, sooner when it was not renewed.
    pub(super) async fn keep_renewing(&self) {
        let mut good = true;
        loop {
            let pause = self.options.lease / if good { 3 } else { 12 };
            sleep(pause).await;
            let before = self.renewed_ms.load(Ordering::Acquire);
            self.renew().await;
            good = self.renewed_ms.load(Ordering::Acquire) != before;
            if !self.is_good() {
                self.give_up();
            }
            self.count();
        }
    }

    fn count(&self) {
        metrics::gauge!("parley_cluster_lease_held").set(if self.is_good() { 1.0 } else { 0.0 });
        metrics::gauge!("parley_cluster_nodes").set(self.directory.others().len() as f64 + 1.0);
        metrics::gauge!("parley_cluster_claims").set(self.held.len() as f64);
        if let Some(matches) = self.matches.get() {
            let own = |stage| self.held.iter().filter(|held| self.journal.stage(*held.key()) == Some(stage)).count();
            matches.metrics.set_unfinished(own(Stage::Open), own(Stage::Running));
        }
    }

    /// Lets go of all matches because the lease has ended and the others take them over.
    fn give_up(&self) {
        if !self.fenced {
            return;
        }
        if !self.held.is_empty() {
            tracing::warn!(matches = self.held.len(), "the lease of this server has ended; its matches are let go");
        }
        self.journal.let_all_go();
        self.held.clear();
        if let Some(matches) = self.matches.get() {
            matches.revoke_all();
        }
    }

    /// Whether a server of which nothing was heard for a lease is dead. If it is, its lease is ended, so that it cannot
    /// be renewed any more.
    pub(super) async fn end_lease_if_dead(&self, node: Uuid) -> bool {
        if node == self.me || self.directory.is_alive(node) {
            return false;
        }
        let found = match self.directory.revision(node) {
            Some(heard) => {
                let key = node.simple().to_string();
                match self.nodes.purge_expect_revision(&key, Some(heard)).await {
                    Ok(()) => Ok(Found::Nothing),
                    Err(_) => self.look_up_lease(node).await,
                }
            }
            None => self.look_up_lease(node).await,
        };
        match found {
            Ok(Found::Lease(revision, said)) => {
                self.directory.hear(node, revision, said);
                false
            }
            Ok(Found::Mark(_) | Found::Nothing) => {
                self.directory.leave(node);
                self.peers.disconnect(node);
                true
            }
            Err(_) => false,
        }
    }
}
