//! A policy that looks for fights it will win.

use std::fmt;
use std::sync::Arc;

use parley_proto::v1;
use parley_resolver::map::Tile;
use parley_resolver::order::OrderSheet;
use parley_resolver::preview::{self, Fighter, Side};
use parley_resolver::rules::{Rules, Upgrade};
use parley_resolver::state::{Engagement, Unit};

use super::draft::Draft;
use super::lattice::FAR;
use super::reader::{Reader, Reading};
use super::scene::Scene;
use super::{Asked, Policy};
use crate::convert;

/// Weighs odds, numbers and places.
pub struct Raider {
    reader: Reader,
}

impl Raider {
    /// A raider in a match with these rules.
    pub const fn new(_: u64, rules: Arc<Rules>) -> Self {
        Self { reader: Reader::new(rules) }
    }
}

impl Policy for Raider {
    fn orders(&mut self, view: &v1::View) -> v1::OrderSheet {
        let Some(Reading { me, state, lattice }) = self.reader.read(view) else { return v1::OrderSheet::default() };
        let rules = self.reader.rules();
        convert::said(rules, &plan(&Scene::new(rules, &lattice, &state, me)))
    }

    fn decide(&mut self, view: &v1::View, asked: Asked<'_>) -> v1::Choice {
        let Some(Reading { me, state, .. }) = self.reader.read(view) else { return asked.evasion() };
        let rules = self.reader.rules();
        let unit = |id: u32| state.units().iter().find(|unit| unit.id.get() == id);
        let parties: Vec<&Unit> = asked.encounter.participants.iter().filter_map(|p| unit(p.unit)).collect();
        let fighters: Vec<Fighter> = parties.iter().map(|unit| Fighter::new(rules, unit)).collect();
        let sides: Vec<Side> = parties.iter().map(|unit| Side { owner: unit.owner, attacks: true }).collect();
        let Ok(odds) = preview::round(&fighters, &preview::pairings(&sides)) else { return asked.evasion() };
        let (mut lost, mut won) = (0i64, 0i64);
        for (unit, odds) in parties.iter().zip(&odds) {
            let worth = i64::from(odds.mean_loss_milli) * 3 + i64::from(odds.sinks_ppm) * 40 / 1000;
            if unit.owner == me { lost += worth } else { won += worth }
        }
        if won * 10 >= lost * 9 { v1::Choice::Attack } else { asked.evasion() }
    }
}

impl fmt::Debug for Raider {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Raider")
    }
}

fn power(rules: &Rules, unit: &Unit) -> u32 {
    u32::from(unit.hp) * u32::from(unit.hit(rules))
}

/// Who could bring how much to bear on each tile, soon.
struct Influence {
    own: Vec<u32>,
    foes: Vec<u32>,
}

impl Influence {
    fn new(scene: &Scene<'_>) -> Self {
        let tiles = scene.lattice.tiles();
        let mut own = vec![0; tiles.len()];
        let mut by_owner: Vec<(parley_resolver::ids::PlayerId, Vec<u32>)> = Vec::new();
        for unit in scene.state.units() {
            let map = if unit.owner == scene.me {
                &mut own
            } else {
                let place = by_owner.iter().position(|(owner, _)| *owner == unit.owner).unwrap_or_else(|| {
                    by_owner.push((unit.owner, vec![0; tiles.len()]));
                    by_owner.len() - 1
                });
                &mut by_owner[place].1
            };
            let (power, speed) = (power(scene.rules, unit), u32::from(unit.speed(scene.rules)).max(1));
            for (at, &tile) in map.iter_mut().zip(tiles) {
                let steps = scene.lattice.distance(unit.tile, tile);
                if steps < FAR {
                    let turns = steps.saturating_sub(2) / speed;
                    *at += power >> (2 * turns).min(31);
                }
            }
        }
        let mut foes = vec![0; tiles.len()];
        for (place, at) in foes.iter_mut().enumerate() {
            let (mut most, mut all) = (0, 0);
            for (_, map) in &by_owner {
                most = most.max(map[place]);
                all += map[place];
            }
            *at = most + (all - most) / 4;
        }
        Self { own, foes }
    }
}

/// Where to bring the fleet.
struct Goal {
    tile: Tile,
    structure: Option<parley_resolver::ids::StructureId>,
}

