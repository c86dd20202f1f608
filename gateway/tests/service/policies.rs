//! Every policy plays whole matches on generated maps against the service over sockets, orders only what is legal, and
//! answers whenever it is asked.

use std::time::Duration;

use crate::common::naval::Naval;
use crate::common::{Client, Running, config, id_of};
use futures_util::stream::{self, StreamExt};
use parley_bots::connect::Token;
use parley_bots::play::MatchEnd;
use parley_bots::session::{Session, Settings};
use parley_bots::{lobby, play, policy};
use parley_games::times;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::replay_record::Record;
use tokio::task::JoinSet;

/// Matches of each policy in every run of the tests.
const SHORT: usize = 2;
/// Turns of a match in every run of the tests, and in a long one.
const TURNS: (u32, u32) = (16, 60);
/// Matches at a time.
const AT_ONCE: usize = 4;
/// A match that takes longer than this hangs.
const PATIENCE: Duration = Duration::from_secs(300);

/// Match number `number` of a policy: its size, fog and seam take turns, and so do its seat and those it plays against.
fn settings(number: usize, turns: u32) -> v1::MatchSettings {
    let generated = plunder::GeneratedMap {
        seed: Some(1000 + number as u64),
        size: ["tiny", "small"][number % 2].to_owned(),
        wrap: number / 2 % 2 == 1,
        ..plunder::GeneratedMap::default()
    };
    v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); 4],
        // Whoever does not answer is noticed: what counted by default is in the replay.
        planning_time: Some(times::duration(60_000)),
        decision_time: Some(times::duration(60_000)),
        start_when_full: true,
        ..v1::MatchSettings::default()
            .with_map(Source::Generated(generated))
            .with_changes(format!("{{\"turn_limit\": {turns}}}"))
            .with_fog(number / 4 % 2 == 1)
    }
}

/// Who sits where: the policy itself, and the ones up to it in the list, which are not dearer than it.
fn seats(policy: usize, number: usize) -> Vec<&'static str> {
    let others = (0..3).map(|other| policy::NAMES[(number + other) % (policy + 1)]);
    let mut seats: Vec<&str> = others.collect();
    seats.insert(number % 4, policy::NAMES[policy]);
    seats
}

/// Plays a match and looks at what came of it.
async fn match_of(mut client: Client, policy: usize, number: usize, turns: u32) {
    let id = id_of(&client.create(settings(number, turns), None).await);
    let seats = seats(policy, number);
    let mut playing = JoinSet::new();
    for (seat, name) in (0..).zip(&seats) {
        let token = Token::new(&client.join(&id, seat).await).expect("a token");
        let rules = lobby::rules(client.channel.clone(), &token, &id).await.expect("rules");
        let policy = policy::named(name, number as u64, &rules).expect("a policy");
        let session = Session::new(client.channel.clone(), Settings::new(id.clone(), token));
        playing.spawn(play::play(session, policy));
    }
    while let Some(end) = playing.join_next().await {
        let MatchEnd { result, turn, refused_sheets, refused_answers, .. } =
            end.expect("no panic").expect("it plays to the end");
        assert!(result.is_some() && turn <= turns, "match {number} of {seats:?}");
        assert_eq!((refused_sheets, refused_answers), (0, 0), "match {number} of {seats:?}");
    }
    let request = v1::GetReplayRequest { match_id: id };
    let mut records = client.archive.get_replay(request).await.expect("a replay").into_inner();
    while let Some(response) = records.message().await.expect("a record") {
        let Some(Record::Turn(turn)) = response.record.and_then(|record| record.record) else { continue };
        let number = format!("match {number} of {seats:?}, turn {}", turn.turn);
        assert!(turn.sheets.iter().all(|sheet| sheet.origin() == v1::SheetOrigin::Locked), "{number}");
        let answers = turn.windows.iter().flat_map(|window| &window.answers);
        assert_eq!(answers.filter(|answer| answer.defaulted).count(), 0, "{number}");
    }
}

/// Plays matches of every policy.
async fn matches_of_each(matches: usize, turns: u32) {
    let server = Running::start(&config()).await;
    for policy in 0..policy::NAMES.len() {
        let begun = std::time::Instant::now();
        let games = stream::iter(0..matches).map(|number| {
            let server = &server;
            async move {
                let playing = match_of(server.client().await, policy, number, turns);
                tokio::time::timeout(PATIENCE, playing).await.expect("it does not hang");
            }
        });
        games.buffer_unordered(AT_ONCE).collect::<Vec<()>>().await;
        eprintln!("{}: {matches} matches in {:.1?}", policy::NAMES[policy], begun.elapsed());
    }
    server.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_policy_plays_matches_without_a_fault() {
    matches_of_each(SHORT, TURNS.0).await;
}

/// `PARLEY_POLICY_MATCHES=200 cargo test --profile quick -p parley-gateway --test service policies -- --ignored
/// --nocapture`
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
#[ignore = "takes minutes: 200 matches of each policy, or PARLEY_POLICY_MATCHES of them"]
async fn every_policy_plays_many_matches_without_a_fault() {
    let asked = std::env::var("PARLEY_POLICY_MATCHES").ok().map(|text| text.parse().expect("a number of matches"));
    matches_of_each(asked.unwrap_or(200), TURNS.1).await;
}
