//! Random numbers as a pure function of seed, turn, tick and two names (R13.2).

use std::fmt;

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

use crate::digest::Digest;
use crate::ids::ID_BOUND;

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

    /// The block of random words that belongs to a tick and two names, both below [`ID_BOUND`], in this order.
    ///
    /// `kind` says what is drawn, where a game draws more than one kind of thing: it is the upper half of the stream
    /// id, whose lower half is the turn. No block depends on another.
    pub fn block(&self, kind: u32, tick: u8, [a, b]: [u32; 2]) -> Block {
        debug_assert!(a < ID_BOUND && b < ID_BOUND, "two names and a tick fit into the counter");
        let counter = u64::from(tick) << 56 | u64::from(a) << 28 | u64::from(b);
        let mut stream = ChaCha8Rng::from_seed(self.seed.0);
        stream.set_stream(u64::from(kind) << 32 | u64::from(self.turn));
        stream.set_word_pos(u128::from(counter) << 4);
        Block(stream)
    }
}

/// The sixteen random words of a block, one after the other.
#[derive(Clone, Debug)]
pub struct Block(ChaCha8Rng);

impl Block {
    /// The next word.
    pub fn word(&mut self) -> u32 {
        self.0.next_u32()
    }

    /// The next word as a die with six sides.
    pub fn die(&mut self) -> u8 {
        1 + ((u64::from(self.word()) * 6) >> 32) as u8
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
        let cases = [(1, 0, 0, 0, 1), (7, 0, 3, 5, 12), (u32::MAX, 3, 255, ID_BOUND - 2, ID_BOUND - 1)];
        for (turn, kind, tick, a, b) in cases {
            let mut drawn = Dice::new(&Seed(key), turn).block(kind, tick, [a, b]);
            let counter = u64::from(tick) << 56 | u64::from(a) << 28 | u64::from(b);
            let words = block(&key, counter, u64::from(kind) << 32 | u64::from(turn));
            assert_eq!(words.map(|_| drawn.word()), words);
        }
    }

    #[test]
    fn a_die_is_a_word_scaled_to_six_sides() {
        let block = Dice::new(&Seed([5; 32]), 9).block(0, 1, [2, 3]);
        let (mut words, mut dice) = (block.clone(), block);
        for _ in 0..16 {
            assert_eq!(u64::from(dice.die()), 1 + ((u64::from(words.word()) * 6) >> 32));
        }
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
