//! Maps from a seed: islands, harbors at the open sea, and a fair start for everyone.
//!
//! An attempt spreads the starts over the map, raises an island for each of them and neutral ones between them,
//! and then chooses the harbors by their sailing distances. What comes out is measured by [`fairness`], which knows
//! nothing of all this; if it is not fair, the next attempt draws from its own stream of the same seed. So a
//! request has one answer on every machine.
//!
//! Every size of at least [`MIN_WIDTH`] × [`MIN_HEIGHT`] tiles has room for one player per [`TILES_PER_PLAYER`]
//! tiles: Tiny for 2 to 4 players, Small for 9, Standard for 14, Large and Huge for 16. On all of them the first few
//! attempts succeed.

mod anchors;
mod harbors;
mod islands;
mod request;
pub(crate) mod survey;
mod svg;

use parley_core::chance::Chance;
use parley_core::grid::{Grid, Tile};

use crate::map::Map;
use crate::rules::{Domain, Rules, Terrain};
use harbors::Harbors;
use islands::{Land, WATER};
pub use request::{
    MAX_SEATS, MAX_SIDE, MIN_HEIGHT, MIN_SEATS, MIN_WIDTH, MapRequest, MapRequestError, SizePreset, TILES_PER_PLAYER,
};
pub use survey::{Fairness, fairness, open_sea, stranded};
pub use svg::svg;

/// The most attempts at a map, however small.
const MAX_ATTEMPTS: u32 = 4096;
/// The most tiles drawn for one request, all attempts together; one attempt at the largest map has 1/64 of them.
const MAX_DRAWN_TILES: u32 = 1 << 26;
/// Water at least this far from land is deep.
const DEEP: u8 = 2;

/// A map and where its players start.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GeneratedMap {
    /// The map that was drawn.
    pub map: Map,
    /// One harbor per player, in seat order.
    pub starts: Vec<Tile>,
    /// The attempt that was fair, counted from 0.
    pub attempt: u32,
}

/// Draws the map of a request: the same one always, for the same rules.
pub fn generate(rules: &Rules, request: &MapRequest) -> Result<GeneratedMap, MapRequestError> {
    let grid = request.grid()?;
    let palette = Palette::of(rules)?;
    let attempts = (MAX_DRAWN_TILES / grid.len() as u32).min(MAX_ATTEMPTS);
    for attempt in 0..attempts {
        let mut chance = Chance::new(request.seed, attempt);
        let Some((land, harbors)) = draw(&grid, request.players, &mut chance) else { continue };
        let map = Map::assemble(grid, palette.paint(&grid, &land, &harbors), rules);
        if fairness(&map, &harbors.starts).is_fair() && stranded(&map).is_empty() {
            return Ok(GeneratedMap { map, starts: harbors.starts, attempt });
        }
    }
    Err(MapRequestError::Exhausted { attempts })
}

/// Draws the land and harbors of one attempt, whose fairness is not measured yet.
fn draw(grid: &Grid, players: usize, chance: &mut Chance) -> Option<(Land, Harbors)> {
    let (anchors, spacing) = anchors::spread(grid, players, chance)?;
    let land = Land::raise(grid, &anchors, spacing, chance)?;
    let harbors = harbors::choose(grid, &land, players, spacing, chance)?;
    Some((land, harbors))
}

/// The rows of the terrain table that maps are made of.
struct Palette {
    deep: u8,
    sea: u8,
    land: u8,
    harbor: u8,
}

impl Palette {
    fn of(rules: &Rules) -> Result<Self, MapRequestError> {
        let row = |key: &'static str, nature: &'static str, suits: fn(&Terrain) -> bool| {
            let found = rules.terrains().iter().position(|terrain| terrain.key == key && suits(terrain));
            found.map(|row| row as u8).ok_or(MapRequestError::Terrain { key, nature })
        };
        let open: fn(&Terrain) -> bool = |terrain| terrain.admits(Domain::Naval) && !terrain.harbor;
        Ok(Self {
            deep: row("deep", "ships can sail and that is no harbor", open)?,
            sea: row("sea", "ships can sail and that is no harbor", open)?,
            land: row("land", "ships cannot sail", |terrain| !terrain.admits(Domain::Naval))?,
            harbor: row("harbor", "ships can sail and that is a harbor", |t| t.admits(Domain::Naval) && t.harbor)?,
        })
    }

    /// The terrain row of each tile.
    fn paint(&self, grid: &Grid, land: &Land, harbors: &Harbors) -> Vec<u8> {
        let depth = depths(grid, land);
        let row = |depth: u8| match depth {
            0 => self.land,
            DEEP.. => self.deep,
            _ => self.sea,
        };
        let mut terrain: Vec<u8> = depth.into_iter().map(row).collect();
        for harbor in harbors.starts.iter().chain(&harbors.free) {
            terrain[harbor.index()] = self.harbor;
        }
        terrain
    }
}

/// How far each tile is from land, up to [`DEEP`].
fn depths(grid: &Grid, land: &Land) -> Vec<u8> {
    let mut depth: Vec<u8> = land.island.iter().map(|&island| if island == WATER { DEEP } else { 0 }).collect();
    let mut shore: Vec<Tile> = grid.tiles().filter(|tile| depth[tile.index()] == 0).collect();
    for next in 1..DEEP {
        let mut farther = Vec::new();
        for (_, tile) in shore.iter().flat_map(|&tile| grid.neighbors(tile)) {
            if depth[tile.index()] == DEEP {
                depth[tile.index()] = next;
                farther.push(tile);
            }
        }
        shore = farther;
    }
    depth
}

#[cfg(test)]
mod tests;
