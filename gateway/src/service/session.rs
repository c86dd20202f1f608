//! One stream that carries calls, answers and news.
//!
//! The stream is asked for the next message only when the one before has been sent, and it reads the caller's next message
//! only while it is asked, has not too many calls in work, and has room for those that it has. Who does not read is not
//! read.
//!
//! A stream whose caller does not read is not looked at. So everything that waits for something which others wait for as
//! well is a task of its own, and every large answer is counted from the moment at which it exists.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::{FutureExt, Stream, StreamExt};
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use prost::Message;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::{Code, Status, Streaming};

use super::packet::Packet;
use super::{Service, match_id, refusal};
use crate::auth::{Caller, TokenError};
use crate::http::{Full, Reservation, read_cost};
use crate::journal::MatchId;
use crate::match_state::Place;
use crate::matches::command::{Command, Reply, Request as Ask, SessionAnswer, SessionCall};
use crate::matches::{Drained, Following, Wishes, joined};
use crate::refusal::{Refusal, name_early};
use crate::trace::TraceContext;

/// How many bytes make a call large. Each of them can become many once it is read.
const LARGE_CALL: usize = 4096;

/// A session: one stream of calls, answers and news.
pub(super) struct Session {
    service: Service,
    caller: Caller,
    /// Where calls in work are counted, and answers and news that wait for the caller; nowhere inside the process.
    room: Option<Reservation>,
    calls: Streaming<api::SessionRequest>,
    /// Whether the caller has sent everything.
    hung_up: bool,
    /// Whether the session is being opened, so that what the caller says next waits.
    opening: bool,
    following: Option<(MatchId, Following)>,
    /// Whether everything that will ever be told was told.
    told_all: bool,
    /// The calls in work, with what each of them takes until it is answered. The caller may give several one number.
    in_work: Vec<(u64, Option<Reservation>)>,
    /// Whether the last of them is large, or found no room, so that nothing more is read before all are answered.
    full: bool,
    /// Where the match puts its answers; there is room for as many as may be in work.
    answers: mpsc::Receiver<Box<SessionAnswer>>,
    answering: mpsc::Sender<Box<SessionAnswer>>,
    /// Calls that take more than giving the match a command, each a task that ends with the session.
    longer_calls: JoinSet<Done>,
    drained: Drained,
    /// The trace that the session belongs to; a call may say otherwise.
    context: Option<TraceContext>,
    ended: bool,
}

/// What became of a call that took more than giving the match a command.
enum Done {
    /// The call is answered, or the match has the command and will answer it.
    Delivered,
    /// The session is open, or why it is not.
    Opened(u64, Box<Result<(MatchId, Following), Refusal>>),
}

/// The next message of a session; `None` at its end.
type SessionItem = Option<Result<Packet<api::SessionResponse>, Status>>;

impl Session {
    pub(super) fn new(
        service: Service,
        caller: Caller,
        room: Option<Reservation>,
        context: Option<TraceContext>,
        calls: Streaming<api::SessionRequest>,
    ) -> Self {
        let drained = service.matches.drained();
        let (answering, answers) = mpsc::channel(service.matches.limits.session_in_flight);
        Self {
            service,
            caller,
            room,
            calls,
            hung_up: false,
            opening: false,
            following: None,
            told_all: false,
            in_work: Vec::new(),
            full: false,
            answers,
            answering,
            longer_calls: JoinSet::new(),
            drained,
            context,
            ended: false,
        }
    }

