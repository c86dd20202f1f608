//! The metrics of matches. `deploy/metrics.txt` lists all of them, and no label has more values than this file shows,
//! except for the reasons of refusals, which are constants of the code.

use std::time::Duration;

use metrics::{Counter, Gauge, Histogram, counter, gauge, histogram};
use parley_games::hosted::{AnyGame, Games};
use parley_proto::common::v1::match_result::Result as MatchResult;
use parley_proto::opaque::v1::MatchStage;

use crate::http::Full;
use crate::match_state::MatchState;

/// What is counted while matches are played. The counters are looked up once, because looking them up takes long.
pub struct MatchMetrics {
    turns: Counter,
    lock_in: Histogram,
    lock_to_outcome: Histogram,
    window: Histogram,
    /// What games count of their turns, by the arm of the game and in the order in which it counts.
    of_games: Vec<(u32, Vec<Counter>)>,
    open: Gauge,
    running: Gauge,
}

impl MatchMetrics {
    /// The metrics of matches of these games.
    pub fn new(games: &Games) -> Self {
        // What has never happened is told as 0, so that the first time is seen as a change.
        for name in ["parley_connections_refused_total", "parley_mailbox_full_total", "parley_matches_rebuilt_total"] {
            counter!(name).absolute(0);
        }
        for limit in [Full::Total, Full::Address, Full::Connection] {
            counter!("parley_in_flight_refused_total", "limit" => limit.setting()).absolute(0);
        }
        for phase in ["planning", "decision"] {
            counter!("parley_deadlines_total", "phase" => phase).absolute(0);
        }
        for how in ["won", "drawn", "stopped"] {
            counter!("parley_matches_finished_total", "how" => how).absolute(0);
        }
        for why in ["queue", "collector"] {
            counter!("parley_traces_lost_total", "why" => why).absolute(0);
        }
        Self {
            turns: counter!("parley_turns_resolved_total"),
            lock_in: histogram!("parley_lock_in_seconds"),
            lock_to_outcome: histogram!("parley_lock_to_outcome_seconds"),
            window: histogram!("parley_decision_window_seconds"),
            of_games: games.iter().map(|game| (game.arm(), counters(game))).collect(),
            open: gauge!("parley_matches", "state" => "open"),
            running: gauge!("parley_matches", "state" => "running"),
        }
    }

    /// Counts a lock-in that was answered this long after the match took it up.
    pub fn locked_in(&self, after: Duration) {
        self.lock_in.record(after);
    }

    /// Counts an outcome that was published this long after the orders or answers that completed its turn.
    pub fn outcome_published(&self, after: Duration) {
        self.lock_to_outcome.record(after);
    }

    /// Counts a window that was open for this long.
    pub fn window_closed(&self, after: Duration) {
        self.window.record(after);
    }

    /// Sets how many matches in the store wait, and how many are played.
    pub fn set_unfinished(&self, open: usize, running: usize) {
        self.open.set(open as f64);
        self.running.set(running as f64);
    }

    /// Counts a match that has come from one stage to another.
    pub fn stage_changed(&self, from: MatchStage, to: MatchStage, match_state: &MatchState) {
        for (stage, change) in [(from, -1.0), (to, 1.0)] {
            match stage {
                MatchStage::Open => self.open.increment(change),
                MatchStage::Running => self.running.increment(change),
                MatchStage::Finished | MatchStage::Unspecified => {}
            }
        }
        if to == MatchStage::Finished {
            let result = match_state.play.as_ref().and_then(|play| play.game.result()?.result);
            let how = match result {
                Some(MatchResult::Winner(_)) => "won",
                Some(MatchResult::Draw(_)) => "drawn",
                None => "stopped",
            };
            counter!("parley_matches_finished_total", "how" => how).increment(1);
        }
    }

    /// Stops counting a match that was counted as open and never came to be.
    pub fn never_came_to_be(&self) {
        self.open.decrement(1.0);
    }

    /// Counts a turn that was resolved, and what happened in it as its game counts.
    pub fn resolved(&self, game: &dyn AnyGame, counts: &[u64]) {
        self.turns.increment(1);
        let Some((_, counters)) = self.of_games.iter().find(|(arm, _)| *arm == game.arm()) else { return };
        for (counter, count) in counters.iter().zip(counts).filter(|(_, count)| **count > 0) {
            counter.increment(*count);
        }
    }
}

/// What a game counts of its turns.
fn counters(game: &dyn AnyGame) -> Vec<Counter> {
    let counter = |counted: &parley_games::hosted::Counter| counter!(counted.name, counted.label.0 => counted.label.1);
    game.labels().counters.iter().map(counter).collect()
}
