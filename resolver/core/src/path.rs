//! A path as the steps that are left of it, packed into 40 bytes.

use crate::hex::Direction;

/// The longest path an order may name (R5.5).
pub const MAX_PATH: usize = 64;

/// How many steps are packed into one number.
pub const STEPS_PER_WORD: usize = 16;
const BITS: usize = 4;

/// Up to [`MAX_PATH`] directions, four bits each, the next one lowest.
///
/// Directions instead of tiles make a path a quarter as large, and a path that begins
/// where its unit stands can never be broken by what happens to other units.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub struct Path {
    words: [u64; MAX_PATH / STEPS_PER_WORD],
    len: u8,
}

impl Path {
    /// The path without a step.
    pub const EMPTY: Self = Self { words: [0; 4], len: 0 };

    /// How many steps are left.
    pub const fn len(&self) -> usize {
        self.len as usize
    }

    /// Whether no step is left.
    pub const fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The step with this number, counted from the next one.
    pub fn get(&self, index: usize) -> Option<Direction> {
        (index < self.len()).then(|| {
            let word = self.words[index / STEPS_PER_WORD];
            Direction::from_index((word >> (index % STEPS_PER_WORD * BITS) & 0xF) as usize)
        })
    }

    /// Adds a step at the end; `false` where the path is full.
    #[must_use]
    pub fn push(&mut self, step: Direction) -> bool {
        let at = self.len();
        if at == MAX_PATH {
            return false;
        }
        self.words[at / STEPS_PER_WORD] |= Self::packed(step, at);
        self.len += 1;
        true
    }

    /// A step as it is packed into a word, at one of its [`STEPS_PER_WORD`] places.
    pub const fn packed(step: Direction, place: usize) -> u64 {
        (step as u64) << (place % STEPS_PER_WORD * BITS)
    }

    /// Adds a word of `count` packed steps to a path whose words are all full, and which has room for it.
    pub fn push_word(&mut self, word: u64, count: usize) {
        debug_assert!(self.len().is_multiple_of(STEPS_PER_WORD) && count <= STEPS_PER_WORD, "words are full");
        self.words[self.len() / STEPS_PER_WORD] = word;
        self.len += count as u8;
    }

    /// The path after `count` of its steps were taken.
    #[must_use]
    pub fn after(&self, count: usize) -> Self {
        if count >= self.len() {
            return Self::EMPTY;
        }
        let (skipped, shift) = (count / STEPS_PER_WORD, count % STEPS_PER_WORD * BITS);
        let word = |index: usize| self.words.get(index).map_or(0, |&word| u128::from(word));
        // Each word is topped up with the first steps of the next one.
        let shifted = |index: usize| ((word(index) | word(index + 1) << 64) >> shift) as u64;
        Self { words: std::array::from_fn(|index| shifted(skipped + index)), len: self.len - count as u8 }
    }

    /// The steps that are left, in order.
    pub fn iter(&self) -> impl Iterator<Item = Direction> + '_ {
        (0..self.len()).filter_map(|i| self.get(i))
    }

    /// A word of sixteen packed steps by its number, for the movement lanes.
    pub const fn word(&self, index: usize) -> u64 {
        self.words[index]
    }
}

impl FromIterator<Direction> for Path {
    /// Takes the first [`MAX_PATH`] steps.
    fn from_iter<I: IntoIterator<Item = Direction>>(steps: I) -> Self {
        let mut path = Self::EMPTY;
        for step in steps {
            if !path.push(step) {
                break;
            }
        }
        path
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_gives_back_its_steps() {
        let steps: Vec<_> = (0..MAX_PATH).map(|i| Direction::from_index(i * i + 1)).collect();
        let path: Path = steps.iter().copied().collect();
        assert_eq!(path.iter().collect::<Vec<_>>(), steps);
        for taken in 0..=MAX_PATH {
            assert_eq!(path.after(taken).iter().collect::<Vec<_>>(), steps[taken..]);
        }
        let mut full = path;
        assert!(!full.push(Direction::E));
        assert_eq!(full, path);
        assert_eq!(path.get(MAX_PATH), None);
    }
}
