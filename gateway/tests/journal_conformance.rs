//! What every store of matches has to do. A new store adds one line to the list at the end.

mod common;

use std::future::{Future, ready};

use bytes::Bytes;
use common::nats::Nats as NatsServers;
use parley_gateway::journal::embedded::{Embedded, EmbeddedOptions, OpenError};
use parley_gateway::journal::jetstream::{JetStream, JetStreamOptions};
use parley_gateway::journal::memory::Memory;
use parley_gateway::journal::{Append, AppendError, Journal, Listing, Mark, MatchId, Piece, Stage};
use parley_gateway::nats::{Nats, NatsOptions};
use tempfile::TempDir;
use tokio::sync::oneshot;
use uuid::Uuid;

type Told = oneshot::Receiver<Result<(), AppendError>>;

/// How a store is made, and made again from what it left behind.
trait Maker {
    type Store: Journal;

    fn new() -> impl Future<Output = Self>;

    fn open(&self) -> impl Future<Output = Self::Store>;

    /// Closes a store and opens it again.
    fn reopen(&self, store: Self::Store) -> impl Future<Output = Self::Store>;
}

struct InMemory;

impl Maker for InMemory {
    type Store = Memory;

    fn new() -> impl Future<Output = Self> {
        ready(Self)
    }

    fn open(&self) -> impl Future<Output = Memory> {
        ready(Memory::new())
    }

    async fn reopen(&self, store: Memory) -> Memory {
        store.close().await;
        store.fork()
    }
}

struct InFolder(TempDir);

impl Maker for InFolder {
    type Store = Embedded;

    fn new() -> impl Future<Output = Self> {
        ready(Self(tempfile::tempdir().expect("a folder")))
    }

    fn open(&self) -> impl Future<Output = Embedded> {
        ready(Embedded::open(self.0.path(), EmbeddedOptions::default()).expect("a store that opens"))
    }

    async fn reopen(&self, store: Embedded) -> Embedded {
        store.close().await;
        drop(store);
        self.open().await
    }
}

/// Three NATS servers, as a cluster has them.
struct InNats(NatsServers);

impl Maker for InNats {
    type Store = JetStream;

    async fn new() -> Self {
        Self(NatsServers::start(3).await)
    }

    async fn open(&self) -> JetStream {
        let servers = self.0.servers.iter().map(|server| server.address.to_string().parse().expect("an address"));
        let options =
            NatsOptions { servers: servers.collect(), name: "test".to_owned(), replicas: 3, message_bytes: 1 << 20 };
        let nats = Nats::connect(&options).await.expect("servers that answer");
        JetStream::open(nats, JetStreamOptions::new(Uuid::now_v7(), 1 << 20)).await.expect("a store that opens")
    }

    async fn reopen(&self, store: JetStream) -> JetStream {
        store.close().await;
        drop(store);
        self.open().await
    }
}

const fn id(number: u128) -> MatchId {
    MatchId(Uuid::from_u128(number))
}

/// An append to be built up.
fn add(id: MatchId, after: u64, records: &[&str]) -> (Append, Told) {
    let (done, told) = oneshot::channel();
    let records = records.iter().map(|record| Bytes::copy_from_slice(record.as_bytes())).collect();
    (Append { id, after, records, snapshot: None, listing: None, done }, told)
}

fn listing(stage: Stage, summary: &str) -> Listing {
    Listing { stage, summary: Bytes::copy_from_slice(summary.as_bytes()) }
}

async fn send(store: &impl Journal, (append, told): (Append, Told)) -> Result<(), AppendError> {
    store.appends().send(append).await.expect("an open queue");
    told.await.expect("an answer")
}

async fn list_as(store: &impl Journal, id: MatchId, after: u64, stage: Stage, summary: &str) {
    let (mut append, told) = add(id, after, &[]);
    append.listing = Some(listing(stage, summary));
    send(store, (append, told)).await.expect("durable");
}

async fn ids(store: &impl Journal, stage: Stage, before: Option<MatchId>, limit: usize) -> Vec<MatchId> {
    store.list(stage, before, limit).await.expect("a list").into_iter().map(|(id, _)| id).collect()
}

