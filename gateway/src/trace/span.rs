//! Spans as OTLP has them, written without anything in between: field numbers are those of
//! `opentelemetry/proto/trace/v1/trace.proto`.

use bytes::{BufMut, Bytes};
use prost::encoding::{WireType, encode_key, encode_varint, encoded_len_varint};

use super::{SpanId, TraceId};

/// The kind of a span, with its number in OTLP.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SpanKind {
    /// Something inside of the service.
    Internal = 1,
    /// A call that was answered.
    Server = 2,
}

/// A span as it is given, before it is encoded.
#[derive(Clone, Copy)]
pub struct Span<'a> {
    /// The trace that the span belongs to.
    pub trace: TraceId,
    /// The id of the span.
    pub id: SpanId,
    /// The id of the span that it is part of, where there is one.
    pub parent: Option<SpanId>,
    /// The name of the span.
    pub name: &'static str,
    /// The kind of the span.
    pub kind: SpanKind,
    /// When it began, in nanoseconds since 1970.
    pub from: u64,
    /// When it ended, in nanoseconds since 1970.
    pub to: u64,
    /// Its attributes that are texts.
    pub words: &'a [(&'static str, &'a str)],
    /// Its attributes that are numbers.
    pub numbers: &'a [(&'static str, i64)],
    /// Another span that it has to do with.
    pub link: Option<(TraceId, SpanId)>,
}

/// Spans, encoded one after the other as field 2 of `ScopeSpans`.
#[derive(Debug, Default)]
pub struct Spans {
    bytes: Vec<u8>,
    scratch: Vec<u8>,
}

impl Spans {
    /// Adds a span.
    pub fn add(&mut self, span: &Span<'_>) {
        let mut to = std::mem::take(&mut self.scratch);
        to.clear();
        put_bytes(1, &span.trace, &mut to);
        put_bytes(2, &span.id, &mut to);
        if let Some(parent) = span.parent {
            put_bytes(4, &parent, &mut to);
        }
        put_bytes(5, span.name.as_bytes(), &mut to);
        put_number(6, span.kind as u64, &mut to);
        put_fixed(7, span.from, &mut to);
        put_fixed(8, span.to.max(span.from), &mut to);
        for (key, value) in span.words {
            put_word(9, key, value, &mut to);
        }
        for &(key, value) in span.numbers {
            // AnyValue { int_value = 3 }
            let inner = 1 + encoded_len_varint(value as u64);
            put_pair(9, key, inner, &mut to, |to| put_number(3, value as u64, to));
        }
        if let Some((trace, id)) = span.link {
            encode_key(13, WireType::LengthDelimited, &mut to);
            encode_varint(2 + 16 + 2 + 8, &mut to);
            put_bytes(1, &trace, &mut to);
            put_bytes(2, &id, &mut to);
        }
        put_bytes(2, &to, &mut self.bytes);
        self.scratch = to;
    }

    /// Adds the spans of another list.
    pub fn append(&mut self, others: &Self) {
        self.bytes.extend_from_slice(&others.bytes);
    }

    /// Whether there are no spans.
    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    /// The bytes of the spans as they are sent.
    pub fn into_bytes(self) -> Bytes {
        self.bytes.into()
    }
}

/// Writes a field of bytes, a text, or a message.
pub(super) fn put_bytes(field: u32, bytes: &[u8], to: &mut Vec<u8>) {
    encode_key(field, WireType::LengthDelimited, to);
    encode_varint(bytes.len() as u64, to);
    to.put_slice(bytes);
}

/// Writes a `KeyValue` whose value is a text.
pub(super) fn put_word(field: u32, key: &str, value: &str, to: &mut Vec<u8>) {
    // AnyValue { string_value = 1 }
    let inner = 1 + encoded_len_varint(value.len() as u64) + value.len();
    put_pair(field, key, inner, to, |to| put_bytes(1, value.as_bytes(), to));
}

/// Writes a `KeyValue` whose value takes `inner` bytes.
fn put_pair(field: u32, key: &str, inner: usize, to: &mut Vec<u8>, value: impl FnOnce(&mut Vec<u8>)) {
    let length = |bytes: usize| 1 + encoded_len_varint(bytes as u64) + bytes;
    encode_key(field, WireType::LengthDelimited, to);
    encode_varint((length(key.len()) + length(inner)) as u64, to);
    put_bytes(1, key.as_bytes(), to);
    encode_key(2, WireType::LengthDelimited, to);
    encode_varint(inner as u64, to);
    value(to);
}

fn put_number(field: u32, number: u64, to: &mut Vec<u8>) {
    encode_key(field, WireType::Varint, to);
    encode_varint(number, to);
}

fn put_fixed(field: u32, number: u64, to: &mut Vec<u8>) {
    encode_key(field, WireType::SixtyFourBit, to);
    to.put_u64_le(number);
}
