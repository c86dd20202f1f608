//! The exact odds of an exchange and of a fight between two ships over some rounds (R8).
//!
//! Every chance is a whole number of equally likely outcomes. An exchange has [`WEIGHT`] of them, so that `n` rounds
//! have `WEIGHT^n`; for [`MAX_ROUNDS`] that is below 2^892, and a [`Count`] holds it. Nothing is rounded but the
//! answer, to the nearest part.

use std::fmt;

use parley_core::odds::{BITS, Count};

use crate::dice::Roll;
use crate::rules::Rules;
use crate::state::Unit;

/// The most rounds of a previewed fight. Under the default rules every fight has ended after 15.
pub const MAX_ROUNDS: u32 = 64;

/// A chance is given in parts per million.
pub(super) const PPM: u64 = 1_000_000;
/// A mean is given in thousandths of a hit point.
const MILLI: u64 = 1_000;

/// Equally likely outcomes of an exchange: a coin, three dice and two dice.
pub(super) const WEIGHT: u64 = 2 * EXCHANGE.total() as u64;

/// A `Count` has room for `WEIGHT^64`, times twice the scale of a mean, and once more the 16 bits of hp it is a share
/// of.
const _: () = assert!(WEIGHT < 1 << 14 && BITS >= 14 * MAX_ROUNDS as usize + 1 + (16 + 10) + 16);

/// How the five dice of an exchange fall, in outcomes of [`ExchangeOdds::total`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ExchangeOdds {
    /// The defender loses both comparisons.
    pub attacker_wins: u32,
    /// Attacker and defender lose one comparison each.
    pub split: u32,
    /// The attacker loses both comparisons.
    pub defender_wins: u32,
}

impl ExchangeOdds {
    /// The number of all outcomes.
    pub const fn total(&self) -> u32 {
        self.attacker_wins + self.split + self.defender_wins
    }
}

/// The odds of an exchange (R8.3), counted over every way in which its dice can fall.
pub const EXCHANGE: ExchangeOdds = count_exchange();

const fn count_exchange() -> ExchangeOdds {
    let mut by_attacker_losses = [0; 3];
    let mut number = 0;
    while number < 6u32.pow(5) {
        let [a, b, c] = [(number % 6) as u8, (number / 6 % 6) as u8, (number / 36 % 6) as u8];
        let [d, e] = [(number / 216 % 6) as u8, (number / 1296) as u8];
        let (high, low) = if a > b { (a, b) } else { (b, a) };
        let attacker = if c > high {
            [c, high, low]
        } else if c > low {
            [high, c, low]
        } else {
            [high, low, c]
        };
        let defender = if d > e { [d, e] } else { [e, d] };
        let (lost, _) = Roll { lower_attacks: true, attacker, defender }.losses();
        by_attacker_losses[lost as usize] += 1;
        number += 1;
    }
    let [attacker_wins, split, defender_wins] = by_attacker_losses;
    ExchangeOdds { attacker_wins, split, defender_wins }
}

/// Which of two ships rolls three dice (R8.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attacker {
    /// The ship that is named first.
    First,
    /// The ship that is named second.
    Second,
    /// The coin of each exchange decides, as in a contest (R9.3).
    Coin,
}

impl Attacker {
    /// In how many of [`WEIGHT`] outcomes the first-named ship loses no, one and two comparisons. The second-named
    /// one loses the others.
    pub(super) const fn weights(self) -> [u64; 3] {
        let ExchangeOdds { attacker_wins, split, defender_wins } = EXCHANGE;
        match self {
            Self::First => [2 * attacker_wins as u64, 2 * split as u64, 2 * defender_wins as u64],
            Self::Second => [2 * defender_wins as u64, 2 * split as u64, 2 * attacker_wins as u64],
            Self::Coin => {
                let either = (attacker_wins + defender_wins) as u64;
                [either, 2 * split as u64, either]
            }
        }
    }
}

/// What counts of a ship in a fight.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fighter {
    /// Hit points; a ship without any has sunk before the fight.
    pub hp: u16,
    /// What an enemy loses per comparison it loses to this ship (R8.3).
    pub hit: u16,
}

impl Fighter {
    /// A unit with the hp and cannons that it has now.
    pub fn new(rules: &Rules, unit: &Unit) -> Self {
        Self { hp: unit.hp, hit: unit.hit(rules) }
    }
}

/// What a fight holds for one ship.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ShipOdds {
    /// The chance that it sinks, in parts per million.
    pub sinks_ppm: u32,
    /// The mean of the hp it loses, in thousandths. It never loses more than it has.
    pub mean_loss_milli: u32,
    /// Its hp afterwards if everything goes well.
    pub best_hp: u16,
    /// Its hp afterwards if nothing does; 0 is sunk.
    pub worst_hp: u16,
}

/// What a fight holds for two ships.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FightOdds {
    /// The odds of the ship that was named first.
    pub first: ShipOdds,
    /// The odds of the ship that was named second.
    pub second: ShipOdds,
    /// The chance that both sink, in parts per million; it is part of the chance of each.
    pub both_sink_ppm: u32,
}

/// Why odds are not computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OddsError {
    /// The fight has more rounds than [`MAX_ROUNDS`].
    TooManyRounds(u32),
    /// A round has more ships than [`super::MAX_SHIPS`].
    TooManyShips(usize),
    /// A ship has more exchanges in a round than [`super::MAX_EXCHANGES`].
    TooManyExchanges {
        /// The ship's place in the list.
        ship: usize,
        /// How many exchanges it has.
        exchanges: usize,
    },
    /// A pairing names a ship that is not in the list, or one ship twice.
    NoSuchPair {
        /// The place of the first ship that the pairing names.
        first: usize,
        /// The place of the second ship that the pairing names.
        second: usize,
    },
}

