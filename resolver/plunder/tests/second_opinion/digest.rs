//! The digest of a turn, computed from the result's JSON by the description of the encoding alone.

use serde_json::Value;

fn number(value: &Value) -> u64 {
    value.as_u64().unwrap_or_else(|| panic!("{value} is a number"))
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

/// Geometry as the map of a scenario gives it.
struct Sheet<'a> {
    map: &'a Value,
}

impl Sheet<'_> {
    fn width(&self) -> i64 {
        number(&self.map["width"]) as i64
    }

    fn column(&self, q: i64, r: i64) -> i64 {
        q + (r - (r & 1)) / 2
    }

    /// A tile is `row * width + column`.
    fn tile(&self, q: &Value, r: &Value) -> u32 {
        let (q, r) = (q.as_i64().expect("q"), r.as_i64().expect("r"));
        (r * self.width() + self.column(q, r)) as u32
    }

    /// The number of the direction from one hex to the next, 0 E to 5 SE.
    fn direction(&self, from: (i64, i64), to: (i64, i64)) -> u8 {
        let steps = [(1, 0), (1, -1), (0, -1), (-1, 0), (-1, 1), (0, 1)];
        let wraps = self.map["wrap"].as_bool().unwrap_or(false);
        // Straight neighbours first: on a wrapped map two tiles wide, east and west are the same tile.
        let straight = steps.iter().position(|(dq, dr)| (from.0 + dq, from.1 + dr) == to);
        let around = || {
            steps.iter().position(|(dq, dr)| {
                let (q, r) = (from.0 + dq, from.1 + dr);
                wraps && r == to.1 && self.column(q, r).rem_euclid(self.width()) == self.column(to.0, to.1)
            })
        };
        straight.or_else(around).expect("adjacent") as u8
    }
}

fn encode_state(sheet: &Sheet<'_>, state: &Value, next: (u32, u32)) -> Vec<u8> {
    let mut out = vec![1];
    let count = |out: &mut Vec<u8>, items: &[Value]| out.extend((items.len() as u32).to_le_bytes());
    out.extend((number(&state["turn"]) as u32).to_le_bytes());
    match &state["result"] {
        Value::Null => out.push(0),
        result if result.get("winner").is_some() => out.extend([1, number(&result["winner"]) as u8]),
        result => {
            out.push(2);
            count(&mut out, list(&result["draw"]));
            out.extend(list(&result["draw"]).iter().map(|player| number(player) as u8));
        }
    }
    out.extend(next.0.to_le_bytes());
    out.extend(next.1.to_le_bytes());
    count(&mut out, list(&state["players"]));
    for player in list(&state["players"]) {
        out.extend([number(&player["id"]) as u8, u8::from(player["alive"] == true)]);
        out.extend(player["gold"].as_i64().expect("gold").to_le_bytes());
    }
    count(&mut out, list(&state["units"]));
    for unit in list(&state["units"]) {
        out.extend((number(&unit["id"]) as u32).to_le_bytes());
        out.extend(sheet.tile(&unit["q"], &unit["r"]).to_le_bytes());
        out.extend([number(&unit["owner"]) as u8, 0]);
        out.extend((number(&unit["hp"]) as u16).to_le_bytes());
        out.extend(["sails", "cannons", "hull"].map(|key| number(&unit[key]) as u8));
        let engagements = ["ASK", "EVADE", "FIGHT", "FIGHT_IF_HEALTHY"];
        out.push(engagements.iter().position(|e| unit["engagement"] == *e).expect("an engagement") as u8);
        let route = list(&unit["route"]);
        out.push(route.len() as u8);
        let mut here = (unit["q"].as_i64().expect("q"), unit["r"].as_i64().expect("r"));
        for step in route {
            let there = (step[0].as_i64().expect("q"), step[1].as_i64().expect("r"));
            out.push(sheet.direction(here, there));
            here = there;
        }
    }
    count(&mut out, list(&state["structures"]));
    for structure in list(&state["structures"]) {
        out.extend((number(&structure["id"]) as u32).to_le_bytes());
        out.extend(sheet.tile(&structure["q"], &structure["r"]).to_le_bytes());
        out.push(structure["owner"].as_u64().map_or(255, |owner| owner as u8));
        out.extend((number(&structure["hp"]) as u16).to_le_bytes());
        out.push(list(&structure["queue"]).len() as u8);
        out.extend(list(&structure["queue"]).iter().flat_map(|job| [0, number(&job["turns_left"]) as u8]));
    }
    count(&mut out, list(&state["contests"]));
    for contest in list(&state["contests"]) {
        out.extend(sheet.tile(&contest["q"], &contest["r"]).to_le_bytes());
        out.extend((number(&contest["since"]) as u32).to_le_bytes());
        out.extend((number(&contest["rounds"]) as u32).to_le_bytes());
        count(&mut out, list(&contest["contenders"]));
        out.extend(list(&contest["contenders"]).iter().flat_map(|unit| (number(unit) as u32).to_le_bytes()));
    }
    out
}

