//! Damage below the store's surface, and writes that fail.

use std::sync::atomic::Ordering;

use fjall::Keyspace;
use smallvec::SmallVec;
use tempfile::TempDir;
use uuid::Uuid;

use super::super::AppendError;
use super::super::record::{self, MORE, ValueKey};
use super::*;
use tokio::sync::oneshot;

const A: MatchId = MatchId(Uuid::from_u128(1));
const B: MatchId = MatchId(Uuid::from_u128(2));

fn open(folder: &TempDir) -> Embedded {
    let options = EmbeddedOptions { reopen_pause: Duration::ZERO, ..EmbeddedOptions::default() };
    Embedded::open(folder.path(), options).expect("a store that opens")
}

fn folder() -> TempDir {
    tempfile::tempdir().expect("a folder")
}

/// An append of these records, and how it went.
async fn append(store: &Embedded, id: MatchId, after: u64, records: &[&'static str]) -> Result<(), AppendError> {
    send(store, id, after, records, None).await
}

async fn send(
    store: &Embedded,
    id: MatchId,
    after: u64,
    records: &[&'static str],
    snapshot: Option<&'static str>,
) -> Result<(), AppendError> {
    let (done, told) = oneshot::channel();
    let records: SmallVec<[Bytes; 2]> = records.iter().map(|record| Bytes::from_static(record.as_bytes())).collect();
    let snapshot = snapshot.map(|state| Bytes::from_static(state.as_bytes()));
    store.appends().send(Append { id, after, records, snapshot, listing: None, done }).await.expect("an open queue");
    told.await.expect("an answer")
}

/// Puts a value where the store keeps its own.
fn put(store: &Embedded, keyspace: fn(&Engine) -> &Keyspace, key: &[u8], value: &[u8]) {
    let put = |engine: &Engine| keyspace(engine).insert(key, value).map_err(engine::failed);
    store.shared.read(put).expect("a write");
}

fn put_record(store: &Embedded, id: MatchId, number: u64, value: &[u8]) {
    put(store, |engine| &engine.records, &record::numbered(id, number), value);
}

fn remove_record(store: &Embedded, id: MatchId, number: u64) {
    let remove = |engine: &Engine| engine.records.remove(record::numbered(id, number)).map_err(engine::failed);
    store.shared.read(remove).expect("a removal");
}

async fn read(store: &Embedded, id: MatchId) -> Result<Vec<Bytes>, ReadError> {
    store.read(id, 0).await
}

/// Commits are whole or not there, and the log is checked: no interrupted write leaves a bad record behind.
#[tokio::test]
async fn a_bad_last_record_is_damage_and_nothing_is_cut() {
    let folder = folder();
    let store = open(&folder);
    send(&store, A, 0, &["one"], Some("after one")).await.expect("durable");
    send(&store, A, 1, &["two"], Some("after two")).await.expect("durable");
    append(&store, B, 0, &["other"]).await.expect("durable");
    put_record(&store, A, 2, b"\x01\x00garbage and more garbage");
    for _ in 0..2 {
        let what = "its checksum does not match".to_owned();
        assert_eq!(read(&store, A).await, Err(ReadError::Damaged { id: A.0, record: 2, what }));
    }
    assert_eq!(append(&store, A, 1, &["x"]).await, Err(AppendError::Conflict { expected: 1, actual: 2 }));
    assert_eq!(store.snapshot(A, u64::MAX).await.expect("a snapshot").expect("one").records, 2);
    assert_eq!(read(&store, B).await.expect("another match"), ["other"]);
}

/// Waiting for more appends is for those who write in crowds: a few would wait longer for it than for the disk.
#[tokio::test]
async fn a_few_who_write_at_once_do_not_wait_for_more() {
    let folder = folder();
    let options = EmbeddedOptions { gather: Duration::from_secs(60), ..EmbeddedOptions::default() };
    let store = Embedded::open(folder.path(), options).expect("a store that opens");
    for round in 0..3 {
        let few = (1..=4).map(|id| append(&store, MatchId(Uuid::from_u128(id)), round, &["said"]));
        let written = tokio::time::timeout(Duration::from_secs(30), futures_util::future::join_all(few)).await;
        assert!(written.expect("nobody waits").into_iter().all(|written| written.is_ok()), "all are durable");
    }
}

#[tokio::test]
async fn a_piece_ends_with_an_append() {
    let folder = folder();
    let store = open(&folder);
    append(&store, A, 0, &["one"]).await.expect("durable");
    append(&store, A, 1, &["two", "three"]).await.expect("durable");
    append(&store, A, 3, &["four", "five"]).await.expect("durable");
    let (mut pieces, mut next) = (Vec::new(), Some(Mark::after(0)));
    while let Some(mark) = next {
        let piece = store.read_piece(A, mark, 1).await.expect("a piece");
        pieces.push(piece.records);
        next = piece.next;
    }
    assert_eq!(pieces, [vec!["one"], vec!["two", "three"], vec!["four", "five"]]);
}

#[tokio::test]
async fn an_append_without_its_end_is_damage() {
    let folder = folder();
    let store = open(&folder);
    append(&store, A, 0, &["one", "two", "three"]).await.expect("durable");
    remove_record(&store, A, 3);
    let error = read(&store, A).await.expect_err("damage");
    assert!(matches!(error, ReadError::Damaged { record: 3, .. }), "{error}");
}

#[tokio::test]
async fn a_bad_or_missing_record_in_the_middle_stops_its_match_alone() {
    let folder = folder();
    let store = open(&folder);
    for (after, text) in ["one", "two", "three"].into_iter().enumerate() {
        append(&store, A, after as u64, &[text]).await.expect("durable");
        append(&store, B, after as u64, &[text]).await.expect("durable");
    }
    put_record(&store, A, 2, b"\x01\x00garbage and more garbage");
    let error = read(&store, A).await.expect_err("damage");
    let what = "its checksum does not match".to_owned();
    assert_eq!(error, ReadError::Damaged { id: A.0, record: 2, what });
    assert_eq!(store.read(A, 2).await.expect("what follows"), ["three"]);
    remove_record(&store, A, 2);
    let error = read(&store, A).await.expect_err("damage");
    assert_eq!(error.to_string(), format!("record 2 of match {} is damaged: it is missing", A.0));
    assert_eq!(read(&store, B).await.expect("another match"), ["one", "two", "three"]);
}

#[tokio::test]
async fn a_record_from_the_future_is_named() {
    let folder = folder();
    let store = open(&folder);
    append(&store, A, 0, &["one"]).await.expect("durable");
    put_record(&store, A, 2, b"\x02 a layout that nobody knows yet");
    for _ in 0..2 {
        let error = read(&store, A).await.expect_err("the future");
        assert!(error.to_string().contains("newer version of this program (format 2"), "{error}");
    }
}

#[tokio::test]
async fn a_damaged_snapshot_gives_way_to_an_older_one() {
    let folder = folder();
    let store = open(&folder);
    send(&store, A, 0, &["one"], Some("after one")).await.expect("durable");
    send(&store, A, 1, &["two"], Some("after two")).await.expect("durable");
    put(&store, |engine| &engine.snapshots, &record::numbered(A, 2), b"\x01\x00bad bad bad");
    assert_eq!(store.snapshot(A, 9).await.expect("a snapshot").expect("one").records, 1);
    put(&store, |engine| &engine.snapshots, &record::numbered(A, 1), b"");
    assert_eq!(store.snapshot(A, 9).await, Ok(None));
}

#[tokio::test]
async fn a_damaged_listing_is_left_out_of_the_lobby() {
    let folder = folder();
    let store = open(&folder);
    for id in [A, B] {
        let (done, told) = oneshot::channel();
        let listing = Some(Listing { stage: Stage::Open, summary: Bytes::from_static(b"summary") });
        let append = Append { id, after: 0, records: SmallVec::new(), snapshot: None, listing, done };
        store.appends().send(append).await.expect("an open queue");
        told.await.expect("an answer").expect("durable");
    }
    put(&store, |engine| &engine.listings, A.0.as_bytes(), b"\x01\x00bad bad bad");
    let ids: Vec<MatchId> =
        store.list(Stage::Open, None, 9).await.expect("a list").into_iter().map(|(id, _)| id).collect();
    assert_eq!(ids, [B]);
    let error = store.listing(A).await.expect_err("damage");
    assert_eq!(
        error.to_string(),
        format!("the store failed: the listing of match {} is damaged: its checksum does not match", A.0)
    );
}

#[tokio::test]
async fn after_a_failed_commit_the_store_goes_on_with_what_is_durable() {
    let folder = folder();
    let store = open(&folder);
    append(&store, A, 0, &["one"]).await.expect("durable");
    store.shared.faults.store(1, Ordering::SeqCst);
    let error = append(&store, A, 1, &["two"]).await.expect_err("a fault");
    assert!(matches!(error, AppendError::Failed(_)), "{error}");
    assert_eq!(read(&store, A).await.expect("who was told of a failure can read what is so"), ["one"]);
    append(&store, B, 0, &["other"]).await.expect("durable again");
    append(&store, A, 1, &["second"]).await.expect("durable again");
    assert_eq!(read(&store, A).await.expect("a match"), ["one", "second"]);
    store.close().await;
    drop(store);
    let store = open(&folder);
    assert_eq!(read(&store, A).await.expect("a match"), ["one", "second"]);
    assert_eq!(read(&store, B).await.expect("a match"), ["other"]);
}

#[tokio::test]
async fn between_attempts_to_open_again_appends_fail_at_once() {
    let folder = folder();
    let options = EmbeddedOptions { reopen_pause: Duration::from_secs(3600), ..EmbeddedOptions::default() };
    let store = Embedded::open(folder.path(), options).expect("a store that opens");
    for _ in 0..2 {
        store.shared.faults.store(1, Ordering::SeqCst);
        append(&store, A, 0, &["one"]).await.expect_err("a fault");
    }
    let error = append(&store, A, 0, &["one"]).await.expect_err("not open");
    assert_eq!(error, AppendError::Failed("a commit failed and the store is not open again yet".to_owned()));
    assert!(matches!(read(&store, A).await, Err(ReadError::Failed(_))));
    store.close().await;
}

#[tokio::test]
async fn the_store_opens_again_without_being_asked() {
    let folder = folder();
    let options = EmbeddedOptions { reopen_pause: Duration::from_millis(20), ..EmbeddedOptions::default() };
    let store = Embedded::open(folder.path(), options).expect("a store that opens");
    append(&store, A, 0, &["one"]).await.expect("durable");
    store.shared.faults.store(2, Ordering::SeqCst);
    append(&store, A, 1, &["two"]).await.expect_err("a fault");
    append(&store, A, 1, &["two"]).await.expect_err("a fault");
    let opens = async {
        while read(&store, A).await.is_err() {
            tokio::task::yield_now().await;
        }
    };
    tokio::time::timeout(Duration::from_secs(20), opens).await.expect("open again");
    assert_eq!(read(&store, A).await.expect("a match"), ["one"]);
}

#[tokio::test]
async fn what_is_too_large_is_refused_and_changes_nothing() {
    let folder = folder();
    let options = EmbeddedOptions { record_bytes: 4, batch_bytes: 6, ..EmbeddedOptions::default() };
    let store = Embedded::open(folder.path(), options).expect("a store that opens");
    let refused = append(&store, A, 0, &["three", "x"]).await;
    assert_eq!(refused, Err(AppendError::Failed("a record has 5 bytes, the limit is 4".to_owned())));
    let refused = append(&store, A, 0, &["four", "four"]).await;
    assert_eq!(refused, Err(AppendError::Failed("an append has 8 bytes, the limit is 6".to_owned())));
    append(&store, A, 0, &["four", "xy"]).await.expect("durable");
}

#[tokio::test]
async fn more_than_a_batch_takes_becomes_several() {
    let folder = folder();
    let options = EmbeddedOptions { batch_bytes: 10, ..EmbeddedOptions::default() };
    let store = Embedded::open(folder.path(), options).expect("a store that opens");
    let mut answers = Vec::new();
    for after in 0..50 {
        let (done, told) = oneshot::channel();
        let records = SmallVec::from_iter([Bytes::from_static(b"1234")]);
        store
            .appends()
            .send(Append { id: A, after, records, snapshot: None, listing: None, done })
            .await
            .expect("open");
        answers.push(told);
    }
    for told in answers {
        told.await.expect("an answer").expect("durable");
    }
    assert_eq!(read(&store, A).await.expect("a match").len(), 50);
}

#[tokio::test]
async fn the_last_record_of_an_append_says_so() {
    let folder = folder();
    let store = open(&folder);
    append(&store, A, 0, &["one", "two"]).await.expect("durable");
    let flags = |number| {
        let value = store.shared.read(|engine| engine.records.get(record::numbered(A, number)).map_err(engine::failed));
        let value = value.expect("a read").expect("a record");
        record::decode(ValueKey::record(A, number), &value).expect("sound").flags
    };
    assert_eq!([flags(1), flags(2)], [MORE, 0]);
}

/// Files that are sorted already are read with checksums of their own.
#[tokio::test]
async fn a_damaged_sorted_file_is_an_error_and_not_a_loss() {
    let folder = folder();
    let store = open(&folder);
    for id in [A, B] {
        for after in 0..50 {
            append(&store, id, after, &["a record that is somewhat longer than the others are"])
                .await
                .expect("durable");
        }
    }
    let flush = |engine: &Engine| engine.records.rotate_memtable_and_wait().map_err(engine::failed);
    store.shared.read(flush).expect("a sorted file");
    let tables = store.shared.read(|engine| Ok(engine.records.path().join("tables"))).expect("a path");
    store.close().await;
    drop(store);
    let file = fs::read_dir(tables).expect("a folder").next().expect("a file").expect("a file").path();
    let sound = fs::read(&file).expect("a file");
    for at in (0..sound.len()).step_by(sound.len() / 100) {
        let mut bad = sound.clone();
        bad[at] ^= 0x55;
        fs::write(&file, bad).expect("a file");
        let Ok(store) = Embedded::open(folder.path(), EmbeddedOptions::default()) else { continue };
        for id in [A, B] {
            let count = read(&store, id).await.map(|records| records.len());
            assert!(matches!(count, Ok(50) | Err(_)), "byte {at} of match {}: {count:?}", id.0);
            let refused = append(&store, id, 0, &["late"]).await;
            let is_conflict = refused == Err(AppendError::Conflict { expected: 0, actual: 50 });
            assert!(is_conflict || matches!(refused, Err(AppendError::Failed(_))), "byte {at}: {refused:?}");
        }
        store.close().await;
    }
}

#[tokio::test]
async fn a_creation_that_was_interrupted_is_begun_again() {
    let folder = folder();
    let engine = folder.path().join("engine");
    fs::create_dir_all(engine.join("keyspaces")).expect("a folder");
    for version in [None, Some("")] {
        fs::write(engine.join("0.jnl"), [0; 64]).expect("a file");
        if let Some(version) = version {
            fs::write(engine.join("version"), version).expect("a file");
        }
        open(&folder).close().await;
        fs::remove_dir_all(&engine).expect("a folder");
        fs::create_dir_all(engine.join("keyspaces")).expect("a folder");
    }
    fs::write(engine.join("0.jnl"), "something").expect("a file");
    let options = EmbeddedOptions::default();
    assert!(matches!(Embedded::open(folder.path(), options), Err(OpenError::Failed { .. })));
}

#[tokio::test]
async fn matches_of_a_version_without_the_index_are_found_by_the_end_of_their_ids() {
    let folder = folder();
    let store = open(&folder);
    let ids: Vec<MatchId> = (1..=5000_u64).map(|number| MatchId(Uuid::from_u128(number.into()))).collect();
    for id in &ids {
        put(&store, |engine| &engine.stages, &record::staged(Stage::Running, *id), &[]);
    }
    assert_eq!(store.ending_in(ids[0].tail()).await, Ok(None));
    store.close().await;
    drop(store);
    let store = open(&folder);
    for id in ids {
        assert_eq!(store.ending_in(id.tail()).await, Ok(Some(id)));
    }
}
