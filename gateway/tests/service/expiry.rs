//! Nobody can fill the server: matches count against the address that created them, those that nobody plays end by
//! themselves, and where there is no room the abandoned ones make it.
//!
//! The time of these tests stands still unless everybody waits.

use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::time::Duration;

use crate::common::Client;
use crate::common::process::Process;
use crate::sea::{NOON, Play, drawn, duel, halfway, limits, matches, records, request_id, sail, sheet};
use parley_gateway::auth::{Claims, Gate, Keyring, Role};
use parley_gateway::config::Config;
use parley_gateway::door::Peer;
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Journal, Listing, MatchId, Stage};
use parley_gateway::limits::Limits;
use parley_gateway::matches::command::Request;
use parley_gateway::matches::listing::Listed;
use parley_gateway::matches::{Matches, Origin};
use parley_gateway::refusal::Refusal;
use parley_gateway::service::Service;
use parley_proto::journal::v1::Entry;
use parley_proto::journal::v1::entry::What as Written;
use parley_proto::v1;
use parley_proto::v1::admin_server::Admin;
use parley_proto::v1::lobby_server::Lobby;
use prost::Message;
use tokio::time::sleep;

const MINUTE: Duration = Duration::from_secs(60);
const HOUR: Duration = Duration::from_secs(60 * 60);
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

fn address(last: u8) -> IpAddr {
    IpAddr::from([192, 0, 2, last])
}

fn from(last: u8) -> Origin {
    Origin { address: Some(address(last)), ..Origin::default() }
}

fn creation() -> v1::CreateMatchRequest {
    v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), ..v1::CreateMatchRequest::default() }
}

async fn create(all: &Matches, origin: Origin) -> Result<MatchId, Refusal> {
    let created = all.create_for(origin, creation(), &["hold"]).await?;
    Ok(MatchId(created.r#match.expect("a match").match_id.parse().expect("an id")))
}

async fn reason(all: &Matches, origin: Origin) -> &'static str {
    create(all, origin).await.expect_err("refused").reason
}

async fn described(all: &Matches, id: MatchId) -> v1::Match {
    let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
    let described = all.ask(id, Some(admin), Request::GetMatch).await.expect("a match");
    described.r#match.expect("a match")
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
    let found = v1::Match::decode(listing.summary).expect("a match");
    (listing.stage == Stage::Finished).then_some(found.stopped)
}

#[tokio::test(start_paused = true)]
async fn an_address_has_so_many_unfinished_matches_also_after_a_restart() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches_per_address: 2, ..limits() });
    let first = create(&all, from(1)).await.expect("a match");
    create(&all, from(1)).await.expect("a match");
    assert_eq!(reason(&all, from(1)).await, "TOO_MANY_MATCHES_FROM_ADDRESS");
    create(&all, from(2)).await.expect("others do not notice");
    for _ in 0..5 {
        create(&all, Origin::default()).await.expect("callers from inside have no limit");
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
    assert_eq!(reason(&again, from(1)).await, "TOO_MANY_MATCHES_FROM_ADDRESS");
    stop(&again, first).await;
    create(&again, from(1)).await.expect("one of them has ended");
    assert_eq!(reason(&again, from(1)).await, "TOO_MANY_MATCHES_FROM_ADDRESS");
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
    (Service::new(all, gate, &["hold"]), keyring)
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
    let settings = v1::MatchSettings { planning_ms: Some(60_000), ..duel() };
    let play = Play::begin(&all, settings).await;
    sleep(2 * MINUTE + MINUTE / 2).await;
    play.lock(0, 3, v1::OrderSheet::default()).await;
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
    let settings = v1::MatchSettings { map, rules: String::new(), decision_ms: Some(60_000), ..duel() };
    let play = Play::begin(&all, settings).await;
    let west = [sail(1, &[(1, 0)]), sail(2, &[(0, 1), (1, 1)]), sail(3, &[(0, 1), (-1, 2), (0, 2)])];
    let east = [sail(4, &[(1, 0)]), sail(5, &[(1, 1), (0, 1)]), sail(6, &[(1, 1), (0, 2), (-1, 2)])];
    play.lock(0, 1, sheet(&west)).await;
    play.lock(1, 1, sheet(&east)).await;
    sleep(4 * MINUTE).await;
    let ended = |entry: &Entry| matches!(entry.what, Some(Written::WindowEnded(_)));
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

#[tokio::test(start_paused = true)]
async fn where_there_is_no_room_the_match_that_was_abandoned_first_makes_it() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 4, ..limits() });
    let first = create(&all, from(1)).await.expect("a match");
    sleep(MINUTE).await;
    let second = create(&all, from(2)).await.expect("a match");
    let played = Play::begin(&all, duel()).await;
    let followed = create(&all, from(3)).await.expect("a match");
    let _follower = parley_gateway::matches::Following::begin(&all, followed, None, false, 0).await.expect("to follow");
    assert_eq!(reason(&all, from(9)).await, "TOO_MANY_MATCHES");
    sleep(2 * HOUR).await;
    let third = create(&all, from(9)).await.expect("room");
    let why = stopped(&*store, first).await;
    assert_eq!(why.as_deref(), Some("The match was abandoned, and the server has no room (max_matches)."));
    assert_eq!(stopped(&*store, second).await, None);
    create(&all, from(9)).await.expect("room");
    assert!(stopped(&*store, second).await.is_some());
    assert_eq!(reason(&all, from(9)).await, "TOO_MANY_MATCHES");
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
        let id = create(&all, Origin::default()).await.expect("a match");
        followers.push(parley_gateway::matches::Following::begin(&all, id, None, false, 0).await.expect("to follow"));
    }
    sleep(MINUTE).await;
    let left = create(&all, Origin::default()).await.expect("a match");
    sleep(2 * HOUR).await;
    assert_eq!(reason(&all, from(9)).await, "TOO_MANY_MATCHES", "those that were asked are followed");
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
        let created = inspected.r#match.as_ref().expect("a match").created_ms;
        assert_eq!((inspected.last_input_ms, inspected.expires_ms), (created, created + day));
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
