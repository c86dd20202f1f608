//! News as they go over the wire: encoded once, however many follow.
//!
//! What makes an outcome large is told to many, or can be declined: what all viewers are told alike, and how the board changes.
//! These are kept as bytes of their own beside the rest of the message, so that many news hold the same bytes, and streams
//! that decline changes get the message without them. Fields of a message come in any order.

use bytes::{BufMut, Bytes};
use parley_proto::opaque::v1;
use parley_proto::opaque::v1::news::What;
use prost::Message;
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint, key_len};
use smallvec::SmallVec;

/// The numbers of fields in the protos.
mod field {
    /// `News.cursor`
    pub(super) const CURSOR: u32 = 1;
    /// `News.prompt`
    pub(super) const PROMPT: u32 = 5;
    /// `News.outcome`
    pub(super) const OUTCOME: u32 = 6;
    /// `Prompt.changes`
    pub(super) const PROMPT_CHANGES: u32 = 6;
    /// `Outcome.shared`
    pub(super) const SHARED: u32 = 2;
    /// `Outcome.shared_changes`
    pub(super) const SHARED_CHANGES: u32 = 7;
    /// `Outcome.own_changes`
    pub(super) const OWN_CHANGES: u32 = 8;
}

/// One viewer's news, encoded but for their cursor.
#[derive(Clone, Debug, PartialEq)]
pub struct EncodedNews {
    cursor: u64,
    what: EncodedWhat,
    is_last: bool,
}

/// What is told, encoded. Viewers who are told the same share the bytes.
#[derive(Clone, Debug, PartialEq)]
enum EncodedWhat {
    /// A [`v1::News`] without a cursor.
    Whole(Bytes),
    /// A message of which some fields are kept apart.
    InParts {
        /// The number of the field of [`v1::News`] that the message is.
        field: u32,
        /// The message without the parts.
        rest: Bytes,
        /// The fields that are kept apart.
        parts: SmallVec<[Part; 3]>,
    },
}

/// A field of a message that is kept apart from it.
#[derive(Clone, Debug, PartialEq)]
struct Part {
    /// The number of the field.
    field: u32,
    /// The message that is in it.
    bytes: Bytes,
    /// Whether it is how the board changes, which streams can decline.
    changes: bool,
}

impl Part {
    fn encoded_len(&self) -> usize {
        key_len(self.field) + encoded_len_varint(self.bytes.len() as u64) + self.bytes.len()
    }

    fn encode(&self, to: &mut impl BufMut) {
        encode_length_delimited(self.field, self.bytes.len(), to);
        to.put_slice(&self.bytes);
    }
}

impl EncodedWhat {
    fn new(what: What) -> Self {
        let part = |field, changes| move |bytes| Part { field, bytes, changes };
        match what {
            What::Outcome(mut outcome) => {
                let shared = outcome.shared.take().map(part(field::SHARED, false));
                let shared_changes = outcome.shared_changes.take().map(part(field::SHARED_CHANGES, true));
                let own_changes = outcome.own_changes.take().map(part(field::OWN_CHANGES, true));
                let parts = [shared, shared_changes, own_changes].into_iter().flatten().collect();
                Self::InParts { field: field::OUTCOME, rest: outcome.encode_to_vec().into(), parts }
            }
            What::Prompt(mut prompt) => {
                let parts = prompt.changes.take().map(part(field::PROMPT_CHANGES, true)).into_iter().collect();
                Self::InParts { field: field::PROMPT, rest: prompt.encode_to_vec().into(), parts }
            }
            what => Self::Whole(v1::News { cursor: 0, what: Some(what) }.encode_to_vec().into()),
        }
    }

    /// How many bytes the message has that is in parts.
    fn inner_len(rest: &Bytes, parts: &[Part]) -> usize {
        rest.len() + parts.iter().map(Part::encoded_len).sum::<usize>()
    }

    fn encoded_len(&self) -> usize {
        match self {
            Self::Whole(bytes) => bytes.len(),
            Self::InParts { field, rest, parts } => {
                let inner = Self::inner_len(rest, parts);
                key_len(*field) + encoded_len_varint(inner as u64) + inner
            }
        }
    }

