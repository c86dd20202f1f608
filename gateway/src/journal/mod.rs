//! Where matches are written down. A store knows records, not what they mean.
//!
//! A match is a list of records, numbered from 1 without gaps. Only inputs are recorded; what follows from them is
//! computed again. Beside the records a store keeps snapshots, which only shorten that computation, and a listing per
//! match, which the lobby shows.
//!
//! Everything is written through one bounded queue ([`Journal::appends`]), so that the writer behind it can make
//! thousands of records of many matches durable with one sync. An append is applied whole or not at all.

mod closing;
pub mod embedded;
pub mod jetstream;
mod known;
pub mod memory;
mod record;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use smallvec::SmallVec;
use tokio::sync::{mpsc, oneshot};
use uuid::Uuid;

/// The name of a match. Names sort by the time of creation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MatchId(pub Uuid);

/// The end of a match's id: everything but the time. It names the request that created the match.
pub type Tail = [u8; 10];

impl MatchId {
    /// The id of a match that is created at a time, with an end of its own.
    pub fn new(at_ms: u64, tail: Tail) -> Self {
        let mut bytes = [0; 16];
        bytes[..6].copy_from_slice(&at_ms.to_be_bytes()[2..]);
        bytes[6..].copy_from_slice(&tail);
        Self(Uuid::from_bytes(bytes))
    }

    /// The end of the id, which is everything but the time.
    pub fn tail(self) -> Tail {
        let mut tail = [0; 10];
        tail.copy_from_slice(&self.0.as_bytes()[6..]);
        tail
    }
}

/// How far along a match is, as the lobby lists it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[repr(u8)]
pub enum Stage {
    /// Seats are still open, or the host has not started it.
    Open = 1,
    /// It is being played.
    Running = 2,
    /// It has ended, or was stopped.
    Finished = 3,
}

impl Stage {
    /// All stages, from the first to the last.
    pub const ALL: [Self; 3] = [Self::Open, Self::Running, Self::Finished];
}

/// What the lobby shows of a match.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Listing {
    /// How far along it is.
    pub stage: Stage,
    /// What is shown; opaque to the store.
    pub summary: Bytes,
}

/// Something to be made durable for one match.
#[derive(Debug)]
pub struct Append {
    /// The match that is appended to.
    pub id: MatchId,
    /// How many records the match has, as far as the writer of this append knows. A store that knows otherwise
    /// refuses: the writer is not the owner of the match any more.
    pub after: u64,
    /// New records, which get the numbers `after + 1` and up. May be empty.
    pub records: SmallVec<[Bytes; 2]>,
    /// The state that all records up to and including the new ones lead to, if a snapshot is to be kept.
    pub snapshot: Option<Bytes>,
    /// What the lobby shows from now on.
    pub listing: Option<Listing>,
    /// The sender that is told once everything above is durable, or that it never will be.
    pub done: oneshot::Sender<Result<(), AppendError>>,
}

/// Why an append was not made durable. Nothing of it was written, or it is not known whether it was.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum AppendError {
    /// The match has another number of records than the writer believes.
    #[error("the match has {actual} records, not {expected}")]
    Conflict {
        /// How many records the writer believes there are.
        expected: u64,
        /// How many records there really are.
        actual: u64,
    },
    /// The store failed, or the append breaks one of its limits; the match has to be read again to know what is so.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// Why a match, or the list of matches, cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReadError {
    /// There is a bad record, or one is missing.
    #[error("record {record} of match {id} is damaged: {what}")]
    Damaged {
        /// The id of the match.
        id: Uuid,
        /// The number of the record, counted from 1.
        record: u64,
        /// What is wrong with it.
        what: String,
    },
    /// The store failed.
    #[error("the store failed: {0}")]
    Failed(String),
}

/// A snapshot and the number of records that led to it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Snapshot {
    /// How many records it stands for.
    pub records: u64,
    /// What they led to; opaque to the store.
    pub state: Bytes,
}

/// The place in a journal where reading goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Mark {
    /// How many records come before this place.
    pub after: u64,
    /// Where the store finds the next record, if it has said so; 0 if it has to look.
    hint: u64,
}

impl Mark {
    /// The place after so many records.
    pub const fn after(after: u64) -> Self {
        Self { after, hint: 0 }
    }
}

/// Some records of a match, in order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Piece {
    /// The records.
    pub records: Vec<Bytes>,
    /// Where the records after these are read; `None` if these were the last.
    pub next: Option<Mark>,
}

/// A store of matches.
pub trait Journal: Send + Sync + 'static {
    /// The queue that appends go into. It is bounded; whoever sends to a full one waits.
    fn appends(&self) -> &mpsc::Sender<Append>;

    /// The records of a match from a mark on, at most so many bytes of them, but at least one; and to the end of an
    /// append where the store knows it. A damaged record is an error wherever it is, and stays as it is. A match that does
    /// not exist has no records.
    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>>;

    /// All records of a match after the first `after`, however many they are: for tests, which know how long their
    /// matches are.
    fn read(&self, id: MatchId, after: u64) -> BoxFuture<'_, Result<Vec<Bytes>, ReadError>> {
        async move {
            let (mut records, mut next) = (Vec::new(), Some(Mark::after(after)));
            while let Some(mark) = next {
                let mut piece = self.read_piece(id, mark, usize::MAX).await?;
                records.append(&mut piece.records);
                next = piece.next;
            }
            Ok(records)
        }
        .boxed()
    }

    /// The newest sound snapshot that stands for at most `records` records.
    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>>;

    /// What the lobby shows of a match.
    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>>;

    /// At most `limit` matches of a stage, the newest first, beginning below `before` where that is given.
    fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>>;

    /// The match whose id has this end, as long as the store has it. Of several, which only stores of older versions
    /// have, it is any.
    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>>;

    /// Comes back when everything that was sent before is durable and the store is closed for writing.
    fn close(&self) -> BoxFuture<'_, ()>;
}
