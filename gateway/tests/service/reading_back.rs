//! Long matches are read back in pieces, in the turn of whoever asks, so that nobody can fill the memory with them.

use std::net::IpAddr;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc as std_mpsc};
use std::time::Duration;

use crate::sea::{NOON, Play, duel, limits, matches, request_id};
use bytes::Bytes;
use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use parley_bots::arms::Arms;
use parley_games::receipt::Promise;
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Append, Journal, Listing, Mark, MatchId, Piece, ReadError, Snapshot, Stage, Tail};
use parley_gateway::limits::Limits;
use parley_gateway::match_state::Place;
use parley_gateway::matches::command::{Asker, Request};
use parley_gateway::matches::history::{PIECE_BYTES, news};
use parley_gateway::matches::past_receipts;
use parley_gateway::matches::past_turns::{Perspective, past_turns};
use parley_gateway::work::{Customer, WorkLimits};
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{Entry, Locked};
use parley_proto::v1;
use parley_proto::v1::Reason;
use parley_proto::v1::replay_record::Record;
use prost::Message;
use smallvec::SmallVec;
use tokio::sync::{mpsc, oneshot};
use tokio::time::{sleep, timeout};

/// The largest record of these matches, about.
const RECORD: usize = 1024;

/// A store that counts what is read from it.
struct Counting {
    store: Memory,
    /// The most bytes of records that were read at once.
    largest: AtomicUsize,
    snapshots: AtomicUsize,
}

impl Counting {
    fn of(store: Memory) -> Arc<Self> {
        Arc::new(Self { store, largest: AtomicUsize::new(0), snapshots: AtomicUsize::new(0) })
    }

    /// The most bytes that were read at once, and how many snapshots, since this was asked last.
    fn counted(&self) -> (usize, usize) {
        (self.largest.swap(0, Ordering::Relaxed), self.snapshots.swap(0, Ordering::Relaxed))
    }
}

impl Journal for Counting {
    fn appends(&self) -> &mpsc::Sender<Append> {
        self.store.appends()
    }

    fn read_piece(&self, id: MatchId, from: Mark, bytes: usize) -> BoxFuture<'_, Result<Piece, ReadError>> {
        async move {
            let piece = self.store.read_piece(id, from, bytes).await?;
            self.largest.fetch_max(piece.records.iter().map(Bytes::len).sum(), Ordering::Relaxed);
            Ok(piece)
        }
        .boxed()
    }

    fn snapshot(&self, id: MatchId, records: u64) -> BoxFuture<'_, Result<Option<Snapshot>, ReadError>> {
        self.snapshots.fetch_add(1, Ordering::Relaxed);
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

fn address(last: u8) -> Customer {
    Customer::Address(IpAddr::from([192, 0, 2, last]))
}

