//! Nobody can fill the server: matches count against the address that created them, those that nobody plays end by
//! themselves, and where there is no room the abandoned ones make it.
//!
//! The time of these tests stands still unless everybody waits.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::common::naval::{Naval, recoded};
use crate::common::process::Process;
use crate::common::{Client, Running, config, id_of, settings};
use crate::sea::{NOON, Play, drawn, duel, halfway, limits, matches, records, request_id, sail, sheet};
use parley_games::times;
use parley_gateway::auth::{Claims, Gate, Keyring, Role};
use parley_gateway::config::Config;
use parley_gateway::http::Peer;
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Journal, Listing, MatchId, Stage};
use parley_gateway::limits::Limits;
use parley_gateway::matches::command::Request;
use parley_gateway::matches::listing::Listed;
use parley_gateway::matches::{Creator, Matches, Wishes};
use parley_gateway::refusal::Refusal;
use parley_gateway::service::Service;
use parley_proto::journal::v1::entry::What as Written;
use parley_proto::journal::v1::{Entry, Shown};
use parley_proto::opaque::v1 as opaque;
use parley_proto::opaque::v1::admin_server::Admin;
use parley_proto::opaque::v1::lobby_server::Lobby;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::Reason;
use prost::Message;
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn from(last: u8) -> Creator {
    Creator { address: Some(address(last)), ..Creator::default() }
}

fn creation() -> opaque::CreateMatchRequest {
    let settings = Some(duel());
    recoded(&v1::CreateMatchRequest { request_id: request_id(), settings, ..v1::CreateMatchRequest::default() })
}

async fn create(all: &Matches, creator: Creator) -> Result<MatchId, Refusal> {
    let created = all.create_for(creator, creation()).await?;
    Ok(MatchId(created.r#match.expect("a match").match_id.parse().expect("an id")))
}

async fn reason(all: &Matches, creator: Creator) -> Reason {
    create(all, creator).await.expect_err("refused").reason
}

async fn described(all: &Matches, id: MatchId) -> v1::Match {
    let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
    let described = all.ask(id, Some(admin), Request::GetMatch).await.expect("a match");
    recoded(&described.r#match.expect("a match"))
}

async fn stop(all: &Matches, id: MatchId) {
    let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
    let request =
        v1::StopMatchRequest { request_id: request_id(), match_id: id.0.to_string(), reason: "over".to_owned() };
    all.ask(id, Some(host), |reply| Request::StopMatch(request, reply)).await.expect("stopped");
}

/// Why the store says that a match was stopped, if it says so.
async fn stopped(store: &dyn Journal, id: MatchId) -> Option<String> {
    let listing = store.listing(id).await.expect("a readable store").expect("a listing");
    let found = Shown::decode(listing.summary).expect("a match");
    (listing.stage == Stage::Finished).then_some(found.stopped)
}

#[tokio::test(start_paused = true)]
async fn an_address_has_so_many_unfinished_matches_also_after_a_restart() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches_per_address: 2, ..limits() });
    let first = create(&all, from(1)).await.expect("a match");
    create(&all, from(1)).await.expect("a match");
    assert_eq!(reason(&all, from(1)).await, Reason::TooManyMatchesFromAddress);
    create(&all, from(2)).await.expect("others do not notice");
    for _ in 0..5 {
        create(&all, Creator::default()).await.expect("callers from inside have no limit");
    }
    let written = records(&*store, first).await.remove(0);
    assert!(!written.encode_to_vec().windows(4).any(|bytes| bytes == [192, 0, 2, 1]), "no address is written down");
    let Some(Written::Created(created)) = written.what else { panic!("the first record") };
    assert_eq!(created.address.len(), 16);

    let play = Play {
        matches: all.clone(),
        id: first,
        host: Claims { match_id: Some(first), role: Role::Host, expires_at: u64::MAX },
        seats: vec![],
    };
    let again = play.restarted(Arc::new(store.fork()), crate::sea::NOON + 1000).matches;
    assert_eq!(reason(&again, from(1)).await, Reason::TooManyMatchesFromAddress);
    stop(&again, first).await;
    create(&again, from(1)).await.expect("one of them has ended");
    assert_eq!(reason(&again, from(1)).await, Reason::TooManyMatchesFromAddress);
}

