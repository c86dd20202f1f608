//! The one thread that writes. Whatever waits in the queue becomes one commit with one sync.

use std::iter::Peekable;
use std::sync::{Arc, PoisonError, RwLock};
use std::time::Instant;
use std::vec::Drain;

use bytes::Bytes;
use fjall::OwnedWriteBatch;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{mpsc, oneshot, watch};

use super::super::known::Known;
use super::super::record::{self, MORE, ValueKey};
use super::super::{Append, AppendError, Listing, MatchId, ReadError, Stage};
use super::engine::{Engine, sentence};
use super::facts::Facts;
use super::{EmbeddedOptions, Folder};

/// The error that everybody is told until the engine is open again.
const CLOSED_BY_FAULT: &str = "a commit failed and the store is not open again yet";

/// What the writer and the readers share. There is no engine while it has to be opened again.
pub(super) struct StoreShared {
    pub(super) engine: RwLock<Option<Engine>>,
    pub(super) folder: Folder,
    /// How many commits are to fail.
    #[cfg(test)]
    pub(super) faults: std::sync::atomic::AtomicUsize,
}

impl StoreShared {
    pub(super) fn new(engine: Engine, folder: Folder) -> Self {
        Self {
            engine: RwLock::new(Some(engine)),
            folder,
            #[cfg(test)]
            faults: Default::default(),
        }
    }

    fn commit(&self, batch: OwnedWriteBatch) -> fjall::Result<()> {
        #[cfg(test)]
        {
            use std::sync::atomic::Ordering;
            let take = |left: usize| left.checked_sub(1);
            if self.faults.fetch_update(Ordering::SeqCst, Ordering::SeqCst, take).is_ok() {
                return Err(fjall::Error::Io(std::io::ErrorKind::StorageFull.into()));
            }
        }
        batch.commit()
    }

    /// Drops the engine: after a failed write it takes no others. What is true is on the disk.
    fn give_up(&self, what: &str) {
        let engine = self.engine.write().unwrap_or_else(PoisonError::into_inner).take();
        if engine.is_some() {
            tracing::error!(what, "a commit failed, the store has to be opened again");
        }
    }

    /// Reads from the engine.
    pub(super) fn read<T>(&self, read: impl FnOnce(&Engine) -> Result<T, ReadError>) -> Result<T, ReadError> {
        match &*self.engine.read().unwrap_or_else(PoisonError::into_inner) {
            Some(engine) => read(engine),
            None => Err(ReadError::Failed(CLOSED_BY_FAULT.to_owned())),
        }
    }

    fn is_broken(&self) -> bool {
        self.engine.read().unwrap_or_else(PoisonError::into_inner).is_none()
    }
}

/// What comes in to the writer.
pub(super) struct EmbeddedInbox {
    pub(super) appends: mpsc::Receiver<Append>,
    /// Becomes true, or loses its sender, when the queue is to be closed.
    pub(super) closing: watch::Receiver<bool>,
}

pub(super) struct EmbeddedWriter {
    shared: Arc<StoreShared>,
    options: EmbeddedOptions,
    known: Known<Facts>,
    /// A buffer in which values are put together; kept to save allocations.
    value: Vec<u8>,
    /// Those who wait, and what each is told once the commit is done; kept to save allocations.
    answers: Vec<AppendAnswer>,
    /// When the engine was last opened again.
    reopened: Option<Instant>,
    /// How many appends were written at once the last time.
    last_count: usize,
    /// The task that tells many at once, where there is a runtime for that.
    notifier: Option<mpsc::Sender<Vec<AppendAnswer>>>,
}

/// From how many appends at once on the writer waits a moment for more of them.
const MANY_APPENDS: usize = 16;

/// Somebody who waits, and what they are told.
pub(super) type AppendAnswer = (oneshot::Sender<Result<(), AppendError>>, Result<(), AppendError>);

/// Tells those who wait what became of their appends.
pub(super) fn tell(answers: Vec<AppendAnswer>) {
    for (done, answer) in answers {
        // Whoever asked may have gone; what was written stays.
        let _ = done.send(answer);
    }
}

