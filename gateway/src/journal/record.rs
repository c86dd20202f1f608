//! How a store that keeps keys and values writes matches down.
//!
//! A key is the name of the match and, for what is numbered, a big-endian number, so that keys sort by match and then
//! by number. A value is a version, a byte of flags, a checksum and what was given to the store:
//!
//! | bytes | what |
//! |---|---|
//! | 1 | version of this layout |
//! | 1 | flags; [`MORE`] on a record that is not the last of its append |
//! | 8 | the first bytes of the BLAKE3 hash of kind, version, flags, match, number and content |
//! | rest | the content |

use uuid::Uuid;

use super::{MatchId, Stage};

/// The layout that this program writes, and the newest that it reads.
pub(crate) const VERSION: u8 = 1;

/// The flag of a record that is followed by another one of the same append.
pub(crate) const MORE: u8 = 1;

const CHECKSUM: usize = 8;
const HEADER: usize = 2 + CHECKSUM;

/// What a value is. It goes into the checksum, so that one cannot pass for the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum ValueKind {
    Record = b'r',
    Snapshot = b's',
    Listing = b'l',
}

/// What a value belongs to: a kind, a match and a number. Listings have the number 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ValueKey {
    pub(crate) kind: ValueKind,
    pub(crate) id: MatchId,
    pub(crate) number: u64,
}

impl ValueKey {
    pub(crate) const fn record(id: MatchId, number: u64) -> Self {
        Self { kind: ValueKind::Record, id, number }
    }

    pub(crate) const fn snapshot(id: MatchId, number: u64) -> Self {
        Self { kind: ValueKind::Snapshot, id, number }
    }

    pub(crate) const fn listing(id: MatchId) -> Self {
        Self { kind: ValueKind::Listing, id, number: 0 }
    }
}

/// What is wrong with a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ValueFault {
    #[error("it was written by a newer version of this program (format {0}, this one reads up to {VERSION})")]
    Future(u8),
    #[error("it is shorter than its header")]
    Short,
    #[error("its checksum does not match")]
    Checksum,
}

/// A value that was found sound.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct SoundValue<'a> {
    pub(crate) flags: u8,
    pub(crate) content: &'a [u8],
}

/// Writes a value into `value`, replacing what is there.
pub(crate) fn encode(place: ValueKey, flags: u8, content: &[&[u8]], value: &mut Vec<u8>) {
    value.clear();
    value.extend_from_slice(&[VERSION, flags]);
    value.extend_from_slice(&[0; CHECKSUM]);
    for part in content {
        value.extend_from_slice(part);
    }
    let checksum = checksum(place, flags, &value[HEADER..]);
    value[2..HEADER].copy_from_slice(&checksum);
}

/// Reads a value, or says what is wrong with it.
pub(crate) fn decode(place: ValueKey, value: &[u8]) -> Result<SoundValue<'_>, ValueFault> {
    match value.first() {
        Some(&version) if version > VERSION => return Err(ValueFault::Future(version)),
        Some(&VERSION) if value.len() >= HEADER => {}
        Some(&VERSION) | None => return Err(ValueFault::Short),
        Some(_) => return Err(ValueFault::Checksum),
    }
    let flags = value[1];
    let content = &value[HEADER..];
    if checksum(place, flags, content) != value[2..HEADER] {
        return Err(ValueFault::Checksum);
    }
    Ok(SoundValue { flags, content })
}

fn checksum(place: ValueKey, flags: u8, content: &[u8]) -> [u8; CHECKSUM] {
    let mut head = [0; 3 + 20];
    head[..3].copy_from_slice(&[place.kind as u8, VERSION, flags]);
    head[3..].copy_from_slice(&numbered(place.id, place.number));
    let mut hasher = blake3::Hasher::new();
    hasher.update(&head).update(content);
    let mut short = [0; CHECKSUM];
    short.copy_from_slice(&hasher.finalize().as_bytes()[..CHECKSUM]);
    short
}

/// How many records a match can have.
pub(crate) const MAX_RECORDS: u64 = u32::MAX as u64 - 1;

