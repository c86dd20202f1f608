//! A map made ready for thinking: who is whose neighbour, and how far it is from anywhere to anywhere.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, OnceLock, PoisonError, Weak};

use parley_core::digest::Digest;
use parley_core::grid::Tile;
use parley_plunder::map::Map;
use parley_plunder::rules::{Domain, Rules};

/// The most tiles of a map whose distances are all known. On larger ones a distance is over any terrain.
const MAX_MEASURED: usize = 1024;
/// The distance that stands for a way that does not exist, or is longer than anybody needs to know.
pub(super) const FAR: u32 = 255;
/// The number that stands for a neighbour beyond the edge of the map.
const NOWHERE: u32 = u32::MAX;

/// The maps without anything dark that some policy of this process thinks about, each under the hash of its terrain and
/// of its rules. All players of a match without fog have the same one, so that they share it.
static SHARED: LazyLock<Mutex<HashMap<Digest, Weak<Distances>>>> = LazyLock::new(Mutex::default);

/// A map as far as it is known.
#[derive(Debug)]
pub(super) struct Distances {
    map: Arc<Map>,
    /// Tiles that nobody has seen yet, on which no path may be ordered (R14.2).
    dark: Vec<bool>,
    /// The neighbours of each tile, in direction order.
    neighbors: Vec<[u32; 6]>,
    tiles: Vec<Tile>,
    /// The domain of the class that a match starts with, which distances are for.
    domain: Domain,
    /// The distances from each tile to each, where the map is small enough. Those from one tile are measured when somebody
    /// asks for them: most tiles are nowhere near a ship.
    steps: Vec<OnceLock<Box<[u8]>>>,
    frontier: Vec<Tile>,
    harbors: Vec<Tile>,
}

/// A tile that a ship can get to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct ReachableTile {
    /// The tile that can be reached.
    pub(super) tile: Tile,
    /// How many steps it takes.
    pub(super) steps: u32,
    /// The place of the step before in the same list; the start's is its own.
    before: u32,
}

impl Distances {
    /// The distances of a map, the same for everybody who knows all of it.
    pub(super) fn shared(rules: &Rules, map: Map, dark: Vec<bool>) -> Arc<Self> {
        if dark.contains(&true) {
            return Arc::new(Self::new(rules, Arc::new(map), dark));
        }
        let key = key(rules, &map);
        let mut shared = SHARED.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(distances) = shared.get(&key).and_then(Weak::upgrade) {
            return distances;
        }
        shared.retain(|_, weak| weak.strong_count() > 0);
        let distances = Arc::new(Self::new(rules, Arc::new(map), dark));
        shared.insert(key, Arc::downgrade(&distances));
        distances
    }

    /// The distances of a map.
    pub(super) fn new(rules: &Rules, map: Arc<Map>, dark: Vec<bool>) -> Self {
        let grid = map.grid();
        let tiles: Vec<Tile> = grid.tiles().collect();
        let around = |&tile: &Tile| {
            let mut around = [NOWHERE; 6];
            for (direction, next) in grid.neighbors(tile) {
                around[direction as usize] = next.index() as u32;
            }
            around
        };
        let neighbors = tiles.iter().map(around).collect();
        let domain = rules.classes()[0].domain;
        let harbor = |tile: &Tile| !dark[tile.index()] && map.navigable(*tile, domain) && map.is_harbor(*tile);
        let harbors = tiles.iter().copied().filter(harbor).collect();
        let (steps, frontier) = (Vec::new(), Vec::new());
        let mut distances = Self { map, dark, neighbors, tiles, domain, steps, frontier, harbors };
        if distances.tiles.len() <= MAX_MEASURED {
            distances.steps.resize_with(distances.tiles.len(), OnceLock::new);
        }
        let borders = |tile: &Tile| {
            distances.is_sea(*tile, domain) && distances.around(*tile).any(|next| distances.is_dark(next))
        };
        distances.frontier = distances.tiles.iter().copied().filter(borders).collect();
        distances
    }

