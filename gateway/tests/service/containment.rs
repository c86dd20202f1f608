//! What fails in one match stays in it: nothing that was acknowledged is lost, nothing that is not durable is seen, and
//! the others go on.

use std::collections::HashMap;
use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use crate::common::naval::{Naval, recoded};
use crate::sea::{Play, duel, halfway, limits, matches, next_outcome, records, request_id};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parley_bots::arms::Arms;
use parley_games::receipt::Promise;
use parley_games::times;
use parley_gateway::auth::{Claims, Role};
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Append, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail};
use parley_gateway::limits::Limits;
use parley_gateway::match_state::{MatchState, Place};
use parley_gateway::matches::command::Request;
use parley_gateway::matches::{Matches, Replay};
use parley_gateway::refusal::Refusal;
use parley_gateway::rulesets::Rulesets;
use parley_gateway::work::Customer;
use parley_proto::journal::v1::entry::What as Written;
use parley_proto::journal::v1::{self as disk, Entry};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::Reason;
use prost::Message;
use tokio::sync::mpsc;
use tokio::time::sleep;
use tonic::Code;

/// What a receipt says; the signature under it may be another one each time.
fn said(locked: &v1::LockInResponse) -> Promise {
    Promise::read(locked.receipt.as_ref().expect("a receipt")).expect("a promise")
}

/// A store that does what a test tells it to.
struct Treacherous {
    store: Arc<Memory>,
    /// Whoever comes next to write panics.
    panics: AtomicBool,
    /// Matches whose record of this number reads as something else.
    changed: Mutex<HashMap<MatchId, u64>>,
    /// Matches whose record of this number cannot be read.
    damaged: Mutex<HashMap<MatchId, u64>>,
    /// Matches whose record of this number reads as this one.
    replaced: Mutex<HashMap<MatchId, (u64, Bytes)>>,
    /// Matches that have a snapshot for each of so many records, none of which can be read.
    garbled: Mutex<HashMap<MatchId, u64>>,
    /// Whether nothing can be read, as after a failed commit.
    is_closed: AtomicBool,
    /// How often somebody wanted to read a damaged match or snapshot, or one while nothing could be read.
    readings: AtomicUsize,
}

impl Treacherous {
    fn new() -> Arc<Self> {
        let (changed, damaged, replaced, garbled) = Default::default();
        let (panics, is_closed, readings) = Default::default();
        Arc::new(Self {
            store: Arc::new(Memory::new()),
            panics,
            is_closed,
            changed,
            damaged,
            replaced,
            garbled,
            readings,
        })
    }
}

impl Journal for Treacherous {
    fn appends(&self) -> &mpsc::Sender<Append> {
        assert!(!self.panics.swap(false, Ordering::SeqCst), "a test asked for a panic");
        self.store.appends()
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        async move {
            if self.is_closed.load(Ordering::SeqCst) {
                self.readings.fetch_add(1, Ordering::SeqCst);
                return Err(ReadError::Failed("a test asked for it".to_owned()));
            }
            if let Some(&record) = self.damaged.lock().expect("no panic").get(&id) {
                self.readings.fetch_add(1, Ordering::SeqCst);
                return Err(ReadError::Damaged { id: id.0, record, what: "a test asked for it".to_owned() });
            }
            let mut piece = self.store.read_piece(id, from, bytes).await?;
            if let Some(&record) = self.changed.lock().expect("no panic").get(&id)
                && let Some(record) = piece.records.get_mut((record - from.after - 1) as usize)
            {
                *record = Bytes::from_static(&[0xff; 9]);
            }
            if let Some((number, said)) = self.replaced.lock().expect("no panic").get(&id)
                && let Some(place) = number.checked_sub(from.after + 1)
                && let Some(record) = piece.records.get_mut(place as usize)
            {
                *record = said.clone();
            }
            Ok(piece)
        }
        .boxed()
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        if let Some(&last) = self.garbled.lock().expect("no panic").get(&id) {
            self.readings.fetch_add(1, Ordering::SeqCst);
            let garbled = Snapshot { records: records.min(last), state: Bytes::from_static(b"\xff") };
            return async move { Ok((garbled.records > 0).then_some(garbled)) }.boxed();
        }
        self.store.snapshot(id, records)
    }

