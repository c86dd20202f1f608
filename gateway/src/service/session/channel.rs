//! One channel of a session: a seat of a match, or a spectator of it, from its opening to its end.
//!
//! A channel that is not looked at for long holds up nobody: everything that waits for something which others wait for as
//! well is a task of its own, and every large answer is counted from the moment at which it exists.

use std::collections::VecDeque;
use std::task::{Context, Poll, ready};

use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::session_request::What as Call;
use parley_proto::opaque::v1::session_response::What as Answer;
use tokio::sync::mpsc;
use tokio::task::JoinSet;
use tonic::Status;

use super::super::Service;
use super::super::packet::Packet;
use super::wakeups::Wakeup;
use super::{not_open, response};
use crate::auth::Caller;
use crate::cluster::{PeerMessage, PeerSession};
use crate::http::Reservation;
use crate::journal::MatchId;
use crate::match_state::Place;
use crate::matches::command::{Command, Reply, Request as Ask, SessionAnswer, SessionCall};
use crate::matches::{Following, joined};
use crate::refusal::Refusal;
use crate::trace::TraceContext;

/// About how many bytes a channel keeps, beside what it follows and what is in work on it.
pub(super) const CHANNEL_COST: usize = 8 * 1024;

/// A channel of a session.
pub(super) struct Channel {
    number: u32,
    service: Service,
    /// Whose calls the channel carries.
    pub(super) caller: Caller,
    /// Where is counted what waits for the caller; nowhere inside the process.
    room: Option<Reservation>,
    state: State,
    /// The calls in work, with what each of them takes until it is answered. The caller may give several one number.
    in_work: Vec<(u64, Option<Reservation>)>,
    /// Those of them that have to wait until the channel is open, or until a large one before them is answered.
    waiting: VecDeque<Waiting>,
    /// Whether the last call that was begun is large, so that no other is begun before all are answered.
    is_full: bool,
    /// Where the match puts its answers; there is room for as many as may be in work.
    answers: mpsc::Receiver<Box<SessionAnswer>>,
    answering: mpsc::Sender<Box<SessionAnswer>>,
    /// Calls that take more than giving the match a command, each a task that ends with the channel.
    longer_calls: JoinSet<Done>,
    /// The call that closes the channel, which is answered when all others are.
    closing: Option<u64>,
    pub(super) wakeup: Wakeup,
    /// The least that is kept of what the channel takes while it exists.
    _cost: Option<Reservation>,
}

/// Where the news and the answers of a channel come from.
enum State {
    /// It is not known yet.
    Opening,
    /// They come from a match of this server. It is over where its last news were told on the channel: one that is opened
    /// after them is there for calls, and stays open.
    Here { id: MatchId, following: Option<Box<Following>>, is_over: bool },
    /// They come from another server of the cluster.
    There { session: Box<PeerSession>, is_over: bool },
}

/// A call that is in work and was not begun yet.
struct Waiting {
    call: u64,
    what: Call,
    traceparent: String,
    context: Option<TraceContext>,
    is_large: bool,
}

/// A call of an open channel as it was read.
pub(super) struct ChannelCall {
    pub(super) call: u64,
    pub(super) what: Call,
    /// The span of the caller, as it was said.
    pub(super) traceparent: String,
    pub(super) context: Option<TraceContext>,
    pub(super) is_large: bool,
    /// Where the call is counted while it is in work.
    pub(super) room: Option<Reservation>,
}

/// How a channel comes about.
pub(super) enum Opened {
    /// The match is on this server.
    Here(MatchId, Box<Following>),
    /// The match is on another server, which answers so.
    There(Box<PeerSession>, PeerMessage),
}

/// What became of a call that took more than giving the match a command.
enum Done {
    /// The call is answered, or the match has the command and will answer it.
    Delivered,
    /// The channel is open, or why it is not.
    Opened(u64, Result<Opened, api::Refusal>),
}

/// What a channel has to tell.
pub(super) enum Told {
    /// A message.
    Message(Packet<api::SessionResponse>),
    /// The last message: the channel is closed, or was not opened. What follows are the calls that waited for it, none of
    /// which was begun.
    Last(Packet<api::SessionResponse>, Vec<u64>),
    /// The channel cannot go on.
    Interrupted(Status),
}

