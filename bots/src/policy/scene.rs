//! A state through the eyes of one player who plans a turn.

use std::cmp::Reverse;

use parley_core::grid::Tile;
use parley_core::ids::PlayerId;
use parley_core::path::MAX_PATH;
use parley_plunder::ids::ClassId;
use parley_plunder::rules::{Class, Rules, Stage, Upgrade};
use parley_plunder::state::{State, Structure, Unit};

use super::distances::{Distances, FAR, ReachableTile};

/// A state as a player who plans a turn thinks about it.
pub(super) struct Scene<'a> {
    pub(super) rules: &'a Rules,
    pub(super) distances: &'a Distances,
    pub(super) state: &'a State,
    pub(super) me: PlayerId,
    /// The player's ships, by id.
    pub(super) own: Vec<&'a Unit>,
    /// All other ships in sight, by id.
    pub(super) foes: Vec<&'a Unit>,
    /// The player's shipyards, by id.
    pub(super) yards: Vec<&'a Structure>,
    /// Whether a tile carries a structure of somebody else, or a contest.
    closed: Vec<bool>,
}

impl<'a> Scene<'a> {
    /// The scene of a player in a state.
    pub(super) fn new(rules: &'a Rules, distances: &'a Distances, state: &'a State, me: PlayerId) -> Self {
        let (own, foes) = state.units().iter().partition(|unit| unit.owner == me);
        let (yards, foreign): (Vec<&Structure>, Vec<&Structure>) =
            state.structures().iter().partition(|structure| structure.owner == Some(me));
        let contested = state.contests().iter().map(|contest| contest.tile);
        let mut closed = vec![false; distances.tiles().len()];
        foreign.iter().map(|structure| structure.tile).chain(contested).for_each(|tile| closed[tile.index()] = true);
        Self { rules, distances, state, me, own, foes, yards, closed }
    }

    /// The class of a unit.
    pub(super) fn class(&self, unit: &Unit) -> &'a Class {
        self.rules.class(unit.class)
    }

    /// Everywhere a ship can get to in this turn; its own tile is the first.
    pub(super) fn reach(&self, unit: &Unit) -> Vec<ReachableTile> {
        let (domain, speed) = (self.class(unit).domain, usize::from(unit.speed(self.rules)));
        let open = |tile: Tile| !self.closed[tile.index()] && self.distances.is_sea(tile, domain);
        self.distances.reach(unit.tile, speed.min(MAX_PATH) as u32, open)
    }

    /// The class that has the most hull and cannons for its price, among those that sail where the first one does.
    pub(super) fn best_class(&self) -> Option<ClassId> {
        let worth = |id: ClassId| {
            let class = self.rules.class(id);
            let hit = u64::from(class.cannons) + u64::from(self.rules.combat().damage.get());
            u64::from(class.hull) * hit * 1000 / u64::from(class.build_cost.max(1))
        };
        let sails = |id: &ClassId| self.rules.class(*id).domain == self.rules.classes()[0].domain;
        self.rules.class_ids().filter(sails).max_by_key(|&id| (worth(id), Reverse(id)))
    }

    /// The gold that can be spent in this turn: the income is paid before the work (R5.6).
    pub(super) fn purse(&self) -> i64 {
        let gold = self.state.player(self.me).map_or(0, |player| player.gold);
        if self.rules.stages().contains(&Stage::Income) { gold + self.income() } else { gold }
    }

    /// The gold that each turn brings.
    pub(super) fn income(&self) -> i64 {
        self.rules.income(self.yards.len() as i64, self.own.len() as i64)
    }

    /// How many turns are left, this one included; as good as endless where there is no limit.
    pub(super) fn turns_left(&self) -> u32 {
        match self.rules.raw().turn_limit.get() {
            0 => u32::MAX,
            limit => (limit + 1).saturating_sub(self.state.turn()),
        }
    }

    /// Whether a ship has less than some share of its max hp.
    pub(super) fn is_below(&self, unit: &Unit, part: u16, of: u16) -> bool {
        u32::from(unit.hp) * u32::from(of) < u32::from(unit.max_hp(self.rules)) * u32::from(part)
    }

    /// Whether a ship is in a contest.
    pub(super) fn contends(&self, unit: &Unit) -> bool {
        self.state.contest_of(unit.id).is_some()
    }

    /// How far it is to the nearest own shipyard, and where that is.
    pub(super) fn home(&self, from: Tile) -> Option<(u32, Tile)> {
        let ways = self.yards.iter().map(|yard| (self.distances.between(from, yard.tile), yard.tile));
        ways.filter(|&(steps, _)| steps < FAR).min()
    }

    /// The harbors where a shipyard could be deployed: no structure on them, and no ship of somebody else.
    pub(super) fn free_harbors(&self) -> Vec<Tile> {
        let free = |tile: &Tile| self.state.structure_at(*tile).is_none() && self.foes.iter().all(|f| f.tile != *tile);
        let harbors = self.distances.harbors().iter().copied();
        harbors.filter(free).filter(|tile| !self.closed[tile.index()]).collect()
    }

    /// Whether a piece can still be fitted to a ship.
    pub(super) fn has_room_for(&self, unit: &Unit, upgrade: Upgrade) -> bool {
        unit.fitted(upgrade) < self.rules.upgrade(upgrade).max
    }
}
