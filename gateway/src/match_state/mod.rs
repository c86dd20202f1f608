//! A match as its records have left it. No IO and no clock: the same records lead to the same state, whether they are
//! written now, read back after a crash, or played again for a viewer who was away.
//!
//! What can be asked is checked first, by the functions of `check.rs`, which change nothing. What was asked is then
//! written down as an [`Entry`], and [`MatchState::apply`] applies it. Whatever viewers learn of it goes to an
//! [`Audience`], one piece of news at a time, each with the number that it has for its viewer.

mod check;
mod news;
mod queries;
mod seat;
mod setup;
mod snapshot;
mod told;
mod turn;
mod weight;

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use parley_core::digest::Digest;
use parley_core::ids::PlayerId;
use parley_games::hosted::{HostedGame, HostedSheet, Viewer};
use parley_proto::journal::v1::entry::What;
use parley_proto::journal::v1::{Created, Entry, Shown};
use parley_proto::opaque::v1;

use crate::journal::MatchId;
use crate::rulesets::Rulesets;

pub use check::{
    Checked, CheckedSheet, Joining, StagedOrders, join_fingerprint, request_id, reused, secret_request_id,
};
pub use news::{MatchEvent, ResolvedTurn, project, project_turn};
pub use seat::{Answered, Seat, fingerprint};
pub use setup::{AddressKey, CreatorKeys, MAX_MATCH_NAME, MAX_SPECTATOR_DELAY, MatchSecret, ReplayError, Setup, plan};
pub use told::told_match;

/// Somebody whom news of a match are told to.
pub trait Audience {
    /// Tells a viewer something; `cursor` is the number that it has among this viewer's news. The match is as it is
    /// after what happened.
    fn tell(&mut self, match_state: &MatchState, viewer: Place, cursor: u64, event: &MatchEvent<'_>);
}

/// An audience of nobody.
pub struct Nobody;

impl Audience for Nobody {
    fn tell(&mut self, _: &MatchState, _: Place, _: u64, _: &MatchEvent<'_>) {}
}

/// From where somebody looks at a match: a seat, or among the spectators.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Place {
    /// A seat, by number.
    Seat(u8),
    /// The spectators: everybody without a seat.
    Spectators,
}

impl Place {
    /// The viewer that the resolver knows by this place.
    pub fn viewer(self) -> Viewer {
        match self {
            Self::Seat(seat) => PlayerId::new(seat.into()).map_or(Viewer::Spectator, Viewer::Seat),
            Self::Spectators => Viewer::Spectator,
        }
    }
}

/// A sheet in the course of planning.
#[derive(Clone, Debug, Default)]
pub enum Sheet {
    /// The player has not said anything yet.
    #[default]
    Blank,
    /// Legal orders that can still be replaced, encoded.
    Staged(Bytes),
    /// Orders that are frozen as they were said, encoded (R5.2).
    Locked(Bytes),
}

impl Sheet {
    /// Whether the sheet is frozen.
    pub const fn is_locked(&self) -> bool {
        matches!(self, Self::Locked(_))
    }
}

/// The time in which players answer what the turn asks them (R7.2).
#[derive(Debug)]
pub struct Window {
    /// The answers that were given so far, each with the seat that gave it.
    pub answers: Vec<(u8, v1::Answer)>,
    /// When the window was opened, in milliseconds since 1970.
    pub opened_ms: u64,
}

impl Window {
    /// The answers that a seat has given so far.
    pub fn given_by(&self, seat: u8) -> Vec<v1::Answer> {
        let own = self.answers.iter().filter(|(giver, _)| *giver == seat);
        own.map(|(_, answer)| answer.clone()).collect()
    }
}

/// A match that is being played, or has been.
#[derive(Debug)]
pub struct Play {
    /// The match as its game has it: the state that the turn is planned in, what is locked, and what the turn asks.
    pub game: Box<dyn HostedGame>,
    /// When the turn was opened, in milliseconds since 1970.
    pub opened_ms: u64,
    /// The sheets of the turn, by seat.
    pub sheets: Vec<Sheet>,
    /// The window in which the turn waits for answers, while it does.
    pub window: Option<Box<Window>>,
}

impl Play {
    fn new(game: Box<dyn HostedGame>, opened_ms: u64, seats: usize) -> Self {
        Self { game, opened_ms, sheets: vec![Sheet::Blank; seats], window: None }
    }

