//! Room on the disk of the data folder: how much is free, and what may still be done with it.
//!
//! There are two marks. Below the first no match is created, so that those which run have room to go on. Below the
//! second those pause too, before the store runs into the end of the disk: nothing is written, deadlines wait, and
//! everything can still be read. Both end by themselves when there is room again.

use std::io;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use tonic::Code;

use crate::config::ByteSize;
use crate::refusal::{Reason, Refusal};

/// How often the disk is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// How long deadlines that passed during a pause wait after it, so that players can still lock in.
const GRACE: Duration = Duration::from_secs(15);
/// After how long to try again what there was no room for: creating a match, and playing on.
const RETRY_CREATE: Duration = Duration::from_secs(60);
const RETRY_PLAY: Duration = Duration::from_secs(2);
/// How often a byte of a record is written before the first copy is removed: to the log, and into a sorted file.
const COPIES: u64 = 2;

/// How much room there is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Room {
    /// There is not enough room to play on.
    Full,
    /// There is enough room to play on, but not to create matches.
    Low,
    /// There is enough room for everything.
    Enough,
}

/// The disk of the data folder.
#[derive(Debug)]
pub struct Disk {
    folder: PathBuf,
    to_create: u64,
    to_play: u64,
    /// How many bytes were free when the disk was looked at last.
    free: AtomicU64,
    /// How many of these bytes are needed by matches that are being created.
    reserved: AtomicU64,
    /// How many of these bytes matches may have taken that were created after the disk was looked at.
    spent: AtomicU64,
    /// How much room there was when the disk was looked at before that.
    before: Mutex<Room>,
    began: Instant,
    /// Until when deadlines wait after a pause, in milliseconds since `began`; 0 if there was no pause.
    held_until: AtomicU64,
}

/// The thread that looks at the disk, which ends when this is dropped.
#[derive(Debug)]
pub struct DiskWatch {
    _stop: mpsc::Sender<()>,
}

/// Room that is kept for a match which is being created, as long as this lives.
#[derive(Debug)]
pub struct Reserved {
    disk: Arc<Disk>,
    bytes: u64,
}

impl Drop for Reserved {
    /// What was kept for the match counts as taken until the disk is looked at again.
    fn drop(&mut self) {
        self.disk.spent.fetch_add(self.bytes, Ordering::Relaxed);
        self.disk.reserved.fetch_sub(self.bytes, Ordering::Relaxed);
    }
}

impl Disk {
    /// The disk of a folder, with the marks below which nothing is created and nothing is played. It is looked at once.
    pub fn of(folder: &Path, to_create: ByteSize, to_play: ByteSize) -> Arc<Self> {
        let disk = Self {
            folder: folder.to_owned(),
            to_create: to_create.0,
            to_play: to_play.0,
            // Where nobody can say how much room there is, nothing is created, and what runs goes on.
            free: AtomicU64::new(to_create.0.saturating_sub(1).max(to_play.0)),
            reserved: AtomicU64::new(0),
            spent: AtomicU64::new(0),
            before: Mutex::new(Room::Enough),
            began: Instant::now(),
            held_until: AtomicU64::new(0),
        };
        disk.look();
        Arc::new(disk)
    }

    /// Looks at the disk again and again, until the answer is dropped. It has a thread of its own: a disk that does not
    /// answer holds up nobody else, and nobody else who waits for it holds up the watch.
    pub fn watch(self: &Arc<Self>) -> DiskWatch {
        let (stop, stopped) = mpsc::channel();
        let disk = Arc::clone(self);
        let watch = move || {
            while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                disk.look();
            }
        };
        if let Err(error) = thread::Builder::new().name("disk-watch".to_owned()).spawn(watch) {
            tracing::error!(%error, "the thread that looks at the disk cannot be started");
        }
        DiskWatch { _stop: stop }
    }

    /// How much room there was when it was looked at last.
    pub fn room(&self) -> Room {
        match self.free.load(Ordering::Relaxed) {
            free if free < self.to_play => Room::Full,
            free if free < self.to_create => Room::Low,
            _ => Room::Enough,
        }
    }

    /// Keeps room for a match whose first record has so many bytes, or says that there is none. The disk is not asked:
    /// what counts is what was free when it was looked at last, without what was taken since then.
    pub fn reserve(self: &Arc<Self>, bytes: usize) -> Result<Reserved, Refusal> {
        let bytes = COPIES * bytes as u64;
        let others = self.reserved.fetch_add(bytes, Ordering::Relaxed);
        let taken = others.saturating_add(self.spent.load(Ordering::Relaxed)).saturating_add(bytes);
        if self.free.load(Ordering::Relaxed).saturating_sub(taken) < self.to_create {
            self.reserved.fetch_sub(bytes, Ordering::Relaxed);
            return Err(Refusal::limit(Reason::DiskLow, self.sentence(Room::Low), RETRY_CREATE));
        }
        Ok(Reserved { disk: Arc::clone(self), bytes })
    }

    /// Whether something may be written to a match that runs.
    pub fn check_play(&self) -> Result<(), Refusal> {
        if self.room() > Room::Full {
            return Ok(());
        }
        let refusal = Refusal::new(Code::Unavailable, Reason::DiskFull, self.sentence(Room::Full));
        Err(Refusal { retry_after: Some(RETRY_PLAY), ..refusal })
    }

    /// Whether deadlines wait: while there is no room, and for a moment after that.
    pub fn holds_deadlines(&self) -> bool {
        let held_until = self.held_until.load(Ordering::Relaxed);
        self.room() == Room::Full || held_until > 0 && self.began.elapsed() < Duration::from_millis(held_until)
    }

    /// What operators and callers are told; nothing while there is enough room.
    pub fn complaint(&self) -> Option<(Room, String)> {
        let room = self.room();
        (room < Room::Enough).then(|| (room, self.sentence(room)))
    }

    fn sentence(&self, room: Room) -> String {
        let (what, mark, setting) = match room {
            Room::Full => ("play is paused", self.to_play, "disk_free_to_play"),
            Room::Low | Room::Enough => ("no match is created", self.to_create, "disk_free_to_create"),
        };
        format!(
            "the disk of the server has less than {} free ({setting}), so {what} until there is more",
            ByteSize(mark)
        )
    }

    /// Measures how much is free, and takes note of what follows.
    fn look(&self) {
        // What was written before this moment is in the answer.
        let spent = self.spent.load(Ordering::Relaxed);
        match free(&self.folder) {
            Ok(free) => {
                self.note(free);
                self.spent.fetch_sub(spent, Ordering::Relaxed);
            }
            Err(error) => {
                tracing::warn!(folder = %self.folder.display(), %error, "nobody can say how much room there is")
            }
        }
    }

    fn note(&self, free: u64) {
        metrics::gauge!("parley_disk_free_bytes").set(free as f64);
        self.free.store(free, Ordering::Relaxed);
        let room = self.room();
        let before = std::mem::replace(&mut *self.before.lock().unwrap_or_else(PoisonError::into_inner), room);
        if before == room {
            return;
        }
        if before == Room::Full {
            let held_until = (self.began.elapsed() + GRACE).as_millis();
            self.held_until.store(held_until as u64, Ordering::Relaxed);
        }
        let free = free >> 20;
        match room {
            Room::Enough => tracing::info!(free_mib = free, "there is room on the disk again"),
            Room::Low => tracing::warn!(free_mib = free, "{}", self.sentence(room)),
            Room::Full => tracing::error!(free_mib = free, "{}", self.sentence(room)),
        }
    }
}