impl fmt::Display for OddsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::TooManyRounds(rounds) => {
                write!(f, "{rounds} rounds are too many, at most {MAX_ROUNDS} are previewed")
            }
            Self::TooManyShips(ships) => {
                write!(f, "{ships} ships are too many, a round of at most {} is previewed", super::MAX_SHIPS)
            }
            Self::TooManyExchanges { ship, exchanges } => {
                let most = super::MAX_EXCHANGES;
                write!(f, "ship {ship} has {exchanges} exchanges, at most {most} are previewed")
            }
            Self::NoSuchPair { first, second } => write!(f, "{first} and {second} are not two ships of the list"),
        }
    }
}

impl std::error::Error for OddsError {}

/// The odds of a fight that goes on until a ship sinks or the rounds are over. One round is one exchange.
///
/// While both ships are afloat, each round costs them two comparisons together. So it is enough to know how many the
/// first has lost, and a fight has `2n + 1` states after `n` rounds, whatever the hit points are.
pub fn fight(first: Fighter, second: Fighter, rounds: u32, attacker: Attacker) -> Result<FightOdds, OddsError> {
    if rounds > MAX_ROUNDS {
        return Err(OddsError::TooManyRounds(rounds));
    }
    let hp_after =
        |lost: u32, round: u32| (left(first.hp, lost, second.hit), left(second.hp, 2 * round - lost, first.hit));
    let mut end = Ending::new(first.hp, second.hp);
    let mut afloat = vec![Count::ONE];
    if first.hp == 0 || second.hp == 0 {
        end.record(first.hp, second.hp, &afloat[0]);
        afloat.clear();
    }
    let mut round = 0;
    while round < rounds && !afloat.is_empty() {
        round += 1;
        end.next_round();
        let mut next = vec![Count::ZERO; 2 * round as usize + 1];
        for (lost, count) in afloat.iter().enumerate() {
            for (more, weight) in attacker.weights().into_iter().enumerate() {
                next[lost + more].add(&count.times(weight));
            }
        }
        for (lost, count) in (0..).zip(&mut next) {
            let (one, other) = hp_after(lost, round);
            if one == 0 || other == 0 {
                end.record(one, other, &std::mem::replace(count, Count::ZERO));
            }
        }
        if next.iter().all(Count::is_zero) {
            next.clear();
        }
        afloat = next;
    }
    for (lost, count) in (0..).zip(&afloat) {
        let (one, other) = hp_after(lost, round);
        end.record(one, other, count);
    }
    Ok(FightOdds {
        first: end.first.odds(&end.whole),
        second: end.second.odds(&end.whole),
        both_sink_ppm: end.both_sink(),
    })
}

/// The hp that are left after some lost comparisons.
fn left(hp: u16, lost: u32, hit: u16) -> u16 {
    u32::from(hp).saturating_sub(lost * u32::from(hit)) as u16
}

/// How a fight can end, in outcomes of the rounds so far.
struct Ending {
    first: Fate,
    second: Fate,
    both: Count,
    whole: Count,
}

impl Ending {
    fn new(first_hp: u16, second_hp: u16) -> Self {
        Self { first: Fate::new(first_hp), second: Fate::new(second_hp), both: Count::ZERO, whole: Count::ONE }
    }

    /// Counts what has ended once for every outcome of another round, which cannot change it.
    fn next_round(&mut self) {
        let [one, other] = [&mut self.first, &mut self.second];
        for count in [&mut one.sunk, &mut one.loss, &mut other.sunk, &mut other.loss, &mut self.both, &mut self.whole] {
            *count = count.times(WEIGHT);
        }
    }

    fn record(&mut self, first_hp: u16, second_hp: u16, count: &Count) {
        self.first.record(first_hp, count);
        self.second.record(second_hp, count);
        if first_hp == 0 && second_hp == 0 {
            self.both.add(count);
        }
    }

    fn both_sink(&self) -> u32 {
        self.both.share(&self.whole, PPM) as u32
    }
}

/// What can become of one ship.
pub(super) struct Fate {
    hp: u16,
    sunk: Count,
    /// The hp that the ship loses, summed over the outcomes.
    loss: Count,
    best: u16,
    worst: u16,
}

impl Fate {
    pub(super) const fn new(hp: u16) -> Self {
        Self { hp, sunk: Count::ZERO, loss: Count::ZERO, best: 0, worst: hp }
    }

    /// Records that in some outcomes the ship is left with these hp.
    pub(super) fn record(&mut self, hp: u16, count: &Count) {
        if count.is_zero() {
            return;
        }
        if hp == 0 {
            self.sunk.add(count);
        }
        self.loss.add(&count.times(u64::from(self.hp - hp)));
        self.best = self.best.max(hp);
        self.worst = self.worst.min(hp);
    }

    /// The ship's odds among all outcomes.
    pub(super) fn odds(&self, whole: &Count) -> ShipOdds {
        let hp = u64::from(self.hp);
        let mean = if hp == 0 { 0 } else { self.loss.share(&whole.times(hp), MILLI * hp) };
        ShipOdds {
            sinks_ppm: self.sunk.share(whole, PPM) as u32,
            mean_loss_milli: mean as u32,
            best_hp: self.best,
            worst_hp: self.worst,
        }
    }
}

#[cfg(test)]
mod tests;