#[tokio::test(start_paused = true)]
async fn a_large_network_of_ipv6_has_a_few_times_the_matches_of_an_address_also_after_a_restart() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches_per_address: 1, ..limits() });
    let from = |site: u16, network: u16| Creator {
        address: Some(IpAddr::from([0x2001, 0xdb8, site, network, 0, 0, 0, 1])),
        ..Creator::default()
    };
    for network in 0..4 {
        create(&all, from(7, network)).await.expect("a match");
    }
    let refusal = create(&all, from(7, 4)).await.expect_err("of one /56");
    assert_eq!(refusal.message, "4 matches from this network (/56) are not finished, which is the limit");
    for network in [0x100, 0x200, 0x300].into_iter().flat_map(|first| first..first + 4) {
        create(&all, from(7, network)).await.expect("a match");
    }
    let refusal = create(&all, from(7, 0x1000)).await.expect_err("of one /48");
    assert_eq!(refusal.message, "16 matches from this network (/48) are not finished, which is the limit");
    create(&all, from(8, 0)).await.expect("others do not notice");
    let clock = parley_gateway::clock::Clock::starting_at(NOON + 1000);
    let again = Matches::new(Arc::new(store.fork()), Arc::clone(&all.keyring), all.limits.clone(), clock);
    assert_eq!(reason(&again, from(7, 0x2000)).await, Reason::TooManyMatchesFromAddress);
}

#[tokio::test(start_paused = true)]
async fn at_the_limit_the_address_with_the_most_matches_makes_room_first() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 4, ..limits() });
    let lonely = create(&all, from(1)).await.expect("a match");
    sleep(MINUTE).await;
    let first_of_many = create(&all, from(2)).await.expect("a match");
    for _ in 0..2 {
        sleep(MINUTE).await;
        create(&all, from(2)).await.expect("a match");
    }
    sleep(2 * HOUR).await;
    create(&all, from(3)).await.expect("room is made");
    assert_eq!(stopped(&*store, lonely).await, None, "it was left first, and is alone");
    assert!(stopped(&*store, first_of_many).await.is_some(), "of three, it was left first");
}

#[tokio::test(start_paused = true)]
async fn of_many_creations_at_once_only_as_many_come_through_as_there_is_room_for() {
    let all = matches(Arc::new(Memory::new()), Limits { matches_per_address: 3, ..limits() });
    let calls = (0..20).map(|_| {
        let all = all.clone();
        tokio::spawn(async move { create(&all, from(1)).await.is_ok() })
    });
    let created =
        futures_util::future::join_all(calls).await.into_iter().filter(|call| matches!(call, Ok(true))).count();
    assert!((1..=3).contains(&created), "{created} matches");
    while create(&all, from(1)).await.is_ok() {}
    let listed = all.journal.list(Stage::Open, None, 99).await.expect("a list");
    assert_eq!(listed.len(), 3);
}

/// A service whose callers say where they come from.
fn service(config: &Config) -> (Service, Arc<Keyring>) {
    let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
    let clock = parley_gateway::clock::Clock::starting_at(crate::sea::NOON);
    let all = Matches::new(Arc::new(Memory::new()), Arc::clone(&keyring), limits(), clock);
    let gate = Arc::new(Gate::new(Arc::clone(&keyring), None, config.gate_limits()));
    (Service::new(all, gate), keyring)
}

fn call<T>(message: T, from: IpAddr, token: &str) -> tonic::Request<T> {
    let mut request = tonic::Request::new(message);
    request.extensions_mut().insert(Peer { address: from, exempt: from.is_loopback() });
    if !token.is_empty() {
        request.metadata_mut().insert("authorization", format!("Bearer {token}").parse().expect("ascii"));
    }
    request
}

