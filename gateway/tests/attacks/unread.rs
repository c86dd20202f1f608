//! Answers that nobody reads: every stream has a window of 0, or one that is soon used up, so that the server has to keep
//! all that it wants to say.

use std::time::Duration;

use crate::common::naval::{Naval, asking};
use bytes::Bytes;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use parley_proto::v1::session_request::What;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::attack_run::Aim;
use super::wire::{BEGUN, Counter, LET_GO, RawConnection, Tally, framed, read, read_counting, request_id};
use super::{Wave, wave};

/// How many calls go over one connection.
const PER_CONNECTION: usize = 200;
/// How many turns the match has that is asked for.
const TURNS: u32 = 32;
/// How many turns a match has with more news than are read from the journal at once, and how long the sides of its map are.
const LONG_TURNS: u32 = 100;
const LONG_SIDE: u32 = 16;
/// How long the match may take to be created, and to be over.
const OVER_WITHIN: Duration = Duration::from_secs(120);

/// How many sessions are opened, and how many calls each of them has open, which are as many as it may.
const SESSIONS: usize = 64;
const SESSION_CALLS: u64 = 64;
/// The window of their streams: the answer to the first call fits into it, and large ones do not.
const SESSION_WINDOW: u32 = 1024;
/// How long the sides of the map are that a fast fleet sails on, how many ships it has, and how far each sails in a turn.
const FLEET_SIDE: usize = 120;
const FLEET_SHIPS: u32 = 64;
const FLEET_SPEED: u32 = 32;

/// The settings of a match of two house bots that hold, on a square map.
pub fn bots_on(side: u32, seed: u64, turns: u32) -> v1::MatchSettings {
    let generated =
        plunder::GeneratedMap { seed: Some(seed), width: side, height: side, ..plunder::GeneratedMap::default() };
    v1::MatchSettings {
        seats: vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2],
        start_when_full: true,
        ..v1::MatchSettings::default()
            .with_map(Source::Generated(generated))
            .with_rules(format!(r#"{{"turn_limit": {turns}}}"#))
    }
}

/// A request for a match.
pub fn creation(settings: v1::MatchSettings) -> Bytes {
    framed(&v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() })
}

/// Plays a match of house bots on the largest map to its end, and gives its id. It is watched, so that it runs.
pub async fn large_match(aim: &Aim) -> Result<String, String> {
    finished_match(aim, TURNS).await
}

/// Plays a match of house bots of so many turns to its end, and gives its id.
async fn finished_match(aim: &Aim, turns: u32) -> Result<String, String> {
    let connection = aim.connect().await.map_err(|error| error.to_string())?;
    let create = creation(bots_on(aim.side, aim.seed, turns));
    // The largest maps take long to draw for a server that is built for debugging.
    let creating = connection.send("Lobby/CreateMatch", "", create).await.map_err(|error| error.to_string())?;
    let answer = timeout(OVER_WITHIN, read(creating)).await;
    let answer = answer.map_err(|_| format!("no match after {OVER_WITHIN:?}"))?.map_err(|error| error.to_string())?;
    let created: Option<v1::CreateMatchResponse> = answer.message();
    let created = created.ok_or_else(|| format!("creation: {} {}", answer.name(), answer.reason))?;
    let id = created.r#match.expect("a match").match_id;
    let watch = framed(&v1::WatchRequest { match_id: id.clone(), ..v1::WatchRequest::default() });
    let watching = connection.send("Play/Watch", "", watch).await.map_err(|error| error.to_string())?;
    let ended = timeout(OVER_WITHIN, read(watching)).await;
    ended.map_err(|_| format!("the match is not over after {OVER_WITHIN:?}"))?.map_err(|error| error.to_string())?;
    Ok(id)
}

/// Makes the same call many times and reads no answer, until it is time or the server has ended all of them.
async fn leave_unread(aim: Aim, method: &str, body: Bytes, count: usize) -> Tally {
    let grpc = |connection: &RawConnection| {
        connection.post(method).header("content-type", "application/grpc").header("te", "trailers")
    };
    leave_requests_unread(aim, grpc, body, count).await
}