    fn listing(&self, id: MatchId) -> BoxFuture<'_, Result<Option<Listing>, ReadError>> {
        self.store.listing(id)
    }

    fn list(
        &self,
        stage: Stage,
        before: Option<MatchId>,
        limit: usize,
    ) -> BoxFuture<'_, Result<Vec<(MatchId, Listing)>, ReadError>> {
        self.store.list(stage, before, limit)
    }

    fn ending_in(&self, tail: Tail) -> BoxFuture<'_, Result<Option<MatchId>, ReadError>> {
        self.store.ending_in(tail)
    }

    fn close(&self) -> BoxFuture<'_, ()> {
        self.store.close()
    }
}

/// Keeps the lines of the log.
#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<u8>>>);

impl io::Write for Log {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().expect("no panic").extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Log {
    /// The log of all tests of this file; whoever reads it looks for a match of its own.
    fn open() -> Self {
        static LOG: OnceLock<Log> = OnceLock::new();
        let open = || {
            let log = Self::default();
            let writer = log.clone();
            let lines = tracing_subscriber::fmt().with_writer(move || writer.clone()).with_ansi(false).finish();
            tracing::subscriber::set_global_default(lines).expect("nobody else reads the log");
            log
        };
        LOG.get_or_init(open).clone()
    }

