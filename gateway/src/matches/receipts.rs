//! Signs receipts, many at once (see `parley_games::receipt`), and publishes what waits for them.
//!
//! What was promised is durable before it comes here. The task lets all others run that are ready before it signs: one
//! signature then stands for everything that one sync made durable. What goes out together with receipts, above all the
//! outcome of the turn that they completed, waits for them, so that a stream is woken once for both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parley_games::receipt::{LEAVES, Promise, seal};
use parley_proto::opaque::v1;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::command::Reply;
use super::encoded_news::EncodedNews;
use super::feed::Feed;
use super::match_metrics::MatchMetrics;
use crate::auth::Keyring;
use crate::trace::{self, Spans, TraceContext, Tracer, TurnTrace};

/// How many batches may wait for signatures. Those beyond are signed and published by the task of their match.
const WAITING: usize = 4096;

/// Something that goes out, because what it rests on is durable.
pub(super) enum OutboundItem {
    /// An answer, which the function sends.
    Answer(Box<dyn FnOnce() + Send>),
    /// A receipt, which goes out once it is signed.
    Receipt(Promise, Reply<v1::LockInResponse>, Received),
    /// The end of a turn, whose news are out.
    Turn(Box<TurnDone>),
    /// News for one feed.
    News(Arc<Feed>, EncodedNews),
    /// News that were held back; those before them may be missing.
    Held(Arc<Feed>, EncodedNews),
    /// The cursor up to which news are only in the journal.
    SkipTo(Arc<Feed>, u64),
    /// The end of a feed: whoever follows it has to ask anew.
    End(Arc<Feed>),
}

/// When a lock-in was received, and whose trace it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Received {
    pub(super) at: Instant,
    pub(super) context: Option<TraceContext>,
}

/// A turn that is resolved.
pub(super) struct TurnDone {
    /// When the request that completed the turn was received.
    pub(super) received: Instant,
    /// When the record of the turn was handed to the journal.
    pub(super) handed: Instant,
    /// When the record of the turn was durable.
    pub(super) durable: Instant,
    pub(super) trace: Option<TurnTrace>,
}

/// What goes out of one match at the same moment, in order.
pub(super) type Outbound = Vec<OutboundItem>;

/// How many batches of one match are not published yet.
pub(super) type Unpublished = Arc<AtomicUsize>;

/// Signs receipts and publishes what goes out of matches, each batch after those of the same match before it.
pub struct Publisher {
    signer: Arc<Signer>,
    queue: mpsc::Sender<(Outbound, Unpublished)>,
}

/// The keys that receipts are signed and salted with, and where what was published is counted and traced.
struct Signer {
    keyring: Arc<Keyring>,
    salt_keys: SaltKeys,
    count: AtomicU64,
    metrics: Arc<MatchMetrics>,
    tracer: Option<Arc<Tracer>>,
}

/// The keys that the salts of receipts come from (deploy/adr/0009). Nobody else may know them, because orders can be
/// guessed.
pub struct SaltKeys {
    /// The key for receipts that are given, another one at each start.
    pub fresh: [u8; 32],
    /// The key for receipts that are written down, always the same, so that a replay is always the same file.
    pub lasting: [u8; 32],
}

impl Signer {
    fn sign(&self, promises: &[Promise], random: &blake3::Hash) -> Vec<v1::Receipt> {
        seal(promises, random.as_bytes(), |root| self.keyring.sign_receipt(root))
    }

    fn sign_fresh(&self, promises: &[Promise]) -> impl Iterator<Item = v1::Receipt> {
        promises.chunks(LEAVES).flat_map(|promises| {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            self.sign(promises, &blake3::keyed_hash(&self.salt_keys.fresh, &count.to_le_bytes()))
        })
    }