/// Sends the same request many times and reads no answer, until it is time or the server has ended all of them.
async fn leave_requests_unread(
    aim: Aim,
    request: impl Fn(&RawConnection) -> http::request::Builder,
    body: Bytes,
    count: usize,
) -> Tally {
    let (mut tally, mut connections, mut answers) = (Tally::default(), Vec::new(), JoinSet::new());
    let begun = Counter::default();
    for first in (0..count).step_by(PER_CONNECTION) {
        let Ok(connection) = RawConnection::with_window(aim.server, aim.source, 0).await else {
            tally.count("connections refused");
            continue;
        };
        for _ in first..count.min(first + PER_CONNECTION) {
            let begun = begun.clone();
            let sent = connection.begin_request(request(&connection)).await;
            match sent.and_then(|(answer, mut stream)| stream.send_data(body.clone(), true).map(|()| answer)) {
                Ok(answer) => drop(answers.spawn(async move {
                    let read = read_counting(answer, &begun).await;
                    read.map_or(LET_GO.to_owned(), |answer| answer.name())
                })),
                Err(_) => tally.count("calls refused"),
            }
        }
        connections.push(connection);
    }
    tally.count_until(aim.until, answers).await;
    tally.count_all(BEGUN, begun.get());
    tally
}

/// 400 times 32 turns of the largest map.
pub async fn turns(aim: Aim) -> Result<Wave, String> {
    of_large_match(aim, "Archive/GetTurns", 400, |match_id| {
        framed(&v1::GetTurnsRequest { match_id, ..v1::GetTurnsRequest::default() })
    })
    .await
}

/// 2,400 views of the largest map.
pub async fn views(aim: Aim) -> Result<Wave, String> {
    of_large_match(aim, "Play/GetView", 2400, |match_id| framed(&v1::GetViewRequest { match_id })).await
}

/// 200 streams of news with views.
pub async fn news(aim: Aim) -> Result<Wave, String> {
    let watch = |match_id| framed(&v1::WatchRequest { match_id, after: 0, views: true, ..Default::default() });
    of_large_match(aim, "Play/Watch", 200, watch).await
}

/// 200 streams of news from the beginning, which are so many and so small that the journal is read twice for what is
/// sent at once.
pub async fn histories(aim: Aim) -> Result<Wave, String> {
    let match_id = finished_match(&Aim { side: LONG_SIDE, ..aim }, LONG_TURNS).await?;
    let watch = framed(&v1::WatchRequest { match_id, ..v1::WatchRequest::default() });
    Ok(wave(move |aim| leave_unread(aim, "Play/Watch", watch.clone(), aim.of(200))))
}

/// 64 sessions of a player with 64 fast ships, each with 64 calls for views and legal orders.
pub async fn sessions(aim: Aim) -> Result<Wave, String> {
    let (match_id, token) = fast_fleet(&aim).await.ok_or("there is no seat to ask from")?;
    Ok(wave(move |aim| leave_sessions_unread(aim, match_id.clone(), token.clone())))
}

/// A match against a house bot with many ships that sail far, and the token of a seat in it.
async fn fast_fleet(aim: &Aim) -> Option<(String, String)> {
    let (mut rows, middle) = (vec![".".repeat(FLEET_SIDE); FLEET_SIDE], FLEET_SIDE / 2);
    rows[0].replace_range(0..1, "H");
    rows[middle].replace_range(middle..=middle, "H");
    let half = middle as i32;
    let starts = vec![common::Hex { q: half - half / 2, r: half }, common::Hex { q: 0, r: 0 }];
    let drawn = plunder::DrawnMap { rows, wrap: false, starts };
    let class = format!(
        r#"{{"key": "ship", "domain": "naval", "hull": 10, "speed": {FLEET_SPEED}, "cannons": 0, "vision": 2,
            "build_cost": 50, "build_turns": 3}}"#
    );
    let mut settings = bots_on(0, 0, 0).with_map(Source::Drawn(drawn)).with_rules(format!(
        r#"{{"turn_limit": 0, "classes": [{class}], "economy": {{"start_ships": {FLEET_SHIPS}}}}}"#
    ));
    settings.seats[0].house_bot.clear();
    let connection = aim.connect().await.ok()?;
    let answer = connection.call("Lobby/CreateMatch", "", creation(settings)).await.ok()?;
    let match_id = answer.message::<v1::CreateMatchResponse>()?.r#match?.match_id;
    let join = v1::JoinMatchRequest {
        request_id: request_id(),
        match_id: match_id.clone(),
        seat: Some(0),
        ..v1::JoinMatchRequest::default()
    };
    let answer = connection.call("Lobby/JoinMatch", "", framed(&join)).await.ok()?;
    Some((match_id, answer.message::<v1::JoinMatchResponse>()?.player_token))
}

