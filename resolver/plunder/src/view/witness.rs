//! A viewer in the course of a turn: follows its events and tells what may be known of them (R14).
//!
//! Events are lived through moment by moment. What the rules let happen at once is one moment: the free moves of a
//! tick, the ships that cross or enter after one encounter, the sinkings of a round, the captures, the new ships,
//! the reckoning. A thing that leaves or ends is judged by what the viewer saw before the moment, a thing that
//! arrives by what the viewer sees after it, so that ids and the order of telling decide nothing. Where a moment
//! begins and ends depends on no event that could be hidden from somebody who sees another part of it.

use std::collections::{BTreeMap, BTreeSet};

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::sight::{Lookout, Memory, SightChange};

use crate::dice::BROADSIDE_TICK;
use crate::event::{Body, Cause, EncounterKind, Event, Shortfall, Site, Subject};
use crate::ids::StructureId;
use crate::rules::Rules;
use crate::stages::{Encounter, Participant};
use crate::state::State;

use super::changes::{Board, Change};
use super::scene::Scene;
use super::sight::eyes;
use super::snapshot::Looking;
use super::telling::appeared;
use super::{SeenBody, SeenEncounter, SeenEvent, SeenParticipant, SeenShortfall, SeenTurn, Viewer};

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
    /// The things of the viewer's view, as the events so far have left them.
    pub(super) board: Board,
    /// The groups that the viewer knows of, each with the number that the viewer counts it by; 0 until it is told.
    groups: BTreeMap<u32, u32>,
    /// How many groups were told.
    groups_told: u32,
    /// The newest group of the turn so far.
    newest_group: u32,
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
        let board = Looking::new(rules, before, viewer, lookout.as_ref()).board(before);
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
            board,
            groups: BTreeMap::new(),
            groups_told: 0,
            newest_group: 0,
        }
    }

    /// Follows the next events of the turn and tells what the viewer may know of them. Events can be given in
    /// pieces that end where a resolution pauses or ends.
    pub fn follow(&mut self, events: &[Event], memory: &mut Memory) -> SeenTurn {
        if let Some(lookout) = &self.lookout {
            memory.learn(lookout.sight());
        }
        let mut told = SeenTurn::default();
        for moment in events.chunk_by(at_once) {
            self.live_through(moment, memory, &mut told);
        }
        told
    }

    /// How the board changes to that of the state in which the next turn is planned: all that was told with no event. To be
    /// asked when all events of the turn have been followed.
    pub fn finish(&mut self, after: &State) -> Vec<Change> {
        let mut changes = Vec::new();
        let next = Looking::new(self.rules, after, self.viewer, self.lookout.as_ref()).board(after);
        self.board.become_next(next, self.before, &mut changes);
        changes.push(Change::Turn(after.turn()));
        changes.extend(after.result().cloned().map(Change::Result));
        changes
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
                group: self.groups_number(encounter.group),
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
    fn live_through(&mut self, moment: &[Event], memory: &mut Memory, told: &mut SeenTurn) {
        let tick = moment[0].tick;
        if tick.is_some() && tick != self.tick {
            self.tick = tick;
            self.company.clear();
            self.listed.clear();
        }
        let arrivals = matches!(
            moment[0].body,
            Body::Moved { .. } | Body::GaveWay { .. } | Body::Spawned { .. } | Body::SpawnDelayed { .. }
        );
        let first = told.events.len();
        let mut origins = Vec::new();
        if arrivals {
            origins.extend(moment.iter().map(|event| self.origin(event)));
        } else {
            for event in moment {
                let body = self.tell(event);
                self.enclose(event, body, &mut told.events);
            }
        }
        for event in moment {
            self.scene.apply(self.rules, &event.body, &mut self.lookout);
        }
        let sight = self.lookout.as_mut().map(Lookout::settle).unwrap_or_default();
        for (event, origin) in moment.iter().zip(origins) {
            let body = self.tell_arrival(event, origin);
            self.enclose(event, body, &mut told.events);
        }
        if !sight.gained.is_empty() || !sight.lost.is_empty() {
            memory.learn_tiles(&sight.gained);
            let group = told.events.get(first).map_or(0, |told| told.group);
            let seen = self.look_around(moment, &sight);
            let (stage, tick) = (moment[0].stage, moment[0].tick);
            let seen = seen.into_iter().map(|body| SeenEvent { stage, tick, group, changes: 0, after: 0, body });
            told.events.extend(seen);
        }
        for event in &mut told.events[first..] {
            let before = told.changes.len();
            self.note_changes(&event.body, &sight, &mut told.changes);
            event.changes = (told.changes.len() - before) as u32;
        }
    }

    /// Puts what the viewer is told of an event into its envelope, with the group as this viewer counts it.
    fn enclose(&mut self, event: &Event, body: Option<SeenBody>, told: &mut Vec<SeenEvent>) {
        if event.group > self.newest_group {
            self.newest_group = event.group;
            if self.knows_beginning(event, body.is_some()) {
                self.groups.insert(event.group, 0);
            }
        }
        let Some(body) = body else { return };
        let group = self.number_group(event.group);
        let Event { stage, tick, .. } = *event;
        let nobody_answered = match event.body {
            Body::Decided { unit, defaulted: true, .. } => {
                let owner = self.scene.unit(unit).map(|unit| unit.owner);
                owner.is_some_and(|owner| self.viewer.shares_secrets_of(owner)).then_some(SeenBody::Defaulted { unit })
            }
            _ => None,
        };
        let bodies = std::iter::once(body).chain(nobody_answered);
        told.extend(bodies.map(|body| SeenEvent { stage, tick, group, changes: 0, after: 0, body }));
    }

    /// Whether the viewer knows with what a group begins: an encounter or an exchange of broadsides that is told, or the
    /// round of a contest in view.
    fn knows_beginning(&self, event: &Event, is_told: bool) -> bool {
        let contested = match event.body {
            Body::Encounter { .. } => None,
            Body::Exchanged { .. } if event.tick == Some(BROADSIDE_TICK) => None,
            Body::Exchanged { exchange } => self.scene.contest_of(exchange.attacker),
            Body::Moved { to, .. } => Some(to),
            Body::ContestClosed { tile, .. } => Some(tile),
            _ => None,
        };
        contested.map_or(is_told, |tile| self.board.has_contest(tile))
    }

    /// The number of a group that something is told of, as the viewer counts groups.
    fn number_group(&mut self, group: u32) -> u32 {
        let Some(number) = self.groups.get_mut(&group) else { return 0 };
        if *number == 0 {
            self.groups_told += 1;
            *number = self.groups_told;
        }
        *number
    }

    /// The number of a group that the viewer was told of, as the viewer counts groups.
    fn groups_number(&self, group: u32) -> u32 {
        self.groups.get(&group).copied().unwrap_or(0)
    }

    /// Where a ship that moves in this event was, and whether it was seen there.
    fn origin(&self, event: &Event) -> Option<(Tile, bool)> {
        let (Body::Moved { unit, .. } | Body::GaveWay { unit, .. }) = event.body else { return None };
        self.scene.unit(unit).map(|u| (u.tile, self.sees(u.tile)))
    }

    /// Tells that the sight has changed and what stands on the tiles that came into it. What moved or appeared
    /// in the same moment has been told.
    fn look_around(&self, moment: &[Event], sight: &SightChange) -> Vec<SeenBody> {
        let Some(lookout) = &self.lookout else { return Vec::new() };
        let arrived = |event: &Event| match event.body {
            Body::Moved { unit, .. } | Body::GaveWay { unit, .. } | Body::Spawned { unit, .. } => Some(unit),
            _ => None,
        };
        let arrived: BTreeSet<UnitId> = moment.iter().filter_map(arrived).collect();
        let mut told = vec![SeenBody::SightChanged];
        let mut units: Vec<UnitId> = sight.gained.iter().flat_map(|&tile| lookout.standing(tile)).collect();
        units.retain(|unit| !arrived.contains(unit));
        units.sort_unstable();
        let strangers = units.iter().filter_map(|&id| self.scene.unit(id)).filter(|u| !self.viewer.owns(u.owner));
        told.extend(strangers.map(appeared));
        let structures = sight.gained.iter().filter_map(|&tile| self.scene.structure_at(tile));
        let structures = structures.filter(|s| s.owner.is_none_or(|owner| !self.viewer.owns(owner)));
        told.extend(structures.map(|s| SeenBody::StructureSighted { structure: s.id, owner: s.owner, tile: s.tile }));
        let contests = sight.gained.iter().filter_map(|&tile| self.scene.contest_at(tile));
        let contests = contests.filter(|c| !self.any_own(&c.contenders));
        told.extend(contests.map(|c| SeenBody::ContestSighted {
            tile: c.tile,
            since: c.since,
            contenders: c.contenders.iter().copied().filter(|&unit| self.sees_unit(unit)).collect(),
        }));
        told
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
    pub(super) fn note_encounter(&mut self, tick: Option<u8>, kind: EncounterKind, site: Site, known: &[UnitId]) {
        self.listed.extend(known);
        if !self.any_own(known) {
            return;
        }
        self.company.extend(known);
        // Whoever stays behind on the edge's tiles may be named as the reason why nobody crosses (R7.4). Nobody
        // comes to them before that, because they are closed (R6.3, R7.5).
        if let (EncounterKind::Passing, Site::Edge(one, other), Some(tick), Some(lookout)) =
            (kind, site, tick, &self.lookout)
        {
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

/// Whether two neighbouring events happen at the same moment.
fn at_once(one: &Event, next: &Event) -> bool {
    match (&one.body, &next.body) {
        (Body::Moved { .. }, Body::Moved { .. }) | (Body::Sunk { .. }, Body::Sunk { .. }) => one.tick == next.tick,
        (Body::Captured { .. }, Body::Captured { .. }) => true,
        (Body::Spawned { .. } | Body::SpawnDelayed { .. }, Body::Spawned { .. } | Body::SpawnDelayed { .. }) => true,
        (
            Body::Removed { .. } | Body::Neutralised { .. } | Body::Eliminated { .. },
            Body::Removed { .. } | Body::Neutralised { .. } | Body::Eliminated { .. } | Body::Ended { .. },
        ) => true,
        _ => false,
    }
}