    /// The digest before the turn.
    pub fn digest(&self) -> Digest {
        self.game.digest()
    }

    /// The seats whose players are not eliminated.
    pub fn living(&self) -> impl Iterator<Item = u8> {
        (0..).zip(&self.sheets).map(|(seat, _)| seat).filter(|seat| self.game.is_alive(*seat))
    }

    /// Whether a seat is asked something and has not answered all of it.
    pub fn waits_for(&self, seat: u8) -> bool {
        self.window.as_ref().is_some_and(|window| self.game.waits_for(seat, &window.given_by(seat)))
    }

    /// The number that the open window has for a seat; `None` where the seat is not asked in it. Numbers of seats have nothing
    /// to do with each other, so that nobody learns from one whether others are asked.
    pub fn window_of(&self, seat: u8) -> Option<u32> {
        self.window.as_ref().and_then(|_| self.game.window_of(seat))
    }
}

/// A match as its records have left it.
#[derive(Debug)]
pub struct MatchState {
    /// What was settled when the match was created, and never changes.
    pub setup: Arc<Setup>,
    /// The seats, by number.
    pub seats: Vec<Seat>,
    /// The match from its start on; `None` before it.
    pub play: Option<Play>,
    /// Why the match was stopped, where it was.
    pub stopped: Option<String>,
    /// When a person was last heard of, in milliseconds since 1970.
    pub last_input_ms: u64,
    /// How many turns in a row were planned to their deadline without a person's input.
    pub missed_deadlines: u32,
    /// Whether a person was heard of since the turn was opened. Times do not say so: clocks are set.
    heard: bool,
    /// The last turn that a person played, or an administrator let house bots play; 0 where there was none.
    peopled_turn: u32,
    /// How many news each seat has had, and the spectators after them.
    news: Vec<u64>,
    /// The spectators' news up to the turns that are still held back from them, the oldest first.
    released: VecDeque<u64>,
    request_memory: usize,
    /// Whether a house bot plays any seat.
    has_house_bots: bool,
}

impl MatchState {
    /// A match that was just created.
    pub fn new(setup: Setup, request_memory: usize) -> Self {
        let seats: Vec<Seat> = setup.settings.seats.iter().map(|choice| Seat::new(choice, setup.commitment)).collect();
        let news = vec![0; seats.len() + 1];
        let has_house_bots = seats.iter().any(|seat| !seat.house_bot.is_empty());
        let setup = Arc::new(setup);
        Self {
            last_input_ms: setup.created_ms,
            missed_deadlines: 0,
            heard: false,
            peopled_turn: 0,
            setup,
            seats,
            play: None,
            stopped: None,
            news,
            released: VecDeque::new(),
            request_memory,
            has_house_bots,
        }
    }

    /// Reads the first record of a match.
    pub fn create(id: MatchId, entry: Entry, rulesets: &Rulesets, request_memory: usize) -> Result<Self, ReplayError> {
        let Some(What::Created(created)) = entry.what else {
            return Err(ReplayError::new("the first record of a match says how it was created"));
        };
        Ok(Self::new(Setup::read(id, entry.at_ms, created, rulesets)?, request_memory))
    }