/// Opens sessions, calls as often as each may, and reads no answer but the first, until it is time or the server has
/// ended all of them.
async fn leave_sessions_unread(aim: Aim, match_id: String, token: String) -> Tally {
    let (mut tally, mut sessions) = (Tally::default(), JoinSet::new());
    let begun = Counter::default();
    for _ in 0..aim.of(SESSIONS) {
        let Ok(connection) = RawConnection::with_window(aim.server, aim.source, SESSION_WINDOW).await else {
            tally.count("connections refused");
            continue;
        };
        let (match_id, token, begun) = (match_id.clone(), token.clone(), begun.clone());
        sessions.spawn(async move {
            let ended = leave_session_unread(&connection, match_id, &token, &begun).await;
            ended.map_or(LET_GO, |()| "ended")
        });
    }
    tally.count_until(aim.until, sessions).await;
    tally.count_all(BEGUN, begun.get());
    tally
}

/// Opens a session and leaves everything unread that it answers; comes back when the server has ended it.
async fn leave_session_unread(
    connection: &RawConnection,
    match_id: String,
    token: &str,
    begun: &Counter,
) -> Result<(), h2::Error> {
    let call =
        |call: u64, what: What| framed(&v1::SessionRequest { call, what: Some(what), ..v1::SessionRequest::default() });
    let (answer, mut calls) = connection.begin("Play/Session", token).await?;
    calls.send_data(call(1, What::Open(v1::SessionOpen { match_id, ..v1::SessionOpen::default() })), false)?;
    let mut answers = answer.await?.into_body();
    let Some(opened) = answers.data().await else { return Ok(()) };
    opened?;
    begun.count();
    let mut all = Vec::new();
    for number in 0..SESSION_CALLS {
        all.extend(match number % 4 {
            0 => call(number + 2, What::GetView(v1::GetViewRequest::default())),
            _ => call(number + 2, What::Advise(asking("", Query::Options(plunder::OptionsQuery::default())))),
        });
    }
    calls.send_data(all.into(), false)?;
    // What comes is not taken out of the window.
    while let Some(piece) = answers.data().await {
        piece?;
    }
    Ok(())
}

/// 400 replays.
pub async fn replays(aim: Aim) -> Result<Wave, String> {
    of_large_match(aim, "Archive/GetReplay", 400, |match_id| framed(&v1::GetReplayRequest { match_id })).await
}

/// 400 times 32 turns of the largest map, in base64 as gRPC-web sends it to browsers: what is translated on its way out
/// counts as well.
pub async fn texts(aim: Aim) -> Result<Wave, String> {
    let match_id = large_match(&aim).await?;
    let body = framed(&v1::GetTurnsRequest { match_id, ..v1::GetTurnsRequest::default() });
    let text = |connection: &RawConnection| {
        let request = connection.post("Archive/GetTurns").header("content-type", "application/grpc-web+proto");
        request.header("accept", "application/grpc-web-text")
    };
    Ok(wave(move |aim| leave_requests_unread(aim, text, body.clone(), aim.of(400))))
}

/// 1,000 times the script of the page, which nobody has to call a service for.
pub async fn pages(_: Aim) -> Result<Wave, String> {
    Ok(wave(|aim| leave_requests_unread(aim, |connection| connection.get("/page.js"), Bytes::new(), aim.of(1000))))
}

/// Plays a match before anything is attacked, and then asks for it again and again.
async fn of_large_match(
    aim: Aim,
    method: &'static str,
    count: usize,
    body: impl Fn(String) -> Bytes,
) -> Result<Wave, String> {
    let body = body(large_match(&aim).await?);
    Ok(wave(move |aim| leave_unread(aim, method, body.clone(), aim.of(count))))
}

#[cfg(test)]
mod tests {
    use std::net::SocketAddr;
    use std::time::Duration;

    use tokio::time::{Instant, sleep, timeout};

    use super::*;
    use crate::attacks::Attack;
    use crate::attacks::attack_run::{Aim, AttackRun, HONEST};
    use crate::attacks::wire::OPEN;

