//! What all matches of a server share, from its start to its end.

use std::pin::Pin;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::task::{Context, Poll, Waker};
use std::time::Duration;

use dashmap::DashMap;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use tokio::sync::{OnceCell, Semaphore, watch};
use tokio::task::coop::unconstrained;
use tokio::time::Instant;
use uuid::Uuid;

use super::fair_line::FairLine;
use super::mailbox::{Handle, Leave};
use super::match_metrics::MatchMetrics;
use super::ownership::Ownership;
use super::receipts::{Publisher, SaltKeys};
use super::{creation, expiry, quota, waking, weight};
use crate::auth::Keyring;
use crate::clock::Clock;
use crate::disk::Disk;
use crate::house::House;
use crate::journal::{Journal, MatchId};
use crate::limits::Limits;
use crate::match_state::{self, AddressKey};
use crate::refusal::Refusal;
use crate::rulesets::Rulesets;
use crate::trace::Tracing;
use crate::work::WorkPool;

/// After how long a match leaves memory that nobody asks for while others want the room.
const CROWDED_IDLE: Duration = Duration::from_secs(1);
/// How many answers as large as a heavy match are made at the same time.
const LARGE_ANSWERS: usize = 2;
/// How many matches are read back at the same time without waiting for a thread that does heavy work. Each of them can
/// take as much memory as the largest snapshot and the largest record.
const SHORT_READINGS: usize = 8;
/// How many matches are asked to leave at once.
pub(super) const ASKED_FOR_ROOM: usize = 16;
/// How often matches are asked to leave: whoever finds memory nearly full in between finds that others were asked.
pub(super) const ASK_FOR_ROOM_EVERY: Duration = Duration::from_millis(10);

/// What all matches of a server share.
pub struct Shared {
    /// The store in which matches are written down.
    pub journal: Arc<dyn Journal>,
    /// The keys that tokens and receipts are signed with.
    pub keyring: Arc<Keyring>,
    /// The limits that matches live under.
    pub limits: Limits,
    /// The time of day.
    pub clock: Clock,
    /// The games that are hosted.
    pub rulesets: Rulesets,
    /// The house that lets bots play; set once the service is up.
    pub house: OnceLock<Box<dyn House>>,
    /// The disk that matches are written to, where it is this server's; set once the service is up.
    pub disk: OnceLock<Arc<Disk>>,
    /// The task that signs receipts, and publishes what waits for them.
    pub publisher: Publisher,
    /// What the server has done since the start.
    pub stats: Stats,
    /// The threads that do heavy work.
    pub work: WorkPool,
    /// The numbers that operators look at.
    pub metrics: Arc<MatchMetrics>,
    /// Whether and where turns are traced.
    pub tracing: Tracing,
    /// The one who knows which server owns a match, where several servers share the journal.
    pub(super) ownership: Option<Arc<dyn Ownership>>,
    /// The ways to the tasks of the matches in memory.
    pub(super) handles: DashMap<MatchId, Handle>,
    /// About how many bytes the matches in memory take.
    pub(super) weights: weight::Weights,
    /// The heavy matches among them, with their creators.
    pub(super) heavy: DashMap<MatchId, AddressKey>,
    /// The line in which those wait who ask heavy matches for large answers.
    pub(super) large_answers: FairLine,
    /// The line in which large matches wait that have something to resolve.
    pub(super) large_turns: FairLine<AddressKey>,
    /// The line in which those wait who read short matches back.
    pub(super) short_readings: FairLine,
    /// Which matches are asked to leave memory next.
    asking_for_room: Mutex<AskingForRoom>,
    /// When each sleeping match is woken, in milliseconds since 1970.
    pub(super) alarms: DashMap<MatchId, u64>,
    /// The matches whose time has come while memory was full.
    pub(super) due: waking::Due,
    /// When it was last said that the store does not read matches.
    pub(super) unreadable_said: Mutex<Option<Instant>>,
    /// The number that the next handle gets, so that a handle is told from the one before it.
    pub(super) serial: AtomicU64,
    /// How many matches are not finished.
    pub(super) unfinished: AtomicUsize,
    /// Is set when the matches that are not finished have been counted.
    pub(super) counted: OnceCell<()>,
    /// The requests that are creating a match now.
    pub(super) creating: creation::Creating,
    /// The matches of each address that are not finished.
    pub(super) quotas: quota::Quotas,
    /// Matches that can make room for others.
    pub(super) abandoned: tokio::sync::Mutex<expiry::Abandoned>,
    /// The line in which matches without people wait for their turn.
    pub(super) unattended: Arc<Semaphore>,
    /// A key that only this server knows, so that nobody can tell from a match's id which request created it.
    pub(super) creation_key: [u8; 32],
    /// A key that only this server knows, so that nobody can tell from what is written down which address it was.
    pub(super) address_secret: [u8; 32],
    /// Becomes true when the server begins to shut down.
    pub(super) draining: watch::Sender<bool>,
}

