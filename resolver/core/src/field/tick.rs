//! The two walks of a tick: looking at all intents, and moving what may move (R6).

use super::cost::{Dozer, OneEach, StepCost};
use super::front::Front;
use super::layout::{
    BORDER, CLOSED, CONTESTED, ENTERED, Fate, Mover, NOBODY, NONE, ONCOMING, RESERVED, REST, SEVERAL, STUCK,
};
use super::{Field, Wait};
use crate::grid::{Grid, Tile};
use crate::hex::Direction;

/// How many movers a walk takes at a time, before it looks how far along the map it has come.
const BATCH: usize = 512;

impl Field {
    /// Looks at the intents of tick `tick` and decides what becomes of each, moving nothing (R6.1 to R6.5). Every step
    /// costs one tick.
    pub fn look(&mut self, tick: u8) {
        self.look_by(tick, &OneEach);
    }

    /// The same where steps have costs, which `cost` says by unit number and by the tile that is entered (E4.1, E4.2).
    /// Ticks begin with 1 and none is left out; a turn is played with costs or without, not with both.
    pub fn look_at_cost(&mut self, tick: u8, cost: impl Fn(u32, Tile) -> u8) {
        self.wake(tick);
        self.look_by(tick, &cost);
    }

    fn look_by(&mut self, tick: u8, cost: &impl StepCost) {
        self.tick = tick;
        self.findings.clear();
        self.failed.clear();
        self.read_intents(cost);
        self.spread();
        self.findings.blocked.sort_unstable();
    }

    /// First walk: every intent is marked on the tiles it leaves and wants (R6.1, R6.2), and as soon as nobody who is
    /// still to come can touch those tiles, it is compared with the others there (R6.3, R6.4).
    ///
    /// In a sorted field, units come in the order of the rows they started from, and none has left its row by more than
    /// a row a tick. So two units whose rows were more than two rows a tick apart want nothing of each other, and the
    /// comparing can follow the marking at that distance, while the tiles are still in the processor's caches.
    fn read_intents(&mut self, cost: &impl StepCost) {
        let all = self.movers.len();
        if !self.sorted {
            let kept = self.set_courses(0, all, 0, cost);
            self.movers.truncate(kept);
            return self.compare(0, kept);
        }
        let (mut kept, mut compared) = (0, 0);
        let mut front = Front::at_first(self);
        let lag = 2 * usize::from(self.tick) + 1;
        for start in (0..all).step_by(BATCH) {
            let end = all.min(start + BATCH);
            front.advance(self, end - 1);
            kept = self.set_courses(start, end, kept, cost);
            let safe = self.rows[front.row.saturating_sub(lag)];
            let behind = self.movers[compared..kept].iter().take_while(|mover| mover.lane < safe).count();
            self.compare(compared, compared + behind);
            compared += behind;
        }
        self.movers.truncate(kept);
        self.compare(compared, kept);
    }

    /// Finds the tiles that some movers want and marks them. Keeps those that have an intent, from `kept` on, and
    /// returns where they end.
    fn set_courses<C: StepCost>(&mut self, start: usize, end: usize, mut kept: usize, cost: &C) -> usize {
        let (cells, movers) = (self.cells.as_mut_slice(), &mut self.movers[..end]);
        for i in start..end {
            let mut mover = movers[i];
            if mover.left == 0 || mover.speed < self.tick {
                if mover.at != NONE {
                    cells[mover.at as usize].marks &= !ENTERED;
                    let lane = &mut self.lanes[mover.lane as usize];
                    (lane.at, lane.left) = (mover.at, mover.left);
                    self.retiring.push(mover.lane);
                }
                continue;
            }
            let heading = mover.heading();
            let from = &mut cells[mover.at as usize];
            let marks = from.marks;
            from.marks = marks & !ENTERED;
            mover.goal = if marks & BORDER == 0 {
                self.offsets.step(mover.at, marks, heading)
            } else {
                step_at_border(&self.grid, mover.at, heading)
            };
            if C::VARIES {
                let lane = &mut self.lanes[mover.lane as usize];
                let unit = self.unit_of.get(mover.lane as usize).map_or(mover.lane, |&unit| unit);
                let price = || cost.of(unit, Tile::from_index(mover.goal as usize));
                let ready = self.paces[mover.lane as usize].ready(self.tick, &mover, lane, price);
                if ready > self.tick {
                    (lane.at, lane.left) = (mover.at, mover.left);
                    self.retiring.push(mover.lane);
                    if ready <= mover.speed {
                        self.dozing.push(Dozer { mover, ready });
                    }
                    continue;
                }
            }
            from.exits |= 1 << heading;
            mover.fate = Fate::Free;
            movers[kept] = mover;
            let target = &mut cells[mover.goal as usize];
            if target.marks & (CONTESTED | RESERVED) == 0 {
                target.welcome(mover.owner);
            } else {
                self.aside.push(kept as u32);
            }
            kept += 1;
        }
        while let Some(index) = self.aside.pop() {
            self.mark_guarded(index);
        }
        self.retire();
        kept
    }

