//! Contested tiles in tick 0 (R9).

use std::collections::BTreeSet;

use serde_json::json;

use super::combat;
use super::hex::Hex;
use super::state::{Action, World};

fn owners(world: &World, tile: Hex) -> BTreeSet<u32> {
    let contenders = &world.contests[&tile].contenders;
    contenders.iter().map(|id| world.owner(*id)).collect()
}

fn close(world: &mut World, tile: Hex, reason: &str) {
    world.contests.remove(&tile);
    let (q, r) = tile;
    world.event(json!({"type": "contest_closed", "q": q, "r": r, "reason": reason}));
}

pub fn tick_zero(world: &mut World) {
    // R9.2: all withdrawals first. R9.5: whoever presses does not move in this turn.
    let ids: Vec<u32> = world.units.keys().copied().collect();
    for id in ids {
        if !world.is_contender(id) {
            continue;
        }
        if world.units[&id].action == Action::Move {
            world.leave_contests(id);
        } else {
            world.unit_mut(id).halted = true;
        }
    }
    let tiles: Vec<Hex> = world.contests.keys().copied().collect();
    for tile in tiles {
        settle(world, tile);
    }
}

fn settle(world: &mut World, tile: Hex) {
    // R9.3
    if owners(world, tile).len() >= 2 {
        let exchanges = combat::every_enemy_pair(world, &world.contests[&tile].contenders);
        world.contests.get_mut(&tile).unwrap().rounds += 1;
        combat::round(world, 0, &exchanges);
    }
    // R9.4
    let limit = world.rules.contest_limit;
    match owners(world, tile).len() {
        0 => close(world, tile, "emptied"),
        1 => {
            for id in world.contests[&tile].contenders.clone() {
                world.move_to(0, id, tile);
                // A path that began beside the old tile leads nowhere from the new one.
                world.unit_mut(id).path.clear();
            }
            close(world, tile, "claimed");
        }
        _ if limit > 0 && world.contests[&tile].rounds >= limit => close(world, tile, "expired"),
        _ => {}
    }
}
