//! The baseline: ships that walk their paths in the layout of the product's sea and look at nobody.

use parley_core::grid::{Grid, Tile};
use parley_core::hex::{Direction, Hex};

const NONE: u32 = u32::MAX;
const ODD: u8 = 4;
const BORDER: u8 = 8;

/// As in the product: four bytes a tile.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the layout is the point: these bytes are carried along")]
struct Cell {
    holder: u8,
    entrant: u8,
    exits: u8,
    marks: u8,
}

/// As in the product: twelve bytes a ship, where it is when it is at rest.
#[derive(Clone, Copy)]
#[allow(dead_code, reason = "the layout is the point: these bytes are carried along")]
struct Lane {
    at: u32,
    link: u32,
    path: u8,
    left: u8,
    owner: u8,
    rests: bool,
}

/// As in the product: twenty-four bytes a ship on the move, side by side.
#[derive(Clone, Copy)]
struct Mover {
    steps: u64,
    at: u32,
    goal: u32,
    lane: u32,
    owner: u8,
    left: u8,
    speed: u8,
    fate: u8,
}

/// Ships on tiles, with the owner of each tile kept up to date.
pub(crate) struct BlindSea {
    grid: Grid,
    offsets: [u32; 16],
    cells: Vec<Cell>,
    lanes: Vec<Lane>,
    movers: Vec<Mover>,
}

impl BlindSea {
    pub(crate) fn new(grid: Grid) -> Self {
        let w = grid.width();
        let up = 0u32.wrapping_sub(w);
        let (even_nw, odd_ne) = (up.wrapping_sub(1), up.wrapping_add(1));
        let offsets = [1, up, even_nw, NONE, w - 1, w, 0, 0, 1, odd_ne, up, NONE, w, w + 1, 0, 0];
        let cell = |tile: Tile| {
            let (column, row) = grid.offset(tile);
            let border = column == 0 || row == 0 || column + 1 == w || row + 1 == grid.height();
            let marks = if row & 1 == 1 { ODD } else { 0 } | if border { BORDER } else { 0 };
            Cell { holder: 255, entrant: 255, exits: 0, marks }
        };
        let cells = grid.tiles().map(cell).collect();
        Self { grid, offsets, cells, lanes: Vec::new(), movers: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        for at in self.lanes.iter().map(|lane| lane.at).chain(self.movers.iter().map(|mover| mover.at)) {
            self.cells[at as usize].holder = 255;
        }
        self.lanes.clear();
        self.movers.clear();
    }

    pub(crate) fn add_unit(&mut self, tile: u32, owner: u8, speed: u8, steps: u64, left: u8) {
        let lane = self.lanes.len() as u32;
        self.movers.push(Mover { steps, at: tile, goal: tile, lane, owner, left, speed, fate: 0 });
        self.cells[tile as usize].holder = owner;
        self.lanes.push(Lane { at: tile, link: NONE, path: left, left, owner, rests: false });
    }

    /// Walks all ships and returns how many steps they took.
    pub(crate) fn walk(&mut self, ticks: u8) -> u64 {
        let mut walked = 0;
        for tick in 1..=ticks {
            let mut kept = 0;
            for i in 0..self.movers.len() {
                let mut mover = self.movers[i];
                if mover.left == 0 || mover.speed < tick {
                    let lane = &mut self.lanes[mover.lane as usize];
                    (lane.at, lane.left, lane.rests) = (mover.at, mover.left, true);
                    continue;
                }
                let from = &mut self.cells[mover.at as usize];
                from.holder = 255;
                mover.goal = if from.marks & BORDER == 0 {
                    let odd = usize::from((from.marks & ODD) << 1);
                    mover.at.wrapping_add(self.offsets[(odd | (mover.steps & 7) as usize) & 15])
                } else {
                    border_step(&self.grid, mover.at, (mover.steps & 7) as usize)
                };
                mover.at = mover.goal;
                mover.fate = 1;
                mover.left -= 1;
                mover.steps >>= 4;
                self.cells[mover.at as usize].holder = mover.owner;
                self.movers[kept] = mover;
                kept += 1;
            }
            self.movers.truncate(kept);
            walked += kept as u64;
        }
        std::hint::black_box((&self.lanes, &self.movers));
        walked
    }
}

#[cold]
fn border_step(grid: &Grid, tile: u32, direction: usize) -> u32 {
    let (column, row) = (tile % grid.width(), tile / grid.width());
    let here = grid.tile(Hex::new(column as i32 - (row >> 1) as i32, row as i32)).expect("on the grid");
    let next = grid.neighbor(here, Direction::from_index(direction));
    next.map_or(NONE, |n| n.index() as u32)
}