#[tokio::test]
async fn a_fresh_token_for_each_creation_does_not_help() {
    let config = Config { creation_burst_per_address: 3, creations_per_minute_per_address: 1, ..Config::default() };
    let (service, keyring) = service(&config);
    let mut token = String::new();
    let mut last = creation();
    for _ in 0..3 {
        last = creation();
        let created = service.create_match(call(last.clone(), address(1), &token)).await.expect("a match");
        token = created.into_inner().host_token;
    }
    let status = service.create_match(call(creation(), address(1), &token)).await.expect_err("too many");
    assert_eq!(status.code(), tonic::Code::ResourceExhausted);
    assert!(status.message().contains("creations_per_minute_per_address"), "{status}");
    service.create_match(call(creation(), address(2), &token)).await.expect("another address");
    service.create_match(call(last, address(1), &token)).await.expect("a repeat creates nothing");
    let admin = keyring.mint(&Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX });
    let here = SocketAddr::from(([127, 0, 0, 9], 1)).ip();
    for (from, token) in [(address(1), &*admin), (here, ""), (here, &token)].into_iter().cycle().take(12) {
        service.create_match(call(creation(), from, token)).await.expect("nobody's quota");
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_that_nobody_joins_ends_after_a_day() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let (lonely, joined) =
        (create(&all, from(1)).await.expect("a match"), create(&all, from(1)).await.expect("a match"));
    sleep(23 * HOUR).await;
    assert_eq!(all.in_memory(), 0);
    let play = Play {
        matches: all.clone(),
        id: joined,
        host: Claims { match_id: Some(joined), role: Role::Host, expires_at: u64::MAX },
        seats: vec![],
    };
    play.join(0).await.expect("a seat");
    all.expire().await.expect("a readable list");
    assert_eq!(stopped(&*store, lonely).await, None);
    sleep(HOUR + MINUTE).await;
    all.expire().await.expect("a readable list");
    assert_eq!(stopped(&*store, lonely).await.as_deref(), Some("Nobody joined for 24 hours (lobby_expiry_hours)."));
    assert_eq!(stopped(&*store, joined).await, None, "somebody joined an hour ago");
}

#[tokio::test(start_paused = true)]
async fn a_lobby_that_expired_while_the_server_was_down_ends_after_the_restart() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let id = create(&all, from(1)).await.expect("a match");
    let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
    let play = Play { matches: all, id, host, seats: vec![] };
    let store = Arc::new(store.fork());
    let again = play.restarted(store.clone(), crate::sea::NOON + 2 * DAY.as_millis() as u64).matches;
    let sweeping = tokio::spawn({
        let again = again.clone();
        async move { again.keep_expiring().await }
    });
    sleep(2 * MINUTE).await;
    sweeping.abort();
    assert!(stopped(&*store, id).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn three_deadlines_in_a_row_without_anybody_end_a_match() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let settings = v1::MatchSettings { planning_time: Some(times::duration(60_000)), ..duel() };
    let play = Play::begin(&all, settings).await;
    sleep(2 * MINUTE + MINUTE / 2).await;
    play.lock(0, 3, plunder::Sheet::default()).await;
    sleep(3 * MINUTE).await;
    assert_eq!(described(&all, play.id).await.stage(), v1::MatchStage::Running, "two were missed after the input");
    let play = play.restarted(Arc::new(store.fork()), all.clock.now_ms());
    play.matches.wake().await.expect("a readable list");
    sleep(MINUTE).await;
    let found = described(&play.matches, play.id).await;
    assert_eq!((found.stage(), found.turn), (v1::MatchStage::Finished, 7));
    assert_eq!(found.stopped, "3 deadlines passed without a player's input (missed_deadlines_before_expiry).");
}

