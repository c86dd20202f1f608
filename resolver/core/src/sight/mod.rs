//! What eyes see on a grid: sets of tiles that a viewer sees now, and that a viewer has seen (R14.1).

mod lookout;

use std::ops::Range;

use crate::grid::{Grid, Tile};

pub use lookout::{Lookout, SightChange};

const BITS: usize = u64::BITS as usize;

/// A set of tiles, with one bit per tile.
#[derive(Clone, Debug, PartialEq, Eq)]
struct TileSet {
    words: Vec<u64>,
}

impl TileSet {
    fn empty(grid: &Grid) -> Self {
        Self { words: vec![0; grid.len().div_ceil(BITS)] }
    }

    fn contains(&self, tile: Tile) -> bool {
        self.words.get(tile.index() / BITS).is_some_and(|word| word >> (tile.index() % BITS) & 1 != 0)
    }

    fn set(&mut self, tile: Tile, member: bool) {
        let bit = 1 << (tile.index() % BITS);
        // A memory that was made for a smaller map does not grow.
        if let Some(word) = self.words.get_mut(tile.index() / BITS) {
            *word = if member { *word | bit } else { *word & !bit };
        }
    }

    /// Adds neighbouring tiles of a row, word by word.
    fn add_range(&mut self, range: Range<usize>) {
        let mut at = range.start;
        while at < range.end {
            let (word, low) = (at / BITS, at % BITS);
            let count = (range.end - at).min(BITS - low);
            self.words[word] |= (u64::MAX >> (BITS - count)) << low;
            at += count;
        }
    }

    fn add_all(&mut self, other: &Self) {
        for (word, more) in self.words.iter_mut().zip(&other.words) {
            *word |= more;
        }
    }

    fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        let members = |(at, &word): (usize, &u64)| {
            (0..BITS).filter(move |bit| word >> bit & 1 != 0).map(move |bit| Tile::from_index(at * BITS + bit))
        };
        self.words.iter().enumerate().filter(|(_, word)| **word != 0).flat_map(members)
    }
}

/// The tiles within a distance as runs of tile numbers, each tile once: one or, across the seam of a map that
/// wraps, two runs per row.
fn disc(grid: &Grid, center: Tile, radius: u32) -> impl Iterator<Item = Range<usize>> + use<> {
    let (_, row) = grid.offset(center);
    let q = i64::from(grid.hex(center).q);
    let (width, wrap, reach) = (i64::from(grid.width()), grid.wrap(), i64::from(radius));
    let rows = row.saturating_sub(radius)..=row.saturating_add(radius).min(grid.height() - 1);
    rows.flat_map(move |r| {
        let dr = i64::from(r) - i64::from(row);
        let column = q + i64::from(r >> 1);
        let (first, last) = (column + (-reach).max(-reach - dr), column + reach.min(reach - dr));
        let runs = if !wrap {
            [(first.max(0), last.min(width - 1) + 1), (0, 0)]
        } else if last - first + 1 >= width {
            [(0, width), (0, 0)]
        } else {
            let first = first.rem_euclid(width);
            let last = last.rem_euclid(width);
            if first <= last { [(first, last + 1), (0, 0)] } else { [(first, width), (0, last + 1)] }
        };
        let start = i64::from(r) * width;
        runs.into_iter()
            .filter(|(first, end)| first < end)
            .map(move |(first, end)| (start + first) as usize..(start + end) as usize)
    })
}

/// The tiles that a viewer sees at one moment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight(TileSet);

impl Sight {
    /// The sight of a viewer without eyes.
    pub fn none(grid: &Grid) -> Self {
        Self(TileSet::empty(grid))
    }

    /// The sight of a viewer for whom there is no fog.
    pub fn all(grid: &Grid) -> Self {
        let mut sight = Self::none(grid);
        sight.0.add_range(0..grid.len());
        sight
    }

    /// The sight of some eyes: the tiles within a distance of each.
    pub fn of(grid: &Grid, eyes: impl IntoIterator<Item = (Tile, u32)>) -> Self {
        let mut sight = Self::none(grid);
        for (tile, vision) in eyes {
            disc(grid, tile, vision).for_each(|run| sight.0.add_range(run));
        }
        sight
    }

