//! Changes: a client without rules that starts from a view and applies them has the next view, at every moment.

use std::collections::{BTreeMap, BTreeSet};

use parley_core::grid::Tile;
use parley_core::ids::UnitId;
use parley_core::sight::Memory;
use proptest::prelude::*;

use crate::dice::BROADSIDE_TICK;
use crate::event::{Body, Cause, Event};
use crate::ids::StructureId;
use crate::rules::Rules;
use crate::state::State;
use crate::view::{
    Change, ContestPatch, ContestView, Knowledge, SeenBody, SeenEvent, SeenTurn, StructurePatch, StructureView,
    UnitPatch, UnitView, View, Viewer, Witness, sight_of, snapshot,
};

use super::worlds::{Played, World, drafts, player};

/// What a client keeps: its view, changed by what it is told. It knows no rule, and is strict: what is patched and was not
/// there must be complete, and what is gone must have been there.
#[derive(Clone, Debug)]
struct Board {
    view: View,
}

impl Board {
    fn has_unit(&self, id: UnitId) -> bool {
        self.view.units.iter().any(|unit| unit.id == id)
    }

    fn has_structure(&self, id: StructureId) -> bool {
        self.view.structures.iter().any(|structure| structure.id == id)
    }

    fn sees(&self, tile: Tile) -> bool {
        matches!(self.view.terrain[tile.index()], Knowledge::Visible(_))
    }

    fn seen_tiles(&self) -> impl Iterator<Item = Tile> + '_ {
        self.view.grid.tiles().filter(|tile| self.sees(*tile))
    }

    fn apply_all(&mut self, changes: &[Change]) {
        changes.iter().for_each(|change| self.apply(change));
    }

    fn apply(&mut self, change: &Change) {
        let view = &mut self.view;
        match change {
            Change::Unit(patch) => self.patch_unit(patch),
            Change::UnitGone(id) => take_out(&mut view.units, |unit| unit.id == *id),
            Change::Structure(patch) => self.patch_structure(patch),
            Change::StructureGone(id) => take_out(&mut view.structures, |structure| structure.id == *id),
            Change::Contest(patch) => self.patch_contest(patch),
            Change::ContestGone(tile) => take_out(&mut view.contests, |contest| contest.tile == *tile),
            Change::Player(patch) => {
                let known = view.players.iter_mut().find(|player| player.id == patch.id).expect("players are known");
                assert!(patch.alive.is_some() || patch.gold.is_some(), "a patch says something");
                known.alive = patch.alive.unwrap_or(known.alive);
                known.gold = patch.gold.or(known.gold);
            }
            Change::Sight(patch) => {
                for &(tile, row) in &patch.gained {
                    let ground = std::mem::replace(&mut view.terrain[tile.index()], Knowledge::Visible(row));
                    assert!(!matches!(ground, Knowledge::Visible(_)), "only what was not seen is gained");
                }
                for tile in &patch.lost {
                    let ground = &mut view.terrain[tile.index()];
                    let Knowledge::Visible(row) = *ground else { panic!("only what was seen is lost") };
                    *ground = Knowledge::Remembered(row);
                }
            }
            Change::Turn(turn) => view.turn = *turn,
            Change::Result(result) => view.result = Some(result.clone()),
        }
    }

    fn patch_unit(&mut self, patch: &UnitPatch) {
        let UnitPatch { id, class, owner, tile, hp, sails, cannons, hull, engagement, route } = *patch;
        let route = route.map(|route| (route.from, route.path));
        if let Some(unit) = self.view.units.iter_mut().find(|unit| unit.id == id) {
            let old = unit.clone();
            assert!(class.is_none() && owner.is_none(), "these never change");
            unit.tile = tile.unwrap_or(unit.tile);
            unit.hp = hp.unwrap_or(unit.hp);
            (unit.sails, unit.cannons) = (sails.unwrap_or(unit.sails), cannons.unwrap_or(unit.cannons));
            unit.hull = hull.unwrap_or(unit.hull);
            unit.engagement = engagement.or(unit.engagement);
            unit.route = route.map(|(_, path)| path).or(unit.route);
            assert!(route.is_none_or(|(from, _)| from == unit.tile), "a route begins where its unit is");
            assert!(*unit != old || route.is_some_and(|(_, path)| !path.is_empty()), "a patch says something");
            return;
        }
        let complete = || {
            Some(UnitView {
                id,
                tile: tile?,
                owner: owner?,
                class: class?,
                hp: hp?,
                sails: sails?,
                cannons: cannons?,
                hull: hull?,
                engagement,
                route: route.map(|(_, path)| path),
            })
        };
        let unit = complete().expect("what was not there is told as a whole");
        let place = self.view.units.partition_point(|other| other.id < id);
        self.view.units.insert(place, unit);
    }

    fn patch_structure(&mut self, patch: &StructurePatch) {
        let StructurePatch { id, owner, tile, hp, ref queue } = *patch;
        if let Some(structure) = self.view.structures.iter_mut().find(|structure| structure.id == id) {
            let old = structure.clone();
            assert!(tile.is_none(), "structures stay where they are");
            structure.owner = owner.unwrap_or(structure.owner);
            structure.hp = hp.unwrap_or(structure.hp);
            structure.queue = queue.clone().unwrap_or(structure.queue.take());
            assert_ne!(*structure, old, "a patch says something");
            return;
        }
        let complete = || Some(StructureView { id, owner: owner?, tile: tile?, hp: hp?, queue: queue.clone()? });
        let structure = complete().expect("what was not there is told as a whole");
        let place = self.view.structures.partition_point(|other| other.id < id);
        self.view.structures.insert(place, structure);
    }

    fn patch_contest(&mut self, patch: &ContestPatch) {
        let ContestPatch { tile, since, rounds, ref contenders } = *patch;
        if let Some(contest) = self.view.contests.iter_mut().find(|contest| contest.tile == tile) {
            let old = contest.clone();
            contest.since = since.unwrap_or(contest.since);
            contest.rounds = rounds.unwrap_or(contest.rounds);
            contest.contenders = contenders.clone().unwrap_or_else(|| contest.contenders.clone());
            assert_ne!(*contest, old, "a patch says something");
            return;
        }
        let complete = || Some(ContestView { tile, since: since?, rounds: rounds?, contenders: contenders.clone()? });
        let contest = complete().expect("what was not there is told as a whole");
        let grid = self.view.grid;
        let place = self.view.contests.partition_point(|other| grid.hex(other.tile) < grid.hex(tile));
        self.view.contests.insert(place, contest);
    }
}

