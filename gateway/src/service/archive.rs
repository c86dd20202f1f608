//! The calls about matches after they were played.

use futures_util::stream;
use parley_proto::opaque::v1 as api;
use parley_proto::opaque::v1::archive_server::Archive;
use parley_proto::opaque::v1::replay_record::Record;
use tonic::{Code, Request, Response, Status};

use super::{Answers, Service, match_id};
use crate::auth::Caller;
use crate::journal::{MatchId, Stage};
use crate::matches::command::{Reading, Request as Ask};
use crate::matches::past_turns::{MAX_TURNS, Perspective, past_turns};
use crate::matches::{Replay, past_receipts};
use crate::refusal::{Reason, Refusal};

#[tonic::async_trait]
impl Archive for Service {
    type GetReplayStream = Answers<api::GetReplayResponse>;

    async fn list_replays(
        &self,
        request: Request<api::ListReplaysRequest>,
    ) -> Result<Response<api::ListReplaysResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let page = self.page(caller.customer, Stage::Finished, request.page_size, &request.page_token);
        let (matches, next_page_token) = page.await?;
        Ok(Response::new(api::ListReplaysResponse { matches, next_page_token }))
    }

    async fn get_replay(
        &self,
        request: Request<api::GetReplayRequest>,
    ) -> Result<Response<Self::GetReplayStream>, Status> {
        let room = Self::room(&request);
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        self.finished(id, &caller).await?;
        let mut replay = Replay::new(&self.matches, caller.customer, id, room);
        let records = replay.first().await?;
        if !matches!(records.first().map(|record| &record.record), Some(Some(Record::Header(_)))) {
            let message = "the match was stopped before it was started, and there is nothing to replay";
            return Err(Refusal::new(Code::FailedPrecondition, Reason::NeverStarted, message).into());
        }
        // The next piece is written when the one before is sent.
        let records = stream::try_unfold((replay, records.into_iter()), |(mut replay, mut records)| async move {
            if records.len() == 0 {
                records = replay.next().await?.into_iter();
            }
            let next = records.next().map(|record| api::GetReplayResponse { record: Some(record) });
            Ok::<_, Status>(next.map(|next| (next, (replay, records))))
        });
        Ok(Response::new(Box::pin(records)))
    }

    async fn get_turns(
        &self,
        request: Request<api::GetTurnsRequest>,
    ) -> Result<Response<api::GetTurnsResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        let reading = self.finished(id, &caller).await?;
        let perspective = match request.seat {
            None => Perspective::All,
            Some(seat) if (seat as usize) < reading.seats => Perspective::Seat(seat as u8),
            Some(_) => return Err(Refusal::field("seat", "the match has no such seat").into()),
        };
        let count = if request.count == 0 { MAX_TURNS } else { request.count.min(MAX_TURNS) };
        let (last, first) = (reading.turn.saturating_sub(1), request.first.max(1));
        let turns = past_turns(&self.matches, caller.customer, id, perspective, last, first, count)
            .await
            .map_err(Refusal::from)?;
        Ok(Response::new(turns))
    }

    async fn get_receipts(
        &self,
        request: Request<api::GetReceiptsRequest>,
    ) -> Result<Response<api::GetReceiptsResponse>, Status> {
        let (caller, request) = self.admit(request)?;
        let id = match_id(&request.match_id)?;
        let reading = self.matches.ask(id, &caller, Ask::Read).await?;
        let of = match (reading.over, reading.seat) {
            (true, _) => None,
            (false, Some(seat)) => Some(seat),
            (false, None) => {
                return Err(Refusal::forbidden("receipts are their players' until the match is over").into());
            }
        };
        let first = request.first_turn;
        let (receipts, next) =
            past_receipts(&self.matches, caller.customer, id, of, first).await.map_err(Refusal::from)?;
        let receipt_key = self.matches.keyring.receipt_public_key().to_vec().into();
        Ok(Response::new(api::GetReceiptsResponse { receipts, receipt_key, next_turn: next.unwrap_or(0) }))
    }
}

impl Service {
    /// Lets only those go on who ask about a match that is over.
    async fn finished(&self, id: MatchId, caller: &Caller) -> Result<Reading, Refusal> {
        let reading = self.matches.ask(id, caller, Ask::Read).await?;
        if !reading.over {
            let message = "a replay tells everything, and the match is not over";
            return Err(Refusal::new(Code::FailedPrecondition, Reason::NotFinished, message));
        }
        Ok(reading)
    }
}
