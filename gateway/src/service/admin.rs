//! Running the service.

use std::sync::atomic::Ordering;

use parley_proto::v1 as api;
use parley_proto::v1::admin_server::Admin;
use tonic::{Request, Response, Status};

use super::{Service, match_id};
use crate::matches::command::Request as Ask;

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
            uptime_seconds: self.started.elapsed().as_secs(),
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
        Ok(Response::new(self.matches.ask(id, caller.claims, |reply| Ask::StopMatch(request, reply)).await?))
    }
}
