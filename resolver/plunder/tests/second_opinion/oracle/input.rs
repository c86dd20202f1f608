//! Reads a scenario (SCENARIO.md, Input). It is taken to be valid.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use super::hex::{Hex, Map};
use super::state::{Action, Contest, Player, Rules, Structure, StructureOrder, Unit, World};

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], |items| items)
}

fn number(value: &Value, key: &str, default: i64) -> i64 {
    value[key].as_i64().unwrap_or(default)
}

fn id(value: &Value) -> u32 {
    value.as_u64().unwrap() as u32
}

fn tile(value: &Value) -> Hex {
    (number(value, "q", 0) as i32, number(value, "r", 0) as i32)
}

fn path(value: &Value) -> Vec<Hex> {
    let mut steps = Vec::new();
    for step in value.as_array().into_iter().flatten() {
        let q = step[0].as_i64().unwrap() as i32;
        let r = step[1].as_i64().unwrap() as i32;
        steps.push((q, r));
    }
    steps
}

fn seed(text: &str) -> [u8; 32] {
    let mut bytes = [0; 32];
    for (i, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap();
    }
    bytes
}

fn read_map(value: &Value) -> Map {
    let mut rows = Vec::new();
    for row in list(value, "tiles") {
        rows.push(row.as_str().unwrap().to_string());
    }
    let wrap = value["wrap"].as_bool().unwrap_or(false);
    let width = number(value, "width", 0) as i32;
    let height = number(value, "height", 0) as i32;
    Map::new(width, height, wrap, &rows)
}

fn read_unit(value: &Value) -> Unit {
    Unit {
        owner: id(&value["owner"]),
        at: tile(value),
        hp: number(value, "hp", 10),
        sails: number(value, "sails", 0),
        cannons: number(value, "cannons", 0),
        hull: number(value, "hull", 0),
        engagement: value["engagement"].as_str().unwrap_or("ASK").to_string(),
        path: path(&value["route"]),
        action: Action::None,
        broadside: false,
        halted: false,
        fought: false,
    }
}

fn read_structure(value: &Value) -> Structure {
    let mut queue = Vec::new();
    for item in list(value, "queue") {
        queue.push(item["turns_left"].as_i64().unwrap());
    }
    Structure {
        owner: value["owner"].as_u64().map(|owner| owner as u32),
        at: tile(value),
        hp: number(value, "hp", 20),
        queue,
        order: None,
    }
}

fn read_action(order: &Value) -> Action {
    if order.get("move").is_some() {
        Action::Move
    } else if order.get("hold").is_some() {
        Action::Hold
    } else if order.get("press").is_some() {
        Action::Press
    } else if order.get("repair").is_some() {
        Action::Repair
    } else if let Some(what) = order.get("upgrade") {
        Action::Upgrade(what.as_str().unwrap().to_string())
    } else if order.get("deploy_shipyard").is_some() {
        Action::DeployShipyard
    } else if let Some(structure) = order.get("bombard") {
        Action::Bombard(id(structure))
    } else {
        Action::None
    }
}

/// R5.3, R5.4: an action replaces the route; broadside and engagement stand beside any action or none.
fn give_unit_order(unit: &mut Unit, order: &Value) {
    unit.action = read_action(order);
    if unit.action != Action::None {
        unit.path = path(&order["move"]);
    }
    unit.broadside = order["broadside"].as_bool().unwrap_or(false);
    if let Some(engagement) = order["engagement"].as_str() {
        unit.engagement = engagement.to_string();
    }
}

fn read_rules(rules: &Value) -> Rules {
    Rules {
        contest_limit: number(rules, "contest_limit", 5),
        turn_limit: rules["turn_limit"].as_u64().unwrap_or(0),
        broadsides: rules["broadsides"] != "off",
        structures_save: rules["elimination"] == "no_ships_and_no_structures",
    }
}

pub fn read(scenario: &Value) -> World {
    let mut players = BTreeMap::new();
    for value in list(scenario, "players") {
        let gold = number(value, "gold", 100);
        let alive = value["alive"].as_bool().unwrap_or(true);
        players.insert(id(&value["id"]), Player { gold, alive });
    }
    let mut units = BTreeMap::new();
    for value in list(scenario, "units") {
        units.insert(id(&value["id"]), read_unit(value));
    }
    let mut structures = BTreeMap::new();
    for value in list(scenario, "structures") {
        structures.insert(id(&value["id"]), read_structure(value));
    }
    let mut contests = BTreeMap::new();
    for value in list(scenario, "contests") {
        let contenders: BTreeSet<u32> = list(value, "contenders").iter().map(id).collect();
        let contest =
            Contest { since: value["since"].as_u64().unwrap(), rounds: number(value, "rounds", 1), contenders };
        contests.insert(tile(value), contest);
    }
    for order in list(scenario, "orders") {
        if order.get("unit").is_some() {
            give_unit_order(units.get_mut(&id(&order["unit"])).unwrap(), order);
        } else {
            let structure = structures.get_mut(&id(&order["structure"])).unwrap();
            structure.order = match order["cancel_build"].as_u64() {
                Some(index) => Some(StructureOrder::CancelBuild(index as usize)),
                None => Some(StructureOrder::Build),
            };
        }
    }
    // R1: ids are given in order of creation and never reused.
    let next_unit = units.keys().max().map_or(1, |highest| highest + 1);
    let next_structure = structures.keys().max().map_or(1, |highest| highest + 1);
    World {
        rules: read_rules(&scenario["rules"]),
        seed: seed(scenario["seed"].as_str().unwrap()),
        turn: scenario["turn"].as_u64().unwrap(),
        map: read_map(&scenario["map"]),
        players,
        units,
        structures,
        contests,
        conceding: list(scenario, "concede").iter().map(id).collect(),
        next_unit,
        next_structure,
        result: Value::Null,
        events: Vec::new(),
    }
}
