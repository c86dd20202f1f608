//! All matches of a server: where each is found, how it comes into memory and how it leaves.
//!
//! A match that is in memory has a task of its own (`actor`) and a mailbox. A match that is not is brought in by the
//! first who asks for it. A task that panics or gives up takes nothing with it that was acknowledged: the next who asks
//! starts a new one, which reads the journal.

mod actor;
pub mod command;
pub mod feed;
mod follow;
pub mod history;
mod numbers;
pub mod ownership;
mod record;
pub mod retelling;
mod seal;
pub mod told;

use std::collections::VecDeque;
use std::panic::AssertUnwindSafe;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry as Slot;
use futures_util::FutureExt;
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::v1;
use prost::Message;
use tokio::sync::mpsc::error::TrySendError;
use tokio::sync::{OnceCell, mpsc, oneshot, watch};
use tonic::Code;
use uuid::Uuid;

use crate::auth::{Claims, Keyring, Role};
use crate::clock::Clock;
use crate::house::House;
use crate::journal::{Journal, MatchId, ReadError, Stage};
use crate::limits::Limits;
use crate::refusal::Refusal;
use crate::table::{self, Table};
use crate::trace::{TraceContext, Tracing};
use actor::{Actor, GaveUp};
use command::{Command, Reply, Request};
use history::{Past, PastError};
use ownership::Ownership;

pub use actor::apart;
pub use follow::Following;
pub use numbers::Numbers;
pub use record::{Recorder, receipts};
pub use seal::{Noise, Sealer};

/// Creations that are remembered, so that a repeated request finds its match.
pub const CREATIONS_REMEMBERED: usize = 10_000;
/// Matches that are listed at once.
const PAGE: usize = 1000;

/// What all matches of a server share.
pub struct Shared {
    /// Where matches are written down.
    pub journal: Arc<dyn Journal>,
    /// What tokens and receipts are signed with.
    pub keyring: Arc<Keyring>,
    /// How much of everything is allowed.
    pub limits: Limits,
    /// The time of day.
    pub clock: Clock,
    /// Rules that matches share.
    pub shelf: table::RulesShelf,
    /// Who lets bots play; set once the service is up.
    pub house: OnceLock<Box<dyn House>>,
    /// Who signs receipts.
    pub sealer: Sealer,
    /// What has been done since the start.
    pub stats: Stats,
    /// What operators count.
    pub numbers: Arc<Numbers>,
    /// Whether turns are traced.
    pub tracing: Tracing,
    /// Who knows whose a match is, where several servers share the journal.
    ownership: Option<Arc<dyn Ownership>>,
    handles: DashMap<MatchId, Handle>,
    /// When sleeping matches are woken.
    alarms: DashMap<MatchId, u64>,
    serial: AtomicU64,
    unfinished: AtomicUsize,
    created: OnceCell<Mutex<VecDeque<MatchId>>>,
    /// Known to this server alone, so that nobody can tell from a match's id which request created it.
    creation_key: [u8; 32],
    draining: watch::Sender<bool>,
}

/// What a server has done since it was started.
#[derive(Debug, Default)]
pub struct Stats {
    /// Turns resolved.
    pub turns: AtomicU64,
    /// Orders locked in.
    pub lock_ins: AtomicU64,
    /// Matches that were built again after they failed.
    pub rebuilt: AtomicU64,
    /// Streams that follow a match now.
    pub watchers: Arc<AtomicU64>,
}

/// The way to a match in memory.
#[derive(Clone, Debug)]
struct Handle {
    mailbox: mpsc::Sender<Command>,
    leave: watch::Sender<Leave>,
    serial: u64,
}

/// What the task of a match is told by those who know whose the match is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Leave {
    /// Nothing.
    Stay,
    /// To write down what is not, and then to leave.
    Orderly,
    /// To leave as it is: the match is another server's.
    AtOnce,
}