async fn records_are_numbered_and_read_from_anywhere<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    send(&store, add(id(1), 0, &["one", "two"])).await.expect("durable");
    send(&store, add(id(1), 2, &["three"])).await.expect("durable");
    send(&store, add(id(1), 3, &[])).await.expect("nothing to do");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one", "two", "three"]);
    assert_eq!(store.read(id(1), 1).await.expect("records"), ["two", "three"]);
    assert_eq!(store.read(id(1), 2).await.expect("records"), ["three"]);
    for after in [3, 4, u64::MAX] {
        assert_eq!(store.read(id(1), after).await.expect("records"), Vec::<Bytes>::new());
    }
    assert_eq!(store.read(id(2), 0).await.expect("a match that is not there"), Vec::<Bytes>::new());
}

/// Nobody has to have a whole match in memory to read it.
async fn records_are_read_piece_by_piece<M: Maker>() {
    const RECORDS: u64 = 20;
    const BYTES: usize = 100;
    let maker = M::new().await;
    let store = maker.open().await;
    let said: Vec<String> = (0..RECORDS).map(|number| format!("{number:02} {}", "x".repeat(30))).collect();
    for (after, record) in (0..).zip(&said) {
        send(&store, add(id(1), after, &[record])).await.expect("durable");
    }
    for begin in [0, 7] {
        let (mut found, mut next) = (Vec::new(), Some(Mark::after(begin)));
        while let Some(mark) = next {
            assert_eq!(mark.after, begin + found.len() as u64);
            let piece = store.read_piece(id(1), mark, BYTES).await.expect("a piece");
            let bytes: usize = piece.records.iter().map(Bytes::len).sum();
            let largest = BYTES + said[0].len();
            assert!(bytes <= largest && !piece.records.is_empty(), "{bytes} bytes, {} records", piece.records.len());
            found.extend(piece.records);
            next = piece.next;
        }
        assert_eq!(found, said[begin as usize..]);
    }
    let one = store.read_piece(id(1), Mark::after(3), 0).await.expect("a piece");
    assert_eq!((one.records, one.next.map(|next| next.after)), (vec![Bytes::from(said[3].clone())], Some(4)));
    let all = store.read_piece(id(1), Mark::after(0), 33 * RECORDS as usize).await.expect("a piece");
    assert_eq!((all.records.len() as u64, all.next), (RECORDS, None), "what fits is one piece");
    for (id, after) in [(id(1), RECORDS), (id(1), u64::MAX), (id(2), 0)] {
        assert_eq!(store.read_piece(id, Mark::after(after), BYTES).await, Ok(Piece::default()));
    }
}

async fn who_is_behind_or_ahead_is_refused<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    send(&store, add(id(1), 0, &["one", "two"])).await.expect("durable");
    for after in [0, 1, 3] {
        for records in [&["late"][..], &[]] {
            let refused = send(&store, add(id(1), after, records)).await;
            assert_eq!(refused, Err(AppendError::Conflict { expected: after, actual: 2 }));
        }
    }
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one", "two"]);
    let store = maker.reopen(store).await;
    let refused = send(&store, add(id(1), 1, &["late"])).await;
    assert_eq!(refused, Err(AppendError::Conflict { expected: 1, actual: 2 }));
    send(&store, add(id(1), 2, &["three"])).await.expect("durable");
}

async fn a_refused_append_leaves_nothing<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    send(&store, add(id(1), 0, &["one"])).await.expect("durable");
    let (mut append, told) = add(id(1), 0, &["x", "y"]);
    append.snapshot = Some(Bytes::from_static(b"state"));
    append.listing = Some(listing(Stage::Open, "summary"));
    send(&store, (append, told)).await.expect_err("a conflict");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one"]);
    assert_eq!(store.snapshot(id(1), u64::MAX).await, Ok(None));
    assert_eq!(store.listing(id(1)).await, Ok(None));
    assert_eq!(ids(&store, Stage::Open, None, 9).await, []);
}

async fn many_matches_at_once<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let mut answers = Vec::new();
    for after in 0..20 {
        for number in 0..100 {
            let (append, told) = add(id(number), after, &[&format!("{number}/{after}")]);
            store.appends().send(append).await.expect("an open queue");
            answers.push(told);
        }
        // Somebody who is not the owner any more, in the same batch as those who are.
        let (append, told) = add(id(0), 99, &["late"]);
        store.appends().send(append).await.expect("an open queue");
        let refused = told.await.expect("an answer");
        assert_eq!(refused, Err(AppendError::Conflict { expected: 99, actual: after + 1 }));
    }
    for told in answers {
        told.await.expect("an answer").expect("durable");
    }
    let store = maker.reopen(store).await;
    for number in 0..100 {
        let expected: Vec<String> = (0..20).map(|after| format!("{number}/{after}")).collect();
        assert_eq!(store.read(id(number), 0).await.expect("records"), expected);
    }
}

