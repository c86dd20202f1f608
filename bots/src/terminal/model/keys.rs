//! What each key does to the model.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use parley_core::grid::Tile;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::unit_order::Action;

use super::prospects::{ATTACK, PROCEED, YIELD};
use super::{Ask, Dialog, MAX_HELD, Model, Pick, Stage};
use crate::terminal::board::Board;

/// How many lines of the log a page has.
const PAGE: isize = 5;

impl Model {
    /// Acts on a key that was pressed.
    pub fn on_key(&mut self, key: KeyEvent) {
        if key.kind == KeyEventKind::Release {
            return;
        }
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        if control && key.code == KeyCode::Char('c') {
            self.leaving = true;
            return;
        }
        if let Some(dialog) = self.dialog {
            self.on_dialog_key(dialog, key.code);
            return;
        }
        self.notice = None;
        if self.must_wait(key) {
            if self.held.len() < MAX_HELD {
                self.held.push_back(key);
            }
            self.notice = Some("The server is asked what is possible.".to_owned());
            return;
        }
        match key.code {
            KeyCode::Char('r') if control => self.redo(),
            KeyCode::Char(_) if control => {}
            KeyCode::Char('q') => self.quit(),
            KeyCode::Char('?') => self.dialog = Some(Dialog::Help),
            KeyCode::PageUp => self.log.scroll(PAGE),
            KeyCode::PageDown => self.log.scroll(-PAGE),
            KeyCode::Left | KeyCode::Char('h') => self.move_cursor(-1, 0),
            KeyCode::Right | KeyCode::Char('l') => self.move_cursor(1, 0),
            KeyCode::Up | KeyCode::Char('k') => self.move_cursor(0, -1),
            KeyCode::Down | KeyCode::Char('j') => self.move_cursor(0, 1),
            KeyCode::Char('C') if !matches!(self.stage, Stage::Over(_) | Stage::Waiting | Stage::Watching) => {
                self.dialog = Some(Dialog::Concede);
            }
            code => match &self.stage {
                Stage::Asked(_) => self.on_question_key(code),
                Stage::Playback(_) => self.on_playback_key(code),
                Stage::Planning => self.on_planning_key(code),
                Stage::Locked => self.on_locked_key(code),
                Stage::Waiting | Stage::Watching | Stage::Over(_) => {
                    if matches!(code, KeyCode::Tab | KeyCode::BackTab) {
                        self.cycle(code == KeyCode::BackTab);
                        self.picked = None;
                    }
                }
            },
        }
    }

    /// Whether a key has to wait until it is known what is possible: one that orders something, and all after it.
    fn must_wait(&self, key: KeyEvent) -> bool {
        let orders = matches!(key.code, KeyCode::Char('.' | 'r' | '1' | '2' | '3' | 'd' | 'b' | 'f' | 'p' | 'n' | 'x'));
        let unknown = matches!(self.stage, Stage::Planning) && self.options.is_none();
        unknown && key.code != KeyCode::Char('q') && (orders || !self.held.is_empty())
    }

    fn on_dialog_key(&mut self, dialog: Dialog, code: KeyCode) {
        let yes = matches!(code, KeyCode::Char('y' | 'Y') | KeyCode::Enter);
        let no = matches!(code, KeyCode::Char('n' | 'N' | 'q' | '?') | KeyCode::Esc);
        match dialog {
            Dialog::Help => self.dialog = None,
            _ if no => self.dialog = None,
            Dialog::LockIdle(_) if yes || code == KeyCode::Char('L') => {
                self.dialog = None;
                // The deadline may have come first.
                if matches!(self.stage, Stage::Planning) {
                    self.lock();
                }
            }
            Dialog::Concede if yes => {
                self.dialog = None;
                self.notice = Some("Giving up.".to_owned());
                self.asks.push_back(Ask::Concede);
            }
            Dialog::Quit if yes => self.leaving = true,
            Dialog::LockIdle(_) | Dialog::Concede | Dialog::Quit => {}
        }
    }

