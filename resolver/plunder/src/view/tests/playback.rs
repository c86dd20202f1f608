//! Playback: a client that starts from a snapshot and follows what it is told arrives at the next snapshot.

use std::collections::{BTreeMap, BTreeSet};

use parley_core::grid::Tile;
use parley_core::ids::UnitId;
use parley_core::sight::Memory;
use proptest::prelude::*;

use crate::event::{Cause, Event};
use crate::ids::StructureId;
use crate::view::{Knowledge, SeenEvent, View, Viewer, are_alike, events, sight_of, snapshot};

use super::worlds::{drafts, player};

/// What a client keeps: the things it sees and where they are.
#[derive(Debug, PartialEq, Eq)]
struct Screen {
    units: BTreeMap<UnitId, Tile>,
    structures: BTreeMap<StructureId, Tile>,
    contests: BTreeSet<Tile>,
    visible: BTreeSet<Tile>,
}

impl Screen {
    fn of(view: &View) -> Self {
        let visible = view.grid.tiles().filter(|t| matches!(view.terrain[t.index()], Knowledge::Visible(_)));
        Self {
            units: view.units.iter().map(|u| (u.id, u.tile)).collect(),
            structures: view.structures.iter().map(|s| (s.id, s.tile)).collect(),
            contests: view.contests.iter().map(|c| c.tile).collect(),
            visible: visible.collect(),
        }
    }

    fn show(&mut self, event: &SeenEvent) {
        match event {
            SeenEvent::Moved { unit, from, to, .. } | SeenEvent::GaveWay { unit, from, to, .. } => {
                assert_eq!(self.units.insert(*unit, *to), Some(*from), "only what is shown moves");
            }
            SeenEvent::Appeared { unit, .. } | SeenEvent::Spawned { unit, .. } => {
                assert_eq!(self.units.insert(unit.id, unit.tile), None, "only what is not shown appears");
            }
            SeenEvent::Vanished { unit, from, .. } => {
                assert_eq!(self.units.remove(unit), Some(*from), "only what is shown vanishes");
            }
            SeenEvent::Removed { unit } => {
                assert!(self.units.remove(unit).is_some(), "only what is shown is removed");
            }
            // One that an own ship fought may go down out of sight.
            SeenEvent::Sunk { unit, .. } => {
                self.units.remove(unit);
            }
            SeenEvent::Deployed { unit, structure, tile, .. } => {
                assert_eq!(self.units.remove(unit), Some(*tile));
                assert_eq!(self.structures.insert(*structure, *tile), None);
            }
            SeenEvent::StructureSighted { structure, tile, .. } => {
                assert_eq!(self.structures.insert(*structure, *tile), None, "only what is not shown is sighted");
            }
            SeenEvent::ContestOpened { tile, .. } | SeenEvent::ContestSighted { tile, .. } => {
                assert!(self.contests.insert(*tile), "only what is not shown is sighted");
            }
            SeenEvent::ContestClosed { tile, .. } => {
                assert!(self.contests.remove(tile), "only what is shown ends");
            }
            SeenEvent::SightChanged { gained, lost, .. } => {
                for tile in lost {
                    assert!(self.visible.remove(tile));
                    self.units.retain(|_, at| at != tile);
                    self.structures.retain(|_, at| at != tile);
                    self.contests.remove(tile);
                }
                for (tile, _) in gained {
                    assert!(self.visible.insert(*tile));
                }
            }
            _ => {}
        }
    }
}

/// Holds a fogged seat's events against what its client shows: nothing is named that is neither shown, nor the
/// seat's own, nor in the company of an own ship in this tick.
struct Audit {
    own: BTreeSet<UnitId>,
    tick: u8,
    company: BTreeSet<UnitId>,
    listed: BTreeSet<UnitId>,
}

impl Audit {
    fn enter(&mut self, tick: u8) {
        if tick != self.tick {
            self.tick = tick;
            self.company.clear();
            self.listed.clear();
        }
    }

