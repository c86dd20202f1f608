//! Every order that does not do all it asked says why, and nothing else does; and other promises of a result.

use std::fmt::Write;
use std::sync::Arc;

use parley_core::grid::Tile;
use parley_plunder::legality::{judge, judge_charted};
use parley_plunder::order::{Action, OrderSheet, UnitOrder};
use parley_plunder::rules::Rules;
use parley_plunder::scenario::{self, Scenario};
use serde_json::{Value, json};

fn rules() -> Arc<Rules> {
    Arc::new(Rules::plunder())
}

fn resolve(scenario: &Value) -> Value {
    let text = scenario::resolve(&rules(), &scenario.to_string()).unwrap_or_else(|faults| panic!("{faults:?}"));
    serde_json::from_str(&text).expect("JSON")
}

/// The causes that a result gives, as `unit cause`.
fn causes(result: &Value) -> Vec<String> {
    let events = result["events"].as_array().expect("events").iter().filter(|e| e["type"] == "fell_short");
    events
        .map(|e| {
            assert!(e["text"].as_str().is_some_and(|text| text.ends_with('.')), "{e}");
            format!("{} {}", e.get("unit").unwrap_or(&e["structure"]), e["cause"].as_str().expect("a cause"))
        })
        .collect()
}

/// A strait eight tiles wide with these units and orders.
fn strait(units: Value, orders: Value) -> Value {
    json!({
        "seed": "77".repeat(32), "turn": 3,
        "map": {"width": 8, "height": 3, "tiles": ["........", "........", "......H."]},
        "players": [{"id": 0}, {"id": 1}], "units": units, "orders": orders
    })
}

#[test]
fn a_holder_that_gives_way_loses_its_route_and_is_told() {
    let units = json!([
        {"id": 1, "owner": 0, "q": 0, "r": 1, "hp": 10, "engagement": "EVADE"},
        {"id": 2, "owner": 1, "q": 7, "r": 1, "hp": 10, "engagement": "FIGHT", "sails": 5}
    ]);
    let east: Vec<_> = (1..=6).map(|q| json!([q, 1])).collect();
    let west: Vec<_> = (2..=6).rev().map(|q| json!([q, 1])).collect();
    let result = resolve(&strait(units, json!([{"unit": 1, "move": east}, {"unit": 2, "move": west}])));
    assert!(result["events"].as_array().expect("events").iter().any(|e| e["type"] == "gave_way"), "{result}");
    assert!(causes(&result).contains(&"1 halted".to_owned()), "{:?}", causes(&result));
    assert_eq!(result["state"]["units"][0]["route"], json!([]));
}

#[test]
fn a_ship_without_an_order_falls_short_of_nothing() {
    let units = json!([
        {"id": 1, "owner": 0, "q": 1, "r": 1, "hp": 1},
        {"id": 2, "owner": 0, "q": 7, "r": 0, "hp": 10},
        {"id": 3, "owner": 1, "q": 2, "r": 1, "hp": 20, "hull": 1, "cannons": 5, "engagement": "FIGHT"}
    ]);
    let mut scenario = strait(units, json!([{"unit": 3, "move": [[1, 1]]}]));
    // Unit 1 stands its ground, so that it can be sunk; the first seed that sinks it will do.
    scenario["decisions"] = json!([{"tick": 1, "unit": 1, "choice": "ATTACK"}]);
    let sunk = (0..50).map(|n| format!("{n:064x}")).find_map(|seed| {
        scenario["seed"] = json!(seed);
        let result = resolve(&scenario);
        result["events"]
            .as_array()
            .expect("events")
            .iter()
            .any(|e| e["type"] == "sunk" && e["unit"] == 1)
            .then_some(result)
    });
    let causes = causes(&sunk.expect("one of fifty seeds sinks it"));
    assert!(causes.iter().all(|cause| !cause.starts_with("1 ")), "{causes:?}");
}

