//! Numbers of outcomes, too large for `u128`: exact odds need no rounding before the end (R13.1).

use std::cmp::Ordering;

const LIMBS: usize = 16;

/// The number of bits of a [`Count`]. What is counted must fit, which is for the caller to prove.
pub const BITS: usize = 64 * LIMBS;

/// A whole number below `2^BITS`, the lowest limb first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Count([u64; LIMBS]);

impl Count {
    /// No outcome.
    pub const ZERO: Self = Self([0; LIMBS]);
    /// One outcome.
    pub const ONE: Self = {
        let mut limbs = [0; LIMBS];
        limbs[0] = 1;
        Self(limbs)
    };

    /// Whether there is no outcome.
    pub fn is_zero(&self) -> bool {
        *self == Self::ZERO
    }

    /// Adds another count to this one.
    pub fn add(&mut self, other: &Self) {
        let mut carry = false;
        for (limb, more) in self.0.iter_mut().zip(other.0) {
            let (sum, first) = limb.overflowing_add(more);
            let (sum, second) = sum.overflowing_add(u64::from(carry));
            (*limb, carry) = (sum, first | second);
        }
        debug_assert!(!carry, "what is counted fits");
    }

    /// The product with a small number.
    #[must_use]
    pub fn times(&self, factor: u64) -> Self {
        let mut product = *self;
        let mut carry = 0u128;
        for limb in &mut product.0 {
            let wide = u128::from(*limb) * u128::from(factor) + carry;
            (*limb, carry) = (wide as u64, wide >> 64);
        }
        debug_assert_eq!(carry, 0, "what is counted fits");
        product
    }

    /// `scale * self / whole` to the nearest integer, halves up. The number must not be larger than the whole, and
    /// the whole not zero. Since the answer is at most `scale`, it is found by bisection, without a long division.
    pub fn share(&self, whole: &Self, scale: u64) -> u64 {
        debug_assert!(self <= whole && !whole.is_zero(), "a share is a part of something");
        let mut twice = self.times(2).times(scale);
        twice.add(whole);
        let divisor = whole.times(2);
        let (mut low, mut high) = (0, scale);
        while low < high {
            let middle = high - (high - low) / 2;
            if divisor.times(middle) <= twice {
                low = middle;
            } else {
                high = middle - 1;
            }
        }
        low
    }
}

impl Ord for Count {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.iter().rev().cmp(other.0.iter().rev())
    }
}

impl PartialOrd for Count {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn count(value: u128) -> Count {
        let mut limbs = [0; LIMBS];
        (limbs[0], limbs[1]) = (value as u64, (value >> 64) as u64);
        Count(limbs)
    }

    proptest! {
        #[test]
        fn counts_are_integers(a in 0..u128::MAX / 4, b in 0..u128::MAX / 4, factor in any::<u32>()) {
            let mut sum = count(a);
            sum.add(&count(b));
            prop_assert_eq!(sum, count(a + b));
            prop_assert_eq!(count(a >> 32).times(factor.into()), count((a >> 32) * u128::from(factor)));
            prop_assert_eq!(count(a).cmp(&count(b)), a.cmp(&b));
        }

        #[test]
        fn a_share_is_the_nearest_integer(part in 0..1u128 << 90, rest in 1..1u128 << 90, scale in 0..1u64 << 30) {
            let whole = part + rest;
            let exact = (2 * part * u128::from(scale) + whole) / (2 * whole);
            prop_assert_eq!(u128::from(count(part).share(&count(whole), scale)), exact);
        }

        #[test]
        fn a_share_does_not_depend_on_the_size(part in 0..1000u64, rest in 1..1000u64, powers in 0..60) {
            let (small, all) = (count(part.into()), count((part + rest).into()));
            let grow = |count: Count| (0..powers).fold(count, |count, _| count.times(15_552));
            prop_assert_eq!(grow(small).share(&grow(all), 1_000_000), small.share(&all, 1_000_000));
        }
    }
}
