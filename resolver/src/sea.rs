//! The movement tick on dense arrays (R6): who moves, who waits, who is blocked, and who meets whom.
//!
//! The layout is made for millions of ships. By R2.1 all ships on a tile have one owner, so a tile needs
//! eight bytes: the first ship of the list of those that stand on it, their owner, the owner of those that
//! want to enter it (or that there are several), the directions in which ships want to leave it, and marks.
//! A tick is three walks over the ships that still want to move; a fourth, along the tiles from which
//! somebody failed to leave, finds everybody who has to wait behind them. Nothing here allocates once
//! the lists have grown to their working size.

use crate::hex::Direction;
use crate::map::{Grid, Tile};

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
/// `REST` may no longer be true.
const STALE: u8 = 128;

#[derive(Clone, Copy, Debug)]
struct Cell {
    first: u32,
    holder: u8,
    entrant: u8,
    exits: u8,
    marks: u8,
}

/// What became of a ship in the tick.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Fate {
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
    next: u32,
    previous: u32,
    owner: u8,
    left: u8,
    speed: u8,
    walked: u8,
    fate: Fate,
}

impl Lane {
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

/// What a tick found, each list by ship.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// R6.2; they have lost their paths.
    pub blocked: Vec<u32>,
    /// R6.5 and R6.7.
    pub waiting: Vec<Wait>,
    /// R6.3; they are where they were.
    pub passing: Vec<u32>,
    /// The entrants of entry encounters (R6.7); they are where they were.
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

/// All ships of a turn on their tiles. Ships are named by their place in the state's list, which is by id.
#[derive(Clone, Debug)]
pub struct Sea {
    grid: Grid,
    /// What to add to a tile for each direction, in even and in odd rows.
    offsets: [[u32; 8]; 2],
    cells: Vec<Cell>,
    lanes: Vec<Lane>,
    movers: Vec<u32>,
    stuck: Vec<u32>,
    closed: Vec<u32>,
    stale: Vec<u32>,
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
            Cell { first: NONE, holder: NOBODY, entrant: NOBODY, exits: 0, marks }
        };
        Self {
            grid,
            offsets: [even, odd],
            cells: grid.tiles().map(cell).collect(),
            lanes: Vec::new(),
            movers: Vec::new(),
            stuck: Vec::new(),
            closed: Vec::new(),
            stale: Vec::new(),
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
        for tile in touched.chain(self.stale.iter().copied()).chain(self.marked.iter().copied()) {
            let cell = &mut self.cells[tile as usize];
            *cell = Cell { first: NONE, holder: NOBODY, entrant: NOBODY, exits: 0, marks: cell.marks & (ODD | BORDER) };
        }
        self.lanes.clear();
        self.movers.clear();
        self.stale.clear();
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
        let ship = self.lanes.len() as u32;
        let moves = speed > 0 && left > 0;
        self.lanes.push(Lane {
            steps,
            at: NONE,
            goal: NONE,
            next: NONE,
            previous: NONE,
            owner,
            left,
            speed,
            walked: 0,
            fate: if moves { Fate::Free } else { Fate::Rest },
        });
        self.link(ship, tile.index() as u32);
        if moves {
            self.movers.push(ship);
        } else {
            self.cells[tile.index()].marks |= REST;
        }
    }

    /// Adds a place in the list for a ship that is no longer there.
    pub fn add_absent(&mut self) {
        let fate = Fate::Rest;
        let gone = Lane {
            steps: 0,
            at: NONE,
            goal: NONE,
            next: NONE,
            previous: NONE,
            owner: NOBODY,
            left: 0,
            speed: 0,
            walked: 0,
            fate,
        };
        self.lanes.push(gone);
    }

    /// Whether any ship may still want to move.
    pub fn has_movers(&self) -> bool {
        !self.movers.is_empty()
    }

    /// Where a ship stands.
    pub fn tile(&self, ship: u32) -> Option<Tile> {
        let at = self.lanes[ship as usize].at;
        (at != NONE).then(|| Tile::from_index(at as usize))
    }

    /// Where a ship wanted to go in this tick.
    pub fn goal(&self, ship: u32) -> Tile {
        Tile::from_index(self.lanes[ship as usize].goal as usize)
    }

    /// What became of a ship in this tick.
    pub fn fate(&self, ship: u32) -> Fate {
        self.lanes[ship as usize].fate
    }

    /// How many steps a ship has taken, and how many are left of its path.
    pub fn progress(&self, ship: u32) -> (usize, usize) {
        let lane = &self.lanes[ship as usize];
        (lane.walked.into(), lane.left.into())
    }

    /// The owner of the ships on a tile.
    pub fn holder(&self, tile: Tile) -> Option<u8> {
        let holder = self.cells[tile.index()].holder;
        (holder != NOBODY).then_some(holder)
    }

