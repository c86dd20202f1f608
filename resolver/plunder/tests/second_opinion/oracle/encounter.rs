//! Encounters: the decisions, passing and entry (R7).

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use super::combat::{self, Attacker, Exchanges, pair};
use super::hex::Hex;
use super::state::{Contest, World};

#[derive(Clone, Copy, PartialEq)]
pub enum Place {
    /// The edge, lesser hex first.
    Passing(Hex, Hex),
    Entry(Hex),
}

pub struct Encounter {
    pub place: Place,
    /// The ships that stand on the tile of an entry.
    pub holders: BTreeSet<u32>,
    /// The ships that cross, or want to enter. The first tile of their path is where they want to go.
    pub movers: BTreeSet<u32>,
}

/// Which ships attack; all others proceed or yield.
type Attackers = BTreeSet<u32>;

impl Encounter {
    fn units(&self) -> BTreeSet<u32> {
        self.holders.union(&self.movers).copied().collect()
    }

    fn kind(&self) -> &'static str {
        match self.place {
            Place::Passing(..) => "PASSING",
            Place::Entry(_) => "ENTRY",
        }
    }

    fn peaceful_choice(&self) -> &'static str {
        match self.place {
            Place::Passing(..) => "PROCEED",
            Place::Entry(_) => "YIELD",
        }
    }

    fn at(&self) -> Value {
        match self.place {
            Place::Passing(a, b) => json!([[a.0, a.1], [b.0, b.1]]),
            Place::Entry(tile) => json!([tile.0, tile.1]),
        }
    }

    /// R7.3: (q, r, kind, lowest ship id), PASSING before ENTRY.
    pub fn order(&self) -> (i32, i32, u32, u32) {
        let lowest = *self.units().first().unwrap();
        match self.place {
            Place::Passing((q, r), _) => (q, r, 0, lowest),
            Place::Entry((q, r)) => (q, r, 1, lowest),
        }
    }
}

/// Asks a player: (tick, unit, kind of the encounter), None if no decision arrives.
pub type Decide<'a> = dyn FnMut(u32, u32, &str) -> Option<String> + 'a;

/// The choice of one ship and whether it was defaulted (R7.2, R7.6).
fn choice(world: &World, tick: u32, unit: u32, e: &Encounter, decide: &mut Decide) -> (String, bool) {
    let ship = &world.units[&unit];
    let attack = "ATTACK".to_string();
    let peace = e.peaceful_choice().to_string();
    match ship.engagement.as_str() {
        "EVADE" => (peace, false),
        "FIGHT" => (attack, false),
        "FIGHT_IF_HEALTHY" if 2 * ship.hp >= ship.max_hp() => (attack, false),
        "FIGHT_IF_HEALTHY" => (peace, false),
        _ => match decide(tick, unit, e.kind()) {
            Some(chosen) => {
                assert!(chosen == attack || chosen == peace, "{chosen} in {}", e.kind());
                (chosen, false)
            }
            None => (peace, true),
        },
    }
}

/// All encounters of a tick, in order: announced, decided together, then resolved one after another.
pub fn resolve_all(world: &mut World, tick: u32, encounters: &[Encounter], decide: &mut Decide) {
    let mut tiles_of_encounters = BTreeSet::new();
    for e in encounters {
        world.event(json!({
            "type": "encounter", "tick": tick, "kind": e.kind(), "at": e.at(), "units": e.units(),
        }));
        match e.place {
            Place::Passing(a, b) => tiles_of_encounters.extend([a, b]),
            Place::Entry(tile) => tiles_of_encounters.extend([tile]),
        }
    }
    let mut choices: BTreeMap<u32, (String, bool)> = BTreeMap::new();
    for e in encounters {
        for unit in e.units() {
            let chosen = choice(world, tick, unit, e, decide);
            let before = choices.insert(unit, chosen);
            assert!(before.is_none(), "R6.7: unit {unit} in two encounters");
        }
    }
    for e in encounters {
        let mut attackers = Attackers::new();
        for unit in e.units() {
            let (choice, defaulted) = &choices[&unit];
            if choice == "ATTACK" {
                attackers.insert(unit);
            }
            world.event(json!({
                "type": "decided", "tick": tick, "unit": unit, "choice": choice, "defaulted": defaulted,
            }));
        }
        match e.place {
            Place::Passing(..) => passing(world, tick, e, &attackers),
            Place::Entry(tile) => entry(world, tick, e, tile, &attackers, &tiles_of_encounters),
        }
        world.check("after an encounter");
    }
}

