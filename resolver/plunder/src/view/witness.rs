//! A viewer in the course of a turn: follows its events and tells what may be known of them (R14).
//!
//! Events are lived through moment by moment. What the rules let happen at once is one moment: the free moves of a
//! tick, the ships that cross or enter after one encounter, the sinkings of a round, the captures, the new ships,
//! the reckoning. A thing that leaves or ends is judged by what the viewer saw before the moment, a thing that
//! arrives by what the viewer sees after it, so that ids and the order of telling decide nothing. Where a moment
//! begins and ends depends on no event that could be hidden from somebody who sees another part of it.

use std::collections::BTreeSet;

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::sight::{Lookout, Memory, SightChange};

use crate::event::{Cause, EncounterKind, Event, Shortfall, Site, Subject};
use crate::ids::StructureId;
use crate::rules::Rules;
use crate::stages::{Encounter, Participant};
use crate::state::State;

use super::scene::Scene;
use super::sight::eyes;
use super::{SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall, UnitView, Viewer};

/// What a viewer may know of a turn's events. The memory learns what was seen on the way.
pub fn events(rules: &Rules, before: &State, events: &[Event], viewer: Viewer, memory: &mut Memory) -> Vec<SeenEvent> {
    Witness::new(rules, before, viewer).follow(events, memory)
}

/// Whether everybody is told the same of these events where there is no fog: nothing in them is the secret of an owner.
pub fn are_alike(events: &[Event]) -> bool {
    !events.iter().any(|event| matches!(event, Event::Decided { .. } | Event::Spawned { .. }))
}

/// What a viewer may know of the encounters that a turn waits for, after the events so far.
pub fn encounters(
    rules: &Rules,
    before: &State,
    so_far: &[Event],
    awaiting: &[Encounter],
    viewer: Viewer,
) -> Vec<SeenEncounter> {
    let mut witness = Witness::new(rules, before, viewer);
    witness.follow(so_far, &mut Memory::new(before.map().grid()));
    witness.encounters(awaiting)
}

/// Something that a cause can name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Name {
    Unit(UnitId),
    Structure(StructureId),
    Tile(Tile),
}

/// A viewer and the turn as it has come so far.
#[derive(Clone, Debug)]
pub struct Witness<'a> {
    pub(super) rules: &'a Rules,
    pub(super) before: &'a State,
    pub(super) viewer: Viewer,
    /// Whether no fog lies between the viewer and the map.
    pub(super) open: bool,
    pub(super) scene: Scene,
    /// Only a fogged seat has one; others see all or nothing.
    lookout: Option<Lookout>,
    tick: Option<u8>,
    /// Units that the viewer's own ships have met or fought in this tick, in sight or not.
    pub(super) company: BTreeSet<UnitId>,
    /// Units on the lists of this tick's encounters that the viewer was told of.
    pub(super) listed: BTreeSet<UnitId>,
    /// What was in sight when it stood in an own ship's way, by tick.
    named: BTreeSet<(u8, Name)>,
}

impl<'a> Witness<'a> {
    /// A viewer at the start of a turn.
    pub fn new(rules: &'a Rules, before: &'a State, viewer: Viewer) -> Self {
        let open = viewer.is_unfogged(rules);
        let lookout = match viewer {
            Viewer::Seat(seat) if !open => {
                let units = before.units().iter().map(|u| (u.tile, u.id));
                Some(Lookout::new(seat, *before.map().grid(), eyes(rules, before, viewer), units))
            }
            _ => None,
        };
        Self {
            rules,
            before,
            viewer,
            open,
            scene: Scene::new(before),
            lookout,
            tick: None,
            company: BTreeSet::new(),
            listed: BTreeSet::new(),
            named: BTreeSet::new(),
        }
    }

    /// Follows the next events of the turn and tells what the viewer may know of them. Events can be given in
    /// pieces that end where a resolution pauses or ends.
    pub fn follow(&mut self, events: &[Event], memory: &mut Memory) -> Vec<SeenEvent> {
        if let Some(lookout) = &self.lookout {
            memory.learn(lookout.sight());
        }
        let mut told = Vec::new();
        for moment in events.chunk_by(at_once) {
            self.live_through(moment, memory, &mut told);
        }
        told
    }