/// How many bytes are free for this user on the disk of a folder.
pub fn free(folder: &Path) -> io::Result<u64> {
    let about = rustix::fs::statvfs(folder)?;
    Ok(about.f_bavail.saturating_mul(about.f_frsize))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn disk() -> Arc<Disk> {
        Disk::of(Path::new("."), ByteSize(1000), ByteSize(100))
    }

    #[test]
    fn below_the_marks_less_is_allowed() {
        let disk = disk();
        for (free, room) in
            [(1000, Room::Enough), (999, Room::Low), (100, Room::Low), (99, Room::Full), (0, Room::Full)]
        {
            disk.note(free);
            assert_eq!(disk.room(), room, "{free}");
            assert_eq!(disk.check_play().is_err(), room == Room::Full, "{free}");
            assert_eq!(disk.complaint().map(|(room, _)| room), (room != Room::Enough).then_some(room), "{free}");
        }
        let refusal = disk.check_play().expect_err("there is no room");
        assert_eq!(
            (refusal.code, refusal.reason, refusal.retry_after),
            (Code::Unavailable, Reason::DiskFull, Some(RETRY_PLAY))
        );
        assert!(refusal.message.contains("less than 100 free (disk_free_to_play)"), "{}", refusal.message);
    }

    #[test]
    fn where_nobody_can_say_how_much_room_there_is_nothing_is_created() {
        let nowhere = Disk::of(Path::new("there/is/no/such/folder"), ByteSize(1000), ByteSize(100));
        assert_eq!(nowhere.room(), Room::Low);
        assert_eq!(nowhere.reserve(1).expect_err("nobody knows").reason, Reason::DiskLow);
        assert!(nowhere.check_play().is_ok(), "what runs goes on");
    }

    #[test]
    fn the_watch_needs_no_runtime_and_ends_with_who_asked_for_it() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let disk = Disk::of(folder.path(), ByteSize(1), ByteSize(1));
        disk.note(0);
        let watch = disk.watch();
        let begun = Instant::now();
        while disk.room() == Room::Full && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(disk.room(), Room::Enough, "it was looked at");
        drop(watch);
        while Arc::strong_count(&disk) > 1 && begun.elapsed() < Duration::from_secs(30) {
            thread::sleep(Duration::from_millis(10));
        }
        assert_eq!(Arc::strong_count(&disk), 1, "the thread has ended");
    }

    #[test]
    fn deadlines_wait_for_room_and_a_moment_more() {
        let disk = disk();
        disk.note(500);
        assert!(!disk.holds_deadlines());
        disk.note(0);
        assert!(disk.holds_deadlines());
        disk.note(5000);
        assert!(disk.holds_deadlines(), "players have a moment to lock in");
        disk.held_until.store(1, Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(2));
        assert!(!disk.holds_deadlines());
    }

    #[test]
    fn matches_that_are_being_created_take_room_from_each_other() {
        let folder = tempfile::tempdir().expect("a folder for the test");
        let free = free(folder.path()).expect("a disk");
        // Other programs use the disk meanwhile, which is why the numbers are large.
        let disk = Disk::of(folder.path(), ByteSize(free / 2), ByteSize(0));
        let third = usize::try_from(free / COPIES / 3).expect("it fits");
        let first = disk.reserve(third).expect("there is room for one");
        let refusal = disk.reserve(third).expect_err("and not for two");
        assert_eq!((refusal.code, refusal.reason), (Code::ResourceExhausted, Reason::DiskLow));
        assert_eq!(refusal.retry_after, Some(RETRY_CREATE));
        drop(first);
        disk.reserve(third).expect_err("it may have been written since the disk was looked at");
        disk.look();
        drop(disk.reserve(third).expect("there is room again"));
        disk.look();
        assert_eq!((disk.reserved.load(Ordering::Relaxed), disk.spent.load(Ordering::Relaxed)), (0, 0));
    }
}
