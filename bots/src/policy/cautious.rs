//! A policy that fights while it is well, and goes home when it is not.

use std::fmt;
use std::sync::Arc;

use parley_core::grid::Tile;
use parley_games::plunder::wire;
use parley_plunder::order::OrderSheet;
use parley_plunder::rules::Rules;
use parley_plunder::state::Unit;
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use super::Policy;
use super::answerable::attack_where;
use super::distances::FAR;
use super::draft::Draft;
use super::reader::{Reader, Reading};
use super::scene::Scene;

/// How many shipyards are enough.
const YARDS: usize = 2;
/// From how many ships on shipyards are founded.
const SETTLING_FLEET: usize = 4;
/// How far away, in steps, a ship may be to be hunted.
const HUNT: u32 = 6;

/// Attacks with at least half of its hp, and otherwise lets others pass and sails home for repairs. Builds ships,
/// founds a second shipyard, and hunts ships nearby that have no more hp than the hunter.
///
/// Orders are a function of the view alone.
pub struct Cautious {
    reader: Reader,
}

impl Cautious {
    /// A cautious player in a match with these rules.
    pub const fn new(rules: Arc<Rules>) -> Self {
        Self { reader: Reader::new(rules) }
    }
}

impl Policy for Cautious {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some(Reading { me, state, distances }) = self.reader.read(view) else { return plunder::Sheet::default() };
        let rules = self.reader.rules();
        wire::said(rules, &plan(&Scene::new(rules, &distances, &state, me)))
    }

    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        let Some(Reading { state, .. }) = self.reader.read(view) else { return Vec::new() };
        let rules = self.reader.rules();
        let is_healthy = |unit: &Unit| 2 * unit.hp >= unit.max_hp(rules);
        attack_where(prompt, |id, _| state.units().iter().find(|unit| unit.id.get() == id).is_some_and(is_healthy))
    }
}

impl fmt::Debug for Cautious {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Cautious")
    }
}

/// The orders of a cautious player.
pub(super) fn plan(scene: &Scene<'_>) -> OrderSheet {
    let mut draft = Draft::new(scene);
    for ship in 0..scene.own.len() {
        let unit = scene.own[ship];
        if scene.is_below(unit, 1, 2) && !draft.repair(scene, ship) {
            let home = scene.home(unit.tile).map(|(_, tile)| tile);
            steer(scene, &mut draft, ship, home.map(|home| (home, 1)));
        }
    }
    settle(scene, &mut draft);
    if let Some(class) = scene.best_class() {
        for yard in (0..scene.yards.len()).filter(|&yard| scene.yards[yard].queue.is_empty()) {
            draft.build(scene, yard, class);
        }
    }
    for ship in 0..scene.own.len() {
        let unit = scene.own[ship];
        draft.broadside(scene, ship, !scene.is_below(unit, 1, 2));
        if !draft.is_busy(ship) && !scene.contends(unit) && !scene.is_below(unit, 1, 2) {
            let goal = prey(scene, unit).map(|foe| (foe.tile, 0));
            let home = || scene.home(unit.tile).map(|(_, tile)| (tile, 1));
            steer(scene, &mut draft, ship, goal.or_else(home));
        }
    }
    draft.finish(scene)
}

/// The nearest ship of somebody else that is no stronger.
fn prey<'a>(scene: &Scene<'a>, unit: &Unit) -> Option<&'a Unit> {
    let weaker = |foe: &&&Unit| foe.hp <= unit.hp && foe.hit(scene.rules) <= unit.hit(scene.rules);
    let near = scene.foes.iter().filter(weaker).map(|&foe| (scene.distances.between(unit.tile, foe.tile), foe));
    near.filter(|&(steps, _)| steps <= HUNT).min_by_key(|&(steps, foe)| (steps, foe.hp, foe.id)).map(|(_, foe)| foe)
}

/// Deploys a shipyard, or sends the ship that is nearest to a harbor there.
fn settle(scene: &Scene<'_>, draft: &mut Draft) {
    let cost = i64::from(scene.rules.shipyard().deploy_cost.get());
    if draft.yards >= YARDS || draft.fleet < SETTLING_FLEET || draft.purse < cost {
        return;
    }
    let harbors = scene.free_harbors();
    let idle = (0..scene.own.len()).filter(|&ship| !draft.is_busy(ship));
    let ways = idle.flat_map(|ship| {
        harbors.iter().map(move |&harbor| (scene.distances.between(scene.own[ship].tile, harbor), ship, harbor))
    });
    if let Some((steps, ship, harbor)) = ways.filter(|&(steps, ..)| steps < FAR).min() {
        if steps > 0 || !draft.deploy(scene, ship) {
            steer(scene, draft, ship, Some((harbor, 0)));
        }
        // The gold stays aside for it.
        draft.purse -= if steps > 0 { cost } else { 0 };
    }
}

/// Sails as near to a goal as the turn allows; nearer than some steps is near enough.
fn steer(scene: &Scene<'_>, draft: &mut Draft, ship: usize, goal: Option<(Tile, u32)>) {
    let Some((goal, enough)) = goal else { return draft.hold(scene, ship) };
    let reach = scene.reach(scene.own[ship]);
    let nearest = |place: &usize| (scene.distances.between(reach[*place].tile, goal).max(enough), reach[*place].steps);
    match (0..reach.len()).min_by_key(nearest) {
        Some(place) => draft.go(scene, ship, &reach, place),
        None => draft.hold(scene, ship),
    }
}