    /// The encounters of a tick in which the turn waits for answers, as far as the viewer may know.
    ///
    /// In fog only those who are asked themselves learn of any: for the others the turn may wait because of ships
    /// that they do not see, and without those it would not wait at all.
    pub fn encounters(&self, awaiting: &[Encounter]) -> Vec<SeenEncounter> {
        let mut participants = awaiting.iter().flat_map(|encounter| &encounter.participants);
        if !self.open && !participants.any(|p| p.asked && self.viewer.owns(p.owner)) {
            return Vec::new();
        }
        let seen = |encounter: &Encounter| {
            let ids: Vec<UnitId> = encounter.participants.iter().map(|p| p.unit).collect();
            let known = self.party(encounter.site, &ids);
            let participants = encounter.participants.iter().filter(|p| known.binary_search(&p.unit).is_ok());
            let participant = |p: &Participant| SeenParticipant {
                unit: p.unit,
                owner: p.owner,
                holds: p.holds,
                asked: self.viewer.shares_secrets_of(p.owner).then_some(p.asked),
            };
            (!known.is_empty()).then(|| SeenEncounter {
                tick: encounter.tick,
                kind: encounter.kind,
                site: encounter.site,
                participants: participants.map(participant).collect(),
            })
        };
        awaiting.iter().filter_map(seen).collect()
    }

    /// Why the viewer's own orders fell short. To be asked when the turn is over.
    pub fn shortfalls(&self, shortfalls: &[Shortfall]) -> Vec<SeenShortfall> {
        let seen = |shortfall: &Shortfall| {
            let Shortfall { subject, tick, cause } = *shortfall;
            // A structure's order was its owner's at the start of the turn; it may have fallen since.
            let owner = match subject {
                Subject::Unit(unit) => self.scene.unit(unit).map(|u| u.owner),
                Subject::Structure(structure) => self.before.structure(structure).and_then(|s| s.owner),
            };
            let in_sight = |name: Name| tick.is_some_and(|tick| self.named.contains(&(tick, name)));
            let told = self.open || name_in(&cause).is_none_or(in_sight);
            let known = owner.is_some_and(|owner| self.viewer.shares_secrets_of(owner));
            known.then(|| SeenShortfall { subject, tick, cause: told.then_some(cause) })
        };
        shortfalls.iter().filter_map(seen).collect()
    }

    /// Lets what happens at once happen: endings are told before it, arrivals after it.
    fn live_through(&mut self, moment: &[Event], memory: &mut Memory, told: &mut Vec<SeenEvent>) {
        let tick = tick(&moment[0]);
        if tick.is_some() && tick != self.tick {
            self.tick = tick;
            self.company.clear();
            self.listed.clear();
        }
        let arrivals = matches!(
            moment[0],
            Event::Moved { .. } | Event::GaveWay { .. } | Event::Spawned { .. } | Event::SpawnDelayed { .. }
        );
        let mut origins = Vec::new();
        if arrivals {
            origins.extend(moment.iter().map(|event| self.origin(event)));
        } else {
            for event in moment {
                told.extend(self.tell(event));
            }
        }
        for event in moment {
            self.scene.apply(self.rules, event, &mut self.lookout);
        }
        let change = self.lookout.as_mut().map(Lookout::settle).unwrap_or_default();
        for (event, origin) in moment.iter().zip(origins) {
            told.extend(self.tell_arrival(event, origin));
        }
        if !change.gained.is_empty() || !change.lost.is_empty() {
            self.look_around(moment, tick, change, memory, told);
        }
    }

    /// Where a ship that moves in this event was, and whether it was seen there.
    fn origin(&self, event: &Event) -> Option<(Tile, bool)> {
        let (Event::Moved { unit, .. } | Event::GaveWay { unit, .. }) = event else { return None };
        self.scene.unit(*unit).map(|u| (u.tile, self.sees(u.tile)))
    }

