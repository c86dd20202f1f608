//! One stream that carries calls, answers and news.
//!
//! Nothing is buffered: the stream is asked for the next message only when the one before has been sent, and it reads
//! the caller's next message only while it is asked and has not too many calls in work. Who does not read is not read.

use futures_util::StreamExt;
use futures_util::future::BoxFuture;
use futures_util::stream::FuturesUnordered;
use parley_proto::v1 as api;
use parley_proto::v1::session_request::What as Call;
use parley_proto::v1::session_response::What as Answer;
use tonic::{Code, Status, Streaming};

use super::packet::Packet;
use super::{Service, match_id, refusal};
use crate::auth::{Caller, Claims, TokenError};
use crate::journal::MatchId;
use crate::matches::Following;
use crate::matches::command::Request as Ask;
use crate::matches::told::Told;
use crate::refusal::{Refusal, name_early};
use crate::table::Place;

/// An answer on its way.
type Pending = BoxFuture<'static, (u64, Result<Answer, Refusal>)>;

/// A session.
pub(super) struct Session {
    service: Service,
    caller: Caller,
    calls: Streaming<api::SessionRequest>,
    /// The caller has sent everything.
    hung_up: bool,
    following: Option<(MatchId, Following)>,
    /// Everything that will ever be told was told.
    told_all: bool,
    pending: FuturesUnordered<Pending>,
    drained: BoxFuture<'static, ()>,
}

impl Session {
    pub(super) fn new(service: Service, caller: Caller, calls: Streaming<api::SessionRequest>) -> Self {
        let drained = Box::pin(service.matches.drained());
        Self {
            service,
            caller,
            calls,
            hung_up: false,
            following: None,
            told_all: false,
            pending: FuturesUnordered::new(),
            drained,
        }
    }

    /// The next message to the caller; nothing at the end.
    pub(super) async fn next(&mut self) -> Result<Option<Packet<api::SessionResponse>>, Status> {
        loop {
            if self.hung_up && self.pending.is_empty() {
                return Ok(None);
            }
            let room = self.pending.len() < self.service.matches.limits.session_in_flight;
            tokio::select! {
                biased;
                Some((call, answer)) = self.pending.next(), if !self.pending.is_empty() => {
                    return Ok(Some(Packet::Message(response(call, answer))));
                }
                news = follow(&mut self.following), if self.following.is_some() && !self.told_all => {
                    match news? {
                        Some(news) => return Ok(Some(Packet::News(news))),
                        None => self.told_all = true,
                    }
                }
                call = self.calls.message(), if !self.hung_up && room => match call.map_err(name_early)? {
                    None => self.hung_up = true,
                    Some(call) => {
                        if let Some(answer) = self.take(call).await {
                            return Ok(Some(Packet::Message(answer)));
                        }
                    }
                },
                () = &mut self.drained => return Err(Refusal::draining().into()),
            }
        }
    }

    /// Begins to carry out a call; answers at once where nothing has to be waited for.
    async fn take(&mut self, request: api::SessionRequest) -> Option<api::SessionResponse> {
        let call = request.call;
        let now = self.service.matches.clock.now_s();
        if self.caller.claims.is_some_and(|claims| claims.is_expired(now)) {
            return Some(response(call, Err(refusal(TokenError::Expired.into()))));
        }
        if let Err(refused) = self.service.gate.check_again(&self.caller) {
            return Some(response(call, Err(refusal(refused))));
        }
        let answer = match (request.what, self.following.as_ref()) {
            (None, _) => Err(Refusal::field("what", "nothing is called")),
            (Some(Call::Open(open)), None) => self.open(open).await,
            (Some(Call::Open(_)), Some(_)) => {
                Err(Refusal::new(Code::FailedPrecondition, "SESSION_OPEN", "the session is already open"))
            }
            (Some(_), None) => {
                Err(Refusal::new(Code::FailedPrecondition, "SESSION_NOT_OPEN", "the first call of a session opens it"))
            }
            (Some(what), Some(&(id, _))) => {
                self.pending.push(begin(self.service.clone(), id, self.caller.claims, call, what));
                return None;
            }
        };
        Some(response(call, answer))
    }

    async fn open(&mut self, open: api::SessionOpen) -> Result<Answer, Refusal> {
        let id = match_id(&open.match_id)?;
        let claims = self.caller.claims;
        let following = Following::begin(&self.service.matches, id, claims, open.views, open.after).await?;
        let seat = match following.place() {
            Place::Seat(seat) => Some(seat.into()),
            Place::Spectators => None,
        };
        self.following = Some((id, following));
        Ok(Answer::Opened(api::SessionOpened { seat }))
    }
}

async fn follow(following: &mut Option<(MatchId, Following)>) -> Result<Option<Told>, Refusal> {
    match following {
        Some((_, following)) => following.next().await,
        None => std::future::pending().await,
    }
}

fn response(call: u64, answer: Result<Answer, Refusal>) -> api::SessionResponse {
    let what = answer.unwrap_or_else(|refusal| Answer::Refused(refusal.into()));
    api::SessionResponse { call, what: Some(what) }
}

/// Carries out a call of an open session.
fn begin(service: Service, id: MatchId, claims: Option<Claims>, call: u64, what: Call) -> Pending {
    Box::pin(async move {
        let matches = &service.matches;
        macro_rules! ask {
            ($request:expr, $ask:path, $answer:path) => {{
                let request = $request;
                matches.ask(id, claims, |reply| $ask(request, reply)).await.map($answer)
            }};
        }
        let answer = match what {
            Call::Open(_) => Err(Refusal::new(Code::FailedPrecondition, "SESSION_OPEN", "the session is already open")),
            Call::StageOrders(request) => ask!(request, Ask::StageOrders, Answer::StageOrders),
            Call::LockIn(request) => ask!(request, Ask::LockIn, Answer::LockIn),
            Call::Decide(request) => ask!(request, Ask::Decide, Answer::Decide),
            Call::Concede(request) => ask!(request, Ask::Concede, Answer::Concede),
            Call::PreviewPath(request) => ask!(request, Ask::PreviewPath, Answer::PreviewPath),
            Call::PreviewCombat(request) => ask!(request, Ask::PreviewCombat, Answer::PreviewCombat),
            Call::GetView(_) => service.view(id, claims).await.map(Answer::GetView),
            Call::ListLegalOrders(_) => {
                matches.ask(id, claims, Ask::ListLegalOrders).await.map(Answer::ListLegalOrders)
            }
        };
        (call, answer)
    })
}
