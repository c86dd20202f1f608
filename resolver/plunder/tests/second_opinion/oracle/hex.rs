//! The map: axial hexes in odd-r rows, with optional horizontal wrap (R3).

use std::collections::BTreeMap;

pub type Hex = (i32, i32);

/// E, NE, NW, W, SW, SE (R3.1).
pub const DIRECTIONS: [Hex; 6] = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];

pub struct Map {
    pub width: i32,
    pub height: i32,
    pub wrap: bool,
    pub terrain: BTreeMap<Hex, char>,
}

/// How far row `r` is shifted: column = q + shift.
fn shift(r: i32) -> i32 {
    (r - (r & 1)) / 2
}

impl Map {
    pub fn new(width: i32, height: i32, wrap: bool, rows: &[String]) -> Map {
        let mut terrain = BTreeMap::new();
        for (r, row) in (0..height).zip(rows) {
            for (c, symbol) in (0..width).zip(row.chars()) {
                terrain.insert((c - shift(r), r), symbol);
            }
        }
        Map { width, height, wrap, terrain }
    }

    /// The tile that the coordinates mean, or None beyond the edge of the map.
    pub fn canonical(&self, (q, r): Hex) -> Option<Hex> {
        let mut column = q + shift(r);
        if self.wrap {
            column = column.rem_euclid(self.width);
        }
        let hex = (column - shift(r), r);
        self.terrain.contains_key(&hex).then_some(hex)
    }

    /// The neighbours on the map, in direction order (R3.1).
    pub fn neighbours(&self, (q, r): Hex) -> Vec<Hex> {
        let mut found = Vec::new();
        for (dq, dr) in DIRECTIONS {
            if let Some(hex) = self.canonical((q + dq, r + dr)) {
                found.push(hex);
            }
        }
        found
    }

    pub fn adjacent(&self, a: Hex, b: Hex) -> bool {
        self.neighbours(a).contains(&b)
    }

    /// The naval domain enters all but land (R3.2).
    pub fn navigable(&self, hex: Hex) -> bool {
        self.terrain[&hex] != '#'
    }

    /// Hexes between two tiles, the shorter way round where the map wraps.
    pub fn distance(&self, a: Hex, b: Hex) -> i32 {
        let turns: &[i32] = if self.wrap { &[-2, -1, 0, 1, 2] } else { &[0] };
        let mut best = i32::MAX;
        for turn in turns {
            let dq = a.0 - b.0 + turn * self.width;
            let dr = a.1 - b.1;
            best = best.min((dq.abs() + dr.abs() + (dq + dr).abs()) / 2);
        }
        best
    }
}
