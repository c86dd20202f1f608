//! Records that versions before this one have written, and that it cannot read.
//!
//! Until a turn could ask questions, a journal had decisions of ships by tick and unit. Nothing reads them any more, and they
//! are not passed over in silence either: a match with such a record is refused with a sentence that says why.

use bytes::Buf;
use prost::encoding::{DecodeContext, decode_key, skip_field};

/// What everybody is told of a match with such a record.
pub const OLDER_VERSION: &str = "the match was recorded by a version before questions and cannot be read by this one";

/// The tags of what such records say: the decisions of a player, and that the time for them was over.
const OLDER_TAGS: [u32; 2] = [8, 9];

/// Whether a record says something that only versions before questions know.
pub fn is_of_older_version(mut record: &[u8]) -> bool {
    while record.has_remaining() {
        let Ok((tag, kind)) = decode_key(&mut record) else { return false };
        if OLDER_TAGS.contains(&tag) {
            return true;
        }
        if skip_field(kind, tag, &mut record, DecodeContext::default()).is_err() {
            return false;
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use parley_proto::journal::v1::entry::What;
    use parley_proto::journal::v1::{Answers, Entry, WindowClosed};
    use prost::Message;

    use super::*;

    #[test]
    fn only_records_of_decisions_are_of_an_older_version() {
        // The time of the record, and what it says: decisions under tag 8, the end of their time under tag 9.
        assert!(is_of_older_version(b"\x08\x05\x42\x00"));
        assert!(is_of_older_version(b"\x08\x05\x4a\x04\x08\x01\x10\x03"));
        let answers = What::Answers(Answers { seat: 1, turn: 8, window: 9, ..Answers::default() });
        let closed = What::WindowClosed(WindowClosed { turn: 8, window: 9 });
        for what in [None, Some(answers), Some(closed)] {
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
