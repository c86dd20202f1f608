//! One movement tick, up to the encounters that it brings about (R6).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::encounter::{Encounter, Place};
use super::hex::Hex;
use super::state::World;

/// What every ship with an intent wants: from where to where.
type Intents = BTreeMap<u32, (Hex, Hex)>;

fn intents(world: &World, tick: u32) -> Intents {
    let mut found = Intents::new();
    for (id, unit) in &world.units {
        if i64::from(tick) <= unit.speed() && !unit.halted && !unit.path.is_empty() {
            found.insert(*id, (unit.at, unit.path[0]));
        }
    }
    found
}

/// R6.2, judged before everything else.
fn blocked(world: &World, intents: &Intents) -> BTreeSet<u32> {
    let mut found = BTreeSet::new();
    for (id, (_, to)) in intents {
        if world.contested(*to) || world.closed_to(*to, world.owner(*id)) {
            found.insert(*id);
        }
    }
    found
}

/// R6.3: the edges, lesser hex first.
fn passing_edges(world: &World, entrants: &Intents) -> BTreeSet<(Hex, Hex)> {
    let mut edges = BTreeSet::new();
    for (a, (from, to)) in entrants {
        for (b, (other_from, other_to)) in entrants {
            if world.enemies(*a, *b) && from == other_to && to == other_from {
                edges.insert((*from.min(to), *from.max(to)));
            }
        }
    }
    edges
}

/// R6.4 for one entrant.
fn collides(world: &World, all: &Intents, entrants: &Intents, ship: u32, tile: Hex) -> bool {
    let meets_entrant = entrants.iter().any(|(other, (_, to))| *to == tile && world.enemies(ship, *other));
    let meets_enemy_at_rest =
        world.units_on(tile).iter().any(|other| !all.contains_key(other) && world.enemies(ship, *other));
    meets_entrant || meets_enemy_at_rest
}

/// Moves what is free, says who is blocked, moves or waits, and returns the encounters in the order of R7.3.
pub fn tick(world: &mut World, tick: u32) -> Vec<Encounter> {
    let all = intents(world, tick);
    let blocked = blocked(world, &all);
    let mut entrants = all.clone();
    entrants.retain(|id, _| !blocked.contains(id));

    // R6.3
    let edges = passing_edges(world, &entrants);
    let mut closed = BTreeSet::new();
    for (a, b) in &edges {
        closed.insert(*a);
        closed.insert(*b);
    }
    let mut passing = BTreeSet::new();
    for (id, (from, to)) in &entrants {
        if edges.contains(&(*from.min(to), *from.max(to))) {
            passing.insert(*id);
        }
    }

    // R6.4
    let mut collided = BTreeSet::new();
    for (id, (_, to)) in &entrants {
        if !passing.contains(id) && collides(world, &all, &entrants, *id, *to) {
            collided.insert(*id);
        }
    }

    // R6.5: repeat until nothing changes.
    let mut waiting: BTreeSet<u32> = BTreeSet::new();
    loop {
        let before = waiting.len();
        for (id, (_, to)) in &entrants {
            if passing.contains(id) || collided.contains(id) {
                continue;
            }
            let behind_stuck_enemy = world.units_on(*to).into_iter().any(|other| {
                let stuck = blocked.contains(&other)
                    || passing.contains(&other)
                    || collided.contains(&other)
                    || waiting.contains(&other);
                stuck && world.enemies(*id, other)
            });
            if closed.contains(to) || behind_stuck_enemy {
                waiting.insert(*id);
            }
        }
        if waiting.len() == before {
            break;
        }
    }

    // R6.2
    for id in &blocked {
        let unit = world.unit_mut(*id);
        unit.halted = true;
        unit.path.clear();
        world.event(json!({"type": "blocked", "tick": tick, "unit": id}));
    }
    // R6.6
    for id in entrants.keys() {
        if !passing.contains(id) && !collided.contains(id) && !waiting.contains(id) {
            world.advance(tick, *id);
        }
    }

    // R6.7
    let mut encounters = Vec::new();
    let tiles: BTreeSet<Hex> = collided.iter().map(|id| entrants[id].1).collect();
    for tile in tiles {
        let standing = world.units_on(tile);
        let mut stopped = collided.clone();
        stopped.retain(|id| entrants[id].1 == tile);
        let wanted_to_leave = standing.iter().any(|id| all.contains_key(id));
        if closed.contains(&tile) || wanted_to_leave {
            waiting.extend(stopped);
        } else {
            encounters.push(Encounter { place: Place::Entry(tile), holders: standing, movers: stopped });
        }
    }
    for id in &waiting {
        world.event(json!({"type": "waited", "tick": tick, "unit": id}));
    }
    for (a, b) in edges {
        let mut movers = passing.clone();
        movers.retain(|id| {
            let (from, to) = entrants[id];
            (from, to) == (a, b) || (from, to) == (b, a)
        });
        encounters.push(Encounter { place: Place::Passing(a, b), holders: BTreeSet::new(), movers });
    }
    encounters.sort_by_key(Encounter::order);
    encounters
}
