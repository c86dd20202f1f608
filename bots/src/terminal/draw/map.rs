//! The sea: staggered rows of tiles, four characters wide.

use std::collections::BTreeMap;

use parley_core::grid::Tile;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Modifier, Style};

use super::look::{self, Look, letter};
use crate::terminal::board::{Board, Ground};
use crate::terminal::model::{Model, Pick};

/// How many characters wide a tile is.
const WIDTH: u16 = 4;

/// The part of the map that is shown, and where on the screen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Window {
    area: Rect,
    /// The first column and row that are shown.
    first: (u32, u32),
    /// How many columns and rows are shown.
    count: (u32, u32),
    /// How many lines a tile has: 1, or 2 where there is room.
    lines: u16,
}

impl Window {
    /// The part of a map that fits into an area, around a tile.
    pub fn new(board: &Board, around: Option<Tile>, area: Rect) -> Self {
        let grid = board.grid();
        let lines = if u32::from(area.height) >= 2 * grid.height() { 2 } else { 1 };
        // Odd rows lie half a tile further east.
        let fits = (u32::from(area.width.saturating_sub(WIDTH / 2) / WIDTH), u32::from(area.height / lines));
        let count = (fits.0.min(grid.width()), fits.1.min(grid.height()));
        let (column, row) = around.map_or((0, 0), |tile| grid.offset(tile));
        let scroll = |at: u32, count: u32, all: u32| at.saturating_sub(count / 2).min(all - count);
        // The first row that is shown may be any, since odd rows keep their offset.
        let first = (scroll(column, count.0, grid.width()), scroll(row, count.1, grid.height()));
        let wide = count.0 as u16 * WIDTH + WIDTH / 2;
        let high = count.1 as u16 * lines;
        let area = Rect {
            x: area.x + area.width.saturating_sub(wide) / 2,
            y: area.y + area.height.saturating_sub(high) / 2,
            width: wide.min(area.width),
            height: high.min(area.height),
        };
        Self { area, first, count, lines }
    }

    /// Where a tile is on the screen, where it is shown: its left end and its first line.
    pub fn place(&self, board: &Board, tile: Tile) -> Option<(u16, u16)> {
        let (column, row) = board.grid().offset(tile);
        let (x, y) = (column.checked_sub(self.first.0)?, row.checked_sub(self.first.1)?);
        if x >= self.count.0 || y >= self.count.1 {
            return None;
        }
        let shift = if row % 2 == 1 { WIDTH / 2 } else { 0 };
        Some((self.area.x + x as u16 * WIDTH + shift, self.area.y + y as u16 * self.lines))
    }

    /// Whether tiles have a second line.
    pub const fn is_tall(&self) -> bool {
        self.lines == 2
    }
}

/// A tile as it is drawn in characters.
struct Cell {
    text: String,
    below: String,
    style: Style,
}

/// Draws the map and gives the window that was shown.
pub fn draw(model: &Model, board: &Board, look: Look, area: Rect, buffer: &mut Buffer) -> Window {
    let window = Window::new(board, model.cursor(), area);
    let paths = trails(model, board, look);
    let fleets = fleets(board);
    for row in 0..window.count.1 {
        for column in 0..window.count.0 {
            let Some(tile) = board.tile_in(window.first.0 + column, window.first.1 + row) else { continue };
            let Some((x, y)) = window.place(board, tile) else { continue };
            let ships = fleets.get(&tile).map_or(&[][..], Vec::as_slice);
            let mut cell = cell(board, look, tile, ships, paths.get(&tile), window.is_tall());
            if is_picked(model, ships, board, tile) {
                cell.style = cell.style.add_modifier(Modifier::UNDERLINED);
            }
            if model.cursor() == Some(tile) {
                cell.style = look::CURSOR;
                cell.text = bracket(&cell.text);
            }
            buffer.set_stringn(x, y, &cell.text, WIDTH.into(), cell.style);
            if window.is_tall() {
                buffer.set_stringn(x, y + 1, &cell.below, WIDTH.into(), cell.style);
            }
        }
    }
    window
}

/// The ships of each tile, by id.
fn fleets(board: &Board) -> BTreeMap<Tile, Vec<u32>> {
    let mut fleets: BTreeMap<Tile, Vec<u32>> = BTreeMap::new();
    for ship in board.ships() {
        if let Some(tile) = board.tile(ship.hex.as_ref()) {
            fleets.entry(tile).or_default().push(ship.id);
        }
    }
    fleets
}

fn is_picked(model: &Model, ships: &[u32], board: &Board, tile: Tile) -> bool {
    match model.picked() {
        Some(Pick::Ship(unit)) => ships.contains(&unit),
        Some(Pick::Shipyard(yard)) => board.shipyard_at(tile).is_some_and(|here| here.id == yard),
        None => false,
    }
}

