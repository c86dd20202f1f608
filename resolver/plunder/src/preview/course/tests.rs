use parley_core::hex::Direction;
use proptest::prelude::*;

use super::*;
use crate::legality::judge;
use crate::map::{Map, MapText};
use crate::order::{Action, OrderSheet, UnitOrder};
use crate::preview::worlds::{World, player, unit, world};
use crate::rules::Rules;
use crate::state::{Engagement, Player, State, Unit};

/// A sea with one ship of player 0 on its first tile.
fn sea(rules: &Rules, wrap: bool, rows: Vec<String>) -> State {
    let (width, height) = (rows[0].len() as u64, rows.len() as u64);
    let map = Map::compile(&MapText { width, height, wrap, tiles: rows }, rules).expect("a map");
    let tile = map.grid().tile(Hex::new(0, 0)).expect("the first tile");
    let class = rules.class_ids().next().expect("a class");
    let ship = Unit {
        id: unit(1),
        tile,
        owner: player(0),
        class,
        hp: 10,
        sails: 0,
        cannons: 0,
        hull: 0,
        engagement: Engagement::Ask,
        route: parley_core::path::Path::EMPTY,
    };
    State {
        map: std::sync::Arc::new(map),
        turn: 1,
        players: vec![Player { id: player(0), gold: 0, alive: true }],
        units: vec![ship],
        structures: Vec::new(),
        contests: Vec::new(),
        next_unit: 2,
        next_structure: 1,
        result: None,
    }
}

fn from_first(rules: &Rules, state: &State, q: i32, r: i32) -> Result<Course, CourseError> {
    course(&Chart::new(rules, state, player(0)), &mut Survey::new(), unit(1), Hex::new(q, r))
}

#[test]
fn a_course_says_when_each_step_is_taken() {
    let rules = Rules::plunder();
    let state = sea(&rules, false, vec![".....".into()]);
    let found = from_first(&rules, &state, 4, 0).expect("a course");
    let times: Vec<_> = found.legs.iter().map(|leg| (leg.turn, leg.tick)).collect();
    assert_eq!(times, [(0, 1), (0, 2), (0, 3), (1, 1)], "speed 3");
    assert_eq!(found.turns(), 2);
    let hexes: Vec<_> = (1..=4).map(|q| Hex::new(q, 0)).collect();
    assert_eq!(found.hexes(state.map().grid()), hexes);
}

#[test]
fn a_course_goes_round_land_and_the_short_way_round_the_world() {
    let rules = Rules::plunder();
    let rows: Vec<String> = vec!["..#..".into(), "..#..".into(), ".....".into()];
    let way = |wrap| {
        let state = sea(&rules, wrap, rows.clone());
        let found = from_first(&rules, &state, 3, 0).expect("a course");
        found.hexes(state.map().grid()).iter().map(|hex| (hex.q, hex.r)).collect::<Vec<_>>()
    };
    assert_eq!(way(false), [(1, 0), (1, 1), (1, 2), (2, 2), (3, 1), (3, 0)], "east comes first");
    assert_eq!(way(true), [(4, 0), (3, 0)]);
}

#[test]
fn every_refusal_has_its_reason() {
    let rules = Rules::plunder();
    let state = sea(&rules, false, vec!["..#.#.".into()]);
    let hex = |q| Hex::new(q, 0);
    assert_eq!(from_first(&rules, &state, 0, 0), Err(CourseError::Here));
    assert_eq!(from_first(&rules, &state, 2, 0), Err(CourseError::Land(hex(2))));
    assert_eq!(from_first(&rules, &state, 3, 0), Err(CourseError::Unreachable(hex(3))));
    assert_eq!(from_first(&rules, &state, 9, 0), Err(CourseError::OffMap(hex(9))));
    let chart = Chart::new(&rules, &state, player(1));
    let stranger = course(&chart, &mut Survey::new(), unit(1), hex(1));
    assert_eq!(stranger, Err(CourseError::NoSuchUnit(unit(1))), "it belongs to somebody else");
    assert_eq!(CourseError::TooFar(hex(1)).to_string(), "no way of at most 64 steps leads to (1, 0) (R5.5)");
    let calm = rules.with_overrides(&serde_json::json!({"classes": [{"key": "ship", "domain": "naval", "hull": 10,
        "speed": 0, "cannons": 0, "vision": 3, "build_cost": 50, "build_turns": 3}]}));
    assert_eq!(from_first(&calm.expect("valid rules"), &state, 1, 0), Err(CourseError::Becalmed));
}

