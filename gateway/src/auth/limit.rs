//! How often somebody may call: a bucket of calls per caller, refilled at a steady rate.

use std::hash::Hash;
use std::num::NonZeroU32;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Duration;

use dashmap::DashMap;
use governor::clock::{Clock, Reference};
use governor::middleware::NoOpMiddleware;
use governor::state::keyed::DashMapStateStore;
use governor::{Quota, RateLimiter};

/// After how many calls the buckets that are full again are thrown away.
const TIDY_EVERY: u32 = 8192;

/// A limit that was reached.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LimitName {
    /// The calls with one token.
    CallsPerToken,
    /// The calls without a good token from one address.
    CallsPerAddress,
    /// The matches that are created from one address.
    CreationsPerAddress,
}

impl LimitName {
    /// What there are too many of, in words.
    pub const fn things(self) -> &'static str {
        match self {
            Self::CallsPerToken | Self::CallsPerAddress => "calls",
            Self::CreationsPerAddress => "new matches from this address",
        }
    }

    /// The setting that the limit comes from.
    pub const fn setting(self) -> &'static str {
        match self {
            Self::CallsPerToken => "calls_per_second_per_token",
            Self::CallsPerAddress => "calls_per_second_per_address",
            Self::CreationsPerAddress => "creations_per_minute_per_address",
        }
    }
}

/// A rate of calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// How many calls a second are always allowed.
    pub per_second: NonZeroU32,
    /// How many may come at once after a quiet time.
    pub burst: NonZeroU32,
}

/// A rate of things that cost more than a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RatePerMinute {
    /// How many a minute are always allowed.
    pub per_minute: NonZeroU32,
    /// How many may come at once after a quiet time.
    pub burst: NonZeroU32,
}

impl RatePerMinute {
    /// So many times the rate.
    pub(super) const fn times(self, times: NonZeroU32) -> Self {
        Self { per_minute: self.per_minute.saturating_mul(times), burst: self.burst.saturating_mul(times) }
    }
}

impl From<Rate> for Quota {
    fn from(rate: Rate) -> Self {
        Self::per_second(rate.per_second).allow_burst(rate.burst)
    }
}

impl From<RatePerMinute> for Quota {
    fn from(rate: RatePerMinute) -> Self {
        Self::per_minute(rate.per_minute).allow_burst(rate.burst)
    }
}

type Buckets<K, C> = RateLimiter<K, DashMapStateStore<K>, C, NoOpMiddleware<<C as Clock>::Instant>>;

/// Buckets of calls, one for each `K`.
pub(super) struct Limit<K: Hash + Eq + Clone, C: Clock> {
    buckets: Buckets<K, C>,
    /// Whoever found the bucket empty, and when there will be a call in it again.
    waiting: DashMap<K, C::Instant>,
    clock: C,
    calls: AtomicU32,
}

impl<K: Hash + Eq + Clone, C: Clock + Clone> Limit<K, C> {
    pub(super) fn new(rate: impl Into<Quota>, clock: C) -> Self {
        Self {
            buckets: RateLimiter::dashmap_with_clock(rate.into(), clock.clone()),
            waiting: DashMap::new(),
            clock,
            calls: AtomicU32::new(0),
        }
    }

    /// Takes one call out of the bucket, or says how long to wait.
    pub(super) fn take(&self, key: &K) -> Result<(), Duration> {
        if self.calls.fetch_add(1, Ordering::Relaxed) % TIDY_EVERY == TIDY_EVERY - 1 {
            self.tidy();
        }
        let Err(not_until) = self.buckets.check_key(key) else { return Ok(()) };
        self.waiting.insert(key.clone(), not_until.earliest_possible());
        Err(not_until.wait_time_from(self.clock.now()))
    }

    /// How long somebody still has to wait who found the bucket empty. Takes nothing.
    pub(super) fn wait(&self, key: &K) -> Result<(), Duration> {
        let Some(until) = self.waiting.get(key).map(|until| *until) else { return Ok(()) };
        let now = self.clock.now();
        if now < until { Err(until.duration_since(now).into()) } else { Ok(()) }
    }

    /// Throws away buckets that are as full as those of a caller who was never seen.
    fn tidy(&self) {
        let now = self.clock.now();
        self.buckets.retain_recent();
        self.waiting.retain(|_, until| now < *until);
    }

    /// How many callers are remembered.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.buckets.len().max(self.waiting.len())
    }
}