    /// Tells that the sight has changed and what stands on the tiles that came into it. What moved or appeared
    /// in the same moment has been told.
    fn look_around(
        &mut self,
        moment: &[Event],
        tick: Option<u8>,
        change: SightChange,
        memory: &mut Memory,
        told: &mut Vec<SeenEvent>,
    ) {
        let Some(lookout) = &self.lookout else { return };
        let arrived = |event: &Event| match event {
            Event::Moved { unit, .. } | Event::GaveWay { unit, .. } | Event::Spawned { unit, .. } => Some(*unit),
            _ => None,
        };
        let arrived: BTreeSet<UnitId> = moment.iter().filter_map(arrived).collect();
        let map = self.before.map();
        memory.learn_tiles(&change.gained);
        let gained = change.gained.iter().map(|&tile| (tile, map.terrain(tile) as u8)).collect();
        told.push(SeenEvent::SightChanged { tick, gained, lost: change.lost });
        let mut units: Vec<UnitId> = change.gained.iter().flat_map(|&tile| lookout.standing(tile)).collect();
        units.retain(|unit| !arrived.contains(unit));
        units.sort_unstable();
        let strangers = units.iter().filter_map(|&id| self.scene.unit(id)).filter(|u| !self.viewer.owns(u.owner));
        told.extend(strangers.map(|u| SeenEvent::Appeared { tick, unit: UnitView::new(u, self.viewer) }));
        let structures = change.gained.iter().filter_map(|&tile| self.scene.structure_at(tile));
        let structures = structures.filter(|s| s.owner.is_none_or(|owner| !self.viewer.owns(owner)));
        told.extend(structures.map(|s| SeenEvent::StructureSighted { structure: s.id, owner: s.owner, tile: s.tile }));
        let contests = change.gained.iter().filter_map(|&tile| self.scene.contest_at(tile));
        let contests = contests.filter(|c| !self.any_own(&c.contenders));
        told.extend(contests.map(|c| SeenEvent::ContestSighted {
            tile: c.tile,
            since: c.since,
            contenders: c.contenders.iter().copied().filter(|&unit| self.sees_unit(unit)).collect(),
        }));
    }

    /// Whether a tile is in sight.
    pub(super) fn sees(&self, tile: Tile) -> bool {
        self.open || self.lookout.as_ref().is_some_and(|lookout| lookout.sight().contains(tile))
    }

    /// Whether a unit is on a tile in sight.
    pub(super) fn sees_unit(&self, unit: UnitId) -> bool {
        self.scene.unit(unit).is_some_and(|u| self.sees(u.tile))
    }

    /// Whether a structure is on a tile in sight.
    pub(super) fn sees_structure(&self, structure: StructureId) -> bool {
        self.scene.structure(structure).is_some_and(|s| self.sees(s.tile))
    }

    /// Whether a unit is the viewer's own, in sight, or in this tick's company of an own ship.
    pub(super) fn knows(&self, unit: UnitId) -> bool {
        self.own_unit(unit) || self.sees_unit(unit) || self.company.contains(&unit)
    }

    /// Whether a player's affairs are the viewer's, or open to all.
    pub(super) fn shares(&self, owner: PlayerId) -> bool {
        self.open || self.viewer.owns(owner)
    }

    pub(super) fn own_unit(&self, unit: UnitId) -> bool {
        self.scene.unit(unit).is_some_and(|u| self.viewer.owns(u.owner))
    }

    pub(super) fn any_own(&self, units: &[UnitId]) -> bool {
        units.iter().any(|&unit| self.own_unit(unit))
    }

