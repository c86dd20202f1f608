//! The one task that writes. Messages of different matches are on their way at the same time; of one match there is one
//! at a time, because the next has to name it, and what comes for it meanwhile goes together into the next.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use async_nats::HeaderMap;
use async_nats::jetstream::context::PublishErrorKind;
use bytes::Bytes;
use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use parley_proto::journal::v1::{Appended, Listed};
use prost::Message;
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::sleep;

use super::super::{Append, AppendError, MatchId, record};
use super::{Last, StreamFacts, StreamShared, index};

/// How many appends are taken from the queue at once.
const BATCH_APPENDS: usize = 1024;
/// How long to wait before something is tried again.
const PAUSE: Duration = Duration::from_millis(100);
/// How long to wait before something is tried again that somebody else has changed.
const SHORT_PAUSE: Duration = Duration::from_millis(5);
/// The header that names the last message of a subject.
const EXPECTED: &str = "Nats-Expected-Last-Subject-Sequence";

/// A request to take a match over.
pub(super) struct Take {
    pub(super) id: MatchId,
    pub(super) claim: u64,
    /// Whether the match has no messages yet.
    pub(super) new: bool,
    pub(super) done: oneshot::Sender<Result<u64, AppendError>>,
}

/// What comes in to the writer.
pub(super) struct StreamInbox {
    pub(super) appends: mpsc::Receiver<Append>,
    pub(super) takes: mpsc::Receiver<Take>,
    /// Becomes true, or loses its sender, when the queue is to be closed.
    pub(super) closing: watch::Receiver<bool>,
}

/// Something that is to be done for a match.
enum Work {
    Append(Append),
    Take(Take),
}

pub(super) struct StreamWriter {
    shared: Arc<StreamShared>,
    /// What waits for each match that has a message on its way or is about to.
    queues: HashMap<MatchId, VecDeque<Work>>,
    /// Matches that wait until there is room in the window.
    ready: VecDeque<MatchId>,
    in_flight: FuturesUnordered<BoxFuture<'static, MatchId>>,
    waiting: usize,
}

/// Why a message was not stored.
enum Lost {
    /// Another one is in its place.
    Behind(Last),
    /// It is not known why.
    Failed(String),
}

impl StreamWriter {
    pub(super) fn new(shared: Arc<StreamShared>) -> Self {
        let (queues, ready, in_flight) = (HashMap::new(), VecDeque::new(), FuturesUnordered::new());
        Self { shared, queues, ready, in_flight, waiting: 0 }
    }

    /// Writes until the queue is closed and everything is stored.
    pub(super) async fn run(mut self, mut inbox: StreamInbox) {
        let mut arrived = Vec::with_capacity(BATCH_APPENDS);
        let (mut is_open, mut has_more) = (true, true);
        while has_more || !self.in_flight.is_empty() {
            let room = self.waiting < self.shared.options.queue_appends;
            tokio::select! {
                biased;
                Some(id) = self.in_flight.next(), if !self.in_flight.is_empty() => self.go_on(id),
                _ = inbox.closing.wait_for(|closing| *closing), if is_open => {
                    is_open = false;
                    inbox.appends.close();
                }
                Some(take) = inbox.takes.recv() => {
                    // Appends that were sent before the request to take over come before it.
                    while let Ok(append) = inbox.appends.try_recv() {
                        self.put(append.id, Work::Append(append));
                    }
                    self.put(take.id, Work::Take(take));
                }
                count = inbox.appends.recv_many(&mut arrived, BATCH_APPENDS), if room && has_more => {
                    has_more = count > 0;
                    arrived.drain(..).for_each(|append| self.put(append.id, Work::Append(append)));
                }
            }
            self.fly();
            let waiting = inbox.appends.len() + self.waiting;
            metrics::gauge!("parley_journal_queue_length").set(waiting as f64);
            self.shared.waiting.store(waiting as u64, Ordering::Relaxed);
        }
    }

