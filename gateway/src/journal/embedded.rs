//! The store in a folder of this machine.
//!
//! One thread writes. It takes all appends that wait, makes one commit of them and syncs once, so that the cost of a
//! sync is shared by everybody who waited for it. Each record carries a checksum of its own, and the engine's log is
//! looked over before it is opened, so that damage is named and stays where it is.

mod engine;
mod engine_log;
mod facts;
#[cfg(test)]
mod tests;
mod writer;

use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{mpsc, watch};

use self::engine::Engine;
use self::writer::{AppendAnswer, EmbeddedInbox, EmbeddedWriter, StoreShared};
use super::closing::{Closing, closing};
use super::record::ValueKey;
use super::{Append, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail, record};

/// The limits of an embedded store.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EmbeddedOptions {
    /// How many appends may wait in the queue.
    pub queue_appends: usize,
    /// How many appends one commit takes at most.
    pub batch_appends: usize,
    /// How many bytes one commit takes at most. A larger append is refused.
    pub batch_bytes: usize,
    /// How large a record may be.
    pub record_bytes: usize,
    /// How large a snapshot may be.
    pub snapshot_bytes: usize,
    /// How large the summary of a listing may be.
    pub summary_bytes: usize,
    /// Of how many matches the writer remembers the number of records.
    pub known_matches: usize,
    /// How much of what was read from the disk is kept in memory.
    pub cache_bytes: u64,
    /// How much is gathered in memory, for each kind of thing, before it goes into a sorted file.
    pub memtable_bytes: u64,
    /// How large the engine's log may become before it is shortened; at least 64 MiB.
    pub log_bytes: u64,
    /// How long to wait for more appends before a commit where many come at once.
    pub gather: Duration,
    /// How long to wait between two attempts to open the store again after a failed commit.
    pub reopen_pause: Duration,
}

impl Default for EmbeddedOptions {
    fn default() -> Self {
        Self {
            queue_appends: 8192,
            batch_appends: 1024,
            batch_bytes: 16 << 20,
            record_bytes: 1 << 20,
            snapshot_bytes: 8 << 20,
            summary_bytes: 64 << 10,
            known_matches: 1 << 16,
            cache_bytes: 16 << 20,
            memtable_bytes: 32 << 20,
            log_bytes: 128 << 20,
            gather: Duration::from_millis(2),
            reopen_pause: Duration::from_secs(2),
        }
    }
}

/// How many bytes of heads, keys and indexes one append has in the log beside its content: those of its snapshot, its
/// listing and about 70 records, of which appends have one or two.
const APPEND_OVERHEAD: usize = 4096;

impl EmbeddedOptions {
    /// How many bytes one commit takes in the log at most.
    const fn most_in_commit(&self) -> usize {
        self.batch_bytes.saturating_add(self.batch_appends.saturating_mul(APPEND_OVERHEAD))
    }

    /// Says in a sentence which limit an append breaks.
    fn check(&self, append: &Append) -> Result<(), String> {
        let last = append.after.saturating_add(append.records.len() as u64);
        if last > record::MAX_RECORDS {
            return Err(format!("a match has at most {} records", record::MAX_RECORDS));
        }
        let largest = append.records.iter().map(Bytes::len).max().unwrap_or(0);
        within("a record", largest, self.record_bytes)?;
        within("a snapshot", append.snapshot.as_ref().map_or(0, Bytes::len), self.snapshot_bytes)?;
        within("a summary", append.listing.as_ref().map_or(0, |listing| listing.summary.len()), self.summary_bytes)?;
        within("an append", writer::size(append), self.batch_bytes)
    }
}

fn within(what: &str, bytes: usize, limit: usize) -> Result<(), String> {
    if bytes <= limit { Ok(()) } else { Err(format!("{what} has {bytes} bytes, the limit is {limit}")) }
}

