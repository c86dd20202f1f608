//! How a match comes to be, once for each request, however often and by how many at once it is asked for.
//!
//! A match's id ends in a keyed hash of the request id that created it, and stores find ids by their ends. So a
//! repeated request finds its match as long as the store has it, whatever others do, and nothing has to be remembered
//! here. Requests with the same id that come at the same time wait for each other: the first creates the match, the
//! others find it.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry as Slot;
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::v1;
use prost::Message;
use tokio::sync::{Mutex, oneshot};
use tonic::Code;

use super::actor::Actor;
use super::command::Request;
use super::history::{Past, PastError, Since};
use super::ownership::Ownership;
use super::{Handle, Inlet, Matches, Origin, Shared};
use crate::auth::{Claims, Role};
use crate::journal::{MatchId, Tail};
use crate::refusal::Refusal;
use crate::table::{self, AddressKey, Table};
use crate::work::Customer;

/// Requests that are creating a match now, by the end of the id that it gets.
#[derive(Default)]
pub(super) struct Creating(DashMap<Tail, Arc<Mutex<()>>>);

impl Creating {
    /// A place among those who make the same request.
    fn queue(&self, tail: Tail) -> Queued<'_> {
        let turn = Arc::clone(&self.0.entry(tail).or_default());
        Queued { creating: self, tail, turn }
    }
}

/// Somebody who makes a request, perhaps together with others who make the same.
struct Queued<'a> {
    creating: &'a Creating,
    tail: Tail,
    /// The lock that whoever creates the match holds.
    turn: Arc<Mutex<()>>,
}

impl Drop for Queued<'_> {
    /// Removes the queue when the last one leaves it.
    fn drop(&mut self) {
        // Two who leave at once must not take each other for somebody who stays.
        drop(std::mem::take(&mut self.turn));
        self.creating.0.remove_if(&self.tail, |_, turn| Arc::strong_count(turn) == 1);
    }
}

/// Room for one more match that is not finished, which is given back unless the match comes to be.
struct Room(Option<Arc<Shared>>);

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            shared.give_room_back();
        }
    }
}

/// A request for a match, and what was made of it before anything is decided.
struct Creation {
    request: v1::CreateMatchRequest,
    policies: &'static [&'static str],
    address: Option<AddressKey>,
    by_admin: bool,
    /// The customer for whom the heavy work is done.
    customer: Customer,
    /// The end of the match's id, which comes from the request.
    tail: Tail,
    /// The BLAKE3 hash of the request, to tell a repetition from another request with the same id.
    asked: [u8; 32],
}

