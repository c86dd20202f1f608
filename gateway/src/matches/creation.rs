//! How a match comes to be, once for each request, however often and by how many at once it is asked for.
//!
//! A match's id ends in a keyed hash of the request id that created it, and stores find ids by their ends. So a
//! repeated request finds its match as long as the store has it, whatever others do, and nothing has to be remembered
//! here. Requests with the same id that come at the same time wait for each other: the first creates the match, the
//! others find it.

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use dashmap::DashMap;
use dashmap::mapref::entry::Entry as Slot;
use futures_util::FutureExt;
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What;
use parley_proto::opaque::v1;
use prost::Message;
use tokio::sync::{Mutex, OwnedMutexGuard, oneshot};
use tonic::Code;

use super::actor::Actor;
use super::command::Request;
use super::history::{Past, PastError, Since};
use super::mailbox::{Handle, Inbox};
use super::ownership::Ownership;
use super::supervision::panic_text;
use super::weight::Arriving;
use super::{Creator, Matches, Shared};
use crate::auth::{Claims, Role};
use crate::http::{Reservation, too_much};
use crate::journal::{MatchId, Tail};
use crate::match_state::{self, CreatorKeys, MatchState};
use crate::refusal::{Reason, Refusal};
use crate::work::Customer;

/// How long to wait before the journal is asked whether a match was created whose first record may not have been written.
const LOOK_WHETHER_CREATED: Duration = Duration::from_secs(2);

/// Requests that are creating a match now, by the end of the id that it gets.
#[derive(Default)]
pub(super) struct Creating(DashMap<Tail, Arc<Mutex<()>>>);

/// Somebody who makes a request, perhaps together with others who make the same.
struct Queued {
    shared: Arc<Shared>,
    tail: Tail,
    /// The lock that whoever creates the match holds.
    turn: Arc<Mutex<()>>,
    held: Option<OwnedMutexGuard<()>>,
}

impl Queued {
    /// A place among those who make the same request.
    fn new(shared: &Arc<Shared>, tail: Tail) -> Self {
        let turn = Arc::clone(&shared.creating.0.entry(tail).or_default());
        Self { shared: Arc::clone(shared), tail, turn, held: None }
    }

    /// Waits until nobody else makes the request.
    async fn wait(&mut self) {
        self.held = Some(Arc::clone(&self.turn).lock_owned().await);
    }
}

impl Drop for Queued {
    /// Removes the queue when the last one leaves it.
    fn drop(&mut self) {
        self.held = None;
        // Two who leave at once must not take each other for somebody who stays.
        drop(std::mem::take(&mut self.turn));
        self.shared.creating.0.remove_if(&self.tail, |_, turn| Arc::strong_count(turn) == 1);
    }
}

/// Room for one more match that is not finished, which is given back unless the match comes to be.
struct RoomForMatch(Option<Arc<Shared>>);

impl Drop for RoomForMatch {
    fn drop(&mut self) {
        if let Some(shared) = self.0.take() {
            shared.give_room_back();
        }
    }
}

/// A request for a match, and what was made of it before anything is decided.
struct Creation {
    /// The request, encoded: it waits for heavy work, and read it would take many times as much memory.
    request: Vec<u8>,
    /// Where the bytes of the request are counted, also when the call has ended.
    _room: Option<Reservation>,
    /// Whose quotas the match counts against.
    address: Option<CreatorKeys>,
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
    pub async fn create(&self, request: v1::CreateMatchRequest) -> Result<v1::CreateMatchResponse, Refusal> {
        self.create_for(Creator::default(), request).await
    }

    /// Creates a match for whoever asks, or finds the one that the same request created.
    pub async fn create_for(
        &self,
        creator: Creator,
        request: v1::CreateMatchRequest,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        self.create_counted(creator, request, None).await
    }

