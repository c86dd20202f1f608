//! The end of a turn: concessions, elimination and victory (R12).

use std::collections::BTreeSet;

use serde_json::json;

use super::state::World;

pub fn end(world: &mut World) {
    // R12.3
    for player in world.conceding.clone() {
        for unit in world.units_of(player) {
            world.remove_unit(unit);
        }
    }
    // R12.1
    let mut eliminated = BTreeSet::new();
    for (id, player) in &world.players {
        let no_ships = world.units_of(*id).is_empty();
        let saved = world.rules.structures_save && !world.structures_of(*id).is_empty();
        let conceded = world.conceding.contains(id);
        if player.alive && (conceded || (no_ships && !saved)) {
            eliminated.insert(*id);
        }
    }
    for id in &eliminated {
        world.players.get_mut(id).unwrap().alive = false;
        for structure in world.structures_of(*id) {
            let structure = world.structures.get_mut(&structure).unwrap();
            structure.owner = None;
            structure.queue.clear();
        }
    }
    // R12.2
    let mut living = Vec::new();
    for (id, player) in &world.players {
        if player.alive {
            living.push(*id);
        }
    }
    let limit = world.rules.turn_limit;
    if living.len() == 1 {
        world.result = json!({"winner": living[0]});
    } else if living.is_empty() {
        world.result = json!({"draw": eliminated});
    } else if limit > 0 && world.turn >= limit {
        let standing = |id: &u32| (world.units_of(*id).len(), world.players[id].gold);
        let best = living.iter().map(standing).max().unwrap();
        let mut first = living.clone();
        first.retain(|id| standing(id) == best);
        world.result = match first.len() {
            1 => json!({"winner": first[0]}),
            _ => json!({"draw": first}),
        };
    }
}
