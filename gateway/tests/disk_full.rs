//! A disk that runs full: nothing new is created, then play pauses, reading goes on, nothing acknowledged is lost, and
//! everything goes on by itself when there is room again.

mod common;

use std::cell::Cell;
use std::fs::{self, File};
use std::future::Future;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use common::naval::Naval;
use common::process::{Process, lazy};
use common::{Client, bearer, endless, id_of, reason, request_id};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use tokio::time::{Instant, sleep};
use tonic::{Code, Status};
use tonic_types::StatusExt;

/// How large the disk of the test is.
const DISK: &str = "size=96m";
/// Below which free space nothing is created, and nothing is played.
const MARKS: [&str; 6] = [
    "--disk-free-to-create",
    "40M",
    "--disk-free-to-play",
    "8M",
    // One of the matches is played by its deadlines alone.
    "--missed-deadlines-before-expiry",
    "1000000",
];
/// How many matches are created at most to fill the disk.
const MOST_CREATIONS: usize = 20_000;
/// How many bytes fill the disk at a time, and how often at most: together they end above the second mark.
const PIECE: usize = 1 << 20;
const PIECES: usize = 24;
/// How long the server needs at most to look at its disk again.
const LOOK: Duration = Duration::from_millis(1100);
/// How long something may take that comes by itself.
const PATIENCE: Duration = Duration::from_secs(30);

/// A small file system that is gone with its holder.
struct Disk(PathBuf);

impl Disk {
    fn mount(path: &Path) -> Self {
        let mounted = Command::new("mount").args(["-t", "tmpfs", "-o", DISK, "parley-test"]).arg(path).status();
        assert!(mounted.expect("mount runs").success(), "a file system can be mounted");
        Self(path.to_owned())
    }

    /// Fills so many bytes, or as many as there are.
    fn fill(&self, name: &str, bytes: usize) {
        let mut file = File::create(self.0.join(name)).expect("a file");
        let block = [7; 64 * 1024];
        for _ in 0..bytes / block.len() {
            if file.write_all(&block).is_err() {
                return;
            }
        }
    }

    fn clear(&self, name: &str) {
        fs::remove_file(self.0.join(name)).expect("it is there");
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("--lazy").arg(&self.0).status();
    }
}

fn get(address: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(address).expect("a connection");
    write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").expect("sent");
    let mut answer = String::new();
    stream.read_to_string(&mut answer).expect("an answer");
    answer
}

fn metric(address: SocketAddr, name: &str) -> f64 {
    let text = get(address, "/metrics");
    let line = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(' '));
    line.map_or(0.0, |value| value.parse().expect("a number"))
}

/// Waits until something is so.
async fn until(what: &str, is_so: impl AsyncFn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so().await {
        assert!(Instant::now() < deadline, "{what} is not so within {PATIENCE:?}");
        sleep(Duration::from_millis(100)).await;
    }
}

/// Asks until there is an answer.
async fn patiently<T, F: Future<Output = Result<T, Status>>>(what: &str, mut ask: impl FnMut() -> F) -> T {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match ask().await {
            Ok(answer) => return answer,
            Err(status) => assert!(Instant::now() < deadline, "{what}: {status}"),
        }
        sleep(Duration::from_millis(200)).await;
    }
}

async fn turn_of(client: &Client, id: &str) -> u32 {
    let view = patiently("a view", || {
        let (mut play, request) = (client.play.clone(), v1::GetViewRequest { match_id: id.to_owned() });
        async move { play.get_view(request).await }
    });
    view.await.into_inner().view.and_then(Arms::into_plunder).expect("a view").turn
}

/// The ids of all matches of a stage.
async fn all(client: &Client, stage: v1::MatchStage) -> Vec<String> {
    let (mut found, mut page_token) = (Vec::new(), String::new());
    loop {
        let page = patiently("a list", || {
            let request =
                v1::ListMatchesRequest { stage: stage.into(), page_size: 100, page_token: page_token.clone() };
            let mut lobby = client.lobby.clone();
            async move { lobby.list_matches(request).await }
        });
        let page = page.await.into_inner();
        found.extend(page.matches.into_iter().map(|one| one.match_id));
        page_token = page.next_page_token;
        if page_token.is_empty() {
            found.sort_unstable();
            return found;
        }
    }
}

