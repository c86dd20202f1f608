//! Streams are gapless, in order and exactly once, however often they are cut, and nobody pays for those who do not
//! read.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use crate::common::naval::Naval;
use crate::common::process::{Process, client, lazy};
use crate::common::stream::{NewsStream, Way, is_last, open};
use crate::common::{Client, Running, bearer, config, endless, id_of, reason, request_id, script, settings};
use futures_util::StreamExt;
use parley_bots::arms::Arms;
use parley_gateway::config::Config;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::news::What;
use prost::Message;
use tokio::sync::watch;
use tokio::task::JoinSet;
use tonic::Code;

/// How long anything may take before it hangs.
const PATIENCE: Duration = Duration::from_secs(60);

/// A match that one hand plays for all its seats, one call after the other.
#[derive(Clone)]
struct Solo {
    id: String,
    tokens: Vec<String>,
}

impl Solo {
    async fn found(client: &mut Client, settings: v1::MatchSettings) -> Self {
        let seats = settings.seats.len() as u32;
        let id = id_of(&client.create(settings, Some([5; 32])).await);
        let mut tokens = Vec::new();
        for seat in 0..seats {
            tokens.push(client.join(&id, seat).await);
        }
        Self { id, tokens }
    }

    async fn look(&self, client: &mut Client, seat: usize) -> v1::GetViewResponse {
        let request = bearer(&self.tokens[seat], v1::GetViewRequest { match_id: self.id.clone() });
        client.play.get_view(request).await.expect("a view").into_inner()
    }

    async fn lock(&self, client: &mut Client, seat: usize, turn: u32, sheet: plunder::Sheet) {
        let lock = v1::LockInRequest {
            request_id: request_id(),
            match_id: self.id.clone(),
            turn,
            sheet: Some(v1::Sheet::of_plunder(sheet)),
        };
        client.play.lock_in(bearer(&self.tokens[seat], lock)).await.expect("legal orders");
    }

    /// Plays a turn by the script; says whether it was the last.
    async fn play_turn(&self, client: &mut Client) -> bool {
        let mut turn = 0;
        for seat in 0..self.tokens.len() {
            let view = self.look(client, seat).await.view.and_then(Arms::into_plunder).expect("the match has begun");
            turn = view.turn;
            if script::is_alive(&view) {
                self.lock(client, seat, turn, script::sheet(1, &view)).await;
            }
        }
        loop {
            let mut asked = false;
            for seat in 0..self.tokens.len() {
                let Some(prompt) = self.look(client, seat).await.prompt else { continue };
                asked = true;
                let answer = v1::AnswerRequest {
                    request_id: request_id(),
                    match_id: self.id.clone(),
                    turn,
                    window: prompt.window,
                    answers: script::answers(1, &prompt),
                };
                client.play.answer(bearer(&self.tokens[seat], answer)).await.expect("good answers");
            }
            if !asked {
                return self.look(client, 0).await.phase() == v1::Phase::Over;
            }
        }
    }

    /// Plays a turn in which nobody does anything.
    async fn pass_turn(&self, client: &mut Client, turn: u32) {
        for seat in 0..self.tokens.len() {
            self.lock(client, seat, turn, plunder::Sheet::default()).await;
        }
    }
}

/// Follows a match to its end, wherever the server goes.
async fn follow(mut server: watch::Receiver<SocketAddr>, id: String, token: String, way: Way) -> Vec<Vec<u8>> {
    let mut told: Vec<Vec<u8>> = Vec::new();
    let mut client = lazy(*server.borrow());
    loop {
        let cut = match open(&mut client, &id, &token, way, told.len() as u64).await {
            Err(status) => Some(status),
            Ok(mut stream) => loop {
                match stream.next().await.expect("the stream goes on as long as the match") {
                    Err(status) => break Some(status),
                    Ok(news) => {
                        told.push(crate::common::told(news.clone()));
                        assert_eq!(news.cursor, told.len() as u64, "a gap or a repetition for {way:?}");
                        if is_last(&news) {
                            return told;
                        }
                        if way.restless {
                            break None;
                        }
                    }
                }
            },
        };
        if let Some(status) = cut {
            let expected = ["", "DRAINING"].contains(&reason(&status).as_str());
            assert!(expected, "{way:?} was refused: {status:?}");
            server.changed().await.expect("the test goes on");
            client = lazy(*server.borrow());
        }
    }
}

/// Few enough turns between snapshots that streams are resumed from those too.
const FLAGS: [&str; 2] = ["--snapshot-every-turns", "4"];

/// Starts the server anew: after an orderly end, or after none.
async fn again(server: Process, orderly: bool, data: &Path) -> Process {
    if orderly {
        server.terminate();
        assert!(server.ended(PATIENCE).await.success());
    } else {
        server.kill();
    }
    Process::start(data, &FLAGS).await
}

