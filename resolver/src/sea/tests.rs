//! A sorted sea, with its batches and its comparing that lags behind the marking, finds what a plain one finds.

use super::{Sea, Wait};
use crate::hex::Direction;
use crate::map::{Grid, Tile};

/// A small generator of the splitmix family.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }

    fn tile(&mut self, grid: &Grid) -> Tile {
        Tile::from_index(self.below(grid.len() as u64) as usize)
    }
}

/// More than two words of steps, so that paths are filled up twice.
const LONGEST: u64 = 40;

struct Ship {
    tile: Tile,
    owner: u8,
    speed: u8,
    words: [u64; 4],
    left: u8,
}

/// Ships close together, some of them several on a tile, between structures and contested tiles.
struct Fleet {
    grid: Grid,
    ships: Vec<Option<Ship>>,
    structures: Vec<(Tile, Option<u8>)>,
    contested: Vec<Tile>,
}

impl Fleet {
    fn random(random: &mut Random, grid: Grid, count: usize, owners: u64) -> Self {
        let mut holders = vec![None; grid.len()];
        let mut contested: Vec<Tile> = (0..grid.len() / 60).map(|_| random.tile(&grid)).collect();
        contested.sort_unstable();
        contested.dedup();
        let mut structures: Vec<(Tile, Option<u8>)> = Vec::new();
        for _ in 0..grid.len() / 40 {
            let (tile, owner) = (random.tile(&grid), random.below(owners + 1));
            if structures.iter().all(|&(other, _)| other != tile) {
                structures.push((tile, (owner < owners).then_some(owner as u8)));
            }
        }
        let mut ships: Vec<Option<Ship>> = Vec::new();
        while ships.len() < count {
            let tile = random.tile(&grid);
            let owner = *holders[tile.index()].get_or_insert(random.below(owners) as u8);
            if contested.binary_search(&tile).is_ok() {
                continue;
            }
            for _ in 0..1 + random.below(4) / 3 * 2 {
                let ship = Self::ship(random, &grid, tile, owner);
                ships.push((random.below(30) > 0).then_some(ship));
            }
        }
        Self { grid, ships, structures, contested }
    }

    fn ship(random: &mut Random, grid: &Grid, tile: Tile, owner: u8) -> Ship {
        let wanted = random.below(LONGEST + 1) as u8;
        let mut ship = Ship { tile, owner, speed: random.below(LONGEST + 1) as u8, words: [0; 4], left: 0 };
        let (mut here, mut heading) = (tile, random.below(6) as usize);
        while ship.left < wanted {
            if random.below(4) == 0 {
                heading = random.below(6) as usize;
            }
            match grid.neighbor(here, Direction::from_index(heading)) {
                Some(next) => {
                    ship.words[usize::from(ship.left) / 16] |= (heading as u64) << (ship.left % 16 * 4);
                    here = next;
                    ship.left += 1;
                }
                None => heading = random.below(6) as usize,
            }
        }
        ship
    }

    fn word(&self, ship: u32, word: usize) -> u64 {
        self.ships[ship as usize].as_ref().map_or(0, |ship| ship.words[word])
    }

    fn load(&self, sea: &mut Sea) {
        for &(tile, owner) in &self.structures {
            sea.add_structure(tile, owner);
        }
        for &tile in &self.contested {
            sea.set_contested(tile, true);
        }
        for ship in &self.ships {
            match ship {
                Some(ship) => sea.add_ship(ship.tile, ship.owner, ship.speed, ship.words[0], ship.left),
                None => sea.add_absent(),
            }
        }
        sea.set_sail();
    }

    /// Runs a tick and returns all it found, in an order of its own.
    fn tick(&self, sea: &mut Sea, tick: u8) -> Found {
        sea.look(tick);
        let mut moved = Vec::new();
        sea.apply(|ship, word| self.word(ship, word), |ship, to| moved.push((ship, to)));
        let findings = sea.findings();
        let mut found = Found {
            moved,
            blocked: findings.blocked.iter().map(|&ship| (ship, sea.goal(ship))).collect(),
            waiting: findings.waiting.clone(),
            passing: findings.passing.iter().map(|&ship| (sea.goal(ship), ship)).collect(),
            entering: findings.entering.iter().map(|&ship| (sea.goal(ship), ship)).collect(),
        };
        found.moved.sort_unstable();
        found.passing.sort_unstable();
        found.entering.sort_unstable();
        found
    }