#[test]
fn a_broadside_that_is_not_fired_says_which_way() {
    let units = json!([
        {"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 10},
        {"id": 2, "owner": 1, "q": 7, "r": 0, "hp": 10}
    ]);
    let orders = json!([{"unit": 1, "broadside": true}]);
    assert_eq!(causes(&resolve(&strait(units.clone(), orders.clone()))), ["1 no_target"]);
    let mut off = strait(units, orders);
    off["rules"] = json!({"broadsides": "off"});
    assert_eq!(causes(&resolve(&off)), ["1 broadsides_off"]);
}

#[test]
fn a_gunner_that_sinks_first_is_told() {
    let units = json!([
        {"id": 1, "owner": 0, "q": 4, "r": 2, "hp": 1},
        {"id": 2, "owner": 0, "q": 0, "r": 0, "hp": 10},
        {"id": 3, "owner": 1, "q": 3, "r": 2, "hp": 20, "hull": 1, "cannons": 5}
    ]);
    let mut scenario = strait(units, json!([{"unit": 1, "bombard": 1}, {"unit": 3, "broadside": true}]));
    scenario["structures"] = json!([{"id": 1, "owner": 1, "q": 5, "r": 2, "hp": 20}]);
    let sunk = (0..50).map(|n| format!("{n:064x}")).find_map(|seed| {
        scenario["seed"] = json!(seed);
        let result = resolve(&scenario);
        result["state"]["units"].as_array().expect("units").iter().all(|u| u["id"] != 1).then_some(result)
    });
    assert!(causes(&sunk.expect("one of fifty seeds sinks it")).contains(&"1 sunk".to_owned()));
}

#[test]
fn a_cancellation_makes_room_for_a_build_in_the_same_sheet() {
    let mut units = Vec::new();
    for id in 1..=11 {
        units.push(json!({"id": id, "owner": 0, "q": 0, "r": 0, "hp": 10}));
    }
    units.push(json!({"id": 12, "owner": 1, "q": 7, "r": 0, "hp": 10}));
    let mut scenario =
        strait(json!(units), json!([{"structure": 1, "cancel_build": 0}, {"structure": 2, "build": "ship"}]));
    scenario["map"]["tiles"] = json!(["........", "..H.....", "......H."]);
    scenario["structures"] = json!([
        {"id": 1, "owner": 0, "q": 5, "r": 2, "hp": 20, "queue": [{"class": "ship", "turns_left": 2}]},
        {"id": 2, "owner": 0, "q": 2, "r": 1, "hp": 20}
    ]);
    let result = resolve(&scenario);
    assert_eq!(result["state"]["structures"][0]["queue"], json!([]));
    assert_eq!(result["state"]["structures"][1]["queue"], json!([{"class": "ship", "turns_left": 2}]));
}

#[test]
fn a_turn_of_too_many_exchanges_is_refused_at_once() {
    let mut units = String::new();
    for id in 0..6_000 {
        let (owner, q) = (id % 2, id % 2);
        write!(
            units,
            r#",{{"id":{id},"owner":{owner},"q":{q},"r":0,"hp":10,"engagement":"FIGHT","route":[[{},0]]}}"#,
            1 - q
        )
        .expect("written");
    }
    let text = format!(
        r#"{{"seed":"{}","turn":1,"map":{{"width":2,"height":1,"tiles":[".."]}},"players":[{{"id":0}},{{"id":1}}],"units":[{}]}}"#,
        "00".repeat(32),
        &units[1..]
    );
    let faults = scenario::resolve(&rules(), &text).expect_err("nine million exchanges");
    assert_eq!(faults.len(), 1);
    assert!(faults[0].ends_with("(R8.1)"), "{faults:?}");
}

#[test]
fn a_fault_is_one_line_whatever_it_quotes() {
    let hostile = [
        "{\"a\\nb\\u001b[31m\":1}",
        "{\"seed\":\"\",\"turn\":1,\"rules\":{\"a\\nb\":1},\"map\":{\"width\":1,\"height\":1,\"tiles\":[\".\"]},\"players\":[],\"units\":[]}",
    ];
    for text in hostile {
        for fault in scenario::resolve(&rules(), text).expect_err("refused") {
            assert!(!fault.contains(|c: char| c.is_control()), "{fault:?}");
        }
    }
}

#[test]
fn stages_out_of_order_are_refused() {
    let rules = rules();
    for stages in [json!(["movement", "reckoning"]), json!(["movement", "contests", "reckoning"]), json!(["income"])] {
        assert!(rules.with_overrides(&json!({"stages": stages})).is_err(), "{stages}");
    }
    assert!(rules.with_overrides(&json!({"stages": ["contests", "movement", "reckoning"]})).is_ok());
}

#[test]
fn a_refusal_does_not_tell_uncharted_land_from_sea() {
    let scenario = |tile: &str| {
        let text = json!({
            "seed": "00".repeat(32), "turn": 1, "map": {"width": 3, "height": 1, "tiles": [format!("..{tile}")]},
            "players": [{"id": 0}], "units": [{"id": 1, "owner": 0, "q": 0, "r": 0, "hp": 10}]
        });
        Scenario::parse(&rules(), &text.to_string()).expect("sound").state
    };
    let charted = |tile: Tile| tile.index() < 2;
    let told = |tile: &str| {
        let state = scenario(tile);
        let mut sheet = OrderSheet::empty(state.players()[0].id);
        let hex = |index| state.hex(state.map().grid().tiles().nth(index).expect("a tile"));
        let action = Some(Action::Move(vec![hex(1), hex(2)]));
        sheet.units.push(UnitOrder { unit: state.units()[0].id, action, broadside: false, engagement: None });
        let plain = judge(&rules(), &state, &sheet).faults.len();
        (judge_charted(&rules(), &state, &sheet, &charted).faults, plain)
    };
    assert_eq!(told(".").0, told("#").0);
    assert_eq!((told(".").1, told("#").1), (0, 1));
}

#[test]
fn a_small_match_fits_into_eight_kib() {
    let mut units = Vec::new();
    for id in 0..24u32 {
        units.push(json!({"id": id + 1, "owner": id / 6, "q": id % 6, "r": id / 6 * 2, "hp": 10}));
    }
    let text = json!({
        "seed": "00".repeat(32), "turn": 1,
        "map": {"width": 20, "height": 14, "tiles": vec!["....................".to_owned(); 14]},
        "players": [{"id": 0}, {"id": 1}, {"id": 2}, {"id": 3}], "units": units
    });
    let state =
        Scenario::parse(&rules(), &text.to_string()).expect("sound").resolve().expect("resolved").game.into_state();
    assert_eq!(state.units().len(), 24);
    assert!(state.size_without_map() <= 8 * 1024, "{} bytes", state.size_without_map());
}
