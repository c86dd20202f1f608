//! Where a raider's ships go.

use parley_core::grid::Tile;
use parley_plunder::ids::StructureId;
use parley_plunder::state::{Engagement, Unit};

use super::Influence;
use super::economy;
use super::influence::power;
use crate::policy::distances::ReachableTile;
use crate::policy::draft::Draft;
use crate::policy::scene::Scene;

/// The worth of a step.
const STEP: i64 = 10;
/// How much stronger than a ship's friends its enemies may be for one step's worth.
const PERIL: i64 = 4;
/// How much stronger than a ship's friends its enemies may be for one step's worth, if the ship is hurt.
const PERIL_HURT: i64 = 2;
/// What a step towards a target costs, in points of its worth.
const WAY: i64 = 8;
/// What a ship is worth as a target, and what a structure.
const SHIP: i64 = 200;
const STRUCTURE: i64 = 190;
/// Gold from which on a raider has nothing left to wait for, and how much more of it makes it bolder by one percent.
const WAR_CHEST: i64 = 1000;
const PER_PERCENT: i64 = 20;
/// The boldest a raider gets, in percent.
const RECKLESS: i64 = 400;
/// How far away a target counts as that has no way to a shipyard of ours, in steps.
const NO_WAY_HOME: i64 = 20;

/// What raiders can differ in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(in crate::policy) struct Style {
    /// How many shipyards are enough.
    pub(in crate::policy) yards: usize,
    /// Whether gold that is left over becomes better ships.
    pub(in crate::policy) upgrades: bool,
    /// The share of the own strength, in percent, that a target's defence may have; 0 goes for nothing that is
    /// defended.
    pub(in crate::policy) boldness: i64,
    /// How many of the best targets are passed over.
    pub(in crate::policy) passed: usize,
}

impl Default for Style {
    fn default() -> Self {
        Self { yards: 3, upgrades: true, boldness: 75, passed: 0 }
    }
}

/// The ship or structure that the fleet goes for.
#[derive(Clone, Copy, Debug)]
struct Target {
    tile: Tile,
    structure: Option<StructureId>,
}

/// The orders of a raider.
pub(in crate::policy) fn plan(scene: &Scene<'_>, influence: &Influence, style: &Style) -> Draft {
    let mut draft = Draft::new(scene);
    economy::spend(scene, &mut draft, influence, style);
    let target = target(scene, influence, style);
    for (ship, &unit) in scene.own.iter().enumerate() {
        let hurt = scene.is_below(unit, 1, 2);
        draft.engage(scene, ship, if hurt { Engagement::Evade } else { Engagement::Ask });
        draft.broadside(scene, ship, !hurt || survives(scene, unit));
        if draft.is_busy(ship) || scene.contends(unit) {
            continue;
        }
        let target = target.filter(|_| !hurt);
        let beside = |target: &Target| scene.distances.map().grid().adjacent(unit.tile, target.tile);
        if let Some(structure) = target.filter(beside).and_then(|target| target.structure) {
            draft.bombard(ship, structure);
            continue;
        }
        let home = || scene.home(unit.tile).map(|(_, tile)| tile);
        let goal = target.map(|target| target.tile).or_else(|| unknown(scene, unit).filter(|_| !hurt)).or_else(home);
        let peril = if hurt { PERIL_HURT } else { PERIL };
        let reach = scene.reach(unit);
        let worth = |step: &ReachableTile| {
            let way = goal.map_or(0, |goal| i64::from(scene.distances.between(step.tile, goal).max(1)));
            let outnumbered = (influence.foes(step.tile) - influence.own(step.tile)).max(0);
            -way * STEP - outnumbered / peril - i64::from(step.steps)
        };
        let best = (0..reach.len()).max_by_key(|&place| worth(&reach[place]));
        draft.go(scene, ship, &reach, best.unwrap_or(0));
    }
    draft
}

/// The nearest place from which something new may be seen, for every other ship.
fn unknown(scene: &Scene<'_>, unit: &Unit) -> Option<Tile> {
    let scouts = unit.id.get().is_multiple_of(2);
    let frontier = scene.distances.frontier().iter().filter(|_| scouts);
    frontier.copied().min_by_key(|&tile| (scene.distances.between(unit.tile, tile), tile))
}

/// Whether no single exchange in sight could sink a ship.
fn survives(scene: &Scene<'_>, unit: &Unit) -> bool {
    let near = |foe: &&&Unit| scene.distances.between(foe.tile, unit.tile) <= u32::from(foe.speed(scene.rules)) + 1;
    scene.foes.iter().filter(near).all(|foe| unit.hp > 2 * foe.hit(scene.rules))
}

/// What the fleet can overwhelm, as near to it and to its shipyards as possible.
fn target(scene: &Scene<'_>, influence: &Influence, style: &Style) -> Option<Target> {
    let ready: Vec<&Unit> = scene.own.iter().copied().filter(|unit| !scene.is_below(unit, 1, 2)).collect();
    if ready.is_empty() {
        return None;
    }
    let strength: i64 = ready.iter().map(|unit| i64::from(power(scene.rules, unit))).sum();
    // Whoever can pay for losses can afford them; without this, full fleets would watch each other forever.
    let boldness = match style.boldness {
        0 => 0,
        usual => (usual + (scene.purse() - WAR_CHEST).max(0) / PER_PERCENT).min(RECKLESS),
    };
    let worth = |tile: Tile, prize: i64| {
        let defence = influence.foes(tile);
        let way: i64 = ready.iter().map(|unit| i64::from(scene.distances.between(unit.tile, tile))).sum();
        let home = scene.home(tile).map_or(NO_WAY_HOME, |(steps, _)| i64::from(steps));
        let worth = prize - (way / ready.len() as i64 + home) * WAY - defence / 4;
        (defence * 100 <= strength * boldness).then_some(worth)
    };
    let ships = scene.foes.iter().filter_map(|foe| {
        let worth = worth(foe.tile, SHIP - i64::from(foe.hp))?;
        Some((worth, Target { tile: foe.tile, structure: None }))
    });
    let full = scene.yards.len() >= scene.rules.shipyard().per_player.get() as usize;
    let foreign = scene.state.structures().iter().filter(|s| s.owner != Some(scene.me) && !full);
    let structures = foreign.filter_map(|structure| {
        let worth = worth(structure.tile, STRUCTURE - i64::from(structure.hp))?;
        Some((worth, Target { tile: structure.tile, structure: Some(structure.id) }))
    });
    let mut targets: Vec<(i64, Target)> = ships.chain(structures).collect();
    targets.sort_by_key(|&(worth, target)| (std::cmp::Reverse(worth), target.tile, target.structure));
    targets.dedup_by_key(|(_, target)| target.tile);
    targets.get(style.passed).map(|&(_, target)| target)
}