async fn answers_come_in_order<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let mut answers = Vec::new();
    for after in 0..200 {
        // Every third one is late.
        let believed = if after % 3 == 2 { 0 } else { after - after / 3 };
        let (append, told) = add(id(1), believed, &["record"]);
        store.appends().send(append).await.expect("an open queue");
        answers.push(told);
    }
    let mut last = answers.pop().expect("some");
    (&mut last).await.expect("an answer").expect("durable");
    for (after, mut told) in answers.into_iter().enumerate() {
        let answer = told.try_recv().expect("an earlier answer is there once a later one is");
        assert_eq!(answer.is_err(), after % 3 == 2, "append {after}: {answer:?}");
    }
}

async fn snapshots_are_found_at_or_before<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    for (after, state) in [(0, Some("one")), (1, None), (2, Some("three")), (3, None)] {
        let (mut append, told) = add(id(1), after, &["record"]);
        append.snapshot = state.map(Bytes::from);
        send(&store, (append, told)).await.expect("durable");
    }
    let (mut append, told) = add(id(2), 0, &[]);
    append.snapshot = Some(Bytes::from_static(b"nothing yet"));
    send(&store, (append, told)).await.expect("durable");
    let store = maker.reopen(store).await;
    for (records, expected) in [
        (0, None),
        (1, Some((1, "one"))),
        (2, Some((1, "one"))),
        (3, Some((3, "three"))),
        (u64::MAX, Some((3, "three"))),
    ] {
        let found = store.snapshot(id(1), records).await.expect("snapshots");
        let found = found.map(|snapshot| (snapshot.records, snapshot.state));
        assert_eq!(found, expected.map(|(records, state)| (records, Bytes::from(state))), "at {records}");
    }
    assert_eq!(store.snapshot(id(2), 0).await.expect("snapshots").expect("one").state, "nothing yet");
    assert_eq!(store.snapshot(id(3), 9).await, Ok(None));
}

/// Appends that come while others are on their way, one of them with a snapshot, are read from that snapshot on.
async fn a_snapshot_may_be_followed_at_once<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let mut answers = Vec::new();
    for after in 0..6 {
        let (mut append, told) = add(id(1), after, &[&format!("record {after}")]);
        append.snapshot = (after % 2 == 1).then(|| Bytes::from(format!("state {after}")));
        store.appends().send(append).await.expect("an open queue");
        answers.push(told);
    }
    for told in answers {
        told.await.expect("an answer").expect("durable");
    }
    let store = maker.reopen(store).await;
    for below in [2, 3, 4, 5, 6, u64::MAX] {
        let snapshot = store.snapshot(id(1), below).await.expect("snapshots").expect("one");
        let rest: Vec<String> = (snapshot.records..6).map(|number| format!("record {number}")).collect();
        assert_eq!(store.read(id(1), snapshot.records).await.expect("records"), rest, "below {below}");
    }
}

async fn the_lobby_is_listed_by_stage_and_page<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    for number in [3, 1, 5, 2, 4] {
        list_as(&store, id(number), 0, Stage::Open, &format!("match {number}")).await;
    }
    assert_eq!(ids(&store, Stage::Open, None, 9).await, [5, 4, 3, 2, 1].map(id));
    assert_eq!(ids(&store, Stage::Open, None, 2).await, [5, 4].map(id));
    assert_eq!(ids(&store, Stage::Open, Some(id(4)), 2).await, [3, 2].map(id));
    assert_eq!(ids(&store, Stage::Open, Some(id(2)), 2).await, [1].map(id));
    assert_eq!(ids(&store, Stage::Open, Some(id(1)), 2).await, []);
    assert_eq!(ids(&store, Stage::Open, Some(id(100)), 1).await, [5].map(id));
    assert_eq!(ids(&store, Stage::Open, None, 0).await, []);
    assert_eq!(ids(&store, Stage::Running, None, 9).await, []);
    let page = store.list(Stage::Open, Some(id(2)), 9).await.expect("a list");
    assert_eq!(page, [(id(1), listing(Stage::Open, "match 1"))]);
}