fn take_out<T>(list: &mut Vec<T>, is_it: impl Fn(&T) -> bool) {
    let place = list.iter().position(is_it).expect("what is gone was there");
    list.remove(place);
}

/// Where the ships are and their hp, read off the events of the turn itself.
struct Ships<'a> {
    rules: &'a Rules,
    ships: BTreeMap<UnitId, crate::state::Unit>,
}

impl<'a> Ships<'a> {
    fn new(rules: &'a Rules, before: &State) -> Self {
        Self { rules, ships: before.units().iter().map(|unit| (unit.id, unit.clone())).collect() }
    }

    fn list(&self) -> Vec<(UnitId, Tile, u16)> {
        self.ships.values().map(|unit| (unit.id, unit.tile, unit.hp)).collect()
    }

    fn apply(&mut self, event: &Event) {
        let rules = self.rules;
        let mut change = |id: UnitId, with: &dyn Fn(&mut crate::state::Unit)| {
            with(self.ships.get_mut(&id).expect("a ship in the game"));
        };
        match event.body {
            Body::Moved { unit, to } | Body::GaveWay { unit, to, .. } => change(unit, &|unit| unit.tile = to),
            Body::Exchanged { exchange } => {
                change(exchange.attacker, &|unit| unit.hp = unit.hp.saturating_sub(exchange.attacker_loses));
                change(exchange.defender, &|unit| unit.hp = unit.hp.saturating_sub(exchange.defender_loses));
            }
            Body::Repaired { unit, hp } => change(unit, &|unit| unit.hp = hp),
            Body::Upgraded { unit, upgrade } => change(unit, &|unit| {
                unit.fit(upgrade);
                unit.hp = if rules.upgrade(upgrade).heals { unit.max_hp(rules) } else { unit.hp };
            }),
            Body::Sunk { unit } | Body::Removed { unit } | Body::Deployed { unit, .. } => {
                self.ships.remove(&unit).expect("a ship in the game");
            }
            Body::Spawned { unit, owner, class, tile, .. } => {
                let (engagement, route) = Default::default();
                let hp = rules.class(class).hull;
                let ship = crate::state::Unit {
                    id: unit,
                    tile,
                    owner,
                    class,
                    hp,
                    sails: 0,
                    cannons: 0,
                    hull: 0,
                    engagement,
                    route,
                };
                self.ships.insert(unit, ship);
            }
            _ => {}
        }
    }
}