    fn text(&self) -> String {
        String::from_utf8_lossy(&self.0.lock().expect("no panic")).into_owned()
    }
}

fn reason(refusal: &Refusal) -> (Code, Reason) {
    (refusal.code, refusal.reason)
}

fn turn_of(view: &v1::GetViewResponse) -> u32 {
    view.view.as_ref().and_then(Arms::as_plunder).expect("a view").turn
}

fn rebuilt(play: &Play) -> u64 {
    play.matches.stats.rebuilt.load(Ordering::Relaxed)
}

#[tokio::test(start_paused = true)]
async fn a_match_that_panics_is_reported_and_built_again_while_others_go_on() {
    let log = Log::open();
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let (play, other) = (Play::begin(&all, duel()).await, Play::begin(&all, duel()).await);
    let mut told = play.follow(1, 0).await;
    play.lock(0, 1, plunder::Sheet::default()).await;
    store.panics.store(true, Ordering::SeqCst);
    let request = play.lock_request(1, Some(halfway(1)));
    let refusal = play.lock_with(1, request.clone()).await.expect_err("interrupted");
    assert_eq!(reason(&refusal), (Code::Unavailable, Reason::MatchInterrupted));
    assert!(refusal.retry_after.is_some());
    assert_eq!(rebuilt(&play), 1);
    let text = log.text();
    assert!(text.contains(&play.id.0.to_string()) && text.contains("a test asked for a panic"), "{text}");
    assert!(!text.contains(&request.request_id), "{text}");
    assert_eq!(turn_of(&other.view(0).await), 1);
    other.lock(0, 1, halfway(0)).await;
    other.lock(1, 1, plunder::Sheet::default()).await;
    assert_eq!(turn_of(&other.view(0).await), 2);
    let view = play.view(0).await;
    assert_eq!((turn_of(&view), view.locked), (1, true), "what was acknowledged is still there");
    assert!(!play.view(1).await.locked, "what was not written has not happened");
    let receipt = play.lock_with(1, request.clone()).await.expect("the same request again");
    assert_eq!(said(&receipt), said(&play.lock_with(1, request).await.expect("and again")));
    assert_eq!(next_outcome(&mut told).await.turn, 1, "who followed it still does");
    assert_eq!(rebuilt(&play), 1);
}

#[tokio::test(start_paused = true)]
async fn a_match_that_failed_meets_its_deadline_though_nobody_asks() {
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let play = Play::begin(&all, v1::MatchSettings { planning_time: Some(times::duration(60_000)), ..duel() }).await;
    store.panics.store(true, Ordering::SeqCst);
    play.lock_with(0, play.lock_request(1, Some(plunder::Sheet::default()))).await.expect_err("interrupted");
    sleep(Duration::from_secs(61)).await;
    assert_eq!(turn_of(&play.view(0).await), 2);
    assert_eq!(rebuilt(&play), 1);
}

/// How often the time to plan has run out, as it was written down.
async fn planning_ended(store: &Memory, id: MatchId) -> usize {
    let written = records(store, id).await;
    written.iter().filter(|entry| matches!(entry.what, Some(Written::PlanningEnded(_)))).count()
}

#[tokio::test(start_paused = true)]
async fn a_match_that_cannot_be_read_back_for_a_while_meets_its_deadlines_though_nobody_asks() {
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let play = Play::begin(&all, v1::MatchSettings { planning_time: Some(times::duration(60_000)), ..duel() }).await;
    store.is_closed.store(true, Ordering::SeqCst);
    store.panics.store(true, Ordering::SeqCst);
    play.lock_with(0, play.lock_request(1, Some(plunder::Sheet::default()))).await.expect_err("interrupted");
    sleep(Duration::from_secs(40)).await;
    let readings = store.readings.load(Ordering::SeqCst);
    assert!((8..=40).contains(&readings), "tried every few seconds, and not more often: {readings}");
    store.is_closed.store(false, Ordering::SeqCst);
    sleep(Duration::from_secs(25)).await;
    assert_eq!(planning_ended(&store.store, play.id).await, 1, "the deadline came without being asked for");
}

#[tokio::test(start_paused = true)]
async fn matches_that_cannot_be_read_back_at_the_start_are_woken_later() {
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let play = Play::begin(&all, v1::MatchSettings { planning_time: Some(times::duration(60_000)), ..duel() }).await;
    all.drain();
    all.stop(play.id).await;
    store.is_closed.store(true, Ordering::SeqCst);
    let play = play.restarted(store.clone(), crate::sea::NOON);
    play.matches.wake().await.expect("a readable list");
    assert!(!play.matches.is_in_memory(play.id));
    store.is_closed.store(false, Ordering::SeqCst);
    sleep(Duration::from_secs(6)).await;
    assert!(play.matches.is_in_memory(play.id));
    sleep(Duration::from_secs(60)).await;
    assert_eq!(planning_ended(&store.store, play.id).await, 1);
}

#[tokio::test(start_paused = true)]
async fn what_could_not_be_written_has_not_happened_and_can_be_repeated() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    let mut told = play.follow(0, 0).await;
    let before = [play.view(0).await, play.view(1).await];
    store.fail_next(1);
    let request = play.lock_request(1, Some(halfway(0)));
    let refusal = play.lock_with(0, request.clone()).await.expect_err("interrupted");
    assert_eq!(reason(&refusal), (Code::Unavailable, Reason::MatchInterrupted));
    assert_eq!([play.view(0).await, play.view(1).await], before);
    assert_eq!(records(&*store, play.id).await.len(), 4, "created, two joined, started");
    let receipt = play.lock_with(0, request.clone()).await.expect("the same request again");
    let after_crash = play.restarted(Arc::new(store.fork()), crate::sea::NOON);
    let again = after_crash.lock_with(0, request).await.expect("the same request after a restart");
    assert_eq!(said(&receipt), said(&again));
    assert_eq!(after_crash.view(0).await, play.view(0).await);
    play.lock(1, 1, plunder::Sheet::default()).await;
    assert_eq!(next_outcome(&mut told).await.turn, 1);
    assert_eq!(rebuilt(&play), 1);
}

