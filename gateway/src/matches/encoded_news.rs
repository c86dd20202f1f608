//! News as they go over the wire: encoded once, however many follow.

use bytes::{BufMut, Bytes};
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};

/// The number of `News.cursor` in the protos.
const CURSOR: u32 = 1;

/// One viewer's news, encoded but for their cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedNews {
    cursor: u64,
    /// An encoded [`v1::News`] without a cursor. Viewers who are told the same share it.
    what: Bytes,
    is_last: bool,
}

impl EncodedNews {
    /// Encodes news.
    pub fn new(cursor: u64, what: What) -> Self {
        let is_last = match &what {
            What::Outcome(outcome) => outcome.ended.is_some(),
            What::MatchStopped(_) => true,
            _ => false,
        };
        let what = v1::News { cursor: 0, what: Some(what) }.encode_to_vec().into();
        Self { cursor, what, is_last }
    }

    /// The same news for a viewer who has them under another cursor.
    pub fn under(&self, cursor: u64) -> Self {
        Self { cursor, ..self.clone() }
    }

    /// The cursor of the news, which is their number among the viewer's news.
    pub const fn cursor(&self) -> u64 {
        self.cursor
    }

    /// Whether nothing comes after these news.
    pub const fn is_last(&self) -> bool {
        self.is_last
    }

    /// How many bytes the news have as a [`v1::News`].
    pub fn encoded_len(&self) -> usize {
        let cursor = if self.cursor == 0 { 0 } else { key_len(CURSOR) + encoded_len_varint(self.cursor) };
        cursor + self.what.len()
    }

    /// Writes the news as a [`v1::News`] that is a field of another message.
    pub fn encode_field(&self, field: u32, to: &mut impl BufMut) {
        encode_key(field, WireType::LengthDelimited, to);
        encode_varint(self.encoded_len() as u64, to);
        if self.cursor != 0 {
            encode_key(CURSOR, WireType::Varint, to);
            encode_varint(self.cursor, to);
        }
        to.put_slice(&self.what);
    }

    /// The news as a message.
    pub fn message(&self) -> v1::News {
        // The bytes were encoded above, so that they can be decoded.
        let news = v1::News::decode(self.what.clone()).unwrap_or_default();
        v1::News { cursor: self.cursor, ..news }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bytes_are_those_of_the_message() {
        for cursor in [0, 1, 127, 128, u64::MAX] {
            let what = What::LocksChanged(v1::LocksChanged { turn: 7, count: 2, seats: vec![0, 3] });
            let encoded = EncodedNews::new(9, what.clone()).under(cursor);
            let news = v1::News { cursor, what: Some(what) };
            assert_eq!((encoded.message(), encoded.encoded_len()), (news.clone(), news.encoded_len()));
            let mut bytes = Vec::new();
            encoded.encode_field(1, &mut bytes);
            assert_eq!(bytes, v1::WatchResponse { news: Some(news) }.encode_to_vec());
        }
    }

    #[test]
    fn what_ends_a_match_is_the_last() {
        let outcome = v1::Outcome { ended: Some(v1::MatchEnded::default()), ..v1::Outcome::default() };
        assert!(EncodedNews::new(1, What::Outcome(outcome)).is_last());
        assert!(EncodedNews::new(1, What::MatchStopped(v1::MatchStopped::default())).is_last());
        assert!(!EncodedNews::new(1, What::Outcome(v1::Outcome::default())).is_last());
    }
}
