//! Random legal orders for the ships and shipyards of a board (R5.4, R11.2).

use serde_json::{Value, json};

use super::board::{Board, Ship};
use super::hex::Hex;
use super::paths::{self, Currents};
use super::rng::Rng;

pub const ENGAGEMENTS: [&str; 4] = ["ASK", "EVADE", "FIGHT", "FIGHT_IF_HEALTHY"];

pub fn steps_json(path: &[Hex]) -> Value {
    path.iter().map(|(q, r)| json!([q, r])).collect()
}

/// Own shipyard tile or a neighbour of it (R11.2).
fn at_own_shipyard(board: &Board, ship: &Ship) -> bool {
    board
        .shipyards
        .iter()
        .any(|yard| yard.owner == Some(ship.owner) && (yard.at == ship.at || board.map.adjacent(yard.at, ship.at)))
}

fn may_deploy(board: &Board, ship: &Ship) -> bool {
    let yards = board.shipyards.iter().filter(|y| y.owner == Some(ship.owner));
    board.map.terrain[&ship.at] == 'H' && board.shipyard_on(ship.at).is_none() && yards.count() < 4
}

/// The actions, other than Move, that the ship may be given.
fn actions(board: &Board, ship: &Ship) -> Vec<(&'static str, Value)> {
    let mut found = vec![("hold", json!({})), ("press", json!({}))];
    if at_own_shipyard(board, ship) {
        found.push(("repair", json!({})));
        for (what, level, most) in [("sails", ship.sails, 5), ("cannons", ship.cannons, 5), ("hull", ship.hull, 2)] {
            if level < most {
                found.push(("upgrade", json!(what)));
            }
        }
    }
    if may_deploy(board, ship) {
        found.push(("deploy_shipyard", json!({})));
        found.push(("deploy_shipyard", json!({})));
    }
    for yard in &board.shipyards {
        if yard.owner != Some(ship.owner) && board.map.adjacent(yard.at, ship.at) {
            found.push(("bombard", json!(yard.id)));
            found.push(("bombard", json!(yard.id)));
        }
    }
    found
}

/// How often ships do what, in per cent.
pub struct Habits {
    pub moving: usize,
    pub acting: usize,
    pub broadside: usize,
    pub engagement: usize,
}

fn ship_order(board: &Board, ship: &Ship, habits: &Habits, currents: &Currents, rng: &mut Rng) -> Option<Value> {
    let mut order = json!({"unit": ship.id});
    let moving = if board.is_contender(ship.id) { 25 } else { habits.moving };
    if rng.chance(moving) {
        if let Some(path) = paths::path(board, ship, currents, rng) {
            order["move"] = steps_json(&path);
        }
    } else if rng.chance(habits.acting) {
        let (key, value) = rng.pick(&actions(board, ship));
        order[key] = value;
    }
    if rng.chance(habits.broadside) {
        order["broadside"] = json!(rng.chance(85));
    }
    if rng.chance(habits.engagement) {
        order["engagement"] = json!(rng.pick(&ENGAGEMENTS));
    }
    // Nothing but the ship: no order at all.
    (order.as_object().unwrap().len() > 1).then_some(order)
}

pub fn orders(board: &Board, habits: &Habits, currents: &Currents, rng: &mut Rng) -> Vec<Value> {
    let mut found = Vec::new();
    for ship in &board.ships {
        found.extend(ship_order(board, ship, habits, currents, rng));
    }
    let mut deploying = Vec::new();
    for order in &found {
        if order.get("deploy_shipyard").is_some() {
            deploying.push(order["unit"].as_u64().unwrap() as u32);
        }
    }
    for yard in &board.shipyards {
        let Some(owner) = yard.owner else {
            continue;
        };
        let consumed = board.ships.iter().filter(|s| s.owner == owner && deploying.contains(&s.id));
        let below_cap = board.count(owner) - consumed.count() < 12;
        if rng.chance(50) && yard.queue.len() < 5 && below_cap {
            found.push(json!({"structure": yard.id, "build": "ship"}));
        } else if rng.chance(40) && !yard.queue.is_empty() {
            let index = rng.below(yard.queue.len());
            found.push(json!({"structure": yard.id, "cancel_build": index}));
        }
    }
    found
}