/// Puts brackets around a text whose ends are free.
fn bracket(text: &str) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    if let [first @ ' ', .., last @ ' '] = &mut signs[..] {
        (*first, *last) = ('[', ']');
    }
    signs.into_iter().collect()
}

fn cell(board: &Board, look: Look, tile: Tile, ships: &[u32], trail: Option<&Trail>, tall: bool) -> Cell {
    let (ground, seen) = (board.ground(tile), board.is_seen(tile));
    let blank = "    ".to_owned();
    if let Some(contest) = board.contest_at(tile) {
        let rounds = contest.rounds.min(9);
        return Cell { text: format!(" {}{rounds} ", look.contest()), below: blank, style: look::CONTEST };
    }
    if let Some(cell) = fleet(board, look, tile, ships, tall) {
        return cell;
    }
    let style = look::tile(ground, seen);
    if let Some(yard) = board.shipyard_at(tile) {
        let who = yard.owner.map_or('-', letter);
        let hp = yard.hp.min(99);
        let style = style.fg(look::owner(yard.owner)).add_modifier(Modifier::BOLD);
        let (text, below) = if tall {
            (format!(" {}{who} ", look.shipyard()), format!(" {hp:<2} "))
        } else {
            (format!("{}{who}{hp:<2}", look.shipyard()), blank)
        };
        return Cell { text, below, style };
    }
    if let Some(trail) = trail {
        let style = style.fg(trail.color).add_modifier(if trail.now { Modifier::BOLD } else { Modifier::DIM });
        return Cell { text: format!(" {}  ", trail.sign), below: blank, style };
    }
    let sign = look.ground(ground);
    let text = if ground == Ground::Land { format!(" {sign}{sign} ") } else { format!(" {sign}  ") };
    Cell { text, below: blank, style }
}

/// The cell of ships: the letter of their owner, how many they are, and their hp.
fn fleet(board: &Board, look: Look, tile: Tile, ships: &[u32], tall: bool) -> Option<Cell> {
    let units: Vec<_> = ships.iter().filter_map(|&unit| board.ship(unit)).collect();
    let owner = units.first()?.owner;
    let who = letter(owner);
    let yard = if board.shipyard_at(tile).is_some() { look.shipyard() } else { ' ' };
    let (least, most) = units.iter().fold((u32::MAX, 0), |(least, most), u| (least.min(u.hp), most.max(u.hp)));
    let style = Style::new().fg(Color::Black).bg(look::owner(Some(owner))).add_modifier(Modifier::BOLD);
    let count = char::from_digit(units.len() as u32, 10).unwrap_or('+');
    let (text, below) = match (units.len(), tall) {
        (1, false) => (format!("{who}{yard}{:>2}", most.min(99)), String::new()),
        (1, true) => (format!(" {who}{yard} "), format!("{:>3} ", most.min(999))),
        (_, false) => {
            let hp = units.iter().map(|unit| unit.hp).sum();
            let whole = units.iter().map(|unit| board.max_hp(unit)).sum();
            (format!("{who}{count}{yard}{}", look.health(hp, whole)), String::new())
        }
        (_, true) if least == most => (format!(" {who}{count}{yard}"), format!("{:>3} ", most.min(999))),
        (_, true) => (format!(" {who}{count}{yard}"), format!("{:>4}", format!("{}-{}", least.min(99), most.min(99)))),
    };
    Some(Cell { text, below, style })
}

/// A step of a path as it is drawn on a tile.
struct Trail {
    sign: char,
    color: Color,
    /// Whether the step is taken in the turn being planned.
    now: bool,
}

/// The paths that are planned, and the way to the cursor.
fn trails(model: &Model, board: &Board, look: Look) -> BTreeMap<Tile, Trail> {
    let mut trails = BTreeMap::new();
    for (unit, path) in model.paths() {
        draw_path(board, look, unit, &path, look::owner(board.seat()), &mut trails);
    }
    if let (Some(Ok(way)), Some(Pick::Ship(unit))) = (model.aim(), model.picked()) {
        draw_path(board, look, unit, &board.tiles(&way.path), Color::White, &mut trails);
    }
    trails
}

fn draw_path(board: &Board, look: Look, unit: u32, path: &[Tile], color: Color, trails: &mut BTreeMap<Tile, Trail>) {
    let speed = board.ship(unit).map_or(0, |ship| board.speed(ship)) as usize;
    for (step, &tile) in path.iter().enumerate() {
        let onward = path.get(step + 1).and_then(|&next| board.grid().direction(tile, next));
        let sign = onward.map_or(look.target(), |direction| look.step(direction));
        trails.insert(tile, Trail { sign, color, now: step < speed });
    }
}