/// A duel of so many turns in which nothing happens, and which is stopped then.
async fn played(store: Arc<dyn Journal>, limits: Limits, turns: u32) -> Play {
    let play = Play::begin(&matches(store, limits), duel()).await;
    for turn in 1..=turns {
        for seat in 0..2 {
            let long = format!("{}-{:->34}", request_id(), "");
            let request = v1::LockInRequest { request_id: long, ..play.lock_request(turn, Some(Default::default())) };
            play.lock_with(seat, request).await.expect("locked");
        }
    }
    play.stop().await;
    play
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nobody_has_a_whole_long_match_in_memory_to_read_it_back() {
    const TURNS: u32 = 2000;
    let store = Counting::of(Memory::new());
    let limits = Limits { snapshot_every: 4, ..limits() };
    let play = played(store.clone(), limits, TURNS).await;
    let (all, id, customer) = (&play.matches, play.id, address(1));
    let size: usize = store.read(id, 0).await.expect("records").iter().map(Bytes::len).sum();
    assert!(size > PIECE_BYTES + 16 * RECORD, "{size} bytes are one piece");
    let bounded = |what: &str| {
        let (largest, snapshots) = store.counted();
        assert!(largest <= PIECE_BYTES + RECORD, "{what}: {largest} bytes of {size} at once");
        assert!(snapshots < 32, "{what}: {snapshots} snapshots");
    };
    store.counted();

    for first in [1, 700, TURNS] {
        let told = past_turns(all, customer, id, Perspective::All, TURNS, first, 2).await.expect("turns");
        let view = told.turns[0].view.clone().expect("a view");
        let view = v1::View::decode(view).expect("a view").into_plunder().expect("a view of the naval game");
        assert_eq!(view.turn, first);
        bounded("turns");
    }
    let told = news(all, customer, id, (Place::Seat(0), true), 0, 9).await.expect("news");
    assert_eq!(told.iter().map(|news| news.cursor()).collect::<Vec<_>>(), (1..=9).collect::<Vec<_>>());
    bounded("news");

    let (given, next) = past_receipts(all, customer, id, None, 0).await.expect("receipts");
    assert_eq!((given.len() as u32, next), (2 * TURNS, None));
    bounded("receipts");

    let pieces = play.replay().await;
    bounded("a replay");
    let bytes = |piece: &Vec<v1::ReplayRecord>| piece.iter().map(Message::encoded_len).sum::<usize>();
    assert!(pieces.len() > 1 && pieces.iter().all(|piece| bytes(piece) < 1 << 20), "{} pieces", pieces.len());
    let records: Vec<_> = pieces.iter().flatten().map(|record| record.record.as_ref().expect("a record")).collect();
    assert!(matches!(records.first(), Some(Record::Header(_))) && matches!(records.last(), Some(Record::End(_))));
    let turns = records.iter().filter_map(|record| if let Record::Turn(turn) = record { Some(turn) } else { None });
    let sheets = turns.clone().flat_map(|turn| &turn.sheets);
    assert!(turns.map(|turn| turn.turn).eq(1..=TURNS));
    let said = |receipt: &v1::Receipt| Promise::read(receipt).expect("a promise");
    let in_replay = sheets.map(|sheet| said(sheet.receipt.as_ref().expect("a receipt")));
    assert!(in_replay.eq(given.iter().map(said)), "each sheet has its receipt");

    assert!(pieces == play.replay().await, "a replay is always the same");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_match_without_snapshots_comes_back_in_pieces() {
    let store = Counting::of(Memory::new());
    let limits = Limits { snapshot_every: u32::MAX, ..limits() };
    let play = played(store.clone(), limits, 2000).await;
    let again = Counting::of(store.store.fork());
    let view = play.restarted(again.clone(), NOON + 1000).view(0).await;
    assert_eq!(view.view.and_then(Arms::into_plunder).expect("a view").turn, 2001);
    let (largest, _) = again.counted();
    assert!(largest <= PIECE_BYTES + RECORD, "{largest} bytes at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn receipts_come_in_answers_that_every_client_takes() {
    const TURNS: u32 = 6000;
    let store = Arc::new(Memory::new());
    let play = Play::begin(&matches(store.clone(), limits()), duel()).await;
    let after = store.read(play.id, 0).await.expect("records").len() as u64;
    let locked = |turn, seat| Locked { turn, seat, sheet: Bytes::from(vec![seat as u8; 4]), ..Locked::default() };
    let entry = |turn, seat| Entry { at_ms: NOON, what: Some(What::Locked(locked(turn, seat))) };
    let entries = (1..=TURNS).flat_map(|turn| [1, 0].map(|seat| entry(turn, seat)));
    let records: SmallVec<_> = entries.map(|entry| entry.encode_to_vec().into()).collect();
    let (done, told) = oneshot::channel();
    let append = Append { id: play.id, after, records, snapshot: None, listing: None, done };
    store.appends().send(append).await.expect("an open queue");
    told.await.expect("an answer").expect("durable");

    let all = play.restarted(Arc::new(store.fork()), NOON).matches;
    let (mut given, mut first) = (Vec::new(), 0);
    while let (page, next) = past_receipts(&all, address(1), play.id, None, first).await.expect("receipts")
        && !page.is_empty()
    {
        let answer = v1::GetReceiptsResponse { receipts: page, ..v1::GetReceiptsResponse::default() };
        assert!(answer.encoded_len() < 4 << 20, "{} bytes", answer.encoded_len());
        given.extend(answer.receipts);
        let Some(next) = next else { break };
        assert!(next > first);
        first = next;
    }
    assert!(first > 1, "there was only one page");
    let said = given.iter().map(|receipt| (receipt.turn, receipt.seat));
    assert!(said.eq((1..=TURNS).flat_map(|turn| [(turn, 0), (turn, 1)])), "each once, and in order");
    for seat in [0, 1] {
        let own: Vec<_> = given.iter().filter(|receipt| receipt.seat == seat).map(Promise::read).collect();
        let own: Vec<Promise> = own.into_iter().map(|promise| promise.expect("a promise")).collect();
        assert!(own.windows(2).all(|pair| pair[1].previous == pair[0].hash()), "a chain over all pages");
    }
}

/// Keeps the only thread for heavy work busy until the sender is dropped, with so much more of somebody's waiting.
async fn clogged(play: &Play, customer: Customer, waiting: usize) -> std_mpsc::Sender<()> {
    let (sender, receiver) = std_mpsc::channel::<()>();
    let (begun, is_begun) = oneshot::channel();
    let all = play.matches.clone();
    tokio::spawn(async move {
        let block = move || {
            let _ = begun.send(());
            let _ = receiver.recv();
        };
        let _ = all.work.run(Customer::Service, block).await;
    });
    is_begun.await.expect("it begins");
    for _ in 0..waiting {
        let all = play.matches.clone();
        tokio::spawn(async move { all.work.run(customer, || std::thread::sleep(Duration::from_millis(200))).await });
    }
    while play.matches.work.waiting() < waiting {
        tokio::task::yield_now().await;
    }
    sender
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_long_match_is_brought_back_in_the_turn_of_whoever_asks() {
    let work = WorkLimits { threads: 1, waiting_per_address: 4, waiting: 64 };
    let limits = Limits { snapshot_every: u32::MAX, work, ..limits() };
    let store = Arc::new(Memory::new());
    let play = played(store.clone(), limits, 50).await;
    let ask = |play: &Play, customer| {
        let (all, id, asker) = (play.matches.clone(), play.id, Asker { claims: Some(play.seats[0]), customer });
        tokio::spawn(async move { all.ask(id, asker, Request::GetMatch).await })
    };

    let again = play.restarted(Arc::new(store.fork()), NOON + 1000);
    let busy = clogged(&again, address(1), 4).await;
    let refused = timeout(Duration::from_secs(5), ask(&again, address(1))).await.expect("it does not wait");
    assert_eq!(refused.expect("no panic").expect_err("its queue is full").reason, Reason::TooMuchWork);
    let honest = ask(&again, address(2));
    drop(busy);
    honest.await.expect("no panic").expect("the match");

    // Whoever asks for it too does not wait for the other's turn.
    let again = play.restarted(Arc::new(store.fork()), NOON + 1000);
    let busy = clogged(&again, address(1), 3).await;
    let slow = ask(&again, address(1));
    while again.matches.work.waiting() < 4 {
        sleep(Duration::from_millis(1)).await;
    }
    let honest = ask(&again, address(2));
    while again.matches.work.waiting() < 5 {
        sleep(Duration::from_millis(1)).await;
    }
    drop(busy);
    honest.await.expect("no panic").expect("the match");
    assert!(again.matches.work.waiting() >= 2, "it came before what the other waits for");
    slow.await.expect("no panic").expect("the match is there for all");
}