    /// Who of an encounter the viewer knows of: everybody where the viewer is in it, those in sight where the
    /// site is, otherwise nobody. An encounter in which nobody is known is not told at all.
    pub(super) fn party(&self, site: Site, units: &[UnitId]) -> Vec<UnitId> {
        let in_sight = match site {
            Site::Edge(one, other) => self.sees(one) && self.sees(other),
            Site::Tile(tile) => self.sees(tile),
        };
        if self.open || self.any_own(units) {
            units.to_vec()
        } else if in_sight {
            units.iter().copied().filter(|&unit| self.sees_unit(unit)).collect()
        } else {
            Vec::new()
        }
    }

    /// Takes note of an encounter that the viewer is told of.
    pub(super) fn note_encounter(&mut self, tick: u8, kind: EncounterKind, site: Site, known: &[UnitId]) {
        self.listed.extend(known);
        if !self.any_own(known) {
            return;
        }
        self.company.extend(known);
        // Whoever stays behind on the edge's tiles may be named as the reason why nobody crosses (R7.4). Nobody
        // comes to them before that, because they are closed (R6.3, R7.5).
        if let (EncounterKind::Passing, Site::Edge(one, other), Some(lookout)) = (kind, site, &self.lookout) {
            let seen = [one, other].into_iter().filter(|&tile| lookout.sight().contains(tile));
            let names = seen.flat_map(|tile| lookout.standing(tile)).map(|unit| (tick, Name::Unit(unit)));
            self.named.extend(names);
        }
    }

    /// A cause, unless it names something that the viewer does not see.
    pub(super) fn cause(&mut self, tick: Option<u8>, cause: Cause) -> Option<Cause> {
        let Some(name) = name_in(&cause) else { return Some(cause) };
        let seen = match name {
            Name::Unit(unit) => self.sees_unit(unit),
            Name::Structure(structure) => self.sees_structure(structure),
            Name::Tile(tile) => self.sees(tile),
        };
        if seen && !self.open {
            self.named.extend(tick.map(|tick| (tick, name)));
        }
        seen.then_some(cause)
    }
}

/// The thing that a cause names, besides the ship whose cause it is.
const fn name_in(cause: &Cause) -> Option<Name> {
    match *cause {
        Cause::Contested { tile } => Some(Name::Tile(tile)),
        Cause::ClosedHarbor { structure } => Some(Name::Structure(structure)),
        Cause::WaitedFor { unit } | Cause::WaitedForPassing { unit } | Cause::NoRoomToCross { unit } => {
            Some(Name::Unit(unit))
        }
        Cause::Halted { .. }
        | Cause::Sunk
        | Cause::Contending
        | Cause::Unpaid { .. }
        | Cause::FleetFull
        | Cause::ShipyardsFull
        | Cause::HarborTaken
        | Cause::OutOfReach
        | Cause::NoTarget
        | Cause::FoughtAlready
        | Cause::BroadsidesOff => None,
    }
}

/// The tick of an event that has one.
const fn tick(event: &Event) -> Option<u8> {
    match *event {
        Event::Moved { tick, .. }
        | Event::Waited { tick, .. }
        | Event::Blocked { tick, .. }
        | Event::Encounter { tick, .. }
        | Event::Decided { tick, .. }
        | Event::Exchanged { tick, .. }
        | Event::Sunk { tick, .. }
        | Event::GaveWay { tick, .. }
        | Event::ContestOpened { tick, .. } => Some(tick),
        _ => None,
    }
}

/// Whether two neighbouring events happen at the same moment.
fn at_once(one: &Event, next: &Event) -> bool {
    match (one, next) {
        (Event::Moved { tick, .. }, Event::Moved { tick: other, .. })
        | (Event::Sunk { tick, .. }, Event::Sunk { tick: other, .. }) => tick == other,
        (Event::Captured { .. }, Event::Captured { .. }) => true,
        (Event::Spawned { .. } | Event::SpawnDelayed { .. }, Event::Spawned { .. } | Event::SpawnDelayed { .. }) => {
            true
        }
        (
            Event::Removed { .. } | Event::Neutralised { .. } | Event::Eliminated { .. },
            Event::Removed { .. } | Event::Neutralised { .. } | Event::Eliminated { .. } | Event::Ended { .. },
        ) => true,
        _ => false,
    }
}
