//! Calls that are cheap to make and dear to answer.

use std::net::Ipv4Addr;
use std::time::Duration;

use crate::common::naval::{Naval, asking};
use bytes::Bytes;
use parley_bots::arms::Arms;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::plunder::v1::query::Query;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};

use super::attack_run::Aim;
use super::unread::{bots_on, creation, large_match};
use super::wire::{LATE, LET_GO, RawConnection, Tally, framed, read, request_id};
use super::{Wave, wave};

/// How many large maps are asked for at once.
const CREATIONS: usize = 24;
/// How many calls of a flood are open at a time.
const AT_ONCE: usize = 64;

/// What is counted of turns that were resolved of matches with thousands of ships.
pub const TURNS_RESOLVED: &str = "turns resolved";
/// How many matches with thousands of ships are asked for, which is more than there is room for.
const FLEETS: usize = 6;
/// Why one more of them is refused where those that there are leave no room.
const NO_ROOM: &str = "TOO_MANY_MATCHES_IN_MEMORY";
/// How often the first of them is asked for until there is room for it, and after how long again.
const MOST_TRIES: usize = 100;
const NEXT_TRY: Duration = Duration::from_millis(200);
/// How long each side of their maps is.
const FLEET_SIDE: usize = 64;
/// Where it is asked from how far they are.
const COUNTS_TURNS: Ipv4Addr = Ipv4Addr::new(127, 0, 3, 1);
/// How many seats each of them has, and how many ships each seat, which is the most that rules give (R11.1): more than
/// `large_match_units` in all.
const FLEET_SEATS: usize = 32;
const FLEET_SHIPS: usize = 64;

/// 24 creations of the largest maps at once, each over a connection of its own.
pub async fn creations(aim: Aim) -> Tally {
    let mut creating = JoinSet::new();
    for number in 0..aim.of(CREATIONS) as u64 {
        creating.spawn(async move {
            let Ok(connection) = aim.connect().await else { return "connections refused".to_owned() };
            let settings =
                v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..bots_on(aim.side, number, 1) };
            let answer = connection.call("Lobby/CreateMatch", "", creation(settings)).await;
            answer.map_or(LET_GO.to_owned(), |answer| answer.name())
        });
    }
    let mut tally = Tally::default();
    tally.count_until(aim.until, creating).await;
    tally
}

/// Lists, as long as they get, of all stages and of replays.
pub async fn lists(aim: Aim) -> Tally {
    let list = |stage: v1::MatchStage| {
        framed(&v1::ListMatchesRequest { stage: stage.into(), page_size: 100, page_token: String::new() })
    };
    let mut calls: Vec<(&str, String, Bytes)> = Vec::new();
    for stage in [v1::MatchStage::Open, v1::MatchStage::Running, v1::MatchStage::Finished] {
        calls.push(("Lobby/ListMatches", String::new(), list(stage)));
    }
    let replays = v1::ListReplaysRequest { page_size: 100, page_token: String::new() };
    calls.push(("Archive/ListReplays", String::new(), framed(&replays)));
    flood(aim, calls).await
}

/// Replays and turns of a finished match, which are read.
pub async fn archives(aim: Aim) -> Result<Wave, String> {
    let calls = archive_calls(large_match(&aim).await?);
    Ok(wave(move |aim| flood(aim, calls.clone())))
}

/// Calls for a finished match.
fn archive_calls(match_id: String) -> Vec<(&'static str, String, Bytes)> {
    let turns = v1::GetTurnsRequest { match_id: match_id.clone(), ..v1::GetTurnsRequest::default() };
    let receipts = v1::GetReceiptsRequest { match_id: match_id.clone(), first_turn: 0 };
    vec![
        ("Archive/GetReplay", String::new(), framed(&v1::GetReplayRequest { match_id })),
        ("Archive/GetTurns", String::new(), framed(&turns)),
        ("Archive/GetReceipts", String::new(), framed(&receipts)),
    ]
}

/// Questions of a player: legal orders, ways, and odds over as many rounds as are allowed.
pub async fn questions(aim: Aim) -> Result<Wave, String> {
    let Seat { match_id, token, own, enemy } = seat(&aim).await.ok_or("there is no seat to ask from")?;
    let attacker = plunder::Attacker::Coin.into();
    let queries = [
        Query::Options(plunder::OptionsQuery::default()),
        Query::Path(plunder::PathQuery { unit: own.id, target: enemy.hex }),
        Query::Odds(plunder::OddsQuery { first: own.id, second: enemy.id, rounds: 64, attacker }),
    ];
    let ask = |query| ("Play/Advise", token.clone(), framed(&asking(&match_id, query)));
    let mut calls = queries.map(ask).to_vec();
    calls.push(("Play/GetView", token.clone(), framed(&v1::GetViewRequest { match_id: match_id.clone() })));
    Ok(wave(move |aim| flood(aim, calls.clone())))
}

