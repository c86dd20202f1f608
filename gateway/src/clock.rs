//! The time of day, which only actors read, and only to write it down.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// A clock that never goes backwards while the process runs, and that stands still where tests hold the time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    base_ms: u64,
    start: Instant,
}

impl Clock {
    /// A clock that shows the time of day.
    pub fn start() -> Self {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO);
        Self::starting_at(now.as_millis() as u64)
    }

    /// A clock that shows a chosen time.
    pub fn starting_at(base_ms: u64) -> Self {
        Self { base_ms, start: Instant::now() }
    }

    /// Milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.base_ms + self.start.elapsed().as_millis() as u64
    }

    /// Seconds since 1970.
    pub fn now_s(&self) -> u64 {
        self.now_ms() / 1000
    }

    /// When the clock will show a time; now if it already has.
    pub fn instant(&self, at_ms: u64) -> Instant {
        Instant::now() + Duration::from_millis(at_ms.saturating_sub(self.now_ms()))
    }
}
