//! Where everything is in the course of a turn, read off its events.

use std::collections::{BTreeMap, BTreeSet};

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use parley_core::sight::Lookout;

use crate::event::{Body, Subject};
use crate::ids::StructureId;
use crate::rules::Rules;
use crate::state::{Contest, Engagement, Job, Player, State, Structure, Unit};

/// The state as the events so far have left it, as far as views need it. Units that are gone keep their last
/// place, because it is asked who they belonged to.
#[derive(Clone, Debug)]
pub(super) struct Scene {
    players: Vec<Player>,
    units: Vec<Unit>,
    /// Units that are no longer in the game.
    gone: BTreeSet<UnitId>,
    structures: Vec<Structure>,
    by_tile: BTreeMap<Tile, usize>,
    contests: BTreeMap<Tile, Contest>,
    contending: BTreeMap<UnitId, Tile>,
    turn: u32,
}

impl Scene {
    pub(super) fn new(before: &State) -> Self {
        let lists = before.contests().iter().flat_map(|c| c.contenders.iter().map(|&unit| (unit, c.tile)));
        Self {
            players: before.players().to_vec(),
            units: before.units().to_vec(),
            gone: BTreeSet::new(),
            structures: before.structures().to_vec(),
            by_tile: before.structures().iter().enumerate().map(|(place, s)| (s.tile, place)).collect(),
            contests: before.contests().iter().map(|c| (c.tile, c.clone())).collect(),
            contending: lists.collect(),
            turn: before.turn(),
        }
    }

    pub(super) fn unit(&self, id: UnitId) -> Option<&Unit> {
        self.units.binary_search_by_key(&id, |u| u.id).ok().map(|place| &self.units[place])
    }

    /// A unit that is still in the game.
    pub(super) fn unit_in_play(&self, id: UnitId) -> Option<&Unit> {
        self.unit(id).filter(|_| !self.gone.contains(&id))
    }

    pub(super) fn player(&self, id: PlayerId) -> Option<&Player> {
        self.players.iter().find(|player| player.id == id)
    }

    fn unit_mut(&mut self, id: UnitId) -> Option<&mut Unit> {
        self.units.binary_search_by_key(&id, |u| u.id).ok().map(|place| &mut self.units[place])
    }

    pub(super) fn structure(&self, id: StructureId) -> Option<&Structure> {
        self.structures.binary_search_by_key(&id, |s| s.id).ok().map(|place| &self.structures[place])
    }

    fn player_mut(&mut self, id: PlayerId) -> Option<&mut Player> {
        self.players.iter_mut().find(|player| player.id == id)
    }

    fn structure_mut(&mut self, id: StructureId) -> Option<&mut Structure> {
        self.structures.binary_search_by_key(&id, |s| s.id).ok().map(|place| &mut self.structures[place])
    }

    pub(super) fn structure_at(&self, tile: Tile) -> Option<&Structure> {
        self.by_tile.get(&tile).and_then(|&place| self.structures.get(place))
    }

    pub(super) fn contest_at(&self, tile: Tile) -> Option<&Contest> {
        self.contests.get(&tile)
    }

    /// The tile that a unit contends for.
    pub(super) fn contest_of(&self, unit: UnitId) -> Option<Tile> {
        self.contending.get(&unit).copied()
    }

    /// The owner of the unit or structure that an order was for.
    pub(super) fn owner(&self, subject: Subject) -> Option<PlayerId> {
        match subject {
            Subject::Unit(id) => self.unit(id).map(|u| u.owner),
            Subject::Structure(id) => self.structure(id).and_then(|s| s.owner),
        }
    }