/// What the task of a match is told and asked.
struct Inlet {
    mailbox: mpsc::Receiver<Command>,
    leave: watch::Receiver<Leave>,
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
        let crowded = self.handles.len() * 10 > self.limits.matches_in_memory * 8;
        if crowded { self.limits.idle_after.min(Duration::from_secs(1)) } else { self.limits.idle_after }
    }

    /// Whether the server is shutting down.
    pub fn is_draining(&self) -> bool {
        *self.draining.borrow()
    }

    /// A match has ended: there is room for another.
    fn finished(&self) {
        let _ = self.unfinished.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| count.checked_sub(1));
    }
}

impl Matches {
    /// The matches of a journal. Those that must not sleep are woken in the background by [`Matches::wake`].
    pub fn new(journal: Arc<dyn Journal>, keyring: Arc<Keyring>, limits: Limits, clock: Clock) -> Self {
        Self::shared(journal, keyring, limits, clock, Tracing::default(), None)
    }

    /// The same, with traces of their turns, and with somebody who knows which of them are this server's.
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
            journal,
            keyring,
            limits,
            clock,
            shelf: table::RulesShelf::default(),
            house: OnceLock::new(),
            stats: Stats::default(),
            handles: DashMap::new(),
            alarms: DashMap::new(),
            serial: AtomicU64::new(0),
            unfinished: AtomicUsize::new(0),
            created: OnceCell::new(),
            draining: watch::Sender::new(false),
        }))
    }

    /// Matches in memory.
    pub fn in_memory(&self) -> usize {
        self.handles.len()
    }

    /// Asks a match something and waits for the answer.
    pub async fn ask<T>(
        &self,
        id: MatchId,
        claims: Option<Claims>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.tell(id, Command { claims, context: None, request: request(Reply::to_caller(reply)) }).await;
        answer.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Asks as [`Matches::ask`] does, as a part of the caller's trace.
    pub async fn ask_within<T>(
        &self,
        id: MatchId,
        claims: Option<Claims>,
        context: Option<TraceContext>,
        request: impl FnOnce(Reply<T>) -> Request,
    ) -> Result<T, Refusal> {
        let (reply, answer) = oneshot::channel();
        self.tell(id, Command { claims, context, request: request(Reply::to_caller(reply)) }).await;
        answer.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Gives a command to a match, when there is room for it. A match that cannot be asked refuses.
    pub async fn tell(&self, id: MatchId, mut command: Command) {
        loop {
            let handle = match self.find(id) {
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

    /// The way to a match, which is brought into memory if it is not there.
    fn find(&self, id: MatchId) -> Result<Handle, Refusal> {
        if let Some(handle) = self.handles.get(&id) {
            return Ok(handle.clone());
        }
        self.check_room()?;
        match self.handles.entry(id) {
            Slot::Occupied(slot) => Ok(slot.get().clone()),
            Slot::Vacant(slot) => {
                let (handle, inlet) = self.new_handle();
                slot.insert(handle.clone());
                let matches = self.clone();
                let serial = handle.serial;
                tokio::spawn(async move { matches.bring_back(id, serial, inlet).await });
                Ok(handle)
            }
        }
    }

    fn check_room(&self) -> Result<(), Refusal> {
        let limit = self.limits.matches_in_memory;
        if self.handles.len() >= limit {
            let message = format!("{limit} matches are in memory, which is the limit");
            return Err(Refusal::limit("TOO_MANY_MATCHES_IN_MEMORY", message, Duration::from_secs(1)));
        }
        Ok(())
    }

    fn new_handle(&self) -> (Handle, Inlet) {
        let (sender, mailbox) = mpsc::channel(self.limits.mailbox);
        let (leave, told) = watch::channel(Leave::Stay);
        let serial = self.serial.fetch_add(1, Ordering::Relaxed);
        (Handle { mailbox: sender, leave, serial }, Inlet { mailbox, leave: told })
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
        let error = match self.hold_and_recover(id).await {
            Ok(Ok(past)) => {
                let actor = Actor::new(Arc::clone(&self.0), past, inlet);
                return self.supervise(id, serial, actor).await;
            }
            Err(Some(refusal)) => refusal,
            Ok(Err(error)) => {
                if error == PastError::Unknown {
                    self.forget_creation(id);
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
    async fn hold_and_recover(&self, id: MatchId) -> Result<Result<Past, PastError>, Option<Refusal>> {
        if let Some(ownership) = &self.ownership {
            ownership.hold(id).await.map_err(Some)?;
        }
        let recovered = AssertUnwindSafe(Past::recover(self, id)).catch_unwind().await.map_err(|_| None)?;
        if let (Some(ownership), Err(PastError::Unreadable(ReadError::Failed(_)))) = (&self.ownership, &recovered) {
            ownership.lost(id);
        }
        Ok(recovered)
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

    /// A match whose task has failed is read back at once, because others may be waiting for its deadlines.
    fn rebuild(&self, id: MatchId, why: &str) {
        self.stats.rebuilt.fetch_add(1, Ordering::Relaxed);
        metrics::counter!("parley_matches_rebuilt_total").increment(1);
        tracing::error!(match_id = %id.0, why, "the task of a match failed; it is built again from the journal");
        self.look_again(id);
    }

    /// What became of a match has to be seen in the journal, where it is still this server's.
    fn look_again(&self, id: MatchId) {
        if let Some(ownership) = &self.ownership {
            ownership.lost(id);
        }
        self.wake_at(id, Some(self.clock.now_ms() + 1000));
    }

    /// Brings a sleeping match back when its time has come.
    fn wake_at(&self, id: MatchId, deadline: Option<u64>) {
        let Some(deadline) = deadline.filter(|_| !self.is_draining()) else { return };
        match self.alarms.entry(id) {
            // Whoever wakes it earlier lets it set the next alarm.
            Slot::Occupied(alarm) if *alarm.get() <= deadline => return,
            Slot::Occupied(mut alarm) => drop(alarm.insert(deadline)),
            Slot::Vacant(alarm) => drop(alarm.insert(deadline)),
        }
        let (matches, mut draining) = (self.clone(), self.draining.subscribe());
        tokio::spawn(async move {
            tokio::select! {
                () = matches.wake_later(id, deadline) => {}
                _ = draining.wait_for(|draining| *draining) => {}
            }
        });
    }

    async fn wake_later(&self, id: MatchId, deadline: u64) {
        const FULL: Duration = Duration::from_secs(1);
        tokio::time::sleep_until(self.clock.instant(deadline)).await;
        self.alarms.remove_if(&id, |_, alarm| *alarm == deadline);
        // Where memory is full, its time comes when another match has left.
        while self.find(id).is_err() {
            tokio::time::sleep(FULL).await;
        }
    }

    /// Creates a match, or finds the one that the same request created.
    pub async fn create(
        &self,
        request: v1::CreateMatchRequest,
        policies: &[&str],
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        table::secret_request_id(&request.request_id)?;
        if self.is_draining() {
            return Err(Refusal::draining());
        }
        let tail = creation_tail(&request.request_id, &self.creation_key);
        let asked = *blake3::hash(&request.encode_to_vec()).as_bytes();
        if let Some(ownership) = &self.ownership {
            return self.create_shared(ownership, request, policies, tail, asked).await;
        }
        let creations = self.creations().await?;
        if let Some(id) = created_by(creations, tail)
            && let Some(answer) = self.created_again(id, asked).await?
        {
            return Ok(answer);
        }
        self.check_limit(self.unfinished.load(Ordering::Relaxed))?;
        self.check_room()?;
        let entry = self.plan(&request, asked, policies)?;
        let id = new_id(entry.at_ms, tail);
        let table = self.lay(id, &entry)?;
        // Whoever finds it remembered finds it in memory, so that it can be waited for.
        let (handle, inlet) = self.new_handle();
        self.handles.insert(id, handle.clone());
        if remember(creations, id) {
            return self.found(handle, inlet, table, entry).await;
        }
        // The same request came twice at the same time, and the other one was faster.
        self.forget(id, handle.serial);
        Err(Refusal::restarted())
    }

    /// Creates a match where several servers may be asked for it. Its id is settled first, so that it is the same match
    /// whoever of them creates it.
    async fn create_shared(
        &self,
        ownership: &Arc<dyn Ownership>,
        request: v1::CreateMatchRequest,
        policies: &[&str],
        tail: [u8; 10],
        asked: [u8; 32],
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        self.check_limit(ownership.held())?;
        self.check_room()?;
        let entry = self.plan(&request, asked, policies)?;
        let (id, first) = ownership.reserve(tail, new_id(entry.at_ms, tail)).await?;
        if !first && let Some(answer) = self.created_again(id, asked).await? {
            return Ok(answer);
        }
        let table = self.lay(id, &entry)?;
        let (handle, inlet) = self.new_handle();
        match self.handles.entry(id) {
            Slot::Occupied(_) => return Err(Refusal::restarted()),
            Slot::Vacant(slot) => drop(slot.insert(handle.clone())),
        }
        let (matches, ownership) = (self.clone(), Arc::clone(ownership));
        // It is carried through even if the caller goes away in the middle of it.
        let creating = tokio::spawn(async move {
            if let Err(refusal) = ownership.hold_new(id).await {
                matches.forget(id, handle.serial);
                return Err(refusal);
            }
            matches.found(handle, inlet, table, entry).await
        });
        creating.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    fn check_limit(&self, unfinished: usize) -> Result<(), Refusal> {
        let limit = self.limits.matches;
        if unfinished < limit {
            return Ok(());
        }
        let message = format!("{limit} matches are not finished, which is the limit");
        Err(Refusal::limit("TOO_MANY_MATCHES", message, Duration::from_secs(60)))
    }

    /// The table of a match that begins.
    fn lay(&self, id: MatchId, entry: &Entry) -> Result<Table, Refusal> {
        let nonsense = |error: table::Nonsense| Refusal::new(Code::Internal, "MATCH_BROKEN", error.0);
        Table::create(id, entry.clone(), &self.shelf, self.limits.request_memory).map_err(nonsense)
    }

    fn plan(&self, request: &v1::CreateMatchRequest, asked: [u8; 32], policies: &[&str]) -> Result<Entry, Refusal> {
        let mut created = table::plan(request, &self.limits, policies, random_u64()?)?;
        created.fixed_secret = !request.fixed_secret.is_empty();
        created.secret = match request.fixed_secret.len() {
            0 => random_bytes()?.to_vec().into(),
            32 if self.limits.allow_fixed_secrets => request.fixed_secret.clone(),
            32 => {
                let message = "this server does not let callers choose the secret (allow_fixed_secrets)";
                return Err(Refusal::new(Code::PermissionDenied, "FIXED_SECRETS_OFF", message));
            }
            _ => return Err(Refusal::field("fixed_secret", "32 bytes, or none")),
        };
        created.request = asked.to_vec().into();
        let at_ms = self.clock.now_ms();
        created.expires_at = at_ms / 1000 + self.limits.token_lifetime.as_secs();
        Ok(Entry { at_ms, what: Some(What::Created(created)) })
    }

    async fn found(
        &self,
        handle: Handle,
        inlet: Inlet,
        table: Table,
        entry: Entry,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        let (id, response) = (table.setup.id, self.creation_answer(&table));
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        self.numbers.went(v1::MatchStage::Unspecified, v1::MatchStage::Open, &table);
        let past = Past { table, records: 0, saved: 0, rest: Vec::new() };
        let mut actor = Actor::new(Arc::clone(&self.0), past, inlet);
        let (sender, created) = oneshot::channel();
        let matches = self.clone();
        tokio::spawn(async move {
            match actor
                .found(
                    entry,
                    Box::new(move || {
                        let _ = sender.send(());
                    }),
                )
                .await
            {
                Ok(()) => matches.supervise(id, handle.serial, actor).await,
                Err(error) => {
                    matches.forget(id, handle.serial);
                    matches.rebuild(id, &error.to_string());
                }
            }
        });
        created.await.map(|()| response).map_err(|_| Refusal::restarted())
    }

    fn creation_answer(&self, table: &Table) -> v1::CreateMatchResponse {
        let setup = &table.setup;
        let claims = |role| Claims { match_id: Some(setup.id), role, expires_at: setup.host_expires_at };
        let invite = setup.is_private().then(|| self.keyring.mint(&claims(Role::Invite)));
        v1::CreateMatchResponse {
            r#match: Some(table.summary()),
            host_token: self.keyring.mint(&claims(Role::Host)),
            invite_token: invite.unwrap_or_default(),
        }
    }

    /// The answer to a request that created a match before; nothing where that match was never written down.
    async fn created_again(&self, id: MatchId, asked: [u8; 32]) -> Result<Option<v1::CreateMatchResponse>, Refusal> {
        if self.handles.contains_key(&id) {
            // It may be about to be written: a match answers when everything before the answer is durable.
            let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
            match self.ask(id, Some(admin), Request::GetMatch).await {
                Err(refusal) if refusal.code != Code::NotFound => return Err(refusal),
                _ => {}
            }
        }
        match Past::load(self, id, |_| true).await {
            Ok(past) if past.table.setup.request == asked => Ok(Some(self.creation_answer(&past.table))),
            Ok(_) => Err(table::reused()),
            Err(PastError::Unknown) => {
                self.forget_creation(id);
                Ok(None)
            }
            Err(error) => Err(error.into()),
        }
    }

    /// A match that was to be created was never written down.
    fn forget_creation(&self, id: MatchId) {
        let Some(created) = self.created.get() else { return };
        let mut created = created.lock().unwrap_or_else(PoisonError::into_inner);
        let remembered = created.len();
        created.retain(|other| *other != id);
        if created.len() < remembered {
            self.finished();
        }
    }

    /// Who created what, newest last. The first who asks reads it from the journal: before that is done nobody can say
    /// whether a request was made before.
    async fn creations(&self) -> Result<&Mutex<VecDeque<MatchId>>, Refusal> {
        self.created.get_or_try_init(|| self.read_creations()).await
    }

    async fn read_creations(&self) -> Result<Mutex<VecDeque<MatchId>>, Refusal> {
        let mut newest: Vec<MatchId> = Vec::new();
        let mut running = 0;
        for stage in [Stage::Open, Stage::Running, Stage::Finished] {
            if stage == Stage::Finished {
                // A match that has just been started is in both lists.
                newest.sort_unstable();
                newest.dedup();
                self.unfinished.store(newest.len(), Ordering::Relaxed);
                self.numbers.found(newest.len().saturating_sub(running), running);
            }
            let enough = |read: usize| stage == Stage::Finished && read >= CREATIONS_REMEMBERED;
            let mut before = None;
            loop {
                let page = self.journal.list(stage, before, PAGE).await.map_err(PastError::from)?;
                before = page.last().map(|(id, _)| *id);
                let full = page.len() == PAGE;
                running += if stage == Stage::Running { page.len() } else { 0 };
                newest.extend(page.into_iter().map(|(id, _)| id));
                if !full || enough(newest.len()) {
                    break;
                }
            }
        }
        newest.sort_unstable();
        newest.dedup();
        let skip = newest.len().saturating_sub(CREATIONS_REMEMBERED);
        Ok(Mutex::new(newest.split_off(skip).into()))
    }

    /// Counts what is not finished, remembers who created what, and brings those into memory that have something to do
    /// without being asked: deadlines, and house bots.
    pub async fn wake(&self) -> Result<(), Refusal> {
        self.creations().await?;
        let mut before = None;
        loop {
            let page = self.journal.list(Stage::Running, before, PAGE).await.map_err(PastError::from)?;
            before = page.last().map(|(id, _)| *id);
            let full = page.len() == PAGE;
            // One after the other: a server that starts has other things to do as well.
            for (id, _) in page.into_iter().filter(|(_, listing)| Self::has_to_wake(&listing.summary)) {
                self.wake_one(id).await;
            }
            if !full {
                return Ok(());
            }
        }
    }

    /// Whether a match with this summary has something to do without being asked: deadlines, or house bots.
    pub fn has_to_wake(summary: &[u8]) -> bool {
        let settings = v1::Match::decode(summary).ok().and_then(|summary| summary.settings).unwrap_or_default();
        let timed = settings.planning_ms.unwrap_or(0) > 0 || settings.decision_ms.unwrap_or(0) > 0;
        timed || settings.seats.iter().any(|seat| !seat.house_bot.is_empty())
    }

    /// Whether a match is in memory, or on its way.
    pub fn is_in_memory(&self, id: MatchId) -> bool {
        self.handles.contains_key(&id)
    }

    /// Brings a match into memory and waits until it is there.
    pub async fn wake_one(&self, id: MatchId) {
        let (reply, answer) = oneshot::channel();
        let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
        match self.find(id) {
            Ok(handle) => {
                let request = Request::GetMatch(Reply::to_caller(reply));
                let command = Command { claims: Some(admin), context: None, request };
                if handle.mailbox.send(command).await.is_ok() {
                    let _ = answer.await;
                }
            }
            Err(_) => self.wake_at(id, Some(self.clock.now_ms())),
        }
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

/// Remembers a creation, unless one by the same request is remembered.
fn remember(creations: &Mutex<VecDeque<MatchId>>, id: MatchId) -> bool {
    let mut created = creations.lock().unwrap_or_else(PoisonError::into_inner);
    if created.iter().rev().any(|other| tail_of(*other) == tail_of(id)) {
        return false;
    }
    if created.len() == CREATIONS_REMEMBERED {
        created.pop_front();
    }
    created.push_back(id);
    true
}

fn created_by(creations: &Mutex<VecDeque<MatchId>>, tail: [u8; 10]) -> Option<MatchId> {
    let created = creations.lock().unwrap_or_else(PoisonError::into_inner);
    created.iter().rev().find(|id| tail_of(**id) == tail).copied()
}

/// The stage that the store lists a match under.
fn stage_of(stage: v1::MatchStage) -> Stage {
    match stage {
        v1::MatchStage::Finished => Stage::Finished,
        v1::MatchStage::Running => Stage::Running,
        v1::MatchStage::Open | v1::MatchStage::Unspecified => Stage::Open,
    }
}

/// The part of a match's id that comes from the request that created it.
fn creation_tail(request_id: &str, key: &[u8; 32]) -> [u8; 10] {
    let mut tail = [0; 10];
    tail.copy_from_slice(&blake3::keyed_hash(key, request_id.as_bytes()).as_bytes()[..10]);
    // The bits that say which kind of id it is.
    tail[0] = tail[0] & 0x0f | 0x70;
    tail[2] = tail[2] & 0x3f | 0x80;
    tail
}

fn tail_of(id: MatchId) -> [u8; 10] {
    let mut tail = [0; 10];
    tail.copy_from_slice(&id.0.as_bytes()[6..]);
    tail
}

/// An id that sorts by time and ends in what the request gave it.
fn new_id(at_ms: u64, tail: [u8; 10]) -> MatchId {
    let mut bytes = [0; 16];
    bytes[..6].copy_from_slice(&at_ms.to_be_bytes()[2..]);
    bytes[6..].copy_from_slice(&tail);
    MatchId(Uuid::from_bytes(bytes))
}

fn random_bytes() -> Result<[u8; 32], Refusal> {
    let mut bytes = [0; 32];
    let failed = |_| Refusal::new(Code::Internal, "NO_RANDOMNESS", "the system has no random numbers");
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn random_u64() -> Result<u64, Refusal> {
    let [a, b, c, d, e, f, g, h, ..] = random_bytes()?;
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> &str {
    let text = panic.downcast_ref::<&str>().copied();
    text.or_else(|| panic.downcast_ref::<String>().map(String::as_str)).unwrap_or("it panicked")
}