    /// Does to ships what encounters do; what it chooses depends on positions and on `random` only.
    fn settle(&self, sea: &mut Sea, found: &Found, random: &mut Random) {
        for &(goal, ship) in &found.passing {
            // It may have crossed already, together with another.
            let Some(here) = sea.tile(ship).filter(|&here| here != goal) else { continue };
            let mut crossing = standing(sea, here);
            crossing.extend(standing(sea, goal));
            let all_cross = crossing.iter().all(|other| found.passing.iter().any(|&(_, ship)| ship == *other));
            if random.below(2) == 0 && all_cross && crossing.iter().all(|&s| [here, goal].contains(&sea.goal(s))) {
                sea.take_step(&crossing, |ship, word| self.word(ship, word));
            } else if random.below(3) == 0 {
                sea.remove(ship);
            } else {
                sea.halt(ship, false);
            }
        }
        for &(goal, ship) in &found.entering {
            for holder in standing(sea, goal) {
                let free = |tile: &Tile| sea.holder(*tile).is_none() && !sea.is_contested(*tile);
                let refuge = self.grid.neighbors(goal).map(|(_, tile)| tile).find(free);
                match (random.below(3), refuge) {
                    (0, Some(tile)) => sea.relocate(holder, tile),
                    (1, _) => sea.remove(holder),
                    _ => {}
                }
            }
            if sea.holder(goal).is_none() && random.below(2) == 0 {
                sea.take_step(&[ship], |ship, word| self.word(ship, word));
                sea.halt(ship, random.below(2) == 0);
            } else {
                sea.halt(ship, true);
            }
        }
    }
}

fn standing(sea: &Sea, tile: Tile) -> Vec<u32> {
    let mut ships: Vec<u32> = sea.standing(tile).collect();
    ships.sort_unstable();
    ships
}

#[derive(Debug, PartialEq, Eq)]
struct Found {
    moved: Vec<(u32, Tile)>,
    blocked: Vec<(u32, Tile)>,
    waiting: Vec<Wait>,
    passing: Vec<(Tile, u32)>,
    entering: Vec<(Tile, u32)>,
}

/// Every position, and R2.1 and R9.1 in it.
fn check_positions(fleet: &Fleet, sorted: &Sea, plain: &Sea) {
    for (ship, number) in fleet.ships.iter().zip(0..) {
        let tile = sorted.tile(number);
        assert_eq!(tile, plain.tile(number));
        assert_eq!(sorted.progress(number), plain.progress(number));
        if let (Some(tile), Some(ship)) = (tile, ship) {
            assert_eq!(sorted.holder(tile), Some(ship.owner), "R2.1");
            assert!(!sorted.is_contested(tile), "R9.1");
        }
    }
    for tile in fleet.grid.tiles() {
        assert_eq!(sorted.holder(tile), plain.holder(tile));
        assert_eq!(standing(sorted, tile), standing(plain, tile));
    }
}

fn compare_seas(grid: Grid, count: usize, owners: u64, seed: u64) {
    let mut random = Random(seed);
    let mut sorted = Sea::sorting_from(grid, 0);
    let (mut blocked, mut waiting, mut passing, mut entering) = (0, 0, 0, 0);
    for _ in 0..3 {
        let fleet = Fleet::random(&mut random, grid, count, owners);
        // One sea is used again and again, the other is new: what an earlier turn left must not matter.
        let mut plain = Sea::sorting_from(grid, usize::MAX);
        sorted.clear();
        fleet.load(&mut sorted);
        fleet.load(&mut plain);
        assert!(sorted.tells_out_of_order() && !plain.tells_out_of_order());
        let mut tick = 0;
        while plain.has_movers() {
            tick += 1;
            let found = fleet.tick(&mut sorted, tick);
            assert_eq!(found, fleet.tick(&mut plain, tick), "tick {tick}");
            check_positions(&fleet, &sorted, &plain);
            let seed = random.below(u64::MAX);
            fleet.settle(&mut sorted, &found, &mut Random(seed));
            fleet.settle(&mut plain, &found, &mut Random(seed));
            check_positions(&fleet, &sorted, &plain);
            blocked += found.blocked.len();
            waiting += found.waiting.len();
            passing += found.passing.len();
            entering += found.entering.len();
        }
        assert!(!sorted.has_movers());
    }
    assert!(blocked.min(waiting).min(passing).min(entering) > 100, "{blocked} {waiting} {passing} {entering}");
}

#[test]
fn sorting_changes_nothing_in_a_bounded_sea() {
    compare_seas(Grid::new(130, 110, false).expect("a grid"), 4_000, 5, 1);
}

#[test]
fn sorting_changes_nothing_in_a_wrapped_sea() {
    compare_seas(Grid::new(130, 110, true).expect("a grid"), 4_000, 5, 2);
}

#[test]
fn sorting_changes_nothing_in_a_tall_sea() {
    compare_seas(Grid::new(3, 2_000, true).expect("a grid"), 2_500, 3, 3);
}

#[test]
fn sorting_changes_nothing_in_a_wide_sea() {
    compare_seas(Grid::new(2_000, 3, false).expect("a grid"), 2_500, 3, 4);
}