    /// Creates a match as [`Matches::create_for`] does. What is kept of the request is counted where the call is, because a
    /// match is created also where its caller goes away in the middle of it.
    pub async fn create_counted(
        &self,
        creator: Creator,
        request: v1::CreateMatchRequest,
        mut room: Option<Reservation>,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        match_state::secret_request_id(&request.request_id)?;
        if self.is_draining() {
            return Err(Refusal::draining());
        }
        let tail = creation_tail(&request.request_id, &self.creation_key);
        let encoded = request.encode_to_vec();
        drop(request);
        let asked = *blake3::hash(&encoded).as_bytes();
        let address = creator.address.map(|address| self.creator_keys(address));
        let Creator { by_admin, customer, .. } = creator;
        // Whoever repeats a request waits here, and nothing is left of them if they go away.
        let mut queued = Queued::new(&self.0, tail);
        queued.wait().await;
        let known = self.journal.ending_in(tail).await.map_err(PastError::from)?;
        if let Some(id) = known
            && let Some(answer) = self.created_again(id, asked, customer).await?
        {
            return Ok(answer);
        }
        if let Some(room) = &mut room {
            room.grow(encoded.len()).map_err(too_much)?;
        }
        let creation = Arc::new(Creation { request: encoded, _room: room, address, by_admin, customer, tail, asked });
        let matches = self.clone();
        // It is carried through even if the caller goes away in the middle of it.
        let creating = tokio::spawn(async move {
            let _queued = queued;
            matches.create_new(creation).await
        });
        creating.await.unwrap_or_else(|_| Err(Refusal::restarted()))
    }

    /// Whether a request has created a match before. The store is read in the caller's turn: they ask for it as often as
    /// they like.
    pub async fn has_created(&self, customer: Customer, request_id: &str) -> Result<bool, Refusal> {
        let tail = creation_tail(request_id, &self.creation_key);
        let journal = Arc::clone(&self.journal);
        let found = self.work.run_async(customer, async move { journal.ending_in(tail).await }).await?;
        Ok(found.map_err(PastError::from)?.is_some())
    }