    /// Marks an intent on a tile that may be blocked (R6.2).
    fn mark_guarded(&mut self, index: u32) {
        let Mover { at, goal, lane, owner, .. } = self.movers[index as usize];
        if self.cells[goal as usize].marks & CONTESTED == 0 && self.reserved_for(goal) == owner {
            return self.cells[goal as usize].welcome(owner);
        }
        let unit = self.unit(lane);
        self.findings.blocked.push(unit);
        let mover = &mut self.movers[index as usize];
        // Every unit that leaves this tile in this direction has the same owner and is blocked alike, so that
        // the exit can be taken back.
        self.cells[at as usize].exits &= !(1 << mover.heading());
        mover.fate = Fate::Blocked;
        let lane = &mut self.lanes[lane as usize];
        lane.path -= std::mem::take(&mut mover.left);
        lane.link = index;
    }

    /// Puts the units at rest that have no intent any more.
    fn retire(&mut self) {
        let mut retiring = std::mem::take(&mut self.retiring);
        if self.sorted {
            let first = |number: &u32| self.first_at_rest[self.lanes[*number as usize].at as usize];
            std::hint::black_box(retiring.iter().map(first).fold(0, |seen, lane| seen ^ lane));
        }
        for &number in &retiring {
            self.rest(number);
        }
        retiring.clear();
        self.retiring = retiring;
    }

    /// Passing encounters and collisions (R6.3, R6.4).
    fn compare(&mut self, start: usize, end: usize) {
        let cells = self.cells.as_slice();
        for (mover, index) in self.movers[start..end].iter().zip(start as u32..) {
            let target = &cells[mover.goal as usize];
            let enemy = target.holder != NOBODY && target.holder != mover.owner;
            let meets = target.exits & ONCOMING[mover.heading()] != 0 || target.marks & REST != 0;
            if (target.entrant == SEVERAL) | (enemy & meets) | (mover.fate == Fate::Blocked) {
                self.aside.push(index);
            }
        }
        while let Some(index) = self.aside.pop() {
            self.stop(index);
        }
    }

