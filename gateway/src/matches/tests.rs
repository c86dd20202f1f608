//! Tests of matches that need to see into them.

use std::sync::Arc;
use std::time::Duration;

use parley_core::digest::Digest;
use parley_proto::opaque::v1;
use tokio::time::timeout;
use tonic::Code;
use uuid::Uuid;

use super::Matches;
use super::command::Request;
use super::mailbox::Leave;
use super::shared::{ASK_FOR_ROOM_EVERY, ASKED_FOR_ROOM};
use crate::auth::{Claims, Keyring, Role};
use crate::clock::Clock;
use crate::journal::MatchId;
use crate::journal::memory::Memory;
use crate::limits::Limits;
use crate::refusal::Reason;
use crate::work::WorkLimits;

fn request_id() -> String {
    format!("a-request-of-a-test-{}", Uuid::now_v7())
}

#[tokio::test(start_paused = true)]
async fn other_matches_are_asked_for_room_each_time_and_not_too_often() {
    let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
    let all = Matches::new(Arc::new(Memory::new()), keyring, Limits::default(), Clock::starting_at(0));
    let mut told = Vec::new();
    for number in 0..2 * ASKED_FOR_ROOM as u128 {
        let (handle, inbox) = all.new_handle();
        all.handles.insert(MatchId(Uuid::from_u128(number)), handle);
        told.push(inbox.leave);
    }
    let mut asked = || {
        let mut count = 0;
        for leave in told.iter_mut().filter(|leave| leave.has_changed().is_ok_and(|changed| changed)) {
            leave.mark_unchanged();
            count += 1;
        }
        count
    };
    all.ask_for_room();
    all.ask_for_room();
    assert_eq!(asked(), ASKED_FOR_ROOM, "the second came too early");
    tokio::time::advance(ASK_FOR_ROOM_EVERY).await;
    all.ask_for_room();
    assert_eq!(asked(), ASKED_FOR_ROOM);
    let all_asked = all.handles.iter().all(|handle| *handle.leave.borrow() == Leave::IfIdle);
    assert!(all_asked, "the second time the others were asked");
    tokio::time::advance(ASK_FOR_ROOM_EVERY).await;
    all.ask_for_room();
    assert_eq!(asked(), ASKED_FOR_ROOM, "those that stayed are asked again");
}

/// A match that two players have just begun, and what their tokens say.
async fn two_players(limits: Limits) -> (Matches, MatchId, [Claims; 2]) {
    let keyring = Arc::new(Keyring::ephemeral().expect("random numbers"));
    let all = Matches::new(Arc::new(Memory::new()), keyring, limits, Clock::starting_at(0));
    let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 2], ..v1::MatchSettings::default() };
    let settings = v1::MatchSettings { start_when_full: true, ..settings };
    let request = v1::CreateMatchRequest { request_id: request_id(), settings: Some(settings), ..Default::default() };
    let created = all.create(request).await.expect("a match").r#match.expect("a match");
    let id = MatchId(created.match_id.parse().expect("an id"));
    let mut expires_at = 0;
    for _ in 0..2 {
        let (request_id, match_id) = (request_id(), created.match_id.clone());
        let join = v1::JoinMatchRequest { request_id, match_id, ..v1::JoinMatchRequest::default() };
        let joined = all.ask(id, None, |reply| Request::JoinMatch(join, reply)).await.expect("a seat");
        expires_at = joined.expires_at.expect("a time").seconds as u64;
    }
    (all, id, [0, 1].map(|seat| Claims { match_id: Some(id), role: Role::Seat(seat), expires_at }))
}

/// Orders for the first turn.
fn lock(sheet: &'static [u8]) -> v1::LockInRequest {
    let (request_id, sheet) = (request_id(), Some(sheet.into()));
    v1::LockInRequest { request_id, match_id: String::new(), turn: 1, sheet }
}

/// A sheet without orders.
const EMPTY: &[u8] = b"\x0a\x00";

#[tokio::test(start_paused = true)]
async fn of_large_matches_only_a_few_are_resolved_at_the_same_time() {
    let work = WorkLimits { threads: 1, ..WorkLimits::default() };
    let limits = Limits { large_match_units: 0, work, ..Limits::default() };
    let (all, id, claims) = two_players(limits).await;
    let lock = |seat: usize| {
        let (all, claims) = (all.clone(), claims[seat]);
        async move { all.ask(id, Some(claims), |reply| Request::LockIn(lock(EMPTY), reply)).await }
    };
    lock(0).await.expect("nobody else resolves anything");
    let other = all.large_turns.wait([7; 16]).await;
    let waiting = tokio::spawn(lock(1));
    tokio::time::sleep(Duration::from_secs(10)).await;
    assert!(!waiting.is_finished(), "another one is being resolved");
    drop(other);
    let locked = timeout(Duration::from_secs(1), waiting).await.expect("its turn comes");
    locked.expect("no panic").expect("locked");
}

#[tokio::test(start_paused = true)]
async fn of_a_sheet_nothing_is_promised_but_what_the_game_understands() {
    let (all, id, [claims, _]) = two_players(Limits::default()).await;
    let ask = async |request| all.ask(id, Some(claims), |reply| Request::LockIn(request, reply)).await;
    // Bytes that are no message, no sheet at all, and one under the arm of another game.
    for sheet in [&b"\x0a\xff"[..], b"", b"\x12\x00"] {
        let refusal = ask(lock(sheet)).await.expect_err("no sheet");
        assert_eq!((refusal.code, &*refusal.faults[0].field), (Code::InvalidArgument, "sheet"), "{refusal:?}");
    }
    // A field that nobody knows stands beside the arm, and is gone.
    let request = lock(b"\x7a\x07planted\x0a\x00");
    let receipt = ask(request.clone()).await.expect("locked").receipt.expect("a receipt");
    assert_eq!(receipt.sheet_hash, Digest::of(EMPTY).as_bytes()[..]);
    let again = v1::LockInRequest { sheet: Some(EMPTY.into()), ..request };
    assert_eq!(ask(again).await.expect("the same orders").receipt.expect("a receipt").sheet_hash, receipt.sheet_hash);
    // Whoever may not order anything is told so, whatever the sheet is: nobody reads it.
    let late = v1::LockInRequest { request_id: "another".to_owned(), ..lock(b"\x0a\xff") };
    assert_eq!(ask(late.clone()).await.expect_err("locked before").reason, Reason::AlreadyLocked);
    assert_eq!(ask(v1::LockInRequest { turn: 9, ..late }).await.expect_err("turn 1").reason, Reason::OtherTurn);
}
