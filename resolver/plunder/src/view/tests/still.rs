//! Snapshots: two states that differ only in what a viewer may not see look the same (R14.2).

use std::sync::Arc;

use parley_core::grid::Tile;
use parley_core::path::Path;
use parley_core::sight::Memory;
use proptest::prelude::*;

use crate::ids::ClassId;
use crate::map::Map;
use crate::state::{Contest, Job, MatchResult, State};
use crate::view::{Knowledge, Viewer, sight_of, snapshot};

use super::worlds::{Draft, ShipDraft, World, add_ship, drafts, engagement, player, ships, way};

fn me() -> Viewer {
    Viewer::Seat(player(0))
}

/// A memory of every third tile or so.
fn memory(world: &World, bits: u64) -> Memory {
    let grid = world.state.map().grid();
    let mut memory = Memory::new(grid);
    let known: Vec<Tile> = grid.tiles().filter(|t| bits >> (t.index() % 61) & 5 == 0).collect();
    memory.learn_tiles(&known);
    memory
}

/// Changes whatever the first seat does not see: hidden ships, yards and contests, secrets of those in sight, and
/// land that was never explored.
fn disturb(world: &World, memory: &Memory, noise: &[ShipDraft], bits: u64) -> State {
    let mut state = world.state.clone();
    let sight = sight_of(&world.rules, &state, me());
    let hidden = |tile: Tile| !sight.contains(tile);
    let mine = |owner| me().owns(owner);
    let coin = |n: usize| bits >> (n % 64) & 1 == 1;

    let (grid, rules) = (*state.map().grid(), &world.rules);
    let ground = |tile: Tile| {
        let known = sight.contains(tile) || memory.contains(tile);
        let carries_something = world.state.structure_at(tile).is_some();
        let swapped = if !known && !carries_something && coin(tile.index()) { 3 } else { 0 };
        (world.state.map().terrain(tile) as u8).max(swapped)
    };
    state.map = Arc::new(Map::assemble(grid, grid.tiles().map(ground).collect(), rules));

    let gone: Vec<_> =
        state.units.iter().filter(|u| hidden(u.tile) && coin(u.id.get() as usize)).map(|u| u.id).collect();
    state.units.retain(|u| !gone.contains(&u.id));
    for contest in &mut state.contests {
        contest.contenders.retain(|id| !gone.contains(id));
    }
    for index in 0..state.units.len() {
        let unit = state.units[index].clone();
        if mine(unit.owner) {
            continue;
        }
        let route = way(&state, unit.tile, bits.rotate_left(unit.id.get()));
        state.units[index].engagement = engagement(unit.engagement as u8 + 1);
        state.units[index].route = if route == unit.route { Path::EMPTY } else { route };
        if hidden(unit.tile) {
            state.units[index].hp += 1;
            state.units[index].owner = player(2);
        }
    }
    for player in state.players.iter_mut().filter(|p| !mine(p.id)) {
        player.gold += 17;
    }
    for structure in &mut state.structures {
        if structure.owner.is_some_and(mine) {
            continue;
        }
        structure.queue.clear();
        structure.queue.push(Job { class: ClassId(1), turns_left: 9 });
        if hidden(structure.tile) {
            structure.owner = Some(player(1));
            structure.hp += 1;
        }
    }
    let keep_yards: Vec<bool> =
        state.structures.iter().map(|s| !hidden(s.tile) || !coin(s.id.get() as usize + 7)).collect();
    let mut keep = keep_yards.iter();
    state.structures.retain(|_| *keep.next().expect("one for each"));
    let own_contender = |state: &State, contest: &Contest| {
        contest.contenders.iter().any(|id| state.unit(*id).is_some_and(|u| mine(u.owner)))
    };
    let kept: Vec<Contest> = (state.contests.iter())
        .filter(|c| !hidden(c.tile) || own_contender(&state, c) || coin(c.tile.index() + 3))
        .cloned()
        .collect();
    state.contests = kept;
    state.next_unit += 50;
    state.next_structure += 5;
    for ship in noise.iter().filter(|ship| ship.owner != 0) {
        if hidden(Tile::from_index(ship.tile % grid.len())) {
            add_ship(rules, &mut state, ship);
        }
    }
    state
}

