//! The movement tick on dense arrays (R6): who moves, who waits, who is blocked, and who meets whom.
//!
//! The layout is made for millions of ships, where memory traffic is all that counts. By R2.1 all ships on a tile have
//! one owner, so a tile needs four bytes: that owner, the owner of those that want to enter it (or that there are
//! several), the directions in which ships want to leave it, and marks. A ship needs twenty-four. A tick is two walks
//! over the ships that still want to move; between them a short one, along the tiles from which somebody failed to leave,
//! finds everybody who has to wait behind them. Nothing here allocates once the lists have grown to their working size.
//!
//! Who stands where is not kept for ships on the move, because nobody asks: an encounter only ever wants those at rest
//! on its tile, who are on a list, and those who failed to move in this tick, who are few.
//!
//! Ships are named by their number, which is their place in the state's list. Inside, each has a lane; in a large
//! sea the lanes are sorted by tile before the first tick, so that ships which meet are neighbours in memory too
//! and a walk over them is a walk along the map. What is found is told by number.

use smallvec::SmallVec;

use crate::hex::Direction;
use crate::map::{Grid, Tile};

/// From this many ships on, lanes are sorted by tile: below it everything is in the cache anyway.
const SORT_FROM: usize = 4096;

/// How many ships are worked on at a time where their tiles are read ahead.
const BATCH: usize = 64;

/// No ship, no tile.
const NONE: u32 = u32::MAX;
/// The owner of nothing.
const NOBODY: u8 = 255;
/// More than one owner.
const SEVERAL: u8 = 254;

/// Nobody may enter (R9.1).
const CONTESTED: u8 = 1;
/// A structure stands here, which may close the tile (R3.3).
const STRUCTURE: u8 = 2;
/// The tile is in an odd row.
const ODD: u8 = 4;
/// The tile is at the border, where stepping is not a mere addition.
const BORDER: u8 = 8;
/// A ship without an intent stands here (R6.1).
const REST: u8 = 16;
/// A ship that wanted to leave does not (R6.5).
const STUCK: u8 = 32;
/// A passing encounter closes the tile (R6.3).
const CLOSED: u8 = 64;
/// A ship has entered since the tick began.
const ENTERED: u8 = 128;

#[derive(Clone, Copy, Debug)]
struct Cell {
    holder: u8,
    entrant: u8,
    exits: u8,
    marks: u8,
}

impl Cell {
    /// Counts in an owner that wants to enter.
    const fn welcome(&mut self, owner: u8) {
        self.entrant = if self.entrant == NOBODY || self.entrant == owner { owner } else { SEVERAL };
    }
}

/// What became of a ship in the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
enum Fate {
    /// It had no intent (R6.1).
    Rest,
    /// It moves, or has moved (R6.6).
    Free,
    /// R6.2.
    Blocked,
    /// R6.3.
    Passing,
    /// R6.4.
    Stopped,
    /// R6.5, R6.7.
    Waiting,
}

#[derive(Clone, Copy, Debug)]
struct Lane {
    steps: u64,
    at: u32,
    goal: u32,
    owner: u8,
    left: u8,
    speed: u8,
    walked: u8,
    fate: Fate,
    /// The row it started from, where that has a number this small.
    row: u16,
}

impl Lane {
    /// The lane of a ship that is not there.
    const GONE: Self =
        Self { steps: 0, at: NONE, goal: NONE, owner: NOBODY, left: 0, speed: 0, walked: 0, fate: Fate::Rest, row: 0 };

    /// Takes one step off the path.
    fn step(&mut self, ship: u32, refill: &impl Fn(u32, usize) -> u64) {
        self.left -= 1;
        self.walked += 1;
        self.steps >>= 4;
        if self.walked.is_multiple_of(16) && self.left > 0 {
            self.steps = refill(ship, usize::from(self.walked) / 16);
        }
    }
}

/// A ship that waits, and for whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// The ship.
    pub ship: u32,
    /// A ship that crosses there, or one that wanted to leave the tile and did not.
    pub behind: u32,
    /// The tile is closed by a passing encounter.
    pub closed: bool,
}