    /// Signs these promises, and publishes all items in order.
    fn publish(&self, items: impl Iterator<Item = OutboundItem>, promises: &[Promise]) {
        let mut receipts = self.sign_fresh(promises);
        let mut spans = Spans::default();
        for item in items {
            match item {
                OutboundItem::Answer(answer) => answer(),
                OutboundItem::Receipt(promise, reply, received) => {
                    reply.send(Ok(v1::LockInResponse { receipt: receipts.next() }));
                    let now = Instant::now();
                    self.metrics.locked_in(now.duration_since(received.at));
                    if let Some(tracer) = &self.tracer {
                        let which = (promise.match_id, promise.turn);
                        trace::lock_in(tracer, &mut spans, which, received.context, (received.at, now));
                    }
                }
                OutboundItem::Turn(mut turn) => {
                    let now = Instant::now();
                    self.metrics.outcome_published(now.duration_since(turn.received));
                    if let Some(trace) = &mut turn.trace {
                        trace.committed((turn.handed, turn.durable));
                        trace.published((turn.durable, now));
                        spans.append(&trace.take_spans());
                    }
                }
                OutboundItem::News(feed, news) => feed.push(news),
                OutboundItem::Held(feed, news) => {
                    feed.skip_to(news.cursor().saturating_sub(1));
                    feed.push(news);
                }
                OutboundItem::SkipTo(feed, cursor) => feed.skip_to(cursor),
                OutboundItem::End(feed) => feed.leave(),
            }
        }
        if let Some(tracer) = &self.tracer {
            tracer.send(spans);
        }
    }
}

/// The promises in a batch, whose receipts have to be signed.
fn promises(outbound: &[OutboundItem]) -> impl Iterator<Item = Promise> {
    outbound.iter().filter_map(|item| if let OutboundItem::Receipt(promise, ..) = item { Some(*promise) } else { None })
}

impl Publisher {
    /// Starts the task that signs and publishes.
    pub fn start(
        keyring: Arc<Keyring>,
        salt_keys: SaltKeys,
        metrics: Arc<MatchMetrics>,
        tracer: Option<Arc<Tracer>>,
    ) -> Self {
        let signer = Arc::new(Signer { keyring, salt_keys, count: AtomicU64::new(0), metrics, tracer });
        let (queue, batches) = mpsc::channel(WAITING);
        tokio::spawn(run(Arc::clone(&signer), batches));
        Self { signer, queue }
    }

    /// Publishes a batch after those of the same match that came before it, and once its receipts are signed.
    pub(super) fn publish(&self, outbound: Outbound, unpublished: &Unpublished) {
        let plain = || promises(&outbound).next().is_none();
        if unpublished.load(Ordering::Acquire) == 0 && plain() {
            return self.signer.publish(outbound.into_iter(), &[]);
        }
        unpublished.fetch_add(1, Ordering::AcqRel);
        match self.queue.try_send((outbound, Arc::clone(unpublished))) {
            Ok(()) => {}
            Err(TrySendError::Full((outbound, unpublished)) | TrySendError::Closed((outbound, unpublished))) => {
                let promises: Vec<Promise> = promises(&outbound).collect();
                self.signer.publish(outbound.into_iter(), &promises);
                unpublished.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }

    /// Signs promises of one match at once, in their order, and the same ones always in the same way.
    pub fn sign(&self, promises: &[Promise]) -> Vec<v1::Receipt> {
        let sign = |promises: &[Promise]| {
            let first = promises.first().map(Promise::bytes);
            let random =
                blake3::keyed_hash(&self.signer.salt_keys.lasting, first.as_ref().map_or(&[], |bytes| &bytes[..]));
            self.signer.sign(promises, &random)
        };
        promises.chunks(LEAVES).flat_map(sign).collect()
    }
}

/// Publishes the batches that come, as many at once as wait.
async fn run(signer: Arc<Signer>, mut queue: mpsc::Receiver<(Outbound, Unpublished)>) {
    let mut batches = Vec::with_capacity(WAITING);
    let mut promised = Vec::new();
    while let Some(first) = queue.recv().await {
        batches.push(first);
        tokio::task::yield_now().await;
        while batches.len() < WAITING {
            let Ok(next) = queue.try_recv() else { break };
            batches.push(next);
        }
        promised.extend(batches.iter().flat_map(|(outbound, _)| promises(outbound)));
        let unpublished: Vec<Unpublished> = batches.iter().map(|(_, unpublished)| Arc::clone(unpublished)).collect();
        signer.publish(batches.drain(..).flat_map(|(outbound, _)| outbound), &promised);
        for unpublished in unpublished {
            unpublished.fetch_sub(1, Ordering::AcqRel);
        }
        promised.clear();
    }
}
