//! Harbors on the shores: where the players start, and the free ones they sail for.
//!
//! A harbor takes a tile of water, so no distance changes while harbors are chosen, and the distances
//! that are looked at here are those of the finished map.

use parley_core::chance::Chance;
use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;

use super::MAX_SEATS;
use super::islands::{Island, Land, WATER};
use super::survey::{Flood, UNREACHED, alike};

/// How many shore tiles of a player's island are looked at for the start.
const MAX_BERTHS: usize = 24;
/// How many times starts are moved, per player, before the attempt is given up.
const MOVES: usize = 4;
/// The shortest way to a free harbor.
const MIN_SAIL: u32 = 2;
/// The way to a free harbor that large maps have.
const WANTED_SAIL: u32 = 9;
/// Harbors keep this distance to each other where the map is large enough, and never less than 2: the sea
/// around a harbor stays in one piece without it.
const BERTH: u32 = 4;

/// The harbors of a map.
#[derive(Clone, Debug)]
pub(super) struct Harbors {
    /// The harbor that each player starts in, in seat order.
    pub(super) starts: Vec<Tile>,
    /// The harbors that nobody starts in.
    pub(super) free: Vec<Tile>,
}

/// Chooses all harbors. `None` where the shores allow no fair choice.
pub(super) fn choose(grid: &Grid, land: &Land, players: usize, spacing: u32, chance: &mut Chance) -> Option<Harbors> {
    let mut berths = vec![Vec::new(); players];
    let mut shores = Vec::new();
    for tile in grid.tiles() {
        match shore(grid, land, tile) {
            Some(island) if land.is_neutral(island) => shores.push(tile),
            Some(island) => berths[island as usize - 1].push(tile),
            None => {}
        }
    }
    for berths in &mut berths {
        chance.shuffle(berths);
        berths.truncate(MAX_BERTHS);
    }
    chance.shuffle(&mut shores);
    if !land.roomy {
        // Where there is little room a player's own shore may have to do, after all others.
        shores.extend(berths.iter().flatten());
    }
    let voyages = Voyages::settle(grid, land, &berths)?;
    let free = free_harbors(grid, &voyages, &shores, spacing, chance)?;
    Some(Harbors { starts: voyages.starts, free })
}

/// The island that a harbor on this tile would belong to. It must be the only one that the tile touches, and
/// the water around the tile must hang together without it: a shipyard never closes a strait (R3.3).
fn shore(grid: &Grid, land: &Land, tile: Tile) -> Option<Island> {
    if land.island[tile.index()] != WATER {
        return None;
    }
    let around = Direction::ALL.map(|d| grid.neighbor(tile, d).map(|n| land.island[n.index()]));
    let water = around.map(|island| island == Some(WATER));
    let shores = (0..6).filter(|&i| water[i] && !water[(i + 1) % 6]).count();
    let open = water.iter().filter(|&&water| water).count();
    let mut islands = around.into_iter().flatten().filter(|&island| island != WATER);
    let island = islands.next()?;
    (shores == 1 && open >= 2 && islands.all(|other| other == island)).then_some(island)
}

/// The starts and how far everything is from each of them.
struct Voyages {
    starts: Vec<Tile>,
    /// Sailing distances from each start.
    fields: Vec<Vec<u32>>,
}

impl Voyages {
    /// Chooses a start for each player and moves them along their shores until the ways to the nearest rivals
    /// are alike.
    fn settle(grid: &Grid, land: &Land, berths: &[Vec<Tile>]) -> Option<Self> {
        let mut flood = Flood::new(grid);
        let mut sail = |from: Tile| {
            let mut field = vec![UNREACHED; grid.len()];
            let visit = |tile: Tile, steps| {
                field[tile.index()] = steps;
                true
            };
            flood.run(from, |tile| land.island[tile.index()] == WATER, visit);
            field
        };
        let starts: Vec<Tile> = berths.iter().map(|berths| berths.first().copied()).collect::<Option<_>>()?;
        let fields = starts.iter().map(|&start| sail(start)).collect();
        let mut voyages = Self { starts, fields };
        let mut targets = voyages.nearest_rivals(None)[..berths.len()].to_vec();
        targets.sort_unstable();
        targets.dedup();
        for target in targets.into_iter().rev() {
            let mut strain = voyages.strain(None, target);
            for _ in 0..MOVES * berths.len() {
                if voyages.is_fair() {
                    return Some(voyages);
                }
                let moves =
                    berths.iter().enumerate().flat_map(|(player, b)| b.iter().map(move |&berth| (player, berth)));
                let (least, player, berth) = moves.map(|(p, b)| (voyages.strain(Some((p, b)), target), p, b)).min()?;
                if least >= strain {
                    break;
                }
                strain = least;
                voyages.starts[player] = berth;
                voyages.fields[player] = sail(berth);
            }
        }
        None
    }

