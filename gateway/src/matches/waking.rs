//! Which matches are brought into memory without being asked for, and when.

use std::collections::{HashSet, VecDeque};
use std::ops::RangeInclusive;
use std::sync::atomic::Ordering;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use dashmap::mapref::entry::Entry as Slot;
use tonic::Code;

use super::Matches;
use super::command::Request;
use super::history::PastError;
use super::listing::{Listed, warn_of_unreadable};
use crate::auth::{Claims, Role};
use crate::journal::{Listing, MatchId, Stage};
use crate::refusal::Refusal;
use crate::work::Customer;

/// How many matches are listed at once.
const PAGE: usize = 1000;
/// How long to wait after a match without people was woken.
const UNATTENDED_PAUSE: Duration = Duration::from_millis(50);

/// How often somebody looks whether there is room in memory for a match whose time has come.
const LOOK_FOR_ROOM: Duration = Duration::from_millis(250);

/// After how long a match is tried again that could not be brought back: a store that failed is opened again after two
/// seconds, and memory that is full has room when another match has left.
const NEXT_ATTEMPT: RangeInclusive<Duration> = Duration::from_secs(1)..=Duration::from_secs(5);

/// The matches whose time has come while memory was full, in the order in which it came. Each is in it once, so that there
/// are never more than matches, and one task brings all of them back.
#[derive(Debug, Default)]
pub(super) struct Due(Mutex<DueMatches>);

#[derive(Debug, Default)]
struct DueMatches {
    line: VecDeque<MatchId>,
    waiting: HashSet<MatchId>,
}

impl Due {
    fn lock(&self) -> MutexGuard<'_, DueMatches> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_empty(&self) -> bool {
        self.lock().line.is_empty()
    }

    /// Adds a match; whether it is the first, for which nobody looks for room yet.
    fn push(&self, id: MatchId) -> bool {
        let mut due = self.lock();
        let first = due.line.is_empty();
        if due.waiting.insert(id) {
            due.line.push_back(id);
        }
        first
    }

    /// The match that waits for the longest time.
    fn first(&self) -> Option<MatchId> {
        self.lock().line.front().copied()
    }

    fn remove_first(&self) {
        let mut due = self.lock();
        if let Some(id) = due.line.pop_front() {
            due.waiting.remove(&id);
        }
    }
}

/// All matches of a stage, page by page, the newest first.
pub(super) struct Pages {
    stage: Stage,
    before: Option<MatchId>,
    is_over: bool,
}

impl Pages {
    /// The pages of a stage from the newest match on.
    pub(super) const fn of(stage: Stage) -> Self {
        Self { stage, before: None, is_over: false }
    }

    /// The next page; `None` after the last.
    pub(super) async fn next(&mut self, matches: &Matches) -> Result<Option<Vec<(MatchId, Listing)>>, Refusal> {
        if self.is_over {
            return Ok(None);
        }
        let page = matches.journal.list(self.stage, self.before, PAGE).await.map_err(PastError::from)?;
        self.before = page.last().map(|(id, _)| *id);
        self.is_over = page.len() < PAGE;
        Ok(Some(page))
    }
}

impl Matches {
    /// Counts what is not finished. The first who asks reads it from the journal.
    pub(super) async fn count_unfinished(&self) -> Result<(), Refusal> {
        self.counted.get_or_try_init(|| self.read_unfinished()).await.copied()
    }

    async fn read_unfinished(&self) -> Result<(), Refusal> {
        let mut unfinished: Vec<MatchId> = Vec::new();
        let (mut running, mut unreadable) = (0, 0);
        for stage in [Stage::Open, Stage::Running] {
            let mut pages = Pages::of(stage);
            while let Some(page) = pages.next(self).await? {
                for (id, listing) in page {
                    // Only older versions have left listings that cannot be read, of matches that nobody can end any more: they
                    // count against nobody.
                    let Some(listed) = Listed::read(&listing.summary) else {
                        unreadable += 1;
                        continue;
                    };
                    running += usize::from(stage == Stage::Running);
                    if let Some(creator) = listed.creator() {
                        self.quotas.add(&creator, id);
                    }
                    unfinished.push(id);
                }
            }
        }
        warn_of_unreadable(unreadable);
        // A match that has just been started is in both lists.
        unfinished.sort_unstable();
        unfinished.dedup();
        self.unfinished.fetch_add(unfinished.len(), Ordering::Relaxed);
        self.metrics.set_unfinished(unfinished.len().saturating_sub(running), running);
        Ok(())
    }

