//! The pace of a match that only house bots play, from the start or since the last person in it is out.
//!
//! While nobody watches it, it plays a few turns a second, and all such matches of a server wait in one line: one of them
//! plays a turn while its bots think about the next, and then the line rests for as long as that took. So they take at
//! most half of the time, however many there are, and nobody else waits for them. Whoever begins to watch one lets it go
//! on outside of the line, as fast as a person can follow and no faster, however often it is looked at. Watched or not,
//! it has an end: otherwise anybody could let the server work, and write, for ever.
//!
//! A match goes on when all of its bots have spoken. Where one is slow the others wait for it, but not for longer than
//! [`THINKING`]; a deadline that has passed meanwhile comes then, through the line like every other turn.

use std::future;
use std::time::Duration;

use futures_util::future::BoxFuture;
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{self as disk, Entry};
use tokio::sync::OwnedSemaphorePermit;
use tokio::time::Instant;

use super::super::command::{Command, Request};
use super::{Actor, GaveUp};
use crate::match_state::{MatchState, Sheet};
use crate::refusal::Refusal;

/// How long the bots of one match may think before the next match has its turn.
const THINKING: Duration = Duration::from_secs(1);
/// How long a match that left memory in the middle of its course stays away, where others needed the room.
const AWAY: Duration = Duration::from_secs(60);

/// How far a match without people has come.
pub(super) struct Pace {
    /// The lock-ins of house bots that wait, with their seats; one of each seat at most.
    waiting: Vec<(u8, Box<Command>)>,
    /// The moment before which the next turn is not played.
    next: Instant,
    /// When the last turn was played.
    last: Instant,
    /// The turn and its window that bots think about.
    open: (u32, u32),
    /// Since when they think about it.
    since: Instant,
    /// The place of the match in the line, if it stands there.
    line: Option<BoxFuture<'static, Option<OwnedSemaphorePermit>>>,
    /// The permit of the match that plays, and since when it plays, if it is this one.
    turn: Option<(OwnedSemaphorePermit, Instant)>,
}

impl Pace {
    pub(super) fn new(match_state: &MatchState) -> Self {
        let (now, open) = (Instant::now(), open(match_state));
        Self { waiting: Vec::new(), next: now, last: now, open, since: now, line: None, turn: None }
    }

    /// Takes note of whether bots have something new to think about.
    pub(super) fn note_change(&mut self, match_state: &MatchState) {
        let open = open(match_state);
        if self.open != open {
            (self.open, self.since) = (open, Instant::now());
        }
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
        self.match_state.is_unattended() && !self.match_state.is_over()
    }

    /// When a match has to come back that leaves memory although its bots would go on.
    pub(super) fn comes_back_ms(&self) -> Option<u64> {
        let goes_on = self.is_paced() && self.match_state.play.is_some();
        goes_on.then(|| self.shared.clock.now_ms() + AWAY.as_millis() as u64)
    }

    /// Lets a lock-in wait where the match has a pace; gives it back where it has none. Only what could be locked in now
    /// waits, and only for whoever has the seat: everything else is answered at once, which changes nothing.
    pub(super) fn hold_back(&mut self, command: Box<Command>) -> Option<Box<Command>> {
        let Request::LockIn(request, _) = &command.request else { return Some(command) };
        if !self.is_paced() {
            return Some(command);
        }
        let seat = self.own_seat(command.claims);
        let seat = seat.and_then(|seat| self.match_state.can_order(seat, request.turn).map(|_| seat));
        let Ok(seat) = seat else { return Some(command) };
        match self.pace.waiting.iter_mut().find(|(other, _)| *other == seat) {
            // A bot that asks again has lost the way on which it would have been answered.
            Some((_, waiting)) => std::mem::replace(waiting, command).refuse(Refusal::restarted()),
            None => self.pace.waiting.push((seat, command)),
        }
        if self.unheard() == 0 {
            self.pace.rest();
        }
        None
    }

    /// How many bots have still to speak: those whose orders are neither locked nor wait here, or those that are asked
    /// in an open window.
    fn unheard(&self) -> usize {
        let Some(play) = self.match_state.play.as_ref() else { return 0 };
        let is_unheard = |number: &u8| match &play.window {
            Some(_) => play.waits_for(*number),
            None => {
                let locked = play.sheets.get(usize::from(*number)).is_some_and(Sheet::is_locked);
                !locked && !self.pace.waiting.iter().any(|(seat, _)| seat == number)
            }
        };
        play.living().filter(is_unheard).count()
    }

