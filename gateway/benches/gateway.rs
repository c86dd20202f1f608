//! How fast the gateway is, as ratios measured in one run: durable lock-ins beside health checks on the same
//! connections, what a match at rest costs, and how fast matches are read back.
//!
//! `cargo bench -p parley-gateway [-- SECONDS]`; the server and its callers share the machine.
#![allow(clippy::print_stdout, reason = "printing is what it is for")]

#[path = "../tests/common/naval.rs"]
mod naval;

use std::alloc::{GlobalAlloc, Layout, System};
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicIsize, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use naval::{Naval, recoded};
use parley_bots::arms::Arms;
use parley_gateway::auth::Keyring;
use parley_gateway::clock::Clock;
use parley_gateway::config::Config;
use parley_gateway::journal::embedded::{Embedded, EmbeddedOptions};
use parley_gateway::journal::{Journal, MatchId};
use parley_gateway::limits::Limits;
use parley_gateway::matches::Matches;
use parley_gateway::matches::command::Request as Ask;
use parley_gateway::server::Server;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::advice::Advice;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use parley_proto::v1::lobby_client::LobbyClient;
use parley_proto::v1::play_client::PlayClient;
use tonic::metadata::{Ascii, MetadataValue};
use tonic::transport::{Channel, Endpoint};
use tonic_health::pb::HealthCheckRequest;
use tonic_health::pb::health_client::HealthClient;

/// Connections of the comparison, each with one call at a time.
const CONNECTIONS: usize = 64;
/// Matches of which the size is taken.
const RESTING: usize = 200;
/// Matches that are read back, and turns of each.
const RECOVERED: (usize, u32) = (10, 2000);

/// The system's allocator, counting the bytes that are in use.
struct Counting;

static IN_USE: AtomicIsize = AtomicIsize::new(0);

#[allow(unsafe_code, reason = "an allocator that counts cannot be written otherwise")]
// SAFETY: everything is passed on to the system's allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        IN_USE.fetch_add(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        IN_USE.fetch_sub(layout.size() as isize, Ordering::Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

fn main() {
    let seconds = std::env::args().filter_map(|argument| argument.parse().ok()).next().unwrap_or(3.0_f64);
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().expect("a runtime");
    runtime.block_on(compare(Duration::from_secs_f64(seconds)));
    runtime.block_on(rest());
    runtime.block_on(recover());
}

/// Lock-ins beside health checks.
async fn compare(time: Duration) {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        data: folder.path().to_owned(),
        calls_per_second_per_address: 1_000_000,
        burst_per_address: 1_000_000,
        calls_per_second_per_token: 1_000_000,
        burst_per_token: 1_000_000,
        drain_seconds: 1,
        ..Config::default()
    };
    let server = Server::start(&config).await.expect("the server starts");
    let address = server.address();
    let running = tokio::spawn(server.run(std::future::pending()));
    let mut players = Vec::new();
    for number in 0..CONNECTIONS {
        players.push(Player::seat(address, number).await);
    }
    let players: Vec<_> = players.into_iter().map(|player| Arc::new(tokio::sync::Mutex::new(player))).collect();
    println!("{CONNECTIONS} connections, one call at a time on each; calls per second");
    println!("| round | Health/Check | Play/LockIn, durable | ratio |");
    println!("|---|---|---|---|");
    let mut ratios = Vec::new();
    for round in 0..4 {
        let checks = run(&players, time, Deed::Check).await;
        let locks = run(&players, time, Deed::LockIn).await;
        if round == 0 {
            continue;
        }
        println!("| {round} | {checks:.0} | {locks:.0} | {:.2} |", locks / checks);
        ratios.push(locks / checks);
    }
    ratios.sort_by(f64::total_cmp);
    println!("median ratio: {:.2} (at least 0.6 is wanted)\n", ratios[ratios.len() / 2]);
    running.abort();
}

#[derive(Clone, Copy, PartialEq)]
enum Deed {
    Check,
    LockIn,
}

