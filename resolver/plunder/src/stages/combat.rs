//! A round of combat: exchanges from one unchanged state, then damage, sinking and salvage (R8).

use parley_core::ids::PlayerId;

use crate::dice::{BROADSIDE_TICK, Roll};
use crate::event::{Body, Cause, Exchange, GoldReason};
use crate::legality::Act;

use super::turn::{Mark, Turn, When};

/// Who of a pair rolls three dice (R8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Role {
    /// The ship with the lower id.
    LowerAttacks,
    /// The ship with the higher id.
    HigherAttacks,
    /// The coin of the exchange decides.
    Coin,
}

impl Role {
    /// The role where the first-named ship of two attacks.
    pub(super) const fn attacker(attacker: usize, defender: usize) -> Self {
        if attacker < defender { Self::LowerAttacks } else { Self::HigherAttacks }
    }
}

/// Two enemies that exchange fire, by their places in the list of units, which is by id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Pair {
    pub(super) lower: usize,
    pub(super) higher: usize,
    pub(super) role: Role,
}

impl Pair {
    pub(super) fn new(one: usize, other: usize, role: Role) -> Self {
        Self { lower: one.min(other), higher: one.max(other), role }
    }
}

/// Every pair of enemies among these units, which must be by id.
pub(super) fn enemy_pairs(turn: &Turn, units: &[usize], role: impl Fn(usize, usize) -> Role) -> Vec<Pair> {
    let mut pairs = Vec::new();
    for (i, &lower) in units.iter().enumerate() {
        let enemies = units[i + 1..].iter().filter(|&&other| turn.owner(other) != turn.owner(lower));
        pairs.extend(enemies.map(|&higher| Pair { lower, higher, role: role(lower, higher) }));
    }
    pairs
}

/// Which groups the exchanges of a round belong to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Groups {
    /// All belong to this one.
    One(u32),
    /// Each begins one of its own.
    Each,
}

/// Damage that a unit takes in a round, and the player whose unit did it.
#[derive(Clone, Copy, Debug)]
pub(super) struct Hit {
    target: usize,
    by: PlayerId,
    damage: u16,
}

/// Fights one round and returns the ships that sank. The pairs must be by lower and then higher id.
pub(super) fn round(turn: &mut Turn, tick: u8, groups: Groups, pairs: &[Pair]) -> Vec<usize> {
    let mut hits = std::mem::take(&mut turn.hits);
    hits.clear();
    for pair in pairs {
        let group = match groups {
            Groups::One(group) => group,
            Groups::Each => turn.begin_group(),
        };
        let (exchange, attacker, defender) = exchange(turn, tick, pair);
        let losses = [(attacker, defender, exchange.attacker_loses), (defender, attacker, exchange.defender_loses)];
        for (target, by, damage) in losses {
            turn.marks[target].fought = true;
            if damage > 0 {
                hits.push(Hit { target, by: turn.owner(by), damage });
            }
        }
        turn.tell(When::group(tick, group), Body::Exchanged { exchange });
    }
    // Who sinks by broadsides may be hit by somebody out of a viewer's sight too, of whom no group may tell (R14.2).
    let sinking = match groups {
        Groups::One(group) => When::group(tick, group),
        Groups::Each => When::tick(tick),
    };
    hits.sort_unstable_by_key(|hit| (hit.target, hit.by));
    let mut sunk = Vec::new();
    let mut heirs = Vec::new();
    for on_one in hits.chunk_by(|a, b| a.target == b.target) {
        let total: u64 = on_one.iter().map(|hit| u64::from(hit.damage)).sum();
        let target = on_one[0].target;
        let hp = &mut turn.state.units[target].hp;
        *hp = u64::from(*hp).saturating_sub(total) as u16;
        if *hp == 0 {
            sunk.push(target);
        }
    }
    for &index in &sunk {
        turn.remove(index);
        turn.tell(sinking, Body::Sunk { unit: turn.id(index) });
        let Mark { act, broadside, .. } = turn.marks[index];
        if matches!(act, Act::Bombard(_)) || broadside && tick != BROADSIDE_TICK {
            turn.fell_short(index, tick, Cause::Sunk);
        }
    }
    for on_one in hits.chunk_by(|a, b| a.target == b.target) {
        if turn.afloat(on_one[0].target) {
            continue;
        }
        heirs.extend(on_one.iter().map(|hit| hit.by));
        salvage(turn, &mut heirs, sinking);
        heirs.clear();
    }
    turn.hits = hits;
    sunk
}

/// Rolls one exchange from the state at the start of the round; also returns attacker and defender.
fn exchange(turn: &Turn, tick: u8, pair: &Pair) -> (Exchange, usize, usize) {
    let roll = Roll::new(&turn.dice, tick, turn.id(pair.lower), turn.id(pair.higher));
    let lower_attacks = match pair.role {
        Role::LowerAttacks => true,
        Role::HigherAttacks => false,
        Role::Coin => roll.lower_attacks,
    };
    let (attacker, defender) = if lower_attacks { (pair.lower, pair.higher) } else { (pair.higher, pair.lower) };
    let rules = &turn.rules;
    let damage = |winner: usize| turn.state.units[winner].hit(rules);
    let (attacker_lost, defender_lost) = roll.losses();
    let exchange = Exchange {
        attacker: turn.id(attacker),
        defender: turn.id(defender),
        attacker_dice: roll.attacker,
        defender_dice: roll.defender,
        attacker_loses: u16::from(attacker_lost) * damage(defender),
        defender_loses: u16::from(defender_lost) * damage(attacker),
    };
    (exchange, attacker, defender)
}

/// Splits the salvage of a sunk ship between the owners that hit it in this round and still have a ship (R8.4).
fn salvage(turn: &mut Turn, by: &mut Vec<PlayerId>, when: When) {
    by.dedup();
    by.retain(|owner| turn.fleets[usize::from(owner.get())] > 0);
    let Some(heirs) = i64::try_from(by.len()).ok().filter(|&n| n > 0) else { return };
    let sum = i64::from(turn.rules.combat().salvage.get());
    let mut remainder = sum % heirs;
    for &owner in &*by {
        turn.change_gold(owner, sum / heirs + std::mem::take(&mut remainder), GoldReason::Salvage, when);
    }
}