/// Settles a passing encounter (R7.4).
fn passing(world: &mut World, tick: u32, e: &Encounter, attackers: &Attackers) {
    if attackers.is_empty() {
        let stays_behind = e.movers.iter().any(|id| {
            let reached = world.units[id].path[0];
            world.units_on(reached).iter().any(|other| !e.movers.contains(other) && world.enemies(*id, *other))
        });
        for id in &e.movers {
            if stays_behind {
                world.unit_mut(*id).halted = true;
            } else {
                world.advance(tick, *id);
            }
        }
        return;
    }
    let mut exchanges = Exchanges::new();
    for (ships, coin) in combat::every_enemy_pair(world, &e.movers) {
        // R8.2: the one that attacks one that does not is the attacker.
        match (attackers.contains(&ships.0), attackers.contains(&ships.1)) {
            (true, true) => exchanges.insert(ships, coin),
            (true, false) => exchanges.insert(ships, Attacker::Is(ships.0)),
            (false, true) => exchanges.insert(ships, Attacker::Is(ships.1)),
            (false, false) => None,
        };
    }
    for id in &e.movers {
        world.unit_mut(*id).halted = true;
    }
    combat::round(world, tick, &exchanges);
}

/// Settles an entry encounter (R7.5).
fn entry(
    world: &mut World,
    tick: u32,
    e: &Encounter,
    tile: Hex,
    attackers: &Attackers,
    tiles_of_encounters: &BTreeSet<Hex>,
) {
    let holder_owner: Option<u32> = e.holders.first().map(|id| world.owner(*id));
    for id in &e.holders {
        assert_eq!(Some(world.owner(*id)), holder_owner, "R7.5: holders of two owners");
    }
    let attacking_entrants: BTreeSet<u32> = e.movers.intersection(attackers).copied().collect();
    let mut attacking_enemies = attacking_entrants.clone();
    attacking_enemies.retain(|id| Some(world.owner(*id)) != holder_owner);

    let mut entering = BTreeSet::new();
    let mut exchanges = Exchanges::new();
    if attacking_enemies.is_empty() {
        // Nobody fights; entrants of h that attack join their friends.
        entering = attacking_entrants;
    } else {
        let mut standing = BTreeSet::new();
        for holder in &e.holders {
            let lowest = *attacking_enemies.first().unwrap();
            let away_from = world.units[&lowest].at;
            let refuge = refuge(world, *holder, tile, away_from, tiles_of_encounters);
            match refuge {
                Some(to) if !attackers.contains(holder) => give_way(world, tick, *holder, to),
                _ => {
                    standing.insert(*holder);
                }
            }
        }
        let owners: BTreeSet<u32> = attacking_entrants.iter().map(|id| world.owner(*id)).collect();
        if !standing.is_empty() {
            exchanges = combat::every_enemy_pair(world, &attacking_entrants);
            for holder in &standing {
                for enemy in &attacking_enemies {
                    // R8.2: an entrant is the attacker of a standing holder.
                    exchanges.insert(pair(*holder, *enemy), Attacker::Is(*enemy));
                }
            }
        } else if owners.len() == 1 {
            entering = attacking_entrants;
        } else {
            exchanges = combat::every_enemy_pair(world, &attacking_entrants);
            open_contest(world, tick, tile, attacking_entrants);
        }
    }

    for id in e.units() {
        if !entering.contains(&id) {
            let unit = world.unit_mut(id);
            unit.halted = true;
            unit.path.clear();
        }
    }
    combat::round(world, tick, &exchanges);
    for id in entering {
        world.advance(tick, id);
    }
}

/// Where a holder gives way to: the farthest free neighbour, the first of these in direction order.
fn refuge(world: &World, holder: u32, tile: Hex, away_from: Hex, encounters: &BTreeSet<Hex>) -> Option<Hex> {
    let mut best: Option<Hex> = None;
    for hex in world.map.neighbours(tile) {
        let free = world.map.navigable(hex)
            && world.units_on(hex).is_empty()
            && !world.contested(hex)
            && !encounters.contains(&hex)
            && !world.closed_to(hex, world.owner(holder));
        let farther = match best {
            None => true,
            Some(other) => world.map.distance(hex, away_from) > world.map.distance(other, away_from),
        };
        if free && farther {
            best = Some(hex);
        }
    }
    best
}

fn give_way(world: &mut World, tick: u32, holder: u32, to: Hex) {
    world.leave_contests(holder);
    world.unit_mut(holder).at = to;
    world.event(json!({"type": "gave_way", "tick": tick, "unit": holder, "to": [to.0, to.1]}));
}

/// R7.5, R9.1: the first round is fought by the caller.
fn open_contest(world: &mut World, tick: u32, (q, r): Hex, contenders: BTreeSet<u32>) {
    world.event(json!({"type": "contest_opened", "tick": tick, "q": q, "r": r, "contenders": contenders}));
    let contest = Contest { since: world.turn, rounds: 1, contenders };
    world.contests.insert((q, r), contest);
}