impl Channel {
    /// A channel that is being opened by a call, with what that call takes.
    pub(super) fn opening(
        number: u32,
        service: Service,
        caller: Caller,
        (room, cost): (Option<Reservation>, Option<Reservation>),
        wakeup: Wakeup,
        (call, taken): (u64, Option<Reservation>),
        opening: impl Future<Output = Result<Opened, api::Refusal>> + Send + 'static,
    ) -> Self {
        let (answering, answers) = mpsc::channel(service.matches.limits.session_in_flight);
        let mut longer_calls = JoinSet::new();
        longer_calls.spawn(async move { Done::Opened(call, opening.await) });
        Self {
            number,
            service,
            caller,
            room,
            state: State::Opening,
            in_work: vec![(call, taken)],
            waiting: VecDeque::new(),
            is_full: false,
            answers,
            answering,
            longer_calls,
            closing: None,
            wakeup,
            _cost: cost,
        }
    }

    /// Whether nothing is in work.
    pub(super) fn is_quiet(&self) -> bool {
        self.in_work.is_empty() && self.closing.is_none()
    }

    /// Whether the channel is being closed.
    pub(super) const fn is_closing(&self) -> bool {
        self.closing.is_some()
    }

    /// Whether one more call may be in work.
    pub(super) fn has_room(&self) -> bool {
        self.in_work.len() < self.service.matches.limits.session_in_flight
    }

    /// Whether one more call could be begun at once.
    pub(super) fn can_begin(&self) -> bool {
        !matches!(self.state, State::Opening) && self.has_room() && (!self.is_full || self.in_work.is_empty())
    }

    /// Closes the channel: nothing new is told, and what is in work is answered before the call that closes it.
    pub(super) fn close(&mut self, call: u64) {
        self.closing = Some(call);
        self.stop_following();
        self.wakeup.put_last();
    }

    /// Takes a call to be carried out, at once or when its turn comes.
    pub(super) fn take(&mut self, call: ChannelCall) {
        let ChannelCall { call, what, traceparent, context, is_large, room } = call;
        self.in_work.push((call, room));
        self.waiting.push_back(Waiting { call, what, traceparent, context, is_large });
        self.begin_waiting();
        // What was begun may wake the channel only after it was looked at once more.
        self.wakeup.put_last();
    }

    /// What the channel tells next.
    pub(super) fn poll(&mut self) -> Poll<Told> {
        let waker = self.wakeup.waker().clone();
        let mut cx = Context::from_waker(&waker);
        loop {
            if let Poll::Ready(Some(answer)) = self.answers.poll_recv(&mut cx) {
                // From here on the answer is counted as bytes on their way to the network.
                let SessionAnswer { call, answer, room: _ } = *answer;
                self.finish(call);
                return Poll::Ready(Told::Message(self.response(call, answer)));
            }
            if !self.longer_calls.is_empty()
                && let Poll::Ready(Some(done)) = self.longer_calls.poll_join_next(&mut cx)
            {
                match joined(done) {
                    Err(refusal) => return Poll::Ready(Told::Interrupted(refusal.into())),
                    Ok(Done::Delivered) => continue,
                    Ok(Done::Opened(call, opened)) => return Poll::Ready(self.opened(call, opened)),
                }
            }
            if let Some(last) = self.end() {
                return Poll::Ready(last);
            }
            return match ready!(self.poll_news(&mut cx)) {
                Some(told) => Poll::Ready(told),
                None => continue,
            };
        }
    }

    /// What the match tells, or the other server.
    fn poll_news(&mut self, cx: &mut Context<'_>) -> Poll<Option<Told>> {
        match &mut self.state {
            State::Opening | State::Here { following: None, .. } => Poll::Pending,
            State::Here { following: Some(following), is_over, .. } => {
                Poll::Ready(match ready!(following.poll_next(cx)) {
                    Ok(Some(news)) => {
                        *is_over = news.is_last();
                        Some(Told::Message(Packet::News(news, self.number)))
                    }
                    Ok(None) => {
                        self.stop_following();
                        None
                    }
                    Err(refusal) => Some(Told::Interrupted(refusal.into())),
                })
            }
            State::There { session, is_over } => match ready!(session.poll_message(cx)) {
                Ok(message) if message.heading.is_news() && self.closing.is_some() => Poll::Ready(None),
                Ok(message) if message.heading.closed.is_some() => {
                    *is_over = true;
                    Poll::Ready(None)
                }
                Ok(message) => {
                    if !message.heading.is_news() {
                        self.finish(message.heading.call);
                    }
                    Poll::Ready(Some(Told::Message(Packet::Forwarded(message, self.number))))
                }
                Err(status) => Poll::Ready(Some(Told::Interrupted(status))),
            },
        }
    }

