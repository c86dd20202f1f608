//! Receipts: what a player is given for locking in, and can hold against the server for ever.
//!
//! `replay.proto` describes them. Signatures are dear, so the server signs many promises at once: [`seal`] makes a tree
//! of their hashes, has its root signed, and gives each receipt the way from its own leaf to the root. [`check`] goes
//! that way.

use ed25519_dalek::{Signature, VerifyingKey};
use parley_core::digest::Digest;
use parley_proto::v1::Receipt;
use uuid::Uuid;

/// What every promise begins with, so that nothing else can pass for one.
pub const PROMISE: &[u8; 16] = b"parley receipt 1";
/// What is hashed before two nodes of a tree.
pub const NODE: &[u8; 16] = b"parley receipt 2";
/// What is signed before the root of a tree.
pub const ROOT: &[u8; 16] = b"parley receipt 3";
/// How many bytes are promised.
pub const PROMISED_BYTES: usize = 101;
/// How many bytes are signed.
pub const SIGNED_BYTES: usize = 48;
/// How many random bytes hide a promise in its leaf.
pub const SALT_BYTES: usize = 16;
/// How many levels a tree has above its leaves.
pub const LEVELS: usize = 5;
/// How many promises are signed at once, at most.
pub const LEAVES: usize = 1 << LEVELS;

/// What a receipt says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The id of the match.
    pub match_id: Uuid,
    /// The turn that the orders are for.
    pub turn: u32,
    /// The seat whose orders they are.
    pub seat: u8,
    /// BLAKE3 of the encoded sheet.
    pub sheet_hash: Digest,
    /// [`Promise::hash`] of this seat's receipt before; for the first one, the match's seed commitment.
    pub previous: Digest,
}

/// Why a receipt proves nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ReceiptError {
    /// A field is not what it should be.
    #[error("its {0} is malformed")]
    Malformed(&'static str),
    /// The signature is not one of this key over this promise.
    #[error("its signature is not the server's")]
    Signature,
}

impl Promise {
    /// The bytes that are promised: [`PROMISE`], the match id (16), the turn (4, little-endian), the seat (1), the hash
    /// of the sheet (32), the previous hash (32).
    pub fn bytes(&self) -> [u8; PROMISED_BYTES] {
        let Self { match_id, turn, seat, sheet_hash, previous } = self;
        let mut bytes = [0; PROMISED_BYTES];
        bytes[..16].copy_from_slice(PROMISE);
        bytes[16..32].copy_from_slice(match_id.as_bytes());
        bytes[32..36].copy_from_slice(&turn.to_le_bytes());
        bytes[36] = *seat;
        bytes[37..69].copy_from_slice(sheet_hash.as_bytes());
        bytes[69..].copy_from_slice(previous.as_bytes());
        bytes
    }

    /// What the next receipt of the same seat names as `previous`.
    pub fn hash(&self) -> Digest {
        Digest::of(&self.bytes())
    }

    /// What a receipt says, before anybody has looked at its signature.
    pub fn read(receipt: &Receipt) -> Result<Self, ReceiptError> {
        let malformed = ReceiptError::Malformed;
        let id = Uuid::try_parse(&receipt.match_id).ok().filter(|id| id.to_string() == receipt.match_id);
        let hash = |bytes: &[u8], name| bytes.try_into().map(Digest::from_bytes).map_err(|_| malformed(name));
        Ok(Self {
            match_id: id.ok_or(malformed("match id"))?,
            turn: receipt.turn,
            seat: u8::try_from(receipt.seat).map_err(|_| malformed("seat"))?,
            sheet_hash: hash(&receipt.sheet_hash, "sheet hash")?,
            previous: hash(&receipt.previous, "previous hash")?,
        })
    }

    fn leaf(&self, salt: &[u8; SALT_BYTES]) -> [u8; 32] {
        let mut bytes = [0; PROMISED_BYTES + SALT_BYTES];
        bytes[..PROMISED_BYTES].copy_from_slice(&self.bytes());
        bytes[PROMISED_BYTES..].copy_from_slice(salt);
        *blake3::hash(&bytes).as_bytes()
    }
}

fn node(left: &[u8; 32], right: &[u8; 32]) -> [u8; 32] {
    let mut bytes = [0; 80];
    bytes[..16].copy_from_slice(NODE);
    bytes[16..48].copy_from_slice(left);
    bytes[48..].copy_from_slice(right);
    *blake3::hash(&bytes).as_bytes()
}

fn signed_bytes(root: &[u8; 32]) -> [u8; SIGNED_BYTES] {
    let mut bytes = [0; SIGNED_BYTES];
    bytes[..16].copy_from_slice(ROOT);
    bytes[16..].copy_from_slice(root);
    bytes
}

