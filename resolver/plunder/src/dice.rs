//! The dice of an exchange between two ships (R8.2, R8.3, R13.2).

use parley_core::dice::Dice;
use parley_core::ids::UnitId;

/// The tick number of broadsides in the block counter.
pub const BROADSIDE_TICK: u8 = 255;

/// The kind of everything that this game draws.
const EXCHANGE: u32 = 0;

/// What the dice of one exchange say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Roll {
    /// Whether the ship with the lower id attacks, where the coin is asked (R8.2).
    pub lower_attacks: bool,
    /// The attacker's three dice, highest first.
    pub attacker: [u8; 3],
    /// The defender's two dice, highest first.
    pub defender: [u8; 2],
}

impl Roll {
    /// The roll of two ships in a tick, in whichever order they are named.
    pub fn new(dice: &Dice, tick: u8, one: UnitId, other: UnitId) -> Self {
        let mut block = dice.block(EXCHANGE, tick, [one.min(other).get(), one.max(other).get()]);
        let coin = block.word();
        let mut attacker = [block.die(), block.die(), block.die()];
        let mut defender = [block.die(), block.die()];
        attacker.sort_unstable_by(|x, y| y.cmp(x));
        defender.sort_unstable_by(|x, y| y.cmp(x));
        Self { lower_attacks: coin.is_multiple_of(2), attacker, defender }
    }

    /// How many of the two comparisons attacker and defender lose (R8.3); the defender wins ties.
    pub const fn losses(&self) -> (u8, u8) {
        let first = self.attacker[0] > self.defender[0];
        let second = self.attacker[1] > self.defender[1];
        let won = first as u8 + second as u8;
        (2 - won, won)
    }
}

#[cfg(test)]
mod tests {
    use parley_core::dice::Seed;

    use super::*;

    #[test]
    fn the_words_of_a_block_are_coin_attacker_and_defender() {
        let id = |id: u64| UnitId::new(id).expect("in range");
        for (turn, tick, a, b) in [(1, 0, 0, 1), (7, 3, 12, 5), (u32::MAX, 255, (1 << 28) - 1, (1 << 28) - 2)] {
            let dice = Dice::new(&Seed::from_bytes([3; 32]), turn);
            let mut block = dice.block(0, tick, [a.min(b) as u32, a.max(b) as u32]);
            let words: [u32; 6] = std::array::from_fn(|_| block.word());
            let die = |w: u32| 1 + ((u64::from(w) * 6) >> 32) as u8;
            let mut attacker = [1, 2, 3].map(|i| die(words[i]));
            let mut defender = [4, 5].map(|i| die(words[i]));
            attacker.sort_unstable_by_key(|d| std::cmp::Reverse(*d));
            defender.sort_unstable_by_key(|d| std::cmp::Reverse(*d));
            let roll = Roll { lower_attacks: words[0].is_multiple_of(2), attacker, defender };
            assert_eq!(Roll::new(&dice, tick, id(a), id(b)), roll);
            assert_eq!(Roll::new(&dice, tick, id(b), id(a)), roll, "in whichever order they are named");
        }
    }

    #[test]
    fn the_defender_wins_ties() {
        let roll = |attacker, defender| Roll { lower_attacks: true, attacker, defender }.losses();
        assert_eq!(roll([6, 5, 1], [6, 4]), (1, 1));
        assert_eq!(roll([6, 5, 1], [5, 4]), (0, 2));
        assert_eq!(roll([3, 3, 3], [3, 3]), (2, 0));
    }
}
