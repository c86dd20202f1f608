//! An embedded store whose files were cut or changed: what was acknowledged before is there, or the store says in one
//! sentence why it does not open. Nothing is ever half there.

use std::fs;
use std::path::{Path, PathBuf};

use bytes::Bytes;
use parley_gateway::journal::embedded::{Embedded, EmbeddedOptions, OpenError};
use parley_gateway::journal::{Append, Journal, Listing, MatchId, Stage};
use tempfile::TempDir;
use tokio::sync::oneshot;
use uuid::Uuid;

/// How many matches there are; the appends go round.
const MATCHES: u64 = 3;

/// How many appends each match gets. Each has two records, a snapshot and a listing.
const ROUNDS: u64 = 3;

fn id(number: u64) -> MatchId {
    MatchId(Uuid::from_u128(u128::from(number) + 1))
}

fn record(number: u64, record: u64) -> Bytes {
    Bytes::from(format!("record {record} of match {number}"))
}

fn state(number: u64, records: u64) -> Bytes {
    Bytes::from(format!("match {number} after {records}"))
}

/// A closed store in a folder, and how long its log was after each append.
struct Written {
    folder: TempDir,
    ends: Vec<usize>,
}

impl Written {
    async fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        // The second time the log is as long as what is in it.
        let store = open(folder.path()).expect("a store that opens");
        store.close().await;
        drop(store);
        let store = open(folder.path()).expect("a store that opens");
        let log = log_of(folder.path());
        let mut ends = vec![length(&log)];
        for round in 0..ROUNDS {
            for number in 0..MATCHES {
                append(&store, number, 2 * round).await;
                ends.push(length(&log));
            }
        }
        store.close().await;
        Self { folder, ends }
    }

    /// How many appends are whole in a log of this length.
    fn whole(&self, length: usize) -> u64 {
        self.ends.iter().filter(|end| **end <= length).count() as u64 - 1
    }

    /// A copy of the folder with another log.
    fn with_log(&self, log: &[u8]) -> TempDir {
        let copy = tempfile::tempdir().expect("a folder");
        copy_folder(self.folder.path(), copy.path());
        fs::write(log_of(copy.path()), log).expect("a log");
        copy
    }

    fn log(&self) -> Vec<u8> {
        fs::read(log_of(self.folder.path())).expect("a log")
    }
}

fn open(folder: &Path) -> Result<Embedded, OpenError> {
    Embedded::open(folder, EmbeddedOptions::default())
}

fn log_of(folder: &Path) -> PathBuf {
    folder.join("engine").join("0.jnl")
}

fn length(file: &Path) -> usize {
    usize::try_from(fs::metadata(file).expect("a log").len()).expect("a short log")
}

fn copy_folder(from: &Path, to: &Path) {
    fs::create_dir_all(to).expect("a folder");
    for entry in fs::read_dir(from).expect("a folder") {
        let entry = entry.expect("an entry");
        let target = to.join(entry.file_name());
        if entry.file_type().expect("a type").is_dir() {
            copy_folder(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).expect("a copy");
        }
    }
}

async fn append(store: &Embedded, number: u64, after: u64) {
    let (done, told) = oneshot::channel();
    let records = [record(number, after + 1), record(number, after + 2)].into_iter().collect();
    let snapshot = Some(state(number, after + 2));
    let listing = Some(Listing { stage: Stage::Running, summary: state(number, after + 2) });
    let append = Append { id: id(number), after, records, snapshot, listing, done };
    store.appends().send(append).await.expect("an open queue");
    told.await.expect("an answer").expect("durable");
}

/// Checks that exactly the first `appends` appends are there, each of them whole.
async fn expect_appends(store: &Embedded, appends: u64, what: &str) {
    for number in 0..MATCHES {
        let rounds = appends / MATCHES + u64::from(appends % MATCHES > number);
        let expected: Vec<Bytes> = (1..=2 * rounds).map(|index| record(number, index)).collect();
        assert_eq!(store.read(id(number), 0).await.expect("records"), expected, "match {number}, {what}");
        let newest = (rounds > 0).then(|| state(number, 2 * rounds));
        let snapshot = store.snapshot(id(number), u64::MAX).await.expect("a snapshot");
        assert_eq!(snapshot.map(|snapshot| snapshot.state), newest, "match {number}, {what}");
        let listing = store.listing(id(number)).await.expect("a listing");
        assert_eq!(listing.map(|listing| listing.summary), newest, "match {number}, {what}");
    }
    let listed = store.list(Stage::Running, None, 99).await.expect("a list").len() as u64;
    assert_eq!(listed, appends.min(MATCHES), "{what}");
}

async fn expect_goes_on(store: &Embedded, appends: u64) {
    append(store, appends % MATCHES, 2 * (appends / MATCHES)).await;
    expect_appends(store, appends + 1, "after going on").await;
}

#[tokio::test]
async fn a_log_cut_anywhere_keeps_all_whole_appends() {
    let written = Written::new().await;
    let log = written.log();
    let [.., earlier, last, _] = written.ends[..] else { panic!("several appends") };
    // Every byte of the last append, and some of the one before it.
    for length in (earlier..last).step_by(5).chain(last..=log.len()) {
        let copy = written.with_log(&log[..length]);
        let store = open(copy.path()).expect("an interrupted write is no reason to refuse");
        let whole = written.whole(length);
        expect_appends(&store, whole, &format!("cut at {length}")).await;
        if length % 16 == 0 {
            expect_goes_on(&store, whole).await;
        }
        store.close().await;
    }
}