/// The key of a record or a snapshot. A number beyond the last one stands for it, which is what ranges mean by it.
/// Four bytes are enough, and a key of twenty is one that the engine holds without asking for memory.
pub(crate) fn numbered(id: MatchId, number: u64) -> [u8; 20] {
    let mut key = [0; 20];
    key[..16].copy_from_slice(id.0.as_bytes());
    key[16..].copy_from_slice(&u32::try_from(number).unwrap_or(u32::MAX).to_be_bytes());
    key
}

/// The number in the key of a record or a snapshot.
pub(crate) fn number_of(key: &[u8]) -> Option<u64> {
    Some(u32::from_be_bytes(key.get(16..)?.try_into().ok()?).into())
}

/// The match in the key of a record or a snapshot.
pub(crate) fn match_of_numbered(key: &[u8]) -> Option<MatchId> {
    Some(MatchId(Uuid::from_bytes(key.get(..16)?.try_into().ok()?)))
}

/// The key of an entry in the index by stage.
pub(crate) fn staged(stage: Stage, id: MatchId) -> [u8; 17] {
    let mut key = [0; 17];
    key[0] = stage as u8;
    key[1..].copy_from_slice(id.0.as_bytes());
    key
}

/// The match in the key of an entry in the index by stage.
pub(crate) fn match_of(key: &[u8]) -> Option<MatchId> {
    Some(MatchId(Uuid::from_bytes(key.get(1..)?.try_into().ok()?)))
}

/// The stage that a byte stands for.
pub(crate) fn stage_of(byte: u8) -> Option<Stage> {
    Stage::ALL.into_iter().find(|stage| *stage as u8 == byte)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: MatchId = MatchId(Uuid::from_u128(7));

    #[test]
    fn a_value_belongs_to_its_place_alone() {
        let mut value = Vec::new();
        encode(ValueKey::record(ID, 3), 0, &[b"orders"], &mut value);
        assert_eq!(decode(ValueKey::record(ID, 3), &value).map(|sound| sound.content), Ok(&b"orders"[..]));
        assert_eq!(decode(ValueKey::record(ID, 4), &value), Err(ValueFault::Checksum));
        assert_eq!(decode(ValueKey::snapshot(ID, 3), &value), Err(ValueFault::Checksum));
        assert_eq!(decode(ValueKey::record(MatchId(Uuid::from_u128(8)), 3), &value), Err(ValueFault::Checksum));
    }

    #[test]
    fn a_newer_version_is_named() {
        let mut value = Vec::new();
        encode(ValueKey::record(ID, 1), 0, &[b"x"], &mut value);
        value[0] = 9;
        let fault = decode(ValueKey::record(ID, 1), &value).expect_err("from the future");
        assert_eq!(
            fault.to_string(),
            "it was written by a newer version of this program (format 9, this one reads up to 1)"
        );
    }

    #[test]
    fn keys_sort_by_match_and_number() {
        let later = MatchId(Uuid::from_u128(8));
        assert!(numbered(ID, 255) < numbered(ID, 256));
        assert!(numbered(ID, u64::MAX) < numbered(later, 0));
        assert_eq!(number_of(&numbered(ID, 300)), Some(300));
        assert_eq!(match_of_numbered(&numbered(ID, 300)), Some(ID));
        assert_eq!(match_of(&staged(Stage::Running, later)), Some(later));
        assert_eq!((number_of(b"short"), match_of_numbered(b"short")), (None, None));
    }

    proptest! {
        #[test]
        fn every_flipped_bit_and_every_cut_is_found(
            content in prop::collection::vec(any::<u8>(), 0..200), flags in 0..2u8, number: u64, at: prop::sample::Index, bit in 0..8u8,
        ) {
            let place = ValueKey::record(ID, number);
            let mut value = Vec::new();
            encode(place, flags, &[&content], &mut value);
            prop_assert_eq!(decode(place, &value), Ok(SoundValue { flags, content: &content }));
            prop_assert!(decode(place, &value[..at.index(value.len())]).is_err());
            let at = at.index(value.len());
            value[at] ^= 1 << bit;
            prop_assert!(decode(place, &value).is_err());
        }
    }
}
