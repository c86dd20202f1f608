//! What is counted and timed.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use hdrhistogram::Histogram;

/// The longest time that is told apart from longer ones.
const LONGEST: Duration = Duration::from_secs(600);
/// How many digits a time is kept to.
const DIGITS: u8 = 3;
/// How many digits a time is kept to where there are many timings.
const COARSE_DIGITS: u8 = 2;
/// How many kinds of errors are told apart.
const MAX_KINDS: usize = 32;

/// How long something took, each time that it was done.
#[derive(Clone, Debug)]
pub struct Timing(Option<Histogram<u64>>);

impl Default for Timing {
    fn default() -> Self {
        Self::with_digits(DIGITS)
    }
}

impl Timing {
    /// A timing that takes a tenth of the memory and is a tenth as exact.
    pub fn coarse() -> Self {
        Self::with_digits(COARSE_DIGITS)
    }

    fn with_digits(digits: u8) -> Self {
        Self(Histogram::new_with_bounds(1, LONGEST.as_micros() as u64, digits).ok())
    }

    /// Records that it took this long once more.
    pub fn record(&mut self, time: Duration) {
        if let Some(histogram) = &mut self.0 {
            histogram.saturating_record(time.as_micros().clamp(1, LONGEST.as_micros()) as u64);
        }
    }

    /// How many times were recorded.
    pub fn count(&self) -> u64 {
        self.0.as_ref().map_or(0, Histogram::len)
    }

    /// The time that this part of all was not longer than; zero where none was recorded.
    pub fn at(&self, part: f64) -> Duration {
        let micros = self.0.as_ref().filter(|histogram| !histogram.is_empty());
        Duration::from_micros(micros.map_or(0, |histogram| histogram.value_at_quantile(part)))
    }

    /// The longest time that was recorded.
    pub fn max(&self) -> Duration {
        self.at(1.0)
    }

    /// How often it took at least so many milliseconds and less than so many others.
    pub fn between(&self, from: f64, to: f64) -> u64 {
        let micros = |millis: f64| (millis * 1000.0) as u64;
        let below = micros(to).saturating_sub(1);
        self.0.as_ref().map_or(0, |histogram| histogram.count_between(micros(from), below))
    }

    /// Takes in what another one timed.
    pub fn add(&mut self, other: &Self) {
        if let (Some(own), Some(other)) = (&mut self.0, &other.0) {
            // Both reach equally far, so everything fits.
            let _ = own.add(other);
        }
    }
}

/// Everything that went wrong, by kind.
#[derive(Clone, Debug, Default)]
pub struct Errors {
    /// The number of errors, by kind.
    pub kinds: BTreeMap<String, u64>,
}

impl Errors {
    /// Counts one more error of a kind.
    pub fn count(&mut self, kind: &str) {
        self.count_many(kind, 1);
    }

    fn count_many(&mut self, kind: &str, times: u64) {
        let kind = if self.kinds.len() < MAX_KINDS || self.kinds.contains_key(kind) { kind } else { "others" };
        *self.kinds.entry(kind.to_owned()).or_default() += times;
    }

    /// The number of all errors.
    pub fn total(&self) -> u64 {
        self.kinds.values().sum()
    }
}

/// What was counted and timed over some time.
#[derive(Clone, Debug, Default)]
pub struct Meter {
    /// Sessions that can play.
    pub ready: u64,
    /// Turns that have begun.
    pub begun: u64,
    /// Turns whose outcome has reached every seat.
    pub turns: u64,
    /// Lock-ins whose receipt has come.
    pub lock_ins: u64,
    /// Matches that have ended.
    pub ended: u64,
    /// Matches that were given up after an error.
    pub abandoned: u64,
    /// Connections that were opened again.
    pub reconnects: u64,
    /// Sessions that went on over another stream.
    pub resumed: u64,
    /// Everything that went wrong.
    pub errors: Errors,
    /// The time from sending a lock-in to its receipt, per seat.
    pub lock_in: Timing,
    /// The time from sending a lock-in to the outcome, per seat.
    pub seat_outcome: Timing,
    /// The time from sending the last lock-in of a turn until the outcome has reached every seat, per match.
    pub outcome: Timing,
    /// The time from the moment when the turn should have begun until the outcome has reached every seat, per match.
    /// Only where turns have a schedule.
    pub scheduled_outcome: Timing,
    /// How late the last lock-in was sent, per match. Only where turns have a schedule.
    pub late: Timing,
    /// When the first lock-in was sent, and when the last outcome came.
    pub window: Option<(Instant, Instant)>,
}

