//! All matches of a server: where each is found, how it comes into memory and how it leaves.
//!
//! A match that is in memory has a task of its own (`actor`) and a mailbox. A match that is not is brought in by the
//! first who asks for it. A task that panics or gives up takes nothing with it that was acknowledged: the next who asks
//! starts a new one, which reads the journal.

mod actor;
pub mod command;
mod creation;
mod expiry;
pub mod feed;
mod follow;
pub mod history;
pub mod listing;
mod numbers;
pub mod ownership;
mod quota;
mod record;
pub mod retelling;
mod seal;
pub mod told;
mod waking;
mod weight;

use std::collections::HashSet;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use dashmap::mapref::entry::Entry as Slot;
use dashmap::{DashMap, DashSet};
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, StreamExt};
use parley_proto::v1;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OnceCell, Semaphore, mpsc, oneshot, watch};
use tonic::Code;
use uuid::Uuid;

use crate::auth::Keyring;
use crate::clock::Clock;
use crate::disk::Disk;
use crate::house::House;
use crate::journal::{Journal, MatchId, ReadError, Stage};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::table;
use crate::trace::{TraceContext, Tracing};
use crate::work::{Customer, WorkPool};
use actor::{Actor, GaveUp};
use command::{Asker, Command, Reply, Request};
use history::{Past, PastError};
use ownership::Ownership;

pub use actor::apart;
pub use follow::Following;
pub use numbers::Numbers;
pub use quota::Origin;
pub use record::{Replay, receipts};
pub use seal::{Noise, Sealer};

/// After how long a match leaves memory that nobody asks for while others want the room.
const CROWDED_IDLE: Duration = Duration::from_secs(1);
/// How many answers as large as a heavy match are made at the same time.
const LARGE_ANSWERS: usize = 2;
/// How many matches are read back at the same time without waiting for a thread that does heavy work. Each of them can
/// take as much memory as the largest snapshot and the largest record.
const SHORT_READINGS: usize = 8;
/// How many of those who wait for a match that is read back are heard.
const WANTED_BY: usize = 8;
/// How many matches are asked to leave at once.
const ASKED_FOR_ROOM: usize = 16;

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
    /// The rules that matches share.
    pub shelf: table::RulesShelf,
    /// The house that lets bots play; set once the service is up.
    pub house: OnceLock<Box<dyn House>>,
    /// The disk that matches are written to, where it is this server's; set once the service is up.
    pub disk: OnceLock<Arc<Disk>>,
    /// The task that signs receipts.
    pub sealer: Sealer,
    /// What the server has done since the start.
    pub stats: Stats,
    /// The threads that do heavy work.
    pub work: WorkPool,
    /// The numbers that operators look at.
    pub numbers: Arc<Numbers>,
    /// Whether and where turns are traced.
    pub tracing: Tracing,
    /// The one who knows which server owns a match, where several servers share the journal.
    ownership: Option<Arc<dyn Ownership>>,
    handles: DashMap<MatchId, Handle>,
    /// About how many bytes the matches in memory take.
    weights: weight::Weights,
    /// The heavy matches among them.
    heavy: DashSet<MatchId>,
    /// The line in which those wait who ask heavy matches for large answers.
    large_answers: Semaphore,
    /// Where large matches wait that have something to resolve.
    large_turns: Semaphore,
    /// Where those wait who read short matches back.
    short_readings: Semaphore,
    /// When each sleeping match is woken, in milliseconds since 1970.
    alarms: DashMap<MatchId, u64>,
    serial: AtomicU64,
    unfinished: AtomicUsize,
    /// Is set when the matches that are not finished have been counted.
    counted: OnceCell<()>,
    creating: creation::Creating,
    /// The matches of each address that are not finished.
    quotas: quota::Quotas,
    /// Matches that can make room for others.
    abandoned: tokio::sync::Mutex<expiry::Abandoned>,
    /// The line in which matches without people wait for their turn.
    unattended: Arc<Semaphore>,
    /// A key that only this server knows, so that nobody can tell from a match's id which request created it.
    creation_key: [u8; 32],
    /// A key that only this server knows, so that nobody can tell from what is written down which address it was.
    address_secret: [u8; 32],
    draining: watch::Sender<bool>,
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

/// The way to a match in memory.
#[derive(Clone, Debug)]
struct Handle {
    mailbox: mpsc::Sender<Command>,
    leave: watch::Sender<Leave>,
    serial: u64,
    /// Says who waits for the match while it is read back; closed when it is there.
    wanted: Option<mpsc::Sender<Customer>>,
}