/// Signs up to [`LEAVES`] promises at once; those beyond are left out. The random bytes, which nobody may know, say
/// which leaves they get and what the other leaves hold.
pub fn seal(promises: &[Promise], random: &[u8; 32], sign: impl FnOnce(&[u8]) -> [u8; 64]) -> Vec<Receipt> {
    let mut noise = blake3::Hasher::new_keyed(random).finalize_xof();
    let mut first = [0];
    noise.fill(&mut first);
    let place = |number: usize| (usize::from(first[0]) + number) % LEAVES;
    let mut leaves = [[0; 32]; LEAVES];
    leaves.iter_mut().for_each(|leaf| noise.fill(leaf));
    // The salt is what stood in the promise's place.
    let salts = leaves.map(|leaf| <[u8; SALT_BYTES]>::try_from(&leaf[..SALT_BYTES]).unwrap_or_default());
    for (number, promise) in promises.iter().enumerate().take(LEAVES) {
        leaves[place(number)] = promise.leaf(&salts[place(number)]);
    }
    let mut levels = vec![leaves.to_vec()];
    for level in 0..LEVELS {
        let above = levels[level].chunks_exact(2).map(|pair| node(&pair[0], &pair[1])).collect();
        levels.push(above);
    }
    let signature = bytes::Bytes::copy_from_slice(&sign(&signed_bytes(&levels[LEVELS][0])));
    let receipt = |(number, promise): (usize, &Promise)| {
        let leaf = place(number);
        let mut path = Vec::with_capacity(LEVELS * 32);
        (0..LEVELS).for_each(|level| path.extend(levels[level][(leaf >> level) ^ 1]));
        Receipt {
            match_id: promise.match_id.to_string(),
            turn: promise.turn,
            seat: promise.seat.into(),
            sheet_hash: promise.sheet_hash.as_bytes().to_vec().into(),
            previous: promise.previous.as_bytes().to_vec().into(),
            signature: signature.clone(),
            salt: salts[leaf].to_vec().into(),
            leaf: leaf as u32,
            path: path.into(),
        }
    };
    promises.iter().enumerate().take(LEAVES).map(receipt).collect()
}

/// What a receipt says, if it is signed with this key.
pub fn check(key: &VerifyingKey, receipt: &Receipt) -> Result<Promise, ReceiptError> {
    Checker::new(*key).check(receipt)
}

/// Checks receipts one after the other, and does not check the same signature twice in a row.
#[derive(Clone, Debug)]
pub struct Checker {
    key: VerifyingKey,
    /// The last root that was found to be signed, and its signature.
    known: Option<([u8; 32], bytes::Bytes)>,
}

impl Checker {
    /// Checks receipts that are signed with this key.
    pub const fn new(key: VerifyingKey) -> Self {
        Self { key, known: None }
    }

    /// What a receipt says, if it is signed with the key.
    pub fn check(&mut self, receipt: &Receipt) -> Result<Promise, ReceiptError> {
        let malformed = ReceiptError::Malformed;
        let promise = Promise::read(receipt)?;
        let salt = receipt.salt.as_ref().try_into().map_err(|_| malformed("salt"))?;
        let path: &[u8; LEVELS * 32] = receipt.path.as_ref().try_into().map_err(|_| malformed("path"))?;
        if receipt.leaf as usize >= LEAVES {
            return Err(malformed("leaf"));
        }
        let mut root = promise.leaf(salt);
        for (level, beside) in path.as_chunks().0.iter().enumerate() {
            let is_right = receipt.leaf >> level & 1 == 1;
            root = if is_right { node(beside, &root) } else { node(&root, beside) };
        }
        let known = self.known.as_ref().is_some_and(|known| *known == (root, receipt.signature.clone()));
        if !known {
            let signature = Signature::from_slice(&receipt.signature).map_err(|_| malformed("signature"))?;
            let signed = self.key.verify_strict(&signed_bytes(&root), &signature);
            signed.map_err(|_| ReceiptError::Signature)?;
            self.known = Some((root, receipt.signature.clone()));
        }
        Ok(promise)
    }
}

#[cfg(test)]
mod tests {
    use ed25519_dalek::{Signer, SigningKey};

    use super::*;

