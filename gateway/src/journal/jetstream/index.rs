//! What the lobby shows, as the bucket of listings has it, held in memory by every server.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::{Arc, PoisonError, RwLock};

use async_nats::jetstream::kv::{Entry, Operation, Store};
use bytes::Bytes;
use parley_proto::journal::v1::Listed;
use prost::Message;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use uuid::Uuid;

use super::super::record::stage_of;
use super::super::{Listing, MatchId, Stage, Tail};
use crate::nats::{self, NatsError};

/// A listing and where it comes from.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub(super) listing: Listing,
    /// The revision of the listing in the bucket.
    pub(super) revision: u64,
    /// The sequence of the message, in the stream of journals, that brought it.
    pub(super) sequence: u64,
}

#[derive(Default)]
struct Listings {
    matches: BTreeMap<MatchId, Kept>,
    stages: [BTreeSet<MatchId>; Stage::ALL.len()],
    tails: HashMap<Tail, MatchId>,
}

/// The listings of all matches, held in memory.
pub(super) struct Index {
    listings: Arc<RwLock<Listings>>,
    following: JoinHandle<()>,
}

impl Drop for Index {
    fn drop(&mut self) {
        self.following.abort();
    }
}

impl Index {
    /// Reads all listings and goes on to follow their changes.
    pub(super) async fn follow(bucket: Store) -> Result<Self, NatsError> {
        let listings = Arc::new(RwLock::new(Listings::default()));
        let (ready, is_ready) = oneshot::channel();
        let following = tokio::spawn({
            let listings = Arc::clone(&listings);
            async move {
                let mut ready = Some(ready);
                // Whoever waits for it may have gone.
                let read = move || {
                    let _ = ready.take().map(|ready| ready.send(()));
                };
                nats::follow(&bucket, read, |entry| note(&listings, entry)).await;
            }
        });
        is_ready
            .await
            .map_err(|_| NatsError::Failed { what: "the listings".to_owned(), why: "it ended".to_owned() })?;
        Ok(Self { listings, following })
    }

    pub(super) fn get(&self, id: MatchId) -> Option<Kept> {
        self.listings.read().unwrap_or_else(PoisonError::into_inner).matches.get(&id).cloned()
    }

    pub(super) fn list(&self, stage: Stage, before: Option<MatchId>, limit: usize) -> Vec<(MatchId, Listing)> {
        let listings = self.listings.read().unwrap_or_else(PoisonError::into_inner);
        let listed = &listings.stages[place(stage)];
        let newest_first = match before {
            Some(before) => listed.range(..before),
            None => listed.range(..),
        };
        let found = newest_first.rev().take(limit);
        found.filter_map(|id| Some((*id, listings.matches.get(id)?.listing.clone()))).collect()
    }

    pub(super) fn ending_in(&self, tail: Tail) -> Option<MatchId> {
        self.listings.read().unwrap_or_else(PoisonError::into_inner).tails.get(&tail).copied()
    }

    /// Takes note of a listing, unless a newer one is known.
    pub(super) fn note(&self, id: MatchId, kept: Kept) {
        self.listings.write().unwrap_or_else(PoisonError::into_inner).note(id, kept);
    }
}

impl Listings {
    fn note(&mut self, id: MatchId, kept: Kept) {
        let known = self.matches.get(&id);
        if known.is_some_and(|known| known.revision >= kept.revision) {
            return;
        }
        if let Some(known) = known {
            self.stages[place(known.listing.stage)].remove(&id);
        }
        self.stages[place(kept.listing.stage)].insert(id);
        self.tails.insert(id.tail(), id);
        self.matches.insert(id, kept);
    }
}

const fn place(stage: Stage) -> usize {
    stage as usize - 1
}

/// Reads a value of the bucket.
pub(super) fn read(revision: u64, value: Bytes) -> Option<Kept> {
    let listed = Listed::decode(value).ok()?;
    let stage = stage_of(u8::try_from(listed.stage).ok()?)?;
    // A slice would keep all of the message that it came in.
    let listing = Listing { stage, summary: Bytes::copy_from_slice(&listed.summary) };
    Some(Kept { listing, revision, sequence: listed.sequence })
}

fn note(listings: &RwLock<Listings>, entry: Entry) {
    let known = Uuid::try_parse(&entry.key).ok().filter(|_| entry.operation == Operation::Put);
    if let Some((id, kept)) = known.zip(read(entry.revision, entry.value)) {
        listings.write().unwrap_or_else(PoisonError::into_inner).note(MatchId(id), kept);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kept(stage: Stage, revision: u64) -> Kept {
        Kept { listing: Listing { stage, summary: Bytes::from_static(b"x") }, revision, sequence: revision }
    }

    #[test]
    fn an_older_listing_never_replaces_a_newer_one() {
        let mut listings = Listings::default();
        let id = MatchId(Uuid::from_u128(1));
        listings.note(id, kept(Stage::Finished, 7));
        listings.note(id, kept(Stage::Running, 5));
        assert!(listings.stages[place(Stage::Finished)].contains(&id));
        assert!(listings.stages[place(Stage::Running)].is_empty());
        listings.note(id, kept(Stage::Open, 8));
        assert!(listings.stages[place(Stage::Finished)].is_empty());
    }
}