/// Follows a turn event by event with nothing hidden: after the changes of each, ships are where they are in the turn, with
/// the hp that they have there.
fn is_exact_at_every_event(world: &World, played: &Played, before: &Board) {
    let mut witness = Witness::new(&world.rules, &world.state, Viewer::Everything);
    let mut memory = Memory::new(world.state.map().grid());
    let told = witness.follow(&played.outcome.events, &mut memory);
    let mut board = before.clone();
    let mut ships = Ships::new(&world.rules, &world.state);
    let mut changes = told.changes.iter();
    let list = |board: &Board| board.view.units.iter().map(|unit| (unit.id, unit.tile, unit.hp)).collect::<Vec<_>>();
    let mut events = played.outcome.events.iter();
    for (place, event) in told.events.iter().enumerate() {
        changes.by_ref().take(event.changes as usize).for_each(|change| board.apply(change));
        // That nobody answered is told beside the decision, which is the event of the turn.
        if !matches!(event.body, SeenBody::Defaulted { .. }) {
            ships.apply(events.next().expect("every event is told"));
        }
        assert_eq!(list(&board), ships.list(), "after event {place}: {event:?}");
    }
    assert!(changes.next().is_none() && events.next().is_none());
    // The turn itself says the same wherever it waits for answers.
    for pause in &played.pauses {
        let mut ships = Ships::new(&world.rules, &world.state);
        played.outcome.events[..pause.events].iter().for_each(|event| ships.apply(event));
        assert_eq!(ships.list(), pause.afloat);
    }
}

/// The groups of one viewer count from 1 in the order of being told, and none is told of whose beginning is not.
fn groups_are_in_order(told: &SeenTurn) {
    let mut known = 0;
    for event in told.events.iter().filter(|event| event.group > 0) {
        if event.group > known {
            known += 1;
            assert_eq!(event.group, known);
            let begins = matches!(event.body, SeenBody::Encounter { .. } | SeenBody::Exchanged { .. });
            assert!(begins || event.tick == Some(0), "{event:?}");
        }
    }
}

/// What is told to all and what is told to one beside it, put together in the order that it is said to have.
fn merged(shared: &SeenTurn, own: &SeenTurn) -> SeenTurn {
    let mut events = Vec::new();
    let mut rest = own.events.iter().peekable();
    for (place, event) in (0..).zip(&shared.events) {
        while let Some(own) = rest.next_if(|own| own.after <= place) {
            events.push(SeenEvent { after: 0, ..own.clone() });
        }
        events.push(event.clone());
    }
    events.extend(rest.map(|own| SeenEvent { after: 0, ..own.clone() }));
    SeenTurn { events, changes: Vec::new(), shortfalls: own.shortfalls.clone() }
}

