//! The movement tick on dense arrays (R6): who moves, who waits, who is blocked, and who meets whom.
//!
//! The layout is made for millions of units, where memory traffic is all that counts. By R2.1 all units on a tile have
//! one owner, so a tile needs four bytes: that owner, the owner of those that want to enter it (or that there are
//! several), the directions in which units want to leave it, and marks. A unit on the move needs twenty-four, and those
//! lie side by side, so that a tick costs what its movers cost; a unit at rest needs twelve. A tick is two walks
//! over the movers; between them a short one, along the tiles from which somebody failed to leave,
//! finds everybody who has to wait behind them. Nothing here allocates once the lists have grown to their working size.
//!
//! Who stands where is not kept for units on the move, because nobody asks: an encounter only ever wants those at rest
//! on its tile, who are on a list, and those who failed to move in this tick, who are few.
//!
//! A step may cost more than one tick ([`Field::look_at_cost`]). Where all cost one, nothing is paid for that.
//!
//! Units are named by their number, which is their place in the state's list. Inside, each has a lane; in a large
//! field the lanes are sorted by tile before the first tick, so that units which meet are neighbours in memory too
//! and a walk over them is a walk along the map. What is found is told by number.

mod cost;
mod front;
mod layout;
mod settle;
mod tick;

#[cfg(test)]
mod tests;

use crate::grid::{Grid, Tile};

use cost::{Dozer, Pace};
use layout::{BORDER, CONTESTED, Cell, Fate, Lane, Mover, NOBODY, NONE, ODD, Offsets, RESERVED};

/// From this many units on, lanes are sorted by tile: below it everything is in the cache anyway.
const SORT_FROM: usize = 4096;

/// A unit that waits, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The number of the unit that waits.
    pub unit: u32,
    /// A unit that crosses there, or one that wanted to leave the tile and did not.
    pub behind: u32,
    /// Whether the tile is closed by a passing encounter.
    pub closed: bool,
}

/// What a tick found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// The units that are blocked, by number; they have lost their paths (R6.2).
    pub blocked: Vec<u32>,
    /// The units that wait, by number (R6.5, R6.7).
    pub waiting: Vec<Wait>,
    /// The units in passing encounters, in no particular order; they are where they were (R6.3).
    pub passing: Vec<u32>,
    /// The entrants of entry encounters (R6.7), in no particular order; they are where they were.
    pub entering: Vec<u32>,
}

impl Findings {
    fn clear(&mut self) {
        self.blocked.clear();
        self.waiting.clear();
        self.passing.clear();
        self.entering.clear();
    }
}

/// All units of a turn on their tiles.
#[derive(Clone, Debug)]
pub struct Field {
    grid: Grid,
    offsets: Offsets,
    cells: Vec<Cell>,
    lanes: Vec<Lane>,
    /// The units that may still want to move, by lane.
    movers: Vec<Mover>,
    /// Where lanes are sorted: the lane of each unit, the unit of each lane, and the first lane of each row.
    lane_of: Vec<u32>,
    unit_of: Vec<u32>,
    rows: Vec<u32>,
    sorted: bool,
    sort_from: usize,
    /// Scratch space for sorting.
    keys: Vec<u64>,
    sorted_lanes: Vec<Lane>,
    sorted_movers: Vec<Mover>,
    /// The last tick that was looked at.
    tick: u8,
    /// Tiles where somebody is stuck, and those of them that somebody wants to enter.
    stuck: Vec<u32>,
    wanted: Vec<u32>,
    closed: Vec<u32>,
    /// The first lane at rest on each tile.
    first_at_rest: Vec<u32>,
    /// Where steps have costs: the account of each lane, and the movers that rest until they are ready.
    paces: Vec<Pace>,
    dozing: Vec<Dozer>,
    /// Lanes that are about to rest.
    retiring: Vec<u32>,
    /// Movers that need more than the common case, and are seen to after the others of their batch.
    aside: Vec<u32>,
    /// Who wanted to move in this tick and did not: the tile above, the place among the movers below.
    failed: Vec<u64>,
    marked: Vec<u32>,
    /// The tiles that are reserved and whom for, by tile.
    reserved: Vec<(u32, u8)>,
    findings: Findings,
}

impl Field {
    /// An empty field.
    pub fn new(grid: Grid) -> Self {
        Self::sorting_from(grid, SORT_FROM)
    }

