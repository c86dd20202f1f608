//! Everything that the rules allow, by lot.

use std::fmt;
use std::sync::Arc;

use parley_core::grid::Tile;
use parley_core::ids::PlayerId;
use parley_games::plunder::wire;
use parley_plunder::options::{self, ActionOption, UnitOptions};
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::preview::{Chart, Known, Survey};
use parley_plunder::rules::{Broadsides, Rules};
use parley_plunder::state::{Engagement, State};
use parley_proto::plunder::v1 as plunder;
use parley_proto::v1;

use super::Policy;
use super::answerable::attack_where;
use super::distances::Distances;
use super::reader::{Reader, Reading};
use crate::random::Random;

/// Draws legal orders by lot, from all that there are: moves, broadsides, engagements, work and bombardments.
///
/// Orders are a function of the seed and the view alone, so that a bot that is started anew goes on as before.
pub struct AtRandom {
    seed: u64,
    reader: Reader,
}

impl AtRandom {
    /// A gambler in a match with these rules.
    pub const fn new(seed: u64, rules: Arc<Rules>) -> Self {
        Self { seed, reader: Reader::new(rules) }
    }
}

impl Policy for AtRandom {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some(Reading { me, state, distances }) = self.reader.read(view) else { return plunder::Sheet::default() };
        let random = Random::mixed(&[self.seed, view.turn.into()]);
        let rules = self.reader.rules();
        let sheet = Lottery { rules, state: &state, distances: &distances, me, random }.sheet();
        wire::said(rules, &sheet)
    }

    fn answers(&mut self, view: &plunder::View, prompt: &v1::Prompt) -> Vec<v1::Answer> {
        attack_where(prompt, |unit, encounter| {
            Random::mixed(&[self.seed, view.turn.into(), encounter.tick.into(), unit.into()]).once_in(2)
        })
    }
}

impl fmt::Debug for AtRandom {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AtRandom")
    }
}

/// The random orders of one turn.
struct Lottery<'a> {
    rules: &'a Rules,
    state: &'a State,
    distances: &'a Distances,
    me: PlayerId,
    random: Random,
}

impl Lottery<'_> {
    fn sheet(mut self) -> OrderSheet {
        let (state, distances, me) = (self.state, self.distances, self.me);
        let known = |tile: Tile| if distances.is_dark(tile) { Known::Dark } else { Known::Seen };
        let chart = Chart::with_sight(self.rules, state, self.me, &known);
        let mut survey = Survey::new();
        let mut sheet = OrderSheet::empty(self.me);
        // What several orders together may not do more often than this.
        let mut deployments =
            (self.rules.shipyard().per_player.get() as usize).saturating_sub(state.shipyards(self.me));
        for unit in state.units().iter().filter(|unit| unit.owner == me) {
            let Some(options) = options::unit_options(&chart, &mut survey, unit.id) else { continue };
            let order = self.unit_order(&options, &mut deployments);
            let said = order.action.is_some() || order.broadside || order.engagement.is_some();
            sheet.units.extend(said.then_some(order));
        }
        let mut room = (self.rules.economy().ships_per_player.get() as usize).saturating_sub(state.fleet_size(self.me));
        for structure in state.structures().iter().filter(|structure| structure.owner == Some(me)) {
            let Some(options) = options::structure_options(&chart, structure.id) else { continue };
            let builds = options.builds.iter().filter(|option| option.available.is_ok() && room > 0);
            let works: Vec<Work> = builds.map(|option| Work::Build(option.class)).collect();
            let work = if self.random.once_in(CANCELS) && !options.cancels.is_empty() {
                Some(Work::CancelBuild(self.random.below(options.cancels.len())))
            } else if self.random.once_in(BUILDS) {
                works.get(self.random.below(works.len())).copied()
            } else {
                None
            };
            room -= usize::from(matches!(work, Some(Work::Build(_))));
            sheet.structures.extend(work.map(|work| StructureOrder { structure: structure.id, work }));
        }
        sheet
    }

    fn unit_order(&mut self, options: &UnitOptions, deployments: &mut usize) -> UnitOrder {
        let action = match self.random.below(4) {
            0 => None,
            1 => {
                let possible = |option: &&ActionOption| {
                    option.available.is_ok() && (*deployments > 0 || option.action != Action::DeployShipyard)
                };
                let possible: Vec<&ActionOption> = options.actions.iter().filter(possible).collect();
                possible.get(self.random.below(possible.len())).map(|option| option.action.clone())
            }
            _ => {
                let target = options.reach.get(self.random.below(options.reach.len())).map(|reach| reach.tile);
                let way = target.and_then(|target| options.path(target));
                way.map(|way| Action::Move(way.into_iter().map(|tile| self.state.hex(tile)).collect()))
            }
        };
        *deployments -= usize::from(action == Some(Action::DeployShipyard));
        let engagements = [Engagement::Ask, Engagement::Evade, Engagement::Fight, Engagement::FightIfHealthy];
        let engagement = self.random.once_in(4).then(|| engagements[self.random.below(engagements.len())]);
        let broadside = self.random.once_in(2) && self.rules.raw().broadsides != Broadsides::Off;
        UnitOrder { unit: options.unit, action, broadside, engagement }
    }
}

/// A shipyard builds once in so many turns, if it can.
const BUILDS: usize = 3;
/// A shipyard cancels a build once in so many turns, if it has one.
const CANCELS: usize = 40;
