//! The sight of a fogged seat while units move (R14.1).

use std::collections::BTreeSet;

use crate::grid::{Grid, Tile};
use crate::ids::{PlayerId, UnitId};

use super::{Sight, disc};

/// How many eyes rest on each tile, so that one of them can move without looking through the others again.
///
/// Eyes move at once and [`Lookout::settle`] makes them count, so that everything that happens at one moment is
/// judged by the same two sights, whatever the order in which it is told.
#[derive(Clone, Debug)]
pub struct Lookout {
    seat: PlayerId,
    grid: Grid,
    eyes: Vec<u32>,
    sight: Sight,
    touched: Vec<Tile>,
    /// Where every unit stands, to find those on a tile that comes into sight.
    places: BTreeSet<(Tile, UnitId)>,
}

/// What became visible, and what no longer is, both in tile order.
#[derive(Clone, Debug, Default)]
pub struct SightChange {
    /// The tiles that became visible.
    pub gained: Vec<Tile>,
    /// The tiles that no longer are.
    pub lost: Vec<Tile>,
}

impl Lookout {
    /// The lookout of a seat with some eyes, each with how far it sees, among units that stand somewhere.
    pub fn new(
        seat: PlayerId,
        grid: Grid,
        eyes: impl Iterator<Item = (Tile, u32)>,
        units: impl Iterator<Item = (Tile, UnitId)>,
    ) -> Self {
        let mut lookout = Self {
            seat,
            grid,
            eyes: vec![0; grid.len()],
            sight: Sight::none(&grid),
            touched: Vec::new(),
            places: units.collect(),
        };
        for (tile, vision) in eyes {
            lookout.open_eye(tile, vision);
        }
        lookout.settle();
        lookout
    }

    /// The seat whose eyes these are.
    pub const fn seat(&self) -> PlayerId {
        self.seat
    }

    /// What was seen when the last moment ended.
    pub const fn sight(&self) -> &Sight {
        &self.sight
    }

    /// Opens an eye on a tile.
    pub fn open_eye(&mut self, tile: Tile, vision: u32) {
        for at in disc(&self.grid, tile, vision).flatten() {
            self.eyes[at] += 1;
            if self.eyes[at] == 1 {
                self.touched.push(Tile::from_index(at));
            }
        }
    }

    /// Closes an eye that is open on a tile.
    pub fn close_eye(&mut self, tile: Tile, vision: u32) {
        for at in disc(&self.grid, tile, vision).flatten() {
            debug_assert!(self.eyes[at] > 0, "only an open eye is closed");
            self.eyes[at] = self.eyes[at].saturating_sub(1);
            if self.eyes[at] == 0 {
                self.touched.push(Tile::from_index(at));
            }
        }
    }

    /// Notes that a unit stands on a tile from now on.
    pub fn arrive(&mut self, unit: UnitId, tile: Tile) {
        self.places.insert((tile, unit));
    }

    /// Notes that a unit no longer stands on a tile.
    pub fn leave(&mut self, unit: UnitId, tile: Tile) {
        self.places.remove(&(tile, unit));
    }

    /// The units on a tile, by id.
    pub fn standing(&self, tile: Tile) -> impl Iterator<Item = UnitId> + '_ {
        let from = UnitId::new(0).map(|first| (tile, first));
        from.into_iter()
            .flat_map(|from| self.places.range(from..))
            .take_while(move |(t, _)| *t == tile)
            .map(|&(_, u)| u)
    }

    /// Ends a moment: from now on the eyes see from where they are.
    pub fn settle(&mut self) -> SightChange {
        let mut touched = std::mem::take(&mut self.touched);
        touched.sort_unstable();
        touched.dedup();
        let mut change = SightChange::default();
        for &tile in &touched {
            match (self.sight.contains(tile), self.eyes[tile.index()] > 0) {
                (false, true) => change.gained.push(tile),
                (true, false) => change.lost.push(tile),
                (false, false) | (true, true) => continue,
            }
            self.sight.set(tile, self.eyes[tile.index()] > 0);
        }
        touched.clear();
        self.touched = touched;
        change
    }
}