    fn put(&mut self, id: MatchId, work: Work) {
        self.waiting += 1;
        let ready = &mut self.ready;
        let queue = self.queues.entry(id).or_insert_with(|| {
            ready.push_back(id);
            VecDeque::new()
        });
        queue.push_back(work);
    }

    /// Goes on with what waits for a match, after its message has arrived or failed.
    fn go_on(&mut self, id: MatchId) {
        match self.queues.get(&id) {
            Some(queue) if !queue.is_empty() => self.ready.push_back(id),
            _ => {
                self.queues.remove(&id);
                // Where nobody claims matches, nobody says either when one is not written to any more.
                self.shared.facts.remove_if(&id, |_, facts| facts.claim == 0);
            }
        }
    }

    /// Sends as much on its way as there is room for.
    fn fly(&mut self) {
        while self.in_flight.len() < self.shared.options.window {
            let Some(id) = self.ready.pop_front() else { return };
            let Some(queue) = self.queues.get_mut(&id) else { continue };
            let shared = Arc::clone(&self.shared);
            match queue.pop_front() {
                Some(Work::Take(take)) => {
                    self.waiting -= 1;
                    self.in_flight.push(Box::pin(async move {
                        shared.take_over(take).await;
                        id
                    }));
                }
                Some(Work::Append(first)) => {
                    let mut together = vec![first];
                    let mut bytes = size(&together[0]);
                    // Whoever reads from a snapshot on begins with the message after it.
                    while together.last().is_some_and(|last| last.snapshot.is_none())
                        && let Some(Work::Append(next)) = queue.front()
                        && bytes + size(next) <= shared.options.message_bytes
                        && let Some(Work::Append(next)) = queue.pop_front()
                    {
                        bytes += size(&next);
                        together.push(next);
                    }
                    self.waiting -= together.len();
                    self.in_flight.push(Box::pin(async move {
                        shared.append(id, together).await;
                        id
                    }));
                }
                None => {}
            }
        }
    }
}

/// How many bytes of a message an append asks for.
fn size(append: &Append) -> usize {
    let records: usize = append.records.iter().map(Bytes::len).sum();
    records + append.listing.as_ref().map_or(0, |listing| listing.summary.len())
}

/// Appends that go into one message.
#[derive(Default)]
struct Bundle {
    message: Appended,
    snapshots: Vec<(u64, Bytes)>,
    accepted: Vec<Append>,
}

impl Bundle {
    fn records(&self) -> u64 {
        self.message.after + self.message.records.len() as u64
    }

    /// Takes an append in, or answers why not.
    fn add(&mut self, mut append: Append, limit: usize) {
        let actual = self.records();
        let bytes = size(&append);
        let refused = if append.after != actual {
            Some(AppendError::Conflict { expected: append.after, actual })
        } else if actual.saturating_add(append.records.len() as u64) > record::MAX_RECORDS {
            Some(AppendError::Failed(format!("a match has at most {} records", record::MAX_RECORDS)))
        } else if bytes > limit {
            Some(AppendError::Failed(format!("an append has {bytes} bytes, the limit is {limit}")))
        } else {
            None
        };
        if let Some(error) = refused {
            // Whoever asked may have gone.
            return drop(append.done.send(Err(error)));
        }
        self.message.records.extend(append.records.drain(..));
        if let Some(listing) = append.listing.take() {
            let stage = u32::from(listing.stage as u8);
            self.message.listed = Some(Listed { stage, summary: listing.summary, sequence: 0 });
        }
        let records = self.records();
        self.snapshots.extend(append.snapshot.take().map(|state| (records, state)));
        self.accepted.push(append);
    }
}

