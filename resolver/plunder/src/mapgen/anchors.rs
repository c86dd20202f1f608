//! Where the start islands go: spread over the map, each about as far from its nearest rival as all others.

use parley_core::chance::Chance;
use parley_core::grid::{Grid, Tile};

/// How often all places are gone through at one spacing before it is lowered.
const ROUNDS: usize = 24;
/// How many other places a start tries in each round.
const TRIES: usize = 6;
/// The closest that two anchors come.
const MIN_SPACING: u32 = 3;

/// Finds one tile per player, and the spacing that was reached: for every anchor the nearest other one is at `spacing`
/// to `spacing * 9 / 8` steps. `None` where the map has no room.
pub(super) fn spread(grid: &Grid, players: usize, chance: &mut Chance) -> Option<(Vec<Tile>, u32)> {
    let field = Field::new(grid);
    let mut anchors: Vec<Tile> = (0..players).map(|_| field.anywhere(chance)).collect();
    let mut spacing = field.widest(players) * chance.between(13, 15) / 16;
    while spacing >= MIN_SPACING {
        if settle(&field, &mut anchors, spacing, chance) {
            return Some((anchors, spacing));
        }
        spacing = (spacing * 15 / 16).min(spacing - 1);
    }
    None
}

/// Moves the anchors about until each is well placed, if that happens soon enough.
fn settle(field: &Field, anchors: &mut [Tile], spacing: u32, chance: &mut Chance) -> bool {
    for round in 0..ROUNDS {
        let mut settled = true;
        for moved in 0..anchors.len() {
            let mut strain = field.strain(anchors, moved, anchors[moved], spacing);
            if strain == 0 {
                continue;
            }
            settled = false;
            // Steps shorten with the rounds: first find a free corner, then adjust.
            let reach = spacing * 2 / (1 + round as u32 / 4);
            for _ in 0..TRIES {
                let there = field.near(anchors[moved], reach.max(2), chance);
                let strain_there = field.strain(anchors, moved, there, spacing);
                if strain_there <= strain {
                    strain = strain_there;
                    anchors[moved] = there;
                }
            }
        }
        if settled {
            return true;
        }
    }
    false
}

/// The part of the map that anchors can be in: islands need some sea around them.
struct Field {
    grid: Grid,
    left: u32,
    top: u32,
    width: u32,
    height: u32,
}

impl Field {
    fn new(grid: &Grid) -> Self {
        let inset = |size: u32| (size / 12).max(1);
        let left = if grid.wrap() { 0 } else { inset(grid.width()) };
        let top = inset(grid.height());
        Self { grid: *grid, left, top, width: grid.width() - 2 * left, height: grid.height() - 2 * top }
    }

    /// A spacing that this many anchors cannot exceed by much. Each of them has a hexagon of its own, which has
    /// `3 / 4 * spacing * spacing` tiles and may stick out of the field by half.
    fn widest(&self, players: usize) -> u32 {
        let (width, height) = (u64::from(self.width), u64::from(self.height));
        let fits = |spacing: u64| (width + spacing) * (height + spacing) * 4 >= 3 * spacing * spacing * players as u64;
        let diameter = width.max(height) + width.min(height) / 2;
        let (mut low, mut high) = (0, diameter);
        while low < high {
            let middle = (low + high).div_ceil(2);
            if fits(middle) { low = middle } else { high = middle - 1 }
        }
        low as u32
    }

    fn tile(&self, column: u32, row: u32) -> Tile {
        Tile::from_index(((self.top + row) * self.grid.width() + self.left + column) as usize)
    }

    fn anywhere(&self, chance: &mut Chance) -> Tile {
        let column = chance.below(self.width);
        self.tile(column, chance.below(self.height))
    }

    /// A random tile at most about `reach` columns and rows away from a tile.
    fn near(&self, tile: Tile, reach: u32, chance: &mut Chance) -> Tile {
        let (column, row) = self.grid.offset(tile);
        let mut shift = |from: u32, size: u32, wrap: bool| {
            let moved = i64::from(from) + i64::from(chance.between(0, 2 * reach)) - i64::from(reach);
            let size = i64::from(size);
            (if wrap { moved.rem_euclid(size) } else { moved.clamp(0, size - 1) }) as u32
        };
        let column = shift(column - self.left, self.width, self.grid.wrap());
        let row = shift(row - self.top, self.height, false);
        self.tile(column, row)
    }

    /// How far the nearest other anchor is from where it should be; being too near counts more.
    fn strain(&self, anchors: &[Tile], moved: usize, there: Tile, spacing: u32) -> u32 {
        let others = anchors.iter().enumerate().filter(|&(other, _)| other != moved);
        let nearest = others.map(|(_, &other)| self.grid.distance(other, there)).min().unwrap_or(spacing);
        let farthest = spacing + spacing / 8;
        if nearest < spacing { 2 * (spacing - nearest) } else { nearest.saturating_sub(farthest) }
    }
}
