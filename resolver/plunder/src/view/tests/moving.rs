//! Turns: two turns that differ only in what a viewer may not see are told alike (R14.2).

use std::collections::{BTreeMap, BTreeSet};

use parley_core::grid::Tile;
use parley_core::ids::{PlayerId, UnitId};
use parley_core::path::Path;
use parley_core::sight::Memory;
use proptest::prelude::*;

use crate::event::{Body, Event, Subject};
use crate::state::Unit;
use crate::view::{Change, SeenBody, SeenEncounter, SeenEvent, SeenTurn, View, Viewer, Witness, snapshot};

use super::worlds::{Pause, Played, World, drafts, engagement, player};

fn me() -> PlayerId {
    player(0)
}

fn seat() -> Viewer {
    Viewer::Seat(me())
}

/// Everything that a viewer is told of a turn.
#[derive(Debug, PartialEq)]
struct Told {
    turn: SeenTurn,
    memory: Memory,
    after: View,
    /// What the viewer is told at each pause in which there is anything to tell: the others hear of no pause.
    pauses: Vec<(SeenTurn, Vec<SeenEncounter>)>,
}

fn tell(world: &World, played: &Played, viewer: Viewer) -> Told {
    let (rules, before, events) = (&world.rules, &world.state, &played.outcome.events);
    let mut memory = Memory::new(before.map().grid());
    let turn = played.passage(world).told(viewer, &mut memory);
    let at_pause = |pause: &Pause| {
        let mut witness = Witness::new(rules, before, viewer);
        let so_far = witness.follow(&events[..pause.events], &mut Memory::new(before.map().grid()));
        assert_eq!(so_far.events, turn.events[..so_far.events.len()], "a turn is always told alike");
        assert_eq!(so_far.changes, turn.changes[..so_far.changes.len()], "and changes alike");
        let encounters = witness.encounters(&pause.encounters);
        let met = |group| so_far.events.iter().any(|seen| seen.group == group && is_meeting(&seen.body));
        assert!(encounters.iter().all(|encounter| met(encounter.group)), "an encounter has the group that was told");
        (!encounters.is_empty()).then_some((so_far, encounters))
    };
    let pauses = played.pauses.iter().filter_map(at_pause).collect();
    Told { after: snapshot(rules, &played.after, viewer, &memory), turn, memory, pauses }
}

fn is_meeting(body: &SeenBody) -> bool {
    matches!(body, SeenBody::Encounter { .. })
}

/// Where every unit was in the course of a turn.
fn trails(before: &[Unit], events: &[Event]) -> BTreeMap<UnitId, (PlayerId, BTreeSet<Tile>)> {
    let mut trails: BTreeMap<_, _> = before.iter().map(|u| (u.id, (u.owner, BTreeSet::from([u.tile])))).collect();
    for event in events {
        match event.body {
            Body::Moved { unit, to, .. } | Body::GaveWay { unit, to, .. } => {
                trails.get_mut(&unit).expect("a known unit").1.insert(to);
            }
            Body::Spawned { unit, owner, tile, .. } => {
                trails.insert(unit, (owner, BTreeSet::from([tile])));
            }
            _ => {}
        }
    }
    trails
}

/// The ships that an event brings together.
fn parties(event: &Event) -> Vec<UnitId> {
    match &event.body {
        Body::Encounter { units, .. } => units.to_vec(),
        Body::Exchanged { exchange, .. } => vec![exchange.attacker, exchange.defender],
        _ => Vec::new(),
    }
}

