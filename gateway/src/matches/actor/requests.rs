//! What the owner of a match does with each request: who may ask it, whether it can be, and what is written down.

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use parley_core::digest::Digest;
use parley_games::receipt::Promise;
use parley_games::times;
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{self as disk, Entry};
use parley_proto::opaque::v1;

use super::super::command::{Command, Followed, Reading, Request, Seen, Settle};
use super::super::feed::{Feed, Follower};
use super::super::listing::Listed;
use super::super::receipts::{OutboundItem, Received};
use super::{Actor, Effect, GaveUp, Slot, block_in_place_if};
use crate::auth::{Claims, Role};
use crate::match_state::{
    Answered, Checked, Joining, MatchState, Place, Sheet, SheetToLock, check_of, join_fingerprint,
};
use crate::refusal::{Reason, Refusal};

/// From how many tiles on that have to be looked at a question is large: about a millisecond's.
const LARGE_QUESTION: usize = 8192;

impl Actor {
    /// Takes a request, at once or when its time has come.
    pub(super) async fn take(&mut self, command: Box<Command>) -> Result<(), GaveUp> {
        if command.request.writes()
            && let Err(refusal) = self.shared.check_play()
        {
            command.refuse(refusal);
            return Ok(());
        }
        match self.hold_back(command) {
            Some(command) => self.take_up(command).await,
            None => Ok(()),
        }
    }

    pub(super) async fn take_up(&mut self, command: Box<Command>) -> Result<(), GaveUp> {
        let claims = command.claims;
        match command.request {
            Request::StageOrders(request, reply) => {
                let answer = self.stage_orders(claims, &request);
                self.reply(reply, answer);
            }
            Request::LockIn(request, reply) => {
                let received = Received { at: Instant::now(), context: command.context };
                match self.lock_in(claims, request, received).await? {
                    Ok(promise) => self.give_receipt(promise, reply, received),
                    Err(refusal) => self.reply(reply, Err(refusal)),
                }
            }
            Request::Answer(request, reply) => {
                let answer = self.answer_questions(claims, request).await?;
                self.reply(reply, answer);
            }
            Request::Concede(request, reply) => {
                let answer = self.concede(claims, request).await?;
                self.reply(reply, answer);
            }
            Request::JoinMatch(request, reply) => {
                let answer = self.join(claims, request).await?;
                self.reply(reply, answer);
                self.start_when_full().await?;
            }
            Request::LeaveMatch(request, reply) => {
                let answer = self.leave(claims, request).await?;
                self.reply(reply, answer);
            }
            Request::StartMatch(request, reply) => {
                let answer = self.start(claims, request).await?;
                self.reply(reply, answer);
            }
            Request::StopMatch(request, reply) => {
                let answer = self.stop(claims, request).await?;
                self.reply(reply, answer);
            }
            Request::GetView(reply) => {
                let answer = self.get_view(claims);
                self.reply(reply, answer);
            }
            Request::Advise(request, reply) => {
                let asked = self.place(claims).and_then(|place| Ok((place, self.match_state.read_query(&request)?)));
                let answer = match asked {
                    Ok((place, query)) => {
                        let effort = self.match_state.effort_of(place, &query);
                        self.look(effort, |match_state| match_state.advise(place, &query)).await
                    }
                    Err(refusal) => Err(refusal),
                };
                self.reply(reply, answer);
            }
            Request::GetMatch(reply) => {
                let answer = self.place(claims).map(|_| self.describe());
                self.reply(reply, answer);
            }
            Request::Follow(views, reply) => {
                let answer = self.follow(claims, views);
                self.reply(reply, answer);
                self.play_for_watchers();
            }
            Request::Read(reply) => {
                let answer = self.place(claims).map(|place| Reading {
                    over: self.match_state.is_over(),
                    seat: match place {
                        Place::Seat(seat) => Some(seat),
                        Place::Spectators => None,
                    },
                    seats: self.match_state.seats.len(),
                    turn: self.match_state.turn(),
                });
                self.reply(reply, answer);
            }
            Request::Settle(how, reply) => {
                let ended = self.settle(how).await?;
                self.reply(reply, Ok(ended));
            }
            Request::List(reply) => {
                let listed = Listed::of(&self.match_state);
                self.reply(reply, Ok(listed));
            }
        }
        Ok(())
    }