/// A task of the runtime that the store is opened in, which tells those who wait there. The store is closed when it has
/// told everything.
fn notifier(alive: Arc<watch::Sender<()>>) -> Option<mpsc::Sender<Vec<AppendAnswer>>> {
    /// How many commits may have answers that wait to be told; beyond that the writer tells them itself.
    const UNTOLD: usize = 16;
    let runtime = tokio::runtime::Handle::try_current().ok()?;
    let (sender, mut untold) = mpsc::channel(UNTOLD);
    runtime.spawn(async move {
        let _alive = alive;
        while let Some(answers) = untold.recv().await {
            writer::tell(answers);
        }
    });
    Some(sender)
}

/// Why a store cannot be opened. Nothing was changed.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has the store open.
    #[error("the store in {} is in use by another process", folder.display())]
    InUse {
        /// The folder of the store.
        folder: PathBuf,
    },
    /// Acknowledged writes would be lost.
    #[error("{} is damaged at byte {at}, and not by an interrupted write: restore the store from a copy", file.display())]
    Damaged {
        /// The file that is damaged.
        file: PathBuf,
        /// The byte where the damage begins.
        at: usize,
    },
    /// A limit is zero where that makes no sense.
    #[error("the limit {name} of the store has to be at least 1")]
    Limit {
        /// The name of the limit.
        name: &'static str,
    },
    /// The system or the engine failed.
    #[error("{} cannot be opened: {what}", path.display())]
    Failed {
        /// What could not be opened.
        path: PathBuf,
        /// Why it could not be opened.
        what: String,
    },
}

impl OpenError {
    fn failed(path: &Path, what: &impl ToString) -> Self {
        Self::Failed { path: path.to_owned(), what: what.to_string() }
    }
}

/// What a store looks like that nobody uses.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreCondition {
    /// There is no store yet.
    Absent,
    /// The log of the store is sound.
    Sound,
    /// The end of the log cannot be read, as where the last commit was interrupted; opening the store cuts it off.
    Unfinished {
        /// How many bytes cannot be read.
        bytes: usize,
    },
}

/// The file in the folder of a store that is locked by whoever uses it.
const LOCK_FILE: &str = "in-use";
/// The folder of the engine within the folder of a store.
const ENGINE_FOLDER: &str = "engine";

/// The folder of a store, held for this process alone as long as this lives.
struct Folder {
    path: PathBuf,
    _lock: File,
}

impl Folder {
    fn hold(path: &Path) -> Result<Self, OpenError> {
        let lock = Self::prepare(path).map_err(|error| OpenError::failed(path, &error))?;
        match lock.try_lock() {
            Ok(()) => Ok(Self { path: path.to_owned(), _lock: lock }),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse { folder: path.to_owned() }),
            Err(TryLockError::Error(error)) => Err(OpenError::failed(path, &error)),
        }
    }

    /// Makes the folder and the file that is locked, and sees to it that they outlast a loss of power.
    fn prepare(path: &Path) -> io::Result<File> {
        fs::create_dir_all(path.join(ENGINE_FOLDER))?;
        let path = path.canonicalize()?;
        let lock = File::options().create(true).truncate(false).write(true).open(path.join(LOCK_FILE))?;
        for folder in [Some(&*path), path.parent()].into_iter().flatten() {
            File::open(folder)?.sync_all()?;
        }
        Ok(lock)
    }

    fn engine(&self) -> PathBuf {
        self.path.join(ENGINE_FOLDER)
    }
}

/// A store in a folder.
pub struct Embedded {
    appends: mpsc::Sender<Append>,
    closing: Closing,
    shared: Arc<StoreShared>,
}

impl Embedded {
    /// Opens the store in a folder, which is made if there is none. This blocks; a log of a hundred megabytes takes
    /// about a second.
    ///
    /// # Errors
    ///
    /// Fails if another process uses the folder, if its files are damaged other than by an interrupted write, or if
    /// the system refuses.
    pub fn open(folder: &Path, options: EmbeddedOptions) -> Result<Self, OpenError> {
        for (name, limit) in [("queue_appends", options.queue_appends), ("batch_appends", options.batch_appends)] {
            if limit == 0 {
                return Err(OpenError::Limit { name });
            }
        }
        describe_metrics();
        let held = Folder::hold(folder)?;
        let engine = Engine::open(&held.engine(), &options)?;
        let shared = Arc::new(StoreShared::new(engine, held));
        let (appends, queue) = mpsc::channel(options.queue_appends);
        let (closing, closed) = closing();
        let inbox = EmbeddedInbox { appends: queue, closing: closed.asked };
        let alive = Arc::new(closed.alive);
        let writer = EmbeddedWriter::new(Arc::clone(&shared), options, notifier(Arc::clone(&alive)));
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build();
        let runtime = runtime.map_err(|error| OpenError::failed(folder, &error))?;
        let write = move || {
            // Dropped last, when everything the writer held is free again.
            let _alive = alive;
            runtime.block_on(writer.run(inbox));
        };
        let thread = std::thread::Builder::new().name("journal".to_owned()).spawn(write);
        thread.map_err(|error| OpenError::failed(folder, &error))?;
        Ok(Self { appends, closing, shared })
    }

