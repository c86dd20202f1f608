//! Before a match is played: a seat in it, and its rules.

use std::sync::Arc;

use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use parley_resolver::rules::{Rules, RulesError};
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::{Body as HttpBody, Bytes, StdError};

use crate::connect::Token;
use crate::refusal::Refusal;

/// Why the lobby did not help.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LobbyError {
    /// The server refused.
    #[error("the lobby refused: {0}")]
    Refused(#[from] Refusal),
    /// The rules of the match are not rules.
    #[error("the rules of the match make no sense: {0}")]
    Rules(#[from] RulesError),
}

impl From<tonic::Status> for LobbyError {
    fn from(status: tonic::Status) -> Self {
        Self::Refused(status.into())
    }
}

/// The rules that a match is played under.
pub async fn rules<S>(service: S, token: &Token, match_id: &str) -> Result<Arc<Rules>, LobbyError>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    let request = v1::GetMatchRequest { match_id: match_id.to_owned() };
    let response = LobbyClient::new(service).get_match(token.on(request)).await?;
    Ok(Arc::new(Rules::from_json(&response.get_ref().rules)?))
}

/// Takes a seat. The token is the invitation of a private match. Whoever repeats the request id, 16 to 64 characters
/// that nobody can guess, gets the same seat and the same player's token again.
pub async fn join<S>(
    service: S,
    token: &Token,
    request: v1::JoinMatchRequest,
) -> Result<v1::JoinMatchResponse, LobbyError>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    Ok(LobbyClient::new(service).join_match(token.on(request)).await?.into_inner())
}
