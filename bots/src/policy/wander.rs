//! A policy that keeps a match busy without thinking.

use std::fmt;
use std::sync::Arc;

use parley_core::grid::Tile;
use parley_core::path::MAX_PATH;
use parley_plunder::rules::{Class, Rules, Upgrade};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::structure_order::Work;
use parley_proto::plunder::v1::unit_order::Action;
use parley_proto::v1;

use super::{Policy, Sea};
use crate::random::Random;

/// Ships drift over the known sea, half of them ready to fight while they are healthy, and gold becomes ships.
///
/// Orders are a function of the seed and the view alone, so that a bot that is started anew goes on as before.
pub struct Wander {
    seed: u64,
    rules: Arc<Rules>,
}

impl Wander {
    /// A wanderer in a match with these rules.
    pub const fn new(seed: u64, rules: Arc<Rules>) -> Self {
        Self { seed, rules }
    }

    fn class(&self, key: &str) -> Option<&Class> {
        self.rules.class_named(key).map(|id| self.rules.class(id))
    }

    fn unit_order(&self, view: &plunder::View, sea: &Sea<'_>, unit: &plunder::Unit) -> Option<plunder::UnitOrder> {
        let mut random = Random::mixed(&[self.seed, view.turn.into(), unit.id.into()]);
        let wanted = if Random::mixed(&[self.seed, unit.id.into()]).once_in(2) {
            plunder::Engagement::Evade
        } else {
            plunder::Engagement::FightIfHealthy
        };
        let engagement = if unit.engagement() == wanted { plunder::Engagement::Unspecified } else { wanted };
        let contending = view.contests.iter().any(|contest| contest.contenders.contains(&unit.id));
        let stays = (contending || !unit.route.is_empty()) && random.once_in(2);
        let path = if stays { Vec::new() } else { self.stroll(sea, unit, &mut random) };
        let action = (!path.is_empty()).then_some(Action::Move(plunder::Move { path }));
        let needless = action.is_none() && engagement == plunder::Engagement::Unspecified;
        let order = plunder::UnitOrder { unit: unit.id, action, engagement: engagement.into(), ..Default::default() };
        (!needless).then_some(order)
    }

    /// A walk of up to two turns that does not turn on the spot.
    fn stroll(&self, sea: &Sea<'_>, unit: &plunder::Unit, random: &mut Random) -> Vec<common::Hex> {
        let mut path = Vec::new();
        let found = unit.hex.as_ref().and_then(|hex| sea.tile(hex)).zip(self.class(&unit.class));
        let Some((start, class)) = found else { return path };
        let longest = (2 * self.speed(unit, class)).min(MAX_PATH);
        let (mut before, mut here) = (start, start);
        for _ in 0..(1 + random.below(longest)).min(longest) {
            let onward = |tile: &Tile| *tile != before && sea.is_open(*tile, class.domain);
            let open: Vec<Tile> = sea.grid().neighbors(here).map(|(_, tile)| tile).filter(onward).collect();
            let Some(&next) = open.get(random.below(open.len())) else { break };
            path.push(sea.hex(next));
            (before, here) = (here, next);
        }
        path
    }

    fn speed(&self, unit: &plunder::Unit, class: &Class) -> usize {
        let piece = |count: u32, upgrade| count as usize * usize::from(self.rules.upgrade(upgrade).speed);
        usize::from(class.speed) + piece(unit.sails, Upgrade::Sails) + piece(unit.hull, Upgrade::Hull)
    }

    /// A ship at each own shipyard, as far as gold, queues and the size of the fleet allow.
    fn builds(&self, view: &plunder::View, seat: u32) -> Vec<plunder::StructureOrder> {
        let yards = || view.structures.iter().filter(|s| s.owner == Some(seat) && s.queue_known);
        let queued: usize = yards().map(|yard| yard.queue.len()).sum();
        let fleet = queued + view.units.iter().filter(|unit| unit.owner == seat).count();
        let room = (self.rules.economy().ships_per_player.get() as usize).saturating_sub(fleet);
        let longest = self.rules.shipyard().queue.get() as usize;
        let own = view.players.iter().find(|player| player.id == seat);
        let mut gold = own.and_then(|player| player.gold).unwrap_or(0);
        let mut random = Random::mixed(&[self.seed, view.turn.into(), u64::MAX]);
        let mut orders = Vec::new();
        for yard in yards().filter(|yard| yard.queue.len() < longest).take(room) {
            let affordable = |class: &&Class| i64::from(class.build_cost) <= gold;
            let classes: Vec<&Class> = self.rules.classes().iter().filter(affordable).collect();
            let Some(class) = classes.get(random.below(classes.len())) else { break };
            gold -= i64::from(class.build_cost);
            orders.push(plunder::StructureOrder { structure: yard.id, work: Some(Work::Build(class.key.clone())) });
        }
        orders
    }
}

impl Policy for Wander {
    fn orders(&mut self, view: &plunder::View) -> plunder::Sheet {
        let Some((seat, sea)) = view.seat.zip(Sea::read(&self.rules, view)) else {
            return plunder::Sheet::default();
        };
        let own = view.units.iter().filter(|unit| unit.owner == seat);
        plunder::Sheet {
            units: own.filter_map(|unit| self.unit_order(view, &sea, unit)).collect(),
            structures: self.builds(view, seat),
            concede: false,
        }
    }

    /// Only ships that have never been ordered are asked, and they let others pass.
    fn answers(&mut self, _: &plunder::View, _: &v1::Prompt) -> Vec<v1::Answer> {
        Vec::new()
    }
}

impl fmt::Debug for Wander {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Wander")
    }
}
