//! Turns as traces, for Jaeger and everything else that takes OTLP (deploy/adr/0012).
//!
//! One turn is one trace, and its id follows from the match and the turn alone ([`trace_of`]): whoever knows a turn
//! knows where to look, today or from a replay. Its spans are short and leave when they end. They are written as OTLP
//! in the moment in which they are known ([`Spans`]), wait in one bounded queue, and are sent by one task (`export`).
//! What finds no room is dropped and counted. Nobody who plays ever waits for a trace.
//!
//! Spans say when and how many. They never hold orders, answers or tokens.

mod context;
mod export;
mod settings;
mod span;
mod turn;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Instant, SystemTime, UNIX_EPOCH};

use bytes::Bytes;
use metrics::{Counter, counter};
use tokio::sync::mpsc;
use uuid::Uuid;

pub use context::{TRACEPARENT, TraceContext};
pub use export::{Exporter, start, try_collector};
pub use settings::{TraceError, TraceSettings};
pub use span::Spans;
pub use turn::{TurnTrace, lock_in};

/// How many pieces of traces may wait to be sent; more are dropped.
pub const TRACE_QUEUE: usize = 4096;

/// The bound that takes all traces.
const EVERY_TRACE: u64 = 1 << 63;

/// The id of a trace.
pub type TraceId = [u8; 16];
/// The id of a span.
pub type SpanId = [u8; 8];

/// The id of the trace of a turn.
pub fn trace_of(id: Uuid, turn: u32) -> TraceId {
    ids_of(id, turn).0
}

/// The ids of the trace of a turn, and of the span that all others of it belong to.
fn ids_of(id: Uuid, turn: u32) -> (TraceId, SpanId) {
    let mut said = [0; 34];
    said[..14].copy_from_slice(b"parley trace 1");
    said[14..30].copy_from_slice(id.as_bytes());
    said[30..].copy_from_slice(&turn.to_le_bytes());
    let hash = *blake3::hash(&said).as_bytes();
    let (mut trace, mut root) = ([0; 16], [0; 8]);
    trace.copy_from_slice(&hash[..16]);
    root.copy_from_slice(&hash[16..24]);
    (trace, root)
}

/// Whether turns are traced, and where that is to be seen.
#[derive(Clone, Default)]
pub struct Tracing {
    /// The source of traces; `None` where nothing is traced.
    pub tracer: Option<Arc<Tracer>>,
    /// The address where traces are shown, to be followed by their ids; empty where it is not known.
    pub url: String,
}

/// Decides which traces are taken, and sends them.
pub struct Tracer {
    queue: mpsc::Sender<Bytes>,
    /// The bound below which the number of a trace has to be for it to be taken.
    bound: u64,
    began: Instant,
    began_ns: u64,
    /// A count from which the ids of spans are made.
    given: AtomicU64,
    dropped: Counter,
}

impl Tracer {
    /// Takes traces as `bound` says, which is 0 for none and [`EVERY_TRACE`] for all of them.
    fn new(queue: mpsc::Sender<Bytes>, bound: u64) -> Self {
        let began_ns = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos() as u64);
        let dropped = counter!("parley_traces_lost_total", "why" => "queue");
        Self { queue, bound, began: Instant::now(), began_ns, given: AtomicU64::new(began_ns), dropped }
    }

    /// Whether a trace is one of those that are taken. Everybody who samples by the trace's id decides the same.
    pub fn takes(&self, trace: &TraceId) -> bool {
        let [.., a, b, c, d, e, f, g, h] = *trace;
        u64::from_be_bytes([a, b, c, d, e, f, g, h]) >> 1 < self.bound
    }

    /// A moment in nanoseconds since 1970.
    pub fn at(&self, moment: Instant) -> u64 {
        match moment.checked_duration_since(self.began) {
            Some(after) => self.began_ns + after.as_nanos() as u64,
            None => self.began_ns - self.began.duration_since(moment).as_nanos() as u64,
        }
    }

    /// A new id for a span.
    fn new_span(&self) -> SpanId {
        // The mixing of SplitMix64: different numbers stay different, and look like nothing.
        let mut id = self.given.fetch_add(0x9e37_79b9_7f4a_7c15, Ordering::Relaxed);
        id = (id ^ id >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        id = (id ^ id >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        (id ^ id >> 31).max(1).to_be_bytes()
    }

    /// Sends spans, or drops them where there is no room.
    pub fn send(&self, spans: Spans) {
        if !spans.is_empty() && self.queue.try_send(spans.into_bytes()).is_err() {
            self.dropped.increment(1);
        }
    }
}