    /// Creates a match that no request has created yet.
    async fn create_new(&self, creation: Arc<Creation>) -> Result<v1::CreateMatchResponse, Refusal> {
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
        let (handle, inbox) = self.new_handle();
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
        match self.create_state_apart(&creation, id, &entry).await {
            Ok(match_state) => self.serve_new(handle, inbox, match_state, entry, room).await,
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
        if !first && let Some(answer) = self.created_again(id, creation.asked, creation.customer).await? {
            return Ok(answer);
        }
        let match_state = self.create_state_apart(&creation, id, &entry).await?;
        let (handle, inbox) = self.new_handle();
        match self.handles.entry(id) {
            Slot::Occupied(_) => return Err(Refusal::restarted()),
            Slot::Vacant(slot) => drop(slot.insert(handle.clone())),
        }
        if let Err(refusal) = ownership.hold_new(id).await {
            self.forget(id, handle.serial);
            return Err(refusal);
        }
        self.unfinished.fetch_add(1, Ordering::Relaxed);
        self.serve_new(handle, inbox, match_state, entry, RoomForMatch(Some(Arc::clone(&self.0)))).await
    }

    /// Takes the room of one more match. Where there is none, a match that was abandoned makes it.
    async fn take_room(&self) -> Result<RoomForMatch, Refusal> {
        loop {
            let more = |count: usize| (count < self.limits.matches).then_some(count + 1);
            match self.unfinished.fetch_update(Ordering::Relaxed, Ordering::Relaxed, more) {
                Ok(_) => return Ok(RoomForMatch(Some(Arc::clone(&self.0)))),
                Err(_) if self.make_room().await? => {}
                Err(count) => return self.check_limit(count).map(|()| RoomForMatch(None)),
            }
        }
    }

    fn check_limit(&self, unfinished: usize) -> Result<(), Refusal> {
        let limit = self.limits.matches;
        if unfinished < limit {
            return Ok(());
        }
        let message = format!("{limit} matches are not finished, which is the limit");
        Err(Refusal::limit(Reason::TooManyMatches, message, Duration::from_secs(60)))
    }

    /// The state of a match that begins, made where it holds nobody up.
    async fn create_state_apart(&self, creation: &Creation, id: MatchId, entry: &Entry) -> Result<MatchState, Refusal> {
        let (matches, entry) = (self.clone(), entry.clone());
        let create = move || MatchState::create(id, entry, &matches.rulesets, matches.limits.request_memory);
        let nonsense = |error: match_state::ReplayError| Refusal::new(Code::Internal, Reason::MatchBroken, error.0);
        let match_state = self.work.run(creation.customer, create).await?.map_err(nonsense)?;
        self.check_house(&match_state)?;
        self.check_weight(&match_state, Arriving::New)?;
        Ok(match_state)
    }

    /// Refuses a match whose house bots can never fit: one heavy match is always let in, and it must not be heavier than
    /// the share of all.
    fn check_house(&self, match_state: &MatchState) -> Result<(), Refusal> {
        let (weight, share) = (match_state.house_weight(), self.limits.match_bytes);
        if weight <= share {
            return Ok(());
        }
        let (weight, share) = (weight >> 20, share >> 20);
        let text = format!("the house bots would take about {weight} MiB, and {share} are there (memory_budget)");
        Err(Refusal::field("settings.seats", text))
    }

    /// The first record of a match, whose map is drawn where it holds nobody up.
    async fn plan_apart(&self, creation: &Arc<Creation>) -> Result<Entry, Refusal> {
        let (matches, planned) = (self.clone(), Arc::clone(creation));
        self.work.run(creation.customer, move || matches.plan(&planned)).await?
    }

    fn plan(&self, creation: &Creation) -> Result<Entry, Refusal> {
        let unreadable =
            |error: prost::DecodeError| Refusal::new(Code::Internal, Reason::MatchBroken, error.to_string());
        let request = &v1::CreateMatchRequest::decode(&creation.request[..]).map_err(unreadable)?;
        let mut created = match_state::plan(request, &self.limits, &self.rulesets, random_u64()?)?;
        created.fixed_secret = !request.fixed_secret.is_empty();
        created.secret = match request.fixed_secret.len() {
            0 => random_bytes()?.to_vec().into(),
            32 if self.limits.allow_fixed_secrets => request.fixed_secret.clone(),
            32 => {
                let message = "this server does not let callers choose the secret (allow_fixed_secrets)";
                return Err(Refusal::new(Code::PermissionDenied, Reason::FixedSecretsOff, message));
            }
            _ => return Err(Refusal::field("fixed_secret", "32 bytes, or none")),
        };
        created.request = creation.asked.to_vec().into();
        created.address = creation.address.map(|keys| keys.address.to_vec().into()).unwrap_or_default();
        created.networks = creation.address.map(|keys| keys.networks_written()).unwrap_or_default();
        created.by_admin = creation.by_admin;
        let at_ms = self.clock.now_ms();
        created.expires_at = at_ms / 1000 + self.limits.token_lifetime.as_secs();
        Ok(Entry { at_ms, what: Some(What::Created(created)) })
    }

    /// Writes the first record of a match and lets it be served.
    async fn serve_new(
        &self,
        handle: Handle,
        inbox: Inbox,
        match_state: MatchState,
        entry: Entry,
        mut room: RoomForMatch,
    ) -> Result<v1::CreateMatchResponse, Refusal> {
        let (id, address, response) =
            (match_state.setup.id, match_state.setup.address, self.creation_answer(&match_state));
        if let Some(creator) = &address {
            self.quotas.add(creator, id);
        }
        self.metrics.stage_changed(v1::MatchStage::Unspecified, v1::MatchStage::Open, &match_state);
        let past = Past { match_state, records: 0, saved: 0, rest: Vec::new() };
        let mut actor = Actor::new(Arc::clone(&self.0), past, inbox);
        let (sender, created) = oneshot::channel();
        let matches = self.clone();
        tokio::spawn(async move {
            let answer = Box::new(move || {
                let _ = sender.send(());
            });
            let founded = AssertUnwindSafe(actor.write_first_record(entry, answer)).catch_unwind().await;
            let why = match founded {
                Ok(Ok(())) => return matches.supervise(id, handle.serial, actor).await,
                Ok(Err(error)) => error.to_string(),
                Err(panic) => panic_text(&*panic).to_owned(),
            };
            drop(actor);
            matches.forget(id, handle.serial);
            matches.rebuild(id, &why);
        });
        if created.await.is_err() {
            self.count_when_clear(id, address, room).await;
            return Err(Refusal::restarted());
        }
        // From here on it is the match that gives the room back.
        room.0 = None;
        Ok(response)
    }

    /// Looks in the journal whether a match came to be whose first record was perhaps not written, and counts it only if it
    /// did. Where that is not clear at once it is counted until it is: a store that others share may still be about to
    /// take the record.
    async fn count_when_clear(&self, id: MatchId, creator: Option<CreatorKeys>, room: RoomForMatch) {
        let alone = self.ownership.is_none();
        if alone && let Ok(listing) = self.journal.listing(id).await {
            return self.count_again(id, creator, room, listing.is_some());
        }
        let matches = self.clone();
        tokio::spawn(async move {
            loop {
                tokio::time::sleep(LOOK_WHETHER_CREATED).await;
                match matches.journal.listing(id).await {
                    Ok(listing) => return matches.count_again(id, creator, room, listing.is_some()),
                    Err(error) => {
                        tracing::debug!(match_id = %id.0, %error, "nobody can say yet whether a match was created")
                    }
                }
            }
        });
    }

    /// Goes on counting a match that came to be, and no longer counts one that did not.
    fn count_again(&self, id: MatchId, creator: Option<CreatorKeys>, mut room: RoomForMatch, came_to_be: bool) {
        if came_to_be {
            // From here on it is the match that gives the room back.
            room.0 = None;
            return;
        }
        if let Some(creator) = &creator {
            self.quotas.remove(creator, id);
        }
        self.metrics.never_came_to_be();
    }

    fn creation_answer(&self, match_state: &MatchState) -> v1::CreateMatchResponse {
        let setup = &match_state.setup;
        let claims = |role| Claims { match_id: Some(setup.id), role, expires_at: setup.host_expires_at };
        let invite = setup.is_private().then(|| self.keyring.mint(&claims(Role::Invite)));
        v1::CreateMatchResponse {
            r#match: Some(match_state.summary()),
            host_token: self.keyring.mint(&claims(Role::Host)),
            invite_token: invite.unwrap_or_default(),
        }
    }

    /// The answer to a request that created a match before; `None` where that match was never written down.
    async fn created_again(
        &self,
        id: MatchId,
        asked: [u8; 32],
        customer: Customer,
    ) -> Result<Option<v1::CreateMatchResponse>, Refusal> {
        if self.handles.contains_key(&id) {
            // It may be about to be written: a match answers when everything before the answer is durable.
            let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
            match self.ask(id, Some(admin), Request::GetMatch).await {
                Err(refusal) if refusal.code != Code::NotFound => return Err(refusal),
                _ => {}
            }
        }
        match Past::with(self, customer, id, Since::Now, (), |_, ()| Ok(()), |past, ()| past).await {
            Ok(past) if past.match_state.setup.request == asked => Ok(Some(self.creation_answer(&past.match_state))),
            Ok(_) => Err(match_state::reused()),
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
    let failed = |_| Refusal::new(Code::Internal, Reason::NoRandomness, "the system has no random numbers");
    getrandom::fill(&mut bytes).map_err(failed)?;
    Ok(bytes)
}

fn random_u64() -> Result<u64, Refusal> {
    let [a, b, c, d, e, f, g, h, ..] = random_bytes()?;
    Ok(u64::from_le_bytes([a, b, c, d, e, f, g, h]))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::Keyring;
    use crate::clock::Clock;
    use crate::journal::Stage;
    use crate::journal::memory::Memory;
    use crate::limits::Limits;

    #[tokio::test(start_paused = true)]
    async fn who_repeats_a_request_and_goes_away_leaves_nothing_behind() {
        let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
        let all = Matches::new(Arc::new(Memory::new()), keyring, Limits::default(), Clock::starting_at(0));
        let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..v1::MatchSettings::default() };
        let request_id = "a-request-that-is-repeated".to_owned();
        let mut first = Queued::new(&all.0, creation_tail(&request_id, &all.creation_key));
        first.wait().await;
        let request = v1::CreateMatchRequest { request_id, settings: Some(settings), ..Default::default() };
        let repeating = tokio::spawn({
            let all = all.clone();
            async move { all.create(request).await }
        });
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(!repeating.is_finished(), "somebody makes the same request");
        repeating.abort();
        assert!(repeating.await.is_err());
        drop(first);
        tokio::time::sleep(Duration::from_secs(1)).await;
        assert!(all.creating.0.is_empty(), "nobody waits any more");
        assert_eq!(all.journal.list(Stage::Open, None, 9).await.expect("a list").len(), 0);
    }
}