async fn a_match_is_listed_under_one_stage<M: Maker>() {
    let maker = M::new().await;
    let mut store = maker.open().await;
    send(&store, add(id(1), 0, &["created"])).await.expect("durable");
    list_as(&store, id(2), 0, Stage::Open, "other").await;
    for (stage, summary) in
        [(Stage::Open, "a"), (Stage::Open, "b"), (Stage::Running, "c"), (Stage::Finished, "d"), (Stage::Open, "e")]
    {
        list_as(&store, id(1), 1, stage, summary).await;
        for other in Stage::ALL {
            let expected: Vec<MatchId> = if other == stage { vec![id(1)] } else { vec![] };
            let mut found = ids(&store, other, None, 9).await;
            found.retain(|found| *found != id(2));
            assert_eq!(found, expected, "{other:?} after {stage:?}");
        }
        assert_eq!(store.listing(id(1)).await, Ok(Some(listing(stage, summary))));
        store = maker.reopen(store).await;
    }
    assert_eq!(ids(&store, Stage::Open, None, 9).await, [2, 1].map(id));
    assert_eq!(store.listing(id(3)).await, Ok(None));
}

async fn a_match_is_found_by_the_end_of_its_id<M: Maker>() {
    let maker = M::new().await;
    let mut store = maker.open().await;
    let (early, late) = (MatchId::new(1_700_000_000_000, [1; 10]), MatchId::new(1_800_000_000_000, [2; 10]));
    for id in [late, early] {
        list_as(&store, id, 0, Stage::Open, "created").await;
    }
    list_as(&store, early, 0, Stage::Finished, "over").await;
    for _ in 0..2 {
        assert_eq!(store.ending_in([1; 10]).await, Ok(Some(early)));
        assert_eq!(store.ending_in([2; 10]).await, Ok(Some(late)));
        assert_eq!(store.ending_in([3; 10]).await, Ok(None));
        store = maker.reopen(store).await;
    }
}

/// Two changes of stage that may well end up in one commit.
async fn stages_may_change_twice_at_once<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let mut answers = Vec::new();
    for stage in [Stage::Open, Stage::Running, Stage::Finished, Stage::Running] {
        for number in 0..50 {
            let (mut append, told) = add(id(number), 0, &[]);
            append.listing = Some(listing(stage, "summary"));
            store.appends().send(append).await.expect("an open queue");
            answers.push(told);
        }
    }
    for told in answers {
        told.await.expect("an answer").expect("durable");
    }
    assert_eq!(ids(&store, Stage::Running, None, 99).await.len(), 50);
    assert_eq!(ids(&store, Stage::Open, None, 99).await, []);
    assert_eq!(ids(&store, Stage::Finished, None, 99).await, []);
}

async fn closing_waits_for_what_was_sent<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let mut answers = Vec::new();
    for number in 0..300 {
        let (append, told) = add(id(number), 0, &["record"]);
        store.appends().send(append).await.expect("an open queue");
        answers.push(told);
    }
    store.close().await;
    for mut told in answers {
        told.try_recv().expect("an answer before the end").expect("durable");
    }
    let (append, _told) = add(id(1), 1, &["late"]);
    store.appends().send(append).await.expect_err("a closed queue");
    store.close().await;
    assert_eq!(store.read(id(299), 0).await.expect("still to be read"), ["record"]);
}

async fn a_store_that_is_opened_again_has_everything<M: Maker>() {
    let maker = M::new().await;
    let mut store = maker.open().await;
    for after in 0..5 {
        let (mut append, told) = add(id(1), after, &[&format!("record {after}")]);
        append.snapshot = Some(Bytes::from(format!("state {after}")));
        append.listing = Some(listing(Stage::Running, &format!("summary {after}")));
        send(&store, (append, told)).await.expect("durable");
        store = maker.reopen(store).await;
        assert_eq!(store.read(id(1), after).await.expect("records"), [format!("record {after}")]);
        let snapshot = store.snapshot(id(1), u64::MAX).await.expect("a snapshot").expect("one");
        assert_eq!((snapshot.records, snapshot.state), (after + 1, Bytes::from(format!("state {after}"))));
        let expected = listing(Stage::Running, &format!("summary {after}"));
        assert_eq!(store.list(Stage::Running, None, 9).await, Ok(vec![(id(1), expected)]));
    }
    assert_eq!(store.read(id(1), 0).await.expect("records").len(), 5);
}