    /// Applies a record that was written down before. It was checked then; one that cannot be applied now means that
    /// the journal, or the resolver, is not what it was.
    pub fn apply(&mut self, entry: Entry, audience: &mut dyn Audience) -> Result<(), ReplayError> {
        let at_ms = entry.at_ms;
        self.note_input(at_ms, entry.what.as_ref());
        match entry.what.ok_or_else(|| ReplayError::new("a record that says nothing"))? {
            What::Created(Created { .. }) => Err(ReplayError::new("a match is created once")),
            What::Joined(joined) => self.join(joined, audience),
            What::Left(left) => self.leave(left.seat, &left.request_id, audience),
            What::Started(_) => self.begin(at_ms, audience),
            What::Locked(locked) => {
                self.compare_digest(locked.turn, locked.before)?;
                let legal = self.judge_again(locked.seat, &locked.sheet)?;
                let turn = locked.turn;
                let (hash, said) = (Digest::of(&locked.sheet), locked.sheet);
                let given = SheetToLock { request_id: &locked.request_id, staged: locked.staged, said, hash, legal };
                self.lock(at_ms, locked.seat, turn, given, audience)
            }
            What::Staged(kept) => self.stage_again(kept.staged),
            What::PlanningEnded(ended) => {
                self.compare_digest(ended.turn, ended.before)?;
                self.end_planning(at_ms, ended.staged, audience)
            }
            What::Answers(given) => self.answer(at_ms, &given, audience),
            What::WindowClosed(closed) => {
                self.compare_window(closed.turn, closed.window)?;
                self.close_window(at_ms, audience)
            }
            What::Conceded(conceded) => self.concede(at_ms, conceded, audience),
            What::DeadlineShortened(shortened) => self.shorten_deadline(at_ms, &shortened, audience),
            What::Stopped(stopped) => {
                self.stop(stopped.reason, audience);
                Ok(())
            }
        }
    }

    /// Takes note of whether a record is a person's doing, or a deadline without any.
    fn note_input(&mut self, at_ms: u64, what: Option<&What>) {
        let is_persons = |seat: u32| self.is_persons(seat as usize);
        let heard = match what {
            Some(What::Joined(_) | What::Left(_) | What::Started(_) | What::Conceded(_)) => true,
            Some(What::Answers(given)) => is_persons(given.seat),
            Some(What::Staged(kept)) => kept.staged.iter().any(|sheet| is_persons(sheet.seat)),
            Some(What::PlanningEnded(ended)) if ended.staged.iter().any(|sheet| is_persons(sheet.seat)) => true,
            Some(What::PlanningEnded(_)) => {
                self.missed_deadlines = if self.heard { 0 } else { self.missed_deadlines.saturating_add(1) };
                false
            }
            Some(What::DeadlineShortened(_)) => {
                self.last_input_ms = self.last_input_ms.min(at_ms);
                false
            }
            // Locking in is noted where it happens. A window that nobody answered says nothing of who plays on: a turn has
            // many of them, and whoever locked in may have gone until the next turn.
            Some(What::Created(_) | What::Locked(_) | What::WindowClosed(_) | What::Stopped(_)) | None => false,
        };
        if heard {
            self.hear(at_ms);
        }
    }

    /// Notes that a person was heard of.
    fn hear(&mut self, at_ms: u64) {
        (self.last_input_ms, self.missed_deadlines, self.heard) = (at_ms, 0, true);
    }

    /// Whether a seat is a person's, or for one.
    fn is_persons(&self, seat: usize) -> bool {
        self.seats.get(seat).is_some_and(|seat| seat.house_bot.is_empty())
    }

    /// Since when the turn is planned, or the open window waits for answers.
    fn waiting_since_ms(&self) -> u64 {
        self.play.as_ref().map_or(0, |play| match &play.window {
            Some(window) => window.opened_ms,
            None => play.opened_ms,
        })
    }

    /// How many people do not play any more although the match runs: they are eliminated, or have given up.
    pub fn people_out(&self) -> usize {
        let Some(play) = self.play.as_ref() else { return 0 };
        let is_out = |(number, seat): &(u8, &Seat)| {
            seat.house_bot.is_empty() && (seat.conceding || !play.game.is_alive(*number))
        };
        (0..).zip(&self.seats).filter(is_out).count()
    }

    /// Whether only house bots play, and nobody with the right to asked that they do. People who do not play any more
    /// do not count: otherwise whoever gives up at once lets house bots run for ever.
    pub fn is_unattended(&self) -> bool {
        if !self.has_house_bots || self.setup.by_admin {
            return false;
        }
        let people = self.seats.iter().filter(|seat| seat.house_bot.is_empty()).count();
        people <= self.people_out()
    }

    /// How many turns house bots have played without people, up to the one that is open.
    pub fn turns_alone(&self) -> u32 {
        self.turn().saturating_sub(self.peopled_turn)
    }

