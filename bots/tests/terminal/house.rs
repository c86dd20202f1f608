//! A server in this process, and somebody to play against.

use std::net::SocketAddr;

use parley_bots::arms::Arms;
use parley_bots::connect::{Token, connect};
use parley_bots::policy::{Answerable, Policy};
use parley_bots::session::{Session, Settings};
use parley_bots::{lobby, play};
use parley_games::plunder::changes;
use parley_games::times;
use parley_gateway::config::{Config, Store};
use parley_gateway::server::Server;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::lobby_client::LobbyClient;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A server that runs until it is stopped.
pub(crate) struct House {
    pub(crate) address: String,
    stop: oneshot::Sender<()>,
    running: JoinHandle<std::io::Result<()>>,
}

impl House {
    pub(crate) async fn open() -> Self {
        let config = Config {
            listen: SocketAddr::from(([127, 0, 0, 1], 0)),
            store: Store::Memory,
            drain_seconds: 1,
            ..Config::default()
        };
        let server = Server::start(&config).await.expect("the server starts");
        let address = format!("http://{}", server.address());
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { address, stop, running }
    }

    pub(crate) async fn close(self) {
        drop(self.stop);
        self.running.await.expect("no panic").expect("an orderly end");
    }

    /// A match of two with a ship each, six tiles apart: ship 1 of seat 0 at (0, 0), ship 2 of seat 1 at (6, 0).
    pub(crate) async fn duel(&self) -> String {
        let rows = ["H.....H", ".......", "......."].map(str::to_owned).to_vec();
        let starts = vec![common::Hex { q: 0, r: 0 }, common::Hex { q: 6, r: 0 }];
        let map = plunder::map_choice::Source::Drawn(plunder::DrawnMap { rows, wrap: false, starts });
        let settings = v1::MatchSettings {
            game: Some(v1::GameSettings::of_plunder(plunder::Settings {
                map: Some(plunder::MapChoice { source: Some(map) }),
                changes: changes::said(&serde_json::json!({"economy": {"start_ships": 1}})),
                ..Default::default()
            })),
            seats: vec![v1::SeatChoice::default(); 2],
            decision_time: Some(times::duration(0)),
            start_when_full: true,
            ..v1::MatchSettings::default()
        };
        let request = v1::CreateMatchRequest {
            request_id: "a-match-for-somebody-at-a-terminal".to_owned(),
            settings: Some(settings),
            ..v1::CreateMatchRequest::default()
        };
        let mut lobby = LobbyClient::new(connect(&self.address).await.expect("a connection"));
        let created = lobby.create_match(request).await.expect("a match").into_inner();
        created.r#match.expect("a match").match_id
    }

    /// Bea takes the free seat of a match and plays it to its end.
    pub(crate) async fn bea_joins(&self, match_id: &str) -> JoinHandle<()> {
        let channel = connect(&self.address).await.expect("a connection");
        let request = v1::JoinMatchRequest {
            request_id: "a-seat-for-bea-who-is-no-bot".to_owned(),
            match_id: match_id.to_owned(),
            name: "Bea".to_owned(),
            ..v1::JoinMatchRequest::default()
        };
        let seat = lobby::join(channel.clone(), &Token::NONE, request).await.expect("a seat");
        let token = Token::new(&seat.player_token).expect("a token");
        let session = Session::new(channel, Settings::new(match_id, token));
        tokio::spawn(async move { drop(play::play(session, Box::new(Bea)).await) })
    }

    /// The digest that a replay ends with.
    pub(crate) async fn last_digest(&self, match_id: &str) -> String {
        let mut archive = ArchiveClient::new(connect(&self.address).await.expect("a connection"));
        let request = v1::GetReplayRequest { match_id: match_id.to_owned() };
        let mut records = archive.get_replay(request).await.expect("a replay").into_inner();
        let mut digest = String::new();
        while let Some(response) = records.message().await.expect("a record") {
            if let Some(v1::replay_record::Record::End(end)) = response.record.and_then(|record| record.record) {
                digest = end.final_digest.iter().map(|byte| format!("{byte:02x}")).collect();
            }
        }
        digest
    }
}

/// Sails to (3, 0) and fights for it, and has enough after one turn.
struct Bea;

impl Policy for Bea {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        if view.turn > 1 {
            return plunder::Sheet { concede: true, ..plunder::Sheet::default() };
        }
        let path = [5, 4, 3].map(|q| common::Hex { q, r: 0 }).to_vec();
        let order = plunder::UnitOrder {
            unit: 2,
            action: Some(plunder::unit_order::Action::Move(plunder::Move { path })),
            engagement: plunder::Engagement::Fight.into(),
            ..plunder::UnitOrder::default()
        };
        plunder::Sheet { units: vec![order], ..plunder::Sheet::default() }
    }

    fn answers(&mut self, _: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        prompt.questions.iter().map(|question| question.pick("attack")).collect()
    }
}
