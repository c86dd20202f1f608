//! The engine under the embedded store: what is kept where, and how it is read.

use std::fs;
use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use bytes::Bytes;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, OwnedWriteBatch, PersistMode, Readable};

use super::super::record::{self, MORE, ValueFault, ValueKey};
use super::super::{Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail};
use super::engine_log;
use super::facts::Facts;
use super::{EmbeddedOptions, OpenError};

/// How many ids are indexed with one commit where an older version has left no index.
const INDEXED_AT_ONCE: usize = 4096;

/// An open engine with its keyspaces.
pub(super) struct Engine {
    pub(super) records: Keyspace,
    pub(super) snapshots: Keyspace,
    pub(super) listings: Keyspace,
    pub(super) stages: Keyspace,
    /// The ids of matches by their ends.
    pub(super) tails: Keyspace,
    database: Database,
}

impl Engine {
    /// Opens the engine in a folder of its own that nobody else uses, and makes it if there is none.
    pub(super) fn open(folder: &Path, options: &EmbeddedOptions) -> Result<Self, OpenError> {
        fs::create_dir_all(folder).map_err(|error| OpenError::failed(folder, &error))?;
        remove_unfinished_creation(folder).map_err(|error| OpenError::failed(folder, &error))?;
        engine_log::check(folder, options.most_in_commit())?;
        // The engine trusts its own files: some damage makes it panic.
        match catch_unwind(AssertUnwindSafe(|| Self::open_engine(folder, options))) {
            Ok(opened) => opened.map_err(|error| OpenError::failed(folder, &sentence(&error))),
            Err(_) => Err(OpenError::failed(folder, &"its files are damaged")),
        }
    }

    fn open_engine(folder: &Path, options: &EmbeddedOptions) -> fjall::Result<Self> {
        let database = Database::builder(folder)
            .worker_threads(1)
            .cache_size(options.cache_bytes)
            .max_journaling_size(options.log_bytes.max(64 << 20))
            .journal_compression(fjall::CompressionType::None)
            .open()?;
        let keyspace = |name| {
            database.keyspace(name, || KeyspaceCreateOptions::default().max_memtable_size(options.memtable_bytes))
        };
        let engine = Self {
            records: keyspace("records")?,
            snapshots: keyspace("snapshots")?,
            listings: keyspace("listings")?,
            stages: keyspace("stages")?,
            tails: keyspace("tails")?,
            database,
        };
        engine.index_tails()?;
        Ok(engine)
    }

    /// Indexes the ids of matches that a version before this index has written. It begins with the last of them, so
    /// that the first is in the index only when all are.
    fn index_tails(&self) -> fjall::Result<()> {
        let Some(first) = self.stages.iter().next() else { return Ok(()) };
        let Some(first) = record::match_of(&first.key()?) else { return Ok(()) };
        if self.tails.contains_key(first.tail())? {
            return Ok(());
        }
        let mut batch = self.batch(INDEXED_AT_ONCE);
        for item in self.stages.iter().rev() {
            if let Some(id) = record::match_of(&item.key()?) {
                batch.insert(&self.tails, id.tail(), id.0.as_bytes());
            }
            if batch.len() == INDEXED_AT_ONCE {
                std::mem::replace(&mut batch, self.batch(INDEXED_AT_ONCE)).commit()?;
            }
        }
        batch.commit()
    }

    /// The match whose id has this end.
    pub(super) fn ending_in(&self, tail: Tail) -> Result<Option<MatchId>, ReadError> {
        let found = self.tails.get(tail).map_err(failed)?;
        Ok(found.and_then(|id| uuid::Uuid::from_slice(&id).ok()).map(MatchId))
    }

    /// A batch that is durable once it is committed.
    pub(super) fn batch(&self, items: usize) -> OwnedWriteBatch {
        OwnedWriteBatch::with_capacity(self.database.clone(), items).durability(Some(PersistMode::SyncData))
    }

    /// What the writer has to know of a match.
    pub(super) fn facts(&self, id: MatchId) -> fjall::Result<Facts> {
        let mut stages = 0;
        for stage in Stage::ALL {
            if self.stages.contains_key(record::staged(stage, id))? {
                stages |= Facts::bit(stage);
            }
        }
        Ok(Facts { records: self.last_record(id)?, stages })
    }

    /// The number of the last record of a match, 0 if it has none.
    pub(super) fn last_record(&self, id: MatchId) -> fjall::Result<u64> {
        let last = self.records.range(record::numbered(id, 0)..=record::numbered(id, u64::MAX)).next_back();
        let Some(last) = last else { return Ok(0) };
        Ok(record::number_of(&last.key()?).unwrap_or(0))
    }

