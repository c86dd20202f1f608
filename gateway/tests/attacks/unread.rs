//! Answers that nobody reads: every stream has a window of 0, so that the server has to keep all that it wants to say.

use std::time::Duration;

use bytes::Bytes;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::timeout;

use super::attack_run::Aim;
use super::wire::{BEGUN, Counter, LET_GO, RawConnection, Tally, framed, read, read_counting, request_id};
use super::{Wave, wave};

/// How many calls go over one connection.
const PER_CONNECTION: usize = 200;
/// How many turns the match has that is asked for.
const TURNS: u32 = 32;
/// How long the match may take to be created, and to be over.
const OVER_WITHIN: Duration = Duration::from_secs(120);

/// The settings of a match of two house bots that hold, on a square map.
pub fn bots_on(side: u32, seed: u64, turns: u32) -> v1::MatchSettings {
    let generated = v1::GeneratedMap { seed: Some(seed), width: side, height: side, ..v1::GeneratedMap::default() };
    v1::MatchSettings {
        map: Some(v1::MapChoice { source: Some(v1::map_choice::Source::Generated(generated)) }),
        seats: vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2],
        rules: format!(r#"{{"turn_limit": {turns}}}"#),
        start_when_full: true,
        ..v1::MatchSettings::default()
    }
}

/// A request for a match.
pub fn creation(settings: v1::MatchSettings) -> Bytes {
    framed(&v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() })
}

/// Plays a match of house bots on the largest map to its end, and gives its id. It is watched, so that it runs.
pub async fn large_match(aim: &Aim) -> Result<String, String> {
    let connection = aim.connect().await.map_err(|error| error.to_string())?;
    let create = creation(bots_on(aim.side, aim.seed, TURNS));
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
    let watch = |match_id| framed(&v1::WatchRequest { match_id, after: 0, views: true });
    of_large_match(aim, "Play/Watch", 200, watch).await
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
    use crate::attacks::Attack;
    use crate::attacks::attack_run::AttackRun;
    use crate::attacks::wire::OPEN;

    /// How many seconds servers are told to keep what nobody reads.
    const UNREAD_SECONDS: &str = "5";
    /// When they are to have let go of it at the latest.
    const LET_GO_WITHIN: u64 = 20;
    /// How many seconds memory is looked at where that is all there is to see.
    const LOOK_FOR: u64 = 8;

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

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn replays_that_nobody_reads_stay_within_the_budget() {
        attack("unread-replays", LOOK_FOR).await;
    }
}
