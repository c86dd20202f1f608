//! The pace of a match that only house bots play.
//!
//! While nobody watches it, it plays a few turns a second, and all such matches of a server wait in one line: one of them
//! plays a turn while its bots think about the next, and then the line rests for as long as that took. So they take at
//! most half of the time, however many there are, and nobody else waits for them. Whoever begins to watch one lets it go
//! on at once, outside of the line and as fast as a person can follow. Watched or not, it has an end: otherwise anybody
//! could let the server work, and write, for ever.

use std::future;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{self as disk, Entry};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::command::{Command, Request};
use super::{Actor, GaveUp};
use crate::table::Place;

/// How long the bots of one match may think before the next match has its turn.
const THINKING: Duration = Duration::from_secs(1);
/// How many lock-ins of each seat wait at most.
const WAITING_PER_SEAT: usize = 4;
/// How long a match that left memory in the middle of its course stays away, where others needed the room.
const AWAY: Duration = Duration::from_secs(60);

/// How far a match without people has come.
pub(super) struct Pace {
    /// Lock-ins of house bots that wait.
    waiting: Vec<Command>,
    /// The moment before which the next turn is not played.
    next: Instant,
    /// The place of the match in the line, if it stands there.
    line: Option<BoxFuture<'static, Option<OwnedSemaphorePermit>>>,
    /// The permit of the match that plays, and since when it plays, if it is this one.
    turn: Option<(OwnedSemaphorePermit, Instant)>,
}

impl Pace {
    pub(super) fn new() -> Self {
        Self { waiting: Vec::new(), next: Instant::now(), line: None, turn: None }
    }

    /// Comes back when it is the match's turn. Giving up waiting loses nothing.
    pub(super) async fn turn_comes(&mut self) -> Option<OwnedSemaphorePermit> {
        let Some(line) = self.line.as_mut() else { return future::pending().await };
        let permit = line.await;
        self.line = None;
        permit
    }

    /// Whether the match stands in the line.
    pub(super) fn is_in_line(&self) -> bool {
        self.line.is_some()
    }

    /// The next moment when there is something to do.
    pub(super) fn alarm(&self) -> Option<Instant> {
        let next = (!self.waiting.is_empty() && self.line.is_none()).then_some(self.next);
        let late = self.turn.as_ref().map(|(_, since)| *since + THINKING);
        next.into_iter().chain(late).min()
    }

    /// Whether no deadline may come now: bots have said what they want, or the next turn is not due yet.
    pub(super) fn holds_deadline(&self) -> bool {
        !self.waiting.is_empty() || Instant::now() < self.next
    }

    /// Lets the next match have its turn, after as long a rest as this one has worked.
    fn rest(&mut self) {
        if let Some((permit, since)) = self.turn.take() {
            let worked = since.elapsed().min(THINKING);
            tokio::spawn(async move {
                tokio::time::sleep(worked).await;
                drop(permit);
            });
        }
    }
}

impl Actor {
    /// Whether the match only goes on at a pace: nobody plays it but house bots.
    pub(super) fn is_paced(&self) -> bool {
        self.table.is_unattended() && !self.table.is_over()
    }

    /// Whether somebody watches the match.
    pub(super) fn is_watched(&self) -> bool {
        self.slots.iter().any(|slot| slot.place == Place::Spectators && slot.feed.followers() > 0)
    }

    /// When a match has to come back that leaves memory although its bots would go on.
    pub(super) fn comes_back_ms(&self) -> Option<u64> {
        let goes_on = self.is_paced() && self.table.game.is_some();
        goes_on.then(|| self.shared.clock.now_ms() + AWAY.as_millis() as u64)
    }

    /// Lets a lock-in wait where the match has a pace; gives it back where it has none.
    pub(super) fn hold_back(&mut self, command: Command) -> Option<Command> {
        let full = self.pace.waiting.len() >= WAITING_PER_SEAT * self.table.seats.len();
        if !matches!(command.request, Request::LockIn(..)) || full || !self.is_paced() {
            return Some(command);
        }
        self.pace.waiting.push(command);
        let players = self.table.game.as_ref().map_or(&[][..], |game| game.state.players());
        if self.pace.waiting.len() >= players.iter().filter(|player| player.alive).count() {
            self.pace.rest();
        }
        None
    }

    /// Looks whether it is time to play on, to stand in the line for that, or to leave it to others.
    pub(super) async fn look_at_the_pace(&mut self) -> Result<(), GaveUp> {
        let now = Instant::now();
        if self.pace.turn.as_ref().is_some_and(|(_, since)| *since + THINKING <= now) {
            self.pace.rest();
        }
        if self.pace.waiting.is_empty() || self.pace.line.is_some() || self.pace.next > now {
            return Ok(());
        }
        if self.is_watched() {
            return self.play_turn(None).await;
        }
        let line = std::sync::Arc::clone(&self.shared.unattended);
        // The line is never closed.
        self.pace.line = Some(Box::pin(async move { line.acquire_owned().await.ok() }));
        Ok(())
    }

    /// Plays the next turn, which has come.
    pub(super) async fn play_turn(&mut self, permit: Option<OwnedSemaphorePermit>) -> Result<(), GaveUp> {
        let now = Instant::now();
        self.pace.rest();
        self.pace.turn = permit.map(|permit| (permit, now));
        self.begin_pause(now);
        self.stop_if_endless().await?;
        self.catch_up().await?;
        if self.table.is_over() {
            self.pace.turn = None;
        }
        Ok(())
    }

    /// Sets the moment before which the next turn is not played.
    pub(super) fn begin_pause(&mut self, now: Instant) {
        let limits = &self.shared.limits;
        let watched = self.is_watched();
        let rate = if watched { limits.watched_turns_per_second } else { limits.unattended_turns_per_second };
        self.pace.next = now + Duration::from_secs(1) / rate.max(1);
    }

    /// Lets a match go on at once that somebody begins to watch.
    pub(super) async fn play_for_watchers(&mut self) -> Result<(), GaveUp> {
        if self.is_paced() && self.is_watched() && !self.pace.waiting.is_empty() {
            self.play_turn(None).await?;
        }
        Ok(())
    }

    /// Stops a match that has been played for long enough without people in it.
    async fn stop_if_endless(&mut self) -> Result<(), GaveUp> {
        let limits = &self.shared.limits;
        let (limit, reason) = if self.is_watched() {
            (limits.watched_turns, "House bots played {} turns without people (watched_turns).")
        } else {
            (limits.unattended_turns, "House bots played {} turns and nobody watched (unattended_turns).")
        };
        if self.table.turn() <= limit || !self.is_paced() {
            return Ok(());
        }
        let reason = reason.replace("{}", &limit.to_string());
        let at_ms = self.shared.clock.now_ms();
        self.happen(Entry { at_ms, what: Some(What::Stopped(disk::Stopped { reason })) }).await
    }

    /// Takes up all lock-ins that wait.
    pub(super) async fn catch_up(&mut self) -> Result<(), GaveUp> {
        self.pace.line = None;
        for command in std::mem::take(&mut self.pace.waiting) {
            self.take_up(command).await?;
        }
        Ok(())
    }
}
