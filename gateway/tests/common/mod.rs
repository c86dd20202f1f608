//! A server in this process, and clients for it.
#![allow(dead_code, unreachable_pub, reason = "every test uses a part of it")]

pub mod caller;
pub mod channels;
pub mod checks;
pub mod nats;
pub mod naval;
pub mod player;
pub mod process;
pub mod proxy;
pub mod script;
pub mod stream;

use std::net::SocketAddr;
use std::sync::atomic::{AtomicU64, Ordering};

use self::naval::Naval;
use parley_games::times;
use parley_gateway::config::{Config, Store};
use parley_gateway::rulesets::Rulesets;
use parley_gateway::server::Server;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::archive_client::ArchiveClient;
use parley_proto::v1::lobby_client::LobbyClient;
use parley_proto::v1::play_client::PlayClient;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;
use tonic::Request;
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
    pub address: SocketAddr,
    pub matches: parley_gateway::matches::Matches,
    stop: Option<oneshot::Sender<()>>,
    running: JoinHandle<std::io::Result<()>>,
}

impl Running {
    pub async fn start(config: &Config) -> Self {
        Self::start_with(config, Rulesets::default()).await
    }

    /// A server of other games than those of the house.
    pub async fn start_with(config: &Config, rulesets: Rulesets) -> Self {
        let server = Server::start_with(config, rulesets).await.expect("the server starts");
        let (address, matches) = (server.address(), server.matches().clone());
        let (stop, stopped) = oneshot::channel();
        let running = tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { address, matches, stop: Some(stop), running }
    }

    pub async fn stop(mut self) {
        drop(self.stop.take());
        self.running.await.expect("no panic").expect("an orderly end");
    }

    pub async fn client(&self) -> Client {
        Client::connect(self.address).await
    }
}

/// A number that the environment may set.
pub fn number(variable: &str, default: u64) -> u64 {
    std::env::var(variable).map_or(default, |text| text.parse().expect("a number"))
}

/// A number that was not given out before.
pub fn fresh() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// An id for a request.
pub fn request_id() -> String {
    format!("request-of-a-test-{:08}", fresh())
}

/// A request with a bearer token.
pub fn bearer<T>(token: &str, message: T) -> Request<T> {
    let mut request = Request::new(message);
    if !token.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ascii"));
    }
    request
}

/// The reason that a status names.
pub fn reason(status: &tonic::Status) -> String {
    use tonic_types::StatusExt;
    status.get_details_error_info().map(|info| info.reason).unwrap_or_default()
}

/// A client of all services.
#[derive(Clone)]
pub struct Client {
    pub channel: Channel,
    pub lobby: LobbyClient<Channel>,
    pub play: PlayClient<Channel>,
    pub archive: ArchiveClient<Channel>,
}

impl Client {
    pub async fn connect(address: SocketAddr) -> Self {
        let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{address}")).expect("an address");
        let channel = endpoint.connect().await.expect("the server listens");
        Self {
            lobby: LobbyClient::new(channel.clone()),
            play: PlayClient::new(channel.clone()),
            archive: ArchiveClient::new(channel.clone()),
            channel,
        }
    }

    /// Creates a match and gives its id and the answer.
    pub async fn create(&mut self, settings: v1::MatchSettings, secret: Option<[u8; 32]>) -> v1::CreateMatchResponse {
        let request = v1::CreateMatchRequest {
            request_id: request_id(),
            settings: Some(settings),
            fixed_secret: secret.map(|secret| secret.to_vec().into()).unwrap_or_default(),
        };
        self.lobby.create_match(request).await.expect("a match").into_inner()
    }

    /// Takes a seat and gives the token.
    pub async fn join(&mut self, match_id: &str, seat: u32) -> String {
        let request = v1::JoinMatchRequest {
            request_id: request_id(),
            match_id: match_id.to_owned(),
            seat: Some(seat),
            ..v1::JoinMatchRequest::default()
        };
        self.lobby.join_match(request).await.expect("a seat").into_inner().player_token
    }
}

/// Settings of a match with open seats that starts when they are taken.
pub fn settings(seats: usize, map_seed: u64) -> v1::MatchSettings {
    let generated =
        plunder::GeneratedMap { seed: Some(map_seed), size: "tiny".to_owned(), ..plunder::GeneratedMap::default() };
    v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); seats],
        start_when_full: true,
        decision_time: Some(times::duration(0)),
        ..v1::MatchSettings::default().with_map(Source::Generated(generated))
    }
}

/// Settings of such a match of two that goes on until somebody wins it.
pub fn endless(map_seed: u64) -> v1::MatchSettings {
    settings(2, map_seed).with_changes(r#"{"turn_limit": 0}"#)
}

/// The id of a match that was created.
pub fn id_of(created: &v1::CreateMatchResponse) -> String {
    created.r#match.as_ref().expect("a match").match_id.clone()
}

/// News as bytes, without the ids of traces, which are another match's in another match.
pub fn told(mut news: v1::News) -> Vec<u8> {
    if let Some(v1::news::What::Outcome(outcome)) = &mut news.what {
        assert_eq!(outcome.trace_id.len(), 16);
        outcome.trace_id.clear();
    }
    prost::Message::encode_to_vec(&news)
}
