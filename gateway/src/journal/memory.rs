//! The store for tests: nothing reaches a disk, and a test decides what is durable and when.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::{BoxFuture, ready};
use tokio::sync::{mpsc, watch};

use super::closing::{Closing, closing};
use super::{Append, AppendError, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail};

/// How many appends may wait in the queue.
const QUEUE_APPENDS: usize = 8192;

/// How many appends are taken from the queue at once.
const BATCH_APPENDS: usize = 1024;

/// A store that forgets everything with the process.
///
/// It writes in a task of the runtime it was made in, so it also works where a test has stopped the clock.
pub struct Memory {
    appends: mpsc::Sender<Append>,
    closing: Closing,
    shared: Arc<MemoryShared>,
}

struct MemoryShared {
    state: Mutex<State>,
    /// How many appends are held back.
    held: watch::Sender<usize>,
}

#[derive(Default)]
struct State {
    matches: BTreeMap<MatchId, StoredMatch>,
    tails: HashMap<Tail, MatchId>,
    /// How many appends are to fail.
    faults: usize,
    is_holding: bool,
    held: Vec<Append>,
}

/// What is durable of a match.
#[derive(Clone, Default)]
struct StoredMatch {
    records: Vec<Bytes>,
    snapshots: BTreeMap<u64, Bytes>,
    listing: Option<Listing>,
}

impl Memory {
    /// An empty store.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    #[must_use]
    pub fn new() -> Self {
        Self::with(BTreeMap::new())
    }

    fn with(matches: BTreeMap<MatchId, StoredMatch>) -> Self {
        let (appends, queue) = mpsc::channel(QUEUE_APPENDS);
        let (closing, closed) = closing();
        let tails = matches.keys().map(|id| (id.tail(), *id)).collect();
        let state = Mutex::new(State { matches, tails, ..State::default() });
        let shared = Arc::new(MemoryShared { state, held: watch::Sender::new(0) });
        let writing = Arc::clone(&shared);
        tokio::spawn(async move {
            writing.run(queue, closed.asked).await;
            drop(closed.alive);
        });
        Self { appends, closing, shared }
    }

    /// Makes the next `appends` appends fail. Nothing of them is written.
    pub fn fail_next(&self, appends: usize) {
        self.shared.lock().faults = appends;
    }

    /// Holds back everything from now on: appends are taken from the queue and do not become durable.
    pub fn hold(&self) {
        self.shared.lock().is_holding = true;
    }

    /// Makes what was held back durable, in order, and holds back no more.
    pub fn release(&self) {
        let mut state = self.shared.lock();
        state.is_holding = false;
        let held = std::mem::take(&mut state.held);
        held.into_iter().for_each(|append| state.apply(append));
        drop(state);
        self.shared.held.send_replace(0);
    }

    /// Comes back when at least this many appends are held back.
    pub async fn held(&self, appends: usize) {
        let mut held = self.shared.held.subscribe();
        // The sender lives as long as this store.
        let _ = held.wait_for(|held| *held >= appends).await;
    }

    /// A new store with what is durable in this one, as after a crash.
    ///
    /// # Panics
    ///
    /// Panics outside of a tokio runtime.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self::with(self.shared.lock().matches.clone())
    }

    fn read_kept<T: Default + Send + 'static>(
        &self,
        id: MatchId,
        read: impl FnOnce(&StoredMatch) -> T,
    ) -> BoxFuture<'_, Result<T, ReadError>> {
        ready(Ok(self.shared.lock().matches.get(&id).map(read).unwrap_or_default())).boxed()
    }
}

impl Default for Memory {
    fn default() -> Self {
        Self::new()
    }
}

impl MemoryShared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes until the queue is closed and empty, and nothing is held back.
    async fn run(&self, mut queue: mpsc::Receiver<Append>, mut closing: watch::Receiver<bool>) {
        let mut waiting = Vec::new();
        let mut is_open = true;
        loop {
            tokio::select! {
                count = queue.recv_many(&mut waiting, BATCH_APPENDS) => {
                    if count == 0 {
                        break;
                    }
                    self.write(&mut waiting);
                }
                _ = closing.wait_for(|closing| *closing), if is_open => {
                    is_open = false;
                    queue.close();
                }
            }
        }
        // The sender lives as long as this store.
        let _ = self.held.subscribe().wait_for(|held| *held == 0).await;
    }

    fn write(&self, waiting: &mut Vec<Append>) {
        let mut state = self.lock();
        if state.is_holding {
            state.held.append(waiting);
            self.held.send_replace(state.held.len());
        } else {
            waiting.drain(..).for_each(|append| state.apply(append));
        }
    }
}

impl State {
    /// Applies an append, or not, and tells whoever asked.
    fn apply(&mut self, append: Append) {
        let answer = self.answer(&append);
        if answer.is_ok() {
            self.tails.insert(append.id.tail(), append.id);
            let kept = self.matches.entry(append.id).or_default();
            kept.records.extend(append.records);
            let records = kept.records.len() as u64;
            kept.snapshots.extend(append.snapshot.map(|state| (records, state)));
            kept.listing = append.listing.or(kept.listing.take());
        }
        // Whoever asked may have gone; what was written stays.
        let _ = append.done.send(answer);
    }

    fn answer(&mut self, append: &Append) -> Result<(), AppendError> {
        if let Some(left) = self.faults.checked_sub(1) {
            self.faults = left;
            return Err(AppendError::Failed("a test asked for it".to_owned()));
        }
        let actual = self.matches.get(&append.id).map_or(0, |kept| kept.records.len() as u64);
        if actual == append.after { Ok(()) } else { Err(AppendError::Conflict { expected: append.after, actual }) }
    }
}

impl Journal for Memory {
    fn appends(&self) -> &mpsc::Sender<Append> {
        &self.appends
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        let after = usize::try_from(from.after).unwrap_or(usize::MAX);
        self.read_kept(id, |kept| {
            let rest = kept.records.get(after..).unwrap_or_default();
            let mut room = bytes;
            let fits = |record: &&Bytes| {
                let left = room.checked_sub(record.len());
                room = left.unwrap_or(0);
                left.is_some()
            };
            let count = rest.iter().take_while(fits).count().max(1).min(rest.len());
            let next = (count < rest.len()).then(|| Mark::after(from.after + count as u64));
            Piece { records: rest[..count].to_vec(), next }
        })
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        self.read_kept(id, |kept| {
            let (records, state) = kept.snapshots.range(..=records).next_back()?;
            Some(Snapshot { records: *records, state: state.clone() })
        })
    }

    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>> {
        self.read_kept(id, |kept| kept.listing.clone())
    }

    fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>> {
        let state = self.shared.lock();
        let newest_first = state.matches.iter().rev().filter(|(id, _)| before.is_none_or(|before| **id < before));
        let listings = newest_first.filter_map(|(id, kept)| Some((*id, kept.listing.clone()?)));
        let found = listings.filter(|(_, listing)| listing.stage == stage).take(limit).collect();
        ready(Ok(found)).boxed()
    }

    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>> {
        ready(Ok(self.shared.lock().tails.get(&tail).copied())).boxed()
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.closing.close()
    }
}