impl Handle {
    /// Says that somebody waits for the match.
    fn want(&self, customer: Customer) {
        if let Some(wanted) = self.wanted.as_ref().filter(|wanted| !wanted.is_closed()) {
            // Where many wait already, they are enough.
            let _ = wanted.try_send(customer);
        }
    }
}

/// What the task of a match is told to do by those who know whose the match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// Stay on this server.
    Stay,
    /// Write down what is not written yet, and then leave.
    Orderly,
    /// Leave as it is: the match is another server's.
    AtOnce,
    /// Leave if nobody needs the match just now, because others want the room.
    IfIdle,
}

/// The task's ends of the channels through which a match is asked and told things.
struct Inlet {
    mailbox: mpsc::Receiver<Command>,
    leave: watch::Receiver<Leave>,
    /// Who waits for a match that is read back.
    wanting: Option<mpsc::Receiver<Customer>>,
}

/// All matches of a server.
#[derive(Clone)]
pub struct Matches(Arc<Shared>);

impl std::ops::Deref for Matches {
    type Target = Shared;

    fn deref(&self) -> &Shared {
        &self.0
    }
}

impl Shared {
    /// After how long a match that nobody asks for leaves memory: sooner when memory is nearly full.
    fn idle_after(&self) -> Duration {
        if self.is_crowded() { self.limits.idle_after.min(CROWDED_IDLE) } else { self.limits.idle_after }
    }

    /// Whether memory is nearly full of matches.
    fn is_crowded(&self) -> bool {
        self.handles.len() * 10 > self.limits.matches_in_memory * 8 || self.weights.is_crowded(self.limits.match_bytes)
    }

    /// Asks some of the matches in memory to leave if nobody needs them, others each time.
    fn ask_for_room(&self) {
        let first = self.serial.load(Ordering::Relaxed) as usize * ASKED_FOR_ROOM % self.handles.len().max(1);
        for handle in self.handles.iter().skip(first).take(ASKED_FOR_ROOM) {
            handle.leave.send_if_modified(|leave| {
                let stays = *leave == Leave::Stay;
                if stays {
                    *leave = Leave::IfIdle;
                }
                stays
            });
        }
    }

    /// Whether the server is shutting down.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// Whether something may be written to a match that runs.
    fn check_play(&self) -> Result<(), Refusal> {
        self.disk.get().map_or(Ok(()), |disk| disk.check_play())
    }

    /// Whether deadlines wait until there is room on the disk.
    fn holds_deadlines(&self) -> bool {
        self.disk.get().is_some_and(|disk| disk.holds_deadlines())
    }

    /// Gives back the room of a match that has ended, and takes it off its creator's quota.
    fn finished(&self, setup: &table::Setup) {
        if let Some(address) = setup.address {
            self.quotas.remove(address, setup.id);
        }
        self.give_room_back();
    }

    /// Gives back the room of one match that is not finished.
    fn give_room_back(&self) {
        let _ = self.unfinished.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
    }
}

impl Matches {
    /// The matches of a journal. Those that must not sleep are woken in the background by [`Matches::wake`].
    pub fn new(journal: Arc<dyn Journal>, keyring: Arc<Keyring>, limits: Limits, clock: Clock) -> Self {
        Self::shared(journal, keyring, limits, clock, Tracing::default(), None)
    }

