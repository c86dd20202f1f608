//! Random fleets for the movement benchmark.

use parley_core::field::Field;
use parley_core::grid::{Grid, Tile};
use parley_core::hex::Direction;

use crate::blind::BlindSea;

/// A small generator of the splitmix family; benchmarks need no more.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    pub(crate) fn below(&mut self, bound: u64) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        (z ^ (z >> 31)) % bound
    }
}

struct Ship {
    tile: Tile,
    owner: u8,
    speed: u8,
    steps: u64,
    left: u8,
}

/// Ships on a tenth of the tiles of a square sea, each alone on its tile, with ten steps to walk.
pub(crate) struct Fleet {
    grid: Grid,
    ships: Vec<Ship>,
}

const STEPS: u8 = 10;

impl Fleet {
    pub(crate) fn new(count: u32, owners: u64, seed: u64) -> Self {
        let side = (u64::from(count) * 10).isqrt() as u32 + 1;
        let grid = Grid::new(side, side, false).expect("a grid");
        let mut random = Random::new(seed);
        let mut tiles: Vec<Tile> = grid.tiles().collect();
        for i in 0..count as usize {
            let other = i + random.below((tiles.len() - i) as u64) as usize;
            tiles.swap(i, other);
        }
        let ships = tiles[..count as usize].iter().map(|&tile| Self::ship(&grid, &mut random, tile, owners)).collect();
        Self { grid, ships }
    }

    /// A ship that mostly keeps its heading, as ships do.
    fn ship(grid: &Grid, random: &mut Random, tile: Tile, owners: u64) -> Ship {
        let mut heading = random.below(6) as usize;
        let (mut here, mut steps, mut left) = (tile, 0, 0);
        while left < STEPS {
            if random.below(4) == 0 {
                heading = random.below(6) as usize;
            }
            match grid.neighbor(here, Direction::from_index(heading)) {
                Some(next) => {
                    steps |= (heading as u64) << (4 * left);
                    here = next;
                    left += 1;
                }
                None => heading = random.below(6) as usize,
            }
        }
        Ship { tile, owner: random.below(owners) as u8, speed: 3 + random.below(8) as u8, steps, left }
    }

    pub(crate) const fn grid(&self) -> Grid {
        self.grid
    }

    pub(crate) fn ticks(&self) -> u8 {
        STEPS
    }

    pub(crate) fn load(&self, sea: &mut Field) {
        sea.clear();
        for ship in &self.ships {
            sea.add_unit(ship.tile, ship.owner, ship.speed, ship.steps, ship.left);
        }
        sea.start();
    }

    pub(crate) fn load_blind(&self, sea: &mut BlindSea) {
        sea.clear();
        let mut ships: Vec<&Ship> = self.ships.iter().collect();
        ships.sort_by_key(|ship| ship.tile);
        for ship in ships {
            sea.add_unit(ship.tile.index() as u32, ship.owner, ship.speed, ship.steps, ship.left);
        }
    }

    /// Runs all ticks; ships that meet halt, as they do when nobody attacks an entry.
    pub(crate) fn run(&self, sea: &mut Field) -> Tally {
        let mut tally = Tally::default();
        let mut halting = Vec::new();
        for tick in 1..=self.ticks() {
            sea.look(tick);
            sea.apply(|_, _| 0, |_, _| tally.moved += 1);
            let findings = sea.findings();
            tally.waited += findings.waiting.len() as u64;
            halting.clear();
            halting.extend(findings.passing.iter().chain(&findings.entering));
            tally.met += halting.len() as u64;
            for &ship in &halting {
                sea.halt(ship, true);
            }
        }
        tally
    }
}

/// What became of the intents.
#[derive(Clone, Copy, Default)]
pub(crate) struct Tally {
    pub(crate) moved: u64,
    pub(crate) waited: u64,
    pub(crate) met: u64,
}
