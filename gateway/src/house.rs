//! House bots: seats that the server fills. They play through the public API over connections in memory, with a token
//! like everybody's; no other way in exists.

use std::future;
use std::sync::{Mutex, PoisonError};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use hyper_util::rt::TokioIo;
use parley_bots::backoff::Backoff;
use parley_bots::connect::Token;
use parley_bots::play::Line;
use parley_bots::seat_player::{Look, Policies, SeatPlayer};
use parley_bots::session::{Session, Settings, Views};
use parley_bots::{lobby, play};
use parley_proto::opaque::v1;
use tokio::io::DuplexStream;
use tokio::task::AbortHandle;
use tonic::service::Routes;
use tonic::transport::{Channel, Endpoint, Uri};
use tower::service_fn;

use crate::http::{self, HttpConfig, RequestRouter};
use crate::journal::MatchId;
use crate::match_state::AddressKey;
use crate::matches::{FairLine, block_in_place_if};

/// How many bytes may wait on a connection in memory before its writer waits.
const PIPE: usize = 64 * 1024;

/// Lets house bots play seats.
pub trait House: Send + Sync {
    /// Lets a bot with a policy play a seat until the match ends or it is aborted. It thinks in the turn of whoever
    /// created the match.
    fn play(&self, id: MatchId, seat: u8, policy: &str, token: String, creator: AddressKey) -> AbortHandle;
}

/// The house bots of this process.
pub struct HouseBots {
    http_config: HttpConfig,
    router: RequestRouter,
    /// The policies of all games that are hosted.
    policies: Policies,
    per_connection: usize,
    /// The line in which bots wait until they may think, each in the turn of the one who created its match.
    thinking: FairLine<AddressKey>,
    /// The connection that the next bots share, and how many of them have come to it.
    current: Mutex<Option<(Channel, usize)>>,
}

impl HouseBots {
    /// Bots with these policies that call these routes, a number of them on each connection, of which so many think at the
    /// same time.
    pub fn new(
        http_config: HttpConfig,
        grpc: Routes,
        policies: Policies,
        per_connection: usize,
        thinkers: usize,
    ) -> Self {
        let router = http_config.router(grpc, axum::Router::new());
        let (http_config, thinking) = (HttpConfig { tls: None, ..http_config }, FairLine::new(thinkers));
        Self { http_config, router, policies, per_connection, thinking, current: Mutex::new(None) }
    }

    /// A connection with room for one more bot.
    fn channel(&self) -> Channel {
        let mut current = self.current.lock().unwrap_or_else(PoisonError::into_inner);
        match current.as_mut() {
            Some((channel, bots)) if *bots < self.per_connection => {
                *bots += 1;
                channel.clone()
            }
            _ => current.insert((self.connect(), 1)).0.clone(),
        }
    }

    fn connect(&self) -> Channel {
        let (http_config, router) = (self.http_config.clone(), self.router.clone());
        let connector = service_fn(move |_: Uri| {
            let client = serve_in_memory(http_config.clone(), router.clone());
            async move { Ok::<_, std::io::Error>(TokioIo::new(client)) }
        });
        Endpoint::from_static("http://house.invalid").connect_with_connector_lazy(connector)
    }
}

/// The client's end of a connection in memory whose other end is served.
fn serve_in_memory(http_config: HttpConfig, router: RequestRouter) -> DuplexStream {
    let (client, server) = tokio::io::duplex(PIPE);
    tokio::spawn(async move {
        // It ends when the last bot lets go of it, or with the process.
        let _ = http::serve_connection(&http_config, router, server, None, future::pending()).await;
    });
    client
}

impl House for HouseBots {
    fn play(&self, id: MatchId, seat: u8, policy: &str, token: String, creator: AddressKey) -> AbortHandle {
        let (channel, policy) = (self.channel(), policy.to_owned());
        let place = PlaceInLine { line: self.thinking.clone(), creator };
        let policies = self.policies.clone();
        let playing = tokio::spawn(async move {
            if let Err(why) = play_seat(channel, id, seat, (&policies, &policy), &token, place).await {
                tracing::warn!(match_id = %id.0, seat, policy, why, "a house bot stopped playing");
            }
        });
        playing.abort_handle()
    }
}

/// A slow player, who thinks on a thread where that holds nobody up.
struct Apart(Box<dyn SeatPlayer>);

impl SeatPlayer for Apart {
    fn look(&mut self, view: &[u8]) -> Option<Look> {
        self.0.look(view)
    }

    fn follows_changes(&self) -> bool {
        self.0.follows_changes()
    }

    fn follow(&mut self, changes: &[Bytes]) -> Option<Look> {
        self.0.follow(changes)
    }

    fn orders(&mut self) -> Bytes {
        block_in_place_if(true, || self.0.orders())
    }

    fn no_orders(&self) -> Bytes {
        self.0.no_orders()
    }

    fn answers(&mut self, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        block_in_place_if(true, || self.0.answers(prompt))
    }
}

/// The place of a bot in the line of those who think, so that however many bots there are, most threads are left to
/// others.
struct PlaceInLine {
    line: FairLine<AddressKey>,
    creator: AddressKey,
}

impl Line for PlaceInLine {
    fn wait(&self) -> BoxFuture<'_, Box<dyn Send>> {
        Box::pin(async { Box::new(self.line.wait(self.creator).await) as Box<dyn Send> })
    }
}

async fn play_seat(
    channel: Channel,
    id: MatchId,
    seat: u8,
    (policies, policy): (&Policies, &str),
    token: &str,
    place: PlaceInLine,
) -> Result<(), String> {
    let token = Token::new(token).map_err(|error| error.to_string())?;
    let match_id = id.0.to_string();
    let [.., a, b, c, d] = *id.0.as_bytes();
    let seed = u64::from(u32::from_le_bytes([a, b, c, d])) << 8 | u64::from(seat);
    // It waits as long as its match does, for a disk that is full or whatever else: it ends with the match's task.
    let backoff = Backoff { attempts: u32::MAX, ..Backoff::default() };
    let found = lobby::patiently(backoff, seed, || lobby::find(channel.clone(), &token, &match_id));
    let found = found.await.map_err(|error| error.to_string())?;
    let ruleset = found.r#match.map(|found| found.ruleset).unwrap_or_default();
    let policies = policies.of_game(&ruleset).ok_or_else(|| format!("nobody here plays {ruleset:?}"))?;
    let player = policies.player(policy, seed, &found.rules)?;
    drop(found.rules);
    let mut settings = Settings::new(match_id, token);
    settings.backoff.attempts = u32::MAX;
    if !player.follows_changes() {
        (settings.views, settings.changes) = (Views::Every, false);
    }
    let session = Session::new(channel, settings);
    let played = if policies.is_slow(policy) {
        play::play_seat(session, Box::new(Apart(player)), Some(Box::new(place))).await
    } else {
        play::play_seat(session, player, None).await
    };
    played.map(drop).map_err(|error| error.to_string())
}