    /// The ships that stand on a tile, in no particular order.
    pub fn standing(&self, tile: Tile) -> impl Iterator<Item = u32> + '_ {
        let mut ship = self.cells[tile.index()].first;
        std::iter::from_fn(move || {
            let here = ship;
            (here != NONE).then(|| {
                ship = self.lanes[here as usize].next;
                here
            })
        })
    }

    /// What the last tick found.
    pub const fn findings(&self) -> &Findings {
        &self.findings
    }

    /// Looks at the intents of tick `tick` and decides what becomes of each, moving nothing (R6.1 to R6.5).
    pub fn look(&mut self, tick: u8) {
        self.findings.clear();
        self.refresh_rest();
        self.announce(tick);
        self.compare();
        self.spread();
    }

    /// First walk: every intent is marked on the tile it leaves and on the tile it wants (R6.1, R6.2).
    fn announce(&mut self, tick: u8) {
        let mut kept = 0;
        for i in 0..self.movers.len() {
            let ship = self.movers[i];
            let lane = &mut self.lanes[ship as usize];
            if lane.left == 0 || lane.speed < tick {
                lane.fate = Fate::Rest;
                if lane.at != NONE {
                    self.cells[lane.at as usize].marks |= REST;
                }
                continue;
            }
            self.movers[kept] = ship;
            kept += 1;
            let direction = (lane.steps & 7) as usize;
            let from = &mut self.cells[lane.at as usize];
            let goal = if from.marks & BORDER == 0 {
                lane.at.wrapping_add(self.offsets[(from.marks >> 2 & 1) as usize][direction])
            } else {
                step_at_border(&self.grid, lane.at, direction)
            };
            from.exits |= 1 << direction;
            lane.goal = goal;
            lane.fate = Fate::Free;
            let target = &mut self.cells[goal as usize];
            if target.marks & (CONTESTED | STRUCTURE) == 0 {
                target.entrant =
                    if target.entrant == NOBODY || target.entrant == lane.owner { lane.owner } else { SEVERAL };
            } else {
                self.announce_guarded(ship, direction);
            }
        }
        self.movers.truncate(kept);
    }

    /// The same for a tile that may be blocked (R6.2).
    fn announce_guarded(&mut self, ship: u32, direction: usize) {
        let lane = &self.lanes[ship as usize];
        let (at, goal, owner) = (lane.at, lane.goal, lane.owner);
        let contested = self.cells[goal as usize].marks & CONTESTED != 0;
        if !contested && self.structure_owner(goal) == owner {
            let target = &mut self.cells[goal as usize];
            target.entrant = if target.entrant == NOBODY || target.entrant == owner { owner } else { SEVERAL };
            return;
        }
        // Every ship that leaves this tile in this direction has the same owner and is blocked alike, so that
        // the exit can be taken back.
        self.cells[at as usize].exits &= !(1 << direction);
        let lane = &mut self.lanes[ship as usize];
        lane.fate = Fate::Blocked;
        lane.left = 0;
        self.findings.blocked.push(ship);
        self.stick(at);
    }

    /// Second walk: passing encounters and collisions (R6.3, R6.4).
    fn compare(&mut self) {
        for i in 0..self.movers.len() {
            let lane = &mut self.lanes[self.movers[i] as usize];
            if lane.fate == Fate::Blocked {
                continue;
            }
            let target = &mut self.cells[lane.goal as usize];
            let enemy = target.holder != NOBODY && target.holder != lane.owner;
            let back = Direction::from_index((lane.steps & 7) as usize).opposite() as u8;
            if enemy && target.exits >> back & 1 != 0 {
                lane.fate = Fate::Passing;
                if target.marks & CLOSED == 0 {
                    target.marks |= CLOSED;
                    self.closed.push(lane.goal);
                }
            } else if target.entrant == SEVERAL || enemy && target.marks & REST != 0 {
                lane.fate = Fate::Stopped;
            } else {
                continue;
            }
            let at = lane.at;
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
        let mut i = 0;
        while i < self.stuck.len() {
            let tile = self.stuck[i];
            let holder = self.cells[tile as usize].holder;
            self.stick_neighbors(tile, Some(holder));
            i += 1;
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
        let marks = &mut self.cells[tile as usize].marks;
        if *marks & STUCK == 0 {
            *marks |= STUCK;
            self.stuck.push(tile);
        }
    }

    /// Third walk: what may move moves at once (R6.6), the others are listed (R6.5, R6.7).
    ///
    /// It is safe to judge and to move in one walk: the marks stay until the end, and a tile where somebody is
    /// stuck keeps its owner, because enemies wait and friends change nothing. `moved` hears of every move;
    /// `refill` gives sixteen more packed steps of a ship's path, by ship and word number.
    pub fn apply(&mut self, refill: impl Fn(u32, usize) -> u64, mut moved: impl FnMut(u32, Tile)) {
        for i in 0..self.movers.len() {
            let ship = self.movers[i];
            let lane = &mut self.lanes[ship as usize];
            if lane.fate == Fate::Blocked {
                continue;
            }
            let (from, goal, owner) = (lane.at, lane.goal, lane.owner);
            let target = &mut self.cells[goal as usize];
            target.entrant = NOBODY;
            let marks = target.marks;
            let holder = target.holder;
            match lane.fate {
                Fate::Passing => self.findings.passing.push(ship),
                Fate::Stopped if marks & (CLOSED | STUCK) == 0 => self.findings.entering.push(ship),
                Fate::Free if marks & CLOSED == 0 && (marks & STUCK == 0 || holder == owner) => {
                    lane.step(ship, &refill);
                    self.unlink(ship);
                    self.link(ship, goal);
                    moved(ship, Tile::from_index(goal as usize));
                }
                _ => {
                    lane.fate = Fate::Waiting;
                    let closed = marks & CLOSED != 0;
                    self.findings.waiting.push(Wait { ship, behind: NONE, closed });
                }
            }
            self.cells[from as usize].exits = 0;
        }
        self.name_those_waited_for();
        for tile in self.stuck.drain(..).chain(self.closed.drain(..)) {
            self.cells[tile as usize].marks &= !(STUCK | CLOSED);
        }
    }

    /// Finds for each waiting ship one that it waits for. The one found is brought to the front of its tile's
    /// list, so that a column that waits behind a large stack does not search it again and again.
    fn name_those_waited_for(&mut self) {
        for i in 0..self.findings.waiting.len() {
            let Wait { ship, closed, .. } = self.findings.waiting[i];
            let goal = self.lanes[ship as usize].goal;
            let is_it = |fate: Fate| match fate {
                Fate::Passing => true,
                Fate::Blocked | Fate::Stopped | Fate::Waiting => !closed,
                Fate::Rest | Fate::Free => false,
            };
            let found = self.standing(Tile::from_index(goal as usize)).find(|&s| is_it(self.fate(s)));
            debug_assert!(found.is_some(), "a tile is closed or stuck because of a ship on it");
            if let Some(behind) = found {
                self.unlink(behind);
                self.link(behind, goal);
                self.findings.waiting[i].behind = behind;
            }
        }
    }

    /// Ends a ship's way for this turn; with `lose_path` what is left of its path is gone too.
    pub fn halt(&mut self, ship: u32, lose_path: bool) {
        let lane = &mut self.lanes[ship as usize];
        lane.speed = 0;
        if lose_path {
            lane.left = 0;
        }
    }

    /// Lets a ship take the next step of its path after its encounter was settled.
    pub fn take_step(&mut self, ship: u32, refill: impl Fn(u32, usize) -> u64) {
        let lane = &mut self.lanes[ship as usize];
        lane.step(ship, &refill);
        let goal = lane.goal;
        self.unlink(ship);
        self.link(ship, goal);
    }

    /// Puts a ship at rest on another tile.
    pub fn relocate(&mut self, ship: u32, tile: Tile) {
        self.unlink(ship);
        self.link(ship, tile.index() as u32);
        self.cells[tile.index()].marks |= REST;
        self.lanes[ship as usize].fate = Fate::Rest;
        self.halt(ship, true);
    }

    /// Takes a ship off the sea.
    pub fn remove(&mut self, ship: u32) {
        self.unlink(ship);
        self.halt(ship, true);
        self.lanes[ship as usize].fate = Fate::Rest;
    }

    fn link(&mut self, ship: u32, tile: u32) {
        let cell = &mut self.cells[tile as usize];
        let lane = &mut self.lanes[ship as usize];
        let first = cell.first;
        lane.at = tile;
        lane.previous = NONE;
        lane.next = first;
        cell.first = ship;
        cell.holder = lane.owner;
        if first != NONE {
            self.lanes[first as usize].previous = ship;
        }
    }

    fn unlink(&mut self, ship: u32) {
        let Lane { at, next, previous, fate, .. } = self.lanes[ship as usize];
        let cell = &mut self.cells[at as usize];
        if previous == NONE {
            cell.first = next;
            if next == NONE {
                cell.holder = NOBODY;
            }
        } else {
            self.lanes[previous as usize].next = next;
        }
        if next != NONE {
            self.lanes[next as usize].previous = previous;
        }
        let cell = &mut self.cells[at as usize];
        if fate == Fate::Rest && cell.marks & STALE == 0 {
            cell.marks |= STALE;
            self.stale.push(at);
        }
        self.lanes[ship as usize].at = NONE;
    }

    /// Looks again whether somebody is at rest on the tiles that ships at rest have left.
    fn refresh_rest(&mut self) {
        while let Some(tile) = self.stale.pop() {
            let rests = self.standing(Tile::from_index(tile as usize)).any(|ship| self.fate(ship) == Fate::Rest);
            let marks = &mut self.cells[tile as usize].marks;
            *marks &= !(STALE | REST);
            if rests {
                *marks |= REST;
            }
        }
    }
}

/// Steps from a tile where adding an offset could leave the map; `NONE` off it.
#[cold]
fn step_at_border(grid: &Grid, tile: u32, direction: usize) -> u32 {
    let neighbor = grid.neighbor(Tile::from_index(tile as usize), Direction::from_index(direction));
    neighbor.map_or(NONE, |n| n.index() as u32)
}