    /// Whether a tile is seen.
    pub fn contains(&self, tile: Tile) -> bool {
        self.0.contains(tile)
    }

    /// Every tile that is seen, in tile order.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        self.0.tiles()
    }

    /// Adds a tile to what is seen, or takes it away.
    pub fn set(&mut self, tile: Tile, seen: bool) {
        self.0.set(tile, seen);
    }
}

/// The tiles whose terrain one viewer knows (R14.1). The caller keeps one per viewer for the whole match,
/// and feeds it with everything that was seen on the way.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Memory(TileSet);

impl Memory {
    /// A memory of a viewer who has seen no tile yet.
    pub fn new(grid: &Grid) -> Self {
        Self(TileSet::empty(grid))
    }

    /// The memory as bytes: one bit per tile in tile order, the lowest bit of a byte first, in whole groups of eight
    /// bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        self.0.words.iter().flat_map(|word| word.to_le_bytes()).collect()
    }

    /// A memory from its bytes; `None` where they are not those of a memory of this grid.
    pub fn from_bytes(grid: &Grid, bytes: &[u8]) -> Option<Self> {
        let mut known = TileSet::empty(grid);
        if bytes.len() != known.words.len() * size_of::<u64>() {
            return None;
        }
        for (word, bytes) in known.words.iter_mut().zip(bytes.as_chunks().0) {
            *word = u64::from_le_bytes(*bytes);
        }
        let beyond = known.tiles().last().is_some_and(|tile| tile.index() >= grid.len());
        (!beyond).then_some(Self(known))
    }

    /// Remembers the tiles that are seen.
    pub fn learn(&mut self, sight: &Sight) {
        self.0.add_all(&sight.0);
    }

    /// Remembers some tiles.
    pub fn learn_tiles(&mut self, tiles: &[Tile]) {
        for &tile in tiles {
            self.0.set(tile, true);
        }
    }

    /// Whether a tile has ever been seen.
    pub fn contains(&self, tile: Tile) -> bool {
        self.0.contains(tile)
    }

    /// Every tile that has been seen, in tile order.
    pub fn tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        self.0.tiles()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_disc_is_what_the_grid_finds_within_a_distance() {
        for (width, height, wrap) in [(9, 7, false), (9, 7, true), (2, 5, true), (1, 4, false), (70, 3, true)] {
            let grid = Grid::new(width, height, wrap).expect("a grid");
            for center in grid.tiles() {
                for radius in [0, 1, 2, 3, 5, 32] {
                    let mut set = TileSet::empty(&grid);
                    let mut count = 0;
                    for run in disc(&grid, center, radius) {
                        count += run.len();
                        set.add_range(run);
                    }
                    let found: Vec<_> = set.tiles().collect();
                    assert_eq!(found, grid.within(center, radius));
                    assert_eq!(count, found.len(), "each tile once");
                }
            }
        }
    }

    #[test]
    fn a_memory_forgets_nothing_and_holds_no_tile_of_another_map() {
        let grid = Grid::new(10, 10, false).expect("a grid");
        let mut memory = Memory::new(&grid);
        for at in [3, 64, 99] {
            let mut sight = Sight::none(&grid);
            sight.set(Tile::from_index(at), true);
            memory.learn(&sight);
        }
        let known: Vec<_> = memory.tiles().map(Tile::index).collect();
        assert_eq!(known, [3, 64, 99]);
        assert!(!memory.contains(Tile::from_index(100_000)));
    }

    #[test]
    fn a_memory_is_its_bytes() {
        let grid = Grid::new(10, 10, false).expect("a grid");
        let mut memory = Memory::new(&grid);
        memory.learn_tiles(&[0, 63, 64, 99].map(Tile::from_index));
        let bytes = memory.to_bytes();
        assert_eq!(bytes.len(), 16);
        assert_eq!((bytes[0], bytes[7], bytes[8], bytes[12]), (1, 0x80, 1, 8));
        assert_eq!(Memory::from_bytes(&grid, &bytes), Some(memory));
        assert_eq!(Memory::from_bytes(&grid, &bytes[1..]), None);
        let beyond: Vec<u8> = bytes[..12].iter().copied().chain([16, 0, 0, 0]).collect();
        assert_eq!(Memory::from_bytes(&grid, &beyond), None, "tile 100 is not on the map");
    }
}
