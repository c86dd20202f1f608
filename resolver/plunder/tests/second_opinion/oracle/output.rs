//! Writes the result of a turn (SCENARIO.md, Output), without the digest.

use serde_json::{Value, json};

use super::hex::Hex;
use super::state::World;

fn steps(path: &[Hex]) -> Vec<Value> {
    path.iter().map(|(q, r)| json!([q, r])).collect()
}

pub fn write(world: World) -> Value {
    let mut players = Vec::new();
    for (id, player) in &world.players {
        players.push(json!({"id": id, "gold": player.gold, "alive": player.alive}));
    }
    let mut units = Vec::new();
    for (id, unit) in &world.units {
        units.push(json!({
            "id": id, "class": "ship", "owner": unit.owner, "q": unit.at.0, "r": unit.at.1, "hp": unit.hp,
            "sails": unit.sails, "cannons": unit.cannons, "hull": unit.hull,
            "engagement": unit.engagement, "route": steps(&unit.path),
        }));
    }
    let mut structures = Vec::new();
    for (id, structure) in &world.structures {
        let mut queue = Vec::new();
        for turns_left in &structure.queue {
            queue.push(json!({"class": "ship", "turns_left": turns_left}));
        }
        structures.push(json!({
            "id": id, "owner": structure.owner, "q": structure.at.0, "r": structure.at.1,
            "hp": structure.hp, "queue": queue,
        }));
    }
    let mut contests = Vec::new();
    for ((q, r), contest) in &world.contests {
        contests.push(json!({
            "q": q, "r": r, "since": contest.since, "rounds": contest.rounds, "contenders": contest.contenders,
        }));
    }
    json!({
        "events": world.events,
        "state": {
            "turn": world.turn + 1, "players": players, "units": units, "structures": structures,
            "contests": contests, "result": world.result,
        },
    })
}
