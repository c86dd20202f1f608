//! A recorded match as text: where it started, what was said in each turn, and the digest each turn led to.
//!
//! The first line is a scenario without orders. Every further line is a turn: `{"turn": 7, "inputs": {"orders": […],
//! "decisions": […], "concede": […]}, "digest": "64 hex digits"}`, with the lists as in a scenario. Only inputs are
//! recorded; what they lead to is computed again, and the digests (R13.3) say whether it is the same.

use std::fmt;
use std::sync::Arc;

use parley_core::digest::Digest;

use crate::rules::Rules;
use crate::ruleset::Workspace;
use crate::state::State;

use super::text::TurnJson;
use super::{MAX_SCENARIO_BYTES, Scenario, check, lines, play};

/// What a journal led to.
#[derive(Clone, Debug)]
pub struct Replay {
    /// How many turns were played.
    pub turns: usize,
    /// The state after the last one.
    pub state: State,
    /// The digest after the last one.
    pub digest: Digest,
}

/// Why a journal cannot be followed, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReplayError {
    /// The line, counted from 1.
    pub line: usize,
    /// What is wrong, a sentence each.
    pub reasons: Vec<String>,
}

impl fmt::Display for ReplayError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.reasons.join("; "))
    }
}

impl std::error::Error for ReplayError {}

/// Plays a journal again and compares every digest.
pub fn replay(base: &Arc<Rules>, text: &str) -> Result<Replay, ReplayError> {
    let mut numbered = text.lines().enumerate().map(|(index, line)| (index + 1, line));
    let fail = |line, reasons| ReplayError { line, reasons };
    let (_, first) = numbered.next().ok_or_else(|| fail(1, vec!["the journal is empty".to_owned()]))?;
    let scenario = Scenario::parse(base, first).map_err(|reasons| fail(1, reasons))?;
    if !scenario.sheets.is_empty() || !scenario.decisions.is_empty() {
        return Err(fail(1, vec!["the opening of a journal has no orders and no decisions".to_owned()]));
    }
    let mut game = scenario.game().map_err(|error| fail(1, vec![error.to_string()]))?;
    let (mut workspace, mut turns) = (Workspace::new(), 0);
    for (line, text) in numbered {
        let one = |reason: String| fail(line, vec![reason]);
        if text.len() > MAX_SCENARIO_BYTES {
            return Err(one(format!("{} bytes are too many, {MAX_SCENARIO_BYTES} are read", text.len())));
        }
        let turn: TurnJson = serde_json::from_str(text).map_err(|error| one(format!("not a turn: {error}")))?;
        if turn.turn != u64::from(game.turn()) {
            return Err(one(format!("turn {} stands where turn {} belongs", turn.turn, game.turn())));
        }
        let inputs = check::inputs(game.rules(), game.state(), turn.inputs);
        let (sheets, decisions) = inputs.map_err(|faults| fail(line, lines(&faults)))?;
        for sheet in sheets {
            game.lock(sheet).map_err(|error| one(error.to_string()))?;
        }
        let (outcome, unused) = play(&mut game, &mut workspace, decisions).map_err(|reasons| fail(line, reasons))?;
        if let Some((tick, unit, _)) = unused.first() {
            return Err(one(format!("nobody asked unit {unit} to decide in tick {tick}")));
        }
        let digest = game.digest();
        if digest.to_string() != turn.digest {
            return Err(one(format!("turn {} leads to {digest}, recorded is {}", turn.turn, turn.digest)));
        }
        workspace.reclaim(outcome);
        turns += 1;
    }
    let digest = game.digest();
    Ok(Replay { turns, state: game.into_state(), digest })
}
