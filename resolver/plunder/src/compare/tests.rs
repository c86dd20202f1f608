use std::sync::Arc;

use super::*;
use crate::event::{Body, EncounterKind};
use crate::order::Choice;
use crate::rules::Rules;
use crate::scenario::Scenario;

fn meeting() -> Scenario {
    let text = r#"{
        "seed": "0000000000000000000000000000000000000000000000000000000000000000", "turn": 3,
        "map": {"width": 4, "height": 1, "tiles": ["...H"]},
        "players": [{"id": 0}, {"id": 1}],
        "units": [{"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 10}, {"id": 2, "owner": 1, "q": 1, "r": 0, "hp": 10}],
        "structures": [{"id": 1, "owner": 1, "q": 3, "r": 0, "hp": 20}],
        "orders": [{"unit": 1, "move": [[1, 0]]}, {"unit": 2, "move": [[0, 0]]}]
    }"#;
    Scenario::parse(&Arc::new(Rules::plunder()), text).expect("a sound scenario")
}

#[test]
fn a_state_does_not_differ_from_itself() {
    let state = meeting().state;
    assert_eq!(state.first_difference(&state.clone()), None);
}

#[test]
fn the_first_difference_has_a_name_and_a_field() {
    let state = meeting().state;
    let changed = |change: fn(&mut State)| {
        let mut other = state.clone();
        change(&mut other);
        state.first_difference(&other).expect("a difference").to_string()
    };
    assert_eq!(changed(|s| s.turn = 4), "match, turn: 3 and 4");
    assert_eq!(changed(|s| s.players[1].gold = 5), "player 1, gold: 100 and 5");
    assert_eq!(changed(|s| s.players[0].alive = false), "player 0, alive: true and false");
    assert_eq!(changed(|s| s.units[1].hp = 9), "unit 2, hp: 10 and 9");
    assert_eq!(changed(|s| s.units[0].tile = parley_core::grid::Tile::from_index(2)), "unit 1, hex: (0, 0) and (2, 0)");
    assert_eq!(changed(|s| s.units.retain(|unit| unit.id.get() != 1)), "unit 1, existence: there and missing");
    assert_eq!(changed(|s| s.structures[0].owner = None), "structure 1, owner: 1 and nobody");
    assert_eq!(changed(|s| s.next_unit = 9), "match, next_unit: 3 and 9");
    let contest = |s: &mut State| {
        let tile = parley_core::grid::Tile::from_index(2);
        s.contests.push(Contest { tile, since: 1, rounds: 1, contenders: Default::default() });
    };
    assert_eq!(changed(contest), "contest (2, 0), existence: missing and there");
    let won = |s: &mut State| s.result = PlayerId::new(1).map(crate::state::MatchResult::Winner);
    assert_eq!(changed(won), "match, result: none and player 1 wins");
}

#[test]
fn two_courses_of_a_turn_part_at_an_event() {
    let grid = *meeting().state.map().grid();
    let play = |choice| {
        let mut scenario = meeting();
        let unit = UnitId::new(1).expect("an id");
        scenario.decisions.insert((1, unit), choice);
        scenario.resolve().expect("it resolves").outcome.events
    };
    let (peace, war) = (play(Choice::Proceed), play(Choice::Attack));
    assert_eq!(first_difference(&grid, &peace, &peace.clone()), None);
    let difference = first_difference(&grid, &peace, &war).expect("a difference");
    let unit = UnitId::new(1).expect("an id");
    assert_eq!((difference.tick, difference.entity), (Some(1), Entity::Unit(unit)));
    let decided = |choice| Some(Body::Decided { unit, choice, defaulted: false });
    let body = |event: Option<Event>| event.map(|event| event.body);
    assert_eq!((body(difference.left), body(difference.right)), (decided(Choice::Proceed), decided(Choice::Attack)));
    assert!(matches!(peace[difference.index - 1].body, Body::Encounter { kind: EncounterKind::Passing, .. }));
    let shorter = first_difference(&grid, &peace[..2], &peace).expect("a difference");
    assert_eq!((shorter.index, shorter.left), (2, None));
}