/// A seat in a match against a house bot on the largest map, and a ship of either side.
struct Seat {
    match_id: String,
    token: String,
    own: plunder::Unit,
    enemy: plunder::Unit,
}

async fn seat(aim: &Aim) -> Option<Seat> {
    let connection = aim.connect().await.ok()?;
    let mut settings = bots_on(aim.side, aim.seed, 0).with_fog(false);
    settings.seats[0].house_bot.clear();
    let answer = connection.call("Lobby/CreateMatch", "", creation(settings)).await.ok()?;
    let match_id = answer.message::<v1::CreateMatchResponse>()?.r#match?.match_id;
    let join = v1::JoinMatchRequest {
        request_id: request_id(),
        match_id: match_id.clone(),
        ..v1::JoinMatchRequest::default()
    };
    let answer = connection.call("Lobby/JoinMatch", "", framed(&join)).await.ok()?;
    let token = answer.message::<v1::JoinMatchResponse>()?.player_token;
    let view = framed(&v1::GetViewRequest { match_id: match_id.clone() });
    let answer = connection.call("Play/GetView", &token, view).await.ok()?;
    let units = answer.message::<v1::GetViewResponse>()?.view?.into_plunder()?.units;
    let of = |owner: u32| units.iter().find(|unit| unit.owner == owner).cloned();
    Some(Seat { match_id, token, own: of(0)?, enemy: of(1)? })
}