    /// An empty field that sorts its lanes from this many units on.
    fn sorting_from(grid: Grid, sort_from: usize) -> Self {
        let cell = |tile: Tile| {
            let (column, row) = grid.offset(tile);
            let border = column == 0 || row == 0 || column + 1 == grid.width() || row + 1 == grid.height();
            Cell::empty(if row & 1 == 1 { ODD } else { 0 } | if border { BORDER } else { 0 })
        };
        Self {
            grid,
            offsets: Offsets::new(grid.width()),
            cells: grid.tiles().map(cell).collect(),
            lanes: Vec::new(),
            movers: Vec::new(),
            lane_of: Vec::new(),
            unit_of: Vec::new(),
            rows: Vec::new(),
            sorted: false,
            sort_from,
            keys: Vec::new(),
            sorted_lanes: Vec::new(),
            sorted_movers: Vec::new(),
            tick: 0,
            stuck: Vec::new(),
            wanted: Vec::new(),
            closed: Vec::new(),
            first_at_rest: vec![NONE; grid.len()],
            paces: Vec::new(),
            dozing: Vec::new(),
            retiring: Vec::new(),
            aside: Vec::new(),
            failed: Vec::new(),
            marked: Vec::new(),
            reserved: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// The geometry this field was made for.
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Takes all units, reservations and contests off, in time proportional to their number.
    pub fn clear(&mut self) {
        let units = self.lanes.iter().map(|lane| lane.at).chain(self.movers.iter().map(|mover| mover.at));
        for tile in units.filter(|&at| at != NONE).chain(self.marked.iter().copied()) {
            self.first_at_rest[tile as usize] = NONE;
            let cell = &mut self.cells[tile as usize];
            *cell = Cell::empty(cell.marks);
        }
        self.lanes.clear();
        self.movers.clear();
        self.paces.clear();
        self.dozing.clear();
        self.lane_of.clear();
        self.unit_of.clear();
        self.rows.clear();
        self.failed.clear();
        self.marked.clear();
        self.reserved.clear();
        self.findings.clear();
    }

    /// Closes a tile to everybody but an owner, or with `None` to everybody; all such tiles before the first tick. Games
    /// do it for what stands on a tile and is somebody's, such as a structure or a city.
    pub fn reserve(&mut self, tile: Tile, owner: Option<u8>) {
        let at = tile.index() as u32;
        self.cells[tile.index()].marks |= RESERVED;
        self.marked.push(at);
        let place = self.reserved.partition_point(|&(t, _)| t < at);
        self.reserved.insert(place, (at, owner.unwrap_or(NOBODY)));
    }

    /// Makes a tile contested, or opens it.
    pub fn set_contested(&mut self, tile: Tile, contested: bool) {
        let marks = &mut self.cells[tile.index()].marks;
        if contested {
            *marks |= CONTESTED;
            self.marked.push(tile.index() as u32);
        } else {
            *marks &= !CONTESTED;
        }
    }

    /// Whether a tile is contested.
    pub fn is_contested(&self, tile: Tile) -> bool {
        self.cells[tile.index()].marks & CONTESTED != 0
    }

    /// Whether a tile is closed to an owner, because it is reserved for somebody else (R3.3).
    pub fn closed_to(&self, tile: Tile, owner: u8) -> bool {
        self.cells[tile.index()].marks & RESERVED != 0 && self.reserved_for(tile.index() as u32) != owner
    }

    fn reserved_for(&self, tile: u32) -> u8 {
        self.reserved.binary_search_by_key(&tile, |&(t, _)| t).map_or(NOBODY, |i| self.reserved[i].1)
    }

    /// Adds the next unit, which will try to walk `left` steps in the ticks up to `speed`; `steps` holds the
    /// first sixteen of them, four bits each.
    pub fn add_unit(&mut self, tile: Tile, owner: u8, speed: u8, steps: u64, left: u8) {
        let (at, lane) = (tile.index() as u32, self.lanes.len() as u32);
        let moves = speed > 0 && left > 0;
        if moves {
            self.movers.push(Mover { steps, at, goal: at, lane, owner, left, speed, fate: Fate::Free });
        }
        self.lanes.push(Lane { at, link: NONE, path: left, left, owner, rests: !moves });
    }

    /// Adds a number for a unit that is no longer there.
    pub fn add_absent(&mut self) {
        self.lanes.push(Lane { at: NONE, link: NONE, path: 0, left: 0, owner: NOBODY, rests: true });
    }

    /// Puts the units that were added on their tiles; once, before the first tick.
    pub fn start(&mut self) {
        // With more rows than units, a walk along the rows would cost more than one along the units.
        self.sorted = self.lanes.len() >= self.sort_from && self.grid.height() as usize <= self.lanes.len();
        if self.sorted {
            self.sort_lanes();
        }
        for number in 0..self.lanes.len() as u32 {
            let Lane { at, owner, rests, .. } = self.lanes[number as usize];
            if at != NONE {
                self.cells[at as usize].holder = owner;
                if rests {
                    self.rest(number);
                }
            }
        }
    }

    fn sort_lanes(&mut self) {
        self.keys.clear();
        self.keys.extend(self.lanes.iter().zip(0u64..).map(|(lane, unit)| u64::from(lane.at) << 32 | unit));
        self.keys.sort_unstable();
        self.unit_of.extend(self.keys.iter().map(|&key| key as u32));
        self.lane_of.resize(self.lanes.len(), 0);
        for (&unit, lane) in self.unit_of.iter().zip(0..) {
            self.lane_of[unit as usize] = lane;
        }
        self.sorted_lanes.clear();
        self.sorted_lanes.extend(self.unit_of.iter().map(|&unit| self.lanes[unit as usize]));
        std::mem::swap(&mut self.lanes, &mut self.sorted_lanes);
        self.sort_movers();
        for row in 0..self.grid.height() {
            let before = |lane: &Lane| lane.at < row * self.grid.width();
            self.rows.push(self.lanes.partition_point(before) as u32);
        }
        self.rows.push(self.lanes.len() as u32);
    }

    /// Brings the movers, which are in the order of their units, into that of their lanes.
    fn sort_movers(&mut self) {
        for (mover, index) in self.movers.iter_mut().zip(0..) {
            mover.lane = self.lane_of[mover.lane as usize];
            self.lanes[mover.lane as usize].link = index;
        }
        self.sorted_movers.clear();
        let moving = self.lanes.iter().filter(|lane| !lane.rests);
        self.sorted_movers.extend(moving.map(|lane| self.movers[lane.link as usize]));
        std::mem::swap(&mut self.movers, &mut self.sorted_movers);
    }

    fn lane(&self, unit: u32) -> u32 {
        self.lane_of.get(unit as usize).map_or(unit, |&lane| lane)
    }

    fn unit(&self, lane: u32) -> u32 {
        self.unit_of.get(lane as usize).map_or(lane, |&unit| unit)
    }

    /// Where among the movers a lane is, if it is not at rest.
    fn mover_index(&self, number: u32) -> Option<usize> {
        let Lane { link, rests, .. } = self.lanes[number as usize];
        if rests {
            return None;
        }
        match self.movers.get(link as usize) {
            Some(mover) if mover.lane == number => Some(link as usize),
            _ => self.movers.binary_search_by_key(&number, |mover| mover.lane).ok(),
        }
    }

    fn mover(&self, number: u32) -> Option<&Mover> {
        self.mover_index(number).map(|index| &self.movers[index])
    }

    /// Whether moves are told in another order than by number.
    pub const fn tells_out_of_order(&self) -> bool {
        self.sorted
    }

    /// Whether any unit may still want to move.
    pub fn has_movers(&self) -> bool {
        !self.movers.is_empty() || !self.dozing.is_empty()
    }

    /// Where a unit stands.
    pub fn tile(&self, unit: u32) -> Option<Tile> {
        let number = self.lane(unit);
        let at = self.mover(number).map_or(self.lanes[number as usize].at, |mover| mover.at);
        (at != NONE).then(|| Tile::from_index(at as usize))
    }

    /// Where a unit wanted to go in this tick; where it stands if it did not.
    pub fn goal(&self, unit: u32) -> Tile {
        let number = self.lane(unit);
        let goal = self.mover(number).map_or(self.lanes[number as usize].at, |mover| mover.goal);
        Tile::from_index(goal as usize)
    }

    /// How many steps a unit has taken, and how many are left of its path.
    pub fn progress(&self, unit: u32) -> (usize, usize) {
        let number = self.lane(unit);
        let lane = &self.lanes[number as usize];
        let left = self.mover(number).map_or(lane.left, |mover| mover.left);
        ((lane.path - left).into(), left.into())
    }

    /// The owner of the units on a tile.
    pub fn holder(&self, tile: Tile) -> Option<u8> {
        let holder = self.cells[tile.index()].holder;
        (holder != NOBODY).then_some(holder)
    }

    /// The units that stand on a tile without having come there in this tick, in no particular order.
    pub fn standing(&self, tile: Tile) -> impl Iterator<Item = u32> + '_ {
        let tile = tile.index() as u32;
        let failed = self.failed_on(tile).map(|mover| mover.lane);
        self.resting(tile).chain(failed).map(|lane| self.unit(lane))
    }

    fn resting(&self, tile: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.first_at_rest[tile as usize];
        std::iter::successors((first != NONE).then_some(first), |&lane| {
            let next = self.lanes[lane as usize].link;
            (next != NONE).then_some(next)
        })
    }

    fn failed_on(&self, tile: u32) -> impl Iterator<Item = &Mover> + '_ {
        let first = self.failed.partition_point(|&key| key >> 32 < u64::from(tile));
        let here = self.failed[first..].iter().take_while(move |&&key| key >> 32 == u64::from(tile));
        here.map(|&key| &self.movers[key as u32 as usize]).filter(move |mover| mover.at == tile)
    }

    /// What the last tick found.
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }
}
