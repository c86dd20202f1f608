//! Receipts: what a player is given for locking in, and can hold against the server for ever.

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use parley_proto::v1::Receipt;
use parley_resolver::digest::Digest;
use uuid::Uuid;

use super::{hash, match_id};

/// What every signed receipt begins with, so that no signature of something else can pass for one.
pub const DOMAIN: &[u8; 16] = b"parley receipt 1";
/// How many bytes are signed.
pub const SIGNED_BYTES: usize = 101;

/// What a receipt says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Promise {
    /// The match.
    pub match_id: Uuid,
    /// The turn that the orders are for.
    pub turn: u32,
    /// Whose orders.
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
    /// The signature is not one of this key over these bytes.
    #[error("its signature is not the server's")]
    Signature,
}

/// The bytes that are signed: [`DOMAIN`], the match id (16), the turn (4, little-endian), the seat (1), the hash of
/// the sheet (32), the previous hash (32).
pub fn signed_bytes(promise: &Promise) -> [u8; SIGNED_BYTES] {
    let Promise { match_id, turn, seat, sheet_hash, previous } = promise;
    let mut bytes = [0; SIGNED_BYTES];
    bytes[..16].copy_from_slice(DOMAIN);
    bytes[16..32].copy_from_slice(match_id.as_bytes());
    bytes[32..36].copy_from_slice(&turn.to_le_bytes());
    bytes[36] = *seat;
    bytes[37..69].copy_from_slice(sheet_hash.as_bytes());
    bytes[69..].copy_from_slice(previous.as_bytes());
    bytes
}

impl Promise {
    /// What the next receipt of the same seat names as `previous`.
    pub fn hash(&self) -> Digest {
        Digest::of(&signed_bytes(self))
    }

    /// Signs it.
    pub fn sign(&self, key: &SigningKey) -> Receipt {
        Receipt {
            match_id: self.match_id.to_string(),
            turn: self.turn,
            seat: self.seat.into(),
            sheet_hash: self.sheet_hash.as_bytes().to_vec().into(),
            previous: self.previous.as_bytes().to_vec().into(),
            signature: key.sign(&signed_bytes(self)).to_bytes().to_vec().into(),
        }
    }

    /// What a receipt says, before anybody has looked at its signature.
    pub fn read(receipt: &Receipt) -> Result<Self, ReceiptError> {
        let malformed = ReceiptError::Malformed;
        Ok(Self {
            match_id: match_id(&receipt.match_id).ok_or(malformed("match id"))?,
            turn: receipt.turn,
            seat: u8::try_from(receipt.seat).map_err(|_| malformed("seat"))?,
            sheet_hash: Digest::from_bytes(hash(&receipt.sheet_hash).ok_or(malformed("sheet hash"))?),
            previous: Digest::from_bytes(hash(&receipt.previous).ok_or(malformed("previous hash"))?),
        })
    }
}

/// What a receipt says, if it is signed with this key.
pub fn check(key: &VerifyingKey, receipt: &Receipt) -> Result<Promise, ReceiptError> {
    let promise = Promise::read(receipt)?;
    let signature = Signature::from_slice(&receipt.signature).map_err(|_| ReceiptError::Malformed("signature"))?;
    key.verify_strict(&signed_bytes(&promise), &signature).map_err(|_| ReceiptError::Signature)?;
    Ok(promise)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn promise() -> Promise {
        Promise {
            match_id: Uuid::from_u128(0x0011_2233_4455_6677_8899_aabb_ccdd_eeff),
            turn: 0x0102_0304,
            seat: 7,
            sheet_hash: Digest::from_bytes([0xAA; 32]),
            previous: Digest::from_bytes([0xBB; 32]),
        }
    }

    #[test]
    fn the_layout_is_the_documented_one() {
        let bytes = signed_bytes(&promise());
        assert_eq!(&bytes[..16], b"parley receipt 1");
        assert_eq!((bytes[16], bytes[31]), (0x00, 0xff));
        assert_eq!(bytes[32..37], [4, 3, 2, 1, 7]);
        assert_eq!(bytes[37..], [[0xAA; 32], [0xBB; 32]].concat());
        assert_eq!(promise().hash(), Digest::of(&bytes));
    }

    #[test]
    fn a_receipt_holds_only_for_what_was_signed() {
        let key = SigningKey::from_bytes(&[1; 32]);
        let receipt = promise().sign(&key);
        assert_eq!(check(&key.verifying_key(), &receipt), Ok(promise()));
        let other = SigningKey::from_bytes(&[2; 32]).verifying_key();
        assert_eq!(check(&other, &receipt), Err(ReceiptError::Signature));
        let changes: [fn(&mut Receipt); 5] = [
            |r| r.turn += 1,
            |r| r.seat += 1,
            |r| r.sheet_hash = vec![0; 32].into(),
            |r| r.previous = vec![0; 32].into(),
            |r| r.match_id = Uuid::nil().to_string(),
        ];
        for change in changes {
            let mut changed = receipt.clone();
            change(&mut changed);
            assert_eq!(check(&key.verifying_key(), &changed), Err(ReceiptError::Signature));
        }
        let short = Receipt { signature: vec![0; 63].into(), ..receipt.clone() };
        assert_eq!(check(&key.verifying_key(), &short), Err(ReceiptError::Malformed("signature")));
        let high = Receipt { seat: 256, ..receipt };
        assert_eq!(check(&key.verifying_key(), &high), Err(ReceiptError::Malformed("seat")));
    }
}
