//! Whose trace a call belongs to: the header `traceparent` of W3C Trace Context.

use std::fmt;
use std::str::FromStr;

use tonic::metadata::MetadataMap;

use super::{SpanId, TraceId};

/// The name of the header, and of the field in sessions.
pub const TRACEPARENT: &str = "traceparent";

/// The span of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TraceContext {
    /// The trace that the span is in.
    pub trace: TraceId,
    /// The id of the span.
    pub span: SpanId,
    /// Whether the caller keeps the trace.
    pub sampled: bool,
}

impl TraceContext {
    /// What a call says of itself. What cannot be read is as good as nothing, as the standard wants it.
    pub fn of(metadata: &MetadataMap) -> Option<Self> {
        metadata.get(TRACEPARENT)?.to_str().ok()?.parse().ok()
    }
}

/// The error of a text that is no `traceparent`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoContext;

impl FromStr for TraceContext {
    type Err = NoContext;

    fn from_str(text: &str) -> Result<Self, NoContext> {
        let mut parts = text.trim().split('-');
        let mut part = |digits: usize| {
            let whole = |part: &&str| part.len() == digits && part.bytes().all(|digit| lower_hex(digit).is_some());
            parts.next().filter(whole).ok_or(NoContext)
        };
        let (version, trace, span, flags) = (part(2)?, part(32)?, part(16)?, part(2)?);
        let more = parts.next().is_some();
        // Versions to come may add parts; the first may not, and ff is never used.
        if version == "ff" || (version == "00" && more) {
            return Err(NoContext);
        }
        let (trace, span): (TraceId, SpanId) = (bytes(trace), bytes(span));
        if trace == [0; 16] || span == [0; 8] {
            return Err(NoContext);
        }
        let [flags] = bytes(flags);
        Ok(Self { trace, span, sampled: flags & 1 == 1 })
    }
}

impl fmt::Display for TraceContext {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let hex = |bytes: &[u8]| bytes.iter().map(|byte| format!("{byte:02x}")).collect::<String>();
        write!(f, "00-{}-{}-{:02x}", hex(&self.trace), hex(&self.span), u8::from(self.sampled))
    }
}

fn lower_hex(digit: u8) -> Option<u8> {
    match digit {
        b'0'..=b'9' => Some(digit - b'0'),
        b'a'..=b'f' => Some(digit - b'a' + 10),
        _ => None,
    }
}

/// Hex digits that were checked, as bytes.
fn bytes<const N: usize>(digits: &str) -> [u8; N] {
    let mut bytes = [0; N];
    for (byte, pair) in bytes.iter_mut().zip(digits.as_bytes().chunks_exact(2)) {
        *byte = lower_hex(pair[0]).unwrap_or(0) << 4 | lower_hex(pair[1]).unwrap_or(0);
    }
    bytes
}

#[cfg(test)]
mod tests {
    use super::*;

    const GOOD: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_context_is_read_and_written() {
        let context: TraceContext = GOOD.parse().expect("a context");
        assert!(context.sampled);
        assert_eq!((context.trace[0], context.span[7]), (0x4b, 0xb7));
        assert_eq!(context.to_string(), GOOD);
        assert_eq!(
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-02".parse::<TraceContext>().map(|c| c.sampled),
            Ok(false)
        );
        assert!(format!("cc{}-what-comes", &GOOD[2..]).parse::<TraceContext>().is_ok());
    }

    #[test]
    fn everything_else_is_no_context() {
        let bad = [
            "",
            "00",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
        ];
        for text in bad {
            assert_eq!(text.parse::<TraceContext>(), Err(NoContext), "{text}");
        }
    }
}