    /// Counts what is not finished, and brings those into memory that have something to do without being asked:
    /// deadlines, and house bots. Those that nobody plays come last, and slowly.
    pub async fn wake(&self) -> Result<(), Refusal> {
        self.count_unfinished().await?;
        let mut unattended = Vec::new();
        let mut pages = Pages::of(Stage::Running);
        while let Some(page) = pages.next(self).await? {
            // One after the other: a server that starts has other things to do as well.
            for (id, listing) in page {
                match Listed::read(&listing.summary) {
                    Some(listed) if listed.is_unattended() => unattended.push(id),
                    Some(listed) if listed.has_to_wake() => self.wake_one(id).await,
                    _ => {}
                }
            }
        }
        for id in unattended {
            self.wake_one(id).await;
            tokio::time::sleep(UNATTENDED_PAUSE).await;
        }
        Ok(())
    }

    /// Brings a match into memory and waits until it is there. Where that is refused for a reason that may pass, it is
    /// tried again in a few seconds: nobody else sees to the deadlines of a match that sleeps.
    pub async fn wake_one(&self, id: MatchId) {
        let admin = Claims { match_id: None, role: Role::Admin, expires_at: u64::MAX };
        // Whatever is asked brings the match back. This is answered without building anything.
        if let Err(refusal) = self.ask(id, Some(admin), Request::Read).await
            && may_pass(&refusal)
        {
            self.wake_at(id, Some(self.clock.now_ms() + pause_before_next_attempt(id)));
        }
    }

    /// Brings a sleeping match back when its time has come.
    pub(super) fn wake_at(&self, id: MatchId, deadline: Option<u64>) {
        let Some(deadline) = deadline.filter(|_| !self.is_draining()) else { return };
        match self.alarms.entry(id) {
            // Whoever wakes it earlier lets it set the next alarm.
            Slot::Occupied(alarm) if *alarm.get() <= deadline => return,
            Slot::Occupied(mut alarm) => drop(alarm.insert(deadline)),
            Slot::Vacant(alarm) => drop(alarm.insert(deadline)),
        }
        self.spawn_until_drained(move |matches| async move { matches.wake_later(id, deadline).await });
    }

    async fn wake_later(&self, id: MatchId, deadline: u64) {
        tokio::time::sleep_until(self.clock.instant(deadline)).await;
        self.alarms.remove_if(&id, |_, alarm| *alarm == deadline);
        // Where memory is full, its time comes when another match has left, after those that wait already.
        if self.due.is_empty() && self.find(id, Customer::Service).is_ok() {
            return self.wake_one(id).await;
        }
        if self.due.push(id) {
            self.spawn_until_drained(|matches| async move { matches.wake_due().await });
        }
    }

    /// Brings the matches back whose time has come, one after the other, as there is room for them. None of them waits
    /// until another one is read back, or for the kind of room that only the other one needs.
    async fn wake_due(&self) {
        while let Some(id) = self.due.first() {
            while self.find(id, Customer::Service).is_err() {
                tokio::time::sleep(LOOK_FOR_ROOM).await;
            }
            self.due.remove_first();
            self.spawn_until_drained(move |matches| async move { matches.wake_one(id).await });
        }
    }

    /// Runs a task that ends at the latest when the server begins to shut down.
    fn spawn_until_drained<F: Future<Output = ()> + Send + 'static>(&self, task: impl FnOnce(Self) -> F) {
        let (task, mut draining) = (task(self.clone()), self.draining.subscribe());
        tokio::spawn(async move {
            tokio::select! {
                () = task => {}
                _ = draining.wait_for(|draining| *draining) => {}
            }
        });
    }
}

/// Whether a match that was not brought back for this reason may be brought back later. One that is another server's is
/// that server's to wake.
fn may_pass(refusal: &Refusal) -> bool {
    matches!(refusal.code, Code::Unavailable | Code::ResourceExhausted) && refusal.reason != Refusal::moved().reason
}

/// After how many milliseconds a match that could not be brought back is tried again: another time for each match, so
/// that those of a store that failed do not all come at once.
fn pause_before_next_attempt(id: MatchId) -> u64 {
    let spread = id.tail().iter().fold(0, |hash: u64, byte| hash.wrapping_mul(31).wrapping_add(u64::from(*byte)));
    let (first, last) = (NEXT_ATTEMPT.start().as_millis() as u64, NEXT_ATTEMPT.end().as_millis() as u64);
    first + spread % (last - first)
}
