//! What a witness tells of one event (R14).

use parley_core::grid::Tile;
use parley_core::ids::UnitId;

use crate::event::{Body, Event};
use crate::ids::StructureId;
use crate::state::Unit;

use super::{SeenBody, Witness};

impl Witness<'_> {
    /// Tells of an event that begins from what is there, before it happens. With fog, money and work are the
    /// owner's, a fight is known to those in it, and everything else to those who see all of it.
    pub(super) fn tell(&mut self, event: &Event) -> Option<SeenBody> {
        match event.body {
            Body::Gold { player, change, reason, balance } => {
                self.shares(player).then_some(SeenBody::Gold { player, change, reason, balance })
            }
            Body::Queued { structure, class } => self.works(structure).then_some(SeenBody::Queued { structure, class }),
            Body::Cancelled { structure, class, .. } => {
                self.works(structure).then_some(SeenBody::Cancelled { structure, class })
            }
            Body::Repaired { unit, hp } => {
                (self.open || self.own_unit(unit)).then_some(SeenBody::Repaired { unit, hp })
            }
            Body::Upgraded { unit, upgrade } => {
                (self.open || self.own_unit(unit)).then_some(SeenBody::Upgraded { unit, upgrade })
            }
            Body::Skipped { subject, cause } => {
                let known = self.scene.owner(subject).is_some_and(|owner| self.shares(owner));
                known.then(|| SeenBody::Skipped { subject, cause: self.cause(None, cause) })
            }
            Body::Waited { unit, cause } => {
                let known = self.open || self.own_unit(unit);
                known.then(|| SeenBody::Waited { unit, cause: self.cause(event.tick, cause) })
            }
            Body::Blocked { unit, cause } => {
                let known = self.open || self.own_unit(unit);
                known.then(|| SeenBody::Blocked { unit, cause: self.cause(event.tick, cause) })
            }
            Body::Encounter { .. } | Body::Decided { .. } | Body::Exchanged { .. } | Body::Sunk { .. } => {
                self.tell_fight(event)
            }
            Body::Withdrew { .. } | Body::ContestOpened { .. } | Body::ContestClosed { .. } => self.tell_contest(event),
            Body::Deployed { .. }
            | Body::Bombarded { .. }
            | Body::Captured { .. }
            | Body::Removed { .. }
            | Body::Neutralised { .. } => self.tell_structure_or_end(event),
            Body::Eliminated { player, conceded } => Some(SeenBody::Eliminated { player, conceded }),
            Body::Ended { ref result } => Some(SeenBody::Ended { result: result.clone() }),
            Body::Moved { .. } | Body::GaveWay { .. } | Body::Spawned { .. } | Body::SpawnDelayed { .. } => None,
        }
    }

    fn tell_fight(&mut self, event: &Event) -> Option<SeenBody> {
        match event.body {
            Body::Encounter { kind, site, ref units } => {
                let known = self.party(site, units);
                if known.is_empty() {
                    return None;
                }
                self.note_encounter(event.tick, kind, site, &known);
                let units = known.iter().filter_map(|&id| self.scene.unit(id)).map(|u| (u.id, u.owner)).collect();
                Some(SeenBody::Encounter { kind, site, units })
            }
            Body::Decided { unit, choice, .. } => {
                self.listed.contains(&unit).then_some(SeenBody::Decided { unit, choice })
            }
            Body::Exchanged { exchange } => {
                let pair = [exchange.attacker, exchange.defender];
                if self.any_own(&pair) {
                    self.company.extend(pair);
                }
                pair.iter().all(|&unit| self.knows(unit)).then_some(SeenBody::Exchanged { exchange })
            }
            Body::Sunk { unit } => self.knows(unit).then_some(SeenBody::Sunk { unit }),
            _ => None,
        }
    }

    fn tell_contest(&self, event: &Event) -> Option<SeenBody> {
        match event.body {
            Body::Withdrew { unit, tile } => {
                let known = self.own_unit(unit) || self.sees_unit(unit) && self.sees(tile);
                known.then_some(SeenBody::Withdrew { unit, tile })
            }
            Body::ContestOpened { tile, ref contenders } => {
                let known = self.sees(tile) || self.any_own(contenders);
                let contenders = contenders.iter().copied().filter(|&unit| self.knows(unit));
                known.then(|| SeenBody::ContestOpened { tile, contenders: contenders.collect() })
            }
            Body::ContestClosed { tile, end } => {
                let in_it = || self.scene.contest_at(tile).is_some_and(|contest| self.any_own(&contest.contenders));
                (self.sees(tile) || in_it()).then_some(SeenBody::ContestClosed { tile, end })
            }
            _ => None,
        }
    }

    fn tell_structure_or_end(&self, event: &Event) -> Option<SeenBody> {
        match event.body {
            Body::Deployed { unit, structure, tile } => {
                let owner = self.scene.unit(unit)?.owner;
                let known = self.shares(owner) || self.sees(tile);
                known.then_some(SeenBody::Deployed { unit, structure, owner, tile })
            }
            Body::Bombarded { unit, structure, damage } => {
                let in_it = self.own_unit(unit) || self.works(structure);
                let known = in_it || self.sees_unit(unit) && self.sees_structure(structure);
                known.then_some(SeenBody::Bombarded { unit, structure, damage })
            }
            Body::Captured { structure, from, by } => {
                let in_it = self.shares(by) || from.is_some_and(|owner| self.shares(owner));
                let known = in_it || self.sees_structure(structure);
                known.then_some(SeenBody::Captured { structure, from, by })
            }
            Body::Removed { unit } => self.sees_unit(unit).then_some(SeenBody::Removed { unit }),
            Body::Neutralised { structure } => {
                self.sees_structure(structure).then_some(SeenBody::Neutralised { structure })
            }
            _ => None,
        }
    }

    /// Tells of a ship that has come to where it is now, and of one that could not.
    pub(super) fn tell_arrival(&self, event: &Event, origin: Option<(Tile, bool)>) -> Option<SeenBody> {
        match event.body {
            Body::Moved { unit, to } => self.tell_move(unit, origin?, to, |from| SeenBody::Moved { unit, from, to }),
            Body::GaveWay { unit, to, direction } => {
                self.tell_move(unit, origin?, to, |from| SeenBody::GaveWay { unit, from, to, direction })
            }
            Body::Spawned { unit, structure, .. } => {
                let Unit { id: unit, owner, class, tile, .. } = *self.scene.unit(unit).filter(|u| self.sees(u.tile))?;
                let structure = self.sees_structure(structure).then_some(structure);
                Some(SeenBody::Spawned { unit, owner, class, structure, tile })
            }
            Body::SpawnDelayed { structure } => self.works(structure).then_some(SeenBody::SpawnDelayed { structure }),
            _ => None,
        }
    }

    /// A move is told in full where both ends of it were seen, each at its time; of one end, only that one.
    fn tell_move(
        &self,
        unit: UnitId,
        (from, left_in_sight): (Tile, bool),
        to: Tile,
        in_full: impl FnOnce(Tile) -> SeenBody,
    ) -> Option<SeenBody> {
        match (left_in_sight, self.sees(to)) {
            (true, true) => Some(in_full(from)),
            (true, false) => Some(SeenBody::Vanished { unit, from }),
            (false, true) => self.scene.unit(unit).map(appeared),
            (false, false) => None,
        }
    }

    /// Whether a structure's work is the viewer's, or open to all.
    fn works(&self, structure: StructureId) -> bool {
        self.open || self.scene.structure(structure).and_then(|s| s.owner).is_some_and(|owner| self.viewer.owns(owner))
    }
}

/// Tells that a ship has come into sight.
pub(super) const fn appeared(unit: &Unit) -> SeenBody {
    SeenBody::Appeared { unit: unit.id, owner: unit.owner, class: unit.class, tile: unit.tile }
}
