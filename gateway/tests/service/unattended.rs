//! Matches of house bots alone: they do not run away, also not after a restart, and nobody waits for them.

use std::time::{Duration, Instant};

use crate::common::naval::{Naval, recoded};
use crate::common::process::Process;
use crate::common::{Client, Running, bearer, config, endless, id_of, request_id, settings};
use parley_bots::arms::Arms;
use parley_gateway::auth::{ADMIN_TOKEN_FILE, Claims, Role};
use parley_gateway::config::{Config, Store};
use parley_gateway::journal::MatchId;
use parley_gateway::matches::command::Request;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;
use tokio::time::sleep;

/// Two bots who do nothing, for ever.
fn idlers() -> v1::MatchSettings {
    let seats = vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2];
    v1::MatchSettings { seats, ..settings(2, 7).with_rules(r#"{"turn_limit": 0}"#) }
}

async fn described(server: &Running, id: &str) -> v1::Match {
    let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
    let id = MatchId(id.parse().expect("an id"));
    let described = server.matches.ask(id, Some(admin), Request::GetMatch).await.expect("a match");
    recoded(&described.r#match.expect("a match"))
}

async fn turn(server: &Running, id: &str) -> u32 {
    described(server, id).await.turn
}

/// Waits until a match has come to a turn.
async fn reached(server: &Running, id: &str, wanted: u32) {
    let began = Instant::now();
    while turn(server, id).await < wanted {
        assert!(began.elapsed() < Duration::from_secs(10), "turn {wanted} never comes");
        sleep(Duration::from_millis(20)).await;
    }
}

/// Follows a match as a spectator until a turn is resolved.
async fn watch_until(client: &mut Client, id: &str, last: u32) {
    let watch = v1::WatchRequest { match_id: id.to_owned(), after: 0, views: false, ..Default::default() };
    let mut news = client.play.watch(watch).await.expect("a stream").into_inner();
    while let Some(response) = news.message().await.expect("no error") {
        if let Some(What::Outcome(outcome)) = response.news.and_then(|news| news.what)
            && outcome.turn >= last
        {
            return;
        }
    }
    panic!("the match ended before turn {last}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_match_that_nobody_watches_is_played_slowly_and_a_watched_one_is_not() {
    let config = Config { unattended_turns_per_second: 10, watched_turns_per_second: 100, ..config() };
    let server = Running::start(&config).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(idlers(), None).await);
    let began = Instant::now();
    reached(&server, &id, 10).await;
    let slow = turn(&server, &id).await;
    assert!(f64::from(slow) <= 2.0 + 11.0 * began.elapsed().as_secs_f64(), "{slow} turns in {:?}", began.elapsed());
    let began = Instant::now();
    watch_until(&mut client, &id, slow + 200).await;
    let watched = began.elapsed();
    assert!(watched < Duration::from_secs(10), "{watched:?} for 200 turns is not the pace of watchers");
    assert!(watched > Duration::from_millis(1900), "{watched:?} for 200 turns is faster than watchers are shown them");
    sleep(Duration::from_millis(500)).await;
    let before = turn(&server, &id).await;
    sleep(Duration::from_secs(2)).await;
    let after = turn(&server, &id).await;
    assert!(after - before <= 25, "{} turns in two seconds after the watcher had gone", after - before);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn short_deadlines_do_not_make_it_faster() {
    let server = Running::start(&Config { unattended_turns_per_second: 5, ..config() }).await;
    let mut client = server.client().await;
    let hurry = v1::MatchSettings { planning_ms: Some(1), decision_ms: Some(1), ..idlers() };
    let began = Instant::now();
    let id = id_of(&client.create(hurry, None).await);
    reached(&server, &id, 8).await;
    let (turn, time) = (turn(&server, &id).await, began.elapsed());
    assert!(f64::from(turn) <= 2.0 + 6.0 * time.as_secs_f64(), "{turn} turns in {time:?} at five a second");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_watched_match_of_bots_has_an_end_too() {
    let config = Config { watched_turns: 30, watched_turns_per_second: 1000, ..config() };
    let server = Running::start(&config).await;
    let mut client = server.client().await;
    let id = id_of(&client.create(idlers(), None).await);
    let watch = v1::WatchRequest { match_id: id.clone(), after: 0, views: false, ..Default::default() };
    let mut news = client.play.watch(watch).await.expect("a stream").into_inner();
    while news.message().await.expect("no error").is_some() {}
    let found = described(&server, &id).await;
    assert_eq!((found.stage(), found.turn), (v1::MatchStage::Finished, 31));
    assert_eq!(found.stopped, "House bots played 30 turns without people (watched_turns).");
    server.stop().await;
}

#[tokio::test]
async fn it_ends_after_a_number_of_turns_also_across_a_crash() {
    async fn described(client: &mut Client, id: &str) -> v1::Match {
        let request = v1::GetMatchRequest { match_id: id.to_owned() };
        client.lobby.get_match(request).await.expect("a match").into_inner().r#match.expect("a match")
    }
    let folder = tempfile::tempdir().expect("a folder");
    let flags = ["--unattended-turns", "30", "--unattended-turns-per-second", "20"];
    let server = Process::start(folder.path(), &flags).await;
    let mut client = Client::connect(server.address).await;
    let id = id_of(&client.create(idlers(), None).await);
    while described(&mut client, &id).await.turn < 10 {
        sleep(Duration::from_millis(50)).await;
    }
    server.kill();
    let server = Process::start(folder.path(), &flags).await;
    let mut client = Client::connect(server.address).await;
    let began = Instant::now();
    let mut found = described(&mut client, &id).await;
    while found.stage() != v1::MatchStage::Finished {
        assert!(began.elapsed() < Duration::from_secs(20), "{found:?}");
        sleep(Duration::from_millis(50)).await;
        found = described(&mut client, &id).await;
    }
    assert_eq!(found.turn, 31);
    assert_eq!(found.stopped, "House bots played 30 turns and nobody watched (unattended_turns).");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_administrator_asks_for_runs_also_unwatched() {
    let folder = tempfile::tempdir().expect("a folder");
    let config = Config { store: Store::Embedded, data: folder.path().to_owned(), unattended_turns: 20, ..config() };
    let server = Running::start(&config).await;
    let token = std::fs::read_to_string(folder.path().join(ADMIN_TOKEN_FILE)).expect("a token");
    let settings = idlers().with_rules(r#"{"turn_limit": 60}"#);
    let request = v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() };
    let mut client = server.client().await;
    let created = client.lobby.create_match(bearer(token.trim(), request)).await.expect("a match").into_inner();
    let id = id_of(&created);
    let began = Instant::now();
    while described(&server, &id).await.stage() != v1::MatchStage::Finished {
        assert!(began.elapsed() < Duration::from_secs(20), "sixty turns at full speed take longer");
        sleep(Duration::from_millis(20)).await;
    }
    let found = described(&server, &id).await;
    assert!(found.result.is_some() && found.stopped.is_empty(), "{found:?}");
    server.stop().await;
}

/// How long a person's lock-in may take beside all of them, half of the time and ever. A queue in which the person stands
/// behind their turns would take as long as twenty of those each time.
const USUAL_WAIT: Duration = Duration::from_millis(250);
const LONGEST_WAIT: Duration = Duration::from_secs(2);

/// Many of them, as fast as they may, and a person who plays meanwhile.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn all_of_them_together_play_one_after_the_other_and_nobody_waits_for_them() {
    let server = Running::start(&Config { unattended_turns_per_second: 1000, ..config() }).await;
    let mut client = server.client().await;
    let own = id_of(&client.create(endless(7), None).await);
    let tokens = [client.join(&own, 0).await, client.join(&own, 1).await];
    let mut ids = Vec::new();
    for _ in 0..20 {
        ids.push(id_of(&client.create(idlers(), None).await));
    }
    let (began, mut waits) = (Instant::now(), Vec::new());
    for turn in 1.. {
        for token in &tokens {
            let (request_id, match_id) = (request_id(), own.clone());
            let sheet = Some(v1::Sheet::of_plunder(plunder::Sheet::default()));
            let asked = Instant::now();
            let lock = v1::LockInRequest { request_id, match_id, turn, sheet };
            client.play.lock_in(bearer(token, lock)).await.expect("locked in");
            waits.push(asked.elapsed());
            sleep(Duration::from_millis(20)).await;
        }
        if began.elapsed() > Duration::from_secs(3) {
            break;
        }
    }
    let mut turns = Vec::new();
    for id in &ids {
        turns.push(turn(&server, id).await);
    }
    let (least, most) = (*turns.iter().min().expect("turns"), *turns.iter().max().expect("turns"));
    assert!(least > 1, "each of them gets its turn: {turns:?}");
    assert!(most - least <= 2 + most / 4, "and none twice before the others: {turns:?}");
    waits.sort_unstable();
    let (usual, longest) = (waits[waits.len() / 2], waits[waits.len() - 1]);
    assert!(usual <= USUAL_WAIT && longest <= LONGEST_WAIT, "a person waited for {usual:?}, once for {longest:?}");
    server.stop().await;
}