    fn hear(&mut self, screen: &Screen, event: &SeenEvent) {
        let shown = |unit: &UnitId| screen.units.contains_key(unit);
        let visible = |tile: &Tile| screen.visible.contains(tile);
        match event {
            SeenEvent::Encounter { tick, site, units, .. } => {
                self.enter(*tick);
                let units: Vec<UnitId> = units.iter().map(|(unit, _)| *unit).collect();
                assert!(!units.is_empty());
                self.listed.extend(&units);
                if units.iter().any(|unit| self.own.contains(unit)) {
                    self.company.extend(&units);
                } else {
                    assert!(units.iter().all(shown));
                    assert!(screen.visible.iter().any(|tile| site.touches(*tile)));
                }
            }
            SeenEvent::Decided { tick, unit, defaulted, .. } => {
                self.enter(*tick);
                assert!(self.listed.contains(unit));
                assert_eq!(defaulted.is_some(), self.own.contains(unit));
            }
            SeenEvent::Exchanged { tick, exchange } => {
                self.enter(*tick);
                let pair = [exchange.attacker, exchange.defender];
                if pair.iter().any(|unit| self.own.contains(unit)) {
                    self.company.extend(pair);
                } else {
                    assert!(pair.iter().all(|unit| shown(unit) || self.company.contains(unit)));
                }
            }
            SeenEvent::Sunk { tick, unit } => {
                self.enter(*tick);
                assert!(shown(unit) || self.company.contains(unit));
            }
            SeenEvent::ContestOpened { tick, contenders, .. } => {
                self.enter(*tick);
                assert!(contenders.iter().all(|unit| shown(unit) || self.company.contains(unit)));
            }
            SeenEvent::ContestSighted { contenders, .. } => assert!(contenders.iter().all(shown)),
            SeenEvent::Withdrew { unit, tile } => {
                assert!(self.own.contains(unit) || shown(unit) && visible(tile));
            }
            SeenEvent::Waited { unit, cause, .. } | SeenEvent::Blocked { unit, cause, .. } => {
                assert!(self.own.contains(unit));
                match cause {
                    Some(Cause::WaitedFor { unit } | Cause::WaitedForPassing { unit }) => assert!(shown(unit)),
                    Some(Cause::Contested { tile }) => assert!(visible(tile)),
                    Some(Cause::ClosedHarbor { structure }) => assert!(screen.structures.contains_key(structure)),
                    _ => {}
                }
            }
            SeenEvent::Repaired { unit, .. } | SeenEvent::Upgraded { unit, .. } => {
                assert!(self.own.contains(unit));
            }
            SeenEvent::Appeared { unit, .. } => assert!(unit.engagement.is_none() && unit.route.is_none()),
            SeenEvent::Spawned { unit, .. } if unit.engagement.is_some() => {
                self.own.insert(unit.id);
            }
            _ => {}
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// With a vision of at least one a contender sees the contested tile, so that losing sight of a contest and
    /// leaving it are the same.
    #[test]
    fn what_is_told_leads_from_one_snapshot_to_the_next(draft in drafts(1..4), seat in 0..3u8, fog: bool) {
        let world = draft.world(fog);
        let played = world.play();
        for viewer in [Viewer::Seat(player(seat)), Viewer::Spectator, Viewer::Everything] {
            let mut memory = Memory::new(world.state.map().grid());
            let mut screen = Screen::of(&snapshot(&world.rules, &world.state, viewer, &memory));
            for event in events(&world.rules, &world.state, &played.outcome.events, viewer, &mut memory) {
                screen.show(&event);
            }
            let after = snapshot(&world.rules, &played.after, viewer, &memory);
            prop_assert_eq!(screen, Screen::of(&after));
        }
    }

    #[test]
    fn nothing_is_named_that_is_not_known(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let viewer = Viewer::Seat(player(0));
        let mut memory = Memory::new(world.state.map().grid());
        let mut screen = Screen::of(&snapshot(&world.rules, &world.state, viewer, &memory));
        let own = world.state.units().iter().filter(|u| u.owner == player(0)).map(|u| u.id).collect();
        let mut audit = Audit { own, tick: 0, company: BTreeSet::new(), listed: BTreeSet::new() };
        for event in events(&world.rules, &world.state, &played.outcome.events, viewer, &mut memory) {
            audit.hear(&screen, &event);
            // A contest that one is in is told of even where its tile is out of sight, so this client keeps none.
            screen.contests.clear();
            if !matches!(event, SeenEvent::ContestClosed { .. }) {
                screen.show(&event);
            }
        }
    }

    /// Where no owner has a secret in them and there is no fog, events are the same for all viewers.
    #[test]
    fn events_that_are_alike_are_told_alike(draft in drafts(0..4), decided: bool) {
        let world = draft.world(false);
        let mut played = world.play();
        if !decided {
            played.outcome.events.retain(|event| !matches!(event, Event::Decided { .. }));
        }
        let told = |viewer| {
            let mut memory = Memory::new(world.state.map().grid());
            events(&world.rules, &world.state, &played.outcome.events, viewer, &mut memory)
        };
        let seats = [player(0), player(1), player(2)].map(Viewer::Seat);
        if are_alike(&played.outcome.events) {
            prop_assert!(seats.iter().all(|seat| told(*seat) == told(Viewer::Spectator)));
        }
    }

    /// What was in sight before and after the turn is remembered, and a memory never loses a tile.
    #[test]
    fn what_was_seen_is_remembered(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let viewer = Viewer::Seat(player(0));
        let mut memory = Memory::new(world.state.map().grid());
        events(&world.rules, &world.state, &played.outcome.events, viewer, &mut memory);
        for state in [&world.state, &played.after] {
            let sight = sight_of(&world.rules, state, viewer);
            prop_assert!(sight.tiles().all(|tile| memory.contains(tile)));
        }
        let after = snapshot(&world.rules, &played.after, viewer, &memory);
        for tile in world.state.map().grid().tiles() {
            prop_assert_eq!(after.terrain[tile.index()] == Knowledge::Unknown, !memory.contains(tile));
        }
    }
}
