//! Games on a server, through its public API: a match for each game, and a session for each seat.

use std::sync::Arc;

use futures_util::stream::{self, StreamExt, TryStreamExt};
use parley_games::plunder::changes;
use parley_games::replay::file::Limits;
use parley_games::times;
use parley_plunder::rules::Rules;
use parley_proto::common::v1::match_result::Result as Ending;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::replay_record::Record;
use tokio::task::JoinSet;
use tonic::transport::Channel;

use super::files::Folder;
use super::{GameResult, League, LeagueError, LeagueGame};
use crate::arms::Arms;
use crate::backoff::Backoff;
use crate::connect::Token;
use crate::lobby::{self, LobbyError, patiently};
use crate::play::MatchEnd;
use crate::refusal::Refusal;
use crate::session::{Session, Settings};
use crate::{play, policy};

/// The most games that are played at a time: their sessions share one connection.
pub const MAX_CONCURRENCY: usize = 64;
/// How long a turn, and the answer to an encounter, may take. Nobody comes near it; if this program ends early, the
/// match it leaves behind ends by it.
pub const DEADLINE_MS: u64 = 10 * 60 * 1000;

/// How to play on a server.
#[derive(Clone, Debug)]
pub struct Remote {
    /// The connection to the server.
    pub channel: Channel,
    /// How many games are played at a time.
    pub concurrency: usize,
    /// Whether the dice come from the league's secrets, which a server has to allow. Then the games are those that are
    /// played in process.
    pub fixed_secrets: bool,
    /// How patiently a server that is away is waited for.
    pub backoff: Backoff,
    /// A text that nobody can guess: the ids of requests are made from it.
    pub key: String,
    /// The function that takes lines about orders and answers that the server refused.
    pub tell: fn(&str),
}

/// Plays games on a server. Replays go into the folder, if there is one; `done` hears of every game that has ended.
/// What is returned is in the order of the games.
pub async fn run(
    league: &League,
    games: &[LeagueGame],
    remote: &Remote,
    folder: Option<&Folder>,
    done: &(dyn Fn() + Sync),
) -> Result<Vec<GameResult>, LeagueError> {
    let played = stream::iter(games).map(|game| async move {
        let played = remote.play(league, game, folder).await;
        done();
        played
    });
    played.buffered(remote.concurrency.clamp(1, MAX_CONCURRENCY)).try_collect().await
}

/// A match that was created for a game.
struct Created {
    match_id: String,
    host: Token,
    invitation: Token,
}

impl Remote {
    /// Plays one game, and fetches its replay if there is a folder for it.
    async fn play(
        &self,
        league: &League,
        game: &LeagueGame,
        folder: Option<&Folder>,
    ) -> Result<GameResult, LeagueError> {
        let failed = |reason: String| LeagueError::Game { number: game.number, reason };
        let (created, ends) = self.play_seats(league, game).await.map_err(failed)?;
        let mut played = agreed(&ends).map_err(failed)?;
        if let Some(folder) = folder {
            let records = self.replay(game, &created).await.map_err(failed)?;
            (played.defaulted_answers, played.digest) = (defaulted(&records), digest(&records));
            played.replay = Some(folder.save_replay(game.number, &records)?);
        }
        Ok(played)
    }

    async fn play_seats(&self, league: &League, game: &LeagueGame) -> Result<(Created, Vec<MatchEnd>), String> {
        let created = self.create(league, game).await?;
        let rules = patiently(self.backoff, game.number as u64, || {
            lobby::rules(self.channel.clone(), &created.host, &created.match_id)
        });
        let rules = rules.await.map_err(sentence)?;
        // Everybody has a seat before anybody waits for the match to begin.
        let mut sessions = Vec::with_capacity(game.seats.len());
        for (seat, &policy) in (0..).zip(&game.seats) {
            sessions.push(self.join(game, &created, seat, &league.policies[policy]).await?);
        }
        let mut playing = JoinSet::new();
        for (seat, session) in sessions.into_iter().enumerate() {
            let policy = policy_of(league, game, seat, &rules)?;
            let name = &league.policies[game.seats[seat]];
            let (tell, whose) = (self.tell, format!("game {}, {name} on seat {seat}", game.number));
            let tell = Box::new(move |line: &str| tell(&format!("{whose}: {line}")));
            playing.spawn(async move { (seat, play::play_telling(session, policy, tell).await) });
        }
        let mut ends = vec![MatchEnd::default(); game.seats.len()];
        while let Some(joined) = playing.join_next().await {
            let (seat, end) = joined.map_err(|error| error.to_string())?;
            ends[seat] = end.map_err(|error| format!("seat {seat}: {error}"))?;
        }
        Ok((created, ends))
    }

