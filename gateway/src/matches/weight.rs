//! About how many bytes the matches in memory take. Light and heavy ones have half of the share each, so that a few
//! matches on huge maps never keep the others out.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::refusal::Refusal;

/// Into how many light matches the whole share can be divided at least. With a budget of 512 MiB or more, a match on the
/// largest map that is allowed by default is light, so that nobody shuts it out with a heavy one.
const LIGHT_MATCHES: usize = 64;

/// The weight of the matches in memory.
#[derive(Debug, Default)]
pub(super) struct Weights {
    light: AtomicUsize,
    heavy: AtomicUsize,
}

impl Weights {
    fn of(&self, weight: usize, share: usize) -> &AtomicUsize {
        if is_heavy(weight, share) { &self.heavy } else { &self.light }
    }

    /// Counts a match that has come into memory.
    pub(super) fn add(&self, weight: usize, share: usize) {
        self.of(weight, share).fetch_add(weight, Ordering::Relaxed);
    }

    /// Stops counting a match that has left memory.
    pub(super) fn remove(&self, weight: usize, share: usize) {
        self.of(weight, share).fetch_sub(weight, Ordering::Relaxed);
    }

    /// Whether one of the halves is nearly full.
    pub(super) fn is_crowded(&self, share: usize) -> bool {
        self.light.load(Ordering::Relaxed).max(self.heavy.load(Ordering::Relaxed)) > share / 2 / 10 * 8
    }

    /// Refuses where there is no room for a match of which nothing is known yet, but that it is likely light.
    pub(super) fn check_any(&self, share: usize) -> Result<(), Refusal> {
        if self.light.load(Ordering::Relaxed) >= share / 2 { Err(full()) } else { Ok(()) }
    }

    /// Refuses where there is no room for a match of this weight. A heavy one that is alone always has room.
    pub(super) fn check(&self, weight: usize, share: usize) -> Result<(), Refusal> {
        let half = self.of(weight, share).load(Ordering::Relaxed);
        if half > 0 && half.saturating_add(weight) > share / 2 { Err(full()) } else { Ok(()) }
    }
}

/// Whether a match takes so much of the share that looking at it is heavy work.
pub(super) const fn is_heavy(weight: usize, share: usize) -> bool {
    weight > share / LIGHT_MATCHES
}

fn full() -> Refusal {
    let message = "the matches in memory take their whole share of memory_budget";
    Refusal::limit("TOO_MANY_MATCHES_IN_MEMORY", message, Duration::from_secs(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heavy_matches_keep_no_light_ones_out() {
        const SHARE: usize = 1 << 20;
        let weights = Weights::default();
        assert!(weights.check(10 * SHARE, SHARE).is_ok(), "one is always let in");
        weights.add(10 * SHARE, SHARE);
        assert!(weights.check(SHARE / 4, SHARE).is_err() && weights.is_crowded(SHARE));
        assert!(weights.check_any(SHARE).is_ok() && weights.check(1024, SHARE).is_ok());
        (0..512).for_each(|_| weights.add(1024, SHARE));
        assert!(weights.check_any(SHARE).is_err() && weights.check(1024, SHARE).is_err());
        weights.remove(10 * SHARE, SHARE);
        assert!(weights.check_any(SHARE).is_err() && weights.check(SHARE / 4, SHARE).is_ok());
        (0..512).for_each(|_| weights.remove(1024, SHARE));
        assert!(weights.check_any(SHARE).is_ok() && !weights.is_crowded(SHARE));
    }
}
