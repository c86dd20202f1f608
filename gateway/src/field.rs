//! Fields of messages whose bytes are looked at without reading the message.

use bytes::Buf;
use prost::encoding::{DecodeContext, WireType, decode_key, decode_varint, skip_field};

/// The bytes of the field with a tag; `None` where the message has none, or makes no sense. Of several, the last counts, as
/// it does for fields that are bytes.
pub fn field(mut message: &[u8], wanted: u32) -> Option<&[u8]> {
    let mut found = None;
    while message.has_remaining() {
        let (tag, kind) = decode_key(&mut message).ok()?;
        if tag == wanted && kind == WireType::LengthDelimited {
            let length = usize::try_from(decode_varint(&mut message).ok()?).ok()?;
            let (bytes, rest) = message.split_at_checked(length)?;
            (found, message) = (Some(bytes), rest);
        } else {
            skip_field(kind, tag, &mut message, DecodeContext::default()).ok()?;
        }
    }
    found
}