/// What a tick found.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// R6.2, by number; they have lost their paths.
    pub blocked: Vec<u32>,
    /// R6.5 and R6.7, by number.
    pub waiting: Vec<Wait>,
    /// R6.3, in no particular order; they are where they were.
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

/// All ships of a turn on their tiles.
#[derive(Clone, Debug)]
pub struct Sea {
    grid: Grid,
    /// What to add to a tile for each direction, in even and in odd rows.
    offsets: [[u32; 8]; 2],
    cells: Vec<Cell>,
    lanes: Vec<Lane>,
    /// The lane of each ship and the ship of each lane, where lanes are sorted; empty where they are the same.
    lane_of: Vec<u32>,
    ship_of: Vec<u32>,
    /// Lanes are sorted by tile and know their rows.
    sorted: bool,
    /// Scratch space for sorting.
    keys: Vec<u64>,
    movers: Vec<u32>,
    /// Tiles where somebody is stuck, and those of them that somebody wants to enter.
    stuck: Vec<u32>,
    wanted: Vec<u32>,
    closed: Vec<u32>,
    /// The first lane at rest on each tile, and the next one of each lane.
    berths: Vec<u32>,
    next: Vec<u32>,
    /// Lanes that are about to rest.
    retiring: Vec<u32>,
    /// The lanes that wanted to move in this tick and did not, by tile.
    failed: Vec<(u32, u32)>,
    marked: Vec<u32>,
    /// Tiles with structures and their owners, by tile.
    structures: Vec<(u32, u8)>,
    findings: Findings,
}

impl Sea {
    /// An empty sea.
    pub fn new(grid: Grid) -> Self {
        let width = grid.width();
        let east = [
            1,
            0u32.wrapping_sub(width),
            (0u32.wrapping_sub(width)).wrapping_sub(1),
            u32::MAX,
            width.wrapping_sub(1),
            width,
        ];
        let even = [east[0], east[1], east[2], east[3], east[4], east[5], 0, 0];
        let odd = [
            east[0],
            east[1].wrapping_add(1),
            east[2].wrapping_add(1),
            east[3],
            east[4].wrapping_add(1),
            east[5].wrapping_add(1),
            0,
            0,
        ];
        let cell = |tile: Tile| {
            let (column, row) = grid.offset(tile);
            let border = column == 0 || row == 0 || column + 1 == width || row + 1 == grid.height();
            let marks = if row & 1 == 1 { ODD } else { 0 } | if border { BORDER } else { 0 };
            Cell { holder: NOBODY, entrant: NOBODY, exits: 0, marks }
        };
        Self {
            grid,
            offsets: [even, odd],
            cells: grid.tiles().map(cell).collect(),
            lanes: Vec::new(),
            lane_of: Vec::new(),
            ship_of: Vec::new(),
            sorted: false,
            keys: Vec::new(),
            movers: Vec::new(),
            stuck: Vec::new(),
            wanted: Vec::new(),
            closed: Vec::new(),
            berths: vec![NONE; grid.len()],
            next: Vec::new(),
            retiring: Vec::new(),
            failed: Vec::new(),
            marked: Vec::new(),
            structures: Vec::new(),
            findings: Findings::default(),
        }
    }

    /// The geometry this sea was made for.
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// Takes all ships, structures and contests off, in time proportional to their number.
    pub fn clear(&mut self) {
        let touched = self.lanes.iter().map(|lane| lane.at).filter(|&at| at != NONE);
        for tile in touched.chain(self.marked.iter().copied()) {
            self.berths[tile as usize] = NONE;
            let cell = &mut self.cells[tile as usize];
            *cell = Cell { holder: NOBODY, entrant: NOBODY, exits: 0, marks: cell.marks & (ODD | BORDER) };
        }
        self.lanes.clear();
        self.lane_of.clear();
        self.ship_of.clear();
        self.movers.clear();
        self.next.clear();
        self.failed.clear();
        self.marked.clear();
        self.structures.clear();
    }

