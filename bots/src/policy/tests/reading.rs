//! Views that are read back, and the map that is made ready.

use parley_core::sight::Memory;
use parley_games::plunder::wire;
use parley_plunder::map::{Map, MapText};
use parley_plunder::mapgen::{MapRequest, SizePreset, generate};
use parley_plunder::options::unit_options;
use parley_plunder::preview::{Chart, Known, Survey};
use parley_plunder::start::opening;
use parley_plunder::state::{Engagement, State, Unit};
use parley_plunder::view::{Viewer, sight_of, snapshot};

use super::*;
use crate::policy::distances::{Distances, FAR};
use crate::policy::reader::{Reader, Reading};
use crate::policy::scene::Scene;

/// The first turn of a match, and what its second seat reads in its view.
fn first_turn(fog: &str, size: SizePreset) -> (Arc<Rules>, State, Reading) {
    let rules = Arc::new(Rules::plunder().with_overrides(&json!({ "fog": fog })).expect("rules"));
    let generated = generate(&rules, &MapRequest::preset(size, 3, 4)).expect("a map");
    let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("a state");
    let viewer = Viewer::Seat(state.players()[1].id);
    let mut memory = Memory::new(state.map().grid());
    memory.learn(&sight_of(&rules, &state, viewer));
    let view = wire::view(&rules, &snapshot(&rules, &state, viewer, &memory));
    let reading = Reader::new(Arc::clone(&rules)).read(&view).expect("a view that makes sense");
    (rules, state, reading)
}

#[test]
fn without_fog_everything_but_engagements_is_read_back() {
    let (_, state, reading) = first_turn("off", SizePreset::Small);
    let read = &reading.state;
    let guessed = |unit: &Unit| {
        let own = unit.owner == reading.me;
        Unit { engagement: if own { unit.engagement } else { Engagement::FightIfHealthy }, ..unit.clone() }
    };
    assert_eq!(read.units(), state.units().iter().map(guessed).collect::<Vec<_>>());
    assert_eq!((read.players(), read.structures()), (state.players(), state.structures()));
    assert_eq!((read.turn(), read.next_unit(), read.next_structure()), (1, 10, 4));
    assert_eq!(**read.map(), **state.map());
    assert!(reading.distances.frontier().is_empty());
}

#[test]
fn in_fog_what_is_not_seen_is_not_there() {
    let (rules, state, reading) = first_turn("on", SizePreset::Small);
    let own = |unit: &&Unit| unit.owner == reading.me;
    assert_eq!(reading.state.units(), state.units().iter().filter(own).cloned().collect::<Vec<_>>());
    assert_eq!(reading.state.structures().len(), 1);
    let sight = sight_of(&rules, &state, Viewer::Seat(reading.me));
    for &tile in reading.distances.tiles() {
        assert_eq!(reading.distances.is_dark(tile), !sight.contains(tile));
    }
    assert!(!reading.distances.frontier().is_empty());
}

/// Forty bots of a match kept a megabyte each.
#[test]
fn players_who_know_the_whole_map_share_its_distances() {
    let (_, _, one) = first_turn("off", SizePreset::Small);
    let (_, _, other) = first_turn("off", SizePreset::Small);
    let (_, _, larger) = first_turn("off", SizePreset::Huge);
    assert!(Arc::ptr_eq(&one.distances, &other.distances));
    assert!(!Arc::ptr_eq(&one.distances, &larger.distances));
    let (_, _, one) = first_turn("on", SizePreset::Small);
    let (_, _, other) = first_turn("on", SizePreset::Small);
    assert!(!Arc::ptr_eq(&one.distances, &other.distances), "whoever sees more than others has a map of their own");
}

#[test]
fn ships_reach_what_the_rules_let_them_reach() {
    for fog in ["off", "on"] {
        let (rules, _, Reading { me, state, distances }) = first_turn(fog, SizePreset::Small);
        let scene = Scene::new(&rules, &distances, &state, me);
        let known = |tile| if distances.is_dark(tile) { Known::Dark } else { Known::Seen };
        let chart = Chart::with_sight(&rules, &state, me, &known);
        for unit in &scene.own {
            let options = unit_options(&chart, &mut Survey::new(), unit.id).expect("an own ship");
            let reach: Vec<_> = scene.reach(unit).iter().skip(1).map(|step| (step.tile, step.steps)).collect();
            assert_eq!(reach, options.reach.iter().map(|r| (r.tile, u32::from(r.tick))).collect::<Vec<_>>());
            for (tile, steps) in reach {
                assert_eq!(distances.between(unit.tile, tile), steps);
            }
        }
    }
}

#[test]
fn distances_are_ways_over_the_sea_and_on_large_maps_any_ways() {
    let (rules, _, Reading { distances, .. }) = first_turn("off", SizePreset::Huge);
    let domain = rules.classes()[0].domain;
    let land = distances.tiles().iter().copied().find(|&tile| !distances.is_sea(tile, domain)).expect("land");
    let sea = distances.tiles().iter().copied().find(|&tile| distances.is_sea(tile, domain)).expect("sea");
    assert_eq!((distances.between(sea, land), distances.between(sea, sea)), (FAR, 0));
    let text = MapText {
        width: 40,
        height: 40,
        wrap: false,
        tiles: vec![format!("{}#{}", ".".repeat(20), ".".repeat(19)); 40],
    };
    let map = Map::compile(&text, &rules).expect("a map");
    let distances = Distances::new(&rules, Arc::new(map), vec![false; 1600]);
    let tiles = distances.tiles();
    assert_eq!((distances.between(tiles[0], tiles[39]), distances.all_from(tiles[0])), (39, None));
}