fn check(draft: &Draft, noise: &[ShipDraft], bits: u64) -> Result<(), TestCaseError> {
    let world = draft.world(true);
    let memory = memory(&world, bits);
    let other = disturb(&world, &memory, noise, bits);
    prop_assert_eq!(snapshot(&world.rules, &world.state, me(), &memory), snapshot(&world.rules, &other, me(), &memory));
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn what_is_hidden_changes_no_snapshot(draft in drafts(0..4), noise in ships(8), bits: u64) {
        check(&draft, &noise, bits)?;
    }

    /// Under fog a spectator's view is made of public facts alone.
    #[test]
    fn a_spectator_in_fog_sees_the_players_and_the_turn(one in drafts(0..4), other in drafts(0..4), bits: u64) {
        let (one, mut other) = (one.world(true), other.world(true));
        other.state.map = Arc::clone(one.state.map());
        let view = |world: &World| snapshot(&one.rules, &world.state, Viewer::Spectator, &memory(&one, bits));
        let seen = view(&one);
        prop_assert!(seen.units.is_empty() && seen.structures.is_empty() && seen.contests.is_empty());
        prop_assert!(seen.terrain.iter().all(|ground| *ground == Knowledge::Unknown));
        prop_assert_eq!(seen, view(&other));
    }

    /// Without fog only standing orders are secret, and nothing else is missing.
    #[test]
    fn without_fog_only_standing_orders_are_secret(draft in drafts(0..4), bits: u64) {
        let world = draft.world(false);
        let mut other = world.state.clone();
        for unit in other.units.iter_mut().filter(|u| !me().owns(u.owner)) {
            unit.engagement = engagement(unit.engagement as u8 + 1);
            unit.route = way(&world.state, unit.tile, bits.rotate_left(unit.id.get()));
        }
        let memory = Memory::new(world.state.map().grid());
        let view = |state: &State, viewer| snapshot(&world.rules, state, viewer, &memory);
        prop_assert_eq!(view(&world.state, me()), view(&other, me()));
        let changed = other != world.state;
        prop_assert_eq!(changed, view(&world.state, Viewer::Everything) != view(&other, Viewer::Everything));

        let all = view(&world.state, Viewer::Everything);
        for viewer in [me(), Viewer::Spectator] {
            let mut open = view(&world.state, viewer);
            for (unit, whole) in open.units.iter_mut().zip(&all.units) {
                prop_assert_eq!(unit.engagement.is_some(), viewer.owns(unit.owner));
                prop_assert_eq!(unit.route.is_some(), viewer.owns(unit.owner));
                (unit.engagement, unit.route) = (whole.engagement, whole.route);
            }
            open.viewer = Viewer::Everything;
            prop_assert_eq!(&open, &all);
        }
    }

    /// What is one's own is always in one's view, secrets included, and nothing else is that is not on a tile in
    /// sight.
    #[test]
    fn own_things_are_always_in_view(draft in drafts(0..4)) {
        let world = draft.world(true);
        let view = snapshot(&world.rules, &world.state, me(), &Memory::new(world.state.map().grid()));
        for unit in world.state.units().iter().filter(|u| me().owns(u.owner)) {
            let seen = view.units.iter().find(|seen| seen.id == unit.id).expect("an own ship");
            prop_assert_eq!((seen.tile, seen.hp, seen.engagement), (unit.tile, unit.hp, Some(unit.engagement)));
            prop_assert_eq!(seen.route, Some(unit.route));
        }
        for structure in world.state.structures().iter().filter(|s| s.owner.is_some_and(|o| me().owns(o))) {
            let seen = view.structures.iter().find(|seen| seen.id == structure.id).expect("an own structure");
            prop_assert_eq!(seen.queue.as_deref(), Some(&structure.queue[..]));
        }
        for contest in world.state.contests() {
            let own = contest.contenders.iter().any(|id| world.state.unit(*id).is_some_and(|u| me().owns(u.owner)));
            prop_assert!(!own || view.contests.iter().any(|seen| seen.tile == contest.tile));
        }
        prop_assert_eq!(view.players[0].gold, Some(world.state.players()[0].gold));
        let visible = |tile: Tile| matches!(view.terrain[tile.index()], Knowledge::Visible(_));
        prop_assert!(view.units.iter().all(|unit| visible(unit.tile)));
        prop_assert!(view.structures.iter().all(|structure| visible(structure.tile)));
    }

    /// Sight is what it says: the tiles within vision, found the slow way.
    #[test]
    fn sight_is_the_tiles_within_vision(draft in drafts(0..4)) {
        let World { rules, state, .. } = draft.world(true);
        let grid = state.map().grid();
        let sees = |tile: Tile| {
            let ship = |u: &crate::state::Unit| (u.tile, u32::from(rules.class(u.class).vision));
            let ships = state.units().iter().filter(|u| me().owns(u.owner)).map(ship);
            let yards = state.structures().iter().filter(|s| s.owner.is_some_and(|o| me().owns(o)));
            let yards = yards.map(|s| (s.tile, rules.shipyard().vision.get()));
            ships.chain(yards).any(|(eye, vision)| grid.distance(eye, tile) <= vision)
        };
        let slow: Vec<Tile> = grid.tiles().filter(|&tile| sees(tile)).collect();
        prop_assert_eq!(sight_of(&rules, &state, me()).tiles().collect::<Vec<_>>(), slow);
    }
}

#[test]
fn the_end_and_the_fallen_are_public() {
    let draft = drafts(0..4);
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    let tree = draft.new_tree(&mut runner).expect("a draft");
    let mut world = proptest::strategy::ValueTree::current(&tree).world(true);
    world.state.players[1].alive = false;
    world.state.result = Some(MatchResult::Winner(player(2)));
    let view = snapshot(&world.rules, &world.state, Viewer::Spectator, &memory(&world, 0));
    assert_eq!(view.result, world.state.result);
    assert_eq!(view.players.iter().map(|p| p.alive).collect::<Vec<_>>(), [true, false, true]);
    assert!(view.players.iter().all(|p| p.gold.is_none()));
}