    /// Puts a structure on a tile; all of them before the first tick. `None` is neutral.
    pub fn add_structure(&mut self, tile: Tile, owner: Option<u8>) {
        let at = tile.index() as u32;
        self.cells[tile.index()].marks |= STRUCTURE;
        self.marked.push(at);
        let place = self.structures.partition_point(|&(t, _)| t < at);
        self.structures.insert(place, (at, owner.unwrap_or(NOBODY)));
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

    /// Whether a structure of somebody else closes a tile to an owner (R3.3).
    pub fn closed_to(&self, tile: Tile, owner: u8) -> bool {
        self.cells[tile.index()].marks & STRUCTURE != 0 && self.structure_owner(tile.index() as u32) != owner
    }

    fn structure_owner(&self, tile: u32) -> u8 {
        self.structures.binary_search_by_key(&tile, |&(t, _)| t).map_or(NOBODY, |i| self.structures[i].1)
    }

    /// Adds the next ship, which will try to walk `left` steps in the ticks up to `speed`; `steps` holds the
    /// first sixteen of them, four bits each.
    pub fn add_ship(&mut self, tile: Tile, owner: u8, speed: u8, steps: u64, left: u8) {
        let row = self.grid.offset(tile).1 as u16;
        self.lanes.push(Lane { at: tile.index() as u32, owner, speed, steps, left, row, ..Lane::GONE });
    }

    /// Adds a number for a ship that is no longer there.
    pub fn add_absent(&mut self) {
        self.lanes.push(Lane::GONE);
    }

    /// Puts the ships that were added on their tiles; once, before the first tick.
    pub fn set_sail(&mut self) {
        self.sorted = self.lanes.len() >= SORT_FROM && self.grid.height() <= u16::MAX.into();
        if self.sorted {
            self.sort_lanes();
        }
        self.next.resize(self.lanes.len(), NONE);
        for number in 0..self.lanes.len() as u32 {
            let lane = &mut self.lanes[number as usize];
            if lane.at == NONE {
                continue;
            }
            self.cells[lane.at as usize].holder = lane.owner;
            if lane.speed > 0 && lane.left > 0 {
                lane.fate = Fate::Free;
                self.movers.push(number);
            } else {
                self.rest(number);
            }
        }
    }

    fn sort_lanes(&mut self) {
        self.keys.clear();
        self.keys.extend(self.lanes.iter().zip(0u64..).map(|(lane, ship)| u64::from(lane.at) << 32 | ship));
        self.keys.sort_unstable();
        self.ship_of.extend(self.keys.iter().map(|&key| key as u32));
        self.lane_of.resize(self.lanes.len(), 0);
        for (&ship, lane) in self.ship_of.iter().zip(0..) {
            self.lane_of[ship as usize] = lane;
        }
        let sorted = self.ship_of.iter().map(|&ship| self.lanes[ship as usize]).collect();
        self.lanes = sorted;
    }

    fn lane(&self, ship: u32) -> u32 {
        if self.sorted { self.lane_of[ship as usize] } else { ship }
    }

    fn ship(&self, lane: u32) -> u32 {
        if self.sorted { self.ship_of[lane as usize] } else { lane }
    }

    fn lane_ref(&self, ship: u32) -> &Lane {
        &self.lanes[self.lane(ship) as usize]
    }

    /// Whether moves are told in another order than by number.
    pub fn tells_out_of_order(&self) -> bool {
        self.sorted
    }

    /// Whether any ship may still want to move.
    pub fn has_movers(&self) -> bool {
        !self.movers.is_empty()
    }

    /// Where a ship stands.
    pub fn tile(&self, ship: u32) -> Option<Tile> {
        let at = self.lane_ref(ship).at;
        (at != NONE).then(|| Tile::from_index(at as usize))
    }

    /// Where a ship wanted to go in this tick.
    pub fn goal(&self, ship: u32) -> Tile {
        Tile::from_index(self.lane_ref(ship).goal as usize)
    }

    /// How many steps a ship has taken, and how many are left of its path.
    pub fn progress(&self, ship: u32) -> (usize, usize) {
        let lane = self.lane_ref(ship);
        (lane.walked.into(), lane.left.into())
    }

    /// The owner of the ships on a tile.
    pub fn holder(&self, tile: Tile) -> Option<u8> {
        let holder = self.cells[tile.index()].holder;
        (holder != NOBODY).then_some(holder)
    }

    /// The ships that stand on a tile without having come there in this tick, in no particular order.
    pub fn standing(&self, tile: Tile) -> impl Iterator<Item = u32> + '_ {
        let tile = tile.index() as u32;
        self.resting(tile).chain(self.failed_on(tile)).map(|lane| self.ship(lane))
    }

