//! Answers that nobody reads: every stream has a window of 0, so that the server has to keep all that it wants to say.

use std::time::Duration;

use bytes::Bytes;
use h2::client::ResponseFuture;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::{Instant, timeout};

use super::siege::Aim;
use super::wire::{LET_GO, Line, Tally, framed, read, request_id};

/// How many calls go over one connection.
const PER_CONNECTION: usize = 200;
/// How many turns the match has that is asked for.
const TURNS: u32 = 32;
/// How long the match may take to be over.
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
    let line = aim.line().await.map_err(|error| error.to_string())?;
    let create = creation(bots_on(aim.side, aim.seed, TURNS));
    let answer = line.call("Lobby/CreateMatch", "", create).await.map_err(|error| error.to_string())?;
    let created: v1::CreateMatchResponse = answer.message().ok_or_else(|| format!("creation: {}", answer.name()))?;
    let id = created.r#match.expect("a match").match_id;
    let watch = framed(&v1::WatchRequest { match_id: id.clone(), ..v1::WatchRequest::default() });
    let watching = line.send("Play/Watch", "", watch).await.map_err(|error| error.to_string())?;
    let ended = timeout(OVER_WITHIN, read(watching)).await;
    ended.map_err(|_| format!("the match is not over after {OVER_WITHIN:?}"))?.map_err(|error| error.to_string())?;
    Ok(id)
}

/// Makes the same call many times and reads no answer, until it is time or the server has ended all of them.
async fn leave_unread(aim: &Aim, method: &str, body: &Bytes, count: usize) -> Tally {
    let (mut tally, mut lines, mut answers) = (Tally::default(), Vec::new(), JoinSet::new());
    for first in (0..count).step_by(PER_CONNECTION) {
        let Ok(line) = Line::with_window(aim.server, aim.source, 0).await else {
            tally.count("connections refused");
            continue;
        };
        for _ in first..count.min(first + PER_CONNECTION) {
            match line.send(method, "", body.clone()).await {
                Ok(answer) => drop(answers.spawn(outcome(answer))),
                Err(_) => tally.count("calls refused"),
            }
        }
        lines.push(line);
    }
    tally.count_until(aim.until, answers).await;
    tally
}

/// What came of a call whose answer was not read.
async fn outcome(answer: ResponseFuture) -> String {
    match read(answer).await {
        Ok(answer) => answer.name(),
        Err(_) => LET_GO.to_owned(),
    }
}

/// 400 times 32 turns of the largest map.
pub async fn turns(aim: Aim) -> Tally {
    of_large_match(aim, "Archive/GetTurns", 400, |match_id| {
        framed(&v1::GetTurnsRequest { match_id, ..v1::GetTurnsRequest::default() })
    })
    .await
}

/// 2,400 views of the largest map.
pub async fn views(aim: Aim) -> Tally {
    of_large_match(aim, "Play/GetView", 2400, |match_id| framed(&v1::GetViewRequest { match_id })).await
}

/// 200 streams of news with views.
pub async fn news(aim: Aim) -> Tally {
    let watch = |match_id| framed(&v1::WatchRequest { match_id, after: 0, views: true });
    of_large_match(aim, "Play/Watch", 200, watch).await
}

/// 400 replays.
pub async fn replays(aim: Aim) -> Tally {
    of_large_match(aim, "Archive/GetReplay", 400, |match_id| framed(&v1::GetReplayRequest { match_id })).await
}

async fn of_large_match(aim: Aim, method: &str, count: usize, body: impl Fn(String) -> Bytes) -> Tally {
    let begun = Instant::now();
    match large_match(&aim).await {
        // Until the match was over nothing was attacked.
        Ok(id) => {
            let aim = Aim { until: aim.until + begun.elapsed(), ..aim };
            leave_unread(&aim, method, &body(id), aim.of(count)).await
        }
        Err(error) => {
            let mut tally = Tally::default();
            tally.count("no match to ask for");
            tally.count(error);
            tally
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::HUGE;
    use crate::attacks::siege::Siege;
    use crate::attacks::wire::OPEN;

    /// How many seconds servers are told to keep what nobody reads.
    const UNREAD_SECONDS: &str = "5";
    /// When they are to have let go of it at the latest.
    const LET_GO_WITHIN: u64 = 20;
    /// How many seconds memory is looked at where that is all there is to see.
    const LOOK_FOR: u64 = 8;

    async fn attack<F: Future<Output = Tally>>(name: &str, side: u32, seconds: u64, wave: impl FnOnce(Aim) -> F) {
        let tiles = (side * side).to_string();
        let mut siege = Siege::begin(&[("max_map_tiles", &tiles), ("unread_seconds", UNREAD_SECONDS)]).await;
        let aim = Aim { side, ..siege.aim(seconds) };
        let tally = siege.attacked(aim, wave(aim)).await;
        let none = tally.of("no match to ask for");
        siege.expect(none == 0, || format!("the attack did not come about: {tally}"));
        if seconds == LET_GO_WITHIN {
            let open = tally.of(OPEN);
            siege.expect(open == 0, || format!("{open} answers that nobody reads are kept for {seconds} s"));
        }
        siege.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes up to 25 seconds; .ci/run runs it"]
    async fn who_does_not_read_turns_is_let_go() {
        attack("unread turns", 128, LET_GO_WITHIN, turns).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn turns_of_huge_maps_that_nobody_reads_stay_within_the_budget() {
        attack("unread turns of a huge map", HUGE, LOOK_FOR, turns).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn views_that_nobody_reads_stay_within_the_budget() {
        attack("unread views of a huge map", HUGE, LOOK_FOR, views).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn news_that_nobody_reads_stay_within_the_budget() {
        attack("unread news", 128, LOOK_FOR, news).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn replays_that_nobody_reads_stay_within_the_budget() {
        attack("unread replays", 128, LOOK_FOR, replays).await;
    }
}