#[tokio::test(start_paused = true)]
async fn repetitions_get_the_first_answer_also_after_a_crash() {
    for snapshot_every in [1, 64] {
        let store = Arc::new(Memory::new());
        let all = matches(store.clone(), Limits { snapshot_every, ..limits() });
        let fixed_secret = vec![7; 32].into();
        let creation = v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), fixed_secret };
        let created = all.create(recoded(&creation)).await.expect("a match");
        let id = MatchId(created.r#match.as_ref().expect("a match").match_id.parse().expect("an id"));
        let host = Claims { match_id: Some(id), role: Role::Host, expires_at: u64::MAX };
        let mut play = Play { matches: all, id, host, seats: Vec::new() };
        let (match_id, seat) = (id.0.to_string(), Some(0));
        let join = v1::JoinMatchRequest { request_id: request_id(), match_id, seat, ..v1::JoinMatchRequest::default() };
        let joining = |matches: Matches| {
            let join = join.clone();
            async move { matches.ask(id, None, |reply| Request::JoinMatch(join, reply)).await.expect("a seat") }
        };
        let joined = joining(play.matches.clone()).await;
        play.seats.push(Claims {
            match_id: Some(id),
            role: Role::Seat(0),
            expires_at: crate::sea::seconds(joined.expires_at),
        });
        play.seats.push(play.join(1).await.expect("a seat"));
        let lock = play.lock_request(1, Some(halfway(0)));
        let locked = play.lock_with(0, lock.clone()).await.expect("locked");
        play.lock(1, 1, halfway(1)).await;
        let answer = play.answering(0, 1, "attack").await;
        let answered = play.answer_with(0, answer.clone()).await.expect("answered");
        play.answer(1, 2, "yield").await;
        let concede = v1::ConcedeRequest { request_id: request_id(), match_id: id.0.to_string() };
        let conceding = |play: Play| {
            let (concede, claims) = (concede.clone(), Some(play.seats[0]));
            async move { play.matches.ask(id, claims, |reply| Request::Concede(concede, reply)).await.expect("gone") }
        };
        play.lock(0, 2, plunder::Sheet::default()).await;
        let conceded = conceding(play.clone()).await;
        assert_eq!(conceded.turn, 3, "the orders of turn 2 are locked");
        let before = [play.view(0).await, play.view(1).await];
        let play = play.restarted(Arc::new(store.fork()), crate::sea::NOON + 60_000);
        play.matches.wake().await.expect("a readable list");
        let written = records(&*play.matches.journal, id).await.len();
        let again = play.matches.create(recoded(&creation)).await.expect("created");
        assert_eq!((again.host_token, again.invite_token), (created.host_token, created.invite_token));
        let again = joining(play.matches.clone()).await;
        assert_eq!((again.player_token, again.expires_at), (joined.player_token, joined.expires_at));
        assert_eq!(said(&play.lock_with(0, lock).await.expect("locked")), said(&locked));
        assert_eq!(play.answer_with(0, answer).await.expect("answered"), answered);
        assert_eq!(conceding(play.clone()).await, conceded);
        assert_eq!([play.view(0).await, play.view(1).await], before);
        assert_eq!(records(&*play.matches.journal, id).await.len(), written, "nothing happened twice");
    }
}

#[tokio::test(start_paused = true)]
async fn a_match_whose_creation_could_not_be_written_can_be_created_by_the_same_request() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 1, ..limits() });
    store.fail_next(1);
    let request =
        v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), fixed_secret: vec![7; 32].into() };
    let refusal = all.create(recoded(&request)).await.expect_err("interrupted");
    assert_eq!(reason(&refusal), (Code::Unavailable, Reason::MatchInterrupted));
    let created = all.create(recoded(&request)).await.expect("the same request again");
    assert_eq!(all.create(recoded(&request)).await.expect("and again"), created);
    let id = MatchId(created.r#match.expect("a match").match_id.parse().expect("an id"));
    assert_eq!(records(&*store, id).await.len(), 1);
}

#[tokio::test(start_paused = true)]
async fn a_creation_that_failed_leaves_room_for_another() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { matches: 1, ..limits() });
    store.fail_next(1);
    let request =
        |request_id| v1::CreateMatchRequest { request_id, settings: Some(duel()), fixed_secret: Bytes::new() };
    all.create(recoded(&request(request_id()))).await.expect_err("interrupted");
    sleep(Duration::from_secs(2)).await;
    all.create(recoded(&request(request_id()))).await.expect("there is room");
    let refusal = all.create(recoded(&request(request_id()))).await.expect_err("now it is full");
    assert_eq!(reason(&refusal), (Code::ResourceExhausted, Reason::TooManyMatches));
    assert!(refusal.retry_after.is_some());
}