    /// Whether the match has ended or was stopped.
    pub fn is_over(&self) -> bool {
        self.stopped.is_some() || self.play.as_ref().is_some_and(|play| play.game.is_over())
    }

    /// The turn that is being planned or resolved, 0 before the first.
    pub fn turn(&self) -> u32 {
        self.play.as_ref().map_or(0, |play| play.game.turn())
    }

    /// The number of the open window among all windows of the turn, 0 without one. It counts the windows of all seats, so that
    /// it is for the journal and for nobody who plays or watches.
    pub fn window(&self) -> u32 {
        self.play.as_ref().filter(|play| play.window.is_some()).map_or(0, |play| play.game.window())
    }

    /// When the time to plan or to answer is over, in milliseconds since 1970.
    pub fn deadline_ms(&self) -> Option<u64> {
        let play = self.play.as_ref().filter(|_| !self.is_over())?;
        match &play.window {
            Some(window) => self.setup.decision_ms().map(|ms| window.opened_ms.saturating_add(ms)),
            None => self.planning_deadline_ms(),
        }
    }

    /// When the time to plan the turn is, or was, over, in milliseconds since 1970.
    pub fn planning_deadline_ms(&self) -> Option<u64> {
        let play = self.play.as_ref()?;
        self.setup.planning_ms().map(|ms| play.opened_ms.saturating_add(ms))
    }

    /// Whether the match waits for answers in a window without a deadline, although planning has one.
    pub fn waits_without_deadline(&self) -> bool {
        let in_window = self.play.as_ref().is_some_and(|play| play.window.is_some());
        in_window && self.setup.planning_ms().is_some() && self.setup.decision_ms().is_none() && !self.is_over()
    }

    /// Whether the deadline is further away at a moment than the settings allow: it was reckoned by a clock that was
    /// ahead of the one that says so.
    pub fn is_deadline_too_far(&self, now_ms: u64) -> bool {
        self.deadline_ms().is_some() && self.waiting_since_ms() > now_ms
    }

    /// Whether the times by which the match expires lie in the future at a moment, by more than the clocks of two
    /// servers differ: then it would live too long.
    pub fn is_heard_too_late(&self, now_ms: u64) -> bool {
        let opened_ms = self.play.as_ref().map_or(0, |play| play.opened_ms);
        !self.is_over() && is_ahead(self.last_input_ms.max(opened_ms), now_ms)
    }

    /// How many news a viewer has had, those held back from spectators included.
    pub fn news(&self, place: Place) -> u64 {
        self.news[self.index(place)]
    }

    /// The newest news that a viewer may see.
    pub fn released(&self, place: Place) -> u64 {
        let oldest = self.released.front().copied();
        if self.is_behind(place) { oldest.unwrap_or(self.news(place)) } else { self.news(place) }
    }

    /// Whether a viewer may not see the match as it is now: a spectator of a running match with a delay.
    pub fn is_behind(&self, place: Place) -> bool {
        let delayed = self.setup.settings.spectator_delay_turns > 0;
        place == Place::Spectators && delayed && self.play.is_some() && !self.is_over()
    }

    /// Whether some seat has staged orders, which are in memory only.
    pub fn has_staged(&self) -> bool {
        let sheets = self.play.as_ref().map_or(&[][..], |play| &play.sheets);
        sheets.iter().any(|sheet| matches!(sheet, Sheet::Staged(_)))
    }

    /// All places that news go to.
    pub fn places(&self) -> impl Iterator<Item = Place> + use<> {
        (0..self.seats.len() as u8).map(Place::Seat).chain([Place::Spectators])
    }

    fn index(&self, place: Place) -> usize {
        match place {
            Place::Seat(seat) => seat.into(),
            Place::Spectators => self.seats.len(),
        }
    }

    /// Tells everybody whom it concerns that something happened.
    fn tell(&mut self, event: &MatchEvent<'_>, audience: &mut dyn Audience) {
        for place in self.places() {
            if !event.concerns(self, place) {
                continue;
            }
            let index = self.index(place);
            self.news[index] = self.news[index].saturating_add(1);
            audience.tell(self, place, self.news[index], event);
        }
    }

