//! The odds of one round of many ships, each enemy pair exchanging once (R8.1).

use std::collections::BTreeMap;

use parley_core::ids::PlayerId;
use parley_core::odds::Count;

use super::odds::{Attacker, Fate, Fighter, MAX_ROUNDS, OddsError, ShipOdds, WEIGHT};

/// The most ships of a previewed round.
pub const MAX_SHIPS: usize = 128;
/// The most exchanges of one ship in a previewed round: the outcomes of as many rounds fit.
pub const MAX_EXCHANGES: usize = MAX_ROUNDS as usize;

/// A ship that takes part in a round.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Side {
    /// The owner of the ship.
    pub owner: PlayerId,
    /// Whether it chose `ATTACK`. A holder that stands on the tile has no choice that counts: entrants are its
    /// attackers (R8.2). A contender always attacks (R9.3).
    pub attacks: bool,
}

/// Two ships that exchange fire, by their places in the list of ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pairing {
    /// The place of one ship.
    pub first: usize,
    /// The place of the other ship.
    pub second: usize,
    /// Which of the two ships attacks.
    pub attacker: Attacker,
}

/// The exchanges of a round among these ships: between each enemy pair of which at least one attacks. Where both
/// do, the coin says who is the attacker (R7.4, R7.5, R8.2).
pub fn pairings(sides: &[Side]) -> Vec<Pairing> {
    let mut pairings = Vec::new();
    for (first, one) in sides.iter().enumerate() {
        for (second, other) in sides.iter().enumerate().skip(first + 1).filter(|(_, other)| other.owner != one.owner) {
            let attacker = match (one.attacks, other.attacks) {
                (true, true) => Attacker::Coin,
                (true, false) => Attacker::First,
                (false, true) => Attacker::Second,
                (false, false) => continue,
            };
            pairings.push(Pairing { first, second, attacker });
        }
    }
    pairings
}

/// What a round holds for each ship, in the order of the list.
///
/// All exchanges are rolled from the state at the start of the round and none depends on another, so that a ship's
/// loss is the sum of independent losses. The fates of two ships do depend on each other; each is given alone.
pub fn round(ships: &[Fighter], pairings: &[Pairing]) -> Result<Vec<ShipOdds>, OddsError> {
    if ships.len() > MAX_SHIPS {
        return Err(OddsError::TooManyShips(ships.len()));
    }
    let mut enemies: Vec<Vec<([u64; 3], u16)>> = vec![Vec::new(); ships.len()];
    for &Pairing { first, second, attacker } in pairings {
        let (Some(one), Some(other)) = (ships.get(first), ships.get(second).filter(|_| first != second)) else {
            return Err(OddsError::NoSuchPair { first, second });
        };
        let weights = attacker.weights();
        enemies[first].push((weights, other.hit));
        let [none, split, both] = weights;
        enemies[second].push(([both, split, none], one.hit));
    }
    let crowded = |(_, list): &(usize, &Vec<_>)| list.len() > MAX_EXCHANGES;
    if let Some((ship, list)) = enemies.iter().enumerate().find(crowded) {
        return Err(OddsError::TooManyExchanges { ship, exchanges: list.len() });
    }
    Ok(ships.iter().zip(&enemies).map(|(ship, enemies)| fate(ship.hp, enemies)).collect())
}

/// The odds of one ship over its exchanges, for each of which it is given how often the ship loses no, one and two
/// comparisons, and what one of them costs it.
fn fate(hp: u16, enemies: &[([u64; 3], u16)]) -> ShipOdds {
    let mut whole = Count::ONE;
    let mut by_hp = BTreeMap::from([(hp, Count::ONE)]);
    for &(weights, hit) in enemies {
        let mut next = BTreeMap::new();
        for (left, count) in by_hp {
            for (lost, weight) in (0..).zip(weights) {
                let left = u32::from(left).saturating_sub(lost * u32::from(hit)) as u16;
                next.entry(left).or_insert(Count::ZERO).add(&count.times(weight));
            }
        }
        by_hp = next;
        whole = whole.times(WEIGHT);
    }
    let mut fate = Fate::new(hp);
    for (left, count) in &by_hp {
        fate.record(*left, count);
    }
    fate.odds(&whole)
}

#[cfg(test)]
mod tests;
