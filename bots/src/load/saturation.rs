//! The rate at which a server is saturated, the highest that it keeps up with: rates are tried upwards in doublings, then
//! between the last two.

use std::time::Duration;

/// The most steps of a search.
pub const MAX_STEPS: usize = 24;
/// The rate that a search begins with, in turns per second.
const FIRST_RATE: u32 = 250;
/// A search ends when the rates that hold and that do not are this close, in percent.
const CLOSE_PERCENT: u32 = 4;
/// How much of a rate has to be reached, in percent.
const REACHED_PERCENT: f64 = 97.0;
/// Where the bound is missed by less than this factor, it may have been a hiccup, and the rate is tried again.
const HICCUP: u32 = 4;

/// What a step of the search came to.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SaturationStep {
    /// Turns that should have begun in a second.
    pub rate: u32,
    /// Turns that ended in a second.
    pub reached: f64,
    /// The time from the schedule to the outcome, by match: half, 99% and 99.9% of them were not longer.
    pub times: [Duration; 3],
    /// How many errors there were.
    pub errors: u64,
}

impl SaturationStep {
    /// Whether the server kept up within the bound.
    pub fn holds(&self, bound: Duration) -> bool {
        self.errors == 0 && self.times[1] <= bound && self.reached * 100.0 >= f64::from(self.rate) * REACHED_PERCENT
    }
}

/// A search for the rate at which a server is saturated.
#[derive(Clone, Debug)]
pub struct SaturationSearch {
    /// What 99% of the turns must not take longer than.
    pub bound: Duration,
    /// The steps so far.
    pub steps: Vec<SaturationStep>,
}

impl SaturationSearch {
    /// A search that has not made any step yet.
    pub const fn new(bound: Duration) -> Self {
        Self { bound, steps: Vec::new() }
    }

    /// The highest rate that held, as far as is known.
    pub fn saturation(&self) -> Option<u32> {
        let lowest = self.too_high();
        let held = self.steps.iter().filter(|step| step.holds(self.bound)).map(|step| step.rate);
        held.filter(|&rate| lowest.is_none_or(|lowest| rate < lowest)).max()
    }

    /// The lowest rate that did not hold, nor when it was tried again.
    fn too_high(&self) -> Option<u32> {
        let failed = self.steps.iter().filter(|step| !step.holds(self.bound)).map(|step| step.rate);
        failed.filter(|&rate| !self.tries(rate).any(|step| step.holds(self.bound))).min()
    }

    fn tries(&self, rate: u32) -> impl Iterator<Item = &SaturationStep> {
        self.steps.iter().filter(move |step| step.rate == rate)
    }

    /// Whether the last step should be tried again.
    fn doubtful(&self) -> Option<u32> {
        let last = self.steps.last().filter(|step| !step.holds(self.bound) && step.errors == 0)?;
        let first = self.tries(last.rate).count() == 1;
        (first && last.times[1] < self.bound * HICCUP).then_some(last.rate)
    }

    /// The rate to try next; nothing when it is known well enough, or after [`MAX_STEPS`].
    pub fn next(&self, most: u32) -> Option<u32> {
        if self.steps.len() >= MAX_STEPS {
            return None;
        }
        if let Some(rate) = self.doubtful() {
            return Some(rate);
        }
        match (self.saturation(), self.too_high()) {
            (None, None) => Some(FIRST_RATE.min(most)),
            (Some(held), None) => (held < most).then(|| held.saturating_mul(2).min(most)),
            (None, Some(high)) => (high > 1).then_some(high / 2),
            (Some(held), Some(high)) => {
                let close = u64::from(high - held) * 100 <= u64::from(held) * u64::from(CLOSE_PERCENT);
                (!close && high - held > 1).then(|| held + (high - held) / 2)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOUND: Duration = Duration::from_millis(50);

    /// A server with a capacity: times rise as it is approached, and beyond it turns are left undone.
    fn server(capacity: f64) -> impl Fn(u32) -> SaturationStep {
        move |rate| {
            let load = f64::from(rate) / capacity;
            let p99 = if load < 1.0 { 0.002 / (1.0 - load) } else { 3.0 };
            let times = [p99 / 4.0, p99, p99 * 2.0].map(Duration::from_secs_f64);
            SaturationStep { rate, reached: f64::from(rate).min(capacity), times, errors: 0 }
        }
    }

    fn search(server: impl Fn(u32) -> SaturationStep) -> SaturationSearch {
        let mut search = SaturationSearch::new(BOUND);
        while let Some(rate) = search.next(1_000_000) {
            search.steps.push(server(rate));
        }
        search
    }

    #[test]
    fn the_saturation_is_found_closely_whatever_the_capacity() {
        for capacity in [3.0, 90.0, 260.0, 1234.0, 9000.0, 77_000.0] {
            let search = search(server(capacity));
            // 2 ms / (1 - load) is 50 ms at a load of 96%.
            let saturation = f64::from(search.saturation().expect("some rate holds"));
            let truth = 0.96 * capacity;
            let room = (truth * 0.05).max(1.0);
            assert!(saturation <= truth && saturation >= truth - room, "{saturation} of {truth}: {:?}", search.steps);
            assert!(search.steps.len() < MAX_STEPS);
        }
    }

    #[test]
    fn a_search_ends_where_nothing_holds_and_where_everything_does() {
        let nothing = search(|rate| SaturationStep { errors: 1, ..server(1e9)(rate) });
        assert_eq!((nothing.saturation(), nothing.steps.last().map(|step| step.rate)), (None, Some(1)));
        let mut everything = SaturationSearch::new(BOUND);
        while let Some(rate) = everything.next(1000) {
            everything.steps.push(server(1e9)(rate));
        }
        assert_eq!(everything.steps.iter().map(|step| step.rate).collect::<Vec<_>>(), [250, 500, 1000]);
        assert_eq!(everything.saturation(), Some(1000));
    }

    #[test]
    fn a_hiccup_is_tried_again_and_forgotten() {
        let slow = |rate| SaturationStep { times: [BOUND, BOUND * 2, BOUND * 3], ..server(1e9)(rate) };
        let mut search = SaturationSearch::new(BOUND);
        search.steps.push(slow(250));
        assert_eq!((search.next(1000), search.saturation()), (Some(250), None));
        search.steps.push(server(1e9)(250));
        assert_eq!((search.next(1000), search.saturation()), (Some(500), Some(250)));
        search.steps.extend([slow(500), slow(500)]);
        assert_eq!((search.next(1000), search.saturation()), (Some(375), Some(250)));
    }

    #[test]
    fn a_rate_that_holds_above_one_that_does_not_is_luck() {
        let mut search = SaturationSearch::new(BOUND);
        search.steps = vec![server(1e9)(100), SaturationStep { errors: 1, ..server(1e9)(200) }, server(1e9)(300)];
        assert_eq!(search.saturation(), Some(100));
        assert_eq!(search.next(1000), Some(150));
    }
}