/// Which matches are asked to leave memory next.
#[derive(Debug, Default)]
struct AskingForRoom {
    /// The matches that were in memory when all of them had been asked, and were not asked since then.
    next: Vec<MatchId>,
    /// When matches were asked last.
    last: Option<Instant>,
}

/// What a server has done since it was started.
#[derive(Debug, Default)]
pub struct Stats {
    /// How many turns were resolved.
    pub turns: AtomicU64,
    /// How many sheets were locked in.
    pub lock_ins: AtomicU64,
    /// How many matches were built again after they failed.
    pub rebuilt: AtomicU64,
    /// How many streams follow a match now.
    pub watchers: Arc<AtomicU64>,
}

/// All matches of a server.
#[derive(Clone)]
pub struct Matches(pub(super) Arc<Shared>);

impl std::ops::Deref for Matches {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Shared {
    /// After how long a match that nobody asks for leaves memory: sooner when memory is nearly full.
    pub(super) fn idle_after(&self) -> Duration {
        if self.is_crowded() { self.crowded_idle() } else { self.limits.idle_after }
    }

    /// After how long a match that nobody needs leaves memory that others need.
    pub(super) fn crowded_idle(&self) -> Duration {
        self.limits.idle_after.min(CROWDED_IDLE)
    }

    /// Whether memory is nearly full of matches.
    pub(super) fn is_crowded(&self) -> bool {
        self.handles.len() * 10 > self.limits.matches_in_memory * 8 || self.weights.is_crowded()
    }

    /// Asks some of the matches in memory to leave if nobody needs them, others each time, and not too often. One that
    /// was asked before and stayed is asked again when its turn comes.
    pub(super) fn ask_for_room(&self) {
        // Where somebody else is asking just now, that is enough.
        let Ok(mut asking) = self.asking_for_room.try_lock() else { return };
        if asking.last.is_some_and(|last| last.elapsed() < ASK_FOR_ROOM_EVERY) {
            return;
        }
        asking.last = Some(Instant::now());
        if asking.next.is_empty() {
            asking.next = self.handles.iter().map(|handle| *handle.key()).collect();
        }
        let first = asking.next.len().saturating_sub(ASKED_FOR_ROOM);
        for id in asking.next.drain(first..) {
            self.ask_to_leave(id);
        }
    }

    /// Asks the heavy matches of a creator to leave if nobody needs them.
    pub(super) fn ask_for_room_of(&self, creator: AddressKey) {
        let own = self.heavy.iter().filter(|heavy| *heavy.value() == creator).map(|heavy| *heavy.key());
        own.collect::<Vec<MatchId>>().into_iter().for_each(|id| self.ask_to_leave(id));
    }

    fn ask_to_leave(&self, id: MatchId) {
        let Some(handle) = self.handles.get(&id) else { return };
        handle.leave.send_if_modified(|leave| {
            let stays = matches!(leave, Leave::Stay | Leave::IfIdle);
            if stays {
                *leave = Leave::IfIdle;
            }
            stays
        });
    }

    /// Whether the server is shutting down.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Whether something may be written to a match that runs.
    pub(super) fn check_play(&self) -> Result<(), Refusal> {
        self.disk.get().map_or(Ok(()), |disk| disk.check_play())
    }

    /// Whether deadlines wait until there is room on the disk.
    pub(super) fn holds_deadlines(&self) -> bool {
        self.disk.get().is_some_and(|disk| disk.holds_deadlines())
    }

    /// Gives back the room of a match that has ended, and takes it off its creator's quota.
    pub(super) fn finished(&self, setup: &match_state::Setup) {
        if let Some(creator) = &setup.address {
            self.quotas.remove(creator, setup.id);
        }
        self.give_room_back();
    }