/// Three ships of each side meet in three ticks of one turn, after both players have locked in and gone.
#[tokio::test(start_paused = true)]
async fn windows_that_nobody_answers_do_not_end_a_match() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let map = drawn(&["H.H..", ".....", "....."], &[(0, 0), (2, 0)]);
    let settings =
        v1::MatchSettings { decision_time: Some(times::duration(60_000)), ..duel().with_map(map).with_changes("{}") };
    let play = Play::begin(&all, settings).await;
    let west = [sail(1, &[(1, 0)]), sail(2, &[(0, 1), (1, 1)]), sail(3, &[(0, 1), (-1, 2), (0, 2)])];
    let east = [sail(4, &[(1, 0)]), sail(5, &[(1, 1), (0, 1)]), sail(6, &[(1, 1), (0, 2), (-1, 2)])];
    play.lock(0, 1, sheet(&west)).await;
    play.lock(1, 1, sheet(&east)).await;
    sleep(4 * MINUTE).await;
    let ended = |entry: &Entry| matches!(entry.what, Some(Written::WindowClosed(_)));
    assert_eq!(records(&*store, play.id).await.iter().filter(|entry| ended(entry)).count(), 3);
    let listed = all.ask(play.id, Some(play.host), Request::List).await.expect("a match");
    assert_eq!((listed.shown.stage(), listed.shown.turn), (v1::MatchStage::Running, 2));
    assert_eq!(listed.aside.missed_deadlines, 0, "whoever locked in may go until the next turn");
}

/// A listing that makes a match look expired is put right when the match is asked, so that it is asked once.
#[tokio::test(start_paused = true)]
async fn a_listing_that_is_out_of_date_is_put_right() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let play = Play::begin(&all, duel()).await;
    sleep(20 * DAY).await;
    play.lock(0, 1, halfway(0)).await;
    let said = |listing: Listing| Listed::read(&listing.summary).expect("a listing");
    let listing = || async { said(store.listing(play.id).await.expect("a store").expect("a listing")) };
    assert_eq!(listing().await.aside.last_input_ms, NOON, "a lock-in is not listed at once");
    sleep(11 * DAY).await;
    let again = play.restarted(store.clone(), NOON + 31 * DAY.as_millis() as u64);
    again.matches.expire().await.expect("a readable list");
    assert_eq!(listing().await.aside.last_input_ms, NOON + 20 * DAY.as_millis() as u64);
    assert_eq!(stopped(&*store, play.id).await, None);
}

#[tokio::test(start_paused = true)]
async fn thirty_days_without_anybody_end_a_match_without_deadlines() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let (left, played) = (Play::begin(&all, duel()).await, Play::begin(&all, duel()).await);
    sleep(20 * DAY).await;
    played.lock(0, 1, halfway(0)).await;
    sleep(10 * DAY + HOUR).await;
    all.expire().await.expect("a readable list");
    let why = stopped(&*store, left.id).await;
    assert_eq!(why.as_deref(), Some("No player was heard of for 30 days (match_expiry_days)."));
    assert_eq!(stopped(&*store, played.id).await, None, "somebody locked in ten days ago");
    sleep(20 * DAY).await;
    all.expire().await.expect("a readable list");
    assert!(stopped(&*store, played.id).await.is_some());
}

/// A match with a planning deadline whose ships have met, and where nobody has to answer before anything.
async fn left_in_a_window(all: &Matches) -> Play {
    let settings = v1::MatchSettings {
        planning_time: Some(times::duration(60_000)),
        decision_time: Some(times::duration(0)),
        ..duel()
    };
    let play = Play::begin(all, settings).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    assert!(play.view(0).await.prompt.is_some(), "the ships have met");
    play
}

#[tokio::test(start_paused = true)]
async fn a_window_without_a_deadline_does_not_keep_a_match_for_ever() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let play = left_in_a_window(&all).await;
    sleep(29 * DAY).await;
    all.expire().await.expect("a readable list");
    assert_eq!(stopped(&*store, play.id).await, None);
    sleep(2 * DAY).await;
    all.expire().await.expect("a readable list");
    let why = stopped(&*store, play.id).await;
    assert_eq!(why.as_deref(), Some("No player was heard of for 30 days (match_expiry_days)."));
}

