//! Receipts get their signatures here, many at once (see `parley_bots::receipt`).
//!
//! What was promised is durable before it comes here. The task lets all others run that are ready before it signs: one
//! signature then stands for everything that one sync made durable. What goes out together with receipts, above all the
//! outcome of the turn that they completed, waits for them, so that a stream is woken once for both.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use parley_bots::receipt::{LEAVES, Promise, seal};
use parley_proto::v1;
use smallvec::SmallVec;
use tokio::sync::mpsc;
use tokio::sync::mpsc::error::TrySendError;

use super::command::Reply;
use super::feed::Feed;
use super::numbers::Numbers;
use super::told::Told;
use crate::auth::Keyring;
use crate::trace::{self, Spans, TraceContext, Tracer, TurnTrace};

/// How many parcels may wait for signatures. Those beyond are signed by whoever brings them.
const WAITING: usize = 4096;

/// Something that goes out, because what it rests on is durable.
pub(super) enum Out {
    /// An answer, which the function sends.
    Answer(Box<dyn FnOnce() + Send>),
    /// A receipt, which goes out once it is signed.
    Receipt(Promise, Reply<v1::LockInResponse>, Asked),
    /// The end of a turn, whose news are out.
    Turn(Box<TurnDone>),
    /// News for one feed.
    News(Arc<Feed>, Told),
    /// News that were held back; those before them may be missing.
    Held(Arc<Feed>, Told),
    /// The cursor up to which news are only in the journal.
    SkipTo(Arc<Feed>, u64),
    /// The end of a feed: whoever follows it has to ask anew.
    End(Arc<Feed>),
}

/// When a lock-in was received, and whose trace it belongs to.
#[derive(Clone, Copy)]
pub(super) struct Asked {
    pub(super) at: Instant,
    pub(super) context: Option<TraceContext>,
}

/// A turn that is resolved.
pub(super) struct TurnDone {
    /// When the request that completed the turn was received.
    pub(super) asked: Instant,
    /// When the record of the turn was handed to the journal.
    pub(super) handed: Instant,
    /// When the record of the turn was durable.
    pub(super) durable: Instant,
    pub(super) trace: Option<TurnTrace>,
}

/// What goes out of one match at the same moment, in order.
pub(super) type Parcel = SmallVec<[Out; 8]>;

/// How many parcels of one match are not out yet.
pub(super) type Sealing = Arc<AtomicUsize>;

/// Signs receipts, and lets parcels out.
pub struct Sealer {
    pen: Arc<Pen>,
    queue: mpsc::Sender<(Parcel, Sealing)>,
}

/// The key, and random numbers that never repeat.
struct Pen {
    keyring: Arc<Keyring>,
    noise: Noise,
    count: AtomicU64,
    numbers: Arc<Numbers>,
    tracer: Option<Arc<Tracer>>,
}

/// Random keys that nobody else may know.
pub struct Noise {
    /// The key for receipts that are given, another one at each start.
    pub fresh: [u8; 32],
    /// The key for receipts that are written down, always the same, so that a replay is always the same file.
    pub lasting: [u8; 32],
}

impl Pen {
    fn seal(&self, promises: &[Promise], random: &blake3::Hash) -> Vec<v1::Receipt> {
        seal(promises, random.as_bytes(), |root| self.keyring.sign_receipt(root))
    }

    fn seal_fresh(&self, promises: &[Promise]) -> impl Iterator<Item = v1::Receipt> {
        promises.chunks(LEAVES).flat_map(|promises| {
            let count = self.count.fetch_add(1, Ordering::Relaxed);
            self.seal(promises, &blake3::keyed_hash(&self.noise.fresh, &count.to_le_bytes()))
        })
    }