    /// The last message, if the channel is at its end: nothing is in work, and nothing more will be told.
    fn end(&mut self) -> Option<Told> {
        if !self.in_work.is_empty() {
            return None;
        }
        let is_over = matches!(
            self.state,
            State::Here { is_over: true, following: None, .. } | State::There { is_over: true, .. }
        );
        let reason = match self.closing {
            Some(_) => api::SessionClosedReason::Caller,
            None if is_over => api::SessionClosedReason::MatchOver,
            None => return None,
        };
        let closed = api::SessionClosed { reason: reason.into(), interruption: None };
        let call = self.closing.take().unwrap_or_default();
        Some(Told::Last(self.response(call, Ok(Answer::Closed(closed))), Vec::new()))
    }

    /// Lets the match go, which counts its followers.
    fn stop_following(&mut self) {
        if let State::Here { following, .. } = &mut self.state {
            *following = None;
        }
    }

    /// Lets go of what a call took that is answered, and begins those that waited for it.
    fn finish(&mut self, call: u64) {
        if let Some(place) = self.in_work.iter().position(|(number, _)| *number == call) {
            self.in_work.swap_remove(place);
            self.begin_waiting();
        }
    }

    /// Goes on with a channel that is open, or ends one that is not.
    fn opened(&mut self, call: u64, opened: Result<Opened, api::Refusal>) -> Told {
        let (state, packet) = match opened {
            Ok(Opened::Here(id, following)) => {
                let seat = match following.place() {
                    Place::Seat(seat) => Some(seat.into()),
                    Place::Spectators => None,
                };
                let packet = self.response(call, Ok(Answer::Opened(api::SessionOpened { seat })));
                (State::Here { id, following: Some(following), is_over: false }, packet)
            }
            Ok(Opened::There(session, answer)) => {
                let is_open = answer.heading.opened.is_some();
                let packet = Packet::Forwarded(answer, self.number);
                if !is_open {
                    return Told::Last(packet, self.unbegun());
                }
                (State::There { session, is_over: false }, packet)
            }
            Err(refusal) => {
                return Told::Last(self.response(call, Ok(Answer::Refused(refusal))), self.unbegun());
            }
        };
        self.state = state;
        if self.closing.is_some() {
            self.stop_following();
        }
        self.finish(call);
        Told::Message(packet)
    }

    /// The calls that waited for a channel which was not opened.
    fn unbegun(&mut self) -> Vec<u64> {
        self.waiting.drain(..).map(|waiting| waiting.call).chain(self.closing.take()).collect()
    }

    /// Begins the calls whose turn has come.
    fn begin_waiting(&mut self) {
        while let Some(next) = self.waiting.front()
            && !matches!(self.state, State::Opening)
        {
            let begun = self.in_work.len() - self.waiting.len();
            if begun > 0 && self.is_full {
                break;
            }
            self.is_full = next.is_large;
            if let Some(call) = self.waiting.pop_front() {
                self.begin(call);
            }
        }
    }

    /// Begins to carry out a call of an open channel.
    fn begin(&mut self, waiting: Waiting) {
        let Waiting { call, what, traceparent, context, is_large: _ } = waiting;
        let id = match &mut self.state {
            State::Here { id, .. } => *id,
            State::There { session, .. } => {
                session.call(api::SessionRequest { call, what: Some(what), traceparent, channel: 0 });
                return;
            }
            State::Opening => return,
        };
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
            // The session itself opens and closes channels.
            Call::Open(_) | Call::Close(_) => return reply!(Answer::Opened).send(Err(not_open())),
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

    fn response(&self, call: u64, answer: Result<Answer, Refusal>) -> Packet<api::SessionResponse> {
        Packet::Message(response(self.number, call, answer))
    }
}