impl StreamShared {
    /// Stores appends of a match and answers them.
    async fn append(&self, id: MatchId, appends: Vec<Append>) {
        let began = Instant::now();
        let facts = match self.facts_of(id).await {
            Ok(facts) => facts,
            Err(error) => return appends.into_iter().for_each(|append| drop(append.done.send(Err(error.clone())))),
        };
        let mut bundle = Bundle { message: self.message(facts), ..Bundle::default() };
        appends.into_iter().for_each(|append| bundle.add(append, self.options.message_bytes));
        if bundle.accepted.is_empty() {
            return;
        }
        let count = bundle.message.records.len();
        let bytes: usize = bundle.message.records.iter().map(Bytes::len).sum();
        let stored = self.store(id, facts.sequence, &bundle.message).await;
        let answer = match stored {
            Ok(sequence) => {
                let records = bundle.records();
                self.facts.entry(id).and_modify(|now| {
                    if now.claim == facts.claim {
                        *now = StreamFacts { records, sequence, claim: facts.claim };
                    }
                });
                for (records, state) in bundle.snapshots {
                    self.keep_snapshot(id, records, sequence, state).await;
                }
                match bundle.message.listed {
                    Some(listed) => self.keep_listing(id, sequence, listed).await.map_err(AppendError::Failed),
                    None => Ok(()),
                }
            }
            Err(Lost::Behind(last)) => {
                metrics::counter!("parley_cluster_fenced_total").increment(1);
                self.facts.remove_if(&id, |_, now| now.claim == facts.claim);
                Err(AppendError::Conflict { expected: facts.records, actual: last.records() })
            }
            Err(Lost::Failed(why)) => {
                self.facts.remove_if(&id, |_, now| now.claim == facts.claim);
                Err(AppendError::Failed(why))
            }
        };
        let took = began.elapsed();
        metrics::histogram!("parley_journal_commit_records").record(count as f64);
        metrics::histogram!("parley_journal_commit_bytes").record(bytes as f64);
        metrics::histogram!("parley_journal_commit_seconds").record(took);
        self.append_us.store(took.as_micros() as u64, Ordering::Relaxed);
        for append in bundle.accepted {
            let answer = match &answer {
                Err(AppendError::Conflict { actual, .. }) if *actual == append.after => Err(taken_over()),
                Err(AppendError::Conflict { actual, .. }) => {
                    Err(AppendError::Conflict { expected: append.after, actual: *actual })
                }
                other => other.clone(),
            };
            // Whoever asked may have gone; what was written stays.
            let _ = append.done.send(answer);
        }
    }

    /// An empty message of this server for a match.
    fn message(&self, facts: StreamFacts) -> Appended {
        let node = self.options.node.as_bytes().to_vec().into();
        Appended { after: facts.records, node, claim: facts.claim, mark: mark(), ..Appended::default() }
    }

    /// What has to be known of a match before something is added to it.
    async fn facts_of(&self, id: MatchId) -> Result<StreamFacts, AppendError> {
        if let Some(facts) = self.facts.get(&id) {
            return Ok(*facts);
        }
        if self.options.claimed {
            return Err(taken_over());
        }
        let facts = match self.last(id).await.map_err(AppendError::Failed)? {
            Some(last) => StreamFacts { records: last.records(), sequence: last.sequence, claim: 0 },
            None => StreamFacts { records: 0, sequence: 0, claim: 0 },
        };
        self.facts.insert(id, facts);
        Ok(facts)
    }

