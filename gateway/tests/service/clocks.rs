//! Clocks that are wrong, under the real binary: a start far ahead of the time, a clock that is set while the server runs,
//! and a start a day after a lobby was opened.
//!
//! The library `faketime` stands between the server and the system's clock. The time that only goes forward is not faked,
//! as no administrator can set that one.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use crate::common::process::{Process, binary, lazy};
use crate::common::{Client, endless, id_of, settings};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_proto::v1;
use tokio::time::{Instant, sleep};

/// How long a turn is planned.
const TURN: Duration = Duration::from_secs(4);
/// How long something may take beyond its time on a machine that is busy.
const SLACK: Duration = Duration::from_secs(10);
/// How long it may take until the server has looked for matches that nobody plays.
const SWEPT: Duration = Duration::from_secs(90);
const DAY_MS: u64 = 24 * 60 * 60 * 1000;

/// Where Debian keeps the library.
fn library() -> PathBuf {
    let folders = fs::read_dir("/usr/lib").expect("a folder of libraries");
    let places = folders.map(|entry| entry.expect("an entry").path().join("faketime/libfaketimeMT.so.1"));
    places.into_iter().find(|place| place.exists()).expect("the package faketime is installed")
}

/// Starts the server with a clock that is off by what a file says, such as `+40d`, and that follows the file.
async fn start(folder: &Path, offset: &str) -> Process {
    set_clock(folder, offset);
    let log = File::options().create(true).append(true).open(folder.join("log")).expect("a log");
    let mut command = Command::new(binary());
    command
        // Nobody plays, and yet the turns shall go on.
        .args(["--missed-deadlines-before-expiry", "1000"])
        .args(["--listen", "127.0.0.1:0", "--log-filter", "warn", "--data"])
        .arg(folder.join("data"))
        .env("LD_PRELOAD", library())
        .env("FAKETIME_TIMESTAMP_FILE", folder.join("clock"))
        .env("FAKETIME_NO_CACHE", "1")
        .env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
        .env("NO_FAKE_STAT", "1")
        .stderr(log);
    Process::launch(&mut command).await
}

fn set_clock(folder: &Path, offset: &str) {
    // A file that is put into the place of another is never read half-written.
    fs::write(folder.join("clock.new"), format!("{offset}\n")).expect("written");
    fs::rename(folder.join("clock.new"), folder.join("clock")).expect("in its place");
}

fn now_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).expect("after 1970").as_millis() as u64
}

/// The turn that is planned, and until when.
async fn planned(client: &Client, id: &str) -> (u32, u64) {
    let request = v1::GetViewRequest { match_id: id.to_owned() };
    let view = client.play.clone().get_view(request).await.expect("a view").into_inner();
    (
        view.view.and_then(Arms::into_plunder).expect("a view").turn,
        view.deadline.as_ref().and_then(times::timestamp_ms).expect("a deadline"),
    )
}

/// A match of two people whose turns end by themselves.
async fn timed_match(client: &mut Client) -> String {
    let timed = v1::MatchSettings { planning_time: Some(times::duration(TURN.as_millis() as u64)), ..endless(7) };
    let id = id_of(&client.create(timed, None).await);
    client.join(&id, 0).await;
    client.join(&id, 1).await;
    id
}

/// Waits until a turn is over, and fails where that takes longer than a turn may.
async fn until_after(client: &Client, id: &str, turn: u32) {
    let latest = Instant::now() + TURN + SLACK;
    while planned(client, id).await.0 <= turn {
        assert!(Instant::now() < latest, "turn {turn} does not end");
        sleep(Duration::from_millis(100)).await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the library faketime; run by .ci/run"]
async fn a_turn_begun_by_a_clock_forty_days_ahead_ends_in_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "+40d").await;
    let mut client = lazy(server.address);
    let id = timed_match(&mut client).await;
    let (turn, deadline) = planned(&client, &id).await;
    assert!(deadline > now_ms() + 39 * DAY_MS, "the clock of the server is not ahead: {deadline}");
    server.kill();

    let server = start(folder.path(), "+0").await;
    let client = lazy(server.address);
    let (_, deadline) = planned(&client, &id).await;
    let latest = now_ms() + TURN.as_millis() as u64 + 1000;
    assert!(deadline <= latest, "the turn is due {} ms too late", deadline - latest);
    until_after(&client, &id, turn).await;
    server.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the library faketime; run by .ci/run"]
async fn a_clock_that_is_set_while_the_server_runs_is_logged_and_stops_no_match() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "+0").await;
    let mut client = lazy(server.address);
    let id = timed_match(&mut client).await;
    for (offset, way) in [("-40d", "back"), ("+40d", "forward")] {
        set_clock(folder.path(), offset);
        let (turn, _) = planned(&client, &id).await;
        until_after(&client, &id, turn).await;
        // The turn after that one was begun by the clock that was set.
        until_after(&client, &id, turn + 1).await;
        let log = fs::read_to_string(folder.path().join("log")).expect("a log");
        assert!(log.contains(&format!("the system's clock was set {way} by ")), "{offset} is not in the log:\n{log}");
    }
    server.kill();
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "needs the library faketime; run by .ci/run"]
async fn a_lobby_that_nobody_joins_for_a_day_is_gone_and_a_younger_one_is_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = start(folder.path(), "+0").await;
    let mut client = lazy(server.address);
    let old = id_of(&client.create(settings(2, 7), None).await);
    server.kill();
    let server = start(folder.path(), "+23h").await;
    let mut client = lazy(server.address);
    let young = id_of(&client.create(settings(2, 8), None).await);
    server.kill();

    let server = start(folder.path(), "+25h").await;
    let mut client = lazy(server.address);
    let latest = Instant::now() + SWEPT;
    loop {
        let request =
            v1::ListMatchesRequest { stage: v1::MatchStage::Open.into(), page_size: 10, ..Default::default() };
        let open = client.lobby.list_matches(request).await.expect("a list").into_inner().matches;
        let open: Vec<String> = open.into_iter().map(|one| one.match_id).collect();
        assert!(open.contains(&young), "a lobby of two hours is gone");
        if !open.contains(&old) {
            break;
        }
        assert!(Instant::now() < latest, "a lobby of 25 hours is still open");
        sleep(Duration::from_millis(500)).await;
    }
    server.kill();
}
