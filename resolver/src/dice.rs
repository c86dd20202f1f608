//! Dice as a pure function of seed, turn, tick and the two ships (R13.2).

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::digest::Digest;
use crate::ids::UnitId;

/// The secret of a match that all its dice come from.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Seed([u8; 32]);

impl Seed {
    /// A seed from its bytes.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes; a secret until the match has ended.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl Seed {
    /// The seed of a match (R13.4): a keyed BLAKE3 of what the players added, in seat order, under the server's secret.
    /// Nobody who lacks either can predict a die, and nobody who has both can be lied to about one.
    pub fn derive(secret: &[u8; 32], added: &[[u8; 32]]) -> Self {
        let mut hasher = blake3::Hasher::new_keyed(secret);
        for bytes in added {
            hasher.update(bytes);
        }
        Self(*hasher.finalize().as_bytes())
    }

    /// What is published of a secret before the match: its BLAKE3 (R13.4).
    pub fn commitment(secret: &[u8; 32]) -> Digest {
        Digest::of(secret)
    }
}

impl fmt::Debug for Seed {
    /// Says nothing: whoever knows the seed knows every roll to come.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Seed(secret)")
    }
}

/// The tick number of broadsides in the block counter.
pub const BROADSIDE_TICK: u8 = 255;

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
    /// How many of the two comparisons attacker and defender lose (R8.3); the defender wins ties.
    pub const fn losses(&self) -> (u8, u8) {
        let first = self.attacker[0] > self.defender[0];
        let second = self.attacker[1] > self.defender[1];
        let won = first as u8 + second as u8;
        (2 - won, won)
    }
}

/// The dice of one turn. Nothing is computed before somebody rolls.
#[derive(Clone, Debug)]
pub struct Dice {
    seed: Seed,
    turn: u32,
}

impl Dice {
    /// The dice of a turn.
    pub const fn new(seed: &Seed, turn: u32) -> Self {
        Self { seed: *seed, turn }
    }

    /// The roll of two ships in a tick, in whichever order they are named.
    pub fn roll(&self, tick: u8, one: UnitId, other: UnitId) -> Roll {
        let (a, b) = (one.min(other), one.max(other));
        let block = u64::from(tick) << 56 | u64::from(a.get()) << 28 | u64::from(b.get());
        let mut stream = ChaCha8Rng::from_seed(self.seed.0);
        stream.set_stream(self.turn.into());
        stream.set_word_pos(u128::from(block) << 4);
        let coin = stream.next_u32();
        let mut die = || 1 + ((u64::from(stream.next_u32()) * 6) >> 32) as u8;
        let mut attacker = [die(), die(), die()];
        let mut defender = [die(), die()];
        attacker.sort_unstable_by(|x, y| y.cmp(x));
        defender.sort_unstable_by(|x, y| y.cmp(x));
        Roll { lower_attacks: coin.is_multiple_of(2), attacker, defender }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn id(id: u64) -> UnitId {
        UnitId::new(id).expect("in range")
    }

    /// ChaCha with 8 rounds written out from its definition, one block.
    fn block(key: &[u8; 32], counter: u64, stream: u64) -> [u32; 16] {
        let mut start = [0x6170_7865, 0x3320_646e, 0x7962_2d32, 0x6b20_6574, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
        for (word, bytes) in start[4..12].iter_mut().zip(key.chunks(4)) {
            *word = u32::from_le_bytes(bytes.try_into().expect("four bytes"));
        }
        start[12] = counter as u32;
        start[13] = (counter >> 32) as u32;
        start[14] = stream as u32;
        start[15] = (stream >> 32) as u32;
        let mut s = start;
        let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
            for (x, y, z, turn) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
                s[x] = u32::wrapping_add(s[x], s[y]);
                s[z] = (s[z] ^ s[x]).rotate_left(turn);
            }
        };
        for _ in 0..4 {
            for i in 0..4 {
                quarter(i, 4 + i, 8 + i, 12 + i);
            }
            for i in 0..4 {
                quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4);
            }
        }
        std::array::from_fn(|i| s[i].wrapping_add(start[i]))
    }

    #[test]
    fn the_blocks_are_those_of_the_definition() {
        assert_eq!(block(&[0; 32], 0, 0)[0].to_le_bytes(), [0x3e, 0x00, 0xef, 0x2f], "the published vector");
        let key: [u8; 32] = std::array::from_fn(|i| (i * 7 + 3) as u8);
        for (turn, tick, a, b) in [(1, 0, 0, 1), (7, 3, 12, 5), (u32::MAX, 255, (1 << 28) - 1, (1 << 28) - 2)] {
            let roll = Dice::new(&Seed(key), turn).roll(tick, id(a), id(b));
            let counter = u64::from(tick) << 56 | a.min(b) << 28 | a.max(b);
            let words = block(&key, counter, turn.into());
            let die = |w: u32| 1 + ((u64::from(w) * 6) >> 32) as u8;
            let mut attacker = [1, 2, 3].map(|i| die(words[i]));
            let mut defender = [4, 5].map(|i| die(words[i]));
            attacker.sort_unstable_by_key(|d| std::cmp::Reverse(*d));
            defender.sort_unstable_by_key(|d| std::cmp::Reverse(*d));
            assert_eq!(roll, Roll { lower_attacks: words[0].is_multiple_of(2), attacker, defender });
        }
    }

    #[test]
    fn the_defender_wins_ties() {
        let roll = |attacker, defender| Roll { lower_attacks: true, attacker, defender }.losses();
        assert_eq!(roll([6, 5, 1], [6, 4]), (1, 1));
        assert_eq!(roll([6, 5, 1], [5, 4]), (0, 2));
        assert_eq!(roll([3, 3, 3], [3, 3]), (2, 0));
    }

    #[test]
    fn a_seed_depends_on_the_secret_and_on_every_player() {
        let (secret, one, other) = ([1; 32], [2; 32], [3; 32]);
        let seed = Seed::derive(&secret, &[one, other]);
        assert_eq!(seed.0, *blake3::keyed_hash(&secret, &[one, other].concat()).as_bytes());
        assert_ne!(seed, Seed::derive(&secret, &[other, one]));
        assert_ne!(seed, Seed::derive(&[9; 32], &[one, other]));
        assert_eq!(Seed::commitment(&secret), Digest::of(&secret));
    }

    #[test]
    fn a_seed_is_not_printed() {
        assert_eq!(format!("{:?}", Seed([7; 32])), "Seed(secret)");
    }
}