    /// How many seconds servers are told to keep what nobody reads.
    const UNREAD_SECONDS: &str = "5";
    /// When they are to have let go of it at the latest.
    const LET_GO_WITHIN: u64 = 20;
    /// How many seconds memory is looked at where that is all there is to see.
    const LOOK_FOR: u64 = 8;
    /// How many seconds it is looked at where the server has to work for what is kept.
    const LOOK_LONG: u64 = 15;
    /// How long somebody honest may wait for turns of a match that is over.
    const TURNS_WITHIN: Duration = Duration::from_secs(5);

    async fn attack(name: &str, seconds: u64) {
        let attack = Attack::named(name);
        let tiles = (attack.side * attack.side).to_string();
        let mut attack_run = AttackRun::begin(&[("max_map_tiles", &tiles), ("unread_seconds", UNREAD_SECONDS)]).await;
        let tally = attack_run.stand(attack, seconds).await;
        if seconds == LET_GO_WITHIN {
            let open = tally.of(OPEN);
            attack_run.expect(open == 0, || format!("{open} answers that nobody reads are kept for {seconds} s"));
        }
        attack_run.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes up to 25 seconds; .ci/run runs it"]
    async fn who_does_not_read_turns_is_let_go() {
        attack("unread-turns", LET_GO_WITHIN).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes up to 25 seconds; .ci/run runs it"]
    async fn who_does_not_read_turns_that_are_translated_for_browsers_is_let_go() {
        attack("unread-texts", LET_GO_WITHIN).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn who_does_not_read_pages_is_let_go() {
        attack("unread-pages", LET_GO_WITHIN).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn turns_of_huge_maps_that_nobody_reads_stay_within_the_budget() {
        attack("unread-huge-turns", LOOK_FOR).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn views_that_nobody_reads_stay_within_the_budget() {
        attack("unread-huge-views", LOOK_FOR).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn news_that_nobody_reads_stay_within_the_budget() {
        attack("unread-news", LOOK_FOR).await;
    }

    /// Asks for the turns of a match that is over again and again until it is time, and gives the longest wait.
    async fn read_turns(server: SocketAddr, match_id: String, until: Instant) -> Result<Duration, String> {
        let connection = RawConnection::open(server, HONEST).await.map_err(|error| error.to_string())?;
        let turns = framed(&v1::GetTurnsRequest { match_id, ..v1::GetTurnsRequest::default() });
        let mut longest = Duration::ZERO;
        while Instant::now() < until {
            let began = Instant::now();
            let answer = timeout(TURNS_WITHIN, connection.call("Archive/GetTurns", "", turns.clone())).await;
            let answer = answer.map_err(|_| format!("nothing within {TURNS_WITHIN:?}"))?;
            let answer = answer.map_err(|error| error.to_string())?;
            if answer.status != Some(0) {
                return Err(format!("{} {}", answer.name(), answer.reason));
            }
            longest = longest.max(began.elapsed());
            sleep(Duration::from_millis(100)).await;
        }
        Ok(longest)
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 15 seconds; .ci/run runs it"]
    async fn who_does_not_read_a_long_history_holds_up_nobody_who_reads_one() {
        let attack = Attack::named("unread-histories");
        let mut attack_run = AttackRun::begin(&[]).await;
        let honest = Aim { source: HONEST, side: 16, ..attack_run.aim(0) };
        let match_id = large_match(&honest).await.expect("a match that is over");
        let wave = attack.prepare(attack_run.aim(0)).await.expect("a match to follow");
        let aim = attack_run.aim(LOOK_FOR);
        let (tally, waited) = tokio::join!(wave(aim), read_turns(aim.server, match_id, aim.until));
        let fault = attack.fault(&tally);
        attack_run.expect(fault.is_none(), || fault.unwrap_or_default());
        attack_run.expect(waited.is_ok(), || format!("somebody honest who asks for turns gets {waited:?}"));
        attack_run.end(attack.name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 25 seconds; .ci/run runs it"]
    async fn sessions_that_nobody_reads_stay_within_the_budget() {
        let attack = Attack::named("unread-sessions");
        // As long as they are looked at, nobody is let go.
        let mut attack_run = AttackRun::begin(&[]).await;
        let tally = attack_run.stand(attack, LOOK_LONG).await;
        attack_run.end(attack.name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn replays_that_nobody_reads_stay_within_the_budget() {
        attack("unread-replays", LOOK_FOR).await;
    }
}