#[tokio::test(start_paused = true)]
async fn what_is_not_durable_is_seen_by_nobody() {
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    let mut told = play.follow(0, 0).await;
    for _ in 0..3 {
        told.next().await.expect("no refusal").expect("seats and the first turn");
    }
    play.lock(0, 1, halfway(0)).await;
    store.hold();
    let late = play.clone();
    let locking = tokio::spawn(async move { late.lock(1, 1, plunder::Sheet::default()).await });
    store.held(1).await;
    let looking = play.clone();
    let looking = tokio::spawn(async move { looking.view(0).await });
    sleep(Duration::from_secs(10)).await;
    assert!(!locking.is_finished(), "no receipt before it is durable");
    assert!(!looking.is_finished(), "no view of what is not durable");
    assert!(told.next().now_or_never().is_none(), "no news of what is not durable");
    let crashed = play.restarted(Arc::new(store.fork()), crate::sea::NOON);
    assert_eq!(turn_of(&crashed.view(0).await), 1, "after a crash it would not have happened");
    store.release();
    assert_eq!(turn_of(&looking.await.expect("no panic")), 2);
    assert_eq!(next_outcome(&mut told).await.turn, 1);
    let receipt = locking.await.expect("no panic");
    assert_eq!((receipt.turn, receipt.seat), (1, 1));
}

/// The record of a lock-in names a seat that the match does not have.
#[tokio::test(start_paused = true)]
async fn a_record_of_a_seat_that_does_not_exist_is_refused_by_name() {
    let store = Treacherous::new();
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, plunder::Sheet::default()).await;
    play.stop().await;
    let written = records(&*store, play.id).await;
    let is_locked = |entry: &Entry| matches!(entry.what, Some(Written::Locked(_)));
    let number = written.iter().position(is_locked).expect("a lock-in");
    for seat in [2, 255, 256, u32::MAX] {
        let mut entry = written[number].clone();
        if let Some(Written::Locked(locked)) = &mut entry.what {
            locked.seat = seat;
        }
        let replaced = (number as u64 + 1, entry.encode_to_vec().into());
        store.replaced.lock().expect("no panic").insert(play.id, replaced);
        let other = play.restarted(store.clone(), crate::sea::NOON);
        let mut replay = Replay::new(&other.matches, Customer::Service, play.id, None);
        let refusal = replay.first().await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged), "{refusal:?}");
        let refusal = other.look(None).await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged), "{refusal:?}");
    }
}

/// A record as a version before questions wrote it: the decision of ship 1 in tick 3 of turn 1, under tag 8.
const DECIDED: &[u8] = b"\x08\x05\x42\x0d\x10\x01\x18\x03\x22\x04\x08\x01\x10\x03\x2a\x01r";
/// Another one: the time for the decisions in tick 3 of turn 1 was over, under tag 9.
const WINDOW_ENDED: &[u8] = b"\x08\x05\x4a\x04\x08\x01\x10\x03";

#[tokio::test(start_paused = true)]
async fn a_match_of_a_version_before_questions_is_refused_by_name_and_alone() {
    let log = Log::open();
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let play = [Play::begin(&all, duel()).await, Play::begin(&all, duel()).await, Play::begin(&all, duel()).await];
    for play in &play {
        play.lock(0, 1, halfway(0)).await;
        play.lock(1, 1, halfway(1)).await;
        play.answer(0, 1, "attack").await;
    }
    let number = records(&*store, play[0].id).await.len() as u64;
    for (play, record) in play.iter().zip([DECIDED, WINDOW_ENDED]) {
        store.replaced.lock().expect("no panic").insert(play.id, (number, Bytes::from_static(record)));
    }
    let play = play.map(|play| play.restarted(store.clone(), crate::sea::NOON));
    play[2].matches.wake().await.expect("a readable list");
    let sentence = "the match was recorded by a version before questions and cannot be read by this one";
    for old in &play[..2] {
        let mut replay = Replay::new(&old.matches, Customer::Service, old.id, None);
        let asked = [
            old.look(Some(old.seats[0])).await.err(),
            old.lock_with(1, old.lock_request(1, None)).await.err(),
            replay.first().await.err(),
        ];
        for refusal in asked.map(|refusal| refusal.expect("of an older version")) {
            assert_eq!(reason(&refusal), (Code::FailedPrecondition, Reason::MatchOfOlderVersion));
            assert_eq!(refusal.message, sentence);
        }
        let text = log.text();
        let mut lines = text.lines().filter(|line| line.contains(&old.id.0.to_string()));
        assert!(lines.any(|line| line.contains(sentence)), "{text}");
    }
    play[2].answer(1, 2, "yield").await;
    assert_eq!(turn_of(&play[2].view(1).await), 2);
}