    fn on_question_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Char('p') => self.answer(PROCEED),
            KeyCode::Char('y') => self.answer(YIELD),
            KeyCode::Char('a') => self.answer(ATTACK),
            _ => {}
        }
    }

    fn on_playback_key(&mut self, code: KeyCode) {
        if matches!(code, KeyCode::Char(' ') | KeyCode::Enter | KeyCode::Esc) {
            self.skip_playback();
        }
    }

    fn on_locked_key(&mut self, code: KeyCode) {
        match code {
            KeyCode::Tab | KeyCode::BackTab => self.cycle(code == KeyCode::BackTab),
            KeyCode::Esc => self.picked = None,
            KeyCode::Char(_) | KeyCode::Enter => {
                self.notice = Some("Your orders are locked in; nothing changes them now (R5.2).".to_owned());
            }
            _ => {}
        }
    }

    fn on_planning_key(&mut self, code: KeyCode) {
        use plunder::Upgrade::{Cannons, Hull, Sails};
        match code {
            KeyCode::Tab | KeyCode::BackTab => self.cycle(code == KeyCode::BackTab),
            KeyCode::Enter => self.enter(),
            KeyCode::Esc => (self.picked, self.wish) = (None, None),
            KeyCode::Char('.') => self.order(Action::Hold(plunder::Hold {})),
            KeyCode::Char('r') => self.order(Action::Repair(plunder::Repair {})),
            KeyCode::Char('1') => self.order(Action::Upgrade(Sails.into())),
            KeyCode::Char('2') => self.order(Action::Upgrade(Cannons.into())),
            KeyCode::Char('3') => self.order(Action::Upgrade(Hull.into())),
            KeyCode::Char('d') => self.order(Action::DeployShipyard(plunder::DeployShipyard {})),
            KeyCode::Char('b') => self.bombard(),
            KeyCode::Char('f') => self.toggle_broadside(),
            KeyCode::Char('e') => self.cycle_engagement(),
            KeyCode::Char('p') => self.order(Action::Press(plunder::Press {})),
            KeyCode::Char('w') => self.withdraw(),
            KeyCode::Char('n') => self.build(),
            KeyCode::Char('x') => self.cancel(),
            KeyCode::Char('u') => self.undo(),
            KeyCode::Char('L') => match self.idle() {
                0 => self.lock(),
                idle => self.dialog = Some(Dialog::LockIdle(idle)),
            },
            _ => {}
        }
    }

    fn quit(&mut self) {
        match self.stage {
            Stage::Over(_) => self.leaving = true,
            _ if self.seat.is_none() => self.leaving = true,
            _ => self.dialog = Some(Dialog::Quit),
        }
    }

    fn undo(&mut self) {
        if self.plan.undo() {
            self.changed();
        } else {
            self.notice = Some("There is nothing to take back.".to_owned());
        }
    }

    fn redo(&mut self) {
        if !matches!(self.stage, Stage::Planning) {
            return;
        }
        if self.plan.redo() {
            self.changed();
        } else {
            self.notice = Some("Nothing was taken back.".to_owned());
        }
    }

    /// Says how to withdraw from a contest, which is to sail away (R9.2).
    fn withdraw(&mut self) {
        let Some(Pick::Ship(unit)) = self.picked else {
            self.notice = Some("Pick a ship first: Tab, or Enter on one.".to_owned());
            return;
        };
        let contending = self.board.as_ref().is_some_and(|board| board.contest_of(unit).is_some());
        self.notice = Some(if contending {
            "Move the cursor to where the ship is to withdraw to, and press Enter.".to_owned()
        } else {
            format!("Ship {unit}: is in no contest (R9.2).")
        });
    }

    /// Moves the cursor by columns and rows; on a map that wraps, around it.
    fn move_cursor(&mut self, columns: i32, rows: i32) {
        let (Some(board), Some(cursor)) = (&self.board, self.cursor) else { return };
        let grid = board.grid();
        let (column, row) = grid.offset(cursor);
        let width = i64::from(grid.width());
        let mut column = i64::from(column) + i64::from(columns);
        if grid.wrap() {
            column = column.rem_euclid(width);
        }
        let row = i64::from(row) + i64::from(rows);
        let moved = u32::try_from(column).ok().zip(u32::try_from(row).ok());
        let on_map = moved.filter(|&(column, row)| column < grid.width() && row < grid.height());
        if let Some(tile) = on_map.and_then(|(column, row)| board.tile_in(column, row)) {
            self.cursor = Some(tile);
            self.take_aim();
        }
    }

    /// All own ships and then all own shipyards, each with its tile.
    fn own(board: &Board) -> Vec<(Pick, Tile)> {
        let ships = board.own_ships().filter_map(|unit| Some((Pick::Ship(unit.id), board.tile(unit.hex.as_ref())?)));
        let yards = board.own_shipyards();
        let yards = yards.filter_map(|yard| Some((Pick::Shipyard(yard.id), board.tile(yard.hex.as_ref())?)));
        ships.chain(yards).collect()
    }

    /// Picks the next own ship or shipyard, or the one before.
    fn cycle(&mut self, back: bool) {
        let Some(board) = &self.board else { return };
        let own = Self::own(board);
        if own.is_empty() {
            return;
        }
        let last = self.picked.or(self.last);
        let now = last.and_then(|last| own.iter().position(|&(pick, _)| pick == last));
        let next = match (now, back) {
            (None, _) => 0,
            (Some(now), false) => (now + 1) % own.len(),
            (Some(now), true) => (now + own.len() - 1) % own.len(),
        };
        let (pick, tile) = own[next];
        (self.picked, self.last, self.cursor, self.wish) = (Some(pick), Some(pick), Some(tile), None);
    }

    /// Picks what is under the cursor, or sends what is picked there.
    fn enter(&mut self) {
        let (Some(board), Some(cursor)) = (&self.board, self.cursor) else { return };
        let here: Vec<Pick> =
            Self::own(board).into_iter().filter(|&(_, tile)| tile == cursor).map(|(pick, _)| pick).collect();
        let now = self.picked.and_then(|picked| here.iter().position(|&pick| pick == picked));
        match (self.picked, now) {
            (Some(Pick::Ship(_)), None) => self.sail(),
            _ if here.is_empty() => self.notice = Some("Nothing of yours is here.".to_owned()),
            (_, now) => {
                self.picked = here.get(now.map_or(0, |now| now + 1) % here.len()).copied();
                self.last = self.picked;
            }
        }
    }
}
