//! Calls and answers of a session in as few bytes and allocations as it takes: what is sent is encoded once, and of what
//! comes only that is read which a turn depends on. On the wire they are the messages of `parley.v1`.

use bytes::{BufMut, Bytes, BytesMut};
use parley_proto::v1;
use prost::Message;

/// What comes before a message: whether it is compressed, and its length.
pub(super) const FRAME_BYTES: usize = 5;
/// The longest message that is taken.
const MAX_MESSAGE_BYTES: usize = 16 << 20;

/// A `SessionRequest` that locks in a sheet which is encoded already.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LockInCall {
    #[prost(uint64, tag = "1")]
    pub(super) call: u64,
    #[prost(message, optional, tag = "4")]
    pub(super) lock_in: Option<EncodedLockIn>,
}

/// A `LockInRequest`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct EncodedLockIn {
    #[prost(string, tag = "1")]
    pub(super) request_id: String,
    #[prost(uint32, tag = "3")]
    pub(super) turn: u32,
    #[prost(bytes = "bytes", tag = "4")]
    pub(super) sheet: Bytes,
}

/// A `SessionResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Answer {
    #[prost(uint64, tag = "1")]
    pub(super) call: u64,
    #[prost(message, optional, tag = "2")]
    pub(super) news: Option<News>,
    #[prost(message, optional, tag = "3")]
    pub(super) opened: Option<v1::SessionOpened>,
    #[prost(message, optional, tag = "5")]
    pub(super) lock_in: Option<LockedIn>,
    #[prost(message, optional, boxed, tag = "7")]
    pub(super) view: Option<Box<v1::GetViewResponse>>,
    #[prost(message, optional, boxed, tag = "12")]
    pub(super) refused: Option<Box<v1::Refusal>>,
}

/// A `LockInResponse`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct LockedIn {
    /// An encoded `Receipt`.
    #[prost(bytes = "bytes", tag = "1")]
    pub(super) receipt: Bytes,
}

/// A `News`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct News {
    #[prost(uint64, tag = "1")]
    pub(super) cursor: u64,
    #[prost(message, optional, tag = "2")]
    pub(super) seats_changed: Option<Unread>,
    #[prost(message, optional, tag = "3")]
    pub(super) turn_opened: Option<TurnOpened>,
    #[prost(message, optional, boxed, tag = "6")]
    pub(super) outcome: Option<Box<Outcome>>,
}

/// An `Outcome`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Outcome {
    #[prost(uint32, tag = "1")]
    pub(super) turn: u32,
    #[prost(message, repeated, tag = "3")]
    pub(super) shortfalls: Vec<Unread>,
    #[prost(message, optional, tag = "4")]
    pub(super) next: Option<TurnOpened>,
    #[prost(message, optional, tag = "5")]
    pub(super) ended: Option<v1::MatchEnded>,
}

/// A `TurnOpened`.
#[derive(Clone, PartialEq, Message)]
pub(super) struct TurnOpened {
    #[prost(uint32, tag = "1")]
    pub(super) turn: u32,
}

/// Something that only has to be there.
#[derive(Clone, PartialEq, Message)]
pub(super) struct Unread {}

/// A message with its length before it.
pub(super) fn frame(message: &impl Message) -> Bytes {
    let length = message.encoded_len();
    let mut bytes = BytesMut::with_capacity(FRAME_BYTES + length);
    bytes.put_u8(0);
    bytes.put_u32(length as u32);
    // There is room for all of it.
    let _ = message.encode(&mut bytes);
    bytes.freeze()
}

/// Takes the first whole message out of what has come; nothing where more has to come first.
pub(super) fn take_frame(bytes: &mut Bytes) -> Result<Option<Bytes>, &'static str> {
    let Some((head, rest)) = bytes.split_first_chunk::<FRAME_BYTES>() else { return Ok(None) };
    if head[0] != 0 {
        return Err("a message is compressed, though nobody asked for it");
    }
    let length = u32::from_be_bytes([head[1], head[2], head[3], head[4]]) as usize;
    if length > MAX_MESSAGE_BYTES {
        return Err("a message is longer than any should be");
    }
    if rest.len() < length {
        return Ok(None);
    }
    let message = bytes.slice(FRAME_BYTES..FRAME_BYTES + length);
    *bytes = bytes.slice(FRAME_BYTES + length..);
    Ok(Some(message))
}