#[tokio::test(start_paused = true)]
async fn a_window_without_a_deadline_makes_room_after_a_week() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 1, ..limits() });
    let play = left_in_a_window(&all).await;
    sleep(6 * DAY).await;
    assert_eq!(reason(&all, from(9)).await, Reason::TooManyMatches);
    sleep(2 * DAY).await;
    create(&all, from(9)).await.expect("room");
    assert!(stopped(&*store, play.id).await.is_some());
}

/// What was listed before the window was opened, or of another version, does not matter: the match looks for itself.
#[tokio::test(start_paused = true)]
async fn a_match_that_plans_on_after_such_a_window_has_its_deadlines_again() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { missed_deadlines: 1000, ..limits() });
    let play = left_in_a_window(&all).await;
    play.answer(0, 1, "attack").await;
    play.answer(1, 2, "attack").await;
    let listed = Listed::read(&store.listing(play.id).await.expect("a store").expect("a listing").summary);
    let listed = listed.expect("a listing");
    assert_eq!((listed.aside.waits_without_deadline, listed.expires_ms(&all.limits)), (false, None));
}

/// In the millisecond in which the turn was opened, and under a clock that is set back after it.
#[tokio::test(start_paused = true)]
async fn whoever_locks_in_is_heard_whatever_the_clock_says() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { missed_deadlines: 2, ..limits() });
    let settings = v1::MatchSettings { planning_time: Some(times::duration(60_000)), ..duel() };
    let play = Play::begin(&all, settings).await;
    play.lock(0, 1, plunder::Sheet::default()).await;
    let missed = |play: Play| async move {
        let listed = play.matches.ask(play.id, Some(play.host), Request::List).await.expect("a match");
        (listed.shown.turn, listed.aside.missed_deadlines)
    };
    let store = Arc::new(store.fork());
    let later = play.restarted(store.clone(), NOON - 40 * DAY.as_millis() as u64);
    sleep(MINUTE + MINUTE / 2).await;
    assert_eq!(missed(play).await, (2, 0), "seat 0 locked in");
    later.matches.wake().await.expect("a readable list");
    sleep(MINUTE + MINUTE / 2).await;
    assert_eq!(missed(later).await, (2, 0), "seat 0 locked in before the clock was set back");
}

/// Everything was created under a clock that was forty days ahead.
#[tokio::test(start_paused = true)]
async fn a_clock_that_was_ahead_lets_nothing_live_longer() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let lobby = create(&all, from(1)).await.expect("a match");
    let play = Play::begin(&all, duel()).await;
    play.lock(0, 1, halfway(0)).await;
    let store = Arc::new(store.fork());
    let play = play.restarted(store.clone(), NOON - 40 * DAY.as_millis() as u64);
    play.matches.expire().await.expect("a readable list");
    let written = records(&*store, play.id).await.len();
    sleep(DAY + HOUR).await;
    play.matches.expire().await.expect("a readable list");
    let why = stopped(&*store, lobby).await;
    assert_eq!(why.as_deref(), Some("Nobody joined for 24 hours (lobby_expiry_hours)."));
    assert_eq!(stopped(&*store, play.id).await, None);
    assert_eq!(records(&*store, play.id).await.len(), written, "it is put right once");
    let again = play.restarted(Arc::new(store.fork()), NOON - 30 * DAY.as_millis() as u64);
    assert!(again.view(0).await.locked, "what was written can be read back, also by another clock");
    sleep(29 * DAY).await;
    play.matches.expire().await.expect("a readable list");
    assert!(stopped(&*store, play.id).await.is_some());
}

