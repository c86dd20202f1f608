//! Views that are read back, and the map that is made ready.

use parley_resolver::map::{Map, MapText};
use parley_resolver::mapgen::{MapRequest, SizePreset, generate};
use parley_resolver::options::unit_options;
use parley_resolver::preview::{Chart, Known, Survey};
use parley_resolver::start::opening;
use parley_resolver::state::{Engagement, State, Unit};
use parley_resolver::view::{Memory, Sight, Viewer, snapshot};

use super::*;
use crate::convert;
use crate::policy::lattice::{FAR, Lattice};
use crate::policy::reader::{Reader, Reading};
use crate::policy::scene::Scene;

/// The first turn of a match, and what its second seat reads in its view.
fn first_turn(fog: &str, size: SizePreset) -> (Arc<Rules>, State, Reading) {
    let rules = Arc::new(Rules::plunder().with_overrides(&json!({ "fog": fog })).expect("rules"));
    let generated = generate(&rules, &MapRequest::preset(size, 3, 4)).expect("a map");
    let state = opening(&rules, Arc::new(generated.map), &generated.starts).expect("a state");
    let viewer = Viewer::Seat(state.players()[1].id);
    let mut memory = Memory::new(state.map().grid());
    memory.learn(&Sight::of(&rules, &state, viewer));
    let view = convert::view(&rules, &snapshot(&rules, &state, viewer, &memory));
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
    assert!(reading.lattice.frontier().is_empty());
}

#[test]
fn in_fog_what_is_not_seen_is_not_there() {
    let (rules, state, reading) = first_turn("on", SizePreset::Small);
    let own = |unit: &&Unit| unit.owner == reading.me;
    assert_eq!(reading.state.units(), state.units().iter().filter(own).cloned().collect::<Vec<_>>());
    assert_eq!(reading.state.structures().len(), 1);
    let sight = Sight::of(&rules, &state, Viewer::Seat(reading.me));
    for &tile in reading.lattice.tiles() {
        assert_eq!(reading.lattice.is_dark(tile), !sight.contains(tile));
    }
    assert!(!reading.lattice.frontier().is_empty());
}

#[test]
fn ships_reach_what_the_rules_let_them_reach() {
    for fog in ["off", "on"] {
        let (rules, _, Reading { me, state, lattice }) = first_turn(fog, SizePreset::Small);
        let scene = Scene::new(&rules, &lattice, &state, me);
        let known = |tile| if lattice.is_dark(tile) { Known::Dark } else { Known::Seen };
        let chart = Chart::with_sight(&rules, &state, me, &known);
        for unit in &scene.own {
            let options = unit_options(&chart, &mut Survey::new(), unit.id).expect("an own ship");
            let reach: Vec<_> = scene.reach(unit).iter().skip(1).map(|step| (step.tile, step.steps)).collect();
            assert_eq!(reach, options.reach.iter().map(|r| (r.tile, u32::from(r.tick))).collect::<Vec<_>>());
            for (tile, steps) in reach {
                assert_eq!(lattice.distance(unit.tile, tile), steps);
            }
        }
    }
}

#[test]
fn distances_are_ways_over_the_sea_and_on_large_maps_any_ways() {
    let (rules, _, Reading { lattice, .. }) = first_turn("off", SizePreset::Huge);
    let domain = rules.classes()[0].domain;
    let land = lattice.tiles().iter().copied().find(|&tile| !lattice.is_sea(tile, domain)).expect("land");
    let sea = lattice.tiles().iter().copied().find(|&tile| lattice.is_sea(tile, domain)).expect("sea");
    assert_eq!((lattice.distance(sea, land), lattice.distance(sea, sea)), (FAR, 0));
    let text = MapText {
        width: 40,
        height: 40,
        wrap: false,
        tiles: vec![format!("{}#{}", ".".repeat(20), ".".repeat(19)); 40],
    };
    let map = Map::compile(&text, &rules).expect("a map");
    let lattice = Lattice::new(&rules, Arc::new(map), vec![false; 1600]);
    let tiles = lattice.tiles();
    assert_eq!((lattice.distance(tiles[0], tiles[39]), lattice.distances(tiles[0])), (39, None));
}
