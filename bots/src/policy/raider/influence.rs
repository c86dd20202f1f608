//! Who could bring how much to bear on each tile.

use parley_core::grid::Tile;
use parley_core::ids::PlayerId;
use parley_plunder::rules::Rules;
use parley_plunder::state::Unit;

use crate::policy::distances::FAR;
use crate::policy::scene::Scene;

/// By how many bits the power of ships shrinks for each turn that they are away: two bits make it a fourth.
const FADING: u32 = 2;
/// What all but the strongest enemy have counts only in part, because they are nobody's allies.
const OTHERS: u32 = 4;

/// What a ship counts in a fight: it lasts as long as it has hp, and all that time it hits.
pub(in crate::policy) fn power(rules: &Rules, unit: &Unit) -> u32 {
    u32::from(unit.hp) * u32::from(unit.hit(rules))
}

/// What could be brought to bear on each tile in the next turns, the later the less.
pub(in crate::policy) struct Influence {
    own: Vec<u32>,
    foes: Vec<u32>,
}

/// Ships that stand together and sail together.
struct Stack {
    owner: PlayerId,
    tile: Tile,
    speed: u32,
    power: u32,
}

impl Influence {
    /// Measures the influence on all tiles.
    pub(in crate::policy) fn new(scene: &Scene<'_>) -> Self {
        let mut stacks: Vec<Stack> = Vec::new();
        for unit in scene.state.units() {
            let (speed, power) = (u32::from(unit.speed(scene.rules)).max(1), power(scene.rules, unit));
            let same = |stack: &&mut Stack| (stack.tile, stack.speed) == (unit.tile, speed);
            match stacks.iter_mut().find(same) {
                Some(stack) => stack.power += power,
                None => stacks.push(Stack { owner: unit.owner, tile: unit.tile, speed, power }),
            }
        }
        stacks.sort_by_key(|stack| stack.owner);
        let count = scene.distances.tiles().len();
        let (mut own, mut most, mut all) = (vec![0; count], vec![0; count], vec![0; count]);
        let mut there = vec![0; count];
        for fleet in stacks.chunk_by(|a, b| a.owner == b.owner) {
            there.fill(0);
            fleet.iter().for_each(|stack| stack.spread(scene, &mut there));
            if fleet[0].owner == scene.me {
                own.copy_from_slice(&there);
                continue;
            }
            for ((most, all), &there) in most.iter_mut().zip(&mut all).zip(&there) {
                *most = there.max(*most);
                *all += there;
            }
        }
        let foes = most.iter().zip(&all).map(|(&most, &all)| most + (all - most) / OTHERS).collect();
        Self { own, foes }
    }

    /// What the player has to bear on a tile.
    pub(in crate::policy) fn own(&self, tile: Tile) -> i64 {
        self.own[tile.index()].into()
    }

    /// What enemies have to bear on a tile.
    pub(in crate::policy) fn foes(&self, tile: Tile) -> i64 {
        self.foes[tile.index()].into()
    }
}

impl Stack {
    /// Adds what these ships can bring to each tile. They fire on what is beside them.
    fn spread(&self, scene: &Scene<'_>, there: &mut [u32]) {
        let mut weights = [0; FAR as usize + 1];
        for (steps, weight) in (0..FAR).zip(&mut weights) {
            let turns = steps.saturating_sub(2) / self.speed;
            *weight = self.power.checked_shr(FADING * turns).unwrap_or(0);
            if *weight == 0 {
                break;
            }
        }
        match scene.distances.all_from(self.tile) {
            Some(distances) => {
                for (&steps, there) in distances.iter().zip(there) {
                    *there += weights[usize::from(steps)];
                }
            }
            None => {
                let grid = scene.distances.map().grid();
                let reach = weights.iter().position(|&weight| weight == 0).unwrap_or(0) as u32;
                for tile in grid.within(self.tile, reach) {
                    there[tile.index()] += weights[scene.distances.between(self.tile, tile) as usize];
                }
            }
        }
    }
}
