//! Finding a match, or beginning one.

use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use tonic::transport::Channel;

use crate::connect::Token;
use crate::lobby::LobbyError;

/// How many matches of a stage are listed.
pub const MAX_LISTED: u32 = 50;

/// Creates a match.
pub async fn create(channel: Channel, request: v1::CreateMatchRequest) -> Result<v1::Match, LobbyError> {
    let created = LobbyClient::new(channel).create_match(request).await?.into_inner();
    Ok(created.r#match.unwrap_or_default())
}

/// Tells what a match is like, with its rules.
pub async fn find(channel: Channel, token: &Token, match_id: &str) -> Result<v1::GetMatchResponse, LobbyError> {
    let request = v1::GetMatchRequest { match_id: match_id.to_owned() };
    Ok(LobbyClient::new(channel).get_match(token.on(request)).await?.into_inner())
}

/// The newest public matches: those that are played, then those that wait, then those that are over.
pub async fn list(channel: Channel) -> Result<Vec<v1::Match>, LobbyError> {
    let mut lobby = LobbyClient::new(channel);
    let mut matches = Vec::new();
    for stage in [v1::MatchStage::Running, v1::MatchStage::Open, v1::MatchStage::Finished] {
        let request = v1::ListMatchesRequest { stage: stage.into(), page_size: MAX_LISTED, page_token: String::new() };
        matches.extend(lobby.list_matches(request).await?.into_inner().matches);
    }
    Ok(matches)
}
