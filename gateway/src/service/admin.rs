//! The calls of administrators, who run the service.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use parley_games::times;
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::admin_server::Admin;
use tonic::{Request, Response, Status};

use super::{Service, lobby, match_id};
use crate::auth::{Claims, Role};
use crate::journal::{Listing, MatchId};
use crate::match_state::told_match;
use crate::matches::command::Request as Ask;
use crate::matches::history::PastError;
use crate::matches::listing::Listed;
use crate::refusal::Refusal;
use crate::work::Customer;

#[tonic::async_trait]
impl Admin for Service {
    async fn drain(&self, request: Request<api::DrainRequest>) -> Result<Response<api::DrainResponse>, Status> {
        self.admit_admin(request)?;
        tracing::info!("an administrator asks the server to shut down");
        self.matches.drain();
        Ok(Response::new(api::DrainResponse {}))
    }

    async fn get_stats(
        &self,
        request: Request<api::GetStatsRequest>,
    ) -> Result<Response<api::GetStatsResponse>, Status> {
        self.admit_admin(request)?;
        let stats = &self.matches.stats;
        Ok(Response::new(api::GetStatsResponse {
            matches_in_memory: self.matches.in_memory() as u64,
            watchers: stats.watchers.load(Ordering::Relaxed),
            turns_resolved: stats.turns.load(Ordering::Relaxed),
            lock_ins: stats.lock_ins.load(Ordering::Relaxed),
            matches_rebuilt: stats.rebuilt.load(Ordering::Relaxed),
            uptime: Some(times::duration(self.started.elapsed().as_millis() as u64)),
            draining: self.matches.is_draining(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
        }))
    }

    async fn stop_match(
        &self,
        request: Request<api::StopMatchRequest>,
    ) -> Result<Response<api::StopMatchResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        Ok(Response::new(self.matches.ask(id, &caller, |reply| Ask::StopMatch(request, reply)).await?))
    }

    async fn inspect_matches(
        &self,
        request: Request<api::InspectMatchesRequest>,
    ) -> Result<Response<api::InspectMatchesResponse>, Status> {
        let (_, request) = self.admit_admin(request)?;
        let (stage, size) = (lobby::stage(request.stage)?, lobby::page_size(request.page_size));
        let before = lobby::page_start(&request.page_token)?;
        let journal = Arc::clone(&self.matches.journal);
        let listing = async move { journal.list(stage, before, size).await };
        let page = self.matches.work.run_async(Customer::Exempt, listing).await?;
        let page = page.map_err(|error| Refusal::from(PastError::from(error)))?;
        let next = page.last().filter(|_| page.len() == size).map(|(id, _)| id.0.to_string());
        let mut matches = Vec::new();
        for (id, listing) in page {
            matches.extend(self.inspect(id, &listing).await);
        }
        Ok(Response::new(api::InspectMatchesResponse { matches, next_page_token: next.unwrap_or_default() }))
    }
}

impl Service {
    /// A match as it is listed, or as it says of itself where it is in memory.
    async fn inspect(&self, id: MatchId, listing: &Listing) -> Option<api::InspectedMatch> {
        let in_memory = self.matches.is_in_memory(id);
        let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
        let asked = if in_memory { self.matches.ask(id, Some(admin), Ask::List).await.ok() } else { None };
        let listed = asked.or_else(|| Listed::read(&listing.summary))?;
        Some(api::InspectedMatch {
            last_input_at: Some(times::timestamp(listed.aside.last_input_ms)),
            abandoned: listed.is_abandoned(self.matches.clock.now_ms()),
            expires_at: listed.expires_ms(&self.matches.limits).map(times::timestamp),
            missed_deadlines: listed.aside.missed_deadlines,
            by_admin: listed.aside.by_admin,
            address: listed.aside.address,
            r#match: Some(told_match(listed.shown)),
            in_memory,
        })
    }
}