/// A long match has thousands of snapshots, and of an older version not one of them can be read.
#[tokio::test(start_paused = true)]
async fn a_match_of_an_older_version_is_refused_before_all_its_snapshots_were_read() {
    let store = Treacherous::new();
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    // Created with settings under tag 1, as before games had packages of their own.
    let created = Bytes::from_static(b"\x08\x05\x12\x04\x0a\x02\x0a\x00");
    store.replaced.lock().expect("no panic").insert(play.id, (1, created));
    store.garbled.lock().expect("no panic").insert(play.id, 1000);
    let refusal = play.restarted(store.clone(), crate::sea::NOON).look(None).await.expect_err("of an older version");
    assert_eq!(reason(&refusal), (Code::FailedPrecondition, Reason::MatchOfOlderVersion));
    let read = store.readings.load(Ordering::SeqCst);
    assert!(read < 10, "{read} snapshots were read");
}

/// What nobody knows is not taken for what older versions wrote.
#[tokio::test(start_paused = true)]
async fn a_record_that_says_nothing_known_is_damage() {
    let store = Treacherous::new();
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    play.lock(0, 1, halfway(0)).await;
    let number = records(&*store, play.id).await.len() as u64;
    // The time of a record, and what it says under tag 20.
    for record in [&b""[..], b"\x08\x05", b"\x08\x05\xa2\x01\x00"] {
        let record = Bytes::copy_from_slice(record);
        store.replaced.lock().expect("no panic").insert(play.id, (number, record));
        let refusal = play.restarted(store.clone(), crate::sea::NOON).look(None).await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged), "{refusal:?}");
    }
}

/// Records about windows that were never open, and answers that nobody could give.
#[tokio::test(start_paused = true)]
async fn answers_that_the_match_did_not_ask_for_are_damage() {
    let store = Treacherous::new();
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    play.lock(0, 1, halfway(0)).await;
    play.lock(1, 1, halfway(1)).await;
    play.answer(0, 1, "attack").await;
    let written = records(&*store, play.id).await;
    let (number, last) = (written.len() as u64, written.last().expect("an answer"));
    let Some(Written::Answers(given)) = &last.what else { panic!("{last:?}") };
    assert_eq!((given.seat, given.turn, given.window), (0, 1, 1));
    let twice = [given.answers.clone(), given.answers.clone()].concat();
    let cases = [
        Written::Answers(disk::Answers { seat: 2, ..given.clone() }),
        Written::Answers(disk::Answers { seat: 256, ..given.clone() }),
        Written::Answers(disk::Answers { turn: 2, ..given.clone() }),
        Written::Answers(disk::Answers { window: 0, ..given.clone() }),
        Written::Answers(disk::Answers { window: 2, ..given.clone() }),
        Written::Answers(disk::Answers { answers: twice, ..given.clone() }),
        Written::WindowClosed(disk::WindowClosed { turn: 1, window: 2 }),
        Written::WindowClosed(disk::WindowClosed { turn: 2, window: 1 }),
        Written::WindowClosed(disk::WindowClosed { turn: 1, window: 0 }),
        Written::DeadlineShortened(disk::DeadlineShortened { turn: 1, window: 2 }),
        Written::DeadlineShortened(disk::DeadlineShortened { turn: 2, window: 0 }),
        // Versions before questions wrote no window, but nothing of their matches can be read any more.
        Written::DeadlineShortened(disk::DeadlineShortened { turn: 1, window: 0 }),
    ];
    for what in cases {
        let record = Entry { what: Some(what.clone()), ..last.clone() };
        store.replaced.lock().expect("no panic").insert(play.id, (number, record.encode_to_vec().into()));
        let other = play.restarted(store.clone(), crate::sea::NOON);
        let refusal = other.look(None).await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged), "{what:?}");
    }
}

