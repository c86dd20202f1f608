//! Digests: BLAKE3 hashes, and the chain of them that proves a match (R13.3).
//!
//! The **first digest** of a match is `BLAKE3(0x00 ‖ rules hash ‖ map ‖ state)`, the digest **after a turn** is
//! `BLAKE3(0x01 ‖ digest before ‖ state)`. How rules, map and state are encoded is each game's own.

use std::fmt;
use std::sync::Arc;

use crate::encoding::Encode;

/// What comes before the bytes of a first digest, so that none can be taken for that of a turn.
const FIRST: u8 = 0;
/// What comes before the bytes of a digest after a turn.
const LATER: u8 = 1;

/// A state of a match, as the chain of digests covers it.
pub trait Commit: Encode {
    /// Appends the encoding of the map, which never changes, so that the first digest is the only one that covers it.
    fn encode_map_into(&self, out: &mut Vec<u8>);
}

impl<T: Commit + ?Sized> Commit for &T {
    fn encode_map_into(&self, out: &mut Vec<u8>) {
        (**self).encode_map_into(out);
    }
}

impl<T: Commit + ?Sized> Commit for Arc<T> {
    fn encode_map_into(&self, out: &mut Vec<u8>) {
        (**self).encode_map_into(out);
    }
}

/// A BLAKE3 hash.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest([u8; 32]);

impl Digest {
    /// A digest that was written down somewhere.
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The 32 bytes of the hash.
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// The hash of some bytes.
    pub fn of(bytes: &[u8]) -> Self {
        Self(*blake3::hash(bytes).as_bytes())
    }

    /// The digest a match begins with. Rules are encoded by their hash.
    pub fn genesis(rules: &impl Encode, state: &impl Commit) -> Self {
        let mut bytes = vec![FIRST];
        rules.encode_into(&mut bytes);
        state.encode_map_into(&mut bytes);
        state.encode_into(&mut bytes);
        Self::of(&bytes)
    }

    /// The digest after a turn that led to `state`. `buffer` is scratch space.
    pub fn chain(self, state: &impl Encode, buffer: &mut Vec<u8>) -> Self {
        buffer.clear();
        buffer.push(LATER);
        buffer.extend_from_slice(&self.0);
        state.encode_into(buffer);
        Self::of(buffer)
    }

    /// The digest after a turn that led to `state`.
    pub fn then(self, state: &impl Encode) -> Self {
        self.chain(state, &mut Vec::new())
    }
}

impl Encode for Digest {
    fn encode_into(&self, out: &mut Vec<u8>) {
        out.extend_from_slice(&self.0);
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Digest({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A state that is one number, on a map that is another.
    struct Toy(u8, u8);

    impl Encode for Toy {
        fn encode_into(&self, out: &mut Vec<u8>) {
            out.push(self.1);
        }
    }

    impl Commit for Toy {
        fn encode_map_into(&self, out: &mut Vec<u8>) {
            out.push(self.0);
        }
    }

    #[test]
    fn the_chain_covers_rules_map_and_every_state() {
        let rules = Digest::of(b"rules");
        let first = Digest::genesis(&rules, &Toy(5, 6));
        let bytes = [&[0], rules.as_bytes().as_slice(), &[5, 6]].concat();
        assert_eq!(first, Digest::of(&bytes));
        let bytes = [&[1], first.as_bytes().as_slice(), &[7]].concat();
        assert_eq!(first.then(&Toy(5, 7)), Digest::of(&bytes));
        assert_eq!(first.chain(&Toy(9, 7), &mut vec![1, 2, 3]), Digest::of(&bytes), "the map is covered once");
    }
}
