//! What a run came to, as text, as JSON, and as a page with plots.

mod json;
mod page;
mod plot;
#[cfg(test)]
mod tests;
mod text;

use std::time::Duration;

use super::ceiling::Ceiling;
use super::meter::Meter;
use super::plan::{Length, LoadPlan};
use super::saturation::SaturationSearch;
use super::series::Series;
use super::verify::Verified;

/// What a run came to.
#[derive(Clone, Debug)]
pub struct Report {
    /// The plan that was run.
    pub plan: LoadPlan,
    /// What was measured.
    pub all: Meter,
    /// What was measured, with the turns that only ended the matches.
    pub whole: Meter,
    /// What was measured, over time.
    pub series: Series,
    /// Sentences about what went wrong, a few of them.
    pub faults: Vec<String>,
    /// The processor time of the server over the measured time, where its process was named.
    pub server_time: Option<Duration>,
    /// The processor time of the generator over the measured time.
    pub own_time: Option<Duration>,
    /// What was found to be true afterwards.
    pub verified: Verified,
    /// Turns that a schedule wanted to begin and that the server was too slow for. They are in no timing.
    pub left_out: u64,
    /// The search for the highest rate, where there was one.
    pub saturation: Option<SaturationSearch>,
    /// Health checks on the same connections, where they were measured.
    pub ceiling: Option<Ceiling>,
}

impl Report {
    /// Whether nothing went wrong, every match was played to its end, and everything was found to be true.
    pub fn is_clean(&self) -> bool {
        let Verified { matches, turns, receipts, failures, .. } = self.verified;
        self.whole.errors.total() == 0
            && failures == 0
            && matches == self.plan.matches
            && self.whole.ended == u64::from(matches)
            && (turns, receipts) == (self.whole.turns, self.whole.lock_ins)
    }

    /// Whether something went wrong, and what, in a few words.
    pub fn verdict(&self) -> String {
        if self.is_clean() {
            return "no errors, every digest and every receipt verified".to_owned();
        }
        let Verified { matches, failures, .. } = self.verified;
        let errors = self.whole.errors.total();
        format!("{errors} errors, {failures} disproved, {matches} of {} matches verified", self.plan.matches)
    }

    /// A sentence that says what was to be done.
    fn sentence(&self) -> String {
        let plan = &self.plan;
        let length = match (&self.saturation, plan.length) {
            (Some(_), _) => String::new(),
            (None, Length::Turns(turns)) => format!(", {turns} turns each"),
            (None, Length::Time(time)) => format!(", for {} s", time.as_secs_f64()),
        };
        let pace = match (&self.saturation, plan.rate) {
            (Some(search), _) => format!("at {} rates one after the other", search.steps.len()),
            (None, Some(rate)) => format!("at {rate} turns/s"),
            (None, None) => "as fast as possible".to_owned(),
        };
        let LoadPlan { matches, players, ships, connections, .. } = plan;
        format!(
            "{matches} matches of {players} players with {ships} ships{length}, {pace}, over {connections} connections"
        )
    }

    /// A processor time per turn, in microseconds.
    fn per_turn(&self, time: Duration) -> f64 {
        time.as_secs_f64() * 1e6 / self.all.turns.max(1) as f64
    }
}

fn millis(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}
