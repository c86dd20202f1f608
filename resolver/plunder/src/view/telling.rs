//! What a witness tells of one event (R14).

use parley_core::grid::Tile;

use crate::event::Event;
use crate::ids::StructureId;

use super::{SeenEvent, UnitView, Witness};

impl Witness<'_> {
    /// Tells of an event that begins from what is there, before it happens. With fog, money and work are the
    /// owner's, a fight is known to those in it, and everything else to those who see all of it.
    pub(super) fn tell(&mut self, event: &Event) -> Option<SeenEvent> {
        match *event {
            Event::Gold { player, change, reason, balance } => {
                self.shares(player).then_some(SeenEvent::Gold { player, change, reason, balance })
            }
            Event::Queued { structure, class } => {
                self.works(structure).then_some(SeenEvent::Queued { structure, class })
            }
            Event::Cancelled { structure, class } => {
                self.works(structure).then_some(SeenEvent::Cancelled { structure, class })
            }
            Event::Repaired { unit, hp } => {
                (self.open || self.own_unit(unit)).then_some(SeenEvent::Repaired { unit, hp })
            }
            Event::Upgraded { unit, upgrade } => {
                (self.open || self.own_unit(unit)).then_some(SeenEvent::Upgraded { unit, upgrade })
            }
            Event::Skipped { subject, cause } => {
                let known = self.scene.owner(subject).is_some_and(|owner| self.shares(owner));
                known.then(|| SeenEvent::Skipped { subject, cause: self.cause(None, cause) })
            }
            Event::Waited { tick, unit, cause } => {
                let known = self.open || self.own_unit(unit);
                known.then(|| SeenEvent::Waited { tick, unit, cause: self.cause(Some(tick), cause) })
            }
            Event::Blocked { tick, unit, cause } => {
                let known = self.open || self.own_unit(unit);
                known.then(|| SeenEvent::Blocked { tick, unit, cause: self.cause(Some(tick), cause) })
            }
            Event::Encounter { .. } | Event::Decided { .. } | Event::Exchanged { .. } | Event::Sunk { .. } => {
                self.tell_fight(event)
            }
            Event::Withdrew { .. } | Event::ContestOpened { .. } | Event::ContestClosed { .. } => {
                self.tell_contest(event)
            }
            Event::Deployed { .. }
            | Event::Bombarded { .. }
            | Event::Captured { .. }
            | Event::Removed { .. }
            | Event::Neutralised { .. } => self.tell_structure_or_end(event),
            Event::Eliminated { player, conceded } => Some(SeenEvent::Eliminated { player, conceded }),
            Event::Ended { ref result } => Some(SeenEvent::Ended { result: result.clone() }),
            Event::Moved { .. } | Event::GaveWay { .. } | Event::Spawned { .. } | Event::SpawnDelayed { .. } => None,
        }
    }

    fn tell_fight(&mut self, event: &Event) -> Option<SeenEvent> {
        match *event {
            Event::Encounter { tick, kind, site, ref units } => {
                let known = self.party(site, units);
                if known.is_empty() {
                    return None;
                }
                self.note_encounter(tick, kind, site, &known);
                let units = known.iter().filter_map(|&id| self.scene.unit(id)).map(|u| (u.id, u.owner)).collect();
                Some(SeenEvent::Encounter { tick, kind, site, units })
            }
            Event::Decided { tick, unit, choice, defaulted } => {
                let owner = self.scene.unit(unit)?.owner;
                let defaulted = self.viewer.shares_secrets_of(owner).then_some(defaulted);
                self.listed.contains(&unit).then_some(SeenEvent::Decided { tick, unit, choice, defaulted })
            }
            Event::Exchanged { tick, exchange } => {
                let pair = [exchange.attacker, exchange.defender];
                if self.any_own(&pair) {
                    self.company.extend(pair);
                }
                pair.iter().all(|&unit| self.knows(unit)).then_some(SeenEvent::Exchanged { tick, exchange })
            }
            Event::Sunk { tick, unit } => self.knows(unit).then_some(SeenEvent::Sunk { tick, unit }),
            _ => None,
        }
    }

    fn tell_contest(&self, event: &Event) -> Option<SeenEvent> {
        match *event {
            Event::Withdrew { unit, tile } => {
                let known = self.own_unit(unit) || self.sees_unit(unit) && self.sees(tile);
                known.then_some(SeenEvent::Withdrew { unit, tile })
            }
            Event::ContestOpened { tick, tile, ref contenders } => {
                let known = self.sees(tile) || self.any_own(contenders);
                let contenders = contenders.iter().copied().filter(|&unit| self.knows(unit));
                known.then(|| SeenEvent::ContestOpened { tick, tile, contenders: contenders.collect() })
            }
            Event::ContestClosed { tile, end } => {
                let in_it = || self.scene.contest_at(tile).is_some_and(|contest| self.any_own(&contest.contenders));
                (self.sees(tile) || in_it()).then_some(SeenEvent::ContestClosed { tile, end })
            }
            _ => None,
        }
    }

    fn tell_structure_or_end(&self, event: &Event) -> Option<SeenEvent> {
        match *event {
            Event::Deployed { unit, structure, tile } => {
                let owner = self.scene.unit(unit)?.owner;
                let known = self.shares(owner) || self.sees(tile);
                known.then_some(SeenEvent::Deployed { unit, structure, owner, tile })
            }
            Event::Bombarded { unit, structure, damage } => {
                let in_it = self.own_unit(unit) || self.works(structure);
                let known = in_it || self.sees_unit(unit) && self.sees_structure(structure);
                known.then_some(SeenEvent::Bombarded { unit, structure, damage })
            }
            Event::Captured { structure, from, by } => {
                let in_it = self.shares(by) || from.is_some_and(|owner| self.shares(owner));
                let known = in_it || self.sees_structure(structure);
                known.then_some(SeenEvent::Captured { structure, from, by })
            }
            Event::Removed { unit } => self.sees_unit(unit).then_some(SeenEvent::Removed { unit }),
            Event::Neutralised { structure } => {
                self.sees_structure(structure).then_some(SeenEvent::Neutralised { structure })
            }
            _ => None,
        }
    }

    /// Tells of a ship that has come to where it is now, and of one that could not.
    pub(super) fn tell_arrival(&self, event: &Event, origin: Option<(Tile, bool)>) -> Option<SeenEvent> {
        match *event {
            Event::Moved { tick, unit, to } => {
                self.tell_move(tick, unit, origin?, to, |from| SeenEvent::Moved { tick, unit, from, to })
            }
            Event::GaveWay { tick, unit, to, direction } => {
                self.tell_move(tick, unit, origin?, to, |from| SeenEvent::GaveWay { tick, unit, from, to, direction })
            }
            Event::Spawned { unit, structure, .. } => {
                let unit = self.scene.unit(unit).filter(|u| self.sees(u.tile))?;
                let structure = self.sees_structure(structure).then_some(structure);
                Some(SeenEvent::Spawned { unit: UnitView::new(unit, self.viewer), structure })
            }
            Event::SpawnDelayed { structure } => self.works(structure).then_some(SeenEvent::SpawnDelayed { structure }),
            _ => None,
        }
    }

    /// A move is told in full where both ends of it were seen, each at its time; of one end, only that one.
    fn tell_move(
        &self,
        tick: u8,
        unit: parley_core::ids::UnitId,
        (from, left_in_sight): (Tile, bool),
        to: Tile,
        in_full: impl FnOnce(Tile) -> SeenEvent,
    ) -> Option<SeenEvent> {
        match (left_in_sight, self.sees(to)) {
            (true, true) => Some(in_full(from)),
            (true, false) => Some(SeenEvent::Vanished { tick, unit, from }),
            (false, true) => {
                let unit = UnitView::new(self.scene.unit(unit)?, self.viewer);
                Some(SeenEvent::Appeared { tick: Some(tick), unit })
            }
            (false, false) => None,
        }
    }

    /// Whether a structure's work is the viewer's, or open to all.
    fn works(&self, structure: StructureId) -> bool {
        self.open || self.scene.structure(structure).and_then(|s| s.owner).is_some_and(|owner| self.viewer.owns(owner))
    }
}