/// An asker that has gone does not stop others, and what it asked for is done.
async fn nobody_has_to_wait_for_the_answer<M: Maker>() {
    let maker = M::new().await;
    let store = maker.open().await;
    let (append, told) = add(id(1), 0, &["one"]);
    drop(told);
    store.appends().send(append).await.expect("an open queue");
    send(&store, add(id(1), 1, &["two"])).await.expect("durable");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one", "two"]);
}

macro_rules! conformance {
    ($($module:ident: $maker:ty, $attributes:tt;)*) => {$(
        conformance!(@all $module, $maker, $attributes,
            records_are_numbered_and_read_from_anywhere, records_are_read_piece_by_piece, who_is_behind_or_ahead_is_refused,
            a_refused_append_leaves_nothing, many_matches_at_once, answers_come_in_order,
            snapshots_are_found_at_or_before, a_snapshot_may_be_followed_at_once, the_lobby_is_listed_by_stage_and_page,
            a_match_is_listed_under_one_stage, a_match_is_found_by_the_end_of_its_id, stages_may_change_twice_at_once, closing_waits_for_what_was_sent,
            a_store_that_is_opened_again_has_everything, nobody_has_to_wait_for_the_answer,
        );
    )*};
    (@all $module:ident, $maker:ty, $attributes:tt, $($test:ident,)*) => {
        mod $module {
            $( conformance!(@one $maker, $attributes, $test); )*
        }
    };
    (@one $maker:ty, { $($attribute:tt)* }, $test:ident) => {
        $($attribute)*
        async fn $test() {
            super::$test::<$maker>().await;
        }
    };
}

conformance! {
    memory: super::InMemory, { #[tokio::test] };
    embedded: super::InFolder, { #[tokio::test] };
    jetstream: super::InNats, { #[tokio::test] #[ignore = "needs nats-server; .ci/run installs it and runs this"] };
}

#[tokio::test]
async fn a_folder_belongs_to_one_store_at_a_time() {
    let folder = tempfile::tempdir().expect("a folder");
    let store = Embedded::open(folder.path(), EmbeddedOptions::default()).expect("a store that opens");
    let error = Embedded::open(folder.path(), EmbeddedOptions::default()).err().expect("in use");
    assert!(matches!(error, OpenError::InUse { .. }));
    assert_eq!(error.to_string(), format!("the store in {} is in use by another process", folder.path().display()));
    send(&store, add(id(1), 0, &["one"])).await.expect("the first one is unharmed");
    store.close().await;
    drop(store);
    let store = Embedded::open(folder.path(), EmbeddedOptions::default()).expect("free again");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one"]);
}

#[tokio::test]
async fn memory_fails_when_told_to() {
    let store = Memory::new();
    store.fail_next(1);
    assert!(matches!(send(&store, add(id(1), 0, &["one"])).await, Err(AppendError::Failed(_))));
    assert_eq!(store.read(id(1), 0).await.expect("records"), Vec::<Bytes>::new());
    send(&store, add(id(1), 0, &["one"])).await.expect("durable");
}

#[tokio::test(start_paused = true)]
async fn memory_holds_back_and_forks_what_is_durable() {
    let store = Memory::new();
    send(&store, add(id(1), 0, &["one"])).await.expect("durable");
    store.hold();
    let (append, mut told) = add(id(1), 1, &["two"]);
    store.appends().send(append).await.expect("an open queue");
    store.held(1).await;
    told.try_recv().expect_err("no answer yet");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one"]);
    let crashed = store.fork();
    store.release();
    told.await.expect("an answer").expect("durable");
    assert_eq!(store.read(id(1), 0).await.expect("records"), ["one", "two"]);
    assert_eq!(crashed.read(id(1), 0).await.expect("records"), ["one"]);
    send(&crashed, add(id(1), 1, &["another"])).await.expect("durable");
    assert_eq!(store.read(id(1), 1).await.expect("records"), ["two"]);
}