/// Turns of matches with 2,048 ships each, as many of them as the server lets in, which are watched so that they go on,
/// beside replays and turns that are read from the store.
pub async fn large_turns(aim: Aim) -> Result<Wave, String> {
    let reads = archive_calls(large_match(&aim).await?);
    let connection = aim.connect().await.map_err(|error| error.to_string())?;
    let mut fleets = Vec::new();
    let mut tries = 0;
    while tries < FLEETS || fleets.is_empty() {
        tries += 1;
        let answer = connection.call("Lobby/CreateMatch", "", creation(fleet())).await;
        let answer = answer.map_err(|error| error.to_string())?;
        let created: Option<v1::CreateMatchResponse> = answer.message();
        match created {
            Some(created) => fleets.push(created.r#match.expect("a match").match_id),
            // The first has room as soon as the match has left memory whose replays are read.
            None if answer.reason == NO_ROOM && tries < MOST_TRIES => sleep(NEXT_TRY).await,
            None => return Err(format!("creation: {} {}", answer.name(), answer.reason)),
        }
    }
    Ok(wave(move |aim| watch_fleets(aim, fleets.clone(), reads.clone())))
}

/// The settings of a match of house bots with many ships, each seat in a harbor of its own.
fn fleet() -> v1::MatchSettings {
    let (mut rows, mut starts) = (vec![".".repeat(FLEET_SIDE); FLEET_SIDE], Vec::new());
    for seat in 0..FLEET_SEATS {
        // Each second row is shifted by half a tile, so that the column of an even row is as much more than its q.
        let (column, row) = (4 + 8 * (seat % 8), 4 + 8 * (seat / 8));
        rows[row].replace_range(column..=column, "H");
        starts.push(common::Hex { q: column as i32 - row as i32 / 2, r: row as i32 });
    }
    let drawn = plunder::DrawnMap { rows, wrap: false, starts };
    let seat =
        |seat: usize| v1::SeatChoice { house_bot: if seat.is_multiple_of(8) { "wander" } else { "hold" }.to_owned() };
    v1::MatchSettings {
        seats: (0..FLEET_SEATS).map(seat).collect(),
        ..bots_on(0, 0, 0)
            .with_map(Source::Drawn(drawn))
            .with_changes(format!(r#"{{"turn_limit": 0, "economy": {{"start_ships": {FLEET_SHIPS}}}}}"#))
    }
}

/// Watches matches until it is time, reads from the store beside, and counts the turns that were resolved meanwhile.
async fn watch_fleets(aim: Aim, fleets: Vec<String>, reads: Vec<(&'static str, String, Bytes)>) -> Tally {
    let Ok(connection) = aim.connect().await else {
        let mut tally = Tally::default();
        tally.count("connections refused");
        return tally;
    };
    let mut watching = JoinSet::new();
    for match_id in &fleets {
        let watch = framed(&v1::WatchRequest { match_id: match_id.clone(), ..v1::WatchRequest::default() });
        if let Ok(news) = connection.send("Play/Watch", "", watch).await {
            watching.spawn(read(news));
        }
    }
    let before = turns_of(&aim, &fleets).await;
    let mut tally = flood(aim, reads).await;
    tally.count_all(TURNS_RESOLVED, turns_of(&aim, &fleets).await.saturating_sub(before));
    tally
}

/// How far these matches are, all turns together. Somebody else asks, because the address of the attack is refused for
/// calling too often.
async fn turns_of(aim: &Aim, matches: &[String]) -> u64 {
    let Ok(connection) = RawConnection::open(aim.server, COUNTS_TURNS).await else { return 0 };
    let mut turns = 0;
    for match_id in matches {
        let asked = framed(&v1::GetMatchRequest { match_id: match_id.clone() });
        let answer = connection.call("Lobby/GetMatch", "", asked).await.ok();
        let found = answer.and_then(|answer| answer.message::<v1::GetMatchResponse>()?.r#match);
        turns += found.map_or(0, |found| u64::from(found.turn));
    }
    turns
}

/// Makes calls, one after the other and many at a time, until it is time.
async fn flood(aim: Aim, calls: Vec<(&'static str, String, Bytes)>) -> Tally {
    let mut flooding = JoinSet::new();
    for number in 0..aim.of(AT_ONCE) {
        let (method, token, body) = calls[number % calls.len()].clone();
        flooding.spawn(async move {
            let mut tally = Tally::default();
            while !aim.is_over() {
                let Ok(connection) = aim.connect().await else {
                    tally.count("connections refused");
                    sleep(Duration::from_millis(20)).await;
                    continue;
                };
                while !aim.is_over() {
                    match timeout_at(aim.until, connection.call(method, &token, body.clone())).await {
                        Ok(Ok(answer)) => tally.count(answer.name()),
                        Ok(Err(_)) => {
                            tally.count(LET_GO);
                            break;
                        }
                        Err(_) => tally.count(LATE),
                    }
                }
            }
            tally
        });
    }
    Tally::sum(flooding).await
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attacks::Attack;
    use crate::attacks::attack_run::{AttackRun, BUDGET, BUDGET_FOR_HUGE_MAPS, QUIET, Setup};
    use crate::attacks::wire::OPEN;

    /// Makes an attack on a server on which nobody calls, creates or asks for heavy work too often, so that nothing is
    /// refused but what is said here.
    async fn attack(name: &str, budget: (&'static str, u64), seconds: u64, refused: &[&str]) {
        let attack = Attack::named(name);
        let (tiles, plenty) = ((attack.side * attack.side).to_string(), "65536");
        let mut settings = [
            "calls_per_second_per_address",
            "burst_per_address",
            "calls_per_second_per_token",
            "burst_per_token",
            "creations_per_minute_per_address",
            "creation_burst_per_address",
            "max_matches_per_address",
            "max_work_waiting_per_address",
        ]
        .map(|quota| (quota, plenty))
        .to_vec();
        settings.push(("max_map_tiles", &tiles));
        let mut attack_run = AttackRun::with(Setup { budget, quiet: QUIET, settings: &settings }).await;
        let tally = attack_run.stand(attack, seconds).await;
        // What is still open, or late, waits for its turn at heavy work when it is time: at most as many as call at once.
        let waiting = tally.of(OPEN) + tally.of(LATE);
        attack_run.expect(waiting <= AT_ONCE as u64, || format!("{waiting} calls wait at the end: {tally}"));
        let answered: u64 = refused.iter().map(|what| tally.of(what)).sum::<u64>() + tally.of("Ok") + waiting;
        let others = tally.all() - answered - tally.of(TURNS_RESOLVED);
        attack_run.expect(others == 0, || format!("{others} calls got other answers than they may: {tally}"));
        attack_run.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 30 seconds; .ci/run runs it"]
    async fn creations_of_huge_maps_keep_nobody_waiting() {
        // Where maps are drawn faster than matches leave memory, there is no room for all of them.
        attack("huge-creations", BUDGET_FOR_HUGE_MAPS, 25, &["ResourceExhausted"]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn lists_keep_nobody_waiting() {
        attack("lists", BUDGET, 6, &[]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 15 seconds; .ci/run runs it"]
    async fn archives_keep_nobody_waiting() {
        attack("archives", BUDGET, 10, &[]).await;
    }

    /// A way that there is not is looked for everywhere, and refused.
    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn questions_keep_nobody_waiting() {
        attack("questions", BUDGET, 6, &["InvalidArgument"]).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 20 seconds; .ci/run runs it"]
    async fn turns_of_thousands_of_ships_keep_nobody_waiting() {
        // With less memory the house bots of such a match can never fit.
        attack("large-turns", BUDGET_FOR_HUGE_MAPS, 8, &[]).await;
    }
}
