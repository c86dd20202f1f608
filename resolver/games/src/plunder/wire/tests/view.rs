use std::collections::BTreeSet;

use parley_core::hex::Direction;
use parley_core::sight::Memory;
use parley_plunder::rules::Rules;
use parley_plunder::state::{Engagement, Job, MatchResult};
use parley_plunder::view::{ContestView, Knowledge, PlayerView, StructureView, UnitView, View, Viewer, snapshot};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;

use super::super::{UNKNOWN_TERRAIN, view};
use super::{class, fogged, grid, hex, player, scenarios, structure, tile, unit};

/// What a client reads from the bytes of a view.
fn knowledge(said: &plunder::View, index: usize) -> Knowledge {
    let seen = said.visible.is_empty() || said.visible[index / 8] >> (index % 8) & 1 == 1;
    match said.terrain[index] {
        UNKNOWN_TERRAIN => Knowledge::Unknown,
        row if seen => Knowledge::Visible(row),
        row => Knowledge::Remembered(row),
    }
}

fn check_ground(rules: &Rules, view: &View, said: &plunder::View) {
    let tiles = view.grid.len();
    assert_eq!(said.terrain.len(), tiles);
    assert!(said.visible.is_empty() || said.visible.len() == tiles.div_ceil(8));
    assert_eq!((0..tiles).map(|index| knowledge(said, index)).collect::<Vec<_>>(), view.terrain);
    let known = said.terrain.iter().filter(|&&row| row != UNKNOWN_TERRAIN);
    assert!(known.copied().all(|row| said.terrain_keys[row as usize] == rules.terrains()[row as usize].key));
}

/// A small view in which every field has a value of its own.
fn sample(rules: &Rules) -> View {
    let (class, _) = class(rules);
    let ship = UnitView {
        id: unit(11),
        tile: tile(0, 0),
        owner: player(3),
        class,
        hp: 5,
        sails: 1,
        cannons: 2,
        hull: 3,
        engagement: Some(Engagement::FightIfHealthy),
        route: Some([Direction::W, Direction::SW].into_iter().collect()),
    };
    let foreign = UnitView { id: unit(12), owner: player(4), engagement: None, route: None, ..ship.clone() };
    let yard = StructureView {
        id: structure(21),
        owner: Some(player(3)),
        tile: tile(-1, 2),
        hp: 9,
        queue: Some(vec![Job { class, turns_left: 2 }]),
    };
    let neutral = StructureView { id: structure(22), owner: None, queue: None, ..yard.clone() };
    let mut terrain = vec![Knowledge::Unknown; grid().len()];
    (terrain[0], terrain[9]) = (Knowledge::Visible(1), Knowledge::Remembered(0));
    View {
        viewer: Viewer::Seat(player(3)),
        turn: 17,
        grid: grid(),
        players: vec![
            PlayerView { id: player(3), alive: true, gold: Some(0) },
            PlayerView { id: player(4), alive: false, gold: None },
        ],
        terrain,
        units: vec![ship, foreign],
        structures: vec![yard, neutral],
        contests: vec![ContestView { tile: tile(2, 2), since: 15, rounds: 2, contenders: vec![unit(11), unit(12)] }],
        result: Some(MatchResult::Winner(player(3))),
    }
}

#[test]
fn a_view_keeps_everything() {
    let rules = Rules::plunder();
    let seen = sample(&rules);
    let said = view(&rules, &seen);
    check_ground(&rules, &seen, &said);
    assert_eq!((said.seat, said.turn, said.width, said.height, said.wrap), (Some(3), 17, 6, 5, true));
    assert_eq!(said.visible[..], [1, 0, 0, 0]);
    let gold: Vec<_> = said.players.iter().map(|p| (p.id, p.alive, p.gold)).collect();
    assert_eq!(gold, [(3, true, Some(0)), (4, false, None)]);
    let ship = plunder::Unit {
        id: 11,
        class: class(&rules).1,
        owner: 3,
        hex: Some(hex(0, 0)),
        hp: 5,
        sails: 1,
        cannons: 2,
        hull: 3,
        engagement: plunder::Engagement::FightIfHealthy.into(),
        route: vec![hex(5, 0), hex(4, 1)],
    };
    let foreign = plunder::Unit {
        id: 12,
        owner: 4,
        engagement: plunder::Engagement::Unspecified.into(),
        route: vec![],
        ..ship.clone()
    };
    assert_eq!(said.units, [ship, foreign]);
    let yard = plunder::Structure {
        id: 21,
        owner: Some(3),
        hex: Some(hex(-1, 2)),
        hp: 9,
        queue: vec![plunder::Job { class: class(&rules).1, turns_left: 2 }],
        queue_known: true,
    };
    let neutral = plunder::Structure { id: 22, owner: None, queue: vec![], queue_known: false, ..yard.clone() };
    assert_eq!(said.structures, [yard, neutral]);
    let contest = plunder::Contest { hex: Some(hex(2, 2)), since: 15, rounds: 2, contenders: vec![11, 12] };
    assert_eq!(said.contests, [contest]);
    assert_eq!(said.result.and_then(|r| r.result), Some(common::match_result::Result::Winner(3)));
}

#[test]
fn viewers_without_a_seat_have_none() {
    let rules = Rules::plunder();
    for viewer in [Viewer::Spectator, Viewer::Everything] {
        assert_eq!(view(&rules, &View { viewer, ..sample(&rules) }).seat, None);
    }
}

#[test]
fn the_ground_of_every_case_can_be_read_back() {
    let mut sizes = BTreeSet::new();
    for scenario in scenarios(&fogged()) {
        let (rules, state) = (&scenario.rules, &scenario.state);
        let memory = Memory::new(state.map().grid());
        let seats = state.players().iter().map(|p| Viewer::Seat(p.id));
        for viewer in seats.chain([Viewer::Spectator, Viewer::Everything]) {
            let seen = snapshot(rules, state, viewer, &memory);
            let said = view(rules, &seen);
            check_ground(rules, &seen, &said);
            assert!(viewer != Viewer::Everything || said.visible.is_empty(), "nothing is hidden from this viewer");
            assert_eq!((said.units.len(), said.structures.len()), (seen.units.len(), seen.structures.len()));
            sizes.insert(said.visible.len());
        }
    }
    assert!(sizes.len() > 2, "the cases have fog and maps of several sizes: {sizes:?}");
}
