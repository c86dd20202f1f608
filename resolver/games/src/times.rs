//! Times of the calls, as messages have them, and milliseconds, in which the service and its clients reckon.

use prost_types::{Duration, Timestamp};

/// The last millisecond of the year 9999, beyond which a timestamp means nothing.
const LAST_MS: u64 = 253_402_300_799_999;
/// The most seconds that a duration of messages may have, some ten thousand years.
const MAX_SECONDS: i64 = 315_576_000_000;
const NANOS_PER_MS: i32 = 1_000_000;
const NANOS_PER_SECOND: i32 = 1_000_000_000;

/// The moment so many milliseconds after the beginning of 1970; where messages have no such moment, the last that they have.
pub fn timestamp(ms: u64) -> Timestamp {
    let ms = ms.min(LAST_MS);
    Timestamp { seconds: (ms / 1000) as i64, nanos: (ms % 1000) as i32 * NANOS_PER_MS }
}

/// How many milliseconds after the beginning of 1970 a moment is; `None` for one before it, or one that makes no sense.
pub fn timestamp_ms(moment: &Timestamp) -> Option<u64> {
    let seconds = u64::try_from(moment.seconds).ok()?;
    let nanos = (0..NANOS_PER_SECOND).contains(&moment.nanos).then_some(moment.nanos)?;
    let ms = seconds.checked_mul(1000)? + (nanos / NANOS_PER_MS) as u64;
    (ms <= LAST_MS).then_some(ms)
}

/// A span of so many milliseconds; where messages have no such span, the longest that they have.
pub fn duration(ms: u64) -> Duration {
    let ms = ms.min(MAX_SECONDS as u64 * 1000);
    Duration { seconds: (ms / 1000) as i64, nanos: (ms % 1000) as i32 * NANOS_PER_MS }
}

/// How many milliseconds a span has, a part of one counted as a whole, so that only nothing is 0; `None` for a span that is
/// negative or makes no sense.
pub fn duration_ms(span: &Duration) -> Option<u64> {
    let sound = (0..=MAX_SECONDS).contains(&span.seconds) && (0..NANOS_PER_SECOND).contains(&span.nanos);
    sound.then(|| span.seconds as u64 * 1000 + u64::from((span.nanos as u32).div_ceil(NANOS_PER_MS as u32)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn milliseconds_come_back() {
        for ms in [0, 1, 999, 1000, 1_700_000_000_123, LAST_MS] {
            assert_eq!((timestamp_ms(&timestamp(ms)), duration_ms(&duration(ms))), (Some(ms), Some(ms)));
        }
        assert_eq!(timestamp(1_500), Timestamp { seconds: 1, nanos: 500_000_000 });
        assert_eq!(duration(2_001), Duration { seconds: 2, nanos: 1_000_000 });
        assert_eq!(timestamp(u64::MAX), timestamp(LAST_MS));
        assert_eq!(duration_ms(&duration(u64::MAX)), Some(MAX_SECONDS as u64 * 1000));
    }

    #[test]
    fn a_part_of_a_millisecond_of_a_span_counts_as_a_whole() {
        for (nanos, ms) in [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (999_999_999, 1000)] {
            assert_eq!(duration_ms(&Duration { seconds: 0, nanos }), Some(ms));
        }
    }

    #[test]
    fn what_makes_no_sense_is_none() {
        for (seconds, nanos) in [(-1, 0), (0, -1), (0, NANOS_PER_SECOND), (i64::MAX, 0), (i64::MIN, 0), (1, i32::MIN)] {
            assert_eq!(timestamp_ms(&Timestamp { seconds, nanos }), None, "{seconds} {nanos}");
            assert_eq!(duration_ms(&Duration { seconds, nanos }), None, "{seconds} {nanos}");
        }
        assert_eq!(duration_ms(&Duration { seconds: MAX_SECONDS + 1, nanos: 0 }), None);
        assert_eq!(timestamp_ms(&Timestamp { seconds: LAST_MS as i64 / 1000 + 1, nanos: 0 }), None);
    }
}