impl EmbeddedWriter {
    pub(super) fn new(
        shared: Arc<StoreShared>,
        options: EmbeddedOptions,
        notifier: Option<mpsc::Sender<Vec<AppendAnswer>>>,
    ) -> Self {
        let known = Known::new(options.known_matches);
        Self { shared, options, known, value: Vec::new(), answers: Vec::new(), reopened: None, last_count: 0, notifier }
    }

    /// Writes until the queue is closed and empty.
    pub(super) async fn run(mut self, mut inbox: EmbeddedInbox) {
        let limit = self.options.batch_appends;
        let mut waiting = Vec::with_capacity(limit);
        let mut is_open = true;
        loop {
            tokio::select! {
                // A queue that never gets empty must not keep the others waiting.
                biased;
                _ = inbox.closing.wait_for(|closing| *closing), if is_open => {
                    is_open = false;
                    inbox.appends.close();
                }
                count = inbox.appends.recv_many(&mut waiting, limit) => {
                    if count == 0 {
                        return;
                    }
                    self.gather(&mut inbox.appends, &mut waiting);
                    metrics::gauge!("parley_journal_queue_length").set(inbox.appends.len() as f64);
                    self.write(&mut waiting);
                }
                () = tokio::time::sleep(self.options.reopen_pause), if self.shared.is_broken() => {
                    self.reopen();
                }
            }
        }
    }

    /// Where many write at once, waits a moment for more of them: a sync costs the same for one as for a hundred. A few
    /// do not wait, because what comes during one sync shares the next anyway.
    fn gather(&mut self, appends: &mut mpsc::Receiver<Append>, waiting: &mut Vec<Append>) {
        let is_busy = waiting.len().max(self.last_count) >= MANY_APPENDS;
        if is_busy && waiting.len() < self.options.batch_appends {
            std::thread::sleep(self.options.gather);
            while waiting.len() < self.options.batch_appends {
                let Ok(append) = appends.try_recv() else { break };
                waiting.push(append);
            }
        }
        self.last_count = waiting.len();
    }

    /// Makes everything that waits durable, in as many commits as its size asks for, and tells everybody.
    fn write(&mut self, waiting: &mut Vec<Append>) {
        let mut rest = waiting.drain(..).peekable();
        while rest.peek().is_some() {
            let fault = self.commit(&mut rest).err();
            if let Some(what) = &fault {
                self.known.forget_all();
                self.shared.give_up(what);
                // Whoever is told of the failure reads what is so.
                self.reopen();
            }
            let mut answers = std::mem::take(&mut self.answers);
            if let Some(what) = fault {
                answers.iter_mut().for_each(|(_, answer)| *answer = Err(AppendError::Failed(what.clone())));
            }
            self.tell(answers);
        }
    }

    /// Tells those who wait what became of their appends. Waking a task from a thread of another runtime costs, so many
    /// are woken by one that belongs there.
    fn tell(&self, answers: Vec<AppendAnswer>) {
        let answers = match &self.notifier {
            Some(notifier) if answers.len() > 1 => match notifier.try_send(answers) {
                Ok(()) => return,
                Err(TrySendError::Full(answers) | TrySendError::Closed(answers)) => answers,
            },
            _ => answers,
        };
        tell(answers);
    }

    /// Makes the next appends durable with one sync, as many as fit. Who asked for them is left in `answers`.
    fn commit(&mut self, rest: &mut Peekable<Drain<'_, Append>>) -> Result<(), String> {
        self.reopen();
        let shared = Arc::clone(&self.shared);
        let engine = shared.engine.read().unwrap_or_else(PoisonError::into_inner);
        let Some(engine) = &*engine else {
            self.answers.extend(rest.map(|append| (append.done, Ok(()))));
            return Err(CLOSED_BY_FAULT.to_owned());
        };
        let began = Instant::now();
        let mut batch = engine.batch(2 * rest.len());
        let (mut bytes, mut records) = (0, 0);
        while let Some(append) = rest.next_if(|append| bytes == 0 || bytes + size(append) <= self.options.batch_bytes) {
            let answer = self.add(engine, &mut batch, &append);
            if answer.is_ok() {
                bytes += size(&append);
                records += append.records.len();
            }
            self.answers.push((append.done, answer));
        }
        shared.commit(batch).map_err(|error| sentence(&error))?;
        metrics::histogram!("parley_journal_commit_records").record(records as f64);
        metrics::histogram!("parley_journal_commit_bytes").record(bytes as f64);
        metrics::histogram!("parley_journal_commit_seconds").record(began.elapsed());
        Ok(())
    }