    /// Stores a message after the one with the expected sequence, and gives back its own.
    async fn store(&self, id: MatchId, expected: u64, message: &Appended) -> Result<u64, Lost> {
        let payload = Bytes::from(message.encode_to_vec());
        let end = Instant::now() + self.options.patience;
        loop {
            let mut headers = HeaderMap::new();
            if self.options.fenced {
                headers.insert(EXPECTED, expected.to_string());
            }
            let published =
                match self.nats.publishing.publish_with_headers(self.subject(id), headers, payload.clone()).await {
                    Ok(stored) => stored.await,
                    Err(error) => Err(error),
                };
            let error = match published {
                Ok(stored) => return Ok(stored.sequence),
                Err(error) => error,
            };
            if error.kind() == PublishErrorKind::MaxPayloadExceeded {
                return Err(Lost::Failed(error.to_string()));
            }
            // A lost race, a lost answer and a server that cannot answer now look alike: the stream says what is so.
            match self.last(id).await {
                Ok(Some(last)) if last.appended.mark == message.mark => return Ok(last.sequence),
                Ok(Some(last)) if last.sequence > expected && self.options.fenced => return Err(Lost::Behind(last)),
                _ => {}
            }
            if Instant::now() >= end {
                return Err(Lost::Failed(error.to_string()));
            }
            sleep(PAUSE).await;
        }
    }

    /// Takes a match over, and answers.
    async fn take_over(&self, take: Take) {
        let answer = self.taken(take.id, take.claim, take.new).await;
        match &answer {
            Ok(facts) => drop(self.facts.insert(take.id, *facts)),
            Err(_) => drop(self.facts.remove(&take.id)),
        }
        if take.done.send(answer.map(|facts| facts.records)).is_err() {
            // Whoever asked has gone, and nobody writes under this claim.
            self.facts.remove_if(&take.id, |_, facts| facts.claim == take.claim);
        }
    }

    async fn taken(&self, id: MatchId, claim: u64, new: bool) -> Result<StreamFacts, AppendError> {
        let end = Instant::now() + self.options.patience;
        loop {
            match self.last(id).await {
                Ok(Some(last)) if new || last.appended.claim > claim => return Err(taken_over()),
                Ok(None) if new => return Ok(StreamFacts { records: 0, sequence: 0, claim }),
                Ok(last) => {
                    let (records, sequence) = last.map_or((0, 0), |last| (last.records(), last.sequence));
                    let facts = StreamFacts { records, sequence, claim };
                    match self.store(id, sequence, &self.message(facts)).await {
                        Ok(sequence) => return Ok(StreamFacts { sequence, ..facts }),
                        // Whoever had it has just written once more.
                        Err(Lost::Behind(_)) => {}
                        Err(Lost::Failed(why)) => return Err(AppendError::Failed(why)),
                    }
                }
                Err(why) if Instant::now() >= end => return Err(AppendError::Failed(why)),
                Err(_) => sleep(PAUSE).await,
            }
        }
    }

    /// Lets everybody see what the lobby shows of a match, unless something newer is there.
    pub(super) async fn keep_listing(&self, id: MatchId, sequence: u64, listed: Listed) -> Result<(), String> {
        let key = id.0.simple().to_string();
        let value = Bytes::from(Listed { sequence, ..listed }.encode_to_vec());
        let end = Instant::now() + self.options.patience;
        loop {
            let known = self.index.get(id);
            if known.as_ref().is_some_and(|known| known.sequence >= sequence) {
                return Ok(());
            }
            let error = match self.listings.update(&key, value.clone(), known.map_or(0, |known| known.revision)).await {
                Ok(revision) => {
                    if let Some(kept) = index::read(revision, value) {
                        self.index.note(id, kept);
                    }
                    return Ok(());
                }
                Err(error) => error,
            };
            let subject = format!("{}{key}", self.listings.prefix);
            match self.listings.stream.get_last_raw_message_by_subject(&subject).await {
                Ok(message) => {
                    if let Some(kept) = index::read(message.sequence, message.payload) {
                        self.index.note(id, kept);
                    }
                }
                Err(_) => sleep(PAUSE).await,
            }
            if Instant::now() >= end {
                return Err(error.to_string());
            }
            sleep(SHORT_PAUSE).await;
        }
    }
}

fn taken_over() -> AppendError {
    AppendError::Failed("another server has taken the match over".to_owned())
}

/// A number that no other message has.
fn mark() -> u64 {
    uuid::Uuid::now_v7().as_u64_pair().1
}