    /// All matches of a journal, with traces of their turns, and with somebody who knows which of them are this
    /// server's.
    pub fn shared(
        journal: Arc<dyn Journal>,
        keyring: Arc<Keyring>,
        limits: Limits,
        clock: Clock,
        tracing: Tracing,
        ownership: Option<Arc<dyn Ownership>>,
    ) -> Self {
        let numbers = Arc::new(Numbers::default());
        let secret = |about: &[u8]| *blake3::hash(&keyring.sign_receipt(about)).as_bytes();
        let creation_key = secret(b"parley creation key 1");
        let address_secret = secret(b"parley address key 1");
        let large_turns = limits.work.threads.max(1);
        let noise = Noise {
            fresh: secret(&[&b"parley receipt noise 1"[..], Uuid::now_v7().as_bytes()].concat()),
            lasting: secret(b"parley receipt noise 2"),
        };
        Self(Arc::new(Shared {
            sealer: Sealer::start(Arc::clone(&keyring), noise, Arc::clone(&numbers), tracing.tracer.clone()),
            numbers,
            tracing,
            ownership,
            creation_key,
            work: WorkPool::start(limits.work),
            address_secret,
            journal,
            keyring,
            limits,
            clock,
            shelf: table::RulesShelf::default(),
            house: OnceLock::new(),
            disk: OnceLock::new(),
            stats: Stats::default(),
            handles: DashMap::new(),
            weights: weight::Weights::default(),
            heavy: DashSet::new(),
            large_answers: Semaphore::new(LARGE_ANSWERS),
            large_turns: Semaphore::new(large_turns),
            short_readings: Semaphore::new(SHORT_READINGS),
            alarms: DashMap::new(),
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

    /// Asks as [`Matches::ask`] does for something that is as large as the match. Of such answers of heavy matches only
    /// a few are in memory before they are counted.
    pub async fn ask_for_much<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let heavy = self.heavy.contains(&id);
        // It is never closed.
        let _turn = if heavy { self.large_answers.acquire().await.ok() } else { None };
        self.ask(id, asker, request).await
    }

    /// Asks a match something and waits for the answer.
    pub async fn ask<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        self.ask_within(id, asker, None, request).await
    }

    /// Asks as [`Matches::ask`] does, as a part of the caller's trace.
    pub async fn ask_within<T>(
        &self,
        id: MatchId,
        asker: impl Into<Asker>,
        context: Option<TraceContext>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let Asker { claims, customer } = asker.into();
        let (reply, answer) = oneshot::channel();
        self.tell(id, Command { claims, customer, context, request: request(Reply::to_caller(reply)) }).await;
        answer.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Gives a command to a match, when there is room for it. A match that cannot be asked refuses.
    pub async fn tell(&self, id: MatchId, mut command: Command) {
        loop {
            let handle = match self.find(id, command.customer) {
                Ok(handle) => handle,
                Err(refusal) => return command.refuse(refusal),
            };
            match handle.mailbox.send(command).await {
                Ok(()) => return,
                // It has just left memory.
                Err(mpsc::error::SendError(returned)) => {
                    self.forget(id, handle.serial);
                    command = returned;
                }
            }
        }
    }

    /// Gives a command to a match if there is room for it now; gives it back where that takes time.
    pub fn try_tell(&self, id: MatchId, command: Command) -> Option<Command> {
        let Some(handle) = self.handles.get(&id) else { return Some(command) };
        handle.want(command.customer);
        match handle.mailbox.try_send(command) {
            Ok(()) => None,
            Err(TrySendError::Full(command)) => {
                metrics::counter!("parley_mailbox_full_total").increment(1);
                Some(command)
            }
            Err(TrySendError::Closed(command)) => Some(command),
        }
    }

    fn forget(&self, id: MatchId, serial: u64) {
        self.handles.remove_if(&id, |_, handle| handle.serial == serial);
    }

    /// The way to a match, which is brought into memory for whoever asks if it is not there.
    fn find(&self, id: MatchId, customer: Customer) -> Result<Handle, Refusal> {
        if let Some(handle) = self.handles.get(&id) {
            handle.want(customer);
            return Ok(handle.clone());
        }
        self.check_room()?;
        match self.handles.entry(id) {
            Slot::Occupied(slot) => {
                slot.get().want(customer);
                Ok(slot.get().clone())
            }
            Slot::Vacant(slot) => {
                let (handle, mut inlet) = self.new_handle();
                let (wanted, wanting) = mpsc::channel(WANTED_BY);
                inlet.wanting = Some(wanting);
                let handle = Handle { wanted: Some(wanted), ..handle };
                handle.want(customer);
                slot.insert(handle.clone());
                let matches = self.clone();
                let serial = handle.serial;
                tokio::spawn(async move { matches.bring_back(id, serial, inlet).await });
                Ok(handle)
            }
        }
    }

    fn check_room(&self) -> Result<(), Refusal> {
        if self.is_crowded() {
            self.ask_for_room();
        }
        let limit = self.limits.matches_in_memory;
        if self.handles.len() >= limit {
            let message = format!("{limit} matches are in memory, which is the limit");
            return Err(Refusal::limit("TOO_MANY_MATCHES_IN_MEMORY", message, Duration::from_secs(1)));
        }
        self.weights.check_any(self.limits.match_bytes)
    }

    /// Whether there is room for a match that is about to be served.
    fn check_weight(&self, table: &table::Table) -> Result<(), Refusal> {
        self.weights.check(table.weight(), self.limits.match_bytes)
    }

    fn new_handle(&self) -> (Handle, Inlet) {
        let (sender, mailbox) = mpsc::channel(self.limits.mailbox);
        let (leave, told) = watch::channel(Leave::Stay);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        (Handle { mailbox: sender, leave, serial, wanted: None }, Inlet { mailbox, leave: told, wanting: None })
    }

    /// Tells a match that it is another server's.
    pub fn revoke(&self, id: MatchId) {
        if let Some(handle) = self.handles.get(&id) {
            handle.leave.send_replace(Leave::AtOnce);
        }
    }

    /// Tells all matches that they are other servers'.
    pub fn revoke_all(&self) {
        for handle in &self.handles {
            handle.leave.send_replace(Leave::AtOnce);
        }
    }

    /// Lets a match leave memory, with everything written down, and waits until it has.
    pub async fn stop(&self, id: MatchId) {
        let Some(leave) = self.handles.get(&id).map(|handle| handle.leave.clone()) else { return };
        leave.send_replace(Leave::Orderly);
        leave.closed().await;
    }

    /// Reads a match back and serves it.
    async fn bring_back(&self, id: MatchId, serial: u64, mut inlet: Inlet) {
        let recovered = match self.hold_and_recover(id, inlet.wanting.take()).await {
            Ok(Ok(past)) => self.check_weight(&past.table).map(|()| Ok(past)).map_err(Some),
            other => other,
        };
        let error = match recovered {
            Ok(Ok(past)) => {
                if let Some(address) = past.table.setup.address.filter(|_| !past.table.is_over()) {
                    self.quotas.add(address, id);
                }
                let actor = Actor::new(Arc::clone(&self.0), past, inlet);
                return self.supervise(id, serial, actor).await;
            }
            Err(Some(refusal)) => refusal,
            Ok(Err(error)) => {
                if error == PastError::Unknown {
                    tracing::debug!(match_id = %id.0, "there is no such match");
                } else if matches!(error, PastError::Unreadable(ReadError::Failed(_))) {
                    tracing::warn!(match_id = %id.0, %error, "a match cannot be read back now");
                } else {
                    tracing::error!(match_id = %id.0, %error, "a match cannot be read back; the others go on");
                }
                Refusal::from(error)
            }
            Err(None) => {
                tracing::error!(match_id = %id.0, "reading a match back panicked; the others go on");
                Refusal::new(Code::Internal, "MATCH_BROKEN", "the match cannot be read back")
            }
        };
        self.forget(id, serial);
        inlet.mailbox.close();
        while let Some(command) = inlet.mailbox.recv().await {
            command.refuse(error.clone());
        }
    }

    /// Reads a match back that is this server's; otherwise refuses. Nothing is said of reading that panicked.
    async fn hold_and_recover(
        &self,
        id: MatchId,
        wanting: Option<mpsc::Receiver<Customer>>,
    ) -> Result<Result<Past, PastError>, Option<Refusal>> {
        if let Some(ownership) = &self.ownership {
            ownership.hold(id).await.map_err(Some)?;
        }
        let recovered = AssertUnwindSafe(self.recover_for(id, wanting)).catch_unwind().await.map_err(|_| None)?;
        if let (Some(ownership), Err(PastError::Unreadable(ReadError::Failed(_)))) = (&self.ownership, &recovered) {
            ownership.lost(id);
        }
        Ok(recovered)
    }

    /// Reads a match back for all who wait for it, each in their own turn; whoever's comes first, it is there for all. So
    /// nobody who asks for much can hold up a match that others wait for, and it is refused only to those who are alone.
    async fn recover_for(&self, id: MatchId, wanting: Option<mpsc::Receiver<Customer>>) -> Result<Past, PastError> {
        let Some(mut wanting) = wanting else { return Past::recover(self, Customer::Service, id).await };
        let (mut asked, mut recovering) = (HashSet::new(), FuturesUnordered::new());
        let mut refused = PastError::Unknown;
        loop {
            tokio::select! {
                biased;
                Some(customer) = wanting.recv(), if asked.len() < WANTED_BY => {
                    if asked.insert(customer) {
                        recovering.push(Past::recover(self, customer, id));
                    }
                }
                Some(recovered) = recovering.next() => match recovered {
                    Err(error @ PastError::Refused(_)) => refused = error,
                    recovered => return recovered,
                },
                else => return Err(refused),
            }
            if recovering.is_empty() && wanting.is_empty() {
                return Err(refused);
            }
        }
    }

    /// Serves a match until its task ends, and sees to it that nothing else ends with it.
    async fn supervise(&self, id: MatchId, serial: u64, actor: Actor) {
        metrics::gauge!("parley_matches_in_memory").increment(1);
        let ended = AssertUnwindSafe(actor.run()).catch_unwind().await;
        metrics::gauge!("parley_matches_in_memory").decrement(1);
        let sleeps_for_good = matches!(ended, Ok(Ok(None)));
        let releasing = self.ownership.as_ref().filter(|_| sleeps_for_good).and_then(|ownership| {
            // Nobody finds it between the two, and whoever was faster keeps it.
            match self.handles.entry(id) {
                Slot::Occupied(slot) if slot.get().serial == serial => {
                    let releasing = ownership.release(id);
                    slot.remove();
                    Some(releasing)
                }
                _ => None,
            }
        });
        self.forget(id, serial);
        match ended {
            Ok(Ok(Some(deadline))) => self.wake_at(id, Some(deadline)),
            Ok(Ok(None)) => {
                if let Some(releasing) = releasing {
                    releasing.await;
                }
            }
            Ok(Err(GaveUp::Moved)) => tracing::debug!(match_id = %id.0, "a match went to another server"),
            Ok(Err(GaveUp::NotDurable(error))) if self.ownership.is_some() => {
                tracing::info!(match_id = %id.0, %error, "a match is let go: somebody else may have it");
                self.look_again(id);
            }
            Ok(Err(error)) => self.rebuild(id, &error.to_string()),
            Err(panic) => self.rebuild(id, panic_text(&*panic)),
        }
    }

    /// Has a match read back whose task has failed, because others may be waiting for its deadlines.
    fn rebuild(&self, id: MatchId, why: &str) {
        self.stats.rebuilt.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("parley_matches_rebuilt_total").increment(1);
        tracing::error!(match_id = %id.0, why, "the task of a match failed; it is built again from the journal");
        self.look_again(id);
    }

    /// Has a match brought back in a second, to see in the journal what became of it. It has to be held anew, because
    /// it may not be this server's any more.
    fn look_again(&self, id: MatchId) {
        if let Some(ownership) = &self.ownership {
            ownership.lost(id);
        }
        self.wake_at(id, Some(self.clock.now_ms() + 1000));
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
    pub fn drained(&self) -> impl Future<Output = ()> + Send + use<> {
        let mut draining = self.draining.subscribe();
        async move {
            let _ = draining.wait_for(|draining| *draining).await;
        }
    }
}

/// The stage that the store lists a match under.
fn stage_of(stage: v1::MatchStage) -> Stage {
    match stage {
        v1::MatchStage::Finished => Stage::Finished,
        v1::MatchStage::Running => Stage::Running,
        v1::MatchStage::Open | v1::MatchStage::Unspecified => Stage::Open,
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;
    use crate::auth::{Claims, Role};
    use crate::journal::memory::Memory;
    use crate::work::WorkLimits;

    fn request_id() -> String {
        format!("a-request-of-a-test-{}", Uuid::now_v7())
    }

    #[tokio::test(start_paused = true)]
    async fn of_large_matches_only_a_few_are_resolved_at_the_same_time() {
        let work = WorkLimits { threads: 1, ..WorkLimits::default() };
        let limits = Limits { large_match_units: 0, work, ..Limits::default() };
        let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
        let all = Matches::new(Arc::new(Memory::new()), keyring, limits, Clock::starting_at(0));
        let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..v1::MatchSettings::default() };
        let settings = v1::MatchSettings { start_when_full: true, ..settings };
        let request =
            v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() };
        let created = all.create(request, &[]).await.expect("a match").r#match.expect("a match");
        let id = MatchId(created.match_id.parse().expect("an id"));
        let join = || v1::JoinMatchRequest {
            request_id: request_id(),
            match_id: created.match_id.clone(),
            ..v1::JoinMatchRequest::default()
        };
        let mut expires_at = 0;
        for _ in 0..2 {
            let joined = all.ask(id, None, |reply| Request::JoinMatch(join(), reply)).await.expect("a seat");
            expires_at = joined.expires_at;
        }
        let lock = |seat| {
            let (all, match_id) = (all.clone(), created.match_id.clone());
            async move {
                let claims = Claims { match_id: Some(id), role: Role::Seat(seat), expires_at };
                let sheet = Some(v1::OrderSheet::default());
                let request = v1::LockInRequest { request_id: request_id(), match_id, turn: 1, sheet };
                all.ask(id, Some(claims), |reply| Request::LockIn(request, reply)).await
            }
        };
        lock(0).await.expect("nobody else resolves anything");
        let other = all.large_turns.acquire().await.expect("it is never closed");
        let waiting = tokio::spawn(lock(1));
        tokio::time::sleep(Duration::from_secs(10)).await;
        assert!(!waiting.is_finished(), "another one is being resolved");
        drop(other);
        let locked = timeout(Duration::from_secs(1), waiting).await.expect("its turn comes");
        locked.expect("no panic").expect("locked");
    }
}
