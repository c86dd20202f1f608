//! The calls about matches before they are played.

use std::sync::Arc;

use parley_proto::opaque::v1::lobby_server::Lobby;
use parley_proto::opaque::v1::{self as api, MatchStage};
use tonic::{Request, Response, Status};

use super::{Service, match_id};
use crate::journal::{Journal, MatchId, Stage};
use crate::match_state::told_match;
use crate::matches::command::Request as Ask;
use crate::matches::history::PastError;
use crate::matches::listing::{Listed, warn_of_unreadable};
use crate::refusal::Refusal;
use crate::work::Customer;

/// How many matches are on a page where the caller does not say.
const PAGE: usize = 20;
/// How many matches are on the largest page.
pub(super) const MAX_PAGE: usize = 100;
/// How many matches are looked at for one page. Where most are private the page is shorter than asked for, and the next
/// one goes on where it ended.
const MAX_SCAN: usize = 1000;

#[tonic::async_trait]
impl Lobby for Service {
    async fn create_match(
        &self,
        request: Request<api::CreateMatchRequest>,
    ) -> Result<Response<api::CreateMatchResponse>, Status> {
        let room = Self::room(&request);
        let (creator, request) = self.admit_creation(request).await?;
        Ok(Response::new(self.matches.create_counted(creator, request, room).await?))
    }

    async fn list_matches(
        &self,
        request: Request<api::ListMatchesRequest>,
    ) -> Result<Response<api::ListMatchesResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let stage = stage(request.stage)?;
        let page = self.page(caller.customer, stage, request.page_size, &request.page_token);
        let (matches, next_page_token) = page.await?;
        Ok(Response::new(api::ListMatchesResponse { matches, next_page_token }))
    }

    async fn get_match(
        &self,
        request: Request<api::GetMatchRequest>,
    ) -> Result<Response<api::GetMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, Ask::GetMatch).await?))
    }

    async fn join_match(
        &self,
        request: Request<api::JoinMatchRequest>,
    ) -> Result<Response<api::JoinMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::JoinMatch(request, reply)).await?))
    }

    async fn leave_match(
        &self,
        request: Request<api::LeaveMatchRequest>,
    ) -> Result<Response<api::LeaveMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::LeaveMatch(request, reply)).await?))
    }

    async fn start_match(
        &self,
        request: Request<api::StartMatchRequest>,
    ) -> Result<Response<api::StartMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::StartMatch(request, reply)).await?))
    }

    async fn list_house_bots(
        &self,
        request: Request<api::ListHouseBotsRequest>,
    ) -> Result<Response<api::ListHouseBotsResponse>, Status> {
        let (_, request) = self.admit(request)?;
        let rulesets = &self.matches.rulesets;
        let ruleset = match &request.ruleset[..] {
            "" => rulesets.games.of_message(&[]),
            name => rulesets.games.named(name),
        };
        let ruleset = ruleset.map_err(|error| Refusal::field("ruleset", error.to_string()))?;
        let policies = rulesets.policies_of(ruleset).map_or(&[][..], |policies| policies.names());
        let policies = policies.iter().map(|&name| name.to_owned()).collect();
        Ok(Response::new(api::ListHouseBotsResponse { policies }))
    }
}

/// How many matches are on a page.
pub(super) fn page_size(asked: u32) -> usize {
    if asked == 0 { PAGE } else { (asked as usize).min(MAX_PAGE) }
}

/// The match before which a page begins.
pub(super) fn page_start(token: &str) -> Result<Option<MatchId>, Refusal> {
    let unknown = |_| Refusal::field("page_token", "no page has this token");
    if token.is_empty() { Ok(None) } else { token.parse().map(|id| Some(MatchId(id))).map_err(unknown) }
}

/// The stage that is asked for.
pub(super) fn stage(asked: i32) -> Result<Stage, Refusal> {
    match MatchStage::try_from(asked) {
        Ok(MatchStage::Open | MatchStage::Unspecified) => Ok(Stage::Open),
        Ok(MatchStage::Running) => Ok(Stage::Running),
        Ok(MatchStage::Finished) => Ok(Stage::Finished),
        Err(_) => Err(Refusal::field("stage", "no such stage")),
    }
}

impl Service {
    /// A page of public matches and the token for the next. Many matches may be looked at for it, which is done apart, in
    /// the caller's turn.
    pub(super) async fn page(
        &self,
        customer: Customer,
        stage: Stage,
        size: u32,
        token: &str,
    ) -> Result<(Vec<api::Match>, String), Refusal> {
        let (size, before) = (page_size(size), page_start(token)?);
        let journal = Arc::clone(&self.matches.journal);
        self.matches.work.run_async(customer, async move { public_page(&*journal, stage, size, before).await }).await?
    }
}

/// A page of public matches that come before another one, and the token for the next page.
async fn public_page(
    journal: &dyn Journal,
    stage: Stage,
    size: usize,
    mut before: Option<MatchId>,
) -> Result<(Vec<api::Match>, String), Refusal> {
    let mut matches = Vec::new();
    let (mut looked_at, mut unreadable) = (0, 0);
    loop {
        let page = journal.list(stage, before, MAX_PAGE).await.map_err(PastError::from)?;
        let last = page.len() < MAX_PAGE;
        for (id, listing) in page {
            before = Some(id);
            let Some(Listed { shown, .. }) = Listed::read(&listing.summary) else {
                unreadable += 1;
                continue;
            };
            let public = shown.settings.as_ref().is_some_and(|s| s.visibility() == api::Visibility::Public);
            if !public {
                continue;
            }
            if matches.len() == size {
                warn_of_unreadable(unreadable);
                let last = matches.last().map(|last: &api::Match| last.match_id.clone());
                return Ok((matches, last.unwrap_or_default()));
            }
            matches.push(api::Match { turn: 0, ..told_match(shown) });
        }
        warn_of_unreadable(unreadable);
        if last {
            return Ok((matches, String::new()));
        }
        looked_at += MAX_PAGE;
        if looked_at >= MAX_SCAN {
            return Ok((matches, before.map(|before| before.0.to_string()).unwrap_or_default()));
        }
    }
}