/// The orders of a raider.
pub(super) fn plan(scene: &Scene<'_>) -> OrderSheet {
    let mut draft = Draft::new(scene);
    let influence = Influence::new(scene);
    let rules = scene.rules;
    // Repairs first.
    for ship in 0..scene.own.len() {
        let unit = scene.own[ship];
        if scene.is_below(unit, 7, 10) {
            draft.repair(scene, ship);
        }
    }
    settle(scene, &mut draft, &influence);
    for yard in 0..scene.yards.len() {
        if scene.yards[yard].queue.is_empty() {
            let classes = rules.class_ids();
            let best = classes.max_by_key(|&class| (rules.class(class).hull, std::cmp::Reverse(class)));
            best.map(|class| draft.build(scene, yard, class));
        }
    }
    upgrade(scene, &mut draft);
    let goal = goal(scene, &influence);
    for ship in 0..scene.own.len() {
        let unit = scene.own[ship];
        let hurt = scene.is_below(unit, 1, 2);
        let danger = influence.foes[unit.tile.index()];
        draft.engage(scene, ship, if hurt { Engagement::Evade } else { Engagement::Ask });
        let _ = danger;
        let safe = scene
            .foes
            .iter()
            .filter(|f| scene.lattice.distance(f.tile, unit.tile) <= 4)
            .map(|f| f.hit(rules))
            .max()
            .unwrap_or(0);
        draft.broadside(scene, ship, unit.hp > 2 * safe || !hurt);
        if draft.is_busy(ship) || scene.contends(unit) {
            continue;
        }
        let reach = scene.reach(unit);
        let home = scene.home(unit.tile).map(|(_, tile)| tile);
        let target = if hurt { None } else { goal.as_ref() };
        if let Some(structure) = target.and_then(|goal| goal.structure) {
            let beside = target.is_some_and(|goal| scene.lattice.map().grid().adjacent(unit.tile, goal.tile));
            if beside {
                draft.bombard(ship, structure);
                continue;
            }
        }
        let place = (0..reach.len()).max_by_key(|&place| {
            let step = &reach[place];
            let at = step.tile.index();
            let (own, foes) = (i64::from(influence.own[at]), i64::from(influence.foes[at]));
            let mut score = match target {
                Some(goal) => -i64::from(scene.lattice.distance(step.tile, goal.tile).max(1)) * 10,
                None => -home.map_or(0, |home| i64::from(scene.lattice.distance(step.tile, home).max(1))) * 10,
            };
            if foes > own {
                score -= (foes - own) / if hurt { 2 } else { 4 };
            }
            score - i64::from(step.steps)
        });
        match place {
            Some(place) => draft.go(scene, ship, &reach, place),
            None => draft.hold(scene, ship),
        }
    }
    draft.finish(scene)
}

/// What the fleet can overwhelm, the nearest first.
fn goal(scene: &Scene<'_>, influence: &Influence) -> Option<Goal> {
    let ready: Vec<&Unit> = scene.own.iter().copied().filter(|unit| !scene.is_below(unit, 1, 2)).collect();
    let strength: i64 = ready.iter().map(|unit| i64::from(power(scene.rules, unit))).sum();
    if ready.is_empty() {
        return None;
    }
    let away = |tile: Tile| {
        ready.iter().map(|u| i64::from(scene.lattice.distance(u.tile, tile))).sum::<i64>() / ready.len() as i64
    };
    let home = |tile: Tile| scene.home(tile).map_or(20, |(steps, _)| i64::from(steps));
    let mut best: Option<(i64, Goal)> = None;
    let mut offer = |score: i64, goal: Goal| {
        if best.as_ref().is_none_or(|(most, _)| score > *most) {
            best = Some((score, goal));
        }
    };
    for foe in &scene.foes {
        let there = i64::from(influence.foes[foe.tile.index()]);
        if there * 4 > strength * 3 {
            continue;
        }
        let score = 200 - away(foe.tile) * 8 - home(foe.tile) * 8 - there / 4 - i64::from(foe.hp);
        offer(score, Goal { tile: foe.tile, structure: None });
    }
    for structure in scene.state.structures().iter().filter(|s| s.owner != Some(scene.me)) {
        let there = i64::from(influence.foes[structure.tile.index()]);
        if there * 4 > strength * 3 || scene.yards.len() >= scene.rules.shipyard().per_player.get() as usize {
            continue;
        }
        let score = 190 - away(structure.tile) * 8 - home(structure.tile) * 8 - there / 4 - i64::from(structure.hp);
        offer(score, Goal { tile: structure.tile, structure: Some(structure.id) });
    }
    best.map(|(_, goal)| goal)
}

fn settle(scene: &Scene<'_>, draft: &mut Draft, influence: &Influence) {
    let cost = i64::from(scene.rules.shipyard().deploy_cost.get());
    let most = if scene.turns_left() > 36 { 3 } else { 1 };
    if draft.yards >= most || draft.fleet < 4 || draft.purse < cost {
        return;
    }
    let harbors = scene.free_harbors();
    let idle = (0..scene.own.len()).filter(|&ship| !draft.is_busy(ship));
    let ways = idle.flat_map(|ship| {
        harbors.iter().map(move |&harbor| (scene.lattice.distance(scene.own[ship].tile, harbor), ship, harbor))
    });
    let safe = |tile: Tile| influence.foes[tile.index()] <= influence.own[tile.index()];
    if let Some((steps, ship, harbor)) = ways.filter(|&(steps, _, harbor)| steps < 12 && safe(harbor)).min() {
        if steps > 0 || !draft.deploy(scene, ship) {
            let reach = scene.reach(scene.own[ship]);
            let place = (0..reach.len()).min_by_key(|&p| scene.lattice.distance(reach[p].tile, harbor));
            draft.go(scene, ship, &reach, place.unwrap_or(0));
        }
        draft.purse -= if steps > 0 { cost } else { 0 };
    }
}

fn upgrade(scene: &Scene<'_>, draft: &mut Draft) {
    if draft.fleet < scene.rules.economy().ships_per_player.get() as usize {
        return;
    }
    for ship in 0..scene.own.len() {
        if draft.is_busy(ship) || draft.purse < 150 {
            continue;
        }
        let unit = scene.own[ship];
        for piece in [Upgrade::Hull, Upgrade::Cannons] {
            if scene.has_room_for(unit, piece) && draft.upgrade(scene, ship, piece) {
                break;
            }
        }
    }
}