    /// Answers a question about the match. What takes long takes its turn among the large matches, and leaves the thread
    /// to others.
    async fn look<T>(&mut self, effort: usize, question: impl FnOnce(&MatchState) -> T) -> T {
        let large = effort > LARGE_QUESTION;
        let _turn = if large { Some(self.large_turn().await) } else { None };
        block_in_place_if(large, || question(&self.match_state))
    }

    /// Ends where there is reason to. Where there is none, what is listed is put right: it made somebody think so.
    async fn settle(&mut self, how: Settle) -> Result<bool, GaveUp> {
        let now = self.shared.clock.now_ms();
        match how {
            Settle::Expire => self.look_at_the_clock().await?,
            Settle::GiveWay if self.match_state.is_over() || self.is_followed() => {}
            Settle::GiveWay if Listed::of(&self.match_state).is_abandoned(now) => {
                let reason = "The match was abandoned, and the server has no room (max_matches).".to_owned();
                self.apply_entry(Entry { at_ms: now, what: Some(What::Stopped(disk::Stopped { reason })) }).await?;
            }
            Settle::GiveWay => {}
        }
        if !self.match_state.is_over() && self.shared.check_play().is_ok() {
            self.append(None).await?;
        }
        Ok(self.match_state.is_over())
    }

    /// The place from which a caller looks at the match. Who may not know of it is told that it does not exist.
    fn place(&self, claims: Option<Claims>) -> Result<Place, Refusal> {
        let private = self.match_state.setup.is_private();
        let Some(claims) = claims else {
            return if private { Err(Refusal::no_match()) } else { Ok(Place::Spectators) };
        };
        if claims.role != Role::Admin && claims.match_id != Some(self.match_state.setup.id) {
            let other = || Refusal::forbidden("the token is for another match");
            return Err(if private { Refusal::no_match() } else { other() });
        }
        match claims.role {
            Role::Seat(number) => match self.match_state.seats.get(usize::from(number)) {
                Some(seat) if seat.is_taken() && seat.expires_at == claims.expires_at => Ok(Place::Seat(number)),
                _ => Err(Refusal::forbidden("the seat was given back, or taken by somebody else")),
            },
            Role::Host | Role::Invite | Role::Admin => Ok(Place::Spectators),
        }
    }

    pub(super) fn own_seat(&self, claims: Option<Claims>) -> Result<u8, Refusal> {
        match self.place(claims)? {
            Place::Seat(seat) => Ok(seat),
            Place::Spectators => Err(Refusal::forbidden("only players of this match can do that")),
        }
    }

    fn check_host(&self, claims: Option<Claims>) -> Result<(), Refusal> {
        self.place(claims)?;
        match claims.map(|claims| claims.role) {
            Some(Role::Host | Role::Admin) => Ok(()),
            _ => Err(Refusal::forbidden("only the host of this match can do that")),
        }
    }

    fn stage_orders(
        &mut self,
        claims: Option<Claims>,
        request: &v1::StageOrdersRequest,
    ) -> Result<v1::StageOrdersResponse, Refusal> {
        let seat = self.own_seat(claims)?;
        let staged = self.match_state.check_stage(seat, request, &self.shared.limits)?;
        if let Some(play) = self.match_state.play.as_mut() {
            play.sheets[usize::from(seat)] = Sheet::Staged(staged.said);
            self.unkept = true;
        }
        Ok(v1::StageOrdersResponse { standing: staged.standing, faults: staged.faults })
    }