    /// Whether the ways to the nearest rivals are alike.
    fn is_fair(&self) -> bool {
        let nearest = self.nearest_rivals(None);
        let nearest = &nearest[..self.starts.len()];
        let (shortest, longest) = (nearest.iter().copied().min(), nearest.iter().copied().max());
        matches!((shortest, longest), (Some(shortest), Some(longest)) if alike(shortest, longest))
    }

    /// How far the ways to the nearest rivals are from `target` to `target * 6 / 5`, all together, if one start
    /// were moved.
    fn strain(&self, moved: Option<(usize, Tile)>, target: u32) -> u64 {
        let target = 5 * u64::from(target);
        let off = |way: u64| target.saturating_sub(way) + way.saturating_sub(target / 5 * 6);
        self.nearest_rivals(moved)[..self.starts.len()].iter().map(|&way| off(5 * u64::from(way))).sum()
    }

    /// The way from each start to its nearest rival, if one start were moved.
    fn nearest_rivals(&self, moved: Option<(usize, Tile)>) -> [u32; MAX_SEATS] {
        let players = self.starts.len();
        let mut nearest = [UNREACHED; MAX_SEATS];
        for one in 0..players {
            for other in one + 1..players {
                let way = match moved {
                    Some((player, there)) if player == one => self.fields[other][there.index()],
                    Some((player, there)) if player == other => self.fields[one][there.index()],
                    _ => self.fields[one][self.starts[other].index()],
                };
                nearest[one] = nearest[one].min(way);
                nearest[other] = nearest[other].min(way);
            }
        }
        nearest
    }

    /// The way to a tile from the start that is nearest to it, and whose start that is.
    fn nearest(&self, tile: Tile) -> (u32, usize) {
        let ways = self.fields.iter().enumerate().map(|(player, field)| (field[tile.index()], player));
        ways.min().unwrap_or((UNREACHED, 0))
    }
}

/// A shore that a free harbor can be at.
#[derive(Clone, Copy)]
struct Site {
    tile: Tile,
    sail: u32,
}

/// Chooses the free harbors: one for each player at about the same distance, and others no nearer than these.
fn free_harbors(
    grid: &Grid,
    voyages: &Voyages,
    shores: &[Tile],
    spacing: u32,
    chance: &mut Chance,
) -> Option<Vec<Tile>> {
    let players = voyages.starts.len();
    let shortest = voyages.nearest_rivals(None).into_iter().min().unwrap_or(UNREACHED);
    let longest = (spacing * 2 / 3).min(shortest.saturating_sub(1)).max(MIN_SAIL);
    let wanted = (spacing / 2).clamp(MIN_SAIL + 1, WANTED_SAIL);
    let mut sites = vec![Vec::new(); players];
    for &tile in shores {
        let (sail, player) = voyages.nearest(tile);
        if sail >= MIN_SAIL && alike(longest, sail) {
            sites[player].push(Site { tile, sail });
        }
    }
    let mut sails: Vec<u32> = (MIN_SAIL..=longest).collect();
    sails.sort_by_key(|&sail| sail.abs_diff(wanted));
    let (sail, mut free) = sails.into_iter().find_map(|sail| Some((sail, one_each(grid, &sites, sail)?)))?;

    let tiles = grid.len() as u32;
    let goal = players + (tiles / chance.between(56, 96)) as usize;
    let mut taken = vec![false; grid.len()];
    for &harbor in voyages.starts.iter().chain(&free) {
        keep_clear(grid, &mut taken, harbor);
    }
    for &tile in shores {
        if free.len() >= goal {
            break;
        }
        if !taken[tile.index()] && voyages.nearest(tile).0 >= sail {
            free.push(tile);
            keep_clear(grid, &mut taken, tile);
        }
    }
    Some(free)
}

/// For each player a site at `sail` to `sail * 6 / 5` steps that is nearer to their start than to any other.
fn one_each(grid: &Grid, sites: &[Vec<Site>], sail: u32) -> Option<Vec<Tile>> {
    let mut chosen: Vec<Tile> = Vec::with_capacity(sites.len());
    for sites in sites {
        let apart = |tile: Tile| chosen.iter().all(|&other| grid.distance(other, tile) >= 2);
        let fits = |site: &&Site| site.sail >= sail && alike(sail, site.sail) && apart(site.tile);
        chosen.push(sites.iter().find(fits)?.tile);
    }
    Some(chosen)
}

fn keep_clear(grid: &Grid, taken: &mut [bool], harbor: Tile) {
    for tile in grid.within(harbor, BERTH - 1) {
        taken[tile.index()] = true;
    }
}
