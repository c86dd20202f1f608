//! The service in this process, and the binary beside it.
#![allow(dead_code, unreachable_pub, reason = "every test uses a part of it")]

use std::net::SocketAddr;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use parley_bots::arms::Arms;
use parley_bots::connect::connect;
use parley_games::plunder::changes;
use parley_gateway::config::{Config, Store};
use parley_gateway::server::Server;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::transport::Channel;

/// A configuration for a server in this process: any port, and nothing on the disk.
pub fn config() -> Config {
    Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        store: Store::Memory,
        allow_fixed_secrets: true,
        calls_per_second_per_address: 1_000_000,
        burst_per_address: 1_000_000,
        calls_per_second_per_token: 1_000_000,
        burst_per_token: 1_000_000,
        drain_seconds: 1,
        ..Config::default()
    }
}

/// A server that runs until it is stopped.
pub struct Running {
    address: SocketAddr,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub async fn start(config: &Config) -> Self {
        let server = Server::start(config).await.expect("the server starts");
        let address = server.address();
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { address, stop: Some(stop), running }
    }

    pub async fn stop(mut self) {
        drop(self.stop.take());
        self.running.await.expect("no panic").expect("an orderly end");
    }

    /// The address of the server, for clients.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    pub async fn channel(&self) -> Channel {
        connect(&self.url()).await.expect("the server listens")
    }

    pub const fn port(&self) -> u16 {
        self.address.port()
    }

    /// Creates a match with these settings.
    pub async fn create(&self, settings: v1::MatchSettings, request_id: &str) -> v1::CreateMatchResponse {
        let mut lobby = LobbyClient::new(self.channel().await);
        let request = v1::CreateMatchRequest {
            request_id: request_id.to_owned(),
            settings: Some(settings),
            ..v1::CreateMatchRequest::default()
        };
        lobby.create_match(request).await.expect("a match").into_inner()
    }
}

/// A tiny match with open seats and house bots that ends after so many turns.
pub fn settings(open: usize, house: &[&str], turns: u32) -> v1::MatchSettings {
    let generated =
        plunder::GeneratedMap { seed: Some(7), size: "tiny".to_owned(), ..plunder::GeneratedMap::default() };
    let seats = (0..open).map(|_| "").chain(house.iter().copied());
    v1::MatchSettings {
        game: Some(v1::GameSettings::of_plunder(plunder::Settings {
            map: Some(plunder::MapChoice { source: Some(plunder::map_choice::Source::Generated(generated)) }),
            changes: changes::said(&serde_json::json!({"turn_limit": turns})),
            ..Default::default()
        })),
        seats: seats.map(|policy| v1::SeatChoice { house_bot: policy.to_owned() }).collect(),
        start_when_full: true,
        ..v1::MatchSettings::default()
    }
}

/// The id of a match that was created.
pub fn id_of(created: &v1::CreateMatchResponse) -> String {
    created.r#match.as_ref().expect("a match").match_id.clone()
}

/// What a command said.
#[derive(Debug, PartialEq, Eq)]
pub struct Said {
    pub status: Option<i32>,
    pub out: String,
    pub err: String,
}

/// `parley-bots` in a folder, with nothing of this process's settings.
pub fn command(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_parley-bots"));
    command.args(arguments).current_dir(folder);
    for variable in ["PARLEY_ADDR", "PARLEY_INVITATION", "PARLEY_SECRET", "PARLEY_TOKEN"] {
        command.env_remove(variable);
    }
    command.stdin(Stdio::null());
    command
}

/// Runs `parley-bots` to its end, while the server goes on.
pub async fn bots(folder: &Path, arguments: &[&str]) -> Said {
    let mut command = command(folder, arguments);
    let output = tokio::task::spawn_blocking(move || command.output().expect("the binary runs"));
    said(output.await.expect("no panic"))
}

/// What a process that has ended said.
pub fn said(output: Output) -> Said {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("text");
    Said { status: output.status.code(), out: text(output.stdout), err: text(output.stderr) }
}