/// The first state of a scenario in the form of a result, with everything that was left out filled in.
fn opening(scenario: &Value) -> Value {
    let filled = |items: &Value, defaults: &[(&str, Value)]| {
        let mut items: Vec<Value> = list(items).to_vec();
        for item in &mut items {
            for (key, value) in defaults {
                if item.get(key).is_none() {
                    item[*key] = value.clone();
                }
            }
        }
        items.sort_by_key(|item| item["id"].as_u64());
        Value::from(items)
    };
    let zero = Value::from(0);
    let empty = Value::from(Vec::<Value>::new());
    let mut contests = list(&scenario["contests"]).to_vec();
    contests.sort_by_key(|c| (c["q"].as_i64(), c["r"].as_i64()));
    for contest in &mut contests {
        contest["contenders"].as_array_mut().expect("a list").sort_by_key(Value::as_u64);
    }
    let unit_defaults = [
        ("sails", zero.clone()),
        ("cannons", zero.clone()),
        ("hull", zero.clone()),
        ("engagement", Value::from("ASK")),
        ("route", empty.clone()),
    ];
    serde_json::json!({
        "turn": scenario["turn"],
        "players": filled(&scenario["players"], &[("gold", Value::from(100)), ("alive", Value::from(true))]),
        "units": filled(&scenario["units"], &unit_defaults),
        "structures": filled(&scenario["structures"], &[("queue", empty), ("owner", Value::Null)]),
        "contests": contests,
        "result": null,
    })
}

fn next_id(items: &Value) -> u32 {
    list(items).iter().map(|item| number(&item["id"]) as u32 + 1).max().unwrap_or(1)
}

/// The digest that a result must have.
pub(crate) fn digest(rules_hash: &[u8; 32], scenario: &Value, result: &Value) -> String {
    let sheet = Sheet { map: &scenario["map"] };
    let before = opening(scenario);
    let next = (next_id(&before["units"]), next_id(&before["structures"]));
    let mut first = vec![0];
    first.extend(rules_hash);
    first.extend((number(&sheet.map["width"]) as u32).to_le_bytes());
    first.extend((number(&sheet.map["height"]) as u32).to_le_bytes());
    first.push(u8::from(sheet.map["wrap"] == true));
    let symbols = list(&sheet.map["tiles"]).iter().flat_map(|row| row.as_str().expect("a row").chars());
    first.extend(symbols.map(|symbol| "~.#H".find(symbol).expect("a terrain") as u8));
    first.extend(encode_state(&sheet, &before, next));
    let count = |kind: &str| list(&result["events"]).iter().filter(|event| event["type"] == kind).count() as u32;
    let mut chained = vec![1];
    chained.extend(blake3::hash(&first).as_bytes());
    chained.extend(encode_state(&sheet, &result["state"], (next.0 + count("spawned"), next.1 + count("deployed"))));
    blake3::hash(&chained).to_hex().to_string()
}