/// The snapshot of a match of three, in which the match has two seats.
#[tokio::test(start_paused = true)]
async fn a_snapshot_with_more_players_than_seats_is_refused_by_name() {
    let store = Arc::new(Memory::new());
    let map = crate::sea::drawn(&["H.....H", ".......", "H......"], &[(0, 0), (6, 0), (-1, 2)]);
    let settings = v1::MatchSettings { seats: vec![v1::SeatChoice::default(); 3], ..duel().with_map(map) };
    let play = Play::begin(&matches(store.clone(), Limits { snapshot_every: 1, ..limits() }), settings).await;
    for seat in 0..3 {
        play.lock(seat, 1, plunder::Sheet::default()).await;
    }
    let saved = store.snapshot(play.id, u64::MAX).await.expect("a store").expect("a snapshot").state;
    let restore = |saved: Bytes| MatchState::restore(play.id, saved, &Rulesets::default(), 8);
    assert_eq!(restore(saved.clone()).expect("as it was saved").seats.len(), 3);
    let mut fewer = disk::Snapshot::decode(saved.clone()).expect("a snapshot");
    fewer.seats.pop();
    fewer.news.pop();
    let created = fewer.created.as_mut().expect("how it was created");
    created.settings.as_mut().expect("settings").seats.pop();
    let map = created.map.as_mut().expect("the map as drawn");
    let mut drawn = plunder::DrawnMap::decode(map.clone()).expect("a map");
    drawn.starts.pop();
    *map = drawn.encode_to_vec().into();
    let nonsense = restore(fewer.encode_to_vec().into()).expect_err("too many players");
    assert!(nonsense.to_string().contains("3 players"), "{nonsense}");
    // Times that no clock shows are not added to.
    let mut late = disk::Snapshot::decode(saved).expect("a snapshot");
    late.opened_ms = u64::MAX;
    late.created.as_mut().and_then(|created| created.settings.as_mut()).expect("settings").planning_ms = Some(60_000);
    let late = restore(late.encode_to_vec().into()).expect("a time is a time");
    assert_eq!(late.deadline_ms(), Some(u64::MAX));
    assert_eq!(late.view_response(Place::Seat(0)).deadline, Some(times::timestamp(u64::MAX)));
}

/// Nobody can end it, so nobody waits for it.
#[tokio::test(start_paused = true)]
async fn a_damaged_match_takes_no_room() {
    let store = Treacherous::new();
    let all = matches(store.clone(), Limits { matches: 2, ..limits() });
    let mut broken = Vec::new();
    for _ in 0..2 {
        broken.push(Play::begin(&all, duel()).await.id);
    }
    sleep(Duration::from_secs(31 * 24 * 3600)).await;
    assert_eq!(all.in_memory(), 0);
    store.damaged.lock().expect("no panic").extend(broken.iter().map(|id| (*id, 2)));
    Play::begin(&all, duel()).await;
    all.expire().await.expect("a readable list");
    let read = store.readings.load(Ordering::SeqCst);
    Play::begin(&all, duel()).await;
    for _ in 0..5 {
        all.expire().await.expect("a readable list");
    }
    assert_eq!(store.readings.load(Ordering::SeqCst), read, "it is read once");
    let request = v1::CreateMatchRequest {
        request_id: request_id(),
        settings: Some(duel()),
        ..v1::CreateMatchRequest::default()
    };
    let refusal = all.create(recoded(&request)).await.expect_err("two others are there");
    assert_eq!(refusal.reason, Reason::TooManyMatches);
}

/// A task that leaves memory with something to write has the match until that is done.
#[tokio::test(start_paused = true)]
async fn a_match_is_not_read_back_before_its_task_has_ended() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), limits());
    let play = Play::begin(&all, duel()).await;
    sleep(Duration::from_secs(1)).await;
    play.lock(0, 1, halfway(0)).await;
    store.hold();
    // What is listed is written anew when the match leaves.
    store.held(1).await;
    let looking = play.clone();
    let looking = tokio::spawn(async move { looking.view(0).await });
    sleep(Duration::from_secs(10)).await;
    assert!(!looking.is_finished(), "the task that had the match still writes");
    store.release();
    assert!(looking.await.expect("no panic").locked);
}

