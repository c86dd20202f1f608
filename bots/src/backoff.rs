//! How long to wait before trying again.

use std::time::Duration;

use tokio::time::{Instant, sleep_until};

use crate::random::Random;

/// How long and how often something that failed is tried again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Backoff {
    /// The wait after the first failure; each further one doubles it.
    pub first: Duration,
    /// The longest wait.
    pub longest: Duration,
    /// How many attempts may fail in a row.
    pub attempts: u32,
}

impl Default for Backoff {
    /// From a tenth of a second to ten seconds, and about a quarter of an hour in all.
    fn default() -> Self {
        Self { first: Duration::from_millis(100), longest: Duration::from_secs(10), attempts: 120 }
    }
}

/// Failures in a row, and when to try again.
#[derive(Clone, Debug)]
pub(crate) struct Retry {
    bounds: Backoff,
    random: Random,
    failures: u32,
    due: Option<Instant>,
}

impl Retry {
    /// A retry before anything has failed. The seed spreads those who failed together.
    pub(crate) const fn new(bounds: Backoff, seed: u64) -> Self {
        Self { bounds, random: Random::new(seed), failures: 0, due: None }
    }

    /// Notes that something worked.
    pub(crate) const fn succeeded(&mut self) {
        self.failures = 0;
    }

    /// Notes that something which stood for this long has failed; after long enough it counts as having worked before.
    pub(crate) fn stood(&mut self, time: Duration) {
        if time > self.bounds.longest {
            self.succeeded();
        }
    }

    /// Notes that something failed. An error says how often in a row, once that is too often.
    pub(crate) fn failed(&mut self, at_least: Duration) -> Result<(), u32> {
        self.failures = self.failures.saturating_add(1);
        if self.failures > self.bounds.attempts {
            return Err(self.failures);
        }
        self.due = Some(Instant::now() + self.delay().max(at_least.min(self.bounds.longest)));
        Ok(())
    }

    /// The time to wait: half of it is certain, the other half is drawn by lot.
    fn delay(&mut self) -> Duration {
        let doubled = 1_u32.checked_shl(self.failures - 1).and_then(|times| self.bounds.first.checked_mul(times));
        let half = doubled.unwrap_or(self.bounds.longest).min(self.bounds.longest) / 2;
        half + Duration::from_micros(self.random.below(half.as_micros() as usize + 1) as u64)
    }

    /// Waits until it is time. Whoever stops waiting and comes back waits only for the rest.
    pub(crate) async fn wait(&mut self) {
        if let Some(due) = self.due {
            sleep_until(due).await;
            self.due = None;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUNDS: Backoff =
        Backoff { first: Duration::from_millis(100), longest: Duration::from_secs(2), attempts: 40 };

    async fn waited(retry: &mut Retry) -> Duration {
        let before = Instant::now();
        retry.wait().await;
        before.elapsed()
    }

    #[tokio::test(start_paused = true)]
    async fn waits_double_up_to_the_longest_and_end() {
        let mut retry = Retry::new(BOUNDS, 3);
        assert_eq!(waited(&mut retry).await, Duration::ZERO);
        for failures in 0..40_u32 {
            assert_eq!(retry.failed(Duration::ZERO), Ok(()));
            let whole = BOUNDS.first.saturating_mul(1 << failures.min(20)).min(BOUNDS.longest);
            let waited = waited(&mut retry).await;
            // Timers are counted in whole milliseconds.
            let latest = whole + Duration::from_millis(1);
            assert!(waited >= whole / 2 && waited <= latest, "{waited:?} after {failures} failures");
        }
        assert_eq!(retry.failed(Duration::ZERO), Err(41));
        retry.succeeded();
        assert_eq!(retry.failed(Duration::ZERO), Ok(()));
        assert!(waited(&mut retry).await <= Duration::from_millis(101));
    }

    #[tokio::test(start_paused = true)]
    async fn a_server_can_ask_for_more_patience_within_the_bounds() {
        let mut retry = Retry::new(BOUNDS, 3);
        assert_eq!(retry.failed(Duration::from_secs(1)), Ok(()));
        assert!(waited(&mut retry).await >= Duration::from_secs(1));
        assert_eq!(retry.failed(Duration::from_secs(3600)), Ok(()));
        assert!(waited(&mut retry).await <= BOUNDS.longest + Duration::from_millis(1));
    }

    #[tokio::test(start_paused = true)]
    async fn other_seeds_wait_otherwise() {
        let delays = |seed| {
            let mut retry = Retry::new(BOUNDS, seed);
            (0..8).map(|_| (retry.failed(Duration::ZERO), retry.due)).collect::<Vec<_>>()
        };
        assert_eq!(delays(1), delays(1));
        assert_ne!(delays(1), delays(2));
    }

    #[tokio::test(start_paused = true)]
    async fn what_stood_long_enough_begins_anew() {
        let mut retry = Retry::new(BOUNDS, 3);
        for _ in 0..40 {
            assert_eq!(retry.failed(Duration::ZERO), Ok(()));
        }
        retry.stood(BOUNDS.longest);
        assert!(retry.failed(Duration::ZERO).is_err());
        retry.stood(BOUNDS.longest * 2);
        assert_eq!(retry.failed(Duration::ZERO), Ok(()));
    }
}
