//! One stream that carries calls, answers and news of many seats of many matches, each on a channel of its own.
//!
//! The stream is asked for the next message only when the one before has been sent, and it reads the caller's next message
//! only while it is asked. Who does not read is not read. The channels take turns: each tells one message, and is then put
//! behind the others that have something to tell, and the caller's next message is read at the latest after a round of them.
//!
//! A session of one channel reads on only while that channel has room for another call. A session of several does not wait
//! for that: what is too much for a channel is refused on that channel. Only a call for which the budget of bytes has no
//! room keeps a session from reading on, until its channel has answered what it has.

mod channel;
#[cfg(test)]
mod tests;
mod wakeups;

use std::collections::{BTreeMap, VecDeque};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use futures_util::{FutureExt, Stream, StreamExt};
use http::HeaderValue;
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use prost::Message;
use tonic::{Code, Status, Streaming};

use self::channel::{CHANNEL_COST, Channel, ChannelCall, Opened, Told};
use self::wakeups::Wakeups;
use super::packet::Packet;
use super::{Service, match_id, refusal};
use crate::auth::{Caller, TokenError};
use crate::cluster::SessionOrigin;
use crate::http::{Full, Peer, Reservation, read_cost};
use crate::matches::command::count;
use crate::matches::{Drained, Following, Wishes};
use crate::refusal::{Reason, Refusal, name_early, told_in_session};
use crate::trace::TraceContext;

/// How many bytes make a call large. Each of them can become many once it is read.
const LARGE_CALL: usize = 4096;
/// After how long a call may be repeated that was one too many on its channel.
const TRY_AGAIN: Duration = Duration::from_millis(100);

/// A session: one stream of calls, answers and news.
pub(super) struct Session {
    service: Service,
    /// Who opened the session, and opens channels on it that do not name a token.
    caller: Caller,
    origin: Origin,
    /// Where calls in work are counted, and answers and news that wait for the caller; nowhere inside the process.
    room: Option<Reservation>,
    calls: Streaming<api::SessionRequest>,
    /// Whether the caller has sent everything.
    hung_up: bool,
    channels: BTreeMap<u32, Channel>,
    wakeups: Wakeups,
    /// Refusals of calls that waited for a channel which was not opened.
    refusals: VecDeque<api::SessionResponse>,
    /// The channel with a call that found no room, so that nothing more is read before all of that channel are answered.
    uncounted: Option<u32>,
    /// How many messages were told since the caller's were looked at.
    told: usize,
    drained: Drained,
    ended: bool,
}

/// Where a session comes from.
#[derive(Default)]
pub(super) struct Origin {
    /// The trace that the session belongs to; a call may say otherwise.
    pub(super) context: Option<TraceContext>,
    /// The address that it comes from.
    pub(super) peer: Option<Peer>,
    /// What the session came with, as other servers of the cluster are told it.
    pub(super) authorization: Option<HeaderValue>,
    pub(super) traceparent: Option<HeaderValue>,
    /// Whether another server has sent it here, or this process, so that it is not sent on.
    pub(super) stays_here: bool,
}

/// The next message of a session; `None` at its end.
type SessionItem = Option<Result<Packet<api::SessionResponse>, Status>>;

impl Session {
    pub(super) fn new(
        service: Service,
        caller: Caller,
        room: Option<Reservation>,
        origin: Origin,
        calls: Streaming<api::SessionRequest>,
    ) -> Self {
        let drained = service.matches.drained();
        Self {
            service,
            caller,
            origin,
            room,
            calls,
            hung_up: false,
            channels: BTreeMap::new(),
            wakeups: Wakeups::default(),
            refusals: VecDeque::new(),
            uncounted: None,
            told: 0,
            drained,
            ended: false,
        }
    }

