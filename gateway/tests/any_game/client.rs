//! A client that knows the messages of lanterns and nothing else of a game.

use std::net::SocketAddr;

use parley_proto::opaque::v1::archive_client::ArchiveClient;
use parley_proto::opaque::v1::lobby_client::LobbyClient;
use parley_proto::opaque::v1::news::What;
use parley_proto::opaque::v1::play_client::PlayClient;
use parley_proto::opaque::v1::{self as api};
use parley_toy::wire::{Lantern, News, Settings, Sheet, View, of_arm, under_arm};
use prost::Message;
use tonic::transport::{Channel, Endpoint};
use tonic::{Status, Streaming};

use crate::common::{bearer, request_id};

/// A client of all services.
#[derive(Clone)]
pub struct Client {
    pub lobby: LobbyClient<Channel>,
    pub play: PlayClient<Channel>,
    pub archive: ArchiveClient<Channel>,
}

/// A match, and the tokens of its seats; a house bot's is empty.
#[derive(Clone)]
pub struct Table {
    pub id: String,
    pub tokens: Vec<String>,
}

/// Settings of a match on a row, with a house bot on each seat that names one. It starts when its seats are taken.
pub fn settings(length: u32, seats: &[&str]) -> api::MatchSettings {
    let seat = |bot: &&str| api::SeatChoice { house_bot: (*bot).to_owned() };
    api::MatchSettings {
        seats: seats.iter().map(seat).collect(),
        start_when_full: true,
        game: Some(under_arm(&Settings { length })),
        ..api::MatchSettings::default()
    }
}

impl Client {
    pub fn of(address: SocketAddr) -> Self {
        let channel = Endpoint::from_shared(format!("http://{address}")).expect("an address").connect_lazy();
        Self {
            lobby: LobbyClient::new(channel.clone()),
            play: PlayClient::new(channel.clone()),
            archive: ArchiveClient::new(channel),
        }
    }

    /// Creates a match.
    pub async fn create(&mut self, settings: api::MatchSettings) -> Result<api::Match, Status> {
        let request = api::CreateMatchRequest {
            request_id: request_id(),
            settings: Some(settings),
            fixed_secret: vec![7; 32].into(),
        };
        Ok(self.lobby.create_match(request).await?.into_inner().r#match.expect("a match"))
    }

    /// Creates a match and takes every seat of it that is open.
    pub async fn sit_down(&mut self, length: u32, seats: &[&str]) -> Table {
        let id = self.create(settings(length, seats)).await.expect("a match").match_id;
        let mut tokens = Vec::new();
        for (seat, bot) in (0..).zip(seats) {
            let (request_id, match_id) = (request_id(), id.clone());
            let request = api::JoinMatchRequest { request_id, match_id, seat: Some(seat), ..Default::default() };
            let joined =
                if bot.is_empty() { Some(self.lobby.join_match(request).await.expect("a seat")) } else { None };
            tokens.push(joined.map(|joined| joined.into_inner().player_token).unwrap_or_default());
        }
        Table { id, tokens }
    }

    /// Locks the orders of a seat, under the same id however often it is said.
    pub async fn lock(&mut self, table: &Table, seat: usize, turn: u32, sheet: Sheet) -> Result<api::Receipt, Status> {
        let request = api::LockInRequest {
            request_id: format!("lock {seat} {turn} {sheet:?}"),
            match_id: table.id.clone(),
            turn,
            sheet: Some(under_arm(&sheet)),
        };
        let locked = self.play.lock_in(bearer(&table.tokens[seat], request)).await?.into_inner();
        Ok(locked.receipt.expect("a receipt"))
    }

    /// Answers the one question of a seat.
    pub async fn answer(
        &mut self,
        table: &Table,
        seat: usize,
        prompt: &api::Prompt,
        option: u32,
    ) -> Result<(), Status> {
        let answers = vec![api::Answer { question: prompt.questions[0].id, options: vec![option] }];
        let request = api::AnswerRequest {
            request_id: format!("answer {seat} {} {}", prompt.turn, prompt.window),
            match_id: table.id.clone(),
            turn: prompt.turn,
            window: prompt.window,
            answers,
        };
        self.play.answer(bearer(&table.tokens[seat], request)).await.map(drop)
    }

    /// What somebody may know now, by their token.
    pub async fn view(&mut self, table: &Table, token: &str) -> (api::GetViewResponse, View) {
        let request = bearer(token, api::GetViewRequest { match_id: table.id.clone() });
        let told = self.play.get_view(request).await.expect("a view").into_inner();
        let view = view_of(told.view.as_deref().expect("a view"));
        (told, view)
    }

    /// Watches a match from a cursor on.
    pub async fn watch(&mut self, table: &Table, token: &str, after: u64) -> Watching {
        let request = api::WatchRequest { match_id: table.id.clone(), after, views: true, ..Default::default() };
        Watching(self.play.watch(bearer(token, request)).await.expect("news").into_inner())
    }

    /// The replay of a match that is over.
    pub async fn replay(&mut self, table: &Table) -> Vec<parley_proto::v1::ReplayRecord> {
        let request = api::GetReplayRequest { match_id: table.id.clone() };
        let mut records = self.archive.get_replay(request).await.expect("a replay").into_inner();
        let mut replay = Vec::new();
        while let Some(next) = records.message().await.expect("a record") {
            replay.push(next.record.expect("a record"));
        }
        replay
    }
}

/// A stream of news.
pub struct Watching(Streaming<api::WatchResponse>);

impl Watching {
    /// The next news.
    pub async fn next(&mut self) -> api::News {
        self.0.message().await.expect("no refusal").expect("more news").news.expect("news")
    }

    /// The next prompt, passing over all else.
    pub async fn prompt(&mut self) -> api::Prompt {
        loop {
            if let Some(What::Prompt(prompt)) = self.next().await.what {
                return prompt;
            }
        }
    }

    /// The next outcome, passing over all else.
    pub async fn outcome(&mut self) -> api::Outcome {
        loop {
            if let Some(What::Outcome(outcome)) = self.next().await.what {
                return outcome;
            }
        }
    }

    /// All news up to the end of the match, encoded.
    pub async fn rest(&mut self) -> Vec<Vec<u8>> {
        let mut all = Vec::new();
        while let Some(told) = self.0.message().await.expect("no refusal") {
            all.push(told.encode_to_vec());
        }
        all
    }
}

/// A view of lanterns.
pub fn view_of(view: &[u8]) -> View {
    of_arm(view).expect("a message").expect("a view of lanterns")
}

/// What somebody is told of lanterns: seats, and where they went; nowhere is to go out.
pub fn told(news: &[u8]) -> Vec<(u32, Option<u32>)> {
    let news: News = of_arm(news).expect("a message").expect("news of lanterns");
    news.events.iter().map(|Lantern { seat, at }| (*seat, *at)).collect()
}

/// What a viewer learns of a turn.
pub fn news_of(outcome: &api::Outcome) -> Vec<(u32, Option<u32>)> {
    told(outcome.own.as_deref().expect("news"))
}

/// A step to a side.
pub fn step(step: i32) -> Sheet {
    Sheet { step, gives_up: false }
}
