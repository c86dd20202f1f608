//! The search for orders.

use std::sync::Arc;

use parley_core::dice::Seed;
use parley_core::ids::PlayerId;
use parley_plunder::legality::LegalSheet;
use parley_plunder::order::OrderSheet;
use parley_plunder::rules::Rules;
use parley_plunder::state::{Engagement, State};

use super::world::World;
use super::worth::worth;
use crate::policy::distances::Distances;
use crate::policy::draft::Draft;
use crate::policy::raider::{Influence, Style, plan};
use crate::policy::scene::Scene;
use crate::random::Random;

/// How many turns are played to try out a style.
pub(super) const STYLE_TURNS: u32 = 5;
/// How many different futures everything is tried in.
pub(super) const FUTURES: usize = 2;
/// How many turns are played to try out a change.
const CHANGE_TURNS: u32 = 2;

/// Looks for the best orders of a turn.
pub(super) struct OrderSearch<'a> {
    rules: &'a Arc<Rules>,
    distances: &'a Distances,
    state: &'a State,
    me: PlayerId,
    random: Random,
    world: World<'a>,
    /// The futures that orders are tried in: what the others are taken to order, and the dice.
    futures: Vec<(Vec<LegalSheet>, Seed)>,
}

impl<'a> OrderSearch<'a> {
    pub(super) fn new(
        rules: &'a Arc<Rules>,
        distances: &'a Distances,
        state: &'a State,
        me: PlayerId,
        mut random: Random,
        nodes: usize,
    ) -> Self {
        let world = World::new(rules, nodes);
        let mut search = Self { rules, distances, state, me, random: random.clone(), world, futures: Vec::new() };
        let sheets = search.others(state);
        search.futures = (0..FUTURES).map(|_| (sheets.clone(), dice(&mut random))).collect();
        search.random = random;
        search
    }

    /// How many turns have been resolved.
    #[cfg(test)]
    pub(super) const fn resolved(&self) -> usize {
        self.world.resolved
    }

    /// What everybody else is taken to order in a state.
    fn others(&self, state: &State) -> Vec<LegalSheet> {
        let living = state.players().iter().filter(|player| player.alive && player.id != self.me);
        living.map(|player| self.raid(state, player.id, &Style::default())).collect()
    }

    /// The legal orders of a raider of a style.
    fn raid(&self, state: &State, player: PlayerId, style: &Style) -> LegalSheet {
        let scene = Scene::new(self.rules, self.distances, state, player);
        let draft = plan(&scene, &Influence::new(&scene), style);
        self.world.legal(state, &draft.finish(&scene))
    }

    /// The best orders that the budget finds.
    pub(super) fn best(&mut self) -> OrderSheet {
        let scene = Scene::new(self.rules, self.distances, self.state, self.me);
        let influence = Influence::new(&scene);
        let mut best: Option<(i64, Draft, Style)> = None;
        for style in styles() {
            let draft = plan(&scene, &influence, &style);
            if best.as_ref().is_some_and(|(_, chosen, other)| *chosen == draft && other.upgrades == style.upgrades) {
                continue;
            }
            let Some(worth) = self.try_out(&draft.clone().finish(&scene), &style, STYLE_TURNS) else { break };
            if best.as_ref().is_none_or(|(most, ..)| worth > *most) {
                best = Some((worth, draft, style));
            }
        }
        let Some((_, mut draft, style)) = best else {
            return plan(&scene, &influence, &Style::default()).finish(&scene);
        };
        // In fog, what single ships do best depends on those who are not seen.
        if self.rules.fog() {
            return draft.finish(&scene);
        }
        let Some(mut most) = self.try_out(&draft.clone().finish(&scene), &style, CHANGE_TURNS) else {
            return draft.finish(&scene);
        };
        while !scene.own.is_empty() {
            let changed = self.change(&scene, &influence, &draft);
            let Some(worth) = self.try_out(&changed.clone().finish(&scene), &style, CHANGE_TURNS) else { break };
            if worth > most {
                (most, draft) = (worth, changed);
            }
        }
        draft.finish(&scene)
    }

    /// A draft with one ship's orders changed.
    pub(super) fn change(&mut self, scene: &Scene<'_>, influence: &Influence, draft: &Draft) -> Draft {
        let mut changed = draft.clone();
        let ship = self.random.below(scene.own.len());
        let unit = scene.own[ship];
        if draft.deploys(ship) {
            return changed;
        }
        match self.random.below(8) {
            0 => changed.engage(scene, ship, Engagement::Fight),
            1 => changed.engage(scene, ship, Engagement::Evade),
            2 => {
                let fires = changed.fires(ship);
                changed.broadside(scene, ship, !fires);
            }
            3 => changed.hold(scene, ship),
            _ => {
                let reach = scene.reach(unit);
                let near = |place: &usize| influence.foes(reach[*place].tile) > 0;
                let places: Vec<usize> = (0..reach.len()).filter(near).collect();
                if let Some(&place) = places.get(self.random.below(places.len())) {
                    changed.go(scene, ship, &reach, place);
                    changed.broadside(scene, ship, true);
                }
            }
        }
        changed
    }

    /// The worth of what orders lead to, summed over all futures; `None` where the budget is used up.
    fn try_out(&mut self, sheet: &OrderSheet, style: &Style, turns: u32) -> Option<i64> {
        if self.world.left() < FUTURES * turns as usize {
            return None;
        }
        let own = self.world.legal(self.state, sheet);
        let mut sum = 0;
        for future in 0..FUTURES {
            let (others, seed) = &self.futures[future];
            let seed = *seed;
            let mut sheets = others.clone();
            sheets.push(own.clone());
            let mut state = self.world.resolve(self.state, &seed, &sheets)?;
            for _ in 1..turns {
                if state.result().is_some() {
                    break;
                }
                let living = state.players().iter().filter(|player| player.alive).map(|player| player.id);
                let standard = Style::default();
                let style = |player| if player == self.me { style } else { &standard };
                let sheets: Vec<LegalSheet> = living.map(|player| self.raid(&state, player, style(player))).collect();
                state = self.world.resolve(&state, &seed, &sheets)?;
            }
            sum += worth(self.rules, &state, self.me);
        }
        Some(sum)
    }
}

/// A seed of dice that the planner makes up.
fn dice(random: &mut Random) -> Seed {
    let mut bytes = [0; 32];
    for chunk in bytes.chunks_exact_mut(8) {
        chunk.copy_from_slice(&random.draw().to_le_bytes());
    }
    Seed::from_bytes(bytes)
}

/// The raiders that are tried, the usual one first.
fn styles() -> Vec<Style> {
    let usual = Style::default();
    vec![
        usual.clone(),
        Style { upgrades: false, ..usual.clone() },
        Style { passed: 1, ..usual.clone() },
        Style { boldness: 0, upgrades: false, ..usual.clone() },
        Style { boldness: 110, ..usual.clone() },
        Style { yards: 4, upgrades: false, ..usual.clone() },
        Style { boldness: 0, ..usual.clone() },
        Style { passed: 2, ..usual },
    ]
}