async fn run(players: &[Arc<tokio::sync::Mutex<Player>>], time: Duration, deed: Deed) -> f64 {
    let (stop, calls) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicU64::new(0)));
    let start = Instant::now();
    let mut tasks = Vec::new();
    for player in players {
        let (player, stop, calls) = (Arc::clone(player), Arc::clone(&stop), Arc::clone(&calls));
        tasks.push(tokio::spawn(async move {
            let mut player = player.lock().await;
            while !stop.load(Ordering::Relaxed) {
                match deed {
                    Deed::Check => player.check().await,
                    Deed::LockIn => player.lock_in().await,
                }
                calls.fetch_add(1, Ordering::Relaxed);
            }
        }));
    }
    tokio::time::sleep(time).await;
    stop.store(true, Ordering::Relaxed);
    for task in tasks {
        task.await.expect("no panic");
    }
    calls.load(Ordering::Relaxed) as f64 / start.elapsed().as_secs_f64()
}

/// One connection, and both seats of a match that is played over it.
struct Player {
    play: PlayClient<Channel>,
    health: HealthClient<Channel>,
    tokens: [MetadataValue<Ascii>; 2],
    match_id: String,
    sheets: [[v1::Sheet; 2]; 2],
    turn: u32,
    next: usize,
}

impl Player {
    async fn seat(address: SocketAddr, number: usize) -> Self {
        let endpoint = Endpoint::from_shared(format!("http://{address}")).expect("an address");
        let channel = endpoint.tcp_nodelay(true).connect().await.expect("a connection");
        let mut lobby = LobbyClient::new(channel.clone());
        let created = lobby.create_match(creation(number)).await.expect("a match").into_inner();
        let match_id = created.r#match.expect("a match").match_id;
        let mut tokens = Vec::new();
        for seat in 0..2 {
            let joined = lobby.join_match(joining(&match_id, number, seat)).await.expect("a seat").into_inner();
            tokens.push(format!("Bearer {}", joined.player_token).parse().expect("ascii"));
        }
        let tokens: [MetadataValue<Ascii>; 2] = tokens.try_into().expect("two");
        let mut play = PlayClient::new(channel.clone());
        let mut sheets = Vec::new();
        for token in &tokens {
            let mut request = tonic::Request::new(options(&match_id));
            request.metadata_mut().insert("authorization", token.clone());
            sheets.push(there_and_back(play.advise(request).await.expect("options").into_inner()));
        }
        let sheets = sheets.try_into().expect("two");
        Self { play, health: HealthClient::new(channel), tokens, match_id, sheets, turn: 1, next: 0 }
    }

    async fn check(&mut self) {
        self.health.check(HealthCheckRequest::default()).await.expect("healthy");
    }

    async fn lock_in(&mut self) {
        let seat = self.next;
        let mut request = tonic::Request::new(v1::LockInRequest {
            request_id: format!("{}", self.turn),
            match_id: self.match_id.clone(),
            turn: self.turn,
            sheet: Some(self.sheets[seat][self.turn as usize % 2].clone()),
        });
        request.metadata_mut().insert("authorization", self.tokens[seat].clone());
        self.play.lock_in(request).await.expect("a receipt");
        self.next = 1 - seat;
        self.turn += seat as u32;
    }
}

fn creation(number: usize) -> v1::CreateMatchRequest {
    let generated = plunder::GeneratedMap { seed: Some(number as u64), size: "small".to_owned(), ..Default::default() };
    let settings = v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); 2],
        start_when_full: true,
        ..v1::MatchSettings::default().with_map(Source::Generated(generated))
    };
    let request_id = format!("a match of the bench {number:8}");
    v1::CreateMatchRequest { request_id, settings: Some(settings), ..Default::default() }
}

fn joining(match_id: &str, number: usize, seat: u32) -> v1::JoinMatchRequest {
    let request_id = format!("a seat of the bench {number:8} {seat}");
    v1::JoinMatchRequest { request_id, match_id: match_id.to_owned(), seat: Some(seat), ..Default::default() }
}

/// Asks what could be ordered.
fn options(match_id: &str) -> v1::AdviseRequest {
    naval::asking(match_id, Query::Options(plunder::OptionsQuery::default()))
}

/// Sheets that send every ship one step away in odd turns and back in even ones.
fn there_and_back(answer: v1::AdviseResponse) -> [v1::Sheet; 2] {
    let Advice::Options(options) = naval::advice(answer) else { panic!("other advice") };
    let order = |unit: u32, to: common::Hex| plunder::UnitOrder {
        unit,
        action: Some(plunder::unit_order::Action::Move(plunder::Move { path: vec![to] })),
        engagement: plunder::Engagement::Evade.into(),
        ..plunder::UnitOrder::default()
    };
    let (mut there, mut back) = (plunder::Sheet::default(), plunder::Sheet::default());
    for unit in &options.units {
        let step = unit.reach.iter().find(|reach| reach.tick == 1).expect("a way out");
        there.units.push(order(unit.unit, step.hex.expect("a hex")));
        back.units.push(order(unit.unit, step.from.expect("a hex")));
    }
    [back, there].map(v1::Sheet::of_plunder)
}

