use super::*;
use crate::scenario::Scenario;

/// Two players on a strip of sea: units 1 and 3 of player 0, unit 2 of player 1, a contest between them, a shipyard.
fn board() -> (Arc<Rules>, State) {
    let rules = Arc::new(Rules::plunder());
    let text = r#"{
        "seed": "0000000000000000000000000000000000000000000000000000000000000000", "turn": 9,
        "map": {"width": 6, "height": 1, "tiles": ["H....#"]},
        "players": [{"id": 0, "gold": 7}, {"id": 1}],
        "units": [{"id": 1, "owner": 0, "q": 1, "r": 0, "hp": 10, "route": [[0, 0], [1, 0]]},
                  {"id": 2, "owner": 1, "q": 3, "r": 0, "hp": 4, "engagement": "FIGHT"},
                  {"id": 3, "owner": 0, "q": 1, "r": 0, "hp": 1, "hull": 1}],
        "structures": [{"id": 5, "owner": 1, "q": 0, "r": 0, "hp": 20, "queue": [{"class": "ship", "turns_left": 2}]}],
        "contests": [{"q": 2, "r": 0, "since": 8, "rounds": 1, "contenders": [1, 2]}]
    }"#;
    let scenario = Scenario::parse(&rules, text).expect("a sound scenario");
    (scenario.rules, scenario.state)
}

/// Where things are in the encoding of [`board`].
mod at {
    pub(super) const NEXT_UNIT: usize = 6;
    pub(super) const PLAYERS: usize = 14;
    pub(super) const UNITS: usize = PLAYERS + 4 + 2 * 10;
    pub(super) const FIRST: usize = UNITS + 4;
    pub(super) const SECOND: usize = FIRST + 17 + 2;
    pub(super) const THIRD: usize = SECOND + 17;
    pub(super) const STRUCTURES: usize = THIRD + 17;
    pub(super) const CONTESTS: usize = STRUCTURES + 4 + 12 + 2;
    pub(super) const END: usize = CONTESTS + 4 + 16 + 8;
}

#[test]
fn a_state_comes_back_from_its_bytes() {
    let (rules, state) = board();
    let bytes = state.encode();
    assert_eq!(bytes.len(), at::END);
    assert_eq!(State::decode(&rules, state.map(), &bytes), Ok(state));
}

#[test]
fn every_prefix_is_refused() {
    let (rules, state) = board();
    let bytes = state.encode();
    for end in 0..bytes.len() {
        let error = State::decode(&rules, state.map(), &bytes[..end]).expect_err("the end is missing");
        assert!(error.offset <= end, "{error}");
    }
    let longer = [&bytes[..], &[0]].concat();
    let error = State::decode(&rules, state.map(), &longer).expect_err("too long");
    assert_eq!(error.to_string(), format!("byte {}: 1 bytes follow after the end", at::END));
}

#[test]
fn each_broken_invariant_has_its_place_and_its_sentence() {
    let (rules, state) = board();
    let bytes = state.encode();
    let cases = [
        (0, 2, 0, "version 2"),
        (5, 3, 5, "no kind of result 3"),
        (at::NEXT_UNIT, 3, at::NEXT_UNIT, "the next unit is 3"),
        (at::NEXT_UNIT + 4, 5, at::NEXT_UNIT + 4, "the next structure is 5"),
        (at::PLAYERS + 4, 1, at::PLAYERS + 14, "player 1 is not in the order"),
        (at::PLAYERS + 4, 250, at::PLAYERS + 4, "250 is no player's id"),
        (at::PLAYERS + 5, 0, at::FIRST + 8, "the owner 0 is not a living player"),
        (at::PLAYERS + 5, 2, at::PLAYERS + 5, "2 is neither"),
        (at::PLAYERS + 13, 0x80, at::PLAYERS + 6, "gold"),
        (at::UNITS + 3, 1, at::UNITS, "does not fit"),
        (at::FIRST, 2, at::SECOND, "unit 2 is not in the order"),
        (at::FIRST + 3, 0x10, at::FIRST, "no unit's id"),
        (at::FIRST + 4, 6, at::FIRST + 4, "tile 6 is not on the map"),
        (at::SECOND + 4, 5, at::SECOND + 4, "cannot be at (5, 0)"),
        (at::SECOND + 4, 1, at::SECOND, "both at (1, 0) (R2.1)"),
        (at::FIRST + 9, 1, at::FIRST + 9, "no class 1"),
        (at::FIRST + 10, 0, at::FIRST + 10, "has 0 hp, 1 to 10"),
        (at::FIRST + 10, 11, at::FIRST + 10, "has 11 hp, 1 to 10"),
        (at::FIRST + 12, 200, at::FIRST + 12, "pieces of sails"),
        (at::FIRST + 15, 4, at::FIRST + 15, "no engagement 4"),
        (at::FIRST + 16, 65, at::FIRST + 16, "a route of 65 steps"),
        (at::FIRST + 17, 6, at::FIRST + 17, "no direction 6"),
        (at::FIRST + 17, 1, at::FIRST + 17, "cannot be sailed"),
        (at::STRUCTURES + 8, 1, at::STRUCTURES + 8, "no harbor"),
        (at::STRUCTURES + 13, 0, at::STRUCTURES + 13, "has 0 hp"),
        (at::STRUCTURES + 15, 99, at::STRUCTURES + 15, "has 99 builds"),
        (at::STRUCTURES + 17, 99, at::STRUCTURES + 17, "99 turns are left"),
        (at::CONTESTS + 4, 1, at::CONTESTS + 20, "contender 1 is not beside"),
        (at::CONTESTS + 4, 5, at::CONTESTS + 4, "nobody can be"),
        (at::CONTESTS + 8, 10, at::CONTESTS + 8, "which is to come"),
        (at::CONTESTS + 20, 2, at::CONTESTS + 24, "not in the order"),
        (at::CONTESTS + 20, 77, at::CONTESTS + 20, "contender 77"),
    ];
    for (place, value, offset, said) in cases {
        let mut broken = bytes.clone();
        broken[place] = value;
        let error = State::decode(&rules, state.map(), &broken).expect_err(said);
        assert!(error.offset == offset && error.reason.contains(said), "{said:?} at {offset}: {error}");
    }
}

#[test]
fn a_map_comes_back_from_its_terrain() {
    let (rules, state) = board();
    let map = state.map();
    let rows = map.terrain_rows();
    assert_eq!(Map::from_terrain(&rules, 6, 1, false, &rows).as_ref(), Ok(&**map));
    let refused = |width, height, wrap, rows: &[u8]| Map::from_terrain(&rules, width, height, wrap, rows).is_err();
    assert!(refused(6, 2, false, &rows), "too few tiles");
    assert!(refused(0, 0, false, &[]), "no tile");
    assert!(refused(u32::MAX, u32::MAX, false, &rows), "too many tiles");
    assert!(refused(1, 6, true, &rows), "wraps onto itself");
    assert!(refused(6, 1, false, &[9; 6]), "no such terrain");
}