    fn promise(seat: u8) -> Promise {
        Promise {
            match_id: Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff),
            turn: 0x0102_0304,
            seat,
            sheet_hash: Digest::from_bytes([0xAA; 32]),
            previous: Digest::from_bytes([0xBB; 32]),
        }
    }

    fn key() -> SigningKey {
        SigningKey::from_bytes(&[1; 32])
    }

    fn sealed(count: u8, random: u8) -> Vec<Receipt> {
        let promises: Vec<Promise> = (0..count).map(promise).collect();
        seal(&promises, &[random; 32], |bytes| key().sign(bytes).to_bytes())
    }

    #[test]
    fn the_layout_is_the_documented_one() {
        let bytes = promise(7).bytes();
        assert_eq!(&bytes[..16], b"parley receipt 1");
        assert_eq!((bytes[16], bytes[31]), (0x00, 0xff));
        assert_eq!(bytes[32..37], [4, 3, 2, 1, 7]);
        assert_eq!(bytes[37..], [[0xAA; 32], [0xBB; 32]].concat());
        assert_eq!(promise(7).hash(), Digest::of(&bytes));
    }

    /// The way to the root, in the words of the proto.
    #[test]
    fn the_signature_is_under_the_root_that_the_path_leads_to() {
        for receipt in sealed(5, 9) {
            let promised = Promise::read(&receipt).expect("a promise").bytes();
            let mut here = blake3::hash(&[&promised[..], &receipt.salt].concat());
            for level in 0..5 {
                let beside = &receipt.path[32 * level..32 * level + 32];
                let (left, right) = match receipt.leaf >> level & 1 {
                    0 => (&here.as_bytes()[..], beside),
                    _ => (beside, &here.as_bytes()[..]),
                };
                here = blake3::hash(&[b"parley receipt 2", left, right].concat());
            }
            let signed = [&b"parley receipt 3"[..], here.as_bytes()].concat();
            assert_eq!(receipt.signature.as_ref(), key().sign(&signed).to_bytes());
        }
    }

    #[test]
    fn every_receipt_of_a_tree_holds() {
        for count in [1, 2, 31, 32] {
            let receipts = sealed(count, count);
            assert_eq!(receipts.len(), usize::from(count));
            let mut checker = Checker::new(key().verifying_key());
            for (seat, receipt) in (0..).zip(&receipts) {
                assert_eq!(check(&key().verifying_key(), receipt), Ok(promise(seat)));
                assert_eq!(checker.check(receipt), Ok(promise(seat)));
            }
        }
        assert_eq!(sealed(33, 1).len(), 32, "more do not fit");
    }

    #[test]
    fn a_receipt_does_not_show_how_many_were_signed_with_it() {
        let (alone, among) = (sealed(1, 3), sealed(20, 3));
        assert_eq!((alone[0].leaf, &alone[0].salt), (among[0].leaf, &among[0].salt));
        assert_eq!(alone[0].path.len(), among[0].path.len());
        assert_ne!(alone[0].path, among[0].path);
        let leaves: std::collections::BTreeSet<u32> = (0..40).map(|random| sealed(1, random)[0].leaf).collect();
        assert!(leaves.len() > 10, "the only receipt stands anywhere: {leaves:?}");
    }

    #[test]
    fn a_receipt_holds_only_for_what_was_signed() {
        let receipt = sealed(3, 4).swap_remove(1);
        let other = SigningKey::from_bytes(&[2; 32]).verifying_key();
        assert_eq!(check(&other, &receipt), Err(ReceiptError::Signature));
        let changes: [fn(&mut Receipt); 9] = [
            |r| r.turn += 1,
            |r| r.seat += 1,
            |r| r.sheet_hash = vec![0; 32].into(),
            |r| r.previous = vec![0; 32].into(),
            |r| r.match_id = Uuid::nil().to_string(),
            |r| r.salt = vec![0; 16].into(),
            |r| r.leaf ^= 1,
            |r| r.path = vec![0; 160].into(),
            |r| r.signature = vec![0; 64].into(),
        ];
        let mut checker = Checker::new(key().verifying_key());
        assert_eq!(checker.check(&receipt), Ok(promise(1)));
        for change in changes {
            let mut changed = receipt.clone();
            change(&mut changed);
            assert_eq!(check(&key().verifying_key(), &changed), Err(ReceiptError::Signature));
            assert_eq!(checker.check(&changed), Err(ReceiptError::Signature));
        }
        type Change = fn(&mut Receipt);
        let malformed: [(Change, &str); 5] = [
            (|r| r.signature = vec![0; 63].into(), "signature"),
            (|r| r.seat = 256, "seat"),
            (|r| r.salt = vec![0; 15].into(), "salt"),
            (|r| r.path = vec![0; 161].into(), "path"),
            (|r| r.leaf = 32, "leaf"),
        ];
        for (change, name) in malformed {
            let mut changed = receipt.clone();
            change(&mut changed);
            assert_eq!(check(&key().verifying_key(), &changed), Err(ReceiptError::Malformed(name)));
        }
    }
}
