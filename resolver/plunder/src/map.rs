//! The map: a rectangle of terrain in odd-r rows, maybe wrapped at its sides (R3).
//!
//! [`MapText`] is what somebody drew, [`Map`] is what is known to be a map.

use parley_core::grid::{Grid, Tile};

use crate::legality::{Fault, Part};
use crate::rules::{Domain, Rules};

/// The most tiles a map has (R3.2).
pub const MAX_TILES: usize = 1_048_576;

/// A map as text: one string per row, one character per tile.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MapText {
    /// The number of tiles in a row.
    pub width: u64,
    /// The number of rows.
    pub height: u64,
    /// Whether the east end of a row touches its west end.
    pub wrap: bool,
    /// The rows, from the north.
    pub tiles: Vec<String>,
}

/// A map whose terrain is known to fit the rules.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Map {
    grid: Grid,
    terrain: Vec<u8>,
    domains: Vec<u8>,
}

impl Map {
    /// Checks a drawn map against the rules' terrains, and returns all its faults if it has any.
    pub fn compile(text: &MapText, rules: &Rules) -> Result<Self, Vec<Fault>> {
        let fault = |rule, text: String| Fault::new(None, rule, text);
        if text.width == 0 || text.height == 0 {
            return Err(vec![fault("R3.1", format!("a map of {} x {} tiles has no tile", text.width, text.height))]);
        }
        if text.width.saturating_mul(text.height) > MAX_TILES as u64 {
            let size = format!("{} x {}", text.width, text.height);
            let text = format!("a map of {size} tiles is too large, at most {MAX_TILES} tiles are allowed");
            return Err(vec![fault("R3.2", text)]);
        }
        let Some(grid) = Grid::new(text.width as u32, text.height as u32, text.wrap) else {
            return Err(vec![fault("R3.1", "a map that wraps is at least 2 tiles wide".to_owned())]);
        };
        let mut faults = Vec::new();
        if text.tiles.len() as u64 != text.height {
            faults.push(fault("R3.1", format!("{} rows are drawn, the height is {}", text.tiles.len(), text.height)));
        }
        let mut terrain = Vec::with_capacity(grid.len());
        for (r, row) in text.tiles.iter().enumerate().take(text.height as usize) {
            let before = terrain.len();
            for (c, symbol) in row.chars().enumerate().take(text.width as usize + 1) {
                match rules.terrains().iter().position(|t| t.symbol == symbol) {
                    Some(row) => terrain.push(row as u8),
                    None => {
                        let symbol = symbol.escape_default();
                        let text = format!("row {r}, column {c}: no terrain has the symbol '{symbol}'");
                        faults.push(fault("R3.2", text).of(Part::Row(r)));
                        terrain.push(0);
                    }
                }
            }
            if (terrain.len() - before) as u64 != text.width {
                let drawn = row.chars().count();
                let text = format!("row {r} is {drawn} tiles long, the width is {}", text.width);
                faults.push(fault("R3.1", text).of(Part::Row(r)));
            }
        }
        if faults.is_empty() { Ok(Self::assemble(grid, terrain, rules)) } else { Err(faults) }
    }

    /// A map from rows of the terrain table, which the caller knows to be in range.
    pub(crate) fn assemble(grid: Grid, terrain: Vec<u8>, rules: &Rules) -> Self {
        let admits = |row: u8| {
            let terrain = &rules.terrains()[row as usize];
            let bit = |domain| u8::from(terrain.admits(domain)) << domain as u8;
            let harbor = u8::from(terrain.harbor) << 7;
            bit(Domain::Naval) | bit(Domain::Land) | bit(Domain::Air) | harbor
        };
        let table: Vec<u8> = (0..rules.terrains().len() as u8).map(admits).collect();
        let domains = terrain.iter().map(|&row| table[row as usize]).collect();
        Self { grid, terrain, domains }
    }

    /// The geometry of the map, without its terrain.
    pub const fn grid(&self) -> &Grid {
        &self.grid
    }

    /// The row of the terrain table that a tile has.
    pub fn terrain(&self, tile: Tile) -> usize {
        self.terrain[tile.index()] as usize
    }

    /// Whether units of a domain may enter a tile.
    pub fn navigable(&self, tile: Tile, domain: Domain) -> bool {
        self.domains[tile.index()] & 1 << domain as u8 != 0
    }

    /// Whether a structure can stand on a tile.
    pub fn is_harbor(&self, tile: Tile) -> bool {
        self.domains[tile.index()] & 1 << 7 != 0
    }

    /// The map as text again.
    pub fn to_text(&self, rules: &Rules) -> MapText {
        let symbol = |&row: &u8| rules.terrains()[row as usize].symbol;
        let width = self.grid.width() as usize;
        MapText {
            width: self.grid.width().into(),
            height: self.grid.height().into(),
            wrap: self.grid.wrap(),
            tiles: self.terrain.chunks(width).map(|row| row.iter().map(symbol).collect()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_drawing_has_all_its_faults_named() {
        let rules = Rules::plunder();
        let text = MapText { width: 3, height: 2, wrap: false, tiles: vec!["~.?".into(), "....".into()] };
        let faults = Map::compile(&text, &rules).expect_err("two faults");
        assert_eq!(faults.len(), 2);
        let narrow = MapText { width: 1, height: 1, wrap: true, tiles: vec![".".into()] };
        assert!(Map::compile(&narrow, &rules).is_err());
        let huge = MapText { width: u64::MAX, height: u64::MAX, wrap: false, tiles: vec![] };
        assert!(Map::compile(&huge, &rules).is_err());
    }
}
