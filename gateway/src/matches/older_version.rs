//! Records that versions before this one have written, and that it cannot read.
//!
//! Until games had packages of their own, the settings and the map of a match stood under other tags, and until a turn could ask
//! questions, a journal had decisions of ships by tick and unit. Nothing reads them any more, and they are not passed over in
//! silence either: a match with such a record is refused with a sentence that says why.

use crate::field::field;

/// What everybody is told of a match with such a record.
pub const OLDER_VERSION: &str = "the match was recorded by a version before questions and cannot be read by this one";

/// The tag of what a first record says.
const CREATED: u32 = 2;
/// The tags under which a first record had the settings and the map of the match.
const OLDER_CREATED_TAGS: [u32; 2] = [1, 6];
/// The tags of the decisions of a player, and that the time for them was over.
const OLDER_TAGS: [u32; 2] = [8, 9];

/// Whether a record says something that only older versions know.
pub fn is_of_older_version(record: &[u8]) -> bool {
    let has_any = |message, tags: [u32; 2]| tags.iter().any(|&tag| field(message, tag).is_some());
    has_any(record, OLDER_TAGS) || field(record, CREATED).is_some_and(|created| has_any(created, OLDER_CREATED_TAGS))
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use parley_proto::journal::v1::entry::What;
    use parley_proto::journal::v1::{Answers, Created, Entry, WindowClosed};
    use prost::Message;

    use super::*;

    #[test]
    fn records_of_an_older_version_are_known_by_their_tags() {
        // The time of the record, and what it says: decisions under tag 8, the end of their time under tag 9.
        assert!(is_of_older_version(b"\x08\x05\x42\x00"));
        assert!(is_of_older_version(b"\x08\x05\x4a\x04\x08\x01\x10\x03"));
        // A match that was created with settings under tag 1, or with a map under tag 6.
        assert!(is_of_older_version(b"\x08\x05\x12\x04\x0a\x02\x0a\x00"));
        assert!(is_of_older_version(b"\x08\x05\x12\x05\x12\x01x\x32\x00"));
        let created = Created { settings: Some(Default::default()), map: Some(Bytes::new()), ..Created::default() };
        let answers = What::Answers(Answers { seat: 1, turn: 8, window: 9, ..Answers::default() });
        let closed = What::WindowClosed(WindowClosed { turn: 8, window: 9 });
        for what in [None, Some(What::Created(created)), Some(answers), Some(closed)] {
            let entry = Entry { at_ms: 66, what };
            assert!(!is_of_older_version(&entry.encode_to_vec()), "{entry:?}");
        }
    }

    #[test]
    fn bytes_that_are_no_record_are_of_no_version() {
        for bytes in [&b""[..], b"\xff", b"\x08", b"\x72\xff", b"\x00\x42", b"\x0a\x05abc"] {
            assert!(!is_of_older_version(bytes), "{bytes:?}");
        }
    }
}
