//! The map as a view tells it, read with the rules of the match.

use parley_core::grid::{Grid, Tile};
use parley_core::hex::Hex;
use parley_plunder::rules::{Domain, Rules, Terrain};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

/// What a viewer knows of the sea.
pub struct Sea<'a> {
    grid: Grid,
    terrain: &'a [u8],
    /// The terrains of the rules, by row of the view's keys; `None` is a key that the rules do not know.
    rows: Vec<Option<&'a Terrain>>,
    /// Tiles that carry a structure of somebody else, or a contest, sorted.
    barred: Vec<Tile>,
}

impl<'a> Sea<'a> {
    /// Reads a view; `None` where its map makes no sense.
    pub fn read(rules: &'a Rules, view: &'a plunder::View) -> Option<Self> {
        let grid = Grid::new(view.width, view.height, view.wrap)?;
        if view.terrain.len() != grid.len() {
            return None;
        }
        let row = |key: &String| rules.terrains().iter().find(|terrain| terrain.key == *key);
        let foreign = view.structures.iter().filter(|s| s.owner != view.seat).map(|s| &s.hex);
        let contested = view.contests.iter().map(|contest| &contest.hex);
        let mut sea = Self {
            grid,
            terrain: &view.terrain,
            rows: view.terrain_keys.iter().map(row).collect(),
            barred: Vec::new(),
        };
        sea.barred = foreign.chain(contested).filter_map(|hex| sea.tile(hex.as_ref()?)).collect();
        sea.barred.sort_unstable();
        Some(sea)
    }

    /// The geometry of the map.
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The tile at a hex, if it is on the map.
    pub fn tile(&self, hex: &common::Hex) -> Option<Tile> {
        self.grid.tile(Hex::new(hex.q, hex.r))
    }

    /// The hex of a tile.
    pub fn hex(&self, tile: Tile) -> common::Hex {
        let Hex { q, r } = self.grid.hex(tile);
        common::Hex { q, r }
    }

    /// Whether units of a domain may be ordered over a tile: it is known, and they can be there.
    pub fn navigable(&self, tile: Tile, domain: Domain) -> bool {
        let row = self.terrain.get(tile.index()).map(|&row| usize::from(row));
        row.and_then(|row| *self.rows.get(row)?).is_some_and(|terrain| terrain.admits(domain))
    }

    /// Whether nothing that is known bars the way: navigable, no structure of somebody else, no contest.
    pub fn is_open(&self, tile: Tile, domain: Domain) -> bool {
        self.navigable(tile, domain) && self.barred.binary_search(&tile).is_err()
    }
}
