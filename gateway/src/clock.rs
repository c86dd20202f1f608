//! The time of day, which only actors read, and only to write it down.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use tokio::time::Instant;

/// How often somebody looks whether the system's clock was set.
const LOOK_EVERY: Duration = Duration::from_secs(1);
/// By how many milliseconds the system's clock has to jump for a step.
const STEP_MS: u64 = 1000;

/// A clock that never goes backwards while the process runs, and that stands still where tests hold the time.
///
/// It takes the time of day from the system once, at the start, and goes on by itself from there: whoever sets the
/// system's clock later changes no deadline. A server that is started again takes the new time.
#[derive(Clone, Copy, Debug)]
pub struct Clock {
    base_ms: u64,
    start: Instant,
}

impl Clock {
    /// A clock that shows the time of day.
    pub fn start() -> Self {
        Self::starting_at(system_ms())
    }

    /// A clock that shows a chosen time.
    pub fn starting_at(base_ms: u64) -> Self {
        Self { base_ms, start: Instant::now() }
    }

    /// The time of this clock, in milliseconds since 1970.
    pub fn now_ms(&self) -> u64 {
        self.base_ms + self.start.elapsed().as_millis() as u64
    }

    /// The time of this clock, in seconds since 1970.
    pub fn now_s(&self) -> u64 {
        self.now_ms() / 1000
    }

    /// The moment when the clock will show a time, or now if it already has.
    pub fn instant(&self, at_ms: u64) -> Instant {
        Instant::now() + Duration::from_millis(at_ms.saturating_sub(self.now_ms()))
    }

    /// Writes to the log, as long as it is polled, when the system's clock is set.
    pub async fn log_steps(self) {
        let mut steps = Steps::default();
        loop {
            if let Some(step_ms) = steps.look(system_ms(), self.now_ms()) {
                let by = Duration::from_millis(step_ms.unsigned_abs());
                let way = if step_ms > 0 { "forward" } else { "back" };
                tracing::warn!(
                    step_ms,
                    "the system's clock was set {way} by {by:?}; deadlines stay as they are until the next start"
                );
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }
}

/// Notices when one clock jumps against another.
#[derive(Debug, Default)]
pub struct Steps {
    /// How far the one was ahead of the other when they were looked at last.
    ahead_ms: Option<i64>,
}

impl Steps {
    /// By how much the system's clock has jumped since it was looked at last; `None` where it has not.
    pub fn look(&mut self, system_ms: u64, own_ms: u64) -> Option<i64> {
        let ahead_ms = system_ms.wrapping_sub(own_ms).cast_signed();
        let step_ms = ahead_ms - self.ahead_ms.replace(ahead_ms).unwrap_or(ahead_ms);
        (step_ms.unsigned_abs() >= STEP_MS).then_some(step_ms)
    }
}

/// What the system's clock shows, in milliseconds since 1970.
fn system_ms() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or(Duration::ZERO).as_millis() as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_noticed_once_and_by_its_size() {
        let mut steps = Steps::default();
        let day = 24 * 60 * 60 * 1000;
        let own = 1_700_000_000_000;
        let looked = [
            (own + 5, own),
            (own + 1010, own + 1000),
            (own + 2000 + day, own + 2000),
            (own + 3000 + day, own + 3000),
            (own + 4000, own + 4000),
            (own + 5999, own + 5000),
        ];
        let found = looked.map(|(system, own)| steps.look(system, own));
        assert_eq!(found, [None, None, Some(day as i64 - 10), None, Some(-(day as i64)), None]);
    }
}
