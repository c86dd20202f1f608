//! Before a match is played: creating it, a seat in it, and its rules.

use std::sync::Arc;

use parley_core::game::Ruleset;
use parley_plunder::rules::{Rules, RulesError};
use parley_plunder::ruleset::Plunder;
use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use tonic::body::Body;
use tonic::client::GrpcService;
use tonic::codegen::{Body as HttpBody, Bytes, StdError};

use crate::backoff::{Backoff, Retry};
use crate::connect::Token;
use crate::refusal::Refusal;

/// Why the lobby did not help.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum LobbyError {
    /// The server refused.
    #[error("the lobby refused: {0}")]
    Refused(#[from] Refusal),
    /// The server could not be reached, often enough.
    #[error("the server could not be reached {attempts} times in a row: {last}")]
    Lost {
        /// How many attempts failed in a row.
        attempts: u32,
        /// Why the last attempt failed.
        last: Refusal,
    },
    /// The rules of the match cannot be read.
    #[error("the rules of the match make no sense: {0}")]
    Rules(#[from] RulesError),
    /// The match is of a game that is not known here.
    #[error("the match is of the game {ruleset:?}, and this client plays only {:?}", Plunder::NAME)]
    OtherGame {
        /// The name of the game.
        ruleset: String,
    },
}

impl LobbyError {
    /// Whether what was asked for is at fault, and not the machine or the server.
    pub fn is_input(&self) -> bool {
        match self {
            Self::Refused(refusal) => refusal.is_input(),
            Self::OtherGame { .. } => true,
            Self::Lost { .. } | Self::Rules(_) => false,
        }
    }
}

impl From<tonic::Status> for LobbyError {
    fn from(status: tonic::Status) -> Self {
        Self::Refused(status.into())
    }
}

/// Repeats a call as long as it is refused in a way that passes, within bounds. What is repeated must be the same
/// request, with the same request id. The seed spreads those who failed together.
pub async fn patiently<T, F>(bounds: Backoff, seed: u64, mut call: impl FnMut() -> F) -> Result<T, LobbyError>
where
    F: Future<Output = Result<T, LobbyError>>,
{
    let mut retry = Retry::new(bounds, seed);
    loop {
        match call().await {
            Err(LobbyError::Refused(refusal)) if refusal.is_passing() => {
                let wait = refusal.retry_after.unwrap_or_default();
                retry.failed(wait).map_err(|attempts| LobbyError::Lost { attempts, last: refusal })?;
                retry.wait().await;
            }
            other => return other,
        }
    }
}

/// Creates a match. Whoever repeats the request id, 16 to 64 characters that nobody can guess, gets the same match and
/// the same tokens again.
pub async fn create<S>(service: S, request: v1::CreateMatchRequest) -> Result<v1::CreateMatchResponse, LobbyError>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    Ok(LobbyClient::new(service).create_match(request).await?.into_inner())
}

/// A match, with its rules as they are written down.
pub async fn find<S>(service: S, token: &Token, match_id: &str) -> Result<v1::GetMatchResponse, LobbyError>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    let request = v1::GetMatchRequest { match_id: match_id.to_owned() };
    Ok(LobbyClient::new(service).get_match(token.on(request)).await?.into_inner())
}

/// The rules that a match is played under.
pub async fn rules<S>(service: S, token: &Token, match_id: &str) -> Result<Arc<Rules>, LobbyError>
where
    S: GrpcService<Body>,
    S::ResponseBody: HttpBody<Data = Bytes> + Send + 'static,
    <S::ResponseBody as HttpBody>::Error: Into<StdError> + Send,
{
    rules_of(&find(service, token, match_id).await?)
}