    fn resting(&self, tile: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.berths[tile as usize];
        std::iter::successors((first != NONE).then_some(first), |&lane| {
            let next = self.next[lane as usize];
            (next != NONE).then_some(next)
        })
    }

    fn failed_on(&self, tile: u32) -> impl Iterator<Item = u32> + '_ {
        let first = self.failed.partition_point(|&(at, _)| at < tile);
        let here = self.failed[first..].iter().take_while(move |&&(at, _)| at == tile);
        here.map(|&(_, lane)| lane).filter(move |&lane| self.lanes[lane as usize].at == tile)
    }

    /// What the last tick found.
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Looks at the intents of tick `tick` and decides what becomes of each, moving nothing (R6.1 to R6.5).
    pub fn look(&mut self, tick: u8) {
        self.findings.clear();
        self.failed.clear();
        self.read_intents(tick);
        self.spread();
        if self.tells_out_of_order() {
            self.findings.blocked.sort_unstable();
        }
    }

    /// First walk: every intent is marked on the tiles it leaves and wants (R6.1, R6.2), and as soon as nobody who is
    /// still to come can touch those tiles, it is compared with the others there (R6.3, R6.4).
    ///
    /// In a sorted sea, ships come in the order of the rows they started from, and none has left its row by more than
    /// a row a tick. So two ships whose rows were more than two rows a tick apart want nothing of each other, and the
    /// comparing can follow the marking at that distance, while the tiles are still in the processor's caches.
    fn read_intents(&mut self, tick: u8) {
        let (mut kept, mut compared) = (0, 0);
        let all = self.movers.len();
        for start in (0..all).step_by(BATCH) {
            let end = all.min(start + BATCH);
            let marked = kept;
            self.touch(start..end, |lane| lane.at);
            for i in start..end {
                let number = self.movers[i];
                if self.set_course(number, tick) {
                    self.movers[kept] = number;
                    kept += 1;
                }
            }
            self.retire();
            self.touch(marked..kept, |lane| lane.goal);
            for i in marked..kept {
                self.mark(self.movers[i]);
            }
            if self.sorted {
                let row = self.lanes[self.movers[end - 1] as usize].row;
                let safe = row.saturating_sub(2 * u16::from(tick) + 1);
                while compared < marked && self.lanes[self.movers[compared] as usize].row < safe {
                    self.compare(self.movers[compared]);
                    compared += 1;
                }
            }
        }
        self.movers.truncate(kept);
        for i in compared..kept {
            self.compare(self.movers[i]);
        }
    }

    /// Puts the ships at rest that have no intent any more.
    fn retire(&mut self) {
        let mut retiring = std::mem::take(&mut self.retiring);
        for batch in retiring.chunks(BATCH) {
            let first = |number: &u32| self.berths[self.lanes[*number as usize].at as usize];
            std::hint::black_box(batch.iter().map(first).fold(0, |seen, lane| seen ^ lane));
            for &number in batch {
                self.rest(number);
            }
        }
        retiring.clear();
        self.retiring = retiring;
    }

    /// Finds the tile that a ship wants in this tick; `false` puts a ship without an intent at rest.
    fn set_course(&mut self, number: u32, tick: u8) -> bool {
        let lane = &mut self.lanes[number as usize];
        if lane.left == 0 || lane.speed < tick {
            if lane.at != NONE {
                self.cells[lane.at as usize].marks &= !ENTERED;
                self.retiring.push(number);
            }
            return false;
        }
        let direction = (lane.steps & 7) as usize;
        let from = &mut self.cells[lane.at as usize];
        lane.goal = if from.marks & BORDER == 0 {
            lane.at.wrapping_add(self.offsets[(from.marks >> 2 & 1) as usize][direction])
        } else {
            step_at_border(&self.grid, lane.at, direction)
        };
        lane.fate = Fate::Free;
        from.exits |= 1 << direction;
        from.marks &= !ENTERED;
        true
    }

    fn mark(&mut self, number: u32) {
        let lane = &self.lanes[number as usize];
        let target = &mut self.cells[lane.goal as usize];
        if target.marks & (CONTESTED | STRUCTURE) == 0 {
            target.welcome(lane.owner);
        } else {
            self.mark_guarded(number);
        }
    }

    /// Reads the tiles of some movers ahead of the work on them. Nothing depends on what is read, so the
    /// processor fetches them all at once instead of one after the other, which is worth a factor of three in a sea
    /// that does not fit into its caches.
    fn touch(&self, movers: std::ops::Range<usize>, tile: impl Fn(&Lane) -> u32) {
        if !self.sorted {
            return;
        }
        let mut seen = 0;
        for &number in &self.movers[movers] {
            let tile = tile(&self.lanes[number as usize]);
            seen ^= self.cells.get(tile as usize).map_or(0, |cell| cell.marks);
        }
        std::hint::black_box(seen);
    }

    /// The same for a tile that may be blocked (R6.2).
    fn mark_guarded(&mut self, number: u32) {
        let lane = &self.lanes[number as usize];
        let (at, goal, owner, direction) = (lane.at, lane.goal, lane.owner, lane.steps & 7);
        let contested = self.cells[goal as usize].marks & CONTESTED != 0;
        if !contested && self.structure_owner(goal) == owner {
            self.cells[goal as usize].welcome(owner);
            return;
        }
        // Every ship that leaves this tile in this direction has the same owner and is blocked alike, so that
        // the exit can be taken back.
        self.cells[at as usize].exits &= !(1 << direction);
        let lane = &mut self.lanes[number as usize];
        lane.fate = Fate::Blocked;
        lane.left = 0;
        let ship = self.ship(number);
        self.findings.blocked.push(ship);
    }

    /// Passing encounters and collisions (R6.3, R6.4).
    fn compare(&mut self, number: u32) {
        let lane = &mut self.lanes[number as usize];
        let at = lane.at;
        let target = &mut self.cells[lane.goal as usize];
        let enemy = target.holder != NOBODY && target.holder != lane.owner;
        let back = Direction::from_index((lane.steps & 7) as usize).opposite() as u8;
        if lane.fate == Fate::Blocked {
            self.stick(at);
        } else if enemy && target.exits >> back & 1 != 0 {
            lane.fate = Fate::Passing;
            if target.marks & CLOSED == 0 {
                target.marks |= CLOSED;
                self.closed.push(lane.goal);
            }
            self.stick(at);
        } else if target.entrant == SEVERAL || enemy && target.marks & REST != 0 {
            lane.fate = Fate::Stopped;
            self.stick(at);
        }
    }

    /// Spreads waiting backwards until nothing changes (R6.5): from closed tiles to everybody who wants in, and
    /// from tiles where somebody is stuck to the enemies who want in. Each tile is visited once, so the order
    /// does not matter and the cost is linear.
    fn spread(&mut self) {
        for i in 0..self.closed.len() {
            self.stick_neighbors(self.closed[i], None);
        }
        while let Some(tile) = self.wanted.pop() {
            let holder = self.cells[tile as usize].holder;
            self.stick_neighbors(tile, Some(holder));
        }
    }

    /// Marks the neighbours from which a ship, not of `except`, wants to enter a tile.
    fn stick_neighbors(&mut self, tile: u32, except: Option<u8>) {
        let marks = self.cells[tile as usize].marks;
        for direction in Direction::ALL {
            let neighbor = if marks & BORDER == 0 {
                tile.wrapping_add(self.offsets[(marks >> 2 & 1) as usize][direction as usize])
            } else {
                step_at_border(&self.grid, tile, direction as usize)
            };
            if neighbor == NONE {
                continue;
            }
            let cell = &self.cells[neighbor as usize];
            if cell.exits >> direction.opposite() as u8 & 1 != 0 && Some(cell.holder) != except {
                self.stick(neighbor);
            }
        }
    }

    fn stick(&mut self, tile: u32) {
        let cell = &mut self.cells[tile as usize];
        if cell.marks & STUCK == 0 {
            cell.marks |= STUCK;
            self.stuck.push(tile);
            if cell.entrant != NOBODY {
                self.wanted.push(tile);
            }
        }
    }

    /// Second walk: what may move moves at once (R6.6), the others are listed (R6.5, R6.7).
    ///
    /// It is safe to judge and to move in one walk: the marks stay until the end, and a tile where somebody is
    /// stuck keeps its owner, because enemies wait and friends change nothing. `moved` hears of every move;
    /// `refill` gives sixteen more packed steps of a ship's path, by ship and word number.
    pub fn apply(&mut self, refill: impl Fn(u32, usize) -> u64, mut moved: impl FnMut(u32, Tile)) {
        for i in 0..self.movers.len() {
            if i % BATCH == 0 {
                let batch = i..self.movers.len().min(i + BATCH);
                self.touch(batch.clone(), |lane| lane.at);
                self.touch(batch, |lane| lane.goal);
            }
            let number = self.movers[i];
            let lane = &mut self.lanes[number as usize];
            if lane.fate == Fate::Blocked {
                self.failed.push((lane.at, number));
                continue;
            }
            let (from, goal, owner) = (lane.at, lane.goal, lane.owner);
            let target = &mut self.cells[goal as usize];
            target.entrant = NOBODY;
            let free = target.marks & CLOSED == 0 && (target.marks & STUCK == 0 || target.holder == owner);
            if lane.fate == Fate::Free && free {
                target.holder = owner;
                target.marks |= ENTERED;
                let ship = if self.sorted { self.ship_of[number as usize] } else { number };
                lane.step(ship, &refill);
                lane.at = goal;
                let source = &mut self.cells[from as usize];
                source.exits = 0;
                // Whoever else leaves does not stay, so these marks say whether somebody is left.
                if source.marks & (REST | STUCK | ENTERED) == 0 {
                    source.holder = NOBODY;
                }
                moved(ship, Tile::from_index(goal as usize));
                continue;
            }
            let marks = target.marks;
            self.cells[from as usize].exits = 0;
            self.failed.push((from, number));
            match lane.fate {
                Fate::Passing => {
                    let ship = self.ship(number);
                    self.findings.passing.push(ship);
                }
                Fate::Stopped if marks & (CLOSED | STUCK) == 0 => {
                    let ship = self.ship(number);
                    self.findings.entering.push(ship);
                }
                _ => {
                    lane.fate = Fate::Waiting;
                    let closed = marks & CLOSED != 0;
                    self.findings.waiting.push(Wait { ship: number, behind: NONE, closed });
                }
            }
        }
        self.failed.sort();
        self.name_those_waited_for();
        for tile in self.stuck.drain(..).chain(self.closed.drain(..)) {
            self.cells[tile as usize].marks &= !(STUCK | CLOSED);
        }
        if self.tells_out_of_order() {
            self.findings.waiting.sort_unstable_by_key(|wait| wait.ship);
        }
    }

    /// Finds for each waiting ship the one it waits for: of those that cross there, or that failed to leave, the one with
    /// the lowest number, which does not depend on anything else that happens elsewhere.
    fn name_those_waited_for(&mut self) {
        for i in 0..self.findings.waiting.len() {
            let Wait { ship: number, closed, .. } = self.findings.waiting[i];
            let goal = self.lanes[number as usize].goal;
            let crosses = |&lane: &u32| !closed || self.lanes[lane as usize].fate == Fate::Passing;
            let behind = self.failed_on(goal).filter(crosses).map(|lane| self.ship(lane)).min();
            debug_assert!(behind.is_some(), "a tile is closed or stuck because of a ship on it");
            let ship = self.ship(number);
            self.findings.waiting[i] = Wait { ship, behind: behind.unwrap_or(ship), closed };
        }
    }

    /// Ends a ship's way for this turn; with `lose_path` what is left of its path is gone too.
    pub fn halt(&mut self, ship: u32, lose_path: bool) {
        let number = self.lane(ship);
        let lane = &mut self.lanes[number as usize];
        lane.speed = 0;
        if lose_path {
            lane.left = 0;
        }
    }

    /// Lets ships take the next step of their paths together, after their encounter was settled.
    pub fn take_step(&mut self, ships: &[u32], refill: impl Fn(u32, usize) -> u64) {
        let mut left: SmallVec<[u32; 8]> = SmallVec::new();
        for &ship in ships {
            let number = self.lane(ship);
            let lane = &mut self.lanes[number as usize];
            lane.step(ship, &refill);
            left.push(std::mem::replace(&mut lane.at, lane.goal));
        }
        for tile in left {
            self.vacate(tile);
        }
        for &ship in ships {
            let Lane { at, owner, .. } = *self.lane_ref(ship);
            let cell = &mut self.cells[at as usize];
            cell.holder = owner;
            cell.marks |= ENTERED;
        }
    }

    /// Puts a ship that was at rest on another tile.
    pub fn relocate(&mut self, ship: u32, tile: Tile) {
        let number = self.lane(ship);
        self.take_off(number);
        let lane = &mut self.lanes[number as usize];
        lane.at = tile.index() as u32;
        self.cells[tile.index()].holder = lane.owner;
        self.rest(number);
        self.halt(ship, true);
    }

    /// Takes a ship off the sea.
    pub fn remove(&mut self, ship: u32) {
        let number = self.lane(ship);
        self.take_off(number);
        self.halt(ship, true);
    }

    /// Puts a lane on the list of those at rest on its tile.
    fn rest(&mut self, number: u32) {
        let lane = &mut self.lanes[number as usize];
        lane.fate = Fate::Rest;
        self.cells[lane.at as usize].marks |= REST;
        self.next[number as usize] = std::mem::replace(&mut self.berths[lane.at as usize], number);
    }

    /// Takes a lane off its tile.
    fn take_off(&mut self, number: u32) {
        let Lane { at, fate, .. } = self.lanes[number as usize];
        if fate == Fate::Rest {
            let next = self.next[number as usize];
            let before = self.resting(at).find(|&lane| self.next[lane as usize] == number);
            match before {
                Some(before) => self.next[before as usize] = next,
                None => self.berths[at as usize] = next,
            }
            if self.berths[at as usize] == NONE {
                self.cells[at as usize].marks &= !REST;
            }
        }
        self.lanes[number as usize].at = NONE;
        self.vacate(at);
    }

    /// Forgets the owner of a tile where nobody is left. Only between ticks, when whoever stands there and did
    /// not come in this tick is at rest or has failed to move.
    fn vacate(&mut self, tile: u32) {
        let left = self.cells[tile as usize].marks & (REST | ENTERED) != 0 || self.failed_on(tile).next().is_some();
        if !left {
            self.cells[tile as usize].holder = NOBODY;
        }
    }
}

/// Steps from a tile where adding an offset could leave the map; `NONE` off it.
#[cold]
fn step_at_border(grid: &Grid, tile: u32, direction: usize) -> u32 {
    let neighbor = grid.neighbor(Tile::from_index(tile as usize), Direction::from_index(direction));
    neighbor.map_or(NONE, |n| n.index() as u32)
}
