//! A breadth-first search over tiles with memory that is used again.

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;

/// A tile that a search has found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Find {
    pub(crate) tile: Tile,
    /// The number of steps from the start.
    pub(crate) steps: u32,
    /// The place of the find that this one was reached from; the start's is its own.
    pub(crate) before: u32,
}

/// What a search is told of a tile it could go on to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Answer {
    /// The search goes on over this tile.
    Open,
    /// There is no way through it.
    Barred,
    /// There may be a way through it, but it would be too long.
    Beyond,
}

/// The memory of searches. One survey serves any number of them on maps of any size, one after the other; it grows
/// to one bit per tile, and a search touches only what it finds.
#[derive(Clone, Debug, Default)]
pub struct Survey {
    visited: Vec<u64>,
    finds: Vec<Find>,
}

impl Survey {
    /// A survey that has not allocated anything yet.
    pub const fn new() -> Self {
        Self { visited: Vec::new(), finds: Vec::new() }
    }

    /// Searches until `goal` is found or nothing is left within `most` steps. Returns whether some way was given up
    /// only because of its length.
    ///
    /// Neighbours are looked at in direction order, and a tile belongs to the first that finds it. So of all shortest
    /// ways to a tile the search finds the one whose directions come first, compared step by step (R3.1).
    pub(crate) fn search(
        &mut self,
        grid: &Grid,
        start: Tile,
        goal: Option<Tile>,
        most: u32,
        ask: impl Fn(Tile, u32) -> Answer,
    ) -> bool {
        self.forget();
        self.visited.resize(self.visited.len().max(grid.len().div_ceil(64)), 0);
        self.visit(start);
        self.finds.push(Find { tile: start, steps: 0, before: 0 });
        let mut cut = false;
        let mut place = 0;
        while let Some(&Find { tile, steps, .. }) = self.finds.get(place) {
            for direction in Direction::ALL {
                let Some(next) = grid.neighbor(tile, direction).filter(|&next| !self.is_visited(next)) else {
                    continue;
                };
                let answer = if steps < most { ask(next, steps + 1) } else { Answer::Beyond };
                cut |= answer == Answer::Beyond;
                if answer != Answer::Open {
                    continue;
                }
                self.visit(next);
                self.finds.push(Find { tile: next, steps: steps + 1, before: place as u32 });
                if Some(next) == goal {
                    return cut;
                }
            }
            place += 1;
        }
        cut
    }

    /// Finds every tile within some steps over open tiles, nearest first; the start is the first.
    pub(crate) fn spread(&mut self, grid: &Grid, start: Tile, most: u32, open: impl Fn(Tile) -> bool) -> &[Find] {
        self.search(grid, start, None, most, |tile, _| if open(tile) { Answer::Open } else { Answer::Barred });
        &self.finds
    }

    /// Everything the last search found, nearest first; the start is the first.
    pub(crate) fn finds(&self) -> &[Find] {
        &self.finds
    }

    /// The way to a find, without the start.
    pub(crate) fn way(&self, mut place: usize) -> Vec<Find> {
        let mut way = Vec::new();
        while place > 0 {
            let find = self.finds[place];
            way.push(find);
            place = find.before as usize;
        }
        way.reverse();
        way
    }

    fn forget(&mut self) {
        for find in self.finds.drain(..) {
            self.visited[find.tile.index() / 64] = 0;
        }
    }

    fn visit(&mut self, tile: Tile) {
        self.visited[tile.index() / 64] |= 1 << (tile.index() % 64);
    }

    fn is_visited(&self, tile: Tile) -> bool {
        self.visited[tile.index() / 64] >> (tile.index() % 64) & 1 != 0
    }
}
