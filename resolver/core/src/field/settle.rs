//! What encounters do to units between two ticks (R7).

use smallvec::SmallVec;

use super::Field;
use super::layout::{ENTERED, Lane, NOBODY, NONE, REST};
use crate::grid::Tile;

impl Field {
    /// Ends a unit's way for this turn; with `lose_path` what is left of its path is gone too.
    pub fn halt(&mut self, unit: u32, lose_path: bool) {
        let number = self.lane(unit);
        self.stay_at_rest(number);
        let mover = self.mover_index(number).map(|index| &mut self.movers[index]);
        let lane = &mut self.lanes[number as usize];
        let left = match mover {
            Some(mover) => {
                mover.speed = 0;
                &mut mover.left
            }
            None => &mut lane.left,
        };
        if lose_path {
            lane.path -= std::mem::take(left);
        }
    }

    /// Lets units that wanted to move take the next step of their paths together, after their encounter was settled.
    pub fn take_step(&mut self, units: &[u32], refill: impl Fn(u32, usize) -> u64) {
        let mut moving: SmallVec<[(u32, u32); 8]> = SmallVec::new();
        for &unit in units {
            let Some(index) = self.mover_index(self.lane(unit)) else { continue };
            let mover = &mut self.movers[index];
            mover.step(&self.lanes, unit, &refill);
            moving.push((index as u32, std::mem::replace(&mut mover.at, mover.goal)));
        }
        for &(_, tile) in &moving {
            self.vacate(tile);
        }
        for (index, _) in moving {
            let mover = &self.movers[index as usize];
            let cell = &mut self.cells[mover.at as usize];
            cell.holder = mover.owner;
            cell.marks |= ENTERED;
        }
    }

    /// Puts a unit on another tile, where it rests.
    pub fn relocate(&mut self, unit: u32, tile: Tile) {
        let number = self.lane(unit);
        self.remove(unit);
        let lane = &mut self.lanes[number as usize];
        lane.at = tile.index() as u32;
        self.cells[tile.index()].holder = lane.owner;
        self.rest(number);
    }

    /// Takes a unit off the field.
    pub fn remove(&mut self, unit: u32) {
        self.halt(unit, true);
        let number = self.lane(unit);
        let at = match self.mover_index(number) {
            Some(index) => std::mem::replace(&mut self.movers[index].at, NONE),
            None => self.stop_resting(number),
        };
        let lane = &mut self.lanes[number as usize];
        (lane.at, lane.left, lane.rests) = (NONE, 0, true);
        if at != NONE {
            self.vacate(at);
        }
    }

    /// Puts a lane on the list of those at rest on its tile.
    pub(super) fn rest(&mut self, number: u32) {
        let lane = &mut self.lanes[number as usize];
        lane.rests = true;
        lane.link = std::mem::replace(&mut self.first_at_rest[lane.at as usize], number);
        self.cells[lane.at as usize].marks |= REST;
    }

    /// Takes a lane off that list and returns the tile.
    pub(super) fn stop_resting(&mut self, number: u32) -> u32 {
        let Lane { at, link, .. } = self.lanes[number as usize];
        if at == NONE {
            return NONE;
        }
        let before = self.resting(at).find(|&lane| self.lanes[lane as usize].link == number);
        match before {
            Some(before) => self.lanes[before as usize].link = link,
            None => self.first_at_rest[at as usize] = link,
        }
        if self.first_at_rest[at as usize] == NONE {
            self.cells[at as usize].marks &= !REST;
        }
        at
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