    /// Applies an event to the scene, and to the lookout's eyes if there is one.
    pub(super) fn apply(&mut self, rules: &Rules, body: &Body, lookout: &mut Option<Lookout>) {
        let mut eyes = Eyes { rules, lookout };
        match *body {
            Body::Moved { unit, to, .. } => self.place(unit, to, &mut eyes),
            Body::GaveWay { unit, to, .. } => {
                self.leave_contest(unit);
                self.place(unit, to, &mut eyes);
            }
            Body::Sunk { unit, .. } | Body::Removed { unit } => self.remove(unit, &mut eyes),
            Body::Deployed { unit, structure, tile } => {
                let owner = self.unit(unit).map(|u| u.owner);
                self.remove(unit, &mut eyes);
                let hp = rules.shipyard().hp.get() as u16;
                self.build(Structure { id: structure, owner, tile, hp, queue: Default::default() }, &mut eyes);
            }
            Body::Spawned { unit, owner, class, structure, tile } => {
                if let Some(structure) = self.structure_mut(structure).filter(|s| !s.queue.is_empty()) {
                    structure.queue.remove(0);
                }
                let hp = rules.class(class).hull;
                let (engagement, route) = (Engagement::Ask, Path::EMPTY);
                let new = Unit { id: unit, tile, owner, class, hp, sails: 0, cannons: 0, hull: 0, engagement, route };
                eyes.unit(&new, true);
                if let Err(place) = self.units.binary_search_by_key(&unit, |u| u.id) {
                    self.units.insert(place, new);
                }
            }
            Body::Captured { structure, by, .. } => {
                self.hand_over(structure, Some(by), &mut eyes);
                if let Some(structure) = self.structure_mut(structure) {
                    structure.hp = rules.hp_when_captured();
                }
            }
            Body::Neutralised { structure } => self.hand_over(structure, None, &mut eyes),
            Body::Withdrew { unit, .. } => self.leave_contest(unit),
            Body::ContestOpened { tile, ref contenders, .. } => {
                let list = contenders.iter().copied().collect();
                self.contests.insert(tile, Contest { tile, since: self.turn, rounds: 1, contenders: list });
                self.contending.extend(contenders.iter().map(|&unit| (unit, tile)));
            }
            Body::ContestClosed { tile, .. } => {
                for unit in self.contests.remove(&tile).into_iter().flat_map(|c| c.contenders) {
                    self.contending.remove(&unit);
                }
            }
            Body::Exchanged { exchange, .. } => {
                self.hurt(exchange.attacker, exchange.attacker_loses);
                self.hurt(exchange.defender, exchange.defender_loses);
            }
            Body::Repaired { unit, hp } => {
                if let Some(unit) = self.unit_mut(unit) {
                    unit.hp = hp;
                }
            }
            Body::Upgraded { unit, upgrade } => {
                if let Some(unit) = self.unit_mut(unit) {
                    unit.fit(upgrade);
                    if rules.upgrade(upgrade).heals {
                        unit.hp = unit.max_hp(rules);
                    }
                }
            }
            Body::Queued { structure, class } => {
                let turns_left = rules.class(class).build_turns;
                if let Some(structure) = self.structure_mut(structure) {
                    let _ = structure.queue.try_push(Job { class, turns_left });
                }
            }
            Body::Cancelled { structure, place, .. } => {
                if let Some(structure) = self.structure_mut(structure) {
                    structure.queue.pop_at(place.into());
                }
            }
            Body::Bombarded { structure, damage, .. } => {
                if let Some(structure) = self.structure_mut(structure) {
                    structure.hp = structure.hp.saturating_sub(damage);
                }
            }
            Body::Gold { player, balance, .. } => {
                if let Some(player) = self.player_mut(player) {
                    player.gold = balance;
                }
            }
            Body::Eliminated { player, .. } => {
                if let Some(player) = self.player_mut(player) {
                    player.alive = false;
                }
            }
            Body::Skipped { .. }
            | Body::Waited { .. }
            | Body::Blocked { .. }
            | Body::Encounter { .. }
            | Body::Decided { .. }
            | Body::SpawnDelayed { .. }
            | Body::Ended { .. } => {}
        }
    }

    fn place(&mut self, id: UnitId, to: Tile, eyes: &mut Eyes<'_>) {
        if let Some(unit) = self.unit_mut(id) {
            eyes.unit(unit, false);
            unit.tile = to;
            eyes.unit(unit, true);
        }
    }

    fn remove(&mut self, id: UnitId, eyes: &mut Eyes<'_>) {
        self.leave_contest(id);
        self.gone.insert(id);
        if let Some(unit) = self.unit_mut(id) {
            eyes.unit(unit, false);
        }
    }

    fn build(&mut self, new: Structure, eyes: &mut Eyes<'_>) {
        if self.structures.last().is_none_or(|last| last.id < new.id) {
            eyes.structure(&new, true);
            self.by_tile.insert(new.tile, self.structures.len());
            self.structures.push(new);
        }
    }

    fn hand_over(&mut self, id: StructureId, to: Option<PlayerId>, eyes: &mut Eyes<'_>) {
        if let Some(structure) = self.structure_mut(id) {
            eyes.structure(structure, false);
            structure.owner = to;
            structure.queue.clear();
            eyes.structure(structure, true);
        }
    }

    fn hurt(&mut self, id: UnitId, hp: u16) {
        if let Some(unit) = self.unit_mut(id) {
            unit.hp = unit.hp.saturating_sub(hp);
        }
    }

    fn leave_contest(&mut self, unit: UnitId) {
        if let Some(contest) = self.contending.remove(&unit).and_then(|tile| self.contests.get_mut(&tile)) {
            contest.contenders.retain(|c| *c != unit);
        }
    }
}

/// Tells the lookout where units stand and where its own eyes are.
struct Eyes<'a> {
    rules: &'a Rules,
    lookout: &'a mut Option<Lookout>,
}

impl Eyes<'_> {
    /// A unit comes to its tile or leaves it.
    fn unit(&mut self, unit: &Unit, comes: bool) {
        let Some(lookout) = self.lookout else { return };
        if comes {
            lookout.arrive(unit.id, unit.tile);
        } else {
            lookout.leave(unit.id, unit.tile);
        }
        self.eye(Some(unit.owner), unit.tile, self.rules.class(unit.class).vision.into(), comes);
    }

    /// A structure begins or ends to be its owner's.
    fn structure(&mut self, structure: &Structure, begins: bool) {
        self.eye(structure.owner, structure.tile, self.rules.shipyard().vision.get(), begins);
    }

    fn eye(&mut self, owner: Option<PlayerId>, tile: Tile, vision: u32, opens: bool) {
        let Some(lookout) = self.lookout else { return };
        if owner == Some(lookout.seat()) && opens {
            lookout.open_eye(tile, vision);
        } else if owner == Some(lookout.seat()) {
            lookout.close_eye(tile, vision);
        }
    }
}
