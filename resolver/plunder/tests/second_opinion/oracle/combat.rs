//! One round of combat: a set of exchanges rolled together (R8), and the broadsides (R10).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::json;

use super::chacha::{die, exchange_words};
use super::state::World;

/// Who attacks in an exchange (R8.2).
#[derive(Clone, Copy, PartialEq)]
pub enum Attacker {
    Is(u32),
    Coin,
}

/// The exchanges of a round, by (lower id, higher id).
pub type Exchanges = BTreeMap<(u32, u32), Attacker>;

pub fn pair(a: u32, b: u32) -> (u32, u32) {
    (a.min(b), a.max(b))
}

/// Every enemy pair among the ships, the coin deciding who attacks (R9.3).
pub fn every_enemy_pair(world: &World, ships: &BTreeSet<u32>) -> Exchanges {
    let mut exchanges = Exchanges::new();
    for a in ships {
        for b in ships {
            if a < b && world.enemies(*a, *b) {
                exchanges.insert((*a, *b), Attacker::Coin);
            }
        }
    }
    exchanges
}

/// What ships lose in a round: ship, then the owner that did it, then hp.
type Damage = BTreeMap<u32, BTreeMap<u32, i64>>;

fn sorted_dice(words: &[u32]) -> Vec<i64> {
    let mut dice: Vec<i64> = words.iter().map(|word| die(*word)).collect();
    dice.sort();
    dice.reverse();
    dice
}

/// R8.3 with the words of R13.2; adds to the damage of both ships.
fn exchange(world: &mut World, tick: u32, ships: (u32, u32), who: Attacker, damage: &mut Damage) {
    let (low, high) = ships;
    let words = exchange_words(&world.seed, world.turn, tick, low, high);
    let attacker = match who {
        Attacker::Is(ship) => ship,
        Attacker::Coin if words[0].is_multiple_of(2) => low,
        Attacker::Coin => high,
    };
    let defender = if attacker == low { high } else { low };
    let attacker_dice = sorted_dice(&words[1..4]);
    let defender_dice = sorted_dice(&words[4..6]);
    let mut attacker_loses = 0;
    let mut defender_loses = 0;
    for i in 0..2 {
        if attacker_dice[i] > defender_dice[i] {
            defender_loses += 2 + world.units[&attacker].cannons;
        } else {
            attacker_loses += 2 + world.units[&defender].cannons;
        }
    }
    for (victim, foe, loss) in [(attacker, defender, attacker_loses), (defender, attacker, defender_loses)] {
        let foe = world.owner(foe);
        *damage.entry(victim).or_default().entry(foe).or_default() += loss;
        world.unit_mut(victim).fought = true;
    }
    world.event(json!({
        "type": "exchange", "tick": tick, "attacker": attacker, "defender": defender,
        "attacker_dice": attacker_dice, "defender_dice": defender_dice,
        "attacker_loses": attacker_loses, "defender_loses": defender_loses,
    }));
}

/// R8.1: all exchanges from the state at the start, damage together, then sinkings, then salvage.
pub fn round(world: &mut World, tick: u32, exchanges: &Exchanges) {
    let mut damage = Damage::new();
    for (ships, who) in exchanges {
        exchange(world, tick, *ships, *who, &mut damage);
    }
    let mut sunk = Vec::new();
    for (victim, by_owner) in &damage {
        let total: i64 = by_owner.values().sum();
        let unit = world.unit_mut(*victim);
        unit.hp = (unit.hp - total).max(0);
        if unit.hp == 0 {
            sunk.push(*victim);
        }
    }
    for ship in &sunk {
        world.remove_unit(*ship);
        world.event(json!({"type": "sunk", "tick": tick, "unit": ship}));
    }
    for ship in &sunk {
        salvage(world, &damage[ship]);
    }
}

/// R8.4: 25 gold between the owners that damaged the ship and still have one.
fn salvage(world: &mut World, damage_by_owner: &BTreeMap<u32, i64>) {
    let mut owners = BTreeSet::new();
    for (owner, damage) in damage_by_owner {
        if *damage > 0 && !world.units_of(*owner).is_empty() {
            owners.insert(*owner);
        }
    }
    let count = owners.len() as i64;
    let lowest = owners.first().copied();
    for owner in owners {
        let remainder = if Some(owner) == lowest { 25 % count } else { 0 };
        world.change_gold(owner, 25 / count + remainder, "salvage");
    }
}

/// R10, as tick 255. All targets are chosen before anything is rolled.
pub fn broadsides(world: &mut World) {
    if !world.rules.broadsides {
        return;
    }
    let mut exchanges = Exchanges::new();
    for (id, unit) in &world.units {
        if !unit.broadside || unit.fought {
            continue;
        }
        // (hp, id): the least one is the target.
        let mut targets = BTreeSet::new();
        for (other, enemy) in &world.units {
            if enemy.owner != unit.owner && world.map.adjacent(unit.at, enemy.at) {
                targets.insert((enemy.hp, *other));
            }
        }
        if let Some((_, target)) = targets.first() {
            let ships = pair(*id, *target);
            let aims_back = exchanges.get(&ships) == Some(&Attacker::Is(*target));
            let who = if aims_back { Attacker::Coin } else { Attacker::Is(*id) };
            exchanges.insert(ships, who);
        }
    }
    round(world, 255, &exchanges);
}