    /// The records of a match after the first `after`: so many bytes of them, but at least one append.
    pub(super) fn records(&self, id: MatchId, after: u64, bytes: usize) -> Result<Piece, ReadError> {
        let Some(first) = after.checked_add(1) else { return Ok(Piece::default()) };
        let (mut sound, mut room) = (Vec::new(), bytes);
        let mut is_whole = true;
        let keys = record::numbered(id, first)..=record::numbered(id, u64::MAX);
        for (item, number) in self.records.range(keys).zip(first..) {
            let (key, value) = item.into_inner().map_err(failed)?;
            if record::number_of(&key) != Some(number) {
                return Err(damaged(id, number, &"it is missing"));
            }
            let record =
                record::decode(ValueKey::record(id, number), &value).map_err(|fault| damaged(id, number, &fault))?;
            // Whether the last append is whole is seen only where all of it is read.
            if record.content.len() > room && is_whole && !sound.is_empty() {
                return Ok(Piece { records: sound, next: Some(Mark::after(number - 1)) });
            }
            is_whole = record.flags & MORE == 0;
            room = room.saturating_sub(record.content.len());
            sound.push(Bytes::copy_from_slice(record.content));
        }
        if !is_whole {
            return Err(damaged(id, first + sound.len() as u64, &"it is missing, and it is a part of the last append"));
        }
        Ok(Piece { records: sound, next: None })
    }

    /// The newest sound snapshot of a match that stands for at most `records` records.
    pub(super) fn snapshot(&self, id: MatchId, records: u64) -> Result<Option<Snapshot>, ReadError> {
        for item in self.snapshots.range(record::numbered(id, 0)..=record::numbered(id, records)).rev() {
            let (key, value) = item.into_inner().map_err(failed)?;
            let number = record::number_of(&key).unwrap_or(0);
            match record::decode(ValueKey::snapshot(id, number), &value) {
                Ok(snapshot) => {
                    let state = Bytes::copy_from_slice(snapshot.content);
                    return Ok(Some(Snapshot { records: number, state }));
                }
                Err(fault) => tracing::warn!(
                    match_id = %id.0, records = number, %fault, "a snapshot is damaged, an older one is used"
                ),
            }
        }
        Ok(None)
    }

    /// What the lobby shows of a match.
    pub(super) fn listing(&self, id: MatchId) -> Result<Option<Listing>, ReadError> {
        let Some(value) = self.listings.get(id.0.as_bytes()).map_err(failed)? else { return Ok(None) };
        match decode_listing(id, &value) {
            Ok(listing) => Ok(Some(listing)),
            Err(fault) => Err(ReadError::Failed(format!("the listing of match {} is damaged: {fault}", id.0))),
        }
    }

    /// At most `limit` matches of a stage, the newest first. Damaged listings are left out.
    pub(super) fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> Result<Vec<(MatchId, Listing)>, ReadError> {
        let first = record::staged(stage, MatchId(uuid::Uuid::nil()));
        let last = record::staged(stage, before.unwrap_or(MatchId(uuid::Uuid::max())));
        let view = self.database.snapshot();
        let mut found = Vec::new();
        for item in view.range(&self.stages, first..=last).rev() {
            if found.len() == limit {
                break;
            }
            let Some(id) = record::match_of(&item.key().map_err(failed)?) else { continue };
            if before == Some(id) {
                continue;
            }
            let value = view.get(&self.listings, id.0.as_bytes()).map_err(failed)?;
            match decode_listing(id, &value.unwrap_or_default()) {
                Ok(listing) => found.push((id, listing)),
                Err(fault) => tracing::warn!(match_id = %id.0, %fault, "a listing is damaged and left out"),
            }
        }
        Ok(found)
    }
}

/// Removes what is left where the making of the engine's folder was interrupted, before anything was written to it.
fn remove_unfinished_creation(folder: &Path) -> io::Result<()> {
    let version = folder.join("version");
    let log = folder.join("0.jnl");
    let is_finished = fs::metadata(&version).is_ok_and(|file| file.len() > 0);
    if is_finished || !log.try_exists()? || !engine_log::is_blank(&log)? {
        return Ok(());
    }
    fs::remove_file(log)?;
    if version.try_exists()? { fs::remove_file(version) } else { Ok(()) }
}

fn decode_listing(id: MatchId, value: &[u8]) -> Result<Listing, ValueFault> {
    let listing = record::decode(ValueKey::listing(id), value)?;
    let (stage, summary) = listing.content.split_first().ok_or(ValueFault::Short)?;
    let stage = record::stage_of(*stage).ok_or(ValueFault::Checksum)?;
    Ok(Listing { stage, summary: Bytes::copy_from_slice(summary) })
}

fn damaged(id: MatchId, record: u64, what: &impl ToString) -> ReadError {
    ReadError::Damaged { id: id.0, record, what: what.to_string() }
}

/// A failure of the engine as the store reports it.
pub(super) fn failed(error: fjall::Error) -> ReadError {
    ReadError::Failed(sentence(&error))
}

/// The error of the engine as a sentence.
pub(super) fn sentence(error: &fjall::Error) -> String {
    match error {
        fjall::Error::Io(error) | fjall::Error::Storage(fjall::LsmError::Io(error)) => error.to_string(),
        fjall::Error::Poisoned => "an earlier write failed".to_owned(),
        fjall::Error::Locked => "another process uses it".to_owned(),
        fjall::Error::InvalidVersion(_) => "it was made by another version of the engine".to_owned(),
        other => format!("the engine says {other:?}"),
    }
}
