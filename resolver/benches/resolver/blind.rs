//! The baseline: ships that walk their paths in the layout of the product's sea and look at nobody.

use parley_resolver::hex::{Direction, Hex};
use parley_resolver::map::{Grid, Tile};

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

/// As in the product: twenty-four bytes a ship.
#[derive(Clone, Copy)]
struct Lane {
    steps: u64,
    at: u32,
    goal: u32,
    owner: u8,
    left: u8,
    speed: u8,
    walked: u8,
    fate: u8,
}

/// Ships on tiles, with the owner of each tile kept up to date.
pub(crate) struct BlindSea {
    grid: Grid,
    offsets: [[u32; 8]; 2],
    cells: Vec<Cell>,
    lanes: Vec<Lane>,
    movers: Vec<u32>,
}

impl BlindSea {
    pub(crate) fn new(grid: Grid) -> Self {
        let w = grid.width();
        let up = 0u32.wrapping_sub(w);
        let even = [1, up, up.wrapping_sub(1), NONE, w - 1, w, 0, 0];
        let odd = [1, up.wrapping_add(1), up, NONE, w, w + 1, 0, 0];
        let cell = |tile: Tile| {
            let (column, row) = grid.offset(tile);
            let border = column == 0 || row == 0 || column + 1 == w || row + 1 == grid.height();
            let marks = if row & 1 == 1 { ODD } else { 0 } | if border { BORDER } else { 0 };
            Cell { holder: 255, entrant: 255, exits: 0, marks }
        };
        let cells = grid.tiles().map(cell).collect();
        Self { grid, offsets: [even, odd], cells, lanes: Vec::new(), movers: Vec::new() }
    }

    pub(crate) fn clear(&mut self) {
        for lane in &self.lanes {
            self.cells[lane.at as usize].holder = 255;
        }
        self.lanes.clear();
        self.movers.clear();
    }

    pub(crate) fn add_ship(&mut self, tile: u32, owner: u8, speed: u8, steps: u64, left: u8) {
        self.movers.push(self.lanes.len() as u32);
        self.cells[tile as usize].holder = owner;
        self.lanes.push(Lane { steps, at: tile, goal: tile, owner, left, speed, walked: 0, fate: 0 });
    }

    /// Walks all ships and returns how many steps they took.
    pub(crate) fn walk(&mut self, ticks: u8) -> u64 {
        let mut walked = 0;
        for tick in 1..=ticks {
            let mut kept = 0;
            for i in 0..self.movers.len() {
                let ship = self.movers[i];
                let lane = &mut self.lanes[ship as usize];
                if lane.left == 0 || lane.speed < tick {
                    continue;
                }
                self.movers[kept] = ship;
                kept += 1;
                let direction = (lane.steps & 7) as usize;
                let from = &mut self.cells[lane.at as usize];
                from.holder = 255;
                let goal = if from.marks & BORDER == 0 {
                    lane.at.wrapping_add(self.offsets[(from.marks >> 2 & 1) as usize][direction])
                } else {
                    border_step(&self.grid, lane.at, direction)
                };
                lane.goal = goal;
                lane.at = goal;
                lane.fate = 1;
                lane.left -= 1;
                lane.walked += 1;
                lane.steps >>= 4;
                self.cells[goal as usize].holder = lane.owner;
            }
            self.movers.truncate(kept);
            walked += kept as u64;
        }
        std::hint::black_box(&self.lanes);
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
