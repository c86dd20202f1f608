//! The load generator against a server in this process, over real sockets.

use std::net::SocketAddr;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use parley_bots::load::{self, Length, LoadError, LoadPlan, Report};
use parley_gateway::config::{Config, Store};
use parley_gateway::server::Server;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::oneshot;

/// How long a test may take.
const PATIENCE: Duration = Duration::from_secs(120);

/// A server that runs until it is dropped.
struct Running {
    address: SocketAddr,
    _stop: oneshot::Sender<()>,
}

impl Running {
    async fn start() -> Self {
        Self::with(&Config {
            calls_per_second_per_address: 1_000_000,
            burst_per_address: 1_000_000,
            calls_per_second_per_token: 1_000_000,
            burst_per_token: 1_000_000,
            ..config()
        })
        .await
    }

    async fn with(config: &Config) -> Self {
        let server = Server::start(config).await.expect("the server starts");
        let address = server.address();
        let (stop, stopped) = oneshot::channel::<()>();
        tokio::spawn(server.run(async move { drop(stopped.await) }));
        Self { address, _stop: stop }
    }

    fn plan(&self) -> LoadPlan {
        LoadPlan {
            address: format!("http://{}", self.address),
            matches: 6,
            length: Length::Turns(5),
            connections: 3,
            ..LoadPlan::default()
        }
    }
}

/// Any port, and nothing on the disk.
fn config() -> Config {
    Config {
        listen: SocketAddr::from(([127, 0, 0, 1], 0)),
        store: Store::Memory,
        drain_seconds: 1,
        ..Config::default()
    }
}

async fn run(plan: &LoadPlan) -> Report {
    tokio::time::timeout(PATIENCE, load::run(plan, &mut ())).await.expect("it ends").expect("it runs")
}

