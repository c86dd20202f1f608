//! Everything that the screen shows and the keys change. No IO, no clock: keys, news, answers and the time come in,
//! calls go out.

mod asking;
mod call;
mod keys;
mod log;
mod news;
mod orders;
mod plan;
mod playback;
mod prospects;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

use crossterm::event::KeyEvent;
use parley_core::grid::Tile;
use parley_games::plunder::sentences::Teller;
use parley_games::sentences;
use parley_plunder::rules::Rules;
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use crate::session::Link;

use super::board::Board;
pub use asking::Asking;
pub use call::{Ask, CallResult};
pub use log::{Log, LogLine, MAX_LINES, Tone};
pub use orders::engagement;
pub use plan::{MAX_UNDO, OrderPlan};
pub use playback::Playback;
pub use prospects::{Prospect, title};

/// How many keys are kept for the moment when it is known what is possible.
pub const MAX_HELD: usize = 32;

/// What a screen is opened for.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The id of the match.
    pub match_id: String,
    /// The address of the server, as it was given.
    pub address: String,
    /// The rules of the match.
    pub rules: Arc<Rules>,
    /// What the players are called, by seat, as the lobby tells.
    pub seats: Vec<String>,
    /// The seat that is played; `None` where the match is only watched.
    pub seat: Option<u32>,
    /// How many milliseconds a tick is shown when a turn is played back; 0 shows only how it ended.
    pub pace_ms: u64,
}

/// Where a match stands.
#[derive(Clone, Debug)]
pub enum Stage {
    /// Not everybody is there yet.
    Waiting,
    /// Orders are planned.
    Planning,
    /// Orders are locked, and others are waited for.
    Locked,
    /// Own ships have met others.
    Asked(Asking),
    /// A turn is shown as it happened.
    Playback(Box<Playback>),
    /// Somebody else plays: the viewer has no seat, or is eliminated.
    Watching,
    /// The match is over.
    Over(End),
}

/// How a match ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct End {
    /// Who won, or why it was stopped.
    pub sentence: String,
    /// The digest of the last turn in hex; empty where it was not told.
    pub digest: String,
}

/// An own ship or shipyard, which orders are given to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pick {
    /// The ship with this id.
    Ship(u32),
    /// The shipyard with this id.
    Shipyard(u32),
}

/// A question to the person at the keyboard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialog {
    /// No question, but the list of all keys.
    Help,
    /// Whether to lock in, although this many ships have nothing to do.
    LockIdle(usize),
    /// Whether to give up.
    Concede,
    /// Whether to leave the screen.
    Quit,
}

/// The way of a ship to the cursor, or why there is none.
#[derive(Clone, Debug, PartialEq)]
pub struct Course {
    unit: u32,
    target: Tile,
    way: Result<Way, String>,
}

/// A way and how long it takes.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// The hexes of the way, without the one it begins on.
    pub path: Vec<common::Hex>,
    /// How many turns it takes, the one being planned included.
    pub turns: u32,
}

/// The state of a screen.
#[derive(Clone, Debug)]
pub struct Model {
    match_id: String,
    address: String,
    rules: Arc<Rules>,
    seats: Vec<String>,
    seat: Option<u32>,
    pace_ms: u64,
    stage: Stage,
    /// The board that the turn was planned on.
    base: Option<Board>,
    /// The board that is shown.
    board: Option<Board>,
    teller: Teller,
    /// How many events of the turn that is being resolved were told already.
    told: usize,
    plan: OrderPlan,
    options: Option<plunder::Options>,
    /// Keys that came before it was known what is possible; at most [`MAX_HELD`].
    held: VecDeque<KeyEvent>,
    /// What the server says is wrong with staged orders.
    faults: Vec<common::Fault>,
    /// Whether a change of the plan has not been sent yet.
    unsent: bool,
    /// Whether orders are on their way to the server.
    staging: bool,
    cursor: Option<Tile>,
    picked: Option<Pick>,
    /// The ship or shipyard that was picked last.
    last: Option<Pick>,
    course: Option<Course>,
    /// A way that was asked for and has not been answered.
    asked_course: Option<(u32, Tile)>,
    /// A ship that is to go to a tile as soon as the way is known.
    wish: Option<(u32, Tile)>,
    dialog: Option<Dialog>,
    notice: Option<String>,
    log: Log,
    link: Link,
    now_ms: u64,
    deadline_ms: Option<u64>,
    locks: Option<v1::LocksChanged>,
    conceded: bool,
    leaving: bool,
    asks: VecDeque<Ask>,
}

impl Model {
    /// The model of a screen before the first news.
    pub fn new(setting: Setting) -> Self {
        let Setting { match_id, address, rules, seats, seat, pace_ms } = setting;
        let seats: Vec<String> = seats.iter().map(|name| sentences::visible(name)).collect();
        let teller = Teller::new(sentences::names((0..).zip(seats.iter().map(String::as_str)))).for_viewer(seat);
        Self {
            match_id,
            address,
            rules,
            seats,
            seat,
            pace_ms,
            stage: Stage::Waiting,
            base: None,
            board: None,
            teller,
            told: 0,
            plan: OrderPlan::default(),
            options: None,
            held: VecDeque::new(),
            faults: Vec::new(),
            unsent: false,
            staging: false,
            cursor: None,
            picked: None,
            last: None,
            course: None,
            asked_course: None,
            wish: None,
            dialog: None,
            notice: None,
            log: Log::default(),
            link: Link::Down { why: String::new() },
            now_ms: 0,
            deadline_ms: None,
            locks: None,
            conceded: false,
            leaving: false,
            asks: VecDeque::new(),
        }
    }