impl Meter {
    /// Takes in what another one measured.
    pub fn add(&mut self, other: &Self) {
        self.ready += other.ready;
        self.begun += other.begun;
        self.turns += other.turns;
        self.lock_ins += other.lock_ins;
        self.ended += other.ended;
        self.abandoned += other.abandoned;
        self.reconnects += other.reconnects;
        self.resumed += other.resumed;
        for (kind, times) in &other.errors.kinds {
            self.errors.count_many(kind, *times);
        }
        self.lock_in.add(&other.lock_in);
        self.seat_outcome.add(&other.seat_outcome);
        self.outcome.add(&other.outcome);
        self.scheduled_outcome.add(&other.scheduled_outcome);
        self.late.add(&other.late);
        if let Some((first, last)) = other.window {
            self.saw(first);
            self.saw(last);
        }
    }

    /// Whether a session became ready, a turn ended or a receipt came.
    pub const fn has_progress(&self) -> bool {
        self.ready + self.turns + self.lock_ins > 0
    }

    /// Whether every turn that has begun is over. A match that was given up leaves up to two behind.
    pub const fn is_quiet(&self) -> bool {
        self.begun <= self.turns + 2 * self.abandoned
    }

    /// The time from lock-in to outcome that is reported: from the schedule, where there is one.
    pub fn told_outcome(&self) -> &Timing {
        if self.scheduled_outcome.count() > 0 { &self.scheduled_outcome } else { &self.outcome }
    }

    /// Notes that something which belongs to the measured time happened at this moment.
    pub fn saw(&mut self, moment: Instant) {
        let (first, last) = self.window.unwrap_or((moment, moment));
        self.window = Some((first.min(moment), last.max(moment)));
    }

    /// How long it took from the first lock-in to the last outcome.
    pub fn time(&self) -> Duration {
        self.window.map_or(Duration::ZERO, |(first, last)| last - first)
    }

    /// The turns per second of the measured time.
    pub fn rate(&self) -> f64 {
        let seconds = self.time().as_secs_f64();
        if seconds > 0.0 { self.turns as f64 / seconds } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_kept_to_three_digits_and_none_is_lost() {
        let mut timing = Timing::default();
        for micros in 1..=1000 {
            timing.record(Duration::from_micros(micros));
        }
        timing.record(Duration::from_secs(3600));
        assert_eq!(timing.count(), 1001);
        assert_eq!(timing.at(0.5), Duration::from_micros(501));
        assert!(timing.max() >= LONGEST && timing.max() < LONGEST * 2);
        assert_eq!(Timing::default().at(0.99), Duration::ZERO);
        let mut coarse = Timing::coarse();
        coarse.add(&timing);
        assert_eq!((coarse.count(), coarse.between(0.0, 0.5)), (1001, timing.between(0.0, 0.5)));
    }

    #[test]
    fn errors_are_counted_by_kind_and_kinds_are_bounded() {
        let mut errors = Errors::default();
        for kind in 0..100 {
            errors.count(&format!("KIND_{kind}"));
            errors.count("KIND_1");
        }
        assert_eq!(errors.total(), 200);
        assert_eq!(errors.kinds.len(), MAX_KINDS + 1);
        assert_eq!(errors.kinds["KIND_1"], 101);
    }

    #[test]
    fn a_rate_goes_from_the_first_lock_in_to_the_last_outcome() {
        let (mut all, mut other) = (Meter::default(), Meter::default());
        let now = Instant::now();
        other.saw(now + Duration::from_secs(2));
        other.saw(now);
        other.turns = 100;
        all.add(&other);
        other.window = Some((now + Duration::from_secs(3), now + Duration::from_secs(4)));
        all.add(&other);
        assert_eq!((all.turns, all.time(), all.rate()), (200, Duration::from_secs(4), 50.0));
        assert_eq!(Meter::default().rate(), 0.0);
    }
}