fn assert_clean(report: &Report) {
    assert!(report.is_clean(), "{}", report.to_text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_ends_without_errors_and_everything_verified() {
    let server = Running::start().await;
    for threads in [1, 2] {
        let plan = LoadPlan { threads, server: Some(std::process::id()), ..server.plan() };
        let report = run(&plan).await;
        assert_clean(&report);
        assert_eq!((report.all.turns, report.all.lock_ins, report.all.ended), (30, 120, 6));
        assert_eq!((report.all.lock_in.count(), report.all.seat_outcome.count()), (120, 120));
        assert_eq!((report.all.outcome.count(), report.all.scheduled_outcome.count()), (30, 0));
        assert_eq!((report.verified.turns, report.verified.receipts), (30, 120));
        assert_eq!((report.all.reconnects, report.all.resumed), (0, 0));
        assert!(report.server_time.is_some() && report.own_time.is_some());
    }
}

/// Every number of players that a map can hold is played, on a map that holds it.
#[tokio::test(flavor = "multi_thread")]
async fn as_many_players_as_the_rules_allow_can_be_measured() {
    let server = Running::start().await;
    for players in [2, 3, 9, 14, 15, load::MAX_SEATS] {
        let report = run(&LoadPlan { players, matches: 1, length: Length::Turns(2), ..server.plan() }).await;
        assert_clean(&report);
        assert_eq!((report.all.turns, report.all.lock_ins), (2, u64::from(2 * players)), "{players} players");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn turns_begin_by_the_schedule_and_never_before_it() {
    let server = Running::start().await;
    // Each match begins a turn every 120 ms, 20 ms after another one; the last turn of the last begins after 580 ms.
    let plan = LoadPlan { rate: Some(50), ..server.plan() };
    let report = run(&plan).await;
    assert_clean(&report);
    assert!(report.all.time() >= Duration::from_millis(580), "{:?}", report.all.time());
    assert!(report.all.rate() <= 52.0, "{}", report.all.rate());
    assert_eq!((report.all.scheduled_outcome.count(), report.all.late.count()), (30, 30));
    for part in [0.0, 0.5, 1.0] {
        assert!(report.all.scheduled_outcome.at(part) >= report.all.outcome.at(part), "from the schedule is longer");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_by_time_ends_its_matches_and_they_are_verified_too() {
    let server = Running::start().await;
    for rate in [None, Some(60)] {
        let plan = LoadPlan { length: Length::Time(Duration::from_millis(400)), rate, ..server.plan() };
        let report = run(&plan).await;
        assert_clean(&report);
        assert!(report.all.turns >= 6, "{}", report.all.turns);
        assert_eq!(report.whole.turns, report.all.turns + 6, "one more turn ends each match");
        assert_eq!((report.all.ended, report.whole.ended), (0, 6));
        let wanted = rate.map_or(0, |_| 24);
        assert!(report.all.turns + report.left_out >= wanted, "{}", report.to_text());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_highest_rate_is_searched_for_on_the_same_matches() {
    let server = Running::start().await;
    let (bound, step) = (Duration::from_micros(1), Duration::from_millis(100));
    let plan = server.plan();
    let nobody = &mut ();
    let saturation = load::find_saturation(&plan, bound, step, nobody);
    let report = tokio::time::timeout(PATIENCE, saturation).await.expect("it ends").expect("it runs");
    assert_clean(&report);
    let search = report.saturation.as_ref().expect("a search");
    // No turn takes less than a microsecond.
    assert_eq!(search.saturation(), None);
    let rates: Vec<u32> = search.steps.iter().map(|step| step.rate).collect();
    assert_eq!(rates, [250, 125, 62, 31, 15, 7, 3, 1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn health_checks_are_the_ceiling() {
    let server = Running::start().await;
    let ceiling = load::ceiling(&server.plan(), Duration::from_millis(200)).await.expect("measured");
    assert!(ceiling.rate > 0.0 && ceiling.times.count() >= 24, "{ceiling:?}");
}

/// Passes bytes on between clients and a server, and cuts connections, so many of them, after so many bytes each.
async fn cutting_relay(server: SocketAddr, cuts: usize, after: usize) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address");
    let cut = Arc::new(AtomicUsize::new(0));
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let server = TcpStream::connect(server).await.expect("the server listens");
            let (mut from_client, mut to_client) = client.into_split();
            let (mut from_server, mut to_server) = server.into_split();
            let up = tokio::spawn(async move { tokio::io::copy(&mut from_client, &mut to_server).await });
            let cut = Arc::clone(&cut);
            tokio::spawn(async move {
                let (mut buffer, mut passed) = (vec![0; 4096], 0);
                while let Ok(read @ 1..) = from_server.read(&mut buffer).await {
                    if to_client.write_all(&buffer[..read]).await.is_err() {
                        break;
                    }
                    passed += read;
                    if passed >= after && cut.fetch_add(1, Ordering::Relaxed) < cuts {
                        break;
                    }
                }
                up.abort();
            });
        }
    });
    address
}

#[tokio::test(flavor = "multi_thread")]
async fn cut_connections_lose_nothing() {
    let server = Running::start().await;
    let relay = cutting_relay(server.address, 12, 40_000).await;
    let plan = LoadPlan { address: format!("http://{relay}"), length: Length::Turns(20), ..server.plan() };
    let report = run(&plan).await;
    assert_clean(&report);
    assert_eq!((report.all.turns, report.all.lock_ins), (120, 480));
    assert!(report.all.reconnects >= 3 && report.all.resumed >= 3, "{}", report.to_text());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_counts_calls_is_waited_for_and_its_refusals_are_errors() {
    let config = Config {
        calls_per_second_per_address: 100,
        burst_per_address: 2,
        calls_per_second_per_token: 20,
        burst_per_token: 5,
        ..config()
    };
    let server = Running::with(&config).await;
    let report = run(&LoadPlan { matches: 4, players: 2, length: Length::Turns(8), ..server.plan() }).await;
    assert_eq!((report.all.turns, report.all.ended), (32, 4), "{}", report.to_text());
    assert_eq!((report.verified.matches, report.verified.failures), (4, 0));
    let kinds: Vec<&String> = report.whole.errors.kinds.keys().collect();
    assert_eq!(kinds, ["RATE_LIMITED"]);
    assert!(!report.is_clean());
}

#[tokio::test(flavor = "multi_thread")]
async fn too_few_connections_are_named() {
    let server = Running::with(&Config { max_streams_per_connection: 5, ..config() }).await;
    let error =
        load::run(&LoadPlan { matches: 3, connections: 2, ..server.plan() }, &mut ()).await.expect_err("no room");
    let text = "the server lets one connection carry 5 streams, and 6 are needed: use more connections";
    assert_eq!(error, LoadError::Plan(text.to_owned()));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_not_there_is_one_sentence() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    drop(listener);
    let error =
        load::run(&LoadPlan { address: address.clone(), ..LoadPlan::default() }, &mut ()).await.expect_err("nobody");
    assert!(matches!(error, LoadError::Connect(_)), "{error}");
    let output = |arguments: &[&str]| {
        let binary = env!("CARGO_BIN_EXE_parley-bots");
        let output = Command::new(binary)
            .env_remove("PARLEY_ADDR")
            .arg("load")
            .args(arguments)
            .output()
            .expect("the binary runs");
        let text = String::from_utf8(output.stderr).expect("text");
        assert_eq!(text.lines().count(), 1, "{text}");
        (output.status.code(), text)
    };
    let (status, text) = output(&["--server", &address]);
    assert_eq!(status, Some(1));
    assert!(text.starts_with(&format!("nothing answers at {address} (connection refused); start the ")), "{text}");
    let (status, text) = output(&["--server", "ftp://nowhere"]);
    assert_eq!((status, text.contains("is not an address")), (Some(2), true), "{text}");
    let (status, text) = output(&["--matches", "0"]);
    assert_eq!((status, text.trim_end()), (Some(2), "matches is 0; it can be 1 to 100000"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_command_writes_its_report() {
    let server = Running::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_parley-bots"));
    command.args([
        "load",
        "--server",
        &server.address.to_string(),
        "--matches",
        "3",
        "--players",
        "16",
        "--turns",
        "3",
        "--quiet",
    ]);
    command.arg("--out").arg(folder.path());
    let output = tokio::task::spawn_blocking(move || command.output()).await.expect("no panic").expect("it runs");
    let text = String::from_utf8(output.stdout).expect("text");
    assert!(output.status.success(), "{text}{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "quiet is quiet");
    assert!(text.contains("no errors, every digest and every receipt verified"), "{text}");
    let json = std::fs::read_to_string(folder.path().join("load.json")).expect("a file");
    let json: serde_json::Value = serde_json::from_str(&json).expect("JSON");
    assert_eq!((json["turns"].as_u64(), json["clean"].as_bool()), (Some(9), Some(true)));
    let page = std::fs::read_to_string(folder.path().join("load.html")).expect("a file");
    assert!(page.starts_with("<!doctype html>") && !page.contains("http"));
}
