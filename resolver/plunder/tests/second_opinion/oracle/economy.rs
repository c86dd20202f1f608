//! Income, shipyard work, bombardment and construction (R11).

use std::collections::BTreeMap;

use super::hex::Hex;
use super::state::{Action, Structure, StructureOrder, Unit, World};

fn living_players(world: &World) -> Vec<u32> {
    let mut found = Vec::new();
    for (id, player) in &world.players {
        if player.alive {
            found.push(*id);
        }
    }
    found
}

/// Stage 1 (R11.1).
pub fn income(world: &mut World) {
    for player in living_players(world) {
        let shipyards = world.structures_of(player).len() as i64;
        let ships = world.units_of(player).len() as i64;
        world.change_gold(player, 10 + 5 * shipyards + 2 * ships, "income");
    }
}

/// Stage 2: players by id, for each the ships by id, then the structures by id (R5.6, R11.3).
pub fn shipyard_work(world: &mut World) {
    for player in living_players(world) {
        for id in world.units_of(player) {
            match world.units[&id].action.clone() {
                Action::DeployShipyard => deploy(world, player, id),
                Action::Repair => repair(world, player, id),
                Action::Upgrade(what) => upgrade(world, player, id, &what),
                _ => {}
            }
        }
        for id in world.structures_of(player) {
            match world.structures[&id].order.clone() {
                Some(StructureOrder::Build) => build(world, player, id),
                Some(StructureOrder::CancelBuild(index)) => {
                    world.structures.get_mut(&id).unwrap().queue.remove(index);
                    world.change_gold(player, 50 * 75 / 100, "cancel_build");
                }
                None => {}
            }
        }
    }
}

fn deploy(world: &mut World, player: u32, id: u32) {
    let at = world.units[&id].at;
    if world.structures_of(player).len() >= 4 || world.structure_on(at).is_some() {
        return;
    }
    if world.pay(player, 100, "deploy_shipyard") {
        world.remove_unit(id);
        let shipyard = Structure { owner: Some(player), at, hp: 20, queue: Vec::new(), order: None };
        world.structures.insert(world.next_structure, shipyard);
        world.next_structure += 1;
    }
}

fn repair(world: &mut World, player: u32, id: u32) {
    if world.pay(player, 20, "repair") {
        let unit = world.unit_mut(id);
        unit.hp = unit.max_hp();
    }
}

fn upgrade(world: &mut World, player: u32, id: u32, what: &str) {
    let price = match what {
        "sails" => 60,
        "cannons" => 80,
        "hull" => 100,
        other => panic!("R5.4: upgrade {other}"),
    };
    if world.pay(player, price, "upgrade") {
        let unit = world.unit_mut(id);
        match what {
            "sails" => unit.sails += 1,
            "cannons" => unit.cannons += 1,
            _ => {
                // R4: healed to full.
                unit.hull += 1;
                unit.hp = unit.max_hp();
            }
        }
    }
}

fn build(world: &mut World, player: u32, id: u32) {
    let mut count = world.units_of(player).len();
    for shipyard in world.structures_of(player) {
        count += world.structures[&shipyard].queue.len();
    }
    if count < 12 && world.pay(player, 50, "build") {
        world.structures.get_mut(&id).unwrap().queue.push(3);
    }
}

/// Stage 6 (R11.5): all damage is added up, then structures at 0 fall.
pub fn bombardment(world: &mut World) {
    // Structure, then the owner that fires, then hp.
    let mut damage: BTreeMap<u32, BTreeMap<u32, i64>> = BTreeMap::new();
    for unit in world.units.values() {
        if let Action::Bombard(target) = unit.action {
            let structure = &world.structures[&target];
            if world.map.adjacent(unit.at, structure.at) && structure.owner != Some(unit.owner) {
                let by_owner = damage.entry(target).or_default();
                *by_owner.entry(unit.owner).or_default() += 2 + unit.cannons;
            }
        }
    }
    for (target, by_owner) in damage {
        let structure = world.structures.get_mut(&target).unwrap();
        structure.hp -= by_owner.values().sum::<i64>();
        if structure.hp <= 0 {
            let most = *by_owner.values().max().unwrap();
            let taker = by_owner.iter().find(|(_, dealt)| **dealt == most);
            structure.owner = Some(*taker.unwrap().0);
            structure.hp = 20 / 2;
            structure.queue.clear();
        }
    }
}

/// Stage 7 (R11.2, R11.4): only the head of a queue advances, once a turn.
pub fn construction(world: &mut World) {
    for player in living_players(world) {
        for id in world.structures_of(player) {
            let structure = world.structures.get_mut(&id).unwrap();
            let Some(head) = structure.queue.first_mut() else {
                continue;
            };
            if *head > 0 {
                *head -= 1;
            }
            if *head > 0 {
                continue;
            }
            let at = structure.at;
            if let Some(tile) = spawn_tile(world, player, at) {
                world.structures.get_mut(&id).unwrap().queue.remove(0);
                spawn(world, player, tile);
            }
        }
    }
}

fn spawn_tile(world: &World, player: u32, shipyard: Hex) -> Option<Hex> {
    let free = |tile: Hex| !world.enemy_on(tile, player) && !world.contested(tile);
    if free(shipyard) {
        return Some(shipyard);
    }
    let neighbours = world.map.neighbours(shipyard);
    neighbours.into_iter().find(|tile| free(*tile) && world.map.navigable(*tile) && !world.closed_to(*tile, player))
}

fn spawn(world: &mut World, owner: u32, at: Hex) {
    let ship = Unit {
        owner,
        at,
        hp: 10,
        sails: 0,
        cannons: 0,
        hull: 0,
        engagement: "ASK".to_string(),
        path: Vec::new(),
        action: Action::None,
        broadside: false,
        halted: false,
        fought: false,
    };
    world.units.insert(world.next_unit, ship);
    world.next_unit += 1;
}
