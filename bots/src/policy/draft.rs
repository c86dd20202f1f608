//! A sheet that is being written: it keeps the money together, and holds only what is legal.

use parley_core::grid::Tile;
use parley_core::hex::Hex;
use parley_plunder::ids::{ClassId, StructureId};
use parley_plunder::order::{Action, OrderSheet, StructureOrder, UnitOrder, Work};
use parley_plunder::rules::{Broadsides, Upgrade};
use parley_plunder::state::{Engagement, Unit};

use super::distances::{Distances, ReachableTile};
use super::scene::Scene;

/// Orders for a turn, one place for each own ship.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Draft {
    units: Vec<UnitOrder>,
    structures: Vec<StructureOrder>,
    /// The gold that is left to spend.
    pub(super) purse: i64,
    /// The number of ships, those in queues included.
    pub(super) fleet: usize,
    /// The number of shipyards, those being deployed included.
    pub(super) yards: usize,
}

impl Draft {
    /// A draft that orders nothing yet.
    pub(super) fn new(scene: &Scene<'_>) -> Self {
        let blank = |unit: &&Unit| UnitOrder { unit: unit.id, action: None, broadside: false, engagement: None };
        Self {
            units: scene.own.iter().map(blank).collect(),
            structures: Vec::new(),
            purse: scene.purse(),
            fleet: scene.state.fleet_size(scene.me),
            yards: scene.yards.len(),
        }
    }

    /// Whether a ship has something to do.
    pub(super) fn is_busy(&self, ship: usize) -> bool {
        self.units[ship].action.is_some()
    }

    /// Whether a ship becomes a shipyard. What is built may rest on the room that it leaves.
    pub(super) fn deploys(&self, ship: usize) -> bool {
        self.units[ship].action == Some(Action::DeployShipyard)
    }

    /// Whether a ship is to fire after the last tick.
    pub(super) fn fires(&self, ship: usize) -> bool {
        self.units[ship].broadside
    }

    /// Gives a ship something to do.
    fn act(&mut self, ship: usize, action: Action) {
        self.units[ship].action = Some(action);
    }

    fn pay(&mut self, cost: u32) -> bool {
        let affordable = i64::from(cost) <= self.purse;
        if affordable {
            self.purse -= i64::from(cost);
        }
        affordable
    }

    /// Sends a ship along a way.
    pub(super) fn sail(&mut self, scene: &Scene<'_>, ship: usize, way: &[Tile]) {
        let hex = |&tile: &Tile| -> Hex { scene.state.hex(tile) };
        if way.is_empty() {
            self.hold(scene, ship);
        } else {
            self.act(ship, Action::Move(way.iter().map(hex).collect()));
        }
    }

    /// Sends a ship to a place of its reach.
    pub(super) fn go(&mut self, scene: &Scene<'_>, ship: usize, reach: &[ReachableTile], place: usize) {
        self.sail(scene, ship, &Distances::way(reach, place));
    }

    /// Lets a ship stay. Only one that has a route, or is asked to stay in a contest, needs telling.
    pub(super) fn hold(&mut self, scene: &Scene<'_>, ship: usize) {
        self.units[ship].action = (!scene.own[ship].route.is_empty()).then_some(Action::Hold);
    }

    /// Repairs a ship where that is possible.
    pub(super) fn repair(&mut self, scene: &Scene<'_>, ship: usize) -> bool {
        let possible = scene.state.at_own_shipyard(scene.own[ship]);
        let repaired = possible && self.pay(scene.rules.economy().repair_cost.get());
        if repaired {
            self.act(ship, Action::Repair);
        }
        repaired
    }

    /// Fits a piece to a ship where that is possible.
    pub(super) fn upgrade(&mut self, scene: &Scene<'_>, ship: usize, upgrade: Upgrade) -> bool {
        let unit = scene.own[ship];
        let possible = scene.state.at_own_shipyard(unit) && scene.has_room_for(unit, upgrade);
        let fitted = possible && self.pay(scene.rules.upgrade(upgrade).cost);
        if fitted {
            self.act(ship, Action::Upgrade(upgrade));
        }
        fitted
    }

    /// Turns a ship into a shipyard where that is possible.
    pub(super) fn deploy(&mut self, scene: &Scene<'_>, ship: usize) -> bool {
        let tile = scene.own[ship].tile;
        let taken = scene.state.structure_at(tile).is_some();
        let most = scene.rules.shipyard().per_player.get() as usize;
        let possible = scene.distances.map().is_harbor(tile) && !taken && self.yards < most;
        let deployed = possible && self.pay(scene.rules.shipyard().deploy_cost.get());
        if deployed {
            self.act(ship, Action::DeployShipyard);
            self.yards += 1;
            self.fleet -= 1;
        }
        deployed
    }

    /// Lets a ship fire on a structure beside it.
    pub(super) fn bombard(&mut self, ship: usize, structure: StructureId) {
        self.act(ship, Action::Bombard(structure));
    }

    /// Lets a ship fire after the last tick, where there are broadsides.
    pub(super) fn broadside(&mut self, scene: &Scene<'_>, ship: usize, fires: bool) {
        self.units[ship].broadside = fires && scene.rules.raw().broadsides != Broadsides::Off;
    }

    /// Sets how a ship answers encounters.
    pub(super) fn engage(&mut self, scene: &Scene<'_>, ship: usize, engagement: Engagement) {
        self.units[ship].engagement = (scene.own[ship].engagement != engagement).then_some(engagement);
    }

    /// Builds a ship at a shipyard, where fleet, queue and gold allow it.
    pub(super) fn build(&mut self, scene: &Scene<'_>, yard: usize, class: ClassId) -> bool {
        let structure = scene.yards[yard];
        let room = self.fleet < scene.rules.economy().ships_per_player.get() as usize;
        let place = structure.queue.len() < scene.rules.shipyard().queue.get() as usize;
        let idle = self.structures.iter().all(|order| order.structure != structure.id);
        let built = room && place && idle && self.pay(scene.rules.class(class).build_cost);
        if built {
            self.structures.push(StructureOrder { structure: structure.id, work: Work::Build(class) });
            self.fleet += 1;
        }
        built
    }

    /// The finished sheet. Ships that have nothing to be told are not on it.
    pub(super) fn finish(mut self, scene: &Scene<'_>) -> OrderSheet {
        self.units.retain(|order| order.action.is_some() || order.broadside || order.engagement.is_some());
        OrderSheet { player: scene.me, units: self.units, structures: self.structures, concede: false }
    }
}
