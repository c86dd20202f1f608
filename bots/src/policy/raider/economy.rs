//! What a raider spends its gold on.

use parley_core::grid::Tile;
use parley_plunder::rules::Upgrade;

use super::{Influence, Style};
use crate::policy::draft::Draft;
use crate::policy::scene::Scene;

/// Below which share of their hp ships are repaired where that is possible.
const REPAIRED_BELOW: (u16, u16) = (7, 10);
/// From how many ships on shipyards are founded.
const SETTLING_FLEET: usize = 4;
/// The farthest harbor that a ship is sent to, in steps.
const SETTLING_WAY: u32 = 12;
/// In how many turns a shipyard that is founded has to pay for itself.
const SETTLING_TURNS: u32 = 36;
/// For how many turns a piece that is fitted has to be of use.
const UPGRADING_TURNS: u32 = 12;
/// Gold that is kept back for repairs and lost ships.
const RESERVE: i64 = 50;

/// Spends the turn's gold: repairs, a shipyard, ships, and pieces once the fleet is full.
pub(super) fn spend(scene: &Scene<'_>, draft: &mut Draft, influence: &Influence, style: &Style) {
    for ship in 0..scene.own.len() {
        if scene.is_below(scene.own[ship], REPAIRED_BELOW.0, REPAIRED_BELOW.1) {
            draft.repair(scene, ship);
        }
    }
    settle(scene, draft, influence, style);
    if let Some(class) = scene.best_class() {
        for yard in (0..scene.yards.len()).filter(|&yard| scene.yards[yard].queue.is_empty()) {
            draft.build(scene, yard, class);
        }
    }
    let full = draft.fleet >= scene.rules.economy().ships_per_player.get() as usize;
    if style.upgrades && full && scene.turns_left() > UPGRADING_TURNS {
        upgrade(scene, draft);
    }
}

/// Deploys a shipyard, or sends the ship that is nearest to a safe harbor there.
fn settle(scene: &Scene<'_>, draft: &mut Draft, influence: &Influence, style: &Style) {
    let cost = i64::from(scene.rules.shipyard().deploy_cost.get());
    let worthwhile = scene.turns_left() > SETTLING_TURNS;
    if !worthwhile || draft.yards >= style.yards || draft.fleet < SETTLING_FLEET || draft.purse < cost {
        return;
    }
    let safe = |tile: &Tile| influence.foes(*tile) <= influence.own(*tile);
    let harbors: Vec<Tile> = scene.free_harbors().into_iter().filter(safe).collect();
    let idle = (0..scene.own.len()).filter(|&ship| !draft.is_busy(ship));
    let ways = idle.flat_map(|ship| {
        harbors.iter().map(move |&harbor| (scene.distances.between(scene.own[ship].tile, harbor), ship, harbor))
    });
    let Some((steps, ship, harbor)) = ways.filter(|&(steps, ..)| steps <= SETTLING_WAY).min() else { return };
    if steps == 0 {
        draft.deploy(scene, ship);
        return;
    }
    let reach = scene.reach(scene.own[ship]);
    let nearest = (0..reach.len()).min_by_key(|&place| scene.distances.between(reach[place].tile, harbor));
    draft.go(scene, ship, &reach, nearest.unwrap_or(0));
    // The gold stays aside for it.
    draft.purse -= cost;
}

/// Fits pieces to ships at shipyards: hulls, which heal, and then cannons.
fn upgrade(scene: &Scene<'_>, draft: &mut Draft) {
    for ship in 0..scene.own.len() {
        for piece in [Upgrade::Hull, Upgrade::Cannons] {
            let affordable = draft.purse - i64::from(scene.rules.upgrade(piece).cost) >= RESERVE;
            if affordable && !draft.is_busy(ship) {
                draft.upgrade(scene, ship, piece);
            }
        }
    }
}
