//! Calls that are cheap to make and dear to answer.

use std::time::Duration;

use bytes::Bytes;
use parley_proto::v1;
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout_at};

use super::siege::Aim;
use super::unread::{bots_on, creation, large_match};
use super::wire::{LET_GO, Tally, framed, request_id};

/// How many large maps are asked for at once.
const CREATIONS: usize = 24;
/// How many calls of a flood are open at a time.
const AT_ONCE: usize = 64;

/// 24 creations of the largest maps at once, each over a connection of its own.
pub async fn creations(aim: Aim) -> Tally {
    let mut creating = JoinSet::new();
    for number in 0..aim.of(CREATIONS) as u64 {
        creating.spawn(async move {
            let Ok(line) = aim.line().await else { return "connections refused".to_owned() };
            let settings =
                v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..bots_on(aim.side, number, 1) };
            let answer = line.call("Lobby/CreateMatch", "", creation(settings)).await;
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
pub async fn archives(aim: Aim) -> Tally {
    let Ok(match_id) = large_match(&aim).await else { return none() };
    let turns = v1::GetTurnsRequest { match_id: match_id.clone(), ..v1::GetTurnsRequest::default() };
    let receipts = v1::GetReceiptsRequest { match_id: match_id.clone(), first_turn: 0 };
    let calls = vec![
        ("Archive/GetReplay", String::new(), framed(&v1::GetReplayRequest { match_id })),
        ("Archive/GetTurns", String::new(), framed(&turns)),
        ("Archive/GetReceipts", String::new(), framed(&receipts)),
    ];
    flood(aim, calls).await
}

/// Questions of a player: legal orders, ways, and odds over as many rounds as are allowed.
pub async fn questions(aim: Aim) -> Tally {
    let Some(Seat { match_id, token, own, enemy }) = seat(&aim).await else { return none() };
    let path = v1::PreviewPathRequest { match_id: match_id.clone(), unit: own.id, target: enemy.hex };
    let odds = v1::PreviewCombatRequest {
        match_id: match_id.clone(),
        first: own.id,
        second: enemy.id,
        rounds: 64,
        attacker: v1::Attacker::Coin.into(),
    };
    let calls = vec![
        ("Play/ListLegalOrders", token.clone(), framed(&v1::ListLegalOrdersRequest { match_id: match_id.clone() })),
        ("Play/PreviewPath", token.clone(), framed(&path)),
        ("Play/PreviewCombat", token.clone(), framed(&odds)),
        ("Play/GetView", token, framed(&v1::GetViewRequest { match_id })),
    ];
    flood(aim, calls).await
}

fn none() -> Tally {
    let mut tally = Tally::default();
    tally.count("no match to ask for");
    tally
}

/// A seat in a match against a house bot on the largest map, and a ship of either side.
struct Seat {
    match_id: String,
    token: String,
    own: v1::Unit,
    enemy: v1::Unit,
}

async fn seat(aim: &Aim) -> Option<Seat> {
    let line = aim.line().await.ok()?;
    let mut settings = v1::MatchSettings { fog: Some(false), ..bots_on(aim.side, aim.seed, 0) };
    settings.seats[0].house_bot.clear();
    let answer = line.call("Lobby/CreateMatch", "", creation(settings)).await.ok()?;
    let match_id = answer.message::<v1::CreateMatchResponse>()?.r#match?.match_id;
    let join = v1::JoinMatchRequest {
        request_id: request_id(),
        match_id: match_id.clone(),
        ..v1::JoinMatchRequest::default()
    };
    let answer = line.call("Lobby/JoinMatch", "", framed(&join)).await.ok()?;
    let token = answer.message::<v1::JoinMatchResponse>()?.player_token;
    let view = framed(&v1::GetViewRequest { match_id: match_id.clone() });
    let answer = line.call("Play/GetView", &token, view).await.ok()?;
    let units = answer.message::<v1::GetViewResponse>()?.view?.units;
    let of = |owner: u32| units.iter().find(|unit| unit.owner == owner).cloned();
    Some(Seat { match_id, token, own: of(0)?, enemy: of(1)? })
}

/// Makes calls, one after the other and many at a time, until it is time.
async fn flood(aim: Aim, calls: Vec<(&'static str, String, Bytes)>) -> Tally {
    let mut flooding = JoinSet::new();
    for number in 0..aim.of(AT_ONCE) {
        let (method, token, body) = calls[number % calls.len()].clone();
        flooding.spawn(async move {
            let mut tally = Tally::default();
            while !aim.is_over() {
                let Ok(line) = aim.line().await else {
                    tally.count("connections refused");
                    sleep(Duration::from_millis(20)).await;
                    continue;
                };
                while !aim.is_over() {
                    match timeout_at(aim.until, line.call(method, &token, body.clone())).await {
                        Ok(Ok(answer)) => tally.count(answer.name()),
                        Ok(Err(_)) => {
                            tally.count(LET_GO);
                            break;
                        }
                        Err(_) => tally.count("late"),
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
    use crate::attacks::siege::Siege;

    async fn attack<F: Future<Output = Tally>>(name: &str, side: u32, seconds: u64, wave: impl FnOnce(Aim) -> F) {
        let tiles = (side * side).to_string();
        let mut siege = Siege::begin(&[("max_map_tiles", &tiles)]).await;
        let aim = Aim { side, ..siege.aim(seconds) };
        let tally = siege.attacked(aim, wave(aim)).await;
        // A way that there is not is looked for everywhere, and refused. Nothing else is. What is still open waits for
        // its turn at heavy work.
        let (answered, refused) = (tally.of("Ok") + tally.of("still open"), tally.of("InvalidArgument"));
        siege.expect(tally.of("Ok") > 0, || format!("nothing was answered: {tally}"));
        siege.expect(answered > refused, || format!("little was answered, so little was heavy: {tally}"));
        siege.end(name, &tally);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 30 seconds; .ci/run runs it"]
    async fn creations_of_huge_maps_keep_nobody_waiting() {
        attack("24 creations of huge maps", 1024, 25, creations).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn lists_keep_nobody_waiting() {
        attack("lists", 128, 6, lists).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 15 seconds; .ci/run runs it"]
    async fn archives_keep_nobody_waiting() {
        attack("replays and turns", 128, 10, archives).await;
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    #[ignore = "takes 12 seconds; .ci/run runs it"]
    async fn questions_keep_nobody_waiting() {
        attack("legal orders, ways and odds", 128, 6, questions).await;
    }
}
