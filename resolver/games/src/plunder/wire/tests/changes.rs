use std::collections::BTreeSet;

use parley_core::hex::Direction;
use parley_core::path::Path;
use parley_plunder::rules::Rules;
use parley_plunder::state::{Engagement, Job, MatchResult};
use parley_plunder::view::{Change, ContestPatch, PlayerPatch, RoutePatch, SightPatch, StructurePatch, UnitPatch};
use parley_proto::common::v1 as common;
use parley_proto::plunder::v1 as plunder;
use parley_proto::plunder::v1::change::What;
use parley_proto::plunder::v1::{contest_patch, sight_patch, structure_patch, unit_patch};

use super::super::changes;
use super::{class, grid, hex, player, structure, tile, unit};

/// One of each change that says everything, with what is said of it.
fn whole(rules: &Rules) -> Vec<(Change, What)> {
    let (class, key) = class(rules);
    let mut path = Path::EMPTY;
    assert!(path.push(Direction::E) && path.push(Direction::E));
    let ship = UnitPatch {
        id: unit(5),
        class: Some(class),
        owner: Some(player(2)),
        tile: Some(tile(1, 2)),
        hp: Some(7),
        sails: Some(1),
        cannons: Some(0),
        hull: Some(2),
        engagement: Some(Engagement::Fight),
        route: Some(RoutePatch { from: tile(1, 2), path }),
    };
    let said_ship = plunder::UnitPatch {
        id: 5,
        class: Some(key.clone()),
        owner: Some(2),
        hex: Some(hex(1, 2)),
        hp: Some(7),
        sails: Some(1),
        cannons: Some(0),
        hull: Some(2),
        engagement: Some(plunder::Engagement::Fight.into()),
        route: Some(unit_patch::Route { path: vec![hex(2, 2), hex(3, 2)] }),
    };
    let yard = StructurePatch {
        id: structure(4),
        owner: Some(Some(player(1))),
        tile: Some(tile(1, 2)),
        hp: Some(3),
        queue: Some(Some(vec![Job { class, turns_left: 2 }])),
    };
    let said_yard = plunder::StructurePatch {
        id: 4,
        owner: Some(structure_patch::Owner { player: Some(1) }),
        hex: Some(hex(1, 2)),
        hp: Some(3),
        queue: Some(structure_patch::Queue { jobs: vec![plunder::Job { class: key, turns_left: 2 }], known: true }),
    };
    let contest =
        ContestPatch { tile: tile(1, 2), since: Some(3), rounds: Some(2), contenders: Some(vec![unit(5), unit(6)]) };
    let said_contest = plunder::ContestPatch {
        hex: Some(hex(1, 2)),
        since: Some(3),
        rounds: Some(2),
        contenders: Some(contest_patch::Contenders { units: vec![5, 6] }),
    };
    let sight = SightPatch { gained: vec![(tile(1, 2), 3)], lost: vec![tile(2, 2)] };
    let said_sight = plunder::SightPatch {
        gained: vec![sight_patch::Gained { hex: Some(hex(1, 2)), terrain: 3 }],
        lost: vec![hex(2, 2)],
    };
    let result = common::MatchResult { result: Some(common::match_result::Result::Winner(1)) };
    vec![
        (Change::Unit(ship), What::Unit(said_ship)),
        (Change::UnitGone(unit(5)), What::UnitGone(5)),
        (Change::Structure(yard), What::Structure(said_yard)),
        (Change::StructureGone(structure(4)), What::StructureGone(4)),
        (Change::Contest(contest), What::Contest(said_contest)),
        (Change::ContestGone(tile(1, 2)), What::ContestGone(hex(1, 2))),
        (
            Change::Player(PlayerPatch { id: player(1), alive: Some(false), gold: Some(-1) }),
            What::Player(plunder::PlayerPatch { id: 1, alive: Some(false), gold: Some(-1) }),
        ),
        (Change::Sight(sight), What::Sight(said_sight)),
        (Change::Turn(9), What::Turn(9)),
        (Change::Result(MatchResult::Winner(player(1))), What::Result(result)),
    ]
}

fn say(change: Change) -> What {
    let said = changes(&Rules::plunder(), &grid(), &[change]).changes;
    said.into_iter().next().and_then(|change| change.what).expect("a change")
}

#[test]
fn every_change_keeps_its_values() {
    let cases = whole(&Rules::plunder());
    let kinds: BTreeSet<_> = cases.iter().map(|(change, _)| format!("{:?}", std::mem::discriminant(change))).collect();
    assert_eq!(kinds.len(), 10);
    for (change, what) in cases {
        assert_eq!(say(change), what);
    }
}

#[test]
fn what_stays_as_it_is_is_not_said_and_what_is_empty_is() {
    let ship = UnitPatch {
        id: unit(5),
        class: None,
        owner: None,
        tile: None,
        hp: Some(0),
        sails: None,
        cannons: None,
        hull: None,
        engagement: None,
        route: Some(RoutePatch { from: tile(1, 2), path: Path::EMPTY }),
    };
    let route = Some(unit_patch::Route { path: Vec::new() });
    assert_eq!(
        say(Change::Unit(ship)),
        What::Unit(plunder::UnitPatch { id: 5, hp: Some(0), route, ..Default::default() })
    );
    let yard = StructurePatch { id: structure(4), owner: Some(None), tile: None, hp: None, queue: Some(None) };
    let said = plunder::StructurePatch {
        id: 4,
        owner: Some(structure_patch::Owner { player: None }),
        queue: Some(structure_patch::Queue { jobs: Vec::new(), known: false }),
        ..Default::default()
    };
    assert_eq!(say(Change::Structure(yard)), What::Structure(said));
    let contest = ContestPatch { tile: tile(1, 2), since: None, rounds: None, contenders: Some(Vec::new()) };
    let contenders = Some(contest_patch::Contenders { units: Vec::new() });
    let said = plunder::ContestPatch { hex: Some(hex(1, 2)), contenders, ..Default::default() };
    assert_eq!(say(Change::Contest(contest)), What::Contest(said));
}
