//! Creating matches and taking all their seats.

use std::time::Duration;

use futures_util::{StreamExt, stream};
use http::HeaderValue;
use parley_core::digest::Digest;
use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use tonic::transport::Channel;

use super::plan::LoadPlan;
use super::{LoadError, Watcher};
use crate::backoff::{Backoff, Retry};
use crate::connect::Token;
use crate::refusal::Refusal;

/// How many matches are created at once.
const AT_ONCE: usize = 16;
/// How a call to the lobby is repeated; a server that counts calls says itself when.
const AGAIN: Backoff = Backoff { first: Duration::from_millis(50), longest: Duration::from_secs(5), attempts: 100 };

/// A match whose seats are all taken.
#[derive(Clone, Debug)]
pub(super) struct SeatedMatch {
    /// The number of the match in the run.
    pub(super) number: u32,
    pub(super) match_id: String,
    /// The published commitment to the secret of its dice.
    pub(super) commitment: Digest,
    /// The tokens of its seats, in order.
    pub(super) tokens: Vec<HeaderValue>,
}

/// Makes request ids that nobody can guess.
struct Ids([u8; 32]);

impl Ids {
    fn new() -> Result<Self, LoadError> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|error| LoadError::Machine(format!("no randomness: {error}")))?;
        Ok(Self(key))
    }

    fn id(&self, number: u32, seat: Option<u32>) -> String {
        let what = format!("{number} {seat:?}");
        blake3::keyed_hash(&self.0, what.as_bytes()).to_hex()[..32].to_owned()
    }
}

/// Creates all matches of a plan and takes their seats. Where the server asks for patience it is waited.
pub(super) async fn seat(
    plan: &LoadPlan,
    channel: &Channel,
    watcher: &mut dyn Watcher,
) -> Result<Vec<SeatedMatch>, LoadError> {
    let ids = Ids::new()?;
    let tables = (0..plan.matches).map(|number| table(plan, channel.clone(), &ids, number));
    let mut tables = stream::iter(tables).buffer_unordered(AT_ONCE);
    let mut seated = Vec::new();
    while let Some(table) = tables.next().await {
        seated.push(table?);
        watcher.seated(seated.len() as u32, plan.matches);
    }
    seated.sort_by_key(|table: &SeatedMatch| table.number);
    Ok(seated)
}

async fn table(plan: &LoadPlan, channel: Channel, ids: &Ids, number: u32) -> Result<SeatedMatch, LoadError> {
    let lobby = LobbyClient::new(channel);
    let request = v1::CreateMatchRequest {
        request_id: ids.id(number, None),
        settings: Some(plan.settings(number)),
        ..Default::default()
    };
    let created = patiently(number, || {
        let (mut lobby, request) = (lobby.clone(), request.clone());
        async move { Ok(lobby.create_match(request).await?.into_inner()) }
    });
    let created = created.await?;
    let found = created.r#match.unwrap_or_default();
    let commitment = found.seed_commitment.as_ref().try_into().map(Digest::from_bytes);
    let commitment = commitment.map_err(|_| LoadError::UnexpectedAnswer("a match without a commitment".to_owned()))?;
    let invitation =
        Token::new(&created.invite_token).map_err(|error| LoadError::UnexpectedAnswer(error.to_string()))?;
    let mut tokens = Vec::new();
    for seat in 0..plan.players {
        let request = v1::JoinMatchRequest {
            request_id: ids.id(number, Some(seat)),
            match_id: found.match_id.clone(),
            seat: Some(seat),
            ..Default::default()
        };
        let joined = patiently(number, || {
            let (mut lobby, request) = (lobby.clone(), invitation.on(request.clone()));
            async move { Ok(lobby.join_match(request).await?.into_inner()) }
        });
        let token = HeaderValue::try_from(format!("Bearer {}", joined.await?.player_token));
        let mut token = token.map_err(|error| LoadError::UnexpectedAnswer(error.to_string()))?;
        token.set_sensitive(true);
        tokens.push(token);
    }
    Ok(SeatedMatch { number, match_id: found.match_id, commitment, tokens })
}

/// Repeats a call for as long as waiting can help.
pub(super) async fn patiently<T, F>(seed: u32, call: impl Fn() -> F) -> Result<T, LoadError>
where
    F: Future<Output = Result<T, tonic::Status>>,
{
    let mut retry = Retry::new(AGAIN, seed.into());
    loop {
        let refusal = match call().await {
            Ok(answer) => return Ok(answer),
            Err(status) => Refusal::from(status),
        };
        let wait = refusal.retry_after.unwrap_or_default();
        if !refusal.is_passing() || retry.failed(wait).is_err() {
            return Err(LoadError::Refused(refusal));
        }
        retry.wait().await;
    }
}