/// Matches without sockets, on a store of their own.
fn matches(journal: Arc<dyn Journal>) -> Matches {
    let keyring = Arc::new(Keyring::ephemeral().expect("keys"));
    let limits = Limits { snapshot_every: u32::MAX, ..Limits::default() };
    Matches::new(journal, keyring, limits, Clock::start())
}

/// A match of two that has been played for some turns.
async fn played(matches: &Matches, number: usize, turns: u32) -> MatchId {
    let created = matches.create(recoded(&creation(number))).await.expect("a match");
    let id = MatchId(created.r#match.expect("a match").match_id.parse().expect("an id"));
    let list = |reply| Ask::Advise(recoded(&options("")), reply);
    let mut seats = Vec::new();
    for seat in 0..2 {
        let joining = joining(&id.0.to_string(), number, seat);
        let joined = matches.ask(id, None, |reply| Ask::JoinMatch(joining, reply)).await.expect("a seat");
        let claims = matches.keyring.verify(&joined.player_token, 0).expect("a token");
        let options = matches.ask(id, Some(claims), list).await;
        seats.push((claims, options.ok()));
    }
    let options = matches.ask(id, Some(seats[0].0), list).await.expect("options");
    let other = seats[1].1.take().expect("the second seat starts the match");
    let sheets = [there_and_back(recoded(&options)), there_and_back(recoded(&other))];
    for turn in 1..=turns {
        let lock = |seat: usize| {
            let request = v1::LockInRequest {
                request_id: format!("{turn}"),
                turn,
                sheet: Some(sheets[seat][turn as usize % 2].clone()),
                ..v1::LockInRequest::default()
            };
            let request = recoded(&request);
            matches.ask(id, Some(seats[seat].0), |reply| Ask::LockIn(request, reply))
        };
        let (one, other) = tokio::join!(lock(0), lock(1));
        one.and(other).expect("a receipt");
    }
    id
}

/// What a match costs that nobody asks anything.
async fn rest() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Arc::new(Embedded::open(folder.path(), EmbeddedOptions::default()).expect("a store"));
    let matches = matches(Arc::clone(&journal) as Arc<dyn Journal>);
    let mut ids = Vec::new();
    for number in 0..RESTING {
        ids.push(played(&matches, number, 12).await);
    }
    // Read back by others, so that what the first ones keep does not count.
    let matches = self::matches(journal);
    let ask = |id: MatchId| matches.ask(id, None, Ask::GetMatch);
    drop(ask(ids[0]).await.expect("a match"));
    let before = IN_USE.load(Ordering::Relaxed);
    for id in &ids[1..] {
        drop(ask(*id).await.expect("a match"));
    }
    let bytes = (IN_USE.load(Ordering::Relaxed) - before) as usize / (RESTING - 1);
    let map = 16 * 12 * 2;
    println!(
        "a match at rest: {bytes} bytes, about {map} of them its map ({:.1} KiB without it, at most 16 are wanted)",
        (bytes - map) as f64 / 1024.0
    );
}

/// How fast matches are read back.
async fn recover() {
    let folder = tempfile::tempdir().expect("a folder");
    let journal = Arc::new(Embedded::open(folder.path(), EmbeddedOptions::default()).expect("a store"));
    let first = matches(Arc::clone(&journal) as Arc<dyn Journal>);
    let (count, turns) = RECOVERED;
    let playing = (0..count).map(|number| played(&first, number, turns));
    let ids = futures_util::future::join_all(playing).await;
    let second = matches(journal);
    let start = Instant::now();
    for id in ids {
        let found = second.ask(id, None, Ask::GetMatch).await.expect("a match").r#match.expect("a match");
        assert_eq!(found.turn, turns + 1);
    }
    let rate = f64::from(turns) * count as f64 / start.elapsed().as_secs_f64();
    println!("read back: {rate:.0} turns per second, one match after the other (at least 50000 are wanted)");
}