impl Matches {
    /// Creates a match for somebody inside of this process, or finds the one that the same request created.
    pub async fn create(
        &self,
        request: v1::CreateMatchRequest,
        policies: &'static [&'static str],
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        self.create_for(Origin::default(), request, policies).await
    }

    /// Creates a match for whoever asks, or finds the one that the same request created.
    pub async fn create_for(
        &self,
        origin: Origin,
        request: v1::CreateMatchRequest,
        policies: &'static [&'static str],
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        table::secret_request_id(&request.request_id)?;
        if self.is_draining() {
            return Err(Refusal::draining());
        }
        let tail = creation_tail(&request.request_id, &self.creation_key);
        let asked = *blake3::hash(&request.encode_to_vec()).as_bytes();
        let address = origin.address.map(|address| self.address_key(address));
        let Origin { by_admin, customer, .. } = origin;
        let creation = Arc::new(Creation { request, policies, address, by_admin, customer, tail, asked });
        let matches = self.clone();
        // It is carried through even if the caller goes away in the middle of it.
        let creating = tokio::spawn(async move { matches.create_in_turn(creation).await });
        creating.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Whether a request has created a match before.
    pub async fn has_created(&self, request_id: &str) -> Result<bool, Refusal> {
        let tail = creation_tail(request_id, &self.creation_key);
        Ok(self.journal.ending_in(tail).await.map_err(PastError::from)?.is_some())
    }

    /// Creates a match when nobody else is doing so by the same request.
    async fn create_in_turn(&self, creation: Arc<Creation>) -> Result<v1::CreateMatchResponse, Refusal> {
        let queued = self.creating.queue(creation.tail);
        let _turn = queued.turn.lock().await;
        let known = self.journal.ending_in(creation.tail).await.map_err(PastError::from)?;
        if let Some(id) = known
            && let Some(answer) = self.created_again(id, &creation).await?
        {
            return Ok(answer);
        }
        if self.ownership.is_none() {
            self.count_unfinished().await?;
        }
        let _claimed = match creation.address {
            Some(address) => Some(self.claim(address, creation.tail).await?),
            None => None,
        };
        match &self.ownership {
            Some(ownership) => self.create_shared(ownership, creation).await,
            None => self.create_alone(creation).await,
        }
    }

    /// Creates a match where only this server can be asked for it.
    async fn create_alone(&self, creation: Arc<Creation>) -> Result<v1::CreateMatchResponse, Refusal> {
        let room = self.take_room().await?;
        self.check_room()?;
        let entry = self.plan_apart(&creation).await?;
        let _on_disk = self.disk.get().map(|disk| disk.reserve(entry.encoded_len())).transpose()?;
        let (handle, inlet) = self.new_handle();
        let mut at_ms = entry.at_ms;
        let id = loop {
            // An attempt that failed a moment ago may still be looked for in the journal.
            let id = MatchId::new(at_ms, creation.tail);
            if let Slot::Vacant(slot) = self.handles.entry(id) {
                slot.insert(handle.clone());
                break id;
            }
            at_ms += 1;
        };
        match self.lay_apart(&creation, id, &entry).await {
            Ok(table) => self.found(handle, inlet, table, entry, room).await,
            Err(refusal) => {
                self.forget(id, handle.serial);
                Err(refusal)
            }
        }
    }

    /// Creates a match where several servers may be asked for it. Its id is settled first, so that it is the same match
    /// whoever of them creates it.
    async fn create_shared(
        &self,
        ownership: &Arc<dyn Ownership>,
        creation: Arc<Creation>,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        if ownership.held() >= self.limits.matches {
            self.make_room().await?;
            self.check_limit(ownership.held())?;
        }
        self.check_room()?;
        let entry = self.plan_apart(&creation).await?;
        let (id, first) = ownership.reserve(creation.tail, MatchId::new(entry.at_ms, creation.tail)).await?;
        if !first && let Some(answer) = self.created_again(id, &creation).await? {
            return Ok(answer);
        }
        let table = self.lay_apart(&creation, id, &entry).await?;
        let (handle, inlet) = self.new_handle();
        match self.handles.entry(id) {
            Slot::Occupied(_) => return Err(Refusal::restarted()),
            Slot::Vacant(slot) => drop(slot.insert(handle.clone())),
        }
        if let Err(refusal) = ownership.hold_new(id).await {
            self.forget(id, handle.serial);
            return Err(refusal);
        }
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        self.found(handle, inlet, table, entry, Room(Some(Arc::clone(&self.0)))).await
    }

    /// Takes the room of one more match. Where there is none, a match that was abandoned makes it.
    async fn take_room(&self) -> Result<Room, Refusal> {
        loop {
            let more = |count: usize| (count < self.limits.matches).then_some(count + 1);
            match self.unfinished.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
                Ok(_) => return Ok(Room(Some(Arc::clone(&self.0)))),
                Err(_) if self.make_room().await? => {}
                Err(count) => return self.check_limit(count).map(|()| Room(None)),
            }
        }
    }

    fn check_limit(&self, unfinished: usize) -> Result<(), Refusal> {
        let limit = self.limits.matches;
        if unfinished < limit {
            return Ok(());
        }
        let message = format!("{limit} matches are not finished, which is the limit");
        Err(Refusal::limit("TOO_MANY_MATCHES", message, Duration::from_secs(60)))
    }

    /// The table of a match that begins, laid where it holds nobody up.
    async fn lay_apart(&self, creation: &Creation, id: MatchId, entry: &Entry) -> Result<Table, Refusal> {
        let (matches, entry) = (self.clone(), entry.clone());
        let lay = move || Table::create(id, entry, &matches.shelf, matches.limits.request_memory);
        let nonsense = |error: table::Nonsense| Refusal::new(Code::Internal, "MATCH_BROKEN", error.0);
        let table = self.work.run(creation.customer, lay).await?.map_err(nonsense)?;
        self.check_weight(&table)?;
        Ok(table)
    }

    /// The first record of a match, whose map is drawn where it holds nobody up.
    async fn plan_apart(&self, creation: &Arc<Creation>) -> Result<Entry, Refusal> {
        let (matches, planned) = (self.clone(), Arc::clone(creation));
        self.work.run(creation.customer, move || matches.plan(&planned)).await?
    }

    fn plan(&self, creation: &Creation) -> Result<Entry, Refusal> {
        let request = &creation.request;
        let mut created = table::plan(request, &self.limits, creation.policies, random_u64()?)?;
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
        created.request = creation.asked.to_vec().into();
        created.address = creation.address.map(|address| address.to_vec().into()).unwrap_or_default();
        created.by_admin = creation.by_admin;
        let at_ms = self.clock.now_ms();
        created.expires_at = at_ms / 1000 + self.limits.token_lifetime.as_secs();
        Ok(Entry { at_ms, what: Some(What::Created(created)) })
    }

    /// Writes the first record of a match and lets it be served.
    async fn found(
        &self,
        handle: Handle,
        inlet: Inlet,
        table: Table,
        entry: Entry,
        mut room: Room,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        let (id, address, response) = (table.setup.id, table.setup.address, self.creation_answer(&table));
        if let Some(address) = address {
            self.quotas.add(address, id);
        }
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
        if created.await.is_err() {
            if let Some(address) = address {
                self.quotas.remove(address, id);
            }
            return Err(Refusal::restarted());
        }
        // From here on it is the match that gives the room back.
        room.0 = None;
        Ok(response)
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

    /// The answer to a request that created a match before; `None` where that match was never written down.
    async fn created_again(
        &self,
        id: MatchId,
        creation: &Creation,
    ) -> Result<Option<v1::CreateMatchResponse>, Refusal> {
        let (asked, customer) = (creation.asked, creation.customer);
        if self.handles.contains_key(&id) {
            // It may be about to be written: a match answers when everything before the answer is durable.
            let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
            match self.ask(id, Some(admin), Request::GetMatch).await {
                Err(refusal) if refusal.code != Code::NotFound => return Err(refusal),
                _ => {}
            }
        }
        match Past::with(self, customer, id, Since::Now, (), |_, ()| Ok(())).await {
            Ok((past, ())) if past.table.setup.request == asked => Ok(Some(self.creation_answer(&past.table))),
            Ok(_) => Err(table::reused()),
            Err(PastError::Unknown) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The part of a match's id that comes from the request that created it.
fn creation_tail(request_id: &str, key: &[u8; 32]) -> Tail {
    let mut tail = [0; 10];
    tail.copy_from_slice(&blake3::keyed_hash(key, request_id.as_bytes()).as_bytes()[..10]);
    // These bits say that it is an id of version 7.
    tail[0] = tail[0] & 0x0f | 0x70;
    tail[2] = tail[2] & 0x3f | 0x80;
    tail
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
