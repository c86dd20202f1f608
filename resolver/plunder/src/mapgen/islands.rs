//! Land: one island per player, neutral ones between them, no lakes.

use parley_core::chance::Chance;
use parley_core::grid::{Grid, Tile};

use super::MAX_SIDE;
use super::survey::largest_stretch;

/// The number of an island; players' islands come first, from 1, in seat order.
pub(super) type Island = u32;

/// The island number of a tile that is water.
pub(super) const WATER: Island = 0;

/// The most tiles of an island that a player starts on.
const MAX_HOME: u32 = 48;
/// The most tiles of a neutral island.
const MAX_NEUTRAL: u32 = 900;
/// Where starts are closer than this the map is cramped: islands may reach its border and come closer to each other.
const ROOMY: u32 = 8;

/// The longest distance between the middle of a player's island and the islet that attends it.
const ATTENDANCE: u32 = 4;

/// A map while its land is being raised.
#[derive(Clone, Debug)]
pub(super) struct Land {
    grid: Grid,
    /// The island that each tile belongs to.
    pub(super) island: Vec<Island>,
    players: usize,
    islands: Island,
    /// How far an island goes from its middle. On a map that wraps it must not go round and meet itself, which would
    /// part the sea.
    reach: u32,
    /// Whether islands keep off the border and leave wide channels.
    pub(super) roomy: bool,
    /// Water tiles beside the island that is growing, which may become land next.
    frontier: Vec<Tile>,
    /// Tiles of the frontier that chance has decided against; they are tried again when there are no others.
    passed_over: Vec<Tile>,
}

impl Land {
    /// Raises all land of a map. `None` where a player's island has no room.
    pub(super) fn raise(grid: &Grid, anchors: &[Tile], spacing: u32, chance: &mut Chance) -> Option<Self> {
        let island = vec![WATER; grid.len()];
        let roomy = spacing >= ROOMY;
        let reach = if grid.wrap() { grid.width().saturating_sub(3) / 2 } else { MAX_SIDE };
        let mut land = Self {
            grid: *grid,
            island,
            players: anchors.len(),
            islands: 0,
            reach,
            roomy,
            frontier: Vec::new(),
            passed_over: Vec::new(),
        };
        let share = grid.len() as u32 / anchors.len().max(1) as u32;
        let home = (spacing * spacing / 12).min(share / 12).min(reach * reach).clamp(2, MAX_HOME);
        for &anchor in anchors {
            if land.grow(anchor, home, chance) < home {
                return None;
            }
        }
        if !roomy {
            anchors.iter().for_each(|&anchor| land.attend(anchor, anchors, chance));
        }
        land.scatter(share, chance);
        land.fill_lakes();
        Some(land)
    }

    /// Whether an island is neutral land.
    pub(super) fn is_neutral(&self, island: Island) -> bool {
        island as usize > self.players
    }

    /// Raises an islet beside a player's island. Where there is little room, luck alone would too seldom leave
    /// everybody a free harbor at the same distance.
    fn attend(&mut self, anchor: Tile, anchors: &[Tile], chance: &mut Chance) {
        let mut places = self.grid.within(anchor, ATTENDANCE);
        places.retain(|&place| {
            let distance = self.grid.distance(anchor, place);
            distance >= 3 && anchors.iter().all(|&other| self.grid.distance(other, place) >= distance)
        });
        chance.shuffle(&mut places);
        if let Some(&place) = places.iter().find(|&&place| self.has_room(place, self.islands + 1)) {
            let size = chance.between(1, 2);
            self.grow(place, size, chance);
        }
    }

    /// Raises neutral islands of all sizes until about a quarter of the map is land; the largest takes a quarter of
    /// a player's share of the map.
    fn scatter(&mut self, share: u32, chance: &mut Chance) {
        let tiles = self.grid.len() as u32;
        let goal = tiles * chance.between(22, 30) / 100;
        let largest = (share / 4).clamp(3, MAX_NEUTRAL);
        let mut raised = self.island.iter().filter(|&&island| island != WATER).count() as u32;
        for _ in 0..tiles {
            if raised >= goal {
                break;
            }
            let seed = Tile::from_index(chance.index(self.grid.len()));
            // Halving the size by luck makes small islands common and large ones rare.
            let halvings = chance.below(6).min(largest.ilog2());
            let size = chance.between(2, (largest >> halvings).max(2));
            raised += self.grow(seed, size, chance);
        }
    }

    /// Grows a new island around a tile, one shore tile after the other, and says how large it became.
    fn grow(&mut self, seed: Tile, size: u32, chance: &mut Chance) -> u32 {
        let island = self.islands + 1;
        let mut grown = 0;
        self.frontier.clear();
        self.frontier.push(seed);
        self.passed_over.clear();
        while grown < size {
            if self.frontier.is_empty() {
                std::mem::swap(&mut self.frontier, &mut self.passed_over);
            }
            if self.frontier.is_empty() {
                break;
            }
            let tile = self.frontier.swap_remove(chance.index(self.frontier.len()));
            let near = self.grid.distance(seed, tile) <= self.reach;
            if self.island[tile.index()] != WATER || !near || !self.has_room(tile, island) {
                continue;
            }
            // A tile with much land beside it is likelier to rise, which keeps islands from fraying.
            let beside = self.grid.neighbors(tile).filter(|(_, n)| self.island[n.index()] == island).count() as u32;
            if grown > 0 && chance.below(5) > beside {
                self.passed_over.push(tile);
                continue;
            }
            self.island[tile.index()] = island;
            grown += 1;
            let island_of = &self.island;
            self.frontier.extend(self.grid.neighbors(tile).map(|(_, n)| n).filter(|n| island_of[n.index()] == WATER));
        }
        self.islands += u32::from(grown > 0);
        grown
    }

    /// Whether a tile can become land of an island and leave a channel to all others.
    fn has_room(&self, tile: Tile, island: Island) -> bool {
        let mut beside = self.grid.neighbors(tile).map(|(_, n)| n);
        let mut around = self.grid.neighbors(tile).flat_map(|(_, n)| self.grid.neighbors(n)).map(|(_, n)| n);
        let other = |tile: Tile| ![WATER, island].contains(&self.island[tile.index()]);
        let border = self.roomy && self.grid.neighbors(tile).count() < 6;
        let crowds = |tile: Tile| other(tile) && (self.roomy || !self.is_neutral(self.island[tile.index()]));
        !border && !beside.any(other) && !around.any(crowds)
    }

    /// Makes all water one sea: what the largest stretch of it does not reach becomes land.
    fn fill_lakes(&mut self) {
        let sea = largest_stretch(&self.grid, |tile| self.island[tile.index()] == WATER);
        let mut lakes: Vec<Tile> =
            self.grid.tiles().filter(|t| self.island[t.index()] == WATER && !sea[t.index()]).collect();
        while !lakes.is_empty() {
            // A lake has a shore, so every pass fills at least the tiles beside it.
            lakes.retain(|&tile| {
                let shore = self.grid.neighbors(tile).map(|(_, n)| self.island[n.index()]).find(|&i| i != WATER);
                self.island[tile.index()] = shore.unwrap_or(WATER);
                shore.is_none()
            });
        }
    }
}
