//! Random valid scenarios that look for trouble, a pure function of a seed.

mod board;
mod orders;
mod paths;
mod rng;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::oracle::{hex, resolve};
use board::{Board, Plan};
use orders::{ENGAGEMENTS, Habits};
use paths::Currents;
use rng::Rng;

/// A little of everything: contests, shipyards, every kind of order, rule overrides.
pub fn scenario(seed: u64) -> Value {
    let mut rng = Rng(seed);
    let rng = &mut rng;
    let plan = Plan {
        shipyards: rng.chance(60),
        contests: rng.chance(60),
        most_ships: rng.between(1, 30) as usize,
        stacking: rng.pick(&[0, 20, 50]),
        engagements: ENGAGEMENTS.to_vec(),
    };
    let habits = Habits {
        moving: rng.pick(&[30, 60, 80]),
        acting: rng.pick(&[50, 90]),
        broadside: rng.pick(&[0, 20, 60]),
        engagement: rng.pick(&[0, 20]),
    };
    let board = non_empty_board(rng, &plan);
    let mut scenario = assemble(rng, &board, &habits);
    if rng.chance(60) {
        scenario["rules"] = rules(rng, scenario["turn"].as_u64().unwrap());
    }
    if rng.chance(4) {
        scenario["concede"] = json!([rng.pick(&board.owners)]);
    }
    add_decisions(rng, &mut scenario);
    scenario
}

/// Only movement: crowded, everybody under way, no structures and no old contests.
pub fn movement_scenario(seed: u64) -> Value {
    let mut rng = Rng(seed ^ 0x6D6F_7665);
    let rng = &mut rng;
    let mixes = [
        vec!["EVADE"],
        vec!["EVADE", "EVADE", "EVADE", "FIGHT"],
        vec!["ASK"],
        vec!["ASK", "EVADE", "FIGHT"],
        vec!["EVADE", "EVADE", "ASK"],
    ];
    let plan = Plan {
        shipyards: false,
        contests: false,
        most_ships: rng.between(2, 50) as usize,
        stacking: rng.pick(&[0, 10, 40]),
        engagements: rng.pick(&mixes),
    };
    let habits = Habits { moving: rng.pick(&[85, 100]), acting: 0, broadside: 0, engagement: 0 };
    let board = non_empty_board(rng, &plan);
    let mut scenario = assemble(rng, &board, &habits);
    add_decisions(rng, &mut scenario);
    scenario
}

fn non_empty_board(rng: &mut Rng, plan: &Plan) -> Board {
    loop {
        let board = board::board(rng, plan);
        if !board.ships.is_empty() {
            return board;
        }
    }
}

fn rules(rng: &mut Rng, turn: u64) -> Value {
    let mut rules = json!({});
    if rng.chance(30) {
        rules["fog"] = json!(rng.pick(&["on", "off"]));
    }
    if rng.chance(50) {
        rules["contest_limit"] = json!(rng.between(0, 6));
    }
    if rng.chance(40) {
        rules["turn_limit"] = json!(rng.pick(&[0, turn.saturating_sub(1), turn, turn + 1]));
    }
    if rng.chance(30) {
        rules["broadsides"] = json!(rng.pick(&["on_order", "off"]));
    }
    if rng.chance(40) {
        rules["elimination"] = json!(rng.pick(&["no_ships", "no_ships_and_no_structures"]));
    }
    rules
}

/// A field that has its default is left out now and then.
fn put(rng: &mut Rng, object: &mut Value, key: &str, value: Value, default: Value) {
    if value != default || rng.chance(70) {
        object[key] = value;
    }
}

fn units(rng: &mut Rng, board: &Board, currents: &Currents) -> Vec<Value> {
    let mut found = Vec::new();
    for ship in &board.ships {
        let mut unit = json!({
            "id": ship.id, "owner": ship.owner, "q": ship.at.0, "r": ship.at.1, "hp": ship.hp,
        });
        put(rng, &mut unit, "class", json!("ship"), json!("ship"));
        put(rng, &mut unit, "sails", json!(ship.sails), json!(0));
        put(rng, &mut unit, "cannons", json!(ship.cannons), json!(0));
        put(rng, &mut unit, "hull", json!(ship.hull), json!(0));
        put(rng, &mut unit, "engagement", json!(ship.engagement), json!("ASK"));
        // A contender has a route only in a scenario: rare.
        let percent = if board.is_contender(ship.id) { 5 } else { 40 };
        let route = match rng.chance(percent) {
            true => paths::path(board, ship, currents, rng).unwrap_or_default(),
            false => Vec::new(),
        };
        put(rng, &mut unit, "route", orders::steps_json(&route), json!([]));
        found.push(unit);
    }
    found
}

fn assemble(rng: &mut Rng, board: &Board, habits: &Habits) -> Value {
    let turn = match rng.below(20) {
        0 => rng.between(5, 4_000_000_000),
        _ => rng.between(5, 60),
    };
    let mut players = Vec::new();
    let purse = rng.pick(&[0, 60, 150, 400]);
    for owner in &board.owners {
        let gold = if rng.chance(5) { 100 } else { rng.between(0, purse) };
        let mut player = json!({"id": owner});
        put(rng, &mut player, "gold", json!(gold), json!(100));
        players.push(player);
    }
    let mut structures = Vec::new();
    for yard in &board.shipyards {
        let queue: Vec<Value> = yard.queue.iter().map(|n| json!({"class": "ship", "turns_left": n})).collect();
        structures.push(json!({
            "id": yard.id, "owner": yard.owner, "q": yard.at.0, "r": yard.at.1, "hp": yard.hp, "queue": queue,
        }));
    }
    let mut contests = Vec::new();
    for contest in &board.contests {
        let rounds = rng.between(1, 4);
        contests.push(json!({
            "q": contest.at.0, "r": contest.at.1, "since": turn - rounds, "rounds": rounds,
            "contenders": contest.contenders,
        }));
    }
    let currents = paths::currents(board, rng);
    let units = units(rng, board, &currents);
    let orders = orders::orders(board, habits, &currents, rng);
    let seed: String = (0..4).map(|_| format!("{:016x}", rng.next())).collect();
    let mut scenario = json!({
        "seed": seed, "turn": turn, "map": board.map_json(), "players": players, "units": units,
    });
    put(rng, &mut scenario, "structures", json!(structures), json!([]));
    put(rng, &mut scenario, "contests", json!(contests), json!([]));
    put(rng, &mut scenario, "orders", json!(orders), json!([]));
    scenario
}

/// Plays the turn with random players and writes down what they chose.
fn add_decisions(rng: &mut Rng, scenario: &mut Value) {
    let mut decisions = Vec::new();
    let mut asked = BTreeSet::new();
    resolve(scenario, &mut |tick, unit, kind| {
        asked.insert((tick, unit));
        let choice = match (rng.below(10), kind) {
            (0..5, _) => "ATTACK",
            (5..8, "PASSING") => "PROCEED",
            (5..8, _) => "YIELD",
            _ => return None,
        };
        decisions.push(json!({"tick": tick, "unit": unit, "choice": choice}));
        Some(choice.to_string())
    });
    // A decision that nobody asked for is not used.
    let unit = scenario["units"][0]["id"].as_u64().unwrap() as u32;
    let tick = rng.between(1, 10) as u32;
    if rng.chance(3) && !asked.contains(&(tick, unit)) {
        decisions.push(json!({"tick": tick, "unit": unit, "choice": "ATTACK"}));
    }
    put(rng, scenario, "decisions", json!(decisions), json!([]));
}
