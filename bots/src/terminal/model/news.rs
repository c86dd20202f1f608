//! How the model changes by what the server tells.

use parley_games::{sentences, times};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;
use parley_proto::v1::news::What;

use super::{Ask, CallResult, Course, End, Model, OrderPlan, Stage, Tone, Way};
use crate::arms::Arms;
use crate::refusal::Refusal;
use crate::session::Item;
use crate::terminal::board::Board;

impl Model {
    /// Acts on the next thing that the session tells.
    pub fn on_item(&mut self, item: Item) {
        match item {
            Item::News(news) => self.on_news(news.what),
            Item::Snapshot(snapshot) => self.on_snapshot(*snapshot),
        }
    }

    fn on_news(&mut self, what: Option<What>) {
        match what {
            Some(What::SeatsChanged(changed)) => self.seats_changed(&changed.seats),
            Some(What::TurnOpened(opened)) => self.open_turn(opened),
            Some(What::LocksChanged(locks)) => self.locks = Some(locks),
            Some(What::Prompt(prompt)) => self.ask(prompt),
            Some(What::Outcome(outcome)) => self.begin_playback(outcome),
            Some(What::MatchStopped(stopped)) => {
                let sentence = match stopped.reason.trim() {
                    "" => "The match was stopped.".to_owned(),
                    reason => format!("The match was stopped: {reason}"),
                };
                self.over(End { sentence, digest: String::new() });
            }
            Some(What::DeadlineChanged(changed)) => self.change_deadline(&changed),
            Some(What::SnapshotRequired(_)) | None => {}
        }
    }

    /// Acts on a view of how things are, after news that were not told one by one.
    fn on_snapshot(&mut self, snapshot: v1::GetViewResponse) {
        let phase = snapshot.phase();
        let view = snapshot.view.as_ref().and_then(Arms::as_plunder);
        let turn = view.map_or(0, |view| view.turn);
        if phase == v1::Phase::Lobby {
            self.stage = Stage::Waiting;
            return;
        }
        if phase == v1::Phase::Over {
            let result = view.and_then(|view| view.result.clone());
            if let Some(view) = view {
                self.base = Board::read(&self.rules, view);
            }
            self.show();
            let result = result.unwrap_or_default();
            self.over(End { sentence: self.teller.result(&result), digest: String::new() });
            return;
        }
        self.open_turn(v1::TurnOpened { turn, deadline: snapshot.deadline, view: snapshot.view });
        if let Some(sheet) = snapshot.sheet.as_ref().and_then(Arms::as_plunder) {
            self.plan = OrderPlan::of(sheet);
        }
        if snapshot.locked && matches!(self.stage, Stage::Planning) {
            self.stage = Stage::Locked;
        }
        if let Some(prompt) = snapshot.prompt {
            self.ask(prompt);
        }
    }

    fn seats_changed(&mut self, changes: &[v1::SeatChange]) {
        for change in changes {
            let Some(seat) = self.seats.get_mut(change.seat as usize) else { continue };
            let name = if change.taken { &change.name } else { &*seat };
            let line = self.teller.seated(change.seat, name, change.taken);
            *seat = sentences::visible(&change.name);
            self.log.add(Tone::Aside, line);
        }
        self.teller.rename(sentences::names((0..).zip(self.seats.iter().map(String::as_str))));
    }

    /// Shows a turn that can be planned, on its view or on the board that changes have led to.
    pub(super) fn open_turn(&mut self, opened: v1::TurnOpened) {
        if let Some(view) = opened.view.as_ref().and_then(Arms::as_plunder) {
            self.base = Board::read(&self.rules, view);
        }
        self.show();
        if self.base.as_ref().is_some_and(|board| board.turn() != opened.turn) {
            self.notice = Some("The server sent changes that lead to another turn.".to_owned());
        }
        self.told = 0;
        self.plan = OrderPlan::default();
        self.options = None;
        self.held.clear();
        self.faults.clear();
        (self.unsent, self.staging) = (false, false);
        (self.picked, self.last, self.course) = (None, None, None);
        (self.asked_course, self.wish) = (None, None);
        self.locks = None;
        self.deadline_ms = opened.deadline.as_ref().and_then(times::timestamp_ms);
        if self.board.as_ref().is_some_and(Board::is_alive) {
            self.stage = if self.conceded { Stage::Locked } else { Stage::Planning };
            self.asks.push_back(Ask::Options);
        } else {
            if self.seat.is_some() && !matches!(self.stage, Stage::Watching) {
                self.notice = Some("You are out, and may watch how it ends.".to_owned());
            }
            self.stage = Stage::Watching;
        }
    }

    /// Changes the deadline that is counted down to.
    fn change_deadline(&mut self, changed: &v1::DeadlineChanged) {
        let current = self.board.as_ref().is_some_and(|board| board.turn() == changed.turn);
        if current && self.deadline_ms.is_some() {
            self.deadline_ms = changed.deadline.as_ref().and_then(times::timestamp_ms);
        }
    }

