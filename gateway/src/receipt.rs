//! Receipts: the server's signature under what a player locked in (R13.3, R13.4).
//!
//! Signed are the bytes `parley receipt 1` ‖ match id (16) ‖ turn (u32) ‖ seat (u8) ‖ hash of the sheet (32) ‖ hash of
//! the receipt before (32). The hash of a receipt is the BLAKE3 of its signed bytes; before the first receipt of a seat
//! stands the commitment to the secret.

use parley_resolver::digest::Digest;

use crate::journal::MatchId;

/// What stands at the beginning of everything that is signed as a receipt.
pub const DOMAIN: &[u8; 16] = b"parley receipt 1";
/// How many bytes are signed.
pub const SIGNED_BYTES: usize = 16 + 16 + 4 + 1 + 32 + 32;

/// The bytes that are signed.
pub fn signed_bytes(id: MatchId, turn: u32, seat: u8, sheet: Digest, previous: Digest) -> [u8; SIGNED_BYTES] {
    let mut bytes = [0; SIGNED_BYTES];
    bytes[..16].copy_from_slice(DOMAIN);
    bytes[16..32].copy_from_slice(id.0.as_bytes());
    bytes[32..36].copy_from_slice(&turn.to_le_bytes());
    bytes[36] = seat;
    bytes[37..69].copy_from_slice(sheet.as_bytes());
    bytes[69..].copy_from_slice(previous.as_bytes());
    bytes
}

/// The hash that the seat's next receipt carries.
pub fn chain(id: MatchId, turn: u32, seat: u8, sheet: Digest, previous: Digest) -> Digest {
    Digest::of(&signed_bytes(id, turn, seat, sheet, previous))
}
