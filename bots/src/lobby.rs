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

#[cfg(test)]
mod tests {
    use parley_proto::v1::lobby_server::{Lobby, LobbyServer};
    use tonic::{Code, Request, Response, Status};

    use super::*;

    /// A lobby with one match, `m`, and these rules.
    struct One(String);

    type Answered<T> = Result<Response<T>, Status>;

    #[tonic::async_trait]
    impl Lobby for One {
        async fn get_match(&self, request: Request<v1::GetMatchRequest>) -> Answered<v1::GetMatchResponse> {
            if request.get_ref().match_id != "m" {
                return Err(Status::not_found("there is no such match"));
            }
            Ok(Response::new(v1::GetMatchResponse { rules: self.0.clone(), ..Default::default() }))
        }

        async fn join_match(&self, request: Request<v1::JoinMatchRequest>) -> Answered<v1::JoinMatchResponse> {
            let invited = request.metadata().get("authorization").is_some_and(|value| value == "Bearer invitation");
            if !invited {
                return Err(Status::permission_denied("not invited"));
            }
            let player_token = format!("{} plays", request.get_ref().name);
            Ok(Response::new(v1::JoinMatchResponse { seat: 3, player_token, ..Default::default() }))
        }

        async fn create_match(&self, _: Request<v1::CreateMatchRequest>) -> Answered<v1::CreateMatchResponse> {
            Err(Status::unimplemented("create_match"))
        }

        async fn list_matches(&self, _: Request<v1::ListMatchesRequest>) -> Answered<v1::ListMatchesResponse> {
            Err(Status::unimplemented("list_matches"))
        }

        async fn leave_match(&self, _: Request<v1::LeaveMatchRequest>) -> Answered<v1::LeaveMatchResponse> {
            Err(Status::unimplemented("leave_match"))
        }

        async fn start_match(&self, _: Request<v1::StartMatchRequest>) -> Answered<v1::StartMatchResponse> {
            Err(Status::unimplemented("start_match"))
        }
    }

    #[tokio::test]
    async fn the_rules_of_a_match_are_the_rules_it_is_played_under() {
        let plunder = Rules::plunder();
        let lobby = || LobbyServer::new(One(plunder.to_json()));
        let found = rules(lobby(), &Token::NONE, "m").await.expect("rules");
        assert_eq!(found.hash(), plunder.hash());
        let error = rules(lobby(), &Token::NONE, "n").await.expect_err("no match");
        assert!(matches!(error, LobbyError::Refused(refusal) if refusal.code == Code::NotFound));
        let error = rules(LobbyServer::new(One("{}".to_owned())), &Token::NONE, "m").await.expect_err("no rules");
        assert!(matches!(error, LobbyError::Rules(_)), "{error}");
    }

    #[tokio::test]
    async fn an_invitation_is_shown_when_joining() {
        let lobby = || LobbyServer::new(One(String::new()));
        let request = v1::JoinMatchRequest { name: "Ann".to_owned(), ..Default::default() };
        let invitation = Token::new("invitation").expect("a token");
        let seat = join(lobby(), &invitation, request.clone()).await.expect("a seat");
        assert_eq!((seat.seat, seat.player_token.as_str()), (3, "Ann plays"));
        let error = join(lobby(), &Token::NONE, request).await.expect_err("not invited").to_string();
        assert_eq!(
            error,
            "the lobby refused: not invited (The caller does not have permission to execute the specified operation)"
        );
    }
}