    /// Puts an append into a batch, or says why not and leaves the batch as it is.
    fn add(&mut self, engine: &Engine, batch: &mut OwnedWriteBatch, append: &Append) -> Result<(), AppendError> {
        self.options.check(append).map_err(AppendError::Failed)?;
        let id = append.id;
        let mut facts = match self.known.get(id) {
            Some(facts) => facts,
            None => engine.facts(id).map_err(|error| AppendError::Failed(sentence(&error)))?,
        };
        if facts.records != append.after {
            self.known.set(id, facts);
            return Err(AppendError::Conflict { expected: append.after, actual: facts.records });
        }
        let last = append.after.checked_add(append.records.len() as u64);
        let last = last.ok_or_else(|| AppendError::Failed("the match has too many records".to_owned()))?;
        if append.after == 0 {
            batch.insert(&engine.tails, id.tail(), id.0.as_bytes());
        }
        for content in &append.records {
            facts.records += 1;
            let flags = if facts.records < last { MORE } else { 0 };
            record::encode(ValueKey::record(id, facts.records), flags, &[content], &mut self.value);
            batch.insert(&engine.records, record::numbered(id, facts.records), self.value.as_slice());
        }
        if let Some(state) = &append.snapshot {
            record::encode(ValueKey::snapshot(id, last), 0, &[state], &mut self.value);
            batch.insert(&engine.snapshots, record::numbered(id, last), self.value.as_slice());
        }
        if let Some(listing) = &append.listing {
            self.add_listing(engine, batch, id, listing, &mut facts);
        }
        self.known.set(id, facts);
        Ok(())
    }

    fn add_listing(
        &mut self,
        engine: &Engine,
        batch: &mut OwnedWriteBatch,
        id: MatchId,
        listing: &Listing,
        facts: &mut Facts,
    ) {
        record::encode(ValueKey::listing(id), 0, &[&[listing.stage as u8], &listing.summary], &mut self.value);
        batch.insert(&engine.listings, id.0.as_bytes(), self.value.as_slice());
        let bit = Facts::bit(listing.stage);
        if facts.stages == bit {
            return;
        }
        for stage in Stage::ALL {
            if stage != listing.stage && facts.stages & Facts::bit(stage) != 0 {
                batch.remove(&engine.stages, record::staged(stage, id));
            }
        }
        batch.insert(&engine.stages, record::staged(listing.stage, id), []);
        facts.stages = bit;
    }

    /// Opens the engine again if a write failed, but not too often.
    fn reopen(&mut self) {
        let is_too_early = self.reopened.is_some_and(|last| last.elapsed() < self.options.reopen_pause);
        if is_too_early || !self.shared.is_broken() {
            return;
        }
        match Engine::open(&self.shared.folder.engine(), &self.options) {
            Ok(engine) => {
                *self.shared.engine.write().unwrap_or_else(PoisonError::into_inner) = Some(engine);
                tracing::info!("the store is open again after a failed commit");
            }
            Err(error) => tracing::error!(%error, "the store does not open again after a failed commit"),
        }
        self.reopened = Some(Instant::now());
    }
}

/// How many bytes an append asks to keep.
pub(super) fn size(append: &Append) -> usize {
    let records: usize = append.records.iter().map(Bytes::len).sum();
    let snapshot = append.snapshot.as_ref().map_or(0, Bytes::len);
    records + snapshot + append.listing.as_ref().map_or(0, |listing| listing.summary.len())
}