    /// Looks at the store in a folder without opening it: who uses it, and whether its log is sound. Writes nothing;
    /// the lock is held for no longer than it takes to ask for it.
    ///
    /// # Errors
    ///
    /// Fails where [`Embedded::open`] would, as far as the lock and the log can tell.
    pub fn inspect(folder: &Path) -> Result<StoreCondition, OpenError> {
        let failed = |error: io::Error| OpenError::failed(folder, &error);
        let lock = match File::open(folder.join(LOCK_FILE)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(StoreCondition::Absent),
            opened => opened.map_err(failed)?,
        };
        match lock.try_lock_shared() {
            Ok(()) => drop(lock),
            Err(TryLockError::WouldBlock) => return Err(OpenError::InUse { folder: folder.to_owned() }),
            Err(TryLockError::Error(error)) => return Err(failed(error)),
        }
        let most = EmbeddedOptions::default().most_in_commit();
        Ok(match engine_log::inspect_all(&folder.join(ENGINE_FOLDER), most)? {
            None => StoreCondition::Sound,
            Some(unfinished) => StoreCondition::Unfinished { bytes: unfinished.bytes },
        })
    }

    /// Looks at the records in the log of a store that nobody uses, and writes nothing. Those that are only in sorted files are
    /// left out: the engine reads them, and it cannot be opened without writing.
    ///
    /// # Errors
    ///
    /// Fails where a file of the log cannot be read.
    pub fn look_at_log(folder: &Path, mut look: impl FnMut(MatchId, &[u8])) -> Result<(), OpenError> {
        engine_log::each_item(&folder.join(ENGINE_FOLDER), |key, value| {
            // A record is known by its checksum, which covers what kind of thing it is.
            let place = record::match_of_numbered(key).zip(record::number_of(key));
            let Some((id, number)) = place else { return };
            if let Ok(sound) = record::decode(ValueKey::record(id, number), value) {
                look(id, sound.content);
            }
        })
    }

    /// Reads on a thread where blocking does no harm.
    fn read_apart<T: Send + 'static>(
        &self,
        read: impl FnOnce(&Engine) -> Result<T, ReadError> + Send + 'static,
    ) -> BoxFuture<'_, Result<T, ReadError>> {
        let shared = Arc::clone(&self.shared);
        let reading = tokio::task::spawn_blocking(move || shared.read(read));
        async move { reading.await.unwrap_or_else(|error| Err(ReadError::Failed(error.to_string()))) }.boxed()
    }
}

impl Journal for Embedded {
    fn appends(&self) -> &mpsc::Sender<Append> {
        &self.appends
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        self.read_apart(move |engine| engine.records(id, from.after, bytes))
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        self.read_apart(move |engine| engine.snapshot(id, records))
    }

    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>> {
        self.read_apart(move |engine| engine.listing(id))
    }

    fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>> {
        self.read_apart(move |engine| engine.list(stage, before, limit))
    }

    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>> {
        self.read_apart(move |engine| engine.ending_in(tail))
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closing.close()
    }
}

fn describe_metrics() {
    metrics::describe_gauge!("parley_journal_queue_length", "Appends that wait while a commit is made");
    metrics::describe_histogram!("parley_journal_commit_records", "Records in a commit");
    metrics::describe_histogram!("parley_journal_commit_seconds", metrics::Unit::Seconds, "Duration of a commit");
}
