//! Everything that is true at one moment of a turn, and the small questions asked of it.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::hex::{Hex, Map};

pub struct Rules {
    pub contest_limit: i64,
    pub turn_limit: u64,
    pub broadsides: bool,
    pub structures_save: bool,
}

pub struct Player {
    pub gold: i64,
    pub alive: bool,
}

#[derive(Clone, PartialEq)]
pub enum Action {
    None,
    Move,
    Hold,
    Press,
    Repair,
    Upgrade(String),
    DeployShipyard,
    Bombard(u32),
}

pub struct Unit {
    pub owner: u32,
    pub at: Hex,
    pub hp: i64,
    pub sails: i64,
    pub cannons: i64,
    pub hull: i64,
    pub engagement: String,
    /// What is still ahead: the ordered path or the route, which are one thing while a turn resolves.
    pub path: Vec<Hex>,
    pub action: Action,
    pub broadside: bool,
    /// No more intents in this turn.
    pub halted: bool,
    /// Took part in an exchange of this turn (R10).
    pub fought: bool,
}

impl Unit {
    pub fn max_hp(&self) -> i64 {
        10 + 10 * self.hull
    }

    pub fn speed(&self) -> i64 {
        3 + self.sails + self.hull
    }
}

#[derive(Clone)]
pub enum StructureOrder {
    Build,
    CancelBuild(usize),
}

pub struct Structure {
    pub owner: Option<u32>,
    pub at: Hex,
    pub hp: i64,
    /// The turns left of each ship in the queue.
    pub queue: Vec<i64>,
    pub order: Option<StructureOrder>,
}

pub struct Contest {
    pub since: u64,
    pub rounds: i64,
    pub contenders: BTreeSet<u32>,
}

pub struct World {
    pub rules: Rules,
    pub seed: [u8; 32],
    pub turn: u64,
    pub map: Map,
    pub players: BTreeMap<u32, Player>,
    pub units: BTreeMap<u32, Unit>,
    pub structures: BTreeMap<u32, Structure>,
    pub contests: BTreeMap<Hex, Contest>,
    pub conceding: BTreeSet<u32>,
    pub next_unit: u32,
    pub next_structure: u32,
    pub result: Value,
    pub events: Vec<Value>,
}

impl World {
    pub fn owner(&self, unit: u32) -> u32 {
        self.units[&unit].owner
    }

    pub fn enemies(&self, a: u32, b: u32) -> bool {
        self.owner(a) != self.owner(b)
    }

    pub fn units_on(&self, tile: Hex) -> BTreeSet<u32> {
        let mut found = BTreeSet::new();
        for (id, unit) in &self.units {
            if unit.at == tile {
                found.insert(*id);
            }
        }
        found
    }

    pub fn enemy_on(&self, tile: Hex, owner: u32) -> bool {
        self.units_on(tile).into_iter().any(|id| self.owner(id) != owner)
    }

    pub fn units_of(&self, owner: u32) -> Vec<u32> {
        let mut found = Vec::new();
        for (id, unit) in &self.units {
            if unit.owner == owner {
                found.push(*id);
            }
        }
        found
    }

    pub fn structures_of(&self, owner: u32) -> Vec<u32> {
        let mut found = Vec::new();
        for (id, structure) in &self.structures {
            if structure.owner == Some(owner) {
                found.push(*id);
            }
        }
        found
    }

    pub fn structure_on(&self, tile: Hex) -> Option<&Structure> {
        self.structures.values().find(|s| s.at == tile)
    }

    /// R3.3: the tile carries a structure of another owner, or of nobody.
    pub fn closed_to(&self, tile: Hex, owner: u32) -> bool {
        match self.structure_on(tile) {
            Some(structure) => structure.owner != Some(owner),
            None => false,
        }
    }

    pub fn contested(&self, tile: Hex) -> bool {
        self.contests.contains_key(&tile)
    }

    pub fn is_contender(&self, unit: u32) -> bool {
        self.contests.values().any(|contest| contest.contenders.contains(&unit))
    }

    /// R9.5: leaves the list at once; the contest itself stays until a tick 0.
    pub fn leave_contests(&mut self, unit: u32) {
        for contest in self.contests.values_mut() {
            contest.contenders.remove(&unit);
        }
    }

    pub fn remove_unit(&mut self, unit: u32) {
        self.leave_contests(unit);
        self.units.remove(&unit);
    }

    pub fn unit_mut(&mut self, unit: u32) -> &mut Unit {
        self.units.get_mut(&unit).unwrap()
    }

    pub fn event(&mut self, event: Value) {
        self.events.push(event);
    }

    /// Puts a ship on a tile and says so.
    pub fn move_to(&mut self, tick: u32, unit: u32, tile: Hex) {
        self.unit_mut(unit).at = tile;
        self.event(json!({"type": "moved", "tick": tick, "unit": unit, "to": [tile.0, tile.1]}));
    }

    /// The ship reaches the next tile of its path.
    pub fn advance(&mut self, tick: u32, unit: u32) {
        let tile = self.unit_mut(unit).path.remove(0);
        self.move_to(tick, unit, tile);
    }

    /// R11.6: every change of money is an event, and it never goes below 0.
    pub fn change_gold(&mut self, player: u32, change: i64, reason: &str) {
        if change == 0 {
            return;
        }
        let purse = self.players.get_mut(&player).unwrap();
        purse.gold += change;
        let balance = purse.gold;
        assert!(balance >= 0, "R11.6: player {player} has {balance} gold");
        self.event(json!({
            "type": "gold", "player": player, "change": change, "reason": reason, "balance": balance,
        }));
    }

    /// R11.3: takes the price if it is there.
    pub fn pay(&mut self, player: u32, price: i64, reason: &str) -> bool {
        if self.players[&player].gold < price {
            return false;
        }
        self.change_gold(player, -price, reason);
        true
    }

    /// R2.1 and what R9.1 says of contested tiles; panics if broken.
    pub fn check(&self, moment: &str) {
        for (a, one) in &self.units {
            assert!(one.hp > 0, "{moment}: unit {a} has no hp left");
            assert!(self.map.navigable(one.at), "{moment}: unit {a} on land");
            assert!(!self.contested(one.at), "R9.1 {moment}: unit {a}");
            for (b, other) in &self.units {
                assert!(
                    one.owner == other.owner || one.at != other.at,
                    "R2.1 {moment}: enemies {a} and {b} on {:?}",
                    one.at
                );
            }
        }
        let mut contending = BTreeSet::new();
        for (tile, contest) in &self.contests {
            for unit in &contest.contenders {
                let at = self.units[unit].at;
                assert!(self.map.adjacent(at, *tile), "R9.1 {moment}: unit {unit}");
                assert!(contending.insert(*unit), "{moment}: unit {unit} twice");
            }
        }
    }
}