#[tokio::test]
async fn a_log_with_zeros_for_an_end_keeps_all_whole_appends() {
    let written = Written::new().await;
    let log = written.log();
    let first = written.ends[written.ends.len() - 2];
    for from in (first..log.len()).step_by(7) {
        let mut torn = log.clone();
        torn[from..].fill(0);
        torn.resize(log.len() + 9000, 0);
        let copy = written.with_log(&torn);
        let store = open(copy.path()).expect("an interrupted write is no reason to refuse");
        expect_appends(&store, written.ends.len() as u64 - 2, &format!("zeros from {from}")).await;
        expect_goes_on(&store, written.ends.len() as u64 - 2).await;
    }
}

#[tokio::test]
async fn a_changed_byte_in_the_last_append_loses_that_append_at_most() {
    let written = Written::new().await;
    let log = written.log();
    let appends = written.ends.len() as u64 - 1;
    for at in (written.ends[written.ends.len() - 2]..log.len()).step_by(3) {
        let mut bad = log.clone();
        bad[at] ^= 0x41;
        let copy = written.with_log(&bad);
        match open(copy.path()) {
            Ok(store) => {
                // The place of a commit in the order has no checksum; one that is too high does no harm.
                let is_whole = !store.read(id(MATCHES - 1), 2 * (ROUNDS - 1)).await.expect("records").is_empty();
                let there = if is_whole { appends } else { appends - 1 };
                expect_appends(&store, there, &format!("byte {at}")).await;
                expect_goes_on(&store, there).await;
            }
            Err(error) => assert!(matches!(error, OpenError::Damaged { .. }), "byte {at}: {error}"),
        }
    }
}

#[tokio::test]
async fn a_changed_byte_before_the_last_append_is_refused_and_changes_nothing() {
    let written = Written::new().await;
    let log = written.log();
    for at in (written.ends[1]..written.ends[written.ends.len() - 2]).step_by(5) {
        let mut bad = log.clone();
        bad[at] ^= 0xff;
        let copy = written.with_log(&bad);
        let error = open(copy.path()).err().unwrap_or_else(|| panic!("byte {at} was changed, and it opened"));
        let OpenError::Damaged { file, at: found } = &error else { panic!("byte {at}: {error}") };
        assert!(file.ends_with("engine/0.jnl"));
        assert!(written.ends.contains(found), "byte {at}: {error}");
        assert_eq!(error.to_string().lines().count(), 1);
        assert!(fs::read(log_of(copy.path())).expect("a log") == bad, "the log was changed");
    }
}

#[tokio::test]
async fn a_changed_byte_before_a_torn_last_append_is_refused_and_changes_nothing() {
    let written = Written::new().await;
    let log = written.log();
    let [.., earlier, last, _] = written.ends[..] else { panic!("several appends") };
    for at in (written.ends[1]..earlier).step_by(5) {
        let mut bad = log[..last + (log.len() - last) / 2].to_vec();
        bad[at] ^= 0xff;
        let copy = written.with_log(&bad);
        let error = open(copy.path()).err().unwrap_or_else(|| panic!("byte {at} was changed, and it opened"));
        assert!(matches!(error, OpenError::Damaged { .. }), "byte {at}: {error}");
        assert!(fs::read(log_of(copy.path())).expect("a log") == bad, "the log was changed");
    }
}

/// Why the store looks over the engine's log itself. If this fails, the engine has learned to, and the store need not.
#[tokio::test]
async fn the_engine_alone_drops_sound_commits_after_a_bad_byte_without_a_word() {
    let written = Written::new().await;
    let mut bad = written.log();
    bad[written.ends[3]] ^= 0xff;
    let copy = written.with_log(&bad);
    open(copy.path()).err().expect("the store refuses");
    let database = fjall::Database::builder(copy.path().join("engine")).open().expect("the engine does not");
    let records = database.keyspace("records", fjall::KeyspaceCreateOptions::default).expect("a keyspace");
    assert_eq!(records.len().expect("a count"), 6, "of {}", 2 * MATCHES * ROUNDS);
    drop((records, database));
    assert_eq!(length(&log_of(copy.path())), written.ends[3], "the rest of the log is gone for good");
}

/// A loss of power may leave zeros inside the last commit.
#[tokio::test]
async fn the_engine_alone_refuses_a_torn_last_commit() {
    let written = Written::new().await;
    let mut torn = written.log();
    let text = torn.windows(4).rposition(|bytes| bytes == b"reco").expect("the last record");
    torn[text..text + 4].fill(0);
    let copy = written.with_log(&torn);
    let error = fjall::Database::builder(copy.path().join("engine")).open().err().expect("the engine refuses");
    assert!(matches!(error, fjall::Error::JournalRecovery(_)), "{error:?}");
    let store = open(copy.path()).expect("the store does not");
    expect_appends(&store, MATCHES * ROUNDS - 1, "torn").await;
}

#[tokio::test]
async fn any_other_file_that_is_damaged_gets_a_sentence() {
    let written = Written::new().await;
    let mut files = Vec::new();
    list_files(&written.folder.path().join("engine"), &mut files);
    for file in files.iter().filter(|file| !file.ends_with("0.jnl") && !file.ends_with("lock")) {
        for emptied in [true, false] {
            let copy = written.with_log(&written.log());
            let target = copy.path().join(file.strip_prefix(written.folder.path()).expect("inside"));
            let mut bytes = fs::read(&target).expect("a file");
            if emptied {
                bytes.clear();
            } else {
                bytes.iter_mut().for_each(|byte| *byte ^= 0xff);
            }
            fs::write(&target, bytes).expect("a file");
            match open(copy.path()) {
                Ok(store) => {
                    expect_appends(&store, written.ends.len() as u64 - 1, &format!("{}", file.display())).await
                }
                Err(error) => assert_eq!(error.to_string().lines().count(), 1, "{}: {error}", file.display()),
            }
        }
    }
}

fn list_files(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() { list_files(&path, files) } else { files.push(path) }
    }
}