#[tokio::test(start_paused = true)]
async fn where_there_is_no_room_the_match_that_was_abandoned_first_makes_it() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 4, ..limits() });
    let first = create(&all, from(1)).await.expect("a match");
    sleep(MINUTE).await;
    let second = create(&all, from(2)).await.expect("a match");
    let played = Play::begin(&all, duel()).await;
    let followed = create(&all, from(3)).await.expect("a match");
    let _follower =
        parley_gateway::matches::Following::begin(&all, followed, None, Wishes::default(), 0).await.expect("to follow");
    assert_eq!(reason(&all, from(9)).await, Reason::TooManyMatches);
    sleep(2 * HOUR).await;
    let third = create(&all, from(9)).await.expect("room");
    let why = stopped(&*store, first).await;
    assert_eq!(why.as_deref(), Some("The match was abandoned, and the server has no room (max_matches)."));
    assert_eq!(stopped(&*store, second).await, None);
    create(&all, from(9)).await.expect("room");
    assert!(stopped(&*store, second).await.is_some());
    assert_eq!(reason(&all, from(9)).await, Reason::TooManyMatches);
    for id in [played.id, followed, third] {
        assert_eq!(stopped(&*store, id).await, None, "neither what is played nor followed nor new");
    }
}

#[tokio::test(start_paused = true)]
async fn nobody_who_wants_room_waits_for_more_than_a_few_matches_to_answer() {
    const FOLLOWED: usize = 16;
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: FOLLOWED + 1, ..limits() });
    let mut followers = Vec::new();
    for _ in 0..FOLLOWED {
        let id = create(&all, Creator::default()).await.expect("a match");
        followers.push(
            parley_gateway::matches::Following::begin(&all, id, None, Wishes::default(), 0).await.expect("to follow"),
        );
    }
    sleep(MINUTE).await;
    let left = create(&all, Creator::default()).await.expect("a match");
    sleep(2 * HOUR).await;
    assert_eq!(reason(&all, from(9)).await, Reason::TooManyMatches, "those that were asked are followed");
    assert_eq!(stopped(&*store, left).await, None);
    create(&all, from(9)).await.expect("the next one asks others");
    assert!(stopped(&*store, left).await.is_some());
}

#[tokio::test]
async fn an_administrator_sees_whose_matches_there_are_and_when_they_end() {
    let (service, keyring) = service(&Config::default());
    for last in [1, 1, 2] {
        service.create_match(call(creation(), address(last), "")).await.expect("a match");
    }
    let admin = keyring.mint(&Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX });
    let request =
        |page_token| v1::InspectMatchesRequest { stage: v1::MatchStage::Open.into(), page_size: 2, page_token };
    let status = service.inspect_matches(call(request(String::new()), address(1), "")).await.expect_err("no token");
    assert_eq!(status.code(), tonic::Code::PermissionDenied);
    let page =
        service.inspect_matches(call(request(String::new()), address(1), &admin)).await.expect("a page").into_inner();
    let rest = service.inspect_matches(call(request(page.next_page_token), address(1), &admin)).await.expect("a page");
    let all: Vec<_> = page.matches.into_iter().chain(rest.into_inner().matches).collect();
    assert_eq!(all.len(), 3);
    let day = DAY.as_millis() as u64;
    for inspected in &all {
        let created = inspected.r#match.as_ref().expect("a match").created_at.and_then(|at| times::timestamp_ms(&at));
        assert_eq!(
            [inspected.last_input_at, inspected.expires_at].map(|at| times::timestamp_ms(&at.expect("a time"))),
            [created, created.map(|at| at + day)]
        );
        assert_eq!((inspected.abandoned, inspected.in_memory, inspected.address.len()), (false, true, 16));
    }
    let addresses: std::collections::HashSet<_> = all.iter().map(|inspected| &inspected.address).collect();
    assert_eq!(addresses.len(), 2);
}

