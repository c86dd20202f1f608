//! One stream that carries calls, answers and news.
//!
//! Nothing is buffered: the stream is asked for the next message only when the one before has been sent, and it reads
//! the caller's next message only while it is asked and has not too many calls in work. Who does not read is not read.

use std::pin::Pin;
use std::task::{Context, Poll};

use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use futures_util::{FutureExt, Stream, StreamExt};
use parley_proto::v1 as api;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use prost::Message;
use tokio::sync::mpsc;
use tonic::{Code, Status, Streaming};

use super::packet::Packet;
use super::{Service, match_id, refusal};
use crate::auth::{Caller, TokenError};
use crate::door::Reservation;
use crate::journal::MatchId;
use crate::matches::Following;
use crate::matches::command::{Command, Reply, Request as Ask, SessionAnswer};
use crate::refusal::{Refusal, name_early};
use crate::table::Place;
use crate::trace::TraceContext;

/// How many bytes make a call large. Each of them can become many once it is read.
const LARGE_CALL: usize = 4096;

/// A session.
pub(super) struct Session {
    service: Service,
    caller: Caller,
    /// Where news are counted that wait for the caller.
    room: Option<Reservation>,
    calls: Streaming<api::SessionRequest>,
    /// The caller has sent everything.
    hung_up: bool,
    /// It is being opened, and what the caller says next waits.
    opening: bool,
    following: Option<(MatchId, Following)>,
    /// Everything that will ever be told was told.
    told_all: bool,
    /// How many calls are in work.
    in_work: usize,
    /// The last of them is large, and nothing more is read before all are answered.
    large: bool,
    /// Where the match puts its answers; there is room for as many as may be in work.
    answers: mpsc::Receiver<SessionAnswer>,
    answering: mpsc::Sender<SessionAnswer>,
    /// Calls that take more than giving the match a command.
    errands: FuturesUnordered<BoxFuture<'static, Done>>,
    drained: BoxFuture<'static, ()>,
    /// Whose trace the session belongs to; a call may say otherwise.
    context: Option<TraceContext>,
    ended: bool,
}

/// What became of an errand.
enum Done {
    /// The match has the command and will answer it.
    Told,
    /// The answer.
    Answered(u64, Box<Result<Answer, Refusal>>),
    /// The session is open.
    Opened(u64, Box<Result<(MatchId, Following), Refusal>>),
}

type Next = Option<Result<Packet<api::SessionResponse>, Status>>;

impl Session {
    pub(super) fn new(
        service: Service,
        caller: Caller,
        room: Option<Reservation>,
        context: Option<TraceContext>,
        calls: Streaming<api::SessionRequest>,
    ) -> Self {
        let drained = Box::pin(service.matches.drained());
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
            in_work: 0,
            large: false,
            answers,
            answering,
            errands: FuturesUnordered::new(),
            drained,
            context,
            ended: false,
        }
    }

    /// The next message to the caller; nothing at the end.
    fn poll_message(&mut self, cx: &mut Context<'_>) -> Poll<Next> {
        let answered = |call, answer| Poll::Ready(Some(Ok(Packet::Message(response(call, answer)))));
        loop {
            if self.hung_up && self.in_work == 0 {
                return Poll::Ready(None);
            }
            if let Poll::Ready(Some((call, answer))) = self.answers.poll_recv(cx) {
                self.in_work -= 1;
                return answered(call, answer);
            }
            if let Poll::Ready(Some(done)) = self.errands.poll_next_unpin(cx) {
                match done {
                    Done::Told => continue,
                    Done::Answered(call, answer) => {
                        self.in_work -= 1;
                        return answered(call, *answer);
                    }
                    Done::Opened(call, opened) => {
                        self.in_work -= 1;
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
                        self.large = request.encoded_len() > LARGE_CALL;
                        if let Some(answer) = self.take(request) {
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
        let most = if self.large { 1 } else { self.service.matches.limits.session_in_flight };
        self.in_work < most
    }

    /// Begins to carry out a call; answers at once where nothing has to be waited for.
    fn take(&mut self, request: api::SessionRequest) -> Option<api::SessionResponse> {
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
            (Some(Call::Open(open)), None) => return self.open(call, open),
            (Some(Call::Open(_)), Some(_)) => Err(already_open()),
            (Some(_), None) => {
                Err(Refusal::new(Code::FailedPrecondition, "SESSION_NOT_OPEN", "the first call of a session opens it"))
            }
            (Some(what), Some(&(id, _))) => {
                self.begin(id, call, what, context);
                return None;
            }
        };
        Some(response(call, answer))
    }

    /// Begins to open the session. Nothing else is read before it is open.
    fn open(&mut self, call: u64, open: api::SessionOpen) -> Option<api::SessionResponse> {
        let id = match match_id(&open.match_id) {
            Ok(id) => id,
            Err(refusal) => return Some(response(call, Err(refusal))),
        };
        let (matches, caller) = (self.service.matches.clone(), self.caller);
        let room = self.room.as_ref().map(Reservation::another);
        self.in_work += 1;
        self.opening = true;
        self.errands.push(Box::pin(async move {
            let following = Following::begin(&matches, id, &caller, open.views, open.after).await;
            let counted = following.map(|following| (id, following.counted(room)));
            Done::Opened(call, Box::new(counted))
        }));
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
        let answers = self.answering.clone();
        macro_rules! reply {
            ($answer:path) => {
                Reply::to_session(call, $answer, answers)
            };
        }
        self.in_work += 1;
        let Caller { claims, customer, .. } = self.caller;
        let request = match what {
            Call::StageOrders(request) => Ask::StageOrders(request, reply!(Answer::StageOrders)),
            Call::LockIn(request) => Ask::LockIn(request, reply!(Answer::LockIn)),
            Call::Decide(request) => Ask::Decide(request, reply!(Answer::Decide)),
            Call::Concede(request) => Ask::Concede(request, reply!(Answer::Concede)),
            Call::PreviewPath(request) => Ask::PreviewPath(request, reply!(Answer::PreviewPath)),
            Call::PreviewCombat(request) => Ask::PreviewCombat(request, reply!(Answer::PreviewCombat)),
            Call::ListLegalOrders(_) => Ask::ListLegalOrders(reply!(Answer::ListLegalOrders)),
            Call::GetView(_) => {
                let (service, caller) = (self.service.clone(), self.caller);
                return self.errands.push(Box::pin(async move {
                    Done::Answered(call, Box::new(service.view(id, &caller).await.map(Answer::GetView)))
                }));
            }
            Call::Open(_) => return reply!(Answer::Opened).send(Err(already_open())),
        };
        if let Some(command) = self.service.matches.try_tell(id, Command { claims, customer, context, request }) {
            let matches = self.service.matches.clone();
            self.errands.push(Box::pin(async move {
                matches.tell(id, command).await;
                Done::Told
            }));
        }
    }
}

impl Stream for Session {
    type Item = Result<Packet<api::SessionResponse>, Status>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Next> {
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