    /// Gives back the room of one match that is not finished.
    pub(super) fn give_room_back(&self) {
        let _ = self.unfinished.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
    }
}

impl Matches {
    /// The matches of a journal. Those that must not sleep are woken in the background by [`Matches::wake`].
    pub fn new(journal: Arc<dyn Journal>, keyring: Arc<Keyring>, limits: Limits, clock: Clock) -> Self {
        Self::shared(journal, keyring, limits, clock, Rulesets::default(), Tracing::default(), None)
    }

    /// All matches of a journal, of these games, with traces of their turns, and with somebody who knows which of them are this
    /// server's.
    pub fn shared(
        journal: Arc<dyn Journal>,
        keyring: Arc<Keyring>,
        limits: Limits,
        clock: Clock,
        rulesets: Rulesets,
        tracing: Tracing,
        ownership: Option<Arc<dyn Ownership>>,
    ) -> Self {
        let metrics = Arc::new(MatchMetrics::new(&rulesets.games));
        let secret = |about: &[u8]| *blake3::hash(&keyring.sign_receipt(about)).as_bytes();
        let creation_key = secret(b"parley creation key 1");
        let address_secret = secret(b"parley address key 1");
        let large_turns = limits.work.threads.max(1);
        let salt_keys = SaltKeys {
            fresh: secret(&[&b"parley receipt noise 1"[..], Uuid::now_v7().as_bytes()].concat()),
            lasting: secret(b"parley receipt noise 2"),
        };
        Self(Arc::new(Shared {
            publisher: Publisher::start(Arc::clone(&keyring), salt_keys, Arc::clone(&metrics), tracing.tracer.clone()),
            metrics,
            tracing,
            ownership,
            creation_key,
            work: WorkPool::start(limits.work),
            weights: weight::Weights::new(limits.match_bytes),
            address_secret,
            journal,
            keyring,
            limits,
            clock,
            rulesets,
            house: OnceLock::new(),
            disk: OnceLock::new(),
            stats: Stats::default(),
            handles: DashMap::new(),
            heavy: DashMap::new(),
            large_answers: FairLine::new(LARGE_ANSWERS),
            large_turns: FairLine::new(large_turns),
            short_readings: FairLine::new(SHORT_READINGS),
            asking_for_room: Mutex::default(),
            alarms: DashMap::new(),
            due: waking::Due::default(),
            unreadable_said: Mutex::default(),
            serial: AtomicU64::new(0),
            unfinished: AtomicUsize::new(0),
            counted: OnceCell::new(),
            creating: creation::Creating::default(),
            quotas: quota::Quotas::default(),
            abandoned: tokio::sync::Mutex::default(),
            unattended: Arc::new(Semaphore::new(1)),
            draining: watch::Sender::new(false),
        }))
    }

    /// How many matches are in memory.
    pub fn in_memory(&self) -> usize {
        self.handles.len()
    }

    /// Whether a match is in memory, or on its way.
    pub fn is_in_memory(&self, id: MatchId) -> bool {
        self.handles.contains_key(&id)
    }

    /// Begins to shut down: no new matches, and streams end.
    pub fn drain(&self) {
        self.draining.send_replace(true);
    }

    /// Comes back when the server begins to shut down.
    pub fn drained(&self) -> Drained {
        let (draining, mut waited_for) = (self.draining.subscribe(), self.draining.subscribe());
        let waiting = async move {
            let _ = waited_for.wait_for(|draining| *draining).await;
        };
        // It is asked once for each waker, and must have taken note of it then, however much its task has done already.
        Drained { draining, waiting: Box::pin(unconstrained(waiting)), registered: None }
    }
}

/// Waits until the server begins to shut down. Every stream asks for that after each of its messages, so asking again with
/// the same waker only reads a number and takes no lock.
pub struct Drained {
    draining: watch::Receiver<bool>,
    waiting: BoxFuture<'static, ()>,
    /// The waker that is woken when the server begins to shut down.
    registered: Option<Waker>,
}

impl Future for Drained {
    type Output = ();

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<()> {
        let is_registered = self.registered.as_ref().is_some_and(|waker| waker.will_wake(cx.waker()));
        if is_registered && matches!(self.draining.has_changed(), Ok(false)) {
            return Poll::Pending;
        }
        self.registered = Some(cx.waker().clone());
        self.waiting.poll_unpin(cx)
    }
}