#[test]
fn what_is_dark_is_neither_crossed_nor_told() {
    let rules = Rules::plunder();
    let land = sea(&rules, false, vec![".....#".into()]);
    let water = sea(&rules, false, vec!["......".into()]);
    let sight = |tile: Tile| if tile.index() > 3 { Known::Dark } else { Known::Seen };
    for state in [land, water] {
        let chart = Chart::with_sight(&rules, &state, player(0), &sight);
        let to = |q| course(&chart, &mut Survey::new(), unit(1), Hex::new(q, 0));
        assert_eq!(to(5), Err(CourseError::Uncharted(Hex::new(5, 0))));
        assert_eq!(to(3).map(|course| course.legs.len()), Ok(3));
    }
}

#[test]
fn the_longest_course_on_the_largest_map() {
    let rules = Rules::plunder();
    let mut rows = vec![".".repeat(1024); 1024];
    let state = sea(&rules, false, rows.clone());
    let mut survey = Survey::new();
    let chart = Chart::new(&rules, &state, player(0));
    let mut to = |q, r| course(&chart, &mut survey, unit(1), Hex::new(q, r));
    assert_eq!(to(64, 0).map(|course| course.legs.len()), Ok(64));
    assert_eq!(to(65, 0), Err(CourseError::TooFar(Hex::new(65, 0))));
    assert_eq!(to(0, 64).map(|course| course.legs.len()), Ok(64));
    assert_eq!(to(1, 0).map(|course| course.legs.len()), Ok(1), "a survey forgets");
    // A wall as long as the map: whether there is a way round it is beyond what a path can say.
    rows[30] = "#".repeat(1024);
    let walled = sea(&rules, false, rows);
    assert_eq!(from_first(&rules, &walled, 0, 40), Err(CourseError::TooFar(Hex::new(0, 40))));
}

/// Of all shortest ways over open tiles the first by its directions, by trying them all.
fn slow_way(chart: &Chart<'_>, from: Tile, goal: Tile, most: usize) -> Option<Vec<Tile>> {
    fn go(chart: &Chart<'_>, here: Tile, goal: Tile, left: usize, way: &mut Vec<Tile>) -> bool {
        if left == 0 {
            return here == goal;
        }
        let grid = *chart.state().map().grid();
        if grid.distance(here, goal) as usize > left {
            return false;
        }
        for direction in Direction::ALL {
            let open = |&tile: &Tile| chart.is_open(tile, crate::rules::Domain::Naval);
            let Some(next) = grid.neighbor(here, direction).filter(open) else { continue };
            way.push(next);
            if go(chart, next, goal, left - 1, way) {
                return true;
            }
            way.pop();
        }
        false
    }
    (1..=most).find_map(|length| {
        let mut way = Vec::new();
        go(chart, from, goal, length, &mut way).then_some(way)
    })
}

proptest! {
    #[test]
    fn a_course_is_the_first_of_the_shortest_ways(World { rules, state } in world(), dark in any::<u64>()) {
        let sight = |tile: Tile| match dark >> (tile.index() % 32 * 2) & 3 {
            0 => Known::Dark,
            1 => Known::Charted,
            _ => Known::Seen,
        };
        let mut survey = Survey::new();
        let grid = *state.map().grid();
        for ship in state.units() {
            let fogged = Chart::with_sight(&rules, &state, ship.owner, &sight);
            for chart in [Chart::new(&rules, &state, ship.owner), fogged] {
                for goal in grid.tiles().filter(|&goal| goal != ship.tile && ship.speed(&rules) > 0) {
                    let found = course(&chart, &mut survey, ship.id, grid.hex(goal));
                    let short = grid.distance(ship.tile, goal) <= 5;
                    let open = chart.is_open(goal, crate::rules::Domain::Naval);
                    if let (true, Some(way)) = (short && open, slow_way(&chart, ship.tile, goal, 5)) {
                        let tiles = found.as_ref().map(|course| course.legs.iter().map(|leg| leg.tile).collect());
                        prop_assert_eq!(tiles, Ok(way));
                    } else if let Ok(course) = &found {
                        prop_assert!(open && course.legs.len() > 5);
                    }
                    let legal = state.result().is_none();
                    if let Some(course) = found.ok().filter(|_| legal) {
                        let action = Some(Action::Move(course.hexes(&grid)));
                        let order = UnitOrder { unit: ship.id, action, broadside: false, engagement: None };
                        let sheet = OrderSheet { units: vec![order], ..OrderSheet::empty(ship.owner) };
                        prop_assert!(judge(&rules, &state, &sheet).faults.is_empty(), "a course is a legal path");
                    }
                }
            }
        }
    }
}
