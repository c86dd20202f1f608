//! Matches before they are played.

use parley_proto::v1::lobby_server::Lobby;
use parley_proto::v1::{self as api, MatchStage};
use prost::Message;
use tonic::{Request, Response, Status};

use super::{Service, match_id};
use crate::journal::{MatchId, Stage};
use crate::matches::command::Request as Ask;
use crate::matches::history::PastError;
use crate::refusal::Refusal;

/// Matches on a page where the caller does not say.
const PAGE: usize = 20;
/// Matches on the largest page.
pub(super) const MAX_PAGE: usize = 100;

#[tonic::async_trait]
impl Lobby for Service {
    async fn create_match(
        &self,
        request: Request<api::CreateMatchRequest>,
    ) -> Result<Response<api::CreateMatchResponse>, Status> {
        let (_, request) = self.admit(request)?;
        Ok(Response::new(self.matches.create(request, self.policies).await?))
    }

    async fn list_matches(
        &self,
        request: Request<api::ListMatchesRequest>,
    ) -> Result<Response<api::ListMatchesResponse>, Status> {
        let (_, request) = self.admit(request)?;
        let stage = match MatchStage::try_from(request.stage) {
            Ok(MatchStage::Open | MatchStage::Unspecified) => Stage::Open,
            Ok(MatchStage::Running) => Stage::Running,
            Ok(MatchStage::Finished) => Stage::Finished,
            Err(_) => return Err(Refusal::field("stage", "no such stage").into()),
        };
        let (matches, next_page_token) = self.page(stage, request.page_size, &request.page_token).await?;
        Ok(Response::new(api::ListMatchesResponse { matches, next_page_token }))
    }

    async fn get_match(
        &self,
        request: Request<api::GetMatchRequest>,
    ) -> Result<Response<api::GetMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, caller.claims, Ask::GetMatch).await?))
    }

    async fn join_match(
        &self,
        request: Request<api::JoinMatchRequest>,
    ) -> Result<Response<api::JoinMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, caller.claims, |reply| Ask::JoinMatch(request, reply)).await?))
    }

    async fn leave_match(
        &self,
        request: Request<api::LeaveMatchRequest>,
    ) -> Result<Response<api::LeaveMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, caller.claims, |reply| Ask::LeaveMatch(request, reply)).await?))
    }

    async fn start_match(
        &self,
        request: Request<api::StartMatchRequest>,
    ) -> Result<Response<api::StartMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, caller.claims, |reply| Ask::StartMatch(request, reply)).await?))
    }

    async fn list_house_bots(
        &self,
        request: Request<api::ListHouseBotsRequest>,
    ) -> Result<Response<api::ListHouseBotsResponse>, Status> {
        self.admit(request)?;
        let policies = self.policies.iter().map(|&name| name.to_owned()).collect();
        Ok(Response::new(api::ListHouseBotsResponse { policies }))
    }
}

impl Service {
    /// A page of public matches and the token for the next.
    pub(super) async fn page(
        &self,
        stage: Stage,
        size: u32,
        token: &str,
    ) -> Result<(Vec<api::Match>, String), Refusal> {
        let size = if size == 0 { PAGE } else { (size as usize).min(MAX_PAGE) };
        let mut before = match token {
            "" => None,
            token => Some(MatchId(token.parse().map_err(|_| Refusal::field("page_token", "no page has this token"))?)),
        };
        let mut matches = Vec::new();
        loop {
            let page = self.matches.journal.list(stage, before, MAX_PAGE).await.map_err(PastError::from)?;
            let last = page.len() < MAX_PAGE;
            for (id, listing) in page {
                before = Some(id);
                let Ok(found) = api::Match::decode(listing.summary) else { continue };
                let public = found.settings.as_ref().is_some_and(|s| s.visibility() == api::Visibility::Public);
                if !public {
                    continue;
                }
                if matches.len() == size {
                    let last = matches.last().map(|last: &api::Match| last.match_id.clone());
                    return Ok((matches, last.unwrap_or_default()));
                }
                matches.push(api::Match { turn: 0, ..found });
            }
            if last {
                return Ok((matches, String::new()));
            }
        }
    }
}
