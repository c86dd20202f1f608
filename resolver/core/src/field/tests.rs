//! A sorted field, with its batches and its comparing that lags behind the marking, finds what a plain one finds.

use super::{Field, Wait};
use crate::grid::{Grid, Tile};
use crate::hex::Direction;

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

struct Unit {
    tile: Tile,
    owner: u8,
    speed: u8,
    words: [u64; 4],
    left: u8,
}

/// Units close together, some of them several on a tile, between reserved and contested tiles.
struct Crowd {
    grid: Grid,
    units: Vec<Option<Unit>>,
    reserved: Vec<(Tile, Option<u8>)>,
    contested: Vec<Tile>,
    /// The highest cost of a step; with 1 nobody asks.
    dearest: u8,
}

impl Crowd {
    fn random(random: &mut Random, grid: Grid, count: usize, owners: u64, dearest: u8) -> Self {
        let mut holders = vec![None; grid.len()];
        let mut contested: Vec<Tile> = (0..grid.len() / 60).map(|_| random.tile(&grid)).collect();
        contested.sort_unstable();
        contested.dedup();
        let mut reserved: Vec<(Tile, Option<u8>)> = Vec::new();
        for _ in 0..grid.len() / 40 {
            let (tile, owner) = (random.tile(&grid), random.below(owners + 1));
            if reserved.iter().all(|&(other, _)| other != tile) {
                reserved.push((tile, (owner < owners).then_some(owner as u8)));
            }
        }
        let mut units: Vec<Option<Unit>> = Vec::new();
        while units.len() < count {
            let tile = random.tile(&grid);
            let owner = *holders[tile.index()].get_or_insert(random.below(owners) as u8);
            if contested.binary_search(&tile).is_ok() {
                continue;
            }
            for _ in 0..1 + random.below(4) / 3 * 2 {
                let unit = Self::unit(random, &grid, tile, owner);
                units.push((random.below(30) > 0).then_some(unit));
            }
        }
        Self { grid, units, reserved, contested, dearest }
    }

    fn unit(random: &mut Random, grid: &Grid, tile: Tile, owner: u8) -> Unit {
        let wanted = random.below(LONGEST + 1) as u8;
        let mut unit = Unit { tile, owner, speed: random.below(LONGEST + 1) as u8, words: [0; 4], left: 0 };
        let (mut here, mut heading) = (tile, random.below(6) as usize);
        while unit.left < wanted {
            if random.below(4) == 0 {
                heading = random.below(6) as usize;
            }
            match grid.neighbor(here, Direction::from_index(heading)) {
                Some(next) => {
                    unit.words[usize::from(unit.left) / 16] |= (heading as u64) << (unit.left % 16 * 4);
                    here = next;
                    unit.left += 1;
                }
                None => heading = random.below(6) as usize,
            }
        }
        unit
    }

    fn word(&self, unit: u32, word: usize) -> u64 {
        self.units[unit as usize].as_ref().map_or(0, |unit| unit.words[word])
    }

    fn load(&self, field: &mut Field) {
        for &(tile, owner) in &self.reserved {
            field.reserve(tile, owner);
        }
        for &tile in &self.contested {
            field.set_contested(tile, true);
        }
        for unit in &self.units {
            match unit {
                Some(unit) => field.add_unit(unit.tile, unit.owner, unit.speed, unit.words[0], unit.left),
                None => field.add_absent(),
            }
        }
        field.start();
    }

    /// Runs a tick and returns all it found.
    fn tick(&self, field: &mut Field, tick: u8) -> Found {
        match self.dearest {
            1 => field.look(tick),
            dearest => field.look_at_cost(tick, |unit, tile| 1 + (unit + tile.index() as u32) as u8 % dearest),
        }
        self.apply(field)
    }

    /// Moves what may move and returns all that the tick found, in an order of its own.
    fn apply(&self, field: &mut Field) -> Found {
        let mut moved = Vec::new();
        field.apply(|unit, word| self.word(unit, word), |unit, to| moved.push((unit, to)));
        let findings = field.findings();
        let mut found = Found {
            moved,
            blocked: findings.blocked.iter().map(|&unit| (unit, field.goal(unit))).collect(),
            waiting: findings.waiting.clone(),
            passing: findings.passing.iter().map(|&unit| (field.goal(unit), unit)).collect(),
            entering: findings.entering.iter().map(|&unit| (field.goal(unit), unit)).collect(),
        };
        found.moved.sort_unstable();
        found.passing.sort_unstable();
        found.entering.sort_unstable();
        found
    }