/// The tiles that the seat could have seen at any time of the turn, and the ships that were never there and met
/// no ship of the seat.
fn far_away(world: &World, played: &Played) -> (BTreeSet<Tile>, BTreeSet<UnitId>) {
    let trails = trails(world.state.units(), &played.outcome.events);
    let own_yards = |events: &[Event], id| {
        events.iter().any(|e| matches!(e.body, Body::Captured { structure, by, .. } if structure == id && by == me()))
    };
    let states = [&world.state, &played.after];
    let yards = states.iter().flat_map(|state| state.structures());
    let yards = yards.filter(|s| s.owner == Some(me()) || own_yards(&played.outcome.events, s.id));
    let mut eyes: BTreeSet<Tile> = yards.map(|s| s.tile).collect();
    // A conceding player's new shipyard is neutral at the end; its ship was there before.
    eyes.extend(trails.values().filter(|(owner, _)| *owner == me()).flat_map(|(_, tiles)| tiles));
    let vision = world.rules.classes().iter().map(|c| u32::from(c.vision)).max().unwrap_or(0);
    let vision = vision.max(world.rules.shipyard().vision.get());
    let grid = world.state.map().grid();
    let near: BTreeSet<Tile> = eyes.iter().flat_map(|&eye| grid.within(eye, vision)).collect();
    let far = trails.iter().filter(|(_, (owner, tiles))| *owner != me() && tiles.is_disjoint(&near));
    let mut far: BTreeSet<UnitId> = far.map(|(id, _)| *id).collect();
    let meetings = played.outcome.events.iter().map(parties);
    for met in meetings.filter(|units| units.iter().any(|unit| trails[unit].0 == me())).flatten() {
        far.remove(&met);
    }
    for event in &played.outcome.events {
        if let Body::Bombarded { unit, structure, .. } = event.body
            && states.iter().any(|s| s.structure(structure).is_some_and(|s| s.owner == Some(me())))
        {
            far.remove(&unit);
        }
    }
    (near, far)
}

/// The part of a turn that does not lie wholly out of reach.
fn nearby(world: &World, played: &Played, near: &BTreeSet<Tile>, far: &BTreeSet<UnitId>) -> Vec<Event> {
    let tile_of = |id| {
        let states = [&world.state, &played.after];
        states.iter().find_map(|state| state.structure(id)).map(|s| s.tile)
    };
    let close = |id| tile_of(id).is_some_and(|tile| near.contains(&tile));
    let keep = |event: &&Event| match event.body {
        Body::Gold { player, .. } => player == me(),
        Body::Queued { structure, .. }
        | Body::Cancelled { structure, .. }
        | Body::SpawnDelayed { structure }
        | Body::Captured { structure, .. }
        | Body::Neutralised { structure }
        | Body::Skipped { subject: Subject::Structure(structure), .. } => close(structure),
        Body::Deployed { unit, .. }
        | Body::Repaired { unit, .. }
        | Body::Upgraded { unit, .. }
        | Body::Skipped { subject: Subject::Unit(unit), .. }
        | Body::Withdrew { unit, .. }
        | Body::Moved { unit, .. }
        | Body::Waited { unit, .. }
        | Body::Blocked { unit, .. }
        | Body::Decided { unit, .. }
        | Body::Sunk { unit, .. }
        | Body::GaveWay { unit, .. }
        | Body::Spawned { unit, .. }
        | Body::Removed { unit } => !far.contains(&unit),
        Body::Bombarded { unit, structure, .. } => !far.contains(&unit) || close(structure),
        Body::Encounter { ref units, .. } => units.iter().any(|unit| !far.contains(unit)),
        Body::ContestOpened { tile, ref contenders, .. } => {
            near.contains(&tile) || contenders.iter().any(|unit| !far.contains(unit))
        }
        Body::Exchanged { exchange, .. } => !(far.contains(&exchange.attacker) && far.contains(&exchange.defender)),
        Body::ContestClosed { tile, .. } => near.contains(&tile),
        Body::Eliminated { .. } | Body::Ended { .. } => true,
    };
    let mut kept: Vec<Event> = played.outcome.events.iter().filter(keep).cloned().collect();
    // Groups are numbered by those that are nearby.
    let mut numbers = BTreeMap::from([(0, 0)]);
    for event in &mut kept {
        let next = numbers.len() as u32;
        event.group = *numbers.entry(event.group).or_insert(next);
    }
    kept
}

/// The same world with other far ships: some are gone, some get other orders, some are in another shape.
fn elsewhere(world: &World, far: &BTreeSet<UnitId>, bits: u64) -> World {
    let mut other = world.clone();
    let lot = |id: UnitId| bits >> (2 * (id.get() % 32)) & 3;
    let gone = |id: UnitId| far.contains(&id) && lot(id) == 0;
    other.state.units.retain(|unit| !gone(unit.id));
    for contest in &mut other.state.contests {
        contest.contenders.retain(|id| !gone(*id));
    }
    for sheet in &mut other.sheets {
        sheet.units.retain(|order| !far.contains(&order.unit) || lot(order.unit) > 1);
    }
    for unit in other.state.units.iter_mut().filter(|u| far.contains(&u.id)) {
        unit.engagement = engagement(lot(unit.id) as u8);
        if lot(unit.id) == 1 {
            unit.route = Path::EMPTY;
            unit.hp = 1;
        }
    }
    for p in other.state.players.iter_mut().filter(|p| p.id != me()) {
        p.gold += 3;
    }
    other
}