    /// The next message to the caller; `None` at the end.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<SessionItem> {
        self.wakeups.register(cx.waker());
        loop {
            if let Some(refused) = self.refusals.pop_front() {
                return Poll::Ready(Some(Ok(Packet::Message(refused))));
            }
            if self.hung_up && self.channels.values().all(Channel::is_quiet) {
                return Poll::Ready(None);
            }
            let is_turn_of_calls = self.told > self.channels.len();
            if !is_turn_of_calls && let Some(told) = self.look_at_channels() {
                self.told += 1;
                return Poll::Ready(Some(told));
            }
            self.told = 0;
            if !self.hung_up
                && self.may_read()
                && let Poll::Ready(call) = self.calls.poll_next_unpin(cx)
            {
                match call {
                    None => self.hung_up = true,
                    Some(Err(status)) => return Poll::Ready(Some(Err(name_early(status)))),
                    Some(Ok(request)) => {
                        if let Some(refused) = self.take(request) {
                            return Poll::Ready(Some(Ok(Packet::Message(refused))));
                        }
                    }
                }
                continue;
            }
            if is_turn_of_calls {
                continue;
            }
            return match self.drained.poll_unpin(cx) {
                Poll::Ready(()) => Poll::Ready(Some(Err(Refusal::draining().into()))),
                Poll::Pending => Poll::Pending,
            };
        }
    }

    /// The message of the first channel, of those that wait, which has one.
    fn look_at_channels(&mut self) -> Option<Result<Packet<api::SessionResponse>, Status>> {
        for _ in 0..self.wakeups.count() {
            let number = self.wakeups.next()?;
            let Some(channel) = self.channels.get_mut(&number) else { continue };
            channel.wakeup.taken();
            let Poll::Ready(told) = channel.poll() else { continue };
            match told {
                Told::Message(packet) => {
                    channel.wakeup.put_last();
                    return Some(Ok(packet));
                }
                Told::Last(packet, unbegun) => {
                    self.channels.remove(&number);
                    self.refusals.extend(unbegun.into_iter().map(|call| response(number, call, Err(not_open()))));
                    return Some(Ok(packet));
                }
                Told::Interrupted(status) => {
                    self.channels.remove(&number);
                    return Some(self.interrupted(number, status));
                }
            }
        }
        None
    }

    /// Ends a channel that cannot go on. Where no other is left, the session has nothing more to carry, and its caller
    /// learns it as who makes any other call does.
    fn interrupted(&self, number: u32, status: Status) -> Result<Packet<api::SessionResponse>, Status> {
        if self.channels.is_empty() {
            return Err(status);
        }
        let reason = api::SessionClosedReason::Interrupted.into();
        let closed = api::SessionClosed { reason, interruption: Some(told_in_session(&status)) };
        Ok(Packet::Message(response(number, 0, Ok(Answer::Closed(closed)))))
    }

    /// Whether one more call may be read.
    fn may_read(&mut self) -> bool {
        if let Some(channel) = self.uncounted.and_then(|number| self.channels.get(&number))
            && !channel.is_quiet()
        {
            return false;
        }
        self.uncounted = None;
        match self.channels.first_key_value() {
            Some((_, only)) if self.channels.len() == 1 => only.can_begin(),
            _ => true,
        }
    }

    /// Reserves what a call takes while it is in work. Where there is no room for it, it still counts where it arrived
    /// (`http/calls.rs`), for as long as nothing more is read.
    fn reserve(&self, bytes: usize) -> Result<Option<Reservation>, Full> {
        let Some(room) = &self.room else { return Ok(None) };
        let mut room = room.another();
        room.grow(read_cost(bytes))?;
        Ok(Some(room))
    }

    /// Begins to carry out a call; answers at once where it is refused.
    fn take(&mut self, request: api::SessionRequest) -> Option<api::SessionResponse> {
        let bytes = request.encoded_len();
        let (number, call) = (request.channel, request.call);
        let room = self.reserve(bytes);
        let is_uncounted = room.is_err();
        match self.begin(request, bytes > LARGE_CALL, room.ok().flatten()) {
            Ok(()) => {
                self.uncounted = is_uncounted.then_some(number);
                None
            }
            Err(refusal) => Some(response(number, call, Err(refusal))),
        }
    }

    fn begin(
        &mut self,
        request: api::SessionRequest,
        is_large: bool,
        room: Option<Reservation>,
    ) -> Result<(), Refusal> {
        let api::SessionRequest { call, what, traceparent, channel: number } = request;
        let caller = self.caller_of(number, what.as_ref())?;
        let is_several = self.channels.len() > 1;
        let open = self.channels.get_mut(&number).filter(|channel| !channel.is_closing());
        match (what, open) {
            (None, _) => Err(Refusal::field("what", "nothing is called")),
            (Some(Call::Open(open)), None) => self.open(number, caller, (call, room), open),
            (Some(Call::Open(_)), Some(_)) => Err(already_open()),
            (Some(_), None) => Err(not_open()),
            (Some(Call::Close(_)), Some(channel)) => {
                channel.close(call);
                Ok(())
            }
            (Some(_), Some(channel)) if is_several && !channel.has_room() => {
                let most = self.service.matches.limits.session_in_flight;
                let message = format!("{most} calls of this channel are in work (session_in_flight)");
                Err(Refusal::limit(Reason::TooManyCallsInWork, message, TRY_AGAIN))
            }
            (Some(what), Some(channel)) => {
                let context = traceparent.parse().ok().or(self.origin.context);
                channel.take(ChannelCall { call, what, traceparent, context, is_large, room });
                Ok(())
            }
        }
    }

    /// Whose call it is, if they may make one more: that of the channel, or of the token that opens it.
    fn caller_of(&self, number: u32, what: Option<&Call>) -> Result<Caller, Refusal> {
        let caller = match (self.channels.get(&number), what) {
            (Some(channel), _) => channel.caller,
            (None, Some(Call::Open(open))) if !open.player_token.is_empty() => {
                return self.service.identify_token(&open.player_token, self.origin.peer);
            }
            (None, _) => self.caller,
        };
        let now = self.service.matches.clock.now_s();
        if caller.claims.is_some_and(|claims| claims.is_expired(now)) {
            return Err(refusal(TokenError::Expired.into()));
        }
        self.service.gate.check_again(&caller).map_err(refusal)?;
        Ok(caller)
    }

    /// Begins to open a channel, on this server or on that of its match.
    fn open(
        &mut self,
        number: u32,
        caller: Caller,
        (call, taken): (u64, Option<Reservation>),
        open: api::SessionOpen,
    ) -> Result<(), Refusal> {
        if self.channels.contains_key(&number) {
            return Err(already_open());
        }
        let most = self.service.matches.limits.channels_per_session;
        if self.channels.len() >= most {
            let message = format!("a session has {most} channels at most (max_channels_per_session)");
            return Err(Refusal::new(Code::ResourceExhausted, Reason::TooManyChannels, message));
        }
        let id = match_id(&open.match_id)?;
        let elsewhere = match &self.service.cluster {
            Some(cluster) if !self.origin.stays_here => cluster.place_channel(id)?,
            _ => None,
        };
        let another = || self.room.as_ref().map(Reservation::another);
        // The open call that carries the session is counted with room for one channel.
        let cost = if self.channels.is_empty() { 0 } else { CHANNEL_COST };
        let (room, cost) = (another(), count(another(), cost)?);
        let counted = another();
        let opening = if let Some(server) = elsewhere {
            // The other server admits the one whose calls the channel carries, as this one would.
            let own = (!open.player_token.is_empty()).then(|| format!("Bearer {}", open.player_token).parse().ok());
            let origin = SessionOrigin {
                authorization: own.unwrap_or_else(|| self.origin.authorization.clone()),
                traceparent: self.origin.traceparent.clone(),
                peer: self.origin.peer,
            };
            let most_calls = self.service.matches.limits.session_in_flight;
            async move {
                let told = |status| told_in_session(&status);
                let mut session = server.open_session(origin, most_calls, counted).await.map_err(told)?;
                let what = Some(Call::Open(open));
                session.call(api::SessionRequest { call, what, ..api::SessionRequest::default() });
                let answer = session.message().await.map_err(told)?;
                Ok(Opened::There(Box::new(session), answer))
            }
            .boxed()
        } else {
            let matches = self.service.matches.clone();
            async move {
                let wishes = Wishes { views: open.views, changes: !open.no_changes };
                let following = Following::begin(&matches, id, &caller, wishes, open.after).await?;
                Ok(Opened::Here(id, Box::new(following.counted(counted)?)))
            }
            .boxed()
        };
        let wakeup = self.wakeups.channel(number);
        let service = self.service.clone();
        let channel = Channel::opening(number, service, caller, (room, cost), wakeup, (call, taken), opening);
        self.channels.insert(number, channel);
        Ok(())
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
    Refusal::new(Code::FailedPrecondition, Reason::SessionOpen, "this channel of the session is already open")
}

fn not_open() -> Refusal {
    let message = "this channel of the session is not open; the first call on a channel opens it";
    Refusal::new(Code::FailedPrecondition, Reason::SessionNotOpen, message)
}

fn response(channel: u32, call: u64, answer: Result<Answer, Refusal>) -> api::SessionResponse {
    let what = answer.unwrap_or_else(|refusal| Answer::Refused(refusal.into()));
    api::SessionResponse { call, what: Some(what), channel }
}
