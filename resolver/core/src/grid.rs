//! The geometry of a map: a rectangle of hexes in odd-r rows, maybe wrapped at its sides (R3.1). Terrain is the games'.

use crate::hex::{Direction, Hex};

/// The place of a tile in its map: row by row, column by column.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Tile(u32);

impl Tile {
    /// The place as an index into dense arrays.
    pub const fn index(self) -> usize {
        self.0 as usize
    }

    /// The tile at a place of dense arrays; whether a grid has it is for the caller to know.
    pub const fn from_index(index: usize) -> Self {
        Self(index as u32)
    }
}

/// Width, height and wrap: all the geometry there is, without terrain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Grid {
    width: u32,
    height: u32,
    wrap: bool,
}

impl Grid {
    /// A grid; `None` where it is empty, has more than `u32::MAX / 4` tiles, or wraps onto itself (width 1).
    pub fn new(width: u32, height: u32, wrap: bool) -> Option<Self> {
        let tiles = u64::from(width) * u64::from(height);
        let fits = tiles > 0 && tiles <= u64::from(u32::MAX / 4);
        (fits && !(wrap && width < 2)).then_some(Self { width, height, wrap })
    }

    /// The number of tiles in a row.
    pub const fn width(&self) -> u32 {
        self.width
    }

    /// The number of rows.
    pub const fn height(&self) -> u32 {
        self.height
    }

    /// Whether the east end of a row touches its west end.
    pub const fn wrap(&self) -> bool {
        self.wrap
    }

    /// The number of tiles on the map.
    pub const fn len(&self) -> usize {
        self.width as usize * self.height as usize
    }

    /// Always false: a grid has at least one tile.
    pub const fn is_empty(&self) -> bool {
        false
    }

    /// Every tile, row by row.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + use<> {
        (0..self.len()).map(Tile::from_index)
    }

    /// The column and the row of a tile.
    pub const fn offset(&self, tile: Tile) -> (u32, u32) {
        (tile.0 % self.width, tile.0 / self.width)
    }

    /// The hex of a tile: `q = c - (r - (r & 1)) / 2`.
    pub const fn hex(&self, tile: Tile) -> Hex {
        let (c, r) = self.offset(tile);
        Hex::new(c as i32 - (r >> 1) as i32, r as i32)
    }

    /// The tile at a hex in its canonical form (column `0..width`), if it is on the map.
    pub fn tile(&self, hex: Hex) -> Option<Tile> {
        let row = u32::try_from(hex.r).ok().filter(|&r| r < self.height)?;
        let column = i64::from(hex.q) + i64::from(row >> 1);
        let column = u32::try_from(column).ok().filter(|&c| c < self.width)?;
        Some(Tile(row * self.width + column))
    }

    /// The neighbour of a tile in a direction, if the map goes on there.
    pub fn neighbor(&self, tile: Tile, direction: Direction) -> Option<Tile> {
        let (c, r) = self.offset(tile);
        let odd = (r & 1) as i32;
        let (dc, dr) = match direction {
            Direction::E => (1, 0),
            Direction::W => (-1, 0),
            Direction::NE => (odd, -1),
            Direction::NW => (odd - 1, -1),
            Direction::SE => (odd, 1),
            Direction::SW => (odd - 1, 1),
        };
        let row = r.checked_add_signed(dr).filter(|&row| row < self.height)?;
        let column = match c.checked_add_signed(dc).filter(|&column| column < self.width) {
            Some(column) => column,
            None if !self.wrap => return None,
            None if dc < 0 => self.width - 1,
            None => 0,
        };
        Some(Tile(row * self.width + column))
    }

    /// The neighbours that are on the map, in direction order.
    pub fn neighbors(&self, tile: Tile) -> impl Iterator<Item = (Direction, Tile)> + use<> {
        let grid = *self;
        Direction::ALL.into_iter().filter_map(move |d| grid.neighbor(tile, d).map(|n| (d, n)))
    }

    /// The first direction that leads from one tile to another, if they are adjacent.
    pub fn direction(&self, from: Tile, to: Tile) -> Option<Direction> {
        let (here, there) = (self.hex(from), self.hex(to));
        match Direction::between(here, there) {
            None if self.wrap => self.neighbors(from).find(|&(_, n)| n == to).map(|(d, _)| d),
            found => found,
        }
    }

    /// Whether two tiles touch.
    pub fn adjacent(&self, a: Tile, b: Tile) -> bool {
        self.direction(a, b).is_some()
    }

    /// Steps between two tiles over any terrain, the short way round where the map wraps.
    pub fn distance(&self, a: Tile, b: Tile) -> u32 {
        let (a, b) = (self.hex(a), self.hex(b));
        let straight = a.distance(b);
        if !self.wrap {
            return straight;
        }
        let width = self.width as i32;
        let east = a.distance(Hex::new(b.q.saturating_add(width), b.r));
        let west = a.distance(Hex::new(b.q.saturating_sub(width), b.r));
        straight.min(east).min(west)
    }

    /// Every tile within a distance, each once, in tile order.
    pub fn within(&self, center: Tile, radius: u32) -> Vec<Tile> {
        let (_, row) = self.offset(center);
        let hex = self.hex(center);
        let mut found = Vec::new();
        for r in row.saturating_sub(radius)..=row.saturating_add(radius).min(self.height - 1) {
            let dr = i64::from(r) - i64::from(row);
            let reach = i64::from(radius);
            let first = (-reach).max(-reach - dr);
            let last = reach.min(reach - dr);
            for dq in first..=last {
                let column = i64::from(hex.q) + dq + i64::from(r >> 1);
                let width = i64::from(self.width);
                let column = if self.wrap { column.rem_euclid(width) } else { column };
                if (0..width).contains(&column) {
                    found.push(Tile(r * self.width + column as u32));
                }
            }
        }
        found.sort_unstable();
        found.dedup();
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_and_hexes_are_the_same_places() {
        for wrap in [false, true] {
            let grid = Grid::new(5, 6, wrap).expect("a grid");
            for tile in grid.tiles() {
                assert_eq!(grid.tile(grid.hex(tile)), Some(tile));
                for (d, n) in grid.neighbors(tile) {
                    assert!(grid.adjacent(tile, n));
                    assert_eq!(grid.neighbor(n, d.opposite()), Some(tile));
                    assert_eq!(grid.distance(tile, n), 1);
                }
            }
        }
    }

    #[test]
    fn within_is_everything_at_that_distance() {
        for wrap in [false, true] {
            let grid = Grid::new(7, 9, wrap).expect("a grid");
            for center in grid.tiles() {
                for radius in 0..6 {
                    let slow: Vec<_> = grid.tiles().filter(|&t| grid.distance(center, t) <= radius).collect();
                    assert_eq!(grid.within(center, radius), slow);
                }
            }
        }
    }

    #[test]
    fn a_wrapped_distance_is_what_walking_finds() {
        for (width, height) in [(2, 5), (3, 4), (6, 7)] {
            let grid = Grid::new(width, height, true).expect("a grid");
            for start in grid.tiles() {
                let mut steps = vec![u32::MAX; grid.len()];
                let mut queue = std::collections::VecDeque::from([start]);
                steps[start.index()] = 0;
                while let Some(here) = queue.pop_front() {
                    for (_, n) in grid.neighbors(here) {
                        if steps[n.index()] == u32::MAX {
                            steps[n.index()] = steps[here.index()] + 1;
                            queue.push_back(n);
                        }
                    }
                }
                for end in grid.tiles() {
                    assert_eq!(grid.distance(start, end), steps[end.index()]);
                }
            }
        }
    }
}
