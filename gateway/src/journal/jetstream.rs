//! The store that the servers of a cluster share: a stream of NATS JetStream.
//!
//! Each match has a subject of its own, and each append is one message on it, so that it is stored whole or not at all.
//! A message names the one before it on its subject, and the stream takes it only if that is so. Whoever takes a match
//! over writes a message too, and from then on whoever had it before cannot write any more, however late it notices.
//!
//! What the lobby shows and snapshots are in buckets beside the stream. They are written after the records that they
//! follow from, and before those are acknowledged.

mod index;
mod reader;
mod writer;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use async_nats::jetstream::kv;
use async_nats::jetstream::stream::{LastRawMessageErrorKind, Stream};
use bytes::Bytes;
use dashmap::DashMap;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parley_proto::journal::v1::{Appended, Saved};
use prost::Message;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

use self::index::Index;
use self::writer::{StreamInbox, StreamWriter, Take};
use super::closing::{Closing, closing};
use super::known::Known;
use super::{
    Append, AppendError, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage as ListedStage, Tail,
};
use crate::nats::{Nats, NatsError};

/// The limits of a shared store.
#[derive(Clone, Debug)]
pub struct JetStreamOptions {
    /// The id of this server.
    pub node: Uuid,
    /// How many appends may wait in the queue, and as many again before their matches.
    pub queue_appends: usize,
    /// How many messages may be on their way at a time.
    pub window: usize,
    /// How many bytes one message may have, beside its envelope.
    pub message_bytes: usize,
    /// How large a snapshot may be; a larger one is left out.
    pub snapshot_bytes: usize,
    /// Of how many matches the place of the last snapshot is remembered.
    pub known_snapshots: usize,
    /// How long an append may take before it is given up.
    pub patience: Duration,
    /// Whether matches are written to only under claims, as in a cluster.
    pub claimed: bool,
    /// Whether the stream is asked to refuse what does not follow. Always, except where a test wants to see what
    /// happens otherwise.
    pub fenced: bool,
}

impl JetStreamOptions {
    /// The limits for a server, with records of up to so many bytes.
    pub fn new(node: Uuid, record_bytes: usize) -> Self {
        Self {
            node,
            queue_appends: 8192,
            window: 1024,
            message_bytes: record_bytes,
            snapshot_bytes: record_bytes,
            known_snapshots: 1 << 16,
            patience: Duration::from_secs(30),
            claimed: false,
            fenced: true,
        }
    }
}

/// What is known of a match that this server writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StreamFacts {
    /// How many records it has.
    records: u64,
    /// The sequence of its last message.
    sequence: u64,
    /// The claim under which this server writes; 0 where nobody claims anything.
    claim: u64,
}

/// How many records a snapshot stands for, and the sequence of the message that brought the last of them.
#[derive(Clone, Copy, Debug)]
struct Seek {
    records: u64,
    sequence: u64,
}

/// The last message of a match.
struct Last {
    sequence: u64,
    appended: Appended,
}

impl Last {
    fn records(&self) -> u64 {
        self.appended.after.saturating_add(self.appended.records.len() as u64)
    }
}

struct StreamShared {
    nats: Nats,
    journal: Stream,
    listings: kv::Store,
    snapshots: kv::Store,
    index: Index,
    facts: DashMap<MatchId, StreamFacts>,
    seeks: Mutex<Known<Seek>>,
    options: JetStreamOptions,
    /// How many appends wait, and how many microseconds the last one took.
    waiting: AtomicU64,
    append_us: AtomicU64,
}

impl StreamShared {
    fn subject(&self, id: MatchId) -> String {
        self.nats.subject(id.0.simple())
    }

    /// The last message of a match, as the leader of the stream knows it.
    async fn last(&self, id: MatchId) -> Result<Option<Last>, String> {
        match self.journal.get_last_raw_message_by_subject(&self.subject(id)).await {
            Ok(message) => {
                let appended = Appended::decode(message.payload).map_err(|error| error.to_string())?;
                Ok(Some(Last { sequence: message.sequence, appended }))
            }
            Err(error) if error.kind() == LastRawMessageErrorKind::NoMessageFound => Ok(None),
            Err(error) => Err(error.to_string()),
        }
    }

    fn remember_snapshot(&self, id: MatchId, seek: Seek) {
        self.seeks.lock().unwrap_or_else(PoisonError::into_inner).set(id, seek);
    }

    fn snapshot_place(&self, id: MatchId) -> Option<Seek> {
        self.seeks.lock().unwrap_or_else(PoisonError::into_inner).get(id)
    }