    /// The next message to the caller; `None` at the end.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<SessionItem> {
        let answered = |call, answer| Poll::Ready(Some(Ok(Packet::Message(response(call, answer)))));
        loop {
            if self.hung_up && self.in_work.is_empty() {
                return Poll::Ready(None);
            }
            // From here on the answer is counted as bytes on their way to the network.
            if let Poll::Ready(Some(answer)) = self.answers.poll_recv(cx) {
                let SessionAnswer { call, answer, room: _ } = *answer;
                self.finish(call);
                return answered(call, answer);
            }
            if !self.longer_calls.is_empty()
                && let Poll::Ready(Some(done)) = self.longer_calls.poll_join_next(cx)
            {
                match joined(done) {
                    Err(refusal) => return Poll::Ready(Some(Err(refusal.into()))),
                    Ok(Done::Delivered) => continue,
                    Ok(Done::Opened(call, opened)) => {
                        self.finish(call);
                        self.opening = false;
                        let answer = self.opened(*opened);
                        return answered(call, answer);
                    }
                }
            }
            if let Some((_, following)) = self.following.as_mut().filter(|_| !self.told_all)
                && let Poll::Ready(news) = following.poll_next(cx)
            {
                match news {
                    Ok(Some(news)) => return Poll::Ready(Some(Ok(Packet::News(news)))),
                    Ok(None) => self.told_all = true,
                    Err(refusal) => return Poll::Ready(Some(Err(refusal.into()))),
                }
            }
            if !self.hung_up
                && !self.opening
                && self.has_room()
                && let Poll::Ready(call) = self.calls.poll_next_unpin(cx)
            {
                match call {
                    None => self.hung_up = true,
                    Some(Err(status)) => return Poll::Ready(Some(Err(name_early(status)))),
                    Some(Ok(request)) => {
                        let bytes = request.encoded_len();
                        let room = self.reserve(bytes);
                        self.full = bytes > LARGE_CALL || room.is_err();
                        if let Some(answer) = self.take(request, room.ok().flatten()) {
                            return Poll::Ready(Some(Ok(Packet::Message(answer))));
                        }
                    }
                }
                continue;
            }
            return match self.drained.poll_unpin(cx) {
                Poll::Ready(()) => Poll::Ready(Some(Err(Refusal::draining().into()))),
                Poll::Pending => Poll::Pending,
            };
        }
    }

    /// Whether one more call may be read.
    fn has_room(&self) -> bool {
        let most = if self.full { 1 } else { self.service.matches.limits.session_in_flight };
        self.in_work.len() < most
    }

    /// Reserves what a call takes while it is in work. Where there is no room for it, it still counts where it arrived
    /// (`http/calls.rs`), for as long as nothing more is read.
    fn reserve(&self, bytes: usize) -> Result<Option<Reservation>, Full> {
        let Some(room) = &self.room else { return Ok(None) };
        let mut room = room.another();
        room.grow(read_cost(bytes))?;
        Ok(Some(room))
    }

    /// Lets go of what a call took that is answered.
    fn finish(&mut self, call: u64) {
        if let Some(place) = self.in_work.iter().position(|(number, _)| *number == call) {
            self.in_work.swap_remove(place);
        }
    }

    /// Begins to carry out a call; answers at once where nothing has to be waited for.
    fn take(&mut self, request: api::SessionRequest, room: Option<Reservation>) -> Option<api::SessionResponse> {
        let call = request.call;
        let context = request.traceparent.parse().ok().or(self.context);
        let now = self.service.matches.clock.now_s();
        if self.caller.claims.is_some_and(|claims| claims.is_expired(now)) {
            return Some(response(call, Err(refusal(TokenError::Expired.into()))));
        }
        if let Err(refused) = self.service.gate.check_again(&self.caller) {
            return Some(response(call, Err(refusal(refused))));
        }
        let answer = match (request.what, self.following.as_ref()) {
            (None, _) => Err(Refusal::field("what", "nothing is called")),
            (Some(Call::Open(open)), None) => return self.open(call, open, room),
            (Some(Call::Open(_)), Some(_)) => Err(already_open()),
            (Some(_), None) => {
                Err(Refusal::new(Code::FailedPrecondition, "SESSION_NOT_OPEN", "the first call of a session opens it"))
            }
            (Some(what), Some(&(id, _))) => {
                self.in_work.push((call, room));
                self.begin(id, call, what, context);
                return None;
            }
        };
        Some(response(call, answer))
    }

    /// Begins to open the session. Nothing else is read before it is open.
    fn open(&mut self, call: u64, open: api::SessionOpen, taken: Option<Reservation>) -> Option<api::SessionResponse> {
        let id = match match_id(&open.match_id) {
            Ok(id) => id,
            Err(refusal) => return Some(response(call, Err(refusal))),
        };
        let (matches, caller) = (self.service.matches.clone(), self.caller);
        let room = self.room.as_ref().map(Reservation::another);
        self.in_work.push((call, taken));
        self.opening = true;
        self.longer_calls.spawn(async move {
            let wishes = Wishes { views: open.views, changes: !open.no_changes };
            let following = Following::begin(&matches, id, &caller, wishes, open.after).await;
            let counted = following.and_then(|following| Ok((id, following.counted(room)?)));
            Done::Opened(call, Box::new(counted))
        });
        None
    }

    fn opened(&mut self, opened: Result<(MatchId, Following), Refusal>) -> Result<Answer, Refusal> {
        let (id, following) = opened?;
        let seat = match following.place() {
            Place::Seat(seat) => Some(seat.into()),
            Place::Spectators => None,
        };
        self.following = Some((id, following));
        Ok(Answer::Opened(api::SessionOpened { seat }))
    }

    /// Begins to carry out a call of an open session.
    fn begin(&mut self, id: MatchId, call: u64, what: Call, context: Option<TraceContext>) {
        let is_question = matches!(what, Call::GetView(_) | Call::Advise(_));
        // Other answers are no larger than what their call takes until it is answered. They are never refused for want of
        // room, because what was called has happened by then.
        let room = self.room.as_ref().filter(|_| is_question).map(Reservation::another);
        let to = SessionCall { call, answers: self.answering.clone(), room };
        macro_rules! reply {
            ($answer:path) => {
                Reply::to_session(to, $answer)
            };
        }
        let Caller { claims, customer, .. } = self.caller;
        let request = match what {
            Call::StageOrders(request) => Ask::StageOrders(request, reply!(Answer::StageOrders)),
            Call::LockIn(request) => Ask::LockIn(request, reply!(Answer::LockIn)),
            Call::Answer(request) => Ask::Answer(request, reply!(Answer::Answer)),
            Call::Concede(request) => Ask::Concede(request, reply!(Answer::Concede)),
            Call::Advise(request) => Ask::Advise(request, reply!(Answer::Advise)),
            Call::GetView(_) => {
                let (service, caller, reply) = (self.service.clone(), self.caller, reply!(Answer::GetView));
                self.longer_calls.spawn(async move {
                    reply.send(service.view(id, &caller).await);
                    Done::Delivered
                });
                return;
            }
            Call::Open(_) => return reply!(Answer::Opened).send(Err(already_open())),
        };
        let command = Box::new(Command { claims, customer, context, request });
        if let Some(command) = self.service.matches.try_tell(id, command) {
            let matches = self.service.matches.clone();
            self.longer_calls.spawn(async move {
                matches.tell(id, command).await;
                Done::Delivered
            });
        }
    }
}