/// How many turns in a row a world is played.
const TURNS: usize = 4;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// The heart of it: a view and the changes of a turn are the next view, for every viewer.
    #[test]
    fn a_view_and_the_changes_of_a_turn_are_the_next_view(draft in drafts(0..4), fog: bool) {
        let mut world = draft.world(fog);
        let viewers = [0, 1, 2].map(|seat| Viewer::Seat(player(seat)));
        let viewers = [viewers[0], viewers[1], viewers[2], Viewer::Spectator, Viewer::Everything];
        let mut followers: Vec<(Viewer, Memory, Board)> = viewers.map(|viewer| {
            let memory = Memory::new(world.state.map().grid());
            let view = snapshot(&world.rules, &world.state, viewer, &memory);
            (viewer, memory, Board { view })
        }).into();
        for _ in 0..TURNS {
            if world.state.result().is_some() {
                break;
            }
            let played = world.play();
            let passage = played.passage(&world);
            let shared = passage.shared();
            // The number of a group would tell whether somebody out of sight has fired on the same ship.
            let by_broadsides = |event: &&Event| event.tick == Some(BROADSIDE_TICK);
            let sinkings = played.outcome.events.iter().filter(by_broadsides);
            let mut sinkings = sinkings.filter(|event| !matches!(event.body, Body::Exchanged { .. }));
            prop_assert!(sinkings.all(|event| event.group == 0));
            for (viewer, memory, board) in &mut followers {
                let told = passage.told(*viewer, memory);
                let next = snapshot(&world.rules, &played.after, *viewer, memory);
                let counted: u32 = told.events.iter().map(|event| event.changes).sum();
                prop_assert!(counted as usize <= told.changes.len());
                groups_are_in_order(&told);
                if *viewer == Viewer::Everything {
                    is_exact_at_every_event(&world, &played, board);
                }
                if let (Viewer::Seat(seat), false) = (*viewer, fog) {
                    let own = passage.own(seat);
                    let mut board = board.clone();
                    board.apply_all(&shared.changes);
                    board.apply_all(&own.changes);
                    prop_assert_eq!(&board.view, &next, "what is shared, and then what is {}'s own", seat);
                    let merged = merged(&shared, &own);
                    prop_assert_eq!((&merged.events, &merged.shortfalls), (&told.events, &told.shortfalls));
                }
                if (*viewer, fog) == (Viewer::Spectator, false) {
                    prop_assert_eq!(&shared, &told);
                }
                board.apply_all(&told.changes);
                prop_assert_eq!(&board.view, &next, "{:?}", viewer);
            }
            prop_assert!(!fog || shared == SeenTurn::default());
            world = world.after(&played);
        }
    }

    #[test]
    fn nothing_is_named_that_is_not_known(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let viewer = Viewer::Seat(player(0));
        let mut memory = Memory::new(world.state.map().grid());
        let mut board = Board { view: snapshot(&world.rules, &world.state, viewer, &memory) };
        let own = world.state.units().iter().filter(|u| u.owner == player(0)).map(|u| u.id).collect();
        let mut audit = Audit { own, tick: 0, company: BTreeSet::new(), listed: BTreeSet::new() };
        let told = played.passage(&world).told(viewer, &mut memory);
        let mut changes = told.changes.iter();
        for event in &told.events {
            audit.hear(&board, event);
            for change in changes.by_ref().take(event.changes as usize) {
                audit.look(change);
                board.apply(change);
            }
        }
    }

    /// What was in sight before and after the turn is remembered, and a memory never loses a tile.
    #[test]
    fn what_was_seen_is_remembered(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let viewer = Viewer::Seat(player(0));
        let mut memory = Memory::new(world.state.map().grid());
        played.passage(&world).told(viewer, &mut memory);
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

    fn hear(&mut self, board: &Board, event: &SeenEvent) {
        let shown = |unit: &UnitId| board.has_unit(*unit);
        let visible = |tile: &Tile| board.sees(*tile);
        event.tick.into_iter().for_each(|tick| self.enter(tick));
        match &event.body {
            SeenBody::Encounter { site, units, .. } => {
                let units: Vec<UnitId> = units.iter().map(|(unit, _)| *unit).collect();
                assert!(!units.is_empty());
                self.listed.extend(&units);
                if units.iter().any(|unit| self.own.contains(unit)) {
                    self.company.extend(&units);
                } else {
                    assert!(units.iter().all(shown));
                    assert!(board.seen_tiles().any(|tile| site.touches(tile)));
                }
            }
            SeenBody::Decided { unit, .. } => assert!(self.listed.contains(unit)),
            SeenBody::Defaulted { unit } => assert!(self.own.contains(unit)),
            SeenBody::Exchanged { exchange } => {
                let pair = [exchange.attacker, exchange.defender];
                if pair.iter().any(|unit| self.own.contains(unit)) {
                    self.company.extend(pair);
                } else {
                    assert!(pair.iter().all(|unit| shown(unit) || self.company.contains(unit)));
                }
            }
            SeenBody::Sunk { unit } => {
                assert!(shown(unit) || self.company.contains(unit));
            }
            SeenBody::ContestOpened { contenders, .. } => {
                assert!(contenders.iter().all(|unit| shown(unit) || self.company.contains(unit)));
            }
            SeenBody::ContestSighted { contenders, .. } => assert!(contenders.iter().all(shown)),
            SeenBody::Withdrew { unit, tile } => {
                assert!(self.own.contains(unit) || shown(unit) && visible(tile));
            }
            SeenBody::Waited { unit, cause, .. } | SeenBody::Blocked { unit, cause, .. } => {
                assert!(self.own.contains(unit));
                match cause {
                    Some(Cause::WaitedFor { unit } | Cause::WaitedForPassing { unit }) => assert!(shown(unit)),
                    Some(Cause::Contested { tile }) => assert!(visible(tile)),
                    Some(Cause::ClosedHarbor { structure }) => assert!(board.has_structure(*structure)),
                    _ => {}
                }
            }
            SeenBody::Repaired { unit, .. } | SeenBody::Upgraded { unit, .. } => {
                assert!(self.own.contains(unit));
            }
            SeenBody::Spawned { unit, owner, .. } if *owner == player(0) => {
                self.own.insert(*unit);
            }
            _ => {}
        }
    }

    /// Standing orders are told of own ships alone, and queues of own structures.
    fn look(&self, change: &Change) {
        match change {
            Change::Unit(patch) if !self.own.contains(&patch.id) => {
                assert!(patch.engagement.is_none() && patch.route.is_none(), "{patch:?}");
            }
            Change::Player(patch) => assert!(patch.gold.is_none() || patch.id == player(0)),
            _ => {}
        }
    }
}