    async fn lock_in(
        &mut self,
        claims: Option<Claims>,
        request: v1::LockInRequest,
        received: Received,
    ) -> Result<Result<Promise, Refusal>, GaveUp> {
        let checked = self.own_seat(claims).and_then(|seat| {
            self.match_state.check_lock(seat, &request, &self.shared.limits).map(|checked| (seat, checked))
        });
        let (seat, sheet) = match checked {
            Err(refusal) => return Ok(Err(refusal)),
            Ok((seat, Checked::Repeated(answered))) => return Ok(self.promised(seat, &answered)),
            Ok((seat, Checked::New(sheet))) => (seat, sheet),
        };
        let (turn, at_ms) = (request.turn, self.shared.clock.now_ms());
        let previous = self.match_state.seats[usize::from(seat)].receipt;
        let sheet_hash = Digest::of(&sheet.said);
        let promise = Promise { match_id: self.match_state.setup.id.0, turn, seat, sheet_hash, previous };
        let locked = disk::Locked {
            seat: seat.into(),
            turn,
            sheet: sheet.said.clone(),
            request_id: request.request_id,
            before: self.match_state.play.as_ref().map_or(0, |play| check_of(play.digest())),
            staged: sheet.staged,
        };
        let given = SheetToLock {
            request_id: &locked.request_id,
            staged: sheet.staged,
            said: sheet.said,
            hash: sheet_hash,
            legal: sheet.legal,
        };
        self.apply(received.at, |match_state, live| match_state.lock(at_ms, seat.into(), turn, given, live)).await?;
        self.shared.stats.lock_ins.fetch_add(1, Ordering::Relaxed);
        self.write(Some(Entry { at_ms, what: Some(What::Locked(locked)) })).await?;
        Ok(Ok(promise))
    }

    /// The promise that was made when a lock-in was answered for the first time.
    fn promised(&self, seat: u8, answered: &Answered) -> Result<Promise, Refusal> {
        let (sheet_hash, previous) = **answered.receipt.as_ref().ok_or_else(crate::match_state::reused)?;
        Ok(Promise { match_id: self.match_state.setup.id.0, turn: answered.turn, seat, sheet_hash, previous })
    }