fn locking(id: &str, turn: u32) -> v1::LockInRequest {
    let sheet = Some(v1::Sheet::of_plunder(plunder::Sheet::default()));
    v1::LockInRequest { request_id: request_id(), match_id: id.to_owned(), turn, sheet }
}

async fn lock(client: &Client, token: &str, request: v1::LockInRequest) -> Result<(), Status> {
    client.play.clone().lock_in(bearer(token, request)).await.map(drop)
}

/// A match that takes some room.
fn large() -> v1::MatchSettings {
    let generated =
        plunder::GeneratedMap { seed: Some(3), width: 128, height: 128, ..plunder::GeneratedMap::default() };
    common::settings(2, 3).with_map(Source::Generated(generated))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs root to mount a small file system"]
async fn a_full_disk_pauses_play_and_loses_nothing() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Disk::mount(folder.path());
    let data = folder.path().join("data");
    let server = Process::start(&data, &MARKS).await;
    let mut client = lazy(server.address);

    // A match that players play, and one whose turns end by themselves.
    let id = id_of(&client.create(endless(7), None).await);
    let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
    let timed = v1::MatchSettings { planning_time: Some(times::duration(1000)), ..endless(8) };
    let timed = id_of(&client.create(timed, None).await);
    client.join(&timed, 0).await;
    client.join(&timed, 1).await;

    // Below the first mark nothing is created, and play goes on.
    disk.fill("first", 46 << 20);
    let mut created = Vec::new();
    let refusal = loop {
        let (request_id, settings) = (request_id(), Some(large()));
        let request = v1::CreateMatchRequest { request_id, settings, ..Default::default() };
        match client.lobby.create_match(request).await {
            Ok(answer) => created.push(id_of(&answer.into_inner())),
            Err(status) => break status,
        }
        assert!(created.len() < MOST_CREATIONS, "the disk does not run full");
    };
    assert_eq!((refusal.code(), &*reason(&refusal)), (Code::ResourceExhausted, "DISK_LOW"), "{refusal}");
    assert!(refusal.get_details_retry_info().is_some_and(|retry| retry.retry_delay.is_some()), "{refusal:?}");
    assert!(created.len() > 10, "only {} matches were created", created.len());
    // The last creation was refused for the room that it would have taken, and for what those before it may still take
    // while the store sorts its files. How much of that is really used differs from run to run, so the disk is filled
    // piece by piece until there is less than the first mark without any creation.
    let filled = Cell::new(0);
    until("the first mark", async || {
        let is_low = get(server.address, "/readyz").contains("ready, but");
        if !is_low && filled.get() < PIECES {
            disk.fill(&format!("more-{}", filled.replace(filled.get() + 1)), PIECE);
            sleep(LOOK).await;
        }
        is_low
    })
    .await;
    let ready = get(server.address, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 200 ") && ready.contains("no match is created"), "{ready}");
    for token in &tokens {
        lock(&client, token, locking(&id, 1)).await.expect("play goes on");
    }
    assert_eq!(turn_of(&client, &id).await, 2);

    // Then the disk is full to the last byte, before anybody has looked.
    disk.fill("second", 96 << 20);
    let unanswered = locking(&id, 2);
    let deadline = Instant::now() + PATIENCE;
    loop {
        // A record that fits into what is left of the last page may still be acknowledged, and then it stays.
        match lock(&client, &tokens[0], unanswered.clone()).await {
            Err(status) if reason(&status) == "DISK_FULL" => break,
            Err(status) => assert_eq!(status.code(), Code::Unavailable, "{status}"),
            Ok(()) => {}
        }
        assert!(Instant::now() < deadline, "play does not pause");
        sleep(Duration::from_millis(50)).await;
    }
    // Everything can be read, of matches in memory and of others.
    let (mut open, running) = (all(&client, v1::MatchStage::Open).await, all(&client, v1::MatchStage::Running).await);
    created.sort_unstable();
    open.retain(|id| created.contains(id));
    assert_eq!(open.len(), created.len(), "acknowledged matches are listed");
    assert!(running.contains(&id) && running.contains(&timed), "{running:?}");
    assert_eq!(turn_of(&client, &id).await, 2);
    let ready = get(server.address, "/readyz");
    assert!(ready.starts_with("HTTP/1.1 503 ") && ready.contains("play is paused"), "{ready}");
    // Nothing runs in circles meanwhile, and deadlines wait.
    sleep(Duration::from_secs(2)).await;
    let (turn, rebuilt) = (turn_of(&client, &timed).await, metric(server.address, "parley_matches_rebuilt_total"));
    sleep(Duration::from_secs(4)).await;
    assert_eq!(turn_of(&client, &timed).await, turn, "a deadline did not wait");
    assert_eq!(metric(server.address, "parley_matches_rebuilt_total"), rebuilt, "matches are rebuilt in a loop");
    assert!(metric(server.address, "parley_disk_free_bytes") < f64::from(8 << 20));

    // It starts on a full disk, too.
    server.kill();
    let server = Process::start(&data, &MARKS).await;
    let client = lazy(server.address);
    assert!(get(server.address, "/readyz").contains("play is paused"));
    assert_eq!(turn_of(&client, &id).await, 2);
    let status = lock(&client, &tokens[0], unanswered.clone()).await.expect_err("there is no room");
    assert_eq!((status.code(), &*reason(&status)), (Code::Unavailable, "DISK_FULL"), "{status}");
    assert_eq!(turn_of(&client, &timed).await, turn, "a deadline did not wait");

    // And goes on by itself when there is room.
    disk.clear("second");
    for piece in 0..filled.get() {
        disk.clear(&format!("more-{piece}"));
    }
    disk.clear("first");
    until("room", async || get(server.address, "/readyz").ends_with("ready\n")).await;
    patiently("the lock-in that was not answered", || lock(&client, &tokens[0], unanswered.clone())).await;
    patiently("the other one", || lock(&client, &tokens[1], locking(&id, 2))).await;
    until("the deadline", async || turn_of(&client, &timed).await > turn).await;
    let request = v1::CreateMatchRequest { request_id: request_id(), settings: Some(large()), ..Default::default() };
    let another = patiently("a new match", || {
        let (mut lobby, request) = (client.lobby.clone(), request.clone());
        async move { lobby.create_match(request).await }
    });
    created.push(id_of(&another.await.into_inner()));
    server.kill();
    let server = Process::start(&data, &MARKS).await;
    let client = lazy(server.address);
    assert_eq!(turn_of(&client, &id).await, 3, "both lock-ins of turn 2 are there");
    let open = all(&client, v1::MatchStage::Open).await;
    assert!(created.iter().all(|id| open.contains(id)), "{} of {} matches are there", open.len(), created.len());
    server.kill();
}

/// Without marks the store itself meets the end of the disk: a commit fails, and the store is opened again.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs root to mount a small file system"]
async fn a_store_that_meets_the_end_of_the_disk_survives_it() {
    let folder = tempfile::tempdir().expect("a folder");
    let disk = Disk::mount(folder.path());
    let data = folder.path().join("data");
    let none = ["--disk-free-to-create", "0", "--disk-free-to-play", "0"];
    let server = Process::start(&data, &none).await;
    let mut client = lazy(server.address);
    let id = id_of(&client.create(endless(7), None).await);
    let tokens = [client.join(&id, 0).await, client.join(&id, 1).await];
    let mut created = vec![id_of(&client.create(large(), None).await)];
    disk.fill("all", 96 << 20);
    let mut refused = 0;
    for _ in 0..20 {
        let (request_id, settings) = (request_id(), Some(large()));
        let request = v1::CreateMatchRequest { request_id, settings, ..Default::default() };
        match client.lobby.create_match(request).await {
            Ok(answer) => created.push(id_of(&answer.into_inner())),
            Err(status) => {
                assert_eq!(status.code(), Code::Unavailable, "{status}");
                refused += 1;
            }
        }
    }
    assert!(refused > 0, "the disk was not full");
    let open = all(&client, v1::MatchStage::Open).await;
    assert!(created.iter().all(|id| open.contains(id)), "what was acknowledged is listed");
    assert_eq!(turn_of(&client, &id).await, 1);

    disk.clear("all");
    for token in &tokens {
        let request = locking(&id, 1);
        patiently("a lock-in", || lock(&client, token, request.clone())).await;
    }
    assert_eq!(turn_of(&client, &id).await, 2);
    server.kill();
    let server = Process::start(&data, &none).await;
    let client = lazy(server.address);
    assert_eq!(turn_of(&client, &id).await, 2);
    let open = all(&client, v1::MatchStage::Open).await;
    assert!(created.iter().all(|id| open.contains(id)), "what was acknowledged is there");
    server.kill();
}