impl Stream for Session {
    type Item = Result<Packet<api::SessionResponse>, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<SessionItem> {
        if self.ended {
            return Poll::Ready(None);
        }
        let next = self.poll_message(cx);
        self.ended = matches!(next, Poll::Ready(None | Some(Err(_))));
        next
    }
}

fn already_open() -> Refusal {
    Refusal::new(Code::FailedPrecondition, "SESSION_OPEN", "the session is already open")
}

fn response(call: u64, answer: Result<Answer, Refusal>) -> api::SessionResponse {
    let what = answer.unwrap_or_else(|refusal| Answer::Refused(refusal.into()));
    api::SessionResponse { call, what: Some(what) }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::Arc;
    use std::task::Waker;
    use std::time::Duration;

    use bytes::{BufMut, Bytes};
    use futures_util::stream;
    use http_body_util::StreamBody;
    use hyper::body::Frame;
    use parley_proto::common::v1 as common;
    use parley_proto::plunder::v1 as plunder;
    use parley_proto::plunder::v1::advice::Advice;
    use parley_proto::v1;
    use tonic::Request;
    use tonic::codec::Codec;
    use tonic_prost::ProstCodec;

    use super::*;
    use crate::auth::{Gate, Keyring};
    use crate::clock::Clock;
    use crate::config::Config;
    use crate::http::{Budget, BudgetAccount, BudgetLimits};
    use crate::journal::memory::Memory;
    use crate::limits::Limits;
    use crate::matches::Matches;

    /// How many bytes may be in flight on the connection of the session.
    const ROOM: usize = 4 << 20;
    /// How many calls are sent at once; fewer than may be in work, and more than there is room for.
    const CALLS: u64 = 40;
    /// About how many bytes each of them has.
    const CALL_BYTES: usize = 3000;

    /// How many ships a fast fleet has, and how many tiles each of them sails in a turn.
    const FLEET: (u32, u32) = (64, 32);
    /// How long the sides of the map are that it sails on.
    const FLEET_SIDE: usize = 100;

    /// A service with one match, which waits for players.
    async fn service(limits: Limits) -> (Service, String) {
        let rows = vec!["....".to_owned(), "H..H".to_owned(), "....".to_owned()];
        let starts = vec![common::Hex { q: 0, r: 1 }, common::Hex { q: 3, r: 1 }];
        let drawn = plunder::DrawnMap { rows, wrap: false, starts };
        service_of(limits, drawn, String::new()).await
    }

    /// A service with one match of fast fleets, and the token of a player of it.
    async fn fleets() -> (Service, String, String) {
        let (ships, speed) = FLEET;
        let mut rows = vec![".".repeat(FLEET_SIDE); FLEET_SIDE];
        let middle = FLEET_SIDE / 2;
        rows[0].replace_range(0..1, "H");
        rows[middle].replace_range(middle..=middle, "H");
        let half = middle as i32;
        let starts = vec![common::Hex { q: half - half / 2, r: half }, common::Hex { q: 0, r: 0 }];
        let class = format!(
            r#"{{"key": "ship", "domain": "naval", "hull": 10, "speed": {speed}, "cannons": 0, "vision": 2,
                "build_cost": 50, "build_turns": 3}}"#
        );
        let rules = format!(r#"{{"classes": [{class}], "economy": {{"start_ships": {ships}}}}}"#);
        let drawn = plunder::DrawnMap { rows, wrap: false, starts };
        let (service, match_id) = service_of(Limits::default(), drawn, rules).await;
        let id = match_id.parse().map(MatchId).expect("an id");
        let mut tokens = Vec::new();
        for seat in 0..2 {
            let request_id = format!("a-request-of-a-test-{seat}");
            let (match_id, seat) = (match_id.clone(), Some(seat));
            let join = api::JoinMatchRequest { request_id, match_id, seat, ..api::JoinMatchRequest::default() };
            let joined = service.matches.ask(id, None, |reply| Ask::JoinMatch(join, reply)).await.expect("a seat");
            tokens.push(joined.player_token);
        }
        (service, match_id, tokens.swap_remove(0))
    }

    /// A service with one match on a map, by rules.
    async fn service_of(limits: Limits, drawn: plunder::DrawnMap, rules: String) -> (Service, String) {
        let keyring = Arc::new(Keyring::ephemeral().expect("random bytes"));
        let clock = Clock::starting_at(1_800_000_000_000);
        let matches = Matches::new(Arc::new(Memory::new()), Arc::clone(&keyring), limits, clock);
        let map = Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Drawn(drawn)) });
        let game = v1::game_settings::Game::Plunder(plunder::Settings { map, rules, fog: None });
        let settings = api::MatchSettings {
            game: Some(v1::GameSettings { game: Some(game) }.encode_to_vec().into()),
            seats: vec![api::SeatChoice::default(); 2],
            start_when_full: true,
            ..api::MatchSettings::default()
        };
        let (request_id, settings) = ("a-request-of-a-test".to_owned(), Some(settings));
        let request = api::CreateMatchRequest { request_id, settings, ..api::CreateMatchRequest::default() };
        let created = matches.create(request).await.expect("a match").r#match.expect("a match");
        let gate = Arc::new(Gate::new(keyring, None, Config::default().gate_limits()));
        (Service::new(matches, gate), created.match_id)
    }

    /// Asks what could be ordered.
    fn options(query: plunder::OptionsQuery) -> api::AdviseRequest {
        let query = plunder::Query { query: Some(plunder::query::Query::Options(query)) };
        let query = v1::Query { game: Some(v1::query::Game::Plunder(query)) };
        api::AdviseRequest { query: Some(query.encode_to_vec().into()), ..api::AdviseRequest::default() }
    }

    /// A call as it comes over the network.
    fn sent(call: u64, what: Call) -> Frame<Bytes> {
        let request = api::SessionRequest { call, what: Some(what), ..api::SessionRequest::default() };
        let mut bytes = vec![0];
        bytes.put_u32(request.encoded_len() as u32);
        bytes.extend(request.encode_to_vec());
        Frame::data(bytes.into())
    }

    fn answered(packet: Packet<api::SessionResponse>) -> Option<u64> {
        match packet {
            Packet::News(_) => None,
            Packet::Message(response) => Some(response.call),
        }
    }

    /// An open session, and where the frames of its caller go.
    async fn opened(
        service: Service,
        match_id: String,
        token: Option<&str>,
        account: &Arc<BudgetAccount>,
    ) -> (Session, mpsc::UnboundedSender<Frame<Bytes>>) {
        let (says, mut said) = mpsc::unbounded_channel();
        let body =
            StreamBody::new(stream::poll_fn(move |cx| said.poll_recv(cx).map(|frame| frame.map(Ok::<_, Infallible>))));
        let decoder = ProstCodec::<api::SessionResponse, api::SessionRequest>::default().decoder();
        let calls = Streaming::new_request(decoder, body, None, None);
        let mut request = Request::new(());
        if let Some(token) = token {
            request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("a header"));
        }
        let (caller, ()) = service.admit(request).expect("a player, or everybody may watch");
        let mut session = Session::new(service, caller, Some(account.reserve_nothing()), None, calls);
        says.send(sent(1, Call::Open(api::SessionOpen { match_id, ..api::SessionOpen::default() })))
            .expect("it is open");
        while answered(session.next().await.expect("more").expect("no error")).is_none() {}
        (session, says)
    }

    /// The accounts of a server whose only connection has so much room.
    fn accounts(room: usize) -> (Arc<Budget>, Arc<BudgetAccount>) {
        let unread = Duration::from_secs(60);
        let budget = Budget::new(BudgetLimits { total: room, per_address: room, per_connection: room, unread });
        let account = budget.connection(&budget.address([1, 1, 1, 1].into()));
        (budget, account)
    }

    /// Looks at a session as long as it has something to say, and then no more.
    fn look(session: &mut Session) {
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(packet) = session.poll_message(&mut cx) {
            packet.expect("more").expect("no error");
        }
    }

    #[tokio::test]
    async fn answers_that_nobody_takes_are_counted() {
        const CALLS: u64 = 40;
        let (service, match_id, token) = fleets().await;
        let (budget, account) = accounts(8 * ROOM);
        let (mut session, says) = opened(service.clone(), match_id.clone(), Some(&token), &account).await;
        look(&mut session);
        let before = budget.in_flight();
        for call in 2..2 + CALLS {
            let what = match call % 2 {
                0 => Call::Advise(options(plunder::OptionsQuery::default())),
                _ => Call::GetView(api::GetViewRequest::default()),
            };
            says.send(sent(call, what)).expect("it is open");
        }
        look(&mut session);
        // The match has answered everything by the time at which it answers somebody who asked later.
        let id = match_id.parse().map(MatchId).expect("an id");
        service.matches.ask(id, None, Ask::GetMatch).await.expect("the match");
        let waiting = budget.in_flight() - before;
        assert!(waiting > 2 * ROOM, "{waiting} bytes are counted of {CALLS} large answers");

        let (mut told, mut refused) = (0, 0);
        for _ in 0..CALLS {
            match session.next().await.expect("more").expect("no error") {
                Packet::Message(api::SessionResponse { what: Some(Answer::Refused(refusal)), .. }) => {
                    assert_eq!(refusal.reason, "TOO_MUCH_IN_FLIGHT");
                    refused += 1;
                }
                Packet::Message(response) => told += response.encoded_len(),
                Packet::News(news) => panic!("{news:?}"),
            }
        }
        assert!(told > ROOM && refused > 0, "{told} bytes were told, and {refused} calls refused");
        look(&mut session);
        let left = budget.in_flight();
        assert!(left <= before, "{left} bytes are counted, and everything is answered; before it were {before}");
    }

    #[tokio::test(start_paused = true)]
    async fn who_does_not_read_keeps_nobody_from_a_match() {
        let (service, match_id) = service(Limits { mailbox: 4, ..Limits::default() }).await;
        let (_budget, account) = accounts(ROOM);
        let (mut session, says) = opened(service.clone(), match_id.clone(), None, &account).await;
        look(&mut session);
        for call in 2..2 + CALLS {
            says.send(sent(call, Call::Concede(api::ConcedeRequest::default()))).expect("it is open");
        }
        // More calls than the match takes at once are in work from now on, and nobody looks at the session.
        look(&mut session);
        let id = match_id.parse().map(MatchId).expect("an id");
        let honest = service.matches.ask(id, None, Ask::GetMatch);
        tokio::time::timeout(Duration::from_secs(60), honest).await.expect("the match answers").expect("the match");
    }

    #[tokio::test]
    async fn legal_orders_of_the_fastest_fleet_come_in_answers_that_every_client_takes() {
        let (service, match_id, token) = fleets().await;
        let claims = service.matches.keyring.verify(&token, 0).expect("a token");
        let id = match_id.parse().map(MatchId).expect("an id");
        let told = async |query| {
            let ask = |reply| Ask::Advise(options(query), reply);
            let told = service.matches.ask(id, Some(claims), ask).await.expect("orders").advice.expect("advice");
            match v1::Advice::decode(told).expect("advice").game {
                Some(v1::advice::Game::Plunder(plunder::Advice { advice: Some(Advice::Options(told)) })) => told,
                other => panic!("{other:?}"),
            }
        };
        let (mut query, mut units, mut pages, mut bytes) = (plunder::OptionsQuery::default(), vec![], 0, 0);
        loop {
            let page = told(query).await;
            assert!(page.encoded_len() < 1 << 20, "{} bytes", page.encoded_len());
            assert!(page.next_unit == 0 || page.structures.is_empty(), "shipyards come with the last of the ships");
            units.extend(page.units.iter().map(|options| options.unit));
            (pages, bytes) = (pages + 1, bytes + page.encoded_len());
            if page.next_unit == 0 {
                assert_eq!((page.next_structure, page.structures.len()), (0, 1));
                break;
            }
            query.first_unit = page.next_unit;
        }
        assert!(units.is_sorted() && units.len() == FLEET.0 as usize, "{units:?}");
        assert!(pages > 2 && bytes > 3 << 20, "{bytes} bytes in {pages} pages");
        assert!(told(plunder::OptionsQuery { first_structure: 1, first_unit: 0 }).await.units.is_empty());
    }

    #[tokio::test]
    async fn calls_in_work_are_counted_until_they_are_answered() {
        let (service, match_id) = service(Limits::default()).await;
        let (budget, account) = accounts(ROOM);
        let (mut session, says) = opened(service, match_id, None, &account).await;
        let kept = budget.in_flight();
        assert!(kept < ROOM / 2, "{kept} bytes are kept for a spectator");

        for call in 2..2 + CALLS {
            let request_id = "x".repeat(CALL_BYTES);
            let request = api::ConcedeRequest { request_id, ..api::ConcedeRequest::default() };
            says.send(sent(call, Call::Concede(request))).expect("it is open");
        }
        // Nothing else runs meanwhile, so that nobody answers.
        let mut cx = Context::from_waker(Waker::noop());
        while let Poll::Ready(packet) = session.poll_message(&mut cx) {
            assert_eq!(answered(packet.expect("more").expect("no error")), None);
        }
        let counted = budget.in_flight();
        assert!((ROOM / 2..=ROOM).contains(&counted), "{counted} bytes are counted");

        let mut open: Vec<u64> = (2..2 + CALLS).collect();
        while !open.is_empty() {
            let call = answered(session.next().await.expect("more").expect("nobody is refused for it"));
            open.retain(|open| Some(*open) != call);
        }
        // A connection keeps a little of what it has taken from its address.
        let left = budget.in_flight();
        assert!(left < counted / 2, "{left} bytes are counted, and everything is answered");
    }
}