    /// When the match goes on, or stands in the line for that: as soon as it may where all bots have spoken, and
    /// otherwise when the others have had their time, if somebody has spoken or a deadline has passed by then.
    fn goes_on(&self) -> Option<Instant> {
        if !self.is_paced() {
            // The match has ended while they waited.
            return (!self.pace.waiting.is_empty()).then(Instant::now);
        }
        if self.match_state.play.is_none() || (self.pace.is_in_line() && !self.is_followed()) {
            return None;
        }
        let spoken = !self.pace.waiting.is_empty();
        if spoken && self.unheard() == 0 {
            return Some(self.pace.next);
        }
        let patience = self.pace.next.max(self.pace.since + THINKING);
        if spoken {
            return Some(patience);
        }
        let deadline = self.match_state.deadline_ms().filter(|_| !self.shared.holds_deadlines())?;
        Some(patience.max(self.shared.clock.instant(deadline)))
    }

    fn is_time(&self) -> bool {
        self.goes_on().is_some_and(|at| at <= Instant::now())
    }

    /// The next moment when there is something to do for a match with a pace.
    pub(super) fn pace_alarm(&self) -> Option<Instant> {
        let late = self.pace.turn.as_ref().map(|(_, since)| *since + THINKING);
        self.goes_on().into_iter().chain(late).min()
    }

    /// Looks whether it is time to play on, to stand in the line for that, or to leave it to others.
    pub(super) async fn look_at_the_pace(&mut self) -> Result<(), GaveUp> {
        let now = Instant::now();
        if self.pace.turn.as_ref().is_some_and(|(_, since)| *since + THINKING <= now) {
            self.pace.rest();
        }
        if !self.is_time() {
            return Ok(());
        }
        if !self.is_paced() {
            self.pace.rest();
            return self.catch_up().await;
        }
        if self.is_followed() {
            return self.play_turn(None).await;
        }
        if self.shared.check_play().is_err() {
            return Ok(());
        }
        // Whoever stood in the line with the permit in its hand would wait for itself.
        self.pace.rest();
        let line = std::sync::Arc::clone(&self.shared.unattended);
        // The semaphore is never closed.
        self.pace.line = Some(Box::pin(async move { line.acquire_owned().await.ok() }));
        Ok(())
    }

    /// Plays the next turn, if its time is still there. Nothing is played while the disk is full: it is looked at again.
    pub(super) async fn play_turn(&mut self, permit: Option<OwnedSemaphorePermit>) -> Result<(), GaveUp> {
        let now = Instant::now();
        self.pace.rest();
        if !self.is_time() || self.shared.check_play().is_err() {
            return Ok(());
        }
        self.pace.turn = permit.map(|permit| (permit, now));
        self.begin_pause(now);
        self.stop_if_endless().await?;
        let before = open(&self.match_state);
        self.catch_up().await?;
        let is_unchanged = |actor: &Self| open(&actor.match_state) == before;
        if is_unchanged(self) && !self.shared.holds_deadlines() {
            self.end_waiting_if_late().await?;
        }
        if self.match_state.is_over() || is_unchanged(self) {
            // There is nothing new to think about.
            self.pace.rest();
        }
        Ok(())
    }

    /// Sets the moment before which the next turn is not played.
    fn begin_pause(&mut self, now: Instant) {
        let limits = &self.shared.limits;
        let rate =
            if self.is_followed() { limits.watched_turns_per_second } else { limits.unattended_turns_per_second };
        (self.pace.last, self.pace.next) = (now, now + pause(rate));
    }

    /// Lets a match go on sooner that somebody begins to watch: at the pace of those who watch, counted from its last
    /// turn. Whoever begins again and again gains nothing by it.
    pub(super) fn play_for_watchers(&mut self) {
        if self.is_paced() && self.is_followed() {
            let soon = self.pace.last + pause(self.shared.limits.watched_turns_per_second);
            self.pace.next = self.pace.next.min(soon);
        }
    }

    /// Stops a match that has been played for long enough without people in it.
    async fn stop_if_endless(&mut self) -> Result<(), GaveUp> {
        let limits = &self.shared.limits;
        let (limit, reason) = if self.is_followed() {
            (limits.watched_turns, "House bots played {} turns without people (watched_turns).")
        } else {
            (limits.unattended_turns, "House bots played {} turns and nobody watched (unattended_turns).")
        };
        if self.match_state.turns_alone() <= limit || !self.is_paced() {
            return Ok(());
        }
        let reason = reason.replace("{}", &limit.to_string());
        let at_ms = self.shared.clock.now_ms();
        self.apply_entry(Entry { at_ms, what: Some(What::Stopped(disk::Stopped { reason })) }).await
    }

    /// Takes up all lock-ins that wait.
    async fn catch_up(&mut self) -> Result<(), GaveUp> {
        self.pace.line = None;
        for (_, command) in std::mem::take(&mut self.pace.waiting) {
            Box::pin(self.take_up(command)).await?;
        }
        Ok(())
    }
}

/// The turn and its window that are open.
fn open(match_state: &MatchState) -> (u32, u32) {
    (match_state.turn(), match_state.window())
}

/// How long it is from one turn to the next at a number of turns a second.
fn pause(rate: u32) -> Duration {
    Duration::from_secs(1) / rate.max(1)
}