    fn encode(&self, to: &mut impl BufMut) {
        match self {
            Self::Whole(bytes) => to.put_slice(bytes),
            Self::InParts { field, rest, parts } => {
                encode_length_delimited(*field, Self::inner_len(rest, parts), to);
                to.put_slice(rest);
                parts.iter().for_each(|part| part.encode(to));
            }
        }
    }
}

fn encode_length_delimited(field: u32, length: usize, to: &mut impl BufMut) {
    encode_key(field, WireType::LengthDelimited, to);
    encode_varint(length as u64, to);
}

impl EncodedNews {
    /// Encodes news.
    pub fn new(cursor: u64, what: What) -> Self {
        let is_last = match &what {
            What::Outcome(outcome) => outcome.ended.is_some(),
            What::MatchStopped(_) => true,
            _ => false,
        };
        Self { cursor, what: EncodedWhat::new(what), is_last }
    }

    /// The same news for a viewer who has them under another cursor.
    pub fn under(&self, cursor: u64) -> Self {
        Self { cursor, ..self.clone() }
    }

    /// The same news without how the board changes.
    pub fn without_changes(mut self) -> Self {
        if let EncodedWhat::InParts { parts, .. } = &mut self.what {
            parts.retain(|part| !part.changes);
        }
        self
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
        let cursor = if self.cursor == 0 { 0 } else { key_len(field::CURSOR) + encoded_len_varint(self.cursor) };
        cursor + self.what.encoded_len()
    }

    /// Writes the news as a [`v1::News`] that is a field of another message.
    pub fn encode_field(&self, field: u32, to: &mut impl BufMut) {
        encode_length_delimited(field, self.encoded_len(), to);
        self.encode(to);
    }

    /// Writes the news as a [`v1::News`].
    fn encode(&self, to: &mut impl BufMut) {
        if self.cursor != 0 {
            encode_key(field::CURSOR, WireType::Varint, to);
            encode_varint(self.cursor, to);
        }
        self.what.encode(to);
    }

    /// The news as a message.
    pub fn message(&self) -> v1::News {
        let mut bytes = Vec::with_capacity(self.encoded_len());
        self.encode(&mut bytes);
        // The bytes were encoded above, so that they can be decoded.
        v1::News::decode(Bytes::from(bytes)).unwrap_or_default()
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
    fn what_is_kept_apart_is_part_of_the_message_and_changes_can_be_left_out() {
        let bytes = |text: &'static str| Some(Bytes::from_static(text.as_bytes()));
        let news = |what| v1::News { cursor: 300, what: Some(what) };
        let outcome = v1::Outcome {
            turn: 4,
            shared: bytes("told to all"),
            own: bytes("told to one"),
            shared_changes: bytes("all boards"),
            own_changes: bytes("one board"),
            next: Some(v1::TurnOpened { turn: 5, ..v1::TurnOpened::default() }),
            ..v1::Outcome::default()
        };
        let declined = v1::Outcome { shared_changes: None, own_changes: None, ..outcome.clone() };
        let prompt =
            v1::Prompt { turn: 4, so_far: bytes("so far"), changes: bytes("a board"), ..v1::Prompt::default() };
        let asked = v1::Prompt { changes: None, ..prompt.clone() };
        let cases = [(What::Outcome(outcome), What::Outcome(declined)), (What::Prompt(prompt), What::Prompt(asked))];
        for (whole, without) in cases {
            let encoded = EncodedNews::new(300, whole.clone());
            for (encoded, news) in [(encoded.clone(), news(whole)), (encoded.without_changes(), news(without))] {
                assert_eq!((encoded.message(), encoded.encoded_len()), (news.clone(), news.encoded_len()));
                let mut bytes = Vec::new();
                encoded.encode_field(1, &mut bytes);
                assert_eq!(v1::WatchResponse::decode(&bytes[..]).expect("a message").news, Some(news));
            }
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