    /// The key of a snapshot in its bucket.
    fn snapshot_key(id: MatchId, records: u64) -> String {
        format!("{}.{records}", id.0.simple())
    }

    /// Writes a snapshot. It only shortens reading, so that a match goes on without it.
    async fn keep_snapshot(&self, id: MatchId, records: u64, sequence: u64, state: Bytes) {
        if state.len() > self.options.snapshot_bytes {
            let bytes = state.len();
            tracing::warn!(match_id = %id.0, bytes, "a snapshot is too large for NATS and is left out");
            return;
        }
        let saved = Saved { records, sequence, state };
        match self.snapshots.put(Self::snapshot_key(id, records), saved.encode_to_vec().into()).await {
            Ok(_) => self.remember_snapshot(id, Seek { records, sequence }),
            Err(error) => tracing::warn!(match_id = %id.0, records, %error, "a snapshot was not written"),
        }
    }
}

/// A store in NATS JetStream.
pub struct JetStream {
    appends: mpsc::Sender<Append>,
    takes: mpsc::Sender<Take>,
    closing: Closing,
    shared: Arc<StreamShared>,
}

impl JetStream {
    /// Opens the store; the stream and its buckets are made where there are none.
    pub async fn open(nats: Nats, options: JetStreamOptions) -> Result<Self, NatsError> {
        let journal = nats.journal().await?;
        let listings = nats.bucket("listings", Duration::ZERO, None).await?;
        let snapshots = nats.bucket("snapshots", Duration::ZERO, None).await?;
        let index = Index::follow(listings.clone()).await?;
        let (appends, queue) = mpsc::channel(options.queue_appends);
        let (takes, wishes) = mpsc::channel(options.window);
        let (closing, closed) = closing();
        let seeks = Mutex::new(Known::new(options.known_snapshots));
        let shared = Arc::new(StreamShared {
            nats,
            journal,
            listings,
            snapshots,
            index,
            facts: DashMap::new(),
            seeks,
            options,
            waiting: AtomicU64::new(0),
            append_us: AtomicU64::new(0),
        });
        let writer = StreamWriter::new(Arc::clone(&shared));
        tokio::spawn(async move {
            writer.run(StreamInbox { appends: queue, takes: wishes, closing: closed.asked }).await;
            drop(closed.alive);
        });
        Ok(Self { appends, takes, closing, shared })
    }

    /// Takes a match over under a claim: writes a message after which nobody else's follows, unless the match is new
    /// and has none. Gives back how many records it has.
    pub async fn take(&self, id: MatchId, claim: u64, new: bool) -> Result<u64, AppendError> {
        let closed = || AppendError::Failed("the store is closed".to_owned());
        let (done, taken) = oneshot::channel();
        self.takes.send(Take { id, claim, new, done }).await.map_err(|_| closed())?;
        taken.await.map_err(|_| closed())?
    }

    /// Lets go of a match that is not this server's any more: what it still wants to append is refused.
    pub fn let_go(&self, id: MatchId) {
        self.shared.facts.remove(&id);
    }

    /// Lets go of all matches, because none is this server's any more.
    pub fn let_all_go(&self) {
        self.shared.facts.clear();
    }

    /// Whether there is a match with this name.
    pub async fn knows(&self, id: MatchId) -> Result<bool, ReadError> {
        if self.shared.index.get(id).is_some() {
            return Ok(true);
        }
        self.shared.last(id).await.map(|last| last.is_some()).map_err(ReadError::Failed)
    }

    /// The stage that a match is listed under.
    pub fn stage(&self, id: MatchId) -> Option<ListedStage> {
        self.shared.index.get(id).map(|kept| kept.listing.stage)
    }

    /// How many appends wait, and how many microseconds the last one took.
    pub fn lag(&self) -> (u64, u64) {
        (self.shared.waiting.load(Ordering::Relaxed), self.shared.append_us.load(Ordering::Relaxed))
    }
}

impl Journal for JetStream {
    fn appends(&self) -> &mpsc::Sender<Append> {
        &self.appends
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        self.shared.read(id, from, bytes).boxed()
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        self.shared.snapshot(id, records).boxed()
    }

    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>> {
        let listing = self.shared.index.get(id).map(|listed| listed.listing);
        std::future::ready(Ok(listing)).boxed()
    }

    fn list(
        &self,
        stage: ListedStage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>> {
        std::future::ready(Ok(self.shared.index.list(stage, before, limit))).boxed()
    }

    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>> {
        std::future::ready(Ok(self.shared.index.ending_in(tail))).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closing.close()
    }
}
