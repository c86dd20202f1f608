//! The calls about a match while it is played.

use futures_util::stream;
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::play_server::Play;
use tonic::{Request, Response, Status, Streaming};

use super::packet::{Packet, messages};
use super::session::Session;
use super::{Answers, Service, match_id};
use crate::auth::Caller;
use crate::journal::MatchId;
use crate::match_state::Place;
use crate::matches::command::{Request as Ask, Seen};
use crate::matches::{Following, Wishes, history};
use crate::refusal::Refusal;
use crate::trace::TraceContext;
use crate::work::Customer;

#[tonic::async_trait]
impl Play for Service {
    type WatchStream = Answers<api::WatchResponse>;
    type SessionStream = Answers<api::SessionResponse>;

    async fn stage_orders(
        &self,
        request: Request<api::StageOrdersRequest>,
    ) -> Result<Response<api::StageOrdersResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::StageOrders(request, reply)).await?))
    }

    async fn lock_in(&self, request: Request<api::LockInRequest>) -> Result<Response<api::LockInResponse>, Status> {
        let context = TraceContext::of(request.metadata());
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        let ask = |reply| Ask::LockIn(request, reply);
        Ok(Response::new(self.matches.ask_within(id, &caller, context, ask).await?))
    }

    async fn answer(&self, request: Request<api::AnswerRequest>) -> Result<Response<api::AnswerResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::Answer(request, reply)).await?))
    }

    async fn get_view(&self, request: Request<api::GetViewRequest>) -> Result<Response<api::GetViewResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.view(id, &caller).await?))
    }

    async fn watch(&self, request: Request<api::WatchRequest>) -> Result<Response<Self::WatchStream>, Status> {
        self.watch_packets(request).await.map(messages)
    }

    async fn session(
        &self,
        request: Request<Streaming<api::SessionRequest>>,
    ) -> Result<Response<Self::SessionStream>, Status> {
        self.session_packets(request).map(messages)
    }

    async fn advise(&self, request: Request<api::AdviseRequest>) -> Result<Response<api::AdviseResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::Advise(request, reply)).await?))
    }

    async fn concede(&self, request: Request<api::ConcedeRequest>) -> Result<Response<api::ConcedeResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::Concede(request, reply)).await?))
    }
}

impl Service {
    /// The stream of packets of a `Watch` call.
    pub(super) async fn watch_packets(
        &self,
        request: Request<api::WatchRequest>,
    ) -> Result<Response<Answers<Packet<api::WatchResponse>>>, Status> {
        let room = Self::room(&request);
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        let wishes = Wishes { views: request.views, changes: !request.no_changes };
        let following = Following::begin(&self.matches, id, &caller, wishes, request.after).await?;
        let following = following.counted(room)?;
        let drained = self.matches.drained();
        let news = stream::try_unfold(Box::new((following, drained)), |mut state| async move {
            let (following, drained) = &mut *state;
            let news = tokio::select! {
                biased;
                news = following.next() => news?,
                () = drained => return Err(Refusal::draining().into()),
            };
            Ok::<_, Status>(news.map(|news| (Packet::News(news), state)))
        });
        Ok(Response::new(Box::pin(news)))
    }

    /// The stream of packets of a `Session` call.
    pub(super) fn session_packets(
        &self,
        request: Request<Streaming<api::SessionRequest>>,
    ) -> Result<Response<Answers<Packet<api::SessionResponse>>>, Status> {
        let context = TraceContext::of(request.metadata());
        let room = Self::room(&request);
        let (caller, calls) = self.admit(request)?;
        Ok(Response::new(Box::pin(Session::new(self.clone(), caller, room, context, calls))))
    }

    /// The view that a caller may have now.
    pub(super) async fn view(&self, id: MatchId, caller: &Caller) -> Result<api::GetViewResponse, Refusal> {
        match self.matches.ask_for_much(id, caller, Ask::GetView).await? {
            Seen::Now(view) => Ok(*view),
            Seen::Behind { newest } => self.view_behind(id, caller.customer, newest).await,
        }
    }

    /// The view of spectators who are some turns behind: that of the last turn that they were told of.
    async fn view_behind(&self, id: MatchId, customer: Customer, newest: u64) -> Result<api::GetViewResponse, Refusal> {
        let opened = history::last_opened(&self.matches, customer, id, Place::Spectators, newest).await?;
        let phase = if opened.is_some() { api::Phase::Planning } else { api::Phase::Lobby };
        let view = opened.and_then(|opened| opened.view);
        Ok(api::GetViewResponse { phase: phase.into(), view, cursor: newest, ..api::GetViewResponse::default() })
    }
}