    /// What everybody may know of the match.
    pub fn summary(&self) -> v1::Match {
        told_match(self.shown())
    }

    /// What is listed of the match for everybody.
    pub fn shown(&self) -> Shown {
        let seat = |(number, seat): (usize, &Seat)| v1::Seat {
            seat: number as u32,
            house_bot: seat.house_bot.clone(),
            taken: seat.is_taken(),
            name: seat.name.clone(),
        };
        Shown {
            match_id: self.setup.id.0.to_string(),
            stage: self.stage().into(),
            settings: Some(self.setup.public_settings()),
            seats: self.seats.iter().enumerate().map(seat).collect(),
            created_ms: self.setup.created_ms,
            seed_commitment: self.setup.commitment.as_bytes().to_vec().into(),
            rules_hash: self.setup.game.rules_hash().as_bytes().to_vec().into(),
            fixed_secret: self.setup.fixed_secret,
            turn: self.turn(),
            result: self.play.as_ref().and_then(|play| play.game.result()),
            stopped: self.stopped.clone().unwrap_or_default(),
            ruleset: self.setup.ruleset.name().to_owned(),
        }
    }

    /// How far along the match is.
    pub fn stage(&self) -> v1::MatchStage {
        match (&self.play, self.is_over()) {
            (_, true) => v1::MatchStage::Finished,
            (Some(_), false) => v1::MatchStage::Running,
            (None, false) => v1::MatchStage::Open,
        }
    }

    fn playing(&mut self) -> Result<&mut Play, ReplayError> {
        self.play.as_mut().ok_or_else(|| ReplayError::new("the match has not begun"))
    }

    fn compare_digest(&self, turn: u32, before: u64) -> Result<(), ReplayError> {
        let play = self.play.as_ref().ok_or_else(|| ReplayError::new("the match has not begun"))?;
        if play.game.turn() != turn {
            return Err(ReplayError(format!("orders for turn {turn} stand in turn {}", play.game.turn())));
        }
        if before != check_of(play.digest()) {
            return Err(ReplayError(format!(
                "turn {} leads to another state than it did when it was played: its digest differs",
                turn.saturating_sub(1)
            )));
        }
        Ok(())
    }

    /// Looks whether a record is about the window that is open.
    fn compare_window(&self, turn: u32, window: u32) -> Result<(), ReplayError> {
        if (turn, window) == (self.turn(), self.window()) {
            return Ok(());
        }
        Err(ReplayError(format!("window {window} of turn {turn} is not the one that is open")))
    }

    /// The legal part of a sheet that was written down when it was legal as a whole.
    fn judge_again(&self, seat: u32, sheet: &Bytes) -> Result<HostedSheet, ReplayError> {
        let (legal, faults) = self.read_and_judge(seat, sheet)?;
        match faults.first() {
            None => Ok(legal),
            // Which order it is stays with its player: this text goes to logs and to whoever asks.
            Some(fault) => Err(ReplayError(format!("a sheet that was legal is not ({})", fault.rule))),
        }
    }
}

/// Orders that are to be frozen.
pub struct SheetToLock<'a> {
    /// The id of the request.
    pub request_id: &'a str,
    /// Whether the request meant the orders that were staged.
    pub staged: bool,
    /// The orders as they were said, encoded.
    pub said: Bytes,
    /// The hash of the orders as they were said.
    pub hash: Digest,
    /// The orders as they are known to be legal.
    pub legal: HostedSheet,
}

/// Whether a time lies in the future of a moment by more than the clocks of two servers differ.
pub const fn is_ahead(at_ms: u64, now_ms: u64) -> bool {
    const CLOCKS_DIFFER_MS: u64 = 60 * 1000;
    at_ms > now_ms.saturating_add(CLOCKS_DIFFER_MS)
}

/// The part of a digest that is written down with the turn after it.
pub fn check_of(digest: Digest) -> u64 {
    let [a, b, c, d, e, f, g, h, ..] = *digest.as_bytes();
    u64::from_le_bytes([a, b, c, d, e, f, g, h])
}