    async fn create(&self, league: &League, game: &LeagueGame) -> Result<Created, String> {
        let map = game.map();
        let generated = plunder::GeneratedMap {
            seed: Some(game.map_seed),
            size: game.size.key().to_owned(),
            wrap: map.wrap,
            ..plunder::GeneratedMap::default()
        };
        let settings = v1::MatchSettings {
            name: format!("Game {} of league {}", game.number, league.seed),
            game: Some(v1::GameSettings::of_plunder(plunder::Settings {
                map: Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Generated(generated)) }),
                changes: changes::said(&league.overrides()),
                ..Default::default()
            })),
            seats: vec![v1::SeatChoice::default(); game.seats.len()],
            planning_time: Some(times::duration(DEADLINE_MS)),
            decision_time: Some(times::duration(DEADLINE_MS)),
            visibility: v1::Visibility::Private.into(),
            start_when_full: true,
            ..v1::MatchSettings::default()
        };
        let secret = if self.fixed_secrets { game.secret.to_vec() } else { Vec::new() };
        let request = v1::CreateMatchRequest {
            request_id: self.request_id(game, None),
            settings: Some(settings),
            fixed_secret: secret.into(),
        };
        let created =
            patiently(self.backoff, game.number as u64, || lobby::create(self.channel.clone(), request.clone()));
        let created = created.await.map_err(sentence)?;
        let token = |text: &str| Token::new(text).map_err(|error| error.to_string());
        Ok(Created {
            host: token(&created.host_token)?,
            invitation: token(&created.invite_token)?,
            match_id: created.r#match.unwrap_or_default().match_id,
        })
    }

    async fn join(&self, game: &LeagueGame, created: &Created, seat: u32, policy: &str) -> Result<Session, String> {
        let request = v1::JoinMatchRequest {
            request_id: self.request_id(game, Some(seat)),
            match_id: created.match_id.clone(),
            seat: Some(seat),
            name: policy.to_owned(),
            ..v1::JoinMatchRequest::default()
        };
        let joined = patiently(self.backoff, game.number as u64, || {
            lobby::join(self.channel.clone(), &created.invitation, request.clone())
        });
        let joined = joined.await.map_err(sentence)?;
        let token = Token::new(&joined.player_token).map_err(|error| error.to_string())?;
        let settings = Settings { backoff: self.backoff, ..Settings::new(created.match_id.clone(), token) };
        Ok(Session::new(self.channel.clone(), settings))
    }

    /// The id of the request that creates the match of a game, or takes a seat in it.
    fn request_id(&self, game: &LeagueGame, seat: Option<u32>) -> String {
        let key = blake3::derive_key("parley league: the ids of requests", self.key.as_bytes());
        let text = format!("{} {seat:?}", game.number);
        blake3::keyed_hash(&key, text.as_bytes()).to_hex()[..32].to_owned()
    }

    /// The replay of a match that is over.
    async fn replay(&self, game: &LeagueGame, created: &Created) -> Result<Vec<v1::ReplayRecord>, String> {
        let fetched = patiently(self.backoff, game.number as u64, || async {
            // A server sends no record that would not be read back.
            let mut archive =
                ArchiveClient::new(self.channel.clone()).max_decoding_message_size(Limits::default().record_bytes);
            let request = created.host.on(v1::GetReplayRequest { match_id: created.match_id.clone() });
            let responses = archive.get_replay(request).await?.into_inner();
            let records = responses.map_ok(|response| response.record.unwrap_or_default());
            records.try_collect::<Vec<_>>().await.map_err(|status| LobbyError::Refused(Refusal::from(status)))
        });
        let records = fetched.await.map_err(sentence)?;
        match records.last().map(|record| &record.record) {
            Some(Some(Record::End(_))) => Ok(records),
            _ => Err("the server sent only a part of the replay".to_owned()),
        }
    }
}

fn policy_of(
    league: &League,
    game: &LeagueGame,
    seat: usize,
    rules: &Arc<Rules>,
) -> Result<Box<dyn policy::Policy>, String> {
    let name = &league.policies[game.seats[seat]];
    policy::named(name, game.whims[seat], rules).ok_or_else(|| format!("there is no policy {name:?}"))
}

fn sentence(error: LobbyError) -> String {
    error.to_string()
}

/// What the seats were told in the end, which has to be the same for all of them.
fn agreed(ends: &[MatchEnd]) -> Result<GameResult, String> {
    let first = ends.first().ok_or("nobody played")?;
    if let Some(reason) = ends.iter().find_map(|end| end.stopped.as_ref()) {
        return Err(format!("the match was stopped: {reason}"));
    }
    if ends.iter().any(|end| end.result != first.result) {
        return Err("the seats were told of different ends".to_owned());
    }
    let ahead = match first.result.as_ref().and_then(|result| result.result.as_ref()) {
        Some(Ending::Winner(seat)) => vec![*seat],
        Some(Ending::Draw(draw)) => draw.players.clone(),
        None => return Err("the match ended without a result".to_owned()),
    };
    Ok(GameResult {
        ahead,
        turns: first.turn,
        refused_orders: ends.iter().map(|end| u64::from(end.refused_sheets)).sum(),
        refused_answers: ends.iter().map(|end| u64::from(end.refused_answers)).sum(),
        defaulted_answers: 0,
        digest: None,
        replay: None,
    })
}

/// How many questions of a replay nobody answered (R7.2).
fn defaulted(records: &[v1::ReplayRecord]) -> u64 {
    let turns = records.iter().filter_map(|record| match &record.record {
        Some(Record::Turn(turn)) => Some(turn),
        _ => None,
    });
    let answers = turns.flat_map(|turn| &turn.windows).flat_map(|window| &window.answers);
    answers.filter(|answer| answer.defaulted).count() as u64
}

/// The digest after the last turn of a replay.
fn digest(records: &[v1::ReplayRecord]) -> Option<String> {
    match &records.last()?.record {
        Some(Record::End(end)) => Some(end.final_digest.iter().map(|byte| format!("{byte:02x}")).collect()),
        _ => None,
    }
}
