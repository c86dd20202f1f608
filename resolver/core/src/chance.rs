//! The whole numbers a map is drawn by: one ChaCha stream per seed and attempt.

use rand_chacha::ChaCha8Rng;
use rand_core::{Rng, SeedableRng};

/// The stream of random numbers that one attempt at a map draws from.
#[derive(Clone, Debug)]
pub struct Chance {
    stream: ChaCha8Rng,
}

impl Chance {
    /// Seeds ChaCha with 8 rounds: the key is the seed in little endian, filled up with zeros, and the stream id the
    /// attempt.
    pub fn new(seed: u64, attempt: u32) -> Self {
        let mut key = [0; 32];
        key[..8].copy_from_slice(&seed.to_le_bytes());
        let mut stream = ChaCha8Rng::from_seed(key);
        stream.set_stream(attempt.into());
        Self { stream }
    }

    /// A random number below `bound`; 0 where the bound is 0.
    pub fn below(&mut self, bound: u32) -> u32 {
        ((u64::from(self.stream.next_u32()) * u64::from(bound)) >> 32) as u32
    }

    /// A random number from `low` to `high`, both included.
    pub fn between(&mut self, low: u32, high: u32) -> u32 {
        low + self.below(high.saturating_sub(low) + 1)
    }

    /// A random place in a list of this length.
    pub fn index(&mut self, len: usize) -> usize {
        self.below(len as u32) as usize
    }

    /// Brings a list into a random order.
    pub fn shuffle<T>(&mut self, list: &mut [T]) {
        for last in (1..list.len()).rev() {
            list.swap(last, self.index(last + 1));
        }
    }
}