    /// Notes that a unit will not move, and why.
    fn stop(&mut self, index: u32) {
        let mover = &mut self.movers[index as usize];
        let target = &mut self.cells[mover.goal as usize];
        let enemy = target.holder != NOBODY && target.holder != mover.owner;
        if mover.fate != Fate::Blocked {
            mover.fate = Fate::Stopped;
            if enemy && target.exits & ONCOMING[mover.heading()] != 0 {
                mover.fate = Fate::Passing;
                if target.marks & CLOSED == 0 {
                    target.marks |= CLOSED;
                    self.closed.push(mover.goal);
                }
            }
        }
        let at = mover.at;
        self.stick(at);
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

    /// Marks the neighbours from which a unit, not of `except`, wants to enter a tile.
    fn stick_neighbors(&mut self, tile: u32, except: Option<u8>) {
        let marks = self.cells[tile as usize].marks;
        for heading in Direction::ALL.map(|direction| direction as usize) {
            let neighbor = if marks & BORDER == 0 {
                self.offsets.step(tile, marks, heading)
            } else {
                step_at_border(&self.grid, tile, heading)
            };
            if neighbor == NONE {
                continue;
            }
            let cell = &self.cells[neighbor as usize];
            if cell.exits & ONCOMING[heading] != 0 && Some(cell.holder) != except {
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
    /// `refill` gives sixteen more packed steps of a unit's path, by unit and word number.
    pub fn apply(&mut self, refill: impl Fn(u32, usize) -> u64, mut moved: impl FnMut(u32, Tile)) {
        let all = self.movers.len();
        if self.sorted {
            // The first walk ended at the last movers, and what they touched may still be in a cache.
            let mut front = Front::at_last(self);
            for start in (0..all).step_by(BATCH).rev() {
                front.retreat(self, start);
                self.carry_out(start, all.min(start + BATCH), &refill, &mut moved);
            }
        } else {
            self.carry_out(0, all, &refill, &mut moved);
        }
        self.failed.sort_unstable();
        self.name_those_waited_for();
        for tile in self.stuck.drain(..).chain(self.closed.drain(..)) {
            self.cells[tile as usize].marks &= !(STUCK | CLOSED);
        }
        if self.sorted {
            self.findings.waiting.sort_unstable_by_key(|wait| wait.unit);
        }
    }

    fn carry_out(
        &mut self,
        start: usize,
        end: usize,
        refill: &impl Fn(u32, usize) -> u64,
        moved: &mut impl FnMut(u32, Tile),
    ) {
        let (cells, lanes, unit_of) = (self.cells.as_mut_slice(), self.lanes.as_slice(), self.unit_of.as_slice());
        for (mover, index) in self.movers[start..end].iter_mut().zip(start as u32..) {
            let target = &mut cells[mover.goal as usize];
            let shut = target.marks & CLOSED != 0 || target.marks & STUCK != 0 && target.holder != mover.owner;
            if shut || mover.fate != Fate::Free {
                self.aside.push(index);
                continue;
            }
            target.entrant = NOBODY;
            target.holder = mover.owner;
            target.marks |= ENTERED;
            let source = &mut cells[mover.at as usize];
            source.exits = 0;
            // Whoever else leaves does not stay, so these marks say whether somebody is left.
            let left = source.marks & (REST | STUCK | ENTERED) != 0;
            source.holder = if left { source.holder } else { NOBODY };
            let unit = unit_of.get(mover.lane as usize).map_or(mover.lane, |&unit| unit);
            mover.step(lanes, unit, refill);
            mover.at = mover.goal;
            moved(unit, Tile::from_index(mover.goal as usize));
        }
        let mut aside = std::mem::take(&mut self.aside);
        for index in aside.drain(..) {
            self.fail(index);
        }
        self.aside = aside;
    }

    /// Lists a mover that does not move.
    fn fail(&mut self, index: u32) {
        let mover = &self.movers[index as usize];
        self.failed.push(u64::from(mover.at) << 32 | u64::from(index));
        self.lanes[mover.lane as usize].link = index;
        if mover.fate == Fate::Blocked {
            return;
        }
        self.cells[mover.at as usize].exits = 0;
        let target = &mut self.cells[mover.goal as usize];
        target.entrant = NOBODY;
        let marks = target.marks;
        match mover.fate {
            Fate::Passing => self.findings.passing.push(self.unit(mover.lane)),
            Fate::Stopped if marks & (CLOSED | STUCK) == 0 => self.findings.entering.push(self.unit(mover.lane)),
            _ => self.findings.waiting.push(Wait { unit: index, behind: NONE, closed: marks & CLOSED != 0 }),
        }
    }

    /// Finds for each waiting unit, which is still named by its place among the movers, its number and the one it
    /// waits for: of those that cross there, or that failed to leave, the one with the lowest number, which does not
    /// depend on anything else that happens elsewhere.
    fn name_those_waited_for(&mut self) {
        for i in 0..self.findings.waiting.len() {
            let Wait { unit: index, closed, .. } = self.findings.waiting[i];
            let mover = &self.movers[index as usize];
            let there = self.failed_on(mover.goal).filter(|other| !closed || other.fate == Fate::Passing);
            let behind = there.map(|other| self.unit(other.lane)).min();
            debug_assert!(behind.is_some(), "a tile is closed or stuck because of a unit on it");
            let unit = self.unit(mover.lane);
            self.findings.waiting[i] = Wait { unit, behind: behind.unwrap_or(unit), closed };
        }
    }
}

/// Steps from a tile where adding an offset could leave the map; `NONE` off it.
#[cold]
fn step_at_border(grid: &Grid, tile: u32, heading: usize) -> u32 {
    let neighbor = grid.neighbor(Tile::from_index(tile as usize), Direction::from_index(heading));
    neighbor.map_or(NONE, |n| n.index() as u32)
}