/// Plays a match with everybody watching; before these turns the server is started anew, in order or not.
async fn watched(fog: bool, restarts: &[(u32, bool)]) -> BTreeMap<Way, Vec<Vec<u8>>> {
    let folder = tempfile::tempdir().expect("a folder");
    let mut server = Process::start(folder.path(), &FLAGS).await;
    let address = watch::Sender::new(server.address);
    let mut client = lazy(server.address);
    let settings = v1::MatchSettings {
        spectator_delay_turns: 2,
        lock_disclosure: v1::LockDisclosure::Who.into(),
        ..settings(3, 11).with_changes(r#"{"turn_limit": 14}"#).with_fog(fog)
    };
    let solo = Solo::found(&mut client, settings).await;
    let mut following = JoinSet::new();
    for way in Way::all() {
        let token = if way.seat { solo.tokens[1].clone() } else { String::new() };
        let (address, id) = (address.subscribe(), solo.id.clone());
        following.spawn(async move { (way, follow(address, id, token, way).await) });
    }
    for turn in 1.. {
        if let Some((_, orderly)) = restarts.iter().find(|(before, _)| *before == turn) {
            server = again(server, *orderly, folder.path()).await;
            client = lazy(server.address);
            address.send_replace(server.address);
        }
        if solo.play_turn(&mut client).await {
            break;
        }
    }
    let told = tokio::time::timeout(PATIENCE, following.join_all()).await.expect("everybody is told the end");
    told.into_iter().collect()
}

async fn cuts_are_not_seen(fog: bool) {
    let quiet = watched(fog, &[]).await;
    let steady = |way: &Way| !way.session && !way.restless;
    let told: BTreeMap<_, _> = quiet.iter().filter(|(way, _)| steady(way)).map(|(way, n)| (way.viewer(), n)).collect();
    assert_eq!(told.len(), 4);
    assert_ne!(told[&(true, true)], told[&(true, false)], "views are more");
    assert_ne!(told[&(true, true)], told[&(false, true)], "a seat sees something else than spectators");
    let disturbed = watched(fog, &[(3, true), (7, false), (8, true)]).await;
    for (way, news) in quiet.iter().chain(&disturbed) {
        assert!(news == told[&way.viewer()], "{way:?} was told something else");
    }
    assert_eq!(quiet.len() + disturbed.len(), 32);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_resumes_after_every_message_sees_what_the_others_see() {
    cuts_are_not_seen(false).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_resumes_after_every_message_in_fog_sees_what_the_others_see() {
    cuts_are_not_seen(true).await;
}

const WATCH: Way = Way { session: false, seat: false, views: true, restless: false };

/// The next news in time.
async fn next(stream: &mut NewsStream) -> v1::News {
    let news = tokio::time::timeout(PATIENCE, stream.next()).await.expect("news in time");
    news.expect("the stream goes on").expect("no error")
}

/// A client whose streams take few bytes before they are read.
fn narrow(address: SocketAddr) -> Client {
    let endpoint = tonic::transport::Endpoint::from_shared(format!("http://{address}")).expect("an address");
    client(&endpoint.initial_stream_window_size(4096))
}

#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn watchers_who_do_not_read_cost_little_and_disturb_nobody() {
    const SLEEPERS: usize = 100;
    const TURNS: u32 = 300;
    /// What a server may grow by: what waits for each sleeper is limited.
    const GROWTH: u64 = 48 << 20;
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &["--store", "memory"]).await;
    let mut player = lazy(server.address);
    let wide = plunder::GeneratedMap { seed: Some(1), width: 72, height: 72, ..plunder::GeneratedMap::default() };
    let solo = Solo::found(&mut player, endless(3).with_map(Source::Generated(wide))).await;
    let mut crowd = narrow(server.address);
    let mut sleepers = Vec::new();
    for number in 0..SLEEPERS {
        let way = Way { seat: number % 2 == 0, ..WATCH };
        let token = if way.seat { solo.tokens[0].as_str() } else { "" };
        sleepers.push(open(&mut crowd, &solo.id, token, way, 0).await.expect("a stream"));
    }
    // One who reads shares the connection with those who do not, one has a connection of its own.
    let mut readers = Vec::new();
    for client in [&mut crowd, &mut player] {
        readers.push(open(client, &solo.id, "", WATCH, 0).await.expect("a stream"));
    }
    let mut told: Vec<Vec<v1::News>> = vec![Vec::new(); readers.len()];
    let mut before = 0;
    for turn in 1..=TURNS {
        solo.pass_turn(&mut player, turn).await;
        for (reader, told) in readers.iter_mut().zip(&mut told) {
            while !matches!(told.last().map(|n| &n.what), Some(Some(What::Outcome(o))) if o.turn == turn) {
                told.push(next(reader).await);
            }
        }
        if turn == TURNS / 10 {
            before = server.memory();
        }
    }
    let grown = server.memory().saturating_sub(before);
    let waiting = SLEEPERS as u64 * told[0].iter().map(|news| news.encoded_len() as u64).sum::<u64>();
    assert!(waiting > 3 * GROWTH, "only {waiting} bytes wait, which proves nothing");
    assert!(grown < GROWTH, "the server has grown by {grown} bytes while {waiting} were not read");
    assert_eq!(told[0], told[1]);
    for mut sleeper in sleepers.into_iter().skip(SLEEPERS - 2) {
        let seat = told[0].len();
        for cursor in 1..=seat as u64 {
            assert_eq!(next(&mut sleeper).await.cursor, cursor, "who wakes at last has missed nothing");
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_is_too_far_behind_gets_a_view_and_goes_on_from_there() {
    const BACKLOG: u64 = 20;
    const TURNS: u32 = 90;
    let server = Running::start(&Config { watch_backlog: BACKLOG, ..config() }).await;
    let mut player = server.client().await;
    let solo = Solo::found(&mut player, endless(3)).await;
    for turn in 1..=TURNS {
        solo.pass_turn(&mut player, turn).await;
    }
    for way in Way::all().filter(|way| !way.restless) {
        let token = if way.seat { solo.tokens[0].as_str() } else { "" };
        let mut late = open(&mut player, &solo.id, token, way, 1).await.expect("a stream");
        let required = next(&mut late).await;
        let Some(What::SnapshotRequired(required)) = &required.what else { panic!("{required:?}") };
        let request = bearer(token, v1::GetViewRequest { match_id: solo.id.clone() });
        let view = player.play.get_view(request).await.expect("a view").into_inner();
        assert_eq!(
            (view.cursor, view.view.and_then(Arms::into_plunder).expect("a view").turn),
            (required.newest, TURNS + 1)
        );
        let mut in_time = open(&mut player, &solo.id, token, way, required.newest - BACKLOG).await.expect("a stream");
        for cursor in required.newest - BACKLOG + 1..=required.newest {
            assert_eq!(next(&mut in_time).await.cursor, cursor);
        }
    }
    let view = solo.look(&mut player, 1).await;
    let seat = Way { seat: true, ..WATCH };
    let mut stream = open(&mut player, &solo.id, &solo.tokens[1], seat, view.cursor).await.expect("a stream");
    for turn in TURNS + 1..TURNS + 40 {
        solo.pass_turn(&mut player, turn).await;
        let news = next(&mut stream).await;
        assert_eq!(news.cursor, view.cursor + u64::from(turn - TURNS));
        assert!(matches!(news.what, Some(What::Outcome(outcome)) if outcome.turn == turn));
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn who_sleeps_longer_than_the_backlog_is_told_so_and_never_skips() {
    const BACKLOG: u64 = 20;
    let server = Running::start(&Config { watch_backlog: BACKLOG, ..config() }).await;
    let mut player = server.client().await;
    let solo = Solo::found(&mut player, endless(3)).await;
    let mut crowd = narrow(server.address);
    let mut sleeper = open(&mut crowd, &solo.id, "", WATCH, 0).await.expect("a stream");
    for turn in 1..=400 {
        solo.pass_turn(&mut player, turn).await;
    }
    let mut cursor = 0;
    let newest = loop {
        let news = next(&mut sleeper).await;
        if let Some(What::SnapshotRequired(required)) = news.what {
            break required.newest;
        }
        assert_eq!(news.cursor, cursor + 1);
        cursor = news.cursor;
    };
    assert!(newest - cursor > BACKLOG, "told too early: {cursor} of {newest}");
    assert!(sleeper.next().await.is_none(), "the stream ends there");
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_cursor_from_the_future_is_refused() {
    let server = Running::start(&config()).await;
    let mut player = server.client().await;
    let solo = Solo::found(&mut player, endless(3)).await;
    let newest = solo.look(&mut player, 0).await.cursor;
    for way in Way::all().filter(|way| !way.restless) {
        let token = if way.seat { solo.tokens[0].as_str() } else { "" };
        let refused = open(&mut player, &solo.id, token, way, newest + 1).await.err().expect("not in the future");
        assert_eq!(refused.code(), Code::InvalidArgument);
        let named = if way.session { refused.message().to_owned() } else { reason(&refused) };
        assert_eq!(named.trim_start_matches("REASON_"), "CURSOR_UNKNOWN");
        drop(open(&mut player, &solo.id, token, way, newest).await.expect("the newest is good"));
    }
    server.stop().await;
}