    /// Does to units what encounters do; what it chooses depends on positions and on `random` only.
    fn settle(&self, field: &mut Field, found: &Found, random: &mut Random) {
        for &(goal, unit) in &found.passing {
            // It may have crossed already, together with another.
            let Some(here) = field.tile(unit).filter(|&here| here != goal) else { continue };
            let mut crossing = standing(field, here);
            crossing.extend(standing(field, goal));
            let all_cross = crossing.iter().all(|other| found.passing.iter().any(|&(_, unit)| unit == *other));
            if random.below(2) == 0 && all_cross && crossing.iter().all(|&s| [here, goal].contains(&field.goal(s))) {
                field.take_step(&crossing, |unit, word| self.word(unit, word));
            } else if random.below(3) == 0 {
                field.remove(unit);
            } else {
                field.halt(unit, false);
            }
        }
        for &(goal, unit) in &found.entering {
            for holder in standing(field, goal) {
                let free = |tile: &Tile| field.holder(*tile).is_none() && !field.is_contested(*tile);
                let refuge = self.grid.neighbors(goal).map(|(_, tile)| tile).find(free);
                match (random.below(3), refuge) {
                    (0, Some(tile)) => field.relocate(holder, tile),
                    (1, _) => field.remove(holder),
                    _ => {}
                }
            }
            if field.holder(goal).is_none() && random.below(2) == 0 {
                field.take_step(&[unit], |unit, word| self.word(unit, word));
                field.halt(unit, random.below(2) == 0);
            } else {
                field.halt(unit, true);
            }
        }
    }
}

fn standing(field: &Field, tile: Tile) -> Vec<u32> {
    let mut units: Vec<u32> = field.standing(tile).collect();
    units.sort_unstable();
    units
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
fn check_positions(crowd: &Crowd, sorted: &Field, plain: &Field) {
    for (unit, number) in crowd.units.iter().zip(0..) {
        let tile = sorted.tile(number);
        assert_eq!(tile, plain.tile(number));
        assert_eq!(sorted.progress(number), plain.progress(number));
        if let (Some(tile), Some(unit)) = (tile, unit) {
            assert_eq!(sorted.holder(tile), Some(unit.owner), "R2.1");
            assert!(!sorted.is_contested(tile), "R9.1");
        }
    }
    for tile in crowd.grid.tiles() {
        assert_eq!(sorted.holder(tile), plain.holder(tile));
        assert_eq!(standing(sorted, tile), standing(plain, tile));
    }
}

fn compare_fields(grid: Grid, count: usize, owners: u64, dearest: u8, seed: u64) {
    let mut random = Random(seed);
    let mut sorted = Field::sorting_from(grid, 0);
    let (mut blocked, mut waiting, mut passing, mut entering) = (0, 0, 0, 0);
    for _ in 0..3 {
        let crowd = Crowd::random(&mut random, grid, count, owners, dearest);
        // One field is used again and again, the other is new: what an earlier turn left must not matter.
        let mut plain = Field::sorting_from(grid, usize::MAX);
        sorted.clear();
        crowd.load(&mut sorted);
        crowd.load(&mut plain);
        assert!(sorted.tells_out_of_order() && !plain.tells_out_of_order());
        let mut tick = 0;
        while plain.has_movers() {
            tick += 1;
            let found = crowd.tick(&mut sorted, tick);
            assert_eq!(found, crowd.tick(&mut plain, tick), "tick {tick}");
            check_positions(&crowd, &sorted, &plain);
            let seed = random.below(u64::MAX);
            crowd.settle(&mut sorted, &found, &mut Random(seed));
            crowd.settle(&mut plain, &found, &mut Random(seed));
            check_positions(&crowd, &sorted, &plain);
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
fn sorting_changes_nothing_in_a_bounded_field() {
    compare_fields(Grid::new(130, 110, false).expect("a grid"), 4_000, 5, 1, 1);
}

#[test]
fn sorting_changes_nothing_in_a_wrapped_field() {
    compare_fields(Grid::new(130, 110, true).expect("a grid"), 4_000, 5, 1, 2);
}

#[test]
fn sorting_changes_nothing_in_a_tall_field() {
    compare_fields(Grid::new(3, 2_000, true).expect("a grid"), 2_500, 3, 1, 3);
}

#[test]
fn sorting_changes_nothing_in_a_wide_field() {
    compare_fields(Grid::new(2_000, 3, false).expect("a grid"), 2_500, 3, 1, 4);
}

#[test]
fn sorting_changes_nothing_where_steps_have_costs() {
    compare_fields(Grid::new(130, 110, true).expect("a grid"), 4_000, 5, 3, 5);
    compare_fields(Grid::new(3, 2_000, false).expect("a grid"), 2_500, 3, 4, 6);
}

#[test]
fn steps_that_all_cost_one_tick_are_as_if_they_had_no_cost() {
    let grid = Grid::new(60, 50, true).expect("a grid");
    for sort_from in [0, usize::MAX] {
        let mut random = Random(7);
        let crowd = Crowd::random(&mut random, grid, 900, 4, 1);
        let (mut free, mut costly) = (Field::sorting_from(grid, sort_from), Field::sorting_from(grid, sort_from));
        crowd.load(&mut free);
        crowd.load(&mut costly);
        let mut tick = 0;
        while free.has_movers() {
            tick += 1;
            free.look(tick);
            costly.look_at_cost(tick, |_, _| 1);
            let found = crowd.apply(&mut free);
            assert_eq!(found, crowd.apply(&mut costly), "tick {tick}");
            let seed = random.below(u64::MAX);
            crowd.settle(&mut free, &found, &mut Random(seed));
            crowd.settle(&mut costly, &found, &mut Random(seed));
            check_positions(&crowd, &free, &costly);
        }
        assert!(!costly.has_movers());
    }
}