    async fn answer_questions(
        &mut self,
        claims: Option<Claims>,
        request: v1::AnswerRequest,
    ) -> Result<Result<v1::AnswerResponse, Refusal>, GaveUp> {
        let checked = self.own_seat(claims).and_then(|seat| Ok((seat, self.match_state.check_answer(seat, &request)?)));
        let seat = match checked {
            Err(refusal) => return Ok(Err(refusal)),
            Ok((_, Checked::Repeated(answered))) => {
                return Ok(Ok(v1::AnswerResponse { turn: answered.turn, window: answered.window }));
            }
            Ok((seat, Checked::New(()))) => seat,
        };
        let v1::AnswerRequest { request_id, turn, window, answers, .. } = request;
        // The journal has the number of the window among those of all seats, and the seat is told its own.
        let among_all = self.match_state.window();
        let given = disk::Answers { seat: seat.into(), turn, window: among_all, answers, request_id };
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Answers(given)) }).await?;
        Ok(Ok(v1::AnswerResponse { turn, window }))
    }

    async fn concede(
        &mut self,
        claims: Option<Claims>,
        request: v1::ConcedeRequest,
    ) -> Result<Result<v1::ConcedeResponse, Refusal>, GaveUp> {
        let checked =
            self.own_seat(claims).and_then(|seat| Ok((seat, self.match_state.check_concede(seat, &request)?)));
        let (seat, sheet) = match checked {
            Err(refusal) => return Ok(Err(refusal)),
            Ok((_, Checked::Repeated(answered))) => return Ok(Ok(v1::ConcedeResponse { turn: answered.turn })),
            Ok((seat, Checked::New(sheet))) => (seat, sheet),
        };
        let turn = self.match_state.turn() + u32::from(sheet.is_empty());
        let conceded = disk::Conceded { seat: seat.into(), request_id: request.request_id, sheet };
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Conceded(conceded)) }).await?;
        Ok(Ok(v1::ConcedeResponse { turn }))
    }

    async fn join(
        &mut self,
        claims: Option<Claims>,
        request: v1::JoinMatchRequest,
    ) -> Result<Result<v1::JoinMatchResponse, Refusal>, GaveUp> {
        let checked = self.place(claims).and_then(|_| self.match_state.check_join(&request));
        let seat = match checked {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(Joining::Repeated(seat)) => seat,
            Ok(Joining::New(seat)) => {
                let at_ms = self.shared.clock.now_ms();
                let last = self.match_state.seats[usize::from(seat)].expires_at;
                let name = if request.name.is_empty() { format!("Player {seat}") } else { request.name.clone() };
                let joined = disk::Joined {
                    seat: seat.into(),
                    name,
                    added: request.added.clone(),
                    request: join_fingerprint(&request).to_vec().into(),
                    request_id: request.request_id,
                    expires_at: (at_ms / 1000 + self.shared.limits.token_lifetime.as_secs())
                        .max(last.saturating_add(1)),
                };
                self.apply_entry(Entry { at_ms, what: Some(What::Joined(joined)) }).await?;
                seat
            }
        };
        let expires_at = self.match_state.seats[usize::from(seat)].expires_at;
        let claims = Claims { match_id: Some(self.match_state.setup.id), role: Role::Seat(seat), expires_at };
        Ok(Ok(v1::JoinMatchResponse {
            seat: seat.into(),
            player_token: self.shared.keyring.mint(&claims),
            expires_at: Some(times::timestamp(expires_at.saturating_mul(1000))),
            r#match: Some(self.match_state.summary()),
        }))
    }

    async fn leave(
        &mut self,
        claims: Option<Claims>,
        request: v1::LeaveMatchRequest,
    ) -> Result<Result<v1::LeaveMatchResponse, Refusal>, GaveUp> {
        let seat = match self.seat_to_leave(claims, &request) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(None) => return Ok(Ok(v1::LeaveMatchResponse {})),
            Ok(Some(seat)) => seat,
        };
        let left = disk::Left { seat: seat.into(), request_id: request.request_id };
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Left(left)) }).await?;
        self.end_feeds(Place::Seat(seat));
        Ok(Ok(v1::LeaveMatchResponse {}))
    }

    /// Ends the feeds of a seat, because who has given it back is not told what its next player is told.
    fn end_feeds(&mut self, place: Place) {
        let (ended, kept) = self.slots.drain(..).partition(|slot| slot.place == place);
        self.slots = kept;
        let ended: Vec<Slot> = ended;
        self.outbox.extend(ended.into_iter().map(|slot| (self.issued, Effect::Out(OutboundItem::End(slot.feed)))));
    }

    /// The seat that is given back; `None` where it already was by the same request, whose token is no longer good.
    fn seat_to_leave(&self, claims: Option<Claims>, request: &v1::LeaveMatchRequest) -> Result<Option<u8>, Refusal> {
        if let Some(Claims { match_id, role: Role::Seat(seat), .. }) = claims
            && match_id == Some(self.match_state.setup.id)
            && matches!(self.match_state.check_leave(seat, request), Ok(Checked::Repeated(_)))
        {
            return Ok(None);
        }
        let seat = self.own_seat(claims)?;
        self.match_state.check_leave(seat, request).map(|_| Some(seat))
    }

    async fn start(
        &mut self,
        claims: Option<Claims>,
        request: v1::StartMatchRequest,
    ) -> Result<Result<v1::StartMatchResponse, Refusal>, GaveUp> {
        match self.check_host(claims).and_then(|()| self.match_state.check_start(&request)) {
            Err(refusal) => return Ok(Err(refusal)),
            Ok(false) => {}
            Ok(true) => self.begin(request.request_id).await?,
        }
        Ok(Ok(v1::StartMatchResponse {}))
    }

    pub(super) async fn start_when_full(&mut self) -> Result<(), GaveUp> {
        if self.has_to_start() && self.shared.check_play().is_ok() {
            self.begin(String::new()).await?;
        }
        Ok(())
    }

    /// Whether the match starts by itself, and has not yet.
    pub(super) fn has_to_start(&self) -> bool {
        let waits = self.match_state.play.is_none()
            && !self.match_state.is_over()
            && self.match_state.setup.settings.start_when_full;
        waits && self.match_state.seats.iter().all(|seat| seat.is_taken())
    }

    async fn begin(&mut self, request_id: String) -> Result<(), GaveUp> {
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Started(disk::Started { request_id })) }).await?;
        self.seat_house_bots();
        Ok(())
    }

    async fn stop(
        &mut self,
        claims: Option<Claims>,
        request: v1::StopMatchRequest,
    ) -> Result<Result<v1::StopMatchResponse, Refusal>, GaveUp> {
        const MAX_REASON: usize = 200;
        let checked = self
            .check_host(claims)
            .and_then(|()| crate::match_state::request_id(&request.request_id))
            .and_then(|()| crate::text::check("reason", &request.reason, MAX_REASON));
        if let Err(refusal) = checked {
            return Ok(Err(refusal));
        }
        if !self.match_state.is_over() {
            let at_ms = self.shared.clock.now_ms();
            let what = Some(What::Stopped(disk::Stopped { reason: request.reason }));
            self.apply_entry(Entry { at_ms, what }).await?;
        }
        Ok(Ok(v1::StopMatchResponse {}))
    }

    fn get_view(&self, claims: Option<Claims>) -> Result<Seen, Refusal> {
        let place = self.place(claims)?;
        let newest = self.match_state.released(place);
        if self.match_state.is_behind(place) {
            return Ok(Seen::Behind { newest });
        }
        Ok(Seen::Now(Box::new(self.match_state.view_response(place))))
    }

    fn describe(&self) -> v1::GetMatchResponse {
        v1::GetMatchResponse {
            r#match: Some(self.match_state.summary()),
            rules: self.match_state.setup.game.rules_text(),
            receipt_key: self.shared.keyring.receipt_public_key().to_vec().into(),
            trace_url: self.shared.tracing.url.clone(),
            traced: self.shared.tracing.tracer.is_some(),
        }
    }

    fn follow(&mut self, claims: Option<Claims>, views: bool) -> Result<Followed, Refusal> {
        let place = self.place(claims)?;
        self.slots.retain(|slot| slot.feed.followers() > 0);
        let followers: usize = self.slots.iter().map(|slot| slot.feed.followers()).sum();
        let own: usize = self.slots.iter().filter(|slot| slot.place == place).map(|slot| slot.feed.followers()).sum();
        // Players are kept out by their own streams only.
        let followers = if place == Place::Spectators { followers } else { own };
        let limit = self.shared.limits.watchers_per_match;
        if followers >= limit {
            let message = format!("{limit} streams follow this match, which is the limit");
            return Err(Refusal::limit(Reason::TooManyWatchers, message, Duration::from_secs(5)));
        }
        let slot = self.slots.iter().find(|slot| slot.place == place && slot.views == views);
        let feed = match slot {
            Some(slot) => Arc::clone(&slot.feed),
            None => {
                // The answer waits until all of these are durable, so that the journal has them.
                let feed = Arc::new(Feed::starting_after(self.match_state.released(place)));
                self.slots.push(Slot { place, views, feed: Arc::clone(&feed), held: VecDeque::new(), held_bytes: 0 });
                feed
            }
        };
        let over = self.match_state.is_over();
        let follower = Follower::new(&feed, &self.shared.stats.watchers);
        Ok(Followed { place, over, follower, share: self.share_of_a_follower(place) })
    }

    /// How many bytes of the match count as kept for one more who follows it from a place. Spectators share what it weighs,
    /// so that nobody fills the memory for matches by watching them. Players do not pay for their own match, and heavy
    /// matches have a share of memory of their own.
    fn share_of_a_follower(&self, place: Place) -> usize {
        if place != Place::Spectators || self.shared.weights.is_heavy(self.weight) {
            return 0;
        }
        let spectators = self.slots.iter().filter(|slot| slot.place == place).map(|slot| slot.feed.followers());
        self.weight / spectators.sum::<usize>().max(1)
    }
}