#[tokio::test(start_paused = true)]
async fn a_damaged_match_stops_alone() {
    let store = Treacherous::new();
    let all = matches(store.clone(), limits());
    let play = [Play::begin(&all, duel()).await, Play::begin(&all, duel()).await, Play::begin(&all, duel()).await];
    for play in &play {
        play.lock(0, 1, halfway(0)).await;
    }
    store.changed.lock().expect("no panic").insert(play[0].id, 3);
    store.damaged.lock().expect("no panic").insert(play[1].id, 2);
    sleep(Duration::from_secs(3600)).await;
    assert_eq!(all.in_memory(), 0);
    for broken in &play[..2] {
        let refusal = broken.look(Some(broken.seats[0])).await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged));
        let refusal = broken.lock_with(1, broken.lock_request(1, None)).await.expect_err("damaged");
        assert_eq!(reason(&refusal), (Code::DataLoss, Reason::MatchDamaged));
    }
    assert!(play[2].view(0).await.locked);
    play[2].lock(1, 1, plunder::Sheet::default()).await;
    assert_eq!(turn_of(&play[2].view(1).await), 2);
}

#[tokio::test(start_paused = true)]
async fn idle_matches_leave_memory_and_come_back_with_everything() {
    let store = Arc::new(Memory::new());
    let all = matches(store.clone(), Limits { idle_after: Duration::from_secs(10), ..limits() });
    let play = Play::begin(&all, duel()).await;
    let request = play.lock_request(1, Some(halfway(0)));
    let receipt = play.lock_with(0, request.clone()).await.expect("locked");
    let before = [play.view(0).await, play.view(1).await];
    assert_eq!(all.in_memory(), 1);
    sleep(Duration::from_secs(11)).await;
    assert_eq!(all.in_memory(), 0);
    assert_eq!([play.view(0).await, play.view(1).await], before);
    assert_eq!(said(&play.lock_with(0, request).await.expect("repeated")), said(&receipt));
    let mut told = play.follow(1, 0).await;
    play.lock(1, 1, plunder::Sheet::default()).await;
    assert_eq!(next_outcome(&mut told).await.turn, 1);
    sleep(Duration::from_secs(60)).await;
    assert_eq!(all.in_memory(), 1, "it stays while somebody follows");
    drop(told);
    sleep(Duration::from_secs(21)).await;
    assert_eq!(all.in_memory(), 0);
    assert_eq!(all.stats.rebuilt.load(Ordering::Relaxed), 0, "nothing failed");
}

#[tokio::test(start_paused = true)]
async fn memory_has_a_limit_with_a_name() {
    let all = matches(Arc::new(Memory::new()), Limits { matches_in_memory: 2, ..limits() });
    let plays = [Play::begin(&all, duel()).await, Play::begin(&all, duel()).await];
    let request =
        v1::CreateMatchRequest { request_id: request_id(), settings: Some(duel()), fixed_secret: Bytes::new() };
    let refusal = all.create(recoded(&request)).await.expect_err("no room");
    assert_eq!(reason(&refusal), (Code::ResourceExhausted, Reason::TooManyMatchesInMemory));
    assert!(refusal.retry_after.is_some());
    plays[1].lock(0, 1, halfway(0)).await;
    assert!(plays[1].view(0).await.locked, "those in memory do not notice");
    sleep(all.limits.idle_after + Duration::from_secs(1)).await;
    all.create(recoded(&request)).await.expect("idle matches have made room");
    assert!(plays[1].view(0).await.locked);
}

#[tokio::test(start_paused = true)]
async fn a_match_that_does_not_exist_takes_no_memory() {
    let all = matches(Arc::new(Memory::new()), limits());
    let unknown = MatchId(uuid::Uuid::from_u128(7));
    let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
    for claims in [None, Some(admin)] {
        let refusal = all.ask(unknown, claims, Request::GetMatch).await.expect_err("unknown");
        assert_eq!(reason(&refusal), (Code::NotFound, Reason::MatchUnknown));
    }
    assert_eq!(all.in_memory(), 0);
}