    fn measure(&self, start: usize) -> Box<[u8]> {
        let mut row = vec![FAR as u8; self.tiles.len()].into_boxed_slice();
        let mut queue = Vec::with_capacity(self.tiles.len());
        row[start] = 0;
        queue.push(start as u32);
        let mut place = 0;
        while let Some(&here) = queue.get(place) {
            place += 1;
            let next = row[here as usize].saturating_add(1);
            for &to in self.neighbors[here as usize].iter().filter(|&&to| to != NOWHERE) {
                if row[to as usize] == FAR as u8 && self.is_sea(self.tiles[to as usize], self.domain) {
                    row[to as usize] = next.min(FAR as u8 - 1);
                    queue.push(to);
                }
            }
        }
        row
    }

    /// The map as far as it is known.
    pub(super) const fn map(&self) -> &Arc<Map> {
        &self.map
    }

    /// Whether the map is still this one, as far as it is known.
    pub(super) fn is_of(&self, map: &Map, dark: &[bool]) -> bool {
        *self.map == *map && self.dark == dark
    }

    /// Every tile of the map.
    pub(super) fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// The neighbours of a tile, in direction order.
    pub(super) fn around(&self, tile: Tile) -> impl Iterator<Item = Tile> + '_ {
        let neighbors = &self.neighbors[tile.index()];
        neighbors.iter().filter(|&&next| next != NOWHERE).map(|&next| self.tiles[next as usize])
    }

    /// Whether ships of a domain may be ordered over a tile: it is known, and they can be there.
    pub(super) fn is_sea(&self, tile: Tile, domain: Domain) -> bool {
        self.map.navigable(tile, domain) && !self.dark[tile.index()]
    }

    /// Whether a tile has never been seen.
    pub(super) fn is_dark(&self, tile: Tile) -> bool {
        self.dark[tile.index()]
    }

    /// The harbors that are known, and can be sailed to.
    pub(super) fn harbors(&self) -> &[Tile] {
        &self.harbors
    }

    /// The tiles that can be sailed to and border on what was never seen.
    pub(super) fn frontier(&self) -> &[Tile] {
        &self.frontier
    }

    /// Steps from one tile to another; [`FAR`] where there is no way.
    pub(super) fn between(&self, from: Tile, to: Tile) -> u32 {
        match self.all_from(from) {
            Some(steps) => steps[to.index()].into(),
            None => self.map.grid().distance(from, to).min(FAR),
        }
    }

    /// Steps from one tile to each, by tile; `None` where the map is too large.
    pub(super) fn all_from(&self, from: Tile) -> Option<&[u8]> {
        let steps = self.steps.get(from.index())?;
        Some(steps.get_or_init(|| self.measure(from.index())))
    }

    /// Everywhere that some steps lead to over open tiles, nearest first; the start is the first.
    pub(super) fn reach(&self, from: Tile, most: u32, open: impl Fn(Tile) -> bool) -> Vec<ReachableTile> {
        let mut reach = Vec::with_capacity(64);
        let mut seen = vec![0u64; self.tiles.len().div_ceil(64)];
        reach.push(ReachableTile { tile: from, steps: 0, before: 0 });
        seen[from.index() / 64] |= 1 << (from.index() % 64);
        let mut place = 0;
        while let Some(&ReachableTile { tile, steps, .. }) = reach.get(place).filter(|step| step.steps < most) {
            for &next in self.neighbors[tile.index()].iter().filter(|&&next| next != NOWHERE) {
                let (word, bit) = (&mut seen[next as usize / 64], 1 << (next % 64));
                if *word & bit == 0 {
                    *word |= bit;
                    let tile = self.tiles[next as usize];
                    if open(tile) {
                        reach.push(ReachableTile { tile, steps: steps + 1, before: place as u32 });
                    }
                }
            }
            place += 1;
        }
        reach
    }

    /// The way to a place of a list of steps, without the start.
    pub(super) fn way(reach: &[ReachableTile], mut place: usize) -> Vec<Tile> {
        let mut way = Vec::new();
        while place > 0 {
            way.push(reach[place].tile);
            place = reach[place].before as usize;
        }
        way.reverse();
        way
    }
}

/// The hash of what the distances of a map that is all known follow from.
fn key(rules: &Rules, map: &Map) -> Digest {
    let grid = map.grid();
    let text = map.to_text(rules);
    let mut bytes = rules.hash().as_bytes().to_vec();
    bytes.extend(grid.width().to_le_bytes());
    bytes.push(text.wrap.into());
    text.tiles.iter().for_each(|row| bytes.extend(row.as_bytes()));
    Digest::of(&bytes)
}
