//! Matches that nobody asks for: they leave memory, come back, and lose nothing that somebody relies on.

use std::sync::Arc;
use std::time::Duration;

use crate::common::naval::{Naval, recoded};
use parley_bots::arms::Arms;
use parley_games::times;
use parley_gateway::auth::{Claims, Keyring};
use parley_gateway::clock::Clock;
use parley_gateway::journal::MatchId;
use parley_gateway::journal::memory::Memory;
use parley_gateway::limits::Limits;
use parley_gateway::matches::command::{Request, Seen};
use parley_gateway::matches::{Following, Matches, Wishes};
use parley_proto::common::v1 as common;
use parley_proto::opaque::v1::news::What;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::map_choice::Source;
use parley_proto::v1;
use parley_proto::v1::Reason;

const HOUR: Duration = Duration::from_secs(3600);

struct Game {
    matches: Matches,
    id: MatchId,
    players: Vec<Option<Claims>>,
}

/// A request for a match of two on a small sea.
fn request(request_id: &str, planning_ms: u64) -> v1::CreateMatchRequest {
    let rows = vec!["............".to_owned(), "H..........H".to_owned(), "............".to_owned()];
    let starts = vec![common::Hex { q: 0, r: 1 }, common::Hex { q: 11, r: 1 }];
    let drawn = plunder::DrawnMap { rows, wrap: false, starts };
    let settings = v1::MatchSettings {
        seats: vec![v1::SeatChoice::default(); 2],
        planning_time: Some(times::duration(planning_ms)),
        start_when_full: true,
        ..v1::MatchSettings::default().with_map(Source::Drawn(drawn))
    };
    let request_id = request_id.to_owned();
    v1::CreateMatchRequest { request_id, settings: Some(settings), ..v1::CreateMatchRequest::default() }
}

/// Matches that are nowhere but in memory.
fn matches(keyring: &Arc<Keyring>, limits: Limits) -> (Matches, Clock) {
    let clock = Clock::starting_at(1_800_000_000_000);
    (Matches::new(Arc::new(Memory::new()), Arc::clone(keyring), limits, clock), clock)
}

/// A match of two on a small sea that has begun.
async fn begin(planning_ms: u64) -> Game {
    let keyring = Arc::new(Keyring::ephemeral().expect("random bytes"));
    let (matches, clock) = matches(&keyring, Limits::default());
    let request = request("a-request-of-a-test", planning_ms);
    let created = matches.create(recoded(&request)).await.expect("a match").r#match.expect("a match");
    let id = MatchId(created.match_id.parse().expect("an id"));
    let mut players = Vec::new();
    for seat in 0..2 {
        let request_id = format!("a-request-of-seat-{seat}");
        let request = v1::JoinMatchRequest { request_id, seat: Some(seat), ..v1::JoinMatchRequest::default() };
        let joined = matches.ask(id, None, |reply| Request::JoinMatch(request, reply)).await.expect("a seat");
        players.push(Some(keyring.verify(&joined.player_token, clock.now_s()).expect("a good token")));
    }
    Game { matches, id, players }
}

async fn view(game: &Game) -> plunder::View {
    match game.matches.ask(game.id, None, Request::GetView).await.expect("a view") {
        Seen::Now(seen) => {
            let seen: v1::GetViewResponse = recoded(&*seen);
            seen.view.and_then(Arms::into_plunder).expect("a view")
        }
        Seen::Behind { .. } => panic!("nobody is behind"),
    }
}

#[tokio::test(start_paused = true)]
async fn an_idle_match_leaves_memory_and_comes_back_for_its_deadline() {
    let game = begin(3_600_000).await;
    assert_eq!(game.matches.in_memory(), 1);
    tokio::time::sleep(HOUR / 2).await;
    assert_eq!(game.matches.in_memory(), 0);
    tokio::time::sleep(HOUR).await;
    assert_eq!(view(&game).await.turn, 2, "the deadline has passed once");
}

#[tokio::test(start_paused = true)]
async fn staged_orders_are_played_at_the_deadline_however_long_nobody_asks() {
    let game = begin(3_600_000).await;
    let path = vec![common::Hex { q: 1, r: 1 }, common::Hex { q: 2, r: 1 }];
    let action = Some(plunder::unit_order::Action::Move(plunder::Move { path }));
    let units = vec![plunder::UnitOrder { unit: 1, action, ..plunder::UnitOrder::default() }];
    let request = v1::StageOrdersRequest {
        request_id: "stage".to_owned(),
        turn: 1,
        sheet: Some(v1::Sheet::of_plunder(plunder::Sheet { units, ..plunder::Sheet::default() })),
        ..v1::StageOrdersRequest::default()
    };
    let staged =
        game.matches.ask(game.id, game.players[0], |reply| Request::StageOrders(recoded(&request), reply)).await;
    assert_eq!(staged.expect("good orders").standing, 1);
    tokio::time::sleep(HOUR + HOUR / 2).await;
    let view = view(&game).await;
    let ship = view.units.iter().find(|unit| unit.id == 1).expect("the ship");
    assert_eq!((view.turn, ship.hex), (2, Some(common::Hex { q: 2, r: 1 })));
}

/// Time passes only while nobody has anything to do: a match that looked at its clock without pause would stop it.
#[tokio::test(start_paused = true)]
async fn a_match_that_is_followed_stays_and_does_nothing() {
    let game = begin(0).await;
    let mut following = Following::begin(&game.matches, game.id, None, Wishes::default(), 0).await.expect("a stream");
    let mut opened = false;
    while !opened {
        let news = following.next().await.expect("news").expect("more news");
        opened = matches!(news.message().what, Some(What::TurnOpened(_)));
    }
    tokio::time::timeout(2 * HOUR, following.next()).await.expect_err("nothing happens");
    assert_eq!(game.matches.in_memory(), 1);
    drop(following);
    tokio::time::sleep(HOUR).await;
    assert_eq!(game.matches.in_memory(), 0);
}

/// Creates matches until there is no room for another. Then those that nobody asks for make room, long before they
/// would have left by themselves.
async fn fill(limits: Limits) {
    let keyring = Arc::new(Keyring::ephemeral().expect("random bytes"));
    let (matches, _) = matches(&keyring, limits);
    let create =
        async |number: usize| matches.create(recoded(&request(&format!("a-request-of-a-test-{number}"), 0))).await;
    let mut created = 0;
    let refused = loop {
        match create(created).await {
            Ok(_) => created += 1,
            Err(refusal) => break refusal,
        }
        assert!(created < 1000, "there is no limit");
    };
    assert_eq!(refused.reason, Reason::TooManyMatchesInMemory);
    assert!(created > 3, "{created} matches are too few to tell anything");
    tokio::time::sleep(Duration::from_secs(2)).await;
    let mut tries = 0;
    while create(created).await.is_err() {
        tries += 1;
        assert!(tries < 5, "nobody makes room");
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    assert!(matches.in_memory() <= created);
}

#[tokio::test(start_paused = true)]
async fn matches_that_nobody_needs_make_room_when_there_are_too_many() {
    fill(Limits { matches_in_memory: 8, ..Limits::default() }).await;
}

#[tokio::test(start_paused = true)]
async fn matches_that_nobody_needs_make_room_when_they_are_too_large() {
    fill(Limits { match_bytes: 16 << 20, ..Limits::default() }).await;
}