#[tokio::test]
async fn an_administrator_lists_them_on_the_command_line() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let created = Client::connect(server.address).await.create(duel(), None).await;
    let addr = format!("http://{}", server.address);
    let ask = |arguments: &[&str]| {
        let mut command = std::process::Command::new(env!("CARGO_BIN_EXE_parley"));
        command.args(["admin", "matches", "--server", &addr]).args(arguments).current_dir(folder.path());
        let output = command.env_remove("PARLEY_ADMIN_TOKEN").output().expect("the command runs");
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned(), output.stderr)
    };
    let data = folder.path().display().to_string();
    let (status, said, complaint) = ask(&["--data", &data]);
    assert_eq!((status, complaint.is_empty()), (Some(0), true), "{said}");
    let lines: Vec<&str> = said.lines().collect();
    assert_eq!(lines.len(), 2, "{said}");
    assert!(lines[0].starts_with("MATCH ") && lines[1].starts_with(&crate::common::id_of(&created)), "{said}");
    assert!(lines[1].contains("  open ") && lines[1].contains(" 23h59m ") && lines[1].ends_with("in memory"), "{said}");
    let (status, _, complaint) = ask(&["--token", "not-the-right-token"]);
    assert_eq!((status, String::from_utf8_lossy(&complaint).lines().count()), (Some(2), 1));
}

/// A match as anybody is told of it.
async fn told(client: &mut Client, id: &str) -> v1::Match {
    let request = v1::GetMatchRequest { match_id: id.to_owned() };
    client.lobby.get_match(request).await.expect("a match").into_inner().r#match.expect("a match")
}

#[tokio::test]
async fn the_binary_ends_a_match_whose_players_miss_three_deadlines() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &[]).await;
    let mut client = Client::connect(server.address).await;
    let id =
        id_of(&client.create(v1::MatchSettings { planning_time: Some(times::duration(500)), ..duel() }, None).await);
    for seat in 0..2 {
        client.join(&id, seat).await;
    }
    let began = std::time::Instant::now();
    let mut found = told(&mut client, &id).await;
    while found.stage() != v1::MatchStage::Finished {
        assert!(began.elapsed() < Duration::from_secs(30), "{found:?}");
        sleep(Duration::from_millis(50)).await;
        found = told(&mut client, &id).await;
    }
    assert_eq!(found.stopped, "3 deadlines passed without a player's input (missed_deadlines_before_expiry).");
    assert!(began.elapsed() >= Duration::from_millis(1000), "after {:?}", began.elapsed());
}

#[tokio::test]
async fn on_a_full_binary_abandoned_matches_of_bots_make_room() {
    let folder = tempfile::tempdir().expect("a folder");
    let server = Process::start(folder.path(), &["--max-matches", "2"]).await;
    let mut client = Client::connect(server.address).await;
    let bots = vec![v1::SeatChoice { house_bot: "hold".to_owned() }; 2];
    let bots = v1::MatchSettings { seats: bots, ..settings(2, 7).with_changes(r#"{"turn_limit": 0}"#) };
    let mut abandoned = Vec::new();
    for _ in 0..2 {
        abandoned.push(id_of(&client.create(bots.clone(), None).await));
    }
    for left in (0..2).rev() {
        client.create(duel(), None).await;
        let mut running = 0;
        for id in &abandoned {
            running += usize::from(told(&mut client, id).await.stage() == v1::MatchStage::Running);
        }
        assert_eq!(running, left, "each new match takes the room of one that nobody watches");
    }
    let refused =
        client.lobby.create_match(recoded::<v1::CreateMatchRequest>(&creation())).await.expect_err("people are there");
    assert_eq!(crate::common::reason(&refused), "TOO_MANY_MATCHES");
}

/// A match that nobody plays leaves memory after minutes. Then only the server, which goes through the lists from time to
/// time, can notice that it has expired.
#[tokio::test(start_paused = true)]
async fn the_server_ends_what_expires_after_it_has_left_memory() {
    let server = Running::start(&config()).await;
    let id = create(&server.matches, from(1)).await.expect("a match");
    sleep(DAY - HOUR).await;
    assert_eq!(stopped(&*server.matches.journal, id).await, None);
    sleep(2 * HOUR).await;
    let why = stopped(&*server.matches.journal, id).await;
    assert_eq!(why.as_deref(), Some("Nobody joined for 24 hours (lobby_expiry_hours)."));
}