/// Two worlds and whether they really are alike for the seat, so that they have to be told alike.
fn alike(world: &World, bits: u64) -> Option<(World, Played, Played)> {
    let played = world.play();
    let (near, far) = far_away(world, &played);
    let other = elsewhere(world, &far, bits);
    if far.is_empty() {
        return None;
    }
    let replayed = other.play();
    let (near_again, mut far_again) = far_away(&other, &replayed);
    far_again.extend(far.iter().filter(|id| other.state.unit(**id).is_none()));
    let same = nearby(world, &played, &near, &far) == nearby(&other, &replayed, &near, &far);
    (near == near_again && far.is_subset(&far_again) && same).then_some((other, played, replayed))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn ships_out_of_sight_change_nothing_that_is_told(draft in drafts(0..3), bits: u64) {
        let world = draft.world(true);
        if let Some((other, played, replayed)) = alike(&world, bits) {
            prop_assert_eq!(tell(&world, &played, seat()), tell(&other, &replayed, seat()));
        }
    }

    /// Without fog, too, an engagement that answers nothing and a route that is not walked change nothing.
    #[test]
    fn standing_orders_without_effect_change_nothing_that_is_told(draft in drafts(0..3), bits: u64) {
        let world = draft.world(false);
        let played = world.play();
        let met: BTreeSet<UnitId> = played.outcome.events.iter().flat_map(parties).collect();
        let mut other = world.clone();
        for unit in other.state.units.iter_mut().filter(|u| u.owner != me() && !met.contains(&u.id)) {
            unit.engagement = engagement((bits >> (unit.id.get() % 64)) as u8);
        }
        let mut replayed = other.play();
        prop_assert_eq!(&played.outcome.events, &replayed.outcome.events);
        for unit in replayed.after.units.iter_mut().filter(|u| u.owner != me()) {
            unit.route = Path::EMPTY;
        }
        prop_assert_eq!(tell(&world, &played, seat()), tell(&other, &replayed, seat()));
    }

    /// Whether a ship was asked, and whether nobody answered, only its owner learns.
    #[test]
    fn who_was_asked_is_a_secret(draft in drafts(0..4), fog: bool) {
        let world = draft.world(fog);
        let played = world.play();
        let owners = trails(world.state.units(), &played.outcome.events);
        let mut other = Played { outcome: played.outcome.clone(), after: played.after.clone(), pauses: played.pauses.clone() };
        for event in &mut other.outcome.events {
            if let Body::Decided { unit, defaulted, .. } = &mut event.body {
                *defaulted ^= owners[unit].0 != me();
            }
        }
        for participant in other.pauses.iter_mut().flat_map(|pause| &mut pause.encounters).flat_map(|e| &mut e.participants) {
            participant.asked ^= participant.owner != me();
        }
        other.outcome.shortfalls.retain(|shortfall| match shortfall.subject {
            Subject::Unit(unit) => owners[&unit].0 == me(),
            Subject::Structure(id) => world.state.structure(id).and_then(|s| s.owner) == Some(me()),
        });
        prop_assert_eq!(tell(&world, &played, seat()), tell(&world, &other, seat()));
    }

    /// A spectator in fog hears of the fallen and of the end, and of nothing else.
    #[test]
    fn a_spectator_in_fog_hears_public_facts_alone(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let told = tell(&world, &played, Viewer::Spectator);
        let public = |event: &SeenEvent| matches!(event.body, SeenBody::Eliminated { .. } | SeenBody::Ended { .. });
        prop_assert!(told.turn.events.iter().all(public));
        let facts = |event: &&Event| matches!(event.body, Body::Eliminated { .. } | Body::Ended { .. });
        prop_assert_eq!(told.turn.events.len(), played.outcome.events.iter().filter(facts).count());
        prop_assert!(told.pauses.is_empty() && told.turn.shortfalls.is_empty());
        let public = |change: &Change| match change {
            Change::Player(patch) => patch.gold.is_none(),
            Change::Turn(_) | Change::Result(_) => true,
            _ => false,
        };
        prop_assert!(told.turn.changes.iter().all(public));
        prop_assert_eq!(told.memory.tiles().count(), 0);
    }

    /// Without fog every event is told to everybody.
    #[test]
    fn without_fog_every_event_is_told(draft in drafts(0..4)) {
        let world = draft.world(false);
        let played = world.play();
        for viewer in [seat(), Viewer::Spectator, Viewer::Everything] {
            let told = tell(&world, &played, viewer);
            let defaulted = |told: &&SeenEvent| matches!(told.body, SeenBody::Defaulted { .. });
            let public: Vec<&SeenEvent> = told.turn.events.iter().filter(|told| !defaulted(told)).collect();
            prop_assert_eq!(public.len(), played.outcome.events.len());
            for (told, event) in public.iter().zip(&played.outcome.events) {
                prop_assert_eq!((told.stage, told.tick, told.group), (event.stage, event.tick, event.group));
            }
            let encounters: usize = told.pauses.iter().map(|(_, encounters)| encounters.len()).sum();
            prop_assert_eq!(encounters, played.pauses.iter().map(|pause| pause.encounters.len()).sum::<usize>());
        }
        let all = tell(&world, &played, Viewer::Everything).turn;
        prop_assert_eq!(all.shortfalls.len(), played.outcome.shortfalls.len());
        let told = all.events.iter().filter(|told| matches!(told.body, SeenBody::Defaulted { .. })).count();
        let defaulted = |event: &&Event| matches!(event.body, Body::Decided { defaulted: true, .. });
        prop_assert_eq!(told, played.outcome.events.iter().filter(defaulted).count());
    }

    /// With fog, everything that befalls one's own ships and purse is told.
    #[test]
    fn own_affairs_are_always_told(draft in drafts(0..4)) {
        let world = draft.world(true);
        let played = world.play();
        let owners = trails(world.state.units(), &played.outcome.events);
        let mine = |unit: &UnitId| owners[unit].0 == me();
        let own = |event: &&Event| match &event.body {
            Body::Gold { player, .. } => *player == me(),
            Body::Moved { unit, .. } | Body::GaveWay { unit, .. } | Body::Waited { unit, .. }
            | Body::Blocked { unit, .. } | Body::Decided { unit, .. } | Body::Sunk { unit, .. }
            | Body::Repaired { unit, .. } | Body::Upgraded { unit, .. } | Body::Spawned { unit, .. }
            | Body::Deployed { unit, .. } | Body::Removed { unit } | Body::Withdrew { unit, .. }
            | Body::Skipped { subject: Subject::Unit(unit), .. } => mine(unit),
            Body::Encounter { units, .. } => units.iter().any(mine),
            Body::Exchanged { exchange, .. } => mine(&exchange.attacker) || mine(&exchange.defender),
            Body::ContestOpened { contenders, .. } => contenders.iter().any(mine),
            _ => false,
        };
        let told = tell(&world, &played, seat()).turn.events;
        let is_own = |event: &&SeenEvent| match &event.body {
            SeenBody::Gold { player, .. } => *player == me(),
            SeenBody::Moved { unit, .. } | SeenBody::GaveWay { unit, .. } | SeenBody::Waited { unit, .. }
            | SeenBody::Blocked { unit, .. } | SeenBody::Decided { unit, .. } | SeenBody::Sunk { unit, .. }
            | SeenBody::Repaired { unit, .. } | SeenBody::Upgraded { unit, .. } | SeenBody::Deployed { unit, .. }
            | SeenBody::Removed { unit } | SeenBody::Withdrew { unit, .. }
            | SeenBody::Skipped { subject: Subject::Unit(unit), .. } => mine(unit),
            SeenBody::Spawned { owner, .. } => *owner == me(),
            SeenBody::Encounter { units, .. } => units.iter().any(|(unit, _)| mine(unit)),
            SeenBody::Exchanged { exchange, .. } => mine(&exchange.attacker) || mine(&exchange.defender),
            SeenBody::ContestOpened { contenders, .. } => contenders.iter().any(mine),
            _ => false,
        };
        let happened = played.outcome.events.iter().filter(own).count();
        prop_assert_eq!(told.iter().filter(is_own).count(), happened);
    }
}

/// The property of hidden ships is worth something only where it finds hidden ships.
#[test]
fn many_random_worlds_have_ships_out_of_sight() {
    use proptest::strategy::ValueTree;
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let mut compared = 0;
    for _ in 0..300 {
        let world = drafts(0..3).new_tree(&mut runner).expect("a draft").current().world(true);
        compared += usize::from(alike(&world, 0x9e37_79b9_7f4a_7c15).is_some());
    }
    assert!(compared > 100, "{compared} of 300 worlds compared");
}
