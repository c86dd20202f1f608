//! Turns of a finished match, told again as its players saw them and with nothing hidden.

use crate::common::naval::Naval;
use crate::common::{Client, Running, bearer, config, id_of, reason, settings};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_gateway::config::Config;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::news::What;
use parley_proto::v1::replay_record::Record;
use tonic::Code;

const TURNS: u32 = 70;

/// A match in fog between a player who is never there and three house bots; the player's token.
async fn played(client: &mut Client) -> (String, String) {
    let bot = || v1::SeatChoice { house_bot: "raider".to_owned() };
    let seats = vec![v1::SeatChoice::default(), bot(), bot(), bot()];
    let rules = format!(r#"{{"turn_limit": {TURNS}, "elimination": "no_ships_and_no_structures"}}"#);
    let settings = v1::MatchSettings {
        seats,
        planning_time: Some(times::duration(10)),
        decision_time: Some(times::duration(10)),
        ..settings(4, 7).with_changes(rules).with_fog(true)
    };
    let id = id_of(&client.create(settings, Some([9; 32])).await);
    let token = client.join(&id, 0).await;
    (id, token)
}

/// Everything that a seat was told from the first turn on: its views, and what happened in the turns between them.
async fn told(client: &mut Client, id: &str, token: &str) -> (Vec<v1::View>, Vec<v1::Outcome>) {
    let watch = v1::WatchRequest { match_id: id.to_owned(), after: 0, views: true, ..Default::default() };
    let mut news = client.play.watch(bearer(token, watch)).await.expect("a stream").into_inner();
    let (mut views, mut outcomes) = (Vec::new(), Vec::new());
    while let Some(response) = news.message().await.expect("no error") {
        match response.news.and_then(|news| news.what) {
            Some(What::TurnOpened(opened)) => views.extend(opened.view),
            Some(What::Outcome(mut outcome)) => {
                views.extend(outcome.next.as_mut().and_then(|next| next.view.take()));
                outcomes.push(outcome);
            }
            _ => {}
        }
    }
    (views, outcomes)
}

async fn turns(client: &mut Client, id: &str, seat: Option<u32>, first: u32, count: u32) -> v1::GetTurnsResponse {
    let request = v1::GetTurnsRequest { match_id: id.to_owned(), seat, first, count };
    client.archive.get_turns(request).await.expect("turns").into_inner()
}

/// All turns, page by page.
async fn all_turns(client: &mut Client, id: &str, seat: Option<u32>) -> (Vec<v1::TurnTold>, v1::View) {
    let mut told: Vec<v1::TurnTold> = Vec::new();
    loop {
        let page = turns(client, id, seat, told.len() as u32 + 1, 0).await;
        assert!(!page.turns.is_empty() && page.turns.len() <= 32, "{} turns", page.turns.len());
        told.extend(page.turns);
        assert_eq!(page.after.is_some(), told.len() as u32 == page.last);
        if let Some(after) = page.after {
            return (told, after);
        }
    }
}

/// The view in which a turn was planned.
fn planned(turn: &v1::TurnTold) -> &plunder::View {
    turn.view.as_ref().and_then(Arms::as_plunder).expect("a view")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_finished_match_is_told_again_as_each_player_saw_it_and_whole() {
    let server =
        Running::start(&Config { snapshot_every_turns: 16, missed_deadlines_before_expiry: 1000, ..config() }).await;
    let mut client = server.client().await;
    let (id, token) = played(&mut client).await;

    let early = v1::GetTurnsRequest { match_id: id.clone(), ..v1::GetTurnsRequest::default() };
    let refused = client.archive.get_turns(bearer(&token, early)).await.expect_err("the match is not over");
    assert_eq!((refused.code(), reason(&refused).as_str()), (Code::FailedPrecondition, "NOT_FINISHED"));

    let (views, outcomes) = told(&mut client, &id, &token).await;
    assert!(outcomes.len() > 40, "only {} turns", outcomes.len());

    let (own, _) = all_turns(&mut client, &id, Some(0)).await;
    assert_eq!(own.len(), outcomes.len());
    for ((again, view), outcome) in own.iter().zip(&views).zip(&outcomes) {
        assert_eq!(again.view.as_ref(), Some(view));
        // Under fog nothing is shared.
        assert_eq!((&again.news, &again.changes), (&outcome.own, &outcome.own_changes));
        assert!(outcome.shared.is_none() && outcome.shared_changes.is_none());
    }

    let (whole, after) = all_turns(&mut client, &id, None).await;
    assert!(whole.iter().all(|turn| planned(turn).visible.is_empty()));
    let ships = |turn: &v1::TurnTold| planned(turn).units.len();
    assert!(whole.iter().zip(&own).any(|(whole, own)| ships(whole) > ships(own)), "fog hid nothing");
    assert!(after.as_plunder().is_some_and(|view| view.result.is_some()));

    let replay = v1::GetReplayRequest { match_id: id.clone() };
    let mut replay = client.archive.get_replay(replay).await.expect("a replay").into_inner();
    let mut digests = Vec::new();
    while let Some(piece) = replay.message().await.expect("no error") {
        if let Some(Record::Turn(turn)) = piece.record.and_then(|record| record.record) {
            digests.push(turn.digest);
        }
    }
    assert_eq!(whole.iter().map(|turn| turn.digest.clone()).collect::<Vec<_>>(), digests);

    let middle = turns(&mut client, &id, None, 21, 3).await;
    assert_eq!(middle.turns, whole[20..23]);
    assert!(middle.after.is_none());
    let beyond = turns(&mut client, &id, None, whole.len() as u32 + 1, 0).await;
    assert!(beyond.turns.is_empty());
    assert_eq!(beyond.after, Some(after));

    let nobody = v1::GetTurnsRequest { match_id: id, seat: Some(4), ..v1::GetTurnsRequest::default() };
    assert_eq!(client.archive.get_turns(nobody).await.expect_err("no such seat").code(), Code::InvalidArgument);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_house_bots_that_are_named_can_be_put_on_seats() {
    let server = Running::start(&config()).await;
    let mut client = server.client().await;
    let named = client.lobby.list_house_bots(v1::ListHouseBotsRequest::default()).await.expect("names").into_inner();
    assert!(named.policies.len() >= 5, "{:?}", named.policies);
    let seats = named.policies.into_iter().map(|house_bot| v1::SeatChoice { house_bot });
    let created = client.create(v1::MatchSettings { seats: seats.take(4).collect(), ..settings(4, 7) }, None).await;
    assert_eq!(created.r#match.expect("a match").seats.len(), 4);
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_turns_are_told_in_answers_that_every_client_takes() {
    const SIDE: u32 = 256;
    const LAST: u32 = 40;
    let server = Running::start(&Config { max_map_tiles: (SIDE * SIDE) as usize, ..config() }).await;
    let mut client = server.client().await;
    let bot = || v1::SeatChoice { house_bot: "hold".to_owned() };
    let generated =
        plunder::GeneratedMap { width: SIDE, height: SIDE, seed: Some(7), ..plunder::GeneratedMap::default() };
    let settings = v1::MatchSettings {
        seats: vec![bot(), bot()],
        start_when_full: true,
        ..settings(2, 7).with_map(Source::Generated(generated)).with_changes(format!(r#"{{"turn_limit": {LAST}}}"#))
    };
    let id = id_of(&client.create(settings, None).await);
    let watch = v1::WatchRequest { match_id: id.clone(), ..v1::WatchRequest::default() };
    let mut news = client.play.watch(watch).await.expect("a stream").into_inner();
    while news.message().await.expect("no error").is_some() {}

    let first = turns(&mut client, &id, None, 1, 0).await;
    assert!(first.turns.len() > 1 && first.turns.len() < 32, "{} turns", first.turns.len());
    assert!(prost::Message::encoded_len(&first) < 4 << 20);
    let (whole, after) = all_turns(&mut client, &id, None).await;
    let after = after.into_plunder().expect("a view");
    assert_eq!((whole.len() as u32, after.turn), (LAST, LAST + 1));
    let told = whole.iter().map(|turn| planned(turn).turn);
    assert!(told.eq(1..=LAST), "every turn is told once");
    server.stop().await;
}