    /// Shows the board that the turn is planned on.
    fn show(&mut self) {
        self.board.clone_from(&self.base);
        let Some(board) = &self.board else {
            self.notice = Some("The server sent a map that makes no sense.".to_owned());
            return;
        };
        self.teller.look(board.view());
        if self.cursor.is_none() {
            let home = board.own_ships().next().and_then(|ship| board.tile(ship.hex.as_ref()));
            let middle = || board.tile_in(board.grid().width() / 2, board.grid().height() / 2);
            self.cursor = home.or_else(middle);
        }
    }

    pub(super) fn end_match(&mut self, ended: Option<&v1::MatchEnded>) {
        let result = ended.and_then(|ended| ended.result.clone()).unwrap_or_default();
        let digest = ended.map(|ended| ended.digest.iter().map(|byte| format!("{byte:02x}")).collect());
        self.over(End { sentence: self.teller.result(&result), digest: digest.unwrap_or_default() });
    }

    fn over(&mut self, mut end: End) {
        end.sentence = sentences::visible(&end.sentence);
        (self.dialog, self.picked, self.notice) = (None, None, None);
        self.deadline_ms = None;
        self.log.add(Tone::Heading, end.sentence.clone());
        self.stage = Stage::Over(end);
    }

    /// Acts on the answer to a call.
    pub fn on_answer(&mut self, answer: CallResult) {
        match answer {
            CallResult::Options(Ok(options)) => {
                if self.board.as_ref().is_some_and(|board| board.turn() == options.turn) {
                    self.options = Some(options);
                    self.take_aim();
                    std::mem::take(&mut self.held).into_iter().for_each(|key| self.on_key(key));
                }
            }
            CallResult::Course { unit, target, course } => self.on_course(unit, target, course),
            CallResult::Staged { turn, staged } => self.on_staged(turn, staged),
            CallResult::Locked { turn, locked } => self.on_locked(turn, locked),
            CallResult::Conceded(Ok(())) => {
                self.conceded = true;
                self.notice = Some("You have given up; it takes effect at the end of the turn (R12.3).".to_owned());
                if matches!(self.stage, Stage::Planning) {
                    self.stage = Stage::Locked;
                }
            }
            CallResult::Answered(Ok(())) => {}
            // What came too late needs no words: the news of what went on are on their way.
            CallResult::Options(Err(refusal)) => {
                self.held.clear();
                if !refusal.is_untimely() {
                    self.complain(&refusal);
                }
            }
            CallResult::Answered(Err(refusal)) | CallResult::Conceded(Err(refusal)) => {
                if !refusal.is_untimely() {
                    self.complain(&refusal);
                }
            }
        }
    }

    fn on_course(&mut self, unit: u32, target: common::Hex, course: Result<plunder::Course, Refusal>) {
        self.asked_course = None;
        let Some(target) = self.board.as_ref().and_then(|board| board.tile(Some(&target))) else { return };
        let way = match course {
            Ok(course) => Ok(Way { path: course.legs.iter().filter_map(|leg| leg.hex).collect(), turns: course.turns }),
            Err(refusal) => Err(refusal.message),
        };
        self.course = Some(Course { unit, target, way });
        if self.wish == Some((unit, target)) {
            self.wish = None;
            self.sail();
        }
        self.take_aim();
    }

    fn on_staged(&mut self, turn: u32, staged: Result<v1::StageOrdersResponse, Refusal>) {
        if self.board.as_ref().is_none_or(|board| board.turn() != turn) {
            return;
        }
        self.staging = false;
        match staged {
            Ok(staged) => {
                self.faults = staged.faults;
                if let Some(fault) = self.faults.first() {
                    self.notice = Some(super::orders::fault(fault));
                }
            }
            Err(refusal) if refusal.is_untimely() => return,
            Err(refusal) => self.complain(&refusal),
        }
        self.send_plan();
    }

    fn on_locked(&mut self, turn: u32, locked: Result<(), Refusal>) {
        let current = self.board.as_ref().is_some_and(|board| board.turn() == turn);
        match locked {
            Ok(()) => {
                if current && matches!(self.stage, Stage::Locked) {
                    self.notice = Some("Locked in; the others are waited for.".to_owned());
                }
            }
            Err(refusal) => {
                if current && !refusal.is_untimely() {
                    if matches!(self.stage, Stage::Locked) {
                        self.stage = Stage::Planning;
                    }
                    self.faults.clone_from(&refusal.faults);
                    self.complain(&refusal);
                }
            }
        }
    }

    fn complain(&mut self, refusal: &Refusal) {
        let fault = refusal.faults.first().map(super::orders::fault);
        self.notice = Some(fault.unwrap_or_else(|| format!("The server refused: {}.", refusal.message)));
    }
}