    /// The same model with a log that keeps this many lines.
    pub fn with_log(self, limit: usize) -> Self {
        Self { log: Log::new(limit), ..self }
    }

    /// Takes all lines out of the log.
    pub fn take_log(&mut self) -> VecDeque<LogLine> {
        self.log.take()
    }

    /// Notes that the connection came or went.
    pub fn on_link(&mut self, link: Link) {
        // A connection can have come and gone before anybody looked; then there is something to see of it.
        let was_up = match &self.link {
            Link::Up => true,
            Link::Down { why } => why.is_empty() && self.board.is_some(),
        };
        match (&self.link, &link) {
            (_, Link::Down { why }) if was_up && !matches!(self.stage, Stage::Over(_)) => {
                self.log.add(Tone::Aside, format!("The connection is lost: {why}."));
            }
            (Link::Down { why }, Link::Up) if !why.is_empty() => self.log.add(Tone::Aside, "Connected again."),
            _ => {}
        }
        self.link = link;
    }

    /// Notes that the time went on, to this many milliseconds since 1970. The answer is whether the screen looks
    /// different now.
    pub fn on_time(&mut self, now_ms: u64) -> bool {
        let before = self.seconds_left();
        self.now_ms = now_ms;
        let played = self.play_on();
        played || self.seconds_left() != before
    }

    /// The next call that is to be made.
    pub fn next_ask(&mut self) -> Option<Ask> {
        self.asks.pop_front()
    }

    /// Whether the next news can be shown, or a turn is still being played back.
    pub const fn is_ready(&self) -> bool {
        !matches!(self.stage, Stage::Playback(_))
    }

    /// Whether the screen is to be closed.
    pub const fn is_leaving(&self) -> bool {
        self.leaving
    }

    /// The id of the match.
    pub fn match_id(&self) -> &str {
        &self.match_id
    }

    /// The address of the server.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Where the match stands.
    pub const fn stage(&self) -> &Stage {
        &self.stage
    }

    /// The sea as it is shown; `None` before the first turn.
    pub const fn board(&self) -> Option<&Board> {
        self.board.as_ref()
    }

    /// The seat that is played; `None` where the match is only watched.
    pub const fn seat(&self) -> Option<u32> {
        self.seat
    }

    /// What the players are called on their seats.
    pub fn seats(&self) -> &[String] {
        &self.seats
    }

    /// The teller, who knows the names of the players.
    pub const fn teller(&self) -> &Teller {
        &self.teller
    }

    /// The orders that are planned.
    pub const fn plan(&self) -> &OrderPlan {
        &self.plan
    }

    /// What the server says is wrong with staged orders.
    pub fn faults(&self) -> &[common::Fault] {
        &self.faults
    }

    /// The tile that the cursor is on.
    pub const fn cursor(&self) -> Option<Tile> {
        self.cursor
    }

    /// The ship or shipyard that is picked.
    pub const fn picked(&self) -> Option<Pick> {
        self.picked
    }

    /// The question to the person at the keyboard.
    pub const fn dialog(&self) -> Option<Dialog> {
        self.dialog
    }

    /// One line about the last key.
    pub fn notice(&self) -> Option<&str> {
        self.notice.as_deref()
    }

    /// The lines about what has happened.
    pub const fn log(&self) -> &Log {
        &self.log
    }

    /// Whether there is a connection.
    pub const fn link(&self) -> &Link {
        &self.link
    }

    /// Who has locked in, as far as the match tells.
    pub const fn locks(&self) -> Option<&v1::LocksChanged> {
        self.locks.as_ref()
    }

    /// Whether the player has given up and only waits for the end of the turn.
    pub const fn has_conceded(&self) -> bool {
        self.conceded
    }

    /// The seconds until the deadline; `None` where there is none.
    pub fn seconds_left(&self) -> Option<u64> {
        self.deadline_ms.map(|deadline| deadline.saturating_sub(self.now_ms).div_ceil(1000))
    }

    /// The way of the picked ship to the cursor, or why there is none.
    pub fn aim(&self) -> Option<&Result<Way, String>> {
        let (Some(Pick::Ship(unit)), Some(cursor)) = (self.picked, self.cursor) else { return None };
        self.course.as_ref().filter(|course| course.unit == unit && course.target == cursor).map(|course| &course.way)
    }

    /// The paths that own ships are ordered along, or still have before them, by ship.
    pub fn paths(&self) -> BTreeMap<u32, Vec<Tile>> {
        let Some(board) = self.board.as_ref().filter(|_| matches!(self.stage, Stage::Planning | Stage::Locked)) else {
            return BTreeMap::new();
        };
        let path = |unit: &plunder::Unit| match self.plan.ship(unit.id).and_then(|order| order.action.as_ref()) {
            Some(plunder::unit_order::Action::Move(ordered)) => board.tiles(&ordered.path),
            Some(_) => Vec::new(),
            None => board.tiles(&unit.route),
        };
        board.own_ships().map(|unit| (unit.id, path(unit))).filter(|(_, path)| !path.is_empty()).collect()
    }

    /// The gold that the orders cost, and the gold that they may cost; `None` where it is not known.
    pub fn purse(&self) -> Option<(u32, i64)> {
        let board = self.base.as_ref()?;
        let seat = board.seat()?;
        let gold = board.players().iter().find(|player| player.id == seat)?.gold?;
        let income = self.rules.income(board.own_shipyards().count() as i64, board.own_ships().count() as i64);
        Some((self.cost(), gold + income))
    }
}