/// The rules of a match, which has to be of the game that is played here.
pub fn rules_of(found: &v1::GetMatchResponse) -> Result<Arc<Rules>, LobbyError> {
    match found.r#match.as_ref().map_or("", |found| found.ruleset.as_str()) {
        name if name == Plunder::NAME => Ok(Arc::new(Rules::from_json(&found.rules)?)),
        other => Err(LobbyError::OtherGame { ruleset: other.to_owned() }),
    }
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
    use std::sync::atomic::{AtomicU32, Ordering};

    use parley_proto::v1::lobby_server::{Lobby, LobbyServer};
    use tonic::{Code, Request, Response, Status};

    use super::*;

    /// A lobby with one match, `m`, of this game and with these rules.
    #[derive(Clone, Default)]
    struct One {
        ruleset: &'static str,
        rules: String,
        asked: Arc<AtomicU32>,
    }

    fn lobby(rules: &str) -> LobbyServer<One> {
        LobbyServer::new(One { ruleset: Plunder::NAME, rules: rules.to_owned(), ..One::default() })
    }

    type Answered<T> = Result<Response<T>, Status>;

    #[tonic::async_trait]
    impl Lobby for One {
        async fn get_match(&self, request: Request<v1::GetMatchRequest>) -> Answered<v1::GetMatchResponse> {
            if request.get_ref().match_id != "m" {
                return Err(Status::not_found("there is no such match"));
            }
            let found = v1::Match { ruleset: self.ruleset.to_owned(), ..Default::default() };
            let rules = self.rules.clone();
            Ok(Response::new(v1::GetMatchResponse { r#match: Some(found), rules, ..Default::default() }))
        }

        async fn join_match(&self, request: Request<v1::JoinMatchRequest>) -> Answered<v1::JoinMatchResponse> {
            let invited = request.metadata().get("authorization").is_some_and(|value| value == "Bearer invitation");
            if !invited {
                return Err(Status::permission_denied("not invited"));
            }
            let player_token = format!("{} plays", request.get_ref().name);
            Ok(Response::new(v1::JoinMatchResponse { seat: 3, player_token, ..Default::default() }))
        }

        /// Is away when it is asked for the first time.
        async fn create_match(&self, request: Request<v1::CreateMatchRequest>) -> Answered<v1::CreateMatchResponse> {
            if self.asked.fetch_add(1, Ordering::Relaxed) == 0 {
                return Err(Status::unavailable("not now"));
            }
            let name = request.into_inner().settings.unwrap_or_default().name;
            Ok(Response::new(v1::CreateMatchResponse { host_token: format!("{name}'s host"), ..Default::default() }))
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

        async fn list_house_bots(&self, _: Request<v1::ListHouseBotsRequest>) -> Answered<v1::ListHouseBotsResponse> {
            Err(Status::unimplemented("list_house_bots"))
        }
    }

    #[tokio::test]
    async fn the_rules_of_a_match_are_the_rules_it_is_played_under() {
        let plunder = Rules::plunder();
        let lobby = || lobby(&plunder.to_json());
        let found = rules(lobby(), &Token::NONE, "m").await.expect("rules");
        assert_eq!(found.hash(), plunder.hash());
        let error = rules(lobby(), &Token::NONE, "n").await.expect_err("no match");
        assert!(matches!(error, LobbyError::Refused(refusal) if refusal.code == Code::NotFound));
        let error = rules(super::tests::lobby("{}"), &Token::NONE, "m").await.expect_err("no rules");
        assert!(matches!(error, LobbyError::Rules(_)), "{error}");
        let chess = LobbyServer::new(One { ruleset: "chess", rules: plunder.to_json(), ..One::default() });
        let error = rules(chess, &Token::NONE, "m").await.expect_err("another game");
        let text = r#"the match is of the game "chess", and this client plays only "plunder""#;
        assert_eq!((error.to_string().as_str(), error.is_input()), (text, true));
    }

    #[tokio::test]
    async fn an_invitation_is_shown_when_joining() {
        let lobby = || lobby("");
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
    #[tokio::test(start_paused = true)]
    async fn patience_is_for_what_passes() {
        let settings = v1::MatchSettings { name: "Ann".to_owned(), ..Default::default() };
        let request = v1::CreateMatchRequest { settings: Some(settings), ..Default::default() };
        let (service, bounds) = (lobby(""), Backoff::default());
        let created = patiently(bounds, 1, || create(service.clone(), request.clone())).await.expect("a match");
        assert_eq!(created.host_token, "Ann's host");
        let few = Backoff { attempts: 2, ..bounds };
        let error = patiently(few, 1, || create(lobby(""), request.clone())).await.expect_err("away");
        let text = "the server could not be reached 3 times in a row: not now (The service is currently unavailable)";
        assert_eq!((error.to_string().as_str(), error.is_input()), (text, false));
        let mut asked = 0;
        let refused = patiently(bounds, 1, || {
            asked += 1;
            rules(lobby(""), &Token::NONE, "n")
        });
        let error = refused.await.expect_err("no match");
        assert!(error.is_input(), "{error}");
        assert_eq!(asked, 1);
    }
}