    /// Signs what has to be signed, and lets everything out in order.
    fn let_out(&self, parcels: impl Iterator<Item = Out>, promises: &[Promise]) {
        let mut receipts = self.seal_fresh(promises);
        let mut spans = Spans::default();
        for out in parcels {
            match out {
                Out::Answer(answer) => answer(),
                Out::Receipt(promise, reply, asked) => {
                    reply.send(Ok(v1::LockInResponse { receipt: receipts.next() }));
                    let now = Instant::now();
                    self.numbers.locked_in(now.duration_since(asked.at));
                    if let Some(tracer) = &self.tracer {
                        let which = (promise.match_id, promise.turn);
                        trace::lock_in(tracer, &mut spans, which, asked.context, (asked.at, now));
                    }
                }
                Out::Turn(mut turn) => {
                    let now = Instant::now();
                    self.numbers.told(now.duration_since(turn.asked));
                    if let Some(trace) = &mut turn.trace {
                        trace.committed((turn.handed, turn.durable));
                        trace.published((turn.durable, now));
                        spans.append(&trace.take_spans());
                    }
                }
                Out::News(feed, news) => feed.push(news),
                Out::Held(feed, news) => {
                    feed.skip_to(news.cursor().saturating_sub(1));
                    feed.push(news);
                }
                Out::SkipTo(feed, cursor) => feed.skip_to(cursor),
                Out::End(feed) => feed.leave(),
            }
        }
        if let Some(tracer) = &self.tracer {
            tracer.send(spans);
        }
    }
}

fn promises(parcel: &Parcel) -> impl Iterator<Item = Promise> {
    parcel.iter().filter_map(|out| if let Out::Receipt(promise, ..) = out { Some(*promise) } else { None })
}

impl Sealer {
    /// Signs with a key, from a task of its own.
    pub fn start(keyring: Arc<Keyring>, noise: Noise, numbers: Arc<Numbers>, tracer: Option<Arc<Tracer>>) -> Self {
        let pen = Arc::new(Pen { keyring, noise, count: AtomicU64::new(0), numbers, tracer });
        let (queue, parcels) = mpsc::channel(WAITING);
        tokio::spawn(run(Arc::clone(&pen), parcels));
        Self { pen, queue }
    }

    /// Lets a parcel out, after those of the same match that came before it, and after its receipts are signed.
    pub(super) fn let_out(&self, parcel: Parcel, sealing: &Sealing) {
        let plain = || promises(&parcel).next().is_none();
        if sealing.load(Ordering::Acquire) == 0 && plain() {
            return self.pen.let_out(parcel.into_iter(), &[]);
        }
        sealing.fetch_add(1, Ordering::AcqRel);
        match self.queue.try_send((parcel, Arc::clone(sealing))) {
            Ok(()) => {}
            Err(TrySendError::Full((parcel, sealing)) | TrySendError::Closed((parcel, sealing))) => {
                let promises: Vec<Promise> = promises(&parcel).collect();
                self.pen.let_out(parcel.into_iter(), &promises);
                sealing.fetch_sub(1, Ordering::AcqRel);
            }
        }
    }

    /// Signs promises of one match at once, in their order, and the same ones always in the same way.
    pub fn seal(&self, promises: &[Promise]) -> Vec<v1::Receipt> {
        let seal = |promises: &[Promise]| {
            let first = promises.first().map(Promise::bytes);
            let random = blake3::keyed_hash(&self.pen.noise.lasting, first.as_ref().map_or(&[], |bytes| &bytes[..]));
            self.pen.seal(promises, &random)
        };
        promises.chunks(LEAVES).flat_map(seal).collect()
    }
}

async fn run(pen: Arc<Pen>, mut queue: mpsc::Receiver<(Parcel, Sealing)>) {
    let mut parcels = Vec::with_capacity(WAITING);
    let mut promised = Vec::new();
    while let Some(first) = queue.recv().await {
        parcels.push(first);
        tokio::task::yield_now().await;
        while parcels.len() < WAITING {
            let Ok(next) = queue.try_recv() else { break };
            parcels.push(next);
        }
        promised.extend(parcels.iter().flat_map(|(parcel, _)| promises(parcel)));
        let sealing: Vec<Sealing> = parcels.iter().map(|(_, sealing)| Arc::clone(sealing)).collect();
        pen.let_out(parcels.drain(..).flat_map(|(parcel, _)| parcel), &promised);
        for sealing in sealing {
            sealing.fetch_sub(1, Ordering::AcqRel);
        }
        promised.clear();
    }
}
